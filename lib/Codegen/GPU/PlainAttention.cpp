//===- PlainAttention.cpp - Attention of f32 ------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace turnip::codegen::gpu {

namespace {
/// A block has 32 rows, a tile 32 keys. Eight threads share two rows: thread u
/// of them has keys u, u + 8, ... and elements u, u + 8, ... of the result.
/// Keys, and after them values, pass through the same shared memory; weights
/// go through it, too, from the threads that have them to those that need them.
class PlainAttention : public AttentionKernel {
public:
  PlainAttention(DeviceFunction &function, const Attention &attention,
                 const AttentionLayout &layout)
      : AttentionKernel(function, attention, layout) {
    shape.rows = 32;
    shape.keys = 32;
    shape.threads = 128;
    shape.slots = 2;
    shape.columns = 4;
    shape.resultColumns = layout.valueSize / kThreads;
    shape.rowThreads = kThreads;
    shape.contiguous = 1;
  }

protected:
  void prepare() override;
  Tile computeScores(Value firstKey) override;
  Tile addValues(Value firstKey, const Tile &weights, Tile sums) override;
  Value rowOf(int64_t slot) override {
    return addI(firstRowOfThread, i32(slot));
  }
  Value keyOf(int64_t column) override { return elementOf(column); }
  Value elementOf(int64_t column) override {
    return addI(member, i32(kThreads * column));
  }

private:
  static constexpr int64_t kThreads = 8, kPad = 4;

  void stage(const View &view, int64_t size, int64_t to, int64_t rows,
             llvm::function_ref<Value(Value)> offsetOfRow);
  /// Bytes from one row to the next in shared memory.
  int64_t rowBytes() const {
    return (std::max(layout.headSize, layout.valueSize) + kPad) * 4;
  }
  int64_t weightBytes() const { return (shape.keys + kPad) * 4; }

  Value member, firstRowOfThread;
  int64_t queriesOffset = 0, tileOffset = 0, weightsOffset = 0;
};
} // namespace

/// Copies `rows` rows of `size` elements, whose offsets `offsetOfRow` knows, to
/// shared memory.
void PlainAttention::stage(const View &view, int64_t size, int64_t to,
                           int64_t rows,
                           llvm::function_ref<Value(Value)> offsetOfRow) {
  auto loop = scf::ForOp::create(b, l.loc, l.i64(0), l.i64(rows * size),
                                 l.i64(shape.threads));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value index = l.add(loop.getInductionVar(), f.widen(f.thread()));
  Value exists;
  if (rows * size % shape.threads != 0)
    exists = f.less(index, rows * size);
  f.when(exists, [&] {
    Value row = arith::DivUIOp::create(b, l.loc, index, l.i64(size));
    Value element = arith::RemUIOp::create(b, l.loc, index, l.i64(size));
    Value value =
        load(b.getF32Type(), address(view, l.add(offsetOfRow(row), element)));
    store(value, offset(f.shared(to),
                        l.add(l.mul(row, rowBytes()), l.mul(element, 4))));
  });
}

void PlainAttention::prepare() {
  Value thread = f.thread();
  member = arith::RemUIOp::create(b, l.loc, thread, i32(kThreads));
  firstRowOfThread =
      mulI(arith::DivUIOp::create(b, l.loc, thread, i32(kThreads)), 2);
  queriesOffset = f.reserveShared(shape.rows * rowBytes());
  tileOffset = f.reserveShared(shape.keys * rowBytes());
  weightsOffset = f.reserveShared(shape.rows * weightBytes());
  stage(layout.queries, layout.headSize, queriesOffset, shape.rows,
        [&](Value row) {
          Value narrow = arith::TruncIOp::create(b, l.loc, b.getI32Type(), row);
          return l.mul(boundedRow(narrow), layout.row.queries);
        });
}

AttentionKernel::Tile PlainAttention::computeScores(Value firstKey) {
  f.barrier();
  stage(layout.keys, layout.headSize, tileOffset, shape.keys, [&](Value key) {
    return l.mul(boundedKey(l.add(firstKey, key)), layout.key.keys);
  });
  f.barrier();
  constexpr int64_t kStep = 4;
  auto type = VectorType::get({kStep}, b.getF32Type());
  Value queries =
      offset(f.shared(queriesOffset), mulI(firstRowOfThread, rowBytes()));
  Value keys = offset(f.shared(tileOffset), mulI(member, rowBytes()));
  Values sums(shape.slots * shape.columns, f32(0));
  auto loop = scf::ForOp::create(b, l.loc, l.i64(0), l.i64(layout.headSize),
                                 l.i64(kStep), sums);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    Value bytes = l.mul(loop.getInductionVar(), 4);
    Values left, right;
    for (int64_t slot = 0; slot < shape.slots; ++slot)
      left.push_back(
          load(type, offset(offset(queries, bytes), slot * rowBytes())));
    for (int64_t column = 0; column < shape.columns; ++column)
      right.push_back(load(
          type, offset(offset(keys, bytes), column * kThreads * rowBytes())));
    Values next(loop.getRegionIterArgs());
    for (int64_t k = 0; k < kStep; ++k)
      for (int64_t slot = 0; slot < shape.slots; ++slot)
        for (int64_t column = 0; column < shape.columns; ++column) {
          Value &sum = next[slot * shape.columns + column];
          Value x = vector::ExtractOp::create(b, l.loc, left[slot],
                                              ArrayRef<int64_t>{k});
          Value y = vector::ExtractOp::create(b, l.loc, right[column],
                                              ArrayRef<int64_t>{k});
          sum = math::FmaOp::create(b, l.loc, x, y, sum);
        }
    scf::YieldOp::create(b, l.loc, next);
  }
  Tile tile;
  for (int64_t slot = 0; slot < shape.slots; ++slot)
    tile.push_back(
        Values(loop.getResults().slice(slot * shape.columns, shape.columns)));
  return tile;
}

AttentionKernel::Tile
PlainAttention::addValues(Value firstKey, const Tile &weights, Tile sums) {
  // Nobody reads the keys any more.
  f.barrier();
  stage(layout.values, layout.valueSize, tileOffset, shape.keys,
        [&](Value key) {
          return l.mul(boundedKey(l.add(firstKey, key)), layout.key.values);
        });
  Value row =
      offset(f.shared(weightsOffset), mulI(firstRowOfThread, weightBytes()));
  for (int64_t slot = 0; slot < shape.slots; ++slot)
    for (int64_t column = 0; column < shape.columns; ++column)
      store(weights[slot][column],
            offset(offset(row, mulI(keyOf(column), 4)), slot * weightBytes()));
  f.barrier();
  Value elements = offset(f.shared(tileOffset), mulI(member, 4));
  Values state;
  for (const Values &slot : sums)
    state.append(slot);
  auto loop = scf::ForOp::create(b, l.loc, l.i64(0), l.i64(shape.keys),
                                 l.i64(1), state);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    Value key = loop.getInductionVar();
    Value at = offset(elements, l.mul(key, rowBytes()));
    Value weight = offset(row, l.mul(key, 4));
    Values left, next(loop.getRegionIterArgs());
    for (int64_t slot = 0; slot < shape.slots; ++slot)
      left.push_back(
          load(b.getF32Type(), offset(weight, slot * weightBytes())));
    for (int64_t i = 0; i < shape.resultColumns; ++i) {
      Value y = load(b.getF32Type(), offset(at, i * kThreads * 4));
      for (int64_t slot = 0; slot < shape.slots; ++slot) {
        Value &sum = next[slot * shape.resultColumns + i];
        sum = math::FmaOp::create(b, l.loc, left[slot], y, sum);
      }
    }
    scf::YieldOp::create(b, l.loc, next);
  }
  for (int64_t slot = 0; slot < shape.slots; ++slot)
    sums[slot] = Values(loop.getResults().slice(slot * shape.resultColumns,
                                                shape.resultColumns));
  return sums;
}

std::unique_ptr<AttentionKernel>
createPlainAttention(DeviceFunction &function, const Attention &attention,
                     const AttentionLayout &layout) {
  return std::make_unique<PlainAttention>(function, attention, layout);
}

} // namespace turnip::codegen::gpu
