//===- turnip-compile.cpp - A program to an artifact ----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "turnip/Dialect/Mem/Transforms/Passes.h"
#include "turnip/Dialect/Task/Transforms/Passes.h"
#include "turnip/Pipelines/Compile.h"
#include "turnip/Pipelines/Diagnostics.h"
#include "turnip/Pipelines/Output.h"
#include "turnip/Pipelines/Registration.h"
#include "turnip/Target/MemGraph.h"
#include "turnip/support/ByteSize.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace turnip;
namespace cl = llvm::cl;

namespace {
/// The command line.
struct Flags {
  cl::OptionCategory category{"turnip-compile options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("<model.mlir>"),
                             cl::init("-"), cl::cat(category)};
  cl::opt<std::string> output{"o", cl::desc("Where the result goes"),
                              cl::value_desc("file"), cl::init("-"),
                              cl::cat(category)};
  cl::opt<std::string> from{
      "compile-from",
      cl::desc("What the input is: input (the default), ein, "
               "task or mem"),
      cl::value_desc("phase"), cl::init("input"), cl::cat(category)};
  cl::opt<std::string> to{
      "compile-to",
      cl::desc("What to make of it: ein, task, mem or artifact (the default)"),
      cl::value_desc("phase"), cl::init("artifact"), cl::cat(category)};
  cl::opt<std::string> deviceMemory{
      "device-memory",
      cl::desc("Bytes of each device's memory, such as 64MiB; no cap without"),
      cl::value_desc("size"), cl::cat(category)};
  cl::opt<std::string> hostMemory{
      "host-memory",
      cl::desc("Bytes of host memory, parameters included; no cap without"),
      cl::value_desc("size"), cl::cat(category)};
  cl::opt<std::string> tileBudget{
      "tile-budget",
      cl::desc("Bytes that one task's operands and results may take (4MiB); "
               "auto: chosen from the program and the device's memory"),
      cl::value_desc("size|auto"), cl::init(CompileOptions().tileBudget),
      cl::cat(category)};
  cl::opt<unsigned> devices{"devices", cl::desc("How many devices (1)"),
                            cl::value_desc("n"), cl::init(1),
                            cl::cat(category)};
  cl::opt<std::string> target{
      "target",
      cl::desc("The processor, x86-64-v2, x86-64-v3 (the default) or "
               "x86-64-v4, and any GPUs, cuda:sm_80, cuda:sm_90, cuda:sm_100 "
               "or cuda:stand-in, separated by commas"),
      cl::value_desc("targets"), cl::init(CompileOptions().target),
      cl::cat(category)};
  cl::opt<std::string> machine{
      "machine",
      cl::desc("The machine to plan for: a name, such as h100, or a file"),
      cl::value_desc("name|file"), cl::cat(category)};
  cl::opt<double> linkBandwidth{
      "link-bandwidth", cl::desc("Bytes per second of links, for the plan"),
      cl::value_desc("bytes/s"), cl::init(CompileOptions().linkBandwidth),
      cl::cat(category)};
  cl::opt<double> linkLatency{
      "link-latency", cl::desc("Seconds of each copy, for the plan"),
      cl::value_desc("s"), cl::init(CompileOptions().linkLatency),
      cl::cat(category)};
  cl::opt<std::string> policy{
      "policy",
      cl::desc("Who decides what lies in memory: default or, to compare with, "
               "original, lru, layer-wise or no-prefetch"),
      cl::value_desc("name"), cl::init(CompileOptions().policy),
      cl::cat(category)};
  cl::opt<unsigned> planEffort{
      "plan-effort",
      cl::desc("How many plans are tried, in multiples of what is usual (1)"),
      cl::value_desc("n"), cl::init(CompileOptions().planEffort),
      cl::cat(category)};
  cl::opt<uint64_t> planSeed{
      "plan-seed",
      cl::desc("Chooses among searches that are equally good to try (0)"),
      cl::value_desc("n"), cl::init(CompileOptions().planSeed),
      cl::cat(category)};
  cl::opt<bool> rematerialize{
      "rematerialize",
      cl::desc("Also try plans that compute cheap tiles again instead of "
               "writing them back and loading them (true)"),
      cl::value_desc("bool"), cl::init(CompileOptions().rematerialize),
      cl::cat(category)};
  cl::opt<bool> fuseAttention{
      "fuse-attention",
      cl::desc("Make one operation of attention's products and softmax: the "
               "scores are never in memory"),
      cl::cat(category)};
  cl::opt<std::string> dumpPhases{
      "dump-phases", cl::desc("Write the IR after each phase into this folder"),
      cl::value_desc("folder"), cl::cat(category)};
  cl::opt<bool> printStatistics{
      "print-statistics",
      cl::desc("Print statistics of the task and mem phases to stdout (stderr "
               "if the result goes there)"),
      cl::cat(category)};
};
} // namespace

static Status findPhase(StringRef option, StringRef name, Phase &phase) {
  std::string known;
  for (const PhaseInfo &info : getPhases()) {
    if (info.name == name) {
      phase = info.phase;
      return Status::ok();
    }
    known += (known.empty() ? "" : ", ") + info.name.str();
  }
  return Status::error(StatusCode::InvalidArgument,
                       option.str() + ": expected one of " + known +
                           ", but got " + name.str());
}

/// Sizes that are given are sizes, not nothing, such as what a script makes of
/// an unset variable.
static Status checkSizes(const Flags &flags) {
  for (const cl::opt<std::string> *size :
       {&flags.deviceMemory, &flags.hostMemory, &flags.tileBudget}) {
    if (size->getNumOccurrences() == 0 ||
        (size == &flags.tileBudget && *size == "auto"))
      continue;
    if (Expected<int64_t> bytes = parseByteSize(*size); !bytes)
      return bytes.status().withContext("--" + size->ArgStr.str());
  }
  return Status::ok();
}

/// What the command line said, read once: linking kernels in this process may
/// reset options to their defaults.
struct Settings {
  explicit Settings(const Flags &flags)
      : input(flags.input), output(flags.output), from(flags.from),
        to(flags.to), dumpPhases(flags.dumpPhases), devices(flags.devices),
        printStatistics(flags.printStatistics) {
    request.options = {
        flags.tileBudget,    flags.deviceMemory,  flags.hostMemory,
        flags.target,        flags.linkBandwidth, flags.linkLatency,
        flags.policy,        flags.planEffort,    flags.planSeed,
        flags.rematerialize, flags.machine,       flags.fuseAttention};
  }

  std::string input, output, from, to, dumpPhases;
  unsigned devices;
  bool printStatistics;
  OpPrintingFlags printing;
  CompileRequest request;
};

static Status check(Settings &settings) {
  CompileRequest &request = settings.request;
  TURNIP_RETURN_IF_ERROR(
      findPhase("--compile-from", settings.from, request.from));
  TURNIP_RETURN_IF_ERROR(findPhase("--compile-to", settings.to, request.to));
  if (settings.devices != 1)
    return Status::error(StatusCode::InvalidArgument,
                         "--devices: programs are split for 1 device only, but "
                         "got " +
                             std::to_string(settings.devices));
  return checkRequest(request);
}

static std::string print(ModuleOp module, const OpPrintingFlags &flags) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os, flags);
  os << '\n';
  return text;
}

static void printStatistics(Phase phase, ModuleOp module, raw_ostream &os) {
  if (phase == Phase::Task)
    task::printStatistics(module, os);
  else if (phase == Phase::Mem)
    mem::printStatistics(module, os);
}

/// What happens around each phase: progress, dumps, statistics.
static Status addObservers(Settings &settings) {
  if (llvm::sys::Process::StandardErrIsDisplayed())
    settings.request.before = [](const PhaseInfo &info) {
      llvm::errs() << "to " << info.name << ": " << info.summary << "\n";
    };
  const std::string &folder = settings.dumpPhases;
  if (!folder.empty())
    if (std::error_code error = llvm::sys::fs::create_directories(folder))
      return Status::error(StatusCode::Io, "cannot make folder " + folder +
                                               ": " + error.message());
  settings.request.after = [&settings](const PhaseInfo &info,
                                       ModuleOp module) -> Status {
    if (settings.printStatistics)
      printStatistics(info.phase, module,
                      settings.output == "-" ? llvm::errs() : llvm::outs());
    if (settings.dumpPhases.empty())
      return Status::ok();
    SmallString<128> path(settings.dumpPhases);
    llvm::sys::path::append(path, std::to_string(int(info.phase)) + "." +
                                      info.name.str() + ".mlir");
    return writeOutput(path, print(module, settings.printing));
  };
  return Status::ok();
}

static Status compile(Settings &settings) {
  TURNIP_RETURN_IF_ERROR(check(settings));
  TURNIP_RETURN_IF_ERROR(addObservers(settings));
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      openInputFile(settings.input, &message);
  if (!buffer)
    return Status::error(StatusCode::Io, message);
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), SMLoc());
  DiagnosticPrinter handler(*sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return Status::error(StatusCode::BadInput, "the input is not valid");
  TURNIP_RETURN_IF_ERROR(runPhases(*module, settings.request));
  if (settings.request.to != Phase::Artifact)
    return writeOutput(settings.output, print(*module, settings.printing));
  FailureOr<std::string> bytes = serializeMemGraph(*module);
  if (failed(bytes))
    return Status::error(StatusCode::BadInput, "no artifact was made");
  return writeOutput(settings.output, *bytes);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  reportLostOutput("turnip-compile");
  Flags flags;
  registerAllPasses();
  registerAsmPrinterCLOptions();
  registerMLIRContextCLOptions();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  cl::HideUnrelatedOptions(flags.category);
  const char *overview =
      "Compiles a program for a device with little memory\n\n"
      "Takes a module of ein functions through the phases ein, task and mem "
      "to\n"
      "an artifact, which turnip-run executes. Flags of mlir-opt that concern\n"
      "printing, passes and diagnostics work too.\n\n"
      "Exit codes: 0 ok, 1 bad input, 2 usage, 3 does not fit, 5 "
      "input/output,\n70 an error in Turnip itself.\n";
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs()))
    return exitCode(StatusCode::InvalidArgument);
  Settings settings(flags);
  Status status = checkSizes(flags);
  if (status)
    status = compile(settings);
  if (!status)
    llvm::WithColor::error(llvm::errs(), "turnip-compile")
        << status.message() << "\n";
  return exitCode(status.code());
}
