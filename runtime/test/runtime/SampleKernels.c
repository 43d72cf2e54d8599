//===- SampleKernels.c - The kernels of the sample module -----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <stdint.h>
#include <string.h>

/* Rows of a 100x8 table. */
void lookup(void *const *buffers, const int64_t *scalars, int64_t point) {
  const int32_t *tokens = (const int32_t *)buffers[0];
  const float *table = (const float *)buffers[1];
  float *rows = (float *)buffers[2];
  for (int i = 0; i < 4; ++i)
    memcpy(rows + 8 * i, table + 8 * tokens[i], 8 * sizeof(float));
}

/* One row of (rows + scalar) x weight, with the scalar in the workspace. */
void multiply(void *const *buffers, const int64_t *scalars, int64_t row) {
  const float *rows = (const float *)buffers[0] + 8 * row;
  const float *weight = (const float *)buffers[1];
  float *out = (float *)buffers[2] + 8 * row;
  float *workspace = (float *)buffers[3] + 4 * row;
  workspace[0] = (float)scalars[0];
  for (int j = 0; j < 8; ++j) {
    float sum = 0;
    for (int k = 0; k < 8; ++k)
      sum += (rows[k] + workspace[0]) * weight[8 * k + j];
    out[j] = sum;
  }
}

void add(void *const *buffers, const int64_t *scalars, int64_t point) {
  const float *a = (const float *)buffers[0];
  const float *b = (const float *)buffers[1];
  float *sum = (float *)buffers[2];
  for (int i = 0; i < 32; ++i)
    sum[i] = a[i] + b[i];
}
