//===- turnip-import.cpp - Model files to ein IR --------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Import/Import.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "turnip/support/MappedFile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace turnip;
namespace cl = llvm::cl;

static cl::OptionCategory category("turnip-import options");
static cl::opt<std::string> input(cl::Positional, cl::desc("<model.gguf>"),
                                  cl::cat(category));
static cl::opt<std::string> config(
    "config",
    cl::desc("Build the model of a Hugging Face config.json, or one that "
             "ships by name, without weights"),
    cl::value_desc("file or name"), cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("Where the IR goes"),
                                   cl::value_desc("file"), cl::init("-"),
                                   cl::cat(category));
static cl::opt<int64_t>
    sequenceLength("sequence-length",
                   cl::desc("Number of tokens the entry point takes"),
                   cl::value_desc("tokens"), cl::init(64), cl::cat(category));
static cl::alias tokens("tokens", cl::desc("The same as --sequence-length"),
                        cl::aliasopt(sequenceLength), cl::cat(category));
static cl::opt<int64_t>
    batch("batch", cl::desc("Number of sequences the entry point takes"),
          cl::value_desc("sequences"), cl::init(1), cl::cat(category));
static cl::opt<std::string> activationType(
    "activation-type",
    cl::desc("What activations are: f32 (the default), bf16 or f16"),
    cl::value_desc("type"), cl::init("f32"), cl::cat(category));
static cl::opt<bool>
    summary("summary",
            cl::desc("Print parameters and FLOPs to stdout (to stderr if the "
                     "IR goes there)"),
            cl::cat(category));
static cl::opt<std::string> entry("entry", cl::desc("Name of the entry point"),
                                  cl::value_desc("name"), cl::init("main"),
                                  cl::cat(category));
static cl::opt<bool> emitBytecode("emit-bytecode",
                                  cl::desc("Write MLIR bytecode, not text"),
                                  cl::cat(category));
static cl::opt<bool>
    debugInfo("mlir-print-debuginfo",
              cl::desc("Print locations (which tensor an operation is for)"),
              cl::init(true), cl::cat(category));

static int fail(const Status &status) {
  llvm::errs() << "turnip-import: error: " << status.message() << "\n";
  return exitCode(status.code());
}

static Status write(mlir::ModuleOp module) {
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> file =
      mlir::openOutputFile(output, &message);
  if (!file)
    return Status::error(StatusCode::Io, message);
  if (emitBytecode) {
    if (mlir::failed(mlir::writeBytecodeToFile(module, file->os())))
      return Status::error(StatusCode::Internal, "cannot write bytecode");
  } else {
    mlir::OpPrintingFlags flags;
    if (debugInfo)
      flags.enableDebugInfo();
    module.print(file->os(), flags);
    file->os() << "\n";
  }
  file->os().flush();
  if (file->os().has_error()) {
    std::string reason = file->os().error().message();
    file->os().clear_error();
    return Status::error(StatusCode::Io,
                         "cannot write '" + output + "': " + reason);
  }
  file->keep();
  return Status::ok();
}

static std::string count(double number) {
  return llvm::formatv("{0}", static_cast<uint64_t>(number)).str();
}

/// What the model is made of, exact numbers first.
static void printSummary(const import::ModelSummary &model,
                         llvm::raw_ostream &os) {
  double flops = model.linearFlops + model.attentionFlops;
  os << llvm::formatv("parameters: {0} ({1} bytes, {2:F2} GiB)\n",
                      model.parameters, model.parameterBytes,
                      static_cast<double>(model.parameterBytes) / (1 << 30));
  os << llvm::formatv("tokens: {0} in each of {1} sequences\n", sequenceLength,
                      batch);
  os << llvm::formatv("FLOPs: {0} ({1} in products with parameters, {2} in "
                      "attention)\n",
                      count(flops), count(model.linearFlops),
                      count(model.attentionFlops));
}

/// The text of the configuration that --config names.
static Expected<import::ModelConfig> readConfig() {
  if (std::optional<std::string> known = import::findKnownConfig(config))
    return import::parseConfig(*known);
  Expected<MappedFile> file = MappedFile::open(config);
  if (!file)
    return Status::error(file.status().code(),
                         file.status().message() +
                             "; configurations that ship are " +
                             import::knownConfigs());
  return import::parseConfig(file->bytes()).withContext(config);
}

static Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importModel(mlir::MLIRContext &context) {
  if (input.empty() == config.empty())
    return Status::error(StatusCode::InvalidArgument,
                         input.empty()
                             ? "expected a model file, or --config"
                             : "expected a model file or --config, not both");
  import::ImportOptions options;
  options.sequenceLength = sequenceLength;
  options.batch = batch;
  options.entry = entry;
  std::optional<ElementType> type = parseElementType(activationType);
  if (!type || (*type != ElementType::F32 && *type != ElementType::BF16 &&
                *type != ElementType::F16))
    return Status::error(StatusCode::InvalidArgument,
                         "--activation-type: expected f32, bf16 or f16, but "
                         "got " +
                             activationType);
  options.activationType = *type;
  if (!config.empty()) {
    Expected<import::ModelConfig> model = readConfig();
    if (!model)
      return model.status();
    return import::importConfig(context, *model, options).withContext(config);
  }
  Expected<parameters::GgufFile> file = parameters::GgufFile::open(input);
  if (!file)
    return file.status();
  return import::importGguf(context, *file, options).withContext(input);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  const char *overview =
      "Turns a model file, or a configuration, into ein IR\n\n"
      "The weights stay in the file: the IR names them, and turnip-run finds\n"
      "them there (--parameters=model.gguf). A configuration has none.\n";
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs()))
    return exitCode(StatusCode::InvalidArgument);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = importModel(context);
  if (!module)
    return fail(module.status());
  if (Status status = write(**module); !status)
    return fail(status);
  if (summary)
    printSummary(import::summarize(**module),
                 output == "-" ? llvm::errs() : llvm::outs());
  return 0;
}
