//===- CostModel.h - What a kernel costs, roughly -------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_COSTMODEL_H
#define TURNIP_LIB_CODEGEN_COSTMODEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace turnip::codegen {

/// Work that one grid point should have at least: enough to hide a dispatch.
inline constexpr int64_t kGridNanoseconds = 40000;

/// Operations in all iterations of `op`; a transcendental function counts as
/// 10, a copy as 0.
int64_t estimateFlops(mlir::Operation *op);

/// Time of `op` on one lane, from its operations and the bytes of its operands
/// and results.
int64_t estimateNanoseconds(mlir::Operation *op);

/// Bytes of the operands and results of a whole kernel; of a table that is
/// looked up in, what the lookups read; of a tensor that is cut, the pieces.
int64_t signatureBytes(mlir::func::FuncOp func);

} // namespace turnip::codegen

#endif // TURNIP_LIB_CODEGEN_COSTMODEL_H
