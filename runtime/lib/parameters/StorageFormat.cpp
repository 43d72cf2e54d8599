//===- StorageFormat.cpp - How a GGUF file stores elements ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every product and sum below is rounded to f32 on its own, in the order that
// the format's definition gives, so that expansion is the same on every
// machine (the library is built without contraction into fused operations).
//
//===----------------------------------------------------------------------===//

#include "turnip/parameters/StorageFormat.h"

#include <cstring>

using namespace turnip;
using namespace turnip::parameters;

static uint16_t read16(const unsigned char *bytes) {
  return static_cast<uint16_t>(bytes[0] | bytes[1] << 8);
}

static uint32_t read32(const unsigned char *bytes) {
  return uint32_t(bytes[0]) | uint32_t(bytes[1]) << 8 |
         uint32_t(bytes[2]) << 16 | uint32_t(bytes[3]) << 24;
}

static float readHalf(const unsigned char *bytes) {
  return halfToFloat(read16(bytes));
}

static void expandF32(const unsigned char *block, float *values) {
  uint32_t bits = read32(block);
  std::memcpy(values, &bits, sizeof bits);
}

static void expandF16(const unsigned char *block, float *values) {
  *values = readHalf(block);
}

static void expandBF16(const unsigned char *block, float *values) {
  *values = bfloatToFloat(read16(block));
}

// The formats of 32 elements keep element i (i < 16) in the low half of byte i
// and element i + 16 in the high half; five-bit formats add bit i of a word.

static void expandQ4_0(const unsigned char *block, float *values) {
  float scale = readHalf(block);
  for (int i = 0; i < 16; ++i) {
    int byte = block[2 + i];
    values[i] = scale * static_cast<float>((byte & 15) - 8);
    values[i + 16] = scale * static_cast<float>((byte >> 4) - 8);
  }
}

static void expandQ4_1(const unsigned char *block, float *values) {
  float scale = readHalf(block), least = readHalf(block + 2);
  for (int i = 0; i < 16; ++i) {
    int byte = block[4 + i];
    values[i] = scale * static_cast<float>(byte & 15) + least;
    values[i + 16] = scale * static_cast<float>(byte >> 4) + least;
  }
}

static void expandQ5_0(const unsigned char *block, float *values) {
  float scale = readHalf(block);
  uint32_t high = read32(block + 2);
  for (int i = 0; i < 16; ++i) {
    int byte = block[6 + i];
    int low = (byte & 15) | static_cast<int>(high >> i & 1) << 4;
    int top = (byte >> 4) | static_cast<int>(high >> (i + 16) & 1) << 4;
    values[i] = scale * static_cast<float>(low - 16);
    values[i + 16] = scale * static_cast<float>(top - 16);
  }
}

static void expandQ5_1(const unsigned char *block, float *values) {
  float scale = readHalf(block), least = readHalf(block + 2);
  uint32_t high = read32(block + 4);
  for (int i = 0; i < 16; ++i) {
    int byte = block[8 + i];
    int low = (byte & 15) | static_cast<int>(high >> i & 1) << 4;
    int top = (byte >> 4) | static_cast<int>(high >> (i + 16) & 1) << 4;
    values[i] = scale * static_cast<float>(low) + least;
    values[i + 16] = scale * static_cast<float>(top) + least;
  }
}

static void expandQ8_0(const unsigned char *block, float *values) {
  float scale = readHalf(block);
  for (int i = 0; i < 32; ++i)
    values[i] = scale * static_cast<float>(static_cast<int8_t>(block[2 + i]));
}

namespace {
/// Eight six-bit scales and eight six-bit minima in twelve bytes: of the first
/// four of each, the low six bits of bytes 0-3 and 4-7; of the last four, four
/// bits in bytes 8-11 and two in the tops of bytes 0-3 and 4-7.
struct SubBlockScales {
  explicit SubBlockScales(const unsigned char *packed) {
    for (int i = 0; i < 4; ++i) {
      scale[i] = packed[i] & 63;
      least[i] = packed[4 + i] & 63;
      scale[4 + i] = (packed[8 + i] & 15) | (packed[i] >> 6) << 4;
      least[4 + i] = (packed[8 + i] >> 4) | (packed[4 + i] >> 6) << 4;
    }
  }
  int scale[8];
  int least[8];
};
} // namespace

/// The shared part of q4_k and q5_k: 8 sub-blocks of 32 elements. Sub-blocks
/// 2j and 2j+1 are the low and high halves of the bytes \p nibbles[32j ..].
/// \p high holds the fifth bits (bit s of byte i: sub-block s), or is null.
static void expandSubBlocks(const unsigned char *block,
                            const unsigned char *high,
                            const unsigned char *nibbles, float *values) {
  float scale = readHalf(block), least = readHalf(block + 2);
  SubBlockScales sub(block + 4);
  for (int s = 0; s < 8; ++s) {
    float step = scale * static_cast<float>(sub.scale[s]);
    float base = least * static_cast<float>(sub.least[s]);
    for (int i = 0; i < 32; ++i) {
      int quant = nibbles[32 * (s / 2) + i] >> (4 * (s % 2)) & 15;
      if (high)
        quant |= (high[i] >> s & 1) << 4;
      values[32 * s + i] = step * static_cast<float>(quant) - base;
    }
  }
}

static void expandQ4_K(const unsigned char *block, float *values) {
  expandSubBlocks(block, nullptr, block + 16, values);
}

static void expandQ5_K(const unsigned char *block, float *values) {
  expandSubBlocks(block, block + 16, block + 48, values);
}

/// Two halves of 128 elements; in each, four groups of 32: the low four bits
/// from 64 bytes (groups 0 and 1 low, 2 and 3 high halves), the upper two from
/// 32 bytes (group g: bits 2g), a signed scale for every 16 elements.
static void expandQ6_K(const unsigned char *block, float *values) {
  const unsigned char *low = block, *high = block + 128, *scales = block + 192;
  float scale = readHalf(block + 208);
  for (int e = 0; e < 256; ++e) {
    int half = e / 128, group = e / 32 % 4, i = e % 32;
    int nibble =
        low[64 * half + 32 * (group % 2) + i] >> (4 * (group / 2)) & 15;
    int upper = high[32 * half + i] >> (2 * group) & 3;
    float step =
        scale * static_cast<float>(static_cast<int8_t>(scales[e / 16]));
    values[e] = step * static_cast<float>((nibble | upper << 4) - 32);
  }
}

static const StorageFormat formats[] = {
    {0, ElementType::F32, "f32", 1, 4, expandF32},
    {1, ElementType::F16, "f16", 1, 2, expandF16},
    {2, std::nullopt, "q4_0", 32, 18, expandQ4_0},
    {3, std::nullopt, "q4_1", 32, 20, expandQ4_1},
    {6, std::nullopt, "q5_0", 32, 22, expandQ5_0},
    {7, std::nullopt, "q5_1", 32, 24, expandQ5_1},
    {8, std::nullopt, "q8_0", 32, 34, expandQ8_0},
    {12, std::nullopt, "q4_k", 256, 144, expandQ4_K},
    {13, std::nullopt, "q5_k", 256, 176, expandQ5_K},
    {14, std::nullopt, "q6_k", 256, 210, expandQ6_K},
    {24, ElementType::I8, "i8", 1, 1, nullptr},
    {26, ElementType::I32, "i32", 1, 4, nullptr},
    {27, ElementType::I64, "i64", 1, 8, nullptr},
    {30, ElementType::BF16, "bf16", 1, 2, expandBF16},
};

const StorageFormat *turnip::parameters::findStorageFormat(uint32_t id) {
  for (const StorageFormat &format : formats)
    if (format.id == id)
      return &format;
  return nullptr;
}

std::string turnip::parameters::knownStorageFormats() {
  std::string names;
  for (const StorageFormat &format : formats)
    names += (names.empty() ? "" : ", ") + std::string(format.name);
  return names;
}
