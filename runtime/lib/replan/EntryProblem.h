//===- EntryProblem.h - An entry as a planning problem ----------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_REPLAN_ENTRYPROBLEM_H
#define TURNIP_LIB_REPLAN_ENTRYPROBLEM_H

#include "turnip/artifact/ParameterLayout.h"
#include "turnip/planner/Problem.h"

namespace turnip::runtime {

/// The memories, devices and links of \p machine for the planner.
planner::Problem machineProblem(const artifact::Machine &machine);

/// The memory that parameters are stored in; none where there is none.
uint32_t parameterMemory(const artifact::Machine &machine);

/// Where the entry's parameters are stored, all of them or, if \p ofHost, those
/// that tasks of the host read.
artifact::ParameterLayout layOut(const artifact::Module &module,
                                 const artifact::Entry &entry, bool ofHost);

/// Builds the problem of \p entry, which has a task graph, on \p machine.
/// Parameters start in the memory of parameters as \p layout says or, if
/// \p staysOnDevices, those of devices start and end in the device's memory.
planner::Problem buildProblem(const artifact::Module &module,
                              const artifact::Entry &entry,
                              const planner::Problem &machine,
                              const artifact::ParameterLayout &layout,
                              bool staysOnDevices);

/// Says whether \p entry can be planned again. Error: BadInput.
Status checkReplannable(const artifact::Module &module,
                        const artifact::Entry &entry);

} // namespace turnip::runtime

#endif // TURNIP_LIB_REPLAN_ENTRYPROBLEM_H
