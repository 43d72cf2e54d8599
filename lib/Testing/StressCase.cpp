//===- StressCase.cpp - One random program through every level ------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Testing/StressCase.h"

#include "turnip/Dialect/Ein/IR/Ein.h"
#include "turnip/Dialect/Task/IR/Task.h"
#include "turnip/Testing/CompiledKernels.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::testing;
using reference::NamedTensor;
using reference::Scalar;
using reference::Tensor;

struct StressCase::Stage {
  StringRef name;
  Status (StressCase::*run)();
};

const StressCase::Stage StressCase::stages[] = {
    {"evaluate", &StressCase::evaluateProgram},
    {"text", &StressCase::checkText},
    {"canonicalize", &StressCase::checkCanonicalForm},
    {"fuse", &StressCase::checkFusedForm},
    {"linalg", &StressCase::checkLinalg},
    {"partition", &StressCase::checkPartition},
    {"execute", &StressCase::checkExecution},
    {"kernels", &StressCase::checkKernels},
    {"whole", &StressCase::checkWhole},
    {"stand-in", &StressCase::checkStandIn},
};

SmallVector<StringRef> StressCase::getStages() {
  SmallVector<StringRef> names;
  for (const Stage &stage : stages)
    names.push_back(stage.name);
  return names;
}

static const char *const kFuse =
    "canonicalize,cse,func.func(ein-fuse),canonicalize";

static uint64_t mix(uint64_t seed, int64_t index) {
  return Random(seed * 0x100000001b3u + static_cast<uint64_t>(index)).next();
}

/// Some programs are large enough for kernels to block and pack.
static RandomProgramOptions scaled(RandomProgramOptions options,
                                   Random &random) {
  if (!random.chance(6))
    return options;
  options.maxElements *= 16;
  options.maxPoints *= 32;
  options.maxSteps = std::min<int64_t>(options.maxSteps, 4);
  return options;
}

void StressStatistics::count(const Tensor &tensor) {
  double largest = 0;
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i) {
    Scalar value = tensor.get(i);
    double size = tensor.getKind().isFloat
                      ? std::fabs(value.real)
                      : std::fabs(static_cast<double>(value.integer));
    if (std::isfinite(size))
      largest = std::max(largest, size);
  }
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i) {
    double bound = tensor.get(i).bound;
    ++elements;
    undefinedElements += bound == reference::kUndefined;
    looseElements += bound != reference::kUndefined && bound > largest / 20;
  }
}

StressCase::StressCase(MLIRContext *context, uint64_t seed, int64_t index,
                       const RandomProgramOptions &options)
    : context(context), caseSeed(mix(seed, index)), random(caseSeed + 1),
      module(makeRandomProgram(context, caseSeed, scaled(options, random))),
      parameters([this](StringRef name, RankedTensorType type) {
        return makeRandomTensor(type, caseSeed, name);
      }) {}

StressCase::StressCase(ModuleOp program, uint64_t seed, int64_t index)
    : context(program.getContext()), caseSeed(mix(seed, index)),
      random(caseSeed + 1), module(program.clone()),
      parameters([this](StringRef name, RankedTensorType type) {
        return makeRandomTensor(type, caseSeed, name);
      }) {}

static Status stageError(const Twine &text) {
  return Status::error(StatusCode::BadInput, text.str());
}

Status StressCase::run(StringRef last, StressStatistics &counts) {
  statistics = &counts;
  // Diagnostics become part of the message.
  std::string diagnostics;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream(diagnostics) << "\n  " << diagnostic;
    return success();
  });
  for (const Stage &stage : stages) {
    diagnostics.clear();
    Status status = (this->*stage.run)();
    if (!status)
      return stageError("stage " + stage.name + ": " + status.message() +
                        diagnostics);
    if (stage.name == last)
      break;
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

Status StressCase::compareResults(ArrayRef<NamedTensor> actual) {
  if (actual.size() != expected.size())
    return stageError("expected " + Twine(expected.size()) +
                      " results, but got " + Twine(actual.size()));
  for (const NamedTensor &wanted : expected) {
    const auto *got = llvm::find_if(actual, [&](const NamedTensor &candidate) {
      return candidate.name == wanted.name;
    });
    if (got == actual.end())
      return stageError("no result '" + wanted.name + "'");
    if (got->tensor.getType() != wanted.tensor.getType())
      return stageError("result '" + wanted.name + "' has another type");
    if (auto mismatch =
            findMismatch(wanted.tensor, got->tensor, &statistics->largestShare))
      return stageError("result '" + wanted.name +
                        "': " + toString(*mismatch, wanted.tensor.getType()));
  }
  return Status::ok();
}

Status StressCase::compareEvaluated(ModuleOp lowered) {
  Expected<Operation *> entry = reference::findEntry(lowered, "main");
  if (!entry)
    return entry.status();
  Expected<SmallVector<NamedTensor>> actual =
      reference::evaluateEntry(*entry, inputs, parameters);
  if (!actual)
    return actual.status();
  return compareResults(*actual);
}

Expected<OwningOpRef<ModuleOp>> StressCase::lower(StringRef pipeline) {
  return lower(*module, pipeline);
}

Expected<OwningOpRef<ModuleOp>> StressCase::lower(ModuleOp from,
                                                  StringRef pipeline) {
  OwningOpRef<ModuleOp> copy = from.clone();
  PassManager manager(context, ModuleOp::getOperationName());
  std::string message;
  llvm::raw_string_ostream os(message);
  if (failed(parsePassPipeline(pipeline, manager, os)))
    return stageError("cannot parse '" + pipeline + "': " + message);
  if (failed(manager.run(*copy)))
    return stageError("'" + pipeline + "' failed");
  return copy;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

Status StressCase::evaluateProgram() {
  if (failed(verify(*module)))
    return stageError("the program is not valid");
  Expected<Operation *> entry = reference::findEntry(*module, "main");
  if (!entry)
    return entry.status();
  signature = *reference::signatureOf(*entry);
  for (const reference::NamedType &input : signature.inputs)
    inputs.push_back(
        {input.name, makeRandomTensor(input.type, caseSeed, input.name)});
  Expected<SmallVector<NamedTensor>> results =
      reference::evaluateEntry(*entry, inputs, parameters, {true});
  if (!results)
    return results.status();
  expected = std::move(*results);
  (*entry)->walk([&](Operation *) { ++statistics->operations; });
  for (const NamedTensor &result : expected)
    statistics->count(result.tensor);
  return Status::ok();
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os, OpPrintingFlags().enableDebugInfo());
  return text;
}

Status StressCase::checkText() {
  std::string text = print(*module);
  OwningOpRef<ModuleOp> again = parseSourceString<ModuleOp>(text, context);
  if (!again)
    return stageError("what was printed cannot be parsed");
  if (print(*again) != text)
    return stageError("what was parsed prints differently");
  return compareEvaluated(*again);
}

Status StressCase::checkCanonicalForm() {
  Expected<OwningOpRef<ModuleOp>> lowered = lower("canonicalize,cse");
  return lowered ? compareEvaluated(**lowered) : lowered.status();
}

Status StressCase::checkFusedForm() {
  Expected<OwningOpRef<ModuleOp>> lowered = lower(kFuse);
  if (!lowered)
    return lowered.status();
  TURNIP_RETURN_IF_ERROR(compareEvaluated(**lowered));
  lowered = lower(kFuse + std::string(",partition-ein{tile-budget=256}"));
  return lowered ? compareEvaluated(**lowered).withContext("partitioned")
                 : lowered.status();
}

Status StressCase::checkLinalg() {
  Expected<OwningOpRef<ModuleOp>> lowered = lower("convert-ein-to-linalg");
  if (!lowered)
    return lowered.status();
  Operation *left = nullptr;
  (*lowered)->walk([&](Operation *op) {
    if (isa_and_nonnull<ein::EinDialect>(op->getDialect()) &&
        !isa<ein::ParameterOp>(op))
      left = op;
  });
  if (left)
    return stageError("'" + left->getName().getStringRef() + "' is left");
  return Status::ok();
}

Status StressCase::checkPartition() {
  int64_t budget = int64_t(64) << random.between(0, 12);
  budget += random.between(0, budget - 1);
  partitioning = "partition-ein{tile-budget=" + std::to_string(budget) + "}";
  if (random.chance(60))
    partitioning = kFuse + ("," + partitioning);
  Expected<OwningOpRef<ModuleOp>> lowered = lower(partitioning);
  if (!lowered)
    return lowered.status();
  (*lowered)->walk([&](task::CallOp call) {
    ++statistics->tasks;
    statistics->hostTasks += call.getPlace().isHost();
  });
  return compareEvaluated(**lowered).withContext(partitioning);
}

Status StressCase::checkKernels() {
  std::string pipeline = partitioning + ",task-compile-kernels";
  Expected<OwningOpRef<ModuleOp>> lowered = lower(pipeline);
  if (!lowered)
    return lowered.status();
  CompiledKernels compiled(random);
  auto run = [&](Operation *op, ArrayRef<Tensor> operands,
                 ArrayRef<int64_t> scalars) -> Expected<SmallVector<Tensor>> {
    auto kernel = cast<task::KernelOp>(op);
    std::string name = pipeline + ": kernel @" + kernel.getSymName().str();
    auto actual = compiled.call(kernel, operands, scalars);
    if (!actual)
      return actual.status().withContext(name);
    auto wanted = reference::evaluateBlock(kernel.getBody().front(), operands,
                                           scalars, parameters, {true});
    if (!wanted)
      return wanted.status();
    for (size_t i = 0; i < wanted->size(); ++i)
      if (auto mismatch = findMismatch((*wanted)[i], (*actual)[i],
                                       &statistics->largestKernelShare)) {
        kernel.setObjectsAttr({});
        std::string text;
        llvm::raw_string_ostream(text)
            << name << ", result " << i << ": "
            << toString(*mismatch, (*wanted)[i].getType()) << "\n"
            << kernel;
        return stageError(text);
      }
    return actual;
  };
  Expected<Operation *> graph = reference::findEntry(**lowered, "main");
  if (!graph)
    return graph.status();
  auto results = reference::evaluateGraphWith(*graph, inputs, parameters, run);
  return results ? compareResults(*results) : results.status();
}
