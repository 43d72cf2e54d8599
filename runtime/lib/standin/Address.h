//===- Address.h - Numbers that are addresses -------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_STANDIN_ADDRESS_H
#define TURNIP_LIB_STANDIN_ADDRESS_H

#include <cstdint>

namespace turnip::standin {

/// What is at \p address.
inline char *pointerTo(uint64_t address) {
  // CUDA's addresses are numbers.
  return reinterpret_cast<char *>(address); // NOLINT(performance-no-int-to-ptr)
}

inline uint64_t addressOf(const void *pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

} // namespace turnip::standin

#endif // TURNIP_LIB_STANDIN_ADDRESS_H
