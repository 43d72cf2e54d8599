//===- CudaTestKernels.h - Kernels for the cuda driver's tests --*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CudaTestKernels.c as objects for the stand-in of the CUDA driver, and a
// driver on that. TURNIP_CUDA_STAND_IN is the stand-in's path, where it is
// built, and TURNIP_CUDA_TEST_KERNELS that of the kernels.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TEST_CUDATESTKERNELS_H
#define TURNIP_TEST_CUDATESTKERNELS_H

#include "turnip/artifact/Module.h"
#include "turnip/runtime/Drivers.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace turnip::runtime {

/// Numbers of kernels, by which tests describe them to drivers.
enum TestKernel : uint32_t { CountKernel, IdleKernel };

/// countPoint and idle of CudaTestKernels.c for GPUs.
inline constexpr const char *testKernelsPtx = R"(
.version 7.0
.target sm_80
.address_size 64

.visible .entry countPoint(.param .u64 counters, .param .u64 scalar)
{
  .reg .pred %beyond;
  .reg .b32 %block, %threads, %thread, %index, %count, %increment;
  .reg .b64 %base, %offset, %wide;
  mov.u32 %block, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %thread, %tid.x;
  mad.lo.u32 %index, %block, %threads, %thread;
  setp.ge.u32 %beyond, %index, 1000;
  @%beyond bra DONE;
  ld.param.u64 %base, [counters];
  cvta.to.global.u64 %base, %base;
  ld.param.u64 %wide, [scalar];
  cvt.u32.u64 %increment, %wide;
  mul.wide.u32 %offset, %index, 4;
  add.u64 %base, %base, %offset;
  ld.global.u32 %count, [%base];
  add.u32 %count, %count, %increment;
  st.global.u32 [%base], %count;
DONE:
  ret;
}

.visible .entry idle()
{
  ret;
}
)";

/// The kernel \p symbol of CudaTestKernels.c: operands, results and scalars as
/// given, \p blocks blocks of \p threads threads, all buffers and scalars in
/// order.
inline artifact::Kernel testKernel(const std::string &symbol,
                                   std::vector<uint64_t> operands,
                                   std::vector<uint64_t> results,
                                   uint32_t scalars, uint32_t blocks,
                                   uint32_t threads) {
  artifact::Kernel kernel;
  kernel.name = symbol;
  kernel.operandBytes = std::move(operands);
  kernel.resultBytes = std::move(results);
  kernel.scalarCount = scalars;
  artifact::KernelObject object;
  object.triple = "x86_64-unknown-linux-gnu";
  object.features = {"cuda-stand-in"};
  object.format = "stand-in";
#ifdef TURNIP_CUDA_TEST_KERNELS
  std::ifstream file(TURNIP_CUDA_TEST_KERNELS, std::ios::binary);
  object.code.assign(std::istreambuf_iterator<char>(file),
                     std::istreambuf_iterator<char>());
#endif
  artifact::Launch launch;
  launch.symbol = symbol;
  launch.grid = {{blocks, 1, 1}};
  launch.block = {{threads, 1, 1}};
  for (uint32_t i = 0;
       i < kernel.operandBytes.size() + kernel.resultBytes.size(); ++i)
    launch.buffers.push_back({i, 0});
  for (uint32_t i = 0; i < scalars; ++i)
    launch.scalars.push_back(i);
  object.launches = {launch};
  kernel.objects = {object};
  if (symbol == "countPoint" || symbol == "idle") {
    object.triple = "nvptx64-nvidia-cuda";
    object.features = {"sm_80"};
    object.format = "ptx";
    object.code = testKernelsPtx;
    kernel.objects.push_back(object);
  }
  return kernel;
}

/// Adds its scalar to each of 1000 counters.
inline const artifact::Kernel &countKernel() {
  static const artifact::Kernel kernel =
      testKernel("countPoint", {}, {4000}, 1, 8, 128);
  return kernel;
}

/// Does nothing.
inline const artifact::Kernel &idleKernel() {
  static const artifact::Kernel kernel = testKernel("idle", {}, {}, 0, 1, 1);
  return kernel;
}

/// A cuda driver on the GPU with the number that the environment variable
/// TURNIP_TEST_GPU names; null where there is no such variable.
inline std::unique_ptr<Driver> createOnGpu() {
  const char *number = std::getenv("TURNIP_TEST_GPU");
  if (!number || !*number)
    return nullptr;
  ::unsetenv("TURNIP_CUDA_LIBRARY");
  ::unsetenv("TURNIP_CUBLASLT_LIBRARY");
  CudaOptions options;
  options.devices = {static_cast<int>(std::strtol(number, nullptr, 10))};
  options.hostLanes = 2;
  Expected<std::unique_ptr<Driver>> driver = createCudaDriver(options);
  EXPECT_TRUE(driver) << driver.status().message();
  return driver ? std::move(*driver) : nullptr;
}

#ifdef TURNIP_CUDA_STAND_IN
/// A cuda driver on the stand-in; null, and a failed test, where it cannot be
/// had.
inline std::unique_ptr<Driver> createOnStandIn(const CudaOptions &options) {
  ::setenv("TURNIP_CUDA_LIBRARY", TURNIP_CUDA_STAND_IN, 1);
  ::setenv("TURNIP_CUBLASLT_LIBRARY", TURNIP_CUDA_STAND_IN, 1);
  Expected<std::unique_ptr<Driver>> driver = createCudaDriver(options);
  EXPECT_TRUE(driver) << driver.status().message();
  return driver ? std::move(*driver) : nullptr;
}

inline std::unique_ptr<Driver> createOnStandIn(std::vector<int> devices,
                                               unsigned lanes = 0) {
  CudaOptions options;
  options.devices = std::move(devices);
  options.lanes = lanes;
  options.hostLanes = 2;
  return createOnStandIn(options);
}
#endif

} // namespace turnip::runtime

#endif // TURNIP_TEST_CUDATESTKERNELS_H
