//===- ForwardModule.h - A module with a forward pass ----------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_IMPORT_FORWARDMODULE_H
#define TURNIP_LIB_IMPORT_FORWARDMODULE_H

#include "turnip/Import/Import.h"
#include "turnip/Import/ModelBuilder.h"

namespace turnip::import {

/// Builds logits ([b,] l, n) from tokens ([b,] l).
using ForwardBuilder =
    llvm::function_ref<mlir::Value(ModelBuilder &model, mlir::Value tokens)>;

/// A module with the function that \p build makes, checked by the verifier.
/// Errors of the options name them; those of the builder come as they are.
Expected<mlir::OwningOpRef<mlir::ModuleOp>>
buildForwardModule(mlir::MLIRContext &context, const ImportOptions &options,
                   const ParameterSource &source, ForwardBuilder build);

} // namespace turnip::import

#endif // TURNIP_LIB_IMPORT_FORWARDMODULE_H
