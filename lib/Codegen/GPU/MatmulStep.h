//===- MatmulStep.h - Products that the matrix library computes -----------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_GPU_MATMULSTEP_H
#define TURNIP_LIB_CODEGEN_GPU_MATMULSTEP_H

#include "KernelSteps.h"
#include "Matmul.h"

namespace turnip::codegen::gpu {

/// Appends the launches of the product that begins with `op`. Returns the
/// operations that they stand for; none where the library cannot compute it.
/// Launches have no scratch memory: no sum is split over blocks.
llvm::SmallVector<mlir::Operation *> emitMatmul(KernelSteps &steps,
                                                mlir::linalg::GenericOp op);

} // namespace turnip::codegen::gpu

#endif // TURNIP_LIB_CODEGEN_GPU_MATMULSTEP_H
