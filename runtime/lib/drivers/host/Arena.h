//===- Arena.h - A fixed range of memory ------------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_DRIVERS_HOST_ARENA_H
#define TURNIP_LIB_DRIVERS_HOST_ARENA_H

#include "turnip/runtime/Driver.h"
#include "turnip/support/Status.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace turnip::runtime {

/// Page-aligned anonymous memory, mapped once and freed with the object.
class Arena {
public:
  Arena() = default;
  Arena(Arena &&other) noexcept : first(other.first), bytes(other.bytes) {
    other.first = nullptr;
    other.bytes = 0;
  }
  Arena &operator=(Arena &&other) = delete;
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  ~Arena();

  /// Maps \p bytes (at least a page). With \p prefault every page is there
  /// before this returns, so that no run pays for it.
  static Expected<Arena> allocate(uint64_t bytes, bool prefault);

  void *base() const { return first; }
  uint64_t size() const { return bytes; }

  /// Forbids or allows writes.
  Status protect(bool writable);

private:
  void *first = nullptr;
  uint64_t bytes = 0;
};

/// The bytes of memory that this machine can still hand out, as the kernel
/// estimates them; nothing where it does not say.
std::optional<uint64_t> availableHostBytes();

/// Checks that \p memories, all in host memory, fit into this machine's: asking
/// for more would not fail here but end the process half-way. Error:
/// DoesNotFit.
Status checkAvailable(const std::vector<MemoryDescription> &memories);

} // namespace turnip::runtime

#endif // TURNIP_LIB_DRIVERS_HOST_ARENA_H
