//===- RowStep.cpp - Chains that threads run row by row -------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowStep.h"

using namespace mlir;

namespace turnip::codegen::gpu {

std::optional<RowShape> RowStep::shape() {
  int64_t lanes = kAccessBytes;
  for (auto [i, generic] : llvm::enumerate(generics)) {
    int64_t column = group.columnLoop(i);
    generic->prepareForRows(column);
    if (column >= 0)
      lanes = std::min(lanes, generic->columnLanes());
  }
  return RowShape::choose(group.rows(), group.columns, lanes);
}

SmallVector<Value> RowStep::positions(unsigned op, Value column) {
  SmallVector<Value> ivs;
  for (int64_t role : group.roles[op])
    ivs.push_back(role == RowGroup::kUnit     ? f.l.i64(0)
                  : role == RowGroup::kColumn ? column
                                              : rowIvs[role]);
  return ivs;
}

/// An input from memory, loaded by the first operation that reads it. The
/// compiler could not tell behind a barrier that it has not changed.
Value RowStep::loadOnce(unsigned op, unsigned input, int64_t piece) {
  linalg::GenericOp generic = group.ops[op];
  std::vector<int64_t> dims;
  for (AffineExpr expr : generic.getIndexingMapsArray()[input].getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop)
      return nullptr;
    dims.push_back(group.roles[op][loop.getPosition()]);
  }
  bool perRow = !llvm::is_contained(dims, RowGroup::kColumn);
  const void *tensor = generic.getDpsInputs()[input].getAsOpaquePointer();
  Value &value = loaded[{tensor, dims, perRow ? -1 : piece}];
  if (!value)
    value = generics[op]->loadInput(
        input, positions(op, perRow ? f.l.i64(0) : columnIvs[piece]),
        perRow || form.lanes == 1 ? 0 : form.lanes);
  return value;
}

/// The operands of `op` that the group holds in registers. A value with a
/// column is only read by operations with one.
DeviceGeneric::Preloaded RowStep::held(unsigned op, int64_t piece) {
  DeviceGeneric::Preloaded preloaded;
  linalg::GenericOp generic = group.ops[op];
  for (OpOperand &operand : generic->getOpOperands()) {
    auto it = values.find(operand.get());
    if (it == values.end()) {
      if (generic.isDpsInput(&operand))
        if (Value value = loadOnce(op, operand.getOperandNumber(), piece))
          preloaded[operand.getOperandNumber()] = value;
      continue;
    }
    const Held &value = it->second;
    preloaded[operand.getOperandNumber()] =
        value.pieces[value.perRow ? 0 : piece];
  }
  return preloaded;
}

/// Remembers results, and stores those that are needed later.
void RowStep::keep(unsigned op, ArrayRef<SmallVector<Value>> pieces,
                   bool perRow) {
  for (auto [i, result] : llvm::enumerate(group.ops[op]->getResults())) {
    Held &value = values[result];
    value.perRow = perRow;
    for (const SmallVector<Value> &piece : pieces)
      value.pieces.push_back(piece[i]);
  }
  DeviceGeneric &generic = *generics[op];
  bool stores = llvm::any_of(generic.results,
                             [](const View &view) { return bool(view.base); });
  if (!stores || generic.failedInside())
    return;
  auto both = [&](Value a, Value b) -> Value {
    if (!a || !b)
      return a ? a : b;
    return arith::AndIOp::create(f.builder, f.l.loc, a, b);
  };
  for (auto [piece, results] : llvm::enumerate(pieces)) {
    Value condition = both(rowExists, perRow ? isFirst : exists[piece]);
    Value column = perRow ? f.l.i64(0) : columnIvs[piece];
    ArrayRef<Value> stored = results;
    f.when(condition, [&] {
      generic.store(positions(op, column),
                    perRow || form.lanes == 1 ? 0 : form.lanes, stored);
    });
  }
}

void RowStep::emitMap(unsigned op) {
  bool perRow = group.columnLoop(op) < 0;
  int64_t lanes = perRow || form.lanes == 1 ? 0 : form.lanes;
  SmallVector<SmallVector<Value>> pieces;
  for (int64_t piece = 0; piece < (perRow ? 1 : form.pieces); ++piece) {
    Value column = perRow ? f.l.i64(0) : columnIvs[piece];
    pieces.push_back(generics[op]->evaluate(positions(op, column), lanes,
                                            held(op, piece), {}));
    if (generics[op]->failedInside())
      return;
  }
  keep(op, pieces, perRow);
}

void RowStep::emitReduction(unsigned op) {
  DeviceGeneric &generic = *generics[op];
  SmallVector<Operation *> combiners = findCombiners(group.ops[op]);
  int64_t lanes = form.lanes == 1 ? 0 : form.lanes;
  SmallVector<Value> sums = generic.neutralValues(combiners, lanes);
  for (int64_t piece = 0; piece < form.pieces; ++piece) {
    SmallVector<Value> next = generic.evaluate(positions(op, columnIvs[piece]),
                                               lanes, held(op, piece), sums);
    if (generic.failedInside())
      return;
    for (auto [sum, value] : llvm::zip(sums, next))
      sum = exists[piece] ? Value(arith::SelectOp::create(
                                f.builder, f.l.loc, exists[piece], value, sum))
                          : value;
  }
  sums = generic.combineThreads(combiners, sums, form.threads);
  SmallVector<Value> initial =
      generic.initialValues(positions(op, f.l.i64(0)), held(op, 0));
  keep(op, {generic.combineValues(combiners, initial, sums)}, true);
}

LogicalResult RowStep::emit(const RowShape &shape) {
  form = shape;
  int64_t rows = group.rows();
  int64_t perBlock = std::max<int64_t>(kBlockThreads / form.threads, 1);
  perBlock = std::min<int64_t>(perBlock, llvm::PowerOf2Ceil(rows));
  perBlock = std::max(perBlock, kWarpThreads / form.threads);
  (void)f.linearThread(llvm::divideCeil(rows, perBlock) * perBlock *
                           form.threads,
                       perBlock * form.threads);
  OpBuilder &b = f.builder;
  Type i32 = f.thread().getType();
  Value threads = f.constant(i32, form.threads);
  Value member = arith::RemUIOp::create(b, f.l.loc, f.thread(), threads);
  Value row = arith::AddIOp::create(
      b, f.l.loc,
      arith::MulIOp::create(b, f.l.loc, f.block(), f.constant(i32, perBlock)),
      arith::DivUIOp::create(b, f.l.loc, f.thread(), threads));
  // Threads without a row repeat the last one: no barrier is missed.
  if (rows % perBlock != 0) {
    rowExists = f.less(row, rows);
    row = arith::MinUIOp::create(b, f.l.loc, row, f.constant(i32, rows - 1));
  }
  rowIvs = f.delinearize(row, group.rowSizes);
  isFirst = form.threads > 1 ? f.less(member, 1) : Value();
  int64_t chunks = group.columns / form.lanes;
  for (int64_t piece = 0; piece < form.pieces; ++piece) {
    Value chunk = arith::AddIOp::create(b, f.l.loc, member,
                                        f.constant(i32, piece * form.threads));
    Value inside;
    if ((piece + 1) * form.threads > chunks) {
      // Pieces beyond the end read the first one instead.
      inside = f.less(chunk, chunks);
      chunk = arith::SelectOp::create(b, f.l.loc, inside, chunk,
                                      f.constant(i32, 0));
    }
    exists.push_back(inside);
    columnIvs.push_back(f.l.mul(f.widen(chunk), form.lanes));
  }
  for (auto [i, generic] : llvm::enumerate(generics)) {
    generic->setLanes(form.lanes);
    if (group.reducesColumn(i))
      emitReduction(i);
    else
      emitMap(i);
    if (generic->failedInside())
      return failure();
  }
  return success();
}

} // namespace turnip::codegen::gpu
