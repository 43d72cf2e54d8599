//===- EinInterfaces.h - How ein operations may be split ------ -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_EIN_IR_EININTERFACES_H
#define TURNIP_DIALECT_EIN_IR_EININTERFACES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>

#include "turnip/Dialect/Ein/IR/EinEnums.h.inc"

namespace turnip::ein {

/// How a label may be split, see PartitionableOpInterface.
enum class LabelKind { Parallel, Reduction, Whole };

/// One label of an operation that can be partitioned.
struct PartitionLabel {
  /// The letter in the notation, or a made-up name, for messages.
  std::string name;
  /// Number of positions along the label, at least 1.
  int64_t size;
  LabelKind kind;
};

/// The shape that `labels` select from a tile with `labelSizes`.
llvm::SmallVector<int64_t> getTileShape(llvm::ArrayRef<unsigned> labels,
                                        llvm::ArrayRef<int64_t> labelSizes);

/// Joins two partial results of the same type, elementwise, with `combiner`
/// (not `none`): creates an `ein.einsum`.
mlir::Value buildCombine(mlir::OpBuilder &builder, mlir::Location loc,
                         Combiner combiner, mlir::Value lhs, mlir::Value rhs);

/// Joins two scalars with `combiner` (not `none`): creates the arith op. Float
/// maxima and minima propagate NaN, integer ones are signed.
mlir::Value buildScalarCombine(mlir::OpBuilder &builder, mlir::Location loc,
                               Combiner combiner, mlir::Value lhs,
                               mlir::Value rhs);

/// The value that leaves every other value unchanged under `combiner` (not
/// `none`), of the scalar type `type`.
mlir::TypedAttr getCombinerIdentity(Combiner combiner, mlir::Type type);

/// Whether `combiner` is defined on elements of `type`: sum, product, maximum
/// and minimum on floats and on integers wider than one bit; and, or, exclusive
/// or on integers; `none` on everything.
bool isCombinerLegal(Combiner combiner, mlir::Type type);

/// Bytes of a dense tensor of a type that ein supports; i1 takes one byte.
int64_t getTensorBytes(mlir::RankedTensorType type);

} // namespace turnip::ein

#include "turnip/Dialect/Ein/IR/EinInterfaces.h.inc"

#endif // TURNIP_DIALECT_EIN_IR_EININTERFACES_H
