//===- Drivers.h - The drivers there are ------------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_RUNTIME_DRIVERS_H
#define TURNIP_RUNTIME_DRIVERS_H

#include "turnip/runtime/Driver.h"

#include <map>
#include <memory>

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

/// Runs everything on the processors of this machine. Each device is an arena
/// and \p options.lanes threads, which share the grid points of the operations
/// they are given; each direction of a link is a thread that copies, and sleeps
/// to the emulated link's deadlines. A link is serial: a copy begins when it
/// was submitted or when the one before it ended, whichever is later.
std::unique_ptr<Driver> createHostDriver(const HostOptions &options);

/// Completes every command at once: what remains is the cost of dispatch.
std::unique_ptr<Driver> createNullDriver();

/// The machine that the sim driver simulates, in SI units.
struct SimMachine {
  struct Compute {
    /// Floating-point operations per second of one lane.
    double flops = 1e12;
    /// Bytes per second between a lane and its memory.
    double memoryBandwidth = 1e11;
    /// Seconds that every launch takes on top.
    double launchOverhead = 0;
    /// Operations that run at the same time.
    unsigned lanes = 1;
    /// Seconds between the submission of an operation and its earliest start.
    double submitLatency = 0;
    /// Operations that the device takes on top of those that run, and holds
    /// back until what they depend on is done.
    unsigned queue = 0;
  };
  struct Link {
    /// Bytes per second and seconds before the first byte.
    double bandwidth = 25e9;
    double latency = 10e-6;
  };

  /// By engine name; "default" holds for engines that are not listed.
  std::map<std::string, Compute> devices;
  std::map<std::string, Link> links;
  /// Every duration is multiplied by a factor drawn evenly from
  /// [1 - jitter, 1 + jitter); the vertex and the seed determine it.
  double jitter = 0;
  uint64_t seed = 0;

  /// Reads a machine description:
  ///   {"devices": {"default": {"flops": 2e14, "memory_bandwidth": 1e12,
  ///                            "launch_overhead": 5e-6, "lanes": 1,
  ///                            "submit_latency": 1e-5, "queue": 4}},
  ///    "links": {"default": {"bandwidth": 25e9, "latency": 1e-5}},
  ///    "jitter": 0.1, "seed": 1}
  /// Every field is optional; unknown fields are errors.
  static Expected<SimMachine> parse(const std::string &text);
  static Expected<SimMachine> read(const std::string &path);
};

/// Simulates \p machine on a virtual clock; moves no data. An operation takes
/// its launch overhead plus the longer of its arithmetic and its memory
/// traffic; a copy its latency plus bytes / bandwidth.
std::unique_ptr<Driver> createSimDriver(SimMachine machine);

/// Passes everything to \p inner, but reports the command submitted as number
/// \p failing (from 0) of each run as failed.
std::unique_ptr<Driver> createFailingDriver(std::unique_ptr<Driver> inner,
                                            uint64_t failing);

/// The factor in [1 - jitter, 1 + jitter) that the emulated durations of
/// \p vertex are multiplied by.
double jitterFactor(double jitter, uint64_t seed, uint32_t vertex);

} // namespace turnip::runtime

#endif // TURNIP_RUNTIME_DRIVERS_H
