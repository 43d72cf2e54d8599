//===- Passes.h - Passes of the code generator ------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_CODEGEN_PASSES_H
#define TURNIP_CODEGEN_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace turnip::codegen {

#define GEN_PASS_DECL
#include "turnip/Codegen/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "turnip/Codegen/Passes.h.inc"

} // namespace turnip::codegen

#endif // TURNIP_CODEGEN_PASSES_H
