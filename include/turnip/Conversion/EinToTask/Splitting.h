//===- Splitting.h - How an operation is cut into tasks ---------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_CONVERSION_EINTOTASK_SPLITTING_H
#define TURNIP_CONVERSION_EINTOTASK_SPLITTING_H

#include "mlir/IR/Operation.h"
#include "turnip/Dialect/Ein/IR/EinInterfaces.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <map>
#include <vector>

namespace turnip {

/// A rectangle of a tensor: first position and extent per dimension.
struct Box {
  llvm::SmallVector<int64_t, 4> offsets;
  llvm::SmallVector<int64_t, 4> sizes;

  bool operator==(const Box &other) const {
    return offsets == other.offsets && sizes == other.sizes;
  }
};

/// How a tensor is cut into tiles: the extent of a tile along each dimension.
/// The last tile of a dimension takes what is left.
using Tiling = llvm::SmallVector<int64_t, 4>;

/// How many tiles of extent \p tile cover \p size positions.
inline int64_t numTiles(int64_t size, int64_t tile) {
  return (size + tile - 1) / tile;
}

/// An operand or result of an operation, as the choice of a cut sees it.
struct TensorCut {
  /// The label of each dimension.
  llvm::SmallVector<unsigned, 4> labels;
  int64_t elementBytes = 0;
  /// The tiling that its producer chose. Empty for results, and for parameters
  /// and inputs, of which any box may be loaded.
  Tiling tiling;
  /// Whether it is computed by another task and so comes in tiles.
  bool isTiled = false;
  /// For results: the tilings that the operations that read it chose, where
  /// these are known already.
  llvm::SmallVector<Tiling, 1> wanted;
};

/// What matters about an operation when it is cut.
struct OpCut {
  llvm::SmallVector<ein::PartitionLabel> labels;
  std::vector<TensorCut> operands;
  std::vector<TensorCut> results;
};

/// What a cut costs.
struct SplitCost {
  /// Bytes of the largest task that it needs, tiles cut anew included.
  int64_t workingSet = 0;
  /// Bytes read and written by all tasks, with a fixed price per task.
  double bytes = 0;
  /// How many tasks there are, with those that cut tiles anew.
  double numTasks = 0;
};

/// A cut: the tile's extent along each label.
struct Split {
  llvm::SmallVector<int64_t> tileSizes;
  SplitCost cost;
};

/// Chooses cuts; operations of the same shape are looked up, not searched
/// again.
class Splitter {
public:
  /// \p tileBudget is the bytes that one task may touch, \p alignment what
  /// every tile's size is rounded up to.
  Splitter(int64_t tileBudget, int64_t alignment)
      : tileBudget(tileBudget), alignment(alignment) {}

  int64_t getTileBudget() const { return tileBudget; }

  /// The cheapest cut of \p op that fits the budget, or the one with the
  /// smallest working set if none does. Tiles of operands that were cut
  /// otherwise, and tiles of results that are wanted otherwise, cost what
  /// cutting them anew takes.
  Split choose(const OpCut &op);

  /// What cutting \p op at \p tileSizes costs.
  SplitCost evaluate(const OpCut &op, llvm::ArrayRef<int64_t> tileSizes) const;

  /// Whether \p cost is better than \p best: it fits and the other does not, or
  /// less is moved; if neither fits, the smaller working set.
  bool isBetter(const SplitCost &cost, const SplitCost &best) const;

private:
  int64_t tileBytes(const TensorCut &tensor,
                    llvm::ArrayRef<int64_t> tileSizes) const;
  void addRepartition(const OpCut &op, const TensorCut &tensor,
                      llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to,
                      SplitCost &cost) const;
  const std::vector<int64_t> &extentsOf(int64_t size);
  std::vector<int64_t> candidateExtents(const OpCut &op, unsigned label);
  Split search(const OpCut &op);

  int64_t tileBudget;
  int64_t alignment;
  std::map<std::vector<int64_t>, Split> known;
  /// Extents worth trying along labels of a size.
  std::map<int64_t, std::vector<int64_t>> extents;
};

} // namespace turnip

#endif // TURNIP_CONVERSION_EINTOTASK_SPLITTING_H
