//===- Replan.cpp - Planning an artifact again
//------------------------------===//
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
  Status planWith(const artifact::ParameterLayout &layout, bool staysOnDevices,
                  planner::Problem &to, planner::Plan &made) const;
  Status keepParameters();
  bool fitBeside(const planner::Problem &resident) const;
  void shrink();

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

Status Replanner::planWith(const artifact::ParameterLayout &layout,
                           bool staysOnDevices, planner::Problem &to,
                           planner::Plan &made) const {
  planner::Problem resized = machine;
  if (parameters != artifact::none)
    resized.memories[parameters].capacity = layout.size();
  to = buildProblem(module, entry, resized, layout, staysOnDevices);
  Expected<planner::Plan> planned = planner::plan(to, options.plan);
  if (!planned)
    return planned.status();
  made = std::move(*planned);
  if (Status status = made.verify(to); !status)
    return Status::error(StatusCode::Internal,
                         "the planner made a wrong plan: " + status.message());
  return Status::ok();
}

/// Whether \p tile is a parameter that stays on a device from run to run.
static bool isResident(const planner::Problem &problem,
                       const planner::Tile &tile) {
  return tile.initialMemory == tile.memory && tile.finalMemory == tile.memory &&
         problem.memories[tile.memory].kind == planner::MemoryKind::Device;
}

/// Whether what stays on devices leaves them room at all.
bool Replanner::fitBeside(const planner::Problem &resident) const {
  std::vector<uint64_t> bytes(resident.memories.size());
  for (const planner::Tile &tile : resident.tiles) {
    uint64_t alignment = resident.memories[tile.memory].alignment;
    if (isResident(resident, tile))
      bytes[tile.memory] +=
          (tile.bytes + alignment - 1) / alignment * alignment;
  }
  for (size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] > resident.memories[i].capacity)
      return false;
  return true;
}

/// Whether every parameter that starts on a device is where it started when the
/// graph has run, so that it can run again.
static bool leavesInPlace(const planner::Problem &problem,
                          const planner::Plan &plan) {
  std::vector<uint64_t> start(problem.tiles.size(), 0);
  for (size_t i = 0; i < plan.entryTiles.size(); ++i)
    start[plan.entryTiles[i]] = plan.placement.entry[i].offset;
  for (size_t i = 0; i < plan.exitTiles.size(); ++i)
    if (isResident(problem, problem.tiles[plan.exitTiles[i]]) &&
        start[plan.exitTiles[i]] != plan.placement.exit[i].offset)
      return false;
  return true;
}

/// Where a device's memory holds all parameters besides the largest task, they
/// may be put there once instead of being loaded in every run. Takes that plan
/// if its prediction is no worse.
Status Replanner::keepParameters() {
  artifact::ParameterLayout ofHost = layOut(module, entry, /*ofHost=*/true);
  planner::Problem resized = machine;
  if (parameters != artifact::none)
    resized.memories[parameters].capacity = ofHost.size();
  if (!fitBeside(buildProblem(module, entry, resized, ofHost,
                              /*staysOnDevices=*/true)))
    return Status::ok();
  planner::Problem other;
  planner::Plan otherPlan;
  Status status = planWith(ofHost, /*staysOnDevices=*/true, other, otherPlan);
  if (status.code() == StatusCode::DoesNotFit)
    return Status::ok();
  TURNIP_RETURN_IF_ERROR(status);
  if (!leavesInPlace(other, otherPlan) ||
      otherPlan.statistics.predictedMakespan >
          plan.statistics.predictedMakespan)
    return Status::ok();
  problem = std::move(other);
  plan = std::move(otherPlan);
  return Status::ok();
}

/// Memories without a cap are as large as the plan needs. Host memory is never
/// larger.
void Replanner::shrink() {
  for (uint32_t i = 0; i < problem.memories.size(); ++i)
    if (problem.memories[i].kind == planner::MemoryKind::Host)
      problem.memories[i].capacity = plan.statistics.peakBytes[i];
}

Status Replanner::run() {
  artifact::ParameterLayout all = layOut(module, entry, /*ofHost=*/false);
  TURNIP_RETURN_IF_ERROR(setCapacities(all));
  TURNIP_RETURN_IF_ERROR(
      planWith(all, /*staysOnDevices=*/false, problem, plan));
  for (uint32_t d = 0; d < problem.devices.size(); ++d) {
    planner::SmallestCap cap;
    if (problem.devices[d].backing != planner::None)
      cap = planner::smallestCap(problem, d);
    smallestCaps.push_back({cap.bytes, cap.task});
  }
  if (options.residentParameters)
    TURNIP_RETURN_IF_ERROR(keepParameters());
  shrink();
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
