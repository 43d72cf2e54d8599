//===- AttentionKernel.cpp - What the threads of an attention do ----------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace turnip::codegen::gpu {

AttentionKernel::AttentionKernel(DeviceFunction &function,
                                 const Attention &attention,
                                 const AttentionLayout &layout)
    : f(function), l(function.l), b(function.builder), attention(attention),
      layout(layout) {}

//===----------------------------------------------------------------------===//
// Small things
//===----------------------------------------------------------------------===//

Value AttentionKernel::addI(Value x, Value y) {
  return arith::AddIOp::create(b, l.loc, x, y);
}

Value AttentionKernel::mulI(Value x, int64_t factor) {
  return arith::MulIOp::create(b, l.loc, x, f.constant(x.getType(), factor));
}

Value AttentionKernel::f32(double value) {
  return arith::ConstantOp::create(b, l.loc, b.getF32FloatAttr(float(value)));
}

Value AttentionKernel::max(Value x, Value y) {
  return arith::MaximumFOp::create(b, l.loc, x, y);
}

Value AttentionKernel::offset(Value pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  return LLVM::GEPOp::create(b, l.loc, pointer.getType(), b.getI8Type(),
                             pointer, ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
}

Value AttentionKernel::offset(Value pointer, Value bytes) {
  return LLVM::GEPOp::create(b, l.loc, pointer.getType(), b.getI8Type(),
                             pointer, ArrayRef<LLVM::GEPArg>{bytes});
}

Value AttentionKernel::address(const View &view, Value elements,
                               int64_t constant) {
  int64_t width = LaneBuilder::byteWidth(view.elementType);
  Value all = l.add(view.offset, elements);
  for (auto [iv, dim] : llvm::zip(outer, layout.outer)) {
    int64_t stride = &view == &layout.queries  ? dim.queries
                     : &view == &layout.keys   ? dim.keys
                     : &view == &layout.values ? dim.values
                                               : dim.result;
    all = l.add(all, l.mul(iv, stride));
  }
  return offset(offset(view.base, l.mul(all, width)), constant * width);
}

/// Bytes of a value in memory.
static unsigned bytesOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * vector.getElementTypeBitWidth() / 8;
  return type.getIntOrFloatBitWidth() / 8;
}

Value AttentionKernel::load(Type type, Value pointer) {
  return LLVM::LoadOp::create(b, l.loc, type, pointer, bytesOf(type));
}

void AttentionKernel::store(Value value, Value pointer) {
  LLVM::StoreOp::create(b, l.loc, value, pointer, bytesOf(value.getType()));
}

Value AttentionKernel::pack(Value low, Value high) {
  auto pair = VectorType::get({2}, b.getF32Type());
  Value both =
      vector::FromElementsOp::create(b, l.loc, pair, ValueRange{low, high});
  both = arith::TruncFOp::create(b, l.loc, VectorType::get({2}, layout.type),
                                 both);
  return LLVM::BitcastOp::create(b, l.loc, b.getI32Type(), both);
}

/// `index` (i64), or the last position where it is beyond the end.
static Value bounded(LaneBuilder &l, Value index, int64_t size, int64_t tile) {
  if (size % tile == 0)
    return index;
  return arith::MinSIOp::create(l.b, l.loc, index, l.i64(size - 1));
}

Value AttentionKernel::boundedRow(Value row) {
  return bounded(l, l.add(firstRow, f.widen(row)), layout.row.size, shape.rows);
}

Value AttentionKernel::boundedKey(Value key) {
  return bounded(l, key, layout.key.size, shape.keys);
}

Value AttentionKernel::exponential(Value x) {
  // As the payload spells it.
  Operation *exp = attention.exponential.getBody()
                       ->getTerminator()
                       ->getOperand(0)
                       .getDefiningOp();
  FailureOr<SmallVector<Value>> results = l.cloneOp(exp, x);
  if (mlir::failed(results)) {
    failed = true;
    return x;
  }
  return results->front();
}

//===----------------------------------------------------------------------===//
// The mask
//===----------------------------------------------------------------------===//

/// Where a thread is along a dimension of the scores; null along the keys if
/// `key` is null.
Value AttentionKernel::position(int64_t scoreDim, Value row, Value key) {
  if (layout.row.scoreDim == scoreDim)
    return row;
  if (layout.key.scoreDim == scoreDim)
    return key;
  for (auto [iv, dim] : llvm::zip(outer, layout.outer))
    if (dim.scoreDim == scoreDim)
      return iv;
  return l.i64(0);
}

Value AttentionKernel::applyMask(Value score, Value row, Value key) {
  linalg::GenericOp mask = attention.mask;
  if (!mask)
    return score;
  llvm::DenseMap<Value, Value> map;
  map[mask.getBody()->getArgument(0)] = score;
  auto lookup = [&](Value value) {
    auto it = map.find(value);
    return it == map.end() ? f.scalar(value) : it->second;
  };
  for (Operation &op : mask.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      Value at = position(attention.maskLoops[index.getDim()], row, key);
      map[index] = arith::IndexCastOp::create(b, l.loc, b.getIndexType(), at);
      continue;
    }
    SmallVector<Value> operands = llvm::map_to_vector(op.getOperands(), lookup);
    if (llvm::is_contained(operands, Value())) {
      failed = true;
      return score;
    }
    FailureOr<SmallVector<Value>> results = l.cloneOp(&op, operands);
    if (mlir::failed(results)) {
      failed = true;
      return score;
    }
    for (auto [result, copy] : llvm::zip(op.getResults(), *results))
      map[result] = copy;
  }
  return lookup(mask.getBody()->getTerminator()->getOperand(0));
}

/// Masks scores; those of keys beyond the end are -inf.
void AttentionKernel::maskTile(Tile &tile, Value firstKey) {
  bool hasEnd = layout.key.size % shape.keys != 0;
  for (int64_t slot = 0; slot < shape.slots; ++slot) {
    Value row = l.add(firstRow, f.widen(rowOf(slot)));
    for (int64_t column = 0; column < shape.columns; ++column) {
      Value &score = tile[slot][column];
      Value key = l.add(firstKey, f.widen(keyOf(column)));
      score = applyMask(score, row, key);
      if (hasEnd)
        score = arith::SelectOp::create(
            b, l.loc, f.less(key, layout.key.size), score,
            f32(-std::numeric_limits<double>::infinity()));
    }
  }
}

/// The value of an index of the mask for row `row`, as an i64; positions along
/// the keys count as 0 and set `hasKey`. Null where it is no sum of positions
/// and scalars.
Value AttentionKernel::positionAt(Value index, Value row, bool &hasKey) {
  if (auto position = index.getDefiningOp<linalg::IndexOp>()) {
    int64_t dim = attention.maskLoops[position.getDim()];
    if (dim == layout.key.scoreDim && hasKey)
      return nullptr;
    hasKey |= dim == layout.key.scoreDim;
    return this->position(dim, row, l.i64(0));
  }
  if (auto sum = index.getDefiningOp<arith::AddIOp>();
      sum && sum->getBlock() == attention.mask.getBody()) {
    Value x = positionAt(sum.getLhs(), row, hasKey);
    Value y = x ? positionAt(sum.getRhs(), row, hasKey) : Value();
    return y ? l.add(x, y) : Value();
  }
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return l.i64(constant.getSExtValue());
  if (index.getParentBlock() == attention.mask.getBody())
    return nullptr;
  Value scalar = f.scalar(index);
  return scalar ? Value(arith::IndexCastOp::create(b, l.loc, b.getI64Type(),
                                                   scalar))
                : Value();
}

/// How many keys from the first one on rows up to `lastRow` may see where the
/// mask is `key + c <= row + d`, everything else -inf; null if it is not.
Value AttentionKernel::visibleKeys(Value lastRow) {
  if (!attention.mask)
    return nullptr;
  auto select = attention.mask.getBody()
                    ->getTerminator()
                    ->getOperand(0)
                    .getDefiningOp<arith::SelectOp>();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpIOp>()
                        : arith::CmpIOp();
  if (!compare || !matchPattern(select.getFalseValue(), m_NegInfFloat()) ||
      !compare.getLhs().getType().isIndex())
    return nullptr;
  Value less = compare.getLhs(), more = compare.getRhs();
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (predicate == arith::CmpIPredicate::sge ||
      predicate == arith::CmpIPredicate::sgt) {
    std::swap(less, more);
    predicate = predicate == arith::CmpIPredicate::sge
                    ? arith::CmpIPredicate::sle
                    : arith::CmpIPredicate::slt;
  }
  if (predicate != arith::CmpIPredicate::sle &&
      predicate != arith::CmpIPredicate::slt)
    return nullptr;
  bool lessHasKey = false, moreHasKey = false;
  Value c = positionAt(less, lastRow, lessHasKey);
  Value d = positionAt(more, lastRow, moreHasKey);
  if (!c || !d || !lessHasKey || moreHasKey)
    return nullptr;
  Value count = arith::SubIOp::create(b, l.loc, d, c);
  return predicate == arith::CmpIPredicate::sle ? l.add(count, l.i64(1))
                                                : count;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// A block takes some rows of one head. Blocks of a head follow each other, so
/// that they share its keys; those that see the most come first.
void AttentionKernel::placeBlock() {
  int64_t tiles = llvm::divideCeil(layout.row.size, shape.rows);
  SmallVector<int64_t> sizes;
  int64_t blocks = tiles;
  for (const AttentionLayout::Dim &dim : layout.outer) {
    sizes.push_back(dim.size);
    blocks *= dim.size;
  }
  sizes.push_back(tiles);
  (void)f.linearThread(blocks * shape.threads, shape.threads);
  outer = f.delinearize(f.block(), sizes);
  Value tile = outer.pop_back_val();
  tile = arith::SubIOp::create(b, l.loc, l.i64(tiles - 1), tile);
  firstRow = l.mul(tile, shape.rows);
}

/// How many tiles of keys the block has to look at, an i64.
Value AttentionKernel::countTiles() {
  int64_t all = llvm::divideCeil(layout.key.size, shape.keys);
  Value last = bounded(l, l.add(firstRow, l.i64(shape.rows - 1)),
                       layout.row.size, shape.rows);
  Value visible = visibleKeys(last);
  if (!visible)
    return l.i64(all);
  visible = arith::MaxSIOp::create(b, l.loc, visible, l.i64(0));
  visible = arith::MinSIOp::create(b, l.loc, visible, l.i64(layout.key.size));
  visible = l.add(visible, l.i64(shape.keys - 1));
  return arith::DivUIOp::create(b, l.loc, visible, l.i64(shape.keys));
}

LogicalResult AttentionKernel::emit() {
  placeBlock();
  prepare();
  // Per slot: the largest score, this thread's part of the sum; then the result
  // so far.
  Values state(shape.slots, f32(-std::numeric_limits<double>::infinity()));
  state.append(shape.slots + shape.slots * shape.resultColumns, f32(0));
  auto loop =
      scf::ForOp::create(b, l.loc, l.i64(0), countTiles(), l.i64(1), state);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    Values next = step(loop.getInductionVar(), loop.getRegionIterArgs());
    scf::YieldOp::create(b, l.loc, next);
  }
  finish(loop.getResults());
  return failure(failed);
}

AttentionKernel::Values AttentionKernel::step(Value tile, ValueRange state) {
  Value firstKey = l.mul(tile, shape.keys);
  Tile scores = computeScores(firstKey);
  maskTile(scores, firstKey);
  Values largest, sums;
  Tile results;
  for (int64_t slot = 0; slot < shape.slots; ++slot) {
    Value before = state[slot], now = scores[slot].front();
    for (Value score : llvm::drop_begin(scores[slot]))
      now = max(now, score);
    for (int64_t mask = 1; mask < shape.rowThreads; mask *= 2)
      now = max(now, f.shuffleXor(now, mask));
    now = max(before, now);
    // A row that has seen nothing yet stays at nothing.
    Value nothing =
        arith::CmpFOp::create(b, l.loc, arith::CmpFPredicate::OEQ, now,
                              f32(-std::numeric_limits<double>::infinity()));
    Value from = arith::SelectOp::create(b, l.loc, nothing, f32(0), now);
    Value factor = exponential(arith::SubFOp::create(b, l.loc, before, from));
    Value sum =
        arith::MulFOp::create(b, l.loc, state[shape.slots + slot], factor);
    for (Value &score : scores[slot]) {
      score = exponential(arith::SubFOp::create(b, l.loc, score, from));
      sum = arith::AddFOp::create(b, l.loc, sum, score);
    }
    largest.push_back(now);
    sums.push_back(sum);
    Values &result = results.emplace_back();
    for (int64_t i = 0; i < shape.resultColumns; ++i)
      result.push_back(arith::MulFOp::create(
          b, l.loc, state[2 * shape.slots + slot * shape.resultColumns + i],
          factor));
  }
  results = addValues(firstKey, scores, std::move(results));
  Values next = largest;
  next.append(sums);
  for (const Values &result : results)
    next.append(result);
  return next;
}

void AttentionKernel::finish(ValueRange state) {
  for (int64_t slot = 0; slot < shape.slots; ++slot) {
    Value sum = state[shape.slots + slot];
    for (int64_t mask = 1; mask < shape.rowThreads; mask *= 2)
      sum = arith::AddFOp::create(b, l.loc, sum, f.shuffleXor(sum, mask));
    Values results;
    for (int64_t i = 0; i < shape.resultColumns; ++i)
      results.push_back(arith::DivFOp::create(
          b, l.loc, state[2 * shape.slots + slot * shape.resultColumns + i],
          sum));
    Value row = l.add(firstRow, f.widen(rowOf(slot)));
    Value exists;
    if (layout.row.size % shape.rows != 0)
      exists = f.less(row, layout.row.size);
    f.when(exists, [&] { storeResults(slot, results); });
  }
}

void AttentionKernel::storeResults(int64_t slot, ArrayRef<Value> results) {
  Value row = l.add(firstRow, f.widen(rowOf(slot)));
  bool isNarrow = !layout.result.elementType.isF32();
  for (int64_t i = 0; i < shape.resultColumns; i += shape.contiguous) {
    Value at = l.add(l.mul(row, layout.row.result), f.widen(elementOf(i)));
    Value pointer = address(layout.result, at);
    if (isNarrow) {
      store(pack(results[i], results[i + 1]), pointer);
      continue;
    }
    for (int64_t j = 0; j < shape.contiguous; ++j)
      store(results[i + j], offset(pointer, 4 * j));
  }
}

} // namespace turnip::codegen::gpu
