//===- Resident.h - Parameters that stay on devices -------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a device's memory holds all parameters besides the largest task, they
// may be put there once instead of being loaded in every run. The compiler and
// the runtime, when it plans again, decide on that with the functions here.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_PLANNER_RESIDENT_H
#define TURNIP_PLANNER_RESIDENT_H

#include "turnip/planner/Plan.h"

#include <optional>

namespace turnip::planner {

/// plan(), with the plan proved. Errors: as plan(); Internal for a plan that
/// verify() refuses.
Expected<Plan> planProved(const Problem &problem, const PlanOptions &options);

/// A plan for \p resident, the problem that \p loaded answers with its
/// parameters on devices at entry and exit instead of in host memory. Nothing
/// if they do not fit, if one would end elsewhere than it began (the graph
/// could not run again) or if \p loaded is predicted to be sooner. Errors: as
/// planProved(), but for DoesNotFit.
Expected<std::optional<Plan>> planResident(const Problem &resident,
                                           const Plan &loaded,
                                           const PlanOptions &options);

/// Makes the memories without a cap as large as the plans with \p statistics
/// need: those of the host, which never are larger, and those of devices if
/// \p devicesToo.
void shrinkToPeak(std::vector<Memory> &memories,
                  const std::vector<const Statistics *> &statistics,
                  bool devicesToo);

} // namespace turnip::planner

#endif // TURNIP_PLANNER_RESIDENT_H
