//===- Passes.h - Passes on ein ------------------------------- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_EIN_TRANSFORMS_PASSES_H
#define TURNIP_DIALECT_EIN_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace turnip::ein {

#define GEN_PASS_DECL
#include "turnip/Dialect/Ein/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "turnip/Dialect/Ein/Transforms/Passes.h.inc"

} // namespace turnip::ein

#endif // TURNIP_DIALECT_EIN_TRANSFORMS_PASSES_H
