//===- DeviceTest.cpp - Kernels as device code ----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionText.h"
#include "DeviceRunner.h"
#include "GPU/DeviceBackend.h"
#include "llvm/Support/FormatVariadic.h"

using namespace turnip::codegen;
using namespace turnip::test;
using llvm::formatv;

namespace {

std::string scale(const std::string &type, int size) {
  return formatv(R"(
#id = affine_map<(d0) -> (d0)>
func.func @k(%x: tensor<{0}x{1}>, %y: tensor<{0}x{1}>) -> tensor<{0}x{1}> {{
  %e = tensor.empty() : tensor<{0}x{1}>
  %r = linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<{0}x{1}>, tensor<{0}x{1}>) outs(%e : tensor<{0}x{1}>) {{
  ^bb0(%a: {1}, %b: {1}, %o: {1}):
    %s = arith.mulf %a, %b : {1}
    %t = arith.addf %s, %b : {1}
    linalg.yield %t : {1}
  } -> tensor<{0}x{1}>
  return %r : tensor<{0}x{1}>
})",
                 size, type);
}

/// A row-wise chain: x / sum(exp(x - max)) or x * w / sqrt(mean(x^2)).
std::string softmax(const std::string &type, int rows, int columns) {
  return formatv(R"(
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @k(%x: tensor<{0}x{1}x{2}>) -> tensor<{0}x{1}x{2}> {{
  %e = tensor.empty() : tensor<{0}x{1}x{2}>
  %er = tensor.empty() : tensor<{0}x{2}>
  %zero = arith.constant 0.0 : {2}
  %low = arith.constant -1.0e4 : {2}
  %f0 = linalg.fill ins(%low : {2}) outs(%er : tensor<{0}x{2}>) -> tensor<{0}x{2}>
  %max = linalg.generic {{indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<{0}x{1}x{2}>) outs(%f0 : tensor<{0}x{2}>) {{
  ^bb0(%a: {2}, %o: {2}):
    %v = arith.maximumf %o, %a : {2}
    linalg.yield %v : {2}
  } -> tensor<{0}x{2}>
  %exp = linalg.generic {{indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<{0}x{1}x{2}>, tensor<{0}x{2}>) outs(%e : tensor<{0}x{1}x{2}>) {{
  ^bb0(%a: {2}, %m: {2}, %o: {2}):
    %d = arith.subf %a, %m : {2}
    %v = math.exp %d : {2}
    linalg.yield %v : {2}
  } -> tensor<{0}x{1}x{2}>
  %f1 = linalg.fill ins(%zero : {2}) outs(%er : tensor<{0}x{2}>) -> tensor<{0}x{2}>
  %sum = linalg.generic {{indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<{0}x{1}x{2}>) outs(%f1 : tensor<{0}x{2}>) {{
  ^bb0(%a: {2}, %o: {2}):
    %v = arith.addf %o, %a : {2}
    linalg.yield %v : {2}
  } -> tensor<{0}x{2}>
  %r = linalg.generic {{indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<{0}x{1}x{2}>, tensor<{0}x{2}>) outs(%e : tensor<{0}x{1}x{2}>) {{
  ^bb0(%a: {2}, %s: {2}, %o: {2}):
    %v = arith.divf %a, %s : {2}
    linalg.yield %v : {2}
  } -> tensor<{0}x{1}x{2}>
  return %r : tensor<{0}x{1}x{2}>
})",
                 rows, columns, type);
}

std::string normalize(const std::string &type, int rows, int columns) {
  return formatv(R"(
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
func.func @k(%x: tensor<{0}x{1}x{2}>, %w: tensor<{1}x{2}>) -> tensor<{0}x{1}x{2}> {{
  %e = tensor.empty() : tensor<{0}x{1}x{2}>
  %er = tensor.empty() : tensor<{0}xf32>
  %zero = arith.constant 0.0 : f32
  %n = arith.constant {1}.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%er : tensor<{0}xf32>) -> tensor<{0}xf32>
  %sum = linalg.generic {{indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<{0}x{1}x{2}>) outs(%f : tensor<{0}xf32>) {{
  ^bb0(%a: {2}, %o: f32):
    %b = {3}
    %p = arith.mulf %b, %b : f32
    %v = arith.addf %o, %p : f32
    linalg.yield %v : f32
  } -> tensor<{0}xf32>
  %r = linalg.generic {{indexing_maps = [#id, #row, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %w : tensor<{0}x{1}x{2}>, tensor<{0}xf32>, tensor<{1}x{2}>) outs(%e : tensor<{0}x{1}x{2}>) {{
  ^bb0(%a: {2}, %s: f32, %g: {2}, %o: {2}):
    %b = {3}
    %m = arith.divf %s, %n : f32
    %q = math.sqrt %m : f32
    %d = arith.divf %b, %q : f32
    %c = {4}
    %v = arith.mulf %c, %g : {2}
    linalg.yield %v : {2}
  } -> tensor<{0}x{1}x{2}>
  return %r : tensor<{0}x{1}x{2}>
})",
                 rows, columns, type,
                 type == "f32" ? std::string("arith.addf %a, %zero : f32")
                               : "arith.extf %a : " + type + " to f32",
                 type == "f32" ? std::string("arith.addf %d, %zero : f32")
                               : "arith.truncf %d : f32 to " + type);
}

std::string transpose(const std::string &type, int rows, int columns) {
  return formatv(R"(
func.func @k(%x: tensor<{0}x{1}x{2}>, %y: tensor<{1}x{0}x{2}>) -> tensor<{1}x{0}x{2}> {{
  %e = tensor.empty() : tensor<{1}x{0}x{2}>
  %r = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<{0}x{1}x{2}>, tensor<{1}x{0}x{2}>) outs(%e : tensor<{1}x{0}x{2}>) {{
  ^bb0(%a: {2}, %b: {2}, %o: {2}):
    %v = arith.addf %a, %b : {2}
    linalg.yield %v : {2}
  } -> tensor<{1}x{0}x{2}>
  return %r : tensor<{1}x{0}x{2}>
})",
                 rows, columns, type);
}

std::string lookUp(const std::string &type, int rows, int columns, int count) {
  return formatv(R"(
func.func @k(%table: tensor<{0}x{1}x{2}>, %x: tensor<{3}xi32>) -> tensor<{3}x{1}x{2}> {{
  %e = tensor.empty() : tensor<{3}x{1}x{2}>
  %zero = arith.constant 0 : i32
  %last = arith.constant {4} : i32
  %r = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<{3}xi32>) outs(%e : tensor<{3}x{1}x{2}>) {{
  ^bb0(%a: i32, %o: {2}):
    %j = linalg.index 1 : index
    %p = arith.maxsi %a, %zero : i32
    %m = arith.minsi %p, %last : i32
    %i = arith.index_cast %m : i32 to index
    %v = tensor.extract %table[%i, %j] : tensor<{0}x{1}x{2}>
    linalg.yield %v : {2}
  } -> tensor<{3}x{1}x{2}>
  return %r : tensor<{3}x{1}x{2}>
})",
                 rows, columns, type, count, rows - 1);
}

/// sum over dimension `dim` of two.
std::string sum(const std::string &type, int rows, int columns, int dim) {
  return formatv(R"(
func.func @k(%x: tensor<{0}x{1}x{2}>) -> tensor<{3}x{2}> {{
  %e = tensor.empty() : tensor<{3}x{2}>
  %zero = arith.constant 0.0 : {2}
  %f = linalg.fill ins(%zero : {2}) outs(%e : tensor<{3}x{2}>) -> tensor<{3}x{2}>
  %r = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d{4})>], iterator_types = [{5}]}
      ins(%x : tensor<{0}x{1}x{2}>) outs(%f : tensor<{3}x{2}>) {{
  ^bb0(%a: {2}, %o: {2}):
    %v = arith.addf %o, %a : {2}
    linalg.yield %v : {2}
  } -> tensor<{3}x{2}>
  return %r : tensor<{3}x{2}>
})",
                 rows, columns, type, dim == 0 ? columns : rows, 1 - dim,
                 dim == 0 ? "\"reduction\", \"parallel\""
                          : "\"parallel\", \"reduction\"");
}

size_t count(const std::string &text, const std::string &what) {
  return llvm::StringRef(text).count(what);
}

TEST(Device, MapsAccessSixteenBytes) {
  for (const char *type : {"f32", "f16", "bf16"}) {
    checkDeviceKernel(scale(type, 4096));
    std::string ptx = compileToPtx(scale(type, 4096), "sm_90");
    EXPECT_EQ(count(ptx, "ld.global.v4"), 2u) << ptx;
    EXPECT_EQ(count(ptx, "st.global.v4"), 1u) << ptx;
    EXPECT_EQ(count(ptx, "ld.global"), 2u) << ptx;
  }
}

/// The launches of a contraction of the layout that `e` says.
std::vector<KernelLaunch> launchesOf(const Einsum &e, double tolerance) {
  CheckOptions options;
  options.tolerance = tolerance;
  options.floor = 1;
  return checkDeviceKernel(contraction(e), options).launches;
}

/// Products that the matrix library computes, some with copies before and
/// after them.
TEST(Device, LibraryProducts) {
  using Kind = KernelLaunch::Kind;
  std::map<char, int> sizes = {{'l', 12}, {'m', 20}, {'g', 3},  {'r', 2},
                               {'p', 4},  {'s', 2},  {'k', 24}, {'n', 40}};
  for (const char *type : {"f32", "f16", "bf16"}) {
    auto launches = launchesOf({"lk", "nk", "ln", sizes, type, type}, 3e-6);
    ASSERT_EQ(launches.size(), 1u);
    EXPECT_EQ(launches[0].kind, Kind::Matmul);
    EXPECT_EQ(launches[0].matmul.typeA, type);
    EXPECT_EQ(launches[0].matmul.typeD, "f32");
    launches = launchesOf({"lgrps", "mgps", "grlm", sizes, type, type}, 3e-6);
    ASSERT_EQ(launches.size(), 2u);
    EXPECT_EQ(launches[1].buffers[2].offset, 12 * 20 * 4);
  }
  // Another type and other layouts: copies into the workspace first.
  auto launches = launchesOf({"lk", "nk", "ln", sizes, "f32", "bf16"}, 3e-6);
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].kind, Kind::Kernel);
  EXPECT_EQ(launches[1].matmul.typeB, "f32");
  launches = launchesOf({"lkg", "nkg", "lng", sizes}, 3e-6);
  ASSERT_EQ(launches.size(), 4u);
  EXPECT_EQ(launches[2].kind, Kind::Matmul);
  EXPECT_EQ(launches[3].kind, Kind::Kernel);
}

/// What is not a multiple of 16 bytes, or not aligned to them.
TEST(Device, MapsOfOddSizes) {
  for (const char *type : {"f32", "f16", "bf16"})
    for (int size : {1, 2, 255, 1027})
      checkDeviceKernel(scale(type, size), {}, /*ptx=*/false);
}

TEST(Device, RoundsByInstruction) {
  std::string ptx = compileToPtx(scale("bf16", 4096), "sm_90");
  EXPECT_GT(count(ptx, "cvt.rn.bf16"), 0u) << ptx;
}

TEST(Device, ArithmeticIsAsWritten) {
  std::string ptx = compileToPtx(normalize("f32", 8, 512), "sm_90");
  EXPECT_EQ(count(ptx, "fma"), 0u) << ptx;
  EXPECT_EQ(count(ptx, ".ftz"), 0u) << ptx;
  EXPECT_EQ(count(ptx, ".approx"), 0u) << ptx;
  EXPECT_GT(count(ptx, "mul.rn.f32"), 0u) << ptx;
  EXPECT_GT(count(ptx, "div.rn.f32"), 0u) << ptx;
  EXPECT_GT(count(ptx, "sqrt.rn.f32"), 0u) << ptx;
}

/// A row is read once and stays in registers: as many loads as elements.
TEST(Device, RowsAreReadOnce) {
  std::string ptx = compileToPtx(softmax("f32", 4096, 1024), "sm_90");
  // 64 threads hold 4 pieces of 4 elements each.
  EXPECT_EQ(count(ptx, "ld.global"), 4u) << ptx;
  EXPECT_EQ(count(ptx, "ld.global.v4"), 4u) << ptx;
  EXPECT_EQ(count(ptx, "st.global.v4"), 4u) << ptx;
  for (const char *type : {"f32", "bf16", "f16"})
    for (auto [rows, columns] :
         {std::pair(3, 1), std::pair(5, 7), std::pair(9, 33), std::pair(2, 576),
          std::pair(1, 4096), std::pair(2, 16384)}) {
      CheckOptions options;
      options.tolerance = 1e-5;
      options.floor = 1;
      // Narrow sums of many terms lose too much to be compared.
      if (type[0] == 'f' && type[1] == '3')
        checkDeviceKernel(softmax(type, rows, columns), options, false);
      checkDeviceKernel(normalize(type, rows, columns), options, false);
    }
}

/// Rows that no block's registers hold take several launches.
TEST(Device, RowsTooLongForRegisters) {
  CheckOptions options;
  options.tolerance = 1e-4;
  options.floor = 1;
  turnip::codegen::DeviceBinary binary =
      checkDeviceKernel(softmax("f32", 2, 20000), options, false);
  EXPECT_EQ(binary.launches.size(), 4u);
  EXPECT_GT(binary.workspaceBytes, 0);
  EXPECT_EQ(
      checkDeviceKernel(softmax("f32", 3, 500), options, false).launches.size(),
      1u);
}

TEST(Device, Transpositions) {
  for (const char *type : {"f32", "f16", "bf16"})
    for (auto [rows, columns] :
         {std::pair(3, 5), std::pair(33, 70), std::pair(64, 64)})
      checkDeviceKernel(transpose(type, rows, columns), {}, false);
  std::string ptx = compileToPtx(transpose("f32", 64, 64), "sm_90");
  EXPECT_GT(count(ptx, "st.shared"), 0u);
  EXPECT_GT(count(ptx, "bar.sync"), 0u);
}

TEST(Device, LookUps) {
  for (const char *type : {"f32", "bf16"})
    for (auto [rows, columns, n] :
         {std::tuple(10, 64, 7), std::tuple(5, 33, 3)})
      checkDeviceKernel(lookUp(type, rows, columns, n), {}, false);
  std::string ptx = compileToPtx(lookUp("f32", 10, 64, 7), "sm_90");
  EXPECT_GT(count(ptx, "ld.global.v4"), 0u) << ptx;
}

TEST(Device, SumsAlongEitherDimension) {
  CheckOptions options;
  options.tolerance = 1e-5;
  options.floor = 1;
  for (int dim : {0, 1})
    for (auto [rows, columns] :
         {std::pair(1, 300), std::pair(300, 1), std::pair(257, 130),
          std::pair(2, 70000), std::pair(3000, 40)})
      checkDeviceKernel(sum("f32", rows, columns, dim), options, false);
}

/// The main forms fit the registers of a thread, on every chip. Needs ptxas.
TEST(Device, NothingIsSpilled) {
  if (turnip::codegen::gpu::findPtxas().empty())
    GTEST_SKIP() << "ptxas is not found";
  std::vector<std::string> kernels = {
      sum("f32", 4096, 4096, 0), sum("f32", 4096, 4096, 1),
      lookUp("bf16", 1000, 4096, 64), lookUp("f32", 1000, 4096, 64)};
  for (const char *type : {"f32", "f16", "bf16"}) {
    kernels.push_back(scale(type, 1 << 20));
    kernels.push_back(transpose(type, 512, 512));
    for (int columns : {128, 576, 4096, 8192, 16384}) {
      kernels.push_back(softmax(type, 256, columns));
      kernels.push_back(normalize(type, 256, columns));
    }
  }
  for (const std::string &kernel : kernels)
    for (const char *chip : {"sm_80", "sm_90", "sm_100"}) {
      llvm::Expected<std::string> report =
          turnip::codegen::gpu::describeResources(compileToPtx(kernel, chip),
                                                  chip);
      ASSERT_TRUE(bool(report)) << llvm::toString(report.takeError());
      EXPECT_EQ(count(*report, " 0 bytes spill stores, 0 bytes spill loads"),
                count(*report, "spill stores"))
          << *report << kernel;
      EXPECT_EQ(count(*report, "0 bytes stack frame"),
                count(*report, "stack frame"))
          << *report << kernel;
    }
}

/// Products that no library takes, of every layout, with edges.
TEST(Device, Products) {
  for (const char *type : {"f32", "bf16", "i8"})
    for (const char *maps :
         {"(m, k)> (k, n)> (m, n)", "(k, m)> (n, k)> (n, m)"})
      for (auto [m, n, k] : {std::tuple(1, 5, 3), std::tuple(65, 70, 33)}) {
        auto [a, rest] = llvm::StringRef(maps).split("> ");
        auto [b, c] = rest.split("> ");
        auto shape = [&, m = m, n = n, k = k](llvm::StringRef map) {
          std::string text;
          for (char label : map)
            if (label == 'm' || label == 'n' || label == 'k')
              text += std::to_string(label == 'm'   ? m
                                     : label == 'n' ? n
                                                    : k) +
                      "x";
          return text;
        };
        bool isFloat = type[0] != 'i';
        const char *sum = isFloat ? "f32" : "i32";
        std::string widen;
        if (llvm::StringRef(type) != "f32")
          widen = formatv("    %wa = arith.ext{1} %a : {0} to {2}\n"
                          "    %wb = arith.ext{1} %b : {0} to {2}\n",
                          type, isFloat ? "f" : "si", sum);
        CheckOptions options;
        options.tolerance = 1e-5;
        options.floor = 1;
        checkDeviceKernel(formatv(R"(
func.func @k(%x: tensor<{0}{3}>, %y: tensor<{1}{3}>, %z: tensor<{2}{4}>) -> tensor<{2}{4}> {{
  %r = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> {5}>, affine_map<(m, n, k) -> {6}>, affine_map<(m, n, k) -> {7}>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<{0}{3}>, tensor<{1}{3}>) outs(%z : tensor<{2}{4}>) {{
  ^bb0(%a: {3}, %b: {3}, %o: {4}):
{8}    %p = arith.mul{9} {10} : {4}
    %s = arith.add{9} %o, %p : {4}
    linalg.yield %s : {4}
  } -> tensor<{2}{4}>
  return %r : tensor<{2}{4}>
})",
                                  shape(a), shape(b), shape(c), type, sum, a, b,
                                  c, widen, isFloat ? "f" : "i",
                                  widen.empty() ? "%a, %b" : "%wa, %wb"),
                          options);
      }
}

} // namespace
