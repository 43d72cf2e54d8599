//===- AttentionTest.cpp - Attention as one launch ------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPU/Attention.h"
#include "DeviceRunner.h"
#include "GPU/DeviceBackend.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Program.h"
#include <fstream>
#include <iostream>

using namespace turnip::codegen;
using namespace turnip::test;
using llvm::formatv;

namespace {

/// Attention of r queries in each of g groups.
struct Sizes {
  int rows = 8, keys = 8, groups = 1, queries = 1, head = 16, value = 16;
  const char *type = "bf16";
  /// Which score a mask leaves alone: %m <= %l + %o, or something else.
  const char *mask = "%x0 = arith.addi %l, %o : index\n"
                     "%x1 = arith.cmpi sle, %m, %x0 : index";
  const char *result = nullptr;
};

std::string replaceAll(std::string text, const std::string &from,
                       const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string attention(const Sizes &s) {
  bool isNarrow = std::string(s.type) != "f32";
  std::string result = s.result ? s.result : s.type;
  std::string text = R"(
#q = affine_map<(g, r, l, m, p) -> (l, g, r, p)>
#k = affine_map<(g, r, l, m, p) -> (m, g, p)>
#s = affine_map<(g, r, l, m, p) -> (g, r, l, m)>
#id = affine_map<(g, r, l, m) -> (g, r, l, m)>
#row = affine_map<(g, r, l, m) -> (g, r, l)>
#w = affine_map<(l, g, r, d, m) -> (g, r, l, m)>
#v = affine_map<(l, g, r, d, m) -> (m, g, d)>
#o = affine_map<(l, g, r, d, m) -> (l, g, r, d)>
#id4 = affine_map<(l, g, r, d) -> (l, g, r, d)>
func.func @k(%q: tensor<LxGxRxPxT>, %k: tensor<MxGxPxT>, %v: tensor<MxGxDxT>, %o: index) -> tensor<LxGxRxDxU> {
  %zero = arith.constant 0.0 : f32
  %inf = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<GxRxLxMxf32>
  %e1 = tensor.empty() : tensor<GxRxLxf32>
  %e2 = tensor.empty() : tensor<LxGxRxDxf32>
  %ew = tensor.empty() : tensor<GxRxLxMxT>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<GxRxLxMxf32>) -> tensor<GxRxLxMxf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<LxGxRxPxT>, tensor<MxGxPxT>) outs(%f0 : tensor<GxRxLxMxf32>) {
  ^bb0(%a: T, %b: T, %c: f32):
    WIDEN%x = arith.mulf %a1, %b1 : f32
    %y = arith.addf %c, %x : f32
    linalg.yield %y : f32
  } -> tensor<GxRxLxMxf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s : tensor<GxRxLxMxf32>) outs(%e0 : tensor<GxRxLxMxf32>) {
  ^bb0(%a: f32, %c: f32):
    %scale = arith.constant 0.3 : f32
    %l = linalg.index 2 : index
    %m = linalg.index 3 : index
    %y = arith.mulf %a, %scale : f32
    MASK
    %z = arith.select %x1, %y, %inf : f32
    linalg.yield %z : f32
  } -> tensor<GxRxLxMxf32>
  %f1 = linalg.fill ins(%inf : f32) outs(%e1 : tensor<GxRxLxf32>) -> tensor<GxRxLxf32>
  %t = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x : tensor<GxRxLxMxf32>) outs(%f1 : tensor<GxRxLxf32>) {
  ^bb0(%a: f32, %c: f32):
    %y = arith.maximumf %a, %c : f32
    linalg.yield %y : f32
  } -> tensor<GxRxLxf32>
  %w = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %t : tensor<GxRxLxMxf32>, tensor<GxRxLxf32>) outs(%e0 : tensor<GxRxLxMxf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %y = arith.subf %a, %b : f32
    %z = math.exp %y : f32
    linalg.yield %z : f32
  } -> tensor<GxRxLxMxf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<GxRxLxf32>) -> tensor<GxRxLxf32>
  %n = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w : tensor<GxRxLxMxf32>) outs(%f2 : tensor<GxRxLxf32>) {
  ^bb0(%a: f32, %c: f32):
    %y = arith.addf %c, %a : f32
    linalg.yield %y : f32
  } -> tensor<GxRxLxf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w, %n : tensor<GxRxLxMxf32>, tensor<GxRxLxf32>) outs(%ew : tensor<GxRxLxMxT>) {
  ^bb0(%a: f32, %b: f32, %c: T):
    %y = arith.divf %a, %b : f32
    NARROW(%z, %y, T)linalg.yield %z : T
  } -> tensor<GxRxLxMxT>
  %f3 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<LxGxRxDxf32>) -> tensor<LxGxRxDxf32>
  %r = linalg.generic {indexing_maps = [#w, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<GxRxLxMxT>, tensor<MxGxDxT>) outs(%f3 : tensor<LxGxRxDxf32>) {
  ^bb0(%a: T, %b: T, %c: f32):
    WIDEN%x2 = arith.mulf %a1, %b1 : f32
    %y = arith.addf %c, %x2 : f32
    linalg.yield %y : f32
  } -> tensor<LxGxRxDxf32>
  END
})";
  std::string end = "return %r : tensor<LxGxRxDxf32>";
  if (result != "f32")
    end = R"(%e3 = tensor.empty() : tensor<LxGxRxDxU>
  %u = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r : tensor<LxGxRxDxf32>) outs(%e3 : tensor<LxGxRxDxU>) {
  ^bb0(%a: f32, %c: U):
    %y = arith.truncf %a : f32 to U
    linalg.yield %y : U
  } -> tensor<LxGxRxDxU>
  return %u : tensor<LxGxRxDxU>)";
  text = replaceAll(text, "END", end);
  text = replaceAll(text, "MASK", s.mask);
  if (isNarrow) {
    text = replaceAll(text, "WIDEN",
                      "%a1 = arith.extf %a : T to f32\n"
                      "    %b1 = arith.extf %b : T to f32\n    ");
    text = replaceAll(text, "NARROW(%z, %y, T)",
                      "%z = arith.truncf %y : f32 to T\n    ");
  } else {
    text = replaceAll(text, "WIDEN", "");
    text = replaceAll(replaceAll(text, "%a1", "%a"), "%b1", "%b");
    text = replaceAll(text, "NARROW(%z, %y, T)", "");
    text = replaceAll(text, "linalg.yield %z : T", "linalg.yield %y : T");
  }
  for (auto [letter, size] :
       {std::pair("L", s.rows), std::pair("M", s.keys),
        std::pair("G", s.groups), std::pair("R", s.queries),
        std::pair("P", s.head), std::pair("D", s.value)}) {
    text = replaceAll(text, formatv("<{0}x", letter), formatv("<{0}x", size));
    text = replaceAll(text, formatv("x{0}x", letter), formatv("x{0}x", size));
  }
  text = replaceAll(text, "xT>", formatv("x{0}>", s.type));
  text = replaceAll(text, ": T", formatv(": {0}", s.type));
  text = replaceAll(text, "to T", formatv("to {0}", s.type));
  text = replaceAll(text, "xU>", "x" + result + ">");
  text = replaceAll(text, ": U", ": " + result);
  return replaceAll(text, "to U", "to " + result);
}

/// Runs it with keys that begin `offset` before the rows.
DeviceBinary check(const Sizes &sizes, int64_t offset) {
  CheckOptions options;
  options.scalars = {offset};
  options.floor = 1;
  // Weights are rounded before they are divided by their sum.
  options.tolerance = std::string(sizes.type) == "f32"   ? 3e-6
                      : std::string(sizes.type) == "f16" ? 1.5e-3
                                                         : 1e-2;
  DeviceBinary binary =
      checkDeviceKernel(attention(sizes), options, /*ptx=*/false);
  EXPECT_EQ(binary.launches.size(), 1u);
  EXPECT_EQ(binary.workspaceBytes, 0);
  return binary;
}

TEST(Attention, CausalWithTensorCores) {
  for (const char *type : {"bf16", "f16"}) {
    check({70, 70, 1, 1, 64, 64, type}, 0);
    check({5, 130, 2, 2, 16, 32, type}, 125);
    check({67, 67, 2, 3, 32, 16, type}, 0);
    check({1, 65, 1, 4, 128, 128, type}, 64);
    check({64, 128, 1, 1, 16, 16, type}, 64);
  }
}

TEST(Attention, CausalWithoutTensorCores) {
  check({40, 40, 1, 1, 64, 64, "f32"}, 0);
  check({5, 70, 2, 2, 8, 24, "f32"}, 65);
  check({33, 65, 1, 3, 12, 8, "f32"}, 32);
  check({1, 33, 1, 1, 128, 128, "f32"}, 32);
}

TEST(Attention, NarrowWithWideResult) {
  Sizes sizes = {20, 40, 1, 2, 32, 32, "bf16"};
  sizes.result = "f32";
  check(sizes, 20);
}

TEST(Attention, OtherMasks) {
  for (const char *type : {"bf16", "f32"}) {
    Sizes sizes = {40, 70, 1, 2, 16, 16, type};
    // Nothing is hidden.
    sizes.mask = "%x1 = arith.constant true";
    check(sizes, 0);
    // A window: some tiles have nothing to see for some rows.
    sizes.mask = "%x0 = arith.subi %m, %l : index\n"
                 "%c3 = arith.constant 30 : index\n"
                 "%x1 = arith.cmpi eq, %x0, %c3 : index";
    check(sizes, 0);
    // Spelt the other way round.
    sizes.mask = "%x0 = arith.addi %o, %l : index\n"
                 "%x1 = arith.cmpi sgt, %x0, %m : index";
    check(sizes, 3);
  }
}

TEST(Attention, SkipsTilesThatNobodySees) {
  Sizes sizes = {130, 130, 1, 1, 16, 16, "bf16"};
  auto mmasOf = [&](int64_t offset) {
    int64_t before = numMmas;
    check(sizes, offset);
    return numMmas - before;
  };
  // Of three times three tiles, six; all of them where rows come later.
  int64_t some = mmasOf(0), all = mmasOf(130);
  EXPECT_EQ(some * 9, all * 6);
}

/// What ptxas says of `ptx`, which it must take without spilling registers.
std::string assemble(const std::string &ptx, const char *chip) {
  std::string path = testing::TempDir() + "attention.ptx";
  std::string log = testing::TempDir() + "attention.log";
  std::ofstream(path) << ptx;
  std::string arch = formatv("-arch={0}", chip);
  llvm::StringRef command[] = {
      gpu::findPtxas(), "-v", "-O3", "--fmad=false", arch, path, "-o",
      "/dev/null"};
  std::optional<llvm::StringRef> redirects[] = {
      llvm::StringRef(), llvm::StringRef(log), llvm::StringRef(log)};
  int status = llvm::sys::ExecuteAndWait(gpu::findPtxas(), command,
                                         std::nullopt, redirects);
  std::ifstream file(log);
  std::string output((std::istreambuf_iterator<char>(file)),
                     std::istreambuf_iterator<char>());
  EXPECT_EQ(status, 0) << output;
  EXPECT_NE(output.find("0 bytes spill stores, 0 bytes spill loads"),
            std::string::npos)
      << output;
  return output;
}

TEST(Attention, FitsRegisters) {
  if (gpu::findPtxas().empty())
    GTEST_SKIP() << "there is no ptxas";
  using Case = std::tuple<const char *, const char *, int>;
  for (auto [chip, type, head] :
       {Case("sm_80", "bf16", 128), Case("sm_90", "bf16", 128),
        Case("sm_100", "bf16", 128), Case("sm_90", "bf16", 64),
        Case("sm_90", "f16", 128), Case("sm_90", "f32", 128)}) {
    Sizes sizes = {1000, 1000, 8, 4, head, head, type};
    std::string ptx = compileToPtx(attention(sizes), chip);
    bool isNarrow = std::string(type) != "f32";
    for (const char *text : {"mma.sync.aligned.m16n8k16", "ex2.approx"})
      EXPECT_EQ(ptx.find(text) != std::string::npos, isNarrow) << text;
    EXPECT_EQ(ptx.find(".local"), std::string::npos);
    std::string said = assemble(ptx, chip);
    if (std::getenv("TURNIP_TEST_PRINT"))
      std::cout << chip << " " << type << " " << head << ": " << said;
  }
}

TEST(Attention, LeavesOtherOperationsAlone) {
  auto matches = [](const std::string &text) {
    mlir::func::FuncOp func = parseKernel(text);
    bool found = false;
    func.walk([&](mlir::linalg::GenericOp op) {
      found |= gpu::matchAttention(op).has_value();
    });
    return found;
  };
  std::string text = attention({8, 8, 1, 1, 16, 16, "f32"});
  auto with = [&](const char *from, const char *to) {
    std::string changed = replaceAll(text, from, to);
    EXPECT_NE(changed, text) << from;
    return matches(changed);
  };
  EXPECT_TRUE(matches(text));
  EXPECT_FALSE(with("arith.maximumf", "arith.minimumf"));
  EXPECT_FALSE(with("%z = math.exp", "%z = math.exp2"));
  EXPECT_FALSE(with("arith.divf %a, %b", "arith.divf %b, %a"));
  EXPECT_FALSE(with("%y = arith.subf %a, %b", "%y = arith.subf %b, %a"));
  EXPECT_FALSE(with("linalg.fill ins(%inf", "linalg.fill ins(%zero"));
}

} // namespace
