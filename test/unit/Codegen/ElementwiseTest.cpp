//===- ElementwiseTest.cpp - Maps, copies, reductions, gathers --------===//
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

std::string addMul(const std::string &type, const std::string &shape,
                   bool isFloat) {
  std::string t = shape + type, id, dims, iterators;
  for (unsigned i = 0, e = std::count(shape.begin(), shape.end(), 'x'); i < e;
       ++i) {
    dims += (i ? ", d" : "d") + std::to_string(i);
    iterators += i ? ", \"parallel\"" : "\"parallel\"";
  }
  id = "affine_map<(" + dims + ") -> (" + dims + ")>";
  return formatv(R"(
func.func @k(%x: tensor<{0}>, %y: tensor<{0}>) -> tensor<{0}> {{
  %e = tensor.empty() : tensor<{0}>
  %r = linalg.generic {{indexing_maps = [{1}, {1}, {1}], iterator_types = [{2}]}
      ins(%x, %y : tensor<{0}>, tensor<{0}>) outs(%e : tensor<{0}>) {{
  ^bb0(%a: {3}, %b: {3}, %o: {3}):
    %s = arith.add{4} %a, %b : {3}
    %p = arith.mul{4} %s, %b : {3}
    linalg.yield %p : {3}
  } -> tensor<{0}>
  return %r : tensor<{0}>
})",
                 t, id, iterators, type, isFloat ? "f" : "i");
}

TEST(Elementwise, EveryElementTypeAndOddSize) {
  for (const char *type :
       {"f32", "f16", "bf16", "f64", "i8", "i16", "i32", "i64", "i1"})
    for (int size : {1, 3, 7, 8, 9, 17, 33})
      checkKernel(addMul(type, std::to_string(size) + "x",
                         std::string(type).find('f') != std::string::npos));
}

TEST(Elementwise, EveryRank) {
  for (const char *shape :
       {"", "5x", "3x5x", "2x3x5x", "2x3x1x5x", "2x1x3x2x9x"})
    checkKernel(addMul("f32", shape, true));
}

TEST(Elementwise, LargeUsesAGridAndMayBeInPlace) {
  turnip::codegen::KernelBinary binary =
      checkKernel(addMul("f32", "517x1031x", true));
  EXPECT_GT(binary.gridSize, 1);
  EXPECT_LE(binary.gridSize, 64);
  // Either operand would do; a result takes one buffer.
  EXPECT_EQ(binary.inplace.size(), 1u);
  EXPECT_EQ(binary.workspaceBytes, 0);
  EXPECT_EQ(binary.flops, 2 * 517 * 1031);
  EXPECT_EQ(binary.bytes, 3 * 4 * 517 * 1031);
}

TEST(Elementwise, Targets) {
  for (const char *target : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    if (std::string(target) == "x86-64-v4" &&
        !__builtin_cpu_supports("avx512vl"))
      continue;
    CheckOptions options;
    options.target = target;
    for (const char *type : {"f32", "f16", "bf16", "i32"})
      checkKernel(addMul(type, "3x37x", type[0] != 'i'), options);
  }
}

TEST(Elementwise, TransposeAndBroadcast) {
  for (auto [m, n] :
       {std::pair(1, 1), std::pair(5, 7), std::pair(33, 18), std::pair(64, 64)})
    for (const char *type : {"f32", "i8", "bf16"})
      checkKernel(formatv(R"(
func.func @k(%x: tensor<{0}x{1}x{2}>, %b: tensor<{1}x{2}>, %s: tensor<{2}>) -> (tensor<{1}x{0}x{2}>, tensor<{0}x{1}x{2}>) {{
  %e = tensor.empty() : tensor<{1}x{0}x{2}>
  %t = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<{0}x{1}x{2}>) outs(%e : tensor<{1}x{0}x{2}>) {{
  ^bb0(%a: {2}, %o: {2}):
    linalg.yield %a : {2}
  } -> tensor<{1}x{0}x{2}>
  %f = tensor.empty() : tensor<{0}x{1}x{2}>
  %r = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b, %s : tensor<{0}x{1}x{2}>, tensor<{1}x{2}>, tensor<{2}>) outs(%f : tensor<{0}x{1}x{2}>) {{
  ^bb0(%a: {2}, %c: {2}, %d: {2}, %o: {2}):
    %p = arith.add{3} %a, %c : {2}
    %q = arith.mul{3} %p, %d : {2}
    linalg.yield %q : {2}
  } -> tensor<{0}x{1}x{2}>
  return %t, %r : tensor<{1}x{0}x{2}>, tensor<{0}x{1}x{2}>
})",
                          m, n, type, type[0] == 'i' ? "i" : "f"));
}

TEST(Elementwise, PositionsAndScalars) {
  for (int n : {1, 6, 19, 40}) {
    CheckOptions options;
    options.scalars = {3, -2};
    checkKernel(formatv(R"(
func.func @k(%x: tensor<5x{0}xf32>, %o: index, %p: index) -> tensor<5x{0}xf32> {{
  %e = tensor.empty() : tensor<5x{0}xf32>
  %low = arith.constant -1.0e9 : f32
  %r = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x{0}xf32>) outs(%e : tensor<5x{0}xf32>) {{
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.addi %i, %o : index
    %l = arith.addi %j, %p : index
    %c = arith.cmpi sle, %l, %k : index
    %w = arith.index_cast %l : index to i32
    %f = arith.sitofp %w : i32 to f32
    %s = arith.addf %a, %f : f32
    %v = arith.select %c, %s, %low : f32
    linalg.yield %v : f32
  } -> tensor<5x{0}xf32>
  return %r : tensor<5x{0}xf32>
})",
                        n),
                options);
  }
}

std::string gather(int rows, int n, int width, const char *type) {
  return formatv(R"(
func.func @k(%t: tensor<{0}x{2}x{3}>, %i: tensor<{1}xi32>) -> tensor<{1}x{2}x{3}> {{
  %e = tensor.empty() : tensor<{1}x{2}x{3}>
  %r = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<{1}xi32>) outs(%e : tensor<{1}x{2}x{3}>) {{
  ^bb0(%a: i32, %out: {3}):
    %row = arith.index_cast %a : i32 to index
    %zero = arith.constant 0 : index
    %last = arith.constant {4} : index
    %b = arith.maxsi %row, %zero : index
    %c = arith.minsi %b, %last : index
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%c, %j] : tensor<{0}x{2}x{3}>
    linalg.yield %v : {3}
  } -> tensor<{1}x{2}x{3}>
  return %r : tensor<{1}x{2}x{3}>
})",
                 rows, n, width, type, rows - 1);
}

TEST(Elementwise, Gather) {
  for (const char *type : {"f32", "f16", "i8", "i1"})
    for (int width : {1, 5, 16, 37})
      checkKernel(gather(23, 9, width, type));
  // Nine rows of a large table are read, and nine indices.
  turnip::codegen::KernelBinary binary =
      checkKernel(gather(1000, 9, 16, "f32"));
  EXPECT_EQ(binary.bytes, 2 * 9 * 16 * 4 + 9 * 4);
}

std::string reduction(const char *type, const char *combiner, const char *init,
                      const std::string &shape, const std::string &map,
                      const std::string &result, const char *iterators) {
  return formatv(R"(
func.func @k(%x: tensor<{3}{0}>) -> tensor<{5}{0}> {{
  %e = tensor.empty() : tensor<{5}{0}>
  %c = arith.constant {2} : {0}
  %f = linalg.fill ins(%c : {0}) outs(%e : tensor<{5}{0}>) -> tensor<{5}{0}>
  %r = linalg.generic {{indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> {4}>], iterator_types = [{6}]}
      ins(%x : tensor<{3}{0}>) outs(%f : tensor<{5}{0}>) {{
  ^bb0(%a: {0}, %o: {0}):
    %v = {1} %o, %a : {0}
    linalg.yield %v : {0}
  } -> tensor<{5}{0}>
  return %r : tensor<{5}{0}>
})",
                 type, combiner, init, shape, map, result, iterators);
}

TEST(Elementwise, ReductionsOverEveryDimension) {
  const char *p = "\"parallel\"", *r = "\"reduction\"";
  for (int n : {1, 5, 8, 31, 70})
    for (auto [type, combiner, init] :
         {std::tuple("f32", "arith.addf", "0.0"),
          std::tuple("f32", "arith.maximumf", "0xFF800000"),
          std::tuple("f32", "arith.mulf", "1.0"),
          std::tuple("i32", "arith.addi", "0"),
          std::tuple("i32", "arith.minsi", "2147483647"),
          std::tuple("i8", "arith.ori", "0")}) {
      CheckOptions options;
      options.tolerance = 1e-5;
      options.inputs = {0.9, 1.1, unsigned(n)};
      std::string shape = formatv("3x7x{0}x", n);
      auto its = [&](const char *a, const char *b, const char *c) {
        return formatv("{0}, {1}, {2}", a, b, c).str();
      };
      checkKernel(reduction(type, combiner, init, shape, "(d0, d1)", "3x7x",
                            its(p, p, r).c_str()),
                  options);
      checkKernel(reduction(type, combiner, init, shape, "(d0, d2)",
                            formatv("3x{0}x", n), its(p, r, p).c_str()),
                  options);
      checkKernel(reduction(type, combiner, init, shape, "(d2)",
                            formatv("{0}x", n), its(r, r, p).c_str()),
                  options);
      checkKernel(reduction(type, combiner, init, shape, "()", "",
                            its(r, r, r).c_str()),
                  options);
    }
}

TEST(Elementwise, ReductionsOfNarrowFloats) {
  // The combiner rounds to the narrow type after every step, in an order of
  // its own: with small integers every order is exact.
  for (const char *type : {"f16", "bf16"})
    checkKernel(formatv(R"(
func.func @k(%x: tensor<9x21xi8>) -> tensor<9x{0}> {{
  %e = tensor.empty() : tensor<9x{0}>
  %c = arith.constant 0.0 : {0}
  %one = arith.constant 1 : i8
  %f = linalg.fill ins(%c : {0}) outs(%e : tensor<9x{0}>) -> tensor<9x{0}>
  %r = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<9x21xi8>) outs(%f : tensor<9x{0}>) {{
  ^bb0(%a: i8, %o: {0}):
    %b = arith.andi %a, %one : i8
    %v = arith.sitofp %b : i8 to {0}
    %s = arith.addf %o, %v : {0}
    linalg.yield %s : {0}
  } -> tensor<9x{0}>
  return %r : tensor<9x{0}>
})",
                        type));
}

TEST(Elementwise, SlicesInsertionsReshapes) {
  for (const char *type : {"f32", "i1", "f16", "i64"})
    checkKernel(formatv(R"(
func.func @k(%x: tensor<6x10x{0}>, %y: tensor<3x10x{0}>) -> (tensor<3x4x{0}>, tensor<9x10x{0}>, tensor<15x4x{0}>, tensor<2x5x6x{0}>, tensor<6x10x{0}>) {{
  %s = tensor.extract_slice %x[1, 2] [3, 4] [2, 2] : tensor<6x10x{0}> to tensor<3x4x{0}>
  %e = tensor.empty() : tensor<9x10x{0}>
  %a = tensor.insert_slice %x into %e[0, 0] [6, 10] [1, 1] : tensor<6x10x{0}> into tensor<9x10x{0}>
  %b = tensor.insert_slice %y into %a[6, 0] [3, 10] [1, 1] : tensor<3x10x{0}> into tensor<9x10x{0}>
  %f = tensor.collapse_shape %x [[0, 1]] : tensor<6x10x{0}> into tensor<60x{0}>
  %g = tensor.expand_shape %f [[0, 1]] output_shape [15, 4] : tensor<60x{0}> into tensor<15x4x{0}>
  %t0 = tensor.empty() : tensor<10x6x{0}>
  %t = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<6x10x{0}>) outs(%t0 : tensor<10x6x{0}>) {{
  ^bb0(%v: {0}, %o: {0}):
    linalg.yield %v : {0}
  } -> tensor<10x6x{0}>
  %h = tensor.expand_shape %t [[0, 1], [2]] output_shape [2, 5, 6] : tensor<10x6x{0}> into tensor<2x5x6x{0}>
  %w = tensor.insert_slice %s into %x[2, 3] [3, 4] [1, 1] : tensor<3x4x{0}> into tensor<6x10x{0}>
  return %s, %b, %g, %h, %w : tensor<3x4x{0}>, tensor<9x10x{0}>, tensor<15x4x{0}>, tensor<2x5x6x{0}>, tensor<6x10x{0}>
})",
                        type));
}

TEST(Elementwise, PartsAreMadeInPlace) {
  checkKernel(R"(
func.func @k(%x: tensor<6x8xf32>, %y: tensor<6x8xf32>) -> tensor<6x13xf32> {
  %e = tensor.empty() : tensor<6x13xf32>
  %e0 = tensor.empty() : tensor<6x8xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<6x8xf32>, tensor<6x8xf32>) outs(%e0 : tensor<6x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.subf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<6x8xf32>
  %q = tensor.extract_slice %x[0, 0] [6, 5] [1, 1] : tensor<6x8xf32> to tensor<6x5xf32>
  %a = tensor.insert_slice %p into %e[0, 2] [6, 8] [1, 1] : tensor<6x8xf32> into tensor<6x13xf32>
  %l = tensor.extract_slice %y[0, 0] [6, 2] [1, 1] : tensor<6x8xf32> to tensor<6x2xf32>
  %b = tensor.insert_slice %l into %a[0, 0] [6, 2] [1, 1] : tensor<6x2xf32> into tensor<6x13xf32>
  %r = tensor.extract_slice %q[0, 1] [6, 3] [1, 1] : tensor<6x5xf32> to tensor<6x3xf32>
  %c = tensor.insert_slice %r into %b[0, 10] [6, 3] [1, 1] : tensor<6x3xf32> into tensor<6x13xf32>
  return %c : tensor<6x13xf32>
})");
  // The later insertion overlaps the earlier one.
  checkKernel(R"(
func.func @k(%x: tensor<6xf32>, %y: tensor<6xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %e0 = tensor.empty() : tensor<6xf32>
  %second = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%y : tensor<6xf32>) outs(%e0 : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %a, %a : f32
    linalg.yield %v : f32
  } -> tensor<6xf32>
  %first = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<6xf32>) outs(%e0 : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.mulf %a, %a : f32
    linalg.yield %v : f32
  } -> tensor<6xf32>
  %a = tensor.insert_slice %first into %e[0] [6] [1] : tensor<6xf32> into tensor<8xf32>
  %b = tensor.insert_slice %second into %a[2] [6] [1] : tensor<6xf32> into tensor<8xf32>
  return %b : tensor<8xf32>
})");
}

TEST(Elementwise, ConstantsAndRepeatedResults) {
  checkKernel(R"(
func.func @k(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xbf16>, tensor<5xi1>, tensor<2x3xf32>) {
  %c = arith.constant dense<[[1.0, 2.0, 3.0], [-1.0, 0.5, 0.25]]> : tensor<2x3xf32>
  %h = arith.constant dense<[1.0, -2.0, 3.5, 0.0]> : tensor<4xbf16>
  %i = arith.constant dense<[true, false, true, true, false]> : tensor<5xi1>
  %s = arith.constant dense<7.0> : tensor<2x3xf32>
  %e = tensor.empty() : tensor<2x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %c, %s : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %p, %d : f32
    linalg.yield %q : f32
  } -> tensor<2x3xf32>
  return %r, %r, %x, %h, %i, %s : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xbf16>, tensor<5xi1>, tensor<2x3xf32>
})");
}

} // namespace
