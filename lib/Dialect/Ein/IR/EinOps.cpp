//===- EinOps.cpp - Operations that the notation cannot say ---------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Dialect/Ein/IR/Ein.h"

using namespace mlir;
using namespace turnip::ein;

//===----------------------------------------------------------------------===//
// ParameterOp, ConstantOp
//===----------------------------------------------------------------------===//

LogicalResult ParameterOp::verify() {
  if (getName().empty())
    return emitOpError("expected a nonempty name");
  return success();
}

//===----------------------------------------------------------------------===//
// SliceOp
//===----------------------------------------------------------------------===//

/// Checks that a slice's attribute has one entry per dimension, each at least
/// `minimum`.
static LogicalResult verifyExtents(SliceOp op, StringRef what,
                                   ArrayRef<int64_t> values, int64_t rank,
                                   int64_t minimum) {
  if (static_cast<int64_t>(values.size()) != rank)
    return op.emitOpError("expected ")
           << rank << " " << what << ", but got " << values.size();
  for (auto [dim, value] : llvm::enumerate(values))
    if (value < minimum)
      return op.emitOpError("expected ")
             << what << " of at least " << minimum << ", but got " << value
             << " in dimension " << dim;
  return success();
}

/// Checks that source or operand, and result, agree on the element type.
static LogicalResult verifySameElement(Operation *op, StringRef operand,
                                       RankedTensorType type,
                                       RankedTensorType result) {
  if (type.getElementType() == result.getElementType())
    return success();
  return op->emitOpError("expected ")
         << operand << " and result to have one element type, but got "
         << type.getElementType() << " and " << result.getElementType();
}

LogicalResult SliceOp::verify() {
  RankedTensorType source = getSource().getType();
  RankedTensorType result = getResult().getType();
  int64_t rank = source.getRank();
  if (failed(verifyExtents(*this, "offsets", getOffsets(), rank, 0)) ||
      failed(verifyExtents(*this, "sizes", getSizes(), rank, 1)) ||
      failed(verifyExtents(*this, "strides", getStrides(), rank, 1)) ||
      failed(verifySameElement(*this, "source", source, result)))
    return failure();
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t size = source.getDimSize(dim), offset = getOffsets()[dim];
    int64_t steps = getSizes()[dim] - 1, stride = getStrides()[dim];
    // offset + steps * stride < size, without overflow.
    if (offset >= size || steps > (size - 1 - offset) / stride)
      return emitOpError("expected the slice to lie in the source, but "
                         "dimension ")
             << dim << " of size " << size << " has offset " << offset
             << ", size " << getSizes()[dim] << " and stride " << stride;
  }
  if (result.getShape() != getSizes())
    return emitOpError("expected result of sizes [")
           << getSizes() << "], but got " << result;
  return success();
}

//===----------------------------------------------------------------------===//
// WindowOp
//===----------------------------------------------------------------------===//

LogicalResult WindowOp::verify() {
  RankedTensorType source = getSource().getType();
  RankedTensorType result = getResult().getType();
  if (source.getRank() != result.getRank())
    return emitOpError("expected result of rank ")
           << source.getRank() << ", but got " << result.getRank();
  if (failed(verifySameElement(*this, "source", source, result)))
    return failure();
  size_t cut = 0;
  for (auto [dim, size] : llvm::enumerate(source.getShape())) {
    cut += result.getDimSize(dim) < size;
    if (result.getDimSize(dim) > size)
      return emitOpError("expected the window to fit its source, but "
                         "dimension ")
             << dim << " has sizes " << result.getDimSize(dim) << " and "
             << size;
  }
  if (getPositions().size() != cut)
    return emitOpError("expected ")
           << cut << " positions, one for each dimension that is cut, but got "
           << getPositions().size();
  return success();
}

//===----------------------------------------------------------------------===//
// ConcatOp
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::verify() {
  RankedTensorType result = getResult().getType();
  int64_t rank = result.getRank();
  int64_t dim = static_cast<int64_t>(getDim());
  if (getInputs().empty())
    return emitOpError("expected at least one operand");
  if (dim < 0 || dim >= rank)
    return emitOpError("expected dim in [0, ") << rank << "), but got " << dim;
  int64_t sum = 0;
  for (auto [index, input] : llvm::enumerate(getInputs())) {
    auto type = cast<RankedTensorType>(input.getType());
    std::string name = "operand #" + std::to_string(index);
    if (failed(verifySameElement(*this, name, type, result)))
      return failure();
    if (type.getRank() != rank)
      return emitOpError("expected ")
             << name << " of rank " << rank << ", but got " << type.getRank();
    for (int64_t i = 0; i < rank; ++i)
      if (i != dim && type.getDimSize(i) != result.getDimSize(i))
        return emitOpError("expected dimension ")
               << i << " of " << name << " to have size "
               << result.getDimSize(i) << ", but got " << type.getDimSize(i);
    sum += type.getDimSize(dim);
    if (sum > result.getDimSize(dim))
      break;
  }
  if (sum != result.getDimSize(dim))
    return emitOpError("expected operands' sizes along dimension ")
           << dim << " to add up to " << result.getDimSize(dim) << ", but got "
           << sum;
  return success();
}

//===----------------------------------------------------------------------===//
// ReshapeOp
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  RankedTensorType source = getSource().getType();
  RankedTensorType result = getResult().getType();
  if (failed(verifySameElement(*this, "source", source, result)))
    return failure();
  if (source.getNumElements() != result.getNumElements())
    return emitOpError("expected result with ")
           << source.getNumElements() << " elements, but got "
           << result.getNumElements();
  return success();
}

//===----------------------------------------------------------------------===//
// GatherOp
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::verify() {
  RankedTensorType table = getTable().getType();
  RankedTensorType result = getResult().getType();
  if (table.getRank() < 1)
    return emitOpError("expected table of rank at least 1, but got 0");
  if (failed(verifySameElement(*this, "table", table, result)))
    return failure();
  SmallVector<int64_t> expected(getIndices().getType().getShape());
  llvm::append_range(expected, table.getShape().drop_front());
  if (result.getShape() != ArrayRef<int64_t>(expected))
    return emitOpError("expected result of sizes [")
           << ArrayRef<int64_t>(expected) << "], but got " << result;
  return success();
}
