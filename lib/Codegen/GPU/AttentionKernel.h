//===- AttentionKernel.h - What the threads of an attention do ------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_GPU_ATTENTIONKERNEL_H
#define TURNIP_LIB_CODEGEN_GPU_ATTENTIONKERNEL_H

#include "Attention.h"

namespace turnip::codegen::gpu {

/// Where the tensors of an attention lie, in the dimensions that its kernel
/// runs over; strides are in elements.
struct AttentionLayout {
  /// One dimension of rows, keys, or of the heads that blocks are spread over.
  struct Dim {
    int64_t size = 1;
    int64_t queries = 0, keys = 0, values = 0, result = 0;
    /// The dimension of the scores that it is, or -1.
    int64_t scoreDim = -1;
  };
  Dim row, key;
  llvm::SmallVector<Dim> outer;
  /// Elements of a head of queries and keys, and of values and the result;
  /// contiguous.
  int64_t headSize = 1, valueSize = 1;
  /// What queries, keys, values and weights are: f32, f16 or bf16.
  mlir::Type type;
  View queries, keys, values, result;
};

/// One attention in one device function: rows of queries per block, a loop over
/// tiles of keys. How scores and products are spread over threads is for
/// subclasses to say: each thread holds, for some slots of rows, some columns
/// of a tile of scores and some of the result.
class AttentionKernel {
public:
  AttentionKernel(DeviceFunction &function, const Attention &attention,
                  const AttentionLayout &layout);
  virtual ~AttentionKernel() = default;

  /// Emits the body; fails after an error was reported.
  mlir::LogicalResult emit();

protected:
  using Values = llvm::SmallVector<mlir::Value>;
  /// [slot][column], f32.
  using Tile = llvm::SmallVector<Values>;

  /// What a subclass is made of.
  struct Shape {
    /// Rows of a block, keys of a tile, threads of a block.
    int64_t rows = 64, keys = 64, threads = 128;
    /// Rows, columns of a tile of scores and columns of the result per thread.
    int64_t slots = 2, columns = 16, resultColumns = 0;
    /// Threads that share a row are neighbours: this many.
    int64_t rowThreads = 4;
    /// Columns of the result that are neighbours.
    int64_t contiguous = 2;
  };

  /// Before the loop: queries, addresses.
  virtual void prepare() = 0;
  /// The products of this thread's rows with the keys of the tile that begins
  /// at `firstKey` (i64). Every thread of the block calls it.
  virtual Tile computeScores(mlir::Value firstKey) = 0;
  /// `sums` plus the products of `weights` with the values of the tile.
  virtual Tile addValues(mlir::Value firstKey, const Tile &weights,
                         Tile sums) = 0;
  /// Row of a slot in the block, key of a column in the tile, element of a
  /// column of the result: i32.
  virtual mlir::Value rowOf(int64_t slot) = 0;
  virtual mlir::Value keyOf(int64_t column) = 0;
  virtual mlir::Value elementOf(int64_t resultColumn) = 0;
  /// e to the power of a difference of scores. As exact as anywhere, unless a
  /// subclass needs less.
  virtual mlir::Value exponential(mlir::Value x);

  mlir::Value i32(int64_t value) { return f.constant(b.getI32Type(), value); }
  mlir::Value addI(mlir::Value x, mlir::Value y);
  mlir::Value mulI(mlir::Value x, int64_t factor);
  mlir::Value f32(double value);
  mlir::Value max(mlir::Value x, mlir::Value y);
  /// The address `elements` (i64) elements and `constant` more behind a view's
  /// first one, for the heads of this block.
  mlir::Value address(const View &view, mlir::Value elements,
                      int64_t constant = 0);
  /// The address `bytes` behind `pointer`.
  mlir::Value offset(mlir::Value pointer, int64_t bytes);
  mlir::Value offset(mlir::Value pointer, mlir::Value bytes);
  mlir::Value load(mlir::Type type, mlir::Value pointer);
  void store(mlir::Value value, mlir::Value pointer);
  /// Two f32 rounded to the layout's type, as one i32.
  mlir::Value pack(mlir::Value low, mlir::Value high);
  /// The row of the whole tensor, the last one for rows beyond it.
  mlir::Value boundedRow(mlir::Value row);
  mlir::Value boundedKey(mlir::Value key);

  DeviceFunction &f;
  LaneBuilder &l;
  mlir::OpBuilder &b;
  Attention attention;
  const AttentionLayout &layout;
  Shape shape;
  /// First row of the block, an i64.
  mlir::Value firstRow;

private:
  void placeBlock();
  mlir::Value countTiles();
  mlir::Value visibleKeys(mlir::Value lastRow);
  mlir::Value positionAt(mlir::Value index, mlir::Value row, bool &hasKey);
  mlir::Value position(int64_t scoreDim, mlir::Value row, mlir::Value key);
  mlir::Value applyMask(mlir::Value score, mlir::Value row, mlir::Value key);
  void maskTile(Tile &tile, mlir::Value firstKey);
  Values step(mlir::Value tile, mlir::ValueRange state);
  void finish(mlir::ValueRange state);
  void storeResults(int64_t slot, llvm::ArrayRef<mlir::Value> results);

  /// Position along each of the layout's outer dimensions, an i64.
  Values outer;
  bool failed = false;
};

/// With tensor cores: m16n8k16, f16 or bf16.
std::unique_ptr<AttentionKernel>
createTensorCoreAttention(DeviceFunction &function, const Attention &attention,
                          const AttentionLayout &layout);
/// With multiply-adds of f32.
std::unique_ptr<AttentionKernel>
createPlainAttention(DeviceFunction &function, const Attention &attention,
                     const AttentionLayout &layout);

} // namespace turnip::codegen::gpu

#endif // TURNIP_LIB_CODEGEN_GPU_ATTENTIONKERNEL_H
