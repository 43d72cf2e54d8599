//===- Gemm.cpp - Matrix products on one CPU thread -----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Operands are packed, as f32, into panels that stay in the caches; a kernel of
// 16 rows and 6 columns runs through them. Compiled without sanitizers and with
// optimisation in every build: it reads memory that the callers have checked.
//
//===----------------------------------------------------------------------===//

#include "Gemm.h"

#include "Convert.h"
#include "Memory.h"
#include "turnip/support/ElementType.h"

#include <algorithm>
#include <cmath>

using namespace turnip;
using namespace turnip::standin;

namespace {
/// Eight numbers in a register, or in two where registers are short.
using Eight = float __attribute__((vector_size(32)));

constexpr int64_t panelRows = 16, panelColumns = 6;
/// Rows, columns and depth of the blocks that are packed.
constexpr int64_t blockRows = 8 * panelRows, blockColumns = 40 * panelColumns,
                  blockDepth = 256;
constexpr int64_t packedA = blockRows * blockDepth,
                  packedB = blockColumns * blockDepth,
                  sums = blockRows * blockColumns;
constexpr uint64_t scratchBytes = (packedA + packedB + sums) * sizeof(float);

/// The part of a product that is computed at once.
struct Block {
  int64_t row, column, depth, rows, columns, depths;
};

float load(const void *data, MatrixType type, int64_t index) {
  if (type == MatrixType::F32)
    return static_cast<const float *>(data)[index];
  const uint16_t bits = static_cast<const uint16_t *>(data)[index];
  return type == MatrixType::F16 ? floatOfF16(bits) : floatOfBf16(bits);
}

template <MatrixType type> float element(const void *data, int64_t index) {
  return load(data, type, index);
}

/// Packs the part of op(X) whose long side begins at \p along (\p length
/// elements) and whose depth begins at \p depth (\p depths elements): panels of
/// \p width elements along, depth by depth, filled up with zeros. Element
/// (along, depth) of op(X) lies at along * stepAlong + depth * stepDepth.
template <MatrixType type, int64_t width>
void packPanels(const char *data, int64_t stepAlong, int64_t stepDepth,
                int64_t length, int64_t depths, bool tf32, float *target) {
  for (int64_t first = 0; first < length; first += width) {
    const int64_t count = std::min(width, length - first);
    if (stepAlong == 1) {
      for (int64_t d = 0; d < depths; ++d)
        for (int64_t i = 0; i < width; ++i)
          target[d * width + i] =
              i < count ? element<type>(data, first + i + d * stepDepth) : 0.0F;
    } else {
      for (int64_t i = 0; i < width; ++i)
        for (int64_t d = 0; d < depths; ++d)
          target[d * width + i] =
              i < count
                  ? element<type>(data, (first + i) * stepAlong + d * stepDepth)
                  : 0.0F;
    }
    if (tf32)
      for (int64_t i = 0; i < width * depths; ++i)
        target[i] = tf32OfFloat(target[i]);
    target += width * depths;
  }
}

template <int64_t width>
void pack(const MatrixProduct::Matrix &matrix, int64_t batch, bool alongIsRow,
          int64_t along, int64_t depth, int64_t length, int64_t depths,
          bool tf32, float *target) {
  // op(A) has its rows along, op(B) its columns.
  const bool contiguous = alongIsRow != matrix.transposed;
  const int64_t stepAlong = contiguous ? 1 : matrix.leading;
  const int64_t stepDepth = contiguous ? matrix.leading : 1;
  const int64_t offset =
      batch * matrix.batchStride + along * stepAlong + depth * stepDepth;
  const char *data = static_cast<const char *>(matrix.data) +
                     offset * static_cast<int64_t>(bytesOf(matrix.type));
  switch (matrix.type) {
  case MatrixType::F32:
    return packPanels<MatrixType::F32, width>(data, stepAlong, stepDepth,
                                              length, depths, tf32, target);
  case MatrixType::F16:
    return packPanels<MatrixType::F16, width>(data, stepAlong, stepDepth,
                                              length, depths, tf32, target);
  case MatrixType::BF16:
    return packPanels<MatrixType::BF16, width>(data, stepAlong, stepDepth,
                                               length, depths, tf32, target);
  }
}

/// sums (16 rows contiguous, 6 columns blockRows apart) += a * b over
/// \p depths. Inlined into one version per kind of processor.
__attribute__((always_inline)) inline void
multiplyPanels(const float *a, const float *b, int64_t depths, float *sums) {
  Eight total[panelColumns][2];
  for (int64_t j = 0; j < panelColumns; ++j)
    std::memcpy(total[j], sums + j * blockRows, sizeof(total[j]));
  for (int64_t d = 0; d < depths; ++d) {
    Eight left[2];
    std::memcpy(left, a + d * panelRows, sizeof(left));
    for (int64_t j = 0; j < panelColumns; ++j) {
      const float right = b[d * panelColumns + j];
      total[j][0] += left[0] * right;
      total[j][1] += left[1] * right;
    }
  }
  for (int64_t j = 0; j < panelColumns; ++j)
    std::memcpy(sums + j * blockRows, total[j], sizeof(total[j]));
}

using PanelKernel = void (*)(const float *, const float *, int64_t, float *);

__attribute__((target("avx2,fma"))) void multiplyPanelsAvx2(const float *a,
                                                            const float *b,
                                                            int64_t depths,
                                                            float *sums) {
  multiplyPanels(a, b, depths, sums);
}

void multiplyPanelsPlain(const float *a, const float *b, int64_t depths,
                         float *sums) {
  multiplyPanels(a, b, depths, sums);
}

PanelKernel choosePanelKernel() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
             ? multiplyPanelsAvx2
             : multiplyPanelsPlain;
}

/// The form with tanh, as cuBLASLt has it.
float gelu(float x) {
  return 0.5F * x *
         (1.0F + std::tanh(0.797884560802865F * (x + 0.044715F * x * x * x)));
}

void store(const MatrixProduct::Matrix &matrix, int64_t index, float value) {
  void *data = const_cast<void *>(matrix.data);
  if (matrix.type == MatrixType::F32)
    static_cast<float *>(data)[index] = value;
  else
    static_cast<uint16_t *>(data)[index] = matrix.type == MatrixType::F16
                                               ? floatToHalf(value)
                                               : floatToBfloat(value);
}

/// Writes a block of D from its finished sums.
void finish(const MatrixProduct &product, const Block &block, int64_t batch,
            const float *sums) {
  for (int64_t j = 0; j < block.columns; ++j)
    for (int64_t i = 0; i < block.rows; ++i) {
      const int64_t row = block.row + i, column = block.column + j;
      float value = product.alpha * sums[j * blockRows + i];
      if (product.beta != 0)
        value += product.beta * load(product.c.data, product.c.type,
                                     batch * product.c.batchStride +
                                         column * product.c.leading + row);
      if (product.bias)
        value += load(product.bias, product.biasType, row);
      if (product.activation == Activation::Relu)
        value = value < 0 ? 0.0F : value;
      else if (product.activation == Activation::Gelu)
        value = gelu(value);
      store(product.d,
            batch * product.d.batchStride + column * product.d.leading + row,
            value);
    }
}

/// One block of D, all of its depth.
void computeBlock(const MatrixProduct &product, Block block, int64_t batch,
                  float *scratch) {
  static const PanelKernel kernel = choosePanelKernel();
  float *a = scratch, *b = a + packedA, *totals = b + packedB;
  std::fill_n(totals, sums, 0.0F);
  for (int64_t depth = 0; depth < product.k; depth += blockDepth) {
    const int64_t depths = std::min(blockDepth, product.k - depth);
    pack<panelRows>(product.a, batch, true, block.row, depth, block.rows,
                    depths, product.tf32, a);
    pack<panelColumns>(product.b, batch, false, block.column, depth,
                       block.columns, depths, product.tf32, b);
    for (int64_t j = 0; j < block.columns; j += panelColumns)
      for (int64_t i = 0; i < block.rows; i += panelRows)
        kernel(a + i * depths, b + j * depths, depths,
               totals + j * blockRows + i);
  }
  finish(product, block, batch, totals);
}
} // namespace

GemmScratch::~GemmScratch() {
  if (pages)
    unmapPages(pages, scratchBytes);
}

float *GemmScratch::get() {
  if (!pages)
    pages = mapPages(scratchBytes);
  return static_cast<float *>(pages);
}

bool turnip::standin::multiply(const MatrixProduct &product,
                               GemmScratch &scratch) {
  float *memory = scratch.get();
  if (!memory)
    return false;
  for (int64_t batch = 0; batch < product.batch; ++batch)
    for (int64_t column = 0; column < product.n; column += blockColumns)
      for (int64_t row = 0; row < product.m; row += blockRows) {
        Block block = {};
        block.row = row;
        block.column = column;
        block.rows = std::min(blockRows, product.m - row);
        block.columns = std::min(blockColumns, product.n - column);
        computeBlock(product, block, batch, memory);
      }
  return true;
}
