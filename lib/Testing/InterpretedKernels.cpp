//===- InterpretedKernels.cpp - Kernels run by the evaluator --------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Testing/InterpretedKernels.h"

#include "turnip/Reference/Evaluator.h"

#include <cstring>
#include <mutex>
#include <utility>

using namespace mlir;
using namespace turnip;
using namespace turnip::testing;

/// A kernel's function has no argument that could say whose it is; the number
/// in its type does.
static InterpretedKernels *current = nullptr;
static std::mutex callMutex;

namespace turnip::testing {
void callInterpretedKernel(size_t index, void *const *buffers,
                           const int64_t *scalars) {
  std::lock_guard<std::mutex> lock(callMutex);
  task::KernelOp kernel = current->kernels[index];
  SmallVector<reference::Tensor> operands;
  size_t buffer = 0;
  unsigned numTensors = kernel.getNumTensorArguments();
  for (Type type : kernel.getArgumentTypes().take_front(numTensors)) {
    reference::Tensor empty(cast<RankedTensorType>(type));
    size_t size = empty.toBytes().size();
    ArrayRef<char> bytes(static_cast<const char *>(buffers[buffer++]), size);
    operands.push_back(*reference::Tensor::ofBytes(empty.getType(), bytes));
  }
  size_t firstResult = buffer;
  if (int64_t size = kernel.getWorkspaceBytes())
    std::memset(buffers[firstResult + kernel.getNumResults()], 0xa5, size);
  ArrayRef<int64_t> numbers(scalars, kernel.getNumScalarArguments());
  auto results = reference::evaluateBlock(kernel.getBody().front(), operands,
                                          numbers, nullptr);
  if (!results) {
    if (current->firstError.empty())
      current->firstError = results.status().message();
    return;
  }
  for (const reference::Tensor &result : *results) {
    std::string bytes = result.toBytes();
    std::memcpy(buffers[buffer++], bytes.data(), bytes.size());
  }
}
} // namespace turnip::testing

template <size_t index>
static void entryPoint(void *const *buffers, const int64_t *scalars, int64_t) {
  callInterpretedKernel(index, buffers, scalars);
}

template <size_t... indices>
static std::vector<runtime::KernelFunction>
makeEntryPoints(std::index_sequence<indices...>) {
  return {entryPoint<indices>...};
}

InterpretedKernels::InterpretedKernels(ArrayRef<task::KernelOp> kernels)
    : kernels(kernels),
      entryPoints(makeEntryPoints(std::make_index_sequence<maxKernels>())) {
  assert(kernels.size() <= maxKernels && "too many kernels");
  entryPoints.resize(kernels.size());
  // Lookups during a run must not reorder anything lazily.
  for (task::KernelOp kernel : kernels)
    kernel->walk([](Block *block) { block->recomputeOpOrder(); });
  current = this;
}

InterpretedKernels::~InterpretedKernels() { current = nullptr; }
