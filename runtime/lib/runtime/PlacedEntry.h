//===- PlacedEntry.h - An entry in the executor's terms ---------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_RUNTIME_PLACEDENTRY_H
#define TURNIP_LIB_RUNTIME_PLACEDENTRY_H

#include "turnip/artifact/Module.h"
#include "turnip/runtime/Executor.h"

#include <functional>

namespace turnip::runtime {

/// Returns the machine that \p entry needs: a memory for each of the module's,
/// as large as the entry uses; a compute engine per device, then a transfer
/// engine per channel.
MachineDescription describeMachine(const artifact::Module &module,
                                   const artifact::Entry &entry);

/// Where the bytes of an access of vertex \p vertex are.
using AddressFunction =
    std::function<void *(uint32_t vertex, const artifact::Access &access)>;

/// The graph of an entry with the arrays its commands point into.
struct PlacedEntry {
  ExecutableGraph graph;
  std::vector<void *> buffers;
  std::vector<int64_t> scalars;

  /// Builds the graph of \p entry. \p kernels has a function for every kernel
  /// of the module, or is empty where nothing is going to be called.
  static Expected<PlacedEntry> build(const artifact::Module &module,
                                     const artifact::Entry &entry,
                                     const std::vector<KernelFunction> &kernels,
                                     const AddressFunction &address);

  /// Adds the invocation's \p arguments to the scalars that want them.
  void setArguments(const artifact::Entry &entry,
                    const std::vector<int64_t> &arguments);
};

} // namespace turnip::runtime

#endif // TURNIP_LIB_RUNTIME_PLACEDENTRY_H
