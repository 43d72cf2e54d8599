//===- Contraction.h - Packed and streamed matrix products ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_CONTRACTION_H
#define TURNIP_LIB_CODEGEN_CONTRACTION_H

#include "GenericEmitter.h"
#include <optional>

namespace turnip::codegen {

/// A generic that sums, over some dimensions, the product of two operands.
struct Contraction {
  /// Loop dimensions: in both operands and the result (batch), in the left one
  /// and the result (m), in the right one and the result (n), summed (k).
  llvm::SmallVector<int64_t> batch, m, n, k;
  /// True for sums in f32 or f64, false for integers.
  bool isFloat = true;
};

/// Recognises `acc + a * b` on two operands, each widened by at most one
/// conversion; accumulators are f32 or i32.
std::optional<Contraction> matchContraction(mlir::Operation *op);

} // namespace turnip::codegen

#endif // TURNIP_LIB_CODEGEN_CONTRACTION_H
