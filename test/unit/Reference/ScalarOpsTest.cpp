//===- ScalarOpsTest.cpp - Scalar operations at their corners -------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Reference/ScalarOps.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace turnip::reference;

namespace {
class ScalarOpsTest : public ::testing::Test {
protected:
  ScalarKind kind(Type type) { return ScalarKind::get(type).first; }
  ScalarKind integer(unsigned width) {
    return kind(IntegerType::get(&context, width));
  }
  ScalarKind f32() { return kind(Float32Type::get(&context)); }

  Scalar apply(const char *name, Scalar a, Scalar b, ScalarContext scalars) {
    ScalarFunction function = lookupScalarOp(name);
    EXPECT_NE(function, nullptr) << name;
    const Scalar *in[] = {&a, &b, &b};
    return function ? function(in, scalars) : Scalar();
  }
  int64_t onInts(const char *name, int64_t a, int64_t b, unsigned width) {
    Scalar result = apply(name, Scalar::ofInteger(a), Scalar::ofInteger(b),
                          {integer(width), integer(width), 0});
    EXPECT_EQ(result.bound, 0) << name;
    return result.integer;
  }
  Scalar onReals(const char *name, Scalar a, Scalar b = {}) {
    return apply(name, a, b, {f32(), f32(), 0});
  }

  MLIRContext context;
};
} // namespace

TEST_F(ScalarOpsTest, IntegersWrapAtTheirWidth) {
  EXPECT_EQ(onInts("arith.addi", 127, 1, 8), -128);
  EXPECT_EQ(onInts("arith.subi", -128, 1, 8), 127);
  EXPECT_EQ(onInts("arith.muli", 1 << 20, 1 << 20, 32), 0);
  EXPECT_EQ(onInts("arith.addi", 1, 1, 1), 0);
  EXPECT_EQ(onInts("arith.shli", 3, 7, 8), -128);
  EXPECT_EQ(onInts("arith.shrsi", -128, 7, 8), -1);
  EXPECT_EQ(onInts("arith.shrui", -128, 7, 8), 1);
  EXPECT_EQ(onInts("arith.divui", -1, 2, 8), 127);
  EXPECT_EQ(onInts("arith.remui", -1, 10, 8), 5);
  EXPECT_EQ(onInts("arith.divsi", -7, 2, 32), -3);
  EXPECT_EQ(onInts("arith.floordivsi", -7, 2, 32), -4);
  EXPECT_EQ(onInts("arith.ceildivsi", 7, 2, 32), 4);
  EXPECT_EQ(onInts("arith.remsi", -7, 2, 32), -1);
  EXPECT_EQ(onInts("arith.maxui", -1, 1, 8), -1);
  EXPECT_EQ(onInts("arith.maxsi", -1, 1, 8), 1);
  EXPECT_EQ(onInts("arith.minui", -1, 1, 8), 1);
}

TEST_F(ScalarOpsTest, UndefinedIntegersAdmitEveryValue) {
  ScalarContext context = {integer(8), integer(8), 0};
  for (const char *name :
       {"arith.divsi", "arith.remsi", "arith.divui", "arith.remui"})
    EXPECT_EQ(
        apply(name, Scalar::ofInteger(1), Scalar::ofInteger(0), context).bound,
        kUndefined);
  EXPECT_EQ(apply("arith.divsi", Scalar::ofInteger(-128), Scalar::ofInteger(-1),
                  context)
                .bound,
            kUndefined);
  EXPECT_EQ(
      apply("arith.shli", Scalar::ofInteger(1), Scalar::ofInteger(8), context)
          .bound,
      kUndefined);
}

TEST_F(ScalarOpsTest, BoolsAreMinusOneWhenSigned) {
  ScalarContext toI32 = {integer(1), integer(32), 0};
  Scalar yes = Scalar::ofInteger(1);
  EXPECT_EQ(apply("arith.extsi", yes, {}, toI32).integer, -1);
  EXPECT_EQ(apply("arith.extui", yes, {}, toI32).integer, 1);
  ScalarContext toF32 = {integer(1), f32(), 0};
  EXPECT_EQ(apply("arith.sitofp", yes, {}, toF32).real, -1);
  EXPECT_EQ(apply("arith.uitofp", yes, {}, toF32).real, 1);
  // Signed, true is less than false.
  ScalarContext less = {integer(1), integer(1), 2};
  EXPECT_EQ(apply("arith.cmpi", yes, Scalar::ofInteger(0), less).integer, 1);
}

TEST_F(ScalarOpsTest, BoundsGrowWithOperands) {
  double unit = std::ldexp(1.0, -24);
  Scalar sum = onReals("arith.addf", Scalar::ofReal(1), Scalar::ofReal(2));
  EXPECT_EQ(sum.real, 3);
  EXPECT_NEAR(sum.bound, 3 * unit, unit * 1e-6);
  Scalar blurred = Scalar::ofReal(2, 0.5);
  Scalar product = onReals("arith.mulf", blurred, Scalar::ofReal(3));
  EXPECT_NEAR(product.bound, 1.5, 1e-5);
  Scalar quotient = onReals("arith.divf", Scalar::ofReal(1), blurred);
  EXPECT_GE(quotient.bound, 1 / 1.5 - 0.5);
  Scalar byZero =
      onReals("arith.divf", Scalar::ofReal(1), Scalar::ofReal(0.25, 0.5));
  EXPECT_EQ(byZero.bound, kUndefined);
  Scalar logarithm = onReals("math.log", Scalar::ofReal(0.25, 0.5));
  EXPECT_EQ(logarithm.bound, kUndefined);
  EXPECT_EQ(onReals("math.exp", Scalar::ofReal(100)).bound, kUndefined);
}

TEST_F(ScalarOpsTest, InfinitiesAreExact) {
  double inf = std::numeric_limits<double>::infinity();
  Scalar shifted =
      onReals("arith.subf", Scalar::ofReal(-inf), Scalar::ofReal(3, 0.1));
  EXPECT_EQ(shifted.real, -inf);
  EXPECT_EQ(shifted.bound, 0);
  Scalar zero = onReals("math.exp", shifted);
  EXPECT_EQ(zero.real, 0);
  EXPECT_EQ(zero.bound, 0);
  EXPECT_EQ(
      onReals("arith.subf", Scalar::ofReal(inf), Scalar::ofReal(inf)).bound,
      kUndefined);
  Scalar chosen =
      onReals("arith.maximumf", Scalar::ofReal(-inf), Scalar::ofReal(1, 0.25));
  EXPECT_EQ(chosen.real, 1);
  EXPECT_EQ(chosen.bound, 0.25);
}

TEST_F(ScalarOpsTest, ComparisonsNearATieAreUnsure) {
  ScalarContext less = {f32(), integer(1), 4};
  Scalar sure =
      apply("arith.cmpf", Scalar::ofReal(1, 0.1), Scalar::ofReal(2, 0.1), less);
  EXPECT_EQ(sure.integer, 1);
  EXPECT_EQ(sure.bound, 0);
  Scalar unsure =
      apply("arith.cmpf", Scalar::ofReal(1, 0.6), Scalar::ofReal(2, 0.6), less);
  EXPECT_EQ(unsure.bound, 1);
  Scalar condition = unsure, yes = Scalar::ofReal(5), no = Scalar::ofReal(7);
  const Scalar *in[] = {&condition, &yes, &no};
  Scalar selected = lookupScalarOp("arith.select")(in, {integer(1), f32(), 0});
  EXPECT_EQ(selected.real, 5);
  EXPECT_EQ(selected.bound, 2);
}

TEST_F(ScalarOpsTest, StepsAreExactAwayFromAJump) {
  EXPECT_EQ(onReals("math.floor", Scalar::ofReal(2.5, 0.25)).bound, 0);
  EXPECT_EQ(onReals("math.floor", Scalar::ofReal(2.1, 0.25)).bound, 1);
  ScalarContext toI8 = {f32(), integer(8), 0};
  EXPECT_EQ(apply("arith.fptosi", Scalar::ofReal(-3.7), {}, toI8).integer, -3);
  EXPECT_EQ(apply("arith.fptosi", Scalar::ofReal(200), {}, toI8).bound,
            kUndefined);
  EXPECT_EQ(apply("arith.fptoui", Scalar::ofReal(200), {}, toI8).integer, -56);
}

TEST_F(ScalarOpsTest, UnknownNamesHaveNoFunction) {
  EXPECT_EQ(lookupScalarOp("arith.bitcast"), nullptr);
}
