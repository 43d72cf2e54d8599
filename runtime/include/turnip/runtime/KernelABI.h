//===- KernelABI.h - How a kernel is called ---------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_RUNTIME_KERNELABI_H
#define TURNIP_RUNTIME_KERNELABI_H

#include <cstdint>

namespace turnip {
namespace runtime {

/// A kernel compiled for the host ("elf-so" in an artifact), exported with C
/// linkage.
///
/// \p buffers: the operands, the results, then the workspace if the kernel has
/// one. Each is 64-byte aligned, dense and row-major; f16 and bf16 take two
/// bytes, i1 takes one byte that is 0 or 1. A result may be the same pointer as
/// an operand only for the kernel's in-place pairs; no other buffers overlap.
/// \p scalars: the call's index scalars in order (may be null if there are
/// none).
/// \p gridIndex: which grid point to compute, from 0 to the grid size - 1. Grid
/// points are independent: they run in any order, at the same time, on any
/// thread. One call writes all results only once every grid point has run.
using KernelFunction = void (*)(void *const *buffers, const int64_t *scalars,
                                int64_t gridIndex);

/// The alignment of every buffer of a call, in bytes.
constexpr uint64_t kernelBufferAlignment = 64;

} // namespace runtime
} // namespace turnip

#endif // TURNIP_RUNTIME_KERNELABI_H
