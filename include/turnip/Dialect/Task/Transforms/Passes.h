//===- Passes.h - Passes of task ------------------------------ -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_TASK_TRANSFORMS_PASSES_H
#define TURNIP_DIALECT_TASK_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace turnip::task {

#define GEN_PASS_DECL
#include "turnip/Dialect/Task/Transforms/Passes.h.inc"

/// Writes what task-print-statistics prints about \p module to \p os.
void printStatistics(mlir::ModuleOp module, llvm::raw_ostream &os);

/// The bytes that the largest call on a device of \p module needs: operands,
/// results and workspace, each aligned to 64 bytes. Nothing is in place.
/// Kernels that are not compiled have no workspace.
int64_t largestWorkingSet(mlir::ModuleOp module);

#define GEN_PASS_REGISTRATION
#include "turnip/Dialect/Task/Transforms/Passes.h.inc"

} // namespace turnip::task

#endif // TURNIP_DIALECT_TASK_TRANSFORMS_PASSES_H
