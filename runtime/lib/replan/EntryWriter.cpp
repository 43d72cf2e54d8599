//===- EntryWriter.cpp - A plan as an entry -------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryWriter.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::runtime;

namespace {
/// Writes vertices in the plan's order. Locations are numbered as they are
/// used.
class EntryWriter {
public:
  EntryWriter(const artifact::Module &module, const artifact::Entry &from,
              const planner::Problem &problem, const planner::Plan &plan)
      : module(module), from(from), problem(problem), plan(plan),
        tasks(tasksOf(module, from)),
        newLocation(from.locations.size(), artifact::none) {}

  artifact::Entry run();

private:
  uint32_t location(uint32_t old);
  uint32_t definitionOf(uint32_t tile) const;
  void addVertex(uint32_t op, size_t &nextEdge);
  void fillCall(uint32_t op, artifact::Vertex &vertex);
  void fillCopy(uint32_t op, artifact::Vertex &vertex);
  uint16_t linkBetween(uint32_t source, uint32_t destination) const;
  void movePieces(std::vector<artifact::Binding> &bindings);
  void moveResults();
  void setTaskGraph();
  void setStatistics();

  const artifact::Module &module;
  const artifact::Entry &from;
  const planner::Problem &problem;
  const planner::Plan &plan;
  const std::vector<artifact::TaskView> tasks;
  /// Of each old location: its number here, none until it is used.
  std::vector<uint32_t> newLocation;
  artifact::Entry entry;
};
} // namespace

uint32_t EntryWriter::location(uint32_t old) {
  if (old == artifact::none)
    return artifact::none;
  if (newLocation[old] == artifact::none) {
    newLocation[old] = static_cast<uint32_t>(entry.locations.size());
    entry.locations.push_back(from.locations[old]);
  }
  return newLocation[old];
}

/// The old location of what defines \p tile.
uint32_t EntryWriter::definitionOf(uint32_t tile) const {
  const artifact::Tile &definition = from.taskGraph->tiles[tile];
  if (definition.origin != artifact::TileOrigin::Task)
    return definition.location;
  auto after =
      std::upper_bound(tasks.begin(), tasks.end(), tile,
                       [](uint32_t wanted, const artifact::TaskView &task) {
                         return wanted < task.firstResult;
                       });
  return std::prev(after)->vertex->location;
}

uint16_t EntryWriter::linkBetween(uint32_t source, uint32_t destination) const {
  for (size_t i = 0; i < problem.links.size(); ++i)
    if (problem.links[i].source == source &&
        problem.links[i].destination == destination)
      return static_cast<uint16_t>(i);
  return artifact::noEngine;
}

void EntryWriter::fillCall(uint32_t op, artifact::Vertex &vertex) {
  uint32_t task = plan.ops[op].task;
  const artifact::Vertex &old = *tasks[task].vertex;
  vertex.kind = artifact::VertexKind::Call;
  vertex.kernel = old.kernel;
  vertex.engine = old.engine;
  vertex.task = task;
  vertex.location = location(old.location);
  artifact::Span<artifact::Scalar> scalars = from.scalarsOf(old);
  entry.scalars.insert(entry.scalars.end(), scalars.begin(), scalars.end());
}

/// A copy that no task asks for is where the tile is that it copies.
void EntryWriter::fillCopy(uint32_t op, artifact::Vertex &vertex) {
  const planner::OpInfo &info = plan.ops[op];
  planner::ArrayView<planner::Access> accesses = plan.placement.accessesOf(op);
  vertex.kind = artifact::VertexKind::Copy;
  vertex.role = static_cast<artifact::CopyRole>(info.role);
  vertex.engine = linkBetween(accesses[0].memory, accesses[1].memory);
  vertex.task = info.task;
  vertex.location =
      location(info.task == planner::None ? definitionOf(accesses[0].value)
                                          : tasks[info.task].vertex->location);
}

void EntryWriter::addVertex(uint32_t op, size_t &nextEdge) {
  artifact::Vertex vertex;
  vertex.accesses.first = static_cast<uint32_t>(entry.accesses.size());
  vertex.scalars.first = static_cast<uint32_t>(entry.scalars.size());
  vertex.edges.first = static_cast<uint32_t>(entry.edges.size());
  for (const planner::Access &access : plan.placement.accessesOf(op))
    entry.accesses.push_back({access.offset, access.bytes, access.value,
                              static_cast<uint16_t>(access.memory),
                              static_cast<artifact::AccessRole>(access.role)});
  switch (plan.placement.kinds[op]) {
  case planner::OpKind::Call:
    fillCall(op, vertex);
    break;
  case planner::OpKind::Copy:
    fillCopy(op, vertex);
    break;
  case planner::OpKind::Join:
    vertex.kind = artifact::VertexKind::Join;
    vertex.location = location(from.taskGraph->location);
    break;
  }
  // Sorted by the operation that waits, then by what it waits for; what is both
  // data and memory is data.
  const std::vector<planner::Edge> &edges = plan.placement.edges;
  for (; nextEdge < edges.size() && edges[nextEdge].to == op; ++nextEdge) {
    const planner::Edge &edge = edges[nextEdge];
    bool again = entry.edges.size() > vertex.edges.first &&
                 entry.edges.back().source == edge.from;
    if (!again)
      entry.edges.push_back(
          {edge.from, static_cast<artifact::EdgeKind>(edge.kind)});
    else if (edge.kind == planner::EdgeKind::Data)
      entry.edges.back().kind = artifact::EdgeKind::Data;
  }
  vertex.accesses.count =
      static_cast<uint32_t>(entry.accesses.size()) - vertex.accesses.first;
  vertex.scalars.count =
      static_cast<uint32_t>(entry.scalars.size()) - vertex.scalars.first;
  vertex.edges.count =
      static_cast<uint32_t>(entry.edges.size()) - vertex.edges.first;
  entry.vertices.push_back(vertex);
}

/// Puts the pieces of \p bindings, parameters or inputs, where the plan has
/// their tiles.
void EntryWriter::movePieces(std::vector<artifact::Binding> &bindings) {
  std::vector<uint32_t> pieceOf(problem.tiles.size(), planner::None);
  for (uint32_t i = 0; i < plan.entryTiles.size(); ++i)
    pieceOf[plan.entryTiles[i]] = i;
  for (artifact::Binding &binding : bindings)
    for (artifact::Piece &piece : binding.pieces) {
      const planner::Piece &placed = plan.placement.entry[pieceOf[piece.value]];
      piece.memory = placed.memory;
      piece.offset = placed.offset;
    }
}

void EntryWriter::moveResults() {
  std::vector<uint32_t> pieceOf(problem.tiles.size(), planner::None);
  for (uint32_t i = 0; i < plan.exitTiles.size(); ++i)
    pieceOf[plan.exitTiles[i]] = i;
  size_t next = 0;
  for (artifact::Binding &binding : entry.results)
    for (artifact::Piece &piece : binding.pieces) {
      uint32_t tile = from.taskGraph->results[next++];
      const planner::Piece &placed = plan.placement.exit[pieceOf[tile]];
      piece.memory = placed.memory;
      piece.offset = placed.offset;
    }
}

void EntryWriter::setTaskGraph() {
  artifact::TaskGraph &graph = entry.taskGraph.emplace(*from.taskGraph);
  for (artifact::Tile &tile : graph.tiles)
    tile.location = location(tile.location);
  graph.location = location(graph.location);
}

void EntryWriter::setStatistics() {
  const planner::Statistics &known = plan.statistics;
  artifact::Statistics &to = entry.statistics;
  // The planner counts whole alignment units, and not the parameters.
  to.peakBytes = touchedBytes(module, entry);
  to.linkBytes = known.linkBytes;
  to.incomingBytesBound = static_cast<uint64_t>(known.incomingBytesBound);
  to.computeBound = known.computeBound;
  to.transferBound = known.transferBound;
  to.criticalPath = known.criticalPath;
  to.makespanBound = known.makespanBound;
  to.predictedMakespan = known.predictedMakespan;
  to.order = known.order;
}

artifact::Entry EntryWriter::run() {
  entry.name = from.name;
  entry.arguments = from.arguments;
  entry.tasks = from.tasks;
  entry.parameters = from.parameters;
  entry.inputs = from.inputs;
  entry.results = from.results;
  movePieces(entry.parameters);
  movePieces(entry.inputs);
  moveResults();
  size_t nextEdge = 0;
  entry.vertices.reserve(plan.placement.numOps());
  for (uint32_t op = 0; op < plan.placement.numOps(); ++op)
    addVertex(op, nextEdge);
  setTaskGraph();
  setStatistics();
  return std::move(entry);
}

artifact::Entry turnip::runtime::writeEntry(const artifact::Module &module,
                                            const artifact::Entry &from,
                                            const planner::Problem &problem,
                                            const planner::Plan &plan) {
  return EntryWriter(module, from, problem, plan).run();
}
