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
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | (prefault ? MAP_POPULATE : 0);
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
