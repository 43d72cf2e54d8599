//===- Problem.cpp - What the planner is asked to place -------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/planner/Problem.h"
#include "Arithmetic.h"

#include <algorithm>
#include <cmath>

using namespace turnip;
using namespace turnip::planner;

static std::string describe(const char *what, uint32_t id,
                            const std::vector<std::string> &names) {
  std::string text = std::string(what) + " " + std::to_string(id);
  if (id < names.size() && !names[id].empty())
    text += " (\"" + names[id] + "\")";
  return text;
}

/// Grows \p names to hold \p name as number \p id, lazily: graphs without
/// names keep no strings.
static void setName(std::vector<std::string> &names, uint32_t id,
                    std::string name) {
  if (name.empty())
    return;
  names.resize(id + 1);
  names[id] = std::move(name);
}

template <typename T> static uint32_t append(std::vector<T> &list, T value) {
  list.push_back(std::move(value));
  return static_cast<uint32_t>(list.size() - 1);
}

uint32_t Problem::addMemory(Memory memory) {
  return append(memories, std::move(memory));
}
uint32_t Problem::addDevice(Device device) {
  return append(devices, std::move(device));
}
uint32_t Problem::addLink(Link link) { return append(links, std::move(link)); }

uint32_t Problem::addTile(const Tile &tile, std::string name) {
  uint32_t id = append(tiles, tile);
  setName(tileNames, id, std::move(name));
  return id;
}

uint32_t Problem::addTask(const Task &task, ArrayView<uint32_t> operands,
                          ArrayView<uint32_t> results, std::string name,
                          ArrayView<InPlacePair> inPlace) {
  uint32_t id = append(tasks, task);
  operandList.insert(operandList.end(), operands.begin(), operands.end());
  operandBegin.push_back(static_cast<uint32_t>(operandList.size()));
  resultList.insert(resultList.end(), results.begin(), results.end());
  resultBegin.push_back(static_cast<uint32_t>(resultList.size()));
  pairList.insert(pairList.end(), inPlace.begin(), inPlace.end());
  pairBegin.push_back(static_cast<uint32_t>(pairList.size()));
  setName(taskNames, id, std::move(name));
  return id;
}

std::string Problem::describeTile(uint32_t tile) const {
  return describe("tile", tile, tileNames);
}
std::string Problem::describeTask(uint32_t task) const {
  return describe("task", task, taskNames);
}

//===----------------------------------------------------------------------===//
// check
//===----------------------------------------------------------------------===//

static Status invalid(std::string message) {
  return Status::error(StatusCode::InvalidArgument, std::move(message));
}

static std::string number(uint64_t value) { return std::to_string(value); }

static const char *kindName(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::Device:
    return "device";
  case MemoryKind::Host:
    return "host";
  case MemoryKind::Parameters:
    return "parameters";
  }
  return "unknown";
}

static Status checkMachine(const Problem &problem) {
  size_t numMemories = problem.memories.size();
  auto outOfRange = [&](const std::string &what, const char *role,
                        uint32_t memory) {
    return invalid(what + ": " + role + " memory " + number(memory) +
                   " is not one of " + number(numMemories));
  };
  for (size_t i = 0; i < numMemories; ++i) {
    const Memory &memory = problem.memories[i];
    std::string what = "memory " + number(i) + " (\"" + memory.name + "\")";
    if (!isPowerOfTwo(memory.alignment))
      return invalid(what + ": expected a power of two as alignment, but got " +
                     number(memory.alignment));
    if (memory.writable == (memory.kind == MemoryKind::Parameters))
      return invalid(what + ": a memory of kind " + kindName(memory.kind) +
                     (memory.writable ? " cannot be" : " must be") +
                     " writable");
  }
  for (size_t i = 0; i < problem.devices.size(); ++i) {
    const Device &device = problem.devices[i];
    std::string what = "device " + number(i) + " (\"" + device.name + "\")";
    if (device.memory >= numMemories)
      return outOfRange(what, "its", device.memory);
    MemoryKind kind = problem.memories[device.memory].kind;
    if (kind == MemoryKind::Parameters)
      return invalid(what + ": expected a memory of kind device or host, but "
                            "got kind parameters");
    if (kind == MemoryKind::Host)
      continue;
    if (device.backing >= numMemories)
      return outOfRange(what, "backing", device.backing);
    if (problem.memories[device.backing].kind != MemoryKind::Host)
      return invalid(what +
                     ": expected a backing memory of kind host, but got kind " +
                     kindName(problem.memories[device.backing].kind));
    for (size_t j = 0; j < i; ++j)
      if (problem.devices[j].memory == device.memory)
        return invalid(what + ": shares memory " + number(device.memory) +
                       " with device " + number(j));
  }
  for (size_t i = 0; i < problem.links.size(); ++i) {
    const Link &link = problem.links[i];
    std::string what = "link " + number(i) + " (\"" + link.name + "\")";
    if (link.source >= numMemories)
      return outOfRange(what, "source", link.source);
    if (link.destination >= numMemories)
      return outOfRange(what, "destination", link.destination);
    if (!(link.bytesPerSecond > 0))
      return invalid(what + ": expected bytes per second above 0, but got " +
                     std::to_string(link.bytesPerSecond));
    if (!(link.latency >= 0) || !std::isfinite(link.latency))
      return invalid(what + ": expected a latency of at least 0, but got " +
                     std::to_string(link.latency));
  }
  return Status::ok();
}

/// Where a tile with a value at entry may lie.
static Status checkEntry(const Problem &problem, uint32_t id) {
  const Tile &tile = problem.tiles[id];
  auto what = [&] { return problem.describeTile(id); };
  if (tile.initialMemory >= problem.memories.size())
    return invalid(what() + ": initial memory " + number(tile.initialMemory) +
                   " is not one of " + number(problem.memories.size()));
  const Memory &memory = problem.memories[tile.initialMemory];
  bool onHost = problem.memories[tile.memory].kind == MemoryKind::Host;
  bool elsewhere = tile.initialMemory != tile.memory;
  if (elsewhere && (memory.kind == MemoryKind::Device ||
                    (memory.kind == MemoryKind::Host && onHost)))
    return invalid(what() + ": its memory is " + number(tile.memory) +
                   ", but it starts in " + kindName(memory.kind) + " memory " +
                   number(tile.initialMemory));
  if (memory.kind != MemoryKind::Parameters) {
    if (tile.initialOffset == Unplaced)
      return Status::ok();
    return invalid(what() + ": expected no initial offset in memory \"" +
                   memory.name + "\", but got " + number(tile.initialOffset));
  }
  if (tile.initialOffset == Unplaced)
    return invalid(what() + ": expected an initial offset in memory \"" +
                   memory.name + "\"");
  if (!fits(tile.initialOffset, tile.bytes, memory.capacity))
    return invalid(what() + ": " + number(tile.bytes) + " bytes at offset " +
                   number(tile.initialOffset) + " exceed the " +
                   number(memory.capacity) + " bytes of memory \"" +
                   memory.name + "\"");
  if (onHost && tile.initialOffset % memory.alignment != 0)
    return invalid(what() + ": is read in place at offset " +
                   number(tile.initialOffset) +
                   ", which is not a multiple of " + number(memory.alignment));
  return Status::ok();
}

static Status checkTile(const Problem &problem, uint32_t id) {
  const Tile &tile = problem.tiles[id];
  size_t numMemories = problem.memories.size();
  auto what = [&] { return problem.describeTile(id); };
  if (tile.bytes == 0)
    return invalid(what() + ": expected at least 1 byte, but got 0");
  if (tile.memory >= numMemories)
    return invalid(what() + ": memory " + number(tile.memory) +
                   " is not one of " + number(numMemories));
  if (problem.memories[tile.memory].kind == MemoryKind::Parameters)
    return invalid(what() + ": expected a memory of kind device or host, but "
                            "got kind parameters");
  if (tile.initialMemory != None)
    TURNIP_RETURN_IF_ERROR(checkEntry(problem, id));
  if (tile.finalMemory == None)
    return Status::ok();
  if (tile.finalMemory >= numMemories)
    return invalid(what() + ": final memory " + number(tile.finalMemory) +
                   " is not one of " + number(numMemories));
  if (tile.finalMemory != tile.memory &&
      problem.memories[tile.finalMemory].kind != MemoryKind::Host)
    return invalid(
        what() + ": expected its own or a host memory at exit, but got kind " +
        kindName(problem.memories[tile.finalMemory].kind));
  return Status::ok();
}

namespace {
/// Walks the tasks in order and remembers who produced each tile.
class TaskChecker {
public:
  explicit TaskChecker(const Problem &problem)
      : problem(problem), producer(problem.tiles.size(), None) {}

  Status run() {
    for (uint32_t task = 0; task < problem.tasks.size(); ++task) {
      TURNIP_RETURN_IF_ERROR(checkOperands(task));
      TURNIP_RETURN_IF_ERROR(checkResults(task));
      TURNIP_RETURN_IF_ERROR(checkKind(task));
      TURNIP_RETURN_IF_ERROR(checkPairs(task));
      TURNIP_RETURN_IF_ERROR(checkWorkingSet(task));
    }
    for (uint32_t tile = 0; tile < problem.tiles.size(); ++tile)
      if (problem.tiles[tile].finalMemory != None &&
          problem.tiles[tile].initialMemory == None && producer[tile] == None)
        return invalid(problem.describeTile(tile) +
                       ": is wanted at exit, but no task writes it");
    return Status::ok();
  }

private:
  Status tileInRange(uint32_t task, uint32_t tile, const char *role) const {
    if (tile < problem.tiles.size())
      return Status::ok();
    return invalid(problem.describeTask(task) + ": " + role + " " +
                   number(tile) + " is not one of " +
                   number(problem.tiles.size()) + " tiles");
  }

  Status checkOperands(uint32_t task) const {
    if (problem.tasks[task].device >= problem.devices.size())
      return invalid(problem.describeTask(task) + ": device " +
                     number(problem.tasks[task].device) + " is not one of " +
                     number(problem.devices.size()));
    for (uint32_t tile : problem.operands(task)) {
      TURNIP_RETURN_IF_ERROR(tileInRange(task, tile, "operand"));
      if (problem.tiles[tile].initialMemory == None && producer[tile] == None)
        return invalid(problem.describeTask(task) + ": reads " +
                       problem.describeTile(tile) +
                       ", which no earlier task writes");
    }
    return Status::ok();
  }

  Status checkResults(uint32_t task) {
    for (uint32_t tile : problem.results(task)) {
      TURNIP_RETURN_IF_ERROR(tileInRange(task, tile, "result"));
      if (problem.tiles[tile].initialMemory != None)
        return invalid(problem.describeTask(task) + ": writes " +
                       problem.describeTile(tile) +
                       ", which has a value at entry");
      if (producer[tile] != None)
        return invalid(problem.describeTask(task) + ": writes " +
                       problem.describeTile(tile) + ", which " +
                       problem.describeTask(producer[tile]) + " writes too");
      producer[tile] = task;
    }
    return Status::ok();
  }

  Status checkKind(uint32_t id) const {
    const Task &task = problem.tasks[id];
    if (!(task.cost >= 0) || !std::isfinite(task.cost))
      return invalid(problem.describeTask(id) +
                     ": expected a cost of at least 0, but got " +
                     std::to_string(task.cost));
    return task.kind == TaskKind::Transfer ? checkTransfer(id) : checkCall(id);
  }

  Status checkCall(uint32_t id) const {
    uint32_t memory = problem.devices[problem.tasks[id].device].memory;
    auto wrong = [&](uint32_t tile) {
      return invalid(problem.describeTask(id) + ": runs in memory " +
                     number(memory) + ", but " + problem.describeTile(tile) +
                     " lies in memory " + number(problem.tiles[tile].memory));
    };
    for (uint32_t tile : problem.operands(id))
      if (problem.tiles[tile].memory != memory)
        return wrong(tile);
    for (uint32_t tile : problem.results(id))
      if (problem.tiles[tile].memory != memory)
        return wrong(tile);
    return Status::ok();
  }

  Status checkTransfer(uint32_t id) const {
    const Task &task = problem.tasks[id];
    ArrayView<uint32_t> operands = problem.operands(id);
    ArrayView<uint32_t> results = problem.results(id);
    auto what = [&] { return problem.describeTask(id); };
    if (operands.size() != 1 || results.size() != 1)
      return invalid(what() +
                     ": a transfer needs 1 operand and 1 result, but "
                     "has " +
                     number(operands.size()) + " and " +
                     number(results.size()));
    const Tile &from = problem.tiles[operands[0]];
    const Tile &to = problem.tiles[results[0]];
    if (from.bytes != to.bytes)
      return invalid(
          what() + ": transfers " + problem.describeTile(operands[0]) + " of " +
          number(from.bytes) + " bytes to " + problem.describeTile(results[0]) +
          " of " + number(to.bytes) + " bytes");
    if (from.memory == to.memory)
      return invalid(what() + ": transfers within memory " +
                     number(from.memory));
    if (task.workspace != 0)
      return invalid(what() + ": a transfer needs no workspace, but asks for " +
                     number(task.workspace) + " bytes");
    uint32_t memory = problem.devices[task.device].memory;
    if (memory != from.memory && memory != to.memory)
      return invalid(what() + ": is on a device with memory " + number(memory) +
                     ", but joins memories " + number(from.memory) + " and " +
                     number(to.memory));
    return Status::ok();
  }

  Status checkPairs(uint32_t id) const {
    ArrayView<uint32_t> operands = problem.operands(id);
    ArrayView<uint32_t> results = problem.results(id);
    auto what = [&] { return problem.describeTask(id); };
    ArrayView<InPlacePair> pairs = problem.inPlacePairs(id);
    for (const InPlacePair &pair : pairs) {
      if (problem.tasks[id].kind == TaskKind::Transfer)
        return invalid(what() + ": a transfer has no in-place pair");
      if (pair.operand >= operands.size())
        return invalid(what() + ": in-place operand " + number(pair.operand) +
                       " is not one of " + number(operands.size()));
      if (pair.result >= results.size())
        return invalid(what() + ": in-place result " + number(pair.result) +
                       " is not one of " + number(results.size()));
      uint32_t from = operands[pair.operand], to = results[pair.result];
      if (problem.tiles[from].bytes != problem.tiles[to].bytes)
        return invalid(what() + ": in-place " + problem.describeTile(from) +
                       " has " + number(problem.tiles[from].bytes) +
                       " bytes, but " + problem.describeTile(to) + " has " +
                       number(problem.tiles[to].bytes));
    }
    return Status::ok();
  }

  /// The working set must be a number before anyone compares it to a cap.
  Status checkWorkingSet(uint32_t id) const {
    uint64_t sum = 0;
    bool ok = true;
    auto add = [&](uint64_t bytes, uint32_t memory) {
      uint64_t aligned = 0;
      ok = ok && alignUp(bytes, problem.memories[memory].alignment, aligned) &&
           addChecked(sum, aligned, sum);
    };
    for (uint32_t tile : problem.operands(id))
      add(problem.tiles[tile].bytes, problem.tiles[tile].memory);
    for (uint32_t tile : problem.results(id))
      add(problem.tiles[tile].bytes, problem.tiles[tile].memory);
    add(problem.tasks[id].workspace,
        problem.devices[problem.tasks[id].device].memory);
    if (ok)
      return Status::ok();
    return invalid(problem.describeTask(id) +
                   ": its working set exceeds 64 bits");
  }

  const Problem &problem;
  /// The task that wrote each tile so far.
  std::vector<uint32_t> producer;
};
} // namespace

template <typename T>
static Status checkLists(const char *what, size_t tasks,
                         const std::vector<uint32_t> &begin,
                         const std::vector<T> &list) {
  if (begin.size() != tasks + 1)
    return invalid(std::string(what) + " bounds: expected " +
                   number(tasks + 1) + ", but got " + number(begin.size()));
  for (size_t i = 0; i < tasks; ++i)
    if (begin[i] > begin[i + 1])
      return invalid(std::string(what) + " bounds: " + number(begin[i]) +
                     " is followed by " + number(begin[i + 1]));
  if (begin.front() != 0 || begin.back() != list.size())
    return invalid(std::string(what) + " bounds: expected 0 to " +
                   number(list.size()) + ", but got " + number(begin.front()) +
                   " to " + number(begin.back()));
  return Status::ok();
}

/// Far beyond any machine, and far from overflow wherever bytes are added.
static constexpr uint64_t maximumTotal = uint64_t(1) << 60;

Status Problem::check() const {
  if (tiles.size() >= None || tasks.size() >= None / 8)
    return invalid("expected fewer than " + number(None / 8) +
                   " tasks and tiles, but got " + number(tasks.size()) +
                   " and " + number(tiles.size()));
  TURNIP_RETURN_IF_ERROR(
      checkLists("operand", tasks.size(), operandBegin, operandList));
  TURNIP_RETURN_IF_ERROR(
      checkLists("result", tasks.size(), resultBegin, resultList));
  TURNIP_RETURN_IF_ERROR(
      checkLists("in-place pair", tasks.size(), pairBegin, pairList));
  TURNIP_RETURN_IF_ERROR(checkMachine(*this));
  uint64_t total = 0;
  std::vector<bool> hasDevice(memories.size(), false);
  for (const Device &device : devices)
    hasDevice[device.memory] = true;
  for (uint32_t tile = 0; tile < tiles.size(); ++tile) {
    TURNIP_RETURN_IF_ERROR(checkTile(*this, tile));
    uint32_t memory = tiles[tile].memory;
    if (!hasDevice[memory])
      return invalid(describeTile(tile) + ": no device has its memory " +
                     number(memory));
    uint64_t aligned = 0;
    if (!alignUp(tiles[tile].bytes, memories[memory].alignment, aligned) ||
        !addChecked(total, aligned, total) || total > maximumTotal)
      return invalid(describeTile(tile) + ": brings all tiles to more than " +
                     number(maximumTotal) + " bytes");
  }
  return TaskChecker(*this).run();
}

//===----------------------------------------------------------------------===//
// Facts about a problem
//===----------------------------------------------------------------------===//

std::vector<uint32_t> planner::valuesOfTiles(const Problem &problem) {
  std::vector<uint32_t> values(problem.tiles.size());
  for (uint32_t tile = 0; tile < values.size(); ++tile)
    values[tile] = tile;
  // Tasks come in an order of data flow, so chains of transfers resolve.
  for (uint32_t task = 0; task < problem.tasks.size(); ++task)
    if (problem.tasks[task].kind == TaskKind::Transfer)
      values[problem.results(task)[0]] = values[problem.operands(task)[0]];
  return values;
}

SmallestCap planner::smallestCap(const Problem &problem, uint32_t device) {
  uint32_t memory = problem.devices[device].memory;
  uint64_t alignment = problem.memories[memory].alignment;
  auto aligned = [&](uint64_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
  };
  // A stamp per tile counts an operand that is named twice once.
  std::vector<uint32_t> stamp(problem.tiles.size(), None);
  SmallestCap cap;
  for (uint32_t task = 0; task < problem.tasks.size(); ++task) {
    uint64_t bytes = 0;
    auto add = [&](uint32_t tile) {
      if (problem.tiles[tile].memory != memory || stamp[tile] == task)
        return;
      stamp[tile] = task;
      bytes += aligned(problem.tiles[tile].bytes);
    };
    for (uint32_t tile : problem.operands(task))
      add(tile);
    for (uint32_t tile : problem.results(task))
      add(tile);
    if (problem.devices[problem.tasks[task].device].memory == memory)
      bytes += aligned(problem.tasks[task].workspace);
    if (bytes > cap.bytes)
      cap = {bytes, task};
  }
  uint64_t entry = 0, exit = 0;
  for (const Tile &tile : problem.tiles) {
    if (tile.initialMemory == memory)
      entry += aligned(tile.bytes);
    if (tile.finalMemory == memory)
      exit += aligned(tile.bytes);
  }
  if (std::max(entry, exit) > cap.bytes)
    cap = {std::max(entry, exit), None};
  return cap;
}
