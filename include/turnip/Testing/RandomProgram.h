//===- RandomProgram.h - Random ein programs --------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs for tests: valid, defined everywhere (no division by zero, no
// overflow), of every kind of operation, shape and element type. The same seed
// gives the same program on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TESTING_RANDOMPROGRAM_H
#define TURNIP_TESTING_RANDOMPROGRAM_H

#include "turnip/Reference/Tensor.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>

namespace turnip::testing {

struct RandomProgramOptions {
  /// Steps of growth; one adds one operation or a short chain of them.
  int64_t minSteps = 2, maxSteps = 7;
  /// Elements of one tensor, and points that one einsum visits, at most.
  int64_t maxElements = 4096;
  int64_t maxPoints = 1 << 16;
};

/// Returns a module with one function @main of ein operations. Inputs, results
/// and parameters are called in0, out0, p0 and so on. \p context must have the
/// dialects ein, func, arith and math loaded.
mlir::OwningOpRef<mlir::ModuleOp>
makeRandomProgram(mlir::MLIRContext *context, uint64_t seed,
                  const RandomProgramOptions &options = {});

/// Returns values for the input or parameter \p name: floats in [-1, 1],
/// integers in [-9, 12] (so that some are no valid row of a table), bools.
/// They depend on the seed, the name and the number of elements only.
reference::Tensor makeRandomTensor(mlir::RankedTensorType type, uint64_t seed,
                                   llvm::StringRef name);

} // namespace turnip::testing

#endif // TURNIP_TESTING_RANDOMPROGRAM_H
