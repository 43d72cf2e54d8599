//===- Estimate.cpp - Bounds and predictions ------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Estimate.h"

#include <algorithm>
#include <queue>

using namespace turnip;
using namespace turnip::planner;

static double secondsOf(const Problem &problem, const Machine &machine,
                        const Plan &plan, uint32_t op) {
  switch (plan.placement.kinds[op]) {
  case OpKind::Call:
    return problem.tasks[plan.ops[op].task].cost;
  case OpKind::Copy: {
    ArrayView<Access> accesses = plan.placement.accessesOf(op);
    return machine.copySeconds(accesses[0].memory, accesses[1].memory,
                               accesses[0].bytes);
  }
  case OpKind::Join:
    return 0;
  }
  return 0;
}

namespace {
/// A simulation of engines: events are ends of operations.
class EngineSimulation {
public:
  EngineSimulation(const Problem &problem, const Machine &machine,
                   const Plan &plan);
  double run();

private:
  /// Larger is more urgent; the lower number breaks ties.
  using Ready = std::pair<double, int64_t>;
  using End = std::pair<double, uint32_t>;

  void makeReady(uint32_t op, double time);
  void finish(uint32_t op, double time);
  void start(uint32_t engine, double time);

  const Plan &plan;
  std::vector<double> seconds, urgency;
  std::vector<uint32_t> begin, next, waiting;
  std::vector<std::priority_queue<Ready>> ready;
  std::vector<bool> busy;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
};
} // namespace

EngineSimulation::EngineSimulation(const Problem &problem,
                                   const Machine &machine, const Plan &plan)
    : plan(plan), ready(plan.engines.size()), busy(plan.engines.size()) {
  uint32_t numOps = plan.placement.numOps();
  const std::vector<Edge> &edges = plan.placement.edges;
  seconds.resize(numOps);
  for (uint32_t op = 0; op < numOps; ++op)
    seconds[op] = secondsOf(problem, machine, plan, op);
  begin.assign(numOps + 1, 0);
  waiting.assign(numOps, 0);
  for (const Edge &edge : edges) {
    ++begin[edge.from + 1];
    ++waiting[edge.to];
  }
  for (uint32_t op = 0; op < numOps; ++op)
    begin[op + 1] += begin[op];
  next.resize(edges.size());
  std::vector<uint32_t> cursor(begin.begin(), begin.end() - 1);
  for (const Edge &edge : edges)
    next[cursor[edge.from]++] = edge.to;
  urgency = seconds;
  for (uint32_t op = numOps; op-- > 0;) {
    double rest = 0;
    for (uint32_t i = begin[op]; i < begin[op + 1]; ++i)
      rest = std::max(rest, urgency[next[i]]);
    urgency[op] += rest;
  }
}

void EngineSimulation::makeReady(uint32_t op, double time) {
  uint32_t engine = plan.ops[op].engine;
  if (engine == None) {
    finish(op, time);
    return;
  }
  ready[engine].emplace(urgency[op], -static_cast<int64_t>(op));
}

void EngineSimulation::finish(uint32_t op, double time) {
  for (uint32_t i = begin[op]; i < begin[op + 1]; ++i)
    if (--waiting[next[i]] == 0)
      makeReady(next[i], time);
}

void EngineSimulation::start(uint32_t engine, double time) {
  if (busy[engine] || ready[engine].empty())
    return;
  uint32_t op = static_cast<uint32_t>(-ready[engine].top().second);
  ready[engine].pop();
  busy[engine] = true;
  ends.emplace(time + seconds[op], op);
}

double EngineSimulation::run() {
  std::vector<uint32_t> roots;
  for (uint32_t op = 0; op < waiting.size(); ++op)
    if (waiting[op] == 0)
      roots.push_back(op);
  for (uint32_t op : roots)
    makeReady(op, 0);
  double time = 0;
  auto startAll = [&] {
    for (uint32_t engine = 0; engine < ready.size(); ++engine)
      start(engine, time);
  };
  startAll();
  while (!ends.empty()) {
    uint32_t op = ends.top().second;
    time = ends.top().first;
    ends.pop();
    busy[plan.ops[op].engine] = false;
    finish(op, time);
    startAll();
  }
  return time;
}

double planner::predictMakespan(const Problem &problem, const Machine &machine,
                                const Plan &plan) {
  return EngineSimulation(problem, machine, plan).run();
}

void planner::countCopies(const Problem &problem, const Machine &machine,
                          Plan &plan) {
  Statistics &statistics = plan.statistics;
  statistics.linkBytes.assign(problem.links.size(), 0);
  statistics.linkCopies.assign(problem.links.size(), 0);
  auto count = [](uint64_t &copies, uint64_t &bytes, uint64_t more) {
    ++copies;
    bytes += more;
  };
  for (uint32_t op = 0; op < plan.placement.numOps(); ++op) {
    statistics.joins += plan.placement.kinds[op] == OpKind::Join;
    if (plan.placement.kinds[op] != OpKind::Copy)
      continue;
    ArrayView<Access> accesses = plan.placement.accessesOf(op);
    uint64_t bytes = accesses[0].bytes;
    uint32_t link = machine.link(accesses[0].memory, accesses[1].memory);
    if (link != None)
      count(statistics.linkCopies[link], statistics.linkBytes[link], bytes);
    switch (plan.ops[op].role) {
    case CopyRole::NotACopy:
      break;
    case CopyRole::Transfer:
      count(statistics.transfers, statistics.transferBytes, bytes);
      break;
    case CopyRole::Load:
      count(statistics.loads, statistics.loadBytes, bytes);
      break;
    case CopyRole::Reload:
      count(statistics.reloads, statistics.reloadBytes, bytes);
      break;
    case CopyRole::Offload:
      count(statistics.offloads, statistics.offloadBytes, bytes);
      break;
    case CopyRole::Result:
      count(statistics.results, statistics.resultBytes, bytes);
      break;
    case CopyRole::Move:
      count(statistics.moves, statistics.moveBytes, bytes);
      break;
    }
  }
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

namespace {
/// Walks tasks in the problem's order, which follows data flow.
class MakespanBounds {
public:
  MakespanBounds(const Problem &problem, const Machine &machine)
      : problem(problem), machine(machine), busy(machine.engines().size(), 0.0),
        arrival(problem.tiles.size(), -1.0) {}

  void run(Statistics &statistics);

private:
  /// When the tile is where its tasks look for it, at the earliest.
  double arrive(uint32_t tile);
  double copy(uint32_t source, uint32_t destination, uint64_t bytes);

  const Problem &problem;
  const Machine &machine;
  std::vector<double> busy, arrival;
  double longest = 0;
};
} // namespace

double MakespanBounds::copy(uint32_t source, uint32_t destination,
                            uint64_t bytes) {
  uint32_t engine = machine.copyEngine(source, destination);
  double seconds = machine.copySeconds(source, destination, bytes);
  if (engine != None)
    busy[engine] += seconds;
  return seconds;
}

double MakespanBounds::arrive(uint32_t id) {
  if (arrival[id] >= 0)
    return arrival[id];
  const Tile &tile = problem.tiles[id];
  bool inPlace = tile.initialMemory == tile.memory ||
                 problem.memories[tile.memory].kind == MemoryKind::Host;
  arrival[id] = inPlace ? 0 : copy(tile.initialMemory, tile.memory, tile.bytes);
  return arrival[id];
}

void MakespanBounds::run(Statistics &statistics) {
  for (uint32_t task = 0; task < problem.tasks.size(); ++task) {
    double time = 0;
    for (uint32_t tile : problem.operands(task))
      time = std::max(time, arrive(tile));
    if (problem.tasks[task].kind == TaskKind::Transfer) {
      const Tile &from = problem.tiles[problem.operands(task)[0]];
      const Tile &to = problem.tiles[problem.results(task)[0]];
      time += copy(from.memory, to.memory, from.bytes);
    } else {
      time += problem.tasks[task].cost;
      busy[machine.computeEngine(problem.tasks[task].device)] +=
          problem.tasks[task].cost;
    }
    longest = std::max(longest, time);
    for (uint32_t id : problem.results(task)) {
      const Tile &tile = problem.tiles[id];
      arrival[id] = time;
      if (tile.finalMemory != None && tile.finalMemory != tile.memory)
        longest = std::max(
            longest, time + copy(tile.memory, tile.finalMemory, tile.bytes));
    }
  }
  for (size_t engine = 0; engine < busy.size(); ++engine) {
    double &bound = machine.engines()[engine].device != None
                        ? statistics.computeBound
                        : statistics.transferBound;
    bound = std::max(bound, busy[engine]);
  }
  statistics.criticalPath = longest;
  statistics.makespanBound =
      std::max({statistics.computeBound, statistics.transferBound, longest});
}

void planner::boundMakespan(const Problem &problem, const Machine &machine,
                            Statistics &statistics) {
  MakespanBounds(problem, machine).run(statistics);
}

namespace {
/// Farthest use on one device memory, byte by byte.
class FractionalCache {
public:
  FractionalCache(const Problem &problem, const std::vector<uint32_t> &order,
                  uint32_t memory);
  double run();

private:
  void step(uint32_t index);
  void makeRoom(uint32_t index);
  double here(uint32_t tile) const { return resident[tile]; }

  const Problem &problem;
  const std::vector<uint32_t> &order;
  uint32_t memory;
  double capacity, used = 0, incoming = 0;
  std::vector<uint32_t> useBegin, uses, cursor;
  std::vector<uint32_t> stamp;
  std::vector<double> resident;
  std::priority_queue<std::pair<uint32_t, uint32_t>> farthest;
  std::vector<uint32_t> tiles;
};
} // namespace

FractionalCache::FractionalCache(const Problem &problem,
                                 const std::vector<uint32_t> &order,
                                 uint32_t memory)
    : problem(problem), order(order), memory(memory),
      capacity(static_cast<double>(problem.memories[memory].capacity)),
      useBegin(problem.tiles.size() + 1, 0), stamp(problem.tiles.size(), None),
      resident(problem.tiles.size(), 0) {
  auto forEach = [&](auto visit) {
    std::fill(stamp.begin(), stamp.end(), None);
    for (uint32_t index = 0; index < order.size(); ++index)
      for (ArrayView<uint32_t> list :
           {problem.operands(order[index]), problem.results(order[index])})
        for (uint32_t tile : list)
          if (problem.tiles[tile].memory == memory && stamp[tile] != index) {
            stamp[tile] = index;
            visit(tile, index);
          }
  };
  forEach([&](uint32_t tile, uint32_t) { ++useBegin[tile + 1]; });
  for (size_t tile = 0; tile < problem.tiles.size(); ++tile)
    useBegin[tile + 1] += useBegin[tile];
  uses.resize(useBegin.back());
  cursor.assign(useBegin.begin(), useBegin.end() - 1);
  forEach([&](uint32_t tile, uint32_t index) { uses[cursor[tile]++] = index; });
  cursor.assign(useBegin.begin(), useBegin.end() - 1);
  std::fill(stamp.begin(), stamp.end(), None);
}

void FractionalCache::makeRoom(uint32_t index) {
  while (used > capacity && !farthest.empty()) {
    auto [next, tile] = farthest.top();
    bool stale = resident[tile] == 0 || stamp[tile] == index ||
                 cursor[tile] == useBegin[tile + 1] ||
                 uses[cursor[tile]] != next;
    if (stale) {
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

void FractionalCache::step(uint32_t index) {
  uint32_t task = order[index];
  tiles.clear();
  auto bring = [&](uint32_t tile, bool loads) {
    if (problem.tiles[tile].memory != memory || stamp[tile] == index)
      return;
    stamp[tile] = index;
    tiles.push_back(tile);
    while (cursor[tile] != useBegin[tile + 1] && uses[cursor[tile]] <= index)
      ++cursor[tile];
    double missing =
        static_cast<double>(problem.tiles[tile].bytes) - resident[tile];
    resident[tile] += missing;
    used += missing;
    if (loads)
      incoming += missing;
  };
  for (uint32_t tile : problem.operands(task))
    bring(tile, true);
  double shared = 0;
  for (const InPlacePair &pair : problem.inPlacePairs(task)) {
    uint32_t operand = problem.operands(task)[pair.operand];
    if (problem.tiles[operand].memory == memory &&
        cursor[operand] == useBegin[operand + 1])
      shared += static_cast<double>(problem.tiles[operand].bytes);
  }
  for (uint32_t tile : problem.results(task))
    bring(tile, false);
  double scratch = problem.devices[problem.tasks[task].device].memory == memory
                       ? static_cast<double>(problem.tasks[task].workspace)
                       : 0;
  used += scratch - shared;
  makeRoom(index);
  used -= scratch - shared;
  for (uint32_t tile : tiles) {
    if (cursor[tile] != useBegin[tile + 1]) {
      farthest.emplace(uses[cursor[tile]], tile);
      continue;
    }
    used -= resident[tile];
    resident[tile] = 0;
  }
}

double FractionalCache::run() {
  for (uint32_t tile = 0; tile < problem.tiles.size(); ++tile)
    if (problem.tiles[tile].initialMemory == memory &&
        cursor[tile] != useBegin[tile + 1]) {
      resident[tile] = static_cast<double>(problem.tiles[tile].bytes);
      used += resident[tile];
      farthest.emplace(uses[cursor[tile]], tile);
    }
  for (uint32_t index = 0; index < order.size(); ++index)
    step(index);
  return incoming;
}

double planner::boundIncoming(const Problem &problem,
                              const std::vector<uint32_t> &order) {
  double bytes = 0;
  for (const Device &device : problem.devices)
    if (problem.memories[device.memory].kind == MemoryKind::Device)
      bytes += FractionalCache(problem, order, device.memory).run();
  return bytes;
}
