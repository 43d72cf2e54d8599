//===- EntryWriter.h - A plan as an entry -------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_REPLAN_ENTRYWRITER_H
#define TURNIP_LIB_REPLAN_ENTRYWRITER_H

#include "turnip/artifact/Module.h"
#include "turnip/planner/Plan.h"

namespace turnip::runtime {

/// The entry that \p plan, an answer to \p problem, makes of \p from, the entry
/// of \p module that the problem was built of: its vertices, pieces and
/// figures. Names, locations, scalars and the task graph are those of \p from.
artifact::Entry writeEntry(const artifact::Module &module,
                           const artifact::Entry &from,
                           const planner::Problem &problem,
                           const planner::Plan &plan);

} // namespace turnip::runtime

#endif // TURNIP_LIB_REPLAN_ENTRYWRITER_H
