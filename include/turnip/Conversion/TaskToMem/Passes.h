//===- Passes.h - Placing graphs in memory -------------------- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_CONVERSION_TASKTOMEM_PASSES_H
#define TURNIP_CONVERSION_TASKTOMEM_PASSES_H

#include "mlir/Pass/Pass.h"
#include "turnip/support/Status.h"

namespace turnip {

#define GEN_PASS_DECL
#include "turnip/Conversion/TaskToMem/Passes.h.inc"

/// As createPlaceMemory(options); a failure is also written to \p failure,
/// whose code tells a program that does not fit from one that makes no sense.
/// The status must outlive the pass.
std::unique_ptr<mlir::Pass> createPlaceMemory(const PlaceMemoryOptions &options,
                                              Status *failure);

#define GEN_PASS_REGISTRATION
#include "turnip/Conversion/TaskToMem/Passes.h.inc"

} // namespace turnip

#endif // TURNIP_CONVERSION_TASKTOMEM_PASSES_H
