//===- MathExpansion.h - Elementary functions without a library -----------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_MATHEXPANSION_H
#define TURNIP_LIB_CODEGEN_MATHEXPANSION_H

#include "LaneBuilder.h"

namespace turnip::codegen {

/// Emits operation `name` ("math.exp", "arith.remf", ...) on `operands`, all
/// of one register type, where no instruction of the target does it. Returns a
/// null value when `name` is not among the functions expanded here.
mlir::Value expandMath(LaneBuilder &lanes, mlir::Operation *op,
                       llvm::ArrayRef<mlir::Value> operands);

/// The sine or cosine of `x`, f32 or f64.
mlir::Value expandSinOrCos(LaneBuilder &lanes, mlir::Value x, bool cosine);

/// True when `op` costs about as much as ten additions.
bool isTranscendental(mlir::Operation *op);

} // namespace turnip::codegen

#endif // TURNIP_LIB_CODEGEN_MATHEXPANSION_H
