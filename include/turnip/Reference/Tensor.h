//===- Tensor.h - A whole tensor of the evaluator ---------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_REFERENCE_TENSOR_H
#define TURNIP_REFERENCE_TENSOR_H

#include "turnip/Reference/Scalar.h"
#include "turnip/support/Status.h"

#include "mlir/IR/BuiltinTypes.h"

#include <optional>
#include <string>
#include <vector>

namespace turnip::reference {

/// A dense row-major tensor: doubles for a float element type, 64-bit integers
/// for the others, and the error bound of every element (none: all are exact).
class Tensor {
public:
  Tensor() = default;
  /// Zeros of static type \p type.
  explicit Tensor(mlir::RankedTensorType type);

  /// Returns a tensor of float type \p type with \p values rounded to its
  /// element type. The counts must agree.
  static Tensor ofReals(mlir::RankedTensorType type,
                        llvm::ArrayRef<double> values);
  /// Returns a tensor of integer type \p type with \p values wrapped to its
  /// width. The counts must agree.
  static Tensor ofIntegers(mlir::RankedTensorType type,
                           llvm::ArrayRef<int64_t> values);
  /// Reads the elements as the runtime stores them: little-endian, dense, 16
  /// bits for f16 and bf16, one byte for i1. BadInput where the size is wrong.
  static Expected<Tensor> ofBytes(mlir::RankedTensorType type,
                                  llvm::ArrayRef<char> bytes);
  mlir::RankedTensorType getType() const { return type; }
  llvm::ArrayRef<int64_t> getShape() const { return type.getShape(); }
  int64_t getNumElements() const {
    return static_cast<int64_t>(kind.isFloat ? reals.size() : integers.size());
  }
  const ScalarKind &getKind() const { return kind; }

  Scalar get(int64_t index) const {
    double bound = bounds.empty() ? 0 : bounds[index];
    return kind.isFloat ? Scalar::ofReal(reals[index], bound)
                        : Scalar::ofInteger(integers[index], bound);
  }
  /// Stores \p value, allocating the bounds with the first one that is not 0.
  void set(int64_t index, const Scalar &value);

  /// The float elements; empty for an integer type.
  llvm::ArrayRef<double> getReals() const { return reals; }
  llvm::MutableArrayRef<double> getReals() { return reals; }
  bool isExact() const { return bounds.empty(); }

  /// Forgets the bounds: the tensor counts as exact.
  void dropBounds() { bounds.clear(); }

  /// The same elements, in order, as \p newType; the counts must agree.
  Tensor reshaped(mlir::RankedTensorType newType) const;

  /// The inverse of ofBytes; floats are rounded to the element type.
  std::string toBytes() const;

private:
  mlir::RankedTensorType type;
  ScalarKind kind;
  std::vector<double> reals;
  std::vector<int64_t> integers;
  std::vector<double> bounds;
};

/// Where a computed tensor leaves what the evaluator allows.
struct Mismatch {
  int64_t index = 0;
  Scalar expected;
  Scalar actual;
  /// The number of elements that differ by more than their bound.
  int64_t count = 0;
};

/// Compares \p actual, as computed in the declared types, with \p expected and
/// its bounds; returns the element that exceeds its bound by the largest
/// factor. Where \p largestShare is given, it is raised to the largest share of
/// a bound that an error takes up: 1 is just right.
std::optional<Mismatch> findMismatch(const Tensor &expected,
                                     const Tensor &actual,
                                     double *largestShare = nullptr);

/// Describes \p mismatch of a tensor of \p type: position, both values, bound.
std::string toString(const Mismatch &mismatch, mlir::RankedTensorType type);

} // namespace turnip::reference

#endif // TURNIP_REFERENCE_TENSOR_H
