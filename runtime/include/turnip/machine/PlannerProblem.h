//===- PlannerProblem.h - A machine as the planner sees it ------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_MACHINE_PLANNERPROBLEM_H
#define TURNIP_MACHINE_PLANNERPROBLEM_H

#include "turnip/machine/Machine.h"
#include "turnip/planner/Problem.h"

namespace turnip::machine {

/// How much of a machine a program may use. Bytes.
struct Share {
  /// The first accelerators, in order.
  uint32_t devices = 1;
  /// Of each device's memory and of host RAM besides parameters; nothing: all
  /// there is.
  std::optional<uint64_t> deviceBytes;
  std::optional<uint64_t> hostBytes;
  /// What the parameters take, of host RAM too.
  uint64_t parameterBytes = 0;
};

/// Adds the memories, devices and links of \p machine to \p problem: memories
/// `dev0` ..., `host`, `params`; devices `dev0` ..., `host`. Each direction of
/// a connection is a channel. Where two devices have no link, copies between
/// them are taken to pass through the host. A link is as fast as the slowest
/// switch on its way. Errors: InvalidArgument if the machine has fewer devices;
/// DoesNotFit if parameters exceed host RAM.
Status addMachine(const Machine &machine, const Share &share,
                  planner::Problem &problem);

/// A machine whose devices are all alike, as are its links.
struct UniformMachine {
  uint32_t devices = 1;
  /// Of each device's memory, of host RAM besides parameters, and of these.
  uint64_t deviceBytes = uint64_t(1) << 58;
  uint64_t hostBytes = uint64_t(1) << 58;
  uint64_t parameterBytes = uint64_t(1) << 58;
  /// Bytes that every range starts at a multiple of, on devices and elsewhere.
  uint64_t deviceAlignment = 64;
  uint64_t hostAlignment = 64;
  /// Bytes per second of each link, and seconds before the first byte.
  double bandwidth = 1e10;
  double latency = 1e-5;
};

/// The same for a machine without a description.
void addMachine(const UniformMachine &machine, planner::Problem &problem);

} // namespace turnip::machine

#endif // TURNIP_MACHINE_PLANNERPROBLEM_H
