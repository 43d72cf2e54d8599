//===- WindowBounds.h - What cannot overlap for lack of memory --*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_PLANNER_WINDOWBOUNDS_H
#define TURNIP_LIB_PLANNER_WINDOWBOUNDS_H

#include "WorkGraph.h"
#include "turnip/planner/Bounds.h"

namespace turnip::planner {

/// Per engine, the seconds that it would take to load all that fits into the
/// memories it loads: the most that can be there already at any moment.
std::vector<double> secondsOfFullMemories(const WorkGraph &graph);

/// The bound along a chain of at most `pivots` tasks. \p start and \p tail:
/// per task, when it starts at the earliest and how long everything takes at
/// least when it is done.
double boundWindows(const WorkGraph &graph, const std::vector<double> &start,
                    const std::vector<double> &tail,
                    const MakespanOptions &options);

} // namespace turnip::planner

#endif // TURNIP_LIB_PLANNER_WINDOWBOUNDS_H
