//===- MemGraph.h - mem IR to artifact and back --------------- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An artifact says what a module of mem.machine, mem.graph and task.kernel
// says, so translation is struct by struct in both directions. Translating an
// artifact to IR and back gives the same bytes, kernels and locations included,
// if Turnip made the artifact.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TARGET_MEMGRAPH_H
#define TURNIP_TARGET_MEMGRAPH_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "turnip/artifact/Module.h"

namespace turnip {

/// The artifact that \p module describes. Emits an error and fails where there
/// is no mem.machine, or something that an artifact cannot say.
mlir::FailureOr<artifact::Module> exportMemGraph(mlir::ModuleOp module);

/// The bytes of the artifact that \p module describes, checked as the runtime
/// checks them. Emits an error and fails as exportMemGraph does.
mlir::FailureOr<std::string> serializeMemGraph(mlir::ModuleOp module);

/// The module that \p artifact describes, which must be valid (loaded, or
/// checked). Emits an error at \p loc and returns null where a signature, a
/// kernel's source or a location is not IR, or where a name is used twice.
mlir::OwningOpRef<mlir::ModuleOp>
importMemGraph(const artifact::Module &artifact, mlir::Location loc);

/// Registers --mem-to-memgraph and --memgraph-to-mem for turnip-translate, with
/// the dialects that \p registerDialects adds. Call it once per process.
void registerMemGraphTranslations(
    void (*registerDialects)(mlir::DialectRegistry &));

} // namespace turnip

#endif // TURNIP_TARGET_MEMGRAPH_H
