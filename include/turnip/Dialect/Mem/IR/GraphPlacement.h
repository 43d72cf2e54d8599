//===- GraphPlacement.h - A mem.graph for the planner --------- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mem.graph as the planner's proof and statistics want it.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_MEM_IR_GRAPHPLACEMENT_H
#define TURNIP_DIALECT_MEM_IR_GRAPHPLACEMENT_H

#include "turnip/Dialect/Mem/IR/Machine.h"
#include "turnip/planner/Placement.h"

namespace turnip::mem {

/// A mem.graph as the planner sees a placement, with the operations that its
/// parts come from.
struct GraphPlacement {
  planner::Placement placement;
  /// One per operation of the placement.
  llvm::SmallVector<mlir::Operation *> operations;
  /// One per piece of placement.entry and of placement.exit.
  llvm::SmallVector<mlir::Operation *> entry, exit;
};

/// Finds the kernel that a call names.
using KernelLookup =
    llvm::function_ref<task::KernelOp(mlir::FlatSymbolRefAttr)>;

/// Translates \p graph. Every memory and kernel that it names must exist, and
/// calls must have as many reads and writes as their kernels have operands and
/// results.
GraphPlacement buildPlacement(GraphOp graph, Machine &machine,
                              KernelLookup lookup);

} // namespace turnip::mem

#endif // TURNIP_DIALECT_MEM_IR_GRAPHPLACEMENT_H
