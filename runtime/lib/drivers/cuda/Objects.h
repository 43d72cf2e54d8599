//===- Objects.h - The code of a kernel for one chip ------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_DRIVERS_CUDA_OBJECTS_H
#define TURNIP_LIB_DRIVERS_CUDA_OBJECTS_H

#include "turnip/artifact/Module.h"
#include "turnip/support/Status.h"

#include <string>

namespace turnip::runtime::cuda {

/// What code a device takes.
struct Chip {
  int major = 0;
  int minor = 0;
  /// The stand-in takes objects of its own format only.
  bool isStandIn = false;

  /// Such as "sm_90".
  std::string name() const;
};

/// Chooses the code of \p kernel for \p chip: a cubin of its very compute
/// capability, or of the highest lower one with the same major number; else the
/// PTX for the highest that is not above its own. Error: Device, naming the
/// chip, what the artifact has, and the --target= to compile with.
Expected<const artifact::KernelObject *>
selectObject(const artifact::Kernel &kernel, const Chip &chip);

} // namespace turnip::runtime::cuda

#endif // TURNIP_LIB_DRIVERS_CUDA_OBJECTS_H
