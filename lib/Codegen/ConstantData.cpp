//===- ConstantData.cpp - Constant tensors in a module --------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantData.h"

using namespace mlir;

namespace turnip::codegen {

/// As much as a buffer is aligned to.
static constexpr int64_t kConstantAlignment = 64;

LLVM::GlobalOp createConstantData(OpBuilder &builder, const LaneBuilder &lanes,
                                  DenseElementsAttr elements, StringRef name,
                                  unsigned addressSpace) {
  Type memory = lanes.memoryType(elements.getElementType());
  auto narrow = [&](Attribute attr) -> Attribute {
    if (auto value = dyn_cast<FloatAttr>(attr)) {
      if (isa<FloatType>(memory))
        return value;
      return builder.getIntegerAttr(memory, value.getValue().bitcastToAPInt());
    }
    APInt value = cast<IntegerAttr>(attr).getValue();
    return builder.getIntegerAttr(
        memory, value.zextOrTrunc(memory.getIntOrFloatBitWidth()));
  };
  SmallVector<Attribute> values;
  if (elements.isSplat())
    values.push_back(narrow(elements.getSplatValue<Attribute>()));
  else
    for (Attribute value : elements.getValues<Attribute>())
      values.push_back(narrow(value));
  int64_t count = values.size();
  auto data =
      DenseElementsAttr::get(RankedTensorType::get({count}, memory), values);
  return LLVM::GlobalOp::create(builder, lanes.loc,
                                LLVM::LLVMArrayType::get(memory, count),
                                /*isConstant=*/true, LLVM::Linkage::Private,
                                name, data, kConstantAlignment, addressSpace);
}

} // namespace turnip::codegen
