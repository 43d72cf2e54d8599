//===- Replan.cpp - Planning an artifact again ----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/runtime/Replan.h"

#include "ApplyMachine.h"
#include "EntryProblem.h"
#include "EntryWriter.h"
#include "OptionsText.h"
#include "turnip/artifact/Artifact.h"
#include "turnip/planner/Resident.h"
#include "turnip/support/ByteSize.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::runtime;

/// Bytes of a memory of which no capacity was asked.
static constexpr uint64_t unlimitedBytes = uint64_t(1) << 58;

namespace {
/// One entry, planned from its task graph; the compiler's pass place-memory
/// takes the same steps.
class Replanner {
public:
  Replanner(const artifact::Module &module, const artifact::Entry &entry,
            const ReplanOptions &options)
      : module(module), entry(entry), options(options),
        parameters(parameterMemory(module.machine)) {}

  Status run();
  void finish(artifact::Module &result);

private:
  Status setCapacities(const artifact::ParameterLayout &layout);
  planner::Problem problemWith(const artifact::ParameterLayout &layout,
                               bool staysOnDevices) const;
  Status keepParameters();

  const artifact::Module &module;
  const artifact::Entry &entry;
  const ReplanOptions &options;
  /// The memory of parameters, or none.
  uint32_t parameters;
  /// The machine, as far as it is known.
  planner::Problem machine;
  planner::Problem problem;
  planner::Plan plan;
  std::vector<artifact::SmallestCap> smallestCaps;
};
} // namespace

Status Replanner::setCapacities(const artifact::ParameterLayout &layout) {
  machine = machineProblem(module.machine);
  uint64_t most = unlimitedBytes;
  if (options.machine && options.machine->hostMemory() != machine::None)
    most = options.machine->memories[options.machine->hostMemory()].capacity;
  uint64_t host = std::min(options.hostMemory.value_or(most), unlimitedBytes);
  if (layout.size() > host)
    return Status::error(
        StatusCode::DoesNotFit,
        "the parameters need " + formatExactBytes(layout.size()) +
            " of host memory, which has " + formatExactBytes(host));
  for (planner::Memory &memory : machine.memories) {
    if (memory.kind == planner::MemoryKind::Host)
      memory.capacity = host - layout.size();
    if (memory.kind == planner::MemoryKind::Device && options.deviceMemory)
      memory.capacity = std::min(*options.deviceMemory, unlimitedBytes);
  }
  return Status::ok();
}

planner::Problem Replanner::problemWith(const artifact::ParameterLayout &layout,
                                        bool staysOnDevices) const {
  planner::Problem resized = machine;
  if (parameters != artifact::none)
    resized.memories[parameters].capacity = layout.size();
  return buildProblem(module, entry, resized, layout, staysOnDevices);
}

/// Takes a plan that puts parameters on devices once, where there is one that
/// is no worse.
Status Replanner::keepParameters() {
  planner::Problem resident =
      problemWith(layOut(module, entry, /*ofHost=*/true),
                  /*staysOnDevices=*/true);
  Expected<std::optional<planner::Plan>> better =
      planner::planResident(resident, plan, options.plan);
  if (!better)
    return better.status();
  if (*better) {
    problem = std::move(resident);
    plan = std::move(**better);
  }
  return Status::ok();
}

Status Replanner::run() {
  artifact::ParameterLayout all = layOut(module, entry, /*ofHost=*/false);
  TURNIP_RETURN_IF_ERROR(setCapacities(all));
  problem = problemWith(all, /*staysOnDevices=*/false);
  Expected<planner::Plan> made = planner::planProved(problem, options.plan);
  if (!made)
    return made.status();
  plan = std::move(*made);
  for (uint32_t d = 0; d < problem.devices.size(); ++d) {
    planner::SmallestCap cap;
    if (problem.devices[d].backing != planner::None)
      cap = planner::smallestCap(problem, d);
    smallestCaps.push_back({cap.bytes, cap.task});
  }
  if (options.residentParameters)
    TURNIP_RETURN_IF_ERROR(keepParameters());
  planner::shrinkToPeak(problem.memories, {&plan.statistics},
                        /*devicesToo=*/false);
  return Status::ok();
}

void Replanner::finish(artifact::Module &result) {
  for (size_t i = 0; i < problem.memories.size(); ++i)
    result.machine.memories[i].capacity = problem.memories[i].capacity;
  artifact::Entry made = writeEntry(module, entry, problem, plan);
  made.statistics.smallestCaps = smallestCaps;
  result.entries.clear();
  result.entries.push_back(std::move(made));
}

std::string turnip::runtime::optionsText(const ReplanOptions &options) {
  std::string text;
  auto add = [&](const std::string &name, const std::string &value) {
    text += " " + name + "=" + value;
  };
  const planner::PlanOptions &plan = options.plan;
  const planner::PlanOptions usual;
  if (options.deviceMemory)
    add("device-memory", std::to_string(*options.deviceMemory));
  if (options.hostMemory)
    add("host-memory", std::to_string(*options.hostMemory));
  if (options.machine) {
    std::string json = options.machine->toJson();
    add("machine",
        options.machine->name + "#" +
            std::to_string(artifact::contentHash(json, json.size())));
  }
  add("order", planner::toString(plan.order));
  if (plan.policy != usual.policy)
    add("policy", planner::toString(plan.policy));
  if (plan.effort != usual.effort)
    add("plan-effort", std::to_string(plan.effort));
  if (plan.seed != usual.seed)
    add("plan-seed", std::to_string(plan.seed));
  if (!plan.rematerialize)
    add("rematerialize", "false");
  if (plan.horizon >= 0)
    add("horizon", std::to_string(plan.horizon));
  if (!options.residentParameters)
    add("resident-parameters", "false");
  if (!plan.inPlace)
    add("in-place", "false");
  if (!plan.pruneEdges)
    add("prune-edges", "false");
  return text;
}

void turnip::runtime::noteOptions(artifact::Module &module,
                                  const ReplanOptions &options) {
  // It is not what the file holds any more.
  module.contentHash = 0;
  module.options +=
      (module.options.empty() ? "planned again:" : "; planned again:") +
      optionsText(options);
}

Expected<artifact::Module>
turnip::runtime::replan(artifact::Module module, const std::string &entry,
                        const ReplanOptions &options) {
  Expected<const artifact::Entry *> found = artifact::findEntry(module, entry);
  if (!found)
    return found.status();
  // The entry stays alive while a new one is written from it.
  artifact::Entry old =
      std::move(module.entries[*found - module.entries.data()]);
  TURNIP_RETURN_IF_ERROR(checkReplannable(module, old));
  if (options.machine)
    TURNIP_RETURN_IF_ERROR(applyMachine(module, old, *options.machine));
  Replanner replanner(module, old, options);
  TURNIP_RETURN_IF_ERROR(replanner.run());
  replanner.finish(module);
  noteOptions(module, options);
  return module;
}
