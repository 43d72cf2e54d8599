//===- CudaTestKernels.c - Device functions for the stand-in --------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/standin/ThreadABI.h"

static uint64_t threadNumber(const TurnipStandInThread *thread) {
  return (uint64_t)thread->blockIdx[0] * thread->blockDim[0] +
         thread->threadIdx[0];
}

/* counters[i] += scalar for 1000 counters */
const uint32_t countPoint_params = 2;
void countPoint(void **params, const TurnipStandInThread *thread) {
  uint32_t *counters = *(uint32_t **)params[0];
  uint64_t i = threadNumber(thread);
  if (i < 1000)
    counters[i] += (uint32_t)*(int64_t *)params[1];
}

const uint32_t idle_params = 0;
void idle(void **params, const TurnipStandInThread *thread) {
  (void)params;
  (void)thread;
}

/* out[i] = a[i] + scalar * b[i] for 256 numbers */
const uint32_t addScaled_params = 4;
void addScaled(void **params, const TurnipStandInThread *thread) {
  const float *a = *(const float **)params[0];
  const float *b = *(const float **)params[1];
  float *out = *(float **)params[2];
  uint64_t i = threadNumber(thread);
  if (i < 256)
    out[i] = a[i] + (float)*(int64_t *)params[3] * b[i];
}

/* writes to address 0 */
const uint32_t fault_params = 1;
void fault(void **params, const TurnipStandInThread *thread) {
  (void)thread;
  *(volatile uint64_t *)0 = (uint64_t)params[0];
}
