//===- TestGraph.h - Graphs built by hand for tests -------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TEST_TESTGRAPH_H
#define TURNIP_TEST_TESTGRAPH_H

#include "turnip/runtime/Executor.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace turnip::runtime {

/// Collects commands and edges, then makes a graph of them.
struct TestGraph {
  std::vector<Command> commands;
  std::vector<double> costs;
  std::vector<std::pair<uint32_t, uint32_t>> edges;

  uint32_t add(Command command, double cost = 1) {
    command.vertex = static_cast<uint32_t>(commands.size());
    commands.push_back(command);
    costs.push_back(cost);
    return command.vertex;
  }
  uint32_t addLaunch(uint16_t engine, double cost = 1) {
    Command command;
    command.engine = engine;
    return add(command, cost);
  }
  uint32_t addJoin() {
    Command command;
    command.kind = Command::Kind::Join;
    command.engine = UINT16_MAX;
    return add(command, 0);
  }
  void edge(uint32_t from, uint32_t to) { edges.push_back({from, to}); }

  ExecutableGraph build(uint32_t numEngines) const {
    ExecutableGraph graph;
    graph.commands = commands;
    graph.costs = costs;
    graph.numEngines = numEngines;
    std::vector<std::pair<uint32_t, uint32_t>> sorted = edges;
    std::sort(sorted.begin(), sorted.end());
    graph.successorBegin.assign(commands.size() + 1, 0);
    for (auto [from, to] : sorted) {
      ++graph.successorBegin[from + 1];
      graph.successors.push_back(to);
    }
    for (size_t v = 0; v < commands.size(); ++v)
      graph.successorBegin[v + 1] += graph.successorBegin[v];
    return graph;
  }
};

/// \p size vertices over \p numEngines engines, each after two random earlier
/// ones.
inline TestGraph randomGraph(uint32_t size, uint32_t numEngines,
                             uint64_t seed) {
  std::mt19937_64 generator(seed);
  TestGraph graph;
  for (uint32_t v = 0; v < size; ++v) {
    graph.addLaunch(static_cast<uint16_t>(generator() % numEngines),
                    static_cast<double>(1 + generator() % 100));
    for (unsigned i = 0; v > 0 && i < 2; ++i)
      graph.edge(static_cast<uint32_t>(generator() % v), v);
  }
  return graph;
}

/// A machine of \p numDevices compute engines.
inline MachineDescription computeMachine(uint32_t numDevices) {
  MachineDescription machine;
  for (uint32_t d = 0; d < numDevices; ++d) {
    EngineDescription engine;
    engine.name = "dev" + std::to_string(d);
    engine.device = static_cast<int32_t>(d);
    machine.engines.push_back(engine);
  }
  return machine;
}

} // namespace turnip::runtime

#endif // TURNIP_TEST_TESTGRAPH_H
