//===- ScaleCommand.cpp - How time and memory grow with the graph ---------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans and proves graphs of every kind in two sizes, one ten times the other
// (a transformer with a tenth of its layers), on devices that hold an eighth of
// what lies between first and last use.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Oversubscribe.h"
#include "Usage.h"

#include "turnip/planner/Plan.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::bench;

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
  Expected<Problem> problem = makeGraph(options.graph);
  if (!problem)
    return problem.status();
  oversubscribe(*problem, options.share);
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
      if (const LlamaShape *model = sized.graph.llama) {
        uint32_t layers =
            options.graph.layers != 0 ? options.graph.layers : model->layers;
        sized.graph.layers = std::max(1U, layers / divisor);
      }
      TURNIP_RETURN_IF_ERROR(reportOne(sized, kind, previous));
    }
  }
  return Status::ok();
}
