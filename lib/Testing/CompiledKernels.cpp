//===- CompiledKernels.cpp - Calls kernels by their object code -----------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Testing/CompiledKernels.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"

#include <cstring>
#include <memory>
#include <numeric>
#include <sys/mman.h>

using namespace mlir;
using namespace turnip;
using namespace turnip::testing;
using reference::Tensor;

namespace {
/// Bytes at a 64-byte boundary between two pages that cannot be touched. They
/// lie close to the first or to the second, as the dice fall: a kernel that
/// strays by much ends at once, and one that strays by less than what is left
/// of a page is found out by the rubbish around the bytes.
class GuardedBuffer {
public:
  GuardedBuffer(size_t size, Random &random, StringRef content = {})
      : size(size) {
    const size_t page = llvm::sys::Process::getPageSizeEstimate();
    size_t body = llvm::alignTo(std::max<size_t>(size, 1), page);
    bytes = body + 2 * page;
    memory =
        ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      llvm::report_fatal_error("no memory for the buffers of a kernel");
    char *base = static_cast<char *>(memory);
    inside = {base + page, body};
    if (::mprotect(base + page, body, PROT_READ | PROT_WRITE))
      llvm::report_fatal_error("cannot guard the buffers of a kernel");
    std::memset(base + page, kRubbish, body);
    size_t slack = (body - size) / 64;
    start = base + page +
            64 * (random.chance(80)
                      ? slack
                      : random.between(0, std::min<size_t>(slack, 15)));
    if (!content.empty())
      std::memcpy(start, content.data(), content.size());
  }
  ~GuardedBuffer() { ::munmap(memory, bytes); }
  GuardedBuffer(const GuardedBuffer &) = delete;
  GuardedBuffer &operator=(const GuardedBuffer &) = delete;

  char *data() { return start; }
  ArrayRef<char> contents() const { return {start, size}; }
  bool holds(StringRef content) const {
    return std::memcmp(start, content.data(), content.size()) == 0;
  }
  /// Whether everything around the bytes is as it was.
  bool isGuardIntact() const {
    auto isRubbish = [](char c) { return c == kRubbish; };
    return std::all_of(inside.begin(), static_cast<const char *>(start),
                       isRubbish) &&
           std::all_of(static_cast<const char *>(start) + size, inside.end(),
                       isRubbish);
  }

private:
  static constexpr char kRubbish = 0x5a;
  size_t size, bytes = 0;
  void *memory = nullptr;
  ArrayRef<char> inside;
  char *start = nullptr;
};
} // namespace

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
    buffers.push_back(std::make_unique<GuardedBuffer>(contents.back().size(),
                                                      random, contents.back()));
  }
  for (Type type : kernel.getResultTypes())
    buffers.push_back(std::make_unique<GuardedBuffer>(
        Tensor(cast<RankedTensorType>(type)).toBytes().size(), random));
  if (int64_t workspace = kernel.getWorkspaceBytes())
    buffers.push_back(std::make_unique<GuardedBuffer>(workspace, random));
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
        (isOperand && !buffer->holds(contents[index])))
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
