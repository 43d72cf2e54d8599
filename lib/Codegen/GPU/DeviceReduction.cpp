//===- DeviceReduction.cpp - Sums and maxima on a GPU ---------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceGeneric.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace turnip::codegen::gpu {

/// The smallest power of two that is not below `n`.
static int64_t powerOfTwo(int64_t n) { return llvm::PowerOf2Ceil(n); }

//===----------------------------------------------------------------------===//
// Values of one operation
//===----------------------------------------------------------------------===//

void DeviceGeneric::prepareForRows(int64_t column) {
  readLoops();
  vectorLoopIndex = column;
}

int64_t DeviceGeneric::columnLanes() {
  int64_t lanes = lanesAlong(vectorLoopIndex);
  return lanes == 0 ? kAccessBytes : lanes;
}

void DeviceGeneric::setLanes(int64_t lanes) { alignedVectors = lanes > 1; }

GenericEmitter::Values DeviceGeneric::evaluate(ArrayRef<Value> ivs,
                                               int64_t lanes,
                                               const Preloaded &preloaded,
                                               Values accumulators) {
  Point point = start;
  for (auto [loop, iv] : llvm::zip(loops, ivs))
    point = enter(point, loop, iv);
  point.lanes = lanes;
  for (auto [access, value] : preloaded)
    point.preloaded[access] = value;
  Values arguments = loadInputs(point);
  for (unsigned i = 0; i < inits.size(); ++i) {
    if (!accumulators.empty()) {
      arguments.push_back(accumulators[i]);
      continue;
    }
    bool used = !op.getRegionOutputArgs()[i].use_empty();
    arguments.push_back(used ? loadInit(i, point) : Value());
  }
  Values yields = emitBody(point, arguments);
  if (broken)
    return accumulators;
  for (Value &value : yields)
    value = l.splat(value, lanes);
  return yields;
}

Value DeviceGeneric::loadInput(unsigned input, ArrayRef<Value> ivs,
                               int64_t lanes) {
  if (!accesses[input].base || op.getBody()->getArgument(input).use_empty())
    return nullptr;
  Point point = start;
  for (auto [loop, iv] : llvm::zip(loops, ivs))
    point = enter(point, loop, iv);
  point.lanes = lanes;
  return loadAccess(input, point);
}

GenericEmitter::Values
DeviceGeneric::initialValues(ArrayRef<Value> ivs, const Preloaded &preloaded) {
  Point point = start;
  for (auto [loop, iv] : llvm::zip(loops, ivs))
    point = enter(point, loop, iv);
  for (auto [access, value] : preloaded)
    point.preloaded[access] = value;
  Values values;
  for (unsigned i = 0; i < inits.size(); ++i)
    values.push_back(loadInit(i, point));
  return values;
}

void DeviceGeneric::store(ArrayRef<Value> ivs, int64_t lanes,
                          ArrayRef<Value> values) {
  Point point = start;
  for (auto [loop, iv] : llvm::zip(loops, ivs))
    point = enter(point, loop, iv);
  unsigned first = accesses.size() - results.size();
  for (auto [i, value] : llvm::enumerate(values)) {
    const Access &access = accesses[first + i];
    if (access.base)
      l.store(access.elementType, value, access.base,
              offsetOf(first + i, point), lanes,
              lanes ? laneStride(first + i) : 1, alignedVectors ? lanes : 1);
  }
}

GenericEmitter::Values DeviceGeneric::neutralValues(ArrayRef<Operation *> ops,
                                                    int64_t lanes) {
  Values values;
  for (Operation *combiner : ops) {
    TypedAttr attr = *arith::getNeutralElement(combiner);
    if (auto value = dyn_cast<FloatAttr>(attr);
        value && isNarrowFloat(value.getType()))
      attr = l.b.getFloatAttr(l.b.getF32Type(), value.getValueAsDouble());
    values.push_back(
        l.splat(arith::ConstantOp::create(l.b, l.loc, attr), lanes));
  }
  return values;
}

GenericEmitter::Values DeviceGeneric::combineValues(ArrayRef<Operation *> ops,
                                                    ArrayRef<Value> x,
                                                    ArrayRef<Value> y) {
  Values values;
  for (auto [combiner, a, b] : llvm::zip(ops, x, y))
    values.push_back(combine(combiner, a, b));
  return values;
}

//===----------------------------------------------------------------------===//
// Threads together
//===----------------------------------------------------------------------===//

/// Every warp leaves its value in shared memory; every thread combines those of
/// its group.
Value DeviceGeneric::combineWarps(Operation *combiner, Value value,
                                  int64_t threads) {
  int64_t warps = threads / kWarpThreads;
  Type type = value.getType();
  int64_t width =
      type.isIndex() ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  int64_t offset = f.reserveShared(powerOfTwo(width) * 1024 / kWarpThreads);
  Value thread = f.thread(), warpSize = f.constant(thread.getType(), 32);
  Value warp = f.widen(arith::DivUIOp::create(l.b, l.loc, thread, warpSize));
  Value lane = arith::RemUIOp::create(l.b, l.loc, thread, warpSize);
  Value isFirst = f.less(lane, 1);
  f.when(isFirst, [&] { l.store(type, value, f.shared(offset), warp, 0); });
  f.barrier();
  Value member = f.widen(arith::RemUIOp::create(
      l.b, l.loc, lane, f.constant(lane.getType(), warps)));
  Value group =
      l.mul(arith::DivUIOp::create(l.b, l.loc, warp, l.i64(warps)), warps);
  Value other = l.load(type, f.shared(offset), l.add(group, member), 0);
  for (int64_t mask = warps / 2; mask > 0; mask /= 2)
    other = combine(combiner, other, f.shuffleXor(other, mask));
  return other;
}

GenericEmitter::Values DeviceGeneric::combineThreads(ArrayRef<Operation *> ops,
                                                     Values values,
                                                     int64_t threads) {
  for (auto [combiner, value] : llvm::zip(ops, values)) {
    if (LaneBuilder::lanes(value) > 0)
      value = foldLanes(combiner, value);
    for (int64_t mask = std::min(threads, kWarpThreads) / 2; mask > 0;
         mask /= 2)
      value = combine(combiner, value, f.shuffleXor(value, mask));
    if (threads > kWarpThreads)
      value = combineWarps(combiner, value, threads);
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// A thread per element of the result runs the reduced loops in order.
void DeviceGeneric::emitSerialReduction() {
  SmallVector<unsigned> outer, inner;
  for (unsigned i = 0; i < loops.size(); ++i)
    if (loops[i].reduction)
      inner.push_back(i);
    else if (int64_t(i) != vectorLoopIndex)
      outer.push_back(i);
  if (vectorLoopIndex >= 0)
    outer.push_back(vectorLoopIndex);
  vectorLoopIndex = -1;
  SmallVector<int64_t> sizes = sizesOf(outer);
  int64_t total = 1;
  for (int64_t size : sizes)
    total *= size;
  Value id = f.linearThread(total, std::min(total, kBlockThreads));
  f.when(total > kBlockThreads && total % kBlockThreads ? f.less(id, total)
                                                        : Value(),
         [&] {
           Point point = enterAll(outer, f.delinearize(id, sizes), start);
           Values accumulators;
           for (unsigned i = 0; i < inits.size(); ++i)
             accumulators.push_back(loadInit(i, point));
           accumulators =
               reduceNest(inner, point, accumulators,
                          [&](const Point &term, const Values &current) {
                            Values arguments = loadInputs(term);
                            arguments.append(current);
                            Values yields = emitBody(term, arguments);
                            return broken ? current : yields;
                          });
           storeResults(point, accumulators);
         });
}

/// Accumulates the terms of a thread: chunks of `lanes` elements along
/// the last of the `reduced` loops, from chunk `first` on, `step` chunks apart.
GenericEmitter::Values
DeviceGeneric::accumulateTerms(ArrayRef<unsigned> reduced, const Point &point,
                               Value first, int64_t step, int64_t lanes) {
  SmallVector<int64_t> sizes = sizesOf(reduced);
  sizes.back() /= lanes;
  int64_t chunks = 1;
  for (int64_t size : sizes)
    chunks *= size;
  Values neutral = neutralValues(combiners, lanes > 1 ? lanes : 0);
  return forLoop(
      first, l.i64(chunks), step, neutral, [&](Value chunk, Values current) {
        Value index = chunk;
        if (chunks <= std::numeric_limits<int32_t>::max())
          index = arith::TruncIOp::create(l.b, l.loc, l.b.getI32Type(), chunk);
        SmallVector<Value> ivs = f.delinearize(index, sizes);
        ivs.back() = l.mul(ivs.back(), lanes);
        Point term = enterAll(reduced, ivs, point);
        term.lanes = lanes > 1 ? lanes : 0;
        Values arguments = loadInputs(term);
        arguments.append(current);
        Values yields = emitBody(term, arguments);
        if (broken)
          return current;
        for (Value &value : yields)
          value = l.splat(value, term.lanes);
        return yields;
      });
}

/// A group of threads per element of the result; neighbouring threads read
/// neighbouring elements along the reduced loop `column`.
void DeviceGeneric::emitThreadReduction(unsigned column) {
  SmallVector<unsigned> outer, reduced;
  for (unsigned i = 0; i < loops.size(); ++i)
    if (!loops[i].reduction)
      outer.push_back(i);
    else if (i != column)
      reduced.push_back(i);
  reduced.push_back(column);
  vectorLoopIndex = column;
  int64_t lanes = std::max<int64_t>(lanesAlong(column), 1);
  while (loops[column].range.size % lanes != 0)
    lanes /= 2;
  alignedVectors = lanes > 1;
  int64_t chunks = 1, outputs = 1;
  for (int64_t size : sizesOf(reduced))
    chunks *= size;
  chunks /= lanes;
  for (int64_t size : sizesOf(outer))
    outputs *= size;
  // A few chunks per thread; where there are few results, as many threads as a
  // block can have.
  int64_t most = outputs < 256 ? 1024 : kBlockThreads;
  int64_t threads = std::min(powerOfTwo(llvm::divideCeil(chunks, 4)), most);
  int64_t perBlock = std::max<int64_t>(kBlockThreads / threads, 1);
  perBlock = std::min(perBlock, powerOfTwo(outputs));
  // Warps are whole, as shuffles need.
  perBlock = std::max(perBlock, kWarpThreads / threads);
  (void)f.linearThread(llvm::divideCeil(outputs, perBlock) * perBlock * threads,
                       perBlock * threads);
  Type i32 = f.thread().getType();
  Value member = f.widen(
      arith::RemUIOp::create(l.b, l.loc, f.thread(), f.constant(i32, threads)));
  Value group =
      arith::DivUIOp::create(l.b, l.loc, f.thread(), f.constant(i32, threads));
  Value output = arith::AddIOp::create(
      l.b, l.loc,
      arith::MulIOp::create(l.b, l.loc, f.block(), f.constant(i32, perBlock)),
      group);
  // Threads without a result repeat the last one's work: no barrier is missed.
  Value bounded = output, exists;
  if (outputs % perBlock != 0) {
    exists = f.less(output, outputs);
    bounded = arith::MinUIOp::create(l.b, l.loc, output,
                                     f.constant(i32, outputs - 1));
  }
  Point point = enterAll(outer, f.delinearize(bounded, sizesOf(outer)), start);
  Values values = accumulateTerms(reduced, point, member, threads, lanes);
  values = combineThreads(combiners, values, threads);
  Value writes = f.less(member, 1);
  if (exists)
    writes = arith::AndIOp::create(l.b, l.loc, writes, exists);
  f.when(writes, [&] {
    Values initial;
    for (unsigned i = 0; i < inits.size(); ++i)
      initial.push_back(loadInit(i, point));
    storeResults(point, combineValues(combiners, initial, values));
  });
}

/// 32 neighbouring results at a time; the other threads of the block take parts
/// of the reduced iterations, joined through shared memory.
void DeviceGeneric::emitColumnReduction(unsigned column) {
  SmallVector<unsigned> outer, reduced;
  for (unsigned i = 0; i < loops.size(); ++i)
    if (loops[i].reduction)
      reduced.push_back(i);
    else if (i != column)
      outer.push_back(i);
  vectorLoopIndex = -1;
  int64_t terms = 1;
  for (int64_t size : sizesOf(reduced))
    terms *= size;
  SmallVector<int64_t> sizes = sizesOf(outer);
  sizes.push_back(llvm::divideCeil(loops[column].range.size, kWarpThreads));
  int64_t blocks = 1;
  for (int64_t size : sizes)
    blocks *= size;
  int64_t parts = std::min<int64_t>(powerOfTwo(llvm::divideCeil(terms, 8)),
                                    blocks < 256 ? 32 : 8);
  (void)f.linearThread(blocks * parts * kWarpThreads, parts * kWarpThreads);
  Type i32 = f.thread().getType();
  Value x = f.widen(arith::RemUIOp::create(l.b, l.loc, f.thread(),
                                           f.constant(i32, kWarpThreads)));
  Value part = f.widen(arith::DivUIOp::create(l.b, l.loc, f.thread(),
                                              f.constant(i32, kWarpThreads)));
  SmallVector<Value> ivs = f.delinearize(f.block(), sizes);
  Value position = l.add(l.mul(ivs.back(), kWarpThreads), x);
  Value exists = f.less(position, loops[column].range.size);
  Value bounded = arith::MinUIOp::create(l.b, l.loc, position,
                                         l.i64(loops[column].range.size - 1));
  Point point = enter(enterAll(outer, ivs, start), loops[column], bounded);
  Values values = accumulateTerms(reduced, point, part, parts, 1);
  SmallVector<int64_t> offsets;
  for (Value value : values)
    offsets.push_back(f.reserveShared(
        parts * kWarpThreads *
        std::max<int64_t>(LaneBuilder::byteWidth(value.getType()), 1)));
  Value slot = l.add(l.mul(part, kWarpThreads), x);
  for (int64_t half = parts / 2; half > 0; half /= 2) {
    for (auto [value, offset] : llvm::zip(values, offsets))
      l.store(value.getType(), value, f.shared(offset), slot, 0);
    f.barrier();
    // The part that is `half` away; the upper parts repeat the lower ones'
    // work.
    Value partner =
        arith::XOrIOp::create(l.b, l.loc, slot, l.i64(half * kWarpThreads));
    Values others;
    for (auto [value, offset] : llvm::zip(values, offsets))
      others.push_back(l.load(value.getType(), f.shared(offset), partner, 0));
    f.barrier();
    values = combineValues(combiners, values, others);
  }
  Value writes = arith::AndIOp::create(l.b, l.loc, exists, f.less(part, 1));
  f.when(writes, [&] {
    Values initial;
    for (unsigned i = 0; i < inits.size(); ++i)
      initial.push_back(loadInit(i, point));
    storeResults(point, combineValues(combiners, initial, values));
  });
}

} // namespace turnip::codegen::gpu
