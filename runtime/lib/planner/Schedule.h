//===- Schedule.h - An order from list scheduling ---------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Orders tasks by letting all devices work at once on paper: whenever a device
// falls idle it takes, of the tasks that are ready for it, the one that brings
// in the fewest bytes. Which tiles are there is modelled by recency. A tile
// that would make several ready tasks free of loads counts a part of its bytes
// for each, which makes blocks of products square by itself (the idea of DARTS:
// Gonthier, Marchal, Thibault, "Memory-aware scheduling of tasks sharing data
// on multiple GPUs with dynamic runtime systems", IPDPS 2022; extended here to
// tasks that depend on each other). Values that wait for their only reader,
// such as partial sums, may take up only a share of the memory before tasks
// that would add to them are put off. Transfers wait for the first task that
// wants their result.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_PLANNER_SCHEDULE_H
#define TURNIP_LIB_PLANNER_SCHEDULE_H

#include "Machine.h"

namespace turnip::planner {

struct ScheduleRules {
  /// Share of a device's memory that recently used tiles are taken to fill.
  double residentShare = 0.8;
  /// Share of it that values may take which wait for their only reader.
  double openShare = 0.4;
  /// Bytes that a second from the end of the graph is worth when tasks are
  /// compared, as a share of what a link carries in it: 0 looks at bytes only.
  double urgencyWeight = 0;
  /// Tasks this many behind the first one that is not done, in the order that
  /// the scheduler starts from, have to wait.
  uint32_t window = UINT32_MAX;
};

/// Returns all tasks of \p problem in an order of data flow, made from the
/// order
/// \p base: what is near its start goes first among equals. With n operands and
/// results in all, takes O(n log n); tiles with very many readers are taken to
/// stay on their device.
std::vector<uint32_t> scheduleTasks(const Problem &problem,
                                    const Machine &machine,
                                    const std::vector<uint32_t> &base,
                                    const ScheduleRules &rules);

} // namespace turnip::planner

#endif // TURNIP_LIB_PLANNER_SCHEDULE_H
