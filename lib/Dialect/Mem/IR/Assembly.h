//===- Assembly.h - Assembly that ops of mem share ------------ -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges, tasks and tokens are written alike everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_DIALECT_MEM_IR_ASSEMBLY_H
#define TURNIP_LIB_DIALECT_MEM_IR_ASSEMBLY_H

#include "mlir/IR/OpImplementation.h"
#include "turnip/Dialect/Mem/IR/Mem.h"

namespace turnip::mem {

/// Parses `v3 @memory[offset + bytes]`. Without a value the range has
/// \p defaultValue.
mlir::ParseResult parseRange(mlir::AsmParser &parser, RangeAttr &range,
                             int64_t defaultValue = RangeAttr::kNoValue);
/// Prints what parseRange reads.
void printRange(mlir::AsmPrinter &printer, RangeAttr range,
                int64_t defaultValue = RangeAttr::kNoValue);

/// Parses `task 7 "name"` where it is present.
mlir::ParseResult parseTask(mlir::OpAsmParser &parser,
                            mlir::OperationState &state);
/// Prints what parseTask reads.
void printTask(mlir::OpAsmPrinter &printer, std::optional<int64_t> task,
               std::optional<llvm::StringRef> name);

/// Parses how each operation ends: `after(...) memory(...)` and attributes.
/// Also sets the type of its token.
mlir::ParseResult parseTokens(mlir::OpAsmParser &parser,
                              mlir::OperationState &state);
/// Prints what parseTokens reads, attributes without those in \p elided.
void printTokens(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                 mlir::OperandRange data, mlir::OperandRange memory,
                 llvm::ArrayRef<llvm::StringRef> elided);

} // namespace turnip::mem

#endif // TURNIP_LIB_DIALECT_MEM_IR_ASSEMBLY_H
