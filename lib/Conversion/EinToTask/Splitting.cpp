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

#include <numeric>
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

/// Multiplies, up to a number of bytes that no memory has.
static void scale(int64_t &bytes, int64_t factor) {
  constexpr uint64_t limit = uint64_t(1) << 56;
  bytes = static_cast<int64_t>(
      std::min(limit, llvm::SaturatingMultiply<uint64_t>(bytes, factor)));
}

int64_t Splitter::tileBytes(const TensorCut &tensor,
                            llvm::ArrayRef<int64_t> tileSizes) const {
  int64_t bytes = tensor.elementBytes;
  for (unsigned label : tensor.labels)
    scale(bytes, tileSizes[label]);
  return static_cast<int64_t>(llvm::alignTo(bytes, alignment));
}

/// How many intervals two tilings of \p size positions cut it into together.
static double numIntervals(int64_t size, int64_t first, int64_t second) {
  int64_t step = second / std::gcd(first, second);
  int64_t common = first > (size - 1) / step ? 0 : (size - 1) / (first * step);
  return static_cast<double>(numTiles(size, first) + numTiles(size, second) -
                             1 - common);
}

/// Adds the tasks that cut the tiles of a tensor anew: every box is put
/// together by one task if its pieces fit the budget at once, else its pieces
/// are cut first, one task each.
void Splitter::addRepartition(const OpCut &op, const TensorCut &tensor,
                              llvm::ArrayRef<int64_t> from,
                              llvm::ArrayRef<int64_t> to,
                              SplitCost &cost) const {
  if (from == to)
    return;
  int64_t touched = tensor.elementBytes, tile = tensor.elementBytes;
  int64_t producerTile = tensor.elementBytes;
  double numBoxes = 1, numPieces = 1;
  for (auto [label, theirs, ours] : llvm::zip_equal(tensor.labels, from, to)) {
    int64_t size = op.labels[label].size;
    int64_t span = ours % theirs == 0 ? ours / theirs : ours / theirs + 2;
    scale(touched, span > size / theirs ? size : span * theirs);
    scale(producerTile, theirs);
    scale(tile, ours);
    numBoxes *= static_cast<double>(numTiles(size, ours));
    numPieces *= numIntervals(size, theirs, ours);
  }
  int64_t atOnce = touched + tile;
  int64_t inSteps =
      std::max(producerTile + std::min(producerTile, tile), 2 * tile);
  int64_t anew = llvm::alignTo(std::min(atOnce, inSteps), alignment);
  cost.workingSet = std::max(cost.workingSet, anew);
  bool isOneTask = numPieces <= numBoxes || atOnce <= tileBudget;
  double numTasks = isOneTask ? numBoxes : numBoxes + numPieces;
  cost.bytes +=
      kRepartitionFactor * wholeBytes(op, tensor) + kBytesPerTask * numTasks;
}

SplitCost Splitter::evaluate(const OpCut &op,
                             llvm::ArrayRef<int64_t> tileSizes) const {
  double numTasks = 1, numPartials = 1;
  for (auto [label, tile] : llvm::zip_equal(op.labels, tileSizes)) {
    auto tiles = static_cast<double>(numTiles(label.size, tile));
    numTasks *= tiles;
    if (label.kind == LabelKind::Reduction)
      numPartials *= tiles;
  }
  auto tilingOf = [&](const TensorCut &tensor) {
    return llvm::map_to_vector<6>(
        tensor.labels, [&](unsigned label) { return tileSizes[label]; });
  };
  // The repartitions of tensors are tasks of their own, so their working sets
  // compete with the task's own rather than adding to it.
  SplitCost cost;
  cost.bytes = kBytesPerTask * numTasks;
  cost.numTasks = numTasks;
  int64_t resultBytes = 0;
  for (const TensorCut &result : op.results) {
    resultBytes += tileBytes(result, tileSizes);
    cost.bytes += wholeBytes(op, result) * (1.0 + 3.0 * (numPartials - 1));
    for (const Tiling &wanted : result.wanted)
      addRepartition(op, result, tilingOf(result), wanted, cost);
  }
  int64_t ownSet = resultBytes;
  for (const TensorCut &operand : op.operands) {
    int64_t tile = tileBytes(operand, tileSizes);
    ownSet += tile;
    cost.bytes += static_cast<double>(tile) * numTasks;
    if (operand.isTiled)
      addRepartition(op, operand, operand.tiling, tilingOf(operand), cost);
  }
  cost.workingSet = std::max(cost.workingSet, ownSet);
  if (numPartials > 1)
    cost.workingSet = std::max(cost.workingSet, 3 * resultBytes);
  return cost;
}

bool Splitter::isBetter(const SplitCost &cost, const SplitCost &best) const {
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

/// The extent of about \p parts equal parts of \p size positions. A divisor
/// near \p parts is best: tiles of the same extent need one kernel, and tiles
/// of one operation nest in those of the next.
static int64_t extentOfParts(int64_t size, int64_t parts) {
  constexpr int64_t mostDivisors = 1 << 16;
  int64_t best = 0;
  auto isWhole = [](int64_t extent) {
    return extent < 2 * kVectorExtent || extent % kVectorExtent == 0;
  };
  if (parts <= mostDivisors)
    for (int64_t candidate = (3 * parts + 3) / 4;
         candidate <= std::min(size, parts + parts / 3); ++candidate)
      if (size % candidate == 0 && isWhole(size / candidate) &&
          (best == 0 || std::abs(candidate - parts) < std::abs(best - parts)))
        best = candidate;
  if (best != 0)
    return size / best;
  int64_t extent = numTiles(size, std::min(parts, size));
  if (extent >= 2 * kVectorExtent)
    extent = llvm::alignTo(extent, kVectorExtent);
  return std::min(extent, size);
}

/// The extents worth trying along a label of \p size positions: roughly every
/// number of parts within a factor of 1.5.
const std::vector<int64_t> &Splitter::extentsOf(int64_t size) {
  std::vector<int64_t> &result = extents[size];
  if (!result.empty())
    return result;
  std::set<int64_t, std::greater<>> found = {size};
  for (int64_t parts = 2; parts < 2 * size;
       parts += std::max<int64_t>(1, parts / 3))
    found.insert(extentOfParts(size, parts));
  result.assign(found.begin(), found.end());
  return result;
}

/// The extents to try along a label of \p op, largest first: those of its size,
/// and what the producers of operands and the readers of results chose.
std::vector<int64_t> Splitter::candidateExtents(const OpCut &op,
                                                unsigned label) {
  int64_t size = op.labels[label].size;
  if (op.labels[label].kind == LabelKind::Whole)
    return {size};
  const std::vector<int64_t> &own = extentsOf(size);
  std::set<int64_t, std::greater<>> all(own.begin(), own.end());
  auto add = [&](const TensorCut &tensor, llvm::ArrayRef<int64_t> tiling) {
    for (auto [other, extent] : llvm::zip_equal(tensor.labels, tiling))
      if (other == label)
        all.insert(extent);
  };
  for (const TensorCut &operand : op.operands)
    if (operand.isTiled)
      add(operand, operand.tiling);
  for (const TensorCut &result : op.results)
    for (const Tiling &wanted : result.wanted)
      add(result, wanted);
  return {all.begin(), all.end()};
}

/// Tries every pair of labels with every pair of extents, starting from the
/// best cut so far, until a round brings nothing. Two labels are enough almost
/// always; an operation on huge tensors takes another round.
Split Splitter::search(const OpCut &op) {
  constexpr int maxRounds = 4;
  unsigned numLabels = op.labels.size();
  Split best;
  std::vector<std::vector<int64_t>> candidates;
  for (unsigned label = 0; label < numLabels; ++label) {
    best.tileSizes.push_back(op.labels[label].size);
    candidates.push_back(candidateExtents(op, label));
  }
  best.cost = evaluate(op, best.tileSizes);
  bool improved = true;
  for (int round = 0; improved && round < maxRounds; ++round) {
    improved = false;
    llvm::SmallVector<int64_t> start = best.tileSizes;
    for (unsigned first = 0; first < numLabels; ++first)
      for (unsigned second = first; second < numLabels; ++second)
        for (int64_t firstExtent : candidates[first])
          for (int64_t secondExtent : candidates[second]) {
            llvm::SmallVector<int64_t> tileSizes = start;
            tileSizes[second] = secondExtent;
            tileSizes[first] = firstExtent;
            SplitCost cost = evaluate(op, tileSizes);
            if (isBetter(cost, best.cost)) {
              best.cost = cost;
              best.tileSizes = std::move(tileSizes);
              improved = true;
            }
            if (first == second)
              break;
          }
  }
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
    for (const Tiling &wanted : tensor.wanted) {
      key.push_back(-5);
      key.insert(key.end(), wanted.begin(), wanted.end());
    }
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
