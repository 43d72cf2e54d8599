//===- KernelLibraryTest.cpp - Loading kernels ----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/artifact/KernelLibrary.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/resource.h>

using namespace turnip;
using namespace turnip::artifact;

#ifdef __x86_64__
static const char *const hostTriple = "x86_64-unknown-linux-gnu";
#else
static const char *const hostTriple = "aarch64-unknown-linux-gnu";
#endif

/// The shared object TestKernel.c, built with the number \p which.
static KernelObject testObject(int which) {
  std::ifstream file(which == 1 ? TURNIP_TEST_KERNEL_1 : TURNIP_TEST_KERNEL_2,
                     std::ios::binary);
  KernelObject object;
  object.triple = hostTriple;
  object.symbol = "testKernel";
  object.code.assign(std::istreambuf_iterator<char>(file),
                     std::istreambuf_iterator<char>());
  return object;
}

/// What the kernel writes at grid point 2 with scalar 5: 5 + 10 * 2 + number.
static int64_t call(runtime::KernelFunction function) {
  alignas(64) int64_t out[4] = {};
  void *buffers[] = {out};
  int64_t scalar = 5;
  function(buffers, &scalar, 2);
  return out[2];
}

TEST(KernelLibrary, CallsWhatItLoaded) {
  Expected<LoadedObject> object = LoadedObject::load(testObject(1));
  ASSERT_TRUE(object) << object.status().message();
  EXPECT_EQ(call(object->function()), 26);
}

TEST(KernelLibrary, ObjectsLoadedInTurnAreNotMixedUp) {
  // Freed descriptors are used again, and loaders know objects by their path.
  for (int round = 0; round < 20; ++round) {
    int which = 1 + round % 2;
    Expected<LoadedObject> object = LoadedObject::load(testObject(which));
    ASSERT_TRUE(object) << object.status().message();
    EXPECT_EQ(call(object->function()), 25 + which);
  }
}

TEST(KernelLibrary, LoadsAllKernelsOfAModule) {
  Module module;
  for (int i = 0; i < 40; ++i) {
    Kernel kernel;
    kernel.name = "k" + std::to_string(i);
    kernel.objects = {testObject(1 + i % 2)};
    module.kernels.push_back(kernel);
  }
  Expected<KernelLibrary> library = KernelLibrary::load(module);
  ASSERT_TRUE(library) << library.status().message();
  KernelLibrary moved = *std::move(library);
  ASSERT_EQ(moved.size(), 40u);
  for (uint32_t i = 0; i < 40; ++i)
    EXPECT_EQ(call(moved.function(i)), 26 + i % 2);
}

/// The error of a module with one kernel k that has \p object.
static Status loadError(const KernelObject &object) {
  Module module;
  module.kernels.resize(1);
  module.kernels[0].name = "k";
  module.kernels[0].objects = {object};
  return KernelLibrary::load(module).status();
}

TEST(KernelLibrary, RefusesWhatIsNoSharedObject) {
  KernelObject object = testObject(1);
  object.code = "too short";
  EXPECT_EQ(loadError(object).message(),
            "kernel k: expected a shared object, but got 9 bytes");
  object.code = std::string(100, 'x');
  EXPECT_EQ(loadError(object).message(),
            "kernel k: the code is no 64-bit shared object");
  object = testObject(1);
  object.code[18] = 40; // e_machine: 32-bit Arm
  std::string message = loadError(object).message();
  EXPECT_NE(message.find("expected code for ELF machine"), std::string::npos)
      << message;
  EXPECT_NE(message.find(", but got 40"), std::string::npos) << message;
}

TEST(KernelLibrary, RefusesAMissingSymbol) {
  KernelObject object = testObject(1);
  object.symbol = "absent";
  EXPECT_EQ(loadError(object).message(),
            "kernel k: the code does not export 'absent'");
  EXPECT_EQ(loadError(object).code(), StatusCode::BadInput);
}

TEST(KernelLibrary, ReportsWhatTheLoaderSays) {
  KernelObject object = testObject(1);
  object.code.resize(64); // the header alone
  EXPECT_EQ(
      loadError(object).message().rfind("kernel k: cannot load the code: ", 0),
      0u)
      << loadError(object).message();
}

TEST(KernelLibrary, ReportsThatNoFileCanBeMade) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  KernelObject object = testObject(1);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  Status status = loadError(object);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(status.code(), StatusCode::Device);
  EXPECT_EQ(status.message(), "kernel k: cannot store the code in memory: Too "
                              "many open files");
}

TEST(Target, LevelsNameTheMissingFeatures) {
  CpuFeatures cpu("x86_64",
                  {"cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2",
                   "ssse3", "avx", "bmi", "bmi2", "f16c", "lzcnt", "movbe"});
  EXPECT_TRUE(cpu.missing("x86-64-v2").empty());
  EXPECT_EQ(cpu.missing("x86-64-v3"),
            (std::vector<std::string>{"avx2", "fma"}));
  EXPECT_TRUE(cpu.missing("avx").empty());
  EXPECT_EQ(cpu.missing("unheard-of"), std::vector<std::string>{"unheard-of"});
  EXPECT_EQ(cpu.missing("x86-64-v4").size(), 7u);
}

TEST(Target, ChoosesTheFirstObjectThatRuns) {
  CpuFeatures cpu("x86_64", {"avx2"});
  Kernel kernel;
  kernel.name = "k";
  kernel.objects = {{"nvptx64-nvidia-cuda", {}, "ptx", "k", "code"},
                    {"x86_64-unknown-linux-gnu", {"fma"}, "elf-so", "k", "a"},
                    {"x86_64-unknown-linux-gnu", {"avx2"}, "elf-so", "k", "b"},
                    {"x86_64-unknown-linux-gnu", {}, "elf-so", "k", "c"}};
  Expected<const KernelObject *> object = selectObject(kernel, cpu);
  ASSERT_TRUE(object) << object.status().message();
  EXPECT_EQ((*object)->code, "b");
}

TEST(Target, RefusalSaysWhatEachObjectLacks) {
  CpuFeatures cpu("x86_64", {});
  Module module;
  module.kernels.resize(1);
  module.kernels[0].name = "k";
  EXPECT_EQ(checkTarget(module, cpu).message(), "kernel k: it has no code");
  module.kernels[0].objects = {
      {"x86_64-unknown-linux-gnu", {"avx2", "fma"}, "elf-so", "k", "a"},
      {"x86_64-unknown-linux-gnu", {"f16c"}, "elf-so", "k", "a"},
      {"aarch64-unknown-linux-gnu", {}, "elf-so", "k", "b"},
      {"nvptx64-nvidia-cuda", {}, "ptx", "k", "c"}};
  Status status = checkTarget(module, cpu);
  EXPECT_EQ(status.code(), StatusCode::Device);
  EXPECT_EQ(
      status.message(),
      "kernel k: this machine (x86_64) cannot run its code for "
      "x86_64-unknown-linux-gnu with avx2 and fma: avx2 and fma are missing; "
      "nor for x86_64-unknown-linux-gnu with f16c: f16c is missing; nor for "
      "aarch64-unknown-linux-gnu: it is for another architecture; nor for "
      "nvptx64-nvidia-cuda: its format is ptx, not elf-so");
}

TEST(Target, HostAgreesWithTheCompiler) {
#ifdef __x86_64__
  const CpuFeatures &host = CpuFeatures::host();
  EXPECT_EQ(host.arch(), "x86_64");
  EXPECT_EQ(host.missing("avx2").empty(), __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(host.missing("fma").empty(), __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(host.missing("sse4.2").empty(),
            __builtin_cpu_supports("sse4.2") != 0);
  EXPECT_EQ(host.missing("avx512f").empty(),
            __builtin_cpu_supports("avx512f") != 0);
  EXPECT_EQ(host.missing("x86-64-v3").empty(),
            __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                __builtin_cpu_supports("bmi2") &&
                host.missing("movbe").empty());
#endif
}
