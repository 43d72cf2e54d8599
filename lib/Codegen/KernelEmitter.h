//===- KernelEmitter.h - A function on tensors becomes loops on memory ----===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_KERNELEMITTER_H
#define TURNIP_LIB_CODEGEN_KERNELEMITTER_H

#include "Contraction.h"
#include "GenericEmitter.h"
#include "RowPlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace turnip::codegen {

/// What every buffer, also of temporaries, is aligned to, in bytes.
inline constexpr int64_t kAlignment = 64;

/// Fails, with a diagnostic, where `func` has arguments or results that no
/// kernel can have.
mlir::LogicalResult checkKernelSignature(mlir::func::FuncOp func);

/// True where the source of `op` may be written into the result before `op` is
/// reached: nothing in between overwrites it.
bool mayPlaceSource(mlir::tensor::InsertSliceOp op);

/// Writes a function with the kernel ABI next to `source`, which is left for
/// the caller to erase. Operations are linalg.generic, views, copies, constants
/// and scalar arithmetic.
class KernelEmitter {
public:
  KernelEmitter(mlir::func::FuncOp source, const KernelTarget &target);

  mlir::LogicalResult emit();

  int64_t gridSize = 1;
  int64_t workspaceBytes = 0;
  llvm::SmallVector<std::pair<int64_t, int64_t>> inplace;

private:
  using Values = llvm::SmallVector<mlir::Value>;

  void createFunction();
  void loadArguments();
  void assignResults();
  void assignParts(mlir::Operation *op);
  View insertedPart(mlir::tensor::InsertSliceOp op, const View &whole);
  View concatenatedPart(mlir::tensor::ConcatOp op, const View &whole,
                        unsigned index);
  mlir::LogicalResult emitBody();
  mlir::LogicalResult emitRows();
  int64_t estimateScratch();
  mlir::LogicalResult emitSingle(mlir::linalg::GenericOp op);
  mlir::LogicalResult emitOp(mlir::Operation *op);
  mlir::LogicalResult emitGeneric(mlir::linalg::GenericOp op, bool alone);
  mlir::LogicalResult emitContraction(mlir::linalg::GenericOp op,
                                      const Contraction &contraction,
                                      bool alone);
  Operand operandOf(mlir::Value value);
  Operand initOf(mlir::Value init);
  mlir::LogicalResult emitConstant(mlir::Operation *op);
  mlir::LogicalResult emitInsertSlice(mlir::tensor::InsertSliceOp op);
  mlir::LogicalResult emitConcat(mlir::tensor::ConcatOp op);
  mlir::LogicalResult emitElements(mlir::Operation *op);
  mlir::LogicalResult emitScalarOp(mlir::Operation *op);
  mlir::LogicalResult emitReturn(mlir::func::ReturnOp op);

  View viewOf(mlir::Value tensor);
  View makeView(mlir::Value tensor);
  View reshape(const View &view, llvm::ArrayRef<int64_t> shape);
  View sliceView(const View &view, llvm::ArrayRef<mlir::OpFoldResult> offsets,
                 llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides,
                 const llvm::SmallBitVector &dropped);
  View allocate(mlir::Value tensor);
  View destination(mlir::Value tensor);
  mlir::Value scalarOf(mlir::Value value);
  mlir::LogicalResult copy(const View &from, const View &to);
  Range rangeOf(mlir::Operation *op, int64_t dim, int64_t size);

  void finishScratch();
  void findInplacePairs();
  bool mayShare(mlir::BlockArgument argument, mlir::Value result);

  mlir::func::FuncOp source;
  mlir::OpBuilder builder;
  const KernelTarget &target;
  LaneBuilder l;
  RowPlan plan;
  mlir::func::FuncOp kernel;
  mlir::Value gridIndex;
  llvm::DenseMap<mlir::Value, View> views;
  llvm::DenseMap<mlir::Value, View> destinations;
  /// Insertions whose source is written straight into the result.
  llvm::DenseSet<mlir::Operation *> placedSources;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  llvm::SmallVector<View> resultViews;
  llvm::SmallVector<Range> rowRanges;
  /// Scratch memory of one grid point: on the stack where small.
  mlir::Operation *scratchMarker = nullptr;
  int64_t scratchBytes = 0;
  /// The one compute operation of the kernel, if it has no more.
  mlir::Operation *single = nullptr;
  bool singleIsElementwise = false;
  int64_t globals = 0;
};

} // namespace turnip::codegen

#endif // TURNIP_LIB_CODEGEN_KERNELEMITTER_H
