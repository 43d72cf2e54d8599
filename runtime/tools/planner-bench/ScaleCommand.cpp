//===- ScaleCommand.cpp - How time and memory grow with the graph ---------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans and proves graphs of every kind in two sizes, one ten times the other,
// on a device that holds an eighth of what lies between first and last use.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Usage.h"

#include "turnip/planner/Plan.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::bench;

/// The most bytes of device \p memory that lie between first and last use at a
/// time if tasks run as listed.
static uint64_t liveBytes(const Problem &problem, uint32_t memory) {
  std::vector<uint32_t> last(problem.tiles.size(), None);
  for (uint32_t tile : problem.resultList)
    last[tile] = 0;
  for (uint32_t task = 0; task < problem.tasks.size(); ++task)
    for (uint32_t tile : problem.operands(task))
      last[tile] = task;
  std::vector<bool> live(problem.tiles.size(), false);
  uint64_t bytes = 0, most = 0;
  for (uint32_t task = 0; task < problem.tasks.size(); ++task) {
    auto touch = [&](uint32_t tile) {
      if (live[tile] || problem.tiles[tile].memory != memory)
        return;
      live[tile] = true;
      bytes += problem.tiles[tile].bytes;
    };
    for (uint32_t tile : problem.operands(task))
      touch(tile);
    for (uint32_t tile : problem.results(task))
      touch(tile);
    most = std::max(most, bytes);
    for (uint32_t tile : problem.operands(task))
      if (live[tile] && last[tile] == task) {
        live[tile] = false;
        bytes -= problem.tiles[tile].bytes;
      }
  }
  return most;
}

/// A graph with device memories that hold a \p share of what is live, though
/// at least twice the largest task.
static Expected<Problem> scaleGraph(const GraphOptions &options, double share) {
  Expected<Problem> problem = makeGraph(options);
  if (!problem)
    return problem;
  uint64_t least = 2 * largestTask(*problem);
  for (uint32_t i = 0; i < problem->memories.size(); ++i)
    if (problem->memories[i].kind == MemoryKind::Device)
      problem->memories[i].capacity =
          std::max(least,
                   static_cast<uint64_t>(
                       static_cast<double>(liveBytes(*problem, i)) / share)) /
          64 * 64;
  return problem;
}

namespace {
struct ScaleOptions {
  GraphOptions graph;
  std::vector<std::string> kinds{"training",  "layered",    "star",
                                 "butterfly", "skip-chain", "llama-7b"};
  double share = 8;
  PlanOptions plan;
};
} // namespace

static Status parse(Arguments &arguments, ScaleOptions &options) {
  options.graph.vertices = 1000000;
  uint64_t effort = options.plan.effort;
  TURNIP_RETURN_IF_ERROR(arguments.takeGraph(options.graph));
  TURNIP_RETURN_IF_ERROR(
      arguments.takeReal("oversubscription", 0.01, 1e6, options.share));
  TURNIP_RETURN_IF_ERROR(arguments.takeNumber("plan-effort", 0, 1000, effort));
  options.plan.effort = static_cast<unsigned>(effort);
  if (!arguments.words().empty())
    options.kinds = arguments.words();
  return arguments.finish();
}

/// What one line of the table says about the size before, for the ratio.
struct Previous {
  double planning = 0, proving = 0;
};

static Status reportOne(const ScaleOptions &options, const std::string &kind,
                        Previous &previous) {
  Expected<Problem> problem = scaleGraph(options.graph, options.share);
  if (!problem)
    return problem.status();
  Usage planning;
  Expected<Plan> result = plan(*problem, options.plan);
  planning.stop();
  if (!result)
    return result.status();
  Usage proving;
  Status proof = result->verify(*problem);
  proving.stop();
  if (!proof)
    return proof;
  double tasks = static_cast<double>(problem->tasks.size());
  double ops = result->placement.numOps();
  double planNs = planning.seconds() / tasks * 1e9;
  double proveNs = proving.seconds() / ops * 1e9;
  auto ratio = [](double now, double before) {
    char text[16] = "    -";
    if (before != 0)
      std::snprintf(text, sizeof(text), "%5.2f", now / before);
    return std::string(text);
  };
  std::printf("%-10s %8.0f %9.0f %5.2f %8.2f %7.0f %s %6.0f %7.2f %6.0f %s "
              "%6.0f %s\n",
              kind.c_str(), tasks, ops,
              static_cast<double>(result->placement.edges.size()) / ops,
              planning.seconds(), planNs,
              ratio(planNs, previous.planning).c_str(), planning.mebibytes(),
              proving.seconds(), proveNs,
              ratio(proveNs, previous.proving).c_str(), proving.mebibytes(),
              result->statistics.order.c_str());
  std::fflush(stdout);
  previous = {planNs, proveNs};
  return Status::ok();
}

Status bench::runScale(Arguments &arguments) {
  ScaleOptions options;
  TURNIP_RETURN_IF_ERROR(parse(arguments, options));
  std::printf("%-10s %8s %9s %5s %8s %7s %5s %6s %7s %6s %5s %6s %s\n", "graph",
              "tasks", "ops", "e/op", "plan s", "ns/task", "ratio", "MiB",
              "prove s", "ns/op", "ratio", "MiB", "order");
  for (const std::string &kind : options.kinds) {
    Previous previous;
    for (uint32_t divisor : {10, 1}) {
      ScaleOptions sized = options;
      TURNIP_RETURN_IF_ERROR(parseGraphKind(kind, sized.graph));
      sized.graph.vertices = std::max(1U, options.graph.vertices / divisor);
      TURNIP_RETURN_IF_ERROR(reportOne(sized, kind, previous));
    }
  }
  return Status::ok();
}
