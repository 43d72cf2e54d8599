//===- Fragments.cpp - Products of tensor cores ---------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Convert.h"

using namespace turnip::standin;

namespace {
/// The matrices of one product, by row and column.
struct Tiles {
  float a[16][16];
  float b[16][8];
  float c[16][8];
};
} // namespace

// In all shapes, a lane belongs to row (or column) `group` and to column (or
// row) pair `place`; see PTX, "Matrix Fragments for mma.m16n8k16" and "...
// m16n8k8".

static void gather16(Tiles &tiles, unsigned lane, const void *a, const void *b,
                     float (*convert)(uint16_t)) {
  const unsigned group = lane / 4, place = lane % 4;
  uint16_t left[8], right[4];
  std::memcpy(left, a, sizeof(left));
  std::memcpy(right, b, sizeof(right));
  for (unsigned i = 0; i < 8; ++i)
    tiles.a[group + (i / 2 % 2) * 8][place * 2 + i % 2 + (i / 4) * 8] =
        convert(left[i]);
  for (unsigned i = 0; i < 4; ++i)
    tiles.b[place * 2 + i % 2 + (i / 2) * 8][group] = convert(right[i]);
}

/// A tensor core does not look at the low 13 bits of a tf32 register.
static float truncated(uint32_t bits) { return floatOfBits(bits & 0xFFFFE000); }

static void gatherTf32(Tiles &tiles, unsigned lane, const void *a,
                       const void *b) {
  const unsigned group = lane / 4, place = lane % 4;
  uint32_t left[4], right[2];
  std::memcpy(left, a, sizeof(left));
  std::memcpy(right, b, sizeof(right));
  for (unsigned i = 0; i < 4; ++i)
    tiles.a[group + (i % 2) * 8][place + (i / 2) * 4] = truncated(left[i]);
  for (unsigned i = 0; i < 2; ++i)
    tiles.b[place + i * 4][group] = truncated(right[i]);
}

bool turnip::standin::multiplyFragments(uint32_t shape,
                                        const void *const (&a)[32],
                                        const void *const (&b)[32],
                                        const float *const (&c)[32],
                                        float *const (&d)[32]) {
  if (shape > TURNIP_STANDIN_MMA_M16N8K8_TF32)
    return false;
  Tiles tiles;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (shape == TURNIP_STANDIN_MMA_M16N8K8_TF32)
      gatherTf32(tiles, lane, a[lane], b[lane]);
    else
      gather16(tiles, lane, a[lane], b[lane],
               shape == TURNIP_STANDIN_MMA_M16N8K16_F16 ? floatOfF16
                                                        : floatOfBf16);
    for (unsigned i = 0; i < 4; ++i)
      tiles.c[lane / 4 + (i / 2) * 8][lane % 4 * 2 + i % 2] = c[lane][i];
  }
  const unsigned depth = shape == TURNIP_STANDIN_MMA_M16N8K8_TF32 ? 8 : 16;
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned k = 0; k < depth; ++k)
      for (unsigned column = 0; column < 8; ++column)
        tiles.c[row][column] += tiles.a[row][k] * tiles.b[k][column];
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i)
      d[lane][i] = tiles.c[lane / 4 + (i / 2) * 8][lane % 4 * 2 + i % 2];
  return true;
}
