//===- AutomaticMemory.h - How much a device may use ------ -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_RUNTIME_AUTOMATICMEMORY_H
#define TURNIP_RUNTIME_AUTOMATICMEMORY_H

#include "turnip/artifact/Module.h"
#include "turnip/runtime/Driver.h"

#include <string>

namespace turnip::runtime {

/// A capacity and why it was chosen.
struct AutomaticMemory {
  uint64_t bytes = 0;
  /// For people, such as "half of the host memory that is free".
  std::string reason;
};

/// Chooses a capacity for the memory of each accelerator that \p entry, an
/// entry of \p module with a task graph, may be planned for:
/// - where \p driver says what its devices' memories have free, the least of
///   them;
/// - where they are arenas of host memory, an even share of half of what is
///   free besides the parameters, rounded down by at most a sixteenth, so that
///   runs soon after each other choose alike;
/// - where the driver says nothing, what the artifact was placed for.
/// Never more than all tiles and the largest workspace take: it would be of no
/// use. Says nothing about whether the entry fits.
AutomaticMemory automaticDeviceMemory(const artifact::Module &module,
                                      const artifact::Entry &entry,
                                      const Driver &driver);

} // namespace turnip::runtime

#endif // TURNIP_RUNTIME_AUTOMATICMEMORY_H
