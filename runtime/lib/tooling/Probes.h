//===- Probes.h - How fast this machine is --------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_TOOLING_PROBES_H
#define TURNIP_LIB_TOOLING_PROBES_H

#include "turnip/runtime/Drivers.h"

namespace turnip::tooling {

/// How fast the host driver is with given options, measured by running small
/// graphs on it. Times are medians.
struct ProbeFigures {
  /// Seconds between the end of a launch and the start of the next that waits
  /// for it.
  double launchOverhead = 0;
  /// Of copies to (0) and from (1) a device.
  double copyLatency[2] = {0, 0};
  double copyBandwidth[2] = {0, 0};
  /// Seconds of computing that each byte copied meanwhile costs.
  double interference = 0;
  /// Operations per second of one lane in sums of products of f32.
  double contractionFlops = 0;
  /// Bytes per second of one lane, by kernel class.
  std::map<machine::KernelClass, double> bandwidth;
};

/// Measures a host driver with \p options. Takes about a second. Errors: those
/// of the driver.
Expected<ProbeFigures> probeHost(const runtime::HostOptions &options);

/// Measures nothing but the copies of \p driver, which is not open yet.
Status probeCopies(std::unique_ptr<runtime::Driver> driver,
                   ProbeFigures &figures);

/// The middle of \p values, of which there is at least one.
double medianOf(std::vector<double> values);

} // namespace turnip::tooling

#endif // TURNIP_LIB_TOOLING_PROBES_H
