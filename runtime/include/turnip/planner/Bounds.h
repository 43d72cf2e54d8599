//===- Bounds.h - What no plan can beat -------------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lower bounds of traffic and time, for judging plans. They hold for plans that
// run each task once (or, where asked for, may compute tiles again), bring a
// tile from where it lies at entry or from its device's backing memory, and
// save it there. docs/planner-evaluation.md has the proofs. Every function
// wants a problem that passed check().
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_PLANNER_BOUNDS_H
#define TURNIP_PLANNER_BOUNDS_H

#include "turnip/planner/Plan.h"

namespace turnip::planner {

/// Bytes per memory of the problem that have to be copied; 0 for memories that
/// are not of kind Device.
struct TrafficBounds {
  /// To the memory, by loads and reloads; transfer tasks do not count.
  std::vector<double> incoming;
  /// From it, by offloads and results.
  std::vector<double> outgoing;

  double totalIncoming() const;
  double totalOutgoing() const;
};

/// Bounds of the traffic of every plan that lists the tasks in this order.
/// Incoming: a tile may be evicted in parts, the parts needed farthest in the
/// future go; that is optimal for tiles that may be cut, and so a bound for
/// tiles that may not. Outgoing: results, and of what else tasks produce the
/// bytes that cannot all stay until they are last used. Takes O(n log n).
/// With \p repeats the bounds hold for plans that compute tiles again, too:
/// what a plan may compute again comes and goes for nothing.
TrafficBounds boundTraffic(const Problem &problem,
                           const std::vector<uint32_t> &order,
                           bool repeats = false);

/// Returns totalIncoming() of boundTraffic(problem, order) alone, which takes
/// half the time.
double boundIncoming(const Problem &problem, const std::vector<uint32_t> &order,
                     bool repeats = false);

/// Bytes that every plan with this order loads and saves together; at least the
/// sum of boundTraffic(), which may not be reached at once. Any prices of
/// memory give such a bound; looks for good ones in at most 2000 rounds, fewer
/// for graphs of more than 10^5 uses of tiles. With \p repeats it is the sum.
double boundTogether(const Problem &problem, const std::vector<uint32_t> &order,
                     bool repeats = false);

/// Bounds for every order: each parameter and input once where tasks look for
/// it, each result once.
TrafficBounds boundTraffic(const Problem &problem);

/// The tasks in the order in which \p plan lists them first.
std::vector<uint32_t> taskOrder(const Problem &problem, const Plan &plan);

/// Seconds that no run of the tasks beats; engines do one thing at a time.
struct MakespanBounds {
  /// The busiest device's sum of task costs.
  double compute = 0;
  /// The busiest channel's compulsory copies.
  double channels = 0;
  /// The longest chain of data dependencies, with compulsory copies.
  double criticalPath = 0;
  /// An engine's work between the earliest moments when it can begin and what
  /// has to follow: one engine at a time, with pre-emption.
  double sequence = 0;
  /// Along a chain of tasks: between two of them everything runs that lies
  /// between, and of what that reads only a memory's capacity can be there
  /// before.
  double windows = 0;

  /// The largest of them.
  double best() const;
};

struct MakespanOptions {
  /// Null: a bound for every order and every schedule. Otherwise for runs in
  /// which each device takes its tasks in this order, as with `fixed`.
  const std::vector<uint32_t> *deviceOrder = nullptr;
  /// Tasks of the chain whose windows are looked at; takes its square times
  /// the number of engines in memory.
  uint32_t pivots = 64;
  /// Beyond this many pairs of a task and a piece of work, `sequence` knows
  /// only paths and not all work before and after a task.
  double closureLimit = 2e10;
  /// Whether the bounds have to hold for plans that compute tiles again.
  bool repeats = false;
};

/// Takes O(n^2 / 64) below the closure limit, O(n log n) and O(pivots n)
/// otherwise.
MakespanBounds boundMakespan(const Problem &problem,
                             const MakespanOptions &options = {});

/// Seconds that no run of a plan that lists the tasks in this order beats, in
/// whatever order they run: boundMakespan(problem), and for each device the
/// bytes of boundTraffic(problem, order) over the fastest link that brings
/// (takes) them.
double boundMakespanOfOrder(const Problem &problem,
                            const TrafficBounds &traffic,
                            const MakespanBounds &anyOrder);

} // namespace turnip::planner

#endif // TURNIP_PLANNER_BOUNDS_H
