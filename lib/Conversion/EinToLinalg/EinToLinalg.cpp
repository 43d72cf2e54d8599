//===- EinToLinalg.cpp - From ein to linalg on tensors --------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Conversion/EinToLinalg/EinToLinalg.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/DialectConversion.h"
#include "turnip/Dialect/Ein/IR/Ein.h"

namespace turnip {
#define GEN_PASS_DEF_CONVERTEINTOLINALG
#include "turnip/Conversion/EinToLinalg/Passes.h.inc"
} // namespace turnip

using namespace mlir;
using namespace turnip;

static Value createEmpty(OpBuilder &builder, Location loc,
                         RankedTensorType type) {
  return tensor::EmptyOp::create(builder, loc, type.getShape(),
                                 type.getElementType());
}

//===----------------------------------------------------------------------===//
// Einsum, fused
//===----------------------------------------------------------------------===//

namespace {
struct ConvertEinsum : OpConversionPattern<ein::EinsumOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ein::EinsumOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ein::Notation notation = op.getParsedNotation();
    std::string labels = notation.labels();
    SmallVector<AffineMap> maps;
    for (const std::string &operand : notation.operands)
      maps.push_back(getMap(operand, labels, op.getContext()));
    maps.push_back(getMap(notation.results[0], labels, op.getContext()));
    SmallVector<utils::IteratorType> iterators(notation.results[0].size(),
                                               utils::IteratorType::parallel);
    iterators.resize(labels.size(), utils::IteratorType::reduction);

    RankedTensorType combined = RankedTensorType::get(
        op.getType().getShape(), op.getYielded().getType());
    Value init = createInit(op, combined, rewriter);
    auto generic = linalg::GenericOp::create(
        rewriter, op.getLoc(), combined, adaptor.getInputs(), init, maps,
        iterators, [&](OpBuilder &builder, Location loc, ValueRange arguments) {
          fillBody(builder, loc, op, labels, arguments);
        });
    Value result = generic.getResult(0);
    if (op.isRoundedOnce())
      result = createRounding(rewriter, op.getLoc(), result, op.getType());
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static AffineMap getMap(StringRef part, StringRef labels,
                          MLIRContext *context) {
    SmallVector<AffineExpr> dims =
        llvm::map_to_vector(part, [&](char label) -> AffineExpr {
          return getAffineDimExpr(labels.find(label), context);
        });
    return AffineMap::get(labels.size(), 0, dims, context);
  }

  /// What the loops write to: nothing yet, or the combiner's identity.
  static Value createInit(ein::EinsumOp op, RankedTensorType type,
                          OpBuilder &builder) {
    Value empty = createEmpty(builder, op.getLoc(), type);
    if (op.getCombiner() == ein::Combiner::None)
      return empty;
    Value identity = arith::ConstantOp::create(
        builder, op.getLoc(),
        ein::getCombinerIdentity(op.getCombiner(), type.getElementType()));
    return linalg::FillOp::create(builder, op.getLoc(), identity, empty)
        .getResult(0);
  }

  /// The elements of `value`, rounded to those of `type`.
  static Value createRounding(OpBuilder &builder, Location loc, Value value,
                              RankedTensorType type) {
    AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    Value empty = createEmpty(builder, loc, type);
    auto generic = linalg::GenericOp::create(
        builder, loc, type, value, empty, ArrayRef<AffineMap>{map, map},
        iterators, [&](OpBuilder &inner, Location at, ValueRange arguments) {
          Value rounded = arith::TruncFOp::create(
              inner, at, type.getElementType(), arguments.front());
          linalg::YieldOp::create(inner, at, rounded);
        });
    return generic.getResult(0);
  }

  /// Copies the einsum's body; `arguments` are the operands' elements, then
  /// the result's.
  static void fillBody(OpBuilder &builder, Location loc, ein::EinsumOp op,
                       StringRef labels, ValueRange arguments) {
    IRMapping mapping;
    mapping.map(op.getBlock()->getArguments(), arguments.drop_back());
    for (Operation &inner : op.getBlock()->without_terminator()) {
      if (auto index = dyn_cast<ein::IndexOp>(inner))
        mapping.map(index.getResult(),
                    linalg::IndexOp::create(builder, index.getLoc(),
                                            labels.find(index.getLabel()))
                        .getResult());
      else
        builder.clone(inner, mapping);
    }
    Value value = mapping.lookupOrDefault(op.getYielded());
    if (op.getCombiner() != ein::Combiner::None)
      value = ein::buildScalarCombine(builder, loc, op.getCombiner(),
                                      arguments.back(), value);
    linalg::YieldOp::create(builder, loc, value);
  }
};

/// Takes the operations out of a fused one.
struct InlineFused : OpConversionPattern<ein::FusedOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ein::FusedOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    IRMapping mapping;
    mapping.map(op.getBlock()->getArguments(), adaptor.getInputs());
    for (Operation &inner : op.getBlock()->without_terminator())
      rewriter.clone(inner, mapping);
    auto yield = cast<ein::YieldOp>(op.getBlock()->getTerminator());
    rewriter.replaceOp(op,
                       llvm::map_to_vector(yield.getValues(), [&](Value value) {
                         return mapping.lookup(value);
                       }));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Constant, slice, concat, reshape, gather
//===----------------------------------------------------------------------===//

struct ConvertConstant : OpConversionPattern<ein::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ein::ConstantOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, op.getType(),
                                                   op.getValue());
    return success();
  }
};

struct ConvertSlice : OpConversionPattern<ein::SliceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ein::SliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MLIRContext *context = op.getContext();
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        op, adaptor.getSource(),
        getAsIndexOpFoldResult(context, op.getOffsets()),
        getAsIndexOpFoldResult(context, op.getSizes()),
        getAsIndexOpFoldResult(context, op.getStrides()));
    return success();
  }
};

/// The index \p index, but at least 0 and at most \p last.
static Value clampIndex(OpBuilder &builder, Location loc, Value index,
                        int64_t last) {
  Value least = arith::ConstantIndexOp::create(builder, loc, 0);
  Value most = arith::ConstantIndexOp::create(builder, loc, last);
  index = arith::MaxSIOp::create(builder, loc, index, least);
  return arith::MinSIOp::create(builder, loc, index, most);
}

struct ConvertWindow : OpConversionPattern<ein::WindowOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ein::WindowOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MLIRContext *context = op.getContext();
    ArrayRef<int64_t> source = op.getSource().getType().getShape();
    ArrayRef<int64_t> sizes = op.getType().getShape();
    SmallVector<int64_t> ones(sizes.size(), 1);
    SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0));
    auto position = adaptor.getPositions().begin();
    for (size_t dim = 0; dim < sizes.size(); ++dim)
      if (sizes[dim] < source[dim])
        offsets[dim] = clampIndex(rewriter, op.getLoc(), *position++,
                                  source[dim] - sizes[dim]);
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        op, adaptor.getSource(), offsets,
        getAsIndexOpFoldResult(context, sizes),
        getAsIndexOpFoldResult(context, ones));
    return success();
  }
};

/// Writes each part into its place in one new tensor.
struct ConvertConcat : OpConversionPattern<ein::ConcatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ein::ConcatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MLIRContext *context = op.getContext();
    unsigned rank = op.getType().getRank();
    Value result = createEmpty(rewriter, op.getLoc(), op.getType());
    SmallVector<int64_t> offsets(rank, 0), strides(rank, 1);
    for (Value part : adaptor.getInputs()) {
      ArrayRef<int64_t> sizes =
          cast<RankedTensorType>(part.getType()).getShape();
      result = tensor::InsertSliceOp::create(
          rewriter, op.getLoc(), part, result,
          getAsIndexOpFoldResult(context, offsets),
          getAsIndexOpFoldResult(context, sizes),
          getAsIndexOpFoldResult(context, strides));
      offsets[op.getDim()] += sizes[op.getDim()];
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Groups dimensions if the shapes allow it, otherwise goes through one
/// dimension.
struct ConvertReshape : OpConversionPattern<ein::ReshapeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ein::ReshapeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto source = cast<TypedValue<RankedTensorType>>(adaptor.getSource());
    Value result = tryGrouping(rewriter, op.getLoc(), source, op.getType());
    if (!result) {
      auto flat = RankedTensorType::get({source.getType().getNumElements()},
                                        source.getType().getElementType());
      Value line = tryGrouping(rewriter, op.getLoc(), source, flat);
      result =
          tryGrouping(rewriter, op.getLoc(),
                      cast<TypedValue<RankedTensorType>>(line), op.getType());
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// Null unless each dimension of one shape is a group of the other's.
  static Value tryGrouping(OpBuilder &builder, Location loc,
                           TypedValue<RankedTensorType> source,
                           RankedTensorType type) {
    if (source.getType() == type)
      return source;
    if (source.getType().getRank() == type.getRank())
      return nullptr;
    std::optional<SmallVector<ReassociationIndices>> groups =
        getReassociationIndicesForReshape(source.getType(), type);
    if (!groups)
      return nullptr;
    if (source.getType().getRank() > type.getRank())
      return tensor::CollapseShapeOp::create(builder, loc, type, source,
                                             *groups);
    return tensor::ExpandShapeOp::create(builder, loc, type, source, *groups);
  }
};

struct ConvertGather : OpConversionPattern<ein::GatherOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ein::GatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MLIRContext *context = op.getContext();
    unsigned rank = op.getType().getRank();
    unsigned indexRank = op.getIndices().getType().getRank();
    SmallVector<AffineMap> maps = {
        AffineMap::getMultiDimIdentityMap(rank, context)
            .getMajorSubMap(indexRank),
        AffineMap::getMultiDimIdentityMap(rank, context)};
    if (indexRank == 0)
      maps[0] = AffineMap::get(rank, 0, context);
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    Value table = adaptor.getTable();
    int64_t rows = op.getTable().getType().getDimSize(0);
    Value init = createEmpty(rewriter, op.getLoc(), op.getType());
    auto generic = linalg::GenericOp::create(
        rewriter, op.getLoc(), op.getType(), adaptor.getIndices(), init, maps,
        iterators, [&](OpBuilder &builder, Location loc, ValueRange arguments) {
          Value row = arith::IndexCastOp::create(
              builder, loc, builder.getIndexType(), arguments[0]);
          SmallVector<Value> position = {
              clampIndex(builder, loc, row, rows - 1)};
          for (unsigned dim = indexRank; dim < rank; ++dim)
            position.push_back(linalg::IndexOp::create(builder, loc, dim));
          Value element =
              tensor::ExtractOp::create(builder, loc, table, position);
          linalg::YieldOp::create(builder, loc, element);
        });
    rewriter.replaceOp(op, generic);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct ConvertEinToLinalg
    : turnip::impl::ConvertEinToLinalgBase<ConvertEinToLinalg> {
  void runOnOperation() override {
    if (failed(checkParameters()))
      return signalPassFailure();
    ConversionTarget target(getContext());
    target.addIllegalDialect<ein::EinDialect>();
    target.addLegalOp<ein::ParameterOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    RewritePatternSet patterns(&getContext());
    populateEinToLinalgPatterns(patterns);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      return signalPassFailure();
    getOperation()->walk([&](linalg::GenericOp) { ++numGenerics; });
  }

private:
  LogicalResult checkParameters() {
    WalkResult result = getOperation()->walk([](ein::ParameterOp op) {
      if (isa<func::FuncOp>(op->getParentOp()))
        return WalkResult::advance();
      op.emitOpError("expected in functions only, but got one in '")
          << op->getParentOp()->getName() << "'";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }
};
} // namespace

void turnip::populateEinToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertConcat, ConvertConstant, ConvertEinsum, ConvertGather,
               ConvertReshape, ConvertSlice, ConvertWindow, InlineFused>(
      patterns.getContext());
}
