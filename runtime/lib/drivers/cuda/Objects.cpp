//===- Objects.cpp - The code of a kernel for one chip --------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include <algorithm>
#include <charconv>
#include <optional>

using namespace turnip;
using namespace turnip::artifact;
using namespace turnip::runtime::cuda;

std::string Chip::name() const {
  return isStandIn ? "the stand-in"
                   : "sm_" + std::to_string(major) + std::to_string(minor);
}

/// Ten times the major number plus the minor one of a feature like "sm_90".
static std::optional<int> capabilityOf(const KernelObject &object) {
  for (const std::string &feature : object.features) {
    if (feature.compare(0, 3, "sm_") != 0)
      continue;
    int number = 0;
    const char *last = feature.data() + feature.size();
    auto [end, error] = std::from_chars(feature.data() + 3, last, number);
    if (error == std::errc() && end == last)
      return number;
  }
  return std::nullopt;
}

/// How well \p object suits \p chip: the more the better, 0 not at all.
static int suitability(const KernelObject &object, const Chip &chip) {
  if (object.launches.empty())
    return 0;
  if (chip.isStandIn)
    return object.format == "stand-in" ? 1 : 0;
  std::optional<int> capability = capabilityOf(object);
  if (!capability || *capability > 10 * chip.major + chip.minor)
    return 0;
  if (object.format == "ptx")
    return *capability;
  const bool runs = object.format == "cubin" && *capability / 10 == chip.major;
  return runs ? 1000 + *capability : 0;
}

/// What the message says the artifact has.
static std::string describeObjects(const Kernel &kernel) {
  std::string text;
  for (const KernelObject &object : kernel.objects) {
    text += text.empty() ? "" : ", ";
    if (std::optional<int> capability = capabilityOf(object))
      text += "sm_" + std::to_string(*capability);
    else
      text += object.triple;
    text += " (" + object.format + ")";
  }
  return text.empty() ? "none" : text;
}

Expected<const KernelObject *> runtime::cuda::selectObject(const Kernel &kernel,
                                                           const Chip &chip) {
  auto best =
      std::max_element(kernel.objects.begin(), kernel.objects.end(),
                       [&](const KernelObject &a, const KernelObject &b) {
                         return suitability(a, chip) < suitability(b, chip);
                       });
  if (best != kernel.objects.end() && suitability(*best, chip) > 0)
    return &*best;
  const std::string target = chip.isStandIn ? "stand-in" : chip.name();
  return Status::error(
      StatusCode::Device,
      "kernel " + kernel.name + ": no code for " + chip.name() +
          "; the artifact has code for " + describeObjects(kernel) +
          ": compile it with --target=x86-64-v3,cuda:" + target);
}
