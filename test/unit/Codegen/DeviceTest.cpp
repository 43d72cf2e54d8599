//===- DeviceTest.cpp - Kernels as device code ----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionText.h"
#include "DeviceRunner.h"
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

TEST(Device, MapsAccessSixteenBytes) {
  for (const char *type : {"f32", "f16", "bf16"}) {
    checkDeviceKernel(scale(type, 4096));
    std::string ptx = compileToPtx(scale(type, 4096), "sm_90");
    EXPECT_NE(ptx.find("ld.global.v4"), std::string::npos) << ptx;
    EXPECT_NE(ptx.find("st.global.v4"), std::string::npos) << ptx;
    EXPECT_EQ(ptx.find(".local"), std::string::npos) << ptx;
    EXPECT_EQ(ptx.find("fma"), std::string::npos) << ptx;
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
