//===- DeviceRunner.cpp - Compile, run and check one device kernel --------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceRunner.h"
#include "turnip/Testing/GuardedBuffer.h"
#include "turnip/standin/ThreadABI.h"
#include "llvm/ADT/APFloat.h"
#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <random>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

using namespace mlir;
using turnip::testing::GuardedBuffer;

namespace turnip::test {

int64_t numMmas = 0;

namespace {
using DeviceEntry = void (*)(void **, const TurnipStandInThread *);

/// What a lane gives to a product of its warp.
struct MmaFragments {
  uint32_t shape = 0;
  const void *a = nullptr, *b = nullptr;
  const float *c = nullptr;
  float *d = nullptr;
};

double narrowToDouble(uint16_t bits, bool isHalf) {
  if (!isHalf) {
    uint32_t wide = uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &wide, 4);
    return value;
  }
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent ? std::ldexp(1024 + fraction, exponent - 25)
                          : std::ldexp(fraction, -24);
  if (exponent == 31)
    value = fraction ? std::nan("") : INFINITY;
  return bits >> 15 ? -value : value;
}

/// m16n8k16 with the fragments that PTX's manual shows: lane 4 * t + u has, of
/// A, rows t and t + 8, columns 2u, 2u + 1 and 8 more; of B, rows 2u, 2u + 1
/// and 8 more of column t; of C and D, rows t and t + 8, columns 2u and 2u + 1.
void multiply(const std::vector<MmaFragments> &lanes) {
  ++numMmas;
  bool isHalf = lanes[0].shape == TURNIP_STANDIN_MMA_M16N8K16_F16;
  double a[16][16], b[16][8], c[16][8];
  for (int lane = 0; lane < 32; ++lane) {
    int t = lane / 4, u = lane % 4;
    const auto *x = static_cast<const uint16_t *>(lanes[lane].a);
    const auto *y = static_cast<const uint16_t *>(lanes[lane].b);
    for (int i = 0; i < 8; ++i)
      a[t + i / 2 % 2 * 8][2 * u + i % 2 + i / 4 * 8] =
          narrowToDouble(x[i], isHalf);
    for (int i = 0; i < 4; ++i)
      b[2 * u + i % 2 + i / 2 * 8][t] = narrowToDouble(y[i], isHalf);
    for (int i = 0; i < 4; ++i)
      c[t + i / 2 * 8][2 * u + i % 2] = lanes[lane].c[i];
  }
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) {
      int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
      double sum = c[row][column];
      for (int k = 0; k < 16; ++k)
        sum += a[row][k] * b[k][column];
      lanes[lane].d[i] = float(sum);
    }
}

/// The threads of one block.
class Block {
public:
  Block(DeviceEntry entry, void **parameters,
        const codegen::KernelLaunch &launch, uint32_t index, unsigned seed)
      : entry(entry), parameters(parameters), engine(seed) {
    size = launch.block[0];
    shared.assign(launch.sharedBytes / 128 + 1, Line());
    for (Line &line : shared)
      std::memset(&line, 0x7f, sizeof line);
    for (uint32_t i = 0; i < size; ++i) {
      auto fiber = std::make_unique<Fiber>();
      fiber->block = this;
      fiber->thread.threadIdx[0] = i;
      fiber->thread.blockIdx[0] = index;
      for (int d = 0; d < 3; ++d) {
        fiber->thread.blockDim[d] = launch.block[d];
        fiber->thread.gridDim[d] = launch.grid[d];
      }
      fiber->thread.shared = shared.data();
      fiber->thread.barrier = barrier;
      fiber->thread.shuffle = shuffle;
      fiber->thread.mma = mma;
      fibers.push_back(std::move(fiber));
    }
  }

  void run() {
    std::vector<uint32_t> order(size);
    for (uint32_t i = 0; i < size; ++i)
      order[i] = i;
    std::shuffle(order.begin(), order.end(), engine);
    while (true) {
      bool ran = false;
      for (uint32_t i : order) {
        if (fibers[i]->state != State::Ready)
          continue;
        ran = true;
        resume(*fibers[i], i);
      }
      if (!ran && !release())
        break;
    }
    for (const auto &fiber : fibers)
      if (fiber->state != State::Done) {
        ADD_FAILURE() << "a thread waits for ever";
        return;
      }
  }

private:
  enum class State { Ready, AtBarrier, AtShuffle, AtMma, Done };
  struct alignas(128) Line {
    char bytes[128];
  };
  struct Fiber {
    TurnipStandInThread thread = {};
    Block *block = nullptr;
    ucontext_t context;
    bool started = false;
    State state = State::Ready;
    uint64_t value = 0;
    uint32_t lane = 0;
    MmaFragments fragments;
  };

  static Fiber &fiberOf(const TurnipStandInThread *thread) {
    return *reinterpret_cast<Fiber *>(
        const_cast<TurnipStandInThread *>(thread));
  }
  static void barrier(const TurnipStandInThread *thread) {
    fiberOf(thread).block->wait(fiberOf(thread), State::AtBarrier);
  }
  static uint64_t shuffle(const TurnipStandInThread *thread, uint64_t value,
                          uint32_t lane) {
    Fiber &fiber = fiberOf(thread);
    fiber.value = value;
    fiber.lane = lane;
    fiber.block->wait(fiber, State::AtShuffle);
    return fiber.value;
  }
  static void mma(const TurnipStandInThread *thread, uint32_t shape,
                  const void *a, const void *b, const float *c, float *d) {
    Fiber &fiber = fiberOf(thread);
    fiber.fragments = {shape, a, b, c, d};
    fiber.block->wait(fiber, State::AtMma);
  }
  static void start(unsigned low, unsigned high) {
    auto *fiber =
        reinterpret_cast<Fiber *>(uint64_t(low) | uint64_t(high) << 32);
    fiber->block->entry(fiber->block->parameters, &fiber->thread);
    fiber->state = State::Done;
  }

  void wait(Fiber &fiber, State state) {
    fiber.state = state;
    swapcontext(&fiber.context, &main);
  }

  void resume(Fiber &fiber, uint32_t index) {
    static constexpr size_t kStack = 64 * 1024;
    static char *stacks =
        static_cast<char *>(mmap(nullptr, 1024 * kStack, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (!fiber.started) {
      fiber.started = true;
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = stacks + index * kStack;
      fiber.context.uc_stack.ss_size = kStack;
      fiber.context.uc_link = &main;
      auto address = reinterpret_cast<uint64_t>(&fiber);
      makecontext(&fiber.context, reinterpret_cast<void (*)()>(start), 2,
                  unsigned(address), unsigned(address >> 32));
    }
    swapcontext(&main, &fiber.context);
  }

  /// Lets go those whose partners have all arrived; false where nobody can.
  bool release() {
    bool any = releaseMma();
    for (uint32_t warp = 0; warp < size; warp += 32) {
      uint32_t end = std::min(size, warp + 32);
      bool all = true, some = false;
      for (uint32_t i = warp; i < end; ++i) {
        all &= fibers[i]->state == State::AtShuffle;
        some |= fibers[i]->state == State::AtShuffle;
      }
      if (!all) {
        EXPECT_FALSE(some && !anyReady()) << "a shuffle without its whole warp";
        continue;
      }
      std::vector<uint64_t> values;
      for (uint32_t i = warp; i < end; ++i)
        values.push_back(fibers[i]->value);
      for (uint32_t i = warp; i < end; ++i) {
        if (fibers[i]->lane < values.size())
          fibers[i]->value = values[fibers[i]->lane];
        fibers[i]->state = State::Ready;
      }
      any = true;
    }
    bool allWait = true;
    for (const auto &fiber : fibers)
      allWait &=
          fiber->state == State::AtBarrier || fiber->state == State::Done;
    if (allWait)
      for (const auto &fiber : fibers)
        if (fiber->state == State::AtBarrier) {
          fiber->state = State::Ready;
          any = true;
        }
    return any;
  }
  /// Multiplies where a whole warp waits for that.
  bool releaseMma() {
    bool any = false;
    for (uint32_t warp = 0; warp + 32 <= size; warp += 32) {
      std::vector<MmaFragments> fragments;
      for (uint32_t i = warp; i < warp + 32; ++i)
        if (fibers[i]->state == State::AtMma)
          fragments.push_back(fibers[i]->fragments);
      if (fragments.size() < 32)
        continue;
      multiply(fragments);
      for (uint32_t i = warp; i < warp + 32; ++i)
        fibers[i]->state = State::Ready;
      any = true;
    }
    return any;
  }
  bool anyReady() const {
    return llvm::any_of(
        fibers, [](const auto &fiber) { return fiber->state == State::Ready; });
  }

  DeviceEntry entry;
  void **parameters;
  std::mt19937 engine;
  uint32_t size;
  std::vector<Line> shared;
  std::vector<std::unique_ptr<Fiber>> fibers;
  ucontext_t main;
};

/// One matrix of a product.
struct Matrix {
  char *data;
  const std::string &type;
  int64_t leading, stride;

  char *at(int64_t batch, int64_t row, int64_t column) const {
    int64_t width = type == "f32" ? 4 : 2;
    return data + (batch * stride + row + column * leading) * width;
  }
  double get(int64_t batch, int64_t row, int64_t column) const {
    if (type != "f32") {
      uint16_t bits;
      std::memcpy(&bits, at(batch, row, column), 2);
      return narrowToDouble(bits, type == "f16");
    }
    float value;
    std::memcpy(&value, at(batch, row, column), 4);
    return value;
  }
  void set(int64_t batch, int64_t row, int64_t column, float value) const {
    if (type == "f32") {
      std::memcpy(at(batch, row, column), &value, 4);
      return;
    }
    llvm::APFloat narrow(value);
    bool losesInfo = false;
    narrow.convert(type == "f16" ? llvm::APFloat::IEEEhalf()
                                 : llvm::APFloat::BFloat(),
                   llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    auto bits = uint16_t(narrow.bitcastToAPInt().getZExtValue());
    std::memcpy(at(batch, row, column), &bits, 2);
  }
};

/// What the device's matrix library does.
void multiply(const codegen::KernelLaunch &launch,
              const std::vector<char *> &buffers) {
  const codegen::MatmulLaunch &call = launch.matmul;
  auto matrix = [&](unsigned i, const std::string &type, int64_t leading,
                    int64_t stride) {
    const codegen::BufferPart &part = launch.buffers.at(i);
    return Matrix{buffers.at(part.buffer) + part.offset, type, leading, stride};
  };
  Matrix a = matrix(0, call.typeA, call.lda, call.strideA);
  Matrix b = matrix(1, call.typeB, call.ldb, call.strideB);
  Matrix d = matrix(2, call.typeD, call.ldd, call.strideD);
  for (int64_t batch = 0; batch < call.batch; ++batch)
    for (int64_t i = 0; i < call.m; ++i)
      for (int64_t j = 0; j < call.n; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < call.k; ++k)
          sum += (call.transA ? a.get(batch, k, i) : a.get(batch, i, k)) *
                 (call.transB ? b.get(batch, j, k) : b.get(batch, k, j));
        d.set(batch, i, j, float(sum));
      }
}

/// A stand-in object that is loaded into the process.
class LoadedDevice {
public:
  explicit LoadedDevice(const codegen::DeviceBinary &binary) : binary(binary) {
    const std::string &code = binary.objects.front().code;
    file = memfd_create("device", MFD_CLOEXEC);
    if (file < 0 ||
        write(file, code.data(), code.size()) != ssize_t(code.size()))
      std::abort();
    std::string path = "/proc/self/fd/" + std::to_string(file);
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      ADD_FAILURE() << dlerror();
  }
  ~LoadedDevice() {
    if (handle)
      dlclose(handle);
    close(file);
  }
  LoadedDevice(const LoadedDevice &) = delete;
  LoadedDevice &operator=(const LoadedDevice &) = delete;

  void launch(const codegen::KernelLaunch &launch,
              const std::vector<char *> &buffers,
              const std::vector<int64_t> &scalars, unsigned seed) {
    auto entry =
        reinterpret_cast<DeviceEntry>(dlsym(handle, launch.symbol.c_str()));
    auto *count = static_cast<const uint32_t *>(
        dlsym(handle, (launch.symbol + "_params").c_str()));
    ASSERT_TRUE(entry && count) << launch.symbol;
    ASSERT_EQ(*count, launch.buffers.size() + launch.scalars.size());
    std::vector<void *> values, parameters;
    for (const codegen::BufferPart &part : launch.buffers)
      values.push_back(buffers.at(part.buffer) + part.offset);
    for (uint32_t scalar : launch.scalars)
      values.push_back(reinterpret_cast<void *>(scalars.at(scalar)));
    for (void *&value : values)
      parameters.push_back(&value);
    for (uint32_t i = 0; i < launch.grid[0]; ++i) {
      // Blocks run in any order.
      uint32_t index = seed % 2 ? launch.grid[0] - 1 - i : i;
      Block(entry, parameters.data(), launch, index, seed + i).run();
    }
  }

  std::vector<Bytes> run(const std::vector<Bytes> &operands,
                         const std::vector<int64_t> &resultBytes,
                         const std::vector<int64_t> &scalars, unsigned seed = 0,
                         std::pair<int64_t, int64_t> inPlace = {-1, -1});

private:
  codegen::DeviceBinary binary;
  int file = -1;
  void *handle = nullptr;
};
} // namespace

std::vector<Bytes> LoadedDevice::run(const std::vector<Bytes> &operands,
                                     const std::vector<int64_t> &resultBytes,
                                     const std::vector<int64_t> &scalars,
                                     unsigned seed,
                                     std::pair<int64_t, int64_t> inPlace) {
  std::vector<std::unique_ptr<GuardedBuffer>> buffers;
  std::vector<char *> pointers;
  auto add = [&](int64_t size) {
    // As close to a page that cannot be touched as multiples of 256 come.
    auto near =
        seed % 2 ? GuardedBuffer::Near::Begin : GuardedBuffer::Near::End;
    size_t page = llvm::sys::Process::getPageSizeEstimate();
    size_t body = llvm::alignTo(std::max<size_t>(size, 1), page);
    size_t distance =
        near == GuardedBuffer::Near::Begin ? 4 * seed : (body - size) / 64 % 4;
    buffers.push_back(std::make_unique<GuardedBuffer>(size, near, distance));
    pointers.push_back(buffers.back()->data());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pointers.back()) % 256, 0u);
  };
  for (const Bytes &operand : operands) {
    add(operand.size());
    std::memcpy(pointers.back(), operand.data(), operand.size());
  }
  for (int64_t size : resultBytes)
    add(size);
  if (binary.workspaceBytes > 0)
    add(binary.workspaceBytes);
  if (inPlace.first >= 0)
    pointers[operands.size() + inPlace.second] = pointers[inPlace.first];
  for (const codegen::KernelLaunch &step : binary.launches)
    if (step.kind == codegen::KernelLaunch::Kind::Matmul)
      multiply(step, pointers);
    else
      launch(step, pointers, scalars, seed);
  for (size_t i = 0; i < operands.size(); ++i)
    if (int64_t(i) != inPlace.first)
      EXPECT_EQ(
          std::memcmp(pointers[i], operands[i].data(), operands[i].size()), 0)
          << "operand " << i << " was written";
  for (size_t i = 0; i < buffers.size(); ++i)
    EXPECT_TRUE(buffers[i]->isGuardIntact()) << "written around buffer " << i;
  std::vector<Bytes> results;
  for (size_t i = 0; i < resultBytes.size(); ++i) {
    auto *data =
        reinterpret_cast<unsigned char *>(pointers[operands.size() + i]);
    results.emplace_back(data, data + resultBytes[i]);
  }
  return results;
}

codegen::DeviceBinary checkDeviceKernel(const std::string &text,
                                        const CheckOptions &options, bool ptx) {
  func::FuncOp func = parseKernel(text);
  codegen::KernelTarget host = *codegen::KernelTarget::get(options.target);
  FailureOr<codegen::DeviceBinary> binary =
      codegen::compileDeviceKernel(func, {"stand-in"}, host);
  if (failed(binary)) {
    ADD_FAILURE() << "cannot compile\n" << text;
    return {};
  }
  for (const char *chip : {"sm_80", "sm_90", "sm_100"})
    if (ptx)
      EXPECT_TRUE(succeeded(codegen::compileDeviceKernel(func, {chip}, host)))
          << text;
  KernelData data = makeKernelData(func, options);
  LoadedDevice device(*binary);
  std::vector<Bytes> results =
      device.run(data.operands, data.resultBytes, options.scalars);
  compareResults(func, data, results, options, text);
  for (unsigned seed = 1; seed < 3; ++seed)
    EXPECT_EQ(
        device.run(data.operands, data.resultBytes, options.scalars, seed),
        results)
        << "other bits in another order in\n"
        << text;
  for (std::pair<int64_t, int64_t> pair : binary->inplace)
    EXPECT_EQ(
        device.run(data.operands, data.resultBytes, options.scalars, 5, pair),
        results)
        << "not safe in place: operand " << pair.first << ", result "
        << pair.second << " in\n"
        << text;
  return *binary;
}

/// Every kernel of the host's tests runs as device code, too.
[[maybe_unused]] static bool isInstalled = [] {
  checkElsewhere = [](const std::string &text, const CheckOptions &options) {
    // What the host may do makes no difference to a device.
    if (options.target == CheckOptions().target)
      checkDeviceKernel(text, options, /*ptx=*/false);
  };
  return true;
}();

std::string compileToPtx(const std::string &text, const std::string &chip) {
  FailureOr<codegen::DeviceBinary> binary =
      codegen::compileDeviceKernel(parseKernel(text), {chip}, {});
  if (failed(binary)) {
    ADD_FAILURE() << "cannot compile\n" << text;
    return "";
  }
  return binary->objects.back().code;
}

} // namespace turnip::test
