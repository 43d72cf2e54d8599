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

#define GEN_PASS_REGISTRATION
#include "turnip/Dialect/Task/Transforms/Passes.h.inc"

} // namespace turnip::task

#endif // TURNIP_DIALECT_TASK_TRANSFORMS_PASSES_H
