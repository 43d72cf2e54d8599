//===- Recompute.h - What may be computed again -----------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call computes its results from the values of its operands alone, and a
// kernel gives the same bits for the same values, so a call that is carried out
// again on the same values leaves the same value. It need not do so on the same
// ranges.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_PLANNER_RECOMPUTE_H
#define TURNIP_LIB_PLANNER_RECOMPUTE_H

#include "turnip/planner/Problem.h"

namespace turnip::planner {

/// Per tile the task that plans may carry out again to get it back, or None: a
/// call on a device with this one result and no scratch memory, which need not
/// be on the device at exit.
std::vector<uint32_t> tasksToRepeat(const Problem &problem);

} // namespace turnip::planner

#endif // TURNIP_LIB_PLANNER_RECOMPUTE_H
