//===- CudaFailureTest.cpp - Every call of the cuda driver fails once -----===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each call into the driver and cuBLASLt, and each piece of work on a device,
// fails once: that must end in one clear error, everything must be released,
// and nothing may wait for ever. And while a program runs, nothing is
// allocated.
//
//===----------------------------------------------------------------------===//

#include "CudaTestProgram.h"

#include <atomic>
#include <cstdlib>
#include <new>
#include <set>
#include <unistd.h>

using namespace turnip;
using namespace turnip::artifact;
using namespace turnip::runtime;
using namespace turnip::runtime::cudaTest;

//===----------------------------------------------------------------------===//
// Counting allocations
//===----------------------------------------------------------------------===//

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define TURNIP_OTHER_ALLOCATOR
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define TURNIP_OTHER_ALLOCATOR
#endif
#endif

static std::atomic<uint64_t> allocations{0};

// Sanitizers have an allocator of their own.
#ifndef TURNIP_OTHER_ALLOCATOR
// What malloc() of the C library is really called.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" void *__libc_malloc(size_t size);

extern "C" void *malloc(size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
#endif

namespace {
/// The program with a product in each call on a device: it adds zero, so that
/// results are the same.
Module programWithProducts() {
  Module module = twoDeviceModule();
  KernelObject &object = module.kernels[0].objects[0];
  Launch product;
  product.kind = LaunchKind::Matmul;
  // A and B, then C and D, which are the same.
  product.buffers = {{0, 0}, {1, 0}, {2, 0}, {2, 0}};
  Matmul &matmul = product.matmul;
  matmul.typeA = matmul.typeB = matmul.typeD = ElementType::F32;
  matmul.m = matmul.n = matmul.k = 16;
  matmul.lda = matmul.ldb = matmul.ldd = 16;
  matmul.batch = 1;
  matmul.alpha = 0;
  matmul.beta = 1;
  object.launches.push_back(product);
  return module;
}

class CudaFailures : public CudaDriver {
protected:
  /// What a case may take, under sanitizers too, before it counts as hanging.
  static constexpr unsigned limitSeconds = 60;

  /// Opens and runs the program on two devices that are set up as
  /// \p configuration says; the first error.
  Status attempt(const std::string &configuration) {
    ::alarm(limitSeconds);
    configure(configuration.c_str());
    ::setenv("TURNIP_CUDA_LIBRARY", TURNIP_CUDA_STAND_IN, 1);
    ::setenv("TURNIP_CUBLASLT_LIBRARY", TURNIP_CUDA_STAND_IN, 1);
    CudaOptions options;
    options.devices = {0, 1};
    options.hostLanes = 1;
    // Some parameters go through the ring.
    options.pinnedMemory = (1 + 4 * 8 + 2) << 12;
    Status status = attemptWith(options);
    ::alarm(0);
    return status;
  }

  Status attemptWith(const CudaOptions &options) {
    Expected<std::unique_ptr<Driver>> driver = createCudaDriver(options);
    if (!driver)
      return driver.status();
    Expected<std::unique_ptr<Session>> session =
        open(std::move(*driver), programWithProducts());
    if (!session)
      return session.status();
    TURNIP_RETURN_IF_ERROR((*session)->run());
    // Fetching results calls the driver, too.
    TURNIP_RETURN_IF_ERROR((*session)->result("y").status());
    checkResult(**session);
    return Status::ok();
  }

  /// Checks that the error is one line that says what failed.
  static void expectOneClearError(const Status &status,
                                  const std::string &what) {
    EXPECT_TRUE(status.code() == StatusCode::Device ||
                status.code() == StatusCode::DoesNotFit)
        << what << ": " << status.message();
    EXPECT_EQ(status.message().find('\n'), std::string::npos) << what;
    EXPECT_TRUE(status.message().find("CUDA_ERROR_") != std::string::npos ||
                status.message().find("CUBLAS_STATUS_") != std::string::npos ||
                status.message().find("cuBLASLt") != std::string::npos ||
                status.message().find("no CUDA") != std::string::npos ||
                status.message().find("bytes") != std::string::npos)
        << what << ": " << status.message();
  }

  /// The functions that were called, with how often.
  std::vector<std::pair<std::string, uint64_t>> calledFunctions() const {
    std::vector<std::pair<std::string, uint64_t>> result;
    auto *name = find<const char *(uint64_t)>("turnipStandInFunction");
    for (uint64_t i = 0; const char *function = name(i); ++i)
      if (uint64_t count = calls(function))
        result.emplace_back(function, count);
    return result;
  }
};

/// Functions whose failure nobody needs to hear of: what they release is gone,
/// or they only ask.
bool mayGoUnnoticed(const std::string &function) {
  static const std::set<std::string> functions = {
      "cuMemFree_v2",
      "cuMemFreeHost",
      "cuMemHostUnregister",
      "cuStreamDestroy_v2",
      "cuStreamSynchronize",
      "cuEventDestroy_v2",
      "cuModuleUnload",
      "cuDevicePrimaryCtxRelease_v2",
      "cuCtxSetCurrent",
      "cuDeviceCanAccessPeer",
      "cublasLtDestroy",
      "cublasLtMatmulDescDestroy",
      "cublasLtMatmulPreferenceDestroy",
      "cublasLtMatrixLayoutDestroy"};
  return functions.count(function) != 0;
}
} // namespace

TEST_F(CudaFailures, EveryCallFailsOnce) {
  Status clean = attempt("devices=2");
  ASSERT_TRUE(clean) << clean.message();
  const auto functions = calledFunctions();
  EXPECT_GT(functions.size(), 30U);
  TearDown();
  uint64_t cases = 0, errors = 0;
  for (const auto &[function, count] : functions) {
    // Calls of one function beyond these are of the same places in the code.
    const uint64_t most = std::min<uint64_t>(count, 24);
    for (uint64_t number = 1; number <= most && !HasFailure(); ++number) {
      const std::string failure = function + ":" + std::to_string(number);
      Status status = attempt("devices=2,fail=" + failure);
      const bool injected = statistics().injected == 1;
      ++cases;
      if (!status) {
        ++errors;
        expectOneClearError(status, failure);
      } else if (injected && !mayGoUnnoticed(function)) {
        ADD_FAILURE() << failure << " went unnoticed";
      }
      // Polls come as often as there is time for.
      if (!injected && function.find("Query") == std::string::npos)
        ADD_FAILURE() << failure << " did not happen";
      SCOPED_TRACE(failure);
      TearDown();
    }
  }
  RecordProperty("cases", std::to_string(cases));
  EXPECT_GT(cases, 200U);
  EXPECT_GT(errors, cases / 2);
}

TEST_F(CudaFailures, EveryPieceOfWorkFailsOnce) {
  ASSERT_TRUE(attempt("devices=2"));
  const standin::Statistics seen = statistics();
  const uint64_t work = seen.launches + seen.matmuls + seen.copies;
  TearDown();
  for (uint64_t number = 1; number <= work && !HasFailure(); ++number) {
    Status status = attempt("devices=2,delay-us=5,seed=1,fail-work=" +
                            std::to_string(number) + ":700");
    EXPECT_EQ(statistics().injected, 1U) << number;
    EXPECT_EQ(status.code(), StatusCode::Device) << number;
    EXPECT_NE(status.message().find("CUDA_ERROR_ILLEGAL_ADDRESS"),
              std::string::npos)
        << number << ": " << status.message();
    SCOPED_TRACE(number);
    TearDown();
  }
}

TEST_F(CudaFailures, NothingIsAllocatedWhileRunning) {
#ifdef TURNIP_OTHER_ALLOCATOR
  GTEST_SKIP() << "sanitizers have an allocator of their own";
#endif
  for (const char *configuration : {"devices=2", "devices=2,peers=0"}) {
    configure(configuration);
    Expected<std::unique_ptr<Session>> session =
        open(createOnStandIn({0, 1}), programWithProducts());
    ASSERT_TRUE(session) << session.status().message();
    auto created = [&] {
      return calls("cuMemAlloc_v2") + calls("cuMemHostAlloc") +
             calls("cuMemHostRegister_v2") + calls("cuStreamCreate") +
             calls("cuEventCreate") + calls("cuModuleLoadData") +
             calls("cublasLtMatrixLayoutCreate") +
             calls("cublasLtMatmulDescCreate") +
             calls("cublasLtMatmulAlgoGetHeuristic");
    };
    // Threads that have never waited have things of their own to set up.
    for (int warm = 0; warm < 3; ++warm)
      ASSERT_TRUE((*session)->run());
    const uint64_t before = created();
    for (int repeat = 0; repeat < 20; ++repeat) {
      const uint64_t start = allocations.load();
      Status status = (*session)->run();
      const uint64_t end = allocations.load();
      ASSERT_TRUE(status) << status.message();
      EXPECT_EQ(end, start) << configuration;
    }
    EXPECT_EQ(created(), before);
  }
}
