//===- ContractionEmitter.cpp - Tiled loops for matrix products -----------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionEmitter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace turnip::codegen {

/// Rows and columns of a dot tile.
static constexpr int64_t kDotRows = 3, kDotColumns = 4;
/// Rows of an outer tile; it has two vectors of columns.
static constexpr int64_t kOuterRows = 6;
/// Rows of the left operand that are packed at once.
static constexpr int64_t kPackedRows = 24;
/// Columns of a packed block, its depth, and the depth of a block of dots.
static constexpr int64_t kBlockColumns = 64, kBlockDepth = 384, kDotDepth = 768;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

Value ContractionEmitter::plus(Value x, Value y) {
  return contraction.isFloat ? Value(arith::AddFOp::create(l.b, l.loc, x, y))
                             : Value(arith::AddIOp::create(l.b, l.loc, x, y));
}

Value ContractionEmitter::multiplyAdd(Value x, Value y, Value z) {
  if (contraction.isFloat && l.target.hasFMA())
    return math::FmaOp::create(l.b, l.loc, x, y, z);
  Value product = contraction.isFloat
                      ? Value(arith::MulFOp::create(l.b, l.loc, x, y))
                      : Value(arith::MulIOp::create(l.b, l.loc, x, y));
  return plus(product, z);
}

Value ContractionEmitter::zero(int64_t lanes) {
  return arith::ConstantOp::create(
      l.b, l.loc, l.b.getZeroAttr(LaneBuilder::laneType(sumType, lanes)));
}

/// Loads elements and widens them to the type of the sums.
Value ContractionEmitter::loadWide(const View &view, Value index, int64_t lanes,
                                   int64_t stride) {
  Value value = l.load(view.elementType, view.base, index, lanes, stride);
  Type wide = LaneBuilder::laneType(sumType, LaneBuilder::lanes(value));
  if (value.getType() == wide)
    return value;
  return arith::ExtSIOp::create(l.b, l.loc, wide, value);
}

Value ContractionEmitter::at(Value origin, Value i, int64_t si, Value j,
                             int64_t sj) {
  return l.add(l.add(origin, l.mul(i, si)), l.mul(j, sj));
}

Value ContractionEmitter::minimum(Value x, Value y) {
  return l.b.createOrFold<arith::MinSIOp>(l.loc, x, y);
}

ContractionEmitter::Values
ContractionEmitter::forLoop(Value begin, Value end, int64_t step, Values init,
                            function_ref<Values(Value, Values)> body) {
  APInt lower, upper;
  if (matchPattern(begin, m_ConstantInt(&lower)) &&
      matchPattern(end, m_ConstantInt(&upper))) {
    int64_t length = upper.getSExtValue() - lower.getSExtValue();
    if (length <= 0)
      return init;
    if (length <= step)
      return body(begin, init);
  }
  auto loop = scf::ForOp::create(l.b, l.loc, begin, end, l.i64(step), init);
  OpBuilder::InsertionGuard guard(l.b);
  if (init.empty()) {
    l.b.setInsertionPoint(loop.getBody()->getTerminator());
    body(loop.getInductionVar(), {});
    return {};
  }
  l.b.setInsertionPointToEnd(loop.getBody());
  Values results = body(loop.getInductionVar(),
                        llvm::to_vector_of<Value>(loop.getRegionIterArgs()));
  scf::YieldOp::create(l.b, l.loc, results);
  return llvm::to_vector_of<Value>(loop.getResults());
}

void ContractionEmitter::forEach(Value begin, Value end, int64_t step,
                                 function_ref<void(Value)> body) {
  forLoop(begin, end, step, {}, [&](Value iv, Values) {
    body(iv);
    return Values();
  });
}

/// Runs `body` for tiles of [begin, end) in a dimension of `size`: whole tiles,
/// then what is left of the dimension, if `end` reaches it.
void ContractionEmitter::forTiles(Value begin, Value end, int64_t size,
                                  int64_t tile,
                                  function_ref<void(Value, int64_t)> body) {
  int64_t rest = size % tile;
  Value wholeEnd = rest == 0 ? end : minimum(end, l.i64(size - rest));
  if (size >= tile)
    forEach(begin, wholeEnd, tile, [&](Value iv) { body(iv, tile); });
  if (rest != 0)
    forEach(size < tile ? begin : l.i64(size - rest), end, rest,
            [&](Value iv) { body(iv, rest); });
}

/// Cuts k into equal blocks.
void ContractionEmitter::forKBlocks(Value firstOuter,
                                    function_ref<void(const KBlock &)> body) {
  forEach(l.i64(0), l.i64(k.size), kBlock, [&](Value begin) {
    KBlock block;
    block.begin = begin;
    block.end = k.size <= kBlock
                    ? l.i64(k.size)
                    : minimum(l.add(begin, l.i64(kBlock)), l.i64(k.size));
    block.first = firstOuter;
    if (k.size > kBlock) {
      block.first = arith::CmpIOp::create(l.b, l.loc, arith::CmpIPredicate::eq,
                                          begin, l.i64(0));
      if (firstOuter)
        block.first =
            arith::AndIOp::create(l.b, l.loc, block.first, firstOuter);
    }
    body(block);
  });
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

/// The loop dimensions `dims` with their strides, neighbours joined where they
/// walk all tensors like one dimension.
SmallVector<ContractionEmitter::Dim>
ContractionEmitter::collect(ArrayRef<int64_t> dims) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto strideIn = [&](AffineMap map, const View &view, int64_t dim) {
    for (auto [expr, stride] : llvm::zip(map.getResults(), view.strides))
      if (cast<AffineDimExpr>(expr).getPosition() == dim)
        return stride;
    return int64_t(0);
  };
  SmallVector<Dim> result;
  for (int64_t dim : dims) {
    Dim d;
    d.size = op.getStaticLoopRanges()[dim];
    d.sa = strideIn(maps[0], a, dim);
    d.sb = strideIn(maps[1], b, dim);
    d.sc = strideIn(maps[2], c, dim);
    if (init.view)
      d.si = strideIn(maps[2], *init.view, dim);
    if (!ranges[dim].whole) {
      d.begin = ranges[dim].begin;
      d.end = ranges[dim].end;
      d.part = ranges[dim].size;
    }
    if (d.size > 1 || d.begin)
      result.push_back(d);
  }
  for (unsigned i = 0; i + 1 < result.size();) {
    Dim &x = result[i], &y = result[i + 1];
    if (x.begin || y.begin || x.sa != y.sa * y.size || x.sb != y.sb * y.size ||
        x.sc != y.sc * y.size || x.si != y.si * y.size) {
      ++i;
      continue;
    }
    y.size *= x.size;
    result.erase(result.begin() + i);
  }
  return result;
}

/// Removes the dimension that the tiles run along from `dims`: the largest, or
/// the one that is contiguous where it is large enough for that to matter.
ContractionEmitter::Dim ContractionEmitter::takeMain(SmallVectorImpl<Dim> &dims,
                                                     bool preferUnitC,
                                                     bool isK) {
  if (dims.empty())
    return Dim();
  auto weight = [&](const Dim &dim) {
    bool unit = preferUnitC ? dim.sc == 1
                : isK       ? dim.sa == 1 || dim.sb == 1
                            : dim.sa == 1 || dim.sb == 1;
    return dim.size * (unit ? 8 : 1);
  };
  unsigned best = 0;
  for (unsigned i = 1; i < dims.size(); ++i)
    if (weight(dims[i]) >= weight(dims[best]))
      best = i;
  Dim result = dims[best];
  dims.erase(dims.begin() + best);
  return result;
}

void ContractionEmitter::swapSides() {
  std::swap(a, b);
  std::swap(m, n);
  for (Dim *dim : {&m, &n, &k})
    std::swap(dim->sa, dim->sb);
  for (Dim &dim : outer)
    std::swap(dim.sa, dim.sb);
  for (Dim &dim : outerK)
    std::swap(dim.sa, dim.sb);
}

/// Whether tiles of `tile` indices never leave the part of `dim` that is run.
bool ContractionEmitter::runsInTiles(const Dim &dim, int64_t tile) const {
  return !dim.begin || dim.part >= dim.size || dim.part % tile == 0;
}

/// Chooses dot products or outer products, and which side the columns of the
/// tiles come from.
void ContractionEmitter::chooseSides() {
  bool sameTypes = a.elementType == sumType && b.elementType == sumType;
  bool contiguous = k.sa == 1 && k.sb == 1 && sameTypes;
  width = l.target.vectorBits() / 32;
  // Packing pays where every packed element meets many rows.
  dot = contiguous && k.size >= 2 * width && std::min(m.size, n.size) < 24;
  int64_t columns = dot ? kDotColumns : 2 * width;
  auto swapIf = [&](bool wanted) {
    if (wanted && runsInTiles(m, columns))
      swapSides();
  };
  // Columns are what the result holds contiguously.
  swapIf(n.sc != 1 && (m.sc == 1 || n.size < m.size));
  swapIf(!dot && n.sc != 1 && n.size < width && m.size > n.size);
  swapIf(!dot && n.size < width && m.size >= 4 * width);
  // What cannot be cut into tiles is run one index after the other.
  for (auto [dim, tile] :
       {std::pair(&m, dot ? kDotRows : kOuterRows), std::pair(&n, columns)})
    if (!runsInTiles(*dim, tile))
      outer.push_back(std::exchange(*dim, Dim()));
}

void ContractionEmitter::chooseForm() {
  chooseSides();
  int64_t depth = dot ? kDotDepth : kBlockDepth;
  int64_t blocks = llvm::divideCeil(k.size, depth);
  kBlock = llvm::alignTo(llvm::divideCeil(k.size, blocks), width);
  if (dot)
    return;
  int64_t span = k.size * k.sb * LaneBuilder::byteWidth(b.elementType);
  direct = b.elementType == sumType && n.sb == 1 && n.size % (2 * width) == 0 &&
           (m.size <= 2 * kOuterRows || span <= 256 * 1024);
  packsRows = a.elementType != sumType && n.size > 2 * width;
}

int64_t ContractionEmitter::emit(Value gridIndex, int64_t maxPoints) {
  sumType = c.elementType;
  SmallVector<Dim> ms = collect(contraction.m), ns = collect(contraction.n);
  SmallVector<Dim> ks = collect(contraction.k);
  outer = collect(contraction.batch);
  bool nUnit = llvm::any_of(ns, [](const Dim &dim) { return dim.sc == 1; });
  m = takeMain(ms, !nUnit, false);
  n = takeMain(ns, nUnit, false);
  k = takeMain(ks, false, true);
  outer.append(ms);
  outer.append(ns);
  outerK.append(ks);
  chooseForm();
  Type pointer = LLVM::LLVMPointerType::get(l.b.getContext());
  // On the stack, once per call.
  auto allocate = [&](int64_t elements) -> Value {
    OpBuilder::InsertionGuard guard(l.b);
    Operation *function = l.b.getInsertionBlock()->getParentOp();
    if (!isa<func::FuncOp>(function))
      function = function->getParentOfType<func::FuncOp>();
    l.b.setInsertionPointToStart(&function->getRegion(0).front());
    return LLVM::AllocaOp::create(l.b, l.loc, pointer, l.b.getI8Type(),
                                  l.i64(elements * 4), 64);
  };
  if (!dot && !direct)
    packedColumns =
        allocate(kBlock * std::min<int64_t>(kBlockColumns,
                                            llvm::alignTo(n.size, 2 * width)));
  if (packsRows)
    packedRows = allocate(kBlock * kPackedRows);
  return emitGrid(gridIndex, maxPoints);
}

ContractionEmitter::Origin
ContractionEmitter::advance(const Origin &origin, const Dim &dim, Value iv) {
  Origin next = origin;
  next.a = l.add(origin.a, l.mul(iv, dim.sa));
  next.b = l.add(origin.b, l.mul(iv, dim.sb));
  next.c = l.add(origin.c, l.mul(iv, dim.sc));
  next.init = l.add(origin.init, l.mul(iv, dim.si));
  return next;
}

void ContractionEmitter::forOuter(unsigned index, Origin origin,
                                  function_ref<void(const Origin &)> body) {
  if (index == outer.size())
    return body(origin);
  const Dim &dim = outer[index];
  Value begin = dim.begin ? dim.begin : l.i64(0);
  Value end = dim.begin ? dim.end : l.i64(dim.size);
  forEach(begin, end, 1, [&](Value iv) {
    forOuter(index + 1, advance(origin, dim, iv), body);
  });
}

/// Loops over summed dimensions besides k; `first` is null where it is known to
/// be true.
void ContractionEmitter::forOuterK(
    unsigned index, Origin origin, Value first,
    function_ref<void(const Origin &, Value)> body) {
  if (index == outerK.size())
    return body(origin, first);
  const Dim &dim = outerK[index];
  forEach(l.i64(0), l.i64(dim.size), 1, [&](Value iv) {
    Value here = arith::CmpIOp::create(l.b, l.loc, arith::CmpIPredicate::eq, iv,
                                       l.i64(0));
    if (first)
      here = arith::AndIOp::create(l.b, l.loc, here, first);
    forOuterK(index + 1, advance(origin, dim, iv), here, body);
  });
}

/// Cuts the outer loops and one of the result's dimensions into grid points
/// that share no work.
int64_t ContractionEmitter::emitGrid(Value gridIndex, int64_t maxPoints) {
  Origin origin;
  Value none = l.i64(0);
  origin.a = a.offset ? a.offset : none;
  origin.b = b.offset ? b.offset : none;
  origin.c = c.offset ? c.offset : none;
  origin.init = init.view && init.view->offset ? init.view->offset : none;
  auto rangeOf = [&](const Dim &dim) {
    return dim.begin ? std::pair(dim.begin, dim.end)
                     : std::pair(none, l.i64(dim.size));
  };
  Block block;
  std::tie(block.mBegin, block.mEnd) = rangeOf(m);
  std::tie(block.nBegin, block.nEnd) = rangeOf(n);
  int64_t outerCount = 1;
  for (const Dim &dim : outer)
    outerCount *= dim.size;
  if (!gridIndex || maxPoints <= 1) {
    forOuter(0, origin, [&](const Origin &inner) { emitMatrix(inner, block); });
    return 1;
  }
  bool splitsRows = n.size * 4 < m.size;
  Dim &split = splitsRows ? m : n;
  int64_t multiple = splitsRows  ? kRowMultiple
                     : dot       ? 8
                     : packsRows ? kBlockColumns
                                 : 2 * width;
  int64_t wanted = llvm::divideCeil(maxPoints, outerCount);
  int64_t chunk = std::min<int64_t>(
      llvm::alignTo(llvm::divideCeil(split.size, wanted), multiple),
      llvm::alignTo(split.size, multiple));
  int64_t chunks = llvm::divideCeil(split.size, chunk);
  int64_t pieces = outerCount * chunks;
  int64_t perPoint = llvm::divideCeil(pieces, maxPoints);
  int64_t points = llvm::divideCeil(pieces, perPoint);
  Value begin = l.mul(gridIndex, perPoint);
  Value end = perPoint == 1
                  ? Value()
                  : minimum(l.add(begin, l.i64(perPoint)), l.i64(pieces));
  auto piece = [&](Value index) {
    auto divide = [&](Value x, int64_t by) {
      return l.b.createOrFold<arith::DivSIOp>(l.loc, x, l.i64(by));
    };
    auto remainder = [&](Value x, int64_t by) {
      return l.b.createOrFold<arith::RemSIOp>(l.loc, x, l.i64(by));
    };
    Value from = l.mul(remainder(index, chunks), chunk), rest = index;
    Value to = minimum(l.add(from, l.i64(chunk)), l.i64(split.size));
    rest = divide(index, chunks);
    Origin inner = origin;
    for (const Dim &dim : llvm::reverse(outer)) {
      inner = advance(inner, dim, remainder(rest, dim.size));
      rest = divide(rest, dim.size);
    }
    Block part = block;
    (splitsRows ? part.mBegin : part.nBegin) = from;
    (splitsRows ? part.mEnd : part.nEnd) = to;
    emitMatrix(inner, part);
  };
  if (perPoint == 1)
    piece(gridIndex);
  else
    forEach(begin, end, 1, piece);
  return points;
}

void ContractionEmitter::emitMatrix(const Origin &origin, const Block &block) {
  forOuterK(0, origin, nullptr, [&](const Origin &inner, Value first) {
    firstOuter = first;
    if (dot)
      emitDot(inner, block);
    else
      emitOuter(inner, block);
  });
}

/// Writes `sums`, results (m, n .. n + columns), on top of what earlier blocks
/// of k or the init left.
void ContractionEmitter::storeSums(const Origin &origin, const KBlock &kBlock,
                                   Value row, Value column, Value sums,
                                   int64_t columns) {
  Value index = at(origin.c, row, m.sc, column, n.sc);
  Value start;
  if (init.view)
    start = l.load(sumType, init.view->base,
                   at(origin.init, row, m.si, column, n.si), columns, n.si);
  else if (init.scalar && !matchPattern(init.scalar, m_AnyZeroFloat()) &&
           !matchPattern(init.scalar, m_Zero()))
    start = init.scalar;
  if (start)
    start = l.splat(start, columns);
  if (kBlock.first) {
    Value before =
        l.splat(l.load(sumType, c.base, index, columns, n.sc), columns);
    start = arith::SelectOp::create(l.b, l.loc, kBlock.first,
                                    start ? start : zero(columns), before);
  }
  if (start)
    sums = plus(start, sums);
  l.store(sumType, sums, c.base, index, columns, n.sc);
}

//===----------------------------------------------------------------------===//
// Dot tiles
//===----------------------------------------------------------------------===//

void ContractionEmitter::emitDot(const Origin &origin, const Block &block) {
  // Rows of the left operand that stay in the first-level cache, columns whose
  // rows of the right operand stay in the second.
  int64_t bytes = kBlock * 4;
  int64_t rowBlock =
      std::max<int64_t>(1, 28 * 1024 / bytes / kDotRows) * kDotRows;
  int64_t columnBlock =
      std::max<int64_t>(1, 384 * 1024 / bytes / kDotColumns) * kDotColumns;
  forEach(block.nBegin, block.nEnd, columnBlock, [&](Value nBegin) {
    Value nEnd = minimum(l.add(nBegin, l.i64(columnBlock)), block.nEnd);
    forKBlocks(firstOuter, [&](const KBlock &kPart) {
      forEach(block.mBegin, block.mEnd, rowBlock, [&](Value mBegin) {
        Value mEnd = minimum(l.add(mBegin, l.i64(rowBlock)), block.mEnd);
        forTiles(nBegin, nEnd, n.size, kDotColumns,
                 [&](Value column, int64_t columns) {
                   forTiles(mBegin, mEnd, m.size, kDotRows,
                            [&](Value row, int64_t rows) {
                              emitDotTile(origin, kPart, row, column, rows,
                                          columns);
                            });
                 });
      });
    });
  });
}

/// One vector of k for all results of a tile. Where `tail` is not zero, the
/// step ends at the end of k and only its last `tail` lanes count.
ContractionEmitter::Values
ContractionEmitter::dotStep(const Origin &origin, Value row, Value column,
                            Value kIndex, int64_t rows, int64_t columns,
                            int64_t tail, Values sums) {
  Value mask;
  if (tail != 0) {
    SmallVector<bool> bits(width, false);
    for (int64_t i = width - tail; i < width; ++i)
      bits[i] = true;
    mask = arith::ConstantOp::create(
        l.b, l.loc,
        DenseElementsAttr::get(VectorType::get({width}, l.b.getI1Type()),
                               bits));
  }
  auto load = [&](const View &view, Value base, Value i, int64_t stride) {
    Value value = loadWide(view, at(base, i, stride, kIndex, 1), width);
    if (mask)
      value = arith::SelectOp::create(l.b, l.loc, mask, value, zero(width));
    return value;
  };
  Values left, right;
  for (int64_t i = 0; i < rows; ++i)
    left.push_back(load(a, origin.a, l.add(row, l.i64(i)), m.sa));
  for (int64_t j = 0; j < columns; ++j)
    right.push_back(load(b, origin.b, l.add(column, l.i64(j)), n.sb));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      sums[i * columns + j] =
          multiplyAdd(left[i], right[j], sums[i * columns + j]);
  return sums;
}

void ContractionEmitter::emitDotTile(const Origin &origin, const KBlock &kPart,
                                     Value row, Value column, int64_t rows,
                                     int64_t columns) {
  Values sums(rows * columns, zero(width));
  int64_t tail = k.size % width, whole = k.size - tail;
  Value end = tail == 0 ? kPart.end : minimum(kPart.end, l.i64(whole));
  sums = forLoop(kPart.begin, end, width, sums, [&](Value iv, Values current) {
    return dotStep(origin, row, column, iv, rows, columns, 0, current);
  });
  if (tail != 0)
    sums = forLoop(l.i64(whole), kPart.end, width, sums,
                   [&](Value, Values current) {
                     return dotStep(origin, row, column, l.i64(k.size - width),
                                    rows, columns, tail, current);
                   });
  for (int64_t i = 0; i < rows; ++i) {
    Value at = l.add(row, l.i64(i));
    ArrayRef<Value> line = ArrayRef(sums).slice(i * columns, columns);
    if (columns == kDotColumns) {
      storeSums(origin, kPart, at, column, sumLanes(line), columns);
      continue;
    }
    // Missing columns repeat the last one, so that every tile sums lanes in
    // one order.
    Values four(line.begin(), line.end());
    four.resize(kDotColumns, line.back());
    Value total = sumLanes(four);
    for (int64_t j = 0; j < columns; ++j) {
      Value one =
          vector::ExtractOp::create(l.b, l.loc, total, ArrayRef<int64_t>{j});
      storeSums(origin, kPart, at, l.add(column, l.i64(j)), one, 0);
    }
  }
}

/// The sums of the lanes of four vectors, as one vector of four. Lanes 2i and
/// 2i + 1 are added first.
Value ContractionEmitter::sumLanes(ArrayRef<Value> vectors) {
  auto addPairs = [&](Value x, Value y) {
    int64_t lanes = LaneBuilder::lanes(x);
    SmallVector<int64_t> even, odd;
    // In every group of four lanes: two sums of x, then two of y.
    for (int64_t base = 0; base < lanes; base += 4)
      for (int64_t part : {base, lanes + base})
        for (int64_t i = 0; i < 4; i += 2) {
          even.push_back(part + i);
          odd.push_back(part + i + 1);
        }
    return plus(vector::ShuffleOp::create(l.b, l.loc, x, y, even),
                vector::ShuffleOp::create(l.b, l.loc, x, y, odd));
  };
  Value total = addPairs(addPairs(vectors[0], vectors[1]),
                         addPairs(vectors[2], vectors[3]));
  while (LaneBuilder::lanes(total) > 4) {
    int64_t half = LaneBuilder::lanes(total) / 2;
    SmallVector<int64_t> low, high;
    for (int64_t i = 0; i < half; ++i) {
      low.push_back(i);
      high.push_back(half + i);
    }
    total = plus(vector::ShuffleOp::create(l.b, l.loc, total, total, low),
                 vector::ShuffleOp::create(l.b, l.loc, total, total, high));
  }
  return total;
}

//===----------------------------------------------------------------------===//
// Outer tiles
//===----------------------------------------------------------------------===//

void ContractionEmitter::emitOuter(const Origin &origin, const Block &block) {
  forEach(block.nBegin, block.nEnd, kBlockColumns, [&](Value nBegin) {
    Block part = block;
    part.nBegin = nBegin;
    part.nEnd = minimum(l.add(nBegin, l.i64(kBlockColumns)), block.nEnd);
    forKBlocks(firstOuter, [&](const KBlock &kPart) {
      if (!direct)
        packColumns(origin, kPart, part);
      // Rows whose part of the left operand stays in the second-level cache.
      int64_t rowBlock = packsRows ? kPackedRows : 240;
      forEach(block.mBegin, block.mEnd, rowBlock, [&](Value mBegin) {
        Block rows = part;
        rows.mBegin = mBegin;
        rows.mEnd = minimum(l.add(mBegin, l.i64(rowBlock)), block.mEnd);
        if (packsRows)
          packRows(origin, kPart, rows.mBegin, rows.mEnd);
        emitPanels(origin, kPart, rows);
      });
    });
  });
}

void ContractionEmitter::emitPanels(const Origin &origin, const KBlock &kPart,
                                    const Block &block) {
  int64_t columns = 2 * width;
  forTiles(block.nBegin, block.nEnd, n.size, columns,
           [&](Value column, int64_t found) {
             forTiles(block.mBegin, block.mEnd, m.size, kOuterRows,
                      [&](Value row, int64_t rows) {
                        emitOuterTile(origin, kPart, block, row, column, rows,
                                      found != columns);
                      });
           });
}

void ContractionEmitter::emitOuterTile(const Origin &origin,
                                       const KBlock &kPart, const Block &block,
                                       Value row, Value column, int64_t rows,
                                       bool edge) {
  Value panel;
  if (!direct) {
    Value distance =
        l.b.createOrFold<arith::SubIOp>(l.loc, column, block.nBegin);
    panel = l.mul(distance, kBlock);
  }
  View packed = b;
  packed.base = packedColumns;
  packed.elementType = sumType;
  View packedLeft = a;
  packedLeft.base = packedRows;
  packedLeft.elementType = sumType;
  Values sums(rows * 2, zero(width));
  sums = forLoop(kPart.begin, kPart.end, 1, sums, [&](Value iv, Values now) {
    Value depth = l.b.createOrFold<arith::SubIOp>(l.loc, iv, kPart.begin);
    Values right;
    for (int64_t v = 0; v < 2; ++v) {
      Value shift = l.i64(v * width);
      right.push_back(
          direct ? loadWide(b, l.add(at(origin.b, column, 1, iv, k.sb), shift),
                            width)
                 : loadWide(packed,
                            l.add(l.add(panel, l.mul(depth, 2 * width)), shift),
                            width));
    }
    for (int64_t i = 0; i < rows; ++i) {
      Value at0 = l.add(row, l.i64(i));
      Value left = packsRows
                       ? loadWide(packedLeft,
                                  l.add(l.mul(l.b.createOrFold<arith::SubIOp>(
                                                  l.loc, at0, block.mBegin),
                                              kBlock),
                                        depth),
                                  0)
                       : loadWide(a, at(origin.a, at0, m.sa, iv, k.sa), 0);
      left = l.splat(left, width);
      for (int64_t v = 0; v < 2; ++v)
        now[2 * i + v] = multiplyAdd(left, right[v], now[2 * i + v]);
    }
    return now;
  });
  for (int64_t i = 0; i < rows; ++i) {
    Value at0 = l.add(row, l.i64(i));
    if (!edge) {
      for (int64_t v = 0; v < 2; ++v)
        storeSums(origin, kPart, at0, l.add(column, l.i64(v * width)),
                  sums[2 * i + v], width);
      continue;
    }
    storeEdge(origin, kPart, at0, column, sums[2 * i], sums[2 * i + 1]);
  }
}

/// Writes the columns that exist of a row of the last panel, in runs of powers
/// of two.
void ContractionEmitter::storeEdge(const Origin &origin, const KBlock &kPart,
                                   Value row, Value column, Value low,
                                   Value high) {
  int64_t rest = n.size % (2 * width), done = 0;
  for (int64_t run = width; run >= 1; run /= 2) {
    while (rest - done >= run) {
      Value from = done < width ? low : high;
      SmallVector<int64_t> lanes;
      for (int64_t i = 0; i < run; ++i)
        lanes.push_back(done % width + i);
      Value part;
      if (run == 1)
        part = vector::ExtractOp::create(l.b, l.loc, from,
                                         ArrayRef<int64_t>{done % width});
      else
        part = vector::ShuffleOp::create(l.b, l.loc, from, from, lanes);
      storeSums(origin, kPart, row, l.add(column, l.i64(done)), part,
                run == 1 ? 0 : run);
      done += run;
    }
  }
}

} // namespace turnip::codegen
