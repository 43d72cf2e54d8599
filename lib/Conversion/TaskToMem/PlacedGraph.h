//===- PlacedGraph.h - A plan as mem IR ----------------------- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The planner's answer, operation by operation.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CONVERSION_TASKTOMEM_PLACEDGRAPH_H
#define TURNIP_LIB_CONVERSION_TASKTOMEM_PLACEDGRAPH_H

#include "GraphProblem.h"
#include "turnip/Dialect/Mem/IR/Mem.h"
#include "turnip/planner/Plan.h"

namespace turnip {

/// Builds the mem.machine that \p machine describes.
mem::MachineOp buildMachine(mlir::OpBuilder &builder, mlir::Location loc,
                            const planner::Problem &machine);

/// Builds the mem.graph that \p plan says for \p graph, with what calls cost if
/// \p withCosts.
mem::GraphOp buildGraph(mlir::OpBuilder &builder, task::GraphOp graph,
                        const GraphProblem &problem, const planner::Plan &plan,
                        bool withCosts);

} // namespace turnip

#endif // TURNIP_LIB_CONVERSION_TASKTOMEM_PLACEDGRAPH_H
