//===- Estimate.h - Bounds and predictions ----------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_PLANNER_ESTIMATE_H
#define TURNIP_LIB_PLANNER_ESTIMATE_H

#include "Machine.h"

namespace turnip::planner {

/// Returns the seconds that \p plan takes when every engine runs one operation
/// at a time, always the ready one with the longest way to the end. If
/// \p starts is not null, it gets the second at which each operation starts
/// there.
double predictMakespan(const Problem &problem, const Machine &machine,
                       const Plan &plan, std::vector<double> *starts = nullptr);

/// Counts copies by role and link and fills in the bounds that do not depend
/// on an order of tasks.
void countCopies(const Problem &problem, const Machine &machine, Plan &plan);
void boundMakespan(const Problem &problem, const Machine &machine,
                   Statistics &statistics);

} // namespace turnip::planner

#endif // TURNIP_LIB_PLANNER_ESTIMATE_H
