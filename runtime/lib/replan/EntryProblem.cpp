//===- EntryProblem.cpp - An entry as a planning problem ------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryProblem.h"
#include "turnip/runtime/Replan.h"

#include <map>

using namespace turnip;
using namespace turnip::runtime;

template <typename A, typename B> static constexpr bool sameNumber(A a, B b) {
  return static_cast<unsigned>(a) == static_cast<unsigned>(b);
}
static_assert(sameNumber(artifact::MemoryKind::Device,
                         planner::MemoryKind::Device) &&
              sameNumber(artifact::MemoryKind::Host,
                         planner::MemoryKind::Host) &&
              sameNumber(artifact::MemoryKind::Parameters,
                         planner::MemoryKind::Parameters));

/// Bytes per second of a link where nothing is known.
static constexpr double assumedBandwidth = 1e10;

planner::Problem
turnip::runtime::machineProblem(const artifact::Machine &machine) {
  planner::Problem problem;
  for (const artifact::Memory &memory : machine.memories)
    problem.addMemory({memory.name,
                       static_cast<planner::MemoryKind>(memory.kind),
                       memory.capacity, memory.alignment, memory.writable});
  for (const artifact::Device &device : machine.devices)
    problem.addDevice({device.name, device.memory, device.backing});
  for (const artifact::Link &link : machine.links)
    problem.addLink(
        {machine.memories[link.source].name + " to " +
             machine.memories[link.destination].name,
         link.source, link.destination, link.channel,
         link.bytesPerSecond > 0 ? link.bytesPerSecond : assumedBandwidth,
         link.latency});
  return problem;
}

uint32_t turnip::runtime::parameterMemory(const artifact::Machine &machine) {
  for (uint32_t i = 0; i < machine.memories.size(); ++i)
    if (machine.memories[i].kind == artifact::MemoryKind::Parameters)
      return i;
  return artifact::none;
}

static bool isOnDevice(const artifact::Module &module,
                       const artifact::Tile &tile) {
  return module.machine.memories[tile.memory].kind ==
         artifact::MemoryKind::Device;
}

namespace {
/// A piece at entry and the tensor it is of.
struct BoundPiece {
  const artifact::Binding *binding = nullptr;
  const artifact::Piece *piece = nullptr;
};
} // namespace

/// The first piece of each tile that \p bindings bring in.
static std::vector<BoundPiece>
piecesOf(const artifact::Entry &entry,
         const std::vector<artifact::Binding> &bindings) {
  std::vector<BoundPiece> pieces(entry.taskGraph->tiles.size());
  for (const artifact::Binding &binding : bindings)
    for (const artifact::Piece &piece : binding.pieces)
      if (!pieces[piece.value].piece)
        pieces[piece.value] = {&binding, &piece};
  return pieces;
}

artifact::ParameterLayout
turnip::runtime::layOut(const artifact::Module &module,
                        const artifact::Entry &entry, bool ofHost) {
  artifact::ParameterLayout layout(artifact::parameterAlignment);
  std::vector<BoundPiece> pieces = piecesOf(entry, entry.parameters);
  for (size_t i = 0; i < pieces.size(); ++i) {
    bool onDevice = isOnDevice(module, entry.taskGraph->tiles[i]);
    if (pieces[i].piece && !(ofHost && onDevice))
      layout.add(
          sliceOf(*pieces[i].binding, *pieces[i].piece, /*inPlace=*/!onDevice));
  }
  layout.finish();
  return layout;
}

namespace {
/// Adds the tiles, then the tasks of one entry.
class ProblemBuilder {
public:
  ProblemBuilder(const artifact::Module &module, const artifact::Entry &entry,
                 const planner::Problem &machine,
                 const artifact::ParameterLayout &layout, bool staysOnDevices)
      : module(module), entry(entry), tasks(*entry.taskGraph), layout(layout),
        staysOnDevices(staysOnDevices) {
    problem.memories = machine.memories;
    problem.devices = machine.devices;
    problem.links = machine.links;
  }

  planner::Problem run();

private:
  void addTiles();
  void setStart(planner::Tile &tile, const artifact::Tile &from,
                const BoundPiece &parameter, const BoundPiece &input) const;
  void addTasks();
  void setResults();

  const artifact::Module &module;
  const artifact::Entry &entry;
  const artifact::TaskGraph &tasks;
  const artifact::ParameterLayout &layout;
  bool staysOnDevices;
  planner::Problem problem;
};
} // namespace

void ProblemBuilder::setStart(planner::Tile &tile, const artifact::Tile &from,
                              const BoundPiece &parameter,
                              const BoundPiece &input) const {
  if (input.piece)
    tile.initialMemory = input.piece->memory;
  if (!parameter.piece)
    return;
  bool onDevice = isOnDevice(module, from);
  if (staysOnDevices && onDevice) {
    tile.initialMemory = tile.finalMemory = tile.memory;
    return;
  }
  tile.initialMemory = parameterMemory(module.machine);
  tile.initialOffset = layout.offsetOf(
      sliceOf(*parameter.binding, *parameter.piece, /*inPlace=*/!onDevice));
}

void ProblemBuilder::addTiles() {
  std::vector<BoundPiece> parameters = piecesOf(entry, entry.parameters);
  std::vector<BoundPiece> inputs = piecesOf(entry, entry.inputs);
  for (size_t i = 0; i < tasks.tiles.size(); ++i) {
    const artifact::Tile &from = tasks.tiles[i];
    planner::Tile tile;
    tile.bytes = from.bytes;
    tile.memory = from.memory;
    setStart(tile, from, parameters[i], inputs[i]);
    const BoundPiece &bound = parameters[i].piece ? parameters[i] : inputs[i];
    problem.addTile(tile, bound.piece ? bound.binding->name : "");
  }
}

void ProblemBuilder::addTasks() {
  std::map<std::pair<uint32_t, uint32_t>, double> costs;
  for (const artifact::Cost &cost : tasks.costs)
    costs[{cost.kernel, cost.device}] = cost.seconds;
  std::vector<artifact::TaskView> views = tasksOf(module, entry);
  std::vector<uint32_t> results;
  std::vector<planner::InPlacePair> pairs;
  for (uint32_t i = 0; i < views.size(); ++i) {
    const artifact::TaskView &view = views[i];
    planner::Task task;
    task.tag = i;
    results.clear();
    pairs.clear();
    for (uint32_t k = 0; k < view.numResults; ++k)
      results.push_back(view.firstResult + k);
    if (view.vertex->kind == artifact::VertexKind::Call) {
      const artifact::Kernel &kernel = module.kernels[view.vertex->kernel];
      task.device = view.vertex->engine;
      task.workspace = kernel.workspaceBytes;
      auto cost = costs.find({view.vertex->kernel, task.device});
      task.cost = cost == costs.end() ? 0 : cost->second;
      for (const artifact::InPlacePair &pair : kernel.inPlace)
        pairs.push_back({pair.operand, pair.result});
    } else {
      task.kind = planner::TaskKind::Transfer;
      // The device that has one end of it in its own memory.
      uint32_t to = tasks.tiles[view.firstResult].memory;
      if (!isOnDevice(module, tasks.tiles[view.firstResult]))
        to = tasks.tiles[view.operands[0]].memory;
      for (uint32_t d = 0; d < problem.devices.size(); ++d)
        if (problem.devices[d].memory == to && task.device == planner::None)
          task.device = d;
    }
    problem.addTask(task, {view.operands.data(), view.operands.size()}, results,
                    entry.tasks[i], pairs);
  }
}

void ProblemBuilder::setResults() {
  size_t next = 0;
  for (const artifact::Binding &binding : entry.results)
    for (const artifact::Piece &piece : binding.pieces)
      problem.tiles[tasks.results[next++]].finalMemory = piece.memory;
}

planner::Problem ProblemBuilder::run() {
  addTiles();
  addTasks();
  setResults();
  return std::move(problem);
}

planner::Problem turnip::runtime::buildProblem(
    const artifact::Module &module, const artifact::Entry &entry,
    const planner::Problem &machine, const artifact::ParameterLayout &layout,
    bool staysOnDevices) {
  return ProblemBuilder(module, entry, machine, layout, staysOnDevices).run();
}

Status turnip::runtime::checkReplannable(const artifact::Module &module,
                                         const artifact::Entry &entry) {
  if (!entry.taskGraph)
    return Status::error(StatusCode::BadInput,
                         "entry '" + entry.name +
                             "' keeps no task graph, so it cannot be planned "
                             "again; compile it again, with this release and "
                             "without keep-tasks=false");
  if (!entry.parameters.empty() &&
      parameterMemory(module.machine) == artifact::none)
    return Status::error(StatusCode::BadInput,
                         "entry '" + entry.name +
                             "' cannot be planned again: its machine has no "
                             "memory for parameters");
  return Status::ok();
}

Expected<planner::Problem>
turnip::runtime::problemOf(const artifact::Module &module,
                           const artifact::Entry &entry) {
  TURNIP_RETURN_IF_ERROR(checkReplannable(module, entry));
  artifact::ParameterLayout layout = layOut(module, entry, /*ofHost=*/false);
  planner::Problem machine = machineProblem(module.machine);
  uint32_t memory = parameterMemory(module.machine);
  if (memory != artifact::none)
    machine.memories[memory].capacity = layout.size();
  return buildProblem(module, entry, machine, layout, /*staysOnDevices=*/false);
}
