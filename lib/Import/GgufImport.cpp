//===- GgufImport.cpp - GGUF models to ein IR -----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Architectures.h"
#include "turnip/Import/Import.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::import;

/// Every architecture, by the name that general.architecture gives it.
static constexpr struct {
  llvm::StringLiteral name;
  ForwardPass build;
} architectures[] = {
    {"llama", buildLlama},
};

std::string turnip::import::knownArchitectures() {
  std::string names;
  for (const auto &architecture : architectures)
    names += (names.empty() ? "" : ", ") + architecture.name.str();
  return names;
}

static Expected<ForwardPass>
findArchitecture(const parameters::GgufFile &file) {
  Expected<std::string_view> name = file.stringValue("general.architecture");
  if (!name)
    return name.status();
  for (const auto &architecture : architectures)
    if (llvm::StringRef(*name) == architecture.name)
      return architecture.build;
  return Status::error(StatusCode::BadInput,
                       "architecture '" + std::string(*name) +
                           "' is not supported; supported are " +
                           knownArchitectures());
}

/// Runs the verifier and returns its first message as an error.
static Status checkModule(ModuleOp module) {
  std::string message;
  ScopedDiagnosticHandler handler(module.getContext(),
                                  [&](Diagnostic &diagnostic) {
                                    if (message.empty())
                                      message = diagnostic.str();
                                    return success();
                                  });
  if (succeeded(verify(module)))
    return Status::ok();
  return Status::error(StatusCode::BadInput,
                       "the model's sizes make no valid program: " + message);
}

Expected<OwningOpRef<ModuleOp>>
turnip::import::importGguf(MLIRContext &context,
                           const parameters::GgufFile &file,
                           const ImportOptions &options) {
  context.loadDialect<ein::EinDialect, func::FuncDialect, arith::ArithDialect,
                      math::MathDialect>();
  constexpr int64_t longest = int64_t(1) << 24;
  if (options.sequenceLength < 1 || options.sequenceLength > longest)
    return Status::error(StatusCode::InvalidArgument,
                         "expected a sequence length between 1 and " +
                             std::to_string(longest) + ", but got " +
                             std::to_string(options.sequenceLength));
  Expected<ForwardPass> build = findArchitecture(file);
  if (!build)
    return build.status();

  OpBuilder builder(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToEnd(module->getBody());
  Location location = NameLoc::get(builder.getStringAttr(options.entry));
  auto tokens =
      RankedTensorType::get({options.sequenceLength}, builder.getI32Type());
  auto function = func::FuncOp::create(
      builder, location, options.entry,
      builder.getFunctionType(TypeRange(tokens), TypeRange()));
  function.setArgAttr(0, "ein.name", builder.getStringAttr("tokens"));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  ModelBuilder model(builder, file);
  Value logits = (*build)(model, file, entry->getArgument(0));
  if (std::optional<std::string> unused = model.unusedTensor())
    model.fail(Status::error(StatusCode::BadInput,
                             "tensor '" + *unused +
                                 "' has no place in this architecture as far "
                                 "as it is supported"));
  if (!model.status())
    return model.status();
  func::ReturnOp::create(builder, location, logits);
  function.setType(
      builder.getFunctionType(TypeRange(tokens), logits.getType()));
  function.setResultAttr(0, "ein.name", builder.getStringAttr("logits"));
  TURNIP_RETURN_IF_ERROR(checkModule(*module));
  return module;
}
