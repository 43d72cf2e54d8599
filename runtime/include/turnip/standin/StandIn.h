//===- StandIn.h - Looking into the stand-in for CUDA -----------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libturnip-cuda-stand-in.so plays the CUDA driver and cuBLASLt on the CPU (see
// docs/stand-in.md). Beside their functions it exports these, by which a test
// sets it up and looks at what it has seen. Find them with dlsym where the
// library is loaded with dlopen.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_STANDIN_STANDIN_H
#define TURNIP_STANDIN_STANDIN_H

#include <cstdint>

namespace turnip::standin {

/// What the stand-in has seen since it was configured, and what is alive now.
struct Statistics {
  /// Calls of functions that return a status, cuGetError* apart.
  uint64_t calls;
  /// Failures that were asked for and have happened.
  uint64_t injected;
  /// Alive now: contexts (a retained primary context is one), streams, events,
  /// modules; allocations of device memory and of pinned host memory,
  /// registrations of host memory; objects of cuBLASLt.
  uint64_t contexts;
  uint64_t streams;
  uint64_t events;
  uint64_t modules;
  uint64_t deviceAllocations;
  uint64_t hostAllocations;
  uint64_t hostRegistrations;
  uint64_t ltObjects;
  /// Bytes of device memory and of pinned or registered host memory now, and
  /// the most there ever were (device memory: of all devices together).
  uint64_t deviceBytes;
  uint64_t peakDeviceBytes;
  uint64_t hostBytes;
  uint64_t peakHostBytes;
  /// Objects that went away only because their context did.
  uint64_t abandoned;
  /// Work that streams have done.
  uint64_t launches;
  uint64_t matmuls;
  uint64_t copies;
  /// Of the copies, those from or to host memory that is not pinned.
  uint64_t pageableCopies;
};

} // namespace turnip::standin

// The functions are exported by the library only.
#define TURNIP_STANDIN_VISIBLE __attribute__((visibility("default")))

extern "C" {

/// Starts anew with the configuration \p text, in the form of the environment
/// variable TURNIP_STANDIN, and clears the statistics. Nothing may be alive.
/// Returns null, or what is wrong; the text is valid until the next call.
TURNIP_STANDIN_VISIBLE const char *turnipStandInConfigure(const char *text);

/// Fills \p statistics.
TURNIP_STANDIN_VISIBLE void
turnipStandInStatistics(turnip::standin::Statistics *statistics);

/// How often \p function, spelt as it is exported, was called since the
/// configuration.
TURNIP_STANDIN_VISIBLE uint64_t turnipStandInCalls(const char *function);

/// The name of the function with number \p index among those that were called
/// at least once in this process; null after the last one.
TURNIP_STANDIN_VISIBLE const char *turnipStandInFunction(uint64_t index);

/// Explains the last error that the library has returned or met on any thread,
/// "" if there was none since the configuration. Valid until the calling
/// thread's next call.
TURNIP_STANDIN_VISIBLE const char *turnipStandInMessage();
}

#endif // TURNIP_STANDIN_STANDIN_H
