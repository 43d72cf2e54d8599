//===- Calibrate.h - A description of the machine at hand -------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_TOOLING_CALIBRATE_H
#define TURNIP_LIB_TOOLING_CALIBRATE_H

#include "turnip/machine/Machine.h"
#include "turnip/runtime/Drivers.h"
#include "turnip/runtime/Session.h"

#include <functional>

namespace turnip::tooling {

/// What to measure.
struct CalibrationRequest {
  runtime::HostOptions host;
  /// Runs of the program that count, after one that does not.
  unsigned runs = 5;
  /// Opens a program, ready to run, on a host driver with these options. Null:
  /// there is no program, only the machine itself is measured.
  std::function<Expected<std::unique_ptr<runtime::Session>>(
      const runtime::HostOptions &)>
      open;
};

/// Describes the host driver on this machine, so that the sim driver predicts
/// what it does. With a program, each of its kernels is timed as it runs.
/// Errors: those of opening and running.
Expected<machine::Machine> calibrate(const CalibrationRequest &request);

} // namespace turnip::tooling

#endif // TURNIP_LIB_TOOLING_CALIBRATE_H
