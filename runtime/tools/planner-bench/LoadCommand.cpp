//===- LoadCommand.cpp - How long large artifacts take to load ------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes plans as artifacts, whose kernels have no code, and loads them with
// and without the proof.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Oversubscribe.h"
#include "Usage.h"

#include "turnip/artifact/Artifact.h"
#include "turnip/planner/Plan.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::bench;

namespace {
/// Builds an artifact with one entry out of a plan for one device.
class ArtifactBuilder {
public:
  ArtifactBuilder(const Problem &problem, const Plan &plan)
      : problem(problem), plan(plan) {}

  artifact::Module build();

private:
  void addMachine();
  void addVertex(uint32_t op);
  void addEdges(uint32_t op);
  uint32_t kernelOf(uint32_t task);
  uint16_t linkBetween(uint32_t source, uint32_t destination) const;
  void addBindings(const std::vector<Piece> &pieces, const char *prefix,
                   bool parameters, std::vector<artifact::Binding> &bindings);

  const Problem &problem;
  const Plan &plan;
  artifact::Module module;
  artifact::Entry entry;
  size_t nextEdge = 0;
  std::map<std::tuple<std::vector<uint64_t>, std::vector<uint64_t>,
                      std::vector<std::pair<uint32_t, uint32_t>>, uint64_t>,
           uint32_t>
      kernels;
};
} // namespace

void ArtifactBuilder::addMachine() {
  for (const Memory &memory : problem.memories)
    module.machine.memories.push_back(
        {memory.name, static_cast<artifact::MemoryKind>(memory.kind),
         memory.capacity, memory.alignment, memory.writable});
  for (const Device &device : problem.devices) {
    bool host = problem.memories[device.memory].kind == MemoryKind::Host;
    module.machine.devices.push_back(
        {device.name,
         host ? artifact::DeviceKind::Host : artifact::DeviceKind::Accelerator,
         device.memory, device.backing});
  }
  for (const Link &link : problem.links)
    module.machine.links.push_back({link.source, link.destination, link.channel,
                                    link.bytesPerSecond, link.latency});
}

uint32_t ArtifactBuilder::kernelOf(uint32_t id) {
  const Task &task = problem.tasks[id];
  artifact::Kernel kernel;
  for (uint32_t tile : problem.operands(id))
    kernel.operandBytes.push_back(problem.tiles[tile].bytes);
  for (uint32_t tile : problem.results(id))
    kernel.resultBytes.push_back(problem.tiles[tile].bytes);
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  for (const InPlacePair &pair : problem.inPlacePairs(id)) {
    kernel.inPlace.push_back({pair.operand, pair.result});
    pairs.emplace_back(pair.operand, pair.result);
  }
  kernel.workspaceBytes = task.workspace;
  auto [found, isNew] = kernels.try_emplace(
      {kernel.operandBytes, kernel.resultBytes, pairs, task.workspace},
      static_cast<uint32_t>(module.kernels.size()));
  if (isNew) {
    kernel.name = "k" + std::to_string(found->second);
    kernel.signature = "() -> ()";
    module.kernels.push_back(std::move(kernel));
  }
  return found->second;
}

uint16_t ArtifactBuilder::linkBetween(uint32_t source,
                                      uint32_t destination) const {
  for (size_t i = 0; i < problem.links.size(); ++i)
    if (problem.links[i].source == source &&
        problem.links[i].destination == destination)
      return static_cast<uint16_t>(i);
  return artifact::noEngine;
}

void ArtifactBuilder::addEdges(uint32_t op) {
  const std::vector<Edge> &edges = plan.placement.edges;
  for (; nextEdge < edges.size() && edges[nextEdge].to == op; ++nextEdge)
    entry.edges.push_back(
        {edges[nextEdge].from,
         static_cast<artifact::EdgeKind>(edges[nextEdge].kind)});
}

void ArtifactBuilder::addVertex(uint32_t op) {
  const OpInfo &info = plan.ops[op];
  ArrayView<Access> accesses = plan.placement.accessesOf(op);
  artifact::Vertex vertex;
  vertex.accesses = {static_cast<uint32_t>(entry.accesses.size()),
                     static_cast<uint32_t>(accesses.size())};
  for (const Access &access : accesses)
    entry.accesses.push_back({access.offset, access.bytes, access.value,
                              static_cast<uint16_t>(access.memory),
                              static_cast<artifact::AccessRole>(access.role)});
  vertex.edges.first = static_cast<uint32_t>(entry.edges.size());
  addEdges(op);
  vertex.edges.count =
      static_cast<uint32_t>(entry.edges.size()) - vertex.edges.first;
  vertex.kind = static_cast<artifact::VertexKind>(plan.placement.kinds[op]);
  vertex.role = static_cast<artifact::CopyRole>(info.role);
  vertex.task = info.task;
  if (vertex.kind == artifact::VertexKind::Call) {
    vertex.kernel = kernelOf(info.task);
    vertex.engine = static_cast<uint16_t>(problem.tasks[info.task].device);
  } else if (vertex.kind == artifact::VertexKind::Copy) {
    vertex.engine = linkBetween(accesses[0].memory, accesses[1].memory);
  }
  entry.vertices.push_back(vertex);
}

/// One tensor of bytes per piece.
void ArtifactBuilder::addBindings(const std::vector<Piece> &pieces,
                                  const char *prefix, bool parameters,
                                  std::vector<artifact::Binding> &bindings) {
  for (const Piece &piece : pieces) {
    MemoryKind kind = problem.memories[piece.memory].kind;
    if ((kind == MemoryKind::Parameters) != parameters)
      continue;
    artifact::Binding binding;
    binding.name = prefix + std::to_string(bindings.size());
    binding.type = ElementType::I8;
    binding.shape = {static_cast<int64_t>(piece.bytes)};
    binding.fileShape = binding.shape;
    binding.pieces.push_back(
        {{0}, binding.shape, piece.memory, piece.offset, piece.value});
    bindings.push_back(std::move(binding));
  }
}

artifact::Module ArtifactBuilder::build() {
  module.producer = "planner-bench";
  addMachine();
  entry.name = "main";
  for (uint32_t task = 0; task < problem.tasks.size(); ++task)
    entry.tasks.push_back("task" + std::to_string(task));
  for (uint32_t op = 0; op < plan.placement.numOps(); ++op)
    addVertex(op);
  addBindings(plan.placement.entry, "p", true, entry.parameters);
  addBindings(plan.placement.entry, "x", false, entry.inputs);
  addBindings(plan.placement.exit, "y", false, entry.results);
  module.entries.push_back(std::move(entry));
  return std::move(module);
}

static Status reportLoad(const std::string &kind, const GraphOptions &options,
                         double share) {
  Expected<std::string> bytes = std::string();
  {
    Expected<Problem> problem = makeGraph(options);
    if (!problem)
      return problem.status();
    oversubscribe(*problem, share);
    PlanOptions planOptions;
    planOptions.effort = 0;
    Expected<Plan> result = plan(*problem, planOptions);
    if (!result)
      return result.status();
    bytes = artifact::serialize(ArtifactBuilder(*problem, *result).build());
  }
  if (!bytes)
    return bytes.status();
  double seconds[2] = {};
  double vertices = 0, mebibytes = 0;
  for (bool proves : {false, true}) {
    artifact::LoadOptions loadOptions;
    loadOptions.verifyPlacement = proves;
    Usage usage;
    Expected<artifact::Module> module = artifact::load(*bytes, loadOptions);
    usage.stop();
    if (!module)
      return module.status();
    seconds[proves] = usage.seconds();
    vertices = static_cast<double>(module->entries[0].vertices.size());
    mebibytes = usage.mebibytes();
  }
  std::printf("%-10s %9.0f %9.0f %8.2f %8.2f %9.0f %6.0f\n", kind.c_str(),
              vertices, static_cast<double>(bytes->size()) / 1048576,
              seconds[0], seconds[1], seconds[1] / vertices * 1e9, mebibytes);
  std::fflush(stdout);
  return Status::ok();
}

Status bench::runLoads(Arguments &arguments) {
  GraphOptions graph;
  graph.vertices = 1000000;
  double share = 8;
  TURNIP_RETURN_IF_ERROR(arguments.takeGraph(graph));
  TURNIP_RETURN_IF_ERROR(
      arguments.takeReal("oversubscription", 0.01, 1e6, share));
  TURNIP_RETURN_IF_ERROR(arguments.finish());
  // Parameters that several devices read would be tensors that overlap.
  if (graph.devices != 1)
    return Status::error(StatusCode::InvalidArgument,
                         "--devices: expected 1, but got " +
                             std::to_string(graph.devices));
  std::vector<std::string> kinds = arguments.words();
  if (kinds.empty())
    kinds = {"training", "layered", "star", "butterfly", "skip-chain"};
  std::printf("%-10s %9s %9s %8s %8s %9s %6s\n", "graph", "vertices",
              "file MiB", "read s", "proved s", "ns/vertex", "MiB");
  for (const std::string &kind : kinds)
    for (uint32_t divisor : {10, 1}) {
      GraphOptions sized = graph;
      TURNIP_RETURN_IF_ERROR(parseGraphKind(kind, sized));
      sized.vertices = std::max(1U, graph.vertices / divisor);
      TURNIP_RETURN_IF_ERROR(reportLoad(kind, sized, share));
    }
  return Status::ok();
}
