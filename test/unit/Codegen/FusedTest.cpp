//===- FusedTest.cpp - Chains that run row by row ---------------------===//
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

std::string softmax(int batch, int rows, int columns) {
  return formatv(R"(
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @k(%x: tensor<{0}x{1}x{2}xf32>) -> tensor<{0}x{1}x{2}xf32> {{
  %e = tensor.empty() : tensor<{0}x{1}x{2}xf32>
  %er = tensor.empty() : tensor<{0}x{1}xf32>
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %f0 = linalg.fill ins(%low : f32) outs(%er : tensor<{0}x{1}xf32>) -> tensor<{0}x{1}xf32>
  %max = linalg.generic {{indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<{0}x{1}x{2}xf32>) outs(%f0 : tensor<{0}x{1}xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %v = arith.maximumf %o, %a : f32
    linalg.yield %v : f32
  } -> tensor<{0}x{1}xf32>
  %exp = linalg.generic {{indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %max : tensor<{0}x{1}x{2}xf32>, tensor<{0}x{1}xf32>) outs(%e : tensor<{0}x{1}x{2}xf32>) {{
  ^bb0(%a: f32, %m: f32, %o: f32):
    %d = arith.subf %a, %m : f32
    %v = math.exp %d : f32
    linalg.yield %v : f32
  } -> tensor<{0}x{1}x{2}xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%er : tensor<{0}x{1}xf32>) -> tensor<{0}x{1}xf32>
  %sum = linalg.generic {{indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%exp : tensor<{0}x{1}x{2}xf32>) outs(%f1 : tensor<{0}x{1}xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %o, %a : f32
    linalg.yield %v : f32
  } -> tensor<{0}x{1}xf32>
  %r = linalg.generic {{indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%exp, %sum : tensor<{0}x{1}x{2}xf32>, tensor<{0}x{1}xf32>) outs(%e : tensor<{0}x{1}x{2}xf32>) {{
  ^bb0(%a: f32, %s: f32, %o: f32):
    %v = arith.divf %a, %s : f32
    linalg.yield %v : f32
  } -> tensor<{0}x{1}x{2}xf32>
  return %r : tensor<{0}x{1}x{2}xf32>
})",
                 batch, rows, columns);
}

TEST(Fused, Softmax) {
  for (int columns : {1, 2, 7, 16, 33, 130})
    for (int rows : {1, 5}) {
      turnip::codegen::KernelBinary binary =
          checkKernel(softmax(3, rows, columns));
      EXPECT_EQ(binary.workspaceBytes, 0);
    }
}

TEST(Fused, SoftmaxIsCutByRowsAndInPlace) {
  turnip::codegen::KernelBinary binary = checkKernel(softmax(9, 64, 128));
  EXPECT_GT(binary.gridSize, 1);
  EXPECT_EQ(binary.workspaceBytes, 0);
  EXPECT_EQ(binary.inplace.size(), 1u);
}

std::string rmsNorm(int rows, int columns, const char *type) {
  return formatv(
      R"(
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
func.func @k(%x: tensor<{0}x{1}x{2}>, %w: tensor<{1}xf32>) -> tensor<{0}x{1}x{2}> {{
  %e = tensor.empty() : tensor<{0}x{1}x{2}>
  %er = tensor.empty() : tensor<{0}xf32>
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %count = arith.constant {1}.0 : f32
  %f1 = linalg.fill ins(%zero : f32) outs(%er : tensor<{0}xf32>) -> tensor<{0}xf32>
  %sum = linalg.generic {{indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<{0}x{1}x{2}>) outs(%f1 : tensor<{0}xf32>) {{
  ^bb0(%n: {2}, %o: f32):
    {3}
    %p = arith.mulf %a, %a : f32
    %v = arith.addf %o, %p : f32
    linalg.yield %v : f32
  } -> tensor<{0}xf32>
  %scale = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%sum : tensor<{0}xf32>) outs(%er : tensor<{0}xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %m = arith.divf %a, %count : f32
    %s = arith.addf %m, %eps : f32
    %v = math.rsqrt %s : f32
    linalg.yield %v : f32
  } -> tensor<{0}xf32>
  %r = linalg.generic {{indexing_maps = [#id, #row, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %scale, %w : tensor<{0}x{1}x{2}>, tensor<{0}xf32>, tensor<{1}xf32>) outs(%e : tensor<{0}x{1}x{2}>) {{
  ^bb0(%n: {2}, %s: f32, %g: f32, %o: {2}):
    {3}
    %t = arith.mulf %a, %s : f32
    %u = arith.mulf %t, %g : f32
    {4}
    linalg.yield %v : {2}
  } -> tensor<{0}x{1}x{2}>
  return %r : tensor<{0}x{1}x{2}>
})",
      rows, columns, type,
      std::string(type) == "f32"
          ? "%nought = arith.constant 0.0 : f32\n    %a = "
            "arith.addf %n, %nought : f32"
          : formatv("%a = arith.extf %n : {0} to f32", type).str(),
      std::string(type) == "f32"
          ? "%v = arith.addf %u, %nought : f32"
          : formatv("%v = arith.truncf %u : f32 to {0}", type).str());
}

TEST(Fused, RmsNorm) {
  for (const char *type : {"f32", "f16", "bf16"})
    for (int columns : {1, 9, 64, 577})
      checkKernel(rmsNorm(6, columns, type));
  turnip::codegen::KernelBinary binary = checkKernel(rmsNorm(512, 576, "f32"));
  EXPECT_GT(binary.gridSize, 1);
  EXPECT_EQ(binary.workspaceBytes, 0);
  ASSERT_EQ(binary.inplace.size(), 1u);
  EXPECT_EQ(binary.inplace[0], (std::pair<int64_t, int64_t>(0, 0)));
}

/// A chain on one dimension with several readers of one value.
TEST(Fused, ChainOnOneDimension) {
  for (int n : {1, 9, 511, 513, 5000})
    checkKernel(formatv(R"(
#id = affine_map<(d0) -> (d0)>
func.func @k(%x: tensor<{0}xf32>, %y: tensor<{0}xf32>) -> (tensor<{0}xf32>, tensor<{0}xf32>) {{
  %e = tensor.empty() : tensor<{0}xf32>
  %one = arith.constant 1.0 : f32
  %a = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<{0}xf32>) outs(%e : tensor<{0}xf32>) {{
  ^bb0(%v: f32, %o: f32):
    %n = arith.negf %v : f32
    %t = math.exp %n : f32
    %u = arith.addf %t, %one : f32
    %s = arith.divf %v, %u : f32
    linalg.yield %s : f32
  } -> tensor<{0}xf32>
  %b = linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %y : tensor<{0}xf32>, tensor<{0}xf32>) outs(%e : tensor<{0}xf32>) {{
  ^bb0(%v: f32, %w: f32, %o: f32):
    %s = arith.mulf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<{0}xf32>
  %c = linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<{0}xf32>, tensor<{0}xf32>) outs(%e : tensor<{0}xf32>) {{
  ^bb0(%v: f32, %w: f32, %o: f32):
    %s = arith.subf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<{0}xf32>
  return %b, %c : tensor<{0}xf32>, tensor<{0}xf32>
})",
                        n));
}

/// Scores, softmax and the weighted sum of values, a tile of queries at a time.
std::string attention(int heads, int queries, int keys, int depth) {
  return formatv(R"(
#id = affine_map<(h, l, m) -> (h, l, m)>
#row = affine_map<(h, l, m) -> (h, l)>
func.func @k(%q: tensor<{0}x{1}x{3}xf32>, %k: tensor<{0}x{2}x{3}xf32>, %v: tensor<{0}x{2}x{3}xf32>) -> tensor<{1}x{0}x{3}xf32> {{
  %e = tensor.empty() : tensor<{0}x{1}x{2}xf32>
  %er = tensor.empty() : tensor<{0}x{1}xf32>
  %eo = tensor.empty() : tensor<{1}x{0}x{3}xf32>
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<{0}x{1}x{2}xf32>) -> tensor<{0}x{1}x{2}xf32>
  %s = linalg.generic {{indexing_maps = [affine_map<(h, l, m, t) -> (h, l, t)>, affine_map<(h, l, m, t) -> (h, m, t)>, affine_map<(h, l, m, t) -> (h, l, m)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<{0}x{1}x{3}xf32>, tensor<{0}x{2}x{3}xf32>) outs(%f : tensor<{0}x{1}x{2}xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %w = arith.addf %o, %p : f32
    linalg.yield %w : f32
  } -> tensor<{0}x{1}x{2}xf32>
  %f0 = linalg.fill ins(%low : f32) outs(%er : tensor<{0}x{1}xf32>) -> tensor<{0}x{1}xf32>
  %max = linalg.generic {{indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<{0}x{1}x{2}xf32>) outs(%f0 : tensor<{0}x{1}xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %w = arith.maximumf %o, %a : f32
    linalg.yield %w : f32
  } -> tensor<{0}x{1}xf32>
  %exp = linalg.generic {{indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %max : tensor<{0}x{1}x{2}xf32>, tensor<{0}x{1}xf32>) outs(%e : tensor<{0}x{1}x{2}xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %w = math.exp %d : f32
    linalg.yield %w : f32
  } -> tensor<{0}x{1}x{2}xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%er : tensor<{0}x{1}xf32>) -> tensor<{0}x{1}xf32>
  %sum = linalg.generic {{indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%exp : tensor<{0}x{1}x{2}xf32>) outs(%f1 : tensor<{0}x{1}xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %w = arith.addf %o, %a : f32
    linalg.yield %w : f32
  } -> tensor<{0}x{1}xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%eo : tensor<{1}x{0}x{3}xf32>) -> tensor<{1}x{0}x{3}xf32>
  %r = linalg.generic {{indexing_maps = [affine_map<(l, h, t, m) -> (h, l, m)>, affine_map<(l, h, t, m) -> (h, m, t)>, affine_map<(l, h, t, m) -> (l, h, t)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%exp, %v : tensor<{0}x{1}x{2}xf32>, tensor<{0}x{2}x{3}xf32>) outs(%f2 : tensor<{1}x{0}x{3}xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %w = arith.addf %o, %p : f32
    linalg.yield %w : f32
  } -> tensor<{1}x{0}x{3}xf32>
  %n = linalg.generic {{indexing_maps = [affine_map<(l, h, t) -> (l, h, t)>, affine_map<(l, h, t) -> (h, l)>, affine_map<(l, h, t) -> (l, h, t)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r, %sum : tensor<{1}x{0}x{3}xf32>, tensor<{0}x{1}xf32>) outs(%eo : tensor<{1}x{0}x{3}xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %w = arith.divf %a, %b : f32
    linalg.yield %w : f32
  } -> tensor<{1}x{0}x{3}xf32>
  return %n : tensor<{1}x{0}x{3}xf32>
})",
                 heads, queries, keys, depth);
}

TEST(Fused, Attention) {
  CheckOptions options;
  options.tolerance = 1e-5;
  options.floor = 1;
  options.inputs = {-1, 1, 4};
  for (auto [heads, queries, keys, depth] :
       {std::tuple(2, 5, 7, 3), std::tuple(3, 24, 32, 16),
        std::tuple(2, 53, 49, 64), std::tuple(1, 1, 33, 8)}) {
    turnip::codegen::KernelBinary binary =
        checkKernel(attention(heads, queries, keys, depth), options);
    // No more than a tile of scores lies in memory.
    EXPECT_LE(binary.workspaceBytes, 64 * 1024);
  }
}

/// Many keys: fewer grid points keep the workspace small. Not run, for the time
/// that the interpreter would take.
TEST(Fused, AttentionOfManyKeysHasASmallWorkspace) {
  turnip::codegen::KernelTarget target =
      *turnip::codegen::KernelTarget::get("x86-64-v3");
  auto binary = turnip::codegen::compileKernel(
      parseKernel(attention(4, 4096, 8192, 64)), target);
  ASSERT_TRUE(succeeded(binary));
  EXPECT_GT(binary->gridSize, 1);
  EXPECT_GT(binary->workspaceBytes, 0);
  EXPECT_LE(binary->workspaceBytes, 16 * 1024 * 1024);
}

/// Column statistics feed every row: they run before the rows.
TEST(Fused, StatisticsAcrossRows) {
  for (auto [m, n] : {std::pair(5, 9), std::pair(40, 33)})
    checkKernel(formatv(R"(
#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
func.func @k(%x: tensor<{0}x{1}xf32>) -> tensor<{0}x{1}xf32> {{
  %e = tensor.empty() : tensor<{0}x{1}xf32>
  %ec = tensor.empty() : tensor<{1}xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%ec : tensor<{1}xf32>) -> tensor<{1}xf32>
  %sum = linalg.generic {{indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<{0}x{1}xf32>) outs(%f : tensor<{1}xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %o, %a : f32
    linalg.yield %v : f32
  } -> tensor<{1}xf32>
  %r = linalg.generic {{indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<{0}x{1}xf32>, tensor<{1}xf32>) outs(%e : tensor<{0}x{1}xf32>) {{
  ^bb0(%a: f32, %s: f32, %o: f32):
    %v = arith.subf %a, %s : f32
    linalg.yield %v : f32
  } -> tensor<{0}x{1}xf32>
  return %r : tensor<{0}x{1}xf32>
})",
                        m, n),
                [] {
                  CheckOptions options;
                  options.floor = 1;
                  return options;
                }());
}

// Hundreds of products, which devices run without rows.
#ifndef TURNIP_DEVICE_TESTS

/// A product of exp(x) and w, transposed in memory as the layouts say, with a
/// bias per column where there is an epilogue.
std::string chainWithProduct(const std::string &a, const std::string &b,
                             const std::string &c, int m, int n, int k,
                             bool epilogue) {
  auto sizeOf = [&](char label) {
    return label == 'm' ? m : label == 'n' ? n : k;
  };
  auto type = [&](const std::string &labels) {
    std::string text = "tensor<";
    for (char label : labels)
      text += std::to_string(sizeOf(label)) + "x";
    return text + "f32>";
  };
  auto map = [&](const std::string &labels) {
    std::string text;
    for (char label : labels)
      text += (text.empty() ? "" : ", ") + std::string(1, label);
    return "affine_map<(m, n, k) -> (" + text + ")>";
  };
  std::string bias = formatv(R"(
  %r = linalg.generic {{indexing_maps = [#id, {1}, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : {0}, tensor<{2}xf32>) outs(%ep : {0}) {{
  ^bb0(%v: f32, %y: f32, %o: f32):
    %s = arith.addf %v, %y : f32
    linalg.yield %s : f32
  } -> {0}
  return %r : {0})",
                             type(c),
                             c[0] == 'n' ? "affine_map<(d0, d1) -> (d0)>"
                                         : "affine_map<(d0, d1) -> (d1)>",
                             n);
  return formatv(R"(
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @k(%x: {0}, %w: {1}, %bias: tensor<{6}xf32>) -> {2} {{
  %ex = tensor.empty() : {0}
  %ep = tensor.empty() : {2}
  %zero = arith.constant 0.0 : f32
  %h = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : {0}) outs(%ex : {0}) {{
  ^bb0(%v: f32, %o: f32):
    %t = math.exp %v : f32
    linalg.yield %t : f32
  } -> {0}
  %f = linalg.fill ins(%zero : f32) outs(%ep : {2}) -> {2}
  %p = linalg.generic {{indexing_maps = [{3}, {4}, {5}], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %w : {0}, {1}) outs(%f : {2}) {{
  ^bb0(%u: f32, %v: f32, %o: f32):
    %q = arith.mulf %u, %v : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> {2}
  {7}
})",
                 type(a), type(b), type(c), map(a), map(b), map(c), n,
                 epilogue ? bias : "return %p : " + type(c));
}

/// Kernels that run over parts of the rows or of the columns of a product: no
/// part may reach into the next one, whichever side its tiles come from.
TEST(Fused, ProductsInParts) {
  CheckOptions options;
  options.tolerance = 3e-6;
  options.floor = 1;
  for (const char *target : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    if (std::string(target) == "x86-64-v4" &&
        !__builtin_cpu_supports("avx512vl"))
      continue;
    options.target = target;
    for (const char *a : {"mk", "km"})
      for (const char *b : {"nk", "kn"})
        for (const char *c : {"mn", "nm"})
          for (bool epilogue : {false, true})
            for (auto [m, n, k] :
                 {std::tuple(1, 24, 2), std::tuple(1, 48, 40),
                  std::tuple(3, 200, 2), std::tuple(48, 1, 3),
                  std::tuple(72, 40, 5), std::tuple(2, 1111, 33)})
              checkKernel(chainWithProduct(a, b, c, m, n, k, epilogue),
                          options);
  }
}
#endif

/// x[i, j] + x[j, i] and a product with the transposed intermediate.
TEST(Fused, TransposedIntermediate) {
  checkKernel(R"(
#id = affine_map<(d0, d1) -> (d0, d1)>
#tr = affine_map<(d0, d1) -> (d1, d0)>
func.func @k(%x: tensor<13x13xf32>) -> tensor<13x13xf32> {
  %e = tensor.empty() : tensor<13x13xf32>
  %a = linalg.generic {indexing_maps = [#id, #tr, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %x : tensor<13x13xf32>, tensor<13x13xf32>) outs(%e : tensor<13x13xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %s = arith.subf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<13x13xf32>
  %b = linalg.generic {indexing_maps = [#id, #tr, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %a : tensor<13x13xf32>, tensor<13x13xf32>) outs(%e : tensor<13x13xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %t = math.exp %w : f32
    %s = arith.addf %v, %t : f32
    linalg.yield %s : f32
  } -> tensor<13x13xf32>
  return %b : tensor<13x13xf32>
})");
}

} // namespace
