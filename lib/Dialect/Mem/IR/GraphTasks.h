//===- GraphTasks.h - A mem.graph against its task.graph ------ -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_DIALECT_MEM_IR_GRAPHTASKS_H
#define TURNIP_LIB_DIALECT_MEM_IR_GRAPHTASKS_H

#include "turnip/Dialect/Mem/IR/Machine.h"

namespace turnip::mem {

/// Checks that \p graph, if it says which task.graph it places, carries out
/// every task of that one on the values of its tiles, and has its parameters,
/// inputs and results. Each operation by itself has been checked.
mlir::LogicalResult verifyTasks(GraphOp graph, Machine &machine,
                                mlir::SymbolTableCollection &symbols);

} // namespace turnip::mem

#endif // TURNIP_LIB_DIALECT_MEM_IR_GRAPHTASKS_H
