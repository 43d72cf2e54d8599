//===- Minimize.h - Smaller programs that still fail ------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TESTING_MINIMIZE_H
#define TURNIP_TESTING_MINIMIZE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace turnip::testing {

/// Returns a smaller program for which \p fails is still true: results are
/// dropped, operations at the end removed, and operations at the start made
/// inputs, for as long as that works. \p program has one function.
mlir::OwningOpRef<mlir::ModuleOp>
minimizeProgram(mlir::ModuleOp program,
                llvm::function_ref<bool(mlir::ModuleOp)> fails);

} // namespace turnip::testing

#endif // TURNIP_TESTING_MINIMIZE_H
