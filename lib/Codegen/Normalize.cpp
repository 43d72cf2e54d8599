//===- Normalize.cpp - The form of a kernel that loops are emitted from ---===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Normalize.h"
#include "Contraction.h"
#include "MathExpansion.h"
#include "RowPlan.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace turnip::codegen {

static int64_t volume(linalg::LinalgOp op) {
  int64_t n = 1;
  for (int64_t size : op.getStaticLoopRanges())
    n *= size;
  return n;
}

/// Fuse where nothing is computed twice: one use, or hardly any work, and not
/// into a contraction, whose form must stay recognisable.
static bool shouldFuse(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !consumer)
    return false;
  if (matchContraction(consumer))
    return false;
  if (getFillScalar(operand->get()))
    return true;
  if (!operand->get().hasOneUse())
    return false;
  bool heavy = false;
  for (Operation &inner : producer.getBody()->without_terminator())
    heavy |= isTranscendental(&inner) || isa<tensor::ExtractOp>(inner);
  return !heavy || volume(producer) >= volume(consumer);
}

LogicalResult normalizeKernel(ModuleOp module) {
  MLIRContext *context = module.getContext();
  {
    RewritePatternSet patterns(context);
    linalg::populateLinalgNamedOpsGeneralizationPatterns(patterns);
    linalg::populateDecomposePadPatterns(patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    if (failed(applyPatternsGreedily(module, std::move(patterns))))
      return failure();
  }
  IRRewriter rewriter(context);
  SmallVector<tensor::GenerateOp> generates;
  module.walk([&](tensor::GenerateOp op) { generates.push_back(op); });
  for (tensor::GenerateOp op : generates) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::rewriteInDestinationPassingStyle(rewriter, op)))
      return op.emitOpError("cannot be rewritten as a generic");
  }
  {
    RewritePatternSet patterns(context);
    linalg::populateElementwiseOpsFusionPatterns(patterns, shouldFuse);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns, context);
    tensor::CastOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    if (failed(applyPatternsGreedily(module, std::move(patterns))))
      return failure();
  }
  PassManager pm(context);
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  return pm.run(module);
}

} // namespace turnip::codegen
