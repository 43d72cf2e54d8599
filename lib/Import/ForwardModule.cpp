//===- ForwardModule.cpp - A module with a forward pass -------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForwardModule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::import;

static Status checkExtent(const char *what, int64_t value) {
  constexpr int64_t largest = int64_t(1) << 24;
  if (value >= 1 && value <= largest)
    return Status::ok();
  return Status::error(StatusCode::InvalidArgument,
                       std::string("expected a ") + what + " between 1 and " +
                           std::to_string(largest) + ", but got " +
                           std::to_string(value));
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

Expected<OwningOpRef<ModuleOp>> turnip::import::buildForwardModule(
    MLIRContext &context, const ImportOptions &options,
    const ParameterSource &source, ForwardBuilder build) {
  context.loadDialect<ein::EinDialect, func::FuncDialect, arith::ArithDialect,
                      math::MathDialect>();
  if (options.entry.empty())
    return Status::error(StatusCode::InvalidArgument,
                         "expected a name for the entry point, but got ''");
  TURNIP_RETURN_IF_ERROR(
      checkExtent("sequence length", options.sequenceLength));
  TURNIP_RETURN_IF_ERROR(checkExtent("batch", options.batch));

  OpBuilder builder(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToEnd(module->getBody());
  Location location = NameLoc::get(builder.getStringAttr(options.entry));
  SmallVector<int64_t> shape = {options.sequenceLength};
  bool isBatched = options.batch != 1;
  if (isBatched)
    shape.insert(shape.begin(), options.batch);
  auto tokens = RankedTensorType::get(shape, builder.getI32Type());
  auto function = func::FuncOp::create(
      builder, location, options.entry,
      builder.getFunctionType(TypeRange(tokens), TypeRange()));
  function.setArgAttr(0, "ein.name", builder.getStringAttr("tokens"));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  ModelBuilder model(builder, source, isBatched, options.activationType);
  Value logits = build(model, entry->getArgument(0));
  if (!model.status())
    return model.status();
  func::ReturnOp::create(builder, location, logits);
  function.setType(
      builder.getFunctionType(TypeRange(tokens), logits.getType()));
  function.setResultAttr(0, "ein.name", builder.getStringAttr("logits"));
  TURNIP_RETURN_IF_ERROR(checkModule(*module));
  return module;
}
