//===- Graphs.cpp - Task graphs made to measure ---------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graphs.h"
#include "GraphBuilder.h"
#include "turnip/machine/PlannerProblem.h"

#include <algorithm>
#include <random>

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::bench;

static constexpr uint64_t alignment = 64;

//===----------------------------------------------------------------------===//
// The builder
//===----------------------------------------------------------------------===//

GraphBuilder::GraphBuilder(const GraphOptions &options)
    : devices(options.devices), host(options.devices),
      params(options.devices + 1) {
  machine::UniformMachine alike;
  alike.devices = devices;
  alike.bandwidth = options.rates.linkBytesPerSecond;
  alike.latency = options.rates.linkLatency;
  machine::addMachine(alike, problem);
}

uint32_t GraphBuilder::parameter(uint64_t bytes) {
  parameters.push_back({end, bytes});
  end += (bytes + alignment - 1) / alignment * alignment;
  return static_cast<uint32_t>(parameters.size() - 1);
}

uint32_t GraphBuilder::parameterOn(uint32_t parameter, uint32_t device) {
  auto [it, inserted] =
      loaded.try_emplace(uint64_t(parameter) * 64 + device, None);
  if (inserted) {
    Tile tile;
    tile.bytes = parameters[parameter].bytes;
    tile.memory = device;
    tile.initialMemory = params;
    tile.initialOffset = parameters[parameter].offset;
    it->second = problem.addTile(tile);
  }
  return it->second;
}

uint32_t GraphBuilder::input(uint32_t device, uint64_t bytes) {
  Tile tile;
  tile.bytes = bytes;
  tile.memory = device;
  tile.initialMemory = host;
  return problem.addTile(tile);
}

uint32_t GraphBuilder::on(uint32_t device, uint32_t tile) {
  if (problem.tiles[tile].memory == device)
    return tile;
  auto [it, inserted] = copies.try_emplace(uint64_t(tile) * 64 + device, None);
  if (inserted) {
    Tile copy;
    copy.bytes = bytesOf(tile);
    copy.memory = device;
    it->second = problem.addTile(copy);
    Task task;
    task.kind = TaskKind::Transfer;
    task.device = device;
    problem.addTask(task, {tile}, {it->second});
  }
  return it->second;
}

uint32_t GraphBuilder::call(uint32_t device,
                            const std::vector<uint32_t> &operands,
                            const std::vector<uint64_t> &resultBytes,
                            double seconds, uint32_t inPlace,
                            uint64_t workspace) {
  std::vector<uint32_t> results;
  for (uint64_t bytes : resultBytes) {
    Tile tile;
    tile.bytes = bytes;
    tile.memory = device;
    results.push_back(problem.addTile(tile));
  }
  std::vector<InPlacePair> pairs;
  if (inPlace != None)
    pairs.push_back({inPlace, 0});
  Task task;
  task.device = device;
  task.cost = seconds;
  task.workspace = workspace;
  problem.addTask(task, operands, results, {}, pairs);
  return results.front();
}

void GraphBuilder::result(uint32_t tile) {
  problem.tiles[tile].finalMemory = host;
}

//===----------------------------------------------------------------------===//
// Kinds that follow no model
//===----------------------------------------------------------------------===//

namespace {
/// What the kinds without a model share.
class SyntheticGraph {
public:
  SyntheticGraph(GraphBuilder &builder, const GraphOptions &options)
      : builder(builder), options(options), random(options.seed),
        seconds(options.intensity * static_cast<double>(options.tileBytes) /
                options.rates.linkBytesPerSecond) {}

  void training();
  void layered();
  void star();
  void butterfly();
  void skipChain();

private:
  uint64_t below(uint64_t bound) { return random() % bound; }
  uint32_t device(uint64_t index) const {
    return static_cast<uint32_t>(index % builder.numDevices());
  }
  /// A tile's bytes between a quarter of the largest and all of them.
  uint64_t someBytes() {
    uint64_t quarter = std::max<uint64_t>(options.tileBytes / 4, 1);
    return std::min(options.tileBytes, quarter * (1 + below(4)));
  }
  /// Calls on the device of \p index; operands are brought there.
  uint32_t step(uint64_t index, std::vector<uint32_t> operands, uint64_t bytes,
                uint32_t inPlace = None);
  bool full() const { return builder.numTasks() >= options.vertices; }

  GraphBuilder &builder;
  const GraphOptions &options;
  std::mt19937_64 random;
  double seconds;
};
} // namespace

uint32_t SyntheticGraph::step(uint64_t index, std::vector<uint32_t> operands,
                              uint64_t bytes, uint32_t inPlace) {
  for (uint32_t &tile : operands)
    tile = builder.on(device(index), tile);
  double share = static_cast<double>(bytes) /
                 static_cast<double>(std::max<uint64_t>(options.tileBytes, 1));
  return builder.call(device(index), operands, {bytes}, seconds * share,
                      inPlace);
}

/// Per layer, tile and direction one task, with the loss in between; the
/// gradient of a layer's parameter is summed over the tiles: three tasks per
/// activation.
void SyntheticGraph::training() {
  uint64_t bytes = options.tileBytes;
  uint32_t width = std::max(4U, builder.numDevices());
  uint32_t layers = std::max(1U, options.vertices / (3 * width));
  std::vector<uint32_t> parameters;
  std::vector<std::vector<uint32_t>> activations(layers + 1);
  for (uint32_t i = 0; i < width; ++i)
    activations[0].push_back(builder.input(device(i), bytes));
  for (uint32_t layer = 0; layer < layers; ++layer) {
    parameters.push_back(builder.parameter(bytes));
    for (uint32_t i = 0; i < width; ++i)
      activations[layer + 1].push_back(
          step(i,
               {activations[layer][i],
                builder.parameterOn(parameters[layer], device(i))},
               bytes));
  }
  // The loss knows all of the last layer, and no gradient comes before it.
  uint32_t loss = step(0, activations[layers], std::min<uint64_t>(bytes, 64));
  std::vector<uint32_t> gradients;
  gradients.reserve(width);
  for (uint32_t i = 0; i < width; ++i)
    gradients.push_back(
        step(i, {activations[layers][i], loss}, bytes, /*inPlace=*/0));
  for (uint32_t layer = layers; layer-- > 0;) {
    std::vector<uint32_t> sums(builder.numDevices(), None);
    for (uint32_t i = 0; i < width; ++i) {
      uint32_t own = activations[layer][i];
      uint32_t &sum = sums[device(i)];
      std::vector<uint32_t> operands{gradients[i], own};
      if (sum != None)
        operands.push_back(sum);
      sum = step(i, operands, bytes, sum == None ? None : 2);
      if (layer > 0)
        gradients[i] = step(i,
                            {gradients[i], own,
                             builder.parameterOn(parameters[layer], device(i))},
                            bytes, 0);
    }
    uint32_t total = sums[layer % sums.size()];
    for (size_t i = 0; i < sums.size(); ++i)
      if (i != layer % sums.size())
        total = step(layer, {total, sums[i]}, bytes, 0);
    builder.result(total);
  }
}

void SyntheticGraph::layered() {
  constexpr uint32_t width = 16;
  std::vector<uint32_t> parameters, tiles;
  for (uint32_t i = 0; i < 4 * width; ++i)
    parameters.push_back(builder.parameter(someBytes()));
  for (uint32_t i = 0; i < width; ++i)
    tiles.push_back(builder.input(device(i), someBytes()));
  for (uint64_t layer = 0; !full(); ++layer)
    for (uint32_t i = 0; i < width && !full(); ++i) {
      // Fewer and fewer tasks read a parameter again; new ones come in.
      if (below(4) == 0)
        parameters[below(parameters.size())] = builder.parameter(someBytes());
      size_t last = layer * width;
      std::vector<uint32_t> operands{
          builder.parameterOn(parameters[below(parameters.size())], device(i))};
      operands.push_back(tiles[last + i]);
      operands.push_back(tiles[last + below(width)]);
      size_t back = width * below(std::min<uint64_t>(layer + 1, 8));
      operands.push_back(tiles[last - back + below(width)]);
      tiles.push_back(step(i, operands, someBytes()));
    }
  for (size_t i = tiles.size() - std::min<size_t>(tiles.size(), width);
       i < tiles.size(); ++i)
    builder.result(tiles[i]);
}

void SyntheticGraph::star() {
  constexpr uint32_t mostLeaves = 20000, addends = 4;
  uint64_t bytes = options.tileBytes;
  uint32_t hub = builder.input(0, bytes);
  for (uint64_t index = 0; !full(); ++index) {
    uint64_t left = options.vertices - builder.numTasks();
    uint64_t leaves = std::clamp<uint64_t>(
        std::min<uint64_t>(left, options.vertices / 4) * 4 / 5, 1, mostLeaves);
    std::vector<uint32_t> sums;
    for (uint64_t i = 0; i < leaves; ++i) {
      uint32_t parameter =
          builder.parameterOn(builder.parameter(bytes / 4), device(i));
      sums.push_back(
          step(i, {hub, parameter}, std::max<uint64_t>(bytes / 4, 1)));
    }
    // Sum up in a tree.
    while (sums.size() > 1) {
      std::vector<uint32_t> next;
      for (size_t i = 0; i < sums.size(); i += addends)
        next.push_back(step(i / addends,
                            {sums.begin() + static_cast<ptrdiff_t>(i),
                             sums.begin() + static_cast<ptrdiff_t>(std::min(
                                                i + addends, sums.size()))},
                            std::max<uint64_t>(bytes / 4, 1)));
      sums = std::move(next);
    }
    hub = step(index, {sums.front()}, bytes);
  }
  builder.result(hub);
}

void SyntheticGraph::butterfly() {
  uint64_t bytes = options.tileBytes;
  uint32_t stages = 2;
  while (stages < 16 && (uint64_t(1) << stages) * stages < options.vertices)
    ++stages;
  uint64_t width = uint64_t(1) << stages;
  std::vector<uint32_t> tiles, next(width);
  for (uint64_t i = 0; i < width; ++i)
    tiles.push_back(builder.input(device(i), bytes));
  for (uint32_t stage = 0; !full(); ++stage) {
    for (uint64_t i = 0; i < width; ++i)
      next[i] = step(i, {tiles[i], tiles[i ^ (uint64_t(1) << stage % stages)]},
                     bytes);
    std::swap(tiles, next);
  }
  for (uint32_t tile : tiles)
    builder.result(tile);
}

void SyntheticGraph::skipChain() {
  std::vector<uint32_t> tiles{builder.input(0, options.tileBytes)};
  // Devices take turns over stretches of the chain.
  uint64_t stretch =
      std::max<uint64_t>(1, options.vertices / (4 * builder.numDevices()));
  while (!full()) {
    uint64_t at = tiles.size() / stretch;
    std::vector<uint32_t> operands{
        tiles.back(),
        builder.parameterOn(builder.parameter(someBytes()), device(at))};
    if (tiles.size() % 4 == 0) {
      // As often from 2 to 4 back as from 1024 to 2048 back.
      uint64_t reach = uint64_t(2) << below(12);
      uint64_t back = reach + below(reach);
      operands.push_back(
          tiles[back < tiles.size() ? tiles.size() - 1 - back : 0]);
    }
    tiles.push_back(step(at, operands, someBytes()));
  }
  builder.result(tiles.back());
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

const char *bench::toString(GraphKind kind) {
  switch (kind) {
  case GraphKind::Training:
    return "training";
  case GraphKind::Layered:
    return "layered";
  case GraphKind::Star:
    return "star";
  case GraphKind::Butterfly:
    return "butterfly";
  case GraphKind::SkipChain:
    return "skip-chain";
  case GraphKind::Llama:
    return "llama";
  }
  return "";
}

Status bench::parseGraphKind(const std::string &name, GraphOptions &options) {
  for (GraphKind kind :
       {GraphKind::Training, GraphKind::Layered, GraphKind::Star,
        GraphKind::Butterfly, GraphKind::SkipChain})
    if (name == toString(kind)) {
      options.kind = kind;
      return Status::ok();
    }
  const std::string prefix = "llama-";
  if (name.rfind(prefix, 0) == 0)
    if (const LlamaShape *shape = findLlama(name.substr(prefix.size()))) {
      options.kind = GraphKind::Llama;
      options.llama = shape;
      return Status::ok();
    }
  return Status::error(
      StatusCode::InvalidArgument,
      "unknown kind of graph \"" + name +
          "\"; known are training, layered, star, butterfly, skip-chain, "
          "llama-7b, llama-13b, llama-30b, llama-65b, llama-3-8b, llama-3-70b, "
          "llama-smollm2-135m");
}

static Status check(const GraphOptions &options) {
  auto outside = [](const char *what, uint64_t value, uint64_t least,
                    uint64_t most) {
    return Status::error(StatusCode::InvalidArgument,
                         std::string("expected ") + what + " from " +
                             std::to_string(least) + " to " +
                             std::to_string(most) + ", but got " +
                             std::to_string(value));
  };
  constexpr uint64_t mostBytes = uint64_t(1) << 40;
  if (options.devices < 1 || options.devices > 64)
    return outside("devices", options.devices, 1, 64);
  if (options.vertices < 1 || options.vertices > 100000000)
    return outside("vertices", options.vertices, 1, 100000000);
  if (options.tileBytes < 1 || options.tileBytes > mostBytes)
    return outside("bytes of a tile", options.tileBytes, 1, mostBytes);
  if (options.kind != GraphKind::Llama)
    return Status::ok();
  if (options.sequence < 1 || options.sequence > (1U << 20))
    return outside("positions", options.sequence, 1, 1 << 20);
  if (options.tileBudget < 1 || options.tileBudget > mostBytes)
    return outside("bytes of a task", options.tileBudget, 1, mostBytes);
  if (options.devices > options.llama->keyHeads)
    return outside("devices", options.devices, 1, options.llama->keyHeads);
  return Status::ok();
}

Expected<Problem> bench::makeGraph(const GraphOptions &options) {
  TURNIP_RETURN_IF_ERROR(check(options));
  GraphBuilder builder(options);
  SyntheticGraph synthetic(builder, options);
  switch (options.kind) {
  case GraphKind::Training:
    synthetic.training();
    break;
  case GraphKind::Layered:
    synthetic.layered();
    break;
  case GraphKind::Star:
    synthetic.star();
    break;
  case GraphKind::Butterfly:
    synthetic.butterfly();
    break;
  case GraphKind::SkipChain:
    synthetic.skipChain();
    break;
  case GraphKind::Llama:
    buildLlama(builder, options);
    break;
  }
  return builder.take();
}

uint64_t bench::largestTask(const Problem &problem) {
  uint64_t bytes = 0;
  for (uint32_t device = 0; device < problem.devices.size(); ++device)
    if (problem.memories[problem.devices[device].memory].kind ==
        MemoryKind::Device)
      bytes = std::max(bytes, smallestCap(problem, device).bytes);
  return bytes;
}

void bench::setCapacity(Problem &problem, uint64_t bytes) {
  for (Memory &memory : problem.memories)
    if (memory.kind == MemoryKind::Device)
      memory.capacity = bytes / memory.alignment * memory.alignment;
}
