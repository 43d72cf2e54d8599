//===- Flow.cpp - Which task waits for which ------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow.h"

#include <algorithm>
#include <numeric>

using namespace turnip;
using namespace turnip::planner;

Flow::Flow(const Problem &problem)
    : producer(problem.tiles.size(), None),
      readerBegin(problem.tiles.size() + 1, 0),
      readers(problem.operandList.size()), waiting(problem.tasks.size(), 0) {
  uint32_t numTasks = static_cast<uint32_t>(problem.tasks.size());
  for (uint32_t task = 0; task < numTasks; ++task) {
    for (uint32_t tile : problem.operands(task)) {
      ++readerBegin[tile + 1];
      waiting[task] += producer[tile] != None;
    }
    for (uint32_t tile : problem.results(task))
      producer[tile] = task;
  }
  std::partial_sum(readerBegin.begin(), readerBegin.end(), readerBegin.begin());
  std::vector<uint32_t> cursor(readerBegin.begin(), readerBegin.end() - 1);
  for (uint32_t task = 0; task < numTasks; ++task)
    for (uint32_t tile : problem.operands(task))
      readers[cursor[tile]++] = task;
}

std::vector<double> planner::urgencies(const Problem &problem,
                                       const Machine &machine,
                                       const Flow &flow) {
  std::vector<double> urgency(problem.tasks.size(), 0);
  for (uint32_t task = static_cast<uint32_t>(problem.tasks.size());
       task-- > 0;) {
    double rest = 0;
    for (uint32_t tile : problem.results(task))
      for (uint32_t i = flow.readerBegin[tile]; i < flow.readerBegin[tile + 1];
           ++i)
        rest = std::max(rest, urgency[flow.readers[i]]);
    double own = problem.tasks[task].cost;
    if (problem.tasks[task].kind == TaskKind::Transfer) {
      const Tile &from = problem.tiles[problem.operands(task)[0]];
      const Tile &to = problem.tiles[problem.results(task)[0]];
      own = machine.copySeconds(from.memory, to.memory, from.bytes);
    }
    urgency[task] = rest + own;
  }
  return urgency;
}
