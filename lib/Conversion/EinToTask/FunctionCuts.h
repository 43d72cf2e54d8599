//===- FunctionCuts.h - How the operations of a function are cut -*- C++
//-*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CONVERSION_EINTOTASK_FUNCTIONCUTS_H
#define TURNIP_LIB_CONVERSION_EINTOTASK_FUNCTIONCUTS_H

#include "mlir/IR/Block.h"
#include "turnip/Conversion/EinToTask/Splitting.h"
#include "turnip/Dialect/Ein/IR/Ein.h"
#include "llvm/ADT/DenseMap.h"

namespace turnip {

/// How one operation is cut, and where it runs.
struct ChosenCut {
  OpCut op;
  llvm::SmallVector<int64_t> tileSizes;
  bool onHost = false;
};

/// Chooses the cuts of the operations of a block together. Operations are cut
/// one after the other, first in their order, each with what its producers
/// chose; then backwards, with what its readers chose as well, so that a
/// producer learns which tiles are wanted; then forwards again. What moves the
/// fewest bytes altogether is kept. Each sweep is linear in the block: equal
/// operations between equal neighbours are looked up.
class FunctionCuts {
public:
  explicit FunctionCuts(Splitter &splitter) : splitter(splitter) {}

  void choose(mlir::Block &block);

  /// Whether \p op says how it may be split and is no view.
  bool contains(mlir::Operation *op) const { return numbers.contains(op); }

  /// The cut of \p op, which says how it may be split and is no view.
  const ChosenCut &get(mlir::Operation *op) const {
    return cuts[numbers.lookup(op)];
  }

  /// About how many tasks \p op becomes, with those that cut its operands anew,
  /// which it may share with other operations.
  double countTasks(mlir::Operation *op) const {
    return evaluate(numbers.lookup(op)).numTasks;
  }

private:
  /// A use of a value: an operand of a numbered operation.
  using Use = std::pair<unsigned, unsigned>;

  void add(ein::PartitionableOpInterface op);
  void choosePlace(ein::PartitionableOpInterface op, ChosenCut &cut) const;
  bool update(unsigned number, bool withReaders);
  void readTilings(unsigned number, OpCut &op) const;
  SplitCost evaluate(unsigned number) const;
  SplitCost total() const;

  Splitter &splitter;
  std::vector<ChosenCut> cuts;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  /// Per operation: who makes each operand (-1: nobody), and who reads each
  /// result.
  std::vector<llvm::SmallVector<std::pair<int, unsigned>, 3>> producers;
  std::vector<llvm::SmallVector<llvm::SmallVector<Use, 2>, 1>> readers;
};

/// Whether \p value is a parameter or an input, or a view of one that needs no
/// task. \p isWhole tells whether it is all of it.
bool isSource(mlir::Value value, bool &isWhole);

} // namespace turnip

#endif // TURNIP_LIB_CONVERSION_EINTOTASK_FUNCTIONCUTS_H
