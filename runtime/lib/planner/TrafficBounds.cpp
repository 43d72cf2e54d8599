//===- TrafficBounds.cpp - Bytes that no plan can save --------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/planner/Bounds.h"

#include <algorithm>
#include <numeric>
#include <queue>

using namespace turnip;
using namespace turnip::planner;

double TrafficBounds::totalIncoming() const {
  return std::accumulate(incoming.begin(), incoming.end(), 0.0);
}

double TrafficBounds::totalOutgoing() const {
  return std::accumulate(outgoing.begin(), outgoing.end(), 0.0);
}

std::vector<uint32_t> planner::taskOrder(const Problem &problem,
                                         const Plan &plan) {
  std::vector<uint32_t> order;
  std::vector<bool> seen(problem.tasks.size());
  for (const OpInfo &op : plan.ops)
    if (op.task != None && op.task < seen.size() && !seen[op.task]) {
      seen[op.task] = true;
      order.push_back(op.task);
    }
  return order;
}

namespace {
/// One device memory's tasks in order, and when they use its tiles.
class MemoryUses {
public:
  MemoryUses(const Problem &problem, const std::vector<uint32_t> &order,
             uint32_t memory);

  /// Tasks that touch the memory, in order; positions count these.
  const std::vector<uint32_t> &tasks() const { return steps; }
  /// Positions at which a tile is used, ascending.
  ArrayView<uint32_t> usesOf(uint32_t tile) const {
    return {uses.data() + begin[tile], begin[tile + 1] - begin[tile]};
  }
  bool isHere(uint32_t tile) const {
    return problem.tiles[tile].memory == memory;
  }
  uint32_t lastUse(uint32_t tile) const { return uses[begin[tile + 1] - 1]; }
  /// Scratch bytes of a task here, less what results save by taking the place
  /// of operands that nothing needs afterwards.
  double scratch(uint32_t position) const;

  const Problem &problem;
  const uint32_t memory;
  const double capacity;

private:
  std::vector<uint32_t> steps, begin, uses;
};
} // namespace

MemoryUses::MemoryUses(const Problem &problem,
                       const std::vector<uint32_t> &order, uint32_t memory)
    : problem(problem), memory(memory),
      capacity(static_cast<double>(problem.memories[memory].capacity)),
      begin(problem.tiles.size() + 1, 0) {
  std::vector<uint32_t> stamp(problem.tiles.size(), None);
  auto forEach = [&](const std::vector<uint32_t> &tasks, auto visit) {
    for (uint32_t task : tasks)
      for (ArrayView<uint32_t> list :
           {problem.operands(task), problem.results(task)})
        for (uint32_t tile : list)
          if (isHere(tile) && stamp[tile] != task) {
            stamp[tile] = task;
            visit(tile, task);
          }
  };
  // The tiles of a call lie in its device's memory.
  for (uint32_t task : order)
    if (problem.tasks[task].kind == TaskKind::Transfer ||
        problem.devices[problem.tasks[task].device].memory == memory)
      steps.push_back(task);
  std::vector<uint32_t> touching;
  forEach(steps, [&](uint32_t tile, uint32_t task) {
    ++begin[tile + 1];
    if (touching.empty() || touching.back() != task)
      touching.push_back(task);
  });
  steps = std::move(touching);
  for (size_t tile = 0; tile < problem.tiles.size(); ++tile)
    begin[tile + 1] += begin[tile];
  uses.resize(begin.back());
  std::vector<uint32_t> cursor(begin.begin(), begin.end() - 1);
  std::fill(stamp.begin(), stamp.end(), None);
  uint32_t position = 0;
  forEach(steps, [&](uint32_t tile, uint32_t task) {
    if (steps[position] != task)
      ++position;
    uses[cursor[tile]++] = position;
  });
}

double MemoryUses::scratch(uint32_t position) const {
  uint32_t task = steps[position];
  double bytes = 0;
  if (problem.devices[problem.tasks[task].device].memory == memory)
    bytes = static_cast<double>(problem.tasks[task].workspace);
  for (const InPlacePair &pair : problem.inPlacePairs(task)) {
    uint32_t operand = problem.operands(task)[pair.operand];
    if (isHere(operand) && lastUse(operand) == position)
      bytes -= static_cast<double>(problem.tiles[operand].bytes);
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// Incoming
//===----------------------------------------------------------------------===//

namespace {
/// Farthest use on one device memory, byte by byte.
class FarthestUse {
public:
  explicit FarthestUse(const MemoryUses &uses)
      : uses(uses), next(uses.problem.tiles.size(), 0),
        resident(uses.problem.tiles.size(), 0) {}
  double run();

private:
  void step(uint32_t position);
  void bring(uint32_t tile, uint32_t position, bool loads);
  void makeRoom(uint32_t position);
  double bytesOf(uint32_t tile) const {
    return static_cast<double>(uses.problem.tiles[tile].bytes);
  }
  /// The use after those seen so far, or None.
  uint32_t nextUse(uint32_t tile) const {
    ArrayView<uint32_t> all = uses.usesOf(tile);
    return next[tile] < all.size() ? all[next[tile]] : None;
  }

  const MemoryUses &uses;
  /// How many of a tile's uses are over.
  std::vector<uint32_t> next;
  std::vector<double> resident;
  double used = 0, incoming = 0;
  std::priority_queue<std::pair<uint32_t, uint32_t>> farthest;
  std::vector<uint32_t> current;
};
} // namespace

void FarthestUse::bring(uint32_t tile, uint32_t position, bool loads) {
  if (!uses.isHere(tile) || nextUse(tile) != position)
    return;
  ++next[tile];
  current.push_back(tile);
  double missing = bytesOf(tile) - resident[tile];
  resident[tile] += missing;
  used += missing;
  if (loads)
    incoming += missing;
}

void FarthestUse::makeRoom(uint32_t position) {
  while (used > uses.capacity && !farthest.empty()) {
    auto [use, tile] = farthest.top();
    // What this task uses has been noted for its next use, but stays.
    if (resident[tile] == 0 || nextUse(tile) != use || use == position) {
      farthest.pop();
      continue;
    }
    double part = std::min(resident[tile], used - uses.capacity);
    resident[tile] -= part;
    used -= part;
    if (resident[tile] == 0)
      farthest.pop();
  }
}

void FarthestUse::step(uint32_t position) {
  uint32_t task = uses.tasks()[position];
  current.clear();
  for (uint32_t tile : uses.problem.operands(task))
    bring(tile, position, true);
  for (uint32_t tile : uses.problem.results(task))
    bring(tile, position, false);
  double scratch = uses.scratch(position);
  used += scratch;
  makeRoom(position);
  used -= scratch;
  for (uint32_t tile : current) {
    if (nextUse(tile) != None) {
      farthest.emplace(nextUse(tile), tile);
      continue;
    }
    used -= resident[tile];
    resident[tile] = 0;
  }
}

double FarthestUse::run() {
  const std::vector<Tile> &tiles = uses.problem.tiles;
  for (uint32_t tile = 0; tile < tiles.size(); ++tile)
    if (uses.isHere(tile) && tiles[tile].initialMemory == uses.memory &&
        nextUse(tile) != None) {
      resident[tile] = bytesOf(tile);
      used += resident[tile];
      farthest.emplace(nextUse(tile), tile);
    }
  for (uint32_t position = 0; position < uses.tasks().size(); ++position)
    step(position);
  return incoming;
}

//===----------------------------------------------------------------------===//
// Outgoing
//===----------------------------------------------------------------------===//

namespace {
/// Which tiles a device alone holds from their production on, so that they stay
/// or are written back.
class Dirty {
public:
  explicit Dirty(const Problem &problem);

  bool isDirty(uint32_t tile) const { return dirty[tile]; }
  /// Whether the tile has to be copied to its place at exit.
  bool isResult(uint32_t tile) const { return result[tile]; }

private:
  std::vector<bool> dirty, result;
};
} // namespace

Dirty::Dirty(const Problem &problem)
    : dirty(problem.tiles.size()), result(problem.tiles.size()) {
  for (uint32_t task = 0; task < problem.tasks.size(); ++task) {
    // A value that a transfer copies may have a copy elsewhere to come back
    // from; it is not counted.
    if (problem.tasks[task].kind == TaskKind::Transfer) {
      uint32_t source = problem.operands(task)[0];
      dirty[source] = result[source] = false;
      continue;
    }
    for (uint32_t id : problem.results(task)) {
      const Tile &tile = problem.tiles[id];
      if (problem.memories[tile.memory].kind != MemoryKind::Device)
        continue;
      result[id] = tile.finalMemory != None && tile.finalMemory != tile.memory;
      dirty[id] = !result[id];
    }
  }
}

/// The bytes of dirty tiles that cannot all stay from production to their last
/// use; see the proof for why a tile that does not stay is left out even where
/// it is used.
static double boundWriteBacks(const MemoryUses &uses, const Dirty &dirty) {
  const Problem &problem = uses.problem;
  std::vector<double> kept(problem.tiles.size(), 0);
  std::priority_queue<std::pair<uint32_t, uint32_t>> farthest;
  double used = 0, dropped = 0;
  std::vector<uint32_t> current;
  for (uint32_t position = 0; position < uses.tasks().size(); ++position) {
    uint32_t task = uses.tasks()[position];
    double here = uses.scratch(position);
    current.clear();
    for (ArrayView<uint32_t> list :
         {problem.operands(task), problem.results(task)})
      for (uint32_t tile : list) {
        if (!uses.isHere(tile) ||
            std::find(current.begin(), current.end(), tile) != current.end())
          continue;
        current.push_back(tile);
        double bytes = static_cast<double>(problem.tiles[tile].bytes);
        if (!dirty.isDirty(tile)) {
          here += bytes;
        } else if (uses.usesOf(tile)[0] == position) {
          kept[tile] = bytes;
          used += bytes;
          farthest.emplace(uses.lastUse(tile), tile);
        }
      }
    while (used + here > uses.capacity && !farthest.empty()) {
      uint32_t tile = farthest.top().second;
      double part = std::min(kept[tile], used + here - uses.capacity);
      kept[tile] -= part;
      used -= part;
      dropped += part;
      if (kept[tile] == 0)
        farthest.pop();
    }
    for (uint32_t tile : current)
      if (uses.lastUse(tile) == position) {
        used -= kept[tile];
        kept[tile] = 0;
      }
  }
  return dropped;
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

static void addResults(const Problem &problem, const Dirty &dirty,
                       TrafficBounds &bounds) {
  for (uint32_t id = 0; id < problem.tiles.size(); ++id)
    if (dirty.isResult(id))
      bounds.outgoing[problem.tiles[id].memory] +=
          static_cast<double>(problem.tiles[id].bytes);
}

TrafficBounds planner::boundTraffic(const Problem &problem,
                                    const std::vector<uint32_t> &order) {
  TrafficBounds bounds;
  bounds.incoming.assign(problem.memories.size(), 0);
  bounds.outgoing.assign(problem.memories.size(), 0);
  Dirty dirty(problem);
  addResults(problem, dirty, bounds);
  for (const Device &device : problem.devices) {
    if (problem.memories[device.memory].kind != MemoryKind::Device)
      continue;
    MemoryUses uses(problem, order, device.memory);
    bounds.incoming[device.memory] = FarthestUse(uses).run();
    bounds.outgoing[device.memory] += boundWriteBacks(uses, dirty);
  }
  return bounds;
}

TrafficBounds planner::boundTraffic(const Problem &problem) {
  TrafficBounds bounds;
  bounds.incoming.assign(problem.memories.size(), 0);
  bounds.outgoing.assign(problem.memories.size(), 0);
  addResults(problem, Dirty(problem), bounds);
  std::vector<bool> seen(problem.tiles.size());
  for (uint32_t id : problem.operandList) {
    const Tile &tile = problem.tiles[id];
    if (seen[id] || tile.initialMemory == None ||
        tile.initialMemory == tile.memory ||
        problem.memories[tile.memory].kind != MemoryKind::Device)
      continue;
    seen[id] = true;
    bounds.incoming[tile.memory] += static_cast<double>(tile.bytes);
  }
  return bounds;
}
