//===- ContractionStep.h - Products without a matrix library --------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_GPU_CONTRACTIONSTEP_H
#define TURNIP_LIB_CODEGEN_GPU_CONTRACTIONSTEP_H

#include "../Contraction.h"
#include "KernelSteps.h"

namespace turnip::codegen::gpu {

/// True where blocks of results as emitContraction makes them would do at least
/// a quarter of their work for elements that exist. Others, such as a rotation
/// of pairs or a product with a vector, are reductions like any other.
bool fillsTiles(mlir::linalg::GenericOp op, const Contraction &contraction);

/// Emits a sum of products as one launch: blocks of 64 x 64 results, whose
/// operands pass through shared memory 16 terms at a time, 4 x 4 results per
/// thread. For products that the device's matrix library does not take, such as
/// those of integers; sums run in order of the terms.
mlir::LogicalResult emitContraction(KernelSteps &steps,
                                    mlir::linalg::GenericOp op,
                                    const Contraction &contraction);

} // namespace turnip::codegen::gpu

#endif // TURNIP_LIB_CODEGEN_GPU_CONTRACTIONSTEP_H
