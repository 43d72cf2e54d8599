//===- Flows.h - Work that shares switches and memory -----------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_DRIVERS_SIM_FLOWS_H
#define TURNIP_LIB_DRIVERS_SIM_FLOWS_H

#include <cstdint>
#include <vector>

namespace turnip::runtime {

/// A piece of work under way: a launch, a grid point of one, or a copy.
struct Flow {
  uint16_t engine = 0;
  /// Whose work it is; the engine's own number.
  uint32_t slot = 0;
  /// Nanoseconds before the work proper begins.
  double latency = 0;
  /// Nanoseconds of work left at full speed.
  double work = 0;
  /// Share of full speed it runs at.
  double rate = 1;
  /// A copy's bytes per second at full speed; 0: a launch.
  double bandwidth = 0;
  /// Seconds a launch loses per byte that is copied meanwhile.
  double interference = 0;
  /// The switches a copy passes through, or null.
  const std::vector<uint32_t> *switches = nullptr;

  bool isCopying() const { return bandwidth > 0 && latency <= 0; }
};

/// What is under way at a time, and how fast.
class Flows {
public:
  /// \p capacities has the bytes per second of each switch.
  explicit Flows(std::vector<double> capacities)
      : capacities(std::move(capacities)) {}

  void clear() { flows.clear(); }
  bool empty() const { return flows.empty(); }
  void add(const Flow &flow);

  /// Nanoseconds until something changes by itself, at least 1. Wants at least
  /// one flow.
  int64_t nextChange();
  /// Lets \p nanoseconds pass, no more than nextChange() said, and moves what
  /// ends then to \p done.
  void advance(int64_t nanoseconds, std::vector<Flow> &done);

private:
  void setRates();
  void shareSwitches();

  const std::vector<double> capacities;
  std::vector<Flow> flows;
  /// Rates have to be found again.
  bool changed = true;
  /// Of shareSwitches(): bytes per second left and copies left per switch, and
  /// the copies without a rate.
  std::vector<double> left;
  std::vector<uint32_t> sharing;
  std::vector<Flow *> open;
};

} // namespace turnip::runtime

#endif // TURNIP_LIB_DRIVERS_SIM_FLOWS_H
