//===- Scalar.h - The evaluator's numbers -----------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference evaluator computes floats in double precision and integers in
// 64 bits. Next to each value it carries how far a correct implementation in
// the declared types may be from it: a running error analysis (Higham, Accuracy
// and Stability of Numerical Algorithms, 2nd edition, section 3.3). A
// comparison with compiled code therefore needs no tolerance of its own.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_REFERENCE_SCALAR_H
#define TURNIP_REFERENCE_SCALAR_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace turnip::reference {

/// A bound that admits every value: the program does not define this one (a
/// division by zero, a comparison decided by rounding, an overflow).
constexpr double kUndefined = std::numeric_limits<double>::infinity();

/// What the evaluator knows of a scalar type.
struct ScalarKind {
  bool isFloat = false;
  /// Bits; an index counts as 64.
  unsigned width = 64;
  /// Unit roundoff of a float type: half the distance from 1 to the next value.
  double unit = 0;
  /// The smallest normal value; anything nearer to zero may become zero.
  double smallest = 0;
  /// The largest finite value.
  double largest = std::numeric_limits<double>::infinity();

  /// Returns the kind of \p type; false in the second member where the type is
  /// none of f16, bf16, f32, f64, an integer of at most 64 bits, or index.
  static std::pair<ScalarKind, bool> get(mlir::Type type);
};

/// One value. Only the member that its type calls for has a meaning.
struct Scalar {
  double real = 0;
  int64_t integer = 0;
  /// A correct implementation computes a value at most this far away.
  double bound = 0;

  static Scalar ofReal(double value, double bound = 0) {
    return {value, 0, bound};
  }
  static Scalar ofInteger(int64_t value, double bound = 0) {
    return {0, value, bound};
  }
};

/// Sign-extends the low \p width bits of \p value; a bool stays 0 or 1.
inline int64_t wrapToWidth(int64_t value, unsigned width) {
  if (width >= 64)
    return value;
  if (width == 1)
    return value & 1;
  unsigned shift = 64 - width;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << shift) >> shift;
}

/// Returns \p value with the bound of an operation that rounds its exact result
/// at most \p units times half an ulp of \p kind away, after inputs that alone
/// move the result by at most \p propagated.
Scalar rounded(double value, double propagated, const ScalarKind &kind,
               double units = 1);

/// Returns \p value rounded to the nearest value of the float type \p type.
double roundToType(double value, mlir::Type type);

} // namespace turnip::reference

#endif // TURNIP_REFERENCE_SCALAR_H
