//===- Normalize.h - The form of a kernel that loops are emitted from -----===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_NORMALIZE_H
#define TURNIP_LIB_CODEGEN_NORMALIZE_H

#include "mlir/IR/BuiltinOps.h"

namespace turnip::codegen {

/// Brings the functions of `module` into the form that KernelEmitter takes:
/// every linalg operation generic, elementwise producers fused into their
/// consumers, pads and generated tensors decomposed, dead code gone.
mlir::LogicalResult normalizeKernel(mlir::ModuleOp module);

} // namespace turnip::codegen

#endif // TURNIP_LIB_CODEGEN_NORMALIZE_H
