//===- FunctionTest.cpp - Device functions run by the stand-in ------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convert.h"
#include "Machine.h"

#include "turnip/support/ElementType.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

namespace {
std::string imageText() {
  std::ifstream file(TURNIP_STANDIN_FUNCTIONS, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class DeviceFunctions : public Machine {
protected:
  void load(const std::string &configuration = "") {
    start(configuration);
    const std::string image = imageText();
    ASSERT_EQ(cuModuleLoadData(&module, image.data()), CUDA_SUCCESS)
        << message();
  }

  void TearDown() override {
    if (module)
      (void)cuModuleUnload(module);
    Machine::TearDown();
  }

  Handle function(const char *name) {
    Handle found = nullptr;
    EXPECT_EQ(cuModuleGetFunction(&found, module, name), CUDA_SUCCESS)
        << message();
    return found;
  }

  struct Shape {
    unsigned grid[3] = {1, 1, 1};
    unsigned block[3] = {1, 1, 1};
    unsigned shared = 0;
  };
  static Shape shape(unsigned grid, unsigned block, unsigned shared = 0) {
    Shape result;
    result.grid[0] = grid;
    result.block[0] = block;
    result.shared = shared;
    return result;
  }

  template <typename... Arguments>
  CUresult launch(const char *name, const Shape &s, Arguments... arguments) {
    void *params[] = {&arguments..., nullptr};
    if (CUresult result = cuLaunchKernel(
            function(name), s.grid[0], s.grid[1], s.grid[2], s.block[0],
            s.block[1], s.block[2], s.shared, nullptr, params, nullptr))
      return result;
    return cuCtxSynchronize();
  }

  Handle module = nullptr;
};
} // namespace

TEST_F(DeviceFunctions, ImagesAreChecked) {
  start("");
  Handle made = nullptr;
  EXPECT_EQ(cuModuleLoadData(&made, nullptr), CUDA_ERROR_INVALID_VALUE);
  char text[128] = "// Generated\n.version 8.0";
  EXPECT_EQ(cuModuleLoadData(&made, text), CUDA_ERROR_INVALID_PTX);
  char noise[128] = "noise";
  EXPECT_EQ(cuModuleLoadDataEx(&made, noise, 0, nullptr, nullptr),
            CUDA_ERROR_INVALID_IMAGE);
  std::string image = imageText();
  image[18] = static_cast<char>(190);
  EXPECT_EQ(cuModuleLoadData(&made, image.data()),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  image[18] = 40;
  EXPECT_EQ(cuModuleLoadData(&made, image.data()), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(message(), "the image is no shared object for x86-64");
  EXPECT_EQ(cuModuleUnload(nullptr), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(DeviceFunctions, FunctionsAreFoundWithTheirArguments) {
  load();
  Handle none = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&none, module, "nothing"),
            CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(message(), "the image does not export 'nothing'");
  EXPECT_EQ(cuModuleGetFunction(&none, module, "scale_params"),
            CUDA_ERROR_NOT_FOUND);
  Handle scale = function("scale");
  int value = 0;
  EXPECT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                               scale),
            CUDA_SUCCESS);
  EXPECT_EQ(value, 1024);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, scale),
            CUDA_ERROR_INVALID_HANDLE);
  module = nullptr;
}

TEST_F(DeviceFunctions, EveryThreadRunsOnceWithItsIndices) {
  for (const char *configuration : {"", "seed=1", "seed=2"}) {
    load(configuration);
    Shape s;
    const unsigned grid[] = {3, 2, 4}, block[] = {5, 3, 7};
    std::copy(grid, grid + 3, s.grid);
    std::copy(block, block + 3, s.block);
    const size_t total = size_t(24) * 105;
    CUdeviceptr out = allocate(total * 24);
    ASSERT_EQ(launch("indices", s, out), CUDA_SUCCESS) << message();
    std::vector<uint32_t> got = download<uint32_t>(out, total * 6);
    for (uint32_t i = 0; i < total; ++i) {
      const uint32_t thread = i % 105, number = i / 105;
      const std::vector<uint32_t> want = {thread % 5,     thread / 5 % 3,
                                          thread / 15,    number % 3,
                                          number / 3 % 2, number / 6};
      ASSERT_EQ(std::vector<uint32_t>(&got[6UL * i], &got[6UL * i] + 6), want);
    }
    EXPECT_EQ(cuMemFree_v2(out), CUDA_SUCCESS);
    TearDown();
    module = nullptr;
    started = false;
  }
}

TEST_F(DeviceFunctions, ArgumentsComeOneByOneOrPacked) {
  load();
  std::vector<int64_t> in(1000);
  for (int64_t i = 0; i < 1000; ++i)
    in[static_cast<size_t>(i)] = i;
  CUdeviceptr from = upload(in), to = allocate(8000);
  EXPECT_EQ(
      launch("scale", shape(8, 128), to, from, int64_t(-3), int64_t(1000)),
      CUDA_SUCCESS)
      << message();
  for (int64_t &value : in)
    value *= -3;
  EXPECT_EQ(download<int64_t>(to, 1000), in);
  uint64_t packed[] = {from, to, uint64_t(-2), 1000};
  size_t bytes = sizeof(packed);
  void *extra[] = {
      reinterpret_cast<void *>(CU_LAUNCH_PARAM_BUFFER_POINTER), // NOLINT
      packed,
      reinterpret_cast<void *>(CU_LAUNCH_PARAM_BUFFER_SIZE),  // NOLINT
      &bytes, reinterpret_cast<void *>(CU_LAUNCH_PARAM_END)}; // NOLINT
  EXPECT_EQ(cuLaunchKernel(function("scale"), 8, 1, 1, 128, 1, 1, 0, nullptr,
                           nullptr, extra),
            CUDA_SUCCESS)
      << message();
  for (int64_t &value : in)
    value *= -2;
  EXPECT_EQ(download<int64_t>(from, 1000), in);
  bytes = 24;
  EXPECT_EQ(cuLaunchKernel(function("scale"), 8, 1, 1, 128, 1, 1, 0, nullptr,
                           nullptr, extra),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(message(), "scale: 4 arguments are missing");
  EXPECT_EQ(statistics().launches, 2U);
  EXPECT_EQ(cuMemFree_v2(from), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(to), CUDA_SUCCESS);
}

TEST_F(DeviceFunctions, ShapesHaveLimits) {
  load();
  CUdeviceptr out = allocate(64);
  EXPECT_EQ(launch("indices", shape(0, 1), out), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("indices", shape(1, 1025), out), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(message(), "indices: a block of 1025x1x1 threads");
  Shape wide;
  wide.grid[1] = 65536;
  EXPECT_EQ(launch("indices", wide, out), CUDA_ERROR_INVALID_VALUE);
  const unsigned most = 48 << 10;
  EXPECT_EQ(launch("indices", shape(1, 1, most), out), CUDA_SUCCESS);
  Handle indices = function("indices");
  std::vector<void *> params = {&out};
  auto withShared = [&](unsigned shared) {
    return cuLaunchKernel(indices, 1, 1, 1, 1, 1, 1, shared, nullptr,
                          params.data(), nullptr);
  };
  EXPECT_EQ(withShared(most + 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetAttribute(indices,
                               CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               232448),
            CUDA_SUCCESS);
  EXPECT_EQ(withShared(232448), CUDA_SUCCESS);
  EXPECT_EQ(cuFuncSetAttribute(indices,
                               CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               232449),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree_v2(out), CUDA_SUCCESS);
}

TEST_F(DeviceFunctions, BarriersHoldEveryThreadOfABlock) {
  for (unsigned threads : {1U, 2U, 31U, 256U, 1000U, 1024U})
    for (const char *configuration : {"seed=0", "seed=4"}) {
      load(configuration);
      std::vector<int64_t> data(7UL * threads), want(data.size());
      for (size_t i = 0; i < data.size(); ++i) {
        data[i] = static_cast<int64_t>(i);
        want[i / threads * threads + threads - 1 - i % threads] = data[i];
      }
      CUdeviceptr address = upload(data);
      ASSERT_EQ(launch("reverse", shape(7, threads, threads * 8), address),
                CUDA_SUCCESS)
          << message();
      EXPECT_EQ(download<int64_t>(address, data.size()), want);
      EXPECT_EQ(cuMemFree_v2(address), CUDA_SUCCESS);
      TearDown();
      module = nullptr;
      started = false;
    }
}

TEST_F(DeviceFunctions, AForgottenBarrierShows) {
  load();
  std::vector<int64_t> data(64, 5);
  CUdeviceptr address = upload(data);
  ASSERT_EQ(launch("racy", shape(1, 64, 512), address), CUDA_SUCCESS);
  EXPECT_NE(download<int64_t>(address, 64), data);
  EXPECT_EQ(cuMemFree_v2(address), CUDA_SUCCESS);
}

TEST_F(DeviceFunctions, WarpsShuffle) {
  load();
  std::vector<int64_t> in(128), want(128);
  for (size_t i = 0; i < 128; ++i) {
    in[i] = static_cast<int64_t>(i * i);
    for (size_t j = 0; j < 32; ++j)
      want[i] += static_cast<int64_t>((i / 32 * 32 + j) * (i / 32 * 32 + j));
  }
  CUdeviceptr from = upload(in), to = allocate(1024);
  ASSERT_EQ(launch("warpSum", shape(1, 128), to, from, int64_t(128)),
            CUDA_SUCCESS)
      << message();
  EXPECT_EQ(download<int64_t>(to, 128), want);
  // Whole warps may have ended.
  ASSERT_EQ(launch("warpSum", shape(1, 128), to, from, int64_t(64)),
            CUDA_SUCCESS)
      << message();
  EXPECT_EQ(download<int64_t>(to, 128), want);
  // Lanes that others ask may not.
  EXPECT_EQ(launch("warpSum", shape(1, 128), to, from, int64_t(60)),
            CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(message(), "warpSum: threads wait for others that never come");
  (void)cuMemFree_v2(from);
  (void)cuMemFree_v2(to);
}

TEST_F(DeviceFunctions, BarriersDoNotWaitForThreadsThatHaveEnded) {
  load();
  CUdeviceptr out = allocate(400);
  ASSERT_EQ(launch("leaveEarly", shape(1, 256, 1024), out, int64_t(100)),
            CUDA_SUCCESS)
      << message();
  std::vector<uint32_t> got = download<uint32_t>(out, 100);
  for (uint32_t i = 0; i < 100; ++i)
    EXPECT_EQ(got[i], 99 - i);
  EXPECT_EQ(cuMemFree_v2(out), CUDA_SUCCESS);
}

TEST_F(DeviceFunctions, DivergenceIsFound) {
  load();
  EXPECT_EQ(launch("diverge", shape(1, 32), int64_t(0)),
            CUDA_ERROR_LAUNCH_FAILED);
}

TEST_F(DeviceFunctions, FaultsAreErrorsOfTheDevice) {
  for (int which = 0; which < 5; ++which) {
    load("devices=2");
    int host = 0;
    Handle other = nullptr;
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&other, 1), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxPushCurrent_v2(other), CUDA_SUCCESS);
    CUdeviceptr there = allocate(4);
    ASSERT_EQ(cuCtxPopCurrent_v2(nullptr), CUDA_SUCCESS);
    CUdeviceptr mine = allocate(4);
    const CUdeviceptr addresses[] = {0, reinterpret_cast<CUdeviceptr>(&host),
                                     mine + 4, there, mine};
    EXPECT_EQ(launch("touch", shape(1, 1), addresses[which]),
              which == 4 ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS);
    if (which == 0)
      EXPECT_EQ(message(), "touch: touched memory at 0x0, where there is none");
    else if (which < 4)
      EXPECT_NE(message().find("touch: argument 0 is 0x"), std::string::npos);
    EXPECT_EQ(host, 0);
    (void)cuMemFree_v2(mine);
    (void)cuMemFree_v2(there);
    ASSERT_EQ(cuDevicePrimaryCtxRelease_v2(1), CUDA_SUCCESS);
    TearDown();
    module = nullptr;
    started = false;
  }
}

TEST_F(DeviceFunctions, KernelsReachPeersOnceAllowed) {
  load("devices=2");
  Handle other = nullptr;
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&other, 1), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxPushCurrent_v2(other), CUDA_SUCCESS);
  CUdeviceptr there = allocate(4);
  ASSERT_EQ(cuCtxPopCurrent_v2(nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxEnablePeerAccess(other, 0), CUDA_SUCCESS);
  EXPECT_EQ(launch("touch", shape(1, 1), there), CUDA_SUCCESS) << message();
  EXPECT_EQ(download<int>(there, 1)[0], 1);
  // A function of one device does not run on another's stream.
  ASSERT_EQ(cuCtxSetCurrent(other), CUDA_SUCCESS);
  EXPECT_EQ(launch("touch", shape(1, 1), there), CUDA_ERROR_INVALID_HANDLE);
  ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(there), CUDA_SUCCESS);
  ASSERT_EQ(cuDevicePrimaryCtxRelease_v2(1), CUDA_SUCCESS);
}

TEST_F(DeviceFunctions, StacksEndInAnError) {
  load();
  CUdeviceptr out = allocate(4);
  EXPECT_EQ(launch("deep", shape(1, 1), out, int64_t(16)), CUDA_SUCCESS)
      << message();
  EXPECT_EQ(download<int>(out, 1)[0], 16);
  EXPECT_EQ(launch("deep", shape(1, 1), out, int64_t(100)),
            CUDA_ERROR_ILLEGAL_ADDRESS);
  (void)cuMemFree_v2(out);
}

TEST_F(DeviceFunctions, IllegalInstructionsAreErrors) {
  load();
  EXPECT_EQ(launch("trap", shape(1, 1)), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(message(),
            "trap: executed something that this processor cannot do");
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

namespace {
/// Where PTX puts element \p i of lane \p lane: row and column. Written down
/// from the tables in its manual, register by register.
using Position = std::pair<unsigned, unsigned>;

Position positionOfA16(unsigned lane, unsigned i) {
  const unsigned rows[] = {0, 0, 8, 8, 0, 0, 8, 8};
  const unsigned columns[] = {0, 1, 0, 1, 8, 9, 8, 9};
  return {(lane >> 2) + rows[i], (lane & 3) * 2 + columns[i]};
}
Position positionOfB16(unsigned lane, unsigned i) {
  const unsigned rows[] = {0, 1, 8, 9};
  return {(lane & 3) * 2 + rows[i], lane >> 2};
}
Position positionOfA32(unsigned lane, unsigned i) {
  const unsigned rows[] = {0, 8, 0, 8}, columns[] = {0, 0, 4, 4};
  return {(lane >> 2) + rows[i], (lane & 3) + columns[i]};
}
Position positionOfB32(unsigned lane, unsigned i) {
  return {(lane & 3) + 4 * i, lane >> 2};
}
Position positionOfC(unsigned lane, unsigned i) {
  const unsigned rows[] = {0, 0, 8, 8}, columns[] = {0, 1, 0, 1};
  return {(lane >> 2) + rows[i], (lane & 3) * 2 + columns[i]};
}

/// Small whole numbers, which every type holds exactly.
std::vector<float> smallNumbers(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = static_cast<float>(static_cast<int>(generator() % 17) - 8);
  return values;
}
} // namespace

TEST_F(DeviceFunctions, TensorCoresMultiplyFragments) {
  load();
  for (int64_t shapeNumber = 0; shapeNumber < 3; ++shapeNumber) {
    const bool narrow = shapeNumber < 2;
    const unsigned depth = narrow ? 16 : 8;
    std::vector<float> a = smallNumbers(16UL * depth, 1),
                       b = smallNumbers(depth * 8UL, 2),
                       c = smallNumbers(128, 3), want = c;
    for (unsigned i = 0; i < 16; ++i)
      for (unsigned j = 0; j < 8; ++j)
        for (unsigned k = 0; k < depth; ++k)
          want[i * 8UL + j] += a[size_t(i) * depth + k] * b[k * 8UL + j];
    std::vector<uint32_t> fragmentsA(128), fragmentsB(64);
    std::vector<float> fragmentsC(128);
    auto put = [&](std::vector<uint32_t> &target, size_t index, float value) {
      if (narrow) {
        uint16_t bits = shapeNumber == 1 ? turnip::floatToHalf(value)
                                         : turnip::floatToBfloat(value);
        std::memcpy(reinterpret_cast<char *>(target.data()) + index * 2, &bits,
                    2);
      } else {
        // Tensor cores ignore what is below tf32.
        target[index] = bitsOfFloat(value) | 0x1FFF;
      }
    };
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned i = 0; i < (narrow ? 8U : 4U); ++i) {
        Position at = narrow ? positionOfA16(lane, i) : positionOfA32(lane, i);
        put(fragmentsA, lane * (narrow ? 8UL : 4UL) + i,
            a[size_t(at.first) * depth + at.second]);
      }
      for (unsigned i = 0; i < (narrow ? 4U : 2U); ++i) {
        Position at = narrow ? positionOfB16(lane, i) : positionOfB32(lane, i);
        put(fragmentsB, lane * (narrow ? 4UL : 2UL) + i,
            b[at.first * 8UL + at.second]);
      }
      for (unsigned i = 0; i < 4; ++i) {
        Position at = positionOfC(lane, i);
        fragmentsC[lane * 4UL + i] = c[at.first * 8UL + at.second];
      }
    }
    CUdeviceptr inA = upload(fragmentsA), inB = upload(fragmentsB),
                inC = upload(fragmentsC);
    // In place, as compilers like to have it.
    ASSERT_EQ(launch("product", shape(1, 32), inA, inB, inC, inC, shapeNumber),
              CUDA_SUCCESS)
        << message();
    std::vector<float> got = download<float>(inC, 128);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 4; ++i) {
        Position at = positionOfC(lane, i);
        EXPECT_EQ(got[lane * 4UL + i], want[at.first * 8UL + at.second]);
      }
    for (CUdeviceptr address : {inA, inB, inC})
      EXPECT_EQ(cuMemFree_v2(address), CUDA_SUCCESS);
  }
}

TEST_F(DeviceFunctions, TensorCoresNeedAFullWarp) {
  load();
  CUdeviceptr memory = allocate(4096);
  EXPECT_EQ(launch("product", shape(1, 31), memory, memory, memory, memory,
                   int64_t(0)),
            CUDA_ERROR_LAUNCH_FAILED);
  (void)cuMemFree_v2(memory);
}

TEST_F(DeviceFunctions, TensorCoresHaveThreeShapes) {
  load();
  CUdeviceptr memory = allocate(4096);
  EXPECT_EQ(launch("product", shape(1, 32), memory, memory, memory, memory,
                   int64_t(3)),
            CUDA_ERROR_LAUNCH_FAILED);
  (void)cuMemFree_v2(memory);
}

TEST(Conversions, WidenEveryHalf) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float want = turnip::halfToFloat(half), got = floatOfF16(half);
    if (std::isnan(want))
      EXPECT_TRUE(std::isnan(got));
    else
      EXPECT_EQ(bitsOfFloat(got), bitsOfFloat(want)) << bits;
  }
  EXPECT_EQ(tf32OfFloat(1.0F + 0x1p-11F), 1.0F + 0x1p-10F);
  EXPECT_EQ(tf32OfFloat(-1.0F - 0x1.8p-12F), -1.0F);
  EXPECT_EQ(tf32OfFloat(INFINITY), INFINITY);
}
