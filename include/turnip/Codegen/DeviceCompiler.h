//===- DeviceCompiler.h - From a function on tensors to device code -------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compiles one kernel for a GPU: device functions and the launches that run
/// them, in order, on one stream. The same device functions become PTX (and a
/// cubin where ptxas is found) or an x86-64 shared object that the stand-in for
/// CUDA runs on CPU threads. See docs/kernels.md.
///
//===----------------------------------------------------------------------===//

#ifndef TURNIP_CODEGEN_DEVICECOMPILER_H
#define TURNIP_CODEGEN_DEVICECOMPILER_H

#include "turnip/Codegen/KernelCompiler.h"
#include "llvm/Support/Error.h"
#include <array>

namespace turnip::codegen {

/// A GPU, or the stand-in for one, that kernels are compiled for.
struct DeviceTarget {
  /// "sm_80", "sm_90", "sm_100" or "stand-in".
  std::string chip;
  bool isStandIn() const { return chip == "stand-in"; }
};

/// What kernels are compiled for: a processor, which every artifact needs for
/// operations on host memory, and any number of GPUs.
struct TargetList {
  KernelTarget host;
  std::vector<DeviceTarget> devices;

  /// Reads a comma-separated list of one processor level and GPUs, such as
  /// "x86-64-v3,cuda:sm_90,cuda:stand-in". The level may be left out. Fails
  /// with a message that names the wrong item.
  static llvm::Expected<TargetList> parse(llvm::StringRef text);
};

/// The memory that buffer `buffer` of a call holds from byte `offset` on.
/// Buffers count as in the calling convention: operands, results, workspace.
struct BufferPart {
  int64_t buffer = 0;
  int64_t offset = 0;
};

/// A product of column-major matrices, D = alpha * op(A) * op(B) + beta * C,
/// done by the device's matrix library.
struct MatmulLaunch {
  enum class Compute { F32, TF32 };
  enum class Epilogue { None, Relu, Gelu, Bias };
  /// "f32", "f16" or "bf16".
  std::string typeA, typeB, typeD;
  Compute compute = Compute::F32;
  bool transA = false, transB = false;
  int64_t m = 0, n = 0, k = 0, lda = 0, ldb = 0, ldd = 0;
  /// Number of products, and the distances between them in elements.
  int64_t batch = 1, strideA = 0, strideB = 0, strideD = 0;
  double alpha = 1, beta = 0;
  Epilogue epilogue = Epilogue::None;
  /// Where the library's scratch memory lies in the call's workspace.
  int64_t workspaceOffset = 0, workspaceBytes = 0;
};

/// One step of a kernel on a device.
struct KernelLaunch {
  enum class Kind { Kernel, Matmul };
  Kind kind = Kind::Kernel;
  std::vector<BufferPart> buffers;
  /// The device function. Its arguments are a pointer per buffer, then an i64
  /// per scalar.
  std::string symbol;
  std::array<uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  /// Bytes of dynamic shared memory of one block.
  uint32_t sharedBytes = 0;
  /// Which of the call's scalars are passed.
  std::vector<uint32_t> scalars;
  MatmulLaunch matmul;
};

/// Code of one format.
struct DeviceObject {
  std::string triple;
  std::vector<std::string> features;
  /// "ptx", "cubin" or "stand-in".
  std::string format;
  std::string code;
};

/// One kernel compiled for one device target.
struct DeviceBinary {
  /// The same device functions in one or two formats.
  std::vector<DeviceObject> objects;
  /// Run in order; what comes later sees what came earlier.
  std::vector<KernelLaunch> launches;
  int64_t workspaceBytes = 0;
  /// Pairs (operand, result) whose buffers may be the same memory.
  std::vector<std::pair<int64_t, int64_t>> inplace;
};

/// Compiles `func`, which compileKernel would take, for `device`. `host` is the
/// processor that the stand-in's code is for, x86-64-v3 at least. Cached as
/// compileKernel's results are. Buffers must be aligned to kDeviceAlignment
/// bytes.
mlir::FailureOr<DeviceBinary>
compileDeviceKernel(mlir::func::FuncOp func, const DeviceTarget &device,
                    const KernelTarget &host,
                    const KernelOptions &options = {});

/// What buffers of a call on a GPU are aligned to, in bytes.
inline constexpr int64_t kDeviceAlignment = 256;

/// The device functions that compileDeviceKernel makes code from, as text; for
/// tests and inspection.
mlir::FailureOr<std::string> emitDeviceFunctions(mlir::func::FuncOp func,
                                                 const KernelTarget &host);

} // namespace turnip::codegen

#endif // TURNIP_CODEGEN_DEVICECOMPILER_H
