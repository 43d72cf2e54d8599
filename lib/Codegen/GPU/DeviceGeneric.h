//===- DeviceGeneric.h - The threads of one linalg.generic ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_GPU_DEVICEGENERIC_H
#define TURNIP_LIB_CODEGEN_GPU_DEVICEGENERIC_H

#include "DeviceFunction.h"

namespace turnip::codegen::gpu {

/// Bytes that one thread reads or writes at once where it can.
inline constexpr int64_t kAccessBytes = 16;
inline constexpr int64_t kBlockThreads = 256;
inline constexpr int64_t kWarpThreads = 32;

/// The combiners of a generic's results; empty unless each is `combiner(acc,
/// f(inputs))` with one combiner that is known to be associative, so that
/// threads may accumulate apart.
llvm::SmallVector<mlir::Operation *> findCombiners(mlir::linalg::GenericOp op);

/// Gives the iterations of one generic to threads. The forms:
/// - map: a thread makes up to 16 bytes of neighbouring elements of the result;
/// - transposition: a block of 32 x 32 elements passes through shared memory;
/// - reduction: a group of threads per element of the result reads neighbouring
///   elements, or 32 threads neighbouring results and the others of a block
///   parts of the sum; partial results meet in a fixed tree;
/// - serial: a thread per element of the result, or one thread for all where
///   nothing is known about how results are written.
/// Which form, and the association of every reduction, follows from sizes and
/// layouts alone.
class DeviceGeneric : public GenericEmitter {
public:
  DeviceGeneric(DeviceFunction &function, mlir::linalg::GenericOp op);

  /// Emits the whole operation as the body of the function.
  mlir::LogicalResult emit();
  /// True, once emitted, where each thread reads the elements it writes before
  /// it writes them, and no other thread reads them. Inputs that pass through
  /// shared memory are exempt: see isStaged.
  bool isElementwise() const { return elementwise; }
  bool isStaged(unsigned input) const {
    return llvm::is_contained(staged, input);
  }

  //===--------------------------------------------------------------------===//
  // For steps of several operations
  //===--------------------------------------------------------------------===//

  /// Where a value of the step comes from instead of memory, by access: inputs,
  /// then inits.
  using Preloaded = llvm::DenseMap<unsigned, mlir::Value>;

  /// Reads the operation; `column` is the loop that vectors run along, or -1.
  void prepareForRows(int64_t column);
  /// How many elements along the column a thread may access at once.
  int64_t columnLanes();
  void setLanes(int64_t lanes);
  /// Input `input` at `ivs`; null where the payload does not read it or it has
  /// no memory.
  mlir::Value loadInput(unsigned input, llvm::ArrayRef<mlir::Value> ivs,
                        int64_t lanes);
  /// The payload's results at `ivs` (i64, one per loop), `lanes` of them (0 for
  /// one scalar). Accumulators are `accumulators`, or come from the inits
  /// where that is empty.
  Values evaluate(llvm::ArrayRef<mlir::Value> ivs, int64_t lanes,
                  const Preloaded &preloaded, Values accumulators);
  /// The inits at `ivs`, as scalars.
  Values initialValues(llvm::ArrayRef<mlir::Value> ivs,
                       const Preloaded &preloaded);
  /// Writes results to memory, those whose view exists.
  void store(llvm::ArrayRef<mlir::Value> ivs, int64_t lanes,
             llvm::ArrayRef<mlir::Value> values);
  Values neutralValues(llvm::ArrayRef<mlir::Operation *> combiners,
                       int64_t lanes);
  /// Combines the lanes, then the values of the `threads` (a power of two)
  /// threads around each thread; all of them get the result.
  Values combineThreads(llvm::ArrayRef<mlir::Operation *> combiners,
                        Values values, int64_t threads);
  /// The inits combined with the partial results.
  Values combineValues(llvm::ArrayRef<mlir::Operation *> combiners,
                       llvm::ArrayRef<mlir::Value> x,
                       llvm::ArrayRef<mlir::Value> y);
  bool failedInside() const { return broken; }

protected:
  void readLoops();
  bool isRegular();
  void chooseColumn();
  int64_t lanesAlong(int64_t loop);
  int64_t findTransposed();
  mlir::Value combineWarps(mlir::Operation *combiner, mlir::Value value,
                           int64_t threads);
  Point enterAll(llvm::ArrayRef<unsigned> order,
                 llvm::ArrayRef<mlir::Value> ivs, const Point &point);
  llvm::SmallVector<int64_t> sizesOf(llvm::ArrayRef<unsigned> order);

  void emitMap();
  void emitElement(const Point &point);
  void emitTransposed(unsigned other);
  void stageTile(const Point &outer, unsigned other, unsigned input,
                 int64_t offset, mlir::Value column0, mlir::Value other0);
  void emitSerialReduction();
  void emitThreadReduction(unsigned column);
  Values accumulateTerms(llvm::ArrayRef<unsigned> reduced, const Point &point,
                         mlir::Value first, int64_t step, int64_t lanes);
  void emitColumnReduction(unsigned column);
  void emitAlone();
  int64_t reductionScore(unsigned loop);

  DeviceFunction &f;

private:
  llvm::SmallVector<mlir::Operation *> combiners;
  llvm::SmallVector<unsigned> staged;
  bool elementwise = false;
};

} // namespace turnip::codegen::gpu

#endif // TURNIP_LIB_CODEGEN_GPU_DEVICEGENERIC_H
