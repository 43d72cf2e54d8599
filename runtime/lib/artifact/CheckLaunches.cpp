//===- CheckLaunches.cpp - The steps of a call on a GPU -------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include <cmath>

using namespace turnip;
using namespace turnip::artifact;

/// What every chip that Turnip compiles for allows (CUDA C++ programming guide,
/// technical specifications per compute capability): blocks and threads along
/// x, y and z, threads of a block, its shared memory, and the arguments of a
/// function, which take 4096 bytes.
constexpr uint32_t maxGrid[3] = {INT32_MAX, 65535, 65535};
constexpr uint32_t maxBlock[3] = {1024, 1024, 64};
constexpr uint64_t maxThreads = 1024;
constexpr uint32_t maxSharedBytes = 227 << 10;
constexpr size_t maxArguments = 512;

namespace {
/// The buffers of a call of one kernel's object.
class CallBuffers {
public:
  CallBuffers(const Kernel &kernel, const KernelObject &object)
      : kernel(kernel), object(object) {}

  size_t size() const {
    return writtenFrom() + kernel.resultBytes.size() +
           (object.workspaceBytes > 0 ? 1 : 0);
  }
  /// The first buffer that a launch may write to.
  size_t writtenFrom() const { return kernel.operandBytes.size(); }
  uint64_t bytes(size_t index) const {
    if (index < writtenFrom())
      return kernel.operandBytes[index];
    index -= writtenFrom();
    return index < kernel.resultBytes.size() ? kernel.resultBytes[index]
                                             : object.workspaceBytes;
  }

private:
  const Kernel &kernel;
  const KernelObject &object;
};

/// One matrix of a product, or its bias: what it is called and where it is
/// stored.
struct Matrix {
  const char *name;
  ElementType type;
  uint64_t rows;
  uint64_t columns;
  uint64_t ld;
  uint64_t stride;
};
} // namespace

static Status checkRange(const Path &path, const char *what, uint64_t value,
                         uint64_t most) {
  if (value >= 1 && value <= most)
    return Status::ok();
  return mismatchAt(Path(path, what), "1 to " + std::to_string(most),
                    std::to_string(value));
}

static Status checkBuffers(const Path &path, const CallBuffers &buffers,
                           const Launch &launch) {
  for (size_t i = 0; i < launch.buffers.size(); ++i) {
    const LaunchBuffer &at = launch.buffers[i];
    Path here(path, i);
    TURNIP_RETURN_IF_ERROR(
        checkIndex(Path(here, "buffer"), at.buffer, buffers.size()));
    if (at.offset >= buffers.bytes(at.buffer))
      return mismatchAt(
          Path(here, "offset"),
          "less than " + std::to_string(buffers.bytes(at.buffer)) +
              ", the bytes of buffer " + std::to_string(at.buffer),
          std::to_string(at.offset));
  }
  return Status::ok();
}

static Status checkKernelLaunch(const Path &path, const Kernel &kernel,
                                const Launch &launch) {
  if (launch.symbol.empty())
    return badAt(Path(path, "symbol"), "is empty");
  if (launch.symbol.find('\0') != std::string::npos)
    return badAt(Path(path, "symbol"), "contains a zero byte");
  uint64_t threads = 1;
  Path grid(path, "grid"), block(path, "block");
  for (size_t axis = 0; axis < 3; ++axis) {
    const char *names[] = {"x", "y", "z"};
    TURNIP_RETURN_IF_ERROR(
        checkRange(grid, names[axis], launch.grid[axis], maxGrid[axis]));
    TURNIP_RETURN_IF_ERROR(
        checkRange(block, names[axis], launch.block[axis], maxBlock[axis]));
    threads *= launch.block[axis];
  }
  if (threads > maxThreads)
    return mismatchAt(block,
                      "at most " + std::to_string(maxThreads) + " threads",
                      std::to_string(threads));
  if (launch.sharedBytes > maxSharedBytes)
    return mismatchAt(Path(path, "shared_bytes"),
                      "at most " + std::to_string(maxSharedBytes),
                      std::to_string(launch.sharedBytes));
  size_t arguments = launch.buffers.size() + launch.scalars.size();
  if (arguments > maxArguments)
    return badAt(path, "expected at most " + std::to_string(maxArguments) +
                           " buffers and scalars, but got " +
                           std::to_string(arguments));
  Path scalars(path, "scalars");
  for (size_t i = 0; i < launch.scalars.size(); ++i)
    TURNIP_RETURN_IF_ERROR(
        checkIndex(Path(scalars, i), launch.scalars[i], kernel.scalarCount));
  return Status::ok();
}

/// Whether the \p batch matrices \p matrix lie within \p bytes, which are at
/// most 2^63 - 1.
static bool fits(const Matrix &matrix, uint32_t batch, uint64_t bytes) {
  uint64_t left = bytes / static_cast<uint64_t>(byteSize(matrix.type));
  auto take = [&](uint64_t count, uint64_t each) {
    if (count != 0 && each > left / count)
      return false;
    left -= count * each;
    return true;
  };
  return take(batch - 1, matrix.stride) &&
         take(matrix.columns - 1, matrix.ld) && take(1, matrix.rows);
}

static Status checkMatrix(const Path &path, const CallBuffers &buffers,
                          const Matrix &matrix, uint32_t batch,
                          const LaunchBuffer &at) {
  const std::string name = matrix.name;
  if (matrix.type != ElementType::F32 && matrix.type != ElementType::F16 &&
      matrix.type != ElementType::BF16)
    return badAt(path, "expected f32, f16 or bf16 as the type of " + name +
                           ", but got enumerator " +
                           std::to_string(static_cast<unsigned>(matrix.type)));
  if (matrix.ld < matrix.rows)
    return badAt(path, "expected a leading dimension of " + name +
                           " of at least " + std::to_string(matrix.rows) +
                           ", its rows, but got " + std::to_string(matrix.ld));
  uint64_t bytes = buffers.bytes(at.buffer) - at.offset;
  if (!fits(matrix, batch, bytes))
    return badAt(path, name + " does not end within the " +
                           std::to_string(bytes) + " bytes at offset " +
                           std::to_string(at.offset) + " of buffer " +
                           std::to_string(at.buffer));
  if (at.offset % static_cast<uint64_t>(byteSize(matrix.type)) != 0)
    return badAt(path, "expected an offset of " + name +
                           " that is a multiple of " +
                           std::to_string(byteSize(matrix.type)) +
                           ", but got " + std::to_string(at.offset));
  return Status::ok();
}

static Status checkMatmulNumbers(const Path &path, const KernelObject &object,
                                 const Matmul &matmul) {
  for (auto [field, value] :
       {std::make_pair("m", matmul.m), std::make_pair("n", matmul.n),
        std::make_pair("k", matmul.k),
        std::make_pair("batch", uint64_t(matmul.batch))})
    TURNIP_RETURN_IF_ERROR(checkRange(path, field, value, INT32_MAX));
  TURNIP_RETURN_IF_ERROR(checkEnum(Path(path, "compute"),
                                   static_cast<unsigned>(matmul.compute),
                                   numMatmulComputes));
  TURNIP_RETURN_IF_ERROR(checkEnum(Path(path, "epilogue"),
                                   static_cast<unsigned>(matmul.epilogue),
                                   numMatmulEpilogues));
  for (auto [field, value] : {std::make_pair("alpha", matmul.alpha),
                              std::make_pair("beta", matmul.beta)})
    if (!std::isfinite(value))
      return mismatchAt(Path(path, field), "a finite number",
                        std::to_string(value));
  if (matmul.batch > 1 && matmul.strideD == 0)
    return badAt(Path(path, "stride_d"),
                 "expected matrices D at different places, but got 0");
  if (matmul.workspaceOffset > object.workspaceBytes ||
      matmul.workspaceBytes > object.workspaceBytes - matmul.workspaceOffset)
    return mismatchAt(Path(path, "workspace_bytes"),
                      "bytes within the " +
                          std::to_string(object.workspaceBytes) +
                          " of the object's workspace",
                      std::to_string(matmul.workspaceBytes) + " at offset " +
                          std::to_string(matmul.workspaceOffset));
  return Status::ok();
}

static Status checkMatmul(const Path &path, const CallBuffers &buffers,
                          const KernelObject &object, const Launch &launch) {
  const Matmul &matmul = launch.matmul;
  TURNIP_RETURN_IF_ERROR(checkMatmulNumbers(path, object, matmul));
  auto stored = [](bool transpose, uint64_t rows, uint64_t columns) {
    return transpose ? std::make_pair(columns, rows)
                     : std::make_pair(rows, columns);
  };
  auto [rowsA, columnsA] = stored(matmul.transposeA, matmul.m, matmul.k);
  auto [rowsB, columnsB] = stored(matmul.transposeB, matmul.k, matmul.n);
  std::vector<Matrix> matrices = {
      {"A", matmul.typeA, rowsA, columnsA, matmul.lda, matmul.strideA},
      {"B", matmul.typeB, rowsB, columnsB, matmul.ldb, matmul.strideB}};
  Matrix d = {"D",      matmul.typeD, matmul.m,
              matmul.n, matmul.ldd,   matmul.strideD};
  if (matmul.beta != 0) {
    matrices.push_back(d);
    matrices.back().name = "C";
  }
  matrices.push_back(d);
  const size_t indexOfD = matrices.size() - 1;
  if (matmul.epilogue == MatmulEpilogue::Bias)
    matrices.push_back({"the bias", matmul.typeD, matmul.m, 1, matmul.m, 0});
  if (launch.buffers.size() != matrices.size())
    return mismatchAt(Path(path, "buffers"),
                      std::to_string(matrices.size()) + " matrices",
                      std::to_string(launch.buffers.size()));
  for (size_t i = 0; i < matrices.size(); ++i)
    TURNIP_RETURN_IF_ERROR(checkMatrix(path, buffers, matrices[i], matmul.batch,
                                       launch.buffers[i]));
  uint32_t written = launch.buffers[indexOfD].buffer;
  if (written < buffers.writtenFrom())
    return badAt(path, "expected D in a result or the workspace, but got "
                       "operand " +
                           std::to_string(written));
  return Status::ok();
}

Status artifact::checkLaunches(const Path &path, const Kernel &kernel,
                               const KernelObject &object) {
  if (object.format == "elf-so" && !object.launches.empty())
    return badAt(path, "an object of format elf-so has none");
  CallBuffers buffers(kernel, object);
  for (size_t i = 0; i < object.launches.size(); ++i) {
    const Launch &launch = object.launches[i];
    Path here(path, i);
    TURNIP_RETURN_IF_ERROR(checkEnum(Path(here, "kind"),
                                     static_cast<unsigned>(launch.kind),
                                     numLaunchKinds));
    TURNIP_RETURN_IF_ERROR(
        checkBuffers(Path(here, "buffers"), buffers, launch));
    if (launch.kind == LaunchKind::Matmul) {
      TURNIP_RETURN_IF_ERROR(checkMatmul(here, buffers, object, launch));
      continue;
    }
    if (object.code.empty())
      return badAt(here, "calls a function, but the object has no code");
    TURNIP_RETURN_IF_ERROR(checkKernelLaunch(here, kernel, launch));
  }
  return Status::ok();
}
