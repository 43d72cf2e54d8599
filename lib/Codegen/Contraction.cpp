//===- Contraction.cpp - Packed and streamed matrix products --------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"

using namespace mlir;

namespace turnip::codegen {

/// The block argument that `value` is, looking through one widening.
static BlockArgument widenedArgument(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument;
  Operation *def = value.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(def))
    return nullptr;
  return dyn_cast<BlockArgument>(def->getOperand(0));
}

/// Matches `acc + a * b` with a and b arguments 0 and 1 in either order.
static bool matchMultiplyAdd(linalg::GenericOp op) {
  Block *body = op.getBody();
  Operation *add = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add))
    return false;
  Value accumulator = body->getArgument(2);
  Value product;
  if (add->getOperand(0) == accumulator)
    product = add->getOperand(1);
  else if (add->getOperand(1) == accumulator)
    product = add->getOperand(0);
  else
    return false;
  Operation *mul = product.getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(mul))
    return false;
  BlockArgument x = widenedArgument(mul->getOperand(0));
  BlockArgument y = widenedArgument(mul->getOperand(1));
  return x && y && x.getOwner() == body && y.getOwner() == body &&
         x.getArgNumber() + y.getArgNumber() == 1;
}

std::optional<Contraction> matchContraction(Operation *operation) {
  auto op = dyn_cast<linalg::GenericOp>(operation);
  if (!op || op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0)
    return std::nullopt;
  Type accumulator = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  if (!accumulator.isF32() && !accumulator.isInteger(32))
    return std::nullopt;
  for (Value input : op.getDpsInputs()) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    if (!type)
      return std::nullopt;
    Type element = type.getElementType();
    bool fits = accumulator.isF32()
                    ? element.isF32() || element.isF16() || element.isBF16()
                    : element.isInteger(32) || element.isInteger(8) ||
                          element.isInteger(16);
    if (!fits)
      return std::nullopt;
  }
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation())
      return std::nullopt;
  if (!matchMultiplyAdd(op))
    return std::nullopt;
  Contraction result;
  result.isFloat = accumulator.isF32();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (auto [dim, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool a = maps[0].isFunctionOfDim(dim), b = maps[1].isFunctionOfDim(dim);
    bool c = maps[2].isFunctionOfDim(dim);
    if (iterator == utils::IteratorType::reduction) {
      if (!a || !b || c)
        return std::nullopt;
      result.k.push_back(dim);
    } else if (!c || (!a && !b)) {
      return std::nullopt;
    } else {
      (a && b ? result.batch : a ? result.m : result.n).push_back(dim);
    }
  }
  return result;
}

} // namespace turnip::codegen
