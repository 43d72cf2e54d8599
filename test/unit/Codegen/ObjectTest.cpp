//===- ObjectTest.cpp - Object code: determinism, symbols, cache ------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "KernelRunner.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace turnip::test;
using namespace turnip::codegen;

namespace {

const char *kText = R"(
func.func @name(%x: tensor<40xf32> {some.name = "x"}) -> (tensor<40xf32> {some.name = "y"}) {
  %e = tensor.empty() : tensor<40xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<40xf32>) outs(%e : tensor<40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = math.exp %a : f32
    linalg.yield %v : f32
  } -> tensor<40xf32>
  return %r : tensor<40xf32>
})";

std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  for (size_t at; (at = text.find(from)) != std::string::npos;)
    text.replace(at, from.size(), to);
  return text;
}

TEST(Object, BytesDependOnContentOnly) {
  std::string text = replaced(kText, " {some.name = \"x\"}", "");
  text =
      replaced(text, "(tensor<40xf32> {some.name = \"y\"})", "tensor<40xf32>");
  // The name, attributes and the caller's context do not matter. The second
  // compilation goes through a folder, so as not to come from the process.
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("kernels", folder));
  KernelOptions options;
  options.cacheDirectory = folder.str().str();
  auto first = compileKernel(parseKernel(text), KernelTarget());
  auto second = compileKernel(parseKernel(kText), KernelTarget());
  ASSERT_TRUE(succeeded(first) && succeeded(second));
  EXPECT_EQ(first->object, second->object);
  // A different function that yields the same loops compiles anew.
  auto third = compileKernel(parseKernel(replaced(text, "%v", "%other")),
                             KernelTarget());
  ASSERT_TRUE(succeeded(third));
  EXPECT_EQ(first->object, third->object);
  EXPECT_EQ(first->object.find("/tmp"), std::string::npos);
  EXPECT_EQ(first->object.find("turnip-kernel"), std::string::npos);
  llvm::sys::fs::remove_directories(folder);
}

TEST(Object, CacheFolder) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("kernels", folder));
  KernelOptions options;
  options.cacheDirectory = (folder + "/sub").str();
  std::string text = replaced(kText, "40", "41");
  auto first = compileKernel(parseKernel(text), KernelTarget(), options);
  ASSERT_TRUE(succeeded(first));
  std::error_code ec;
  int files = 0;
  for (llvm::sys::fs::directory_iterator it(folder + "/sub", ec), end;
       it != end && !ec; it.increment(ec)) {
    EXPECT_TRUE(llvm::StringRef(it->path()).ends_with(".kernel"));
    ++files;
  }
  EXPECT_EQ(files, 1);
  llvm::sys::fs::remove_directories(folder);
}

TEST(Object, MetadataOfTargets) {
  EXPECT_TRUE(failed(KernelTarget::get("x86-64")));
  EXPECT_TRUE(failed(KernelTarget::get("skylake")));
  auto v3 = KernelTarget::get("x86-64-v3");
  ASSERT_TRUE(succeeded(v3));
  auto binary = compileKernel(parseKernel(kText), *v3);
  ASSERT_TRUE(succeeded(binary));
  EXPECT_EQ(binary->symbol, "turnip_kernel");
  EXPECT_EQ(binary->triple, "x86_64-unknown-linux-gnu");
  EXPECT_EQ(binary->features, std::vector<std::string>{"x86-64-v3"});
  EXPECT_EQ(binary->object.substr(0, 4), "\x7f"
                                         "ELF");
}

/// Only the three functions that compilers call on their own may be missing.
TEST(Object, RefusesUndefinedSymbols) {
  mlir::DialectRegistry registry;
  registerBackendDialects(registry);
  mlir::MLIRContext context(registry);
  for (const char *callee : {"expf", "memset", "memcpy"}) {
    auto module =
        mlir::parseSourceString<mlir::ModuleOp>(std::string("llvm.func @") +
                                                    callee + R"(()
        func.func @turnip_kernel(%a: !llvm.ptr, %b: !llvm.ptr, %c: i64) {
          llvm.call @)" + callee + R"(() : () -> ()
          return
        })",
                                                &context);
    ASSERT_TRUE(module);
    ASSERT_TRUE(succeeded(lowerToLLVM(*module)));
    llvm::Expected<std::string> object = emitObject(*module, KernelTarget());
    ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());
    llvm::Expected<std::string> shared = linkShared(*object);
    if (llvm::StringRef(callee).starts_with("mem")) {
      EXPECT_TRUE(bool(shared)) << llvm::toString(shared.takeError());
      continue;
    }
    ASSERT_FALSE(bool(shared));
    EXPECT_EQ(llvm::toString(shared.takeError()),
              "kernel needs the undefined symbol 'expf'");
  }
}

TEST(Object, RefusesWhatIsNoKernel) {
  mlir::ScopedDiagnosticHandler handler(
      parseKernel(kText).getContext(), [](mlir::Diagnostic &diagnostic) {
        EXPECT_NE(diagnostic.str().find("kernel"), std::string::npos);
        return mlir::success();
      });
  auto dynamic = compileKernel(
      parseKernel("func.func @k(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
                  "  return %x : tensor<?xf32>\n}"),
      KernelTarget());
  EXPECT_TRUE(failed(dynamic));
  auto scalar =
      compileKernel(parseKernel("func.func @k(%x: f32) -> tensor<1xf32> {\n"
                                "  %e = tensor.empty() : tensor<1xf32>\n"
                                "  return %e : tensor<1xf32>\n}"),
                    KernelTarget());
  EXPECT_TRUE(failed(scalar));
}

} // namespace
