//===- Target.h - What the processor must have ------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_ARTIFACT_TARGET_H
#define TURNIP_ARTIFACT_TARGET_H

#include "turnip/artifact/Module.h"
#include "turnip/support/Status.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace turnip {
namespace artifact {

/// A processor as far as kernels care: its architecture and its features, named
/// as LLVM names them ("avx2", "sse4.2").
class CpuFeatures {
public:
  CpuFeatures(std::string arch, std::set<std::string, std::less<>> features)
      : archName(std::move(arch)), features(std::move(features)) {}

  /// The processor this process runs on. Features that the operating system
  /// does not enable do not count.
  static const CpuFeatures &host();

  /// Such as "x86_64".
  const std::string &arch() const { return archName; }

  /// What of \p required is missing here: \p required itself, or for a level
  /// ("x86-64-v2", "x86-64-v3", "x86-64-v4") the missing features that the
  /// level stands for. Empty if nothing is.
  std::vector<std::string> missing(std::string_view required) const;

private:
  std::string archName;
  std::set<std::string, std::less<>> features;
};

/// The first of \p kernel's objects that can run on \p cpu: a shared object
/// ("elf-so") for its architecture whose features are all there. Error: Device,
/// saying what each object lacks:
///   kernel multiply: this machine (x86_64) cannot run its code for
///   x86_64-unknown-linux-gnu with x86-64-v3: avx2 and fma are missing
Expected<const KernelObject *>
selectObject(const Kernel &kernel,
             const CpuFeatures &cpu = CpuFeatures::host());

/// Checks that selectObject finds an object for every kernel of \p module.
Status checkTarget(const Module &module,
                   const CpuFeatures &cpu = CpuFeatures::host());

} // namespace artifact
} // namespace turnip

#endif // TURNIP_ARTIFACT_TARGET_H
