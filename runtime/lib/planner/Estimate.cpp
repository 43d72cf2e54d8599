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
                   const Plan &plan, std::vector<double> *starts);
  double run();

private:
  /// Larger is more urgent; the lower number breaks ties.
  using Ready = std::pair<double, int64_t>;
  using End = std::pair<double, uint32_t>;

  void makeReady(uint32_t op, double time);
  void finish(uint32_t op, double time);
  void start(uint32_t engine, double time);

  const Plan &plan;
  std::vector<double> *starts;
  std::vector<double> seconds, urgency;
  std::vector<uint32_t> begin, next, waiting;
  std::vector<std::priority_queue<Ready>> ready;
  std::vector<bool> busy;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
};
} // namespace

EngineSimulation::EngineSimulation(const Problem &problem,
                                   const Machine &machine, const Plan &plan,
                                   std::vector<double> *starts)
    : plan(plan), starts(starts), ready(plan.engines.size()),
      busy(plan.engines.size()) {
  uint32_t numOps = plan.placement.numOps();
  if (starts)
    starts->assign(numOps, 0);
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
  if (starts)
    (*starts)[op] = time;
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
                                const Plan &plan, std::vector<double> *starts) {
  return EngineSimulation(problem, machine, plan, starts).run();
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
  std::vector<bool> isDone(problem.tasks.size(), false);
  for (uint32_t op = 0; op < plan.placement.numOps(); ++op) {
    statistics.joins += plan.placement.kinds[op] == OpKind::Join;
    if (plan.placement.kinds[op] == OpKind::Call) {
      uint32_t task = plan.ops[op].task;
      if (isDone[task]) {
        uint64_t bytes = 0;
        for (uint32_t tile : problem.results(task))
          bytes += problem.tiles[tile].bytes;
        count(statistics.repeats, statistics.repeatBytes, bytes);
        statistics.repeatSeconds += problem.tasks[task].cost;
      }
      isDone[task] = true;
    }
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
