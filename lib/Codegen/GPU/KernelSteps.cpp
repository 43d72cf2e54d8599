//===- KernelSteps.cpp - A kernel becomes launches on a device ------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelSteps.h"
#include "../Contraction.h"
#include "../RowPlan.h"
#include "Attention.h"
#include "ContractionStep.h"
#include "MatmulStep.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace turnip::codegen::gpu {

KernelSteps::KernelSteps(func::FuncOp source, const KernelTarget &target)
    : source(source), target(target) {
  unsigned position = 0;
  for (Operation &op : source.front())
    positions[&op] = position++;
}

DeviceFunction KernelSteps::beginFunction() {
  return DeviceFunction(source, "step" + std::to_string(launches.size()),
                        target,
                        [this](Value tensor) { return placeOf(tensor); });
}

LogicalResult KernelSteps::finishStep(DeviceFunction &function) {
  if (failed(function.finish()))
    return failure();
  launches.push_back(std::move(function.launch));
  return success();
}

LogicalResult KernelSteps::emit() {
  assignArguments();
  assignResults();
  for (Operation &op : source.front().without_terminator()) {
    if (failed(emitOp(&op)))
      return failure();
    if (pending.empty())
      releaseAfter(&op);
  }
  if (failed(flushGroup()) ||
      failed(emitReturn(cast<func::ReturnOp>(source.front().getTerminator()))))
    return failure();
  findInplacePairs();
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Operand KernelSteps::operandOf(DeviceFunction &function, Value value) {
  Operand operand;
  if (isa<RankedTensorType>(value.getType()))
    operand.view = function.viewOf(value);
  else
    operand.scalar = function.scalar(value);
  return operand;
}

/// What a thread finds in an init tensor: a constant, a tensor or nothing.
Operand KernelSteps::initOf(DeviceFunction &function, Value init) {
  if (Value scalar = getFillScalar(init))
    return operandOf(function, scalar);
  if (init.getDefiningOp<tensor::EmptyOp>())
    return Operand();
  return operandOf(function, init);
}

/// Fills in the operands of `op`. Values that the pending group holds in
/// registers have neither a scalar nor a view.
void KernelSteps::prepareGeneric(DeviceFunction &function,
                                 DeviceGeneric &generic, linalg::GenericOp op) {
  auto isHeld = [&](Value value) {
    Operation *def = value.getDefiningOp();
    return def && pendingGroup && def != op && pendingGroup->contains(def) &&
           pendingGroup->contains(op);
  };
  for (Value input : op.getInputs())
    generic.inputs.push_back(isHeld(input) ? Operand()
                                           : operandOf(function, input));
  for (Value init : op.getOutputs())
    generic.inits.push_back(isHeld(init) ? Operand() : initOf(function, init));
  for (Value result : op.getResults()) {
    bool escapes = llvm::any_of(result.getUsers(), [&](Operation *user) {
      return !pendingGroup || !pendingGroup->contains(user);
    });
    View view;
    view.elementType = getElementTypeOrSelf(result.getType());
    view.shape =
        llvm::to_vector(cast<RankedTensorType>(result.getType()).getShape());
    view.strides = View::denseStrides(view.shape);
    if (escapes || (!pendingGroup && result.use_empty()))
      view = function.view(destination(result));
    generic.results.push_back(view);
  }
}

LogicalResult KernelSteps::emitRows(const RowGroup &group, bool &done) {
  DeviceFunction function = beginFunction();
  RowStep step(function, group);
  for (linalg::GenericOp op : group.ops) {
    step.generics.push_back(std::make_unique<DeviceGeneric>(function, op));
    prepareGeneric(function, *step.generics.back(), op);
  }
  std::optional<RowShape> shape = step.shape();
  done = shape.has_value();
  if (!done) {
    function.discard();
    return success();
  }
  if (failed(step.emit(*shape)))
    return failure();
  for (auto [op, loops] : llvm::zip(group.ops, group.roles)) {
    stepOf[op] = launches.size();
    roles[op] = loops;
    elementwise.insert(op);
  }
  return finishStep(function);
}

LogicalResult KernelSteps::flushGroup() {
  if (pending.empty())
    return success();
  SmallVector<linalg::GenericOp> ops = std::move(pending);
  pending.clear();
  bool done = false;
  bool reduces = llvm::any_of(
      ops, [](linalg::GenericOp op) { return op.getNumReductionLoops() != 0; });
  if (pendingGroup && (ops.size() > 1 || reduces) &&
      failed(emitRows(*pendingGroup, done)))
    return failure();
  pendingGroup.reset();
  for (linalg::GenericOp op : ops) {
    if (!done && failed(emitGeneric(op)))
      return failure();
    releaseAfter(op);
  }
  return success();
}

LogicalResult KernelSteps::emitGeneric(linalg::GenericOp op) {
  DeviceFunction function = beginFunction();
  DeviceGeneric generic(function, op);
  prepareGeneric(function, generic, op);
  if (failed(generic.emit()))
    return failure();
  stepOf[op] = launches.size();
  if (generic.isElementwise()) {
    elementwise.insert(op);
    for (unsigned i = 0; i < generic.inputs.size(); ++i)
      if (generic.isStaged(i))
        stagedInputs[op].push_back(i);
  }
  return finishStep(function);
}

LogicalResult KernelSteps::copy(const Place &from, const Place &to) {
  // A throw-away generic drives the same threads as everything else.
  OpBuilder scratch(source.getContext());
  scratch.setInsertionPoint(source.front().getTerminator());
  Location loc = source.getLoc();
  auto type = RankedTensorType::get(to.shape, to.elementType);
  Value empty = tensor::EmptyOp::create(scratch, loc, to.shape, to.elementType);
  AffineMap map = scratch.getMultiDimIdentityMap(to.shape.size());
  SmallVector<utils::IteratorType> iterators(to.shape.size(),
                                             utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      scratch, loc, type, empty, empty, ArrayRef<AffineMap>{map, map},
      iterators, [](OpBuilder &b, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(b, loc, arguments.front());
      });
  DeviceFunction function = beginFunction();
  LogicalResult result = success();
  {
    DeviceGeneric generic(function, op);
    generic.inputs.resize(1);
    generic.inputs[0].view = function.view(from);
    generic.inits.resize(1);
    generic.results.push_back(function.view(to));
    result = generic.emit();
  }
  op.erase();
  empty.getDefiningOp()->erase();
  return failed(result) ? failure() : finishStep(function);
}

LogicalResult KernelSteps::emitConstant(Operation *op) {
  auto constant = cast<arith::ConstantOp>(op);
  auto type = dyn_cast<RankedTensorType>(constant.getType());
  if (!type)
    return success();
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!elements)
    return op->emitOpError("has a value that is not dense");
  Place place;
  place.elementType = type.getElementType();
  place.buffer = Place::kConstant;
  place.constant = elements;
  place.shape = llvm::to_vector(type.getShape());
  place.strides = elements.isSplat() ? SmallVector<int64_t>(type.getRank(), 0)
                                     : View::denseStrides(place.shape);
  places[constant.getResult()] = place;
  return success();
}

LogicalResult KernelSteps::emitInsertSlice(tensor::InsertSliceOp op) {
  Place to = destination(op.getResult());
  Value base = op.getDest();
  auto made = destinations.find(base);
  bool inPlace = made != destinations.end() && base.hasOneUse() &&
                 made->second.startsWith(to);
  if (!inPlace && !base.getDefiningOp<tensor::EmptyOp>() &&
      failed(copy(placeOf(base), to)))
    return failure();
  if (placedSources.contains(op))
    return success();
  return copy(placeOf(op.getSource()), insertedPart(op, to));
}

LogicalResult KernelSteps::emitConcat(tensor::ConcatOp op) {
  Place to = destination(op.getResult());
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    if (destinations.contains(input) && input.hasOneUse())
      continue;
    if (failed(copy(placeOf(input), concatenatedPart(op, to, i))))
      return failure();
  }
  return success();
}

/// tensor.from_elements and tensor.splat.
LogicalResult KernelSteps::emitElements(Operation *op) {
  Place place = destination(op->getResult(0));
  DeviceFunction function = beginFunction();
  View to = function.view(place);
  SmallVector<Value> elements;
  for (Value element : op->getOperands())
    elements.push_back(function.scalar(element));
  if (llvm::is_contained(elements, Value()))
    return failure();
  LaneBuilder &l = function.l;
  int64_t count = to.numElements();
  bool splat = elements.size() == 1;
  Value id = function.linearThread(splat ? count : 1,
                                   splat ? std::min(count, kBlockThreads) : 1);
  auto storeAt = [&](ArrayRef<Value> ivs, Value element) {
    Value at = to.offset;
    for (auto [iv, stride] : llvm::zip(ivs, to.strides))
      at = l.add(at, l.mul(iv, stride));
    l.store(to.elementType, element, to.base, at, 0);
  };
  if (splat) {
    function.when(function.less(id, count), [&] {
      storeAt(function.delinearize(id, to.shape), elements.front());
    });
    return finishStep(function);
  }
  for (auto [i, element] : llvm::enumerate(elements)) {
    SmallVector<Value> ivs(to.shape.size());
    int64_t rest = i;
    for (int64_t dim = int64_t(ivs.size()) - 1; dim >= 0; --dim) {
      ivs[dim] = l.i64(rest % to.shape[dim]);
      rest /= to.shape[dim];
    }
    storeAt(ivs, element);
  }
  return finishStep(function);
}

/// True where `op` is written into memory that a pending operation is written
/// into, which must happen one after the other.
bool KernelSteps::overwritesPending(linalg::GenericOp op) {
  for (Value result : op->getResults())
    for (linalg::GenericOp earlier : pending)
      for (Value other : earlier->getResults()) {
        auto a = destinations.find(result), b = destinations.find(other);
        if (a != destinations.end() && b != destinations.end() &&
            a->second.startsWith(b->second))
          return true;
      }
  return false;
}

/// Emits a product with what follows it as one step, where there is such a
/// form.
FailureOr<bool> KernelSteps::emitProduct(linalg::GenericOp op) {
  if (std::optional<Attention> attention = matchAttention(op)) {
    FailureOr<bool> done = emitAttention(*this, *attention);
    if (failed(done))
      return failure();
    if (*done) {
      absorbed.insert_range(attention->operations());
      return true;
    }
  }
  SmallVector<Operation *> done = emitMatmul(*this, op);
  absorbed.insert_range(done);
  return !done.empty();
}

LogicalResult KernelSteps::emitOp(Operation *op) {
  if (isa<tensor::EmptyOp>(op) || absorbed.contains(op))
    return success();
  if (isa<arith::ConstantOp>(op))
    return emitConstant(op);
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return op->emitOpError("is expected in its generic form");
  bool scalar =
      llvm::none_of(op->getOperandTypes(), llvm::IsaPred<ShapedType>) &&
      llvm::none_of(op->getResultTypes(), llvm::IsaPred<ShapedType>);
  // Scalars are computed where they are used.
  if (scalar || isa<tensor::ExtractOp>(op))
    return success();
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (generic && !isComputeOp(op))
    return success();
  if (generic && !matchContraction(op)) {
    SmallVector<linalg::GenericOp> longer(pending);
    longer.push_back(generic);
    std::optional<RowGroup> group = RowGroup::match(longer);
    if (!group || overwritesPending(generic)) {
      if (failed(flushGroup()))
        return failure();
      group = RowGroup::match({generic});
    }
    pending.push_back(generic);
    pendingGroup = std::move(group);
    return success();
  }
  bool needsPending = llvm::any_of(op->getOperands(), [&](Value operand) {
    return llvm::is_contained(pending, operand.getDefiningOp());
  });
  if (isView(op)) {
    if (needsPending && failed(flushGroup()))
      return failure();
    (void)placeOf(op->getResult(0));
    return success();
  }
  if (failed(flushGroup()))
    return failure();
  if (generic) {
    FailureOr<bool> done = emitProduct(generic);
    if (failed(done))
      return failure();
    if (*done)
      return success();
    Contraction contraction = *matchContraction(op);
    return fillsTiles(generic, contraction)
               ? emitContraction(*this, generic, contraction)
               : emitGeneric(generic);
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return emitInsertSlice(insert);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return emitConcat(concat);
  if (isa<tensor::FromElementsOp, tensor::SplatOp>(op))
    return emitElements(op);
  return op->emitOpError("cannot be part of a kernel");
}

LogicalResult KernelSteps::emitReturn(func::ReturnOp op) {
  for (auto [i, value] : llvm::enumerate(op.getOperands())) {
    Place from = placeOf(value);
    if (from.buffer == resultPlaces[i].buffer)
      continue;
    if (failed(copy(from, resultPlaces[i])))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Operands that may share memory with results
//===----------------------------------------------------------------------===//

/// True where, of one tensor shape, the thread of a row step that writes an
/// element is the one that reads it.
bool KernelSteps::accessSameElements(linalg::GenericOp reader, AffineMap read,
                                     linalg::GenericOp writer,
                                     AffineMap written) {
  if (!roles.contains(reader) || !roles.contains(writer))
    return false;
  for (auto [x, y] : llvm::zip(read.getResults(), written.getResults())) {
    auto a = dyn_cast<AffineDimExpr>(x), b = dyn_cast<AffineDimExpr>(y);
    if (!a || !b ||
        roles[reader][a.getPosition()] != roles[writer][b.getPosition()])
      return false;
  }
  return true;
}

/// True where writing `result` in place of `argument` never changes a value
/// that is still to be read: no later step reads it, and in the step itself
/// each thread reads only what it writes, before it does.
bool KernelSteps::mayShare(BlockArgument argument, Value result) {
  auto type = cast<RankedTensorType>(argument.getType());
  if (type.getShape() != cast<RankedTensorType>(result.getType()).getShape() ||
      LaneBuilder::byteWidth(type.getElementType()) !=
          LaneBuilder::byteWidth(getElementTypeOrSelf(result.getType())))
    return false;
  auto writer = result.getDefiningOp<linalg::GenericOp>();
  if (!writer || !elementwise.contains(writer) ||
      writer.getNumReductionLoops() != 0)
    return false;
  int64_t step = stepOf.lookup(writer);
  AffineMap written =
      writer.getIndexingMapMatchingResult(cast<OpResult>(result));
  for (OpOperand &use : argument.getUses()) {
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    // A use inside of a payload is a gather; views move elements.
    if (!reader || reader->getBlock() != &source.front() ||
        !stepOf.contains(reader))
      return false;
    if (stepOf.lookup(reader) < step)
      continue;
    if (reader != writer &&
        (writer->isBeforeInBlock(reader) ||
         !accessSameElements(reader, reader.getMatchingIndexingMap(&use),
                             writer, written)))
      return false;
    if (reader == writer && reader.getMatchingIndexingMap(&use) != written)
      return false;
    if (llvm::is_contained(stagedInputs[reader], use.getOperandNumber()))
      return false;
  }
  return true;
}

void KernelSteps::findInplacePairs() {
  auto terminator = cast<func::ReturnOp>(source.front().getTerminator());
  int64_t operand = 0;
  for (BlockArgument argument : source.getArguments()) {
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    for (auto [i, result] : llvm::enumerate(terminator.getOperands()))
      if (destinations.contains(result) && mayShare(argument, result))
        inplace.push_back({operand, int64_t(i)});
    ++operand;
  }
}

} // namespace turnip::codegen::gpu
