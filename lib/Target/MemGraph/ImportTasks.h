//===- ImportTasks.h - A task.graph from an artifact ---------- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_TARGET_MEMGRAPH_IMPORTTASKS_H
#define TURNIP_LIB_TARGET_MEMGRAPH_IMPORTTASKS_H

#include "mlir/IR/Builders.h"
#include "turnip/Dialect/Task/IR/Task.h"
#include "turnip/artifact/Module.h"

namespace turnip {

/// Builds the task.graph \p name that \p entry, an entry with a task graph of
/// \p artifact, was planned from. \p kernels are those of the artifact,
/// \p locations those of the entry; \p loc is where nothing is known. What does
/// not fit together (tiles of other shapes than a kernel's) is left to the
/// verifier.
void importTasks(mlir::OpBuilder &builder, mlir::Location loc,
                 const artifact::Module &artifact, const artifact::Entry &entry,
                 llvm::StringRef name, llvm::ArrayRef<task::KernelOp> kernels,
                 llvm::ArrayRef<mlir::Location> locations);

} // namespace turnip

#endif // TURNIP_LIB_TARGET_MEMGRAPH_IMPORTTASKS_H
