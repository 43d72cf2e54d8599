//===- Machine.h - A device of the stand-in, set up for a test --*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TEST_STANDIN_MACHINE_H
#define TURNIP_TEST_STANDIN_MACHINE_H

#include "Calls.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

/// Configures the stand-in for each test and checks that nothing is left of it.
class Machine : public testing::Test {
protected:
  void start(const std::string &configuration) {
    const char *problem = turnipStandInConfigure(configuration.c_str());
    ASSERT_EQ(problem, nullptr);
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
    started = true;
  }

  void TearDown() override {
    if (started) {
      Statistics before = statistics();
      cuDevicePrimaryCtxRelease_v2(0);
      cuCtxSetCurrent(nullptr);
      Statistics after = statistics();
      EXPECT_EQ(after.abandoned, before.abandoned) << "left to the context";
      EXPECT_EQ(after.contexts, 0U);
      EXPECT_EQ(after.ltObjects, 0U);
      EXPECT_EQ(after.deviceBytes + after.hostBytes, 0U);
    }
  }

  static Statistics statistics() {
    Statistics now;
    turnipStandInStatistics(&now);
    return now;
  }

  static std::string message() { return turnipStandInMessage(); }

  static CUdeviceptr allocate(size_t bytes) {
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAlloc_v2(&address, bytes), CUDA_SUCCESS) << message();
    return address;
  }

  template <typename T>
  static CUdeviceptr upload(const std::vector<T> &values) {
    CUdeviceptr address = allocate(values.size() * sizeof(T));
    EXPECT_EQ(
        cuMemcpyHtoD_v2(address, values.data(), values.size() * sizeof(T)),
        CUDA_SUCCESS)
        << message();
    return address;
  }

  template <typename T>
  static std::vector<T> download(CUdeviceptr address, size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(cuMemcpyDtoH_v2(values.data(), address, count * sizeof(T)),
              CUDA_SUCCESS)
        << message();
    return values;
  }

  template <typename T> static T *pinned(size_t count) {
    void *address = nullptr;
    EXPECT_EQ(cuMemHostAlloc(&address, count * sizeof(T), 0), CUDA_SUCCESS);
    return static_cast<T *>(address);
  }

  static Handle stream() {
    Handle handle = nullptr;
    EXPECT_EQ(cuStreamCreate(&handle, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    return handle;
  }

  static Handle event() {
    Handle handle = nullptr;
    EXPECT_EQ(cuEventCreate(&handle, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    return handle;
  }

  Handle context = nullptr;
  bool started = false;
};

#endif // TURNIP_TEST_STANDIN_MACHINE_H
