//===- Registration.h - What every tool registers ------------- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_PIPELINES_REGISTRATION_H
#define TURNIP_PIPELINES_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace turnip {

/// Adds the dialects of Turnip and of MLIR, with their interfaces and
/// extensions, to `registry`.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers the passes and pipelines of Turnip and of MLIR with the global
/// registry. Call it once per process.
void registerAllPasses();

} // namespace turnip

#endif // TURNIP_PIPELINES_REGISTRATION_H
