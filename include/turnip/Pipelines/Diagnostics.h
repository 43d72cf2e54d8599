//===- Diagnostics.h - Diagnostics for people ----------------- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_PIPELINES_DIAGNOSTICS_H
#define TURNIP_PIPELINES_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

namespace turnip {

/// Prints the diagnostics of a context on stderr while it lives. Those with a
/// place in a file come with the line of \p sources they are about, as MLIR
/// prints them. Those that know a name alone, such as what turnip-import makes,
/// read `model.mlir: error: at "blk.0.ffn_gate": ...`.
class DiagnosticPrinter : public mlir::SourceMgrDiagnosticHandler {
public:
  DiagnosticPrinter(llvm::SourceMgr &sources, mlir::MLIRContext *context);

private:
  void print(mlir::Diagnostic &diagnostic);
  void printWithoutPlace(const mlir::Diagnostic &diagnostic);
};

} // namespace turnip

#endif // TURNIP_PIPELINES_DIAGNOSTICS_H
