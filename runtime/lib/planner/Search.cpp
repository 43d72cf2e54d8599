//===- Search.cpp - The best of several plans -----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search.h"
#include "Edges.h"
#include "Estimate.h"
#include "Orders.h"
#include "Placer.h"
#include "turnip/planner/Bounds.h"
#include "turnip/support/ByteSize.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::planner;

/// The first host memory that \p placer used beyond its capacity, or None.
static uint32_t overfull(const Problem &problem, const Placer &placer) {
  for (uint32_t i = 0; i < problem.memories.size(); ++i)
    if (problem.memories[i].kind == MemoryKind::Host &&
        placer.peak(i) > problem.memories[i].capacity)
      return i;
  return None;
}

static PlacerRules rulesOf(Policy policy) {
  PlacerRules rules;
  switch (policy) {
  case Policy::Default:
    break;
  case Policy::Original:
    rules.tasksAhead = 64;
    rules.victims = PlacerRules::Victims::Farthest;
    rules.inPlace = false;
    rules.forgetCopies = true;
    rules.firstFit = true;
    break;
  case Policy::LRU:
    rules.victims = PlacerRules::Victims::LeastRecent;
    rules.onDemand = true;
    break;
  case Policy::LayerWise:
    rules.layers = true;
    rules.victims = PlacerRules::Victims::LeastRecent;
    rules.onDemand = true;
    break;
  case Policy::NoPrefetch:
    rules.onDemand = true;
    break;
  }
  return rules;
}

/// The orders that a policy tries if the caller leaves the choice to it.
static std::vector<OrderKind> ordersOf(const PlanOptions &options) {
  if (options.order != OrderKind::Best)
    return {options.order};
  if (options.policy == Policy::Original)
    return {OrderKind::DepthFirst};
  if (options.policy == Policy::LRU || options.policy == Policy::LayerWise)
    return {OrderKind::Given};
  if (options.effort == 0)
    return {OrderKind::MemoryAware};
  return {OrderKind::Given, OrderKind::DepthFirst, OrderKind::MemoryAware,
          OrderKind::CriticalPath};
}

namespace {
/// What all attempts to plan one problem share, and the best one so far.
class Portfolio {
public:
  Portfolio(const Problem &problem, const PlanOptions &options)
      : problem(problem), options(options), machine(problem),
        values(valuesOfTiles(problem)) {}

  Expected<Plan> run();

private:
  Expected<Plan> place(const std::vector<uint32_t> &order,
                       double horizon) const;
  void attempt(const std::vector<uint32_t> &order, OrderKind kind,
               double horizon);
  double score(const Plan &plan) const;

  const Problem &problem;
  const PlanOptions &options;
  Machine machine;
  std::vector<uint32_t> values;

  Expected<Plan> best = Status::error(StatusCode::Internal, "no attempt");
  double bestScore = 0;
  OrderKind bestKind = OrderKind::Given;
  std::vector<uint32_t> bestOrder;
  unsigned attempts = 0;
};
} // namespace

/// Shares of the memory to run ahead by: one to compare orders with, others
/// to try with the order that won.
static constexpr double firstHorizon = 0.5;
static constexpr double otherHorizons[] = {0.75, 0.3, 0.12};

/// Places the tasks; when that takes more host memory than there is, again
/// with less of it.
Expected<Plan> Portfolio::place(const std::vector<uint32_t> &order,
                                double horizon) const {
  PlacerRules rules = rulesOf(options.policy);
  rules.horizon = horizon;
  rules.inPlace &= options.inPlace;
  for (bool frugal : {false, true}) {
    Plan plan;
    Placer placer(problem, machine, values, order, rules);
    TURNIP_RETURN_IF_ERROR(placer.run(plan, frugal));
    uint32_t full = overfull(problem, placer);
    if (full != None && !frugal)
      continue;
    if (full != None)
      return Status::error(
          StatusCode::DoesNotFit,
          "memory \"" + problem.memories[full].name + "\" needs " +
              formatExactBytes(placer.peak(full)) + ", but has " +
              formatExactBytes(problem.memories[full].capacity));
    for (uint32_t i = 0; i < problem.memories.size(); ++i)
      plan.statistics.peakBytes.push_back(placer.peak(i));
    return plan;
  }
  return Status::error(StatusCode::Internal, "no attempt to place was made");
}

/// Seconds, with a little for every second that a copy takes: among plans that
/// take the same time the one that moves less is better.
double Portfolio::score(const Plan &plan) const {
  constexpr double copyWeight = 0.02;
  double copies = 0;
  for (uint32_t op = 0; op < plan.placement.numOps(); ++op) {
    if (plan.placement.kinds[op] != OpKind::Copy)
      continue;
    ArrayView<Access> accesses = plan.placement.accessesOf(op);
    copies += machine.copySeconds(accesses[0].memory, accesses[1].memory,
                                  accesses[0].bytes);
  }
  return plan.statistics.predictedMakespan + copyWeight * copies;
}

void Portfolio::attempt(const std::vector<uint32_t> &order, OrderKind kind,
                        double horizon) {
  Expected<Plan> next = place(order, horizon);
  ++attempts;
  if (!next) {
    // The first failure is reported when every attempt fails.
    if (attempts == 1)
      best = std::move(next);
    return;
  }
  addEdges(*next);
  if (options.pruneEdges)
    pruneEdges(*next);
  next->statistics.order = toString(kind);
  next->statistics.horizon = horizon;
  next->statistics.predictedMakespan = predictMakespan(problem, machine, *next);
  double value = score(*next);
  // What was tried first runs farther ahead, which helps when times vary.
  constexpr double margin = 0.998;
  if (best && value >= margin * bestScore)
    return;
  best = std::move(next);
  bestScore = value;
  bestKind = kind;
  bestOrder = order;
}

Expected<Plan> Portfolio::run() {
  double horizon = options.horizon < 0 ? firstHorizon : options.horizon;
  if (options.policy != Policy::Default)
    horizon = 0;
  bool automatic = options.horizon < 0 && options.effort != 0 &&
                   options.policy == Policy::Default;
  std::vector<std::vector<uint32_t>> tried;
  for (OrderKind kind : ordersOf(options)) {
    std::vector<uint32_t> order = orderTasks(problem, machine, kind);
    if (std::find(tried.begin(), tried.end(), order) != tried.end())
      continue;
    attempt(order, kind, horizon);
    tried.push_back(std::move(order));
  }
  if (best && automatic) {
    std::vector<uint32_t> order = bestOrder;
    for (double horizon : otherHorizons)
      attempt(order, bestKind, horizon);
  }
  if (!best)
    return best;
  countCopies(problem, machine, *best);
  boundMakespan(problem, machine, best->statistics);
  best->statistics.incomingBytesBound =
      boundTraffic(problem, bestOrder).totalIncoming();
  return std::move(best);
}

Expected<Plan> planner::searchPlan(const Problem &problem,
                                   const PlanOptions &options) {
  return Portfolio(problem, options).run();
}
