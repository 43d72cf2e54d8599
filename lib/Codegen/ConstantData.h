//===- ConstantData.h - Constant tensors in a module ----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_CONSTANTDATA_H
#define TURNIP_LIB_CODEGEN_CONSTANTDATA_H

#include "LaneBuilder.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace turnip::codegen {

/// Makes a private array that holds `elements` as they lie in memory, a single
/// element where all are equal.
mlir::LLVM::GlobalOp createConstantData(mlir::OpBuilder &builder,
                                        const LaneBuilder &lanes,
                                        mlir::DenseElementsAttr elements,
                                        llvm::StringRef name,
                                        unsigned addressSpace = 0);

} // namespace turnip::codegen

#endif // TURNIP_LIB_CODEGEN_CONSTANTDATA_H
