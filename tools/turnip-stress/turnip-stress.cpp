//===- turnip-stress.cpp - Random programs through every level ------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Pipelines/Output.h"
#include "turnip/Pipelines/Registration.h"
#include "turnip/Testing/Minimize.h"
#include "turnip/Testing/StressCase.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"

#include <chrono>

using namespace mlir;
using namespace turnip;
using namespace turnip::testing;

namespace cl = llvm::cl;

static cl::OptionCategory category("turnip-stress options");
static cl::opt<int64_t> numCases("cases", cl::desc("Programs to try"),
                                 cl::init(100), cl::cat(category));
static cl::opt<int64_t> firstCase("first", cl::desc("Number of the first case"),
                                  cl::init(0), cl::cat(category));
static cl::opt<int64_t> onlyCase("case", cl::desc("Replay this case alone"),
                                 cl::init(-1), cl::cat(category));
static cl::opt<uint64_t> seed("seed", cl::desc("Which series of programs"),
                              cl::init(1), cl::cat(category));
static cl::opt<double> seconds("seconds",
                               cl::desc("Start no case after so many seconds"),
                               cl::init(0), cl::cat(category));
static cl::opt<std::string>
    lastStage("until", cl::desc("The last stage to run"), cl::cat(category));
static cl::opt<bool> printsProgram("print", cl::desc("Print every program"),
                                   cl::cat(category));
static cl::opt<bool> keepsGoing("keep-going",
                                cl::desc("Try all cases in spite of failures"),
                                cl::cat(category));
static cl::opt<int64_t> maxSteps("max-steps",
                                 cl::desc("Steps a program grows by at most"),
                                 cl::init(7), cl::cat(category));

static cl::opt<std::string>
    standIn("stand-in",
            cl::desc("The library that plays CUDA: run on it as well"),
            cl::value_desc("file"), cl::cat(category));
static cl::opt<bool> minimizes(
    "minimize",
    cl::desc("Remove from a failing program what its failure does not need"),
    cl::cat(category));

namespace {
/// The flags' values. The linker that makes kernels resets every flag of the
/// process, so they are read once at the start.
struct Settings {
  int64_t first = onlyCase >= 0 ? int64_t(onlyCase) : int64_t(firstCase);
  int64_t end = onlyCase >= 0 ? first + 1 : first + numCases;
  uint64_t seed = ::seed;
  double seconds = ::seconds;
  std::string lastStage = ::lastStage;
  std::string standIn = ::standIn;
  bool printsProgram = ::printsProgram;
  bool keepsGoing = ::keepsGoing;
  bool minimizes = ::minimizes;
  int64_t maxSteps = ::maxSteps;
  bool hasMaxSteps = ::maxSteps.getNumOccurrences() != 0;
};
} // namespace

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

static std::string replayCommand(const Settings &settings, int64_t index) {
  std::string command =
      "turnip-stress --seed=" + std::to_string(settings.seed) +
      " --case=" + std::to_string(index);
  if (settings.hasMaxSteps)
    command += " --max-steps=" + std::to_string(settings.maxSteps);
  if (!settings.standIn.empty())
    command += " --stand-in=" + settings.standIn;
  if (!settings.lastStage.empty())
    command += " --until=" + settings.lastStage;
  return command;
}

/// Prints what is left of a failing program without what does not matter.
static void printMinimized(ModuleOp program, const Settings &settings,
                           int64_t index) {
  OwningOpRef<ModuleOp> smallest =
      minimizeProgram(program, [&](ModuleOp candidate) {
        StressStatistics ignored;
        StressCase smaller(candidate, settings.seed, index);
        smaller.setStandIn(settings.standIn);
        return !smaller.run(settings.lastStage, ignored);
      });
  smallest->print(llvm::errs());
}

/// Runs case \p index; reports and returns whether it passed.
static bool runCase(const DialectRegistry &registry, const Settings &settings,
                    int64_t index, StressStatistics &statistics) {
  std::string command = replayCommand(settings, index);
  llvm::PrettyStackTraceString trace(command.c_str());
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  RandomProgramOptions options;
  options.maxSteps = settings.maxSteps;
  options.minSteps = std::min(options.minSteps, settings.maxSteps);
  StressCase stressCase(&context, settings.seed, index, options);
  stressCase.setStandIn(settings.standIn);
  if (settings.printsProgram)
    stressCase.getModule().print(llvm::outs());
  Status status = stressCase.run(settings.lastStage, statistics);
  if (status)
    return true;
  if (settings.minimizes)
    printMinimized(stressCase.getModule(), settings, index);
  else
    stressCase.getModule().print(llvm::errs());
  llvm::errs() << "case " << index << " failed: " << status.message()
               << "\nreplay with: " << command << "\n";
  return false;
}

static bool isStage(StringRef name) {
  if (name.empty() || llvm::is_contained(StressCase::getStages(), name))
    return true;
  llvm::errs() << "turnip-stress: error: no stage '" << name
               << "'; the stages are: "
               << llvm::join(StressCase::getStages(), ", ") << "\n";
  return false;
}

/// Numbers of cases and seconds count up from 0; a program has a step.
static bool areCountsValid() {
  std::pair<const char *, std::pair<double, double>> counts[] = {
      {"cases", {numCases, 0}},
      {"first", {firstCase, 0}},
      {"case", {onlyCase, onlyCase.getNumOccurrences() ? 0 : -1}},
      {"seconds", {seconds, 0}},
      {"max-steps", {maxSteps, 1}}};
  for (auto [name, values] : counts) {
    auto [value, least] = values;
    if (value >= least)
      continue;
    llvm::errs() << "turnip-stress: error: --" << name << ": expected at least "
                 << int64_t(least) << ", but got " << value << "\n";
    return false;
  }
  return true;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  reportLostOutput("turnip-stress");
  cl::HideUnrelatedOptions(category);
  const char *overview =
      "Takes random programs through every level and compares with the "
      "reference evaluator\n";
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs()))
    return exitCode(StatusCode::InvalidArgument);
  if (!isStage(lastStage) || !areCountsValid())
    return exitCode(StatusCode::InvalidArgument);
  registerAllPasses();
  DialectRegistry registry;
  registerAllDialects(registry);

  Settings settings;
  auto start = std::chrono::steady_clock::now();
  StressStatistics statistics;
  int64_t numRun = 0, numFailed = 0;
  for (int64_t index = settings.first; index < settings.end; ++index) {
    if (settings.seconds > 0 && secondsSince(start) > settings.seconds)
      break;
    ++numRun;
    if (runCase(registry, settings, index, statistics))
      continue;
    ++numFailed;
    if (!settings.keepsGoing)
      break;
  }
  llvm::outs() << numRun << " cases, " << numFailed << " failed, "
               << statistics.operations << " operations, " << statistics.tasks
               << " tasks (" << statistics.hostTasks << " on the host), "
               << statistics.runs << " runs, " << statistics.elements
               << " elements compared (" << statistics.undefinedElements
               << " of them decided by rounding, " << statistics.looseElements
               << " known to no better than 5 %) in "
               << llvm::format("%.1f", secondsSince(start))
               << " s\nlargest error: "
               << llvm::format("%.3f", statistics.largestShare)
               << " of its bound in a result, "
               << llvm::format("%.3f", statistics.largestKernelShare)
               << " in a kernel\n";
  return numFailed == 0 ? 0 : 1;
}
