//===- GenericEmitter.h - Loops for one linalg.generic --------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_GENERICEMITTER_H
#define TURNIP_LIB_CODEGEN_GENERICEMITTER_H

#include "LaneBuilder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <functional>
#include <optional>

namespace turnip::codegen {

/// A tensor, or a strided part of one, in memory.
struct View {
  mlir::Type elementType;
  /// An !llvm.ptr, null for a value that has no memory.
  mlir::Value base;
  /// Offset of element (0, ..., 0) in elements, an i64; null for zero.
  mlir::Value offset;
  llvm::SmallVector<int64_t> shape;
  /// In elements, one per dimension.
  llvm::SmallVector<int64_t> strides;
  /// Element (0, ..., 0) lies at a multiple of this many elements.
  int64_t alignment = 1;

  /// Row-major strides of `shape`.
  static llvm::SmallVector<int64_t> denseStrides(llvm::ArrayRef<int64_t> shape);
  int64_t numElements() const;
  bool isDense() const { return strides == denseStrides(shape); }
};

/// The iterations [begin, end) of one loop dimension that are to be run.
struct Range {
  mlir::Value begin, end; // i64
  /// An upper bound of end - begin.
  int64_t size = 0;
  /// True where the range is all of the dimension.
  bool whole = true;
};

/// What a generic reads or writes through one of its operands.
struct Operand {
  /// A scalar operand, or the constant that an init tensor is filled with.
  mlir::Value scalar;
  std::optional<View> view;
};

/// Emits the loops of one generic on memory: parallel dimensions outside,
/// the vector dimension inside where it is parallel, accumulators of
/// reductions in registers. The association of every reduction depends on the
/// sizes only.
class GenericEmitter {
public:
  using TensorLookup = std::function<View(mlir::Value)>;
  using ScalarLookup = std::function<mlir::Value(mlir::Value)>;

  GenericEmitter(LaneBuilder &lanes, mlir::linalg::GenericOp op,
                 TensorLookup tensorLookup, ScalarLookup scalarLookup)
      : l(lanes), op(op), tensorLookup(std::move(tensorLookup)),
        scalarLookup(std::move(scalarLookup)) {}

  /// One per input, then one per init, then one per result.
  llvm::SmallVector<Operand> inputs, inits;
  llvm::SmallVector<View> results;
  /// One per loop dimension.
  llvm::SmallVector<Range> ranges;

  /// Reads the operation and decides the form of its loops. Call once, before
  /// what follows.
  mlir::LogicalResult prepare();
  /// Restricts the longest outer parallel loop to the part that belongs to
  /// `gridIndex` (an i64); returns the number of parts, at most `maxPoints`.
  int64_t splitOuterLoop(mlir::Value gridIndex, int64_t maxPoints);
  /// True where the loops read each input before they write the same element.
  bool isElementwise() const { return form == Form::parallel; }
  /// Emits the loops; fails after an error was reported.
  mlir::LogicalResult emit();

protected:
  enum class Form { parallel, reduction, laneReduction, inMemory };
  /// How one operand's element address depends on the loops.
  struct Access {
    mlir::Type elementType;
    mlir::Value base, offset;
    mlir::Value scalar;
    mlir::AffineMap map;
    llvm::SmallVector<int64_t> viewStrides;
    /// Per loop dimension of the operation; unused when not linear.
    llvm::SmallVector<int64_t> strides;
    bool linear = true;
    /// The element of iteration (0, ..., 0) lies at a multiple of this many
    /// elements.
    int64_t alignment = 1;
  };
  struct Loop {
    Range range;
    bool reduction = false;
    llvm::SmallVector<int64_t> strides; // per access
    int64_t dim = 0;                    // of the operation
  };
  /// The position inside the loops emitted so far.
  struct Point {
    llvm::SmallVector<mlir::Value> offsets; // per access
    llvm::SmallVector<mlir::Value> ivs;     // per dimension of the operation
    /// Values loaded outside of the vector loop, by access.
    llvm::SmallVector<mlir::Value> preloaded;
    int64_t lanes = 0;
  };
  using Values = llvm::SmallVector<mlir::Value>;

  mlir::LogicalResult buildAccesses();
  mlir::LogicalResult addAccess(const Operand &operand, mlir::AffineMap map);
  void buildLoops();
  void dropUnitLoops(Point &point);
  void coalesce();
  void chooseForm();
  void chooseVectorLoop();
  bool resultsAreAccumulators();
  int64_t bodyCost();
  int64_t wideLanes(const Loop &loop);

  void emitParallel();
  void emitReduction();
  void emitLaneReduction();
  void emitInMemory();

  Values forLoop(mlir::Value begin, mlir::Value end, int64_t step, Values init,
                 llvm::function_ref<Values(mlir::Value, Values)> body);
  Point enter(const Point &point, const Loop &loop, mlir::Value iv);
  void nest(llvm::ArrayRef<unsigned> order, const Point &point,
            llvm::function_ref<void(const Point &)> body);
  Values reduceNest(llvm::ArrayRef<unsigned> order, const Point &point,
                    Values accumulators,
                    llvm::function_ref<Values(const Point &, Values)> body);
  void vectorLoop(const Point &point, llvm::ArrayRef<int64_t> widths,
                  llvm::function_ref<void(const Point &)> body);
  void preload(Point &point);

  int64_t laneStride(unsigned access) const;
  mlir::Value offsetOf(unsigned access, const Point &point);
  mlir::Value loadInit(unsigned i, const Point &point);
  mlir::Value loadAccess(unsigned access, const Point &point);
  Values loadInputs(const Point &point);
  void storeResults(const Point &point, llvm::ArrayRef<mlir::Value> values);
  /// Emits the payload; fails only after an error was reported.
  Values emitBody(const Point &point, Values arguments);
  mlir::Value emitIndex(int64_t dim, const Point &point);
  mlir::Value emitExtract(mlir::Operation *extract, const Point &point,
                          llvm::DenseMap<mlir::Value, mlir::Value> &map);
  int64_t extractAlignment(mlir::tensor::ExtractOp extract, const View &view,
                           const Point &point);
  mlir::Value contiguousIndex(mlir::Value payload, const Point &point,
                              llvm::DenseMap<mlir::Value, mlir::Value> &map);
  mlir::Value lookup(mlir::Value payload,
                     llvm::DenseMap<mlir::Value, mlir::Value> &map);
  mlir::Value foldLanes(mlir::Operation *combiner, mlir::Value value);
  mlir::Value combine(mlir::Operation *combiner, mlir::Value x, mlir::Value y);

  LaneBuilder &l;
  mlir::linalg::GenericOp op;
  TensorLookup tensorLookup;
  ScalarLookup scalarLookup;
  llvm::SmallVector<Access> accesses; // inputs, inits, results
  llvm::SmallVector<Loop> loops;
  Point start;
  Form form = Form::inMemory;
  int64_t vectorLoopIndex = -1;
  int64_t width = 0;
  /// True where every vector that is contiguous in memory begins at a multiple
  /// of its length.
  bool alignedVectors = false;
  bool broken = false;
};

} // namespace turnip::codegen

#endif // TURNIP_LIB_CODEGEN_GENERICEMITTER_H
