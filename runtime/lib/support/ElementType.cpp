//===- ElementType.cpp - The element types of a tensor --------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/support/ElementType.h"

#include <cstring>

using namespace turnip;

namespace {
struct TypeInfo {
  const char *name;
  int64_t bytes;
  bool floating;
};
} // namespace

static constexpr TypeInfo types[numElementTypes] = {
    {"f32", 4, true},  {"f16", 2, true},  {"bf16", 2, true}, {"i8", 1, false},
    {"i32", 4, false}, {"i64", 8, false}, {"i1", 1, false},
};

static const TypeInfo &info(ElementType type) {
  return types[static_cast<unsigned>(type) % numElementTypes];
}

int64_t turnip::byteSize(ElementType type) { return info(type).bytes; }

bool turnip::isFloat(ElementType type) { return info(type).floating; }

const char *turnip::toString(ElementType type) { return info(type).name; }

std::optional<ElementType> turnip::parseElementType(std::string_view text) {
  for (unsigned i = 0; i < numElementTypes; ++i)
    if (text == types[i].name)
      return static_cast<ElementType>(i);
  return std::nullopt;
}

std::optional<int64_t>
turnip::countElements(const std::vector<int64_t> &shape) {
  constexpr int64_t limit = int64_t(1) << 62;
  int64_t count = 1;
  bool tooLarge = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    if (extent == 0)
      return 0;
    if (count > limit / extent)
      tooLarge = true;
    else
      count *= extent;
  }
  if (tooLarge)
    return std::nullopt;
  return count;
}

std::string turnip::describe(const std::vector<int64_t> &shape,
                             ElementType type) {
  std::string text;
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + toString(type);
}

static float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t toBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float turnip::halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 0x1f;
  uint32_t fraction = bits & 0x3ff;
  if (exponent == 31)
    return fromBits(sign | 0x7f800000 | fraction << 13);
  if (exponent != 0)
    return fromBits(sign | (exponent + 112) << 23 | fraction << 13);
  // Zero and the subnormals: fraction units of 2^-24, exact in f32.
  float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return fromBits(sign | toBits(magnitude));
}

uint16_t turnip::floatToHalf(float value) {
  uint32_t bits = toBits(value);
  uint16_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return sign | 0x7e00;
  if (magnitude >= 0x477ff000) // rounds to 2^16 or more
    return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // Below the smallest normal: adding 0.5 puts a unit of 2^-24 in the last
    // place of the sum, so that the addition itself rounds to even.
    uint32_t sum = toBits(fromBits(magnitude) + 0.5f);
    return static_cast<uint16_t>(sign | (sum - 0x3f000000));
  }
  uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000) >> 13));
}

float turnip::bfloatToFloat(uint16_t bits) {
  return fromBits(uint32_t(bits) << 16);
}

uint16_t turnip::floatToBfloat(float value) {
  uint32_t bits = toBits(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
