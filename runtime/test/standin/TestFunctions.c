//===- TestFunctions.c - Device functions for tests of the stand-in -------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/standin/ThreadABI.h"

#define FUNCTION(name, count)                                                  \
  const uint32_t name##_params = count;                                        \
  void name(void **params, const TurnipStandInThread *thread)
#define POINTER(type, index) (*(type **)params[index])
#define NUMBER(index) (*(int64_t *)params[index])

static uint32_t linear(const TurnipStandInThread *t) {
  return t->threadIdx[0] +
         t->blockDim[0] * (t->threadIdx[1] + t->blockDim[1] * t->threadIdx[2]);
}

/* out[i] = a * in[i] for i < n, in blocks of one dimension. */
FUNCTION(scale, 4) {
  int64_t i =
      (int64_t)thread->blockIdx[0] * thread->blockDim[0] + thread->threadIdx[0];
  if (i < NUMBER(3))
    POINTER(int64_t, 0)[i] = NUMBER(2) * POINTER(int64_t, 1)[i];
}

/* out[block][thread] = the indices, of 3 dimensions each. */
FUNCTION(indices, 1) {
  uint32_t block =
      thread->blockIdx[0] +
      thread->gridDim[0] *
          (thread->blockIdx[1] + thread->gridDim[1] * thread->blockIdx[2]);
  uint32_t threads =
      thread->blockDim[0] * thread->blockDim[1] * thread->blockDim[2];
  uint32_t *out =
      POINTER(uint32_t, 0) + 6 * ((uint64_t)block * threads + linear(thread));
  for (int i = 0; i < 3; ++i) {
    out[i] = thread->threadIdx[i];
    out[3 + i] = thread->blockIdx[i];
  }
}

/* Reverses each block's part of an array through shared memory, twice. */
FUNCTION(reverse, 1) {
  int64_t *shared = (int64_t *)thread->shared;
  uint32_t n = thread->blockDim[0], i = thread->threadIdx[0];
  int64_t *data = POINTER(int64_t, 0) + (uint64_t)thread->blockIdx[0] * n;
  for (int round = 0; round < 3; ++round) {
    shared[i] = data[i];
    thread->barrier(thread);
    data[i] = shared[n - 1 - i];
    thread->barrier(thread);
  }
}

/* The same with a barrier forgotten. */
FUNCTION(racy, 1) {
  int64_t *shared = (int64_t *)thread->shared;
  uint32_t n = thread->blockDim[0], i = thread->threadIdx[0];
  int64_t *data = POINTER(int64_t, 0) + (uint64_t)thread->blockIdx[0] * n;
  shared[i] = data[i];
  data[i] = shared[n - 1 - i];
}

/* out[thread] = the sum of in over the thread's warp; threads from n on have
   ended before. */
FUNCTION(warpSum, 3) {
  uint32_t i = thread->threadIdx[0];
  if (i >= NUMBER(2))
    return;
  int64_t sum = POINTER(int64_t, 1)[i];
  for (uint32_t step = 16; step > 0; step /= 2)
    sum += (int64_t)thread->shuffle(thread, (uint64_t)sum, (i % 32) ^ step);
  POINTER(int64_t, 0)[i] = sum;
}

/* Threads below n wait at one barrier, the others end. */
FUNCTION(leaveEarly, 2) {
  uint32_t i = thread->threadIdx[0];
  if (i >= NUMBER(1))
    return;
  ((volatile uint32_t *)thread->shared)[i] = i;
  thread->barrier(thread);
  POINTER(uint32_t, 0)[i] = ((uint32_t *)thread->shared)[NUMBER(1) - 1 - i];
}

/* One half of a warp shuffles, the other waits. */
FUNCTION(diverge, 1) {
  if (thread->threadIdx[0] < 16)
    thread->shuffle(thread, 0, 0);
  else
    thread->barrier(thread);
}

/* d = a * b + c by one warp: fragments lie lane by lane. */
FUNCTION(product, 5) {
  uint32_t lane = linear(thread) % 32;
  thread->mma(thread, (uint32_t)NUMBER(4), POINTER(uint32_t, 0) + 4 * lane,
              POINTER(uint32_t, 1) + 2 * lane, POINTER(float, 2) + 4 * lane,
              POINTER(float, 3) + 4 * lane);
}

FUNCTION(touch, 1) { *POINTER(volatile int, 0) = 1; }

/* Needs n times 1 KiB of stack. */
static __attribute__((noinline)) int dig(volatile char *above, int64_t n) {
  volatile char here[1024];
  here[0] = above[0];
  return n > 0 ? dig(here, n - 1) + here[0] : 0;
}
FUNCTION(deep, 2) {
  volatile char top = 1;
  *POINTER(int, 0) = dig(&top, NUMBER(1));
}

FUNCTION(trap, 0) { __builtin_trap(); }
