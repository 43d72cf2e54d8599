//===- ThreadABI.h - How a device function runs on the stand-in -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stand-in for CUDA runs device functions on CPU threads. An image for it
// (format "stand-in" in an artifact) is a 64-bit ELF shared object without
// unresolved symbols other than memcpy, memset and memmove. For a device
// function NAME it exports, with C linkage,
//
//   void NAME(void **params, const TurnipStandInThread *thread);
//   const uint32_t NAME_params;
//
// NAME is called once per CUDA thread. `params[i]` points at the 8 bytes of
// argument i, as in cuLaunchKernel; `NAME_params` counts the arguments. A
// pointer argument is an address that the function may use as it is.
//
// The header is plain C as well, and its layout is fixed: compilers generate
// the accesses by offset.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_STANDIN_THREADABI_H
#define TURNIP_STANDIN_THREADABI_H

#ifdef __cplusplus
#include <cstddef>
#include <cstdint>
#else
#include <stddef.h>
#include <stdint.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TurnipStandInThread TurnipStandInThread;

/// Matrix products of a warp (TurnipStandInThread::mma), with the fragments of
/// PTX's `mma.sync.aligned` of the same shape and types, `.row.col`.
enum TurnipStandInMma {
  /// m16n8k16, bf16 operands: a is 4, b is 2 registers of two elements each.
  TURNIP_STANDIN_MMA_M16N8K16_BF16 = 0,
  /// m16n8k16, f16 operands, otherwise the same.
  TURNIP_STANDIN_MMA_M16N8K16_F16 = 1,
  /// m16n8k8, tf32 operands: a is 4, b is 2 registers with one f32 each, of
  /// which the low 13 bits are ignored.
  TURNIP_STANDIN_MMA_M16N8K8_TF32 = 2
};

/// What one CUDA thread knows and can call. A call of barrier, shuffle or mma
/// suspends the thread until the others of its block or warp have called the
/// same; threads that have returned from their function are not waited for at
/// a barrier, and are an error in a shuffle or mma that needs them.
struct TurnipStandInThread {
  uint32_t threadIdx[3];
  uint32_t blockIdx[3];
  uint32_t blockDim[3];
  uint32_t gridDim[3];
  /// The block's shared memory, 128-byte aligned: as many bytes as the launch
  /// asked for. Filled with a pattern before the block starts.
  void *shared;
  /// Reserved, 0.
  uint64_t staticShared;
  /// Waits for every thread of the block.
  void (*barrier)(const TurnipStandInThread *thread);
  /// Gives \p value to the other lanes and returns the one that lane \p lane of
  /// the warp gave. A warp is 32 consecutive threads by linear index (x
  /// fastest); a lane that does not exist returns the caller's own value.
  uint64_t (*shuffle)(const TurnipStandInThread *thread, uint64_t value,
                      uint32_t lane);
  /// d = a * b + c for the whole warp, shape as TurnipStandInMma says. The
  /// pointers are to this lane's fragments (c and d: 4 f32), registers in
  /// PTX's order; d may be c. The warp must be full.
  void (*mma)(const TurnipStandInThread *thread, uint32_t shape, const void *a,
              const void *b, const float *c, float *d);
};

#ifdef __cplusplus
} // extern "C"

static_assert(offsetof(TurnipStandInThread, threadIdx) == 0);
static_assert(offsetof(TurnipStandInThread, blockIdx) == 12);
static_assert(offsetof(TurnipStandInThread, blockDim) == 24);
static_assert(offsetof(TurnipStandInThread, gridDim) == 36);
static_assert(offsetof(TurnipStandInThread, shared) == 48);
static_assert(offsetof(TurnipStandInThread, staticShared) == 56);
static_assert(offsetof(TurnipStandInThread, barrier) == 64);
static_assert(offsetof(TurnipStandInThread, shuffle) == 72);
static_assert(offsetof(TurnipStandInThread, mma) == 80);
static_assert(sizeof(TurnipStandInThread) == 88);
#endif

#endif // TURNIP_STANDIN_THREADABI_H
