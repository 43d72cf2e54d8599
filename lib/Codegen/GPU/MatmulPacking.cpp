//===- MatmulPacking.cpp - Layouts that a matrix library can take ---------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matmul.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <array>

using namespace mlir;

namespace turnip::codegen {

namespace {
enum Side : unsigned { Lhs, Rhs, Result };
using Dims = SmallVector<int64_t>;

/// Rewrites one contraction.
class Packer {
public:
  Packer(linalg::GenericOp op, const Contraction &contraction)
      : op(op), contraction(contraction), layout(getDenseLayout(op)),
        builder(op), loc(op.getLoc()) {
    Type lhs = elementType(Lhs), rhs = elementType(Rhs);
    if (lhs != rhs) {
      isMixed[Lhs] = !lhs.isF32();
      isMixed[Rhs] = !rhs.isF32();
    }
  }

  void run() {
    std::optional<unsigned> copied = choose();
    if (!copied || *copied == 0)
      return;
    rewrite(*copied);
  }

private:
  Type elementType(Side side) const {
    return getElementTypeOrSelf(op->getOperand(side).getType());
  }

  /// Bytes of the copy of one tensor.
  double getBytes(Side side) const {
    auto type = cast<RankedTensorType>(op->getOperand(side).getType());
    unsigned bits = isMixed[side] ? 32 : type.getElementTypeBitWidth();
    return static_cast<double>(type.getNumElements()) * bits / 8;
  }

  ArrayRef<int64_t> strides(Side side) const {
    return side == Lhs ? layout.lhs : side == Rhs ? layout.rhs : layout.result;
  }

  /// The set of tensors, as bits, whose copies make the contraction
  /// expressible and take the fewest bytes. Copies of all three always do.
  std::optional<unsigned> choose() const {
    std::optional<unsigned> best;
    double least = 0;
    for (unsigned copied = 0; copied < 8; ++copied) {
      double bytes = 0;
      bool isWidened = true;
      for (Side side : {Lhs, Rhs, Result}) {
        if (copied >> side & 1)
          bytes += getBytes(side);
        else
          isWidened &= !isMixed[side];
      }
      if (!isWidened || (best && bytes >= least))
        continue;
      ProductLayout changed = layout;
      for (Side side : {Lhs, Rhs, Result})
        if (copied >> side & 1)
          getStrides(changed, side) = getCopyStrides(side, copied);
      if (!planMatmuls(contraction, changed))
        continue;
      best = copied;
      least = bytes;
    }
    return best;
  }

  static SmallVector<int64_t> &getStrides(ProductLayout &layout, Side side) {
    return side == Lhs ? layout.lhs : side == Rhs ? layout.rhs : layout.result;
  }

  /// The dimensions of one role, in the order that a tensor which is not
  /// copied has them in, the result before others.
  Dims order(ArrayRef<int64_t> dims, ArrayRef<Side> sides,
             unsigned copied) const {
    Dims ordered(dims);
    for (Side side : sides) {
      if (copied >> side & 1)
        continue;
      llvm::sort(ordered, [&](int64_t a, int64_t b) {
        return std::make_pair(strides(side)[a], b) >
               std::make_pair(strides(side)[b], a);
      });
      break;
    }
    return ordered;
  }

  /// The dimensions of a copy, outermost first: batch, then those of the rows,
  /// then those of the columns of a row-major matrix.
  Dims getCopyDims(Side side, unsigned copied) const {
    Dims dims = order(contraction.batch, {Result, Lhs, Rhs}, copied);
    if (side != Rhs)
      llvm::append_range(dims, order(contraction.m, {Result, Lhs}, copied));
    if (side != Lhs)
      llvm::append_range(dims, order(contraction.n, {Result, Rhs}, copied));
    if (side != Result)
      llvm::append_range(dims, order(contraction.k, {Lhs, Rhs}, copied));
    return dims;
  }

  SmallVector<int64_t> getCopyStrides(Side side, unsigned copied) const {
    SmallVector<int64_t> result(layout.sizes.size(), 0);
    int64_t stride = 1;
    for (int64_t dim : llvm::reverse(getCopyDims(side, copied))) {
      result[dim] = stride;
      stride *= layout.sizes[dim];
    }
    return result;
  }

  AffineMap mapOf(ArrayRef<int64_t> dims) const {
    SmallVector<AffineExpr> results;
    for (int64_t dim : dims)
      results.push_back(builder.getAffineDimExpr(dim));
    return AffineMap::get(layout.sizes.size(), 0, results, op.getContext());
  }

  Value createEmpty(ArrayRef<int64_t> dims, Type element) {
    SmallVector<int64_t> shape;
    for (int64_t dim : dims)
      shape.push_back(layout.sizes[dim]);
    return tensor::EmptyOp::create(builder, loc, shape, element);
  }

  /// A tensor of f32 zeros, as a generic.
  Value createZeros(ArrayRef<int64_t> dims) {
    Type f32 = builder.getF32Type();
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(f32));
    AffineMap maps[] = {AffineMap::get(dims.size(), 0, op.getContext()),
                        builder.getMultiDimIdentityMap(dims.size())};
    SmallVector<utils::IteratorType> iterators(dims.size(),
                                               utils::IteratorType::parallel);
    Value empty = createEmpty(dims, f32);
    auto generic = linalg::GenericOp::create(
        builder, loc, empty.getType(), zero, empty, maps, iterators,
        [](OpBuilder &b, Location l, ValueRange arguments) {
          linalg::YieldOp::create(b, l, arguments[0]);
        });
    return generic.getResult(0);
  }

  /// Copies \p from, whose dimensions are the loop dimensions \p fromDims, into
  /// a tensor of dimensions \p toDims, widening elements to \p element.
  Value copy(Value from, ArrayRef<int64_t> fromDims, ArrayRef<int64_t> toDims,
             Type element) {
    unsigned rank = toDims.size();
    SmallVector<AffineExpr> results;
    for (int64_t dim : fromDims)
      results.push_back(
          builder.getAffineDimExpr(llvm::find(toDims, dim) - toDims.begin()));
    AffineMap maps[] = {AffineMap::get(rank, 0, results, op.getContext()),
                        builder.getMultiDimIdentityMap(rank)};
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    Value empty = createEmpty(toDims, element);
    auto generic = linalg::GenericOp::create(
        builder, loc, empty.getType(), from, empty, maps, iterators,
        [&](OpBuilder &b, Location l, ValueRange arguments) {
          linalg::YieldOp::create(b, l, widen(b, l, arguments[0], element));
        });
    return generic.getResult(0);
  }

  static Value widen(OpBuilder &b, Location loc, Value value, Type type) {
    return value.getType() == type
               ? value
               : arith::ExtFOp::create(b, loc, type, value).getResult();
  }

  Dims dimsOf(Side side) const {
    AffineMap map = op.getIndexingMapsArray()[side];
    Dims dims;
    for (unsigned i = 0; i < map.getNumResults(); ++i)
      dims.push_back(map.getDimPosition(i));
    return dims;
  }

  void rewrite(unsigned copied) {
    std::array<Dims, 3> dims;
    std::array<Value, 3> values;
    for (Side side : {Lhs, Rhs, Result}) {
      dims[side] =
          copied >> side & 1 ? getCopyDims(side, copied) : dimsOf(side);
      values[side] = op->getOperand(side);
    }
    Type f32 = builder.getF32Type();
    for (Side side : {Lhs, Rhs})
      if (copied >> side & 1)
        values[side] = copy(values[side], dimsOf(side), dims[side],
                            isMixed[side] ? f32 : elementType(side));
    if (copied >> Result & 1) {
      values[Result] = createZeros(dims[Result]);
    }
    AffineMap maps[] = {mapOf(dims[Lhs]), mapOf(dims[Rhs]),
                        mapOf(dims[Result])};
    auto product = linalg::GenericOp::create(
        builder, loc, values[Result].getType(),
        ValueRange{values[Lhs], values[Rhs]}, values[Result], maps,
        op.getIteratorTypesArray(),
        [&](OpBuilder &b, Location l, ValueRange arguments) {
          Value mul =
              arith::MulFOp::create(b, l, widen(b, l, arguments[0], f32),
                                    widen(b, l, arguments[1], f32));
          Value sum = arith::AddFOp::create(b, l, arguments[2], mul);
          linalg::YieldOp::create(b, l, sum);
        });
    Value result = product.getResult(0);
    if (copied >> Result & 1)
      result = copy(result, dims[Result], dimsOf(Result), f32);
    op.getResult(0).replaceAllUsesWith(result);
    op.erase();
  }

  mutable linalg::GenericOp op;
  const Contraction &contraction;
  ProductLayout layout;
  mutable OpBuilder builder;
  Location loc;
  std::array<bool, 3> isMixed = {false, false, false};
};
} // namespace

void prepareMatmuls(func::FuncOp func, const DenseSet<Operation *> &exempt) {
  SmallVector<linalg::GenericOp> generics;
  func.walk([&](linalg::GenericOp op) {
    if (!exempt.contains(op))
      generics.push_back(op);
  });
  for (linalg::GenericOp op : generics)
    if (std::optional<Contraction> contraction = matchLibraryContraction(op))
      Packer(op, *contraction).run();
}

} // namespace turnip::codegen
