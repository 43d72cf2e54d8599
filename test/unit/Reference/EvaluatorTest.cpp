//===- EvaluatorTest.cpp - The evaluator against values by hand -----------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Reference/Evaluator.h"

#include "turnip/Dialect/Ein/IR/Ein.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::reference;

namespace {
class EvaluatorTest : public ::testing::Test {
protected:
  EvaluatorTest() {
    context.loadDialect<ein::EinDialect, func::FuncDialect, arith::ArithDialect,
                        math::MathDialect>();
    context.allowUnregisteredDialects();
  }

  func::FuncOp parse(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return *module->getOps<func::FuncOp>().begin();
  }

  RankedTensorType type(ArrayRef<int64_t> shape, Type element) {
    return RankedTensorType::get(shape, element);
  }
  Tensor f32(ArrayRef<int64_t> shape, ArrayRef<double> values) {
    return Tensor::ofReals(type(shape, Float32Type::get(&context)), values);
  }
  Tensor i32(ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
    return Tensor::ofIntegers(type(shape, IntegerType::get(&context, 32)),
                              values);
  }

  /// Runs the only function of \p text; fails the test on an error.
  SmallVector<Tensor> run(const std::string &text, ArrayRef<Tensor> inputs,
                          EvaluateOptions options = {}) {
    auto results = evaluate(parse(text), inputs, parameters, options);
    EXPECT_TRUE(results.isOk()) << results.status().message();
    return results ? *results : SmallVector<Tensor>();
  }

  void expectReals(const Tensor &tensor, std::vector<double> wanted) {
    EXPECT_EQ(std::vector<double>(tensor.getReals()), wanted);
  }
  void expectIntegers(const Tensor &tensor, std::vector<int64_t> wanted) {
    ASSERT_EQ(tensor.getNumElements(), int64_t(wanted.size()));
    for (size_t i = 0; i < wanted.size(); ++i)
      EXPECT_EQ(tensor.get(i).integer, wanted[i]) << "element " << i;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  ParameterFn parameters;
};
} // namespace

static const char *const kMatmul = R"mlir(
func.func @f(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>) -> tensor<2x2xf32> {
  %y = ein.einsum "lk,nk->ln" sum(%x, %w) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
})mlir";

TEST_F(EvaluatorTest, ContractionBothWays) {
  Tensor x = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  Tensor w = f32({2, 3}, {1, 0, -1, 2, 1, 0});
  // Row 0: 1-3, 2+2; row 1: 4-6, 8+5.
  for (bool trackBounds : {false, true}) {
    auto results = run(kMatmul, {x, w}, {trackBounds});
    ASSERT_EQ(results.size(), 1u);
    expectReals(results[0], {-2, 4, -2, 13});
    EXPECT_EQ(results[0].isExact(), !trackBounds);
  }
}

TEST_F(EvaluatorTest, ContractionBoundFollowsTheCondition) {
  // 1e6 * 1 - 1e6 * 1 + 1: the bound is of the size of the terms' rounding,
  // although the result is 1.
  auto results = run(
      kMatmul,
      {f32({2, 3}, {1e6, -1e6, 1, 1, 1, 1}), f32({2, 3}, {1, 1, 1, 1, 1, 1})},
      {true});
  Scalar cancelled = results[0].get(0), plain = results[0].get(2);
  double unit = std::ldexp(1.0, -24);
  EXPECT_EQ(cancelled.real, 1);
  EXPECT_GE(cancelled.bound, 2 * 2000001 * unit);
  EXPECT_LE(cancelled.bound, 4 * 2000001 * unit);
  EXPECT_EQ(plain.real, 3);
  EXPECT_LE(plain.bound, 12 * unit);
}

TEST_F(EvaluatorTest, BatchesAndSeveralContractedLabels) {
  const char *text = R"mlir(
func.func @f(%x: tensor<2x2x2xf32>, %w: tensor<2x2x2xf32>) -> tensor<2xf32> {
  %y = ein.einsum "bij,bji->b" sum(%x, %w) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
})mlir";
  Tensor x = f32({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  // Traces of products: 1*1+2*3+3*2+4*4 and 25+6*7+7*6+64.
  for (bool trackBounds : {false, true})
    expectReals(run(text, {x, x}, {trackBounds})[0], {29, 173});
}

TEST_F(EvaluatorTest, CombinersOnFloats) {
  auto text = [](const char *combiner) {
    return std::string("func.func @f(%x: tensor<2x3xf32>) -> tensor<2xf32> {\n"
                       "  %y = ein.einsum \"lk->l\" ") +
           combiner +
           R"mlir((%x) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<2x3xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
})mlir";
  };
  Tensor x = f32({2, 3}, {1, -2, 3, 4, 0.5, 2});
  expectReals(run(text("sum"), {x})[0], {2, 6.5});
  expectReals(run(text("prod"), {x})[0], {-6, 4});
  expectReals(run(text("max"), {x})[0], {3, 4});
  expectReals(run(text("min"), {x})[0], {-2, 0.5});
}

TEST_F(EvaluatorTest, CombinersOnIntegersWrap) {
  const char *text = R"mlir(
func.func @f(%x: tensor<3xi8>) -> (tensor<i8>, tensor<i8>, tensor<i8>) {
  %s = ein.einsum "k->" sum(%x) {
  ^bb0(%a: i8):
    ein.yield %a : i8
  } : (tensor<3xi8>) -> tensor<i8>
  %m = ein.einsum "k->" max(%x) {
  ^bb0(%a: i8):
    ein.yield %a : i8
  } : (tensor<3xi8>) -> tensor<i8>
  %n = ein.einsum "k->" xor(%x) {
  ^bb0(%a: i8):
    ein.yield %a : i8
  } : (tensor<3xi8>) -> tensor<i8>
  return %s, %m, %n : tensor<i8>, tensor<i8>, tensor<i8>
})mlir";
  Tensor x = Tensor::ofIntegers(type({3}, IntegerType::get(&context, 8)),
                                {100, 100, -1});
  auto results = run(text, {x});
  expectIntegers(results[0], {-57});
  expectIntegers(results[1], {100});
  expectIntegers(results[2], {-1});
}

TEST_F(EvaluatorTest, PositionsMasksAndSelect) {
  const char *text = R"mlir(
func.func @f(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %y = ein.einsum "lm->lm"(%x) {
  ^bb0(%a: f32):
    %l = ein.index "l" : index
    %m = ein.index "m" : index
    %keep = arith.cmpi sle, %m, %l : index
    %off = arith.constant 0xFF800000 : f32
    %r = arith.select %keep, %a, %off : f32
    ein.yield %r : f32
  } : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return %y : tensor<3x3xf32>
})mlir";
  double inf = std::numeric_limits<double>::infinity();
  for (bool trackBounds : {false, true})
    expectReals(
        run(text, {f32({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})}, {trackBounds})[0],
        {1, -inf, -inf, 4, 5, -inf, 7, 8, 9});
}

TEST_F(EvaluatorTest, BroadcastTransposeAndNoOperands) {
  const char *text = R"mlir(
func.func @f(%x: tensor<2x1x3xf32>) -> (tensor<3x2x2x1xf32>, tensor<3xi64>) {
  %y = ein.einsum "acb->brac"(%x) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<2x1x3xf32>) -> tensor<3x2x2x1xf32>
  %i = ein.einsum "->i"() {
    %p = ein.index "i" : index
    %v = arith.index_cast %p : index to i64
    ein.yield %v : i64
  } : () -> tensor<3xi64>
  return %y, %i : tensor<3x2x2x1xf32>, tensor<3xi64>
})mlir";
  auto results = run(text, {f32({2, 1, 3}, {1, 2, 3, 4, 5, 6})});
  expectReals(results[0], {1, 4, 1, 4, 2, 5, 2, 5, 3, 6, 3, 6});
  expectIntegers(results[1], {0, 1, 2});
}

TEST_F(EvaluatorTest, SliceConcatReshapeGather) {
  const char *text = R"mlir(
func.func @f(%x: tensor<3x4xf32>, %i: tensor<2x2xi32>)
    -> (tensor<2x2xf32>, tensor<3x6xf32>, tensor<2x2x4xf32>) {
  %s = ein.slice %x [1, 0] [2, 2] [1, 3] : tensor<3x4xf32> to tensor<2x2xf32>
  %t = ein.slice %x [0, 0] [3, 2] [1, 1] : tensor<3x4xf32> to tensor<3x2xf32>
  %c = ein.concat %x, %t dim 1
      : (tensor<3x4xf32>, tensor<3x2xf32>) -> tensor<3x6xf32>
  %g = ein.gather %x[%i]
      : (tensor<3x4xf32>, tensor<2x2xi32>) -> tensor<2x2x4xf32>
  return %s, %c, %g : tensor<2x2xf32>, tensor<3x6xf32>, tensor<2x2x4xf32>
})mlir";
  Tensor x = f32({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  // Index -1 reads row 0 and index 7 reads row 2.
  auto results = run(text, {x, i32({2, 2}, {1, -1, 7, 2})});
  expectReals(results[0], {4, 7, 8, 11});
  expectReals(results[1],
              {0, 1, 2, 3, 0, 1, 4, 5, 6, 7, 4, 5, 8, 9, 10, 11, 8, 9});
  expectReals(results[2], {4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11, 8, 9, 10, 11});
}

TEST_F(EvaluatorTest, FusedSoftmaxWithParameterAndConstant) {
  const char *text = R"mlir(
func.func @f() -> tensor<1x2xf32> {
  %x = ein.parameter "x" : tensor<1x2xf32>
  %c = ein.constant dense<[[0.0, 1.0986122886681098]]> : tensor<1x2xf32>
  %z = ein.einsum "ld,ld->ld"(%x, %c) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    ein.yield %r : f32
  } : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  %y = ein.fused "ld->ld" parallel "l"(%z) {
  ^bb0(%t: tensor<1x2xf32>):
    %m = ein.einsum "ld->l" max(%t) {
    ^bb0(%a: f32):
      ein.yield %a : f32
    } : (tensor<1x2xf32>) -> tensor<1xf32>
    %e = ein.einsum "ld,l->ld"(%t, %m) {
    ^bb0(%a: f32, %b: f32):
      %d = arith.subf %a, %b : f32
      %r = math.exp %d : f32
      ein.yield %r : f32
    } : (tensor<1x2xf32>, tensor<1xf32>) -> tensor<1x2xf32>
    %s = ein.einsum "ld->l" sum(%e) {
    ^bb0(%a: f32):
      ein.yield %a : f32
    } : (tensor<1x2xf32>) -> tensor<1xf32>
    %r = ein.einsum "ld,l->ld"(%e, %s) {
    ^bb0(%a: f32, %b: f32):
      %d = arith.divf %a, %b : f32
      ein.yield %d : f32
    } : (tensor<1x2xf32>, tensor<1xf32>) -> tensor<1x2xf32>
    ein.yield %r : tensor<1x2xf32>
  } : (tensor<1x2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
})mlir";
  parameters = [&](StringRef name, RankedTensorType) -> Expected<Tensor> {
    EXPECT_EQ(name, "x");
    return f32({2}, {1, 1});
  };
  // exp(1) : exp(1 + ln 3) is 1 : 3.
  auto results = run(text, {}, {true});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_NEAR(results[0].get(0).real, 0.25, 1e-7);
  EXPECT_NEAR(results[0].get(1).real, 0.75, 1e-7);
  EXPECT_GT(results[0].get(0).bound, 0);
  EXPECT_LT(results[0].get(0).bound, 1e-5);
}

TEST_F(EvaluatorTest, TruncationOnlyWidensTheBound) {
  const char *text = R"mlir(
func.func @f(%x: tensor<1xf32>) -> tensor<1xbf16> {
  %y = ein.einsum "k->k"(%x) {
  ^bb0(%a: f32):
    %r = arith.truncf %a : f32 to bf16
    ein.yield %r : bf16
  } : (tensor<1xf32>) -> tensor<1xbf16>
  return %y : tensor<1xbf16>
})mlir";
  auto results = run(text, {f32({1}, {1.2345})}, {true});
  double stored = static_cast<float>(1.2345);
  EXPECT_EQ(results[0].get(0).real, stored);
  EXPECT_NEAR(results[0].get(0).bound, stored / 256, 1e-6);
  // The value rounded to bf16 is within the bound, its neighbours are not.
  auto at = [&](double value) {
    Tensor actual = Tensor::ofReals(results[0].getType(), {value});
    return findMismatch(results[0], actual).has_value();
  };
  EXPECT_FALSE(at(1.2345));
  EXPECT_TRUE(at(1.2345 + 1.0 / 128));
  EXPECT_TRUE(at(1.2345 - 1.0 / 128));
}

TEST_F(EvaluatorTest, BlockWithScalars) {
  const char *text = R"mlir(
func.func @f(%x: tensor<2xi64>, %off: index) -> tensor<2xi64> {
  %two = arith.constant 2 : index
  %o = arith.muli %off, %two : index
  %y = ein.einsum "i->i"(%x) {
  ^bb0(%a: i64):
    %i = ein.index "i" : index
    %j = arith.addi %i, %o : index
    %k = arith.index_cast %j : index to i64
    %r = arith.addi %a, %k : i64
    ein.yield %r : i64
  } : (tensor<2xi64>) -> tensor<2xi64>
  return %y : tensor<2xi64>
})mlir";
  Tensor x =
      Tensor::ofIntegers(type({2}, IntegerType::get(&context, 64)), {100, 200});
  auto results = evaluateBlock(parse(text).front(), {x}, {5}, parameters);
  ASSERT_TRUE(results.isOk()) << results.status().message();
  expectIntegers((*results)[0], {110, 211});
}

TEST_F(EvaluatorTest, ErrorsNameTheOperation) {
  func::FuncOp function = parse(R"mlir(
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %r = math.sqrt %a : f32
    %b = arith.bitcast %r : f32 to i32
    %c = arith.bitcast %b : i32 to f32
    ein.yield %c : f32
  } : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
})mlir");
  Tensor x = f32({2}, {1, 4});
  auto results = evaluate(function, {x}, parameters);
  ASSERT_FALSE(results.isOk());
  EXPECT_NE(results.status().message().find(
                "the evaluator does not know this operation"),
            std::string::npos);
  EXPECT_NE(results.status().message().find("arith.bitcast"),
            std::string::npos);

  results = evaluate(function, {f32({3}, {1, 2, 3})}, parameters);
  ASSERT_FALSE(results.isOk());
  EXPECT_NE(results.status().message().find("expected argument 0 to be "
                                            "tensor<2xf32>, but got "
                                            "tensor<3xf32>"),
            std::string::npos);
  results = evaluate(function, {}, parameters);
  EXPECT_NE(results.status().message().find("expected 1 arguments, but got 0"),
            std::string::npos);

  function = parse(R"mlir(
func.func @f() -> tensor<2xf32> {
  %p = ein.parameter "w" : tensor<2xf32>
  return %p : tensor<2xf32>
})mlir");
  results = evaluate(function, {}, parameters);
  EXPECT_NE(results.status().message().find("no parameters were given"),
            std::string::npos);
  parameters = [&](StringRef, RankedTensorType) -> Expected<Tensor> {
    return f32({3}, {1, 2, 3});
  };
  results = evaluate(function, {}, parameters);
  EXPECT_NE(results.status().message().find(
                "expected parameter 'w' to be tensor<2xf32>, but got "
                "tensor<3xf32>"),
            std::string::npos);
}

TEST_F(EvaluatorTest, BytesAreWhatTheRuntimeStores) {
  for (Type element :
       {Type(Float16Type::get(&context)), Type(BFloat16Type::get(&context)),
        Type(Float32Type::get(&context))}) {
    Tensor tensor = Tensor::ofReals(type({3}, element), {1, -2.5, 1e-3});
    auto again = Tensor::ofBytes(tensor.getType(), tensor.toBytes());
    ASSERT_TRUE(again.isOk());
    EXPECT_EQ(std::vector<double>(again->getReals()),
              std::vector<double>(tensor.getReals()));
  }
  Tensor bools =
      Tensor::ofIntegers(type({3}, IntegerType::get(&context, 1)), {1, 0, 1});
  EXPECT_EQ(bools.toBytes(), std::string("\1\0\1", 3));
  auto bad = Tensor::ofBytes(bools.getType(), std::string("\1\0", 2));
  ASSERT_FALSE(bad.isOk());
  EXPECT_EQ(bad.status().message(), "expected 3 bytes of data, but got 2");
}
