//===- Replan.h - Planning an artifact again --------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An artifact that keeps its task graphs can be placed for other capacities
// than the ones it was compiled for. Tiles, kernels and the association of sums
// stay, so results do too, bit for bit.
//
// Every function here may be called from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_RUNTIME_REPLAN_H
#define TURNIP_RUNTIME_REPLAN_H

#include "turnip/artifact/Module.h"
#include "turnip/machine/Machine.h"
#include "turnip/planner/Plan.h"

#include <optional>

namespace turnip::runtime {

/// The problem that \p entry, an entry of the valid \p module, was planned
/// from: memories with the module's capacities, tiles and tasks under the
/// numbers that the entry has for them. All parameters start in the memory of
/// parameters, which is as large as they are, even where the entry keeps them
/// on devices. Errors: BadInput when the entry keeps no task graph or has
/// parameters on a machine without a memory for them.
Expected<planner::Problem> problemOf(const artifact::Module &module,
                                     const artifact::Entry &entry);

struct ReplanOptions {
  /// Bytes of each accelerator's memory; nothing: as the machine or the
  /// artifact has it.
  std::optional<uint64_t> deviceMemory;
  /// Bytes of host memory, parameters included; nothing: what the machine has,
  /// or what the plan needs.
  std::optional<uint64_t> hostMemory;
  /// A machine whose speeds, costs and capacities the planner reckons with
  /// instead of the artifact's. Capacities given above come first.
  std::optional<machine::Machine> machine;
  planner::PlanOptions plan;
  /// Keep all parameters on the device from run to run where they fit.
  bool residentParameters = true;
};

/// \p module with its entry \p entry (see artifact::findEntry) alone, planned
/// again as \p options say. The plan is proved. Errors: InvalidArgument for an
/// unknown entry or a machine that lacks what the artifact uses; as
/// problemOf(); DoesNotFit when a memory is too small, with the message that
/// the compiler has for it.
Expected<artifact::Module> replan(artifact::Module module,
                                  const std::string &entry,
                                  const ReplanOptions &options);

} // namespace turnip::runtime

#endif // TURNIP_RUNTIME_REPLAN_H
