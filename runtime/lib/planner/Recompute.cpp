//===- Recompute.cpp - What may be computed again -------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recompute.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::planner;

std::vector<uint32_t> planner::tasksToRepeat(const Problem &problem) {
  // Each look at a tile goes through the operands.
  constexpr size_t mostOperands = 8;
  std::vector<uint32_t> tasks(problem.tiles.size(), None);
  for (uint32_t task = 0; task < problem.tasks.size(); ++task) {
    ArrayView<uint32_t> operands = problem.operands(task);
    ArrayView<uint32_t> results = problem.results(task);
    if (problem.tasks[task].kind != TaskKind::Call ||
        problem.tasks[task].workspace != 0 || results.size() != 1 ||
        operands.size() > mostOperands)
      continue;
    uint32_t memory = problem.devices[problem.tasks[task].device].memory;
    const Tile &result = problem.tiles[results[0]];
    bool isHere =
        std::all_of(operands.begin(), operands.end(), [&](uint32_t o) {
          return problem.tiles[o].memory == memory;
        });
    if (problem.memories[memory].kind == MemoryKind::Device && isHere &&
        result.memory == memory && result.finalMemory != memory)
      tasks[results[0]] = task;
  }
  return tasks;
}
