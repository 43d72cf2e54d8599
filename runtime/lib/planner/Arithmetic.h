//===- Arithmetic.h - Sizes and offsets without overflow --------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_PLANNER_ARITHMETIC_H
#define TURNIP_LIB_PLANNER_ARITHMETIC_H

#include <cstdint>

namespace turnip::planner {

inline bool isPowerOfTwo(uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

/// Whether \p bytes at \p offset end within \p capacity.
inline bool fits(uint64_t offset, uint64_t bytes, uint64_t capacity) {
  return offset <= capacity && bytes <= capacity - offset;
}

/// Sets \p sum to \p a + \p b; false when it exceeds 64 bits.
inline bool addChecked(uint64_t a, uint64_t b, uint64_t &sum) {
  sum = a + b;
  return sum >= a;
}

/// Sets \p result to \p bytes rounded up to \p alignment, a power of two;
/// false when it exceeds 64 bits.
inline bool alignUp(uint64_t bytes, uint64_t alignment, uint64_t &result) {
  uint64_t sum = 0;
  bool ok = addChecked(bytes, alignment - 1, sum);
  result = sum & ~(alignment - 1);
  return ok;
}

} // namespace turnip::planner

#endif // TURNIP_LIB_PLANNER_ARITHMETIC_H
