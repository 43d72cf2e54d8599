//===- Slices.h - Slices as runs of consecutive elements --------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_RUNTIME_SLICES_H
#define TURNIP_LIB_RUNTIME_SLICES_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace turnip::runtime {

/// Calls \p visit(whole, part, count) for every maximal run of consecutive
/// elements that a slice has in common with its tensor: \p count elements that
/// begin at element \p whole of the tensor and at element \p part of the slice,
/// both row-major, in ascending order. Stops when \p visit returns false;
/// returns whether it never did.
///
/// \p shape, \p offsets and \p sizes have the same length, sizes are at least
/// 1, and the slice lies within the shape.
template <typename Visit>
bool forEachRun(const std::vector<int64_t> &shape,
                const std::vector<int64_t> &offsets,
                const std::vector<int64_t> &sizes, Visit &&visit) {
  // Dimensions from `inner` on are whole: together with the one before them
  // they make one run.
  size_t inner = shape.size();
  int64_t run = 1;
  while (inner > 0 && sizes[inner - 1] == shape[inner - 1])
    run *= shape[--inner];
  int64_t stride = run;
  if (inner > 0)
    run *= sizes[--inner];

  int64_t numRuns = 1;
  for (size_t d = 0; d < inner; ++d)
    numRuns *= sizes[d];
  std::vector<int64_t> index(inner, 0);
  for (int64_t r = 0; r < numRuns; ++r) {
    int64_t whole = 0;
    for (size_t d = 0; d < inner; ++d)
      whole = whole * shape[d] + offsets[d] + index[d];
    if (inner < shape.size())
      whole = (whole * shape[inner] + offsets[inner]) * stride;
    if (!visit(whole, r * run, run))
      return false;
    for (size_t d = inner; d-- > 0;) {
      if (++index[d] < sizes[d])
        break;
      index[d] = 0;
    }
  }
  return true;
}

} // namespace turnip::runtime

#endif // TURNIP_LIB_RUNTIME_SLICES_H
