//===- Compile.h - Modules through the phases ----------------- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What turnip-compile does, without its command line.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_PIPELINES_COMPILE_H
#define TURNIP_PIPELINES_COMPILE_H

#include "mlir/IR/BuiltinOps.h"
#include "turnip/Pipelines/Phases.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace turnip {

/// A compilation from one phase to another.
struct CompileRequest {
  CompileOptions options;
  /// What the module is, and what it shall become; `to` is not before `from`.
  Phase from = Phase::Input;
  Phase to = Phase::Artifact;
  /// Called before each phase that has passes to run.
  std::function<void(const PhaseInfo &)> before;
  /// Called after each such phase with the module as it is then. An error ends
  /// the compilation.
  std::function<Status(const PhaseInfo &, mlir::ModuleOp)> after;
};

/// Checks sizes, target and phases without compiling anything. Errors:
/// InvalidArgument, naming the option.
Status checkRequest(const CompileRequest &request);

/// Takes \p module through the phases up to `to`, or to Mem if that is
/// Artifact. A module with nothing to compile, or of another phase than `from`,
/// is an error (BadInput). Diagnostics go to the context's handlers; the error
/// returned, BadInput unless a pass knew better, then only says which phase
/// failed.
Status runPhases(mlir::ModuleOp module, const CompileRequest &request);

} // namespace turnip

#endif // TURNIP_PIPELINES_COMPILE_H
