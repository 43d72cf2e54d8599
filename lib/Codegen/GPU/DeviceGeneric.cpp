//===- DeviceGeneric.cpp - The threads of one linalg.generic --------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceGeneric.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <numeric>

using namespace mlir;

namespace turnip::codegen::gpu {

SmallVector<Operation *> findCombiners(linalg::GenericOp op) {
  SmallVector<Operation *> combiners;
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i) {
    SmallVector<Operation *> found;
    if (!matchReduction(op.getRegionOutputArgs(), i, found) ||
        found.size() != 1 || !arith::getNeutralElement(found.front()))
      return {};
    combiners.push_back(found.front());
  }
  return combiners;
}

DeviceGeneric::DeviceGeneric(DeviceFunction &function, linalg::GenericOp op)
    : GenericEmitter(
          function.l, op,
          [&function](Value tensor) { return function.viewOf(tensor); },
          [&function](Value value) { return function.scalar(value); }),
      f(function), combiners(findCombiners(op)) {}

//===----------------------------------------------------------------------===//
// Which form
//===----------------------------------------------------------------------===//

void DeviceGeneric::readLoops() {
  for (auto [dim, size] : llvm::enumerate(op.getStaticLoopRanges())) {
    Range range;
    range.begin = l.i64(0);
    range.end = l.i64(size);
    range.size = size;
    ranges.push_back(range);
  }
  // Never fails: every operand has a form.
  (void)buildAccesses();
  buildLoops();
  for (const Access &access : accesses)
    start.offsets.push_back(access.offset);
  start.ivs.assign(ranges.size(), l.i64(0));
  start.preloaded.resize(accesses.size());
}

/// True where every element of a result is made by one trip through the
/// parallel loops.
bool DeviceGeneric::isRegular() {
  for (const Loop &loop : loops)
    for (unsigned i = accesses.size() - results.size(); i < accesses.size();
         ++i)
      if (!accesses[i].linear || (loop.strides[i] == 0) != loop.reduction)
        return false;
  for (AffineMap map :
       llvm::drop_begin(op.getIndexingMapsArray(), inputs.size()))
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return false;
  return true;
}

/// Chooses the parallel loop that most operands are contiguous along, results
/// first: neighbouring threads take neighbouring iterations of it.
void DeviceGeneric::chooseColumn() {
  int64_t best = std::numeric_limits<int64_t>::min();
  unsigned firstInit = inputs.size(), firstResult = firstInit + inits.size();
  for (auto [index, loop] : llvm::enumerate(loops)) {
    if (loop.reduction)
      continue;
    int64_t score = loop.range.size >= 4 ? 2 : 0;
    for (auto [i, stride] : llvm::enumerate(loop.strides)) {
      if (!accesses[i].base || (i >= firstInit && i < firstResult))
        continue;
      int64_t weight = i >= firstResult ? 8 : 4;
      score += stride == 1 ? weight : stride == 0 ? 0 : -1;
    }
    if (score >= best) {
      best = score;
      vectorLoopIndex = index;
    }
  }
}

/// The largest power of two of elements along `loop` that are aligned, and no
/// more than 16 bytes of the narrowest operand; 0 where no operand in memory
/// has a say.
int64_t DeviceGeneric::lanesAlong(int64_t index) {
  const Loop &loop = loops[index];
  int64_t narrow = kAccessBytes, wide = 0, lanes = kAccessBytes;
  for (Operation &inner : op.getBody()->without_terminator())
    if (inner.getNumRegions() != 0)
      return 1;
  auto meet = [&](Type type) {
    narrow = std::min(narrow, LaneBuilder::byteWidth(type));
    wide = std::max(wide, LaneBuilder::byteWidth(type));
  };
  for (auto [i, access] : llvm::enumerate(accesses)) {
    if (!access.base)
      continue;
    if (!access.linear)
      return 1;
    if (loop.strides[i] != 1)
      continue;
    meet(access.elementType);
    lanes = std::gcd(lanes, access.alignment);
    for (auto [other, outer] : llvm::enumerate(loops))
      if (int64_t(other) != index && outer.range.size > 1)
        lanes = std::gcd(lanes, outer.strides[i]);
  }
  op.getBody()->walk(
      [&](tensor::ExtractOp extract) { meet(extract.getType()); });
  if (wide == 0)
    return 0;
  // Registers: no more than 8 values of 4 bytes or wider at once.
  lanes = std::min(lanes, kAccessBytes / narrow);
  lanes = std::min<int64_t>(lanes, wide >= 8 ? 2 : wide >= 4 ? 8 : 16);
  while (lanes > loop.range.size)
    lanes /= 2;
  return std::max<int64_t>(lanes, 1);
}

/// A parallel loop other than the chosen one that some input is contiguous
/// along, or -1. Reading such an input element by element would touch a sector
/// of memory per element.
int64_t DeviceGeneric::findTransposed() {
  if (vectorLoopIndex < 0 || loops[vectorLoopIndex].range.size < 8)
    return -1;
  for (unsigned i = 0; i < inputs.size(); ++i) {
    if (!accesses[i].base || !accesses[i].linear ||
        op.getBody()->getArgument(i).use_empty())
      continue;
    int64_t stride = loops[vectorLoopIndex].strides[i];
    if (stride == 0 || stride == 1)
      continue;
    for (auto [index, loop] : llvm::enumerate(loops))
      if (int64_t(index) != vectorLoopIndex && !loop.reduction &&
          loop.range.size >= 8 && loop.strides[i] == 1)
        return index;
  }
  return -1;
}

LogicalResult DeviceGeneric::emit() {
  readLoops();
  dropUnitLoops(start);
  coalesce();
  bool reduces =
      llvm::any_of(loops, [](const Loop &loop) { return loop.reduction; });
  if (!isRegular()) {
    emitAlone();
    return failure(broken);
  }
  chooseColumn();
  if (!reduces) {
    elementwise = true;
    int64_t other = findTransposed();
    if (other >= 0)
      emitTransposed(other);
    else
      emitMap();
    return failure(broken);
  }
  if (combiners.empty()) {
    emitSerialReduction();
    return failure(broken);
  }
  int64_t best = -1;
  for (auto [index, loop] : llvm::enumerate(loops))
    if (loop.reduction &&
        (best < 0 || reductionScore(index) >= reductionScore(best)))
      best = index;
  if (vectorLoopIndex >= 0 && loops[vectorLoopIndex].range.size >= 8 &&
      reductionScore(vectorLoopIndex) > reductionScore(best))
    emitColumnReduction(vectorLoopIndex);
  else
    emitThreadReduction(best);
  return failure(broken);
}

/// How many inputs are contiguous along a loop.
int64_t DeviceGeneric::reductionScore(unsigned index) {
  int64_t score = 0;
  for (unsigned i = 0; i < inputs.size(); ++i)
    if (accesses[i].base)
      score += loops[index].strides[i] == 1;
  return score;
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

SmallVector<int64_t> DeviceGeneric::sizesOf(ArrayRef<unsigned> order) {
  SmallVector<int64_t> sizes;
  for (unsigned index : order)
    sizes.push_back(loops[index].range.size);
  return sizes;
}

GenericEmitter::Point DeviceGeneric::enterAll(ArrayRef<unsigned> order,
                                              ArrayRef<Value> ivs,
                                              const Point &point) {
  Point inner = point;
  for (auto [index, iv] : llvm::zip(order, ivs))
    inner = enter(inner, loops[index], iv);
  return inner;
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

void DeviceGeneric::emitElement(const Point &point) {
  Values arguments = loadInputs(point);
  for (unsigned i = 0; i < inits.size(); ++i) {
    bool used = !op.getRegionOutputArgs()[i].use_empty();
    arguments.push_back(used ? loadInit(i, point) : Value());
  }
  Values yields = emitBody(point, arguments);
  if (!broken)
    storeResults(point, yields);
}

void DeviceGeneric::emitMap() {
  if (loops.empty()) {
    Value id = f.linearThread(1, 1);
    (void)id;
    emitElement(start);
    return;
  }
  int64_t lanes = std::max<int64_t>(lanesAlong(vectorLoopIndex), 1);
  const Loop &column = loops[vectorLoopIndex];
  SmallVector<unsigned> order;
  for (unsigned i = 0; i < loops.size(); ++i)
    if (int64_t(i) != vectorLoopIndex)
      order.push_back(i);
  SmallVector<int64_t> sizes = sizesOf(order);
  sizes.push_back(llvm::divideCeil(column.range.size, lanes));
  int64_t total = 1;
  for (int64_t size : sizes)
    total *= size;
  Value id = f.linearThread(total, kBlockThreads);
  alignedVectors = lanes > 1;
  f.when(total % kBlockThreads ? f.less(id, total) : Value(), [&] {
    SmallVector<Value> ivs = f.delinearize(id, sizes);
    Point outer = enterAll(order, ivs, start);
    Value first = l.mul(ivs.back(), lanes);
    auto vector = [&] {
      Point point = enter(outer, column, first);
      point.lanes = lanes > 1 ? lanes : 0;
      emitElement(point);
    };
    if (column.range.size % lanes == 0)
      return vector();
    Value whole = f.less(first, column.range.size - lanes + 1);
    auto branch = scf::IfOp::create(l.b, l.loc, whole, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(l.b);
    l.b.setInsertionPoint(branch.thenYield());
    vector();
    l.b.setInsertionPoint(branch.elseYield());
    forLoop(first, l.i64(column.range.size), 1, {},
            [&](Value iv, const Values &) {
              emitElement(enter(outer, column, iv));
              return Values();
            });
  });
}

/// Nothing is known about how results are written: one thread runs all loops in
/// order.
void DeviceGeneric::emitAlone() {
  Value id = f.linearThread(1, 1);
  (void)id;
  emitInMemory();
}

//===----------------------------------------------------------------------===//
// Transpositions
//===----------------------------------------------------------------------===//

static constexpr int64_t kTile = 32;
/// Rows of a tile in shared memory are one element longer, so that the threads
/// of a warp that read a column of the tile use different banks.
static constexpr int64_t kTileRow = kTile + 1;
static constexpr int64_t kTileThreadRows = kBlockThreads / kTile;

/// Loads the tile of one input, 32 neighbouring elements at a time.
void DeviceGeneric::stageTile(const Point &outer, unsigned other,
                              unsigned input, int64_t offset, Value column0,
                              Value other0) {
  const Loop &columnLoop = loops[vectorLoopIndex], &otherLoop = loops[other];
  Value x = f.widen(arith::RemUIOp::create(
      l.b, l.loc, f.thread(), f.constant(f.thread().getType(), kTile)));
  Value y = f.widen(arith::DivUIOp::create(
      l.b, l.loc, f.thread(), f.constant(f.thread().getType(), kTile)));
  Value otherIv = l.add(other0, x);
  for (int64_t row = 0; row < kTile; row += kTileThreadRows) {
    Value local = l.add(y, l.i64(row)), columnIv = l.add(column0, local);
    Value inside =
        arith::AndIOp::create(l.b, l.loc, f.less(otherIv, otherLoop.range.size),
                              f.less(columnIv, columnLoop.range.size));
    f.when(inside, [&] {
      Point point =
          enter(enter(outer, columnLoop, columnIv), otherLoop, otherIv);
      Value index = l.add(l.mul(local, kTileRow), x);
      l.store(accesses[input].elementType, loadAccess(input, point),
              f.shared(offset), index, 0);
    });
  }
}

void DeviceGeneric::emitTransposed(unsigned other) {
  const Loop &columnLoop = loops[vectorLoopIndex], &otherLoop = loops[other];
  SmallVector<unsigned> order;
  for (unsigned i = 0; i < loops.size(); ++i)
    if (int64_t(i) != vectorLoopIndex && i != other)
      order.push_back(i);
  SmallVector<int64_t> sizes = sizesOf(order);
  sizes.push_back(llvm::divideCeil(otherLoop.range.size, kTile));
  sizes.push_back(llvm::divideCeil(columnLoop.range.size, kTile));
  int64_t blocks = 1;
  for (int64_t size : sizes)
    blocks *= size;
  (void)f.linearThread(blocks * kBlockThreads, kBlockThreads);
  SmallVector<Value> ivs = f.delinearize(f.block(), sizes);
  Point outer = enterAll(order, ivs, start);
  Value column0 = l.mul(ivs[order.size() + 1], kTile);
  Value other0 = l.mul(ivs[order.size()], kTile);
  SmallVector<int64_t> offsets;
  for (unsigned i = 0; i < inputs.size(); ++i) {
    if (!accesses[i].base || !accesses[i].linear ||
        op.getBody()->getArgument(i).use_empty() || otherLoop.strides[i] != 1 ||
        columnLoop.strides[i] == 0 || columnLoop.strides[i] == 1)
      continue;
    staged.push_back(i);
    offsets.push_back(f.reserveShared(
        kTile * kTileRow * LaneBuilder::byteWidth(accesses[i].elementType)));
    stageTile(outer, other, i, offsets.back(), column0, other0);
  }
  f.barrier();
  Value width = f.constant(f.thread().getType(), kTile);
  Value x = f.widen(arith::RemUIOp::create(l.b, l.loc, f.thread(), width));
  Value y = f.widen(arith::DivUIOp::create(l.b, l.loc, f.thread(), width));
  Value columnIv = l.add(column0, x);
  for (int64_t row = 0; row < kTile; row += kTileThreadRows) {
    Value local = l.add(y, l.i64(row)), otherIv = l.add(other0, local);
    Value inside =
        arith::AndIOp::create(l.b, l.loc, f.less(otherIv, otherLoop.range.size),
                              f.less(columnIv, columnLoop.range.size));
    f.when(inside, [&] {
      Point point =
          enter(enter(outer, columnLoop, columnIv), otherLoop, otherIv);
      Value index = l.add(l.mul(x, kTileRow), local);
      for (auto [input, offset] : llvm::zip(staged, offsets))
        point.preloaded[input] =
            l.load(accesses[input].elementType, f.shared(offset), index, 0);
      emitElement(point);
    });
  }
}

} // namespace turnip::codegen::gpu
