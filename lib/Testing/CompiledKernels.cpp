//===- CompiledKernels.cpp - Calls kernels by their object code -----------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Testing/CompiledKernels.h"

#include "turnip/Testing/GuardedBuffer.h"

#include "llvm/ADT/STLExtras.h"

#include <memory>
#include <numeric>

using namespace mlir;
using namespace turnip;
using namespace turnip::testing;
using reference::Tensor;

/// A buffer close to the first or to the second page, as the dice fall.
static std::unique_ptr<GuardedBuffer> makeBuffer(size_t size, Random &random) {
  using Near = GuardedBuffer::Near;
  return random.chance(80) ? std::make_unique<GuardedBuffer>(size, Near::End)
                           : std::make_unique<GuardedBuffer>(
                                 size, Near::Begin, random.between(0, 15));
}

Expected<runtime::KernelFunction> CompiledKernels::load(task::KernelOp kernel) {
  auto known = objects.find(kernel.getSymName());
  if (known != objects.end())
    return known->second.function();
  ArrayAttr attributes = kernel.getObjectsAttr();
  if (!attributes || attributes.empty())
    return Status::error(StatusCode::BadInput, "it has no object code");
  auto attribute = cast<task::ObjectAttr>(attributes[0]);
  artifact::KernelObject object;
  object.triple = attribute.getTriple().str();
  for (StringAttr feature : attribute.getFeatures())
    object.features.push_back(feature.str());
  object.format = attribute.getFormat().str();
  object.symbol = attribute.getSymbol().str();
  object.code = attribute.getBytes();
  Expected<artifact::LoadedObject> loaded =
      artifact::LoadedObject::load(object);
  if (!loaded)
    return loaded.status();
  return objects.try_emplace(kernel.getSymName(), std::move(*loaded))
      .first->second.function();
}

Expected<SmallVector<Tensor>> CompiledKernels::call(task::KernelOp kernel,
                                                    ArrayRef<Tensor> operands,
                                                    ArrayRef<int64_t> scalars) {
  Expected<runtime::KernelFunction> function = load(kernel);
  if (!function)
    return function.status();
  std::vector<std::unique_ptr<GuardedBuffer>> buffers;
  SmallVector<std::string> contents;
  for (const Tensor &operand : operands) {
    contents.push_back(operand.toBytes());
    buffers.push_back(makeBuffer(contents.back().size(), random));
    llvm::copy(contents.back(), buffers.back()->data());
  }
  for (Type type : kernel.getResultTypes())
    buffers.push_back(makeBuffer(
        Tensor(cast<RankedTensorType>(type)).toBytes().size(), random));
  if (int64_t workspace = kernel.getWorkspaceBytes())
    buffers.push_back(makeBuffer(workspace, random));
  SmallVector<void *> pointers;
  for (auto &buffer : buffers)
    pointers.push_back(buffer->data());

  std::vector<int64_t> gridPoints(kernel.getGrid().value_or(1));
  std::iota(gridPoints.begin(), gridPoints.end(), 0);
  random.shuffle(gridPoints);
  for (int64_t point : gridPoints)
    (*function)(pointers.data(), scalars.data(), point);

  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    bool isOperand = index < operands.size();
    if (!buffer->isGuardIntact() ||
        (isOperand && buffer->contents() != ArrayRef<char>(contents[index])))
      return Status::error(StatusCode::BadInput,
                           "it wrote outside its results, at buffer " +
                               std::to_string(index));
  }
  SmallVector<Tensor> results;
  for (auto [index, type] : llvm::enumerate(kernel.getResultTypes()))
    results.push_back(
        *Tensor::ofBytes(cast<RankedTensorType>(type),
                         buffers[operands.size() + index]->contents()));
  return results;
}
