//===- Target.cpp - What the processor must have --------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/artifact/Target.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

using namespace turnip;
using namespace turnip::artifact;

namespace {
/// A level of the x86-64 psABI: the features it adds to the one below.
struct Level {
  const char *name;
  std::vector<const char *> features;
};
} // namespace

/// From the lowest to the highest.
static const std::vector<Level> &levels() {
  static const std::vector<Level> table = {
      {"x86-64-v2",
       {"cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"}},
      {"x86-64-v3",
       {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"}},
      {"x86-64-v4",
       {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"}}};
  return table;
}

#if defined(__x86_64__)
namespace {
enum Register { EBX, ECX, EDX };
/// The register state that the operating system must save for a feature.
enum State : uint64_t { Always = 0, Avx = 0x6, Avx512 = 0xe6 };
/// The bit of CPUID that reports a feature.
struct FeatureBit {
  const char *name;
  unsigned leaf;
  Register reg;
  unsigned bit;
  State state;
};
} // namespace

static constexpr FeatureBit featureBits[] = {
    {"sse3", 1, ECX, 0, Always},
    {"ssse3", 1, ECX, 9, Always},
    {"fma", 1, ECX, 12, Avx},
    {"cx16", 1, ECX, 13, Always},
    {"sse4.1", 1, ECX, 19, Always},
    {"sse4.2", 1, ECX, 20, Always},
    {"movbe", 1, ECX, 22, Always},
    {"popcnt", 1, ECX, 23, Always},
    {"avx", 1, ECX, 28, Avx},
    {"f16c", 1, ECX, 29, Avx},
    {"bmi", 7, EBX, 3, Always},
    {"avx2", 7, EBX, 5, Avx},
    {"bmi2", 7, EBX, 8, Always},
    {"avx512f", 7, EBX, 16, Avx512},
    {"avx512dq", 7, EBX, 17, Avx512},
    {"avx512cd", 7, EBX, 28, Avx512},
    {"avx512bw", 7, EBX, 30, Avx512},
    {"avx512vl", 7, EBX, 31, Avx512},
    {"avx512vnni", 7, ECX, 11, Avx512},
    {"sahf", 0x80000001, ECX, 0, Always},
    {"lzcnt", 0x80000001, ECX, 5, Always},
};

/// The register state that the operating system saves, as XCR0 has it.
static uint64_t savedState() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned osxsave = 1u << 27;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & osxsave))
    return 0;
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t(high) << 32) | low;
}

static CpuFeatures detect() {
  uint64_t saved = savedState();
  std::set<std::string, std::less<>> found;
  for (const FeatureBit &feature : featureBits) {
    unsigned eax = 0, regs[3] = {};
    if (!__get_cpuid_count(feature.leaf, 0, &eax, &regs[EBX], &regs[ECX],
                           &regs[EDX]))
      continue;
    bool reported = (regs[feature.reg] >> feature.bit) & 1;
    if (reported && (saved & feature.state) == feature.state)
      found.insert(feature.name);
  }
  return CpuFeatures("x86_64", std::move(found));
}
#elif defined(__aarch64__)
static CpuFeatures detect() { return CpuFeatures("aarch64", {}); }
#else
static CpuFeatures detect() { return CpuFeatures("unknown", {}); }
#endif

const CpuFeatures &CpuFeatures::host() {
  static const CpuFeatures features = detect();
  return features;
}

std::vector<std::string> CpuFeatures::missing(std::string_view required) const {
  std::vector<std::string> absent;
  for (const Level &last : levels()) {
    if (required != last.name)
      continue;
    for (const Level &level : levels()) {
      for (const char *feature : level.features)
        if (features.find(feature) == features.end())
          absent.push_back(feature);
      if (&level == &last)
        return absent;
    }
  }
  if (features.find(required) == features.end())
    absent.emplace_back(required);
  return absent;
}

/// "a", "a and b", "a, b and c".
static std::string enumerate(const std::vector<std::string> &words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " and ") + words[i];
  return text;
}

/// Why \p cpu cannot run \p object, or an empty text if it can.
static std::string obstacle(const KernelObject &object,
                            const CpuFeatures &cpu) {
  if (object.format != "elf-so")
    return "its format is " + object.format + ", not elf-so";
  if (object.triple.substr(0, object.triple.find('-')) != cpu.arch())
    return "it is for another architecture";
  std::vector<std::string> absent;
  for (const std::string &feature : object.features)
    for (std::string &name : cpu.missing(feature))
      absent.push_back(std::move(name));
  if (absent.empty())
    return "";
  return enumerate(absent) + (absent.size() == 1 ? " is" : " are") + " missing";
}

Expected<const KernelObject *> artifact::selectObject(const Kernel &kernel,
                                                      const CpuFeatures &cpu) {
  std::string message = "kernel " + kernel.name + ": ";
  if (kernel.objects.empty())
    return Status::error(StatusCode::Device, message + "it has no code");
  message += "this machine (" + cpu.arch() + ") cannot run its code";
  const char *separator = " for ";
  for (const KernelObject &object : kernel.objects) {
    std::string reason = obstacle(object, cpu);
    if (reason.empty())
      return &object;
    message +=
        separator + object.triple +
        (object.features.empty() ? "" : " with " + enumerate(object.features)) +
        ": " + reason;
    separator = "; nor for ";
  }
  return Status::error(StatusCode::Device, message);
}

Status artifact::checkTarget(const Module &module, const CpuFeatures &cpu) {
  for (const Kernel &kernel : module.kernels) {
    Expected<const KernelObject *> object = selectObject(kernel, cpu);
    if (!object)
      return object.status();
  }
  return Status::ok();
}
