//===- ShapesCommand.cpp - Plans of graphs of the usual shapes ------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line per graph: its size, planning and proving time per operation, bytes
// loaded and predicted time over their bounds.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Shapes.h"

#include <chrono>
#include <cstdio>

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::test;
using namespace turnip::planner::bench;

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

static Status report(const char *name, const Problem &problem, double cap,
                     const PlanOptions &options = {}) {
  auto start = std::chrono::steady_clock::now();
  Expected<Plan> result = plan(problem, options);
  double planning = secondsSince(start);
  if (!result)
    return result.status().withContext(name);
  start = std::chrono::steady_clock::now();
  Status proof = result->verify(problem);
  double proving = secondsSince(start);
  if (!proof)
    return proof.withContext(name);
  const Statistics &s = result->statistics;
  double ops = result->placement.numOps();
  double loaded = static_cast<double>(s.loadBytes + s.reloadBytes);
  std::printf(
      "%-12s %5.1f %8.0f %9.0f %5.2f %7.0f %7.0f %7.3f %7.0f %7.0f "
      "%5llu %7.3f %s %.2f\n",
      name, cap, static_cast<double>(problem.tasks.size()), ops,
      static_cast<double>(result->placement.edges.size()) / ops,
      planning / ops * 1e9, proving / ops * 1e9, loaded / s.incomingBytesBound,
      loaded / 1048576, static_cast<double>(s.offloadBytes) / 1048576,
      static_cast<unsigned long long>(s.moves),
      s.predictedMakespan / s.makespanBound, s.order.c_str(), s.horizon);
  std::fflush(stdout);
  return Status::ok();
}

static void printHeader() {
  std::printf("%-12s %5s %8s %9s %5s %7s %7s %7s %7s %7s %5s %7s %s\n", "graph",
              "c", "tasks", "ops", "e/op", "plan ns", "prove", "load/b",
              "MiB in", "MiB off", "moves", "time/b", "order");
}

Status bench::runShapes(Arguments &arguments) {
  TURNIP_RETURN_IF_ERROR(arguments.finish());
  printHeader();
  MachineShape machine;
  machine.deviceBytes = 64 << 20;
  const double transfer = 538e6 / machine.linkBytesPerSecond;
  for (double ratio : {0.5, 1.0, 2.0})
    for (uint64_t cap : {24, 64, 256}) {
      Problem problem = streamingProblem(30, transfer * ratio, machine);
      problem.memories[deviceMemory(0)].capacity = cap << 20;
      TURNIP_RETURN_IF_ERROR(
          report("streaming", problem, static_cast<double>(cap)));
    }
  const std::pair<const char *, Problem> kinds[] = {
      {"training", trainingProblem(24, 4, 1 << 20, 1e-3)},
      {"layered", layeredProblem(40, 8, 2, 1 << 20, 1)},
      {"random", randomProblem(7, {2000, 1, 1 << 20, 200})}};
  for (const auto &[name, original] : kinds)
    for (double c : {1.0, 1.5, 2.0, 4.0, 8.0}) {
      Problem problem = original;
      setCaps(problem, c);
      TURNIP_RETURN_IF_ERROR(report(name, problem, c));
    }
  return Status::ok();
}
