//===- Oversubscribe.h - Memories that are too small ------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TOOLS_PLANNERBENCH_OVERSUBSCRIBE_H
#define TURNIP_TOOLS_PLANNERBENCH_OVERSUBSCRIBE_H

#include "turnip/planner/Problem.h"

namespace turnip::planner::bench {

/// The most bytes of device \p memory that lie between first and last use at a
/// time when tasks run as listed.
uint64_t liveBytes(const Problem &problem, uint32_t memory);

/// Gives each device memory of \p problem one \p factor th of what is live
/// there, but at least twice the largest task.
void oversubscribe(Problem &problem, double factor);

} // namespace turnip::planner::bench

#endif // TURNIP_TOOLS_PLANNERBENCH_OVERSUBSCRIBE_H
