//===- PlanVerifier.cpp - Does a plan answer its problem ------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::planner;

static std::string number(uint64_t value) { return std::to_string(value); }

namespace {
class PlanVerifier {
public:
  PlanVerifier(const Plan &plan, const Problem &problem)
      : plan(plan), problem(problem), machine(problem),
        values(valuesOfTiles(problem)) {}

  Status run();

private:
  Status error(std::string message) const {
    return Status::error(StatusCode::BadInput, std::move(message));
  }
  std::string opName(uint32_t op) const;
  Status checkMemories() const;
  Status checkOps() const;
  Status checkOp(uint32_t op, std::vector<uint32_t> &opOfTask) const;
  Status checkCall(uint32_t op) const;
  Status checkCopy(uint32_t op) const;
  Status expectAccess(uint32_t op, uint32_t index, uint32_t tile,
                      Role role) const;
  Status expectTile(uint32_t op, const Access &access, uint32_t tile) const;
  Status checkInPlace(uint32_t op, uint32_t index) const;
  Status checkPieces(const char *when, const std::vector<Piece> &pieces,
                     const std::vector<uint32_t> &tiles) const;

  const Plan &plan;
  const Problem &problem;
  Machine machine;
  std::vector<uint32_t> values;
};
} // namespace

std::string PlanVerifier::opName(uint32_t op) const {
  std::string text = "operation " + number(op);
  if (op >= plan.ops.size())
    return text;
  const OpInfo &info = plan.ops[op];
  if (info.task < problem.tasks.size())
    return text + " (" + problem.describeTask(info.task) + ")";
  if (plan.placement.kinds[op] == OpKind::Join)
    return text + " (join)";
  return text + " (" + toString(info.role) + ")";
}

Status PlanVerifier::checkMemories() const {
  const auto &placed = plan.placement.memories;
  if (placed.size() != problem.memories.size())
    return error("expected " + number(problem.memories.size()) +
                 " memories, but got " + number(placed.size()));
  for (size_t i = 0; i < placed.size(); ++i) {
    const Memory &memory = problem.memories[i];
    if (placed[i].capacity != memory.capacity)
      return error("memory \"" + memory.name + "\": expected a capacity of " +
                   number(memory.capacity) + ", but got " +
                   number(placed[i].capacity));
    if (placed[i].alignment != memory.alignment)
      return error("memory \"" + memory.name + "\": expected alignment " +
                   number(memory.alignment) + ", but got " +
                   number(placed[i].alignment));
    if (placed[i].writable != memory.writable)
      return error("memory \"" + memory.name + "\": expected it " +
                   (memory.writable ? "writable" : "read-only"));
  }
  return Status::ok();
}

Status PlanVerifier::checkOps() const {
  if (plan.ops.size() != plan.placement.numOps())
    return error("expected " + number(plan.placement.numOps()) +
                 " operation records, but got " + number(plan.ops.size()));
  if (plan.placement.accessBegin.size() != plan.ops.size() + 1 ||
      plan.placement.accessBegin.front() != 0 ||
      plan.placement.accessBegin.back() != plan.placement.accesses.size() ||
      !std::is_sorted(plan.placement.accessBegin.begin(),
                      plan.placement.accessBegin.end()))
    return error("access bounds do not divide the accesses among operations");
  std::vector<uint32_t> opOfTask(problem.tasks.size(), None);
  for (uint32_t op = 0; op < plan.ops.size(); ++op)
    TURNIP_RETURN_IF_ERROR(checkOp(op, opOfTask));
  for (uint32_t task = 0; task < problem.tasks.size(); ++task)
    if (opOfTask[task] == None)
      return error(problem.describeTask(task) + ": no operation performs it");
  return Status::ok();
}

Status PlanVerifier::checkOp(uint32_t op,
                             std::vector<uint32_t> &opOfTask) const {
  uint32_t task = plan.ops[op].task;
  OpKind kind = plan.placement.kinds[op];
  if (task != None) {
    if (task >= problem.tasks.size())
      return error(opName(op) + ": task " + number(task) + " is not one of " +
                   number(problem.tasks.size()));
    bool isCall = problem.tasks[task].kind == TaskKind::Call;
    // A call that is carried out again on the same values, which is checked for
    // each operation, leaves the same values.
    if (opOfTask[task] != None && !isCall)
      return error(opName(op) + ": operation " + number(opOfTask[task]) +
                   " performs the transfer too");
    opOfTask[task] = op;
    if (kind != (isCall ? OpKind::Call : OpKind::Copy))
      return error(opName(op) + ": expected a " + (isCall ? "call" : "copy"));
  }
  if (kind == OpKind::Call)
    return task == None ? error(opName(op) + ": a call performs no task")
                        : checkCall(op);
  if (kind == OpKind::Copy)
    return checkCopy(op);
  return Status::ok();
}

/// A tile is accessed in its memory, or where it lies at entry if a host task
/// reads it in place.
Status PlanVerifier::expectTile(uint32_t op, const Access &access,
                                uint32_t tile) const {
  const Tile &wanted = problem.tiles[tile];
  auto differs = [&](const char *what, uint64_t expected, uint64_t actual) {
    return error(opName(op) + ": expected " + what + " " + number(expected) +
                 " for " + problem.describeTile(tile) + ", but it " +
                 describeAccess(plan.placement.memories, access) + " with " +
                 what + " " + number(actual));
  };
  bool inPlace = access.role == Role::Read &&
                 access.memory == wanted.initialMemory &&
                 problem.memories[wanted.memory].kind == MemoryKind::Host;
  if (access.memory != wanted.memory && !inPlace)
    return differs("memory", wanted.memory, access.memory);
  if (access.value != values[tile])
    return differs("value", values[tile], access.value);
  if (access.bytes != wanted.bytes)
    return differs("bytes", wanted.bytes, access.bytes);
  return Status::ok();
}

Status PlanVerifier::expectAccess(uint32_t op, uint32_t index, uint32_t tile,
                                  Role role) const {
  const Access &access = plan.placement.accessesOf(op)[index];
  if (access.role != role)
    return error(
        opName(op) + ": " + describeAccess(plan.placement.memories, access) +
        " where it should " + (role == Role::Read ? "read " : "write ") +
        problem.describeTile(tile));
  return expectTile(op, access, tile);
}

Status PlanVerifier::checkInPlace(uint32_t op, uint32_t index) const {
  uint32_t task = plan.ops[op].task;
  size_t numOperands = problem.operands(task).size();
  uint32_t operand = plan.placement.accessesOf(op)[index].inPlaceOf;
  if (operand == None)
    return Status::ok();
  for (const InPlacePair &pair : problem.inPlacePairs(task))
    if (pair.operand == operand && pair.result + numOperands == index)
      return Status::ok();
  return error(opName(op) + ": result " + number(index - numOperands) +
               " must not take the place of operand " + number(operand));
}

Status PlanVerifier::checkCall(uint32_t op) const {
  uint32_t id = plan.ops[op].task;
  const Task &task = problem.tasks[id];
  ArrayView<uint32_t> operands = problem.operands(id);
  ArrayView<uint32_t> results = problem.results(id);
  ArrayView<Access> accesses = plan.placement.accessesOf(op);
  size_t expected = operands.size() + results.size() + (task.workspace != 0);
  if (accesses.size() != expected)
    return error(opName(op) + ": expected " + number(expected) +
                 " accesses, but got " + number(accesses.size()));
  if (plan.ops[op].engine != machine.computeEngine(task.device))
    return error(opName(op) + ": expected engine " +
                 number(machine.computeEngine(task.device)) + ", but got " +
                 number(plan.ops[op].engine));
  uint32_t index = 0;
  for (uint32_t tile : operands)
    TURNIP_RETURN_IF_ERROR(expectAccess(op, index++, tile, Role::Read));
  for (uint32_t tile : results) {
    TURNIP_RETURN_IF_ERROR(expectAccess(op, index, tile, Role::Write));
    TURNIP_RETURN_IF_ERROR(checkInPlace(op, index++));
  }
  if (task.workspace == 0)
    return Status::ok();
  const Access &scratch = accesses[index];
  uint32_t memory = problem.devices[task.device].memory;
  if (scratch.role != Role::Workspace || scratch.bytes != task.workspace ||
      scratch.memory != memory)
    return error(opName(op) + ": expected " + number(task.workspace) +
                 " bytes of workspace in memory " + number(memory) +
                 ", but it " +
                 describeAccess(plan.placement.memories, scratch));
  return Status::ok();
}

Status PlanVerifier::checkCopy(uint32_t op) const {
  ArrayView<Access> accesses = plan.placement.accessesOf(op);
  const OpInfo &info = plan.ops[op];
  if (accesses.size() != 2)
    return error(opName(op) + ": expected 2 accesses, but got " +
                 number(accesses.size()));
  for (const Access &access : accesses)
    if (access.memory >= problem.memories.size())
      return error(opName(op) + ": memory " + number(access.memory) +
                   " is not one of " + number(problem.memories.size()));
  if ((info.role == CopyRole::Transfer) != (info.task != None))
    return error(opName(op) + ": a copy is a transfer if and only if it " +
                 "performs a task");
  uint32_t engine = machine.copyEngine(accesses[0].memory, accesses[1].memory);
  if (engine == None)
    return error(opName(op) + ": no link from memory " +
                 number(accesses[0].memory) + " to memory " +
                 number(accesses[1].memory));
  if (info.engine != engine)
    return error(opName(op) + ": expected engine " + number(engine) +
                 ", but got " + number(info.engine));
  if (info.role == CopyRole::Transfer) {
    TURNIP_RETURN_IF_ERROR(
        expectAccess(op, 0, problem.operands(info.task)[0], Role::Read));
    return expectAccess(op, 1, problem.results(info.task)[0], Role::Write);
  }
  for (const Access &access : accesses)
    if (access.value >= problem.tiles.size() ||
        access.bytes != problem.tiles[access.value].bytes)
      return error(opName(op) + ": " +
                   describeAccess(plan.placement.memories, access) +
                   ", which is not the size of value " + number(access.value));
  return Status::ok();
}

Status PlanVerifier::checkPieces(const char *when,
                                 const std::vector<Piece> &pieces,
                                 const std::vector<uint32_t> &tiles) const {
  bool entry = &pieces == &plan.placement.entry;
  if (pieces.size() != tiles.size())
    return error(std::string(when) + ": " + number(pieces.size()) +
                 " pieces, but " + number(tiles.size()) + " tiles");
  std::vector<bool> seen(problem.tiles.size(), false);
  for (size_t i = 0; i < pieces.size(); ++i) {
    uint32_t id = tiles[i];
    if (id >= problem.tiles.size())
      return error(std::string(when) + ": tile " + number(id) +
                   " is not one of " + number(problem.tiles.size()));
    const Tile &tile = problem.tiles[id];
    std::string what = std::string(when) + " of " + problem.describeTile(id);
    auto differs = [&](const char *field, uint64_t expected, uint64_t actual) {
      return error(what + ": expected " + field + " " + number(expected) +
                   ", but got " + number(actual));
    };
    if (seen[id])
      return error(what + ": is listed twice");
    seen[id] = true;
    uint32_t memory = entry ? tile.initialMemory : tile.finalMemory;
    if (pieces[i].memory != memory)
      return differs("memory", memory, pieces[i].memory);
    if (pieces[i].value != values[id])
      return differs("value", values[id], pieces[i].value);
    if (pieces[i].bytes != tile.bytes)
      return differs("bytes", tile.bytes, pieces[i].bytes);
    if (entry && tile.initialOffset != Unplaced &&
        pieces[i].offset != tile.initialOffset)
      return differs("offset", tile.initialOffset, pieces[i].offset);
  }
  for (uint32_t id = 0; id < problem.tiles.size(); ++id) {
    const Tile &tile = problem.tiles[id];
    if (!seen[id] && (entry ? tile.initialMemory : tile.finalMemory) != None)
      return error(std::string(when) + " of " + problem.describeTile(id) +
                   ": is missing");
  }
  return Status::ok();
}

Status PlanVerifier::run() {
  TURNIP_RETURN_IF_ERROR(checkMemories());
  TURNIP_RETURN_IF_ERROR(checkOps());
  TURNIP_RETURN_IF_ERROR(
      checkPieces("entry", plan.placement.entry, plan.entryTiles));
  TURNIP_RETURN_IF_ERROR(
      checkPieces("exit", plan.placement.exit, plan.exitTiles));
  PlacementNames names;
  names.operation = [this](uint32_t op) { return opName(op); };
  names.value = [this](uint32_t value) {
    return value < problem.tiles.size() ? problem.describeTile(value)
                                        : "value " + number(value);
  };
  return verifyPlacement(plan.placement, names);
}

Status Plan::verify(const Problem &problem) const {
  TURNIP_RETURN_IF_ERROR(problem.check());
  return PlanVerifier(*this, problem).run();
}
