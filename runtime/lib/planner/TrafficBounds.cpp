//===- TrafficBounds.cpp - Bytes that no plan can save --------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recompute.h"
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
/// The tasks of each device memory in order, and when they use its tiles.
/// Positions count the tasks that touch a memory.
class MemoryUses {
public:
  /// \p order and \p problem must outlive this.
  MemoryUses(const Problem &problem, const std::vector<uint32_t> &order);

  /// Tasks that touch a memory, in order.
  const std::vector<uint32_t> &tasksOf(uint32_t memory) const {
    return steps[memory];
  }
  /// Where a tile is used first and last, None if never.
  uint32_t firstUse(uint32_t tile) const { return first[tile]; }
  uint32_t lastUse(uint32_t tile) const { return last[tile]; }
  /// Calls \p visit(tile, next, isOperand) for every tile of a memory that a
  /// task uses, once each; `next` is the position that uses it next or None.
  template <typename Visit>
  void visitTask(uint32_t memory, uint32_t task, Visit visit) const;
  /// Scratch bytes of a task here, less what results save by taking the place
  /// of operands that nothing needs afterwards.
  double scratch(uint32_t memory, uint32_t position) const;

  const Problem &problem;

private:
  /// Of an operand that its task names again further on.
  static constexpr uint32_t Again = None - 1;

  void noteUse(uint32_t tile, uint32_t &next);

  std::vector<std::vector<uint32_t>> steps;
  std::vector<uint32_t> first, last;
  /// The next use after each operand and result, in the problem's lists.
  std::vector<uint32_t> afterOperand, afterResult;
  /// The position of the task at hand in each memory, while uses are listed.
  std::vector<uint32_t> position;
};
} // namespace

/// Notes a use at the position at hand; uses are seen last first.
void MemoryUses::noteUse(uint32_t tile, uint32_t &next) {
  uint32_t now = position[problem.tiles[tile].memory];
  next = first[tile] == now ? Again : first[tile];
  if (last[tile] == None)
    last[tile] = now;
  first[tile] = now;
}

MemoryUses::MemoryUses(const Problem &problem,
                       const std::vector<uint32_t> &order)
    : problem(problem), steps(problem.memories.size()),
      first(problem.tiles.size(), None), last(problem.tiles.size(), None),
      afterOperand(problem.operandList.size(), None),
      afterResult(problem.resultList.size(), None),
      position(problem.memories.size(), 0) {
  std::vector<uint8_t> isDevice(problem.memories.size());
  for (size_t i = 0; i < isDevice.size(); ++i)
    isDevice[i] = problem.memories[i].kind == MemoryKind::Device;
  auto forEachMemory = [&](uint32_t task, auto visit) {
    for (ArrayView<uint32_t> list :
         {problem.operands(task), problem.results(task)})
      for (uint32_t tile : list)
        if (isDevice[problem.tiles[tile].memory])
          visit(problem.tiles[tile].memory);
  };
  for (uint32_t task : order)
    forEachMemory(task, [&](uint32_t memory) {
      if (steps[memory].empty() || steps[memory].back() != task)
        steps[memory].push_back(task);
    });
  for (size_t i = 0; i < steps.size(); ++i)
    position[i] = static_cast<uint32_t>(steps[i].size());
  for (size_t i = order.size(); i-- > 0;) {
    uint32_t task = order[i];
    forEachMemory(task, [&](uint32_t memory) {
      uint32_t &at = position[memory];
      if (at != 0 && steps[memory][at - 1] == task)
        --at;
    });
    for (uint32_t j = problem.resultBegin[task + 1];
         j-- > problem.resultBegin[task];)
      if (isDevice[problem.tiles[problem.resultList[j]].memory])
        noteUse(problem.resultList[j], afterResult[j]);
    for (uint32_t j = problem.operandBegin[task + 1];
         j-- > problem.operandBegin[task];)
      if (isDevice[problem.tiles[problem.operandList[j]].memory])
        noteUse(problem.operandList[j], afterOperand[j]);
  }
}

template <typename Visit>
void MemoryUses::visitTask(uint32_t memory, uint32_t task, Visit visit) const {
  auto see = [&](uint32_t tile, uint32_t next, bool isOperand) {
    if (next != Again && problem.tiles[tile].memory == memory)
      visit(tile, next, isOperand);
  };
  for (uint32_t i = problem.operandBegin[task];
       i < problem.operandBegin[task + 1]; ++i)
    see(problem.operandList[i], afterOperand[i], true);
  for (uint32_t i = problem.resultBegin[task];
       i < problem.resultBegin[task + 1]; ++i)
    see(problem.resultList[i], afterResult[i], false);
}

double MemoryUses::scratch(uint32_t memory, uint32_t position) const {
  uint32_t task = steps[memory][position];
  double bytes = 0;
  if (problem.devices[problem.tasks[task].device].memory == memory)
    bytes = static_cast<double>(problem.tasks[task].workspace);
  for (const InPlacePair &pair : problem.inPlacePairs(task)) {
    uint32_t operand = problem.operands(task)[pair.operand];
    if (problem.tiles[operand].memory == memory && last[operand] == position)
      bytes -= static_cast<double>(problem.tiles[operand].bytes);
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// Incoming
//===----------------------------------------------------------------------===//

namespace {
/// Farthest use on device memories, byte by byte.
class FarthestUse {
public:
  /// \p isFree: of each tile, whether it comes and goes for nothing; empty if
  /// none does.
  FarthestUse(const MemoryUses &uses, const std::vector<bool> &isFree)
      : uses(uses), isFree(isFree), next(uses.problem.tiles.size(), None),
        resident(uses.problem.tiles.size(), 0) {}
  /// Returns the bytes that a memory has to load.
  double run(uint32_t memory);

private:
  void step(uint32_t memory, uint32_t position);
  void makeRoom(uint32_t position);
  double bytesOf(uint32_t tile) const {
    return static_cast<double>(uses.problem.tiles[tile].bytes);
  }

  const MemoryUses &uses;
  const std::vector<bool> &isFree;
  /// Where a tile is used next; only means something while it is resident.
  std::vector<uint32_t> next;
  std::vector<double> resident;
  double capacity = 0, used = 0, incoming = 0;
  std::priority_queue<std::pair<uint32_t, uint32_t>> farthest;
  std::vector<std::pair<uint32_t, uint32_t>> current;
};
} // namespace

void FarthestUse::makeRoom(uint32_t position) {
  while (used > capacity && !farthest.empty()) {
    auto [use, tile] = farthest.top();
    // What this task uses has been noted for its next use, but stays.
    if (resident[tile] == 0 || next[tile] != use || use == position) {
      farthest.pop();
      continue;
    }
    double part = std::min(resident[tile], used - capacity);
    resident[tile] -= part;
    used -= part;
    if (resident[tile] == 0)
      farthest.pop();
  }
}

void FarthestUse::step(uint32_t memory, uint32_t position) {
  current.clear();
  uses.visitTask(memory, uses.tasksOf(memory)[position],
                 [&](uint32_t tile, uint32_t after, bool isOperand) {
                   next[tile] = after;
                   current.emplace_back(after, tile);
                   double missing = bytesOf(tile) - resident[tile];
                   resident[tile] += missing;
                   used += missing;
                   if (isOperand && (isFree.empty() || !isFree[tile]))
                     incoming += missing;
                 });
  double scratch = uses.scratch(memory, position);
  used += scratch;
  makeRoom(position);
  used -= scratch;
  for (auto [after, tile] : current) {
    if (after != None && (isFree.empty() || !isFree[tile])) {
      farthest.emplace(after, tile);
      continue;
    }
    used -= resident[tile];
    resident[tile] = 0;
  }
}

double FarthestUse::run(uint32_t memory) {
  const std::vector<Tile> &tiles = uses.problem.tiles;
  capacity = static_cast<double>(uses.problem.memories[memory].capacity);
  used = incoming = 0;
  farthest = {};
  for (uint32_t tile = 0; tile < tiles.size(); ++tile)
    if (tiles[tile].memory == memory && tiles[tile].initialMemory == memory &&
        uses.firstUse(tile) != None) {
      next[tile] = uses.firstUse(tile);
      resident[tile] = bytesOf(tile);
      used += resident[tile];
      farthest.emplace(next[tile], tile);
    }
  uint32_t count = static_cast<uint32_t>(uses.tasksOf(memory).size());
  for (uint32_t position = 0; position < count; ++position)
    step(memory, position);
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
  Dirty(const Problem &problem, const std::vector<bool> &isFree);

  bool isDirty(uint32_t tile) const { return dirty[tile]; }
  /// Whether the tile has to be copied to its place at exit.
  bool isResult(uint32_t tile) const { return result[tile]; }

private:
  std::vector<bool> dirty, result;
};
} // namespace

Dirty::Dirty(const Problem &problem, const std::vector<bool> &isFree)
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
      dirty[id] = !result[id] && (isFree.empty() || !isFree[id]);
    }
  }
}

/// The bytes of dirty tiles that cannot all stay from production to their last
/// use; see the proof for why a tile that does not stay is left out even where
/// it is used.
static double boundWriteBacks(const MemoryUses &uses, const Dirty &dirty,
                              uint32_t memory) {
  const Problem &problem = uses.problem;
  double capacity = static_cast<double>(problem.memories[memory].capacity);
  std::vector<double> kept(problem.tiles.size(), 0);
  std::priority_queue<std::pair<uint32_t, uint32_t>> farthest;
  double used = 0, dropped = 0;
  std::vector<uint32_t> ending;
  uint32_t count = static_cast<uint32_t>(uses.tasksOf(memory).size());
  for (uint32_t position = 0; position < count; ++position) {
    double here = uses.scratch(memory, position);
    ending.clear();
    uses.visitTask(memory, uses.tasksOf(memory)[position],
                   [&](uint32_t tile, uint32_t after, bool) {
                     double bytes =
                         static_cast<double>(problem.tiles[tile].bytes);
                     if (after == None)
                       ending.push_back(tile);
                     if (!dirty.isDirty(tile)) {
                       here += bytes;
                     } else if (uses.firstUse(tile) == position) {
                       kept[tile] = bytes;
                       used += bytes;
                       farthest.emplace(uses.lastUse(tile), tile);
                     }
                   });
    while (used + here > capacity && !farthest.empty()) {
      uint32_t tile = farthest.top().second;
      double part = std::min(kept[tile], used + here - capacity);
      kept[tile] -= part;
      used -= part;
      dropped += part;
      if (kept[tile] == 0)
        farthest.pop();
    }
    for (uint32_t tile : ending) {
      used -= kept[tile];
      kept[tile] = 0;
    }
  }
  return dropped;
}

//===----------------------------------------------------------------------===//
// Incoming and outgoing together
//===----------------------------------------------------------------------===//

namespace {
/// Prices of a byte of a memory during each task. Whatever they are, they bound
/// what has to come in and go out; the proof says why. Looks for good ones.
class MemoryPrices {
public:
  MemoryPrices(const MemoryUses &uses, const Dirty &dirty, uint32_t memory);
  /// Bytes that come in again or are written back at least.
  double run();

private:
  /// The time between two uses of a tile, exclusive.
  struct Gap {
    uint32_t begin = 0, end = 0;
    /// Of the tile's gaps the one before, None for the first.
    uint32_t previous = None;
    double bytes = 0;
    bool isDirty = false;
  };

  /// The bound at the present prices; fills in what more of each would add.
  double evaluate();

  std::vector<Gap> gaps;
  /// The last gap of each dirty tile.
  std::vector<uint32_t> lastGaps;
  /// Bytes that each task leaves to tiles that it does not use.
  std::vector<double> room;
  std::vector<double> price, ascent;
  /// Sums of prices before each task, and changes of demand at it.
  std::vector<double> sums, demand;
};
} // namespace

MemoryPrices::MemoryPrices(const MemoryUses &uses, const Dirty &dirty,
                           uint32_t memory) {
  const Problem &problem = uses.problem;
  const std::vector<uint32_t> &tasks = uses.tasksOf(memory);
  uint32_t count = static_cast<uint32_t>(tasks.size());
  room.assign(count, static_cast<double>(problem.memories[memory].capacity));
  std::vector<uint32_t> gapOf(problem.tiles.size(), None);
  for (uint32_t position = 0; position < count; ++position) {
    room[position] -= uses.scratch(memory, position);
    uses.visitTask(
        memory, tasks[position], [&](uint32_t tile, uint32_t after, bool) {
          double bytes = static_cast<double>(problem.tiles[tile].bytes);
          room[position] -= bytes;
          if (after == None)
            return;
          gaps.push_back(
              {position + 1, after, gapOf[tile], bytes, dirty.isDirty(tile)});
          gapOf[tile] = static_cast<uint32_t>(gaps.size() - 1);
        });
  }
  for (uint32_t tile = 0; tile < gapOf.size(); ++tile)
    if (gapOf[tile] != None && gaps[gapOf[tile]].isDirty)
      lastGaps.push_back(gapOf[tile]);
  price.assign(count, 0);
  ascent.resize(count);
  sums.resize(count + 1);
  demand.resize(count + 1);
}

double MemoryPrices::evaluate() {
  double bound = 0;
  for (size_t i = 0; i < price.size(); ++i) {
    sums[i + 1] = sums[i] + price[i];
    bound -= price[i] * room[i];
  }
  std::fill(demand.begin(), demand.end(), 0);
  auto rent = [&](const Gap &gap) { return sums[gap.end] - sums[gap.begin]; };
  auto stays = [&](const Gap &gap) {
    demand[gap.begin] += gap.bytes;
    demand[gap.end] -= gap.bytes;
  };
  // A byte stays while that is cheaper than to come in again.
  for (const Gap &gap : gaps) {
    double paid = rent(gap);
    bound += gap.bytes * std::min(1.0, paid);
    if (paid < 1)
      stays(gap);
  }
  // What a dirty one would pay beyond that in all of its gaps it pays up to
  // what it costs to be written back.
  for (uint32_t last : lastGaps) {
    double beyond = 0;
    for (uint32_t at = last; at != None; at = gaps[at].previous)
      beyond += std::max(0.0, rent(gaps[at]) - 1);
    bound += gaps[last].bytes * std::min(1.0, beyond);
    if (beyond < 1)
      for (uint32_t at = last; at != None; at = gaps[at].previous)
        if (rent(gaps[at]) >= 1)
          stays(gaps[at]);
  }
  double held = 0;
  for (size_t i = 0; i < price.size(); ++i) {
    held += demand[i];
    ascent[i] = held - room[i];
  }
  return bound;
}

/// Follows the supergradient of the bound, which is concave, with steps that
/// would reach a little more than the best so far if it were straight.
double MemoryPrices::run() {
  constexpr double work = 2e8;
  constexpr unsigned mostRounds = 2000, patience = 12;
  auto size = static_cast<double>(gaps.size() + price.size() + 1);
  unsigned rounds =
      static_cast<unsigned>(std::min<double>(mostRounds, work / size));
  double best = 0, reach = 0;
  unsigned idle = 0;
  std::vector<double> bestPrice = price, direction(price.size(), 0);
  for (unsigned round = 0; round < rounds; ++round) {
    double bound = evaluate();
    if (bound > best * (1 + 1e-5))
      idle = 0;
    if (bound > best) {
      best = bound;
      bestPrice = price;
    }
    double square = 0;
    for (size_t i = 0; i < price.size(); ++i) {
      direction[i] = ascent[i] + 0.5 * direction[i];
      if (price[i] <= 0 && direction[i] < 0)
        direction[i] = 0;
      square += direction[i] * direction[i];
    }
    if (square == 0)
      break;
    if (round == 0)
      for (const Gap &gap : gaps)
        reach += gap.bytes / 16;
    if (++idle > patience) {
      reach /= 2;
      idle = 0;
      price = bestPrice;
      std::fill(direction.begin(), direction.end(), 0);
      continue;
    }
    double step = (best + reach - bound) / square;
    for (size_t i = 0; i < price.size(); ++i)
      price[i] = std::max(0.0, price[i] + step * direction[i]);
  }
  return best;
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

/// Which tiles plans may compute again; empty without \p repeats.
static std::vector<bool> freeTiles(const Problem &problem, bool repeats) {
  std::vector<bool> isFree;
  if (repeats)
    for (uint32_t task : tasksToRepeat(problem))
      isFree.push_back(task != None);
  return isFree;
}

TrafficBounds planner::boundTraffic(const Problem &problem,
                                    const std::vector<uint32_t> &order,
                                    bool repeats) {
  TrafficBounds bounds;
  bounds.incoming.assign(problem.memories.size(), 0);
  bounds.outgoing.assign(problem.memories.size(), 0);
  std::vector<bool> isFree = freeTiles(problem, repeats);
  Dirty dirty(problem, isFree);
  addResults(problem, dirty, bounds);
  MemoryUses uses(problem, order);
  FarthestUse farthest(uses, isFree);
  for (uint32_t memory = 0; memory < problem.memories.size(); ++memory) {
    if (problem.memories[memory].kind != MemoryKind::Device)
      continue;
    bounds.incoming[memory] = farthest.run(memory);
    bounds.outgoing[memory] += boundWriteBacks(uses, dirty, memory);
  }
  return bounds;
}

double planner::boundTogether(const Problem &problem,
                              const std::vector<uint32_t> &order,
                              bool repeats) {
  TrafficBounds apart = boundTraffic(problem, order, repeats);
  if (repeats)
    return apart.totalIncoming() + apart.totalOutgoing();
  TrafficBounds once = boundTraffic(problem);
  MemoryUses uses(problem, order);
  Dirty dirty(problem, {});
  double bytes = 0;
  for (uint32_t memory = 0; memory < problem.memories.size(); ++memory)
    if (problem.memories[memory].kind == MemoryKind::Device)
      bytes += std::max(apart.incoming[memory] + apart.outgoing[memory],
                        once.incoming[memory] + once.outgoing[memory] +
                            MemoryPrices(uses, dirty, memory).run());
  return bytes;
}

double planner::boundIncoming(const Problem &problem,
                              const std::vector<uint32_t> &order,
                              bool repeats) {
  MemoryUses uses(problem, order);
  std::vector<bool> isFree = freeTiles(problem, repeats);
  FarthestUse farthest(uses, isFree);
  double bytes = 0;
  for (uint32_t memory = 0; memory < problem.memories.size(); ++memory)
    if (problem.memories[memory].kind == MemoryKind::Device)
      bytes += farthest.run(memory);
  return bytes;
}

TrafficBounds planner::boundTraffic(const Problem &problem) {
  TrafficBounds bounds;
  bounds.incoming.assign(problem.memories.size(), 0);
  bounds.outgoing.assign(problem.memories.size(), 0);
  addResults(problem, Dirty(problem, {}), bounds);
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
