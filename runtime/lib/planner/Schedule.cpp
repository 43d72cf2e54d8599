//===- Schedule.cpp - An order from list scheduling -----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"
#include "Flow.h"

#include <algorithm>
#include <queue>

using namespace turnip;
using namespace turnip::planner;

/// Ready tasks that one choice compares, per kind.
static constexpr size_t compareLimit = 12;
/// Tiles that one choice considers to load.
static constexpr size_t loadLimit = 4;
/// A tile with more readers is taken to be on its device always.
static constexpr size_t hubReaders = 256;

namespace {
/// Numbers of which the least few are looked at again and again: these are
/// kept apart, in order.
class LeastFirst {
public:
  void insert(uint32_t number) {
    if (least.size() < compareLimit || number < least.back())
      least.insert(std::upper_bound(least.begin(), least.end(), number),
                   number);
    else
      others.push(number);
    if (least.size() <= compareLimit)
      return;
    others.push(least.back());
    least.pop_back();
  }
  /// Drops those for which \p isOver holds from the least few, takes others in
  /// their place, and returns the rest.
  template <typename IsOver> const std::vector<uint32_t> &look(IsOver isOver) {
    least.erase(std::remove_if(least.begin(), least.end(), isOver),
                least.end());
    for (; least.size() < compareLimit && !others.empty(); others.pop())
      if (!isOver(others.top()))
        least.push_back(others.top());
    return least;
  }

private:
  std::vector<uint32_t> least;
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> others;
};

class Scheduler {
public:
  Scheduler(const Problem &problem, const Machine &machine,
            const std::vector<uint32_t> &base, const ScheduleRules &rules);
  std::vector<uint32_t> run();

private:
  /// What is known about a device and its memory.
  struct Lane {
    bool busy = false;
    /// Bytes that recently used tiles may take, and take.
    double limit = 0, used = 0;
    double openLimit = 0, open = 0;
    /// Seconds per byte of what is loaded, and when the link is free.
    double secondsPerByte = 0, linkFree = 0;
    /// Resident tiles, the one used last first.
    uint32_t newest = None, oldest = None;
    /// Ready tasks as they came, by number, and those free of loads.
    std::vector<uint32_t> recent, free;
    LeastFirst waiting;
    /// Tiles by how many tasks they would free of loads, per byte.
    std::priority_queue<std::pair<double, uint32_t>> loads;
    /// Those that were looked at before, the best last.
    std::vector<std::pair<double, uint32_t>> lookedAt;
  };
  struct Choice {
    uint32_t task = None;
    double score = 0;
  };

  bool onDevice(uint32_t tile) const {
    return problem.memories[problem.tiles[tile].memory].kind ==
           MemoryKind::Device;
  }
  bool isTransfer(uint32_t task) const {
    return problem.tasks[task].kind == TaskKind::Transfer;
  }
  Lane &laneOf(uint32_t tile) {
    return lanes[machine.deviceOf(problem.tiles[tile].memory)];
  }
  double bytesOf(uint32_t tile) const {
    return static_cast<double>(problem.tiles[tile].bytes);
  }
  /// Whether loads of a tile are modelled.
  bool isTracked(uint32_t tile) const {
    return onDevice(tile) && flow.readersOf(tile).size() <= hubReaders;
  }

  // What can run.
  void makePossible(uint32_t tile);
  void makeReady(uint32_t task);
  void admit(uint32_t task);
  void advanceFrontier();
  void addEnabled(uint32_t tile, int change);
  void setResident(uint32_t tile, bool resident);

  // What runs next.
  bool choose(Lane &lane, uint32_t &task);
  void consider(const Lane &lane, uint32_t task, Choice &best) const;
  void considerLoads(Lane &lane, Choice &best);
  double score(const Lane &lane, uint32_t task) const;

  // Running it.
  double perform(uint32_t task, double time);
  void transfer(uint32_t tile, double time);
  double bring(uint32_t tile, double time);
  void touch(uint32_t tile);
  void unlink(uint32_t tile);
  void makeRoom(Lane &lane);
  void finishReads(uint32_t task);

  const Problem &problem;
  const Machine &machine;
  const std::vector<uint32_t> &base;
  const ScheduleRules &rules;
  /// Positions of tasks in `base`, and the first that is not done.
  std::vector<uint32_t> rank;
  uint32_t frontier = 0;
  /// Positions of ready tasks that are too far from the frontier.
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> later;
  Flow flow;
  std::vector<double> urgency;
  std::vector<Lane> lanes;
  std::vector<uint32_t> order;

  // Per task.
  std::vector<uint8_t> isReady, isDone;
  /// How many of its operands are missing, and the exclusive or of their ids:
  /// the id itself where one is missing.
  std::vector<uint32_t> missing, missingMix;

  // Per tile.
  std::vector<uint8_t> isPossible, isResident, isOpen;
  std::vector<uint32_t> unread, enabled, newer, older, stamp;
  /// How many of its readers, from the first on, are known to be done.
  std::vector<uint32_t> firstOpen;
  /// When its value is there.
  std::vector<double> available;
  uint32_t clock = 0;

  /// Ends of tasks.
  std::priority_queue<std::pair<double, uint32_t>,
                      std::vector<std::pair<double, uint32_t>>, std::greater<>>
      ends;
  std::vector<uint32_t> pending;
  /// Results of transfers that no task reads and that can be carried out.
  std::vector<uint32_t> unasked;
};
} // namespace

Scheduler::Scheduler(const Problem &problem, const Machine &machine,
                     const std::vector<uint32_t> &base,
                     const ScheduleRules &rules)
    : problem(problem), machine(machine), base(base), rules(rules),
      rank(problem.tasks.size()), flow(problem), lanes(problem.devices.size()),
      isReady(problem.tasks.size(), 0), isDone(problem.tasks.size(), 0),
      missing(problem.tasks.size(), 0), missingMix(problem.tasks.size(), 0),
      isPossible(problem.tiles.size(), 0), isResident(problem.tiles.size(), 0),
      isOpen(problem.tiles.size(), 0), unread(problem.tiles.size(), 0),
      enabled(problem.tiles.size(), 0), newer(problem.tiles.size(), None),
      older(problem.tiles.size(), None), stamp(problem.tiles.size(), 0),
      firstOpen(problem.tiles.size(), 0), available(problem.tiles.size(), 0) {
  if (rules.urgencyWeight > 0)
    urgency = urgencies(problem, machine, flow);
  for (uint32_t i = 0; i < base.size(); ++i)
    rank[base[i]] = i;
  for (uint32_t i = 0; i < lanes.size(); ++i) {
    const Device &device = problem.devices[i];
    if (device.backing == None)
      continue;
    double capacity =
        static_cast<double>(problem.memories[device.memory].capacity);
    lanes[i].limit = rules.residentShare * capacity;
    lanes[i].openLimit = rules.openShare * capacity;
    lanes[i].secondsPerByte =
        machine.copySeconds(device.backing, device.memory, uint64_t(1) << 30) /
        static_cast<double>(uint64_t(1) << 30);
  }
  for (uint32_t tile : problem.operandList)
    ++unread[tile];
}

//===----------------------------------------------------------------------===//
// What can run
//===----------------------------------------------------------------------===//

/// The value of \p tile exists, or a transfer can bring it.
void Scheduler::makePossible(uint32_t first) {
  pending.assign(1, first);
  while (!pending.empty()) {
    uint32_t tile = pending.back();
    pending.pop_back();
    isPossible[tile] = true;
    for (uint32_t reader : flow.readersOf(tile)) {
      if (isTransfer(reader)) {
        uint32_t result = problem.results(reader)[0];
        pending.push_back(result);
        if (flow.readersOf(result).empty())
          unasked.push_back(result);
      } else if (--flow.waiting[reader] == 0)
        makeReady(reader);
    }
  }
}

void Scheduler::makeReady(uint32_t task) {
  if (rank[task] - frontier > rules.window)
    later.push(rank[task]);
  else
    admit(task);
}

void Scheduler::advanceFrontier() {
  while (frontier < base.size() &&
         (isDone[base[frontier]] || isTransfer(base[frontier])))
    ++frontier;
  while (!later.empty() && later.top() - frontier <= rules.window) {
    admit(base[later.top()]);
    later.pop();
  }
}

void Scheduler::admit(uint32_t task) {
  isReady[task] = true;
  ++clock;
  for (uint32_t tile : problem.operands(task)) {
    if (stamp[tile] == clock)
      continue;
    stamp[tile] = clock;
    if (!isOpen[tile] && flow.producer[tile] != None && onDevice(tile) &&
        flow.readersOf(tile).size() == 1) {
      isOpen[tile] = true;
      laneOf(tile).open += bytesOf(tile);
    }
    if (!isTracked(tile) || isResident[tile])
      continue;
    ++missing[task];
    missingMix[task] ^= tile;
  }
  Lane &lane = lanes[problem.tasks[task].device];
  lane.recent.push_back(task);
  lane.waiting.insert(rank[task]);
  if (missing[task] == 0)
    lane.free.push_back(task);
  else if (missing[task] == 1)
    addEnabled(missingMix[task], 1);
}

void Scheduler::addEnabled(uint32_t tile, int change) {
  enabled[tile] += static_cast<uint32_t>(change);
  if (enabled[tile] != 0 && change > 0)
    laneOf(tile).loads.emplace(enabled[tile] / bytesOf(tile), tile);
}

void Scheduler::setResident(uint32_t tile, bool resident) {
  if (isResident[tile] == resident)
    return;
  isResident[tile] = resident;
  uint32_t last = None;
  for (uint32_t task : flow.readersOf(tile)) {
    if (task == last || !isReady[task] || isDone[task])
      continue;
    last = task;
    if (missing[task] == 1)
      addEnabled(missingMix[task], -1);
    missing[task] += resident ? -1 : 1;
    missingMix[task] ^= tile;
    if (missing[task] == 1)
      addEnabled(missingMix[task], 1);
    else if (missing[task] == 0)
      lanes[problem.tasks[task].device].free.push_back(task);
  }
}

//===----------------------------------------------------------------------===//
// What runs next
//===----------------------------------------------------------------------===//

/// Bytes that \p task costs: what it loads, and more for what it leaves behind
/// when much is open already; less for what it ends.
double Scheduler::score(const Lane &lane, uint32_t task) const {
  constexpr double openPrice = 3, endBonus = 0.25;
  double incoming = 0, growth = 0;
  for (uint32_t tile : problem.operands(task)) {
    if (isTracked(tile) && !isResident[tile])
      incoming += missing[task] == 1
                      ? bytesOf(tile) / std::max(1u, enabled[tile])
                      : bytesOf(tile);
    if (onDevice(tile) && unread[tile] == 1)
      growth -= bytesOf(tile);
  }
  for (uint32_t tile : problem.results(task))
    if (onDevice(tile) && unread[tile] != 0)
      growth += bytesOf(tile);
  double price = growth < 0                            ? endBonus
                 : lane.open + growth > lane.openLimit ? openPrice
                                                       : 0;
  double result = incoming + price * growth;
  if (rules.urgencyWeight > 0 && lane.secondsPerByte > 0)
    result -= rules.urgencyWeight * urgency[task] / lane.secondsPerByte;
  return result;
}

void Scheduler::consider(const Lane &lane, uint32_t task, Choice &best) const {
  if (isDone[task] || task == best.task)
    return;
  double value = score(lane, task);
  if (best.task == None || value < best.score ||
      (value == best.score && rank[task] < rank[best.task]))
    best = {task, value};
}

/// Considers tasks that only lack one of the tiles that would free the most
/// tasks of loads.
void Scheduler::considerLoads(Lane &lane, Choice &best) {
  std::pair<double, uint32_t> looked[loadLimit];
  size_t count = 0;
  while (count < loadLimit && (!lane.loads.empty() || !lane.lookedAt.empty())) {
    bool again =
        lane.loads.empty() ||
        (!lane.lookedAt.empty() && lane.lookedAt.back() >= lane.loads.top());
    auto [value, tile] = again ? lane.lookedAt.back() : lane.loads.top();
    if (again)
      lane.lookedAt.pop_back();
    else
      lane.loads.pop();
    bool stale = isResident[tile] || enabled[tile] == 0 ||
                 value != enabled[tile] / bytesOf(tile);
    if (stale) {
      // A count that fell is still worth its present value.
      if (!isResident[tile] && enabled[tile] != 0 &&
          value > enabled[tile] / bytesOf(tile))
        lane.loads.emplace(enabled[tile] / bytesOf(tile), tile);
      continue;
    }
    bool seen = false;
    for (size_t i = 0; i < count; ++i)
      seen |= looked[i].second == tile;
    if (seen)
      continue;
    looked[count++] = {value, tile};
    size_t found = 0;
    ArrayView<uint32_t> readers = flow.readersOf(tile);
    uint32_t &open = firstOpen[tile];
    while (open < readers.size() && isDone[readers[open]])
      ++open;
    for (size_t i = open; i < readers.size(); ++i) {
      uint32_t task = readers[i];
      if (found == compareLimit)
        break;
      if (!isReady[task] || isDone[task] || missing[task] != 1)
        continue;
      consider(lane, task, best);
      ++found;
    }
  }
  // They came in descending order and are at least as large as what is left.
  while (count > 0)
    lane.lookedAt.push_back(looked[--count]);
}

bool Scheduler::choose(Lane &lane, uint32_t &task) {
  Choice best;
  auto considerNewest = [&](std::vector<uint32_t> &list, bool wantFree) {
    size_t looked = 0, write = list.size();
    for (size_t i = list.size(); i-- > 0 && looked < compareLimit;) {
      write = i;
      if (isDone[list[i]] || (wantFree && missing[list[i]] != 0)) {
        list[i] = None;
        continue;
      }
      ++looked;
      consider(lane, list[i], best);
    }
    list.erase(std::remove(list.begin() + static_cast<ptrdiff_t>(write),
                           list.end(), None),
               list.end());
  };
  considerNewest(lane.free, true);
  considerNewest(lane.recent, false);
  considerLoads(lane, best);
  auto isOver = [&](uint32_t place) { return isDone[base[place]] != 0; };
  for (uint32_t place : lane.waiting.look(isOver))
    consider(lane, base[place], best);
  task = best.task;
  return task != None;
}

//===----------------------------------------------------------------------===//
// Running it
//===----------------------------------------------------------------------===//

void Scheduler::unlink(uint32_t tile) {
  Lane &lane = laneOf(tile);
  (newer[tile] == None ? lane.newest : older[newer[tile]]) = older[tile];
  (older[tile] == None ? lane.oldest : newer[older[tile]]) = newer[tile];
  lane.used -= bytesOf(tile);
}

/// Makes \p tile the one of its memory that was used last.
void Scheduler::touch(uint32_t tile) {
  Lane &lane = laneOf(tile);
  if (isResident[tile])
    unlink(tile);
  lane.used += bytesOf(tile);
  newer[tile] = None;
  older[tile] = lane.newest;
  (lane.newest == None ? lane.oldest : newer[lane.newest]) = tile;
  lane.newest = tile;
  stamp[tile] = clock;
  setResident(tile, true);
}

void Scheduler::makeRoom(Lane &lane) {
  while (lane.used > lane.limit && lane.oldest != None &&
         stamp[lane.oldest] != clock) {
    uint32_t tile = lane.oldest;
    unlink(tile);
    setResident(tile, false);
  }
}

/// Carries out the transfers that \p tile waits for.
void Scheduler::transfer(uint32_t last, double time) {
  std::vector<uint32_t> chain;
  for (uint32_t tile = last;
       flow.producer[tile] != None && isTransfer(flow.producer[tile]) &&
       !isDone[flow.producer[tile]];
       tile = problem.operands(flow.producer[tile])[0])
    chain.push_back(flow.producer[tile]);
  for (; !chain.empty(); chain.pop_back()) {
    uint32_t task = chain.back();
    uint32_t from = problem.operands(task)[0], to = problem.results(task)[0];
    double start = std::max(bring(from, time), available[from]);
    isDone[task] = true;
    order.push_back(task);
    available[to] = start + machine.copySeconds(problem.tiles[from].memory,
                                                problem.tiles[to].memory,
                                                problem.tiles[from].bytes);
    if (isTracked(to))
      touch(to);
    finishReads(task);
    if (onDevice(from))
      makeRoom(laneOf(from));
  }
}

/// Makes sure that \p tile is where its readers look for it; returns when.
double Scheduler::bring(uint32_t tile, double time) {
  transfer(tile, time);
  if (!isTracked(tile))
    return available[tile];
  Lane &lane = laneOf(tile);
  if (!isResident[tile]) {
    // Loads start ahead of their task, as far as the memory allows.
    double ahead = lane.secondsPerByte * lane.limit / 2;
    lane.linkFree = std::max(lane.linkFree, time - ahead) +
                    lane.secondsPerByte * bytesOf(tile);
    available[tile] = std::max(available[tile], lane.linkFree);
  }
  touch(tile);
  return available[tile];
}

void Scheduler::finishReads(uint32_t task) {
  for (uint32_t tile : problem.operands(task)) {
    if (--unread[tile] != 0)
      continue;
    if (isOpen[tile])
      laneOf(tile).open -= bytesOf(tile);
    if (isTracked(tile) && isResident[tile]) {
      unlink(tile);
      isResident[tile] = false;
    }
  }
}

/// Carries out \p task and the transfers that it wants; returns when it ends.
double Scheduler::perform(uint32_t task, double time) {
  Lane &lane = lanes[problem.tasks[task].device];
  isDone[task] = true;
  ++clock;
  double start = time;
  for (uint32_t tile : problem.operands(task))
    start = std::max(start, bring(tile, time));
  order.push_back(task);
  double end = start + problem.tasks[task].cost;
  for (uint32_t tile : problem.results(task)) {
    available[tile] = end;
    if (isTracked(tile) && unread[tile] != 0)
      touch(tile);
  }
  finishReads(task);
  makeRoom(lane);
  advanceFrontier();
  return end;
}

std::vector<uint32_t> Scheduler::run() {
  advanceFrontier();
  for (uint32_t task : base)
    if (flow.waiting[task] == 0 && !isTransfer(task))
      makeReady(task);
  for (uint32_t tile = 0; tile < problem.tiles.size(); ++tile)
    if (flow.producer[tile] == None)
      for (uint32_t reader : flow.readersOf(tile))
        if (isTransfer(reader)) {
          uint32_t result = problem.results(reader)[0];
          makePossible(result);
          if (flow.readersOf(result).empty())
            unasked.push_back(result);
        }
  for (uint32_t tile = 0; tile < problem.tiles.size(); ++tile)
    if (problem.tiles[tile].initialMemory == problem.tiles[tile].memory &&
        isTracked(tile) && unread[tile] != 0)
      touch(tile);
  auto startAll = [&](double time) {
    for (; !unasked.empty(); unasked.pop_back()) {
      ++clock;
      transfer(unasked.back(), time);
    }
    for (Lane &lane : lanes) {
      uint32_t task;
      if (lane.busy || !choose(lane, task))
        continue;
      lane.busy = true;
      ends.emplace(perform(task, time), task);
    }
  };
  startAll(0);
  while (!ends.empty()) {
    auto [time, task] = ends.top();
    ends.pop();
    lanes[problem.tasks[task].device].busy = false;
    for (uint32_t tile : problem.results(task))
      makePossible(tile);
    startAll(time);
  }
  return std::move(order);
}

std::vector<uint32_t> planner::scheduleTasks(const Problem &problem,
                                             const Machine &machine,
                                             const std::vector<uint32_t> &base,
                                             const ScheduleRules &rules) {
  return Scheduler(problem, machine, base, rules).run();
}
