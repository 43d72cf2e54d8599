//===- KernelViews.cpp - Where the tensors of a kernel lie ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace turnip::codegen {

View KernelEmitter::allocate(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  View view;
  view.elementType = type.getElementType();
  view.shape = llvm::to_vector(type.getShape());
  // A temporary holds only the rows that are run at once.
  SmallVector<int64_t> held = view.shape;
  for (auto [dim, size] : llvm::enumerate(held))
    if (int64_t row = plan.rowOf(tensor, dim); row >= 0 && !rowRanges.empty())
      size = plan.rows[row].tile;
  view.strides = View::denseStrides(held);
  int64_t elements = 1;
  for (auto [dim, size] : llvm::enumerate(held)) {
    elements *= size;
    int64_t row = rowRanges.empty() ? -1 : plan.rowOf(tensor, dim);
    if (row < 0)
      continue;
    if (plan.rows[row].tile == 1)
      view.strides[dim] = 0;
    else
      view.offset =
          l.add(view.offset, l.mul(rowRanges[row].begin, -view.strides[dim]));
  }
  int64_t bytes = elements * LaneBuilder::byteWidth(view.elementType);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  view.base = LLVM::GEPOp::create(builder, l.loc, pointer, builder.getI8Type(),
                                  scratchMarker->getResult(0),
                                  ArrayRef<LLVM::GEPArg>{l.i64(scratchBytes)});
  scratchBytes += llvm::alignTo(bytes, kAlignment);
  return view;
}

View KernelEmitter::destination(Value tensor) {
  auto it = destinations.find(tensor);
  View view = it != destinations.end() ? it->second : allocate(tensor);
  views[tensor] = view;
  return view;
}

/// `view` with another shape of the same elements, where no stride prevents it;
/// otherwise a view without memory.
View KernelEmitter::reshape(const View &view, ArrayRef<int64_t> shape) {
  View result = view;
  result.shape = llvm::to_vector(shape);
  result.strides.assign(shape.size(), 0);
  // Walk both shapes from the inside, matching runs of equal element counts.
  int64_t from = int64_t(view.shape.size()) - 1;
  int64_t to = int64_t(shape.size()) - 1;
  while (to >= 0) {
    if (shape[to] == 1) {
      --to;
      continue;
    }
    while (from >= 0 && view.shape[from] == 1)
      --from;
    // One run: dimensions [low, from] of the old shape against [.., to].
    int64_t stride = view.strides[from], run = view.shape[from], made = 1;
    --from;
    while (true) {
      if (made < run && to >= 0) {
        result.strides[to] = stride * made;
        made *= shape[to--];
      } else if (made > run) {
        while (view.shape[from] == 1)
          --from;
        if (view.strides[from] != stride * run) {
          result.base = nullptr;
          return result;
        }
        run *= view.shape[from--];
      } else {
        break;
      }
    }
  }
  return result;
}

View KernelEmitter::sliceView(const View &view, ArrayRef<OpFoldResult> offsets,
                              ArrayRef<int64_t> sizes,
                              ArrayRef<int64_t> strides,
                              const llvm::SmallBitVector &dropped) {
  View result;
  result.elementType = view.elementType;
  result.base = view.base;
  result.offset = view.offset;
  for (unsigned dim = 0; dim < view.shape.size(); ++dim) {
    Value offset;
    if (std::optional<int64_t> constant = getConstantIntValue(offsets[dim]))
      offset = l.i64(*constant);
    else
      offset = arith::IndexCastOp::create(builder, l.loc, builder.getI64Type(),
                                          scalarOf(cast<Value>(offsets[dim])));
    result.offset = l.add(result.offset, l.mul(offset, view.strides[dim]));
    if (dropped.test(dim))
      continue;
    result.shape.push_back(sizes[dim]);
    result.strides.push_back(view.strides[dim] * strides[dim]);
  }
  return result;
}

View KernelEmitter::makeView(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return sliceView(viewOf(slice.getSource()), slice.getMixedOffsets(),
                     slice.getStaticSizes(), slice.getStaticStrides(),
                     slice.getDroppedDims());
  if (isa<tensor::CastOp>(op))
    return viewOf(op->getOperand(0));
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor.getType()).getShape();
  View from = viewOf(op->getOperand(0));
  View view = reshape(from, shape);
  if (view.base)
    return view;
  // The source's strides do not allow it: gather the elements first.
  View dense = allocate(op->getOperand(0));
  if (failed(copy(from, dense)))
    return dense;
  return reshape(dense, shape);
}

View KernelEmitter::viewOf(Value tensor) {
  auto it = views.find(tensor);
  if (it != views.end())
    return it->second;
  View view = makeView(tensor);
  views[tensor] = view;
  return view;
}

Value KernelEmitter::scalarOf(Value value) { return scalars.lookup(value); }

} // namespace turnip::codegen
