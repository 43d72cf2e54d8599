//===- ApplyMachine.h - An artifact on another machine ----------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_REPLAN_APPLYMACHINE_H
#define TURNIP_LIB_REPLAN_APPLYMACHINE_H

#include "turnip/artifact/Module.h"
#include "turnip/machine/Machine.h"
#include "turnip/support/Status.h"

namespace turnip::runtime {

/// Gives the devices' memories of \p module the capacities, its links the
/// speeds and the kernels of \p entry, one of its entries with a task graph,
/// the costs that \p machine has. What there is and how it is called stays the
/// artifact's. Error: InvalidArgument where \p machine lacks a device or a
/// memory.
Status applyMachine(artifact::Module &module, artifact::Entry &entry,
                    const machine::Machine &machine);

} // namespace turnip::runtime

#endif // TURNIP_LIB_REPLAN_APPLYMACHINE_H
