//===- Search.h - The best of several plans ---------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_PLANNER_SEARCH_H
#define TURNIP_LIB_PLANNER_SEARCH_H

#include "turnip/planner/Plan.h"

namespace turnip::planner {

/// Makes the plans that \p options ask for, of a problem that passed check()
/// and whose devices hold every task, and returns the best. Errors as plan().
Expected<Plan> searchPlan(const Problem &problem, const PlanOptions &options);

} // namespace turnip::planner

#endif // TURNIP_LIB_PLANNER_SEARCH_H
