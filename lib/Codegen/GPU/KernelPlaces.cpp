//===- KernelPlaces.cpp - Where the tensors of a kernel lie on a device ---===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../KernelEmitter.h"
#include "../RowPlan.h"
#include "KernelSteps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace turnip::codegen::gpu {

bool isView(Operation *op) {
  return isa_and_nonnull<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
                         tensor::CollapseShapeOp, tensor::CastOp,
                         tensor::ReshapeOp>(op);
}

void KernelSteps::assignArguments() {
  auto dense = [&](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    Place place;
    place.elementType = tensor.getElementType();
    place.buffer = numBuffers++;
    place.shape = llvm::to_vector(tensor.getShape());
    place.strides = View::denseStrides(place.shape);
    return place;
  };
  for (BlockArgument argument : source.getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      places[argument] = dense(argument.getType());
  for (Type type : source.getResultTypes())
    resultPlaces.push_back(dense(type));
}

/// Results are written in place by the operation that makes them, also through
/// reshapes that nothing else reads.
void KernelSteps::assignResults() {
  auto terminator = cast<func::ReturnOp>(source.front().getTerminator());
  for (auto [i, value] : llvm::enumerate(terminator.getOperands())) {
    Place place = resultPlaces[i];
    Value made = value;
    while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
               made.getDefiningOp()) &&
           made.getDefiningOp()->getOperand(0).hasOneUse()) {
      made = made.getDefiningOp()->getOperand(0);
      place = place.reshaped(cast<RankedTensorType>(made.getType()).getShape());
    }
    if (made.getDefiningOp() && isComputeOp(made.getDefiningOp()))
      destinations.try_emplace(made, place);
  }
  for (Operation &op : llvm::reverse(source.front()))
    if (isa<tensor::InsertSliceOp, tensor::ConcatOp>(op))
      assignParts(&op);
}

/// What an insertion or concatenation joins is made where it will lie, if
/// nothing else reads it.
void KernelSteps::assignParts(Operation *op) {
  Value result = op->getResult(0);
  auto it = destinations.find(result);
  Place whole = it != destinations.end() ? it->second : allocate(result);
  destinations.try_emplace(result, whole);
  auto assign = [&](Value part, const Place &place) {
    if (part.hasOneUse() && part.getDefiningOp() &&
        isComputeOp(part.getDefiningOp()))
      destinations.try_emplace(part, place);
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

Place KernelSteps::insertedPart(tensor::InsertSliceOp op, const Place &whole) {
  return slicePlace(whole, op.getMixedOffsets(), op.getStaticSizes(),
                    op.getStaticStrides(), op.getDroppedDims());
}

Place KernelSteps::concatenatedPart(tensor::ConcatOp op, const Place &whole,
                                    unsigned index) {
  int64_t position = 0, dim = op.getDim();
  for (Value input : op.getInputs().take_front(index))
    position += cast<RankedTensorType>(input.getType()).getDimSize(dim);
  auto type = cast<RankedTensorType>(op.getInputs()[index].getType());
  Place part = whole;
  part.shape = llvm::to_vector(type.getShape());
  part.offset += position * whole.strides[dim];
  return part;
}

Place KernelSteps::slicePlace(const Place &place,
                              ArrayRef<OpFoldResult> offsets,
                              ArrayRef<int64_t> sizes,
                              ArrayRef<int64_t> strides,
                              const llvm::SmallBitVector &dropped) {
  Place result = place;
  result.shape.clear();
  result.strides.clear();
  for (unsigned dim = 0; dim < place.shape.size(); ++dim) {
    int64_t stride = place.strides[dim];
    if (std::optional<int64_t> constant = getConstantIntValue(offsets[dim]))
      result.offset += *constant * stride;
    else
      result.dynamicOffsets.push_back({cast<Value>(offsets[dim]), stride});
    if (dropped.test(dim))
      continue;
    result.shape.push_back(sizes[dim]);
    result.strides.push_back(stride * strides[dim]);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// The workspace
//===----------------------------------------------------------------------===//

/// The last operation of the kernel that reads `tensor`, a view of it or a
/// tensor that it was written into; null where it is returned.
Operation *KernelSteps::lastUseOf(Value tensor) {
  Operation *last = tensor.getDefiningOp();
  for (Operation *user : tensor.getUsers()) {
    Operation *top = source.front().findAncestorOpInBlock(*user);
    if (isa<func::ReturnOp>(top))
      return nullptr;
    Operation *use = top;
    bool forwards =
        isView(top) ||
        isa<tensor::InsertSliceOp, tensor::ConcatOp, tensor::ExtractOp>(top);
    if (auto generic = dyn_cast<linalg::GenericOp>(top))
      forwards = !isComputeOp(generic);
    // A scalar that is read may be computed again in any later step.
    if (isa<tensor::ExtractOp>(top))
      return nullptr;
    if (forwards)
      use = lastUseOf(top->getResult(0));
    if (!use)
      return nullptr;
    if (positions.lookup(use) > positions.lookup(last))
      last = use;
  }
  return last;
}

Place KernelSteps::allocate(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Place place;
  place.elementType = type.getElementType();
  place.buffer = workspaceBuffer();
  place.shape = llvm::to_vector(type.getShape());
  place.strides = View::denseStrides(place.shape);
  int64_t bytes = llvm::alignTo(type.getNumElements() *
                                    LaneBuilder::byteWidth(place.elementType),
                                kDeviceAlignment);
  // First fit between what is in use, in order of offsets.
  int64_t offset = 0;
  unsigned at = 0;
  while (at < inUse.size() && inUse[at].offset - offset < bytes) {
    offset = inUse[at].offset + inUse[at].bytes;
    ++at;
  }
  place.bufferOffset = offset;
  inUse.insert(inUse.begin() + at, {offset, bytes, lastUseOf(tensor)});
  workspaceBytes = std::max(workspaceBytes, offset + bytes);
  return place;
}

int64_t KernelSteps::allocateTemporary(int64_t bytes) {
  bytes = llvm::alignTo(bytes, kDeviceAlignment);
  int64_t offset = 0;
  for (const Block &block : inUse) {
    if (block.offset - offset >= bytes)
      break;
    offset = block.offset + block.bytes;
  }
  workspaceBytes = std::max(workspaceBytes, offset + bytes);
  return offset;
}

/// Frees what no operation behind `op` reads.
void KernelSteps::releaseAfter(Operation *op) {
  llvm::erase_if(inUse, [&](const Block &block) {
    return block.lastUse &&
           positions.lookup(block.lastUse) <= positions.lookup(op);
  });
}

Place KernelSteps::destination(Value tensor) {
  if (auto known = places.find(tensor); known != places.end())
    return known->second;
  auto it = destinations.find(tensor);
  Place place = it != destinations.end() ? it->second : allocate(tensor);
  places[tensor] = place;
  return place;
}

Place KernelSteps::makePlace(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return slicePlace(placeOf(slice.getSource()), slice.getMixedOffsets(),
                      slice.getStaticSizes(), slice.getStaticStrides(),
                      slice.getDroppedDims());
  if (isa<tensor::CastOp>(op))
    return placeOf(op->getOperand(0));
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor.getType()).getShape();
  Place from = placeOf(op->getOperand(0));
  Place place = from.reshaped(shape);
  if (place.exists())
    return place;
  // The source's strides do not allow it: gather the elements first.
  Place dense = allocate(op->getOperand(0));
  if (failed(copy(from, dense)))
    return dense;
  return dense.reshaped(shape);
}

Place KernelSteps::placeOf(Value tensor) {
  auto it = places.find(tensor);
  if (it != places.end())
    return it->second;
  Place place = makePlace(tensor);
  places[tensor] = place;
  return place;
}

} // namespace turnip::codegen::gpu
