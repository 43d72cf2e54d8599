//===- KernelLibrary.h - A module's kernels, loaded -------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_ARTIFACT_KERNELLIBRARY_H
#define TURNIP_ARTIFACT_KERNELLIBRARY_H

#include "turnip/artifact/Module.h"
#include "turnip/artifact/Target.h"
#include "turnip/runtime/KernelABI.h"
#include "turnip/support/Status.h"

#include <memory>
#include <vector>

namespace turnip {
namespace artifact {

/// One shared object from memory, loaded into this process. Its functions may
/// be called, from any thread, until it is destroyed.
class LoadedObject {
public:
  /// Loads \p object, an "elf-so" that this machine can run. Errors: BadInput
  /// when it is no shared object for this architecture or does not export its
  /// symbol; Device when the loader refuses it.
  static Expected<LoadedObject> load(const KernelObject &object);

  LoadedObject(LoadedObject &&other) noexcept;
  LoadedObject &operator=(LoadedObject &&other) noexcept;
  ~LoadedObject();

  runtime::KernelFunction function() const { return entry; }

private:
  LoadedObject() = default;

  /// Open for as long as the object is loaded: the loader knows objects by
  /// their path, and a path under /proc/self/fd that is used again would give
  /// back the object loaded first.
  int fd = -1;
  void *handle = nullptr;
  runtime::KernelFunction entry = nullptr;
};

/// All kernels of a module that run on the host. Thread-safe once loaded.
class KernelLibrary {
public:
  /// Loads the object that selectObject chooses for each kernel. Errors: as
  /// selectObject and LoadedObject::load, naming the kernel.
  static Expected<KernelLibrary>
  load(const Module &module, const CpuFeatures &cpu = CpuFeatures::host());

  /// The function of kernel \p index of the module, valid as long as the
  /// library is.
  runtime::KernelFunction function(uint32_t index) const {
    return objects[index].function();
  }
  size_t size() const { return objects.size(); }

private:
  std::vector<LoadedObject> objects;
};

} // namespace artifact
} // namespace turnip

#endif // TURNIP_ARTIFACT_KERNELLIBRARY_H
