//===- CheckTaskGraph.cpp - The graph that an entry was planned from ------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include <algorithm>
#include <tuple>

using namespace turnip;
using namespace turnip::artifact;

namespace {
/// Checks the tiles, then the tasks in order, then what refers to them.
class TaskGraphChecker {
public:
  TaskGraphChecker(const Path &path, const Module &module, const Entry &entry)
      : path(path), module(module), machine(module.machine), entry(entry),
        tasks(*entry.taskGraph) {}

  Status run();

private:
  Status checkSizes() const;
  Status checkTile(const Path &here, const Tile &tile) const;
  Status findVertices();
  Status checkTask(uint32_t task);
  Status takeOperands(uint32_t task, size_t count);
  Status takeResults(uint32_t task, size_t count);
  Status checkCall(uint32_t task) const;
  Status checkTransfer(uint32_t task);
  Status checkBytes(const Path &here, uint32_t tile, uint64_t bytes) const;
  Status checkMemory(const Path &here, uint32_t tile, uint32_t memory) const;
  Status checkValues(uint32_t vertex) const;
  Status checkEntryPieces(const char *list,
                          const std::vector<Binding> &bindings,
                          TileOrigin origin);
  Status checkEntryTiles() const;
  Status checkResults() const;
  Status checkCosts() const;

  const Path &path;
  const Module &module;
  const Machine &machine;
  const Entry &entry;
  const TaskGraph &tasks;
  /// Per task, the first vertex that carries it out.
  std::vector<uint32_t> vertices;
  /// Per task, where its operands and results begin; results are tiles.
  std::vector<uint32_t> operandBegin, resultBegin;
  /// Per tile: the value it holds, and one of its pieces at entry.
  std::vector<uint32_t> values;
  std::vector<const Piece *> pieces;
  uint32_t nextOperand = 0, nextTile = 0;
};
} // namespace

static std::string tileText(uint32_t tile) {
  return "tile " + std::to_string(tile);
}

Status TaskGraphChecker::checkSizes() const {
  std::tuple<const char *, size_t> sizes[] = {
      {"tiles", tasks.tiles.size()},
      {"operands", tasks.operands.size()},
      {"results", tasks.results.size()},
      {"costs", tasks.costs.size()}};
  // Not tested: it takes 16 GiB of indices.
  for (auto [field, size] : sizes)
    if (size >= none)
      return mismatchAt(Path(path, field), "less than 2^32 - 1 elements",
                        std::to_string(size));
  return checkOptionalIndex(Path(path, "location"), tasks.location,
                            entry.locations.size());
}

Status TaskGraphChecker::checkTile(const Path &here, const Tile &tile) const {
  TURNIP_RETURN_IF_ERROR(checkEnum(Path(here, "origin"),
                                   static_cast<unsigned>(tile.origin),
                                   numTileOrigins));
  TURNIP_RETURN_IF_ERROR(checkOptionalIndex(
      Path(here, "location"), tile.location, entry.locations.size()));
  if (tile.origin == TileOrigin::Task && tile.location != none)
    return mismatchAt(Path(here, "location"), "none for the result of a task",
                      std::to_string(tile.location));
  if (tile.bytes == 0 || tile.bytes > static_cast<uint64_t>(INT64_MAX))
    return mismatchAt(Path(here, "bytes"), "1 to 2^63 - 1",
                      std::to_string(tile.bytes));
  TURNIP_RETURN_IF_ERROR(
      checkIndex(Path(here, "memory"), tile.memory, machine.memories.size()));
  for (const Device &device : machine.devices)
    if (device.memory == tile.memory)
      return Status::ok();
  return mismatchAt(Path(here, "memory"), "the memory of a device",
                    machine.memories[tile.memory].name);
}

Status TaskGraphChecker::findVertices() {
  vertices.assign(entry.tasks.size(), none);
  for (uint32_t i = 0; i < entry.vertices.size(); ++i) {
    const Vertex &vertex = entry.vertices[i];
    if (vertex.task == none)
      continue;
    if (vertex.kind == VertexKind::Copy && vertex.role != CopyRole::Transfer)
      return badAt(path, "task " + std::to_string(vertex.task) +
                             " is carried out by vertices[" +
                             std::to_string(i) + "], a copy of role " +
                             toString(vertex.role));
    if (vertex.kind != VertexKind::Join && vertices[vertex.task] == none)
      vertices[vertex.task] = i;
  }
  auto missing = std::find(vertices.begin(), vertices.end(), none);
  if (missing == vertices.end())
    return Status::ok();
  return badAt(path, "no vertex carries out task " +
                         std::to_string(missing - vertices.begin()));
}

Status TaskGraphChecker::checkBytes(const Path &here, uint32_t tile,
                                    uint64_t bytes) const {
  if (tasks.tiles[tile].bytes == bytes)
    return Status::ok();
  return mismatchAt(here, "a tile of " + std::to_string(bytes) + " bytes",
                    tileText(tile) + " of " +
                        std::to_string(tasks.tiles[tile].bytes));
}

Status TaskGraphChecker::checkMemory(const Path &here, uint32_t tile,
                                     uint32_t memory) const {
  uint32_t actual = tasks.tiles[tile].memory;
  if (actual == memory)
    return Status::ok();
  return mismatchAt(here, "a tile in " + machine.memories[memory].name,
                    tileText(tile) + " in " + machine.memories[actual].name);
}

/// Operands are tiles before the next result, so the graph has no cycle.
Status TaskGraphChecker::takeOperands(uint32_t task, size_t count) {
  Path list(path, "operands");
  if (count > tasks.operands.size() - nextOperand)
    return badAt(list, "task " + std::to_string(task) + " has " +
                           std::to_string(count) + " operands, but " +
                           std::to_string(tasks.operands.size() - nextOperand) +
                           " are left");
  operandBegin.push_back(nextOperand);
  nextOperand += static_cast<uint32_t>(count);
  return Status::ok();
}

Status TaskGraphChecker::takeResults(uint32_t task, size_t count) {
  for (; nextTile < tasks.tiles.size() &&
         tasks.tiles[nextTile].origin != TileOrigin::Task;
       ++nextTile)
    ;
  for (uint32_t i = operandBegin.back(); i < nextOperand; ++i)
    if (tasks.operands[i] >= nextTile)
      return mismatchAt(Path(Path(path, "operands"), i),
                        "a tile before " + tileText(nextTile) +
                            ", a result of task " + std::to_string(task),
                        std::to_string(tasks.operands[i]));
  resultBegin.push_back(nextTile);
  for (size_t i = 0; i < count; ++i, ++nextTile)
    if (nextTile >= tasks.tiles.size() ||
        tasks.tiles[nextTile].origin != TileOrigin::Task)
      return badAt(Path(path, "tiles"),
                   "task " + std::to_string(task) + " has " +
                       std::to_string(count) + " results, but only " +
                       std::to_string(i) + " tiles of origin task follow");
  return Status::ok();
}

Status TaskGraphChecker::checkCall(uint32_t task) const {
  const Vertex &vertex = entry.vertices[vertices[task]];
  const Kernel &kernel = module.kernels[vertex.kernel];
  uint32_t memory = machine.devices[vertex.engine].memory;
  Path operands(path, "operands"), tiles(path, "tiles");
  for (size_t i = 0; i < kernel.operandBytes.size(); ++i) {
    size_t index = operandBegin[task] + i;
    Path here(operands, index);
    uint32_t tile = tasks.operands[index];
    TURNIP_RETURN_IF_ERROR(checkBytes(here, tile, kernel.operandBytes[i]));
    TURNIP_RETURN_IF_ERROR(checkMemory(here, tile, memory));
  }
  for (size_t i = 0; i < kernel.resultBytes.size(); ++i) {
    auto tile = static_cast<uint32_t>(resultBegin[task] + i);
    Path here(tiles, tile);
    TURNIP_RETURN_IF_ERROR(checkBytes(here, tile, kernel.resultBytes[i]));
    TURNIP_RETURN_IF_ERROR(checkMemory(here, tile, memory));
  }
  return Status::ok();
}

Status TaskGraphChecker::checkTransfer(uint32_t task) {
  uint32_t from = tasks.operands[operandBegin[task]];
  uint32_t to = resultBegin[task];
  Path tiles(path, "tiles");
  Path here(tiles, to);
  TURNIP_RETURN_IF_ERROR(checkBytes(here, to, tasks.tiles[from].bytes));
  if (tasks.tiles[from].memory == tasks.tiles[to].memory)
    return badAt(here, "is transferred within " +
                           machine.memories[tasks.tiles[to].memory].name);
  values[to] = values[from];
  return Status::ok();
}

Status TaskGraphChecker::checkTask(uint32_t task) {
  const Vertex &vertex = entry.vertices[vertices[task]];
  bool isCall = vertex.kind == VertexKind::Call;
  size_t operands = 1, results = 1;
  if (isCall) {
    operands = module.kernels[vertex.kernel].operandBytes.size();
    results = module.kernels[vertex.kernel].resultBytes.size();
  }
  TURNIP_RETURN_IF_ERROR(takeOperands(task, operands));
  TURNIP_RETURN_IF_ERROR(takeResults(task, results));
  return isCall ? checkCall(task) : checkTransfer(task);
}

/// Checks that a vertex reads and writes the values of its task's tiles.
Status TaskGraphChecker::checkValues(uint32_t index) const {
  const Vertex &vertex = entry.vertices[index];
  if (vertex.task == none || vertex.kind == VertexKind::Join)
    return Status::ok();
  const Vertex &first = entry.vertices[vertices[vertex.task]];
  auto differs = [&](const char *what) {
    return badAt(path, "vertices[" + std::to_string(index) + "] and vertices[" +
                           std::to_string(vertices[vertex.task]) +
                           "] carry out task " + std::to_string(vertex.task) +
                           ", but differ in their " + what);
  };
  if (vertex.kind != first.kind || vertex.kernel != first.kernel)
    return differs("kernel");
  Span<Access> accesses = entry.accessesOf(vertex);
  uint32_t operand = operandBegin[vertex.task];
  uint32_t result = resultBegin[vertex.task];
  for (size_t i = 0; i < accesses.size(); ++i) {
    if (accesses[i].role == AccessRole::Workspace)
      continue;
    bool isRead = accesses[i].role == AccessRole::Read;
    uint32_t tile = isRead ? tasks.operands[operand++] : result++;
    if (accesses[i].value != values[tile])
      return badAt(path, "vertices[" + std::to_string(index) + "].accesses[" +
                             std::to_string(i) + "] has value " +
                             std::to_string(accesses[i].value) + ", but " +
                             tileText(tile) + " of task " +
                             std::to_string(vertex.task) + " holds value " +
                             std::to_string(values[tile]));
  }
  return Status::ok();
}

Status TaskGraphChecker::checkEntryPieces(const char *list,
                                          const std::vector<Binding> &bindings,
                                          TileOrigin origin) {
  for (size_t i = 0; i < bindings.size(); ++i)
    for (size_t j = 0; j < bindings[i].pieces.size(); ++j) {
      const Piece &piece = bindings[i].pieces[j];
      // Rendered for messages only.
      auto bad = [&](const std::string &what) {
        return badAt(path, std::string(list) + "[" + std::to_string(i) +
                               "].pieces[" + std::to_string(j) + "] " + what);
      };
      if (piece.value >= tasks.tiles.size())
        return bad("has value " + std::to_string(piece.value) +
                   ", but there are " + std::to_string(tasks.tiles.size()) +
                   " tiles");
      const Tile &tile = tasks.tiles[piece.value];
      if (tile.origin != origin)
        return bad("belongs to " + tileText(piece.value) +
                   ", whose origin is " + toString(tile.origin));
      uint64_t bytes = pieceBytes(bindings[i], piece);
      if (tile.bytes != bytes)
        return bad("has " + std::to_string(bytes) + " bytes, but " +
                   tileText(piece.value) + " has " +
                   std::to_string(tile.bytes));
      const Piece *&other = pieces[piece.value];
      if (other &&
          (other->memory != piece.memory || other->offset != piece.offset))
        return bad("lies elsewhere than another piece of " +
                   tileText(piece.value));
      other = &piece;
    }
  return Status::ok();
}

Status TaskGraphChecker::checkEntryTiles() const {
  for (uint32_t tile = 0; tile < tasks.tiles.size(); ++tile)
    if (tasks.tiles[tile].origin != TileOrigin::Task && !pieces[tile])
      return badAt(Path(Path(path, "tiles"), tile),
                   std::string("is of origin ") +
                       toString(tasks.tiles[tile].origin) +
                       ", but no piece has its value");
  return Status::ok();
}

Status TaskGraphChecker::checkResults() const {
  Path list(path, "results");
  size_t next = 0;
  for (const Binding &binding : entry.results)
    for (const Piece &piece : binding.pieces) {
      if (next == tasks.results.size())
        return badAt(list, "has " + std::to_string(next) +
                               " elements, but the results have more pieces");
      Path here(list, next);
      uint32_t tile = tasks.results[next++];
      TURNIP_RETURN_IF_ERROR(checkIndex(here, tile, tasks.tiles.size()));
      TURNIP_RETURN_IF_ERROR(
          checkBytes(here, tile, pieceBytes(binding, piece)));
      if (values[tile] != piece.value)
        return mismatchAt(
            here, "a tile that holds value " + std::to_string(piece.value),
            tileText(tile) + " that holds value " +
                std::to_string(values[tile]));
    }
  if (next != tasks.results.size())
    return badAt(list, "has " + std::to_string(tasks.results.size()) +
                           " elements, but the results have " +
                           std::to_string(next) + " pieces");
  return Status::ok();
}

Status TaskGraphChecker::checkCosts() const {
  Path list(path, "costs");
  for (size_t i = 0; i < tasks.costs.size(); ++i) {
    const Cost &cost = tasks.costs[i];
    Path here(list, i);
    TURNIP_RETURN_IF_ERROR(
        checkIndex(Path(here, "kernel"), cost.kernel, module.kernels.size()));
    TURNIP_RETURN_IF_ERROR(
        checkIndex(Path(here, "device"), cost.device, machine.devices.size()));
    TURNIP_RETURN_IF_ERROR(checkMeasure(Path(here, "seconds"), cost.seconds));
    if (i == 0)
      continue;
    const Cost &before = tasks.costs[i - 1];
    if (std::make_pair(cost.kernel, cost.device) <=
        std::make_pair(before.kernel, before.device))
      return mismatchAt(
          here,
          "kernel and device after " + std::to_string(before.kernel) + " and " +
              std::to_string(before.device),
          std::to_string(cost.kernel) + " and " + std::to_string(cost.device));
  }
  return Status::ok();
}

Status TaskGraphChecker::run() {
  TURNIP_RETURN_IF_ERROR(checkSizes());
  Path tiles(path, "tiles");
  values.resize(tasks.tiles.size());
  pieces.resize(tasks.tiles.size(), nullptr);
  for (uint32_t i = 0; i < tasks.tiles.size(); ++i) {
    TURNIP_RETURN_IF_ERROR(checkTile(Path(tiles, i), tasks.tiles[i]));
    values[i] = i;
  }
  TURNIP_RETURN_IF_ERROR(findVertices());
  for (uint32_t task = 0; task < vertices.size(); ++task)
    TURNIP_RETURN_IF_ERROR(checkTask(task));
  if (nextOperand != tasks.operands.size())
    return badAt(Path(path, "operands"),
                 "has " + std::to_string(tasks.operands.size()) +
                     " elements, but the tasks have " +
                     std::to_string(nextOperand) + " operands");
  for (; nextTile < tasks.tiles.size(); ++nextTile)
    if (tasks.tiles[nextTile].origin == TileOrigin::Task)
      return badAt(Path(tiles, nextTile), "is the result of no task");
  for (uint32_t i = 0; i < entry.vertices.size(); ++i)
    TURNIP_RETURN_IF_ERROR(checkValues(i));
  TURNIP_RETURN_IF_ERROR(
      checkEntryPieces("parameters", entry.parameters, TileOrigin::Parameter));
  TURNIP_RETURN_IF_ERROR(
      checkEntryPieces("inputs", entry.inputs, TileOrigin::Input));
  TURNIP_RETURN_IF_ERROR(checkEntryTiles());
  TURNIP_RETURN_IF_ERROR(checkResults());
  return checkCosts();
}

Status artifact::checkTaskGraph(const Path &path, const Module &module,
                                const Entry &entry) {
  return TaskGraphChecker(path, module, entry).run();
}
