//===- Import.h - Model files to ein IR ------------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_IMPORT_IMPORT_H
#define TURNIP_IMPORT_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "turnip/parameters/GgufFile.h"
#include "turnip/support/Status.h"

#include <string>

namespace turnip::import {

/// What to make of a model.
struct ImportOptions {
  /// Number of tokens that the entry point takes.
  int64_t sequenceLength = 64;
  /// Name of the entry point's function.
  std::string entry = "main";
};

/// Builds the forward pass of the model in \p file: a function from "tokens"
/// [sequence length] i32 to "logits" [sequence length, vocabulary] f32. The
/// weights stay in the file; the module names them (`ein.parameter`). Errors
/// name the metadata key or tensor that is missing, wrong or not supported.
Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importGguf(mlir::MLIRContext &context, const parameters::GgufFile &file,
           const ImportOptions &options);

/// The architectures that importGguf knows, separated by ", ".
std::string knownArchitectures();

} // namespace turnip::import

#endif // TURNIP_IMPORT_IMPORT_H
