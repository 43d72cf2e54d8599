//===- AttentionMatch.cpp - Recognises attention --------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Contraction.h"
#include "../RowPlan.h"
#include "Attention.h"
#include "Matmul.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace turnip::codegen::gpu {

SmallVector<Operation *> Attention::operations() const {
  SmallVector<Operation *> all;
  for (linalg::GenericOp op :
       {scores, mask, maximum, exponential, total, quotient, mix, rounding})
    if (op)
      all.push_back(op);
  return all;
}

namespace {
/// Follows the scores through the operations of a softmax.
class Matcher {
public:
  std::optional<Attention> run(linalg::GenericOp scores);

private:
  using Dims = SmallVector<int64_t>;

  bool matchScores(linalg::GenericOp op);
  bool matchMask();
  bool matchSoftmax();
  bool matchMix();
  std::optional<Dims> follow(linalg::GenericOp op);
  bool reducesKeys(linalg::GenericOp op, const Dims &loops, bool isFirst);

  Attention found;
  /// The dimension of the scores that each dimension of a tensor is.
  llvm::DenseMap<Value, Dims> dims;
};
} // namespace

/// The only readers of `value`, if there are `count` and all are generics.
static SmallVector<linalg::GenericOp> readers(Value value, unsigned count) {
  SmallVector<linalg::GenericOp> ops;
  for (OpOperand &use : value.getUses()) {
    auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!op || !op.isDpsInput(&use) || op.getNumResults() != 1 ||
        op->getBlock() != value.getParentBlock())
      return {};
    ops.push_back(op);
  }
  return ops.size() == count ? ops : SmallVector<linalg::GenericOp>();
}

static Value yieldOf(linalg::GenericOp op) {
  return op.getBody()->getTerminator()->getOperand(0);
}

/// Whether `value` is the element of operand `tensor`.
static bool isElementOf(linalg::GenericOp op, Value value, Value tensor) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == op.getBody() &&
         argument.getArgNumber() < op.getNumDpsInputs() &&
         op.getInputs()[argument.getArgNumber()] == tensor;
}

/// Whether `op` is a reduction of `tensor` alone with `CombinerOp`.
template <typename CombinerOp>
static bool reduces(linalg::GenericOp op, Value tensor) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1)
    return false;
  auto combiner = yieldOf(op).getDefiningOp<CombinerOp>();
  if (!combiner)
    return false;
  Value accumulator = op.getRegionOutputArgs().front();
  Value x = combiner.getLhs(), y = combiner.getRhs();
  return (isElementOf(op, x, tensor) && y == accumulator) ||
         (isElementOf(op, y, tensor) && x == accumulator);
}

/// Where each loop is a dimension of the scores, that dimension; results learn
/// theirs. Fails where operands disagree, or a loop is none.
std::optional<Matcher::Dims> Matcher::follow(linalg::GenericOp op) {
  Dims loops(op.getNumLoops(), -1);
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto known = dims.find(operand->get());
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (known == dims.end() || !map.isProjectedPermutation())
      return std::nullopt;
    for (auto [i, dim] : llvm::enumerate(known->second)) {
      int64_t &loop = loops[map.getDimPosition(i)];
      if (loop != -1 && loop != dim)
        return std::nullopt;
      loop = dim;
    }
  }
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (llvm::is_contained(loops, -1) || !map.isProjectedPermutation())
    return std::nullopt;
  Dims result;
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    result.push_back(loops[map.getDimPosition(i)]);
  dims[op.getResult(0)] = result;
  return loops;
}

/// The loops that `op` reduces are the keys.
bool Matcher::reducesKeys(linalg::GenericOp op, const Dims &loops,
                          bool isFirst) {
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool isReduced = iterator == utils::IteratorType::reduction;
    Attention::Dim &dim = found.scoreDims[loops[loop]];
    if (isFirst)
      dim.isKey = isReduced;
    else if (dim.isKey != isReduced)
      return false;
  }
  return true;
}

bool Matcher::matchScores(linalg::GenericOp op) {
  std::optional<Contraction> contraction = matchContraction(op);
  Value init =
      op->getNumResults() == 1 ? getFillScalar(op.getOutputs()[0]) : Value();
  if (!contraction || !contraction->isFloat || !init ||
      !matchPattern(init, m_AnyZeroFloat()))
    return false;
  found.scores = op;
  AffineMap map = op.getIndexingMapsArray()[2];
  Dims all;
  for (unsigned i = 0; i < map.getNumResults(); ++i) {
    Attention::Dim dim;
    dim.size = op.getStaticLoopRanges()[map.getDimPosition(i)];
    found.scoreDims.push_back(dim);
    all.push_back(i);
  }
  dims[op.getResult(0)] = all;
  return true;
}

/// A map of the scores alone, with positions.
bool Matcher::matchMask() {
  Value scores = found.scores.getResult(0);
  SmallVector<linalg::GenericOp> users = readers(scores, 1);
  if (users.empty())
    return true;
  linalg::GenericOp op = users.front();
  if (op.getNumReductionLoops() != 0 || op.getNumDpsInputs() != 1 ||
      !op.getRegionOutputArgs().front().use_empty())
    return false;
  for (Operation &inner : op.getBody()->without_terminator())
    if (isa<tensor::ExtractOp>(inner) || inner.getNumRegions() != 0)
      return false;
  std::optional<Dims> loops = follow(op);
  if (!loops || !getElementTypeOrSelf(op.getResult(0).getType()).isF32())
    return false;
  found.mask = op;
  found.maskLoops = *loops;
  return true;
}

bool Matcher::matchSoftmax() {
  Value x = found.mask ? found.mask.getResult(0) : found.scores.getResult(0);
  for (linalg::GenericOp op : readers(x, 2)) {
    Value yielded = yieldOf(op);
    if (reduces<arith::MaximumFOp>(op, x))
      found.maximum = op;
    else if (auto exp = yielded.getDefiningOp<math::ExpOp>();
             exp && op.getNumReductionLoops() == 0)
      found.exponential = op;
  }
  if (!found.maximum || !found.exponential)
    return false;
  Value largest = found.maximum.getResult(0);
  auto below = yieldOf(found.exponential)
                   .getDefiningOp<math::ExpOp>()
                   .getOperand()
                   .getDefiningOp<arith::SubFOp>();
  if (!below || !isElementOf(found.exponential, below.getLhs(), x) ||
      !isElementOf(found.exponential, below.getRhs(), largest) ||
      !largest.hasOneUse())
    return false;
  Value w = found.exponential.getResult(0);
  for (linalg::GenericOp op : readers(w, 2)) {
    if (reduces<arith::AddFOp>(op, w))
      found.total = op;
    else if (op.getNumReductionLoops() == 0)
      found.quotient = op;
  }
  if (!found.total || !found.quotient)
    return false;
  Value lowest = getFillScalar(found.maximum.getOutputs()[0]);
  Value zero = getFillScalar(found.total.getOutputs()[0]);
  if (!lowest || !zero || !matchPattern(lowest, m_NegInfFloat()) ||
      !matchPattern(zero, m_AnyZeroFloat()))
    return false;
  Value yielded = yieldOf(found.quotient), sum = found.total.getResult(0);
  if (auto trunc = yielded.getDefiningOp<arith::TruncFOp>())
    yielded = trunc.getIn();
  auto division = yielded.getDefiningOp<arith::DivFOp>();
  if (!division || !isElementOf(found.quotient, division.getLhs(), w) ||
      !isElementOf(found.quotient, division.getRhs(), sum) || !sum.hasOneUse())
    return false;
  std::optional<Dims> loops = follow(found.maximum);
  if (!loops || !reducesKeys(found.maximum, *loops, true) ||
      !follow(found.exponential))
    return false;
  loops = follow(found.total);
  return loops && reducesKeys(found.total, *loops, false) &&
         follow(found.quotient);
}

bool Matcher::matchMix() {
  Value weights = found.quotient.getResult(0);
  SmallVector<linalg::GenericOp> users = readers(weights, 1);
  if (users.empty())
    return false;
  linalg::GenericOp op = users.front();
  std::optional<Contraction> contraction = matchContraction(op);
  Value init = contraction ? getFillScalar(op.getOutputs()[0]) : Value();
  if (!init || !contraction->isFloat || !matchPattern(init, m_AnyZeroFloat()))
    return false;
  found.mix = op;
  unsigned side = op.getInputs()[0] == weights ? 0 : 1;
  found.values = op.getInputs()[1 - side];
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Dims loops(op.getNumLoops(), -1), ofValues(op.getNumLoops(), -1);
  for (auto [i, dim] : llvm::enumerate(dims[weights]))
    loops[maps[side].getDimPosition(i)] = dim;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool isReduced = iterator == utils::IteratorType::reduction;
    if (loops[loop] == -1 ? isReduced
                          : found.scoreDims[loops[loop]].isKey != isReduced)
      return false;
    if (loops[loop] != -1)
      continue;
    ofValues[loop] = found.valueDims.size();
    Attention::Dim dim;
    dim.size = op.getStaticLoopRanges()[loop];
    found.valueDims.push_back(dim);
  }
  auto dimOf = [&](AffineMap map, unsigned i) -> Attention::Dim & {
    int64_t loop = map.getDimPosition(i);
    return loops[loop] == -1 ? found.valueDims[ofValues[loop]]
                             : found.scoreDims[loops[loop]];
  };
  for (unsigned i = 0; i < maps[1 - side].getNumResults(); ++i)
    dimOf(maps[1 - side], i).values = i;
  for (unsigned i = 0; i < maps[2].getNumResults(); ++i)
    dimOf(maps[2], i).result = i;
  found.result = op.getResult(0);
  Type element = getElementTypeOrSelf(found.values.getType());
  if (!element.isF32())
    if (linalg::GenericOp rounding = findRounding(found.result, element)) {
      found.rounding = rounding;
      found.result = rounding.getResult(0);
    }
  return true;
}

/// Tells queries from keys, and where their dimensions are.
static bool assignOperands(Attention &found) {
  linalg::GenericOp op = found.scores;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  int64_t keysSide = -1;
  for (auto [i, dim] : llvm::enumerate(found.scoreDims)) {
    int64_t loop = maps[2].getDimPosition(i);
    bool inLhs = maps[0].isFunctionOfDim(loop);
    bool inRhs = maps[1].isFunctionOfDim(loop);
    if (!dim.isKey)
      continue;
    // Keys are in one operand only.
    if (inLhs == inRhs || (keysSide != -1 && keysSide != int64_t(inRhs)))
      return false;
    keysSide = inRhs;
  }
  if (keysSide == -1)
    return false;
  found.keys = op.getInputs()[keysSide];
  found.queries = op.getInputs()[1 - keysSide];
  auto place = [&](AffineMap map, int64_t loop) -> int64_t {
    for (unsigned i = 0; i < map.getNumResults(); ++i)
      if (map.getDimPosition(i) == loop)
        return i;
    return -1;
  };
  for (auto [i, dim] : llvm::enumerate(found.scoreDims)) {
    int64_t loop = maps[2].getDimPosition(i);
    dim.queries = place(maps[1 - keysSide], loop);
    dim.keys = place(maps[keysSide], loop);
  }
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (iterator != utils::IteratorType::reduction)
      continue;
    Attention::Dim dim;
    dim.size = op.getStaticLoopRanges()[loop];
    dim.queries = place(maps[1 - keysSide], loop);
    dim.keys = place(maps[keysSide], loop);
    found.headDims.push_back(dim);
  }
  return true;
}

std::optional<Attention> Matcher::run(linalg::GenericOp scores) {
  if (!matchScores(scores) || !matchMask() || !matchSoftmax() || !matchMix() ||
      !assignOperands(found))
    return std::nullopt;
  // The launch takes the place of the first product.
  Operation *made = found.values.getDefiningOp();
  if (made && made->getBlock() == scores->getBlock() &&
      !made->isBeforeInBlock(scores))
    return std::nullopt;
  return found;
}

std::optional<Attention> matchAttention(linalg::GenericOp scores) {
  return Matcher().run(scores);
}

DenseSet<Operation *> findAttentions(func::FuncOp func) {
  DenseSet<Operation *> found;
  func.walk([&](linalg::GenericOp op) {
    if (std::optional<Attention> attention = matchAttention(op))
      found.insert_range(attention->operations());
  });
  return found;
}

} // namespace turnip::codegen::gpu
