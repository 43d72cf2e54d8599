//===- FunctionCuts.cpp - How the operations of a function are cut --------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionCuts.h"

#include "turnip/Dialect/Task/IR/Task.h"

using namespace mlir;
using namespace turnip;
using turnip::ein::LabelKind;
using turnip::ein::PartitionableOpInterface;

/// Sweeps after the first, backwards and forwards in turn: what one operation
/// wants has then reached all others of a layer.
static constexpr int kMaxSweeps = 4;

bool turnip::isSource(Value value, bool &isWhole) {
  isWhole = true;
  Operation *op = value.getDefiningOp();
  if (!op || isa<ein::ParameterOp>(op))
    return true;
  if (auto reshape = dyn_cast<ein::ReshapeOp>(op))
    return isSource(reshape.getSource(), isWhole) && isWhole;
  auto slice = dyn_cast<ein::SliceOp>(op);
  if (!slice || !isSource(slice.getSource(), isWhole))
    return false;
  isWhole &= slice.getResult().getType() == slice.getSource().getType();
  return llvm::all_of(slice.getStrides(),
                      [](int64_t stride) { return stride == 1; });
}

static Tiling tilingOf(const ChosenCut &cut, const TensorCut &tensor) {
  return llvm::map_to_vector<4>(
      tensor.labels, [&](unsigned label) { return cut.tileSizes[label]; });
}

/// Whether no label of \p tensor may be split.
static bool isUncuttable(const OpCut &cut, const TensorCut &tensor) {
  return llvm::all_of(tensor.labels, [&](unsigned label) {
    return cut.labels[label].kind == LabelKind::Whole;
  });
}

/// Runs \p op on the host when that moves fewer bytes: a source that cannot be
/// cut would have to be moved whole to a device, while the host needs only what
/// devices computed, and gives back the results. The host is also where a
/// source that exceeds the tile budget as it is does no harm to the smallest
/// cap. There such a source is read where it lies, so it takes no room in \p
/// cut.
void FunctionCuts::choosePlace(PartitionableOpInterface op,
                               ChosenCut &cut) const {
  int64_t toDevice = 0, toHost = 0;
  SmallVector<TensorCut *> inPlace;
  for (auto [operand, value] :
       llvm::zip_equal(cut.op.operands, op->getOperands())) {
    int64_t bytes =
        ein::getTensorBytes(cast<RankedTensorType>(value.getType()));
    if (!operand.isTiled && isUncuttable(cut.op, operand)) {
      toDevice += bytes;
      inPlace.push_back(&operand);
    }
    auto producer = numbers.find(value.getDefiningOp());
    if (operand.isTiled &&
        (producer == numbers.end() || !cuts[producer->second].onHost))
      toHost += bytes;
  }
  for (Type type : op->getResultTypes())
    toHost += ein::getTensorBytes(cast<RankedTensorType>(type));
  cut.onHost = toHost < toDevice || toDevice > splitter.getTileBudget();
  if (cut.onHost)
    for (TensorCut *operand : inPlace)
      operand->elementBytes = 0;
}

void FunctionCuts::add(PartitionableOpInterface op) {
  ChosenCut cut;
  cut.op.labels = op.getPartitionLabels();
  auto describe = [](Type type, ArrayRef<unsigned> labels) {
    TensorCut tensor;
    tensor.labels.assign(labels.begin(), labels.end());
    tensor.elementBytes =
        *task::elementBytes(cast<RankedTensorType>(type).getElementType());
    return tensor;
  };
  unsigned number = cuts.size();
  producers.emplace_back();
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    TensorCut tensor = describe(operand.getType(), op.getOperandLabels(index));
    bool isWhole;
    tensor.isTiled = !isSource(operand, isWhole);
    auto producer = numbers.find(operand.getDefiningOp());
    producers.back().push_back({-1, 0});
    if (tensor.isTiled && producer != numbers.end()) {
      unsigned result = cast<OpResult>(operand).getResultNumber();
      producers.back().back() = {static_cast<int>(producer->second), result};
      readers[producer->second][result].push_back({number, index});
    } else if (tensor.isTiled) {
      ArrayRef<int64_t> shape =
          cast<RankedTensorType>(operand.getType()).getShape();
      tensor.tiling.assign(shape.begin(), shape.end());
    }
    cut.op.operands.push_back(std::move(tensor));
  }
  for (auto [index, result] : llvm::enumerate(op->getResults()))
    cut.op.results.push_back(
        describe(result.getType(), op.getResultLabels(index)));
  choosePlace(op, cut);
  cuts.push_back(std::move(cut));
  readers.emplace_back(op->getNumResults());
  numbers[op] = number;
}

/// Sets the tilings that the operands of \p op, a description of an operation,
/// have at present.
void FunctionCuts::readTilings(unsigned number, OpCut &op) const {
  for (auto [operand, producer] :
       llvm::zip_equal(op.operands, producers[number]))
    if (producer.first >= 0) {
      const ChosenCut &other = cuts[producer.first];
      operand.tiling = tilingOf(other, other.op.results[producer.second]);
    }
}

/// Chooses the cut of one operation anew; returns whether it changed.
bool FunctionCuts::update(unsigned number, bool withReaders) {
  ChosenCut &cut = cuts[number];
  readTilings(number, cut.op);
  for (auto [result, uses] : llvm::zip_equal(cut.op.results, readers[number])) {
    result.wanted.clear();
    for (auto [reader, operand] : uses) {
      if (!withReaders)
        break;
      const ChosenCut &other = cuts[reader];
      Tiling tiling = tilingOf(other, other.op.operands[operand]);
      if (!llvm::is_contained(result.wanted, tiling))
        result.wanted.push_back(std::move(tiling));
    }
  }
  SmallVector<int64_t> before = cut.tileSizes;
  cut.tileSizes = splitter.choose(cut.op).tileSizes;
  return cut.tileSizes != before;
}

/// What one operation costs; tiles cut anew count where they are read.
SplitCost FunctionCuts::evaluate(unsigned number) const {
  OpCut op = cuts[number].op;
  readTilings(number, op);
  for (TensorCut &result : op.results)
    result.wanted.clear();
  return splitter.evaluate(op, cuts[number].tileSizes);
}

SplitCost FunctionCuts::total() const {
  SplitCost sum;
  for (unsigned number = 0; number < cuts.size(); ++number) {
    SplitCost cost = evaluate(number);
    sum.bytes += cost.bytes;
    sum.workingSet = std::max(sum.workingSet, cost.workingSet);
  }
  return sum;
}

void FunctionCuts::choose(Block &block) {
  for (Operation &op : block.without_terminator()) {
    auto partitionable = dyn_cast<PartitionableOpInterface>(&op);
    bool isWhole;
    if (partitionable && !isSource(op.getResult(0), isWhole))
      add(partitionable);
  }
  auto tileSizes = [&] {
    return llvm::map_to_vector(
        cuts, [](const ChosenCut &cut) { return cut.tileSizes; });
  };
  for (unsigned number = 0; number < cuts.size(); ++number)
    update(number, /*withReaders=*/false);
  SplitCost best = total();
  auto bestSizes = tileSizes();
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool changed = false;
    for (unsigned i = 0, end = cuts.size(); i < end; ++i)
      changed |= update(sweep % 2 == 0 ? end - 1 - i : i, /*withReaders=*/true);
    if (!changed)
      break;
    SplitCost cost = total();
    if (!splitter.isBetter(cost, best))
      continue;
    best = cost;
    bestSizes = tileSizes();
  }
  for (auto [cut, sizes] : llvm::zip_equal(cuts, bestSizes))
    cut.tileSizes = std::move(sizes);
}
