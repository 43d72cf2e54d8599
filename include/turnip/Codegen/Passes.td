//===- Passes.td - Passes of the code generator -------------*- tablegen -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_CODEGEN_PASSES_TD
#define TURNIP_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

def TaskCompileKernels : Pass<"task-compile-kernels", "::mlir::ModuleOp"> {
  let summary = "compile the bodies of task kernels to object code";
  let description = [{
    Compiles every `task.kernel` that has a body, through `linalg`, to a shared
    object, and attaches the code with what running it takes: the number of
    grid points, the workspace, estimates of work and memory traffic, and the
    pairs of operands and results that may share memory. Kernels of the same
    content are compiled once; several are compiled at a time.

    `target` lists a processor and any number of GPUs, such as
    `x86-64-v3,cuda:sm_90,cuda:stand-in`. For a GPU a kernel becomes device
    functions and the launches that run them: PTX, also a cubin where ptxas is
    found (the environment variable TURNIP_PTXAS, PATH, /usr/local/cuda/bin),
    or, for `cuda:stand-in`, code that the stand-in for CUDA runs on the CPU.

    ```mlir
    task.kernel @double(%x: tensor<8xf32>) -> tensor<8xf32> { ... }
    // becomes
    task.kernel @double(%x: tensor<8xf32>) -> tensor<8xf32>
        grid 1 workspace 0 flops 8 bytes 64 inplace(0 -> 0)
        objects [#task.object<triple = "x86_64-unknown-linux-gnu", ...>] { ... }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"x86-64-v3\"",
           "The processor (x86-64-v2, x86-64-v3 or x86-64-v4) and GPUs "
           "(cuda:sm_80, cuda:sm_90, cuda:sm_100, cuda:stand-in), separated by "
           "commas">,
    Option<"cacheDirectory", "cache", "std::string", "\"\"",
           "A folder where compiled kernels are kept; the environment variable "
           "TURNIP_KERNEL_CACHE is used where empty">
  ];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernels compiled">,
    Statistic<"numBytes", "bytes", "Bytes of object code">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def EmitKernelLoops : Pass<"emit-kernel-loops", "::mlir::ModuleOp"> {
  let summary = "show the loops that functions on tensors are compiled from";
  let description = [{
    Replaces every function of `linalg` and `tensor` operations by a function
    with the kernel's calling convention: pointers to the buffers, pointer to
    the scalars, index of the grid point. The body is what the compiler lowers
    to machine code: loops over vectors. For inspection and tests.

    For the target `cuda`, each function becomes device functions `step0`,
    `step1`, ..., what one thread does in one launch each.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"x86-64-v3\"",
           "The processor: x86-64-v2, x86-64-v3 or x86-64-v4; or cuda">
  ];
  let dependentDialects = [
      "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
      "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
      "::mlir::math::MathDialect",
      "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif // TURNIP_CODEGEN_PASSES_TD
