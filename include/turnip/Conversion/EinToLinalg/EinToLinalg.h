//===- EinToLinalg.h - From ein to linalg on tensors ---------- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_CONVERSION_EINTOLINALG_EINTOLINALG_H
#define TURNIP_CONVERSION_EINTOLINALG_EINTOLINALG_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace turnip {

#define GEN_PASS_DECL
#include "turnip/Conversion/EinToLinalg/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "turnip/Conversion/EinToLinalg/Passes.h.inc"

/// Adds patterns, for a dialect conversion, that turn every ein operation but
/// `ein.parameter` into linalg, tensor and arith operations on tensors. See the
/// pass convert-ein-to-linalg for what becomes of each.
void populateEinToLinalgPatterns(mlir::RewritePatternSet &patterns);

} // namespace turnip

#endif // TURNIP_CONVERSION_EINTOLINALG_EINTOLINALG_H
