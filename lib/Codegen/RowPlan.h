//===- RowPlan.h - Which dimensions a whole kernel runs over --------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A chain such as softmax is several operations that agree on some parallel
/// dimensions: its rows. Running all of them row by row keeps what lies between
/// them in cache, makes one pass over memory, and lets the grid cut the rows.
/// RowPlan finds the dimensions by unifying tensor and loop dimensions through
/// the indexing maps.
///
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_ROWPLAN_H
#define TURNIP_LIB_CODEGEN_ROWPLAN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace turnip::codegen {

/// True for operations that compute a tensor element by element or copy one:
/// everything but views, constants, fills of accumulators and scalars.
bool isComputeOp(mlir::Operation *op);

/// The scalar that `tensor` is filled with, if it is made by a fill.
mlir::Value getFillScalar(mlir::Value tensor);

class RowPlan {
public:
  /// One dimension that every operation of the kernel iterates over.
  struct Row {
    int64_t size = 1;
    /// Consecutive iterations that the operations run at once.
    int64_t tile = 1;
  };

  explicit RowPlan(mlir::func::FuncOp func);

  /// Outermost first; empty where the kernel has no common rows.
  llvm::SmallVector<Row> rows;
  /// Operations without any row dimension, which run before the rows.
  llvm::DenseSet<mlir::Operation *> hoisted;

  /// The row of dimension `dim` of `tensor`, or -1.
  int64_t rowOf(mlir::Value tensor, int64_t dim) const;
  /// The row of loop dimension `dim` of a linalg operation, or -1.
  int64_t rowOfLoop(mlir::Operation *op, int64_t dim) const;

private:
  using Node = unsigned;
  Node node(const void *owner, int64_t dim);
  int64_t classOf(const void *owner, int64_t dim) const;
  void unify(Node a, Node b);
  void visit(mlir::Operation *op);
  void visitGeneric(mlir::linalg::LinalgOp op);
  void visitReshape(mlir::Value source, mlir::Value result,
                    llvm::ArrayRef<mlir::ReassociationIndices> groups,
                    bool expands);
  void markBad(mlir::Value tensor, int64_t dim);
  void markRepeated(mlir::func::FuncOp func);
  void choose(mlir::func::FuncOp func);
  llvm::SmallVector<int64_t> classesOf(mlir::Operation *op) const;
  bool collectRows(llvm::ArrayRef<mlir::Operation *> ops);
  void setTiles(llvm::ArrayRef<mlir::Operation *> ops,
                llvm::SmallVectorImpl<int64_t> &classes);

  llvm::DenseMap<std::pair<const void *, int64_t>, Node> nodes;
  llvm::SmallVector<Node> parents;
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<bool> bad;
  llvm::DenseMap<Node, int64_t> rowIndex;
  Node find(Node n) const;
};

/// True for a tensor that some compute operation of the kernel makes, looking
/// through views.
bool isIntermediate(mlir::Value tensor);

} // namespace turnip::codegen

#endif // TURNIP_LIB_CODEGEN_ROWPLAN_H
