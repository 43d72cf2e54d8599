//===- Clock.h - The clock of drivers in real time --------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_RUNTIME_CLOCK_H
#define TURNIP_RUNTIME_CLOCK_H

#include <cstdint>
#include <ctime>

namespace turnip::runtime {

/// Nanoseconds of the monotonic clock.
inline int64_t monotonicNanoseconds() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

} // namespace turnip::runtime

#endif // TURNIP_RUNTIME_CLOCK_H
