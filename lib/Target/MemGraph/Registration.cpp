//===- Registration.cpp - Translations of turnip-translate ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Target/MemGraph.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "turnip/Dialect/Mem/IR/Mem.h"
#include "turnip/artifact/Artifact.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace turnip;

static LogicalResult writeArtifact(Operation *op, raw_ostream &output) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    return op->emitError("expected a module, but got ") << op->getName();
  FailureOr<std::string> bytes = serializeMemGraph(module);
  if (failed(bytes))
    return failure();
  output << *bytes;
  return success();
}

/// Prints with locations: they are a part of the artifact.
static LogicalResult
readArtifact(const std::shared_ptr<llvm::SourceMgr> &sources,
             raw_ostream &output, MLIRContext *context) {
  const llvm::MemoryBuffer *buffer =
      sources->getMemoryBuffer(sources->getMainFileID());
  Location loc = FileLineColLoc::get(context, buffer->getBufferIdentifier(),
                                     /*line=*/0, /*column=*/0);
  StringRef bytes = buffer->getBuffer();
  Expected<artifact::Module> loaded =
      artifact::load({bytes.data(), bytes.size()});
  if (!loaded)
    return emitError(loc) << loaded.status().message();
  OwningOpRef<ModuleOp> module =
      importMemGraph(*loaded, UnknownLoc::get(context));
  if (!module)
    return failure();
  module->print(output, OpPrintingFlags().enableDebugInfo());
  output << '\n';
  return success();
}

void turnip::registerMemGraphTranslations(
    void (*registerDialects)(DialectRegistry &)) {
  static TranslateFromMLIRRegistration toArtifact(
      "mem-to-memgraph", "write a placed module as an artifact", writeArtifact,
      registerDialects);
  static TranslateRegistration fromArtifact(
      "memgraph-to-mem", "read an artifact as a placed module",
      [registerDialects](const std::shared_ptr<llvm::SourceMgr> &sources,
                         raw_ostream &output, MLIRContext *context) {
        DialectRegistry registry;
        registerDialects(registry);
        context->appendDialectRegistry(registry);
        return readArtifact(sources, output, context);
      });
}
