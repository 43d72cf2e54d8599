//===- EinFolds.cpp - Folds of slices, concatenations and reshapes --------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "turnip/Dialect/Ein/IR/Ein.h"

using namespace mlir;
using namespace turnip::ein;

OpFoldResult ConstantOp::fold(FoldAdaptor adaptor) { return getValue(); }

/// Constants with more elements than this are left to run time unless all
/// elements are equal.
static constexpr int64_t maxFoldedElements = 4096;

//===----------------------------------------------------------------------===//
// ReshapeOp
//===----------------------------------------------------------------------===//

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(adaptor.getSource()))
    return elements.reshape(getType());
  // A reshape of a reshape is one reshape of the first source.
  if (auto source = getSource().getDefiningOp<ReshapeOp>()) {
    getSourceMutable().assign(source.getSource());
    return getResult();
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// SliceOp
//===----------------------------------------------------------------------===//

/// The elements that `op` takes from the constant `source`.
static DenseElementsAttr sliceElements(SliceOp op, DenseElementsAttr source) {
  RankedTensorType type = op.getType();
  if (source.isSplat())
    return source.resizeSplat(type);
  if (type.getNumElements() > maxFoldedElements)
    return nullptr;
  ArrayRef<int64_t> shape = op.getSource().getType().getShape();
  SmallVector<int64_t> position(type.getRank(), 0);
  SmallVector<Attribute> elements;
  auto values = source.getValues<Attribute>();
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i) {
    int64_t linear = 0, rest = i;
    for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
      position[dim] = rest % type.getDimSize(dim);
      rest /= type.getDimSize(dim);
    }
    for (auto [dim, size] : llvm::enumerate(shape))
      linear = linear * size + op.getOffsets()[dim] +
               position[dim] * op.getStrides()[dim];
    elements.push_back(values[linear]);
  }
  return DenseElementsAttr::get(type, elements);
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  // A slice that lies in its source and is as large takes all of it.
  if (getSource().getType() == getType())
    return getSource();
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(adaptor.getSource()))
    return sliceElements(*this, elements);
  // A slice of a slice is one slice of the first source.
  if (auto source = getSource().getDefiningOp<SliceOp>()) {
    SmallVector<int64_t> offsets, strides;
    for (size_t dim = 0; dim < getOffsets().size(); ++dim) {
      offsets.push_back(source.getOffsets()[dim] +
                        getOffsets()[dim] * source.getStrides()[dim]);
      // A single step is never taken: its stride does not matter and is not
      // allowed to overflow.
      strides.push_back(getSizes()[dim] == 1
                            ? 1
                            : getStrides()[dim] * source.getStrides()[dim]);
    }
    setOffsets(offsets);
    setStrides(strides);
    getSourceMutable().assign(source.getSource());
    return getResult();
  }
  return nullptr;
}

namespace {
/// A slice of a concatenation that lies in one part is a slice of that part.
struct SliceOfConcat : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto concat = op.getSource().getDefiningOp<ConcatOp>();
    if (!concat)
      return failure();
    uint64_t dim = concat.getDim();
    int64_t first = op.getOffsets()[dim];
    int64_t last = first + (op.getSizes()[dim] - 1) * op.getStrides()[dim];
    for (Value part : concat.getInputs()) {
      int64_t size = cast<RankedTensorType>(part.getType()).getDimSize(dim);
      if (first >= size) {
        first -= size;
        last -= size;
        continue;
      }
      if (last >= size)
        return failure();
      SmallVector<int64_t> offsets(op.getOffsets());
      offsets[dim] = first;
      rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), part, offsets,
                                           op.getSizes(), op.getStrides());
      return success();
    }
    return failure();
  }
};
} // namespace

namespace {
/// A window whose positions are constants is a slice.
struct SliceOfWindow : OpRewritePattern<WindowOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WindowOp op,
                                PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> source = op.getSource().getType().getShape();
    ArrayRef<int64_t> sizes = op.getType().getShape();
    SmallVector<int64_t> offsets(sizes.size(), 0), ones(sizes.size(), 1);
    auto position = op.getPositions().begin();
    for (size_t dim = 0; dim < sizes.size(); ++dim) {
      if (sizes[dim] == source[dim])
        continue;
      APInt constant;
      if (!matchPattern(*position++, m_ConstantInt(&constant)))
        return failure();
      offsets[dim] = std::clamp<int64_t>(constant.getSExtValue(), 0,
                                         source[dim] - sizes[dim]);
    }
    rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), op.getSource(),
                                         offsets, sizes, ones);
    return success();
  }
};
} // namespace

void WindowOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<SliceOfWindow>(context);
}

void SliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<SliceOfConcat>(context);
}

//===----------------------------------------------------------------------===//
// ConcatOp
//===----------------------------------------------------------------------===//

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  if (getInputs().size() == 1)
    return getInputs().front();
  // Parts that all repeat one value.
  auto first = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInputs().front());
  if (!first || !first.isSplat())
    return nullptr;
  for (Attribute input : adaptor.getInputs()) {
    auto elements = dyn_cast_or_null<DenseElementsAttr>(input);
    if (!elements || !elements.isSplat() ||
        elements.getSplatValue<Attribute>() != first.getSplatValue<Attribute>())
      return nullptr;
  }
  return DenseElementsAttr::get(getType(), first.getSplatValue<Attribute>());
}

namespace {
/// Puts the parts of an inner concatenation, used here only and along the same
/// dimension, in its place.
struct ConcatOfConcat : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> parts;
    for (Value input : op.getInputs()) {
      auto inner = input.getDefiningOp<ConcatOp>();
      if (inner && inner->hasOneUse() && inner.getDim() == op.getDim())
        llvm::append_range(parts, inner.getInputs());
      else
        parts.push_back(input);
    }
    if (parts.size() == op.getInputs().size())
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getInputsMutable().assign(parts); });
    return success();
  }
};

/// Adjacent parts that are adjacent slices of one tensor become one slice, so
/// that a tensor cut and put together again is the tensor.
struct ConcatOfAdjacentSlices : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    for (unsigned i = 0, e = op.getInputs().size(); i + 1 < e; ++i) {
      auto left = op.getInputs()[i].getDefiningOp<SliceOp>();
      auto right = op.getInputs()[i + 1].getDefiningOp<SliceOp>();
      if (!left || !right || !areAdjacent(left, right, op.getDim()))
        continue;
      SmallVector<int64_t> sizes(left.getSizes());
      sizes[op.getDim()] += right.getSizes()[op.getDim()];
      auto joined = SliceOp::create(
          rewriter, op.getLoc(), left.getType().clone(sizes), left.getSource(),
          left.getOffsets(), sizes, left.getStrides());
      SmallVector<Value> parts(op.getInputs());
      parts[i] = joined;
      parts.erase(parts.begin() + i + 1);
      rewriter.modifyOpInPlace(op,
                               [&] { op.getInputsMutable().assign(parts); });
      return success();
    }
    return failure();
  }

  static bool areAdjacent(SliceOp left, SliceOp right, unsigned dim) {
    if (left.getSource() != right.getSource())
      return false;
    for (unsigned i = 0; i < left.getOffsets().size(); ++i) {
      if (i == dim) {
        if (left.getStrides()[i] != 1 || right.getStrides()[i] != 1 ||
            left.getOffsets()[i] + left.getSizes()[i] != right.getOffsets()[i])
          return false;
      } else if (left.getOffsets()[i] != right.getOffsets()[i] ||
                 left.getStrides()[i] != right.getStrides()[i]) {
        return false;
      }
    }
    return true;
  }
};
} // namespace

void ConcatOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<ConcatOfConcat, ConcatOfAdjacentSlices>(context);
}
