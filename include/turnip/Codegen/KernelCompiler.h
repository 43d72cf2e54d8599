//===- KernelCompiler.h - From a function on tensors to object code -------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compiles one kernel, a func.func of linalg and tensor operations on static
/// shapes, into a shared object for x86-64 that needs nothing but memcpy,
/// memset and memmove. See docs/kernels.md.
///
//===----------------------------------------------------------------------===//

#ifndef TURNIP_CODEGEN_KERNELCOMPILER_H
#define TURNIP_CODEGEN_KERNELCOMPILER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/LLVM.h"
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace turnip::codegen {

/// The processor a kernel is compiled for.
struct KernelTarget {
  /// The psABI level: "x86-64-v2", "x86-64-v3" or "x86-64-v4".
  std::string cpu = "x86-64-v3";

  /// True where an instruction rounds f32 to bf16, as GPUs have it.
  bool roundsToBFloat = false;

  /// Checks `cpu`; fails for anything that is not one of the three levels.
  static mlir::FailureOr<KernelTarget> get(llvm::StringRef cpu);

  /// Width of the widest vector register in bits: 128, 256 or 512.
  int64_t vectorBits() const;
  /// True where the processor has fused multiply-add and half conversions.
  bool hasFMA() const { return cpu != "x86-64-v2"; }
  /// What the code requires of a processor, in the names that the runtime's
  /// check knows: the level itself, which stands for its features.
  std::vector<std::string> requiredFeatures() const;
};

/// One compiled kernel.
struct KernelBinary {
  /// The bytes of an ELF shared object. They depend on the function, the
  /// target and this library's version, and on nothing else.
  std::string object;
  /// The exported symbol, of type
  /// `void(void *const *buffers, const int64_t *scalars, int64_t gridIndex)`.
  std::string symbol;
  std::string triple;
  std::vector<std::string> features;
  /// Number of grid points: independent calls with gridIndex in
  /// [0, gridSize), in any order and on any thread.
  int64_t gridSize = 1;
  /// Bytes of the workspace buffer shared by all grid points; 0 when the
  /// kernel takes none.
  int64_t workspaceBytes = 0;
  /// Estimated operations per call; a transcendental function counts as 10.
  int64_t flops = 0;
  /// Bytes of all operands and results, of tables what lookups read: what one
  /// pass over memory moves.
  int64_t bytes = 0;
  /// Pairs (operand, result) whose buffers may be the same memory.
  std::vector<std::pair<int64_t, int64_t>> inplace;
};

/// Settings that do not change what is compiled.
struct KernelOptions {
  /// A folder where compiled kernels are kept between processes; empty for
  /// none. The environment variable TURNIP_KERNEL_CACHE is used when empty.
  std::string cacheDirectory;
};

/// Compiles `func`. Arguments are statically shaped tensors followed by
/// `index` scalars, results are statically shaped tensors; element types are
/// f32, f64, f16, bf16 and integers of 1, 8, 16, 32 and 64 bits. Buffers are
/// passed as: tensor operands, results, then the workspace if there is one;
/// all of them dense, row-major and aligned to 64 bytes, i1 as one byte.
///
/// Results are cached by content in the process (and in
/// `options.cacheDirectory`). Safe to call from several threads, also on
/// functions of one context, as long as nobody mutates `func`. Errors are
/// reported at the function's location.
mlir::FailureOr<KernelBinary> compileKernel(mlir::func::FuncOp func,
                                            const KernelTarget &target,
                                            const KernelOptions &options = {});

/// Parses a module that holds one function, and emits the kernel's loops on
/// vectors before they are lowered to LLVM: what compileKernel builds object
/// code from. Returns the module's text; for tests and inspection.
mlir::FailureOr<std::string> emitKernelLoops(mlir::func::FuncOp func,
                                             const KernelTarget &target);

} // namespace turnip::codegen

#endif // TURNIP_CODEGEN_KERNELCOMPILER_H
