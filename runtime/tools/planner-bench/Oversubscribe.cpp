//===- Oversubscribe.cpp - Memories that are too small --------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Oversubscribe.h"
#include "Graphs.h"

#include <algorithm>

using namespace turnip::planner;

uint64_t bench::liveBytes(const Problem &problem, uint32_t memory) {
  std::vector<uint32_t> last(problem.tiles.size(), None);
  for (uint32_t task = 0; task < problem.tasks.size(); ++task)
    for (uint32_t tile : problem.operands(task))
      last[tile] = task;
  std::vector<bool> live(problem.tiles.size(), false);
  uint64_t bytes = 0, most = 0;
  for (uint32_t task = 0; task < problem.tasks.size(); ++task) {
    auto touch = [&](uint32_t tile) {
      if (live[tile] || problem.tiles[tile].memory != memory)
        return;
      live[tile] = true;
      bytes += problem.tiles[tile].bytes;
    };
    for (uint32_t tile : problem.operands(task))
      touch(tile);
    for (uint32_t tile : problem.results(task))
      touch(tile);
    most = std::max(most, bytes);
    auto leave = [&](uint32_t tile, bool read) {
      if (!live[tile] || last[tile] != (read ? task : None))
        return;
      live[tile] = false;
      bytes -= problem.tiles[tile].bytes;
    };
    for (uint32_t tile : problem.operands(task))
      leave(tile, true);
    for (uint32_t tile : problem.results(task))
      leave(tile, false);
  }
  return most;
}

void bench::oversubscribe(Problem &problem, double factor) {
  uint64_t least = 2 * largestTask(problem);
  for (uint32_t i = 0; i < problem.memories.size(); ++i) {
    Memory &memory = problem.memories[i];
    if (memory.kind != MemoryKind::Device)
      continue;
    double share = static_cast<double>(liveBytes(problem, i)) / factor;
    memory.capacity = std::max(least, static_cast<uint64_t>(share)) /
                      memory.alignment * memory.alignment;
  }
}
