//===- TileBudget.h - A tile budget that would do --------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_PIPELINES_TILEBUDGET_H
#define TURNIP_LIB_PIPELINES_TILEBUDGET_H

#include "mlir/IR/BuiltinOps.h"
#include "turnip/Pipelines/Phases.h"

#include <string>

namespace turnip {

/// The largest power of two below the tile budget of \p options with which
/// every task of \p program, a module in phase ein, fits the device's memory,
/// as a flag's value, such as "64MiB"; empty if there is none. Kernels of a
/// candidate are compiled, since their workspace counts.
std::string findSmallerTileBudget(mlir::ModuleOp program,
                                  const CompileOptions &options);

/// The smallest power of two above the tile budget of \p options with which
/// \p program can be cut into tasks; empty if there is none.
std::string findLargerTileBudget(mlir::ModuleOp program,
                                 const CompileOptions &options);

/// The tile budget for \p program, a module in phase ein: the largest power of
/// two with which the memory of a device (of \p options, or else of their
/// machine) holds eight times its largest task and a little more, for
/// workspace. It is at most a sixteenth of parameters, inputs and results,
/// unless that is less than the default: larger tiles make the first loads
/// longer. Where no budget makes tasks so small, the one that makes the
/// smallest. As a flag's value; \p options have been checked.
std::string chooseTileBudget(mlir::ModuleOp program,
                             const CompileOptions &options);

} // namespace turnip

#endif // TURNIP_LIB_PIPELINES_TILEBUDGET_H
