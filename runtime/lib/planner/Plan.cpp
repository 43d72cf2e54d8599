//===- Plan.cpp - A problem's answer --------------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/planner/Plan.h"
#include "Edges.h"
#include "Estimate.h"
#include "Orders.h"
#include "Placer.h"

using namespace turnip;
using namespace turnip::planner;

static std::string number(uint64_t value) { return std::to_string(value); }

/// Refuses devices whose memory does not hold some task.
static Status checkCaps(const Problem &problem) {
  for (uint32_t device = 0; device < problem.devices.size(); ++device) {
    const Memory &memory = problem.memories[problem.devices[device].memory];
    if (memory.kind != MemoryKind::Device)
      continue;
    SmallestCap cap = smallestCap(problem, device);
    if (cap.bytes <= memory.capacity)
      continue;
    std::string who = cap.task == None ? "what lies there at entry or exit"
                                       : problem.describeTask(cap.task);
    return Status::error(StatusCode::DoesNotFit,
                         who + " needs " + number(cap.bytes) +
                             " bytes of memory \"" + memory.name +
                             "\", which has " + number(memory.capacity) +
                             "; the smallest capacity for these tasks is " +
                             number(cap.bytes) + " bytes");
  }
  return Status::ok();
}

/// The first host memory that \p placer used beyond its capacity, or None.
static uint32_t overfull(const Problem &problem, const Placer &placer) {
  for (uint32_t i = 0; i < problem.memories.size(); ++i)
    if (problem.memories[i].kind == MemoryKind::Host &&
        placer.peak(i) > problem.memories[i].capacity)
      return i;
  return None;
}

namespace {
/// What all attempts to plan one problem share.
struct Attempt {
  const Problem &problem;
  const Machine &machine;
  const std::vector<uint32_t> &values;
  const PlanOptions &options;

  Expected<Plan> run(const std::vector<uint32_t> &order, OrderKind kind) const;

private:
  Expected<Plan> place(const std::vector<uint32_t> &order) const;
};
} // namespace

/// Places the tasks; when that takes more host memory than there is, again
/// with less of it.
Expected<Plan> Attempt::place(const std::vector<uint32_t> &order) const {
  for (bool frugal : {false, true}) {
    Plan plan;
    Placer placer(problem, machine, values, order, options);
    TURNIP_RETURN_IF_ERROR(placer.run(plan, frugal));
    uint32_t full = overfull(problem, placer);
    if (full != None && !frugal)
      continue;
    if (full != None)
      return Status::error(StatusCode::DoesNotFit,
                           "memory \"" + problem.memories[full].name +
                               "\" needs " + number(placer.peak(full)) +
                               " bytes, but has " +
                               number(problem.memories[full].capacity));
    for (uint32_t i = 0; i < problem.memories.size(); ++i)
      plan.statistics.peakBytes.push_back(placer.peak(i));
    return plan;
  }
  return Status::error(StatusCode::Internal, "no attempt to place was made");
}

Expected<Plan> Attempt::run(const std::vector<uint32_t> &order,
                            OrderKind kind) const {
  Expected<Plan> plan = place(order);
  if (!plan)
    return plan;
  addEdges(*plan);
  if (options.pruneEdges)
    pruneEdges(*plan);
  plan->statistics.order = toString(kind);
  plan->statistics.predictedMakespan = predictMakespan(problem, machine, *plan);
  return plan;
}

Expected<Plan> planner::plan(const Problem &problem,
                             const PlanOptions &options) {
  TURNIP_RETURN_IF_ERROR(problem.check());
  TURNIP_RETURN_IF_ERROR(checkCaps(problem));
  Machine machine(problem);
  std::vector<uint32_t> values = valuesOfTiles(problem);
  Attempt attempt{problem, machine, values, options};

  std::vector<OrderKind> kinds{options.order};
  if (options.order == OrderKind::Best)
    kinds = {OrderKind::Given, OrderKind::DepthFirst, OrderKind::MemoryAware,
             OrderKind::CriticalPath};
  Expected<Plan> best = Status::error(StatusCode::Internal, "no order");
  std::vector<uint32_t> bestOrder;
  bool isFirst = true;
  for (OrderKind kind : kinds) {
    std::vector<uint32_t> order = orderTasks(problem, machine, kind);
    if (!isFirst && order == bestOrder)
      continue;
    Expected<Plan> next = attempt.run(order, kind);
    bool better = next && (!best || next->statistics.predictedMakespan <
                                        best->statistics.predictedMakespan);
    // The first failure is reported when every order fails.
    if (better || isFirst) {
      best = std::move(next);
      bestOrder = std::move(order);
    }
    isFirst = false;
  }
  if (!best)
    return best;
  countCopies(problem, machine, *best);
  boundMakespan(problem, machine, best->statistics);
  best->statistics.incomingBytesBound = boundIncoming(problem, bestOrder);
  return best;
}
