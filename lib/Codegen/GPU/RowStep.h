//===- RowStep.h - Chains that threads run row by row ---------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A softmax or a normalisation is a chain of maps and reductions that agree on
/// some parallel dimensions, the rows, and have at most one more, the column.
/// On a GPU a group of threads takes a row, each thread some pieces of the
/// column: what lies between the operations stays in the threads' registers,
/// reductions meet through shuffles, and memory is passed over once.
///
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_GPU_ROWSTEP_H
#define TURNIP_LIB_CODEGEN_GPU_ROWSTEP_H

#include "DeviceGeneric.h"
#include <map>
#include <optional>

namespace turnip::codegen::gpu {

/// Operations that can run row by row in one launch.
struct RowGroup {
  static constexpr int64_t kColumn = -1, kUnit = -2;

  llvm::SmallVector<mlir::linalg::GenericOp> ops;
  llvm::SmallVector<int64_t> rowSizes;
  int64_t columns = 1;
  /// Per operation and loop: the row, kColumn or kUnit (a loop of one trip).
  llvm::SmallVector<llvm::SmallVector<int64_t>> roles;

  /// Fails where `ops`, in program order, do not have that form.
  static std::optional<RowGroup>
  match(llvm::ArrayRef<mlir::linalg::GenericOp> ops);

  int64_t rows() const;
  /// The loop of operation `op` that is the column, or -1.
  int64_t columnLoop(unsigned op) const;
  /// True where operation `op` joins the elements of the column.
  bool reducesColumn(unsigned op) const;
  bool contains(mlir::Operation *op) const {
    return llvm::is_contained(ops, op);
  }
};

/// The threads and registers of a row.
struct RowShape {
  /// Elements that are accessed at once, threads of a row, pieces of `lanes`
  /// elements that a thread holds.
  int64_t lanes = 1, threads = 1, pieces = 1;
  /// Fails where a row is longer than a block's registers hold. Few rows get
  /// more threads each than many.
  static std::optional<RowShape> choose(int64_t rows, int64_t columns,
                                        int64_t lanes);
};

/// Emits a group into one function. `inputsOf` fills in an operation's
/// operands: values of the group have neither a scalar nor a view. Results that
/// only the group reads have a view without memory.
class RowStep {
public:
  RowStep(DeviceFunction &function, const RowGroup &group)
      : f(function), group(group) {}

  /// One per operation, with inputs, inits and results filled in.
  std::vector<std::unique_ptr<DeviceGeneric>> generics;

  /// Decides how rows are spread over threads; nothing where they do not fit.
  std::optional<RowShape> shape();
  mlir::LogicalResult emit(const RowShape &shape);

private:
  /// A value of the group: one register (or vector) per piece of the column, or
  /// one for the row.
  struct Held {
    llvm::SmallVector<mlir::Value> pieces;
    bool perRow = false;
  };
  llvm::SmallVector<mlir::Value> positions(unsigned op, mlir::Value column);
  mlir::Value loadOnce(unsigned op, unsigned input, int64_t piece);
  DeviceGeneric::Preloaded held(unsigned op, int64_t piece);
  void emitMap(unsigned op);
  void emitReduction(unsigned op);
  void keep(unsigned op, llvm::ArrayRef<llvm::SmallVector<mlir::Value>> pieces,
            bool perRow);

  DeviceFunction &f;
  const RowGroup &group;
  RowShape form;
  llvm::SmallVector<mlir::Value> rowIvs;
  /// Column index of each piece's first element, and whether it exists (null:
  /// always).
  llvm::SmallVector<mlir::Value> columnIvs, exists;
  mlir::Value rowExists, isFirst;
  llvm::DenseMap<mlir::Value, Held> values;
  /// What was loaded: by tensor, what each of its dimensions is, and piece (-1
  /// for what a row has one of).
  std::map<std::tuple<const void *, std::vector<int64_t>, int64_t>, mlir::Value>
      loaded;
};

} // namespace turnip::codegen::gpu

#endif // TURNIP_LIB_CODEGEN_GPU_ROWSTEP_H
