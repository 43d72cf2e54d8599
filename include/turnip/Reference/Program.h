//===- Program.h - Evaluates an entry point by name -------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry point is a function of ein operations or, after partitioning, a
// task.graph. Both bind inputs, parameters and results by name, so that one
// can be checked against the other.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_REFERENCE_PROGRAM_H
#define TURNIP_REFERENCE_PROGRAM_H

#include "turnip/Reference/Evaluator.h"
#include "turnip/parameters/ParameterProvider.h"
#include "turnip/parameters/Tensor.h"

#include "mlir/IR/BuiltinOps.h"

namespace turnip::reference {

/// A tensor with the name that it is bound by.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

/// A name and the type of what it binds.
struct NamedType {
  std::string name;
  mlir::RankedTensorType type;
};

/// What an entry point binds, in the order of its signature.
struct Signature {
  llvm::SmallVector<NamedType> inputs, results, parameters;
};

/// Returns the signature of \p entry, a func.func of ein operations or a
/// task.graph; of one parameter used with several shapes, the first. Arguments
/// and results without the attribute ein.name are called arg0, result0 and so
/// on. Error: BadInput where \p entry is neither.
Expected<Signature> signatureOf(mlir::Operation *entry);

/// Returns the entry point called \p name in \p module, or the only one where
/// \p name is empty. Error: InvalidArgument, listing those that exist.
Expected<mlir::Operation *> findEntry(mlir::ModuleOp module,
                                      llvm::StringRef name);

/// Runs \p entry as signatureOf names it, every input given once by name, and
/// returns the results in the order of the signature. A task.graph runs its
/// calls one after the other. Errors: as evaluate; InvalidArgument where an
/// input is missing.
Expected<llvm::SmallVector<NamedTensor>>
evaluateEntry(mlir::Operation *entry, llvm::ArrayRef<NamedTensor> inputs,
              const ParameterFn &parameters, EvaluateOptions options = {});

/// Computes one call of \p kernel, a task.kernel, otherwise than by its body.
using KernelFn = std::function<Expected<llvm::SmallVector<Tensor>>(
    mlir::Operation *kernel, llvm::ArrayRef<Tensor> operands,
    llvm::ArrayRef<int64_t> scalars)>;

/// As evaluateEntry on a task.graph, with every call computed by \p run.
Expected<llvm::SmallVector<NamedTensor>>
evaluateGraphWith(mlir::Operation *graph, llvm::ArrayRef<NamedTensor> inputs,
                  const ParameterFn &parameters, const KernelFn &run);

/// Returns a function that reads parameters from \p provider, which must
/// outlive it.
ParameterFn readFrom(const parameters::ParameterProvider &provider);

/// Returns a tensor of the runtime's kind with the same values, floats rounded
/// to the element type.
parameters::Tensor toHost(const Tensor &tensor);
/// The inverse of toHost.
Tensor fromHost(const parameters::Tensor &tensor, mlir::MLIRContext *context);

} // namespace turnip::reference

#endif // TURNIP_REFERENCE_PROGRAM_H
