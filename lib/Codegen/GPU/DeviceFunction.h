//===- DeviceFunction.h - One function that a GPU runs --------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A device function is a func.func on pointers into global memory and i64
/// scalars, whose body is arith, math, scf, vector and llvm operations on one
/// thread's registers, and nvvm operations for what threads do together: thread
/// and block indices, barriers, shuffles. Shared memory is one array in address
/// space 3. NVPTX takes this as it is; for the stand-in, DeviceBackend replaces
/// the nvvm operations by calls.
///
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_GPU_DEVICEFUNCTION_H
#define TURNIP_LIB_CODEGEN_GPU_DEVICEFUNCTION_H

#include "../GenericEmitter.h"
#include "Place.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "turnip/Codegen/DeviceCompiler.h"

namespace turnip::codegen::gpu {

/// The address spaces of NVPTX.
inline constexpr unsigned kGlobalSpace = 1, kSharedSpace = 3;
/// The array that stands for a block's dynamic shared memory.
inline constexpr llvm::StringLiteral kSharedSymbol = "turnip_shared";

/// What a step's code is emitted into. Values that do not depend on the thread,
/// such as pointers and scalars, are made where the function begins.
class DeviceFunction {
public:
  using PlaceLookup = std::function<Place(mlir::Value)>;

  /// Begins function `name` in front of `before`. `source` is the function on
  /// tensors that is being compiled, `places` says where its tensors lie.
  DeviceFunction(mlir::func::FuncOp source, llvm::StringRef name,
                 const KernelTarget &target, PlaceLookup places);
  DeviceFunction(const DeviceFunction &) = delete;
  DeviceFunction &operator=(const DeviceFunction &) = delete;

  mlir::OpBuilder builder;
  LaneBuilder l;
  /// Grid and block are for the caller to set; the rest is filled in here.
  KernelLaunch launch;

  /// The tensor at `place` as a view.
  View view(const Place &place);
  /// The view of a tensor of the source function.
  View viewOf(mlir::Value tensor) { return view(places(tensor)); }
  /// A scalar of the source function. Null after an error.
  mlir::Value scalar(mlir::Value value);

  /// Index of the thread in its block, and of the block in the grid, as i32.
  mlir::Value thread();
  mlir::Value block();
  /// Asks for `total` threads in blocks of `threads`; returns this thread's
  /// index, an i32 where that is enough, otherwise an i64.
  mlir::Value linearThread(int64_t total, int64_t threads);
  /// Splits `index` (i32 or i64) by `sizes`, the last one fastest, into i64
  /// values.
  llvm::SmallVector<mlir::Value> delinearize(mlir::Value index,
                                             llvm::ArrayRef<int64_t> sizes);
  /// `value` as an i64.
  mlir::Value widen(mlir::Value value);
  mlir::Value constant(mlir::Type type, int64_t value);
  /// `a` < `b`, unsigned.
  mlir::Value less(mlir::Value a, int64_t b);
  /// Runs `body` where `condition` holds; a null condition always holds.
  void when(mlir::Value condition, llvm::function_ref<void()> body);

  /// Reserves `bytes` of shared memory; returns the offset.
  int64_t reserveShared(int64_t bytes);
  /// A pointer to shared memory at `offset`.
  mlir::Value shared(int64_t offset);
  void barrier();
  /// The register value (no vector) that lane `lane ^ mask` of the warp gave.
  mlir::Value shuffleXor(mlir::Value value, int64_t mask);

  /// Ends the function; fails after an error was reported.
  mlir::LogicalResult finish();
  /// Erases the function, which must not be used any more.
  void discard();

private:
  mlir::Value pointer(const Place &place);
  mlir::Value constantPointer(mlir::DenseElementsAttr elements);
  mlir::Value scalarArgument(mlir::BlockArgument argument);

  mlir::func::FuncOp source, func;
  PlaceLookup places;
  /// Where values for the whole function are made.
  mlir::Operation *prologueEnd = nullptr;
  llvm::DenseMap<std::pair<int64_t, int64_t>, mlir::Value> pointers;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  mlir::Value threadIndex, blockIndex, sharedBase;
  bool broken = false;
};

} // namespace turnip::codegen::gpu

#endif // TURNIP_LIB_CODEGEN_GPU_DEVICEFUNCTION_H
