//===- CostModel.cpp - What a kernel costs, roughly -----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"
#include "Contraction.h"
#include "LaneBuilder.h"
#include "MathExpansion.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace turnip::codegen {

static int64_t bytesOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return 0;
  return tensor.getNumElements() *
         LaneBuilder::byteWidth(tensor.getElementType());
}

int64_t estimateFlops(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return 0;
  int64_t cost = 0;
  for (Operation &inner : linalgOp.getBlock()->without_terminator()) {
    if (isa<linalg::IndexOp, arith::ConstantOp, arith::ExtFOp, arith::TruncFOp,
            arith::IndexCastOp>(inner))
      continue;
    cost += isTranscendental(&inner) ? 10 : 1;
  }
  for (int64_t size : linalgOp.getStaticLoopRanges())
    cost *= size;
  return cost;
}

int64_t estimateNanoseconds(Operation *op) {
  int64_t bytes = 0;
  for (Type type : op->getOperandTypes())
    bytes += bytesOf(type);
  for (Type type : op->getResultTypes())
    bytes += bytesOf(type);
  // About 10 GB/s; 80 operations per ns in contractions, 10 elsewhere.
  int64_t flops = estimateFlops(op);
  int64_t rate = matchContraction(op) ? 80 : 10;
  return std::max(bytes / 10, flops / rate);
}

/// Bytes that are read of `argument`: of a table that is looked up in, what the
/// lookups touch; of a tensor that is cut, the pieces.
static int64_t bytesRead(BlockArgument argument) {
  int64_t all = bytesOf(argument.getType()), touched = 0;
  for (Operation *user : argument.getUsers()) {
    if (isa<tensor::ExtractSliceOp>(user)) {
      touched += bytesOf(user->getResult(0).getType());
      continue;
    }
    auto loops = user->getParentOfType<linalg::LinalgOp>();
    if (!isa<tensor::ExtractOp>(user) || !loops)
      return all;
    int64_t count = 1;
    for (int64_t size : loops.getStaticLoopRanges())
      count *= size;
    touched += count *
               LaneBuilder::byteWidth(getElementTypeOrSelf(argument.getType()));
  }
  return std::min(all, touched);
}

int64_t signatureBytes(func::FuncOp func) {
  int64_t bytes = 0;
  for (BlockArgument argument : func.getArguments())
    bytes += bytesRead(argument);
  for (Type type : func.getResultTypes())
    bytes += bytesOf(type);
  return bytes;
}

} // namespace turnip::codegen
