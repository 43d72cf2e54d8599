//===- KernelRunner.h - Compile, run and check one kernel -----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TEST_UNIT_CODEGEN_KERNELRUNNER_H
#define TURNIP_TEST_UNIT_CODEGEN_KERNELRUNNER_H

#include "Interpreter.h"
#include "turnip/Codegen/KernelCompiler.h"
#include <gtest/gtest.h>
#include <string>

namespace turnip::test {

using Bytes = std::vector<unsigned char>;

/// Parses the one function of `text`; owned by a context that lives as long as
/// the process.
mlir::func::FuncOp parseKernel(const std::string &text);

/// A compiled kernel that is loaded into the process.
class LoadedKernel {
public:
  explicit LoadedKernel(codegen::KernelBinary binary);
  ~LoadedKernel();
  LoadedKernel(const LoadedKernel &) = delete;
  LoadedKernel &operator=(const LoadedKernel &) = delete;

  /// Runs all grid points in an order drawn from `seed`, with each buffer
  /// `offset` * 64 bytes from a page that cannot be touched: the one in front
  /// of it where `offset` is odd, otherwise the one behind. Checks that nothing
  /// around the buffers was written. Where `shared` is a pair (operand,
  /// result), both use one buffer. Returns the results' bytes.
  std::vector<Bytes> run(const std::vector<Bytes> &operands,
                         const std::vector<int64_t> &resultBytes,
                         const std::vector<int64_t> &scalars, unsigned seed = 0,
                         int64_t offset = 0,
                         std::pair<int64_t, int64_t> shared = {-1, -1});

  codegen::KernelBinary binary;

private:
  int file = -1;
  void *handle = nullptr;
  void (*entry)(void *const *, const int64_t *, int64_t) = nullptr;
};

/// How values are drawn.
struct Inputs {
  double low = -2, high = 2;
  unsigned seed = 1;
};

Tensor randomTensor(mlir::RankedTensorType type, const Inputs &inputs,
                    unsigned salt);
Bytes encode(const Tensor &tensor);
Tensor decode(const Bytes &bytes, mlir::RankedTensorType type);

struct CheckOptions {
  Inputs inputs;
  /// Allowed error, relative to the larger of the expected value and
  /// `floor` times the largest value of its tensor.
  double tolerance = 2e-6;
  double floor = 1e-2;
  std::string target = "x86-64-v3";
  std::vector<int64_t> scalars;
};

/// Operands for a kernel, and what it should make of them.
struct KernelData {
  std::vector<Tensor> tensors;
  std::vector<Bytes> operands;
  std::vector<int64_t> resultBytes;
};
KernelData makeKernelData(mlir::func::FuncOp func, const CheckOptions &options);

/// Compares with what the interpreter makes of the same operands.
void compareResults(mlir::func::FuncOp func, const KernelData &data,
                    const std::vector<Bytes> &results,
                    const CheckOptions &options, const std::string &text);

/// Called by checkKernel where it is set: runs the same kernel elsewhere.
extern void (*checkElsewhere)(const std::string &text,
                              const CheckOptions &options);

/// Compiles `text`, compares with the interpreter, and checks that the bits do
/// not depend on addresses or the order of grid points, and that in-place pairs
/// are what they claim to be. Returns the binary.
codegen::KernelBinary checkKernel(const std::string &text,
                                  const CheckOptions &options = {});

} // namespace turnip::test

#endif // TURNIP_TEST_UNIT_CODEGEN_KERNELRUNNER_H
