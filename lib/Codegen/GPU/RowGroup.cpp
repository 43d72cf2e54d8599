//===- RowGroup.cpp - Which operations run row by row together ------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Contraction.h"
#include "../RowPlan.h"
#include "RowStep.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;

namespace turnip::codegen::gpu {

namespace {
/// Unifies the loops of operations and the dimensions of the tensors between
/// them.
class Unifier {
public:
  explicit Unifier(ArrayRef<linalg::GenericOp> ops) : ops(ops) {}

  /// Fails where an operation has no place in a group.
  LogicalResult run();
  /// The class of a loop, an arbitrary number.
  int64_t loopClass(linalg::GenericOp op, int64_t loop) {
    return find(node(op.getOperation(), loop));
  }

private:
  int64_t node(const void *owner, int64_t dim) {
    auto [it, inserted] = nodes.try_emplace({owner, dim}, parents.size());
    if (inserted)
      parents.push_back(it->second);
    return it->second;
  }
  int64_t find(int64_t n) const {
    while (parents[n] != n)
      n = parents[n];
    return n;
  }
  bool isInside(Value tensor) const {
    auto generic = tensor.getDefiningOp<linalg::GenericOp>();
    return generic && llvm::is_contained(ops, generic);
  }
  LogicalResult connect(linalg::GenericOp op, Value tensor, AffineMap map);

  ArrayRef<linalg::GenericOp> ops;
  llvm::DenseMap<std::pair<const void *, int64_t>, int64_t> nodes;
  SmallVector<int64_t> parents;
};
} // namespace

LogicalResult Unifier::connect(linalg::GenericOp op, Value tensor,
                               AffineMap map) {
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop) {
      // Constant zero in a dimension of one element.
      if (cast<RankedTensorType>(tensor.getType()).getDimSize(dim) == 1)
        continue;
      return failure();
    }
    int64_t a = find(node(op.getOperation(), loop.getPosition()));
    int64_t b = find(node(tensor.getAsOpaquePointer(), dim));
    parents[b] = a;
  }
  return success();
}

LogicalResult Unifier::run() {
  for (linalg::GenericOp op : ops) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isInside(operand.get()))
        continue;
      if (failed(
              connect(op, operand.get(), op.getMatchingIndexingMap(&operand))))
        return failure();
    }
    for (OpResult result : op->getResults()) {
      AffineMap map = op.getIndexingMapMatchingResult(result);
      if (!map.isProjectedPermutation(/*allowZeroInResults=*/true) ||
          failed(connect(op, result, map)))
        return failure();
      for (unsigned dim = 0; dim < map.getNumDims(); ++dim)
        if (op.getStaticLoopRanges()[dim] != 1 &&
            map.isFunctionOfDim(dim) != (op.getIteratorTypesArray()[dim] ==
                                         utils::IteratorType::parallel))
          return failure();
    }
    bool gathers = false;
    op.getBody()->walk([&](tensor::ExtractOp extract) {
      gathers |= isInside(extract.getTensor());
    });
    for (Operation &inner : op.getBody()->without_terminator())
      gathers |= inner.getNumRegions() != 0;
    if (gathers || matchContraction(op) ||
        (op.getNumReductionLoops() != 0 && findCombiners(op).empty()))
      return failure();
  }
  return success();
}

/// The class of the loop that the largest operation's result is contiguous
/// along: the column of a group without reductions.
static int64_t innermostClass(ArrayRef<linalg::GenericOp> ops,
                              Unifier &unifier) {
  int64_t best = 0, chosen = -1;
  for (linalg::GenericOp op : ops) {
    int64_t volume = 1;
    SmallVector<int64_t> sizes = op.getStaticLoopRanges();
    for (int64_t size : sizes)
      volume *= size;
    AffineMap map = op.getIndexingMapMatchingResult(op->getResult(0));
    for (AffineExpr expr : llvm::reverse(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop || sizes[loop.getPosition()] == 1)
        continue;
      if (volume > best) {
        best = volume;
        chosen = unifier.loopClass(op, loop.getPosition());
      }
      break;
    }
  }
  return chosen;
}

std::optional<RowGroup> RowGroup::match(ArrayRef<linalg::GenericOp> ops) {
  Unifier unifier(ops);
  if (failed(unifier.run()))
    return std::nullopt;
  // Rows: classes that every operation has as a parallel loop.
  llvm::DenseMap<int64_t, unsigned> counts;
  bool reduces = false;
  for (linalg::GenericOp op : ops) {
    llvm::DenseSet<int64_t> seen;
    for (auto [loop, size] : llvm::enumerate(op.getStaticLoopRanges())) {
      if (size == 1)
        continue;
      int64_t c = unifier.loopClass(op, loop);
      if (!seen.insert(c).second)
        return std::nullopt;
      if (op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel)
        ++counts[c];
      else
        reduces = true;
    }
  }
  int64_t column = reduces ? -1 : innermostClass(ops, unifier);
  RowGroup group;
  group.ops.assign(ops.begin(), ops.end());
  llvm::DenseMap<int64_t, int64_t> rowOf;
  for (linalg::GenericOp op : ops) {
    SmallVector<int64_t> roles;
    bool hasColumn = false;
    for (auto [loop, size] : llvm::enumerate(op.getStaticLoopRanges())) {
      int64_t c = unifier.loopClass(op, loop);
      if (size == 1) {
        roles.push_back(kUnit);
      } else if (c != column && counts.lookup(c) == ops.size()) {
        auto [it, inserted] = rowOf.try_emplace(c, group.rowSizes.size());
        if (inserted)
          group.rowSizes.push_back(size);
        roles.push_back(it->second);
      } else {
        if (hasColumn || (group.columns != 1 && group.columns != size))
          return std::nullopt;
        hasColumn = true;
        group.columns = size;
        roles.push_back(kColumn);
      }
    }
    group.roles.push_back(std::move(roles));
  }
  return group;
}

int64_t RowGroup::rows() const {
  int64_t n = 1;
  for (int64_t size : rowSizes)
    n *= size;
  return n;
}

int64_t RowGroup::columnLoop(unsigned op) const {
  auto it = llvm::find(roles[op], kColumn);
  return it == roles[op].end() ? -1 : it - roles[op].begin();
}

bool RowGroup::reducesColumn(unsigned op) const {
  int64_t loop = columnLoop(op);
  linalg::GenericOp generic = ops[op];
  return loop >= 0 && generic.getIteratorTypesArray()[loop] ==
                          utils::IteratorType::reduction;
}

/// About as many threads as keep a GPU busy.
static constexpr int64_t kEnoughThreads = int64_t(64) * 1024;

std::optional<RowShape> RowShape::choose(int64_t rows, int64_t columns,
                                         int64_t lanes) {
  RowShape shape;
  while (columns % lanes != 0)
    lanes /= 2;
  shape.lanes = lanes;
  int64_t chunks = columns / lanes;
  // Up to 16 elements per thread, so that a row has enough threads and its
  // values stay in registers; 32 where a block has no more threads.
  int64_t pieces = std::max<int64_t>(16 / lanes, 1);
  shape.threads = std::min<int64_t>(
      llvm::PowerOf2Ceil(llvm::divideCeil(chunks, pieces)), 1024);
  while (shape.threads < std::min<int64_t>(chunks, 1024) &&
         rows * shape.threads < kEnoughThreads)
    shape.threads *= 2;
  shape.pieces = llvm::divideCeil(chunks, shape.threads);
  if (shape.pieces * lanes > 16)
    return std::nullopt;
  return shape;
}

} // namespace turnip::codegen::gpu
