//===- GraphProblem.h - A task.graph as a planning problem ---- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the planner sees of a graph, and which operations it stands for.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CONVERSION_TASKTOMEM_GRAPHPROBLEM_H
#define TURNIP_LIB_CONVERSION_TASKTOMEM_GRAPHPROBLEM_H

#include "ParameterLayout.h"
#include "turnip/Dialect/Task/IR/TileNumbering.h"
#include "turnip/machine/Machine.h"
#include "turnip/planner/Problem.h"

namespace turnip {

/// What a machine can do, for estimates. Seconds and bytes.
struct MachineRates {
  double linkBandwidth = 1e10;
  double linkLatency = 1e-5;
  double flopRate = 1e11;
  double byteRate = 1e10;
  /// Instead of the rates, where there is one.
  std::optional<machine::Machine> machine;
};

/// Bytes of a memory of which no capacity was asked.
constexpr uint64_t unlimitedBytes = uint64_t(1) << 58;
using task::memoryAlignment;

/// A graph as a problem. Tiles and tasks are numbered in the graph's order.
struct GraphProblem {
  explicit GraphProblem(task::GraphOp graph) : numbering(graph) {}

  planner::Problem problem;
  /// The operation that defines each tile.
  std::vector<mlir::Operation *> tileOps;
  /// The task.call or task.transfer of each task.
  std::vector<mlir::Operation *> taskOps;
  task::TileNumbering numbering;
  /// Per device, the smallest capacity that would do if nothing stayed in its
  /// memory from run to run; 0 for the host.
  std::vector<planner::SmallestCap> smallestCaps;
};

/// Where a graph finds its parameters.
struct ParameterPlaces {
  /// Of all parameters. Slices with the same place are the same bytes.
  const ParameterLayout &all;
  /// Null: everything starts in `params` as `all` says, and devices load it.
  /// Otherwise what a device uses stays in its memory from run to run, and only
  /// what the host reads is stored, as this says.
  const ParameterLayout *ofHost = nullptr;

  /// The layout of `params`.
  const ParameterLayout &stored() const { return ofHost ? *ofHost : all; }
};

/// Builds the problem of \p graph on the machine that \p machine describes.
GraphProblem buildProblem(task::GraphOp graph, const planner::Problem &machine,
                          const ParameterPlaces &places,
                          const MachineRates &rates);

/// What messages and traces call a task: the name in its location, or its
/// kernel's.
std::string taskName(mlir::Operation *op);

} // namespace turnip

#endif // TURNIP_LIB_CONVERSION_TASKTOMEM_GRAPHPROBLEM_H
