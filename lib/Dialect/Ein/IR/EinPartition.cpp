//===- EinPartition.cpp - The operations on tiles -------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "turnip/Dialect/Ein/IR/Ein.h"

using namespace mlir;
using namespace turnip::ein;

static RankedTensorType getTileType(Type type, ArrayRef<unsigned> labels,
                                    ArrayRef<int64_t> labelSizes) {
  return cast<RankedTensorType>(type).clone(getTileShape(labels, labelSizes));
}

/// The indices in `all` of each of `labels`.
static SmallVector<unsigned> findLabels(StringRef labels, StringRef all) {
  return llvm::map_to_vector(
      labels, [&](char label) { return unsigned(all.find(label)); });
}

/// Whether a body reads the position along a label.
static bool readsIndex(Region &body, char label) {
  return body
      .walk([&](IndexOp op) {
        return op.getLabel().front() == label ? WalkResult::interrupt()
                                              : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
/// A tile of the space that letters span.
struct LetterTile {
  StringRef letters;
  ArrayRef<int64_t> sizes;
  ArrayRef<Value> offsets;

  /// The size along a letter, `whole` if the tile does not know the letter.
  int64_t getSize(char letter, int64_t whole) const {
    size_t index = letters.find(letter);
    return index == StringRef::npos ? whole : sizes[index];
  }
  /// The offset along a letter, null for zero.
  Value getOffset(char letter) const {
    size_t index = letters.find(letter);
    return index == StringRef::npos ? Value() : offsets[index];
  }
};
} // namespace

/// Adds the tile's offset to every position that a body reads.
static void offsetIndices(Region &body, const LetterTile &tile) {
  SmallVector<IndexOp> indices;
  body.walk([&](IndexOp op) { indices.push_back(op); });
  for (IndexOp op : indices) {
    Value offset = tile.getOffset(op.getLabel().front());
    if (!offset)
      continue;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Value sum = arith::AddIOp::create(builder, op.getLoc(), op, offset);
    op.getResult().replaceAllUsesExcept(sum, sum.getDefiningOp());
  }
}

/// Creates an einsum on tiles of its operands.
static Value buildEinsumTile(OpBuilder &builder, Location loc, EinsumOp op,
                             ValueRange inputs, const LetterTile &tile) {
  std::string labels = op.getParsedNotation().results[0];
  RankedTensorType whole = op.getResult().getType();
  SmallVector<int64_t> shape;
  for (auto [label, size] : llvm::zip_equal(labels, whole.getShape()))
    shape.push_back(tile.getSize(label, size));
  OperationState state(loc, EinsumOp::getOperationName(), inputs,
                       whole.clone(shape), op->getAttrs());
  IRMapping mapping;
  op.getBody().cloneInto(state.addRegion(), mapping);
  auto clone = cast<EinsumOp>(builder.create(state));
  offsetIndices(clone.getBody(), tile);
  return clone.getResult();
}

//===----------------------------------------------------------------------===//
// EinsumOp
//===----------------------------------------------------------------------===//

SmallVector<PartitionLabel> EinsumOp::getPartitionLabels() {
  Notation notation = getParsedNotation();
  size_t kept = notation.results[0].size();
  // Parts of a sum that is rounded once cannot be results of tasks.
  LabelKind reduced = isRoundedOnce() ? LabelKind::Whole : LabelKind::Reduction;
  SmallVector<PartitionLabel> labels;
  for (auto [i, label] : llvm::enumerate(notation.labels()))
    labels.push_back({std::string(1, label), getLabelSize(label),
                      i < kept ? LabelKind::Parallel : reduced});
  return labels;
}

SmallVector<unsigned> EinsumOp::getOperandLabels(unsigned operand) {
  Notation notation = getParsedNotation();
  return findLabels(notation.operands[operand], notation.labels());
}

SmallVector<unsigned> EinsumOp::getResultLabels(unsigned result) {
  Notation notation = getParsedNotation();
  return findLabels(notation.results[result], notation.labels());
}

Combiner EinsumOp::getPartitionCombiner() { return getCombiner(); }

bool EinsumOp::needsOffset(unsigned label) {
  return readsIndex(getBody(), getParsedNotation().labels()[label]);
}

SmallVector<Value> EinsumOp::buildTile(OpBuilder &builder, Location loc,
                                       ValueRange operandTiles,
                                       ArrayRef<int64_t> labelSizes,
                                       ArrayRef<Value> labelOffsets) {
  std::string letters = getParsedNotation().labels();
  return {buildEinsumTile(builder, loc, *this, operandTiles,
                          {letters, labelSizes, labelOffsets})};
}

//===----------------------------------------------------------------------===//
// FusedOp
//===----------------------------------------------------------------------===//

SmallVector<PartitionLabel> FusedOp::getPartitionLabels() {
  Notation notation = getParsedNotation();
  llvm::DenseMap<char, int64_t> sizes;
  auto collect = [&](ArrayRef<std::string> parts, TypeRange types) {
    for (auto [labels, type] : llvm::zip_equal(parts, types))
      for (auto [label, size] :
           llvm::zip_equal(labels, cast<RankedTensorType>(type).getShape()))
        sizes[label] = size;
  };
  collect(notation.operands, getInputs().getTypes());
  collect(notation.results, getResultTypes());
  SmallVector<PartitionLabel> labels;
  for (char label : notation.labels())
    labels.push_back({std::string(1, label), sizes[label],
                      getParallel().contains(label) ? LabelKind::Parallel
                                                    : LabelKind::Whole});
  return labels;
}

SmallVector<unsigned> FusedOp::getOperandLabels(unsigned operand) {
  Notation notation = getParsedNotation();
  return findLabels(notation.operands[operand], notation.labels());
}

SmallVector<unsigned> FusedOp::getResultLabels(unsigned result) {
  Notation notation = getParsedNotation();
  return findLabels(notation.results[result], notation.labels());
}

Combiner FusedOp::getPartitionCombiner() { return Combiner::None; }

bool FusedOp::needsOffset(unsigned label) {
  return readsIndex(getBody(), getParsedNotation().labels()[label]);
}

SmallVector<Value> FusedOp::buildTile(OpBuilder &builder, Location loc,
                                      ValueRange operandTiles,
                                      ArrayRef<int64_t> labelSizes,
                                      ArrayRef<Value> labelOffsets) {
  std::string letters = getParsedNotation().labels();
  LetterTile tile{letters, labelSizes, labelOffsets};
  SmallVector<Type> types;
  for (auto [i, type] : llvm::enumerate(getResultTypes()))
    types.push_back(getTileType(type, getResultLabels(i), labelSizes));
  OperationState state(loc, getOperationName(), operandTiles, types,
                       (*this)->getAttrs());
  Region *region = state.addRegion();
  OpBuilder inner(builder.getContext());
  Block *block =
      inner.createBlock(region, region->end(), operandTiles.getTypes(),
                        SmallVector<Location>(operandTiles.size(), loc));
  IRMapping mapping;
  mapping.map(getBlock()->getArguments(), block->getArguments());
  auto lookup = [&](Value value) { return mapping.lookup(value); };
  for (EinsumOp einsum : getBlock()->getOps<EinsumOp>()) {
    SmallVector<Value> inputs = llvm::map_to_vector(einsum.getInputs(), lookup);
    mapping.map(einsum.getResult(),
                buildEinsumTile(inner, einsum.getLoc(), einsum, inputs, tile));
  }
  auto yield = cast<YieldOp>(getBlock()->getTerminator());
  YieldOp::create(inner, yield.getLoc(),
                  llvm::map_to_vector(yield.getValues(), lookup));
  return llvm::to_vector_of<Value>(builder.create(state)->getResults());
}

//===----------------------------------------------------------------------===//
// SliceOp
//===----------------------------------------------------------------------===//

/// Whether a slice takes a dimension as it is.
static bool takesWhole(SliceOp op, int64_t dim) {
  return op.getSizes()[dim] == op.getSource().getType().getDimSize(dim);
}

// A dimension that is cut has a label in the source and another in the result.
SmallVector<PartitionLabel> SliceOp::getPartitionLabels() {
  SmallVector<PartitionLabel> labels;
  int64_t rank = getSource().getType().getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    labels.push_back(
        {"d" + std::to_string(dim), getSizes()[dim],
         takesWhole(*this, dim) ? LabelKind::Parallel : LabelKind::Whole});
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!takesWhole(*this, dim))
      labels.push_back({"s" + std::to_string(dim),
                        getSource().getType().getDimSize(dim),
                        LabelKind::Whole});
  return labels;
}

SmallVector<unsigned> SliceOp::getOperandLabels(unsigned operand) {
  SmallVector<unsigned> labels;
  unsigned rank = getSource().getType().getRank(), next = rank;
  for (unsigned dim = 0; dim < rank; ++dim)
    labels.push_back(takesWhole(*this, dim) ? dim : next++);
  return labels;
}

SmallVector<unsigned> SliceOp::getResultLabels(unsigned result) {
  return llvm::to_vector(
      llvm::seq<unsigned>(0, getResult().getType().getRank()));
}

Combiner SliceOp::getPartitionCombiner() { return Combiner::None; }

bool SliceOp::needsOffset(unsigned label) { return false; }

SmallVector<Value> SliceOp::buildTile(OpBuilder &builder, Location loc,
                                      ValueRange operandTiles,
                                      ArrayRef<int64_t> labelSizes,
                                      ArrayRef<Value> labelOffsets) {
  RankedTensorType type =
      getTileType(getResult().getType(), getResultLabels(0), labelSizes);
  return {SliceOp::create(builder, loc, type, operandTiles[0], getOffsets(),
                          type.getShape(), getStrides())};
}

//===----------------------------------------------------------------------===//
// ConcatOp
//===----------------------------------------------------------------------===//

SmallVector<PartitionLabel> ConcatOp::getPartitionLabels() {
  SmallVector<PartitionLabel> labels;
  for (auto [dim, size] : llvm::enumerate(getResult().getType().getShape()))
    labels.push_back(
        {"d" + std::to_string(dim), size,
         dim == getDim() ? LabelKind::Whole : LabelKind::Parallel});
  for (auto [i, type] : llvm::enumerate(getInputs().getTypes()))
    labels.push_back({"p" + std::to_string(i),
                      cast<RankedTensorType>(type).getDimSize(getDim()),
                      LabelKind::Whole});
  return labels;
}

SmallVector<unsigned> ConcatOp::getOperandLabels(unsigned operand) {
  SmallVector<unsigned> labels = getResultLabels(0);
  labels[getDim()] = labels.size() + operand;
  return labels;
}

SmallVector<unsigned> ConcatOp::getResultLabels(unsigned result) {
  return llvm::to_vector(
      llvm::seq<unsigned>(0, getResult().getType().getRank()));
}

Combiner ConcatOp::getPartitionCombiner() { return Combiner::None; }

bool ConcatOp::needsOffset(unsigned label) { return false; }

SmallVector<Value> ConcatOp::buildTile(OpBuilder &builder, Location loc,
                                       ValueRange operandTiles,
                                       ArrayRef<int64_t> labelSizes,
                                       ArrayRef<Value> labelOffsets) {
  RankedTensorType type =
      getTileType(getResult().getType(), getResultLabels(0), labelSizes);
  return {ConcatOp::create(builder, loc, type, operandTiles, getDim())};
}

//===----------------------------------------------------------------------===//
// ReshapeOp
//===----------------------------------------------------------------------===//

/// Pairs of dimensions (source, result) that a reshape leaves as they are: the
/// dimensions before them have as many elements in the source as in the result.
static SmallVector<std::pair<unsigned, unsigned>> getKeptDims(ReshapeOp op) {
  ArrayRef<int64_t> source = op.getSource().getType().getShape();
  ArrayRef<int64_t> result = op.getResult().getType().getShape();
  SmallVector<std::pair<unsigned, unsigned>> kept;
  unsigned i = 0, j = 0;
  while (i < source.size() && j < result.size()) {
    if (source[i] == result[j]) {
      kept.push_back({i++, j++});
      continue;
    }
    int64_t left = source[i++], right = result[j++];
    while (left != right) {
      if (left < right)
        left *= source[i++];
      else
        right *= result[j++];
    }
  }
  return kept;
}

SmallVector<PartitionLabel> ReshapeOp::getPartitionLabels() {
  SmallVector<PartitionLabel> labels;
  for (auto [dim, size] : llvm::enumerate(getResult().getType().getShape()))
    labels.push_back({"d" + std::to_string(dim), size, LabelKind::Whole});
  for (auto [from, to] : getKeptDims(*this))
    labels[to].kind = LabelKind::Parallel;
  for (auto [dim, label] : llvm::enumerate(getOperandLabels(0)))
    if (label >= getResult().getType().getRank())
      labels.push_back({"s" + std::to_string(dim),
                        getSource().getType().getDimSize(dim),
                        LabelKind::Whole});
  return labels;
}

SmallVector<unsigned> ReshapeOp::getOperandLabels(unsigned operand) {
  unsigned next = getResult().getType().getRank();
  constexpr unsigned none = ~0u;
  SmallVector<unsigned> labels(getSource().getType().getRank(), none);
  for (auto [from, to] : getKeptDims(*this))
    labels[from] = to;
  for (unsigned &label : labels)
    if (label == none)
      label = next++;
  return labels;
}

SmallVector<unsigned> ReshapeOp::getResultLabels(unsigned result) {
  return llvm::to_vector(
      llvm::seq<unsigned>(0, getResult().getType().getRank()));
}

Combiner ReshapeOp::getPartitionCombiner() { return Combiner::None; }

bool ReshapeOp::needsOffset(unsigned label) { return false; }

SmallVector<Value> ReshapeOp::buildTile(OpBuilder &builder, Location loc,
                                        ValueRange operandTiles,
                                        ArrayRef<int64_t> labelSizes,
                                        ArrayRef<Value> labelOffsets) {
  RankedTensorType type =
      getTileType(getResult().getType(), getResultLabels(0), labelSizes);
  return {ReshapeOp::create(builder, loc, type, operandTiles[0])};
}

//===----------------------------------------------------------------------===//
// GatherOp
//===----------------------------------------------------------------------===//

// The table is needed whole: an index may name any row of it.
SmallVector<PartitionLabel> GatherOp::getPartitionLabels() {
  unsigned indexRank = getIndices().getType().getRank();
  SmallVector<PartitionLabel> labels;
  for (auto [dim, size] : llvm::enumerate(getResult().getType().getShape()))
    labels.push_back(
        {"d" + std::to_string(dim), size,
         dim < indexRank ? LabelKind::Parallel : LabelKind::Whole});
  labels.push_back(
      {"rows", getTable().getType().getDimSize(0), LabelKind::Whole});
  return labels;
}

SmallVector<unsigned> GatherOp::getOperandLabels(unsigned operand) {
  unsigned indexRank = getIndices().getType().getRank();
  unsigned rank = getResult().getType().getRank();
  if (operand == 1)
    return llvm::to_vector(llvm::seq<unsigned>(0, indexRank));
  SmallVector<unsigned> labels = {rank};
  llvm::append_range(labels, llvm::seq<unsigned>(indexRank, rank));
  return labels;
}

SmallVector<unsigned> GatherOp::getResultLabels(unsigned result) {
  return llvm::to_vector(
      llvm::seq<unsigned>(0, getResult().getType().getRank()));
}

Combiner GatherOp::getPartitionCombiner() { return Combiner::None; }

bool GatherOp::needsOffset(unsigned label) { return false; }

SmallVector<Value> GatherOp::buildTile(OpBuilder &builder, Location loc,
                                       ValueRange operandTiles,
                                       ArrayRef<int64_t> labelSizes,
                                       ArrayRef<Value> labelOffsets) {
  RankedTensorType type =
      getTileType(getResult().getType(), getResultLabels(0), labelSizes);
  return {
      GatherOp::create(builder, loc, type, operandTiles[0], operandTiles[1])};
}
