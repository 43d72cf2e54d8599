//===- RandomProblem.h - Placement problems for tests -----------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problems made from a seed, and the few shapes that more than one test or
// benchmark wants.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TEST_PLANNER_RANDOMPROBLEM_H
#define TURNIP_TEST_PLANNER_RANDOMPROBLEM_H

#include "turnip/planner/Plan.h"

#include <algorithm>
#include <random>

namespace turnip::planner::test {

/// A machine of some devices, the host and its parameters. Ids of a problem's
/// memories: params, host, then one per device; of its devices: host first.
struct MachineShape {
  uint32_t devices = 1;
  uint64_t deviceBytes = uint64_t(1) << 40;
  uint64_t hostBytes = uint64_t(1) << 40;
  uint64_t parameterBytes = uint64_t(1) << 40;
  double linkBytesPerSecond = 1e9;
};

constexpr uint32_t paramsMemory = 0, hostMemory = 1, hostDevice = 0;
inline uint32_t deviceMemory(uint32_t device) { return 2 + device; }

inline Problem makeMachine(const MachineShape &shape = {}) {
  Problem problem;
  problem.addMemory(
      {"params", MemoryKind::Parameters, shape.parameterBytes, 64, false});
  problem.addMemory({"host", MemoryKind::Host, shape.hostBytes, 64, true});
  problem.addDevice({"host", hostMemory, None});
  uint32_t channel = 0;
  for (uint32_t i = 0; i < shape.devices; ++i) {
    std::string name = "dev" + std::to_string(i);
    uint32_t memory = problem.addMemory(
        {name, MemoryKind::Device, shape.deviceBytes, 64, true});
    problem.addDevice({name, memory, hostMemory});
    double speed = shape.linkBytesPerSecond;
    problem.addLink({"params-" + name, paramsMemory, memory, channel, speed});
    problem.addLink({"host-" + name, hostMemory, memory, channel, speed});
    problem.addLink({name + "-host", memory, hostMemory, channel + 1, speed});
    channel += 2;
  }
  problem.addLink({"params-host", paramsMemory, hostMemory, channel,
                   shape.linkBytesPerSecond});
  for (uint32_t i = 0; i < shape.devices; ++i)
    for (uint32_t j = 0; j < shape.devices; ++j)
      if (i != j)
        problem.addLink({"peer", deviceMemory(i), deviceMemory(j), ++channel,
                         shape.linkBytesPerSecond});
  return problem;
}

/// A parameter of \p bytes wanted in \p memory; parameters lie one after the
/// other, \p offset is advanced.
inline uint32_t addParameter(Problem &problem, uint32_t memory, uint64_t bytes,
                             uint64_t &offset) {
  Tile tile;
  tile.bytes = bytes;
  tile.memory = memory;
  tile.initialMemory = paramsMemory;
  tile.initialOffset = offset;
  offset += (bytes + 63) / 64 * 64;
  return problem.addTile(tile);
}

inline uint32_t addValue(Problem &problem, uint32_t memory, uint64_t bytes,
                         uint32_t finalMemory = None) {
  Tile tile;
  tile.bytes = bytes;
  tile.memory = memory;
  tile.finalMemory = finalMemory;
  return problem.addTile(tile);
}

inline uint32_t addInput(Problem &problem, uint32_t memory, uint64_t bytes,
                         uint32_t initialMemory = hostMemory) {
  Tile tile;
  tile.bytes = bytes;
  tile.memory = memory;
  tile.initialMemory = initialMemory;
  return problem.addTile(tile);
}

inline uint32_t addCall(Problem &problem, uint32_t device,
                        ArrayView<uint32_t> operands,
                        ArrayView<uint32_t> results, double cost = 1e-3,
                        uint64_t workspace = 0,
                        ArrayView<InPlacePair> pairs = {}) {
  Task task;
  task.device = device;
  task.cost = cost;
  task.workspace = workspace;
  return problem.addTask(task, operands, results, {}, pairs);
}

inline uint32_t addTransfer(Problem &problem, uint32_t device, uint32_t from,
                            uint32_t to) {
  Task task;
  task.kind = TaskKind::Transfer;
  task.device = device;
  return problem.addTask(task, {from}, {to});
}

struct RandomShape {
  uint32_t tasks = 20;
  uint32_t devices = 1;
  /// Tiles have 1 to this many bytes.
  uint64_t largestTile = 2000;
  /// How far back operands are taken from; small values make chains.
  uint32_t reach = 12;
};

/// Builds a random problem: parameters (shared ones and slices of them),
/// inputs, tiles that start or end on a device, calls with workspace and
/// in-place pairs on devices and host, transfers every way, results.
class RandomProblem {
public:
  RandomProblem(uint64_t seed, const RandomShape &shape)
      : random(seed), shape(shape), problem(makeMachine(machineShape(shape))),
        tiles(shape.devices + 1) {}

  Problem build() {
    for (uint32_t device = 0; device <= shape.devices; ++device)
      for (uint32_t i = 0; i < 3; ++i)
        tiles[device].push_back(newSource(device));
    while (problem.tasks.size() < shape.tasks)
      addTask();
    return std::move(problem);
  }

private:
  static MachineShape machineShape(const RandomShape &shape) {
    MachineShape machine;
    machine.devices = shape.devices;
    return machine;
  }

  uint64_t below(uint64_t bound) { return random() % bound; }
  bool chance(unsigned percent) { return below(100) < percent; }
  uint64_t size() {
    // Many sizes that differ little, and a few that are round.
    uint64_t bytes = 1 + below(shape.largestTile);
    return chance(30) ? (bytes + 255) / 256 * 256 : bytes;
  }
  uint32_t memoryOf(uint32_t device) {
    return device == hostDevice ? hostMemory : deviceMemory(device - 1);
  }

  uint32_t newSource(uint32_t device) {
    uint64_t kind = below(10);
    if (kind < 6)
      return addParameter(problem, memoryOf(device), size(), offset);
    if (kind < 7 && lastParameter != None)
      // The start of a parameter that is used whole elsewhere.
      return sliceOf(lastParameter, memoryOf(device));
    uint32_t tile = addInput(problem, memoryOf(device), size());
    if (device != hostDevice && chance(20))
      problem.tiles[tile].initialMemory = memoryOf(device);
    if (chance(10))
      problem.tiles[tile].finalMemory = hostMemory;
    return tile;
  }

  uint32_t sliceOf(uint32_t parameter, uint32_t memory) {
    Tile tile = problem.tiles[parameter];
    tile.bytes = (tile.bytes + 1) / 2;
    tile.memory = memory;
    return problem.addTile(tile);
  }

  uint32_t pick(uint32_t device) {
    std::vector<uint32_t> &list = tiles[device];
    if (chance(25)) {
      uint32_t tile = newSource(device);
      if (problem.tiles[tile].initialMemory == paramsMemory)
        lastParameter = tile;
      list.push_back(tile);
      return tile;
    }
    if (chance(20))
      return list[below(list.size())];
    uint64_t reach = std::min<uint64_t>(shape.reach, list.size());
    return list[list.size() - 1 - below(reach)];
  }

  uint32_t newResult(uint32_t device, uint64_t bytes) {
    uint32_t tile = addValue(problem, memoryOf(device), bytes);
    if (chance(10))
      problem.tiles[tile].finalMemory = hostMemory;
    else if (chance(4))
      problem.tiles[tile].finalMemory = memoryOf(device);
    return tile;
  }

  void addTask() {
    if (chance(18))
      return addRandomTransfer();
    uint32_t device = chance(12)
                          ? hostDevice
                          : 1 + static_cast<uint32_t>(below(shape.devices));
    std::vector<uint32_t> operands, results;
    for (uint64_t i = 0, n = below(4); i < n; ++i)
      operands.push_back(pick(device));
    std::vector<InPlacePair> pairs;
    for (uint64_t i = 0, n = 1 + below(5) / 4; i < n; ++i) {
      uint64_t bytes = size();
      if (!operands.empty() && chance(50)) {
        uint32_t operand = static_cast<uint32_t>(below(operands.size()));
        bytes = problem.tiles[operands[operand]].bytes;
        pairs.push_back({operand, static_cast<uint32_t>(i)});
      }
      results.push_back(newResult(device, bytes));
    }
    uint64_t workspace = chance(30) ? size() : 0;
    addCall(problem, device, operands, results,
            1e-6 * static_cast<double>(1 + below(100)), workspace, pairs);
    tiles[device].insert(tiles[device].end(), results.begin(), results.end());
  }

  void addRandomTransfer() {
    uint32_t from = static_cast<uint32_t>(below(shape.devices + 1));
    uint32_t to = static_cast<uint32_t>(below(shape.devices + 1));
    if (from == to)
      return;
    uint32_t source = pick(from);
    uint32_t result = newResult(to, problem.tiles[source].bytes);
    addTransfer(problem, to == hostDevice ? from : to, source, result);
    tiles[to].push_back(result);
  }

  std::mt19937_64 random;
  RandomShape shape;
  Problem problem;
  uint64_t offset = 0;
  uint32_t lastParameter = None;
  /// Tiles that exist so far, by device.
  std::vector<std::vector<uint32_t>> tiles;
};

inline Problem randomProblem(uint64_t seed, const RandomShape &shape = {}) {
  return RandomProblem(seed, shape).build();
}

/// Gives every device of \p problem the smallest memory it can be planned for,
/// times \p factor.
inline void setCaps(Problem &problem, double factor) {
  for (uint32_t device = 0; device < problem.devices.size(); ++device) {
    Memory &memory = problem.memories[problem.devices[device].memory];
    if (memory.kind != MemoryKind::Device)
      continue;
    uint64_t least = smallestCap(problem, device).bytes;
    memory.capacity =
        static_cast<uint64_t>(static_cast<double>(least) * factor) / 64 * 64;
  }
}

/// Layers forward and back: layer i reads its parameter and the activation
/// before it; in reverse every activation is used again. Each layer is
/// \p width tiles that all read all of the previous layer's.
inline Problem trainingProblem(uint32_t layers, uint32_t width,
                               uint64_t tileBytes, double cost = 1e-3,
                               const MachineShape &machine = {}) {
  Problem problem = makeMachine(machine);
  uint64_t offset = 0;
  uint32_t memory = deviceMemory(0);
  std::vector<std::vector<uint32_t>> activations(layers + 1), weights(layers);
  for (uint32_t i = 0; i < width; ++i)
    activations[0].push_back(addInput(problem, memory, tileBytes));
  auto step = [&](const std::vector<uint32_t> &from, uint32_t own,
                  uint32_t weight, uint32_t finalMemory) {
    uint32_t result = addValue(problem, memory, tileBytes, finalMemory);
    uint32_t partial = None;
    for (uint32_t tile : from) {
      uint32_t next =
          tile == from.back() ? result : addValue(problem, memory, tileBytes);
      std::vector<uint32_t> operands{tile, weight};
      if (own != None)
        operands.push_back(own);
      std::vector<InPlacePair> pairs;
      if (partial != None) {
        pairs.push_back({static_cast<uint32_t>(operands.size()), 0});
        operands.push_back(partial);
      }
      addCall(problem, 1, operands, {next}, cost, 0, pairs);
      partial = next;
    }
    return result;
  };
  for (uint32_t layer = 0; layer < layers; ++layer)
    for (uint32_t i = 0; i < width; ++i) {
      weights[layer].push_back(
          addParameter(problem, memory, tileBytes, offset));
      activations[layer + 1].push_back(
          step(activations[layer], None, weights[layer][i], None));
    }
  std::vector<uint32_t> gradients = activations[layers];
  for (uint32_t layer = layers; layer-- > 0;) {
    std::vector<uint32_t> next;
    next.reserve(width);
    for (uint32_t i = 0; i < width; ++i)
      next.push_back(step(gradients, activations[layer][i], weights[layer][i],
                          layer == 0 ? hostMemory : None));
    gradients = next;
  }
  return problem;
}

} // namespace turnip::planner::test

#endif // TURNIP_TEST_PLANNER_RANDOMPROBLEM_H
