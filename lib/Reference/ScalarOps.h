//===- ScalarOps.h - What each scalar operation computes --------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table from the name of an arith or math operation to the function that
// computes it. Bounds assume that compiled code rounds each operation once in
// its declared type, or not at all, and that math functions are as accurate as
// kFunctionUnits says.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_REFERENCE_SCALAROPS_H
#define TURNIP_LIB_REFERENCE_SCALAROPS_H

#include "turnip/Reference/Scalar.h"

#include "llvm/ADT/StringRef.h"

namespace turnip::reference {

/// Half-ulps of relative error (absolute error below 1 for sin, cos, tanh and
/// erf) that kernels may add in a math function.
constexpr double kFunctionUnits = 16;

/// What an operation's function may read besides its operands.
struct ScalarContext {
  ScalarKind operand;
  ScalarKind result;
  /// The predicate of a comparison.
  int64_t predicate = 0;
};

using ScalarOperands = const Scalar *const *;
using ScalarFunction = Scalar (*)(ScalarOperands operands,
                                  const ScalarContext &context);

/// Returns the function of the operation named \p name; null if unknown.
ScalarFunction lookupScalarOp(llvm::StringRef name);

} // namespace turnip::reference

#endif // TURNIP_LIB_REFERENCE_SCALAROPS_H
