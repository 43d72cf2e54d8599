//===- ContractionEmitter.h - Tiled loops for matrix products -------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Two kinds of register tiles cover all layouts:
///
/// - *dot*: both operands run contiguously along the summed dimension, as in
///   activations times row-major weights. A tile of 3 x 4 results accumulates
///   along k in vectors, which are summed at the end. Nothing is packed, so
///   weights are streamed once from where they lie.
/// - *outer*: a tile of 6 rows times two vectors of columns; per k one element
///   of the left operand is broadcast against a vector of the right one. Unless
///   it can be read in place, the right operand is packed into panels of
///   [k][columns], at most 256 x 64 elements at a time, on the stack.
///
/// The order in which an element's terms are summed follows from the sizes of
/// the whole contraction alone.
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_CONTRACTIONEMITTER_H
#define TURNIP_LIB_CODEGEN_CONTRACTIONEMITTER_H

#include "Contraction.h"
#include "GenericEmitter.h"

namespace turnip::codegen {

class ContractionEmitter {
public:
  ContractionEmitter(LaneBuilder &lanes, mlir::linalg::GenericOp op,
                     const Contraction &contraction)
      : l(lanes), op(op), contraction(contraction) {}

  View a, b, c;
  /// What sums start from.
  Operand init;
  /// One per loop dimension. A part of a dimension starts at a multiple of its
  /// size and ends at one or at the dimension's end. Parts run in tiles where
  /// their size is a multiple of `kRowMultiple`, for rows of the result, or of
  /// `kColumnMultiple`, for rows and columns; else one index after the other.
  llvm::SmallVector<Range> ranges;
  static constexpr int64_t kRowMultiple = 24, kColumnMultiple = 96;

  /// Emits all of the contraction, or, with a grid, the part that belongs to
  /// `gridIndex`. Returns the number of grid points, at most `maxPoints`.
  int64_t emit(mlir::Value gridIndex, int64_t maxPoints);

private:
  using Values = llvm::SmallVector<mlir::Value>;

  /// A loop dimension with its strides in the three tensors; `begin` and `end`
  /// are null where all of it is run, else at most `part` indices are.
  struct Dim {
    int64_t size = 1, part = 1;
    mlir::Value begin, end;
    int64_t sa = 0, sb = 0, sc = 0;
    int64_t si = 0; // in the init tensor
  };
  /// Where the matrices of one step of the outer loops start.
  struct Origin {
    mlir::Value a, b, c, init;
  };
  /// A block of k: [begin, end) and whether sums start here.
  struct KBlock {
    mlir::Value begin, end, first;
  };
  /// Rows [mBegin, mEnd) and columns [nBegin, nEnd) of the result.
  struct Block {
    mlir::Value mBegin, mEnd, nBegin, nEnd;
  };

  llvm::SmallVector<Dim> collect(llvm::ArrayRef<int64_t> dims);
  static Dim takeMain(llvm::SmallVectorImpl<Dim> &dims, bool preferUnitC,
                      bool isK);
  void swapSides();
  bool runsInTiles(const Dim &dim, int64_t tile) const;
  void chooseSides();
  void chooseForm();
  int64_t emitGrid(mlir::Value gridIndex, int64_t maxPoints);
  void forOuter(unsigned index, Origin origin,
                llvm::function_ref<void(const Origin &)> body);
  void forOuterK(unsigned index, Origin origin, mlir::Value first,
                 llvm::function_ref<void(const Origin &, mlir::Value)> body);
  Origin advance(const Origin &origin, const Dim &dim, mlir::Value iv);
  void emitMatrix(const Origin &origin, const Block &block);

  void emitDot(const Origin &origin, const Block &block);
  void emitDotTile(const Origin &origin, const KBlock &k, mlir::Value m,
                   mlir::Value n, int64_t rows, int64_t columns);
  Values dotStep(const Origin &origin, mlir::Value m, mlir::Value n,
                 mlir::Value k, int64_t rows, int64_t columns, int64_t tail,
                 Values sums);
  mlir::Value sumLanes(llvm::ArrayRef<mlir::Value> vectors);

  void emitOuter(const Origin &origin, const Block &block);
  void emitPanels(const Origin &origin, const KBlock &k, const Block &block);
  void emitOuterTile(const Origin &origin, const KBlock &k, const Block &block,
                     mlir::Value m, mlir::Value n, int64_t rows, bool edge);
  void packColumns(const Origin &origin, const KBlock &k, const Block &block);
  void packTransposed(const Origin &origin, const KBlock &k, mlir::Value n,
                      mlir::Value panel);
  void packPlain(const Origin &origin, const KBlock &k, mlir::Value n,
                 mlir::Value panel, int64_t columns);
  void packRows(const Origin &origin, const KBlock &k, mlir::Value mBegin,
                mlir::Value mEnd);
  Values transpose8(Values rows);

  void storeSums(const Origin &origin, const KBlock &k, mlir::Value m,
                 mlir::Value n, mlir::Value sums, int64_t columns);
  void storeEdge(const Origin &origin, const KBlock &k, mlir::Value m,
                 mlir::Value n, mlir::Value low, mlir::Value high);

  // Small helpers.
  mlir::Value loadWide(const View &view, mlir::Value index, int64_t lanes,
                       int64_t stride = 1);
  mlir::Value multiplyAdd(mlir::Value x, mlir::Value y, mlir::Value z);
  mlir::Value plus(mlir::Value x, mlir::Value y);
  mlir::Value zero(int64_t lanes);
  mlir::Value at(mlir::Value origin, mlir::Value i, int64_t si, mlir::Value j,
                 int64_t sj);
  mlir::Value minimum(mlir::Value x, mlir::Value y);
  Values forLoop(mlir::Value begin, mlir::Value end, int64_t step, Values init,
                 llvm::function_ref<Values(mlir::Value, Values)> body);
  void forEach(mlir::Value begin, mlir::Value end, int64_t step,
               llvm::function_ref<void(mlir::Value)> body);
  void forTiles(mlir::Value begin, mlir::Value end, int64_t size, int64_t tile,
                llvm::function_ref<void(mlir::Value, int64_t)> body);
  void forKBlocks(mlir::Value firstOuter,
                  llvm::function_ref<void(const KBlock &)> body);

  LaneBuilder &l;
  mlir::linalg::GenericOp op;
  Contraction contraction;
  Dim m, n, k;
  llvm::SmallVector<Dim> outer, outerK;
  mlir::Type sumType;
  bool dot = false;
  /// Outer form: read the right operand in place; copy the left one.
  bool direct = false, packsRows = false;
  int64_t kBlock = 0, width = 8;
  mlir::Value packedColumns, packedRows;
  /// In the loops over further summed dimensions: whether this is their first
  /// iteration; null where there are none.
  mlir::Value firstOuter;
};

} // namespace turnip::codegen

#endif // TURNIP_LIB_CODEGEN_CONTRACTIONEMITTER_H
