//===- MathTest.cpp - Elementary functions and conversions ------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRunner.h"
#include "llvm/Support/FormatVariadic.h"

using namespace turnip::test;
using llvm::formatv;

namespace {

std::string unary(const std::string &op, const char *type, int size) {
  return formatv(R"(
func.func @k(%x: tensor<{2}x{1}>) -> tensor<{2}x{1}> {{
  %e = tensor.empty() : tensor<{2}x{1}>
  %r = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<{2}x{1}>) outs(%e : tensor<{2}x{1}>) {{
  ^bb0(%a: {1}, %o: {1}):
    %v = {0} %a : {1}
    linalg.yield %v : {1}
  } -> tensor<{2}x{1}>
  return %r : tensor<{2}x{1}>
})",
                 op, type, size);
}

struct Function {
  const char *name;
  double low, high, tolerance;
};

class Unary : public testing::TestWithParam<Function> {};

TEST_P(Unary, IsAccurate) {
  Function f = GetParam();
  for (const char *target : {"x86-64-v2", "x86-64-v3"}) {
    CheckOptions options;
    options.target = target;
    options.inputs = {f.low, f.high, 5};
    options.tolerance = f.tolerance;
    options.floor = 0;
    checkKernel(unary(f.name, "f32", 4099), options);
    // Near zero, where relative accuracy is hardest.
    options.inputs = {f.low * 1e-3, std::min(f.high, 1.0) * 1e-3, 6};
    if (f.low <= 0)
      checkKernel(unary(f.name, "f32", 1027), options);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Functions, Unary,
    testing::Values(
        Function{"math.exp", -100, 88, 2.5e-7},
        Function{"math.exp2", -120, 127, 2.5e-7},
        Function{"math.expm1", -20, 20, 5e-7},
        Function{"math.log", 1e-30, 1e6, 2.5e-7},
        Function{"math.log", 0.5, 2, 2.5e-7},
        Function{"math.log2", 0.5, 2, 4e-7},
        Function{"math.log10", 1e-3, 1e5, 4e-7},
        Function{"math.log1p", -0.9, 10, 5e-7},
        Function{"math.tanh", -10, 10, 3e-7}, Function{"math.erf", -5, 5, 4e-7},
        Function{"math.erfc", -5, 5, 2e-6},
        Function{"math.rsqrt", 1e-6, 1e6, 2e-7},
        Function{"math.sqrt", 0, 1e6, 1e-7},
        Function{"math.atan", -50, 50, 2e-7},
        Function{"math.asin", -1, 1, 2e-7}, Function{"math.acos", -1, 1, 2e-7},
        Function{"math.sinh", -20, 20, 2e-7},
        Function{"math.cosh", -20, 20, 2e-7},
        Function{"math.asinh", -1e4, 1e4, 2e-7},
        Function{"math.acosh", 1, 1e4, 2e-7},
        Function{"math.atanh", -0.999, 0.999, 2e-7},
        Function{"math.cbrt", -1e3, 1e3, 2e-7},
        Function{"math.floor", -9, 9, 0}, Function{"math.ceil", -9, 9, 0},
        Function{"math.trunc", -9, 9, 0}, Function{"math.round", -9, 9, 0},
        Function{"math.roundeven", -9, 9, 0}, Function{"math.absf", -9, 9, 0}));

TEST(Math, TrigonometricOnLargeArguments) {
  for (const char *name : {"math.sin", "math.cos"}) {
    CheckOptions options;
    options.inputs = {-1e4, 1e4, 5};
    options.tolerance = 2e-7;
    options.floor = 1;
    checkKernel(unary(name, "f32", 8191), options);
    options.inputs = {-3, 3, 5};
    checkKernel(unary(name, "f32", 257), options);
  }
}

TEST(Math, NarrowAndWideTypes) {
  for (const char *type : {"f16", "bf16", "f64"})
    for (const char *name : {"math.exp", "math.tanh", "math.sin", "math.sqrt",
                             "math.log1p", "math.absf"}) {
      CheckOptions options;
      options.inputs = {0.1, 4, 5};
      options.tolerance = 1e-12;
      checkKernel(unary(name, type, 77), options);
    }
}

TEST(Math, Binary) {
  for (auto [name, low, high] :
       {std::tuple("math.powf", 0.01, 9.0), std::tuple("math.atan2", -3., 3.),
        std::tuple("arith.remf", -90.0, 90.0),
        std::tuple("math.copysign", -3.0, 3.0),
        std::tuple("arith.divf", 0.5, 3.0),
        std::tuple("arith.maximumf", -1.0, 1.0),
        std::tuple("arith.minnumf", -1.0, 1.0)}) {
    CheckOptions options;
    options.inputs = {low, high, 3};
    options.tolerance = 2e-7;
    options.floor = 1e-6;
    checkKernel(formatv(R"(
func.func @k(%x: tensor<1003xf32>, %y: tensor<1003xf32>) -> tensor<1003xf32> {{
  %e = tensor.empty() : tensor<1003xf32>
  %r = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<1003xf32>, tensor<1003xf32>) outs(%e : tensor<1003xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = {0} %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<1003xf32>
  return %r : tensor<1003xf32>
})",
                        name),
                options);
  }
}

/// exp and its relatives where the result is special.
TEST(Math, SpecialValues) {
  for (const char *name :
       {"math.exp", "math.log", "math.tanh", "math.log1p", "math.expm1",
        "math.erf", "math.sin", "math.cos", "math.rsqrt", "math.exp2"})
    checkKernel(formatv(R"(
func.func @k() -> tensor<14xf32> {{
  %c = arith.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 100.0, -110.0, 90.0, 1.0e-38, {1}, -{1}, 1.0e-45]> : tensor<14xf32>
  %e = tensor.empty() : tensor<14xf32>
  %r = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%c : tensor<14xf32>) outs(%e : tensor<14xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %v = {0} %a : f32
    linalg.yield %v : f32
  } -> tensor<14xf32>
  return %r : tensor<14xf32>
})",
                        name,
                        std::string(name) == "math.sin" ||
                                std::string(name) == "math.cos"
                            ? "1.0e7"
                            : "3.0e38"),
                [] {
                  CheckOptions options;
                  options.tolerance = 1e-6;
                  options.floor = 1e-2;
                  return options;
                }());
}

std::string conversion(const char *op, const char *from, const char *to) {
  return formatv(R"(
func.func @k(%x: tensor<3x29x{1}>) -> tensor<3x29x{2}> {{
  %e = tensor.empty() : tensor<3x29x{2}>
  %r = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x29x{1}>) outs(%e : tensor<3x29x{2}>) {{
  ^bb0(%a: {1}, %o: {2}):
    %v = {0} %a : {1} to {2}
    linalg.yield %v : {2}
  } -> tensor<3x29x{2}>
  return %r : tensor<3x29x{2}>
})",
                 op, from, to);
}

TEST(Math, Conversions) {
  for (const char *target : {"x86-64-v2", "x86-64-v3"})
    for (auto [op, from, to] : {std::tuple("arith.extf", "f16", "f32"),
                                std::tuple("arith.extf", "bf16", "f32"),
                                std::tuple("arith.truncf", "f32", "f16"),
                                std::tuple("arith.truncf", "f32", "bf16"),
                                std::tuple("arith.extf", "f32", "f64"),
                                std::tuple("arith.truncf", "f64", "f32"),
                                std::tuple("arith.sitofp", "i32", "f32"),
                                std::tuple("arith.sitofp", "i8", "f16"),
                                std::tuple("arith.sitofp", "i64", "f32"),
                                std::tuple("arith.fptosi", "f32", "i32"),
                                std::tuple("arith.fptosi", "f16", "i8"),
                                std::tuple("arith.fptosi", "f32", "i64"),
                                std::tuple("arith.extsi", "i8", "i32"),
                                std::tuple("arith.trunci", "i32", "i8"),
                                std::tuple("arith.extui", "i1", "i32"),
                                std::tuple("arith.uitofp", "i1", "f32"),
                                std::tuple("arith.trunci", "i64", "i1")})
      for (double range : {3.0, 60.0}) {
        CheckOptions options;
        options.target = target;
        options.inputs = {-range, range, 8};
        checkKernel(conversion(op, from, to), options);
      }
}

TEST(Math, EveryHalfPattern) {
  // All 65536 f16 values to f32 and back, and to bf16.
  for (const char *target : {"x86-64-v2", "x86-64-v3"}) {
    auto func = parseKernel(R"(
func.func @k(%x: tensor<65536xf16>) -> (tensor<65536xf32>, tensor<65536xf16>) {
  %e = tensor.empty() : tensor<65536xf32>
  %f = tensor.empty() : tensor<65536xf16>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<65536xf16>) outs(%e, %f : tensor<65536xf32>, tensor<65536xf16>) {
  ^bb0(%a: f16, %o: f32, %p: f16):
    %v = arith.extf %a : f16 to f32
    %w = arith.truncf %v : f32 to f16
    linalg.yield %v, %w : f32, f16
  } -> (tensor<65536xf32>, tensor<65536xf16>)
  return %r#0, %r#1 : tensor<65536xf32>, tensor<65536xf16>
})");
    auto binary = turnip::codegen::compileKernel(
        func, *turnip::codegen::KernelTarget::get(target));
    ASSERT_TRUE(succeeded(binary));
    LoadedKernel kernel(*binary);
    Bytes bits(65536 * 2);
    for (int i = 0; i < 65536; ++i) {
      bits[2 * i] = i & 255;
      bits[2 * i + 1] = i >> 8;
    }
    auto results = kernel.run({bits}, {65536 * 4, 65536 * 2}, {});
    for (int i = 0; i < 65536; ++i) {
      bool nan = (i & 0x7c00) == 0x7c00 && (i & 0x3ff);
      float wide;
      std::memcpy(&wide, &results[0][4 * i], 4);
      llvm::APFloat half(llvm::APFloat::IEEEhalf(), llvm::APInt(16, i));
      bool lossy;
      half.convert(llvm::APFloat::IEEEsingle(),
                   llvm::APFloat::rmNearestTiesToEven, &lossy);
      ASSERT_TRUE(nan ? std::isnan(wide) : wide == half.convertToFloat()) << i;
      if (!nan)
        ASSERT_EQ(results[1][2 * i] | results[1][2 * i + 1] << 8, i);
    }
  }
}

} // namespace
