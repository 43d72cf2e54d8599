//===- PlacedEntry.cpp - An entry in the executor's terms -----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlacedEntry.h"

#include <algorithm>
#include <map>

using namespace turnip;
using namespace turnip::runtime;

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

static MemoryKind convertKind(artifact::MemoryKind kind) {
  switch (kind) {
  case artifact::MemoryKind::Device:
    return MemoryKind::Device;
  case artifact::MemoryKind::Host:
    return MemoryKind::Host;
  case artifact::MemoryKind::Parameters:
    return MemoryKind::Parameters;
  }
  return MemoryKind::Host;
}

/// The device whose memory is \p memory, if it is an accelerator; else -1.
static int32_t acceleratorOf(const artifact::Machine &machine,
                             uint32_t memory) {
  for (size_t d = 0; d < machine.devices.size(); ++d)
    if (machine.devices[d].kind == artifact::DeviceKind::Accelerator &&
        machine.devices[d].memory == memory)
      return static_cast<int32_t>(d);
  return -1;
}

/// Describes the engine that carries \p link.
static EngineDescription describeLink(const artifact::Machine &machine,
                                      const artifact::Link &link) {
  EngineDescription engine;
  engine.kind = EngineKind::Transfer;
  engine.name = machine.memories[link.source].name + "->" +
                machine.memories[link.destination].name;
  int32_t target = acceleratorOf(machine, link.destination);
  engine.toDevice = target >= 0;
  engine.source = acceleratorOf(machine, link.source);
  engine.device = target >= 0 ? target : engine.source;
  return engine;
}

/// The transfer engine of each channel.
static std::map<uint32_t, uint16_t>
engineOfChannel(const artifact::Machine &machine) {
  std::map<uint32_t, uint16_t> engines;
  for (const artifact::Link &link : machine.links)
    engines.emplace(link.channel, uint16_t(0));
  auto next = static_cast<uint16_t>(machine.devices.size());
  for (auto &[channel, engine] : engines)
    engine = next++;
  return engines;
}

static KernelDescription describeKernel(const artifact::Kernel &kernel) {
  KernelDescription description;
  description.kernelClass = kernel.kernelClass;
  description.type = kernel.type;
  description.hash = artifact::codeHash(kernel);
  description.code = &kernel;
  return description;
}

MachineDescription
turnip::runtime::describeMachine(const artifact::Module &module,
                                 const artifact::Entry &entry) {
  MachineDescription machine;
  std::vector<uint64_t> bytes = artifact::touchedBytes(module, entry);
  for (size_t m = 0; m < module.machine.memories.size(); ++m) {
    const artifact::Memory &memory = module.machine.memories[m];
    machine.memories.push_back(
        {memory.name, convertKind(memory.kind), bytes[m],
         acceleratorOf(module.machine, static_cast<uint32_t>(m)),
         memory.alignment});
  }
  for (size_t d = 0; d < module.machine.devices.size(); ++d) {
    const artifact::Device &device = module.machine.devices[d];
    EngineDescription engine;
    engine.name = device.name;
    engine.device = device.kind == artifact::DeviceKind::Accelerator
                        ? static_cast<int32_t>(d)
                        : -1;
    machine.engines.push_back(engine);
  }
  for (const artifact::Kernel &kernel : module.kernels)
    machine.kernels.push_back(describeKernel(kernel));
  for (const artifact::Vertex &vertex : entry.vertices) {
    if (vertex.kind != artifact::VertexKind::Call)
      continue;
    std::vector<uint16_t> &engines = machine.kernels[vertex.kernel].engines;
    if (std::find(engines.begin(), engines.end(), vertex.engine) ==
        engines.end())
      engines.push_back(vertex.engine);
  }
  std::map<uint32_t, uint16_t> channels = engineOfChannel(module.machine);
  machine.engines.resize(module.machine.devices.size() + channels.size());
  for (const artifact::Link &link : module.machine.links) {
    EngineDescription &engine = machine.engines[channels[link.channel]];
    // A channel shared with the parameters is named after the host's link.
    bool fromParameters = module.machine.memories[link.source].kind ==
                          artifact::MemoryKind::Parameters;
    if (engine.name.empty() || !fromParameters)
      engine = describeLink(module.machine, link);
  }
  return machine;
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

/// Bytes per second assumed where nothing is known.
static constexpr double assumedBandwidth = 1e10;

namespace {
/// Fills in the commands of a graph, vertex by vertex.
class Builder {
public:
  Builder(const artifact::Module &module, const artifact::Entry &entry,
          const std::vector<KernelFunction> &kernels,
          const AddressFunction &address, PlacedEntry &placed)
      : module(module), entry(entry), kernels(kernels), address(address),
        channels(engineOfChannel(module.machine)), placed(placed) {}

  Status run();

private:
  Status addVertex(uint32_t v);
  void fillCall(const artifact::Vertex &vertex, Command &command, double &cost);
  double callSeconds(const artifact::Vertex &vertex,
                     const Command &command) const;
  Status fillCopy(const artifact::Vertex &vertex, Command &command,
                  double &cost);
  void addEdges();

  const artifact::Module &module;
  const artifact::Entry &entry;
  const std::vector<KernelFunction> &kernels;
  const AddressFunction &address;
  const std::map<uint32_t, uint16_t> channels;
  PlacedEntry &placed;
};
} // namespace

Status Builder::run() {
  // Commands point into these, so they never grow.
  placed.buffers.reserve(entry.accesses.size());
  placed.scalars.reserve(entry.scalars.size());
  placed.graph.commands.reserve(entry.vertices.size());
  placed.graph.numEngines =
      static_cast<uint32_t>(module.machine.devices.size() + channels.size());
  for (uint32_t v = 0; v < entry.vertices.size(); ++v)
    TURNIP_RETURN_IF_ERROR(addVertex(v));
  addEdges();
  return placed.graph.check();
}

Status Builder::addVertex(uint32_t v) {
  const artifact::Vertex &vertex = entry.vertices[v];
  Command command;
  command.vertex = v;
  double cost = 0;
  command.buffers = placed.buffers.data() + placed.buffers.size();
  for (const artifact::Access &access : entry.accessesOf(vertex))
    placed.buffers.push_back(address(v, access));
  switch (vertex.kind) {
  case artifact::VertexKind::Call:
    fillCall(vertex, command, cost);
    break;
  case artifact::VertexKind::Copy:
    TURNIP_RETURN_IF_ERROR(fillCopy(vertex, command, cost));
    break;
  case artifact::VertexKind::Join:
    command.kind = Command::Kind::Join;
    command.engine = artifact::noEngine;
    break;
  }
  placed.graph.commands.push_back(command);
  placed.graph.costs.push_back(cost);
  return Status::ok();
}

void Builder::fillCall(const artifact::Vertex &vertex, Command &command,
                       double &cost) {
  const artifact::Kernel &kernel = module.kernels[vertex.kernel];
  command.kind = Command::Kind::Launch;
  command.engine = vertex.engine;
  command.kernel = vertex.kernel;
  if (!kernels.empty())
    command.function = kernels[vertex.kernel];
  command.grid = static_cast<int64_t>(kernel.gridSize);
  command.scalars = placed.scalars.data() + placed.scalars.size();
  for (const artifact::Scalar &scalar : entry.scalarsOf(vertex))
    placed.scalars.push_back(scalar.value);
  command.flops = static_cast<double>(kernel.flops);
  command.bytes = kernel.bytesMoved;
  if (command.bytes == 0)
    for (const artifact::Access &access : entry.accessesOf(vertex))
      command.bytes += access.bytes;
  cost = callSeconds(vertex, command);
}

/// What the planner reckoned with, where the artifact says it.
double Builder::callSeconds(const artifact::Vertex &vertex,
                            const Command &command) const {
  if (entry.taskGraph) {
    using Key = std::pair<uint32_t, uint32_t>;
    const std::vector<artifact::Cost> &costs = entry.taskGraph->costs;
    const Key wanted(vertex.kernel, vertex.engine);
    auto found =
        std::lower_bound(costs.begin(), costs.end(), wanted,
                         [](const artifact::Cost &cost, const Key &key) {
                           return Key(cost.kernel, cost.device) < key;
                         });
    if (found != costs.end() && Key(found->kernel, found->device) == wanted)
      return found->seconds;
  }
  double seconds = module.kernels[vertex.kernel].seconds;
  return seconds > 0 ? seconds
                     : (command.flops + static_cast<double>(command.bytes)) /
                           assumedBandwidth;
}

Status Builder::fillCopy(const artifact::Vertex &vertex, Command &command,
                         double &cost) {
  const artifact::Machine &machine = module.machine;
  artifact::Span<artifact::Access> accesses = entry.accessesOf(vertex);
  command.kind = Command::Kind::Copy;
  command.source = command.buffers[0];
  command.target = command.buffers[1];
  command.bytes = accesses[0].bytes;
  double bandwidth = assumedBandwidth;
  if (vertex.engine != artifact::noEngine) {
    const artifact::Link &link = machine.links[vertex.engine];
    command.engine = channels.at(link.channel);
    cost = link.latency;
    if (link.bytesPerSecond > 0)
      bandwidth = link.bytesPerSecond;
  } else {
    auto device = std::find_if(machine.devices.begin(), machine.devices.end(),
                               [&](const artifact::Device &candidate) {
                                 return candidate.memory == accesses[0].memory;
                               });
    if (device == machine.devices.end())
      return Status::error(StatusCode::BadInput,
                           "operation " + std::to_string(command.vertex) +
                               " moves bytes within memory '" +
                               machine.memories[accesses[0].memory].name +
                               "', which no device has");
    command.engine = static_cast<uint16_t>(device - machine.devices.begin());
  }
  cost += static_cast<double>(command.bytes) / bandwidth;
  return Status::ok();
}

void Builder::addEdges() {
  ExecutableGraph &graph = placed.graph;
  graph.successorBegin.assign(entry.vertices.size() + 1, 0);
  for (const artifact::Edge &edge : entry.edges)
    ++graph.successorBegin[edge.source + 1];
  for (size_t v = 0; v < entry.vertices.size(); ++v)
    graph.successorBegin[v + 1] += graph.successorBegin[v];
  graph.successors.resize(entry.edges.size());
  std::vector<uint32_t> next(graph.successorBegin.begin(),
                             graph.successorBegin.end() - 1);
  for (uint32_t v = 0; v < entry.vertices.size(); ++v)
    for (const artifact::Edge &edge : entry.edgesOf(entry.vertices[v]))
      graph.successors[next[edge.source]++] = v;
}

Expected<PlacedEntry>
PlacedEntry::build(const artifact::Module &module, const artifact::Entry &entry,
                   const std::vector<KernelFunction> &kernels,
                   const AddressFunction &address) {
  PlacedEntry placed;
  TURNIP_RETURN_IF_ERROR(
      Builder(module, entry, kernels, address, placed).run());
  return placed;
}

void PlacedEntry::setArguments(const artifact::Entry &entry,
                               const std::vector<int64_t> &arguments) {
  for (size_t i = 0; i < entry.scalars.size(); ++i) {
    const artifact::Scalar &scalar = entry.scalars[i];
    scalars[i] = scalar.value;
    if (scalar.argument != artifact::none)
      scalars[i] += arguments[scalar.argument];
  }
}
