//===- Compile.cpp - Modules through the phases ---------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Pipelines/Compile.h"

#include "TileBudget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "turnip/Codegen/DeviceCompiler.h"
#include "turnip/Dialect/Mem/IR/Mem.h"
#include "turnip/Dialect/Task/IR/Task.h"
#include "turnip/Dialect/Task/Transforms/Passes.h"
#include "turnip/machine/Machine.h"
#include "turnip/planner/Plan.h"
#include "turnip/support/ByteSize.h"
#include "llvm/Support/Error.h"

using namespace mlir;
using namespace turnip;

/// The tile budget that is chosen.
static constexpr StringLiteral kAutomatic = "auto";

Status turnip::checkRequest(const CompileRequest &request) {
  const CompileOptions &options = request.options;
  std::pair<const char *, const std::string &> sizes[] = {
      {"--tile-budget", options.tileBudget},
      {"--device-memory", options.deviceMemory},
      {"--host-memory", options.hostMemory}};
  for (auto [option, text] : sizes) {
    if (text.empty() || (text == kAutomatic && option == sizes[0].first))
      continue;
    Expected<int64_t> bytes = parseByteSize(text);
    if (!bytes)
      return bytes.status().withContext(option);
    if (*bytes == 0 && option == StringRef("--tile-budget"))
      return Status::error(StatusCode::InvalidArgument,
                           "--tile-budget: expected more than 0 bytes");
  }
  auto invalid = [](const std::string &message) {
    return Status::error(StatusCode::InvalidArgument, message);
  };
  if (llvm::Expected<codegen::TargetList> targets =
          codegen::TargetList::parse(options.target);
      !targets)
    return invalid("--target: " + llvm::toString(targets.takeError()));
  if (Expected<planner::Policy> policy = planner::parsePolicy(options.policy);
      !policy)
    return policy.status().withContext("--policy");
  if (!options.machine.empty())
    if (Expected<machine::Machine> machine =
            machine::Machine::find(options.machine);
        !machine)
      return machine.status().withContext("--machine");
  if (options.planEffort > planner::maxEffort)
    return invalid("--plan-effort: expected at most " +
                   std::to_string(planner::maxEffort) + ", but got " +
                   std::to_string(options.planEffort));
  if (request.from == Phase::Artifact)
    return invalid("--compile-from: an artifact cannot be compiled further; "
                   "turnip-translate --memgraph-to-mem reads it");
  if (request.to < request.from)
    return invalid("--compile-to: expected a phase after " +
                   getPhases()[size_t(request.from)].name.str() + ", but got " +
                   getPhases()[size_t(request.to)].name.str());
  return Status::ok();
}

/// The phase that \p module is in, by what is in it; Input if there is nothing
/// to compile.
static Phase phaseOf(ModuleOp module) {
  if (!module.getOps<mem::MachineOp>().empty() ||
      !module.getOps<mem::GraphOp>().empty())
    return Phase::Mem;
  if (!module.getOps<func::FuncOp>().empty())
    return Phase::Ein;
  return module.getOps<task::GraphOp>().empty() ? Phase::Input : Phase::Task;
}

/// Checks that \p module is in the phase that \p from says. Task graphs are
/// welcome in phase ein, which has nothing to do for them.
static Status checkPhase(ModuleOp module, Phase from) {
  Phase actual = phaseOf(module);
  auto bad = [](const std::string &message) {
    return Status::error(StatusCode::BadInput, message);
  };
  if (actual == Phase::Input)
    return bad("expected a func.func to compile (or a task.graph with "
               "--compile-from=task, a mem.graph with --compile-from=mem), but "
               "the module has none");
  std::string name = getPhases()[size_t(actual)].name.str();
  if (actual == Phase::Mem ? from != Phase::Mem : actual < from)
    return bad("expected a module in phase " +
               getPhases()[size_t(from)].name.str() +
               ", but got one in phase " + name + ": --compile-from=" + name);
  return Status::ok();
}

/// Which tile budget would have done, where \p module, which did not make it to
/// \p phase, was cut from \p program; empty if none.
static std::string advise(ModuleOp program, ModuleOp module, Phase phase,
                          StatusCode code, const CompileOptions &options) {
  std::string budget;
  if (phase == Phase::Task) {
    budget = findLargerTileBudget(program, options);
  } else if (phase == Phase::Mem && code == StatusCode::DoesNotFit) {
    Expected<int64_t> memory = parseByteSize(options.deviceMemory);
    if (memory && task::largestWorkingSet(module) > *memory)
      budget = findSmallerTileBudget(program, options);
  }
  return budget.empty() ? "" : "; --tile-budget=" + budget + " would do";
}

Status turnip::runPhases(ModuleOp module, const CompileRequest &request) {
  TURNIP_RETURN_IF_ERROR(checkPhase(module, request.from));
  // Whole tensors, in case tiles of another size are needed.
  OwningOpRef<ModuleOp> program;
  CompileOptions options = request.options;
  for (const PhaseInfo &info : getPhases()) {
    if (!info.build || info.phase <= request.from || info.phase > request.to)
      continue;
    if (request.before)
      request.before(info);
    Status failure;
    PassManager manager(module->getContext(), ModuleOp::getOperationName());
    if (failed(applyPassManagerCLOptions(manager)))
      return Status::error(StatusCode::InvalidArgument,
                           "the pass manager's options make no sense");
    applyDefaultTimingPassManagerCLOptions(manager);
    if (info.phase == Phase::Task && options.tileBudget == kAutomatic)
      options.tileBudget = chooseTileBudget(module, options);
    info.build(manager, options, &failure);
    if (info.phase == Phase::Task && request.from <= Phase::Ein)
      program = module.clone();
    if (failed(manager.run(module)))
      return Status::error(failure ? StatusCode::BadInput : failure.code(),
                           "compilation stopped on the way to phase " +
                               info.name.str() +
                               (program ? advise(*program, module, info.phase,
                                                 failure.code(), options)
                                        : ""));
    if (request.after)
      TURNIP_RETURN_IF_ERROR(request.after(info, module));
  }
  return Status::ok();
}
