//===- Orders.cpp - In which order tasks are placed -----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Orders.h"
#include "Flow.h"
#include "Schedule.h"

#include <algorithm>
#include <numeric>
#include <queue>

using namespace turnip;
using namespace turnip::planner;

/// Calls \p visit for each task that \p task makes ready.
template <typename Visit>
static void release(const Problem &problem, Flow &flow, uint32_t task,
                    Visit visit) {
  for (uint32_t tile : problem.results(task))
    for (uint32_t i = flow.readerBegin[tile]; i < flow.readerBegin[tile + 1];
         ++i)
      if (--flow.waiting[flow.readers[i]] == 0)
        visit(flow.readers[i]);
}

static std::vector<uint32_t> depthFirst(const Problem &problem,
                                        const Flow &flow) {
  std::vector<uint32_t> order, stack;
  std::vector<uint8_t> state(problem.tasks.size(), 0);
  for (uint32_t root = 0; root < problem.tasks.size(); ++root) {
    // Start from tasks whose results nobody reads: the ends of the graph.
    bool isEnd = true;
    for (uint32_t tile : problem.results(root))
      isEnd &= flow.readerBegin[tile] == flow.readerBegin[tile + 1];
    if (!isEnd)
      continue;
    stack.assign(1, root);
    while (!stack.empty()) {
      uint32_t task = stack.back();
      if (state[task] != 0) {
        stack.pop_back();
        if (state[task] == 1)
          order.push_back(task);
        state[task] = 2;
        continue;
      }
      state[task] = 1;
      ArrayView<uint32_t> operands = problem.operands(task);
      for (size_t i = operands.size(); i-- > 0;) {
        uint32_t before = flow.producer[operands[i]];
        if (before != None && state[before] == 0)
          stack.push_back(before);
      }
    }
  }
  return order;
}

static std::vector<uint32_t> criticalPath(const Problem &problem,
                                          const Machine &machine, Flow &flow) {
  std::vector<double> urgency = urgencies(problem, machine, flow);
  std::vector<uint32_t> order;
  // The lower number breaks ties.
  std::priority_queue<std::pair<double, int64_t>> ready;
  auto push = [&](uint32_t task) {
    ready.emplace(urgency[task], -static_cast<int64_t>(task));
  };
  for (uint32_t task = 0; task < problem.tasks.size(); ++task)
    if (flow.waiting[task] == 0)
      push(task);
  while (!ready.empty()) {
    uint32_t task = static_cast<uint32_t>(-ready.top().second);
    ready.pop();
    order.push_back(task);
    release(problem, flow, task, push);
  }
  return order;
}

namespace {
/// Greedy: of the ready tasks the one that brings in the fewest bytes and
/// leaves the fewest live. Looks at the tasks next to the one just done and at
/// those that have waited longest, not at all of them.
class MemoryAwareOrder {
public:
  MemoryAwareOrder(const Problem &problem, Flow &flow)
      : problem(problem), flow(flow), firstOpen(flow.readerBegin),
        unread(problem.tiles.size(), 0), lastUse(problem.tiles.size(), 0),
        isReady(problem.tasks.size(), false),
        isDone(problem.tasks.size(), false) {}

  std::vector<uint32_t> run();

private:
  double score(uint32_t task) const;
  uint32_t choose();
  void perform(uint32_t task);
  void consider(uint32_t task, uint32_t &best, double &bestScore) const;
  /// Whether a tile is likely to be on its device still.
  bool isWarm(uint32_t tile) const {
    uint64_t capacity = problem.memories[problem.tiles[tile].memory].capacity;
    return lastUse[tile] != 0 && static_cast<double>(touched - lastUse[tile]) <
                                     0.7 * static_cast<double>(capacity);
  }

  const Problem &problem;
  Flow &flow;
  /// The first of each tile's readers that may still be to come.
  std::vector<uint32_t> firstOpen;
  /// Reads still to come per tile.
  std::vector<uint32_t> unread;
  /// Bytes touched so far, and when each tile was used, on that clock.
  uint64_t touched = 1;
  std::vector<uint64_t> lastUse;
  std::vector<bool> isReady, isDone;
  /// Ready tasks by number, and those the last tasks made ready.
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> waiting;
  std::vector<uint32_t> recent, neighbours, order;
};
} // namespace

/// How many ready tasks one choice compares, per kind.
static constexpr size_t compareLimit = 12;

double MemoryAwareOrder::score(uint32_t task) const {
  double growth = 0, incoming = 0;
  ArrayView<uint32_t> operands = problem.operands(task);
  for (uint32_t tile : operands) {
    double bytes = static_cast<double>(problem.tiles[tile].bytes);
    if (!isWarm(tile))
      incoming += bytes;
    else if (unread[tile] == 1)
      growth -= bytes;
  }
  for (uint32_t tile : problem.results(task))
    if (flow.readerBegin[tile] != flow.readerBegin[tile + 1])
      growth += static_cast<double>(problem.tiles[tile].bytes);
  return growth + incoming;
}

void MemoryAwareOrder::consider(uint32_t task, uint32_t &best,
                                double &bestScore) const {
  if (isDone[task] || !isReady[task] || task == best)
    return;
  double value = score(task);
  if (best == None || value < bestScore ||
      (value == bestScore && task < best)) {
    best = task;
    bestScore = value;
  }
}

uint32_t MemoryAwareOrder::choose() {
  uint32_t best = None;
  double bestScore = 0;
  for (uint32_t task : neighbours)
    consider(task, best, bestScore);
  while (!recent.empty() && isDone[recent.back()])
    recent.pop_back();
  for (size_t i = 0; i < std::min(compareLimit, recent.size()); ++i)
    consider(recent[recent.size() - 1 - i], best, bestScore);
  std::vector<uint32_t> oldest;
  while (!waiting.empty() && oldest.size() < compareLimit) {
    uint32_t task = waiting.top();
    waiting.pop();
    if (isDone[task])
      continue;
    oldest.push_back(task);
    consider(task, best, bestScore);
  }
  for (uint32_t task : oldest)
    waiting.push(task);
  return best;
}

void MemoryAwareOrder::perform(uint32_t task) {
  isDone[task] = true;
  order.push_back(task);
  neighbours.clear();
  for (uint32_t tile : problem.operands(task)) {
    --unread[tile];
    touched += problem.tiles[tile].bytes;
    lastUse[tile] = touched;
    uint32_t end = flow.readerBegin[tile + 1];
    // Others that read the same tile; skip what was done, from the front.
    uint32_t &begin = firstOpen[tile];
    while (begin < end && isDone[flow.readers[begin]])
      ++begin;
    for (uint32_t i = begin; i < end && i < begin + compareLimit; ++i)
      neighbours.push_back(flow.readers[i]);
  }
  for (uint32_t tile : problem.results(task)) {
    touched += problem.tiles[tile].bytes;
    lastUse[tile] = touched;
  }
  release(problem, flow, task, [&](uint32_t next) {
    isReady[next] = true;
    recent.push_back(next);
    waiting.push(next);
  });
}

std::vector<uint32_t> MemoryAwareOrder::run() {
  for (uint32_t tile : problem.operandList)
    ++unread[tile];
  for (uint32_t task = 0; task < problem.tasks.size(); ++task)
    if (flow.waiting[task] == 0) {
      isReady[task] = true;
      waiting.push(task);
    }
  while (order.size() < problem.tasks.size())
    perform(choose());
  return std::move(order);
}

std::vector<uint32_t> planner::orderTasks(const Problem &problem,
                                          const Machine &machine,
                                          OrderKind kind) {
  std::vector<uint32_t> given(problem.tasks.size());
  std::iota(given.begin(), given.end(), 0);
  if (kind == OrderKind::Given || kind == OrderKind::Best)
    return given;
  if (kind == OrderKind::Scheduled)
    return scheduleTasks(problem, machine, given, {});
  Flow flow(problem);
  if (kind == OrderKind::DepthFirst)
    return depthFirst(problem, flow);
  if (kind == OrderKind::CriticalPath)
    return criticalPath(problem, machine, flow);
  return MemoryAwareOrder(problem, flow).run();
}
