//===- Resident.cpp - Parameters that stay on devices ---------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/planner/Resident.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::planner;

Expected<Plan> planner::planProved(const Problem &problem,
                                   const PlanOptions &options) {
  Expected<Plan> made = plan(problem, options);
  if (!made)
    return made;
  if (Status status = made->verify(problem); !status)
    return Status::error(StatusCode::Internal,
                         "the planner made a wrong plan: " + status.message());
  return made;
}

/// Whether \p tile is a parameter that stays on a device from run to run.
static bool isResident(const Problem &problem, const Tile &tile) {
  return tile.initialMemory == tile.memory && tile.finalMemory == tile.memory &&
         problem.memories[tile.memory].kind == MemoryKind::Device;
}

/// Whether what stays on devices fits there at all.
static bool fits(const Problem &problem) {
  std::vector<uint64_t> bytes(problem.memories.size());
  for (const Tile &tile : problem.tiles) {
    uint64_t alignment = problem.memories[tile.memory].alignment;
    if (isResident(problem, tile))
      bytes[tile.memory] +=
          (tile.bytes + alignment - 1) / alignment * alignment;
  }
  for (size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] > problem.memories[i].capacity)
      return false;
  return true;
}

/// Whether every parameter that starts on a device is where it started when the
/// graph has run.
static bool leavesInPlace(const Problem &problem, const Plan &plan) {
  std::vector<uint64_t> start(problem.tiles.size(), 0);
  for (size_t i = 0; i < plan.entryTiles.size(); ++i)
    start[plan.entryTiles[i]] = plan.placement.entry[i].offset;
  for (size_t i = 0; i < plan.exitTiles.size(); ++i)
    if (isResident(problem, problem.tiles[plan.exitTiles[i]]) &&
        start[plan.exitTiles[i]] != plan.placement.exit[i].offset)
      return false;
  return true;
}

Expected<std::optional<Plan>>
planner::planResident(const Problem &resident, const Plan &loaded,
                      const PlanOptions &options) {
  if (!fits(resident))
    return std::optional<Plan>();
  Expected<Plan> made = planProved(resident, options);
  if (!made && made.status().code() == StatusCode::DoesNotFit)
    return std::optional<Plan>();
  if (!made)
    return made.status();
  if (!leavesInPlace(resident, *made) ||
      made->statistics.predictedMakespan > loaded.statistics.predictedMakespan)
    return std::optional<Plan>();
  return std::optional<Plan>(std::move(*made));
}

void planner::shrinkToPeak(std::vector<Memory> &memories,
                           const std::vector<const Statistics *> &statistics,
                           bool devicesToo) {
  for (size_t i = 0; i < memories.size(); ++i) {
    if (memories[i].kind != MemoryKind::Host &&
        !(memories[i].kind == MemoryKind::Device && devicesToo))
      continue;
    memories[i].capacity = 0;
    for (const Statistics *of : statistics)
      memories[i].capacity = std::max(memories[i].capacity, of->peakBytes[i]);
  }
}
