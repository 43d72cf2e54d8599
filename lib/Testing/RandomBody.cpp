//===- RandomBody.cpp - Random scalar expressions -------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace turnip::testing;

static bool isBool(Type type) { return type.isInteger(1); }
static bool isFloat(Type type) { return isa<FloatType>(type); }

Value BodyBuilder::constant(Type type, double value) {
  TypedAttr attr;
  if (isFloat(type))
    attr = builder.getFloatAttr(type, value);
  else
    attr = builder.getIntegerAttr(type, static_cast<int64_t>(value));
  return arith::ConstantOp::create(builder, loc, attr);
}

Value BodyBuilder::positive(Value value, double offset) {
  Value magnitude = math::AbsFOp::create(builder, loc, value);
  return arith::AddFOp::create(builder, loc, magnitude,
                               constant(value.getType(), offset));
}

Sized BodyBuilder::clamped(Sized value, double limit) {
  Type type = value.value.getType();
  Value low = arith::MaximumFOp::create(builder, loc, value.value,
                                        constant(type, -limit));
  Value both =
      arith::MinimumFOp::create(builder, loc, low, constant(type, limit));
  return {both, std::min(value.size, limit)};
}

Sized BodyBuilder::tame(Sized value) {
  if (!isFloat(value.value.getType()) || value.size <= 4)
    return value;
  double factor = std::exp2(-std::ceil(std::log2(value.size)));
  Value scaled = arith::MulFOp::create(builder, loc, value.value,
                                       constant(value.value.getType(), factor));
  return {scaled, value.size * factor};
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Sized BodyBuilder::boolOf(Sized from) {
  Type type = from.value.getType();
  if (isFloat(type)) {
    auto predicate = random.chance(50) ? arith::CmpFPredicate::OGT
                                       : arith::CmpFPredicate::ULE;
    return {arith::CmpFOp::create(builder, loc, predicate, from.value,
                                  constant(type, 0.125))};
  }
  auto predicate =
      random.chance(50) ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::ne;
  return {arith::CmpIOp::create(builder, loc, predicate, from.value,
                                constant(type, 1))};
}

Sized BodyBuilder::convert(Sized from, Type type) {
  Value value = from.value;
  Type source = value.getType();
  if (source == type)
    return from;
  if (isBool(type))
    return boolOf(from);
  if (source.isIndex()) {
    // Through i32: positions are small.
    Type i32 = builder.getI32Type();
    Value cast = arith::IndexCastOp::create(builder, loc, i32, value);
    return convert({cast, from.size}, type);
  }
  if (isFloat(source) && isFloat(type)) {
    unsigned from = source.getIntOrFloatBitWidth();
    unsigned to = type.getIntOrFloatBitWidth();
    if (from < to)
      return {arith::ExtFOp::create(builder, loc, type, value)};
    if (from > to)
      return {arith::TruncFOp::create(builder, loc, type, value)};
    // Between f16 and bf16, through f32.
    Value wide =
        arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
    return {arith::TruncFOp::create(builder, loc, type, wide)};
  }
  if (isFloat(source)) {
    Sized small = clamped(from, 30);
    return {arith::FPToSIOp::create(builder, loc, type, small.value)};
  }
  if (isFloat(type)) {
    // Only a few bits count, so that the float stays small.
    if (isBool(source))
      return {arith::UIToFPOp::create(builder, loc, type, value), 1};
    Value mask = constant(source, 7);
    Value low = arith::AndIOp::create(builder, loc, value, mask);
    return {arith::SIToFPOp::create(builder, loc, type, low), 3};
  }
  unsigned fromWidth = source.getIntOrFloatBitWidth();
  unsigned toWidth = type.getIntOrFloatBitWidth();
  if (fromWidth > toWidth)
    return {arith::TruncIOp::create(builder, loc, type, value)};
  if (isBool(source) || random.chance(20))
    return {arith::ExtUIOp::create(builder, loc, type, value)};
  return {arith::ExtSIOp::create(builder, loc, type, value)};
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// Functions that kernels approximate.
Sized BodyBuilder::floatFunction(Sized operand) {
  Value x = operand.value;
  switch (random.between(0, 10)) {
  case 0:
    return {math::TanhOp::create(builder, loc, x), 0.7};
  case 1:
    return {math::ExpOp::create(builder, loc, clamped(operand, 3).value), 3};
  case 2: {
    // The logistic function.
    Value one = constant(x.getType(), 1);
    Value negated = arith::NegFOp::create(builder, loc, x);
    Value power = math::ExpOp::create(
        builder, loc, clamped({negated, operand.size}, 8).value);
    Value sum = arith::AddFOp::create(builder, loc, one, power);
    return {arith::DivFOp::create(builder, loc, one, sum), 0.5};
  }
  case 3:
    return {math::SqrtOp::create(builder, loc, positive(x, 0.25)),
            std::sqrt(operand.size + 0.25)};
  case 4:
    return {math::RsqrtOp::create(builder, loc, positive(x, 0.5)), 1};
  case 5:
    return {math::SinOp::create(builder, loc, clamped(operand, 8).value), 0.7};
  case 6:
    return {math::CosOp::create(builder, loc, clamped(operand, 8).value), 0.7};
  case 7:
    return {math::ErfOp::create(builder, loc, x), 0.7};
  case 8:
    return {math::LogOp::create(builder, loc, positive(x, 0.5)), 1};
  case 9:
    return {math::PowFOp::create(builder, loc,
                                 positive(clamped(operand, 4).value, 0.5),
                                 constant(x.getType(), 1.5)),
            3};
  default:
    return {math::Exp2Op::create(builder, loc, clamped(operand, 3).value), 3};
  }
}

Sized BodyBuilder::floatUnary(Sized operand) {
  Value x = operand.value;
  switch (random.between(0, 7)) {
  case 0:
    return {arith::NegFOp::create(builder, loc, x), operand.size};
  case 1:
    return {math::AbsFOp::create(builder, loc, x), operand.size};
  case 2: {
    Value scale = constant(x.getType(), random.pick({-1.5, 0.75, 0.5, 3.0}));
    return {arith::MulFOp::create(builder, loc, x, scale), operand.size * 1.5};
  }
  case 3:
    if (random.chance(30))
      return {math::FloorOp::create(builder, loc, x), operand.size};
    return {arith::MulFOp::create(builder, loc, x, x),
            operand.size * operand.size};
  default:
    return floatFunction(operand);
  }
}

Sized BodyBuilder::floatBinary(Sized lhs, Sized rhs) {
  Value a = lhs.value, b = rhs.value;
  double sum = lhs.size + rhs.size, largest = std::max(lhs.size, rhs.size);
  switch (random.between(0, 8)) {
  case 0:
  case 1:
    return {arith::AddFOp::create(builder, loc, a, b), sum};
  case 2:
    return {arith::SubFOp::create(builder, loc, a, b), sum};
  case 3:
  case 4:
    return {arith::MulFOp::create(builder, loc, a, b), lhs.size * rhs.size};
  case 5:
    return {arith::MaximumFOp::create(builder, loc, a, b), largest};
  case 6:
    return {arith::MinimumFOp::create(builder, loc, a, b), largest};
  case 7:
    return {arith::DivFOp::create(builder, loc, a, positive(b, 1)), lhs.size};
  default: {
    Value isLess =
        arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, a, b);
    return {arith::SelectOp::create(builder, loc, isLess, a,
                                    constant(a.getType(), 0.5)),
            largest};
  }
  }
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Sized BodyBuilder::integerUnary(Sized operand) {
  Value x = operand.value;
  Type type = x.getType();
  if (isBool(type))
    return {arith::XOrIOp::create(builder, loc, x, constant(type, 1))};
  switch (random.between(0, 5)) {
  case 0:
    return {arith::ShLIOp::create(builder, loc, x, constant(type, 2))};
  case 1:
    return {arith::ShRSIOp::create(builder, loc, x, constant(type, 1))};
  case 2:
    return {arith::DivSIOp::create(builder, loc, x, constant(type, 3))};
  case 3:
    return {arith::RemSIOp::create(builder, loc, x, constant(type, 5))};
  case 4:
    return {arith::MulIOp::create(builder, loc, x, constant(type, -7))};
  default:
    return {arith::ShRUIOp::create(builder, loc, x, constant(type, 3))};
  }
}

Sized BodyBuilder::integerBinary(Sized lhs, Sized rhs) {
  Value a = lhs.value, b = rhs.value;
  int64_t choice = random.between(isBool(a.getType()) ? 5 : 0, 8);
  switch (choice) {
  case 0:
    return {arith::AddIOp::create(builder, loc, a, b)};
  case 1:
    return {arith::SubIOp::create(builder, loc, a, b)};
  case 2:
    return {arith::MulIOp::create(builder, loc, a, b)};
  case 3:
    return {arith::MaxSIOp::create(builder, loc, a, b)};
  case 4:
    return {arith::MinSIOp::create(builder, loc, a, b)};
  case 5:
    return {arith::AndIOp::create(builder, loc, a, b)};
  case 6:
    return {arith::OrIOp::create(builder, loc, a, b)};
  case 7:
    return {arith::XOrIOp::create(builder, loc, a, b)};
  default: {
    Value isLess =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, a, b);
    return {arith::SelectOp::create(builder, loc, isLess, b, a)};
  }
  }
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

Sized BodyBuilder::leaf(ArrayRef<Sized> leaves, Type type) {
  if (leaves.empty() || random.chance(8))
    return {constant(type, isFloat(type) ? 0.375 : 1), 0.375};
  return convert(random.pick(leaves), type);
}

Sized BodyBuilder::expression(ArrayRef<Sized> leaves, Type type,
                              int64_t depth) {
  if (depth == 0)
    return leaf(leaves, type);
  if (random.chance(35)) {
    Sized operand = expression(leaves, type, depth - 1);
    return tame(isFloat(type) ? floatUnary(operand) : integerUnary(operand));
  }
  // The first operand comes from the first leaf, so that one is always used.
  Sized lhs = expression(leaves, type, depth - 1);
  Sized rhs = expression(leaves.empty() ? leaves : leaves.drop_front(), type,
                         depth - 1);
  return tame(isFloat(type) ? floatBinary(lhs, rhs) : integerBinary(lhs, rhs));
}
