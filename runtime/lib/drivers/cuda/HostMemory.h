//===- HostMemory.h - Memory of the host, pinned as far as allowed -*- C++
//-*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_DRIVERS_CUDA_HOSTMEMORY_H
#define TURNIP_LIB_DRIVERS_CUDA_HOSTMEMORY_H

#include "../host/Arena.h"
#include "Library.h"

#include <memory>

namespace turnip::runtime::cuda {

/// An arena in host memory whose first bytes may be pinned, so that devices
/// copy from and to them on their own.
class HostMemory {
public:
  static Expected<std::unique_ptr<HostMemory>>
  allocate(const Library &library, uint64_t bytes, bool prefault);
  ~HostMemory();
  HostMemory(const HostMemory &) = delete;
  HostMemory &operator=(const HostMemory &) = delete;

  /// Pins the first \p bytes, once, while a context is current. Error:
  /// DoesNotFit.
  Status pin(uint64_t bytes);

  void *base() const { return arena.base(); }
  uint64_t size() const { return arena.size(); }
  uint64_t pinnedBytes() const { return pinned; }
  Status protect(bool writable) { return arena.protect(writable); }

private:
  HostMemory(const Library &library, Arena arena)
      : library(library), arena(std::move(arena)) {}

  const Library &library;
  Arena arena;
  uint64_t pinned = 0;
};

} // namespace turnip::runtime::cuda

#endif // TURNIP_LIB_DRIVERS_CUDA_HOSTMEMORY_H
