//===- Passes.h - Passes of mem ------------------------------- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_MEM_TRANSFORMS_PASSES_H
#define TURNIP_DIALECT_MEM_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace turnip::mem {

#define GEN_PASS_DECL
#include "turnip/Dialect/Mem/Transforms/Passes.h.inc"

/// Writes what mem-print-statistics prints about \p module to \p os.
void printStatistics(mlir::ModuleOp module, llvm::raw_ostream &os);

#define GEN_PASS_REGISTRATION
#include "turnip/Dialect/Mem/Transforms/Passes.h.inc"

} // namespace turnip::mem

#endif // TURNIP_DIALECT_MEM_TRANSFORMS_PASSES_H
