//===- Plan.cpp - A problem's answer --------------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/planner/Plan.h"
#include "Search.h"
#include "turnip/support/ByteSize.h"

using namespace turnip;
using namespace turnip::planner;

/// Refuses devices whose memory does not hold some task. Of several, the one
/// that needs most: as a capacity for all of them, that is the smallest.
static Status checkCaps(const Problem &problem) {
  SmallestCap most;
  const Memory *refused = nullptr;
  for (const Device &device : problem.devices) {
    const Memory &memory = problem.memories[device.memory];
    if (memory.kind != MemoryKind::Device)
      continue;
    SmallestCap cap = smallestCap(
        problem, static_cast<uint32_t>(&device - problem.devices.data()));
    if (cap.bytes <= memory.capacity || (refused && cap.bytes <= most.bytes))
      continue;
    most = cap;
    refused = &memory;
  }
  if (!refused)
    return Status::ok();
  std::string who = most.task == None ? "what lies there at entry or exit"
                                      : problem.describeTask(most.task);
  return Status::error(StatusCode::DoesNotFit,
                       who + " needs " + formatExactBytes(most.bytes) +
                           " of memory \"" + refused->name + "\", which has " +
                           formatExactBytes(refused->capacity) +
                           "; the smallest capacity for these tasks is " +
                           formatExactBytes(most.bytes));
}

Expected<Plan> planner::plan(const Problem &problem,
                             const PlanOptions &options) {
  TURNIP_RETURN_IF_ERROR(problem.check());
  if (options.effort > maxEffort)
    return Status::error(StatusCode::InvalidArgument,
                         "effort: expected at most " +
                             std::to_string(maxEffort) + ", but got " +
                             std::to_string(options.effort));
  TURNIP_RETURN_IF_ERROR(checkCaps(problem));
  return searchPlan(problem, options);
}
