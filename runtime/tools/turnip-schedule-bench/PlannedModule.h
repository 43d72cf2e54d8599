//===- PlannedModule.h - A plan as a module ---------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TOOLS_SCHEDULEBENCH_PLANNEDMODULE_H
#define TURNIP_TOOLS_SCHEDULEBENCH_PLANNEDMODULE_H

#include "turnip/artifact/Module.h"
#include "turnip/planner/Plan.h"

namespace turnip::schedulebench {

/// Makes a module of \p plan, an answer to \p problem, with one kernel per task
/// that does \p flopsPerSecond times the task's cost of arithmetic; its only
/// scalar is that number of operations. The kernels have no code.
artifact::Module makeModule(const planner::Problem &problem,
                            const planner::Plan &plan, double flopsPerSecond);

} // namespace turnip::schedulebench

#endif // TURNIP_TOOLS_SCHEDULEBENCH_PLANNEDMODULE_H
