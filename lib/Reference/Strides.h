//===- Strides.h - Walking rectangles of tensors ----------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_REFERENCE_STRIDES_H
#define TURNIP_LIB_REFERENCE_STRIDES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLExtras.h"

#include <vector>

namespace turnip::reference {

/// Row-major strides of \p shape.
inline llvm::SmallVector<int64_t> stridesOf(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t d = static_cast<int64_t>(shape.size()) - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * shape[d + 1];
  return strides;
}

/// For every element of a tensor of \p shape, in order: \p base plus the sum of
/// position times stride.
inline std::vector<int64_t> walk(llvm::ArrayRef<int64_t> shape,
                                 llvm::ArrayRef<int64_t> strides,
                                 int64_t base) {
  std::vector<int64_t> offsets = {base};
  for (auto [size, stride] : llvm::zip_equal(shape, strides)) {
    std::vector<int64_t> finer;
    finer.reserve(offsets.size() * size);
    for (int64_t offset : offsets)
      for (int64_t i = 0; i < size; ++i)
        finer.push_back(offset + i * stride);
    offsets = std::move(finer);
  }
  return offsets;
}

} // namespace turnip::reference

#endif // TURNIP_LIB_REFERENCE_STRIDES_H
