//===- AttentionStep.cpp - Attention as one launch ------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"

using namespace mlir;

namespace turnip::codegen::gpu {

/// Heads up to this size fit the threads' registers and shared memory.
static constexpr int64_t kMaxHeadSize = 128;

namespace {
/// The tensors of an attention.
struct Places {
  Place queries, keys, values, result;
};
} // namespace

static int64_t strideOf(const Place &place, int64_t dim) {
  return dim < 0 ? 0 : place.strides[dim];
}

/// The number of elements that `dims` are together, if they are contiguous in
/// two tensors, whose strides `first` and `second` tell; otherwise 0.
static int64_t
joinContiguous(ArrayRef<Attention::Dim> dims,
               llvm::function_ref<int64_t(Attention::Dim)> first,
               llvm::function_ref<int64_t(Attention::Dim)> second) {
  SmallVector<Attention::Dim> sorted(llvm::make_filter_range(
      dims, [](const Attention::Dim &dim) { return dim.size != 1; }));
  llvm::sort(sorted, [&](const Attention::Dim &a, const Attention::Dim &b) {
    return first(a) < first(b);
  });
  int64_t size = 1;
  for (const Attention::Dim &dim : sorted) {
    if (first(dim) != size || second(dim) != size)
      return 0;
    size *= dim.size;
  }
  return size;
}

/// The element type of queries, keys, values and weights if it is one that a
/// kernel takes.
static Type findType(const Attention &attention) {
  Type type = getElementTypeOrSelf(attention.queries.getType());
  linalg::GenericOp quotient = attention.quotient;
  Value weights = quotient.getResult(0);
  for (Value tensor : {attention.keys, attention.values, weights})
    if (getElementTypeOrSelf(tensor.getType()) != type)
      return nullptr;
  return type.isF32() || isNarrowFloat(type) ? type : Type();
}

/// Sorts the dimensions of the scores into rows, keys and heads; nothing where
/// keys are several dimensions.
static std::optional<AttentionLayout> sortDims(const Attention &attention,
                                               const Places &places) {
  AttentionLayout layout;
  bool hasKey = false;
  for (auto [i, dim] : llvm::enumerate(attention.scoreDims)) {
    AttentionLayout::Dim sorted;
    sorted.size = dim.size;
    sorted.queries = strideOf(places.queries, dim.queries);
    sorted.keys = strideOf(places.keys, dim.keys);
    sorted.values = strideOf(places.values, dim.values);
    sorted.result = strideOf(places.result, dim.result);
    sorted.scoreDim = i;
    if (dim.size == 1)
      continue;
    if (!dim.isKey) {
      layout.outer.push_back(sorted);
      continue;
    }
    if (hasKey || dim.queries >= 0)
      return std::nullopt;
    hasKey = true;
    layout.key = sorted;
  }
  // The longest dimension that keys and values do not have are the rows.
  auto *longest = layout.outer.end();
  for (auto *it = layout.outer.begin(); it != layout.outer.end(); ++it)
    if (it->keys == 0 && it->values == 0 &&
        (longest == layout.outer.end() || it->size > longest->size))
      longest = it;
  if (longest != layout.outer.end()) {
    layout.row = *longest;
    layout.outer.erase(longest);
  }
  return layout;
}

/// Whether every row of `place` begins at a multiple of `elements`.
static bool isAligned(const Place &place, ArrayRef<int64_t> strides,
                      int64_t elements) {
  return place.alignment() % elements == 0 &&
         llvm::all_of(strides,
                      [&](int64_t stride) { return stride % elements == 0; });
}

/// Whether the tensor cores' kernel can access the tensors as it does.
static bool isAligned(const AttentionLayout &layout, const Places &places) {
  SmallVector<int64_t> queries = {layout.row.queries};
  SmallVector<int64_t> keys = {layout.key.keys}, values = {layout.key.values};
  SmallVector<int64_t> results = {layout.row.result};
  for (const AttentionLayout::Dim &dim : layout.outer) {
    queries.push_back(dim.queries);
    keys.push_back(dim.keys);
    values.push_back(dim.values);
    results.push_back(dim.result);
  }
  return isAligned(places.queries, queries, 2) &&
         isAligned(places.keys, keys, 8) &&
         isAligned(places.values, values, 8) &&
         isAligned(places.result, results, 2);
}

static std::optional<AttentionLayout> findLayout(const Attention &attention,
                                                 const Places &places) {
  Type type = findType(attention);
  std::optional<AttentionLayout> layout = sortDims(attention, places);
  if (!type || !layout)
    return std::nullopt;
  layout->type = type;
  layout->headSize = joinContiguous(
      attention.headDims,
      [&](Attention::Dim dim) { return strideOf(places.queries, dim.queries); },
      [&](Attention::Dim dim) { return strideOf(places.keys, dim.keys); });
  layout->valueSize = joinContiguous(
      attention.valueDims,
      [&](Attention::Dim dim) { return strideOf(places.values, dim.values); },
      [&](Attention::Dim dim) { return strideOf(places.result, dim.result); });
  auto fits = [](int64_t size, int64_t unit) {
    return size > 0 && size <= kMaxHeadSize && size % unit == 0;
  };
  bool takes = type.isF32()
                   ? fits(layout->headSize, 4) && fits(layout->valueSize, 8)
                   : fits(layout->headSize, 16) &&
                         fits(layout->valueSize, 16) &&
                         isAligned(*layout, places);
  if (!takes)
    return std::nullopt;
  return layout;
}

FailureOr<bool> emitAttention(KernelSteps &steps, const Attention &attention) {
  Places places = {
      steps.placeOf(attention.queries), steps.placeOf(attention.keys),
      steps.placeOf(attention.values), steps.destination(attention.result)};
  std::optional<AttentionLayout> layout = findLayout(attention, places);
  if (!layout)
    return false;
  DeviceFunction function = steps.beginFunction();
  layout->queries = function.view(places.queries);
  layout->keys = function.view(places.keys);
  layout->values = function.view(places.values);
  layout->result = function.view(places.result);
  std::unique_ptr<AttentionKernel> kernel =
      layout->type.isF32()
          ? createPlainAttention(function, attention, *layout)
          : createTensorCoreAttention(function, attention, *layout);
  if (failed(kernel->emit()) || failed(steps.finishStep(function)))
    return failure();
  return true;
}

} // namespace turnip::codegen::gpu
