//===- RowPlan.cpp - Which dimensions a whole kernel runs over ------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowPlan.h"
#include "Contraction.h"
#include "ContractionEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace turnip::codegen {

Value getFillScalar(Value tensor) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return fill.getInputs().front();
  auto generic = tensor.getDefiningOp<linalg::GenericOp>();
  if (!generic || generic.getNumResults() != 1 ||
      generic.getNumReductionLoops() != 0)
    return nullptr;
  Value yielded = generic.getBody()->getTerminator()->getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(yielded)) {
    if (argument.getOwner() != generic.getBody())
      return yielded;
    OpOperand *operand = generic.getMatchingOpOperand(argument);
    return generic.isScalar(operand) && generic.isDpsInput(operand)
               ? operand->get()
               : Value();
  }
  return yielded.getParentBlock() == generic.getBody() ? Value() : yielded;
}

bool isComputeOp(Operation *op) {
  if (isa<linalg::LinalgOp>(op)) {
    // A fill that only starts accumulators needs no memory.
    Value result = op->getResult(0);
    if (op->getNumResults() != 1 || !getFillScalar(result))
      return true;
    return !llvm::all_of(result.getUses(), [](OpOperand &use) {
      auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
      return user && user.isDpsInit(&use);
    });
  }
  return isa<tensor::InsertSliceOp, tensor::ConcatOp, tensor::FromElementsOp,
             tensor::SplatOp>(op);
}

bool isIntermediate(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return false;
  if (isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
          tensor::CollapseShapeOp, tensor::CastOp, tensor::ReshapeOp>(op))
    return isIntermediate(op->getOperand(0));
  return !isa<arith::ConstantOp, tensor::EmptyOp>(op);
}

RowPlan::Node RowPlan::find(Node n) const {
  while (parents[n] != n)
    n = parents[n];
  return n;
}

RowPlan::Node RowPlan::node(const void *owner, int64_t dim) {
  auto [it, inserted] = nodes.try_emplace({owner, dim}, parents.size());
  if (inserted) {
    parents.push_back(it->second);
    sizes.push_back(0);
    bad.push_back(false);
  }
  return it->second;
}

int64_t RowPlan::classOf(const void *owner, int64_t dim) const {
  auto it = nodes.find({owner, dim});
  return it == nodes.end() ? -1 : int64_t(find(it->second));
}

void RowPlan::unify(Node a, Node b) {
  a = find(a);
  b = find(b);
  if (a == b)
    return;
  parents[b] = a;
  bad[a] = bad[a] || bad[b];
  sizes[a] = std::max(sizes[a], sizes[b]);
}

void RowPlan::markBad(Value tensor, int64_t dim) {
  bad[find(node(tensor.getAsOpaquePointer(), dim))] = true;
}

void RowPlan::visitGeneric(linalg::LinalgOp op) {
  SmallVector<int64_t> loopSizes = op.getStaticLoopRanges();
  for (auto [dim, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    Node n = node(op, dim);
    sizes[find(n)] = std::max(sizes[find(n)], loopSizes[dim]);
    if (iterator != utils::IteratorType::parallel)
      bad[find(n)] = true;
  }
  auto connect = [&](Value tensor, AffineMap map) {
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        unify(node(op, loop.getPosition()),
              node(tensor.getAsOpaquePointer(), dim));
      else if (isIntermediate(tensor))
        markBad(tensor, dim);
    }
  };
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()) &&
        !operand.get().getDefiningOp<tensor::EmptyOp>())
      connect(operand.get(), op.getMatchingIndexingMap(&operand));
  for (OpResult result : op->getResults()) {
    AffineMap map = op.getMatchingIndexingMap(
        op.getDpsInitOperand(result.getResultNumber()));
    connect(result, map);
    // A parallel loop that does not choose the element would make grid points
    // write the same one.
    for (unsigned dim = 0; dim < map.getNumDims(); ++dim)
      if (!map.isFunctionOfDim(dim))
        bad[find(node(op, dim))] = true;
  }
  op->walk([&](tensor::ExtractOp extract) {
    Value tensor = extract.getTensor();
    if (isIntermediate(tensor))
      for (int64_t dim = 0; dim < extract.getTensor().getType().getRank();
           ++dim)
        markBad(tensor, dim);
  });
}

void RowPlan::visitReshape(Value source, Value result,
                           ArrayRef<ReassociationIndices> groups,
                           bool expands) {
  bool consumed = llvm::any_of(result.getUsers(), [](Operation *user) {
    return !isa<func::ReturnOp>(user);
  });
  for (auto [outer, group] : llvm::enumerate(groups)) {
    Value few = expands ? source : result, many = expands ? result : source;
    if (group.size() == 1) {
      unify(node(few.getAsOpaquePointer(), outer),
            node(many.getAsOpaquePointer(), group.front()));
      continue;
    }
    if (!consumed || !isIntermediate(source))
      continue;
    markBad(few, outer);
    for (int64_t dim : group)
      markBad(many, dim);
  }
}

void RowPlan::visit(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return visitGeneric(linalgOp);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return visitReshape(expand.getSrc(), expand.getResult(),
                        expand.getReassociationIndices(), true);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return visitReshape(collapse.getSrc(), collapse.getResult(),
                        collapse.getReassociationIndices(), false);
  if (isa<tensor::EmptyOp, arith::ConstantOp>(op))
    return;
  // Slices, insertions and concatenations move indices: no rows through them.
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<RankedTensorType>(operand.getType()))
      if (isIntermediate(operand))
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          markBad(operand, dim);
  for (Value result : op->getResults())
    if (auto type = dyn_cast<RankedTensorType>(result.getType()))
      if (isIntermediate(result))
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          markBad(result, dim);
}

SmallVector<int64_t> RowPlan::classesOf(Operation *op) const {
  SmallVector<int64_t> classes;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    for (unsigned dim = 0; dim < linalgOp.getNumLoops(); ++dim)
      classes.push_back(classOf(op, dim));
  return classes;
}

/// A class that one operation or tensor meets twice has no single index there.
void RowPlan::markRepeated(func::FuncOp func) {
  auto check = [&](ArrayRef<int64_t> classes) {
    for (auto [i, c] : llvm::enumerate(classes))
      if (c >= 0 && llvm::is_contained(classes.drop_front(i + 1), c))
        bad[c] = true;
  };
  auto checkTensor = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return;
    SmallVector<int64_t> classes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      classes.push_back(classOf(value.getAsOpaquePointer(), dim));
    check(classes);
  };
  for (Value argument : func.getArguments())
    checkTensor(argument);
  for (Operation &op : func.front()) {
    check(classesOf(&op));
    for (Value result : op.getResults())
      checkTensor(result);
  }
}

static int64_t volume(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  int64_t n = 1;
  if (linalgOp)
    for (int64_t size : linalgOp.getStaticLoopRanges())
      n *= size;
  return n;
}

/// The class of the dimension that `op` will be vectorised along if that is a
/// parallel one, else -1.
static int64_t innermostResultLoop(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return -1;
  AffineMap map =
      linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0));
  for (AffineExpr expr : llvm::reverse(map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      if (linalgOp.getStaticLoopRanges()[dim.getPosition()] > 1)
        return dim.getPosition();
  return -1;
}

/// Chooses tiles for the common `classes` and drops those that the vectors
/// need for themselves.
void RowPlan::setTiles(ArrayRef<Operation *> ops,
                       SmallVectorImpl<int64_t> &classes) {
  // Small operations, such as one on a value per row, do without vectors.
  int64_t most = 0;
  for (Operation *op : ops)
    most = std::max(most, volume(op));
  DenseSet<int64_t> vectorClasses;
  for (Operation *op : ops) {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    if (linalgOp.getNumReductionLoops() != 0 || volume(op) * 2 < most)
      continue;
    int64_t dim = innermostResultLoop(op);
    if (dim >= 0)
      vectorClasses.insert(classOf(op, dim));
  }
  SmallVector<int64_t> plain;
  for (int64_t c : classes)
    if (!vectorClasses.contains(c))
      plain.push_back(c);
  bool onlyVectors = plain.empty();
  if (!onlyVectors)
    classes.assign(plain);
  DenseSet<int64_t> matrixRows, matrixColumns;
  for (Operation *op : ops)
    if (std::optional<Contraction> contraction = matchContraction(op)) {
      for (int64_t dim : contraction->m)
        matrixRows.insert(classOf(op, dim));
      for (int64_t dim : contraction->n)
        matrixColumns.insert(classOf(op, dim));
    }
  for (int64_t c : classes) {
    Row row;
    row.size = sizes[c];
    if (onlyVectors && c == classes.back())
      row.tile = 5 * ContractionEmitter::kColumnMultiple;
    else if (matrixColumns.contains(c))
      row.tile = ContractionEmitter::kColumnMultiple;
    else if (matrixRows.contains(c))
      row.tile = ContractionEmitter::kRowMultiple;
    row.tile = std::min(row.tile, row.size);
    rowIndex[c] = rows.size();
    rows.push_back(row);
  }
}

bool RowPlan::collectRows(ArrayRef<Operation *> ops) {
  Operation *largest = ops.front();
  for (Operation *op : ops)
    if (volume(op) > volume(largest))
      largest = op;
  SmallVector<int64_t> classes;
  for (int64_t c : classesOf(largest)) {
    if (c < 0 || bad[c] || sizes[c] <= 1)
      continue;
    if (llvm::all_of(ops, [&](Operation *op) {
          return llvm::is_contained(classesOf(op), c);
        }))
      classes.push_back(c);
  }
  if (classes.empty())
    return false;
  setTiles(ops, classes);
  return true;
}

/// True where the function returns a result of `op`, or a view of one.
static bool isReturned(Operation *op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    if (isa<func::ReturnOp>(user))
      return true;
    return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
               tensor::ExtractSliceOp, tensor::CastOp>(user) &&
           isReturned(user);
  });
}

void RowPlan::choose(func::FuncOp func) {
  SmallVector<Operation *> ops;
  for (Operation &op : func.front())
    if (isComputeOp(&op))
      ops.push_back(&op);
  if (ops.size() < 2)
    return;
  for (Operation *op : ops)
    if (!isa<linalg::LinalgOp>(op))
      return;
  if (collectRows(ops))
    return;
  // Small operations that feed all rows may run before them.
  int64_t most = 0;
  for (Operation *op : ops)
    most = std::max(most, volume(op));
  SmallVector<Operation *> large;
  DenseSet<Operation *> small;
  for (Operation *op : ops) {
    bool early = volume(op) * 8 <= most && !isReturned(op) &&
                 llvm::all_of(op->getOperands(), [&](Value operand) {
                   Operation *def = operand.getDefiningOp();
                   return !def || !isComputeOp(def) || small.contains(def);
                 });
    if (early)
      small.insert(op);
    else
      large.push_back(op);
  }
  if (small.empty() || large.empty() || !collectRows(large))
    return;
  for (Operation *op : small)
    for (int64_t c : classesOf(op))
      if (c >= 0 && rowIndex.contains(c)) {
        rows.clear();
        rowIndex.clear();
        return;
      }
  hoisted = std::move(small);
}

RowPlan::RowPlan(func::FuncOp func) {
  for (Operation &op : func.front().without_terminator())
    visit(&op);
  markRepeated(func);
  choose(func);
}

int64_t RowPlan::rowOf(Value tensor, int64_t dim) const {
  int64_t c = classOf(tensor.getAsOpaquePointer(), dim);
  auto it = rowIndex.find(c < 0 ? ~0u - 2 : Node(c));
  return it == rowIndex.end() ? -1 : it->second;
}

int64_t RowPlan::rowOfLoop(Operation *op, int64_t dim) const {
  int64_t c = classOf(op, dim);
  auto it = rowIndex.find(c < 0 ? ~0u - 2 : Node(c));
  return it == rowIndex.end() ? -1 : it->second;
}

} // namespace turnip::codegen
