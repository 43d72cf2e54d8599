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
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace turnip;
namespace cl = llvm::cl;

static cl::OptionCategory category("turnip-import options");
static cl::opt<std::string> input(cl::Positional, cl::Required,
                                  cl::desc("<model.gguf>"), cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("Where the IR goes"),
                                   cl::value_desc("file"), cl::init("-"),
                                   cl::cat(category));
static cl::opt<int64_t>
    sequenceLength("sequence-length",
                   cl::desc("Number of tokens the entry point takes"),
                   cl::value_desc("tokens"), cl::init(64), cl::cat(category));
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
  llvm::errs() << "turnip-import: " << status.message() << "\n";
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

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  const char *overview =
      "Turns a model file into ein IR\n\n"
      "The weights stay in the file: the IR names them, and turnip-run finds\n"
      "them there (--parameters=model.gguf).\n";
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs()))
    return exitCode(StatusCode::InvalidArgument);
  Expected<parameters::GgufFile> file = parameters::GgufFile::open(input);
  if (!file)
    return fail(file.status());
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  import::ImportOptions options;
  options.sequenceLength = sequenceLength;
  options.entry = entry;
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
      import::importGguf(context, *file, options);
  if (!module)
    return fail(module.status().withContext(input));
  if (Status status = write(**module); !status)
    return fail(status);
  return 0;
}
