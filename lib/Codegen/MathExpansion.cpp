//===- MathExpansion.cpp - Elementary functions without a library ---------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common functions on f32 use Cody-Waite reduction and the minimax
// polynomials of S. Moshier's Cephes library, good to about one unit in the
// last place. Rare ones are evaluated in f64 from exp, log and atan series and
// rounded once.
//
//===----------------------------------------------------------------------===//

#include "MathExpansion.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace turnip::codegen {

namespace {
/// Arithmetic on lane values of one float type, f32 or f64.
class Float {
public:
  Float(LaneBuilder &lanes, Type type) : l(lanes), type(type) {
    n = isa<VectorType>(type) ? cast<VectorType>(type).getNumElements() : 0;
    element = cast<FloatType>(getElementTypeOrSelf(type));
  }

  LaneBuilder &l;
  Type type;
  FloatType element;
  int64_t n;

  bool isDouble() const { return element.isF64(); }
  Type intType(unsigned bits) const {
    return LaneBuilder::laneType(l.b.getIntegerType(bits), n);
  }
  Value c(double v) const {
    return l.splat(
        arith::ConstantOp::create(l.b, l.loc, l.b.getFloatAttr(element, v)), n);
  }
  Value ci(int64_t v, unsigned bits = 32) const {
    return l.splat(
        arith::ConstantOp::create(
            l.b, l.loc, l.b.getIntegerAttr(l.b.getIntegerType(bits), v)),
        n);
  }
  Value add(Value x, Value y) const {
    return arith::AddFOp::create(l.b, l.loc, x, y);
  }
  Value sub(Value x, Value y) const {
    return arith::SubFOp::create(l.b, l.loc, x, y);
  }
  Value mul(Value x, Value y) const {
    return arith::MulFOp::create(l.b, l.loc, x, y);
  }
  Value div(Value x, Value y) const {
    return arith::DivFOp::create(l.b, l.loc, x, y);
  }
  Value neg(Value x) const { return arith::NegFOp::create(l.b, l.loc, x); }
  Value abs(Value x) const { return math::AbsFOp::create(l.b, l.loc, x); }
  Value sqrt(Value x) const { return math::SqrtOp::create(l.b, l.loc, x); }
  Value floor(Value x) const { return math::FloorOp::create(l.b, l.loc, x); }
  Value trunc(Value x) const { return math::TruncOp::create(l.b, l.loc, x); }
  Value rint(Value x) const { return math::RoundEvenOp::create(l.b, l.loc, x); }
  Value copysign(Value x, Value sign) const {
    return math::CopySignOp::create(l.b, l.loc, x, sign);
  }
  /// x * y + z, fused where the target fuses.
  Value fma(Value x, Value y, Value z) const {
    if (l.target.hasFMA())
      return math::FmaOp::create(l.b, l.loc, x, y, z);
    return add(mul(x, y), z);
  }
  Value cmp(arith::CmpFPredicate predicate, Value x, Value y) const {
    return arith::CmpFOp::create(l.b, l.loc, predicate, x, y);
  }
  Value lt(Value x, Value y) const {
    return cmp(arith::CmpFPredicate::OLT, x, y);
  }
  Value eq(Value x, Value y) const {
    return cmp(arith::CmpFPredicate::OEQ, x, y);
  }
  Value isNaN(Value x) const { return cmp(arith::CmpFPredicate::UNO, x, x); }
  Value select(Value condition, Value x, Value y) const {
    return arith::SelectOp::create(l.b, l.loc, condition, x, y);
  }
  Value infinity() const { return c(std::numeric_limits<double>::infinity()); }
  Value nan() const { return c(std::numeric_limits<double>::quiet_NaN()); }

  /// Horner's rule, highest power first.
  Value poly(Value x, ArrayRef<double> coefficients) const {
    Value result = c(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      result = fma(result, x, c(coefficient));
    return result;
  }
  /// x * 2^e for integral e (a float), in two steps: the result may be
  /// subnormal or overflow, neither factor does.
  Value scale(Value x, Value e) const {
    Value i = arith::FPToSIOp::create(l.b, l.loc, intType(32), e);
    Value first = arith::ShRSIOp::create(l.b, l.loc, i, ci(1));
    Value second = arith::SubIOp::create(l.b, l.loc, i, first);
    return mul(mul(x, exponent(first)), exponent(second));
  }
  /// 2^i as a float, for i32 lanes in the normal range.
  Value exponent(Value i) const {
    unsigned bits = isDouble() ? 64 : 32;
    int64_t bias = isDouble() ? 1023 : 127, shift = isDouble() ? 52 : 23;
    Value biased = arith::AddIOp::create(l.b, l.loc, i, ci(bias));
    if (isDouble())
      biased = arith::ExtSIOp::create(l.b, l.loc, intType(64), biased);
    Value field = arith::ShLIOp::create(l.b, l.loc, biased, ci(shift, bits));
    return arith::BitcastOp::create(l.b, l.loc, type, field);
  }

  Value exp(Value x) const;
  Value log(Value x) const;
  Value expm1(Value x) const;
  Value log1p(Value x) const;
  Value tanh(Value x) const;
  Value erf(Value x) const;
  Value erfc(Value x) const;
  Value sinOrCos(Value x, bool cosine) const;
  Value atan(Value x) const;
  Value pow(Value x, Value y) const;
  Value rem(Value x, Value y) const;

private:
  Value erfcTail(Value magnitude) const;
};
} // namespace

/// e^x. Reduction to |r| <= ln(2)/2.
Value Float::exp(Value x) const {
  double low = isDouble() ? -746.0 : -104.0, high = isDouble() ? 710.0 : 89.0;
  Value clamped = select(lt(x, c(low)), c(low), x);
  clamped = select(lt(c(high), clamped), c(high), clamped);
  Value e = rint(mul(clamped, c(1.4426950408889634074)));
  Value minus = neg(e);
  Value result;
  if (isDouble()) {
    Value r = fma(minus, c(6.93145751953125e-1), clamped);
    r = fma(minus, c(1.42860682030941723212e-6), r);
    SmallVector<double> taylor;
    double factorial = 1;
    for (int i = 1; i <= 13; ++i) {
      taylor.insert(taylor.begin(), 1.0 / factorial);
      factorial *= i;
    }
    result = poly(r, taylor);
  } else {
    Value r = fma(minus, c(0.693359375), clamped);
    r = fma(minus, c(-2.12194440e-4), r);
    Value p = poly(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
                       4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
    result = add(fma(p, mul(r, r), r), c(1.0));
  }
  return select(isNaN(x), x, scale(result, e));
}

/// ln(x): x = m * 2^e with m in [sqrt(1/2), sqrt(2)).
Value Float::log(Value x) const {
  unsigned bits = isDouble() ? 64 : 32, mantissa = isDouble() ? 52 : 23;
  int64_t bias = isDouble() ? 1023 : 127;
  double tiny = isDouble() ? 2.2250738585072014e-308 : 1.17549435e-38;
  double up = isDouble() ? 18014398509481984.0 : 33554432.0;
  Value small = lt(x, c(tiny));
  Value normal = select(small, mul(x, c(up)), x);
  Value adjust = select(small, c(isDouble() ? -54.0 : -25.0), c(0.0));

  Value pattern = arith::BitcastOp::create(l.b, l.loc, intType(bits), normal);
  Value biased =
      arith::ShRUIOp::create(l.b, l.loc, pattern, ci(mantissa, bits));
  if (isDouble())
    biased = arith::TruncIOp::create(l.b, l.loc, intType(32), biased);
  Value unbiased = arith::SubIOp::create(l.b, l.loc, biased, ci(bias));
  Value e = add(arith::SIToFPOp::create(l.b, l.loc, type, unbiased), adjust);
  int64_t mask = (int64_t(1) << mantissa) - 1;
  Value fraction = arith::AndIOp::create(l.b, l.loc, pattern, ci(mask, bits));
  Value one = ci(bias << mantissa, bits);
  Value m = arith::BitcastOp::create(
      l.b, l.loc, type, arith::OrIOp::create(l.b, l.loc, fraction, one));
  Value large = lt(c(1.41421356237309504880), m);
  m = select(large, mul(m, c(0.5)), m);
  e = select(large, add(e, c(1.0)), e);

  Value result;
  if (isDouble()) {
    Value s = div(sub(m, c(1.0)), add(m, c(1.0)));
    SmallVector<double> series;
    for (int i = 23; i >= 1; i -= 2)
      series.push_back(2.0 / i);
    result = mul(poly(mul(s, s), series), s);
    result = fma(e, c(1.90821492927058770002e-10), result);
    result = fma(e, c(6.93147180369123816490e-1), result);
  } else {
    Value t = sub(m, c(1.0)), z = mul(t, t);
    Value p = poly(t, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1,
                       -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
                       2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
    Value y = mul(mul(p, t), z);
    y = fma(e, c(-2.12194440e-4), y);
    y = fma(z, c(-0.5), y);
    result = fma(e, c(0.693359375), add(t, y));
  }
  result = select(eq(x, infinity()), x, result);
  result = select(eq(x, c(0.0)), neg(infinity()), result);
  return select(cmp(arith::CmpFPredicate::ULT, x, c(0.0)), nan(), result);
}

/// e^x - 1; (u - 1) * x / ln(u) cancels the error of u = e^x (Kahan).
Value Float::expm1(Value x) const {
  Value u = exp(x), less = sub(u, c(1.0));
  Value result = mul(less, div(x, log(u)));
  result = select(eq(u, c(1.0)), x, result);
  result = select(eq(less, c(-1.0)), less, result);
  return select(eq(u, infinity()), u, result);
}

Value Float::log1p(Value x) const {
  Value u = add(x, c(1.0)), logarithm = log(u);
  Value result = mul(logarithm, div(x, sub(u, c(1.0))));
  result = select(eq(u, c(1.0)), x, result);
  return select(eq(u, infinity()), u, result);
}

Value Float::tanh(Value x) const {
  Value magnitude = abs(x);
  Value e = exp(add(magnitude, magnitude));
  Value large = sub(c(1.0), div(c(2.0), add(e, c(1.0))));
  Value small;
  if (isDouble()) {
    Value m = expm1(add(magnitude, magnitude));
    small = div(m, add(m, c(2.0)));
  } else {
    Value z = mul(magnitude, magnitude);
    Value p = poly(z, {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2,
                       1.33314422036e-1, -3.33332819422e-1});
    small = fma(mul(p, z), magnitude, magnitude);
  }
  return copysign(select(lt(magnitude, c(0.625)), small, large), x);
}

/// erfc(a) for f32 a >= 1.
Value Float::erfcTail(Value a) const {
  Value q = div(c(1.0), a), y = mul(q, q);
  Value near = poly(
      y, {2.326819970068386e-2, -1.387039388740657e-1, 3.687424674597105e-1,
          -5.824733027278666e-1, 6.210004621745983e-1, -4.944515323274145e-1,
          3.404879937665872e-1, -2.741127028184656e-1, 5.638259427386472e-1});
  Value far =
      poly(y, {-1.047766399936249e1, 1.297719955372516e1, -7.495518717768503e0,
               2.921019019210786e0, -1.015265279202700e0, 4.218463358204948e-1,
               -2.820767439740514e-1, 5.641895067754075e-1});
  Value p = select(lt(a, c(2.0)), near, far);
  // exp(-a^2) from the rounded square and what the rounding lost.
  Value square = mul(a, a);
  Value gaussian = exp(neg(square));
  if (l.target.hasFMA()) {
    Value lost = math::FmaOp::create(l.b, l.loc, a, a, neg(square));
    gaussian = fma(neg(lost), gaussian, gaussian);
  }
  Value tail = mul(mul(gaussian, q), p);
  return select(lt(c(14.0), a), c(0.0), tail);
}

Value Float::erf(Value x) const {
  Value magnitude = abs(x), z = mul(x, x);
  Value small = mul(x, poly(z, {7.853861353153693e-5, -8.010193625184903e-4,
                                5.188327685732524e-3, -2.685381193529856e-2,
                                1.128358514861418e-1, -3.761262582423300e-1,
                                1.128379165726710e0}));
  Value large = copysign(sub(c(1.0), erfcTail(magnitude)), x);
  return select(lt(magnitude, c(1.0)), small, large);
}

Value Float::erfc(Value x) const {
  Value magnitude = abs(x);
  Value tail = erfcTail(magnitude);
  tail = select(lt(x, c(0.0)), sub(c(2.0), tail), tail);
  return select(lt(magnitude, c(1.0)), sub(c(1.0), erf(x)), tail);
}

/// sin or cos. The argument is reduced in f64, which for f32 arguments is
/// exact enough to 10^9; beyond, the result is only sure to be within [-1, 1].
Value Float::sinOrCos(Value x, bool cosine) const {
  Type wideType = LaneBuilder::laneType(l.b.getF64Type(), n);
  Float d(l, wideType);
  Value wide =
      isDouble() ? x : Value(arith::ExtFOp::create(l.b, l.loc, wideType, x));
  Value e = d.rint(d.mul(wide, d.c(0.63661977236758134308)));
  Value r = d.fma(d.neg(e), d.c(1.57079632673412561417), wide);
  r = d.fma(d.neg(e), d.c(6.07710050650619224932e-11), r);
  Value bound = d.c(0.78539816339744830962);
  r = d.select(d.lt(bound, r), bound, r);
  r = d.select(d.lt(r, d.neg(bound)), d.neg(bound), r);
  Value quarter = d.mul(e, d.c(0.25));
  Value turn = d.mul(d.sub(quarter, d.floor(quarter)), d.c(4.0));
  Value q = arith::FPToSIOp::create(l.b, l.loc, intType(32), turn);
  if (cosine)
    q = arith::AddIOp::create(l.b, l.loc, q, ci(1));

  Value sine, cosineValue;
  if (isDouble()) {
    Value z = mul(r, r);
    SmallVector<double> s, k;
    double factorial = 1;
    for (int i = 1; i <= 17; ++i) {
      factorial *= i;
      double sign = (i / 2) % 2 ? -1.0 : 1.0;
      (i % 2 ? s : k).insert((i % 2 ? s : k).begin(), sign / factorial);
    }
    k.push_back(1.0);
    sine = mul(r, poly(z, s));
    cosineValue = poly(z, k);
  } else {
    r = arith::TruncFOp::create(l.b, l.loc, type, r);
    Value z = mul(r, r);
    Value p = poly(z, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1});
    sine = fma(mul(p, z), r, r);
    Value k = poly(
        z, {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2});
    cosineValue = add(fma(mul(z, z), k, mul(z, c(-0.5))), c(1.0));
  }
  auto bit = [&](int64_t mask) -> Value {
    return arith::CmpIOp::create(l.b, l.loc, arith::CmpIPredicate::ne,
                                 arith::AndIOp::create(l.b, l.loc, q, ci(mask)),
                                 ci(0));
  };
  Value result = select(bit(1), cosineValue, sine);
  result = select(bit(2), neg(result), result);
  return select(lt(abs(x), infinity()), result, nan());
}

/// atan, f64: two halvings of the angle bring |x| below 0.2.
Value Float::atan(Value x) const {
  Value magnitude = abs(x), one = c(1.0);
  Value steep = lt(one, magnitude);
  Value t = select(steep, div(one, magnitude), magnitude);
  for (int i = 0; i < 2; ++i)
    t = div(t, add(one, sqrt(fma(t, t, one))));
  SmallVector<double> series;
  for (int i = 23; i >= 1; i -= 2)
    series.push_back((i / 2 % 2 ? -4.0 : 4.0) / i);
  Value angle = mul(t, poly(mul(t, t), series));
  angle = select(steep, sub(c(1.57079632679489661923), angle), angle);
  return copysign(angle, x);
}

/// x^y, f64.
Value Float::pow(Value x, Value y) const {
  Value result = exp(mul(y, log(abs(x))));
  Value whole = eq(rint(y), y);
  Value half = mul(y, c(0.5));
  Value odd = arith::AndIOp::create(
      l.b, l.loc, whole, cmp(arith::CmpFPredicate::UNE, rint(half), half));
  result = select(odd, copysign(result, x), result);
  Value bad = arith::AndIOp::create(l.b, l.loc, lt(x, c(0.0)),
                                    cmp(arith::CmpFPredicate::UNE, rint(y), y));
  result = select(bad, nan(), result);
  Value trivial =
      arith::OrIOp::create(l.b, l.loc, eq(y, c(0.0)), eq(x, c(1.0)));
  return select(trivial, c(1.0), result);
}

/// C's fmod, f64; exact while |x / y| < 2^53.
Value Float::rem(Value x, Value y) const {
  Value ax = abs(x), ay = abs(y);
  Value q = trunc(div(ax, ay));
  Value r = fma(neg(q), ay, ax);
  r = select(lt(r, c(0.0)), add(r, ay), r);
  r = select(cmp(arith::CmpFPredicate::OGE, r, ay), sub(r, ay), r);
  r = select(eq(ay, infinity()), ax, r);
  r = select(eq(ax, infinity()), nan(), r);
  return copysign(r, x);
}

/// Functions evaluated in f64 whatever the type.
static Value expandInDouble(StringRef name, const Float &d,
                            ArrayRef<Value> args) {
  Value x = args.front(), one = d.c(1.0), half = d.c(0.5);
  if (name == "math.powf")
    return d.pow(x, args[1]);
  if (name == "arith.remf")
    return d.rem(x, args[1]);
  if (name == "math.atan")
    return d.atan(x);
  if (name == "math.asin")
    return d.atan(d.div(x, d.sqrt(d.mul(d.sub(one, x), d.add(one, x)))));
  if (name == "math.acos") {
    Value t = d.sqrt(d.div(d.sub(one, x), d.add(one, x)));
    return d.mul(d.c(2.0), d.atan(t));
  }
  if (name == "math.atan2") {
    // atan2(y, x) with args (y, x).
    Value y = x, other = args[1], pi = d.c(3.14159265358979323846);
    Value angle = d.atan(d.abs(d.div(y, other)));
    Value both = arith::AndIOp::create(d.l.b, d.l.loc, d.eq(y, d.c(0.0)),
                                       d.eq(other, d.c(0.0)));
    angle = d.select(both, d.c(0.0), angle);
    Value left = d.lt(d.copysign(one, other), d.c(0.0));
    angle = d.select(left, d.sub(pi, angle), angle);
    return d.copysign(angle, y);
  }
  if (name == "math.sinh") {
    Value e = d.expm1(d.abs(x));
    Value r = d.mul(half, d.add(e, d.div(e, d.add(e, one))));
    return d.copysign(d.select(d.eq(e, d.infinity()), e, r), x);
  }
  if (name == "math.cosh") {
    Value e = d.exp(d.abs(x));
    return d.mul(half, d.add(e, d.div(one, e)));
  }
  if (name == "math.asinh") {
    Value a = d.abs(x);
    Value t = d.div(d.mul(a, a), d.add(one, d.sqrt(d.fma(a, a, one))));
    return d.copysign(d.log1p(d.add(a, t)), x);
  }
  if (name == "math.acosh") {
    Value t = d.sub(x, one);
    return d.log1p(d.add(t, d.sqrt(d.mul(t, d.add(t, d.c(2.0))))));
  }
  if (name == "math.atanh") {
    Value r = d.log1p(d.div(d.mul(d.c(2.0), x), d.sub(one, x)));
    return d.mul(half, r);
  }
  if (name == "math.cbrt") {
    Value a = d.abs(x);
    Value r = d.exp(d.div(d.log(a), d.c(3.0)));
    return d.copysign(r, x);
  }
  if (name == "math.tan")
    return d.div(d.sinOrCos(x, false), d.sinOrCos(x, true));
  return nullptr;
}

/// Functions evaluated in the type of their operands.
static Value expandDirect(StringRef name, const Float &f,
                          ArrayRef<Value> args) {
  Value x = args.front();
  if (name == "math.exp")
    return f.exp(x);
  if (name == "math.log")
    return f.log(x);
  if (name == "math.log2")
    return f.mul(f.log(x), f.c(1.44269504088896340736));
  if (name == "math.log10")
    return f.mul(f.log(x), f.c(0.43429448190325182765));
  if (name == "math.log1p")
    return f.log1p(x);
  if (name == "math.expm1")
    return f.expm1(x);
  if (name == "math.tanh")
    return f.tanh(x);
  if (name == "math.sin")
    return f.sinOrCos(x, false);
  if (name == "math.cos")
    return f.sinOrCos(x, true);
  if (name == "math.rsqrt")
    return f.div(f.c(1.0), f.sqrt(x));
  if (name == "math.erf" && !f.isDouble())
    return f.erf(x);
  if (name == "math.erfc" && !f.isDouble())
    return f.erfc(x);
  if (name == "math.fma")
    return f.fma(x, args[1], args[2]);
  if (name == "math.clampf")
    return arith::MinimumFOp::create(
        f.l.b, f.l.loc, arith::MaximumFOp::create(f.l.b, f.l.loc, x, args[1]),
        args[2]);
  if (name == "math.round") {
    // Half away from zero; 0.5 less one unit keeps 0.49999997 down.
    double almost = f.isDouble() ? 0x1.fffffffffffffp-2 : 0x1.fffffep-2;
    return f.trunc(f.add(x, f.copysign(f.c(almost), x)));
  }
  return nullptr;
}

/// Integer power by squaring; a negative exponent gives what 1 / x^|y| does.
static Value expandIPow(LaneBuilder &l, Value x, Value y) {
  Type type = x.getType();
  int64_t n = LaneBuilder::lanes(x);
  auto element = cast<IntegerType>(getElementTypeOrSelf(type));
  auto c = [&](int64_t v) {
    return l.splat(
        arith::ConstantOp::create(l.b, l.loc, l.b.getIntegerAttr(element, v)),
        n);
  };
  auto cmp = [&](arith::CmpIPredicate p, Value a, Value b) -> Value {
    return arith::CmpIOp::create(l.b, l.loc, p, a, b);
  };
  Value result = c(1), base = x, rest = y;
  for (unsigned i = 0; i + 1 < element.getWidth(); ++i) {
    Value bit = arith::AndIOp::create(l.b, l.loc, rest, c(1));
    Value next = arith::MulIOp::create(l.b, l.loc, result, base);
    result = arith::SelectOp::create(
        l.b, l.loc, cmp(arith::CmpIPredicate::ne, bit, c(0)), next, result);
    base = arith::MulIOp::create(l.b, l.loc, base, base);
    rest = arith::ShRSIOp::create(l.b, l.loc, rest, c(1));
  }
  Value odd = cmp(arith::CmpIPredicate::ne,
                  arith::AndIOp::create(l.b, l.loc, y, c(1)), c(0));
  Value minusOne = arith::SelectOp::create(l.b, l.loc, odd, c(-1), c(1));
  Value inverse = arith::SelectOp::create(
      l.b, l.loc, cmp(arith::CmpIPredicate::eq, x, c(-1)), minusOne, c(0));
  inverse = arith::SelectOp::create(
      l.b, l.loc, cmp(arith::CmpIPredicate::eq, x, c(1)), c(1), inverse);
  return arith::SelectOp::create(
      l.b, l.loc, cmp(arith::CmpIPredicate::slt, y, c(0)), inverse, result);
}

Value expandSinOrCos(LaneBuilder &lanes, Value x, bool cosine) {
  return Float(lanes, x.getType()).sinOrCos(x, cosine);
}

Value expandMath(LaneBuilder &lanes, Operation *op, ArrayRef<Value> operands) {
  if (operands.empty())
    return nullptr;
  StringRef name = op->getName().getStringRef();
  if (name == "math.ipowi")
    return expandIPow(lanes, operands[0], operands[1]);
  Type type = operands.front().getType();
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  if (!element)
    return nullptr;
  SmallVector<Value> args(operands);
  if (name == "math.fpowi") {
    args[1] = arith::SIToFPOp::create(lanes.b, lanes.loc, type, args[1]);
    name = "math.powf";
  }
  Float f(lanes, type);
  if (name == "math.exp2") {
    // 2^x = 2^n * e^(r ln 2) with n integral: exact powers stay exact.
    double low = f.isDouble() ? -1076 : -151, high = f.isDouble() ? 1025 : 129;
    Value x = f.select(f.lt(args[0], f.c(low)), f.c(low), args[0]);
    x = f.select(f.lt(f.c(high), x), f.c(high), x);
    Value n = f.rint(x);
    Value r = f.exp(f.mul(f.sub(x, n), f.c(0.69314718055994530942)));
    return f.select(f.isNaN(args[0]), args[0], f.scale(r, n));
  }
  if (Value direct = expandDirect(name, f, args))
    return direct;
  bool inDouble = llvm::StringSwitch<bool>(name)
                      .Cases({"math.powf", "arith.remf", "math.atan",
                              "math.asin", "math.acos", "math.atan2"},
                             true)
                      .Cases({"math.sinh", "math.cosh", "math.asinh",
                              "math.acosh", "math.atanh", "math.cbrt"},
                             true)
                      .Case("math.tan", true)
                      .Default(false);
  if (!inDouble)
    return nullptr;
  Type wide = LaneBuilder::laneType(lanes.b.getF64Type(), f.n);
  if (!f.isDouble())
    for (Value &arg : args)
      arg = arith::ExtFOp::create(lanes.b, lanes.loc, wide, arg);
  Value result = expandInDouble(name, Float(lanes, wide), args);
  if (!f.isDouble())
    result = arith::TruncFOp::create(lanes.b, lanes.loc, type, result);
  return result;
}

bool isTranscendental(Operation *op) {
  return llvm::StringSwitch<bool>(op->getName().getStringRef())
      .Cases({"math.absf", "math.absi", "math.floor", "math.ceil", "math.trunc",
              "math.round", "math.roundeven", "math.copysign"},
             false)
      .Cases({"math.fma", "math.clampf", "math.ctlz", "math.cttz", "math.ctpop",
              "math.isnan", "math.isinf", "math.isfinite"},
             false)
      .Cases({"arith.divf", "arith.remf", "arith.divsi", "arith.remsi",
              "arith.divui", "arith.remui"},
             true)
      .Default(isa<math::MathDialect>(op->getDialect()));
}

} // namespace turnip::codegen
