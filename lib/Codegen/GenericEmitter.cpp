//===- GenericEmitter.cpp - Loops for one linalg.generic ------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericEmitter.h"
#include "MathExpansion.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace mlir;

namespace turnip::codegen {

SmallVector<int64_t> View::denseStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

int64_t View::numElements() const {
  int64_t n = 1;
  for (int64_t size : shape)
    n *= size;
  return n;
}

//===----------------------------------------------------------------------===//
// Accesses and loops
//===----------------------------------------------------------------------===//

/// Adds `expr` * `factor` to the per-dimension `strides` and `constant`; fails
/// where the expression is not linear.
static LogicalResult flatten(AffineExpr expr, int64_t factor,
                             SmallVectorImpl<int64_t> &strides,
                             int64_t &constant) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    strides[dim.getPosition()] += factor;
    return success();
  }
  if (auto value = dyn_cast<AffineConstantExpr>(expr)) {
    constant += factor * value.getValue();
    return success();
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return failure();
  if (binary.getKind() == AffineExprKind::Add)
    return success(
        succeeded(flatten(binary.getLHS(), factor, strides, constant)) &&
        succeeded(flatten(binary.getRHS(), factor, strides, constant)));
  auto value = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (binary.getKind() != AffineExprKind::Mul || !value)
    return failure();
  return flatten(binary.getLHS(), factor * value.getValue(), strides, constant);
}

LogicalResult GenericEmitter::addAccess(const Operand &operand, AffineMap map) {
  Access access;
  access.map = map;
  access.scalar = operand.scalar;
  access.strides.assign(map.getNumDims(), 0);
  access.offset = l.i64(0);
  if (operand.view) {
    const View &view = *operand.view;
    access.elementType = view.elementType;
    access.base = view.base;
    access.viewStrides = view.strides;
    int64_t constant = 0;
    for (auto [expr, stride] : llvm::zip(map.getResults(), view.strides))
      if (failed(flatten(expr, stride, access.strides, constant)))
        access.linear = false;
    if (!access.linear)
      constant = 0;
    access.offset = l.add(view.offset, l.i64(constant));
    access.alignment = access.linear ? std::gcd(view.alignment, constant) : 1;
  }
  accesses.push_back(std::move(access));
  return success();
}

LogicalResult GenericEmitter::buildAccesses() {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned numInputs = inputs.size();
  for (auto [i, input] : llvm::enumerate(inputs))
    if (failed(addAccess(input, maps[i])))
      return failure();
  for (auto [i, init] : llvm::enumerate(inits))
    if (failed(addAccess(init, maps[numInputs + i])))
      return failure();
  for (auto [i, result] : llvm::enumerate(results)) {
    Operand operand;
    operand.view = result;
    if (failed(addAccess(operand, maps[numInputs + i])))
      return failure();
  }
  return success();
}

void GenericEmitter::buildLoops() {
  for (auto [dim, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    Loop loop;
    loop.range = ranges[dim];
    loop.reduction = iterator == utils::IteratorType::reduction;
    loop.dim = dim;
    for (const Access &access : accesses)
      loop.strides.push_back(access.strides[dim]);
    loops.push_back(std::move(loop));
  }
}

/// Loops of one iteration become part of the starting point.
void GenericEmitter::dropUnitLoops(Point &point) {
  for (unsigned i = 0; i < loops.size();) {
    if (loops[i].range.size != 1) {
      ++i;
      continue;
    }
    point = enter(point, loops[i], loops[i].range.begin);
    loops.erase(loops.begin() + i);
  }
}

/// Joins neighbouring loops that walk memory like one longer loop.
void GenericEmitter::coalesce() {
  if (op.hasIndexSemantics())
    return;
  for (const Access &access : accesses)
    if (!access.linear)
      return;
  for (unsigned i = 0; i + 1 < loops.size();) {
    Loop &outer = loops[i], &inner = loops[i + 1];
    int64_t size = inner.range.size;
    bool joins = inner.range.whole && outer.reduction == inner.reduction;
    for (auto [a, b] : llvm::zip(outer.strides, inner.strides))
      joins &= a == b * size;
    if (!joins) {
      ++i;
      continue;
    }
    outer.strides = inner.strides;
    outer.range.begin = l.mul(outer.range.begin, size);
    outer.range.end = l.mul(outer.range.end, size);
    outer.range.size *= size;
    loops.erase(loops.begin() + i + 1);
  }
}

int64_t GenericEmitter::bodyCost() {
  int64_t cost = 0;
  for (Operation &inner : op.getBody()->without_terminator())
    cost += isTranscendental(&inner) ? 10 : 1;
  return cost;
}

/// Vectors of several registers hide latency where the body is light.
int64_t GenericEmitter::wideLanes(const Loop &loop) {
  if (bodyCost() <= 4 && loop.range.size >= 4 * width)
    return 4 * width;
  return width;
}

void GenericEmitter::chooseVectorLoop() {
  int64_t best = 0;
  int64_t full = l.target.vectorBits() / 32;
  for (const Access &access : accesses)
    if (!access.linear)
      return;
  for (Operation &inner : op.getBody()->without_terminator())
    if (inner.getNumRegions() != 0)
      return;
  unsigned firstInit = inputs.size(), firstResult = firstInit + inits.size();
  for (auto [index, loop] : llvm::enumerate(loops)) {
    if (loop.range.size < 4)
      continue;
    if (loop.reduction && !resultsAreAccumulators())
      continue;
    int64_t score = 1;
    for (auto [i, stride] : llvm::enumerate(loop.strides)) {
      if (!accesses[i].base || (i >= firstInit && i < firstResult))
        continue;
      bool isResult = i >= firstResult;
      if (loop.reduction && isResult)
        continue;
      score += stride == 0 ? 1 : stride == 1 ? (isResult ? 8 : 4) : -4;
    }
    if (loop.range.size >= full)
      ++score;
    if (score > best) {
      best = score;
      vectorLoopIndex = index;
      width = full;
      while (width > loop.range.size)
        width /= 2;
    }
  }
}

/// True where every result is `combiner(accumulator, f(inputs))` with one known
/// associative combiner, so that lanes may accumulate apart.
bool GenericEmitter::resultsAreAccumulators() {
  for (unsigned i = 0, e = results.size(); i < e; ++i) {
    SmallVector<Operation *> combiners;
    if (!matchReduction(op.getRegionOutputArgs(), i, combiners) ||
        combiners.size() != 1 || !arith::getNeutralElement(combiners.front()))
      return false;
  }
  return true;
}

LogicalResult GenericEmitter::prepare() {
  if (failed(buildAccesses()))
    return failure();
  buildLoops();
  for (const Access &access : accesses)
    start.offsets.push_back(access.offset);
  start.ivs.resize(ranges.size());
  start.preloaded.resize(accesses.size());
  dropUnitLoops(start);
  coalesce();
  chooseForm();
  return success();
}

int64_t GenericEmitter::splitOuterLoop(Value gridIndex, int64_t maxPoints) {
  if (form == Form::inMemory || maxPoints <= 1)
    return 1;
  int64_t chosen = -1;
  for (auto [index, loop] : llvm::enumerate(loops))
    if (!loop.reduction &&
        (chosen < 0 || loop.range.size > 2 * loops[chosen].range.size))
      chosen = index;
  if (chosen < 0)
    return 1;
  Loop &loop = loops[chosen];
  int64_t size = loop.range.size;
  int64_t chunk = llvm::divideCeil(size, maxPoints);
  if (chosen == vectorLoopIndex)
    chunk = llvm::alignTo(chunk, 64);
  int64_t points = llvm::divideCeil(size, chunk);
  if (points <= 1)
    return 1;
  loop.range.begin = l.mul(gridIndex, chunk);
  loop.range.end = arith::MinSIOp::create(
      l.b, l.loc, l.add(loop.range.begin, l.i64(chunk)), l.i64(size));
  loop.range.size = chunk;
  loop.range.whole = false;
  return points;
}

void GenericEmitter::chooseForm() {
  // Every element of a result must be made by one trip through the parallel
  // loops for its accumulator to live in a register.
  bool reduces = false, regular = true;
  for (auto [index, loop] : llvm::enumerate(loops)) {
    reduces |= loop.reduction;
    for (unsigned i = accesses.size() - results.size(); i < accesses.size();
         ++i)
      regular &=
          accesses[i].linear &&
          (loop.range.size == 1 || (loop.strides[i] == 0) == loop.reduction);
  }
  for (AffineMap map :
       llvm::drop_begin(op.getIndexingMapsArray(), inputs.size()))
    regular &= map.isProjectedPermutation(/*allowZeroInResults=*/true);
  if (!regular) {
    form = Form::inMemory;
    return;
  }
  chooseVectorLoop();
  if (!reduces)
    form = Form::parallel;
  else if (vectorLoopIndex >= 0 && loops[vectorLoopIndex].reduction)
    form = Form::laneReduction;
  else
    form = Form::reduction;
}

LogicalResult GenericEmitter::emit() {
  switch (form) {
  case Form::inMemory:
    emitInMemory();
    break;
  case Form::parallel:
    emitParallel();
    break;
  case Form::reduction:
    emitReduction();
    break;
  case Form::laneReduction:
    emitLaneReduction();
    break;
  }
  return failure(broken);
}

//===----------------------------------------------------------------------===//
// Loop nests
//===----------------------------------------------------------------------===//

GenericEmitter::Values
GenericEmitter::forLoop(Value begin, Value end, int64_t step, Values init,
                        function_ref<Values(Value, Values)> body) {
  APInt lower, upper;
  if (matchPattern(begin, m_ConstantInt(&lower)) &&
      matchPattern(end, m_ConstantInt(&upper))) {
    int64_t trips = llvm::divideCeil(
        std::max<int64_t>(0, upper.getSExtValue() - lower.getSExtValue()),
        step);
    if (trips == 0)
      return init;
    if (trips == 1)
      return body(begin, init);
  }
  auto loop = scf::ForOp::create(l.b, l.loc, begin, end, l.i64(step), init);
  OpBuilder::InsertionGuard guard(l.b);
  Block *block = loop.getBody();
  if (init.empty()) {
    l.b.setInsertionPoint(block->getTerminator());
    body(loop.getInductionVar(), {});
    return {};
  }
  l.b.setInsertionPointToEnd(block);
  Values results = body(loop.getInductionVar(),
                        llvm::to_vector_of<Value>(loop.getRegionIterArgs()));
  scf::YieldOp::create(l.b, l.loc, results);
  return llvm::to_vector_of<Value>(loop.getResults());
}

GenericEmitter::Point GenericEmitter::enter(const Point &point,
                                            const Loop &loop, Value iv) {
  Point inner = point;
  inner.ivs[loop.dim] = iv;
  for (auto [offset, stride] : llvm::zip(inner.offsets, loop.strides))
    if (stride != 0)
      offset = l.add(offset, l.mul(iv, stride));
  return inner;
}

void GenericEmitter::nest(ArrayRef<unsigned> order, const Point &point,
                          function_ref<void(const Point &)> body) {
  if (order.empty())
    return body(point);
  const Loop &loop = loops[order.front()];
  forLoop(loop.range.begin, loop.range.end, 1, {}, [&](Value iv, Values) {
    nest(order.drop_front(), enter(point, loop, iv), body);
    return Values();
  });
}

GenericEmitter::Values
GenericEmitter::reduceNest(ArrayRef<unsigned> order, const Point &point,
                           Values accumulators,
                           function_ref<Values(const Point &, Values)> body) {
  if (order.empty())
    return body(point, accumulators);
  const Loop &loop = loops[order.front()];
  return forLoop(loop.range.begin, loop.range.end, 1, accumulators,
                 [&](Value iv, Values current) {
                   return reduceNest(order.drop_front(), enter(point, loop, iv),
                                     current, body);
                 });
}

/// Runs `body` over the vector loop: as many steps of each of `widths` as fit,
/// widest first, then single elements.
void GenericEmitter::vectorLoop(const Point &point, ArrayRef<int64_t> widths,
                                function_ref<void(const Point &)> body) {
  const Loop &loop = loops[vectorLoopIndex];
  Value begin = loop.range.begin;
  SmallVector<int64_t> steps(widths);
  steps.push_back(0);
  for (int64_t lanes : steps) {
    Value end = loop.range.end;
    if (lanes > 1) {
      Value length = l.b.createOrFold<arith::SubIOp>(l.loc, end, begin);
      Value steps =
          l.b.createOrFold<arith::DivSIOp>(l.loc, length, l.i64(lanes));
      end = l.add(begin, l.mul(steps, lanes));
    }
    forLoop(begin, end, std::max<int64_t>(lanes, 1), {}, [&](Value iv, Values) {
      Point inner = enter(point, loop, iv);
      inner.lanes = lanes;
      body(inner);
      return Values();
    });
    begin = end;
  }
}

//===----------------------------------------------------------------------===//
// Loads, stores, payload
//===----------------------------------------------------------------------===//

int64_t GenericEmitter::laneStride(unsigned access) const {
  return vectorLoopIndex < 0 ? 0 : loops[vectorLoopIndex].strides[access];
}

Value GenericEmitter::offsetOf(unsigned index, const Point &point) {
  const Access &access = accesses[index];
  if (access.linear)
    return point.offsets[index];
  SmallVector<Value> dims;
  for (Value iv : point.ivs)
    dims.push_back(
        arith::IndexCastOp::create(l.b, l.loc, l.b.getIndexType(), iv));
  Value offset = access.offset;
  for (auto [expr, stride] :
       llvm::zip(access.map.getResults(), access.viewStrides)) {
    Value position = affine::expandAffineExpr(l.b, l.loc, expr, dims, {});
    position =
        arith::IndexCastOp::create(l.b, l.loc, l.b.getI64Type(), position);
    offset = l.add(offset, l.mul(position, stride));
  }
  return offset;
}

Value GenericEmitter::loadAccess(unsigned index, const Point &point) {
  const Access &access = accesses[index];
  if (point.preloaded[index])
    return point.preloaded[index];
  if (access.scalar)
    return access.scalar;
  if (!access.base)
    return nullptr;
  return l.load(access.elementType, access.base, offsetOf(index, point),
                point.lanes, laneStride(index),
                alignedVectors ? point.lanes : 1);
}

/// What an accumulator starts with. Where the payload does not read it, the
/// init may hold nothing; then any value will do.
Value GenericEmitter::loadInit(unsigned i, const Point &point) {
  if (Value value = loadAccess(inputs.size() + i, point))
    return value;
  Type type = l.registerType(op.getRegionOutputArgs()[i].getType());
  return arith::ConstantOp::create(l.b, l.loc, l.b.getZeroAttr(type));
}

/// Loads what is the same for all steps of the vector loop.
void GenericEmitter::preload(Point &point) {
  for (unsigned i = 0; i < inputs.size(); ++i)
    if (accesses[i].base && accesses[i].linear && laneStride(i) == 0 &&
        !op.getBody()->getArgument(i).use_empty())
      point.preloaded[i] = loadAccess(i, point);
}

GenericEmitter::Values GenericEmitter::loadInputs(const Point &point) {
  Values values;
  for (unsigned i = 0; i < inputs.size(); ++i) {
    bool used = !op.getBody()->getArgument(i).use_empty();
    values.push_back(used ? loadAccess(i, point) : Value());
  }
  return values;
}

void GenericEmitter::storeResults(const Point &point, ArrayRef<Value> values) {
  unsigned first = accesses.size() - results.size();
  for (auto [i, value] : llvm::enumerate(values)) {
    const Access &access = accesses[first + i];
    l.store(access.elementType, value, access.base, offsetOf(first + i, point),
            point.lanes, laneStride(first + i),
            alignedVectors ? point.lanes : 1);
  }
}

Value GenericEmitter::emitIndex(int64_t dim, const Point &point) {
  Value iv = point.ivs[dim];
  Value index = arith::IndexCastOp::create(l.b, l.loc, l.b.getIndexType(), iv);
  bool varies = point.lanes > 0 && vectorLoopIndex >= 0 &&
                loops[vectorLoopIndex].dim == dim;
  if (!varies)
    return index;
  Value steps = vector::StepOp::create(
      l.b, l.loc, VectorType::get({point.lanes}, l.b.getIndexType()));
  return arith::AddIOp::create(l.b, l.loc, l.splat(index, point.lanes), steps);
}

Value GenericEmitter::lookup(Value payload, DenseMap<Value, Value> &map) {
  auto it = map.find(payload);
  return it != map.end() ? it->second : scalarLookup(payload);
}

/// Where `payload` grows by one per lane, its value in lane 0 as an i64.
Value GenericEmitter::contiguousIndex(Value payload, const Point &point,
                                      DenseMap<Value, Value> &map) {
  if (auto index = payload.getDefiningOp<linalg::IndexOp>())
    return int64_t(index.getDim()) == loops[vectorLoopIndex].dim
               ? point.ivs[index.getDim()]
               : Value();
  auto sum = payload.getDefiningOp<arith::AddIOp>();
  if (!sum || !payload.getType().isIndex())
    return nullptr;
  for (auto [x, y] : {std::pair(sum.getLhs(), sum.getRhs()),
                      std::pair(sum.getRhs(), sum.getLhs())}) {
    Value base = contiguousIndex(x, point, map), other = lookup(y, map);
    if (!base || LaneBuilder::lanes(other) != 0)
      continue;
    return l.add(
        base, arith::IndexCastOp::create(l.b, l.loc, l.b.getI64Type(), other));
  }
  return nullptr;
}

/// How many elements the vector that `extract` reads is sure to be aligned to.
int64_t GenericEmitter::extractAlignment(tensor::ExtractOp extract,
                                         const View &view, const Point &point) {
  if (!alignedVectors || view.alignment % point.lanes != 0)
    return 1;
  for (auto [index, stride] : llvm::zip(extract.getIndices(), view.strides)) {
    auto loop = index.getDefiningOp<linalg::IndexOp>();
    bool isVector =
        loop && int64_t(loop.getDim()) == loops[vectorLoopIndex].dim;
    if (stride % point.lanes != 0 && !isVector)
      return 1;
  }
  return point.lanes;
}

/// tensor.extract: one element, `lanes` neighbours, or a gather.
Value GenericEmitter::emitExtract(Operation *operation, const Point &point,
                                  DenseMap<Value, Value> &map) {
  auto extract = cast<tensor::ExtractOp>(operation);
  View view = tensorLookup(extract.getTensor());
  Value linear = view.offset ? view.offset : l.i64(0);
  auto toI64 = [&](Value index) -> Value {
    return arith::IndexCastOp::create(l.b, l.loc, l.b.getI64Type(), index);
  };
  SmallVector<std::pair<Value, int64_t>> varying;
  Value contiguous;
  for (auto [i, index] : llvm::enumerate(extract.getIndices())) {
    Value value = lookup(index, map);
    if (LaneBuilder::lanes(value) == 0) {
      linear = l.add(linear, l.mul(toI64(value), view.strides[i]));
      continue;
    }
    varying.push_back({value, view.strides[i]});
    contiguous =
        view.strides[i] == 1 ? contiguousIndex(index, point, map) : Value();
  }
  if (varying.empty())
    return l.load(view.elementType, view.base, linear, 0);
  if (varying.size() == 1 && contiguous)
    return l.load(view.elementType, view.base, l.add(linear, contiguous),
                  point.lanes, 1, extractAlignment(extract, view, point));
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < point.lanes; ++lane) {
    Value position = linear;
    for (auto [value, stride] : varying) {
      Value index =
          vector::ExtractOp::create(l.b, l.loc, value, ArrayRef<int64_t>{lane});
      position = l.add(position, l.mul(toI64(index), stride));
    }
    elements.push_back(l.load(view.elementType, view.base, position, 0));
  }
  return vector::FromElementsOp::create(
      l.b, l.loc,
      VectorType::get({point.lanes}, l.registerType(view.elementType)),
      elements);
}

GenericEmitter::Values GenericEmitter::emitBody(const Point &point,
                                                Values arguments) {
  DenseMap<Value, Value> map;
  Block *body = op.getBody();
  for (auto [argument, value] : llvm::zip(body->getArguments(), arguments))
    map[argument] = value;
  for (Operation &inner : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      map[index.getResult()] = emitIndex(index.getDim(), point);
      continue;
    }
    if (isa<tensor::ExtractOp>(inner)) {
      map[inner.getResult(0)] = emitExtract(&inner, point, map);
      continue;
    }
    Values operands;
    for (Value operand : inner.getOperands())
      operands.push_back(lookup(operand, map));
    FailureOr<SmallVector<Value>> copies = l.cloneOp(&inner, operands);
    if (failed(copies)) {
      broken = true;
      return Values(results.size(), l.i64(0));
    }
    for (auto [result, copy] : llvm::zip(inner.getResults(), *copies))
      map[result] = copy;
  }
  Values yields;
  for (Value value : body->getTerminator()->getOperands())
    yields.push_back(lookup(value, map));
  return yields;
}

//===----------------------------------------------------------------------===//
// The four forms
//===----------------------------------------------------------------------===//

void GenericEmitter::emitParallel() {
  SmallVector<unsigned> outer;
  for (unsigned i = 0; i < loops.size(); ++i)
    if (int64_t(i) != vectorLoopIndex)
      outer.push_back(i);
  auto element = [&](const Point &point) {
    Values arguments = loadInputs(point);
    for (unsigned i = 0; i < inits.size(); ++i) {
      bool used = !op.getRegionOutputArgs()[i].use_empty();
      arguments.push_back(used ? loadAccess(inputs.size() + i, point)
                               : Value());
    }
    Values yields = emitBody(point, arguments);
    if (!broken)
      storeResults(point, yields);
  };
  nest(outer, start, [&](const Point &row) {
    if (vectorLoopIndex < 0)
      return element(row);
    Point inner = row;
    preload(inner);
    vectorLoop(inner, {width}, element);
  });
}

/// Accumulators are scalars or vectors along a parallel dimension.
void GenericEmitter::emitReduction() {
  SmallVector<unsigned> outer, inner;
  for (unsigned i = 0; i < loops.size(); ++i) {
    if (loops[i].reduction)
      inner.push_back(i);
    else if (int64_t(i) != vectorLoopIndex)
      outer.push_back(i);
  }
  auto element = [&](const Point &point) {
    Values accumulators;
    for (unsigned i = 0; i < inits.size(); ++i)
      accumulators.push_back(l.splat(loadInit(i, point), point.lanes));
    accumulators = reduceNest(inner, point, accumulators,
                              [&](const Point &term, Values current) {
                                Values arguments = loadInputs(term);
                                arguments.append(current);
                                Values yields = emitBody(term, arguments);
                                if (broken)
                                  return current;
                                for (Value &value : yields)
                                  value = l.splat(value, point.lanes);
                                return yields;
                              });
    storeResults(point, accumulators);
  };
  nest(outer, start, [&](const Point &row) {
    if (vectorLoopIndex < 0)
      return element(row);
    int64_t wide = wideLanes(loops[vectorLoopIndex]);
    if (wide > width)
      vectorLoop(row, {wide, width}, element);
    else
      vectorLoop(row, {width}, element);
  });
}

Value GenericEmitter::combine(Operation *combiner, Value x, Value y) {
  FailureOr<SmallVector<Value>> result = l.cloneOp(combiner, {x, y});
  if (failed(result)) {
    broken = true;
    return x;
  }
  return result->front();
}

/// Combines the lanes of `value` by halves.
Value GenericEmitter::foldLanes(Operation *combiner, Value value) {
  int64_t n = LaneBuilder::lanes(value);
  while (n > 1) {
    n /= 2;
    SmallVector<int64_t> low, high;
    for (int64_t i = 0; i < n; ++i) {
      low.push_back(i);
      high.push_back(n + i);
    }
    Value x = vector::ShuffleOp::create(l.b, l.loc, value, value, low);
    Value y = vector::ShuffleOp::create(l.b, l.loc, value, value, high);
    value = combine(combiner, x, y);
  }
  return vector::ExtractOp::create(l.b, l.loc, value, ArrayRef<int64_t>{0});
}

/// The vector dimension is reduced: lanes accumulate apart, starting from the
/// neutral element, and are combined at the end, the init first.
void GenericEmitter::emitLaneReduction() {
  SmallVector<unsigned> outer, inner;
  for (unsigned i = 0; i < loops.size(); ++i) {
    if (int64_t(i) == vectorLoopIndex)
      continue;
    (loops[i].reduction ? inner : outer).push_back(i);
  }
  const Loop &loop = loops[vectorLoopIndex];
  int64_t wide = wideLanes(loop), size = loop.range.size;
  int64_t vectorEnd = size / wide * wide;
  unsigned count = results.size();
  SmallVector<Operation *> combiners;
  for (unsigned i = 0; i < count; ++i) {
    SmallVector<Operation *> found;
    matchReduction(op.getRegionOutputArgs(), i, found);
    combiners.push_back(found.front());
  }
  auto term = [&](const Point &point, Value iv, int64_t lanes, Values current) {
    Point inside = enter(point, loop, iv);
    inside.lanes = lanes;
    Values arguments = loadInputs(inside);
    arguments.append(current);
    Values yields = emitBody(inside, arguments);
    if (broken)
      return current;
    for (Value &value : yields)
      value = l.splat(value, lanes);
    return yields;
  };
  nest(outer, start, [&](const Point &row) {
    Values accumulators;
    for (Operation *combiner : combiners) {
      TypedAttr attr = *arith::getNeutralElement(combiner);
      if (auto f = dyn_cast<FloatAttr>(attr); f && isNarrowFloat(f.getType()))
        attr = l.b.getFloatAttr(l.b.getF32Type(), f.getValueAsDouble());
      Value neutral = arith::ConstantOp::create(l.b, l.loc, attr);
      accumulators.push_back(l.splat(neutral, wide));
    }
    for (unsigned i = 0; i < count; ++i)
      accumulators.push_back(loadInit(i, row));
    Values sums = reduceNest(
        inner, row, accumulators, [&](const Point &point, Values current) {
          Point inside = point;
          preload(inside);
          Values vectors(current.begin(), current.begin() + count);
          Values scalars(current.begin() + count, current.end());
          vectors = forLoop(l.i64(0), l.i64(vectorEnd), wide, vectors,
                            [&](Value iv, Values values) {
                              return term(inside, iv, wide, values);
                            });
          scalars = forLoop(l.i64(vectorEnd), l.i64(size), 1, scalars,
                            [&](Value iv, Values values) {
                              return term(inside, iv, 0, values);
                            });
          vectors.append(scalars);
          return vectors;
        });
    Values totals;
    for (unsigned i = 0; i < count; ++i)
      totals.push_back(combine(combiners[i], sums[count + i],
                               foldLanes(combiners[i], sums[i])));
    storeResults(row, totals);
  });
}

/// Nothing is known about how results are written: copy the inits, then run
/// all loops in order, reading and writing the results in memory.
void GenericEmitter::emitInMemory() {
  vectorLoopIndex = -1;
  unsigned firstResult = inputs.size() + inits.size();
  for (unsigned i = 0; i < results.size(); ++i) {
    const View &view = results[i];
    Operand &init = inits[i];
    if (!init.scalar && !init.view)
      continue;
    if (init.view && init.view->base == view.base)
      continue;
    std::function<void(unsigned, Value, Value)> copy = [&](unsigned dim,
                                                           Value from,
                                                           Value to) {
      if (dim == view.shape.size()) {
        Value value = init.scalar
                          ? init.scalar
                          : l.load(view.elementType, init.view->base, from, 0);
        l.store(view.elementType, value, view.base, to, 0);
        return;
      }
      forLoop(l.i64(0), l.i64(view.shape[dim]), 1, {}, [&](Value iv, Values) {
        Value nextFrom =
            init.view ? l.add(from, l.mul(iv, init.view->strides[dim])) : from;
        copy(dim + 1, nextFrom, l.add(to, l.mul(iv, view.strides[dim])));
        return Values();
      });
    };
    Value zero = l.i64(0);
    copy(0, init.view && init.view->offset ? init.view->offset : zero,
         view.offset ? view.offset : zero);
  }
  SmallVector<unsigned> order;
  for (unsigned i = 0; i < loops.size(); ++i)
    order.push_back(i);
  nest(order, start, [&](const Point &point) {
    Values arguments = loadInputs(point);
    for (unsigned i = 0; i < results.size(); ++i) {
      bool used = !op.getRegionOutputArgs()[i].use_empty();
      arguments.push_back(used ? loadAccess(firstResult + i, point) : Value());
    }
    Values yields = emitBody(point, arguments);
    if (!broken)
      storeResults(point, yields);
  });
}

} // namespace turnip::codegen
