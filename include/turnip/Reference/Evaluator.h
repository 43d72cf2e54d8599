//===- Evaluator.h - Runs ein directly, in double precision -----*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The oracle of the tests. It is written for clarity, one operation after the
// other on whole tensors, and shares no code with the lowering of ein, with the
// kernels or with the runtime. Floats are doubles and are not rounded in
// between; integers wrap at their width.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_REFERENCE_EVALUATOR_H
#define TURNIP_REFERENCE_EVALUATOR_H

#include "turnip/Reference/Tensor.h"
#include "turnip/support/Status.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <functional>

namespace turnip::reference {

/// Returns the values of the parameter \p name as \p type.
using ParameterFn = std::function<Expected<Tensor>(
    llvm::StringRef name, mlir::RankedTensorType type)>;

struct EvaluateOptions {
  /// Carry the error bound of every element along (see Scalar.h): about ten
  /// times slower for a contraction. Without it every bound is 0.
  bool trackBounds = false;
};

/// Runs \p function on \p inputs, one per argument, and returns its results.
/// Errors: InvalidArgument where an input's type is not the argument's; the
/// error of \p parameters; BadInput where an operation is unknown. Messages
/// name the operation and its location.
Expected<llvm::SmallVector<Tensor>> evaluate(mlir::func::FuncOp function,
                                             llvm::ArrayRef<Tensor> inputs,
                                             const ParameterFn &parameters,
                                             EvaluateOptions options = {});

/// Runs the body of a kernel: \p block takes \p tensors and then \p scalars of
/// index type, and its terminator's operands are the results. Errors as above.
Expected<llvm::SmallVector<Tensor>>
evaluateBlock(mlir::Block &block, llvm::ArrayRef<Tensor> tensors,
              llvm::ArrayRef<int64_t> scalars, const ParameterFn &parameters,
              EvaluateOptions options = {});

} // namespace turnip::reference

#endif // TURNIP_REFERENCE_EVALUATOR_H
