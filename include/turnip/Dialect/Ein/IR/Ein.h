//===- Ein.h - The ein dialect -------------------------------- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_EIN_IR_EIN_H
#define TURNIP_DIALECT_EIN_IR_EIN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "turnip/Dialect/Ein/IR/EinInterfaces.h"
#include "turnip/Dialect/Ein/IR/Notation.h"

#include "turnip/Dialect/Ein/IR/EinDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "turnip/Dialect/Ein/IR/EinAttrs.h.inc"

namespace turnip::ein {

/// Whether `type` may be the element type of a tensor: f32, f16, bf16, i8, i32,
/// i64 or i1.
bool isEinElementType(mlir::Type type);

/// Whether `type` is a tensor that ein supports: ranked, static, without
/// encoding, every size at least 1, of an element type that ein supports, and
/// with a number of elements below 2^60.
bool isEinTensor(mlir::Type type);

} // namespace turnip::ein

#define GET_OP_CLASSES
#include "turnip/Dialect/Ein/IR/EinOps.h.inc"

#endif // TURNIP_DIALECT_EIN_IR_EIN_H
