//===- MemGraphTest.cpp - Artifacts that say no valid IR ------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Target/MemGraph.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "turnip/Dialect/Mem/IR/Mem.h"
#include "turnip/artifact/Artifact.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace turnip;

namespace {
const char *const source = R"mlir(
mem.machine {
  mem.memory @host host capacity 128 alignment 64
  mem.device "host" host memory @host
}
task.kernel @f(%x: tensor<16xf32>) -> tensor<16xf32> {
  task.yield %x : tensor<16xf32>
}
mem.graph @main {
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.call @f task 0 on "host" reads(v0 @host[0 + 64])
    writes(v1 @host[64 + 64]) loc("model.mlir":3:8)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v1 @host[64 + 64]
}
)mlir";

/// A context that records its diagnostics, and the artifact of `source`.
class MemGraphTest : public ::testing::Test {
protected:
  void SetUp() override {
    context.loadDialect<mem::MemDialect, task::TaskDialect>();
    handler = std::make_unique<ScopedDiagnosticHandler>(
        &context, [this](Diagnostic &diagnostic) {
          messages += diagnostic.str() + "\n";
          return success();
        });
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(source, ParserConfig(&context));
    ASSERT_TRUE(module) << messages;
    FailureOr<artifact::Module> exported = exportMemGraph(*module);
    ASSERT_TRUE(succeeded(exported)) << messages;
    artifact = *exported;
  }

  /// Imports `artifact` and expects failure with \p message.
  void expectFailure(const std::string &message) {
    OwningOpRef<ModuleOp> module =
        importMemGraph(artifact, UnknownLoc::get(&context));
    EXPECT_FALSE(module);
    EXPECT_NE(messages.find(message), std::string::npos) << messages;
  }

  MLIRContext context;
  std::string messages;
  std::unique_ptr<ScopedDiagnosticHandler> handler;
  artifact::Module artifact;
};
} // namespace

TEST_F(MemGraphTest, ImportsWhatItExported) {
  OwningOpRef<ModuleOp> module =
      importMemGraph(artifact, UnknownLoc::get(&context));
  ASSERT_TRUE(module) << messages;
  FailureOr<std::string> bytes = serializeMemGraph(*module);
  ASSERT_TRUE(succeeded(bytes));
  Expected<std::string> expected = artifact::serialize(artifact);
  ASSERT_TRUE(expected.isOk());
  EXPECT_EQ(*bytes, *expected);
  EXPECT_EQ(artifact.entries[0].locations[0], "loc(\"model.mlir\":3:8)");
}

TEST_F(MemGraphTest, RefusesSignatures) {
  artifact.kernels[0].signature = "tensor<16xf32>";
  expectFailure("kernel \"f\": expected a function type as signature, but got "
                "tensor<16xf32>");
}

TEST_F(MemGraphTest, RefusesSourcesThatAreNoKernel) {
  artifact.kernels[0].source = "module {}";
  expectFailure("kernel \"f\": expected one task.kernel as source");
}

TEST_F(MemGraphTest, RefusesSourcesOfOtherKernels) {
  artifact.kernels[0].source = "task.kernel @g(tensor<8xf32>) -> tensor<8xf32>";
  expectFailure("kernel \"f\": expected a source of this name and of type "
                "'(tensor<16xf32>) -> tensor<16xf32>', but got \"g\"");
}

TEST_F(MemGraphTest, RefusesLocations) {
  artifact.entries[0].locations[0] = "42";
  expectFailure("entry \"main\": expected a location, but got 42");
}

TEST_F(MemGraphTest, RefusesGraphsThatBreakThePlacement) {
  artifact.entries[0].accesses[1].offset = 0;
  artifact.entries[0].results[0].pieces[0].offset = 0;
  expectFailure("breaks the placement");
}

TEST_F(MemGraphTest, RefusesOneNameForTwoThings) {
  artifact.entries[0].name = "f";
  expectFailure("redefinition of symbol named 'f'");
}
