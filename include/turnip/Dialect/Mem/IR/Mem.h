//===- Mem.h - The mem dialect -------------------------------- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The placed program: kernel calls and copies on byte ranges, joined by
// completion tokens. docs/dialects/mem.md gives the reasons.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_MEM_IR_MEM_H
#define TURNIP_DIALECT_MEM_IR_MEM_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "turnip/Dialect/Task/IR/Task.h"

#include "turnip/Dialect/Mem/IR/MemDialect.h.inc"

#include "turnip/Dialect/Mem/IR/MemEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "turnip/Dialect/Mem/IR/MemAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "turnip/Dialect/Mem/IR/MemTypes.h.inc"

#define GET_OP_CLASSES
#include "turnip/Dialect/Mem/IR/MemOps.h.inc"

#endif // TURNIP_DIALECT_MEM_IR_MEM_H
