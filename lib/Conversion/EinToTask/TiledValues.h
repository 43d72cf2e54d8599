//===- TiledValues.h - Values of a function as tiles ------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CONVERSION_EINTOTASK_TILEDVALUES_H
#define TURNIP_LIB_CONVERSION_EINTOTASK_TILEDVALUES_H

#include "KernelTable.h"

#include <optional>
#include <variant>

namespace turnip {

/// A box of a parameter or input: it lies in host memory, and any box of it can
/// be loaded without a task.
struct SourceView {
  bool isParameter = false;
  mlir::StringAttr name;
  mlir::Type elementType;
  /// The shape under which boxes are cut.
  llvm::SmallVector<int64_t, 4> shape;
  /// The shape that the program declares.
  llvm::SmallVector<int64_t, 4> declaredShape;
  /// Where the value begins in `shape`, and its extents.
  Box box;
};

/// A computed tensor: tiles at a place, in row-major order of their grid.
struct TiledTensor {
  Tiling tiling;
  task::PlaceAttr place;
  llvm::SmallVector<mlir::Value> tiles;
};

/// Maps the values of one function to tiles of the graph being built, and cuts
/// tiles anew where a user wants others than the producer made.
class TiledValues {
public:
  /// Operations are created with \p builder. No task that cuts a tile anew
  /// touches more than \p tileBudget bytes if it can be avoided.
  TiledValues(mlir::OpBuilder &builder, KernelTable &kernels,
              int64_t tileBudget)
      : builder(builder), kernels(kernels), tileBudget(tileBudget) {}

  void setSource(mlir::Value value, SourceView view) {
    values[value] = std::move(view);
  }
  void setTiles(mlir::Value value, TiledTensor tensor) {
    values[value] = std::move(tensor);
  }

  /// The parameter or input that \p value is a view of, if it is one.
  const SourceView *getSource(mlir::Value value) const;
  /// The tiles of \p value, if it is computed.
  const TiledTensor *getTiles(mlir::Value value) const;

  /// A tile with \p box of \p value at \p place.
  mlir::Value fetch(mlir::Value value, const Box &box, task::PlaceAttr place,
                    mlir::Location loc);

  /// Calls \p kernel, counting the call.
  mlir::ValueRange call(task::KernelOp kernel, mlir::ValueRange operands,
                        llvm::ArrayRef<int64_t> scalars, task::PlaceAttr place,
                        mlir::Location loc);

  int64_t numTasks = 0;
  int64_t numRepartitions = 0;

private:
  using Key = std::vector<int64_t>;

  mlir::Value load(const SourceView &view, const Box &box,
                   task::PlaceAttr place, mlir::Location loc);
  mlir::Value transfer(mlir::Value tile, task::PlaceAttr place,
                       mlir::Location loc);
  mlir::Value assemble(mlir::RankedTensorType type, const TiledTensor &tensor,
                       const Box &box, mlir::Location loc);
  mlir::Value callAssemble(llvm::ArrayRef<Piece> pieces,
                           mlir::ValueRange sources,
                           llvm::ArrayRef<int64_t> gridSizes,
                           const TiledTensor &tensor, mlir::Location loc);
  mlir::Value joinPieces(llvm::SmallVector<Piece> pieces,
                         llvm::SmallVector<mlir::Value> sources,
                         llvm::ArrayRef<int64_t> gridSizes,
                         const TiledTensor &tensor, mlir::Location loc);

  mlir::OpBuilder &builder;
  KernelTable &kernels;
  int64_t tileBudget;
  llvm::DenseMap<mlir::Value, std::variant<SourceView, TiledTensor>> values;
  std::map<Key, mlir::Value> loaded;
  std::map<std::pair<void *, Key>, mlir::Value> assembled;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, mlir::Value> moved;
};

} // namespace turnip

#endif // TURNIP_LIB_CONVERSION_EINTOTASK_TILEDVALUES_H
