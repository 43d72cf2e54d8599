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
  /// What the machine is called in the description.
  std::string device = "host";
  /// Options of the host driver, for what the host itself can do.
  runtime::HostOptions host;
  /// Runs of the program that count, after one that does not.
  unsigned runs = 5;
  /// Makes the driver to be measured, with so many compute lanes per device;
  /// 0: as many as it has by itself.
  std::function<Expected<std::unique_ptr<runtime::Driver>>(unsigned lanes)>
      createDriver;
  /// Opens a program, ready to run, on such a driver. Null: there is no
  /// program, only the machine itself is measured.
  std::function<Expected<std::unique_ptr<runtime::Session>>(
      std::unique_ptr<runtime::Driver>)>
      open;
};

/// Describes a driver on this machine, so that the sim driver predicts what it
/// does. With a program, each of its kernels is timed as it runs. A driver that
/// launches objects needs one, for there is nothing else that it could launch:
/// the time of its fastest kernel counts as that of a launch. Errors: those of
/// opening and running; InvalidArgument where a program is missing.
Expected<machine::Machine> calibrate(const CalibrationRequest &request);

} // namespace turnip::tooling

#endif // TURNIP_LIB_TOOLING_CALIBRATE_H
