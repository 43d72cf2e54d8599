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

/// Refuses devices whose memory does not hold some task.
static Status checkCaps(const Problem &problem) {
  for (uint32_t device = 0; device < problem.devices.size(); ++device) {
    const Memory &memory = problem.memories[problem.devices[device].memory];
    if (memory.kind != MemoryKind::Device)
      continue;
    SmallestCap cap = smallestCap(problem, device);
    if (cap.bytes <= memory.capacity)
      continue;
    std::string who = cap.task == None ? "what lies there at entry or exit"
                                       : problem.describeTask(cap.task);
    return Status::error(StatusCode::DoesNotFit,
                         who + " needs " + formatExactBytes(cap.bytes) +
                             " of memory \"" + memory.name + "\", which has " +
                             formatExactBytes(memory.capacity) +
                             "; the smallest capacity for these tasks is " +
                             formatExactBytes(cap.bytes));
  }
  return Status::ok();
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
