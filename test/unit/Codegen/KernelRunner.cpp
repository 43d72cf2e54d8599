//===- KernelRunner.cpp - Compile, run and check one kernel ---------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRunner.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "turnip/Testing/GuardedBuffer.h"
#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using turnip::testing::GuardedBuffer;

namespace turnip::test {

func::FuncOp parseKernel(const std::string &text) {
  static MLIRContext *context = [] {
    auto *made = new MLIRContext(MLIRContext::Threading::DISABLED);
    made->loadDialect<arith::ArithDialect, func::FuncDialect,
                      linalg::LinalgDialect, math::MathDialect,
                      tensor::TensorDialect>();
    return made;
  }();
  static std::vector<OwningOpRef<ModuleOp>> modules;
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, context);
  if (!module) {
    ADD_FAILURE() << "cannot parse\n" << text;
    std::abort();
  }
  modules.push_back(std::move(module));
  return *modules.back()->getOps<func::FuncOp>().begin();
}

LoadedKernel::LoadedKernel(codegen::KernelBinary kernel)
    : binary(std::move(kernel)) {
  file = memfd_create("kernel", MFD_CLOEXEC);
  size_t size = binary.object.size();
  if (file < 0 || write(file, binary.object.data(), size) != ssize_t(size))
    std::abort();
  std::string path = "/proc/self/fd/" + std::to_string(file);
  handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(handle, nullptr) << dlerror();
  if (handle)
    entry =
        reinterpret_cast<decltype(entry)>(dlsym(handle, binary.symbol.c_str()));
  EXPECT_NE(entry, nullptr);
}

LoadedKernel::~LoadedKernel() {
  if (handle)
    dlclose(handle);
  close(file);
}

std::vector<Bytes> LoadedKernel::run(const std::vector<Bytes> &operands,
                                     const std::vector<int64_t> &resultBytes,
                                     const std::vector<int64_t> &scalars,
                                     unsigned seed, int64_t offset,
                                     std::pair<int64_t, int64_t> shared) {
  std::vector<std::unique_ptr<GuardedBuffer>> buffers;
  std::vector<void *> pointers;
  auto near =
      offset % 2 ? GuardedBuffer::Near::Begin : GuardedBuffer::Near::End;
  auto add = [&](int64_t size) {
    buffers.push_back(std::make_unique<GuardedBuffer>(size, near, offset));
    pointers.push_back(buffers.back()->data());
  };
  for (const Bytes &operand : operands) {
    add(operand.size());
    std::memcpy(pointers.back(), operand.data(), operand.size());
  }
  for (int64_t size : resultBytes)
    add(size);
  if (binary.workspaceBytes > 0)
    add(binary.workspaceBytes);
  if (shared.first >= 0)
    pointers[operands.size() + shared.second] = pointers[shared.first];
  std::vector<int64_t> order(binary.gridSize);
  for (int64_t i = 0; i < binary.gridSize; ++i)
    order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  for (int64_t point : order)
    entry(pointers.data(), scalars.data(), point);
  for (size_t i = 0; i < buffers.size(); ++i)
    EXPECT_TRUE(buffers[i]->isGuardIntact()) << "written around buffer " << i;
  for (size_t i = 0; i < operands.size(); ++i)
    if (int64_t(i) != shared.first)
      EXPECT_EQ(
          std::memcmp(pointers[i], operands[i].data(), operands[i].size()), 0)
          << "operand " << i << " was written";
  std::vector<Bytes> results;
  for (size_t i = 0; i < resultBytes.size(); ++i) {
    auto *data = static_cast<unsigned char *>(pointers[operands.size() + i]);
    results.emplace_back(data, data + resultBytes[i]);
  }
  return results;
}

Tensor randomTensor(RankedTensorType type, const Inputs &inputs,
                    unsigned salt) {
  std::mt19937 engine(inputs.seed * 977 + salt);
  std::uniform_real_distribution<double> floats(inputs.low, inputs.high);
  std::uniform_int_distribution<int64_t> ints(-100, 100);
  Tensor tensor = Tensor::make(type);
  for (Scalar &value : tensor.values) {
    value.f = float(floats(engine));
    value.i = type.getElementType().isInteger(1) ? engine() & 1 : ints(engine);
    value = roundTo(value, type.getElementType());
  }
  return tensor;
}

static int64_t byteWidth(Type type) {
  return type.isInteger(1) ? 1 : type.getIntOrFloatBitWidth() / 8;
}

Bytes encode(const Tensor &tensor) {
  int64_t width = byteWidth(tensor.elementType);
  Bytes bytes(tensor.values.size() * width);
  for (size_t i = 0; i < tensor.values.size(); ++i) {
    uint64_t bits = uint64_t(tensor.values[i].i);
    if (auto type = dyn_cast<FloatType>(tensor.elementType)) {
      bool lossy = false;
      llvm::APFloat f(tensor.values[i].f);
      f.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                &lossy);
      bits = f.bitcastToAPInt().getZExtValue();
    }
    std::memcpy(&bytes[i * width], &bits, width);
  }
  return bytes;
}

Tensor decode(const Bytes &bytes, RankedTensorType type) {
  Tensor tensor = Tensor::make(type);
  int64_t width = byteWidth(type.getElementType());
  for (size_t i = 0; i < tensor.values.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[i * width], width);
    if (auto element = dyn_cast<FloatType>(type.getElementType())) {
      bool lossy = false;
      llvm::APFloat f(element.getFloatSemantics(),
                      llvm::APInt(element.getWidth(), bits));
      f.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &lossy);
      tensor.values[i].f = f.convertToDouble();
    } else {
      tensor.values[i].i = int64_t(bits);
      if (width < 8 && !type.getElementType().isInteger(1))
        tensor.values[i].i =
            int64_t(bits << (64 - 8 * width)) >> (64 - 8 * width);
    }
  }
  return tensor;
}

/// Compares element by element; reports the first that is wrong.
static void compare(const Tensor &got, const Tensor &expected,
                    const CheckOptions &options, const std::string &text) {
  double largest = 0;
  for (const Scalar &value : expected.values)
    if (std::isfinite(value.f))
      largest = std::max(largest, std::fabs(value.f));
  bool isFloat = isa<FloatType>(expected.elementType);
  double unit = expected.elementType.isF16()    ? 1e-3
                : expected.elementType.isBF16() ? 8e-3
                                                : options.tolerance;
  for (size_t i = 0; i < expected.values.size(); ++i) {
    double e = expected.values[i].f, g = got.values[i].f;
    bool same = got.values[i].i == expected.values[i].i;
    if (isFloat) {
      double scale = std::max(std::fabs(e), options.floor * largest);
      same = (std::isnan(e) && std::isnan(g)) || e == g ||
             std::fabs(e - g) <= unit * scale ||
             // Subnormals of f32 are this far apart.
             std::fabs(e - g) < 1.5e-45 ||
             // A value that overflows f32 is infinite there.
             (std::fabs(e) > 3.4e38 && std::isinf(g));
    }
    if (same)
      continue;
    ADD_FAILURE() << "element " << i << " of " << expected.values.size()
                  << ": expected "
                  << (isFloat ? e : double(expected.values[i].i))
                  << ", but got " << (isFloat ? g : double(got.values[i].i))
                  << " in\n"
                  << text;
    return;
  }
}

KernelData makeKernelData(func::FuncOp func, const CheckOptions &options) {
  KernelData data;
  for (Type type : func.getArgumentTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      data.tensors.push_back(
          randomTensor(tensor, options.inputs, data.tensors.size()));
      data.operands.push_back(encode(data.tensors.back()));
    }
  for (Type type : func.getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    data.resultBytes.push_back(tensor.getNumElements() *
                               byteWidth(tensor.getElementType()));
  }
  return data;
}

void compareResults(func::FuncOp func, const KernelData &data,
                    const std::vector<Bytes> &results,
                    const CheckOptions &options, const std::string &text) {
  std::vector<Tensor> expected = interpret(func, data.tensors, options.scalars);
  for (size_t i = 0; i < results.size(); ++i)
    compare(
        decode(results[i], cast<RankedTensorType>(func.getResultTypes()[i])),
        expected[i], options, text);
}

void (*checkElsewhere)(const std::string &, const CheckOptions &) = nullptr;

codegen::KernelBinary checkKernel(const std::string &text,
                                  const CheckOptions &options) {
  func::FuncOp func = parseKernel(text);
  codegen::KernelTarget target = *codegen::KernelTarget::get(options.target);
  FailureOr<codegen::KernelBinary> binary =
      codegen::compileKernel(func, target);
  if (failed(binary)) {
    ADD_FAILURE() << "cannot compile\n" << text;
    return {};
  }
  KernelData data = makeKernelData(func, options);
  const std::vector<Bytes> &operands = data.operands;
  const std::vector<int64_t> &sizes = data.resultBytes;
  LoadedKernel kernel(*binary);
  std::vector<Bytes> results = kernel.run(operands, sizes, options.scalars);
  compareResults(func, data, results, options, text);
  for (unsigned offset = 1; offset < 4; ++offset)
    EXPECT_EQ(kernel.run(operands, sizes, options.scalars, offset, offset * 3),
              results)
        << "other bits at other addresses in\n"
        << text;
  for (std::pair<int64_t, int64_t> pair : binary->inplace)
    EXPECT_EQ(kernel.run(operands, sizes, options.scalars, 7, 1, pair), results)
        << "not safe in place: operand " << pair.first << ", result "
        << pair.second << " in\n"
        << text;
  if (checkElsewhere)
    checkElsewhere(text, options);
  return *binary;
}

} // namespace turnip::test
