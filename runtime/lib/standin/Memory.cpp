//===- Memory.cpp - Device memory and pinned host memory ------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include "Address.h"

#include <cstring>
#include <sys/mman.h>

using namespace turnip::standin;

static constexpr uint64_t pageBytes = 4096;
/// What fresh memory is filled with: NaN in every floating-point type.
static constexpr int poisonByte = 0xFF;

static uint64_t roundToPages(uint64_t bytes) {
  return (bytes + pageBytes - 1) / pageBytes * pageBytes;
}

Memory &turnip::standin::memory() {
  // Never destroyed: streams may still be at work when the process ends.
  static Memory *instance = new Memory;
  return *instance;
}

void *turnip::standin::mapPages(uint64_t bytes) {
  void *pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}

void turnip::standin::unmapPages(void *address, uint64_t bytes) {
  ::munmap(address, bytes);
}

/// Reserves the addresses of device memory: enough for every device to be
/// filled several times before an address comes up again.
bool Memory::reserve() {
  if (regionBegin)
    return true;
  uint64_t bytes =
      roundToPages(world().config.memory) * 4 * world().devices.size() +
      (uint64_t(64) << 20);
  void *pages = ::mmap(nullptr, bytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED)
    return false;
  regionBegin = nextAddress = reinterpret_cast<uint64_t>(pages);
  regionEnd = regionBegin + bytes;
  return true;
}

/// An address for \p bytes bytes and a page behind them, 0 if there is none.
uint64_t Memory::chooseAddress(uint64_t bytes) {
  const uint64_t needed = roundToPages(bytes) + pageBytes;
  for (int pass = 0; pass < 2; ++pass) {
    for (uint64_t at = nextAddress; at + needed <= regionEnd;) {
      // The last range that begins before the end of this place.
      auto above = ranges.lower_bound(at + needed);
      if (above != ranges.begin()) {
        auto below = std::prev(above);
        uint64_t end =
            below->first + roundToPages(below->second.bytes) + pageBytes;
        if (below->second.kind == Kind::Device && end > at) {
          at = end;
          continue;
        }
      }
      nextAddress = at + needed;
      return at;
    }
    nextAddress = regionBegin;
  }
  return 0;
}

CUresult Memory::allocate(Context &context, uint64_t bytes,
                          CUdeviceptr &address) {
  std::unique_lock<std::shared_mutex> lock(mutex);
  Device &device = *context.device;
  if (bytes > world().config.memory - device.used || !reserve())
    return fail(
        CUDA_ERROR_OUT_OF_MEMORY,
        "device %d: %llu bytes were asked for, %llu are free", device.ordinal,
        static_cast<unsigned long long>(bytes),
        static_cast<unsigned long long>(world().config.memory - device.used));
  Range range;
  range.bytes = bytes;
  range.context = &context;
  range.mappedBytes = roundToPages(bytes) + 2 * pageBytes;
  range.mapping = ::mmap(nullptr, range.mappedBytes, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  const uint64_t chosen = chooseAddress(bytes);
  char *usable = static_cast<char *>(range.mapping) + pageBytes;
  if (range.mapping == MAP_FAILED || !chosen ||
      ::mprotect(usable, roundToPages(bytes), PROT_READ | PROT_WRITE) != 0)
    return fail(CUDA_ERROR_OUT_OF_MEMORY,
                "the host has no %llu bytes to play device memory with",
                static_cast<unsigned long long>(bytes));
  range.real = usable;
  if (world().config.poison)
    std::memset(range.real, poisonByte, roundToPages(bytes));
  device.used += bytes;
  range.serial = ++lastSerial;
  ranges.emplace(chosen, range);
  Counters &counters = world().counters;
  ++counters.deviceAllocations;
  addBytes(counters.deviceBytes, counters.peakDeviceBytes, bytes);
  address = chosen;
  return CUDA_SUCCESS;
}

CUresult Memory::allocateHost(Context &context, uint64_t bytes,
                              void *&address) {
  void *pages = mapPages(roundToPages(bytes));
  if (!pages)
    return fail(CUDA_ERROR_OUT_OF_MEMORY, "the host has no %llu bytes",
                static_cast<unsigned long long>(bytes));
  if (world().config.poison)
    std::memset(pages, poisonByte, bytes);
  Range range;
  range.kind = Kind::HostAllocated;
  range.bytes = bytes;
  range.real = static_cast<char *>(pages);
  range.context = &context;
  range.mapping = pages;
  range.mappedBytes = roundToPages(bytes);
  std::unique_lock<std::shared_mutex> lock(mutex);
  range.serial = ++lastSerial;
  ranges.emplace(reinterpret_cast<uint64_t>(pages), range);
  Counters &counters = world().counters;
  ++counters.hostAllocations;
  addBytes(counters.hostBytes, counters.peakHostBytes, bytes);
  address = pages;
  return CUDA_SUCCESS;
}

CUresult Memory::registerHost(Context &context, void *address, uint64_t bytes) {
  const auto begin = reinterpret_cast<uint64_t>(address);
  std::unique_lock<std::shared_mutex> lock(mutex);
  auto above = ranges.lower_bound(begin + bytes);
  if (above != ranges.begin() &&
      std::prev(above)->first + std::prev(above)->second.bytes > begin)
    return fail(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
                "some of the %llu bytes at %p are registered already",
                static_cast<unsigned long long>(bytes), address);
  Range range;
  range.kind = Kind::HostRegistered;
  range.bytes = bytes;
  range.real = static_cast<char *>(address);
  range.context = &context;
  range.serial = ++lastSerial;
  ranges.emplace(begin, range);
  Counters &counters = world().counters;
  ++counters.hostRegistrations;
  addBytes(counters.hostBytes, counters.peakHostBytes, bytes);
  return CUDA_SUCCESS;
}

/// Ends a range; the lock is held.
void Memory::release(Ranges::iterator range) {
  Counters &counters = world().counters;
  const Range &ending = range->second;
  if (ending.kind == Kind::Device) {
    ending.context->device->used -= ending.bytes;
    --counters.deviceAllocations;
    counters.deviceBytes -= ending.bytes;
  } else {
    --(ending.kind == Kind::HostAllocated ? counters.hostAllocations
                                          : counters.hostRegistrations);
    counters.hostBytes -= ending.bytes;
  }
  if (ending.mapping)
    unmapPages(ending.mapping, ending.mappedBytes);
  ranges.erase(range);
}

CUresult Memory::free(CUdeviceptr address) {
  std::unique_lock<std::shared_mutex> lock(mutex);
  auto found = ranges.find(address);
  if (found == ranges.end() || found->second.kind != Kind::Device)
    return fail(CUDA_ERROR_INVALID_VALUE,
                "0x%llx is not the beginning of device memory", address);
  release(found);
  return CUDA_SUCCESS;
}

CUresult Memory::freeHost(void *address) {
  std::unique_lock<std::shared_mutex> lock(mutex);
  auto found = ranges.find(reinterpret_cast<uint64_t>(address));
  if (found == ranges.end() || found->second.kind != Kind::HostAllocated)
    return fail(CUDA_ERROR_INVALID_VALUE,
                "%p is not the beginning of pinned memory", address);
  release(found);
  return CUDA_SUCCESS;
}

CUresult Memory::unregisterHost(void *address) {
  std::unique_lock<std::shared_mutex> lock(mutex);
  auto found = ranges.find(reinterpret_cast<uint64_t>(address));
  if (found == ranges.end() || found->second.kind != Kind::HostRegistered)
    return fail(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
                "%p is not the beginning of registered memory", address);
  release(found);
  return CUDA_SUCCESS;
}

Memory::Place Memory::find(uint64_t address, uint64_t bytes) const {
  bytes = std::max<uint64_t>(bytes, 1);
  Place place;
  place.real = pointerTo(address);
  std::shared_lock<std::shared_mutex> lock(mutex);
  auto above = ranges.upper_bound(address);
  if (above != ranges.begin()) {
    const auto &[begin, range] = *std::prev(above);
    const uint64_t offset = address - begin;
    if (offset < range.bytes) {
      place.kind = bytes > range.bytes - offset ? Place::Kind::Wrong
                   : range.kind == Kind::Device ? Place::Kind::Device
                                                : Place::Kind::Pinned;
      place.real = range.real + offset;
      place.context = range.context;
      place.serial = range.serial;
      return place;
    }
  }
  const bool reachesNext =
      above != ranges.end() && address + bytes > above->first;
  if (reachesNext || inside(address) || address + bytes < address)
    place.kind = Place::Kind::Wrong;
  return place;
}

bool Memory::translate(const Context &context, uint64_t &value) const {
  // Small numbers and negative ones are no addresses.
  if (value < uint64_t(1) << 32 || value >= uint64_t(1) << 47)
    return true;
  std::shared_lock<std::shared_mutex> lock(mutex);
  auto above = ranges.upper_bound(value);
  if (above == ranges.begin())
    return false;
  const auto &[begin, range] = *std::prev(above);
  if (value - begin >= range.bytes)
    return false;
  if (range.kind == Kind::Device && range.context != &context &&
      range.context->device != context.device &&
      !context.peers.count(range.context))
    return false;
  value = reinterpret_cast<uint64_t>(range.real) + (value - begin);
  return true;
}

Context *Memory::owner(CUdeviceptr address) const {
  Place place = find(address, 1);
  return place.kind == Place::Kind::Device ? place.context : nullptr;
}

uint64_t Memory::freeBytes(const Device &device) const {
  std::shared_lock<std::shared_mutex> lock(mutex);
  return world().config.memory - device.used;
}

CUresult Memory::enablePeer(Context &context, const Context &peer) {
  std::unique_lock<std::shared_mutex> lock(mutex);
  if (!context.peers.insert(&peer).second)
    return fail(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
                "access to this peer is enabled already");
  return CUDA_SUCCESS;
}

CUresult Memory::disablePeer(Context &context, const Context &peer) {
  std::unique_lock<std::shared_mutex> lock(mutex);
  if (!context.peers.erase(&peer))
    return fail(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,
                "access to this peer is not enabled");
  return CUDA_SUCCESS;
}

uint64_t Memory::releaseAll(Context &context) {
  std::unique_lock<std::shared_mutex> lock(mutex);
  uint64_t count = 0;
  for (auto next = ranges.begin(); next != ranges.end();) {
    auto range = next++;
    if (range->second.context != &context)
      continue;
    release(range);
    ++count;
  }
  context.peers.clear();
  return count;
}

void Memory::reset() {
  std::unique_lock<std::shared_mutex> lock(mutex);
  if (regionBegin)
    ::munmap(pointerTo(regionBegin), regionEnd - regionBegin);
  regionBegin = regionEnd = nextAddress = 0;
}
