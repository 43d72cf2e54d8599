//===- CudaDriverTest.cpp - The cuda driver on the stand-in ---------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/drivers/cuda/Objects.h"
#include "CudaTestProgram.h"

using namespace turnip;
using namespace turnip::artifact;
using namespace turnip::runtime;
using namespace turnip::runtime::cudaTest;

//===----------------------------------------------------------------------===//
// Code for a chip
//===----------------------------------------------------------------------===//

static KernelObject objectFor(const char *feature, const char *format) {
  KernelObject object;
  object.triple = "nvptx64-nvidia-cuda";
  object.features = {feature};
  object.format = format;
  object.code = std::string(feature) + " " + format;
  object.launches.resize(1);
  return object;
}

static std::string choose(const Kernel &kernel, int major, int minor) {
  Expected<const KernelObject *> object =
      cuda::selectObject(kernel, {major, minor, false});
  return object ? (*object)->code : object.status().message();
}

TEST(CudaObjects, TheNearestCodeIsTaken) {
  Kernel kernel;
  kernel.name = "k";
  kernel.objects = {objectFor("sm_80", "ptx"), objectFor("sm_90", "ptx"),
                    objectFor("sm_80", "cubin"), objectFor("sm_90", "cubin"),
                    objectFor("sm_100", "cubin")};
  EXPECT_EQ(choose(kernel, 8, 0), "sm_80 cubin");
  EXPECT_EQ(choose(kernel, 8, 9), "sm_80 cubin");
  EXPECT_EQ(choose(kernel, 9, 0), "sm_90 cubin");
  EXPECT_EQ(choose(kernel, 10, 3), "sm_100 cubin");
  EXPECT_EQ(choose(kernel, 12, 0), "sm_90 ptx");
  EXPECT_EQ(
      choose(kernel, 7, 5),
      "kernel k: no code for sm_75; the artifact has code for sm_80 (ptx), "
      "sm_90 (ptx), sm_80 (cubin), sm_90 (cubin), sm_100 (cubin): compile it "
      "with --target=x86-64-v3,cuda:sm_75");
}

TEST(CudaObjects, WhatCannotRunIsNotTaken) {
  Kernel kernel;
  kernel.name = "k";
  EXPECT_EQ(choose(kernel, 9, 0),
            "kernel k: no code for sm_90; the artifact has code for none: "
            "compile it with --target=x86-64-v3,cuda:sm_90");
  kernel.objects = {objectFor("sm_90a", "cubin"), objectFor("sm_80", "ptx")};
  kernel.objects[1].launches.clear();
  EXPECT_EQ(choose(kernel, 9, 0),
            "kernel k: no code for sm_90; the artifact has code for "
            "nvptx64-nvidia-cuda (cubin), sm_80 (ptx): compile it with "
            "--target=x86-64-v3,cuda:sm_90");
  Expected<const KernelObject *> object =
      cuda::selectObject(kernel, {9, 0, /*isStandIn=*/true});
  EXPECT_EQ(object.status().message().substr(0, 37),
            "kernel k: no code for the stand-in; t");
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

TEST_F(CudaDriver, RunsOnOneGpuTwice) {
  configure("delay-us=100,seed=1");
  runAll(createOnStandIn({0, 0}));
  EXPECT_EQ(calls("cuMemAlloc_v2"), 2U);
  EXPECT_EQ(calls("cuMemcpyPeerAsync"), 0U);
  EXPECT_EQ(statistics().pageableCopies, 0U);
  EXPECT_GT(calls("cuStreamWaitEvent"), 0U);
}

TEST_F(CudaDriver, RunsOnTwoGpus) {
  configure("devices=2,delay-us=100,seed=2");
  runAll(createOnStandIn({1, 0}));
  EXPECT_GT(calls("cuMemcpyPeerAsync"), 0U);
  EXPECT_GT(calls("cuCtxEnablePeerAccess"), 0U);
}

TEST_F(CudaDriver, RunsOnGpusThatDoNotReachEachOther) {
  configure("devices=2,peers=0,delay-us=100,seed=3");
  CudaOptions options;
  options.devices = {0, 1};
  options.hostLanes = 1;
  // Host memory takes a page, parameters 23, pieces for peers two each way.
  options.pinnedMemory = (1 + 23 + 4) << 12;
  runAll(createOnStandIn(options));
  EXPECT_EQ(calls("cuMemcpyPeerAsync"), 0U);
}

TEST_F(CudaDriver, StreamsAndStagesWithTheLeastPinnedMemory) {
  configure("devices=2,peers=0,delay-us=50,seed=6");
  CudaOptions options;
  options.devices = {0, 1};
  options.hostLanes = 1;
  // A page for what is written, two for peers each way, and two rings.
  options.pinnedMemory = (1 + 4 + 2 * 8) << 12;
  runAll(createOnStandIn(options));
  EXPECT_EQ(statistics().pageableCopies, 0U);
  EXPECT_EQ(statistics().peakHostBytes, *options.pinnedMemory);
}

TEST_F(CudaDriver, StreamsParametersThatAreNotPinned) {
  configure("delay-us=100,seed=4");
  CudaOptions options;
  options.devices = {0, 0};
  options.lanes = 1;
  options.hostLanes = 1;
  // A page for what is written, a ring of eight pages for either link, and one
  // page of the parameters' 23.
  options.pinnedMemory = (1 + 2 * 8 + 1) << 12;
  runAll(createOnStandIn(options));
  EXPECT_EQ(statistics().pageableCopies, 0U);
  EXPECT_LE(statistics().peakHostBytes, *options.pinnedMemory);
  EXPECT_EQ(calls("cuMemHostAlloc"), 1U);
}

TEST_F(CudaDriver, TakesParametersFromTheirFile) {
  configure("delay-us=20,seed=5");
  CudaOptions options;
  options.devices = {0, 0};
  options.hostLanes = 1;
  options.pinnedMemory = (1 + 2 * 8 + 1) << 12;
  Expected<std::unique_ptr<Session>> session = open(createOnStandIn(options));
  ASSERT_TRUE(session) << session.status().message();
  for (int repeat = 0; repeat < 2; ++repeat) {
    auto file = std::make_shared<TestParameters>(/*isMapped=*/true);
    ASSERT_TRUE((*session)->bindParameters(file));
    // The host computes with those of even rounds, so they have to be in its
    // memory.
    EXPECT_EQ(file->elementsRead, int64_t(rounds) / 2 * 256);
    std::weak_ptr<TestParameters> kept = file;
    file.reset();
    EXPECT_FALSE(kept.expired());
    runAndCheck(**session);
  }
  TestParameters again;
  ASSERT_TRUE((*session)->bindParameters(again));
  EXPECT_EQ(again.elementsRead, int64_t(rounds) * 256);
  runAndCheck(**session);
}

TEST_F(CudaDriver, SaysThatParametersDoNotFit) {
  configure("");
  CudaOptions options;
  options.devices = {0, 0};
  options.pinnedMemory = (1 + 2 * 8 + 1) << 12;
  Module module = twoDeviceModule();
  // A TiB that nothing reads.
  const int64_t elements = int64_t(1) << 38;
  module.machine.memories[Params].capacity = uint64_t(1) << 41;
  module.entries[0].parameters.push_back(
      {"big",
       ElementType::F32,
       {elements},
       {elements},
       {{{0}, {elements}, Params, 1 << 20, 100}}});
  Expected<std::unique_ptr<Session>> session =
      open(createOnStandIn(options), module);
  ASSERT_FALSE(session);
  EXPECT_EQ(session.status().code(), StatusCode::DoesNotFit);
  // Twelve pieces, of which the first is pinned.
  EXPECT_EQ(session.status().message().rfind(
                "parameters take 1099511639040 bytes of host memory that is "
                "not pinned, but ",
                0),
            0U)
      << session.status().message();
}

TEST_F(CudaDriver, SaysWhatPinnedMemoryItNeeds) {
  configure("");
  CudaOptions options;
  options.devices = {0, 0};
  options.pinnedMemory = 4096;
  Status status = open(createOnStandIn(options)).status();
  EXPECT_EQ(status.code(), StatusCode::DoesNotFit);
  EXPECT_EQ(status.message(),
            "host memory takes 69632 bytes of pinned memory, but 4096 are "
            "allowed: --pinned-memory= sets how many");
}

TEST_F(CudaDriver, SaysHowManyDevicesItNeeds) {
  configure("");
  Status status = open(createOnStandIn({0})).status();
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(status.message(),
            "the program was compiled for 2 devices, but --device= names 1; "
            "one GPU may be named twice (cuda:0,cuda:0)");
  CudaOptions options;
  options.devices = {3};
  EXPECT_EQ(createCudaDriver(options).status().message(),
            "no device cuda:3: there are 1 (see --list-devices)");
  configure("devices=0");
  EXPECT_EQ(createCudaDriver(options).status().message().rfind(
                "no CUDA: the driver finds no device; is one visible", 0),
            0U);
}

TEST_F(CudaDriver, SaysThatMemoryIsShort) {
  configure("memory=64KiB");
  Status status = open(createOnStandIn({0, 0})).status();
  // Each device touches 3 KiB.
  EXPECT_TRUE(status) << status.message();
  configure("memory=4KiB");
  status = open(createOnStandIn({0, 0})).status();
  EXPECT_EQ(status.code(), StatusCode::DoesNotFit);
  EXPECT_NE(status.message().find("memory 'dev1' needs 3072 bytes, but cuda:0"),
            std::string::npos)
      << status.message();
}

TEST_F(CudaDriver, TellsWhatIsFree) {
  configure("memory=64MiB");
  std::unique_ptr<Driver> driver = createOnStandIn({0, 0});
  EXPECT_EQ(driver->freeMemory("dev0"), uint64_t(28) << 20);
}

TEST_F(CudaDriver, FailedCallsNameOperationTaskAndDevice) {
  configure("fail=cuLaunchKernel:5");
  Expected<std::unique_ptr<Session>> session = open(createOnStandIn({0, 0}));
  ASSERT_TRUE(session) << session.status().message();
  Status status = (*session)->run();
  EXPECT_EQ(status.code(), StatusCode::Device);
  EXPECT_NE(status.message().find("(addScaled) of task 'task 5' on gpu0: "
                                  "cuLaunchKernel: CUDA_ERROR_"),
            std::string::npos)
      << status.message();
  EXPECT_NE(status.message().find(" on cuda:0 (Turnip CUDA stand-in)"),
            std::string::npos)
      << status.message();
  // The device is as good as before.
  runAndCheck(**session);
}

TEST_F(CudaDriver, ErrorsOfTheDeviceEndTheRun) {
  configure("fail-work=20:700,delay-us=20");
  Expected<std::unique_ptr<Session>> session = open(createOnStandIn({0, 0}));
  ASSERT_TRUE(session) << session.status().message();
  for (int repeat = 0; repeat < 2; ++repeat) {
    Status status = (*session)->run();
    EXPECT_EQ(status.code(), StatusCode::Device);
    EXPECT_NE(status.message().find("CUDA_ERROR_ILLEGAL_ADDRESS"),
              std::string::npos)
        << status.message();
  }
}

TEST_F(CudaDriver, ErrorsWhileOpeningLeaveNothingBehind) {
  for (const char *failure :
       {"fail=cuMemHostRegister_v2:1", "fail=cuModuleLoadData:2",
        "fail=cuModuleGetFunction:1", "fail=cuStreamCreate:3",
        "fail=cuEventCreate:7", "fail=cuDevicePrimaryCtxRetain:2",
        "fail=cuMemAlloc_v2:2"}) {
    configure(failure);
    CudaOptions options;
    options.devices = {0, 0};
    ::setenv("TURNIP_CUDA_LIBRARY", TURNIP_CUDA_STAND_IN, 1);
    Expected<std::unique_ptr<Driver>> driver = createCudaDriver(options);
    Status status = driver.status();
    if (driver)
      status = open(*std::move(driver)).status();
    EXPECT_FALSE(status) << failure;
    EXPECT_EQ(statistics().injected, 1U) << failure;
    TearDown();
  }
}
