//===- Plan.h - A problem's answer ------------------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_PLANNER_PLAN_H
#define TURNIP_PLANNER_PLAN_H

#include "turnip/planner/Placement.h"

namespace turnip::planner {

/// Why a copy is there.
enum class CopyRole : uint8_t {
  /// Not a copy.
  NotACopy,
  /// A transfer task of the problem.
  Transfer,
  /// Brings a parameter or an input to a device.
  Load,
  /// Brings a value to a device again that had been there before.
  Reload,
  /// Saves a value that only the device holds.
  Offload,
  /// Writes a result to where it must be at exit.
  Result,
  /// Moves a tile inside its memory.
  Move,
};

/// Returns "transfer", "load", "reload", "offload", "result" or "move".
const char *toString(CopyRole role);

/// Something that runs one operation at a time; only a prediction uses it,
/// correctness never does.
struct Engine {
  std::string name;
  /// The device whose kernels it runs, None for a channel of links.
  uint32_t device = None;
  /// The channel of the problem's links it carries, None for compute.
  uint32_t channel = None;
};

/// What the planner knows about an operation beyond its placement.
struct OpInfo {
  /// The task it carries out; None for copies the planner added and joins.
  uint32_t task = None;
  /// The engine it runs on; None for a join.
  uint32_t engine = None;
  CopyRole role = CopyRole::NotACopy;
};

/// Figures about a plan. Times are seconds.
struct Statistics {
  /// Largest end of a used range per memory, in bytes, rounded up to the
  /// alignment.
  std::vector<uint64_t> peakBytes;
  /// Bytes and copies carried per link of the problem.
  std::vector<uint64_t> linkBytes, linkCopies;
  uint64_t loads = 0, loadBytes = 0;
  uint64_t reloads = 0, reloadBytes = 0;
  uint64_t offloads = 0, offloadBytes = 0;
  uint64_t results = 0, resultBytes = 0;
  uint64_t moves = 0, moveBytes = 0;
  uint64_t transfers = 0, transferBytes = 0;
  uint64_t joins = 0;
  /// Calls that are carried out again, the bytes that they write, and the
  /// seconds that they take.
  uint64_t repeats = 0, repeatBytes = 0;
  double repeatSeconds = 0;
  /// No plan with this order of tasks brings fewer bytes to the devices (loads
  /// and reloads): farthest use, with tiles evicted byte by byte. Of a plan
  /// that computes tiles again: no plan that may do so.
  double incomingBytesBound = 0;
  /// The busiest device's sum of task costs.
  double computeBound = 0;
  /// The busiest channel's time for what no order can avoid: each parameter
  /// and input once where it is needed, each transfer, each result once.
  double transferBound = 0;
  /// The longest chain of data dependencies, with compulsory copies.
  double criticalPath = 0;
  /// The largest of the three above: no run of the tasks is shorter.
  double makespanBound = 0;
  /// Of a simple simulation: engines in sequence, operations by urgency.
  double predictedMakespan = 0;
  /// What all copies would take one after the other.
  double copySeconds = 0;
  /// The order of the portfolio that won, and its horizon.
  std::string order;
  double horizon = 0;
};

/// A placed graph, the answer to a Problem. Operations are listed in an order
/// that the edges allow.
struct Plan {
  Placement placement;
  /// One per operation.
  std::vector<OpInfo> ops;
  std::vector<Engine> engines;
  /// The tiles that the pieces of placement.entry (exit) belong to.
  std::vector<uint32_t> entryTiles, exitTiles;
  Statistics statistics;

  /// Proves that this plan answers \p problem: each task, on its operands,
  /// results and workspace; entry and exit as asked for; copies only along
  /// links; and verifyPlacement() holds. A transfer is carried out once. A call
  /// may be carried out more often: each time on the values of its operands,
  /// from which a kernel computes the same values. Errors are BadInput.
  Status verify(const Problem &problem) const;

  /// Lists memories, operations, edges and pieces as text, one per line.
  std::string dump(const Problem &problem) const;
};

/// Returns the figures as lines of text; sizes are exact bytes.
std::string toString(const Problem &problem, const Statistics &statistics);

/// How tasks are ordered before memory is planned.
enum class OrderKind : uint8_t {
  /// Try all of the following and keep the best by predicted makespan; with
  /// usual effort what copies less wins where that hardly differs. Policies
  /// that do not search use their own: Original depth first, LRU and LayerWise
  /// as given.
  Best,
  /// As the problem lists them.
  Given,
  /// Depth first from the results.
  DepthFirst,
  /// Ready tasks first that leave the fewest bytes live and need the fewest
  /// bytes loaded.
  MemoryAware,
  /// Ready tasks with the longest way to the end first.
  CriticalPath,
  /// All devices at once on paper, each taking the ready task that brings in
  /// the fewest bytes.
  Scheduled,
};

/// Returns "best", "given", "depth-first", "memory-aware",
/// "critical-path" or "scheduled".
const char *toString(OrderKind kind);

/// Who decides what lies in memory when. All policies but Default are there to
/// be compared with; every one is proved like any other and fits the same
/// smallest cap.
enum class Policy : uint8_t {
  /// Searches as far as PlanOptions::effort allows.
  Default,
  /// What the paper's public code does: tasks depth first, allocation runs 64
  /// tasks ahead with one cursor for all devices, the first range that fits,
  /// else what is needed farthest in the future goes; every eviction writes
  /// back, and a reload destroys the copy in host memory.
  Original,
  /// Demand paging: a load starts when the task that needs it is next on its
  /// device; what was used least recently goes.
  LRU,
  /// What offloading libraries do: tasks as given, in layers that take up to
  /// half of the memory; while one layer is computed, the next is loaded.
  LayerWise,
  /// Like Default, but never runs ahead: a load starts when the task that needs
  /// it is next on its device.
  NoPrefetch,
};

/// Returns "default", "original", "lru", "layer-wise" or "no-prefetch".
const char *toString(Policy policy);

/// Reads what toString(Policy) writes. Errors: InvalidArgument, with a list of
/// the choices.
Expected<Policy> parsePolicy(const std::string &text);

/// The largest PlanOptions::effort.
constexpr uint32_t maxEffort = 1000;

/// A horizon that plan() chooses.
constexpr double AutomaticHorizon = -1;

struct PlanOptions {
  OrderKind order = OrderKind::Best;
  /// How far allocation runs ahead of execution: tasks whose distinct tiles
  /// add up to this share of the memory's capacity. 0 does not run ahead. A
  /// larger share hides more of the loads, a smaller one needs fewer of them;
  /// AutomaticHorizon tries several.
  double horizon = AutomaticHorizon;
  /// Let results take the place of dying operands where tasks allow it.
  bool inPlace = true;
  /// Drop edges that others imply.
  bool pruneEdges = true;
  Policy policy = Policy::Default;
  /// Also try plans that drop tiles which are cheap to compute and carry out
  /// their calls again instead of writing back and loading. Only with
  /// Policy::Default and an effort of at least 1; such a plan has to be better
  /// than the best of the others.
  bool rematerialize = true;
  /// How many plans are tried, in multiples of what is usual: 0 makes a single
  /// plan, 1 a few, 10 ten times as many. Counted in plans and not in seconds,
  /// so that the same effort gives the same plan everywhere. More of it never
  /// predicts a later end. At most maxEffort.
  uint32_t effort = 1;
  /// Chooses among searches that are equally good to try.
  uint64_t seed = 0;
};

/// Plans \p problem. The same problem and options give the same plan.
/// Errors: InvalidArgument from Problem::check() or for an effort above
/// maxEffort; DoesNotFit when a device's
/// capacity is below smallestCap() (names the task, what it needs and the
/// smallest cap) or when host memory cannot hold what the plan keeps there
/// (names what it needs).
Expected<Plan> plan(const Problem &problem, const PlanOptions &options = {});

} // namespace turnip::planner

#endif // TURNIP_PLANNER_PLAN_H
