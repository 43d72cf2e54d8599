//===- KernelSteps.h - A kernel becomes launches on a device --------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_GPU_KERNELSTEPS_H
#define TURNIP_LIB_CODEGEN_GPU_KERNELSTEPS_H

#include "DeviceFunction.h"
#include "RowStep.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

namespace turnip::codegen::gpu {

/// True for operations whose result is part of their operand.
bool isView(mlir::Operation *op);

/// Splits a normalised kernel into steps, each one launch, and writes their
/// device functions next to `source`, which is left for the caller to erase.
/// What lies between steps has a place in the call's workspace, shared by
/// values that are not needed at the same time.
class KernelSteps {
public:
  KernelSteps(mlir::func::FuncOp source, const KernelTarget &target);

  mlir::LogicalResult emit();

  std::vector<KernelLaunch> launches;
  int64_t workspaceBytes = 0;
  llvm::SmallVector<std::pair<int64_t, int64_t>> inplace;

  //===--------------------------------------------------------------------===//
  // For the steps
  //===--------------------------------------------------------------------===//

  /// Where a tensor of the kernel lies. Copies it first where a reshape needs
  /// that.
  Place placeOf(mlir::Value tensor);
  /// Where the result of an operation is to be written.
  Place destination(mlir::Value tensor);
  /// Memory in the workspace for the step that is being emitted.
  int64_t allocateTemporary(int64_t bytes);
  /// The buffer of the workspace in the order of the calling convention.
  int64_t workspaceBuffer() const { return numBuffers; }
  /// Begins a device function with a name of its own.
  DeviceFunction beginFunction();
  /// Fills in the operands of `op`.
  void prepareGeneric(DeviceFunction &function, DeviceGeneric &generic,
                      mlir::linalg::GenericOp op);
  /// Ends the function and appends its launch.
  mlir::LogicalResult finishStep(DeviceFunction &function);

private:
  void assignArguments();
  void assignResults();
  void assignParts(mlir::Operation *op);
  Place insertedPart(mlir::tensor::InsertSliceOp op, const Place &whole);
  Place concatenatedPart(mlir::tensor::ConcatOp op, const Place &whole,
                         unsigned index);
  Place allocate(mlir::Value tensor);
  Place makePlace(mlir::Value tensor);
  Place slicePlace(const Place &place,
                   llvm::ArrayRef<mlir::OpFoldResult> offsets,
                   llvm::ArrayRef<int64_t> sizes,
                   llvm::ArrayRef<int64_t> strides,
                   const llvm::SmallBitVector &dropped);
  void releaseAfter(mlir::Operation *op);

  mlir::LogicalResult emitOp(mlir::Operation *op);
  mlir::FailureOr<bool> emitProduct(mlir::linalg::GenericOp op);
  mlir::LogicalResult flushGroup();
  mlir::LogicalResult emitRows(const RowGroup &group, bool &done);
  mlir::LogicalResult emitGeneric(mlir::linalg::GenericOp op);
  mlir::LogicalResult emitConstant(mlir::Operation *op);
  mlir::LogicalResult emitInsertSlice(mlir::tensor::InsertSliceOp op);
  mlir::LogicalResult emitConcat(mlir::tensor::ConcatOp op);
  mlir::LogicalResult emitElements(mlir::Operation *op);
  mlir::LogicalResult emitReturn(mlir::func::ReturnOp op);
  mlir::LogicalResult copy(const Place &from, const Place &to);
  Operand operandOf(DeviceFunction &function, mlir::Value value);
  Operand initOf(DeviceFunction &function, mlir::Value init);
  void findInplacePairs();
  bool mayShare(mlir::BlockArgument argument, mlir::Value result);

  mlir::func::FuncOp source;
  const KernelTarget &target;
  int64_t numBuffers = 0;
  llvm::DenseMap<mlir::Value, Place> places, destinations;
  llvm::SmallVector<Place> resultPlaces;
  /// Insertions whose source is written straight into the result.
  llvm::DenseSet<mlir::Operation *> placedSources;
  /// Operations that wait to become one step.
  llvm::SmallVector<mlir::linalg::GenericOp> pending;
  std::optional<RowGroup> pendingGroup;
  bool overwritesPending(mlir::linalg::GenericOp op);
  bool accessSameElements(mlir::linalg::GenericOp reader, mlir::AffineMap read,
                          mlir::linalg::GenericOp writer,
                          mlir::AffineMap written);
  /// The step that each generic became part of, with the inputs that pass
  /// through shared memory; for operations that ran row by row, what each loop
  /// is.
  llvm::DenseMap<mlir::Operation *, int64_t> stepOf;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned>> stagedInputs;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t>> roles;
  llvm::DenseSet<mlir::Operation *> elementwise;
  /// What an earlier step has done already.
  llvm::DenseSet<mlir::Operation *> absorbed;

  /// Parts of the workspace: offset -> bytes that are free, and what is in use
  /// for a value and whatever is a view of it.
  struct Block {
    int64_t offset, bytes;
    mlir::Operation *lastUse;
  };
  llvm::SmallVector<Block> inUse;
  llvm::DenseMap<mlir::Operation *, unsigned> positions;
  mlir::Operation *lastUseOf(mlir::Value tensor);
};

} // namespace turnip::codegen::gpu

#endif // TURNIP_LIB_CODEGEN_GPU_KERNELSTEPS_H
