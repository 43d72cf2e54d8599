//===- Place.cpp - Where a tensor lies on a device ------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Place.h"
#include "../LaneBuilder.h"
#include <numeric>

using namespace mlir;

namespace turnip::codegen::gpu {

int64_t Place::alignment() const {
  int64_t width = LaneBuilder::byteWidth(elementType);
  int64_t elements = std::gcd(std::max<int64_t>(256 / width, 1), offset);
  for (auto [value, factor] : dynamicOffsets)
    elements = std::gcd(elements, factor);
  return elements;
}

Place Place::reshaped(ArrayRef<int64_t> newShape) const {
  Place result = *this;
  result.shape = llvm::to_vector(newShape);
  result.strides.assign(newShape.size(), 0);
  // Walk both shapes from the inside, matching runs of equal element counts.
  int64_t from = int64_t(shape.size()) - 1;
  int64_t to = int64_t(newShape.size()) - 1;
  auto skipUnits = [&] {
    while (from >= 0 && shape[from] == 1)
      --from;
  };
  while (to >= 0) {
    if (newShape[to] == 1) {
      --to;
      continue;
    }
    skipUnits();
    int64_t stride = strides[from], run = shape[from--], made = 1;
    while (made != run) {
      if (made < run) {
        result.strides[to] = stride * made;
        made *= newShape[to--];
        continue;
      }
      skipUnits();
      if (strides[from] != stride * run) {
        result.buffer = kNone;
        return result;
      }
      run *= shape[from--];
    }
  }
  return result;
}

} // namespace turnip::codegen::gpu
