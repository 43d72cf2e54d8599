//===- Simulation.h - Runs plans on a virtual clock -------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TOOLS_PLANNERBENCH_SIMULATION_H
#define TURNIP_TOOLS_PLANNERBENCH_SIMULATION_H

#include "turnip/planner/Plan.h"
#include "turnip/runtime/Executor.h"

#include <string>
#include <vector>

namespace turnip::planner::bench {

/// A plan under the executor and the sim driver: calls take what their tasks
/// cost, copies what their links say, both multiplied by jitter.
class Simulation {
public:
  /// The problem and the plan outlive it.
  Simulation(const Problem &problem, const Plan &plan);

  /// Runs the plan once; returns seconds. \p jitter as in machine::Machine.
  /// Errors: InvalidArgument where links of one channel differ in speed.
  Expected<double> run(runtime::Schedule::Policy policy, double jitter,
                       uint64_t seed);

  /// From now on, plan order is the order in which the last run started
  /// operations: `fixed` then follows that run.
  void adoptLastOrder();

  /// The share of the last run for which the busiest engine was busy.
  double busiestShare() const;

  /// The last run as Chrome trace events.
  std::string trace() const;

private:
  void build(const std::vector<uint32_t> &order);
  runtime::Command commandOf(uint32_t op) const;
  double secondsOf(uint32_t op) const;
  const Link &linkOf(uint32_t engine) const;
  runtime::MachineDescription describeEngines() const;
  std::string nameOf(uint32_t op) const;

  const Problem &problem;
  const Plan &plan;
  /// The plan's operation of each vertex.
  std::vector<uint32_t> opOf;
  runtime::ExecutableGraph graph;
  runtime::RunRecord record;
};

} // namespace turnip::planner::bench

#endif // TURNIP_TOOLS_PLANNERBENCH_SIMULATION_H
