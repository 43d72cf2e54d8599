//===- TileNumbering.h - The tiles of a graph by number ------- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The planner and the artifact know tiles and tasks by number; this says which.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_TASK_IR_TILENUMBERING_H
#define TURNIP_DIALECT_TASK_IR_TILENUMBERING_H

#include "turnip/Dialect/Task/IR/Task.h"

namespace turnip::task {

/// Every range of a memory that kernels access starts at a multiple of this.
constexpr uint64_t memoryAlignment = 64;

/// Numbers a graph's tiles in the order of their definition, and its calls and
/// transfers in theirs. Parameters that are the same bytes at the same place
/// are one tile, and so are inputs that are the same slice.
class TileNumbering {
public:
  explicit TileNumbering(GraphOp graph);

  size_t getNumTiles() const { return definitions.size(); }
  uint32_t getTile(mlir::Value value) const { return tiles.lookup(value); }
  /// The first value that is \p tile.
  mlir::Value getDefinition(uint32_t tile) const { return definitions[tile]; }
  llvm::ArrayRef<mlir::Operation *> getTasks() const { return tasks; }
  /// The first tile that holds the value of each tile: a transfer's result
  /// holds that of its source.
  llvm::SmallVector<uint32_t> getValues() const;

private:
  void add(mlir::Value value);
  void add(mlir::Value value, mlir::Attribute key);

  llvm::DenseMap<mlir::Value, uint32_t> tiles;
  llvm::DenseMap<mlir::Attribute, uint32_t> known;
  llvm::SmallVector<mlir::Value> definitions;
  llvm::SmallVector<mlir::Operation *> tasks;
};

} // namespace turnip::task

#endif // TURNIP_DIALECT_TASK_IR_TILENUMBERING_H
