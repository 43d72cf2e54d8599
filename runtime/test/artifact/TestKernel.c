//===- TestKernel.c - A kernel for tests ----------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <stdint.h>

/* out[gridIndex] = scalar + 10 * gridIndex + NUMBER */
void testKernel(void *const *buffers, const int64_t *scalars,
                int64_t gridIndex) {
  ((int64_t *)buffers[0])[gridIndex] =
      scalars[0] + 10 * gridIndex + TURNIP_TEST_NUMBER;
}
