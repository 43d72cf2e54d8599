//===- ContractionStep.cpp - Products without a matrix library ------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionStep.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace turnip::codegen::gpu {

namespace {
/// Results of a block along m and n, terms that are staged at once, and results
/// of a thread along m and n. 16 x 16 threads.
constexpr int64_t kTile = 64, kTerms = 16, kPerThread = 4;
/// Rows of staged tiles are longer by what keeps them aligned and apart.
constexpr int64_t kRow = kTile + 4;

class ContractionStep : public DeviceGeneric {
public:
  ContractionStep(DeviceFunction &function, linalg::GenericOp op,
                  const Contraction &contraction)
      : DeviceGeneric(function, op), contraction(contraction) {}

  void emitTiles();

private:
  using Dims = ArrayRef<int64_t>;
  /// One operand's side of the product.
  struct Side {
    unsigned access = 0;
    Dims free;
    int64_t size = 1;
    /// Offset of the elements that this thread stages, without the terms, and
    /// whether they exist.
    SmallVector<Value> offsets, exists;
    /// Where they go in the staged tile, and their place among the terms.
    SmallVector<Value> slots, terms;
    int64_t shared = 0;
    Type type;
  };

  int64_t sizeOf(Dims dims) {
    int64_t n = 1;
    for (int64_t dim : dims)
      n *= loops[dim].range.size;
    return n;
  }
  /// The offset that `index` into the flattened `dims` adds to an access.
  Value offsetOfDims(unsigned access, Dims dims, Value index);
  void prepareSide(Side &side, Value batchOffset, Value tile);
  void stage(const Side &side, Value firstTerm);
  Values multiply(const Side &a, const Side &b, Values sums);
  void writeTile(const Side &a, const Side &b, Values sums,
                 ArrayRef<Value> batchIvs, Value tileM, Value tileN);

  const Contraction &contraction;
  int64_t terms = 1;
  Value x, y;
};
} // namespace

Value ContractionStep::offsetOfDims(unsigned access, Dims dims, Value index) {
  SmallVector<int64_t> sizes;
  for (int64_t dim : dims)
    sizes.push_back(loops[dim].range.size);
  Value offset = l.i64(0);
  for (auto [dim, iv] : llvm::zip(dims, f.delinearize(index, sizes)))
    offset = l.add(offset, l.mul(iv, loops[dim].strides[access]));
  return offset;
}

/// Thread t stages elements t, t + 256, ... of the 64 x 16 tile, counted along
/// whichever of its two sides is contiguous in memory.
void ContractionStep::prepareSide(Side &side, Value batchOffset, Value tile) {
  side.size = sizeOf(side.free);
  side.type = accesses[side.access].elementType;
  side.shared = f.reserveShared(
      kTerms * kRow *
      std::max<int64_t>(LaneBuilder::byteWidth(l.registerType(side.type)), 1));
  bool alongTerms = loops[contraction.k.back()].strides[side.access] == 1;
  for (int64_t first = 0; first < kTile * kTerms; first += kBlockThreads) {
    Value element = l.add(f.widen(f.thread()), l.i64(first));
    int64_t inner = alongTerms ? kTerms : kTile;
    Value fast = arith::RemUIOp::create(l.b, l.loc, element, l.i64(inner));
    Value slow = arith::DivUIOp::create(l.b, l.loc, element, l.i64(inner));
    Value term = alongTerms ? fast : slow, local = alongTerms ? slow : fast;
    Value position = l.add(l.mul(tile, kTile), local);
    Value exists = f.less(position, side.size);
    Value bounded =
        arith::SelectOp::create(l.b, l.loc, exists, position, l.i64(0));
    Value narrow =
        arith::TruncIOp::create(l.b, l.loc, l.b.getI32Type(), bounded);
    side.offsets.push_back(
        l.add(batchOffset, offsetOfDims(side.access, side.free, narrow)));
    side.exists.push_back(exists);
    side.terms.push_back(term);
    side.slots.push_back(l.add(l.mul(term, kRow), local));
  }
}

/// Loads this thread's elements of the terms from `firstTerm` on; what does not
/// exist is zero.
void ContractionStep::stage(const Side &side, Value firstTerm) {
  Type type = l.registerType(side.type);
  Value zero = arith::ConstantOp::create(l.b, l.loc, l.b.getZeroAttr(type));
  for (unsigned i = 0; i < side.offsets.size(); ++i) {
    Value term = l.add(firstTerm, side.terms[i]);
    Value inside = f.less(term, terms);
    Value bounded = arith::SelectOp::create(l.b, l.loc, inside, term, l.i64(0));
    Value narrow =
        arith::TruncIOp::create(l.b, l.loc, l.b.getI32Type(), bounded);
    Value offset = l.add(side.offsets[i],
                         offsetOfDims(side.access, contraction.k, narrow));
    Value value = l.load(side.type, accesses[side.access].base, offset, 0);
    Value exists = arith::AndIOp::create(l.b, l.loc, inside, side.exists[i]);
    value = arith::SelectOp::create(l.b, l.loc, exists, value, zero);
    l.store(type, value, f.shared(side.shared), side.slots[i], 0);
  }
}

GenericEmitter::Values ContractionStep::multiply(const Side &a, const Side &b,
                                                 Values sums) {
  bool isFloat = contraction.isFloat;
  Type accumulator = sums.front().getType();
  auto read = [&](const Side &side, int64_t term, Value position) {
    Type type = l.registerType(side.type);
    Value at = l.add(l.mul(position, kPerThread), l.i64(term * kRow));
    Value vector = l.load(type, f.shared(side.shared), at, kPerThread, 1,
                          LaneBuilder::byteWidth(type) <= 4 ? kPerThread : 2);
    Values values;
    for (int64_t i = 0; i < kPerThread; ++i) {
      Value value =
          vector::ExtractOp::create(l.b, l.loc, vector, ArrayRef<int64_t>{i});
      if (!isFloat && value.getType() != accumulator)
        value = arith::ExtSIOp::create(l.b, l.loc, accumulator, value);
      values.push_back(value);
    }
    return values;
  };
  for (int64_t term = 0; term < kTerms; ++term) {
    Values left = read(a, term, y), right = read(b, term, x);
    for (int64_t i = 0; i < kPerThread; ++i)
      for (int64_t j = 0; j < kPerThread; ++j) {
        Value &sum = sums[i * kPerThread + j];
        if (isFloat)
          sum = math::FmaOp::create(l.b, l.loc, left[i], right[j], sum);
        else
          sum = arith::AddIOp::create(
              l.b, l.loc, sum,
              arith::MulIOp::create(l.b, l.loc, left[i], right[j]));
      }
  }
  return sums;
}

void ContractionStep::writeTile(const Side &a, const Side &b, Values sums,
                                ArrayRef<Value> batchIvs, Value tileM,
                                Value tileN) {
  Point outer = start;
  for (auto [dim, iv] : llvm::zip(contraction.batch, batchIvs))
    outer = enter(outer, loops[dim], iv);
  auto enterDims = [&](Point point, Dims dims, Value index) {
    SmallVector<int64_t> sizes;
    for (int64_t dim : dims)
      sizes.push_back(loops[dim].range.size);
    Value narrow = arith::TruncIOp::create(l.b, l.loc, l.b.getI32Type(), index);
    for (auto [dim, iv] : llvm::zip(dims, f.delinearize(narrow, sizes)))
      point = enter(point, loops[dim], iv);
    return point;
  };
  for (int64_t i = 0; i < kPerThread; ++i)
    for (int64_t j = 0; j < kPerThread; ++j) {
      Value m =
          l.add(l.mul(tileM, kTile), l.add(l.mul(y, kPerThread), l.i64(i)));
      Value n =
          l.add(l.mul(tileN, kTile), l.add(l.mul(x, kPerThread), l.i64(j)));
      Value exists = arith::AndIOp::create(l.b, l.loc, f.less(m, a.size),
                                           f.less(n, b.size));
      f.when(exists, [&] {
        Point point = enterDims(enterDims(outer, a.free, m), b.free, n);
        Value initial = loadInit(0, point);
        Value sum = sums[i * kPerThread + j];
        if (contraction.isFloat)
          sum = arith::AddFOp::create(l.b, l.loc, initial, sum);
        else
          sum = arith::AddIOp::create(l.b, l.loc, initial, sum);
        storeResults(point, sum);
      });
    }
}

void ContractionStep::emitTiles() {
  readLoops();
  Side a, b;
  a.access = 0;
  a.free = contraction.m;
  b.access = 1;
  b.free = contraction.n;
  terms = sizeOf(contraction.k);
  int64_t tilesM = llvm::divideCeil(sizeOf(a.free), kTile);
  int64_t tilesN = llvm::divideCeil(sizeOf(b.free), kTile);
  SmallVector<int64_t> sizes;
  for (int64_t dim : contraction.batch)
    sizes.push_back(loops[dim].range.size);
  int64_t blocks = sizeOf(contraction.batch) * tilesM * tilesN;
  sizes.append({tilesM, tilesN});
  (void)f.linearThread(blocks * kBlockThreads, kBlockThreads);
  SmallVector<Value> ivs = f.delinearize(f.block(), sizes);
  Value tileN = ivs.pop_back_val(), tileM = ivs.pop_back_val();
  Value side16 = f.constant(f.thread().getType(), kTile / kPerThread);
  x = f.widen(arith::RemUIOp::create(l.b, l.loc, f.thread(), side16));
  y = f.widen(arith::DivUIOp::create(l.b, l.loc, f.thread(), side16));
  for (auto [side, tile] : {std::pair(&a, tileM), std::pair(&b, tileN)}) {
    Value offset = start.offsets[side->access];
    for (auto [dim, iv] : llvm::zip(contraction.batch, ivs))
      offset = l.add(offset, l.mul(iv, loops[dim].strides[side->access]));
    prepareSide(*side, offset, tile);
  }
  Type accumulator = l.registerType(op.getRegionOutputArgs().front().getType());
  Value zero =
      arith::ConstantOp::create(l.b, l.loc, l.b.getZeroAttr(accumulator));
  Values sums(kPerThread * kPerThread, zero);
  sums = forLoop(l.i64(0), l.i64(terms), kTerms, sums,
                 [&](Value term, Values current) {
                   stage(a, term);
                   stage(b, term);
                   f.barrier();
                   current = multiply(a, b, current);
                   f.barrier();
                   return current;
                 });
  writeTile(a, b, sums, ivs, tileM, tileN);
}

bool fillsTiles(linalg::GenericOp op, const Contraction &contraction) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  double share = 1;
  for (auto [dims, tile] : {std::pair(ArrayRef(contraction.m), kTile),
                            std::pair(ArrayRef(contraction.n), kTile),
                            std::pair(ArrayRef(contraction.k), kTerms)}) {
    int64_t size = 1;
    for (int64_t dim : dims)
      size *= sizes[dim];
    share *= double(size) / llvm::alignTo(size, tile);
  }
  return share >= 0.25;
}

LogicalResult emitContraction(KernelSteps &steps, linalg::GenericOp op,
                              const Contraction &contraction) {
  DeviceFunction function = steps.beginFunction();
  ContractionStep step(function, op, contraction);
  steps.prepareGeneric(function, step, op);
  step.emitTiles();
  return steps.finishStep(function);
}

} // namespace turnip::codegen::gpu
