//===- Arena.cpp - A fixed range of memory --------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arena.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <sys/mman.h>

using namespace turnip;
using namespace turnip::runtime;

Arena::~Arena() {
  if (first)
    munmap(first, bytes);
}

Expected<Arena> Arena::allocate(uint64_t bytes, bool prefault) {
  constexpr uint64_t page = 4096;
  if (bytes > (uint64_t(1) << 46))
    return Status::error(StatusCode::DoesNotFit,
                         "an arena of " + std::to_string(bytes) +
                             " bytes exceeds the address space");
  bytes = std::max(page, (bytes + page - 1) / page * page);
  int flags =
      MAP_PRIVATE | MAP_ANONYMOUS | (prefault ? MAP_POPULATE : MAP_NORESERVE);
  void *first =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, /*fd=*/-1, 0);
  if (first == MAP_FAILED)
    return Status::error(StatusCode::DoesNotFit,
                         "cannot allocate " + std::to_string(bytes) +
                             " bytes: " + strerror(errno));
  Arena arena;
  arena.first = first;
  arena.bytes = bytes;
  return arena;
}

Status Arena::protect(bool writable) {
  if (mprotect(first, bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ))
    return Status::error(StatusCode::Device,
                         std::string("cannot protect memory: ") +
                             strerror(errno));
  return Status::ok();
}

std::optional<uint64_t> turnip::runtime::availableHostBytes() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::string unit;
  uint64_t kibibytes = 0;
  while (file >> name >> kibibytes) {
    if (name == "MemAvailable:")
      return kibibytes * 1024;
    std::getline(file, unit);
  }
  return std::nullopt;
}

Status turnip::runtime::checkAvailable(
    const std::vector<MemoryDescription> &memories) {
  std::optional<uint64_t> available = availableHostBytes();
  uint64_t left = available.value_or(UINT64_MAX);
  for (const MemoryDescription &memory : memories) {
    if (memory.capacity > left)
      return Status::error(StatusCode::DoesNotFit,
                           "memory '" + memory.name + "' needs " +
                               std::to_string(memory.capacity) +
                               " bytes, but of the " +
                               std::to_string(available.value_or(0)) +
                               " bytes that are available here only " +
                               std::to_string(left) + " are left");
    left -= memory.capacity;
  }
  return Status::ok();
}
