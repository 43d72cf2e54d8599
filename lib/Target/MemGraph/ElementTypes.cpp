//===- ElementTypes.cpp - Element types of IR and artifact ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace turnip;

ElementType turnip::toElementType(Type type) {
  if (type.isF32())
    return ElementType::F32;
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  switch (type.getIntOrFloatBitWidth()) {
  case 8:
    return ElementType::I8;
  case 32:
    return ElementType::I32;
  case 64:
    return ElementType::I64;
  default:
    return ElementType::I1;
  }
}

Type turnip::toType(ElementType type, MLIRContext *context) {
  Builder builder(context);
  switch (type) {
  case ElementType::F32:
    return builder.getF32Type();
  case ElementType::F16:
    return builder.getF16Type();
  case ElementType::BF16:
    return builder.getBF16Type();
  case ElementType::I8:
    return builder.getIntegerType(8);
  case ElementType::I32:
    return builder.getIntegerType(32);
  case ElementType::I64:
    return builder.getIntegerType(64);
  case ElementType::I1:
    return builder.getI1Type();
  }
  llvm_unreachable("unknown element type");
}
