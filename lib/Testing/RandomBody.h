//===- RandomBody.h - Random scalar expressions -----------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_TESTING_RANDOMBODY_H
#define TURNIP_LIB_TESTING_RANDOMBODY_H

#include "turnip/Testing/Random.h"

#include "mlir/IR/Builders.h"

namespace turnip::testing {

/// A scalar and how large it typically is, for floats.
struct Sized {
  mlir::Value value;
  double size = 1;
};

/// Grows expressions at a builder's position. Every one is defined for all
/// operands: arguments of exp, log, sqrt and divisors are kept in range.
class BodyBuilder {
public:
  BodyBuilder(Random &random, mlir::OpBuilder &builder, mlir::Location loc)
      : random(random), builder(builder), loc(loc) {}

  /// A random expression of \p type from \p leaves, which may have any type.
  Sized expression(llvm::ArrayRef<Sized> leaves, mlir::Type type,
                   int64_t depth);
  /// \p from as a value of \p type.
  Sized convert(Sized from, mlir::Type type);
  /// Makes a float that is typically larger than 4 smaller by a power of 2.
  Sized tame(Sized value);

  mlir::Value constant(mlir::Type type, double value);

private:
  Sized leaf(llvm::ArrayRef<Sized> leaves, mlir::Type type);
  Sized floatUnary(Sized operand);
  Sized floatBinary(Sized lhs, Sized rhs);
  Sized floatFunction(Sized operand);
  Sized integerUnary(Sized operand);
  Sized integerBinary(Sized lhs, Sized rhs);
  Sized boolOf(Sized from);
  Sized clamped(Sized value, double limit);
  /// |value| + offset.
  mlir::Value positive(mlir::Value value, double offset);

  Random &random;
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace turnip::testing

#endif // TURNIP_LIB_TESTING_RANDOMBODY_H
