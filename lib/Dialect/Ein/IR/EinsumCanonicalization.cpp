//===- EinsumCanonicalization.cpp - Folds and patterns of structured ops --===//
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

/// The number of the block argument that an einsum yields untouched, if it
/// does.
static std::optional<unsigned> getForwarded(EinsumOp op) {
  auto argument = dyn_cast<BlockArgument>(op.getYielded());
  if (!argument || argument.getOwner() != op.getBlock())
    return std::nullopt;
  return argument.getArgNumber();
}

/// Whether every label of operand `index` is also in another operand or in a
/// result, so that the label keeps its size without the operand.
static bool isRedundantForLabels(const Notation &notation, unsigned index) {
  for (char label : notation.operands[index]) {
    auto has = [&](const std::string &part) {
      return StringRef(part).contains(label);
    };
    bool elsewhere = llvm::any_of(notation.results, has);
    for (auto [i, part] : llvm::enumerate(notation.operands))
      elsewhere |= i != index && has(part);
    if (!elsewhere)
      return false;
  }
  return true;
}

/// Removes operand `index`, whose block argument has no uses.
template <typename OpTy>
static void dropOperand(PatternRewriter &rewriter, OpTy op, Notation notation,
                        unsigned index) {
  notation.operands.erase(notation.operands.begin() + index);
  rewriter.modifyOpInPlace(op, [&] {
    op.getBlock()->eraseArgument(index);
    op.getInputsMutable().erase(index);
    op.setNotation(notation.str());
  });
}

//===----------------------------------------------------------------------===//
// EinsumOp
//===----------------------------------------------------------------------===//

// An einsum that copies its operand is its operand.
OpFoldResult EinsumOp::fold(FoldAdaptor adaptor) {
  if (getInputs().size() != 1 || getCombiner() != Combiner::None ||
      getInputs().front().getType() != getType() || !getForwarded(*this))
    return nullptr;
  Notation notation = getParsedNotation();
  if (notation.operands[0] != notation.results[0])
    return nullptr;
  return getInputs().front();
}

// A label of size 1 has one position.
OpFoldResult IndexOp::fold(FoldAdaptor adaptor) {
  auto einsum = cast<EinsumOp>((*this)->getParentOp());
  if (einsum.getLabelSize(getLabel().front()) != 1)
    return nullptr;
  return IntegerAttr::get(getType(), 0);
}

namespace {
/// Drops operands that the body does not use.
template <typename OpTy> struct DropUnusedOperand : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Notation notation = op.getParsedNotation();
    for (BlockArgument argument : op.getBlock()->getArguments()) {
      unsigned index = argument.getArgNumber();
      if (argument.use_empty() && isRedundantForLabels(notation, index)) {
        dropOperand(rewriter, op, notation, index);
        return success();
      }
    }
    return failure();
  }
};

/// Reads an operand once that is given twice with the same labels.
template <typename OpTy> struct MergeEqualOperands : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Notation notation = op.getParsedNotation();
    for (unsigned j = 1; j < op.getInputs().size(); ++j)
      for (unsigned i = 0; i < j; ++i) {
        if (op.getInputs()[i] != op.getInputs()[j] ||
            notation.operands[i] != notation.operands[j])
          continue;
        rewriter.replaceAllUsesWith(op.getBlock()->getArgument(j),
                                    op.getBlock()->getArgument(i));
        dropOperand(rewriter, op, notation, j);
        return success();
      }
    return failure();
  }
};

/// Puts the value of an operand that repeats one constant into the body.
struct InlineSplatOperand : OpRewritePattern<EinsumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EinsumOp op,
                                PatternRewriter &rewriter) const override {
    Notation notation = op.getParsedNotation();
    for (auto [index, input] : llvm::enumerate(op.getInputs())) {
      DenseElementsAttr elements;
      if (op->template getParentOfType<FusedOp>() ||
          !matchPattern(input, m_Constant(&elements)) || !elements.isSplat() ||
          !isRedundantForLabels(notation, index))
        continue;
      rewriter.setInsertionPointToStart(op.getBlock());
      Value scalar = arith::ConstantOp::create(
          rewriter, op.getLoc(),
          cast<TypedAttr>(elements.getSplatValue<Attribute>()));
      rewriter.replaceAllUsesWith(op.getBlock()->getArgument(index), scalar);
      dropOperand(rewriter, op, notation, index);
      return success();
    }
    return failure();
  }
};

/// Reads through an operand that only permutes or repeats another tensor, by
/// renaming its labels.
struct AbsorbPermutation : OpRewritePattern<EinsumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EinsumOp op,
                                PatternRewriter &rewriter) const override {
    Notation notation = op.getParsedNotation();
    for (auto [index, input] : llvm::enumerate(op.getInputs())) {
      auto producer = input.getDefiningOp<EinsumOp>();
      if (!producer || producer.getInputs().size() != 1 ||
          producer.getCombiner() != Combiner::None || !getForwarded(producer))
        continue;
      std::string labels = rename(producer, notation.operands[index]);
      Notation renamed = notation;
      renamed.operands[index] = labels;
      // A label that only the repeated operand had would lose its size.
      if (renamed.labels().size() != notation.labels().size())
        continue;
      if (producer->getParentOfType<FusedOp>() &&
          labels != producer.getParsedNotation().operands[0])
        continue;
      rewriter.modifyOpInPlace(op, [&, index = index] {
        op.getInputsMutable().slice(index, 1).assign(
            producer.getInputs().front());
        op.setNotation(renamed.str());
      });
      return success();
    }
    return failure();
  }

  /// The labels of the producer's operand, as `used` names those of its result.
  static std::string rename(EinsumOp producer, StringRef used) {
    Notation notation = producer.getParsedNotation();
    std::string labels;
    for (char label : notation.operands[0])
      labels.push_back(used[notation.results[0].find(label)]);
    return labels;
  }
};
} // namespace

void EinsumOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<AbsorbPermutation, DropUnusedOperand<EinsumOp>,
               InlineSplatOperand, MergeEqualOperands<EinsumOp>>(context);
}

//===----------------------------------------------------------------------===//
// FusedOp
//===----------------------------------------------------------------------===//

namespace {
/// Drops results that nothing uses, as long as one remains.
struct DropUnusedResult : OpRewritePattern<FusedOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FusedOp op,
                                PatternRewriter &rewriter) const override {
    Notation notation = op.getParsedNotation();
    auto yield = cast<YieldOp>(op.getBlock()->getTerminator());
    Notation kept = notation;
    kept.results.clear();
    SmallVector<Value> yielded, replaced;
    SmallVector<Type> types;
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
      if (result.use_empty())
        continue;
      kept.results.push_back(notation.results[i]);
      yielded.push_back(yield.getValues()[i]);
      types.push_back(result.getType());
      replaced.push_back(result);
    }
    if (yielded.empty() || yielded.size() == op.getNumResults())
      return failure();
    auto fused = FusedOp::create(rewriter, op.getLoc(), types, kept.str(),
                                 op.getParallel(), op.getInputs());
    rewriter.modifyOpInPlace(yield,
                             [&] { yield.getValuesMutable().assign(yielded); });
    rewriter.inlineRegionBefore(op.getBody(), fused.getBody(),
                                fused.getBody().end());
    for (auto [from, to] : llvm::zip_equal(replaced, fused.getResults()))
      rewriter.replaceAllUsesWith(from, to);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void FusedOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<DropUnusedOperand<FusedOp>, DropUnusedResult,
               MergeEqualOperands<FusedOp>>(context);
}
