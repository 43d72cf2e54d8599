//===- Task.h - The task dialect --------------------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The partitioned program: kernels, and graphs of kernel calls and transfers on
// tiles. docs/dialects/task.md gives the reasons.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_TASK_IR_TASK_H
#define TURNIP_DIALECT_TASK_IR_TASK_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>
#include <string>

#include "turnip/Dialect/Task/IR/TaskDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "turnip/Dialect/Task/IR/TaskAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "turnip/Dialect/Task/IR/TaskTypes.h.inc"

#define GET_OP_CLASSES
#include "turnip/Dialect/Task/IR/TaskOps.h.inc"

namespace turnip::task {

/// Bytes of one element of \p type in memory: i1 takes one, others their
/// width. Nothing for a type that no tile can hold.
std::optional<int64_t> elementBytes(mlir::Type type);

/// Bytes of a dense array of \p shape, or nothing where the product of sizes
/// exceeds 64 bits or the element type is not supported.
std::optional<int64_t> denseBytes(llvm::ArrayRef<int64_t> shape,
                                  mlir::Type elementType);

/// Parses `host` or `dev N`.
mlir::ParseResult parsePlace(mlir::AsmParser &parser, PlaceAttr &place);
/// Prints what parsePlace reads.
void printPlace(mlir::AsmPrinter &printer, PlaceAttr place);

} // namespace turnip::task

#endif // TURNIP_DIALECT_TASK_IR_TASK_H
