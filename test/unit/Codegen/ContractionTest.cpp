//===- ContractionTest.cpp - Matrix products of every layout ----------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionText.h"
#include "KernelRunner.h"

using namespace turnip::test;
using llvm::formatv;

namespace {

CheckOptions options() {
  CheckOptions result;
  result.tolerance = 3e-6;
  result.floor = 1;
  return result;
}

TEST(Contraction, EveryLayout) {
  for (const char *a : {"mk", "km"})
    for (const char *b : {"nk", "kn"})
      for (const char *c : {"mn", "nm"})
        for (auto [m, n, k] :
             {std::tuple(1, 1, 1), std::tuple(1, 7, 5), std::tuple(5, 1, 33),
              std::tuple(7, 13, 21), std::tuple(6, 16, 8),
              std::tuple(25, 33, 65), std::tuple(48, 50, 300),
              std::tuple(31, 70, 513)})
          checkKernel(contraction({a, b, c, {{'m', m}, {'n', n}, {'k', k}}}),
                      options());
}

TEST(Contraction, OddSizes) {
  for (int size = 1; size <= 33; ++size)
    for (const char *b : {"nk", "kn"})
      checkKernel(contraction({"mk",
                               b,
                               "mn",
                               {{'m', size},
                                {'n', (size * 7) % 34 + 1},
                                {'k', (size * 5) % 33 + 1}}}),
                  options());
}

TEST(Contraction, ElementTypes) {
  for (const char *b : {"nk", "kn"})
    for (const char *c : {"mn", "nm"})
      for (auto [x, y, z] :
           {std::tuple("f16", "f16", "f32"), std::tuple("bf16", "bf16", "f32"),
            std::tuple("f32", "bf16", "f32"), std::tuple("f16", "f32", "f32"),
            std::tuple("i32", "i32", "i32"), std::tuple("i8", "i8", "i32"),
            std::tuple("i16", "i8", "i32"), std::tuple("i64", "i64", "i64"),
            std::tuple("f64", "f64", "f64")})
        for (auto [m, n, k] : {std::tuple(5, 18, 37), std::tuple(20, 35, 130)})
          checkKernel(
              contraction(
                  {"mk", b, c, {{'m', m}, {'n', n}, {'k', k}}, x, y, z}),
              options());
}

TEST(Contraction, ManyDimensions) {
  std::map<char, int> s = {{'l', 9},  {'g', 2},  {'r', 3}, {'p', 5}, {'t', 2},
                           {'m', 11}, {'k', 19}, {'h', 6}, {'z', 1}};
  for (auto [a, b, c] :
       {std::tuple("lk", "grptk", "lgrpt"), std::tuple("lgrpt", "mgpt", "grlm"),
        std::tuple("grlm", "mgpt", "lgrpt"), std::tuple("lgr", "kgr", "lk"),
        std::tuple("hlk", "hmk", "hlm"), std::tuple("lhk", "mhk", "hlm"),
        std::tuple("k", "k", ""), std::tuple("lk", "k", "l"),
        std::tuple("k", "mk", "m"), std::tuple("l", "m", "lm"),
        std::tuple("lk", "lk", "l"), std::tuple("lkz", "mkz", "zml"),
        std::tuple("gkl", "glm", "kmg")})
    checkKernel(contraction({a, b, c, s}), options());
}

TEST(Contraction, TransformerShapes) {
  for (auto [m, n, k] : {std::tuple(19, 38, 576), std::tuple(13, 21, 1537),
                         std::tuple(1, 350, 576)}) {
    turnip::codegen::KernelBinary binary = checkKernel(
        contraction({"mk", "nk", "mn", {{'m', m}, {'n', n}, {'k', k}}}),
        options());
    EXPECT_EQ(binary.flops, 2ll * m * n * k);
  }
}

TEST(Contraction, Targets) {
  for (const char *target : {"x86-64-v2", "x86-64-v4"}) {
    if (std::string(target) == "x86-64-v4" &&
        !__builtin_cpu_supports("avx512vl"))
      continue;
    CheckOptions o = options();
    o.target = target;
    for (const char *b : {"nk", "kn"})
      for (const char *type : {"f32", "f16", "bf16"})
        checkKernel(contraction({"mk",
                                 b,
                                 "mn",
                                 {{'m', 23}, {'n', 39}, {'k', 131}},
                                 type,
                                 type,
                                 "f32"}),
                    o);
  }
}

/// Sums start from an operand instead of zero.
TEST(Contraction, Accumulates) {
  for (const char *map : {"(d2, d1)", "(d1, d2)"})
    for (auto [m, n, k] : {std::tuple(7, 19, 33), std::tuple(32, 48, 576)})
      checkKernel(formatv(R"(
func.func @k(%x: tensor<{0}x{2}xf32>, %y: tensor<{3}xf32>, %c: tensor<{0}x{1}xf32>) -> tensor<{0}x{1}xf32> {{
  %r = linalg.generic {{indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> {4}>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<{0}x{2}xf32>, tensor<{3}xf32>) outs(%c : tensor<{0}x{1}xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<{0}x{1}xf32>
  return %r : tensor<{0}x{1}xf32>
})",
                          m, n, k,
                          std::string(map) == "(d2, d1)"
                              ? formatv("{0}x{1}", k, n).str()
                              : formatv("{0}x{1}", n, k).str(),
                          map),
                  options());
}

} // namespace
