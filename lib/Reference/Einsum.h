//===- Einsum.h - Evaluates one einsum --------------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_REFERENCE_EINSUM_H
#define TURNIP_LIB_REFERENCE_EINSUM_H

#include "turnip/Dialect/Ein/IR/Ein.h"
#include "turnip/Reference/Evaluator.h"

#include "llvm/ADT/DenseMap.h"

namespace turnip::reference {

/// Labels with their sizes, the last one running fastest.
struct LabelSpace {
  std::string labels;
  llvm::SmallVector<int64_t> sizes;

  int64_t numPoints() const;
  /// Returns, for every point in order, the sum of position times stride; the
  /// strides are by label, 0 where missing.
  std::vector<int64_t>
  offsets(const llvm::DenseMap<char, int64_t> &strides) const;
};

/// Returns the row-major stride of each label of a tensor of \p shape.
llvm::DenseMap<char, int64_t> labelStrides(llvm::StringRef labels,
                                           llvm::ArrayRef<int64_t> shape);

/// Evaluates \p op on \p inputs; \p captured has the scalars from above.
Expected<Tensor>
evaluateEinsum(ein::EinsumOp op, llvm::ArrayRef<const Tensor *> inputs,
               const llvm::DenseMap<mlir::Value, Scalar> &captured,
               const EvaluateOptions &options);

/// Evaluates \p op by dense loops over doubles when it is a plain sum of
/// products of two float tensors in which every label is a batch, row, column
/// or contracted label; nothing otherwise. Bounds are not carried.
std::optional<Tensor>
evaluateContraction(ein::EinsumOp op, llvm::ArrayRef<const Tensor *> inputs);

} // namespace turnip::reference

#endif // TURNIP_LIB_REFERENCE_EINSUM_H
