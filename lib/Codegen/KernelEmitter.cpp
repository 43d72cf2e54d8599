//===- KernelEmitter.cpp - A function on tensors becomes loops on memory --===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "Backend.h"
#include "ConstantData.h"
#include "Contraction.h"
#include "ContractionEmitter.h"
#include "CostModel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace turnip::codegen {

/// Scratch memory up to this size lives on the stack of the lane.
static constexpr int64_t kStackBytes = 32 * 1024;
static constexpr int64_t kMaxGridPoints = 64;
/// Scratch memory of all grid points that run row by row together, if one has
/// less: workspace is device memory.
static constexpr int64_t kWorkspaceBytes = 16 * 1024 * 1024;

KernelEmitter::KernelEmitter(func::FuncOp source, const KernelTarget &target)
    : source(source), builder(source.getContext()), target(target),
      l(builder, source.getLoc(), this->target), plan(source) {
  SmallVector<Operation *> ops;
  for (Operation &op : source.front())
    if (isComputeOp(&op))
      ops.push_back(&op);
  if (ops.size() == 1)
    single = ops.front();
}

LogicalResult checkKernelSignature(func::FuncOp source) {
  auto check = [&](Type type, bool scalarAllowed) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return scalarAllowed && type.isIndex();
    Type element = tensor.getElementType();
    return tensor.hasStaticShape() &&
           (element.isF16() || element.isBF16() || element.isF32() ||
            element.isF64() || element.isIndex() ||
            (element.isSignlessInteger() &&
             llvm::is_contained({1u, 8u, 16u, 32u, 64u},
                                element.getIntOrFloatBitWidth())));
  };
  for (auto [i, type] : llvm::enumerate(source.getArgumentTypes()))
    if (!check(type, true))
      return source.emitError("kernel argument ")
             << i << " has unsupported type " << type;
  for (auto [i, type] : llvm::enumerate(source.getResultTypes()))
    if (!check(type, false))
      return source.emitError("kernel result ")
             << i << " has unsupported type " << type;
  if (!llvm::hasSingleElement(source.getBody()))
    return source.emitError("kernel has control flow between blocks");
  return success();
}

void KernelEmitter::createFunction() {
  builder.setInsertionPoint(source);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  kernel = func::FuncOp::create(
      builder, source.getLoc(), kKernelSymbol,
      builder.getFunctionType({pointer, pointer, i64}, {}));
  builder.setInsertionPointToStart(kernel.addEntryBlock());
  gridIndex = kernel.getArgument(2);
}

void KernelEmitter::loadArguments() {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  int64_t buffer = 0, scalar = 0;
  auto loadAt = [&](Value base, int64_t index, Type type) -> Value {
    Value address = LLVM::GEPOp::create(builder, l.loc, pointer, type, base,
                                        ArrayRef<LLVM::GEPArg>{int32_t(index)});
    return LLVM::LoadOp::create(builder, l.loc, type, address, 8);
  };
  auto bufferView = [&](RankedTensorType type) {
    View view;
    view.elementType = type.getElementType();
    view.base = loadAt(kernel.getArgument(0), buffer++, pointer);
    view.shape = llvm::to_vector(type.getShape());
    view.strides = View::denseStrides(view.shape);
    return view;
  };
  for (BlockArgument argument : source.getArguments()) {
    if (auto type = dyn_cast<RankedTensorType>(argument.getType())) {
      views[argument] = bufferView(type);
      continue;
    }
    Value value = loadAt(kernel.getArgument(1), scalar++, builder.getI64Type());
    scalars[argument] = arith::IndexCastOp::create(
        builder, l.loc, builder.getIndexType(), value);
  }
  for (Type type : source.getResultTypes())
    resultViews.push_back(bufferView(cast<RankedTensorType>(type)));
  scratchMarker = LLVM::ZeroOp::create(builder, l.loc, pointer);
}

/// Results are written in place by the operation that makes them, also through
/// reshapes that nothing else reads.
void KernelEmitter::assignResults() {
  auto terminator = cast<func::ReturnOp>(source.front().getTerminator());
  for (auto [i, value] : llvm::enumerate(terminator.getOperands())) {
    View view = resultViews[i];
    Value made = value;
    while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
               made.getDefiningOp()) &&
           made.getDefiningOp()->getOperand(0).hasOneUse()) {
      made = made.getDefiningOp()->getOperand(0);
      view = reshape(view, cast<RankedTensorType>(made.getType()).getShape());
    }
    if (made.getDefiningOp() && isComputeOp(made.getDefiningOp()))
      destinations.try_emplace(made, view);
  }
  for (Operation &op : llvm::reverse(source.front()))
    if (isa<tensor::InsertSliceOp, tensor::ConcatOp>(op))
      assignParts(&op);
}

/// True where the slices of two insertions into one tensor cannot overlap.
static bool areDisjoint(tensor::InsertSliceOp x, tensor::InsertSliceOp y) {
  for (unsigned dim = 0; dim < x.getStaticOffsets().size(); ++dim) {
    auto bounds = [&](tensor::InsertSliceOp op) {
      int64_t begin = op.getStaticOffset(dim);
      int64_t last = (op.getStaticSize(dim) - 1) * op.getStaticStride(dim);
      return std::pair(begin, begin + last);
    };
    auto [beginX, lastX] = bounds(x);
    auto [beginY, lastY] = bounds(y);
    if (lastX < beginY || lastY < beginX)
      return true;
  }
  return false;
}

bool mayPlaceSource(tensor::InsertSliceOp op) {
  Operation *made = op.getSource().getDefiningOp();
  if (!made || !op.getSource().hasOneUse() || !isComputeOp(made) ||
      !llvm::all_of(op.getStaticOffsets(), ShapedType::isStatic) ||
      op.getDroppedDims().any())
    return false;
  for (Value base = op.getDest(); !base.getDefiningOp<tensor::EmptyOp>();) {
    auto earlier = base.getDefiningOp<tensor::InsertSliceOp>();
    if (!base.hasOneUse())
      return false;
    if (!earlier) {
      Operation *writer = base.getDefiningOp();
      return writer && isComputeOp(writer) && writer->isBeforeInBlock(made);
    }
    if (!llvm::all_of(earlier.getStaticOffsets(), ShapedType::isStatic) ||
        !areDisjoint(op, earlier))
      return false;
    base = earlier.getDest();
  }
  return true;
}

/// What an insertion or concatenation joins is made where it will lie, if
/// nothing else reads it.
void KernelEmitter::assignParts(Operation *op) {
  Value result = op->getResult(0);
  auto it = destinations.find(result);
  View whole = it != destinations.end() ? it->second : allocate(result);
  destinations.try_emplace(result, whole);
  auto assign = [&](Value part, const View &view) {
    if (part.hasOneUse() && part.getDefiningOp() &&
        isComputeOp(part.getDefiningOp()))
      destinations.try_emplace(part, view);
  };
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    assign(insert.getDest(), whole);
    if (mayPlaceSource(insert)) {
      destinations.try_emplace(insert.getSource(), insertedPart(insert, whole));
      placedSources.insert(insert);
    }
    return;
  }
  auto concat = cast<tensor::ConcatOp>(op);
  for (auto [i, input] : llvm::enumerate(concat.getInputs()))
    assign(input, concatenatedPart(concat, whole, i));
}

View KernelEmitter::insertedPart(tensor::InsertSliceOp op, const View &whole) {
  return sliceView(whole, op.getMixedOffsets(), op.getStaticSizes(),
                   op.getStaticStrides(), op.getDroppedDims());
}

View KernelEmitter::concatenatedPart(tensor::ConcatOp op, const View &whole,
                                     unsigned index) {
  int64_t position = 0, dim = op.getDim();
  for (Value input : op.getInputs().take_front(index))
    position += cast<RankedTensorType>(input.getType()).getDimSize(dim);
  auto type = cast<RankedTensorType>(op.getInputs()[index].getType());
  View part = whole;
  part.shape = llvm::to_vector(type.getShape());
  part.offset = l.add(whole.offset, l.i64(position * whole.strides[dim]));
  return part;
}

LogicalResult KernelEmitter::emit() {
  createFunction();
  loadArguments();
  assignResults();
  if (failed(emitBody()))
    return failure();
  func::ReturnOp::create(builder, l.loc);
  findInplacePairs();
  finishScratch();
  return success();
}

/// Replaces the scratch pointer by stack memory or this grid point's part of
/// the workspace.
void KernelEmitter::finishScratch() {
  if (scratchBytes == 0) {
    scratchMarker->erase();
    return;
  }
  builder.setInsertionPoint(scratchMarker);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value scratch;
  if (scratchBytes <= kStackBytes) {
    scratch =
        LLVM::AllocaOp::create(builder, l.loc, pointer, builder.getI8Type(),
                               l.i64(scratchBytes), kAlignment);
  } else {
    workspaceBytes = scratchBytes * gridSize;
    int32_t index = resultViews.size();
    for (Type type : source.getArgumentTypes())
      index += isa<RankedTensorType>(type);
    Value address = LLVM::GEPOp::create(builder, l.loc, pointer, pointer,
                                        kernel.getArgument(0),
                                        ArrayRef<LLVM::GEPArg>{index});
    Value base = LLVM::LoadOp::create(builder, l.loc, pointer, address, 8);
    Value offset = l.mul(gridIndex, scratchBytes);
    scratch = LLVM::GEPOp::create(builder, l.loc, pointer, builder.getI8Type(),
                                  base, ArrayRef<LLVM::GEPArg>{offset});
  }
  scratchMarker->getResult(0).replaceAllUsesWith(scratch);
  scratchMarker->erase();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Range KernelEmitter::rangeOf(Operation *op, int64_t dim, int64_t size) {
  int64_t row = rowRanges.empty() ? -1 : plan.rowOfLoop(op, dim);
  if (row >= 0)
    return rowRanges[row];
  Range range;
  range.begin = l.i64(0);
  range.end = l.i64(size);
  range.size = size;
  return range;
}

Operand KernelEmitter::operandOf(Value value) {
  Operand operand;
  if (isa<RankedTensorType>(value.getType()))
    operand.view = viewOf(value);
  else
    operand.scalar = scalarOf(value);
  return operand;
}

/// What the loops find in an init tensor: a constant, a tensor or nothing.
Operand KernelEmitter::initOf(Value init) {
  if (Value scalar = getFillScalar(init))
    return operandOf(scalar);
  if (init.getDefiningOp<tensor::EmptyOp>())
    return Operand();
  return operandOf(init);
}

LogicalResult KernelEmitter::emitGeneric(linalg::GenericOp op, bool alone) {
  GenericEmitter emitter(
      l, op, [&](Value tensor) { return viewOf(tensor); },
      [&](Value value) { return scalarOf(value); });
  // Views that the payload reads must exist before its loops.
  op.getBody()->walk(
      [&](tensor::ExtractOp extract) { viewOf(extract.getTensor()); });
  for (Value input : op.getInputs())
    emitter.inputs.push_back(operandOf(input));
  for (Value init : op.getOutputs())
    emitter.inits.push_back(initOf(init));
  for (Value result : op.getResults())
    emitter.results.push_back(destination(result));
  for (auto [dim, size] : llvm::enumerate(op.getStaticLoopRanges()))
    emitter.ranges.push_back(rangeOf(op, dim, size));
  if (failed(emitter.prepare()))
    return failure();
  if (alone) {
    int64_t points =
        llvm::divideCeil(estimateNanoseconds(op), kGridNanoseconds);
    gridSize = emitter.splitOuterLoop(
        gridIndex, std::min<int64_t>(points, kMaxGridPoints));
    singleIsElementwise = emitter.isElementwise();
  }
  return emitter.emit();
}

LogicalResult KernelEmitter::emitContraction(linalg::GenericOp op,
                                             const Contraction &contraction,
                                             bool alone) {
  ContractionEmitter emitter(l, op, contraction);
  emitter.a = viewOf(op.getInputs()[0]);
  emitter.b = viewOf(op.getInputs()[1]);
  emitter.init = initOf(op.getOutputs()[0]);
  emitter.c = destination(op.getResult(0));
  for (auto [dim, size] : llvm::enumerate(op.getStaticLoopRanges()))
    emitter.ranges.push_back(rangeOf(op, dim, size));
  if (!alone) {
    emitter.emit(nullptr, 1);
    return success();
  }
  int64_t points = llvm::divideCeil(estimateNanoseconds(op), kGridNanoseconds);
  gridSize = emitter.emit(gridIndex, std::min<int64_t>(points, kMaxGridPoints));
  return success();
}

LogicalResult KernelEmitter::emitConstant(Operation *op) {
  auto constant = cast<arith::ConstantOp>(op);
  auto type = dyn_cast<RankedTensorType>(constant.getType());
  if (!type)
    return emitScalarOp(op);
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!elements)
    return op->emitOpError("has a value that is not dense");
  OpBuilder::InsertionGuard guard(builder);
  Value base;
  {
    OpBuilder::InsertionGuard inner(builder);
    builder.setInsertionPoint(kernel);
    LLVM::GlobalOp globalOp = createConstantData(
        builder, l, elements, "constant" + std::to_string(globals++));
    builder.setInsertionPoint(scratchMarker);
    base = LLVM::AddressOfOp::create(builder, l.loc, globalOp);
  }
  View view;
  view.elementType = type.getElementType();
  view.base = base;
  view.shape = llvm::to_vector(type.getShape());
  view.strides = elements.isSplat() ? SmallVector<int64_t>(type.getRank(), 0)
                                    : View::denseStrides(view.shape);
  views[constant.getResult()] = view;
  return success();
}

/// Copies elements between two views of one shape.
LogicalResult KernelEmitter::copy(const View &from, const View &to) {
  // A throw-away generic drives the same loops as everything else.
  OpBuilder scratch(source.getContext());
  scratch.setInsertionPoint(source.front().getTerminator());
  auto type = RankedTensorType::get(from.shape, from.elementType);
  Value empty =
      tensor::EmptyOp::create(scratch, l.loc, from.shape, from.elementType);
  AffineMap map = scratch.getMultiDimIdentityMap(from.shape.size());
  SmallVector<utils::IteratorType> iterators(from.shape.size(),
                                             utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      scratch, l.loc, type, empty, empty, ArrayRef<AffineMap>{map, map},
      iterators, [](OpBuilder &b, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(b, loc, arguments.front());
      });
  GenericEmitter emitter(l, op, nullptr, nullptr);
  emitter.inputs.resize(1);
  emitter.inputs[0].view = from;
  emitter.inits.resize(1);
  emitter.results.push_back(to);
  for (int64_t size : from.shape) {
    Range range;
    range.begin = l.i64(0);
    range.end = l.i64(size);
    range.size = size;
    emitter.ranges.push_back(range);
  }
  LogicalResult result =
      success(succeeded(emitter.prepare()) && succeeded(emitter.emit()));
  op.erase();
  empty.getDefiningOp()->erase();
  return result;
}

LogicalResult KernelEmitter::emitInsertSlice(tensor::InsertSliceOp op) {
  View to = destination(op.getResult());
  Value base = op.getDest(), part = op.getSource();
  bool inPlace = destinations.contains(base) && base.hasOneUse() &&
                 viewOf(base).base == to.base;
  if (!inPlace && !base.getDefiningOp<tensor::EmptyOp>() &&
      failed(copy(viewOf(base), to)))
    return failure();
  if (placedSources.contains(op))
    return success();
  return copy(viewOf(part), insertedPart(op, to));
}

LogicalResult KernelEmitter::emitConcat(tensor::ConcatOp op) {
  View to = destination(op.getResult());
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    if (destinations.contains(input) && input.hasOneUse())
      continue;
    if (failed(copy(viewOf(input), concatenatedPart(op, to, i))))
      return failure();
  }
  return success();
}

/// tensor.from_elements and tensor.splat.
LogicalResult KernelEmitter::emitElements(Operation *op) {
  View to = destination(op->getResult(0));
  Value offset = to.offset ? to.offset : l.i64(0);
  SmallVector<int64_t> dense = View::denseStrides(to.shape);
  for (int64_t i = 0, e = to.numElements(); i < e; ++i) {
    int64_t at = 0, rest = i;
    for (auto [unit, stride] : llvm::zip(dense, to.strides)) {
      at += rest / unit * stride;
      rest %= unit;
    }
    Value value = op->getOperand(op->getNumOperands() == 1 ? 0 : i);
    l.store(to.elementType, scalarOf(value), to.base, l.add(offset, l.i64(at)),
            0);
  }
  return success();
}

LogicalResult KernelEmitter::emitScalarOp(Operation *op) {
  Values operands;
  for (Value operand : op->getOperands())
    operands.push_back(scalarOf(operand));
  FailureOr<SmallVector<Value>> results = l.cloneOp(op, operands);
  if (failed(results))
    return failure();
  for (auto [result, copy] : llvm::zip(op->getResults(), *results))
    scalars[result] = copy;
  return success();
}

LogicalResult KernelEmitter::emitOp(Operation *op) {
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return op->emitOpError("is expected in its generic form");
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    if (!isComputeOp(op))
      return success();
    if (std::optional<Contraction> contraction = matchContraction(op))
      return emitContraction(generic, *contraction, op == single);
    return emitGeneric(generic, op == single);
  }
  if (isa<tensor::EmptyOp>(op))
    return success();
  if (isa<arith::ConstantOp>(op))
    return emitConstant(op);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return emitInsertSlice(insert);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return emitConcat(concat);
  if (isa<tensor::FromElementsOp, tensor::SplatOp>(op))
    return emitElements(op);
  if (isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
          tensor::CollapseShapeOp, tensor::CastOp, tensor::ReshapeOp>(op)) {
    viewOf(op->getResult(0));
    return success();
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    View view = viewOf(extract.getTensor());
    Value offset = view.offset ? view.offset : l.i64(0);
    for (auto [index, stride] : llvm::zip(extract.getIndices(), view.strides)) {
      Value position = arith::IndexCastOp::create(
          builder, l.loc, builder.getI64Type(), scalarOf(index));
      offset = l.add(offset, l.mul(position, stride));
    }
    scalars[extract.getResult()] =
        l.load(view.elementType, view.base, offset, 0);
    return success();
  }
  if (op->getDialect() &&
      llvm::none_of(op->getOperandTypes(), llvm::IsaPred<ShapedType>))
    return emitScalarOp(op);
  return op->emitOpError("cannot be part of a kernel");
}

LogicalResult KernelEmitter::emitReturn(func::ReturnOp op) {
  for (auto [i, value] : llvm::enumerate(op.getOperands())) {
    View from = viewOf(value);
    if (from.base == resultViews[i].base)
      continue;
    if (failed(copy(from, resultViews[i])))
      return failure();
  }
  return success();
}

/// Bytes of what lies between the operations of one tile of rows.
int64_t KernelEmitter::estimateScratch() {
  int64_t bytes = 0;
  for (Operation &op : source.front().without_terminator()) {
    if (!isComputeOp(&op) || plan.hoisted.contains(&op))
      continue;
    for (Value result : op.getResults()) {
      if (llvm::any_of(result.getUsers(), llvm::IsaPred<func::ReturnOp>))
        continue;
      auto type = cast<RankedTensorType>(result.getType());
      int64_t elements = 1;
      for (int64_t dim = 0; dim < type.getRank(); ++dim) {
        int64_t row = plan.rowOf(result, dim);
        elements *= row < 0 ? type.getDimSize(dim) : plan.rows[row].tile;
      }
      bytes += elements * LaneBuilder::byteWidth(type.getElementType());
    }
  }
  return bytes;
}

/// Runs all operations that take part in the rows for one tile of rows after
/// the other.
LogicalResult KernelEmitter::emitRows() {
  int64_t fitting = kWorkspaceBytes / std::max<int64_t>(estimateScratch(), 1);
  int64_t tiles = 1;
  for (const RowPlan::Row &row : plan.rows)
    tiles *= llvm::divideCeil(row.size, row.tile);
  // What runs before the rows is done again by every grid point: never more
  // often than keeps it below the rest of the work.
  int64_t nanoseconds = 0, before = 0;
  for (Operation &op : source.front())
    if (isComputeOp(&op))
      (plan.hoisted.contains(&op) ? before : nanoseconds) +=
          estimateNanoseconds(&op);
  int64_t most =
      std::min({kMaxGridPoints, tiles, std::max<int64_t>(fitting, 1)});
  if (before > 0)
    most = std::clamp<int64_t>(nanoseconds / before, 1, most);
  int64_t points = std::clamp<int64_t>(nanoseconds / kGridNanoseconds, 1, most);
  int64_t chunk = llvm::divideCeil(tiles, points);
  gridSize = llvm::divideCeil(tiles, chunk);
  Value begin = l.mul(gridIndex, chunk);
  Value end = arith::MinSIOp::create(builder, l.loc, l.add(begin, l.i64(chunk)),
                                     l.i64(tiles));
  auto loop = scf::ForOp::create(builder, l.loc, begin, end, l.i64(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value rest = loop.getInductionVar();
  rowRanges.resize(plan.rows.size());
  for (int64_t i = int64_t(plan.rows.size()) - 1; i >= 0; --i) {
    const RowPlan::Row &row = plan.rows[i];
    int64_t count = llvm::divideCeil(row.size, row.tile);
    Value tile = rest;
    if (i > 0) {
      tile = arith::RemSIOp::create(builder, l.loc, rest, l.i64(count));
      rest = arith::DivSIOp::create(builder, l.loc, rest, l.i64(count));
    }
    Range &range = rowRanges[i];
    range.begin = l.mul(tile, row.tile);
    range.end = l.add(range.begin, l.i64(row.tile));
    if (row.size % row.tile != 0)
      range.end =
          arith::MinSIOp::create(builder, l.loc, range.end, l.i64(row.size));
    range.size = row.tile;
    range.whole = false;
  }
  for (Operation &op : source.front().without_terminator()) {
    if (isa<arith::ConstantOp>(op) || plan.hoisted.contains(&op) ||
        scalars.contains(op.getNumResults() ? op.getResult(0) : Value()))
      continue;
    if (failed(emitOp(&op)))
      return failure();
  }
  LogicalResult result =
      emitReturn(cast<func::ReturnOp>(source.front().getTerminator()));
  rowRanges.clear();
  return result;
}

LogicalResult KernelEmitter::emitBody() {
  SmallVector<Operation *> ops;
  for (Operation &op : source.front().without_terminator())
    ops.push_back(&op);
  if (plan.rows.empty()) {
    for (Operation *op : ops)
      if (failed(emitOp(op)))
        return failure();
    return emitReturn(cast<func::ReturnOp>(source.front().getTerminator()));
  }
  for (Operation *op : ops) {
    bool scalar =
        llvm::none_of(op->getOperandTypes(), llvm::IsaPred<ShapedType>) &&
        llvm::none_of(op->getResultTypes(), llvm::IsaPred<ShapedType>);
    if (scalar || isa<arith::ConstantOp>(op) || plan.hoisted.contains(op))
      if (failed(emitOp(op)))
        return failure();
  }
  return emitRows();
}

//===----------------------------------------------------------------------===//
// Operands that may share memory with results
//===----------------------------------------------------------------------===//

/// True where writing `result` in place of `argument` never changes a value
/// that is still to be read.
bool KernelEmitter::mayShare(BlockArgument argument, Value result) {
  auto type = cast<RankedTensorType>(argument.getType());
  if (type.getShape() != cast<RankedTensorType>(result.getType()).getShape() ||
      LaneBuilder::byteWidth(type.getElementType()) !=
          LaneBuilder::byteWidth(getElementTypeOrSelf(result.getType())))
    return false;
  auto writer = result.getDefiningOp<linalg::GenericOp>();
  if (!writer || (single != writer && plan.rows.empty()))
    return false;
  if (single == writer && !singleIsElementwise)
    return false;
  AffineMap written =
      writer.getIndexingMapMatchingResult(cast<OpResult>(result));
  for (OpOperand &use : argument.getUses()) {
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    // A use inside of a payload is a gather; views move elements.
    if (!reader || reader->getBlock() != &source.front() ||
        plan.hoisted.contains(reader))
      return false;
    if (reader == writer) {
      if (reader.getMatchingIndexingMap(&use) != written)
        return false;
      if (reader.getNumReductionLoops() != 0)
        return false;
      continue;
    }
    if (writer->isBeforeInBlock(reader))
      return false;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (plan.rowOf(argument, dim) != plan.rowOf(result, dim))
        return false;
  }
  // With rows, other grid points must not touch these elements.
  if (single != writer)
    for (unsigned row = 0; row < plan.rows.size(); ++row) {
      bool found = false;
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        found |= plan.rowOf(argument, dim) == int64_t(row) &&
                 plan.rowOf(result, dim) == int64_t(row);
      if (!found)
        return false;
    }
  return true;
}

void KernelEmitter::findInplacePairs() {
  auto terminator = cast<func::ReturnOp>(source.front().getTerminator());
  int64_t operand = 0;
  // An operand gives its buffer to one result, a result takes one buffer.
  SmallVector<bool> taken(terminator.getNumOperands(), false);
  for (BlockArgument argument : source.getArguments()) {
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    for (auto [i, result] : llvm::enumerate(terminator.getOperands())) {
      if (taken[i] || !destinations.contains(result) ||
          !mayShare(argument, result))
        continue;
      inplace.push_back({operand, int64_t(i)});
      taken[i] = true;
      break;
    }
    ++operand;
  }
}

} // namespace turnip::codegen
