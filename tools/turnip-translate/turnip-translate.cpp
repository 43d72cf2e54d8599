//===- turnip-translate.cpp - mem IR to artifact and back -----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "turnip/Pipelines/Diagnostics.h"
#include "turnip/Pipelines/Output.h"
#include "turnip/Pipelines/Registration.h"
#include "turnip/Target/MemGraph.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace turnip;
namespace cl = llvm::cl;

namespace {
/// The command line. The translations are flags themselves.
struct Flags {
  cl::OptionCategory category{"turnip-translate options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("<input file>"),
                             cl::init("-"), cl::cat(category)};
  cl::opt<std::string> output{"o", cl::desc("Where the result goes"),
                              cl::value_desc("file"), cl::init("-"),
                              cl::cat(category)};
  cl::opt<const Translation *, false, TranslationParser> translation{
      "", cl::desc("Translation to perform"), cl::cat(category)};
};
} // namespace

static Status translate(const Flags &flags) {
  if (!flags.translation.getValue())
    return Status::error(StatusCode::InvalidArgument,
                         "expected --mem-to-memgraph or --memgraph-to-mem");
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      openInputFile(flags.input, &message);
  if (!buffer)
    return Status::error(StatusCode::Io, message);
  MLIRContext context;
  context.printOpOnDiagnostic(false);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), SMLoc());
  DiagnosticPrinter handler(*sources, &context);
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  if (failed((*flags.translation)(sources, os, &context)))
    return Status::error(StatusCode::BadInput, "nothing was translated");
  return writeOutput(flags.output, bytes);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  reportLostOutput("turnip-translate");
  registerMemGraphTranslations(registerAllDialects);
  registerAsmPrinterCLOptions();
  registerMLIRContextCLOptions();
  registerTranslationCLOptions();
  Flags flags;
  cl::HideUnrelatedOptions(flags.category);
  const char *overview =
      "Turns placed modules into artifacts and artifacts into placed "
      "modules\n\n"
      "Exit codes: 0 ok, 1 bad input, 2 usage, 5 input/output.\n";
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs()))
    return exitCode(StatusCode::InvalidArgument);
  Status status = translate(flags);
  if (!status)
    llvm::WithColor::error(llvm::errs(), "turnip-translate")
        << status.message() << "\n";
  return exitCode(status.code());
}
