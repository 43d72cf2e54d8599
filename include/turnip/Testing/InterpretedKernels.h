//===- InterpretedKernels.h - Kernels run by the evaluator ------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's function that evaluates the kernel's body. Graphs can be planned,
// serialised, loaded and executed with it at no cost for code generation, and
// every bit of a result is the evaluator's: what goes wrong is the planner's or
// the runtime's doing.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TESTING_INTERPRETEDKERNELS_H
#define TURNIP_TESTING_INTERPRETEDKERNELS_H

#include "turnip/Dialect/Task/IR/Task.h"
#include "turnip/runtime/KernelABI.h"

#include <string>
#include <vector>

namespace turnip::testing {

/// Functions that evaluate kernel bodies; one object at a time per process,
/// which outlives every run. A call reads its operands, overwrites its
/// workspace with rubbish, then writes its results; calls take turns.
class InterpretedKernels {
public:
  /// At most so many kernels can have a function.
  static constexpr size_t maxKernels = 512;

  /// \p kernels have bodies and stay in place; the functions are in their
  /// order.
  explicit InterpretedKernels(llvm::ArrayRef<task::KernelOp> kernels);
  ~InterpretedKernels();
  InterpretedKernels(const InterpretedKernels &) = delete;
  InterpretedKernels &operator=(const InterpretedKernels &) = delete;

  const std::vector<runtime::KernelFunction> &functions() const {
    return entryPoints;
  }
  /// The first error of a body, empty if there was none.
  const std::string &error() const { return firstError; }

private:
  friend void callInterpretedKernel(size_t index, void *const *buffers,
                                    const int64_t *scalars);

  llvm::SmallVector<task::KernelOp> kernels;
  std::vector<runtime::KernelFunction> entryPoints;
  std::string firstError;
};

} // namespace turnip::testing

#endif // TURNIP_TESTING_INTERPRETEDKERNELS_H
