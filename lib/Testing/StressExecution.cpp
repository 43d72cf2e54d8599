//===- StressExecution.cpp - Random programs under caps and schedules -----===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "turnip/Dialect/Task/IR/Task.h"
#include "turnip/Testing/InterpretedKernels.h"
#include "turnip/Testing/StressCase.h"
#include "turnip/artifact/Artifact.h"
#include "turnip/runtime/Drivers.h"
#include "turnip/runtime/Replan.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::testing;
using reference::NamedTensor;
using reference::Tensor;

static Status stageError(const Twine &text) {
  return Status::error(StatusCode::BadInput, text.str());
}

/// Gives kernels what code generation would: scratch memory and results that
/// may take an operand's place.
static void annotateKernels(ModuleOp module, Random &random) {
  Builder builder(module.getContext());
  for (auto kernel : module.getOps<task::KernelOp>()) {
    if (random.chance(40))
      kernel.setWorkspace(random.between(1, 3000));
    SmallVector<int64_t> pairs;
    for (unsigned o = 0; o < kernel.getNumTensorArguments(); ++o)
      for (auto [r, type] : llvm::enumerate(kernel.getResultTypes())) {
        if (kernel.getArgumentTypes()[o] == type && random.chance(60))
          pairs.append({o, static_cast<int64_t>(r)});
      }
    if (!pairs.empty())
      kernel.setInplaceAttr(builder.getDenseI64ArrayAttr(pairs));
  }
}

ExecutionInputs StressCase::executionInputs(StoredParameters &stored) {
  ExecutionInputs execution;
  for (const reference::NamedType &parameter : signature.parameters)
    stored.add(parameter.name, reference::toHost(makeRandomTensor(
                                   parameter.type, caseSeed, parameter.name)));
  execution.parameters = &stored;
  execution.inputs = inputs;
  for (const NamedTensor &result : expected)
    execution.results.push_back(result.name);
  return execution;
}

SmallVector<runtime::Schedule> turnip::testing::makeSchedules(Random &random) {
  using Policy = runtime::Schedule::Policy;
  SmallVector<runtime::Schedule> schedules(4);
  schedules[0].policy = Policy::Dynamic;
  schedules[1].policy = Policy::Fixed;
  for (int i : {2, 3}) {
    schedules[i].policy = Policy::Random;
    schedules[i].seed = random.next();
  }
  return schedules;
}

Status StressCase::compareRun(ArrayRef<parameters::Tensor> results) {
  ++statistics->runs;
  if (firstResults.empty()) {
    firstResults.assign(results.begin(), results.end());
    SmallVector<NamedTensor> named;
    for (auto [wanted, result] : llvm::zip_equal(expected, results))
      named.push_back({wanted.name, reference::fromHost(result, context)});
    return compareResults(named);
  }
  for (auto [index, pair] :
       llvm::enumerate(llvm::zip_equal(firstResults, results)))
    if (std::get<0>(pair).data != std::get<1>(pair).data)
      return stageError("result '" + expected[index].name +
                        "' has other bits than in the first run");
  return Status::ok();
}

/// Options of the planner that must not change any result.
static std::string randomPlanOptions(Random &random) {
  static const char *const orders[] = {"best",          "given",
                                       "depth-first",   "memory-aware",
                                       "critical-path", "scheduled"};
  std::string options;
  if (random.chance(40))
    options += std::string(" order=") + random.pick(orders);
  if (random.chance(30))
    options += " horizon=" + std::to_string(random.unit() * 1.5);
  if (random.chance(15))
    options += " in-place=false";
  if (random.chance(15))
    options += " prune-edges=false";
  if (random.chance(30))
    options +=
        " link-bandwidth=" + std::to_string(1e6 * random.between(1, 999));
  return options;
}

Expected<OwningOpRef<ModuleOp>> StressCase::place(ModuleOp graph,
                                                  uint64_t cap) {
  std::string options = randomPlanOptions(random);
  if (cap != 0)
    options += " device-memory=" + std::to_string(cap);
  return lower(graph, "place-memory{" + StringRef(options).ltrim().str() + "}");
}

Status StressCase::checkCap(ModuleOp graph, uint64_t cap,
                            const ExecutionInputs &execution,
                            KernelTable kernels, bool guard) {
  Expected<OwningOpRef<ModuleOp>> placed = place(graph, cap);
  if (!placed)
    return placed.status();
  Expected<PlacedProgram> program = PlacedProgram::make(**placed);
  if (!program)
    return program.status();
  if (cap != 0 && (program->deviceCapacity() > cap ||
                   program->devicePeak() > program->deviceCapacity()))
    return stageError("the plan uses " + Twine(program->devicePeak()) +
                      " bytes of " + Twine(program->deviceCapacity()));
  Expected<std::unique_ptr<runtime::Session>> session = program->open(
      execution, kernels ? 1 : 1 + random.between(0, 1), guard, kernels);
  if (!session)
    return session.status();
  for (const runtime::Schedule &schedule : makeSchedules(random)) {
    auto results = runOnce(**session, schedule, execution);
    if (!results)
      return results.status();
    TURNIP_RETURN_IF_ERROR(compareRun(*results).withContext(
        "schedule " + std::to_string(static_cast<int>(schedule.policy)) +
        ", seed " + std::to_string(schedule.seed)));
  }
  return Status::ok();
}

Status StressCase::checkSmallestCap(ModuleOp graph, uint64_t smallest) {
  const uint64_t unit = 64;
  if (smallest < 2 * unit)
    return Status::ok();
  std::string message;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str();
    return success();
  });
  if (place(graph, smallest - unit))
    return stageError("a cap below the smallest one is accepted");
  StringRef text = message;
  if (!text.contains("needs " + std::to_string(smallest)) ||
      !text.contains("smallest capacity") || !text.contains("task"))
    return stageError("a cap below the smallest one is refused with '" +
                      message + "'");
  return Status::ok();
}

/// Runs the graph on simulated machines: every schedule comes to its end.
static Status simulate(const PlacedProgram &placed, Random &random) {
  machine::Machine machine = machine::Machine::uniform();
  machine.kernelJitter = machine.transferJitter = 0.9 * random.unit();
  machine.seed = random.next();
  machine.otherLink->bandwidth = 1e6 * random.between(1, 9999);
  Expected<std::unique_ptr<runtime::Session>> session =
      placed.open(runtime::createSimDriver(machine));
  if (!session)
    return session.status().withContext("simulation");
  for (const runtime::Schedule &schedule : makeSchedules(random)) {
    TURNIP_RETURN_IF_ERROR((*session)->setSchedule(schedule));
    TURNIP_RETURN_IF_ERROR((*session)->run().withContext("simulation"));
    if ((*session)->record().completionOrder.size() !=
        placed.entry().vertices.size())
      return stageError("the simulation left operations out");
  }
  return Status::ok();
}

/// The bytes of \p module that \p placed uses of memories on the host.
static uint64_t hostBytes(const artifact::Module &module,
                          const artifact::Entry &entry) {
  std::vector<uint64_t> touched = touchedBytes(module, entry);
  uint64_t bytes = 0;
  for (size_t i = 0; i < touched.size(); ++i)
    if (module.machine.memories[i].kind != artifact::MemoryKind::Device)
      bytes += touched[i];
  return bytes;
}

Status StressCase::checkHostCap(ModuleOp graph, const PlacedProgram &placed) {
  uint64_t all = hostBytes(placed.artifact(), placed.entry());
  uint64_t cap = all - random.between(0, all / 2) / 64 * 64;
  if (cap == 0)
    return Status::ok();
  std::string message;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str();
    return success();
  });
  Expected<OwningOpRef<ModuleOp>> capped =
      lower(graph, "place-memory{host-memory=" + std::to_string(cap) + "}");
  if (!capped) {
    if (StringRef(message).contains("host") ||
        StringRef(message).contains("param"))
      return Status::ok();
    return stageError("host memory of " + Twine(cap) +
                      " bytes is refused with '" + message + "'");
  }
  Expected<PlacedProgram> program = PlacedProgram::make(**capped);
  if (!program)
    return program.status();
  uint64_t used = hostBytes(program->artifact(), program->entry());
  if (used > cap)
    return stageError("the plan uses " + Twine(used) + " bytes of " +
                      Twine(cap) + " of host memory");
  return Status::ok();
}

/// The bytes of \p module without how it came about.
static Expected<std::string> planBytes(artifact::Module module) {
  module.options.clear();
  return artifact::serialize(module);
}

Status StressCase::checkReplanned(ModuleOp graph, uint64_t smallest,
                                  uint64_t cap,
                                  const ExecutionInputs &execution,
                                  KernelTable kernels, bool guard) {
  auto placedFor = [&](uint64_t bytes) -> Expected<PlacedProgram> {
    Expected<OwningOpRef<ModuleOp>> placed = lower(
        graph, "place-memory{device-memory=" + std::to_string(bytes) + "}");
    if (!placed)
      return placed.status();
    return PlacedProgram::make(**placed);
  };
  Expected<PlacedProgram> other =
      placedFor(smallest + 64 * random.between(0, 64));
  if (!other)
    return other.status();
  Expected<PlacedProgram> wanted = placedFor(cap);
  if (!wanted)
    return wanted.status();
  runtime::ReplanOptions options;
  if (smallest > 64) {
    options.deviceMemory = smallest - 64;
    auto refused = runtime::replan(other->artifact(), "main", options);
    if (refused || refused.status().code() != StatusCode::DoesNotFit)
      return stageError("planning again accepts a cap below the smallest one");
  }
  options.deviceMemory = cap;
  Expected<artifact::Module> again =
      runtime::replan(other->artifact(), "main", options);
  if (!again)
    return again.status();
  Expected<std::string> bytes = planBytes(*again);
  Expected<std::string> wantedBytes = planBytes(wanted->artifact());
  if (!bytes)
    return bytes.status();
  if (!wantedBytes || *bytes != *wantedBytes)
    return stageError("planning again gives another artifact than placing");
  Expected<PlacedProgram> program = PlacedProgram::make(*again);
  if (!program)
    return program.status();
  Expected<std::unique_ptr<runtime::Session>> session = program->open(
      execution, kernels ? 1 : 1 + random.between(0, 1), guard, kernels);
  if (!session)
    return session.status();
  for (const runtime::Schedule &schedule : makeSchedules(random)) {
    auto results = runOnce(**session, schedule, execution);
    if (!results)
      return results.status();
    TURNIP_RETURN_IF_ERROR(compareRun(*results));
  }
  return Status::ok();
}

Status StressCase::checkCaps(ModuleOp graph, KernelTable kernels) {
  StoredParameters stored;
  ExecutionInputs execution = executionInputs(stored);
  firstResults.clear();
  Expected<OwningOpRef<ModuleOp>> placed = place(graph, 0);
  if (!placed)
    return placed.status();
  Expected<PlacedProgram> program = PlacedProgram::make(**placed);
  if (!program)
    return program.status();
  uint64_t smallest = program->smallestCap();
  uint64_t all = std::max(smallest, program->devicePeak());
  SmallVector<uint64_t> caps = {0};
  if (smallest != 0) {
    TURNIP_RETURN_IF_ERROR(checkSmallestCap(graph, smallest));
    // The smallest, a little more, any number of bytes in between.
    caps.append({smallest, smallest + 64, smallest + random.between(0, 1024)});
    caps.push_back(random.between(smallest, all));
  }
  TURNIP_RETURN_IF_ERROR(simulate(*program, random));
  TURNIP_RETURN_IF_ERROR(checkHostCap(graph, *program));
  bool guarded = random.chance(25);
  for (uint64_t cap : caps)
    TURNIP_RETURN_IF_ERROR(checkCap(graph, cap, execution, kernels, guarded)
                               .withContext("cap " + std::to_string(cap) +
                                            " (smallest " +
                                            std::to_string(smallest) + ")"));
  if (smallest != 0) {
    uint64_t cap = random.pick(ArrayRef<uint64_t>(caps).drop_front());
    TURNIP_RETURN_IF_ERROR(
        checkReplanned(graph, smallest, cap, execution, kernels, guarded)
            .withContext("planned again for cap " + std::to_string(cap)));
  }
  return Status::ok();
}

Status StressCase::checkExecution() {
  Expected<OwningOpRef<ModuleOp>> graph = lower(partitioning);
  if (!graph)
    return graph.status();
  annotateKernels(**graph, random);
  SmallVector<task::KernelOp> kernels((*graph)->getOps<task::KernelOp>());
  if (kernels.size() > InterpretedKernels::maxKernels)
    return Status::ok();
  InterpretedKernels interpreted(kernels);
  llvm::StringMap<runtime::KernelFunction> byName;
  for (auto [kernel, function] :
       llvm::zip_equal(kernels, interpreted.functions()))
    byName[kernel.getSymName()] = function;
  auto find = [&](StringRef name) { return byName.lookup(name); };
  TURNIP_RETURN_IF_ERROR(checkCaps(**graph, find).withContext(partitioning));
  return interpreted.error().empty() ? Status::ok()
                                     : stageError(interpreted.error());
}

Status StressCase::checkWhole() {
  std::string pipeline = partitioning + ",task-compile-kernels";
  Expected<OwningOpRef<ModuleOp>> graph = lower(pipeline);
  if (!graph)
    return graph.status();
  return checkCaps(**graph, nullptr).withContext(pipeline);
}
