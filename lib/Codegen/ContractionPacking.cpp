//===- ContractionPacking.cpp - Operands of products, laid out for tiles --===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace turnip::codegen {

/// Copies the columns of `block` into panels [k][2 * width], the last one
/// padded with zeros.
void ContractionEmitter::packColumns(const Origin &origin, const KBlock &kPart,
                                     const Block &block) {
  forTiles(block.nBegin, block.nEnd, n.size, 2 * width,
           [&](Value column, int64_t columns) {
             Value distance =
                 l.b.createOrFold<arith::SubIOp>(l.loc, column, block.nBegin);
             Value panel = l.mul(distance, kBlock);
             if (columns == 2 * width && k.sb == 1 && n.sb != 1)
               packTransposed(origin, kPart, column, panel);
             else
               packPlain(origin, kPart, column, panel, columns);
           });
}

/// The operand is contiguous along k: moves blocks of 8 x 8.
void ContractionEmitter::packTransposed(const Origin &origin,
                                        const KBlock &kPart, Value column,
                                        Value panel) {
  int64_t tail = k.size % 8, whole = k.size - tail;
  Value end = tail == 0 ? kPart.end : minimum(kPart.end, l.i64(whole));
  auto target = [&](Value kIndex) {
    Value depth = l.b.createOrFold<arith::SubIOp>(l.loc, kIndex, kPart.begin);
    return l.add(panel, l.mul(depth, 2 * width));
  };
  forEach(kPart.begin, end, 8, [&](Value iv) {
    for (int64_t group = 0; group < 2 * width; group += 8) {
      Values rows;
      for (int64_t j = 0; j < 8; ++j)
        rows.push_back(loadWide(
            b, at(origin.b, l.add(column, l.i64(group + j)), n.sb, iv, 1), 8));
      rows = transpose8(rows);
      for (int64_t j = 0; j < 8; ++j)
        l.store(sumType, rows[j], packedColumns,
                l.add(target(iv), l.i64(j * 2 * width + group)), 8);
    }
  });
  if (tail == 0)
    return;
  forEach(l.i64(whole), kPart.end, 1, [&](Value iv) {
    for (int64_t j = 0; j < 2 * width; ++j)
      l.store(
          sumType,
          loadWide(b, at(origin.b, l.add(column, l.i64(j)), n.sb, iv, 1), 0),
          packedColumns, l.add(target(iv), l.i64(j)), 0);
  });
}

/// Copies row by row; columns that do not exist become zero.
void ContractionEmitter::packPlain(const Origin &origin, const KBlock &kPart,
                                   Value column, Value panel, int64_t columns) {
  forEach(kPart.begin, kPart.end, 1, [&](Value iv) {
    Value depth = l.b.createOrFold<arith::SubIOp>(l.loc, iv, kPart.begin);
    Value target = l.add(panel, l.mul(depth, 2 * width));
    if (columns == 2 * width) {
      for (int64_t v = 0; v < 2; ++v) {
        Value from = l.add(column, l.i64(v * width));
        l.store(sumType,
                loadWide(b, at(origin.b, from, n.sb, iv, k.sb), width, n.sb),
                packedColumns, l.add(target, l.i64(v * width)), width);
      }
      return;
    }
    for (int64_t j = 0; j < 2 * width; ++j) {
      Value value = zero(0);
      if (j < columns)
        value = loadWide(
            b, at(origin.b, l.add(column, l.i64(j)), n.sb, iv, k.sb), 0);
      l.store(sumType, value, packedColumns, l.add(target, l.i64(j)), 0);
    }
  });
}

/// Widens rows of the left operand into [row][k].
void ContractionEmitter::packRows(const Origin &origin, const KBlock &kPart,
                                  Value mBegin, Value mEnd) {
  forEach(mBegin, mEnd, 1, [&](Value row) {
    Value distance = l.b.createOrFold<arith::SubIOp>(l.loc, row, mBegin);
    auto move = [&](Value iv, int64_t lanes) {
      Value depth = l.b.createOrFold<arith::SubIOp>(l.loc, iv, kPart.begin);
      l.store(sumType,
              loadWide(a, at(origin.a, row, m.sa, iv, k.sa), lanes, k.sa),
              packedRows, l.add(l.mul(distance, kBlock), depth), lanes);
    };
    int64_t tail = k.size % width, whole = k.size - tail;
    Value end = tail == 0 ? kPart.end : minimum(kPart.end, l.i64(whole));
    forEach(kPart.begin, end, width, [&](Value iv) { move(iv, width); });
    if (tail != 0)
      forEach(whole == 0 ? kPart.begin : l.i64(whole), kPart.end, 1,
              [&](Value iv) { move(iv, 0); });
  });
}

/// Transposes eight vectors of eight in three rounds of interleaving.
ContractionEmitter::Values ContractionEmitter::transpose8(Values rows) {
  auto shuffle = [&](Value x, Value y, ArrayRef<int64_t> lanes) -> Value {
    return vector::ShuffleOp::create(l.b, l.loc, x, y, lanes);
  };
  Values pairs, quads, result(8);
  for (int64_t i = 0; i < 8; i += 2) {
    pairs.push_back(shuffle(rows[i], rows[i + 1], {0, 8, 1, 9, 4, 12, 5, 13}));
    pairs.push_back(
        shuffle(rows[i], rows[i + 1], {2, 10, 3, 11, 6, 14, 7, 15}));
  }
  for (int64_t i : {0, 4})
    for (int64_t j : {0, 1}) {
      Value x = pairs[i + j], y = pairs[i + j + 2];
      quads.push_back(shuffle(x, y, {0, 1, 8, 9, 4, 5, 12, 13}));
      quads.push_back(shuffle(x, y, {2, 3, 10, 11, 6, 7, 14, 15}));
    }
  for (int64_t i = 0; i < 4; ++i) {
    result[i] = shuffle(quads[i], quads[i + 4], {0, 1, 2, 3, 8, 9, 10, 11});
    result[i + 4] =
        shuffle(quads[i], quads[i + 4], {4, 5, 6, 7, 12, 13, 14, 15});
  }
  return result;
}

} // namespace turnip::codegen
