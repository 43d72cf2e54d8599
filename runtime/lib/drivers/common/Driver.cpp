//===- Driver.cpp - What all drivers share --------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/runtime/Drivers.h"

#include <cassert>
#include <cstring>

using namespace turnip;
using namespace turnip::runtime;

std::optional<uint64_t> Driver::freeMemory(const std::string & /*name*/) const {
  return std::nullopt;
}

Status Driver::protect(uint32_t /*memory*/, bool /*writable*/) {
  return Status::error(StatusCode::Device,
                       "driver '" + properties().name +
                           "' does not support memory protection");
}

bool Driver::readsFromAnywhere(uint32_t /*memory*/, uint64_t /*offset*/,
                               uint64_t /*bytes*/) const {
  return false;
}

Status Driver::read(uint32_t memory, uint64_t offset, uint64_t bytes,
                    void *target) const {
  std::memcpy(target, static_cast<const char *>(base(memory)) + offset, bytes);
  return Status::ok();
}

Status Driver::write(uint32_t memory, uint64_t offset, uint64_t bytes,
                     const void *source) {
  std::memcpy(static_cast<char *>(base(memory)) + offset, source, bytes);
  return Status::ok();
}

void Driver::submitBehind(const Command & /*command*/,
                          const uint32_t * /*waits*/, size_t /*numWaits*/) {
  assert(false && "a driver without device-side waits got one");
}

/// The finaliser of SplitMix64: mixes all bits of \p x.
static uint64_t mixBits(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

double turnip::runtime::jitterFactor(double jitter, uint64_t seed,
                                     uint32_t vertex) {
  uint64_t bits = mixBits(mixBits(seed + 0x9e3779b97f4a7c15ULL) + vertex + 1);
  double unit = static_cast<double>(bits >> 11) * 0x1p-53;
  return 1 + jitter * (2 * unit - 1);
}
