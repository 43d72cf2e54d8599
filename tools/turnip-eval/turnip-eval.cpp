//===- turnip-eval.cpp - Runs a program in the reference evaluator --------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Pipelines/Diagnostics.h"
#include "turnip/Pipelines/Output.h"
#include "turnip/Pipelines/Registration.h"
#include "turnip/Reference/Program.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::reference;

namespace cl = llvm::cl;

static cl::OptionCategory category("turnip-eval options");
static cl::opt<std::string> inputFile(cl::Positional, cl::desc("<input file>"),
                                      cl::init("-"), cl::cat(category));
static cl::opt<std::string>
    entryName("entry", cl::desc("Entry point; not needed where there is one"),
              cl::cat(category));
static cl::list<std::string>
    inputValues("input",
                cl::desc("NAME=2x2xf32=1,2,3,4 or NAME=@file.npy; where the "
                         "name is missing, the next input"),
                cl::cat(category));
static cl::opt<std::string>
    parameterSource("parameters",
                    cl::desc("model.gguf, a directory of .npy files, "
                             "random:SEED or splat:VALUE"),
                    cl::cat(category));
static cl::list<std::string>
    outputFiles("output", cl::desc("NAME=@file.npy: write instead of print"),
                cl::cat(category));
static cl::list<std::string> computedValues(
    "compare",
    cl::desc("NAME=@file.npy or NAME=2x2xf32=1,2,3,4: a result that was "
             "computed in the declared types; fail where it is further from "
             "the exact one than their rounding explains"),
    cl::cat(category));
static cl::opt<std::string>
    seed("seed", cl::desc("Fill inputs that are not given from random:SEED"),
         cl::cat(category));
static cl::opt<bool> showBounds(
    "show-bounds",
    cl::desc("Print the largest error bound of each result behind it"),
    cl::cat(category));

/// Prints \p status and returns the exit code that it calls for.
static int fail(const Status &status) {
  llvm::errs() << "turnip-eval: error: " << status.message() << "\n";
  return exitCode(status.code());
}

static Status badFlag(const Twine &text) {
  return Status::error(StatusCode::InvalidArgument, text.str());
}

/// Splits "NAME=VALUE" where NAME is in \p known; otherwise the name is empty.
static std::pair<StringRef, StringRef> splitName(StringRef text,
                                                 ArrayRef<NamedType> known) {
  auto [name, value] = text.split('=');
  for (const NamedType &entry : known)
    if (entry.name == name)
      return {name, value};
  return {"", text};
}

static Expected<Tensor> readTensor(StringRef text, MLIRContext *context) {
  Expected<parameters::Tensor> host =
      parameters::parseTensorOrFile(std::string(text));
  if (!host)
    return host.status();
  return fromHost(*host, context);
}

/// The values of --input, completed from --seed.
static Expected<SmallVector<NamedTensor>>
collectInputs(const Signature &signature, MLIRContext *context) {
  SmallVector<NamedTensor> inputs;
  auto isGiven = [&](StringRef name) {
    return llvm::any_of(
        inputs, [&](const NamedTensor &input) { return input.name == name; });
  };
  auto isMissing = [&](const NamedType &input) { return !isGiven(input.name); };
  for (const std::string &text : inputValues) {
    auto [name, value] = splitName(text, signature.inputs);
    if (name.empty()) {
      auto *next = llvm::find_if(signature.inputs, isMissing);
      if (next == signature.inputs.end())
        return badFlag("no input is left for '--input=" + Twine(text) + "'");
      name = next->name;
    } else if (isGiven(name)) {
      return badFlag("input '" + name + "' is given twice");
    }
    Expected<Tensor> tensor = readTensor(value, context);
    if (!tensor)
      return tensor.status().withContext("input '" + name.str() + "'");
    inputs.push_back({name.str(), std::move(*tensor)});
  }
  if (seed.empty())
    return inputs;
  auto provider = parameters::openParameters("random:" + seed);
  if (!provider)
    return provider.status();
  for (const NamedType &input : signature.inputs) {
    if (isGiven(input.name))
      continue;
    Expected<Tensor> tensor = readFrom(**provider)(input.name, input.type);
    if (!tensor)
      return tensor.status();
    inputs.push_back({input.name, std::move(*tensor)});
  }
  return inputs;
}

/// The file that --output names for \p result; empty if none.
static std::string outputFileOf(StringRef result) {
  for (StringRef text : outputFiles) {
    auto [name, path] = text.split('=');
    if (name == result && path.consume_front("@"))
      return path.str();
  }
  return "";
}

static Status checkOutputFlags(const Signature &signature) {
  for (StringRef text : outputFiles) {
    auto [name, path] = splitName(text, signature.results);
    if (name.empty())
      return badFlag("no result is called as '--output=" + text + "' says");
    if (!path.starts_with("@"))
      return badFlag("expected --output=" + name + "=@file.npy");
  }
  for (StringRef text : computedValues)
    if (splitName(text, signature.results).first.empty())
      return badFlag("no result is called as '--compare=" + text + "' says");
  return Status::ok();
}

/// Compares what --compare gives for \p result.
static Status compare(const NamedTensor &result, MLIRContext *context) {
  for (StringRef text : computedValues) {
    auto [name, value] = text.split('=');
    if (name != result.name)
      continue;
    Expected<Tensor> actual = readTensor(value, context);
    if (!actual)
      return actual.status().withContext("result '" + result.name + "'");
    if (actual->getType() != result.tensor.getType()) {
      std::string message;
      llvm::raw_string_ostream(message)
          << "result '" << result.name << "': expected "
          << result.tensor.getType() << ", but got " << actual->getType();
      return Status::error(StatusCode::BadInput, message);
    }
    if (auto mismatch = findMismatch(result.tensor, *actual))
      return Status::error(StatusCode::BadInput,
                           "result '" + result.name +
                               "': " + toString(*mismatch, actual->getType()));
    llvm::outs() << result.name << ": as computed, within its bounds\n";
  }
  return Status::ok();
}

static Status report(const NamedTensor &result) {
  parameters::Tensor host = toHost(result.tensor);
  std::string path = outputFileOf(result.name);
  if (!path.empty())
    return parameters::writeNpy(path, host);
  llvm::outs() << result.name << ": " << parameters::toText(host) << "\n";
  if (!showBounds)
    return Status::ok();
  double largest = 0;
  for (int64_t i = 0, e = result.tensor.getNumElements(); i < e; ++i)
    largest = std::max(largest, result.tensor.get(i).bound);
  llvm::outs() << result.name << ": largest bound "
               << llvm::format("%.3g", largest) << "\n";
  return Status::ok();
}

static Status evaluateModule(ModuleOp module) {
  Expected<Operation *> entry = findEntry(module, entryName);
  if (!entry)
    return entry.status();
  Expected<Signature> signature = signatureOf(*entry);
  if (!signature)
    return signature.status();
  TURNIP_RETURN_IF_ERROR(checkOutputFlags(*signature));
  std::unique_ptr<parameters::ParameterProvider> provider;
  ParameterFn parameterFn;
  if (!parameterSource.empty()) {
    auto opened = parameters::openParameters(parameterSource);
    if (!opened)
      return opened.status();
    provider = std::move(*opened);
    parameterFn = readFrom(*provider);
  }
  Expected<SmallVector<NamedTensor>> inputs =
      collectInputs(*signature, module.getContext());
  if (!inputs)
    return inputs.status();
  bool trackBounds = showBounds || !computedValues.empty();
  Expected<SmallVector<NamedTensor>> results =
      evaluateEntry(*entry, *inputs, parameterFn, {trackBounds});
  if (!results)
    return results.status();
  for (const NamedTensor &result : *results)
    TURNIP_RETURN_IF_ERROR(compare(result, module.getContext()));
  if (!computedValues.empty())
    return Status::ok();
  for (const NamedTensor &result : *results)
    TURNIP_RETURN_IF_ERROR(report(result));
  return Status::ok();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  reportLostOutput("turnip-eval");
  cl::HideUnrelatedOptions(category);
  const char *overview =
      "Runs an entry point in the reference evaluator: in double precision, "
      "one operation after the other, with an error bound for every element\n";
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs()))
    return exitCode(StatusCode::InvalidArgument);
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  std::string message;
  auto file = openInputFile(inputFile, &message);
  if (!file)
    return fail(Status::error(StatusCode::Io, message));
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  DiagnosticPrinter diagnostics(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return exitCode(StatusCode::BadInput);
  Status status = evaluateModule(*module);
  if (status)
    status = writeOutput("-", "");
  return status ? 0 : fail(status);
}
