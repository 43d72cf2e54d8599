//===- KernelTable.h - Kernels, each defined once ---------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CONVERSION_EINTOTASK_KERNELTABLE_H
#define TURNIP_LIB_CONVERSION_EINTOTASK_KERNELTABLE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "turnip/Conversion/EinToTask/Splitting.h"
#include "turnip/Dialect/Ein/IR/Ein.h"
#include "turnip/Dialect/Task/IR/Task.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <map>
#include <string>

namespace turnip {

/// One piece of a tile that is put together: a box of a source tile.
struct Piece {
  /// Shape of the source tile.
  llvm::SmallVector<int64_t, 4> sourceShape;
  /// The part of it that is taken.
  Box box;

  /// Where the part begins in the dimensions in which it is not all there is.
  llvm::SmallVector<int64_t, 4> positions() const {
    llvm::SmallVector<int64_t, 4> result;
    for (unsigned dim = 0; dim < sourceShape.size(); ++dim)
      if (box.sizes[dim] < sourceShape[dim])
        result.push_back(box.offsets[dim]);
    return result;
  }
};

/// The kernels of a module. Operations that are equal but for their operands
/// and locations share kernels, and so do equal tiles of one operation.
class KernelTable {
public:
  explicit KernelTable(mlir::ModuleOp module)
      : module(module), symbols(module) {}

  /// The kernel that runs \p op on tiles of \p tileSizes. For each label with a
  /// set bit in \p scalars it takes the tile's offset as a trailing argument.
  task::KernelOp getTile(ein::PartitionableOpInterface op,
                         llvm::ArrayRef<int64_t> tileSizes,
                         llvm::ArrayRef<bool> scalars);

  /// The kernel that runs \p op on whole tensors.
  task::KernelOp getWhole(mlir::Operation *op);

  /// The kernel that joins two partial results of \p type.
  task::KernelOp getCombine(mlir::Location loc, ein::Combiner combiner,
                            mlir::RankedTensorType type);

  /// The kernel that takes \p pieces, which form a grid of \p gridSizes in
  /// row-major order, and joins them into one tile. It has the positions() of
  /// one piece after the other as trailing arguments, so that pieces of equal
  /// shapes share it.
  task::KernelOp getAssemble(mlir::Location loc, mlir::Type elementType,
                             llvm::ArrayRef<Piece> pieces,
                             llvm::ArrayRef<int64_t> gridSizes);

  /// The kernel that copies a tile of \p type.
  task::KernelOp getCopy(mlir::Location loc, mlir::RankedTensorType type);

  unsigned size() const { return numKernels; }

private:
  using BodyBuilder = std::function<llvm::SmallVector<mlir::Value>(
      mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

  /// A number that equal operations share.
  unsigned intern(mlir::Operation *op);
  task::KernelOp create(mlir::Location loc, llvm::StringRef name,
                        mlir::TypeRange arguments, mlir::TypeRange results,
                        const BodyBuilder &buildBody);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  unsigned numKernels = 0;
  /// The kernel created last: the next one goes behind it.
  mlir::Operation *tail = nullptr;
  llvm::DenseMap<llvm::hash_code, llvm::SmallVector<unsigned, 1>> byHash;
  llvm::SmallVector<mlir::Operation *> representatives;
  std::map<std::vector<int64_t>, task::KernelOp> tiles;
  std::map<std::string, task::KernelOp> others;
};

} // namespace turnip

#endif // TURNIP_LIB_CONVERSION_EINTOTASK_KERNELTABLE_H
