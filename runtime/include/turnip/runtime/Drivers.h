//===- Drivers.h - The drivers there are ------------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_RUNTIME_DRIVERS_H
#define TURNIP_RUNTIME_DRIVERS_H

#include "turnip/machine/Machine.h"
#include "turnip/runtime/Driver.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace turnip::runtime {

/// Options of the host driver.
struct HostOptions {
  /// Compute lanes (threads) per device; 0: one per processor.
  unsigned lanes = 0;
  /// Emulated bandwidth of each link direction in 10^9 bytes per second; 0: a
  /// copy takes as long as it takes.
  double linkGbps = 0;
  /// Emulated time in microseconds that a copy spends before its first byte.
  double linkLatencyUs = 0;
  /// A copy's emulated time is multiplied by a factor drawn evenly from
  /// [1 - jitter, 1 + jitter); the vertex and the seed determine it.
  double linkJitter = 0;
  uint64_t seed = 0;
  /// Turn memory faults of kernels and copies into errors of their operation
  /// (the guard of turnip-run); changes the process's SIGSEGV handling.
  bool trapFaults = false;
};

/// Options of the sim driver.
struct SimOptions {
  /// As HostOptions have them: links that are emulated on top of those that the
  /// machine has. A copy takes the longer of the two times.
  double linkGbps = 0;
  double linkLatencyUs = 0;
};

/// Runs everything on the processors of this machine. Each device is an arena
/// and \p options.lanes threads, which share the grid points of the operations
/// they are given; each direction of a link is a thread that copies, and sleeps
/// to the emulated link's deadlines. A link is serial: a copy begins when it
/// was submitted or when the one before it ended, whichever is later.
std::unique_ptr<Driver> createHostDriver(const HostOptions &options);

/// Completes every command at once: what remains is the cost of dispatch.
std::unique_ptr<Driver> createNullDriver();

/// Simulates \p machine on a virtual clock; moves no data. A launch takes what
/// the device's rates say of its kernel, or what was measured of it; a copy the
/// link's latency plus bytes / bandwidth. Copies that pass through one switch
/// share its bandwidth evenly, as far as their links can take it. Opening it
/// fails with InvalidArgument where the machine lacks a device or a link.
std::unique_ptr<Driver> createSimDriver(machine::Machine machine,
                                        const SimOptions &options = {});

/// Options of the cuda driver.
struct CudaOptions {
  /// The GPU of each of the program's devices, by its number; the same one may
  /// occur several times.
  std::vector<int> devices;
  /// Streams per device that compute; 0: two.
  unsigned lanes = 0;
  /// Threads for what the program computes on the host; 0: one per processor.
  unsigned hostLanes = 0;
  /// The most bytes of host memory that may be pinned; nothing: half of what
  /// is free.
  std::optional<uint64_t> pinnedMemory;
};

/// A GPU as the CUDA driver describes it.
struct CudaDeviceInfo {
  std::string name;
  uint64_t bytes = 0;
  /// Its compute capability.
  int major = 0;
  int minor = 0;
};

/// The GPUs there are. Error: Device, in one line, saying why there are none.
Expected<std::vector<CudaDeviceInfo>> listCudaDevices();

/// Runs programs on GPUs of NVIDIA, through the CUDA driver and cuBLASLt, which
/// are loaded by this call and by open(). Calls on devices launch the objects
/// of the artifact; calls on the host call functions, as the host driver does.
/// Memory of the host that devices write to is pinned, parameters as far as
/// options.pinnedMemory allows; the rest of them goes through a ring of pinned
/// memory. Errors: Device, saying why there is no CUDA; InvalidArgument for a
/// number that no GPU has.
Expected<std::unique_ptr<Driver>> createCudaDriver(const CudaOptions &options);

/// Passes everything to \p inner, but reports the command submitted as number
/// \p failing (from 0) of each run as failed.
std::unique_ptr<Driver> createFailingDriver(std::unique_ptr<Driver> inner,
                                            uint64_t failing);

/// The factor in [1 - jitter, 1 + jitter) that the emulated durations of
/// \p vertex are multiplied by.
double jitterFactor(double jitter, uint64_t seed, uint32_t vertex);

} // namespace turnip::runtime

#endif // TURNIP_RUNTIME_DRIVERS_H
