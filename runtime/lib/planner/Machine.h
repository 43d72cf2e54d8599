//===- Machine.h - Links and engines by number ------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_PLANNER_MACHINE_H
#define TURNIP_LIB_PLANNER_MACHINE_H

#include "turnip/planner/Plan.h"

namespace turnip::planner {

/// What a checked problem says about its machine, ready to look up.
class Machine {
public:
  explicit Machine(const Problem &problem);

  /// The link from one memory to another, or None.
  uint32_t link(uint32_t source, uint32_t destination) const {
    return links[source * numMemories + destination];
  }
  /// The device whose tasks access a memory; None for plain host memories.
  uint32_t deviceOf(uint32_t memory) const { return devices[memory]; }
  /// The engine that copies between two memories: its link's channel, or
  /// inside a memory without one the device's compute engine. None where
  /// nothing can.
  uint32_t copyEngine(uint32_t source, uint32_t destination) const;
  /// The engine that runs a device's kernels.
  uint32_t computeEngine(uint32_t device) const { return device; }
  /// Seconds that a copy takes; a move without a link of its own is taken to
  /// run at 100 GB/s.
  double copySeconds(uint32_t source, uint32_t destination,
                     uint64_t bytes) const;
  /// Devices first, channels after.
  const std::vector<Engine> &engines() const { return table; }

private:
  const Problem &problem;
  size_t numMemories;
  std::vector<uint32_t> links, devices;
  std::vector<Engine> table;
};

} // namespace turnip::planner

#endif // TURNIP_LIB_PLANNER_MACHINE_H
