//===- EinInterfaces.cpp - How ein operations may be split ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Dialect/Ein/IR/EinInterfaces.h"
#include "turnip/Dialect/Ein/IR/Ein.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace turnip::ein;

#include "turnip/Dialect/Ein/IR/EinInterfaces.cpp.inc"

llvm::SmallVector<int64_t>
turnip::ein::getTileShape(llvm::ArrayRef<unsigned> labels,
                          llvm::ArrayRef<int64_t> labelSizes) {
  return llvm::map_to_vector(labels,
                             [&](unsigned label) { return labelSizes[label]; });
}

bool turnip::ein::isCombinerLegal(Combiner combiner, Type type) {
  bool isBit = type.isInteger(1);
  bool isInteger = isa<IntegerType>(type);
  switch (combiner) {
  case Combiner::None:
    return true;
  case Combiner::Sum:
  case Combiner::Prod:
  case Combiner::Max:
  case Combiner::Min:
    return (isInteger && !isBit) || isa<FloatType>(type);
  case Combiner::And:
  case Combiner::Or:
  case Combiner::Xor:
    return isInteger;
  }
  return false;
}

Value turnip::ein::buildScalarCombine(OpBuilder &builder, Location loc,
                                      Combiner combiner, Value lhs, Value rhs) {
  bool isFloat = isa<FloatType>(lhs.getType());
  switch (combiner) {
  case Combiner::None:
    break;
  case Combiner::Sum:
    if (isFloat)
      return arith::AddFOp::create(builder, loc, lhs, rhs);
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  case Combiner::Prod:
    if (isFloat)
      return arith::MulFOp::create(builder, loc, lhs, rhs);
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  case Combiner::Max:
    if (isFloat)
      return arith::MaximumFOp::create(builder, loc, lhs, rhs);
    return arith::MaxSIOp::create(builder, loc, lhs, rhs);
  case Combiner::Min:
    if (isFloat)
      return arith::MinimumFOp::create(builder, loc, lhs, rhs);
    return arith::MinSIOp::create(builder, loc, lhs, rhs);
  case Combiner::And:
    return arith::AndIOp::create(builder, loc, lhs, rhs);
  case Combiner::Or:
    return arith::OrIOp::create(builder, loc, lhs, rhs);
  case Combiner::Xor:
    return arith::XOrIOp::create(builder, loc, lhs, rhs);
  }
  llvm_unreachable("no combiner to join with");
}

TypedAttr turnip::ein::getCombinerIdentity(Combiner combiner, Type type) {
  Builder builder(type.getContext());
  if (auto floatType = dyn_cast<FloatType>(type)) {
    if (combiner == Combiner::Max || combiner == Combiner::Min)
      return FloatAttr::get(
          type, APFloat::getInf(floatType.getFloatSemantics(),
                                /*Negative=*/combiner == Combiner::Max));
    // Plus zero, although a sum of minus zeros then is plus zero: it is what
    // cleared memory holds.
    return FloatAttr::get(type, combiner == Combiner::Prod ? 1.0 : 0.0);
  }
  unsigned width = type.getIntOrFloatBitWidth();
  switch (combiner) {
  case Combiner::Prod:
    return IntegerAttr::get(type, APInt(width, 1));
  case Combiner::Max:
    return IntegerAttr::get(type, APInt::getSignedMinValue(width));
  case Combiner::Min:
    return IntegerAttr::get(type, APInt::getSignedMaxValue(width));
  case Combiner::And:
    return IntegerAttr::get(type, APInt::getAllOnes(width));
  default:
    return IntegerAttr::get(type, APInt(width, 0));
  }
}

Value turnip::ein::buildCombine(OpBuilder &builder, Location loc,
                                Combiner combiner, Value lhs, Value rhs) {
  auto type = cast<RankedTensorType>(lhs.getType());
  std::string labels;
  for (int64_t i = 0; i < type.getRank(); ++i)
    labels.push_back(i < 26 ? 'a' + i : 'A' + (i - 26));
  std::string notation = labels + "," + labels + "->" + labels;
  return EinsumOp::create(
      builder, loc, type, ValueRange{lhs, rhs}, notation, Combiner::None,
      [&](OpBuilder &body, Location at, ValueRange args) {
        return buildScalarCombine(body, at, combiner, args[0], args[1]);
      });
}

int64_t turnip::ein::getTensorBytes(RankedTensorType type) {
  unsigned bits = type.getElementType().getIntOrFloatBitWidth();
  return type.getNumElements() * int64_t((bits + 7) / 8);
}
