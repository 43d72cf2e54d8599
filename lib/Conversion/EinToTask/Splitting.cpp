//===- Splitting.cpp - How an operation is cut into tasks -----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Conversion/EinToTask/Splitting.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace turnip;
using turnip::ein::LabelKind;
using turnip::ein::PartitionLabel;

/// What one more task costs, in bytes moved: its dispatch and the short loops
/// of a small kernel.
static constexpr double kBytesPerTask = 32.0 * 1024;

/// Tiles cut anew are read and written, and their tasks delay the consumer.
static constexpr double kRepartitionFactor = 3.0;

/// Vector loops like whole vectors, so large extents are cut at multiples.
static constexpr int64_t kVectorExtent = 16;

static int64_t dimSize(const OpCut &op, const TensorCut &tensor, unsigned dim) {
  return op.labels[tensor.labels[dim]].size;
}

static double wholeBytes(const OpCut &op, const TensorCut &tensor) {
  double bytes = tensor.elementBytes;
  for (unsigned dim = 0; dim < tensor.labels.size(); ++dim)
    bytes *= static_cast<double>(dimSize(op, tensor, dim));
  return bytes;
}

int64_t Splitter::tileBytes(const TensorCut &tensor,
                            llvm::ArrayRef<int64_t> tileSizes) const {
  int64_t bytes = tensor.elementBytes;
  for (unsigned label : tensor.labels)
    bytes = llvm::SaturatingMultiply<uint64_t>(bytes, tileSizes[label]);
  return static_cast<int64_t>(llvm::alignTo(bytes, alignment));
}

/// Adds what one operand costs: its share of each task, and where its producer
/// was cut otherwise, the tasks that cut it anew.
void Splitter::addOperand(const OpCut &op, const TensorCut &operand,
                          llvm::ArrayRef<int64_t> tileSizes, int64_t numTasks,
                          Cost &cost) const {
  int64_t tile = tileBytes(operand, tileSizes);
  cost.workingSet += tile;
  cost.bytes += static_cast<double>(tile) * static_cast<double>(numTasks);
  if (!operand.isTiled)
    return;
  bool matches = true;
  int64_t touched = operand.elementBytes, producerTile = operand.elementBytes;
  for (auto [dim, label] : llvm::enumerate(operand.labels)) {
    int64_t size = op.labels[label].size;
    int64_t ours = tileSizes[label], theirs = operand.tiling[dim];
    matches &= ours == theirs;
    int64_t span = ours % theirs == 0 ? ours / theirs : ours / theirs + 2;
    touched *= std::min(span * theirs, size);
    producerTile *= theirs;
  }
  if (matches)
    return;
  cost.bytes += kRepartitionFactor * wholeBytes(op, operand) + kBytesPerTask;
  // Either one task cuts and joins, or one task per piece cuts and one joins.
  int64_t atOnce = touched + tile;
  int64_t inSteps =
      std::max(producerTile + std::min(producerTile, tile), 2 * tile);
  int64_t anew = llvm::alignTo(std::min(atOnce, inSteps), alignment);
  cost.workingSet = std::max(cost.workingSet, anew);
}

Splitter::Cost Splitter::evaluate(const OpCut &op,
                                  llvm::ArrayRef<int64_t> tileSizes) const {
  int64_t numTasks = 1, numPartials = 1;
  for (auto [label, tile] : llvm::zip_equal(op.labels, tileSizes)) {
    numTasks *= numTiles(label.size, tile);
    if (label.kind == LabelKind::Reduction)
      numPartials *= numTiles(label.size, tile);
  }
  Cost cost;
  cost.bytes = kBytesPerTask * static_cast<double>(numTasks);
  int64_t resultBytes = 0;
  for (const TensorCut &result : op.results) {
    resultBytes += tileBytes(result, tileSizes);
    cost.bytes += wholeBytes(op, result) *
                  (1.0 + 3.0 * static_cast<double>(numPartials - 1));
  }
  cost.workingSet = resultBytes;
  // The repartitions of operands are tasks of their own, so their working sets
  // compete with the task's own rather than adding to it.
  int64_t ownSet = resultBytes;
  for (const TensorCut &operand : op.operands) {
    Cost one;
    addOperand(op, operand, tileSizes, numTasks, one);
    cost.bytes += one.bytes;
    ownSet += tileBytes(operand, tileSizes);
    cost.workingSet = std::max(cost.workingSet, one.workingSet);
  }
  cost.workingSet = std::max(cost.workingSet, ownSet);
  if (numPartials > 1)
    cost.workingSet = std::max(cost.workingSet, 3 * resultBytes);
  return cost;
}

bool Splitter::isBetter(const Cost &cost, const Cost &best) const {
  bool fits = cost.workingSet <= tileBudget;
  bool bestFits = best.workingSet <= tileBudget;
  if (fits != bestFits)
    return fits;
  if (fits)
    return cost.bytes < best.bytes;
  if (cost.workingSet != best.workingSet)
    return cost.workingSet < best.workingSet;
  return cost.bytes < best.bytes;
}

/// The extents worth trying along a label, largest first: roughly every number
/// of parts within a factor of 1.5, and what the producers of operands chose.
static std::vector<int64_t> candidateExtents(const OpCut &op, unsigned label) {
  int64_t size = op.labels[label].size;
  std::set<int64_t, std::greater<>> extents = {size};
  if (op.labels[label].kind == LabelKind::Whole)
    return {size};
  for (int64_t parts = 2; parts < 2 * size;
       parts += std::max<int64_t>(1, parts / 3)) {
    int64_t extent = numTiles(size, std::min(parts, size));
    if (extent >= 2 * kVectorExtent)
      extent = llvm::alignTo(extent, kVectorExtent);
    extents.insert(std::min(extent, size));
  }
  for (const TensorCut &operand : op.operands)
    for (auto [dim, other] : llvm::enumerate(operand.labels))
      if (operand.isTiled && other == label)
        extents.insert(operand.tiling[dim]);
  return {extents.begin(), extents.end()};
}

/// Tries every pair of labels with every pair of extents, starting from the
/// best cut so far, until a round brings nothing or the cut fits. Two labels
/// are enough almost always; an operation on huge tensors takes another round.
Split Splitter::search(const OpCut &op) const {
  unsigned numLabels = op.labels.size();
  Split best;
  std::vector<std::vector<int64_t>> extents;
  for (unsigned label = 0; label < numLabels; ++label) {
    best.tileSizes.push_back(op.labels[label].size);
    extents.push_back(candidateExtents(op, label));
  }
  Cost bestCost = evaluate(op, best.tileSizes);
  for (bool improved = true; improved;) {
    improved = false;
    llvm::SmallVector<int64_t> start = best.tileSizes;
    for (unsigned first = 0; first < numLabels; ++first)
      for (unsigned second = first; second < numLabels; ++second)
        for (int64_t firstExtent : extents[first])
          for (int64_t secondExtent : extents[second]) {
            llvm::SmallVector<int64_t> tileSizes = start;
            tileSizes[second] = secondExtent;
            tileSizes[first] = firstExtent;
            Cost cost = evaluate(op, tileSizes);
            if (isBetter(cost, bestCost)) {
              bestCost = cost;
              best.tileSizes = std::move(tileSizes);
              improved = true;
            }
            if (first == second)
              break;
          }
    if (bestCost.workingSet <= tileBudget)
      break;
  }
  best.workingSet = bestCost.workingSet;
  return best;
}

/// Everything that the search looks at, as a flat key.
static std::vector<int64_t> makeKey(const OpCut &op) {
  std::vector<int64_t> key;
  for (const PartitionLabel &label : op.labels) {
    key.push_back(label.size);
    key.push_back(static_cast<int64_t>(label.kind));
  }
  auto addTensor = [&](const TensorCut &tensor) {
    key.push_back(-1);
    key.push_back(tensor.elementBytes);
    key.insert(key.end(), tensor.labels.begin(), tensor.labels.end());
    key.push_back(tensor.isTiled ? -2 : -3);
    key.insert(key.end(), tensor.tiling.begin(), tensor.tiling.end());
  };
  llvm::for_each(op.operands, addTensor);
  key.push_back(-4);
  llvm::for_each(op.results, addTensor);
  return key;
}

Split Splitter::choose(const OpCut &op) {
  std::vector<int64_t> key = makeKey(op);
  auto found = known.find(key);
  if (found != known.end())
    return found->second;
  return known.emplace(std::move(key), search(op)).first->second;
}
