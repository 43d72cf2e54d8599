//===- Convert.h - Between f32 and the types of 16 bits ---------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_STANDIN_CONVERT_H
#define TURNIP_LIB_STANDIN_CONVERT_H

#include <cstdint>
#include <cstring>

namespace turnip::standin {

inline float floatOfBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
inline uint32_t bitsOfFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float floatOfBf16(uint16_t bits) {
  return floatOfBits(static_cast<uint32_t>(bits) << 16);
}

/// Without branches, so that loops over it become vector code.
inline float floatOfF16(uint16_t half) {
  const uint32_t magnitude = static_cast<uint32_t>(half & 0x7FFF) << 13;
  // 2^112 moves the exponent's bias from 15 to 127, subnormal numbers included.
  uint32_t bits = bitsOfFloat(floatOfBits(magnitude) * 0x1p112F);
  bits |= magnitude >= 0x0F800000 ? 0x7F800000U : 0U;
  return floatOfBits(bits | static_cast<uint32_t>(half & 0x8000) << 16);
}

/// The nearest value with 10 bits of fraction, ties away from zero, as the
/// conversion instruction of tensor cores rounds; NaN and infinity stay.
inline float tf32OfFloat(float value) {
  const uint32_t bits = bitsOfFloat(value);
  if ((bits & 0x7F800000) == 0x7F800000)
    return value;
  return floatOfBits((bits + 0x1000) & 0xFFFFE000);
}

} // namespace turnip::standin

#endif // TURNIP_LIB_STANDIN_CONVERT_H
