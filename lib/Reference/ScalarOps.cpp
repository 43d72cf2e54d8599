//===- ScalarOps.cpp - What each scalar operation computes ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>

using namespace mlir;
using namespace turnip::reference;

using Operands = ScalarOperands;
using Context = ScalarContext;
using Table = llvm::StringMap<ScalarFunction>;

static Scalar undefinedReal() {
  return Scalar::ofReal(std::numeric_limits<double>::quiet_NaN(), kUndefined);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// The product of two magnitudes where zero times infinity is zero: an exact
/// zero is not moved by an unbounded factor.
static double scale(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

/// How far a product moves when its factors move by their bounds.
static double movedProduct(const Scalar &a, const Scalar &b) {
  return scale(std::fabs(a.real), b.bound) + scale(std::fabs(b.real), a.bound) +
         scale(a.bound, b.bound);
}

static Scalar multiply(const Scalar &a, const Scalar &b,
                       const ScalarKind &kind) {
  return rounded(a.real * b.real, movedProduct(a, b), kind);
}

static Scalar divide(const Scalar &a, const Scalar &b, const ScalarKind &kind) {
  double nearest = std::fabs(b.real) - b.bound;
  if (!(nearest > 0))
    return rounded(a.real / b.real, b.bound == 0 ? a.bound : kUndefined, kind);
  double quotient = a.real / b.real;
  double moved =
      a.bound / nearest + scale(std::fabs(quotient), b.bound / nearest);
  return rounded(quotient, moved, kind);
}

static Scalar remainder(Operands in, const Context &context) {
  const Scalar &a = *in[0], &b = *in[1];
  double value = std::fmod(a.real, b.real);
  if (std::isnan(value))
    return undefinedReal();
  // An inexact operand can move the quotient across an integer.
  bool exact = a.bound == 0 && b.bound == 0;
  return Scalar::ofReal(value, exact ? 0 : 2 * (std::fabs(b.real) + b.bound));
}

/// Max and min: neither moves further than the operand that moves most.
template <bool isMax, bool propagatesNaN>
static Scalar extremum(Operands in, const Context &) {
  const Scalar &a = *in[0], &b = *in[1];
  if (std::isnan(a.real) || std::isnan(b.real)) {
    if (propagatesNaN)
      return undefinedReal();
    return std::isnan(a.real) ? b : a;
  }
  bool takesFirst = isMax ? a.real >= b.real : a.real <= b.real;
  return Scalar::ofReal(takesFirst ? a.real : b.real,
                        std::max(a.bound, b.bound));
}

static Scalar boolOf(bool value, bool isSure) {
  return Scalar::ofInteger(value, isSure ? 0 : 1);
}

static bool compareReals(double a, double b, arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  bool isUnordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::OEQ:
    return a == b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::ONE:
    return !isUnordered && a != b;
  case P::ORD:
    return !isUnordered;
  case P::UEQ:
    return isUnordered || a == b;
  case P::UGT:
    return isUnordered || a > b;
  case P::UGE:
    return isUnordered || a >= b;
  case P::ULT:
    return isUnordered || a < b;
  case P::ULE:
    return isUnordered || a <= b;
  case P::UNE:
    return isUnordered || a != b;
  case P::UNO:
    return isUnordered;
  case P::AlwaysTrue:
    return true;
  }
  return false;
}

/// A difference of reals that are equal infinities is none.
static double distance(double a, double b) {
  return a == b ? 0 : std::fabs(a - b);
}

static Scalar compareFloats(Operands in, const Context &context) {
  const Scalar &a = *in[0], &b = *in[1];
  double blur = a.bound + b.bound;
  bool isSure = blur == 0 || distance(a.real, b.real) > blur;
  return boolOf(
      compareReals(a.real, b.real,
                   static_cast<arith::CmpFPredicate>(context.predicate)),
      isSure);
}

static void addFloatOps(Table &table) {
  table["arith.addf"] = [](Operands in, const Context &context) {
    return rounded(in[0]->real + in[1]->real, in[0]->bound + in[1]->bound,
                   context.result);
  };
  table["arith.subf"] = [](Operands in, const Context &context) {
    return rounded(in[0]->real - in[1]->real, in[0]->bound + in[1]->bound,
                   context.result);
  };
  table["arith.mulf"] = [](Operands in, const Context &context) {
    return multiply(*in[0], *in[1], context.result);
  };
  table["arith.divf"] = [](Operands in, const Context &context) {
    return divide(*in[0], *in[1], context.result);
  };
  table["math.fma"] = [](Operands in, const Context &context) {
    double moved = movedProduct(*in[0], *in[1]) + in[2]->bound;
    // Twice: a target may compute the product and the sum apart.
    double product = std::fabs(in[0]->real * in[1]->real);
    moved += scale(product, context.result.unit);
    return rounded(in[0]->real * in[1]->real + in[2]->real, moved,
                   context.result);
  };
  table["arith.remf"] = remainder;
  table["arith.negf"] = [](Operands in, const Context &) {
    return Scalar::ofReal(-in[0]->real, in[0]->bound);
  };
  table["math.absf"] = [](Operands in, const Context &) {
    return Scalar::ofReal(std::fabs(in[0]->real), in[0]->bound);
  };
  table["math.copysign"] = [](Operands in, const Context &) {
    double value = std::copysign(in[0]->real, in[1]->real);
    bool isSure = in[1]->bound == 0 || std::fabs(in[1]->real) > in[1]->bound;
    return Scalar::ofReal(value,
                          in[0]->bound + (isSure ? 0 : 2 * std::fabs(value)));
  };
  table["arith.maximumf"] = extremum<true, true>;
  table["arith.minimumf"] = extremum<false, true>;
  table["arith.maxnumf"] = extremum<true, false>;
  table["arith.minnumf"] = extremum<false, false>;
  table["arith.cmpf"] = compareFloats;
  table["arith.extf"] = [](Operands in, const Context &) { return *in[0]; };
  table["arith.truncf"] = [](Operands in, const Context &context) {
    return rounded(in[0]->real, in[0]->bound, context.result);
  };
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// How far \p value = function(\p x) moves when x moves by \p e; the function
/// is monotonic there, or convex.
template <double (*function)(double)>
static double movedBy(double x, double e, double value) {
  if (e == 0)
    return 0;
  double up = distance(function(x + e), value);
  double down = distance(function(x - e), value);
  return std::isnan(up) || std::isnan(down) ? kUndefined : std::max(up, down);
}

/// The bound of a monotonic function: what the ends of the operand's interval
/// give, with \p units half-ulps of the result added.
template <double (*function)(double)>
static Scalar monotonic(Operands in, const Context &context,
                        double units = kFunctionUnits) {
  double x = in[0]->real, e = in[0]->bound;
  double value = function(x);
  return rounded(value, movedBy<function>(x, e, value), context.result, units);
}

/// As monotonic, for functions whose kernels promise an absolute error.
template <double (*function)(double)>
static Scalar bounded(Operands in, const Context &context) {
  Scalar result = monotonic<function>(in, context);
  result.bound += kFunctionUnits * context.result.unit;
  return result;
}

/// Sine and cosine move no further than their operand; reducing the operand to
/// one period costs its own rounding once more.
template <double (*function)(double)>
static Scalar periodic(Operands in, const Context &context) {
  double x = in[0]->real;
  double moved = std::min(in[0]->bound, 2.0);
  moved += context.result.unit * (kFunctionUnits + std::fabs(x));
  return rounded(function(x), moved, context.result);
}

static double reciprocalRoot(double x) { return 1 / std::sqrt(x); }

static Scalar tangent(Operands in, const Context &context) {
  Scalar sine = periodic<std::sin>(in, context);
  Scalar cosine = periodic<std::cos>(in, context);
  return divide(sine, cosine, context.result);
}

static Scalar power(Operands in, const Context &context) {
  const Scalar &x = *in[0], &y = *in[1];
  double value = std::pow(x.real, y.real);
  if (x.bound == 0 && y.bound == 0 && (x.real == 0 || std::isinf(value)))
    return rounded(value, 0, context.result);
  if (!(x.real - x.bound > 0))
    return Scalar::ofReal(value, kUndefined);
  // x^y = exp(y log x): the error of the exponent is relative in the result.
  double exponent = std::fabs(y.real * std::log(x.real));
  double relative = std::fabs(y.real) * x.bound / (x.real - x.bound) +
                    std::fabs(std::log(x.real)) * y.bound +
                    kFunctionUnits * context.result.unit * (1 + exponent);
  return rounded(value, value * std::expm1(relative), context.result,
                 kFunctionUnits);
}

static Scalar integerPower(Operands in, const Context &context) {
  Scalar result = Scalar::ofReal(1);
  bool isReciprocal = in[1]->integer < 0;
  for (int64_t n = std::abs(in[1]->integer); n > 0 && n <= 4096; --n)
    result = multiply(result, *in[0], context.result);
  if (std::abs(in[1]->integer) > 4096 || in[1]->bound != 0)
    return undefinedReal();
  return isReciprocal ? divide(Scalar::ofReal(1), result, context.result)
                      : result;
}

/// Rounding to an integer: exact unless the operand may lie on the other side
/// of a step.
template <double (*function)(double)>
static Scalar stepwise(Operands in, const Context &) {
  double x = in[0]->real;
  double value = function(x);
  return Scalar::ofReal(value, movedBy<function>(x, in[0]->bound, value));
}

template <bool (*test)(double)>
static Scalar classify(Operands in, const Context &) {
  return boolOf(test(in[0]->real), in[0]->bound != kUndefined);
}

static bool isNaN(double x) { return std::isnan(x); }
static bool isInf(double x) { return std::isinf(x); }
static bool isFinite(double x) { return std::isfinite(x); }

template <double (*function)(double)>
static Scalar smooth(Operands in, const Context &context) {
  return monotonic<function>(in, context);
}

/// exp moves its operand's rounding into the result's relative error.
template <double (*function)(double)>
static Scalar exponential(Operands in, const Context &context) {
  double size = std::fabs(in[0]->real);
  Scalar result = monotonic<function>(
      in, context, kFunctionUnits + (std::isinf(size) ? 0 : 2 * size));
  return result;
}

static double minusOneExponential(double x) { return std::expm1(x); }

static void addFunctions(Table &table) {
  table["math.exp"] = exponential<std::exp>;
  table["math.exp2"] = exponential<std::exp2>;
  table["math.expm1"] = bounded<minusOneExponential>;
  table["math.log"] = bounded<std::log>;
  table["math.log2"] = bounded<std::log2>;
  table["math.log10"] = bounded<std::log10>;
  table["math.log1p"] = bounded<std::log1p>;
  table["math.sqrt"] = smooth<std::sqrt>;
  table["math.rsqrt"] = smooth<reciprocalRoot>;
  table["math.cbrt"] = smooth<std::cbrt>;
  table["math.sin"] = periodic<std::sin>;
  table["math.cos"] = periodic<std::cos>;
  table["math.tan"] = tangent;
  table["math.tanh"] = bounded<std::tanh>;
  table["math.sinh"] = exponential<std::sinh>;
  table["math.cosh"] = exponential<std::cosh>;
  table["math.asin"] = bounded<std::asin>;
  table["math.acos"] = bounded<std::acos>;
  table["math.atan"] = bounded<std::atan>;
  table["math.erf"] = bounded<std::erf>;
  table["math.erfc"] = bounded<std::erfc>;
  table["math.powf"] = power;
  table["math.fpowi"] = integerPower;
  table["math.ceil"] = stepwise<std::ceil>;
  table["math.floor"] = stepwise<std::floor>;
  table["math.round"] = stepwise<std::round>;
  table["math.roundeven"] = stepwise<std::nearbyint>;
  table["math.trunc"] = stepwise<std::trunc>;
  table["math.isnan"] = classify<isNaN>;
  table["math.isinf"] = classify<isInf>;
  table["math.isfinite"] = classify<isFinite>;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static uint64_t unsignedOf(int64_t value, unsigned width) {
  uint64_t bits = static_cast<uint64_t>(value);
  return width >= 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

/// Wraps \p value; a result that is not exact may wrap anywhere.
static Scalar wrapped(uint64_t value, double bound, const Context &context) {
  int64_t result =
      wrapToWidth(static_cast<int64_t>(value), context.result.width);
  double limit = std::ldexp(1.0, static_cast<int>(context.result.width) - 1);
  if (bound != 0 && std::fabs(static_cast<double>(result)) + bound >= limit)
    bound = kUndefined;
  return Scalar::ofInteger(result, bound);
}

/// Operands of \p context's width to a value; undefined in the second member.
using IntegerFunction = std::pair<uint64_t, bool> (*)(int64_t a, int64_t b,
                                                      unsigned width);

/// An operation that an inexact operand makes undefined.
template <IntegerFunction function>
static Scalar onIntegers(Operands in, const Context &context) {
  auto [value, isDefined] =
      function(in[0]->integer, in[1]->integer, context.operand.width);
  bool isExact = in[0]->bound == 0 && in[1]->bound == 0;
  return wrapped(value, isDefined && isExact ? 0 : kUndefined, context);
}

/// The signed quotient, rounded towards zero, up (+1) or down (-1).
template <int direction>
static std::pair<uint64_t, bool> signedQuotient(int64_t a, int64_t b,
                                                unsigned width) {
  int64_t lowest = wrapToWidth(int64_t(1) << (width - 1), width);
  if (b == 0 || (a == lowest && b == -1))
    return {0, false};
  int64_t quotient = a / b;
  bool isNegative = (a < 0) != (b < 0);
  if (a % b != 0 &&
      ((direction > 0 && !isNegative) || (direction < 0 && isNegative)))
    quotient += direction;
  return {static_cast<uint64_t>(quotient), true};
}

static std::pair<uint64_t, bool> signedRemainder(int64_t a, int64_t b,
                                                 unsigned width) {
  int64_t lowest = wrapToWidth(int64_t(1) << (width - 1), width);
  if (b == 0 || (a == lowest && b == -1))
    return {0, false};
  return {static_cast<uint64_t>(a % b), true};
}

static std::pair<uint64_t, bool> unsignedQuotient(int64_t a, int64_t b,
                                                  unsigned width) {
  uint64_t divisor = unsignedOf(b, width);
  return divisor == 0 ? std::pair<uint64_t, bool>(0, false)
                      : std::pair(unsignedOf(a, width) / divisor, true);
}

static std::pair<uint64_t, bool> unsignedQuotientUp(int64_t a, int64_t b,
                                                    unsigned width) {
  uint64_t dividend = unsignedOf(a, width), divisor = unsignedOf(b, width);
  if (divisor == 0)
    return {0, false};
  return {dividend / divisor + (dividend % divisor != 0), true};
}

static std::pair<uint64_t, bool> unsignedRemainder(int64_t a, int64_t b,
                                                   unsigned width) {
  uint64_t divisor = unsignedOf(b, width);
  return divisor == 0 ? std::pair<uint64_t, bool>(0, false)
                      : std::pair(unsignedOf(a, width) % divisor, true);
}

enum class Shift { Left, RightSigned, RightUnsigned };

template <Shift shift>
static std::pair<uint64_t, bool> shifted(int64_t a, int64_t b, unsigned width) {
  uint64_t amount = unsignedOf(b, width);
  if (amount >= width)
    return {0, false};
  if (shift == Shift::Left)
    return {static_cast<uint64_t>(a) << amount, true};
  if (shift == Shift::RightSigned)
    return {static_cast<uint64_t>(a >> amount), true};
  return {unsignedOf(a, width) >> amount, true};
}

static std::pair<uint64_t, bool> exclusiveOr(int64_t a, int64_t b, unsigned) {
  return {static_cast<uint64_t>(a ^ b), true};
}

/// And (\p absorbing 0) and or (1) of bools: a sure absorbing operand decides.
template <int absorbing>
static Scalar conjunction(Operands in, const Context &context) {
  int64_t value = absorbing == 0 ? in[0]->integer & in[1]->integer
                                 : in[0]->integer | in[1]->integer;
  bool isExact = in[0]->bound == 0 && in[1]->bound == 0;
  if (isExact)
    return Scalar::ofInteger(value);
  if (context.result.width != 1)
    return Scalar::ofInteger(value, kUndefined);
  for (int i : {0, 1})
    if (in[i]->bound == 0 && in[i]->integer == absorbing)
      return Scalar::ofInteger(absorbing);
  return Scalar::ofInteger(value, 1);
}

template <bool isMax, bool isSigned>
static Scalar integerExtremum(Operands in, const Context &context) {
  unsigned width = context.result.width;
  const Scalar &a = *in[0], &b = *in[1];
  bool isLess =
      isSigned ? a.integer < b.integer
               : unsignedOf(a.integer, width) < unsignedOf(b.integer, width);
  bool isExact = a.bound == 0 && b.bound == 0;
  double bound = isExact    ? 0
                 : isSigned ? std::max(a.bound, b.bound)
                            : kUndefined;
  return Scalar::ofInteger(isLess == isMax ? b.integer : a.integer, bound);
}

static bool compareIntegers(int64_t a, int64_t b, unsigned width,
                            arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  // An i1 is stored as 0 or 1, but its signed value is 0 or -1.
  int64_t sa = width == 1 ? -a : a, sb = width == 1 ? -b : b;
  uint64_t ua = unsignedOf(a, width), ub = unsignedOf(b, width);
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return sa < sb;
  case P::sle:
    return sa <= sb;
  case P::sgt:
    return sa > sb;
  case P::sge:
    return sa >= sb;
  case P::ult:
    return ua < ub;
  case P::ule:
    return ua <= ub;
  case P::ugt:
    return ua > ub;
  case P::uge:
    return ua >= ub;
  }
  return false;
}

static Scalar compareIntegers(Operands in, const Context &context) {
  const Scalar &a = *in[0], &b = *in[1];
  double apart = std::fabs(static_cast<double>(a.integer) -
                           static_cast<double>(b.integer));
  double blur = a.bound + b.bound;
  return boolOf(
      compareIntegers(a.integer, b.integer, context.operand.width,
                      static_cast<arith::CmpIPredicate>(context.predicate)),
      blur == 0 || apart > blur);
}

static void addIntegerOps(Table &table) {
  table["arith.addi"] = [](Operands in, const Context &context) {
    return wrapped(static_cast<uint64_t>(in[0]->integer) +
                       static_cast<uint64_t>(in[1]->integer),
                   in[0]->bound + in[1]->bound, context);
  };
  table["arith.subi"] = [](Operands in, const Context &context) {
    return wrapped(static_cast<uint64_t>(in[0]->integer) -
                       static_cast<uint64_t>(in[1]->integer),
                   in[0]->bound + in[1]->bound, context);
  };
  table["arith.muli"] = [](Operands in, const Context &context) {
    Scalar a = Scalar::ofReal(in[0]->integer, in[0]->bound);
    Scalar b = Scalar::ofReal(in[1]->integer, in[1]->bound);
    return wrapped(static_cast<uint64_t>(in[0]->integer) *
                       static_cast<uint64_t>(in[1]->integer),
                   movedProduct(a, b), context);
  };
  table["arith.divsi"] = onIntegers<signedQuotient<0>>;
  table["arith.ceildivsi"] = onIntegers<signedQuotient<1>>;
  table["arith.floordivsi"] = onIntegers<signedQuotient<-1>>;
  table["arith.divui"] = onIntegers<unsignedQuotient>;
  table["arith.ceildivui"] = onIntegers<unsignedQuotientUp>;
  table["arith.remsi"] = onIntegers<signedRemainder>;
  table["arith.remui"] = onIntegers<unsignedRemainder>;
  table["arith.shli"] = onIntegers<shifted<Shift::Left>>;
  table["arith.shrsi"] = onIntegers<shifted<Shift::RightSigned>>;
  table["arith.shrui"] = onIntegers<shifted<Shift::RightUnsigned>>;
  table["arith.xori"] = onIntegers<exclusiveOr>;
  table["arith.andi"] = conjunction<0>;
  table["arith.ori"] = conjunction<1>;
  table["arith.maxsi"] = integerExtremum<true, true>;
  table["arith.minsi"] = integerExtremum<false, true>;
  table["arith.maxui"] = integerExtremum<true, false>;
  table["arith.minui"] = integerExtremum<false, false>;
  table["arith.cmpi"] = static_cast<ScalarFunction>(compareIntegers);
  table["math.absi"] = [](Operands in, const Context &context) {
    return wrapped(static_cast<uint64_t>(std::abs(in[0]->integer)),
                   in[0]->bound, context);
  };
}

//===----------------------------------------------------------------------===//
// Conversions and choice
//===----------------------------------------------------------------------===//

static Scalar select(Operands in, const Context &context) {
  const Scalar &chosen = in[0]->integer ? *in[1] : *in[2];
  const Scalar &other = in[0]->integer ? *in[2] : *in[1];
  Scalar result = chosen;
  if (in[0]->bound == 0)
    return result;
  double apart = context.result.isFloat
                     ? distance(chosen.real, other.real)
                     : std::fabs(static_cast<double>(chosen.integer) -
                                 static_cast<double>(other.integer));
  result.bound = std::max(chosen.bound, apart + other.bound);
  if (std::isnan(result.bound))
    result.bound = kUndefined;
  return result;
}

template <bool isSigned>
static Scalar integerOfReal(Operands in, const Context &context) {
  Scalar whole = stepwise<std::trunc>(in, context);
  unsigned width = context.result.width;
  double low = isSigned ? -std::ldexp(1.0, static_cast<int>(width) - 1) : 0;
  double high = std::ldexp(1.0, static_cast<int>(width) - (isSigned ? 1 : 0));
  if (!(whole.real - whole.bound >= low && whole.real + whole.bound < high))
    return Scalar::ofInteger(0, kUndefined);
  int64_t value = isSigned
                      ? static_cast<int64_t>(whole.real)
                      : static_cast<int64_t>(static_cast<uint64_t>(whole.real));
  return Scalar::ofInteger(wrapToWidth(value, width), whole.bound);
}

/// Conversion of a signed value; an i1 that is true counts as -1.
static Scalar realOfSigned(Operands in, const Context &context) {
  bool isBool = context.operand.width == 1;
  double value = static_cast<double>(in[0]->integer);
  return rounded(isBool ? -value : value, in[0]->bound, context.result);
}

static Scalar realOfUnsigned(Operands in, const Context &context) {
  return rounded(
      static_cast<double>(unsignedOf(in[0]->integer, context.operand.width)),
      in[0]->bound, context.result);
}

static Scalar extendSigned(Operands in, const Context &context) {
  int64_t value = in[0]->integer;
  return wrapped(
      static_cast<uint64_t>(context.operand.width == 1 ? -value : value),
      in[0]->bound, context);
}

static Scalar extendUnsigned(Operands in, const Context &context) {
  return wrapped(unsignedOf(in[0]->integer, context.operand.width),
                 in[0]->bound, context);
}

static void addConversions(Table &table) {
  table["arith.select"] = select;
  table["arith.sitofp"] = realOfSigned;
  table["arith.uitofp"] = realOfUnsigned;
  table["arith.fptosi"] = integerOfReal<true>;
  table["arith.fptoui"] = integerOfReal<false>;
  table["arith.extsi"] = extendSigned;
  table["arith.extui"] = extendUnsigned;
  table["arith.index_cast"] = extendSigned;
  table["arith.index_castui"] = extendUnsigned;
  table["arith.trunci"] = [](Operands in, const Context &context) {
    return wrapped(static_cast<uint64_t>(in[0]->integer), in[0]->bound,
                   context);
  };
}

ScalarFunction turnip::reference::lookupScalarOp(llvm::StringRef name) {
  static const Table table = [] {
    Table made;
    addFloatOps(made);
    addFunctions(made);
    addIntegerOps(made);
    addConversions(made);
    return made;
  }();
  auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}
