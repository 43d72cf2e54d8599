//===- Memory.h - Device memory and pinned host memory ----------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_STANDIN_MEMORY_H
#define TURNIP_LIB_STANDIN_MEMORY_H

#include "World.h"

#include <map>
#include <shared_mutex>

namespace turnip::standin {

/// The memory of all devices and the host memory they know.
///
/// The address of device memory that a program gets is one at which nothing can
/// be read or written: the bytes are elsewhere, with guard pages around. The
/// stand-in itself goes from the one to the other.
class Memory {
public:
  enum class Kind { Device, HostAllocated, HostRegistered };

  struct Range {
    Kind kind = Kind::Device;
    uint64_t bytes = 0;
    /// Device: where the bytes are. Host: the address itself.
    char *real = nullptr;
    /// Whose it is; host memory belongs to the context that asked for it.
    Context *context = nullptr;
    /// Differs from that of every other range that there ever was.
    uint64_t serial = 0;
    /// Device memory: the pages mapped for it.
    void *mapping = nullptr;
    uint64_t mappedBytes = 0;
  };

  /// What lies at an address.
  struct Place {
    enum class Kind {
      /// All bytes in one allocation of device memory.
      Device,
      /// All bytes in pinned or registered host memory.
      Pinned,
      /// No byte is known: ordinary host memory, if anything.
      Pageable,
      /// Partly one and partly another, or an address of device memory where
      /// nothing is allocated.
      Wrong,
    };
    Kind kind = Kind::Pageable;
    /// Device, Pinned, Pageable: where the bytes are.
    char *real = nullptr;
    /// Device, Pinned: whose, and of which range.
    Context *context = nullptr;
    uint64_t serial = 0;
  };

  CUresult allocate(Context &context, uint64_t bytes, CUdeviceptr &address);
  CUresult free(CUdeviceptr address);
  CUresult allocateHost(Context &context, uint64_t bytes, void *&address);
  CUresult freeHost(void *address);
  CUresult registerHost(Context &context, void *address, uint64_t bytes);
  CUresult unregisterHost(void *address);

  /// Where the \p bytes bytes from \p address on are; 0 bytes count as 1.
  Place find(uint64_t address, uint64_t bytes) const;

  /// The value that a kernel of \p context gets for the argument \p value:
  /// where the bytes are if it is an address of device memory, else the value.
  /// False where it is an address that the kernel may not use.
  bool translate(const Context &context, uint64_t &value) const;

  /// The owner of the allocation of device memory that \p address is in; null
  /// where there is none.
  Context *owner(CUdeviceptr address) const;

  /// Bytes of \p device that are free.
  uint64_t freeBytes(const Device &device) const;

  CUresult enablePeer(Context &context, const Context &peer);
  CUresult disablePeer(Context &context, const Context &peer);

  /// Releases all that \p context owns; returns how many allocations.
  uint64_t releaseAll(Context &context);

  /// Gives back the addresses; nothing may be allocated.
  void reset();

private:
  using Ranges = std::map<uint64_t, Range>;

  bool reserve();
  uint64_t chooseAddress(uint64_t bytes);
  void release(Ranges::iterator range);
  bool inside(uint64_t address) const {
    return address >= regionBegin && address < regionEnd;
  }

  mutable std::shared_mutex mutex;
  /// By first address, as programs see it.
  Ranges ranges;
  /// The addresses of device memory.
  uint64_t regionBegin = 0;
  uint64_t regionEnd = 0;
  uint64_t nextAddress = 0;
  uint64_t lastSerial = 0;
};

Memory &memory();

/// Whole zeroed pages from the system, so that nothing of the stand-in's own
/// shows up in the program's heap; null where there are none.
void *mapPages(uint64_t bytes);
void unmapPages(void *address, uint64_t bytes);

} // namespace turnip::standin

#endif // TURNIP_LIB_STANDIN_MEMORY_H
