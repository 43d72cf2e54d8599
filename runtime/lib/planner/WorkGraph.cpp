//===- WorkGraph.cpp - What has to be done, and in which order ------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkGraph.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::planner;

WorkGraph::WorkGraph(const Problem &problem, const Machine &machine,
                     const std::vector<uint32_t> *deviceOrder)
    : problem(problem), machine(machine) {
  for (uint32_t task = 0; task < numTasks(); ++task) {
    if (problem.tasks[task].kind == TaskKind::Call) {
      engine.push_back(machine.computeEngine(problem.tasks[task].device));
      seconds.push_back(problem.tasks[task].cost);
      continue;
    }
    const Tile &from = problem.tiles[problem.operands(task)[0]];
    const Tile &to = problem.tiles[problem.results(task)[0]];
    engine.push_back(machine.copyEngine(from.memory, to.memory));
    seconds.push_back(machine.copySeconds(from.memory, to.memory, from.bytes));
  }
  producer.assign(problem.tiles.size(), None);
  readerBegin.assign(problem.tiles.size() + 1, 0);
  for (uint32_t task = 0; task < numTasks(); ++task) {
    for (uint32_t tile : problem.results(task))
      producer[tile] = task;
    for (uint32_t tile : problem.operands(task))
      ++readerBegin[tile + 1];
  }
  for (size_t tile = 0; tile < problem.tiles.size(); ++tile)
    readerBegin[tile + 1] += readerBegin[tile];
  readers.resize(readerBegin.back());
  std::vector<uint32_t> cursor(readerBegin.begin(), readerBegin.end() - 1);
  for (uint32_t task = 0; task < numTasks(); ++task)
    for (uint32_t tile : problem.operands(task))
      readers[cursor[tile]++] = task;
  addCopies();
  addEdges(deviceOrder);
  sort();
}

void WorkGraph::addCopies() {
  loadOf.assign(problem.tiles.size(), None);
  resultOf.assign(problem.tiles.size(), None);
  auto add = [&](std::vector<CompulsoryCopy> &list, uint32_t tile,
                 uint32_t from, uint32_t to) {
    uint64_t bytes = problem.tiles[tile].bytes;
    list.push_back({tile, machine.copyEngine(from, to),
                    machine.copySeconds(from, to, bytes)});
    return static_cast<uint32_t>(list.size() - 1);
  };
  for (uint32_t id = 0; id < problem.tiles.size(); ++id) {
    const Tile &tile = problem.tiles[id];
    bool onDevice = problem.memories[tile.memory].kind == MemoryKind::Device;
    if (!onDevice)
      continue;
    ArrayView<uint32_t> users = readersOf(id);
    if (tile.initialMemory != None && tile.initialMemory != tile.memory &&
        !users.empty())
      loadOf[id] = add(loads, id, tile.initialMemory, tile.memory);
    // A transfer may have taken the value to its place already.
    bool called = producer[id] != None &&
                  problem.tasks[producer[id]].kind == TaskKind::Call;
    bool moves = std::any_of(users.begin(), users.end(), [&](uint32_t user) {
      return problem.tasks[user].kind == TaskKind::Transfer;
    });
    if (called && !moves && tile.finalMemory != None &&
        tile.finalMemory != tile.memory)
      resultOf[id] = add(results, id, tile.memory, tile.finalMemory);
  }
}

void WorkGraph::addEdges(const std::vector<uint32_t> *deviceOrder) {
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (uint32_t task = 0; task < numTasks(); ++task)
    for (uint32_t tile : problem.operands(task))
      if (producer[tile] != None)
        edges.emplace_back(producer[tile], task);
  std::vector<uint32_t> last(problem.devices.size(), None);
  if (deviceOrder)
    for (uint32_t task : *deviceOrder) {
      if (problem.tasks[task].kind != TaskKind::Call)
        continue;
      uint32_t &previous = last[problem.tasks[task].device];
      if (previous != None)
        edges.emplace_back(previous, task);
      previous = task;
    }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  predecessorBegin.assign(numTasks() + 1, 0);
  successorBegin.assign(numTasks() + 1, 0);
  for (auto [from, to] : edges) {
    ++successorBegin[from + 1];
    ++predecessorBegin[to + 1];
  }
  for (uint32_t task = 0; task < numTasks(); ++task) {
    successorBegin[task + 1] += successorBegin[task];
    predecessorBegin[task + 1] += predecessorBegin[task];
  }
  predecessors.resize(edges.size());
  std::vector<uint32_t> cursor(predecessorBegin.begin(),
                               predecessorBegin.end() - 1);
  for (auto [from, to] : edges) {
    successors.push_back(to);
    predecessors[cursor[to]++] = from;
  }
}

void WorkGraph::sort() {
  std::vector<uint32_t> missing(numTasks());
  for (uint32_t task = 0; task < numTasks(); ++task) {
    missing[task] = static_cast<uint32_t>(before(task).size());
    if (missing[task] == 0)
      topological.push_back(task);
  }
  for (size_t i = 0; i < topological.size(); ++i)
    for (uint32_t next : after(topological[i]))
      if (--missing[next] == 0)
        topological.push_back(next);
}
