//===- kernels.c - The kernels of v1.memgraph -----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <stdint.h>

/* rows[i] = table[tokens[i]], tokens clamped to the table */
void lookup(void *const *buffers, const int64_t *scalars, int64_t gridIndex) {
  const int32_t *tokens = buffers[0];
  const float *table = buffers[1];
  float *rows = buffers[2];
  (void)scalars;
  (void)gridIndex;
  for (int i = 0; i < 4; ++i) {
    int32_t row = tokens[i] < 0 ? 0 : tokens[i] > 99 ? 99 : tokens[i];
    for (int j = 0; j < 8; ++j)
      rows[8 * i + j] = table[8 * row + j];
  }
}

/* out = x * w + scalar; grid point i computes row i through 24 bytes of the
   workspace of its own */
void multiply(void *const *buffers, const int64_t *scalars, int64_t gridIndex) {
  const float *x = (const float *)buffers[0] + 8 * gridIndex;
  const float *w = buffers[1];
  float *out = (float *)buffers[2] + 8 * gridIndex;
  float *scratch = (float *)((char *)buffers[3] + 24 * gridIndex);
  for (int j = 0; j < 8; ++j) {
    scratch[0] = 0;
    for (int k = 0; k < 8; ++k)
      scratch[0] += x[k] * w[8 * k + j];
    out[j] = scratch[0] + (float)scalars[0];
  }
}

/* sum = a + b; sum may be a or b */
void add(void *const *buffers, const int64_t *scalars, int64_t gridIndex) {
  const float *a = buffers[0], *b = buffers[1];
  float *sum = buffers[2];
  (void)scalars;
  (void)gridIndex;
  for (int i = 0; i < 32; ++i)
    sum[i] = a[i] + b[i];
}
