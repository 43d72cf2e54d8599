//===- CompiledKernels.h - Calls kernels by their object code ---*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TESTING_COMPILEDKERNELS_H
#define TURNIP_TESTING_COMPILEDKERNELS_H

#include "turnip/Dialect/Task/IR/Task.h"
#include "turnip/Reference/Tensor.h"
#include "turnip/Testing/Random.h"
#include "turnip/artifact/KernelLibrary.h"

#include "llvm/ADT/StringMap.h"

namespace turnip::testing {

/// Loads and calls the object code that a task.kernel carries, outside of any
/// graph: operands and results in guarded buffers of exactly their size.
class CompiledKernels {
public:
  /// \p random chooses where buffers lie (at multiples of 64 bytes) and the
  /// order of the grid points.
  explicit CompiledKernels(Random &random) : random(random) {}

  /// Calls \p kernel once. Errors: BadInput where it has no code or wrote
  /// outside its results and workspace; those of LoadedObject::load.
  Expected<llvm::SmallVector<reference::Tensor>>
  call(task::KernelOp kernel, llvm::ArrayRef<reference::Tensor> operands,
       llvm::ArrayRef<int64_t> scalars);

private:
  Expected<runtime::KernelFunction> load(task::KernelOp kernel);

  Random &random;
  llvm::StringMap<artifact::LoadedObject> objects;
};

} // namespace turnip::testing

#endif // TURNIP_TESTING_COMPILEDKERNELS_H
