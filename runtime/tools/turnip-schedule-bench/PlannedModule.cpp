//===- PlannedModule.cpp - A plan as a module -----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlannedModule.h"

#include <algorithm>
#include <map>

using namespace turnip;
using namespace turnip::schedulebench;

static artifact::Machine makeMachine(const planner::Problem &problem) {
  artifact::Machine machine;
  for (const planner::Memory &memory : problem.memories)
    machine.memories.push_back(
        {memory.name, static_cast<artifact::MemoryKind>(memory.kind),
         memory.capacity, memory.alignment, memory.writable});
  for (const planner::Device &device : problem.devices) {
    bool isHost =
        problem.memories[device.memory].kind == planner::MemoryKind::Host;
    machine.devices.push_back({device.name,
                               isHost ? artifact::DeviceKind::Host
                                      : artifact::DeviceKind::Accelerator,
                               device.memory, device.backing});
  }
  for (const planner::Link &link : problem.links)
    machine.links.push_back({link.source, link.destination, link.channel,
                             link.bytesPerSecond, link.latency});
  return machine;
}

static artifact::Kernel makeKernel(const planner::Problem &problem,
                                   uint32_t task, double flopsPerSecond) {
  artifact::Kernel kernel;
  kernel.name = "task" + std::to_string(task);
  for (uint32_t tile : problem.operands(task))
    kernel.operandBytes.push_back(problem.tiles[tile].bytes);
  for (uint32_t tile : problem.results(task))
    kernel.resultBytes.push_back(problem.tiles[tile].bytes);
  for (const planner::InPlacePair &pair : problem.inPlacePairs(task))
    kernel.inPlace.push_back({pair.operand, pair.result});
  kernel.scalarCount = 1;
  kernel.workspaceBytes = problem.tasks[task].workspace;
  kernel.seconds = problem.tasks[task].cost;
  kernel.flops = static_cast<uint64_t>(kernel.seconds * flopsPerSecond);
  return kernel;
}

/// The link between two memories, or none.
static uint16_t findLink(const planner::Problem &problem, uint32_t source,
                         uint32_t destination) {
  for (size_t i = 0; i < problem.links.size(); ++i)
    if (problem.links[i].source == source &&
        problem.links[i].destination == destination)
      return static_cast<uint16_t>(i);
  return artifact::noEngine;
}

static void addVertex(const planner::Problem &problem,
                      const planner::Plan &plan, uint32_t op,
                      const std::vector<artifact::Edge> &edges,
                      artifact::Module &module, artifact::Entry &entry) {
  const planner::OpInfo &info = plan.ops[op];
  artifact::Vertex vertex;
  vertex.kind = static_cast<artifact::VertexKind>(plan.placement.kinds[op]);
  vertex.role = static_cast<artifact::CopyRole>(info.role);
  planner::ArrayView<planner::Access> accesses = plan.placement.accessesOf(op);
  vertex.accesses = {static_cast<uint32_t>(entry.accesses.size()),
                     static_cast<uint32_t>(accesses.size())};
  vertex.scalars = {static_cast<uint32_t>(entry.scalars.size()), 0};
  for (const planner::Access &access : accesses)
    entry.accesses.push_back({access.offset, access.bytes, access.value,
                              static_cast<uint16_t>(access.memory),
                              static_cast<artifact::AccessRole>(access.role)});
  if (vertex.kind == artifact::VertexKind::Call) {
    vertex.kernel = info.task;
    vertex.task = info.task;
    vertex.engine = static_cast<uint16_t>(problem.tasks[info.task].device);
    vertex.scalars.count = 1;
    entry.scalars.push_back(
        {static_cast<int64_t>(module.kernels[info.task].flops),
         artifact::none});
  } else if (vertex.kind == artifact::VertexKind::Copy) {
    vertex.engine = findLink(problem, accesses[0].memory, accesses[1].memory);
  }
  vertex.edges = {static_cast<uint32_t>(entry.edges.size()),
                  static_cast<uint32_t>(edges.size())};
  entry.edges.insert(entry.edges.end(), edges.begin(), edges.end());
  entry.vertices.push_back(vertex);
}

/// Binds each piece as a tensor of bytes of its own.
static std::vector<artifact::Binding>
makeBindings(const char *prefix, const std::vector<planner::Piece> &pieces,
             const std::function<bool(const planner::Piece &)> &wanted) {
  std::vector<artifact::Binding> bindings;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const planner::Piece &piece = pieces[i];
    if (!wanted(piece))
      continue;
    auto bytes = static_cast<int64_t>(piece.bytes);
    artifact::Binding binding;
    binding.name = prefix + std::to_string(i);
    binding.type = ElementType::I8;
    binding.shape = binding.fileShape = {bytes};
    binding.pieces = {{{0}, {bytes}, piece.memory, piece.offset, piece.value}};
    bindings.push_back(std::move(binding));
  }
  return bindings;
}

artifact::Module schedulebench::makeModule(const planner::Problem &problem,
                                           const planner::Plan &plan,
                                           double flopsPerSecond) {
  artifact::Module module;
  module.producer = "turnip-schedule-bench";
  module.machine = makeMachine(problem);
  artifact::Entry entry;
  entry.name = "main";
  for (uint32_t task = 0; task < problem.tasks.size(); ++task) {
    module.kernels.push_back(makeKernel(problem, task, flopsPerSecond));
    entry.tasks.push_back(module.kernels.back().name);
  }
  std::vector<std::vector<artifact::Edge>> edges(plan.placement.numOps());
  for (const planner::Edge &edge : plan.placement.edges)
    edges[edge.to].push_back(
        {edge.from, static_cast<artifact::EdgeKind>(edge.kind)});
  for (uint32_t op = 0; op < plan.placement.numOps(); ++op) {
    std::sort(edges[op].begin(), edges[op].end(),
              [](const artifact::Edge &a, const artifact::Edge &b) {
                return a.source < b.source;
              });
    addVertex(problem, plan, op, edges[op], module, entry);
  }
  auto isParameter = [&](const planner::Piece &piece) {
    return problem.memories[piece.memory].kind ==
           planner::MemoryKind::Parameters;
  };
  entry.parameters = makeBindings("p", plan.placement.entry, isParameter);
  entry.inputs =
      makeBindings("i", plan.placement.entry, [&](const planner::Piece &piece) {
        return !isParameter(piece);
      });
  entry.results = makeBindings("r", plan.placement.exit,
                               [](const planner::Piece &) { return true; });
  module.entries.push_back(std::move(entry));
  return module;
}
