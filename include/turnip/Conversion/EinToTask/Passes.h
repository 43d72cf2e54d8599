//===- Passes.h - Partitioning passes ---------------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_CONVERSION_EINTOTASK_PASSES_H
#define TURNIP_CONVERSION_EINTOTASK_PASSES_H

#include "mlir/Pass/Pass.h"

namespace turnip {

#define GEN_PASS_DECL
#include "turnip/Conversion/EinToTask/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "turnip/Conversion/EinToTask/Passes.h.inc"

} // namespace turnip

#endif // TURNIP_CONVERSION_EINTOTASK_PASSES_H
