//===- HardPlacements.cpp - Placements that are hard to prove -------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HardPlacements.h"

#include <algorithm>
#include <random>

using namespace turnip::planner;
using namespace turnip::planner::bench;

const char *bench::toString(HardKind kind) {
  switch (kind) {
  case HardKind::Chain:
    return "chain";
  case HardKind::Ladder:
    return "ladder";
  case HardKind::Crowd:
    return "crowd";
  case HardKind::Butterfly:
    return "butterfly";
  case HardKind::Layers:
    return "layers";
  case HardKind::Random:
    return "random";
  }
  return "";
}

namespace {
/// Values of one slot of 64 bytes each; operation i writes value i.
class HardBuilder {
public:
  HardBuilder(uint32_t numOps, uint64_t seed) : numOps(numOps), random(seed) {
    placement.memories = {{"dev", uint64_t(1) << 40, slotBytes, true}};
  }

  void chain();
  void ladder();
  void crowd();
  void butterfly();
  void layers();
  void randomWalks();
  Placement take() { return std::move(placement); }

private:
  static constexpr uint64_t slotBytes = 64;

  uint32_t below(uint32_t bound) {
    return static_cast<uint32_t>(random() % bound);
  }
  /// Adds operation i: writes \p slot, reads \p operands from their slots.
  uint32_t add(uint32_t slot, std::initializer_list<uint32_t> operands);
  void edge(uint32_t from, uint32_t to) {
    placement.edges.push_back({from, to, EdgeKind::Memory});
  }
  uint32_t join() {
    slots.push_back(None);
    return placement.addOp(OpKind::Join, ArrayView<Access>());
  }
  uint32_t next() const { return placement.numOps(); }

  uint32_t numOps;
  std::mt19937_64 random;
  Placement placement;
  /// Where each operation writes.
  std::vector<uint32_t> slots;
  std::vector<Access> accesses;
};
} // namespace

uint32_t HardBuilder::add(uint32_t slot,
                          std::initializer_list<uint32_t> operands) {
  accesses.clear();
  for (uint32_t op : operands)
    accesses.push_back(
        {0, op, slotBytes * slots[op], slotBytes, Role::Read, None});
  accesses.push_back(
      {0, next(), slotBytes * slot, slotBytes, Role::Write, None});
  slots.push_back(slot);
  return placement.addOp(OpKind::Call, accesses);
}

void HardBuilder::chain() {
  // Value v is read by operation 2 v and overwritten by v + numSlots.
  uint32_t numSlots = numOps / 2 + 1;
  add(0, {});
  for (uint32_t op = 1; op < numOps; ++op) {
    add(op % numSlots, {op / 2});
    edge(op - 1, op);
  }
}

void HardBuilder::ladder() {
  // Even and odd operations are the two chains. An operation reads the newest
  // value of the other chain before the last two rungs, or one of its own.
  constexpr uint32_t step = 2000;
  add(0, {});
  add(1, {});
  for (uint32_t op = 2; op < numOps; ++op) {
    uint32_t rungs = op / step * step;
    if (rungs < 2 * step)
      add(op, {op - 2 * (1 + below(op / 2))});
    else
      add(op, {rungs - 2 * step + (op + 1) % 2 + 2 * below(step / 4)});
    edge(op - 2, op);
    if (op % step <= 1)
      edge(op - op % step - 1 - op % step, op);
  }
}

void HardBuilder::crowd() {
  uint32_t half = numOps / 2;
  uint64_t bytes = slotBytes * half;
  accesses = {{0, 0, 0, bytes, Role::Write, None}};
  placement.addOp(OpKind::Call, accesses);
  for (uint32_t op = 1; op < half; ++op) {
    accesses = {{0, 0, 0, bytes, Role::Read, None}};
    placement.addOp(OpKind::Call, accesses);
    edge(0, op);
  }
  uint32_t joins[] = {join(), join()};
  for (uint32_t op = 1; op < half; ++op)
    edge(op, joins[op % 2]);
  for (uint32_t i = 0; i < half; ++i) {
    accesses = {{0, 1 + i, slotBytes * i, slotBytes, Role::Write, None}};
    uint32_t op = placement.addOp(OpKind::Call, accesses);
    edge(joins[0], op);
    edge(joins[1], op);
  }
}

void HardBuilder::butterfly() {
  uint32_t bits = 5;
  while (bits < 15 && (uint64_t(6) * bits << bits) < numOps)
    ++bits;
  uint32_t width = 1U << bits;
  for (uint32_t lane = 0; lane < width; ++lane)
    add(lane, {});
  for (uint32_t stage = 1; next() + width <= numOps; ++stage)
    for (uint32_t lane = 0; lane < width; ++lane) {
      uint32_t before = (stage - 1) * width;
      uint32_t other = lane ^ (1U << stage % bits);
      uint32_t op = add(stage % (bits + 1) * width + lane,
                        {before + lane, before + other});
      edge(before + lane, op);
      edge(before + other, op);
    }
}

void HardBuilder::layers() {
  uint32_t width = std::max(16U, numOps / 20);
  std::vector<uint32_t> last, current;
  for (uint32_t layer = 0; next() + width < numOps; ++layer) {
    uint32_t barrier = layer == 0 ? None : join();
    for (uint32_t op : last)
      edge(op, barrier);
    current.clear();
    for (uint32_t lane = 0; lane < width; ++lane) {
      uint32_t slot = layer % 2 * width + lane;
      if (layer == 0) {
        current.push_back(add(slot, {}));
        continue;
      }
      current.push_back(add(slot, {last[lane], last[below(width)]}));
      edge(barrier, current.back());
    }
    std::swap(last, current);
  }
}

void HardBuilder::randomWalks() {
  constexpr uint32_t reach = 400, steps = 40;
  std::vector<uint32_t> first(numOps, 0), second(numOps, 0);
  add(0, {});
  for (uint32_t op = 1; op < numOps; ++op) {
    first[op] = op - 1 - below(std::min(op, reach));
    second[op] = op - 1 - below(std::min(op, reach));
    uint32_t from = op;
    for (uint32_t step = 0; step < steps && from > 0; ++step)
      from = below(2) == 0 ? first[from] : second[from];
    add(op, {from});
    edge(first[op], op);
    if (second[op] != first[op])
      edge(second[op], op);
  }
}

Placement bench::makeHard(HardKind kind, uint32_t numOps, uint64_t seed) {
  HardBuilder builder(std::max(64U, numOps), seed);
  switch (kind) {
  case HardKind::Chain:
    builder.chain();
    break;
  case HardKind::Ladder:
    builder.ladder();
    break;
  case HardKind::Crowd:
    builder.crowd();
    break;
  case HardKind::Butterfly:
    builder.butterfly();
    break;
  case HardKind::Layers:
    builder.layers();
    break;
  case HardKind::Random:
    builder.randomWalks();
    break;
  }
  return builder.take();
}

void bench::breakHard(Placement &placement, uint64_t seed) {
  std::mt19937_64 random(seed);
  auto reads = [&](uint32_t op) {
    ArrayView<Access> accesses = placement.accessesOf(op);
    return !accesses.empty() && accesses[0].role == Role::Read;
  };
  uint32_t victim = 0;
  do {
    victim = static_cast<uint32_t>(random() % placement.numOps());
  } while (!reads(victim));
  std::vector<Edge> &edges = placement.edges;
  edges.erase(
      std::remove_if(edges.begin(), edges.end(),
                     [&](const Edge &edge) { return edge.to == victim; }),
      edges.end());
}
