//===- Placer.cpp - Where each tile lies, step by step --------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Setting up, executing tasks, and copies in host memory. How ranges are
// chosen is in PlacerRanges.cpp.
//
//===----------------------------------------------------------------------===//

#include "Placer.h"
#include "Recompute.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::planner;

/// Operations that pass before a host range is used again, where host memory
/// is not short: a range that just fell idle would make the next write wait.
static constexpr uint64_t hostRest = 64;
/// Host memories are planned as if they had this many bytes.
static constexpr uint64_t unlimited = uint64_t(1) << 62;

/// What each memory would need if no range were ever used twice.
static std::vector<uint64_t> totalBytes(const Problem &problem) {
  std::vector<uint64_t> total(problem.memories.size(), 0);
  auto add = [&](uint32_t memory, uint64_t bytes) {
    uint64_t alignment = problem.memories[memory].alignment;
    uint64_t more = (bytes + alignment - 1) & ~(alignment - 1);
    total[memory] =
        total[memory] > UINT64_MAX - more ? UINT64_MAX : total[memory] + more;
  };
  for (const Tile &tile : problem.tiles)
    add(tile.memory, tile.bytes);
  for (const Task &task : problem.tasks)
    add(problem.devices[task.device].memory, task.workspace);
  return total;
}

Placer::Placer(const Problem &problem, const Machine &machine,
               const std::vector<uint32_t> &values,
               const std::vector<uint32_t> &order, const PlacerRules &rules)
    : problem(problem), machine(machine), values(values), order(order),
      rules(rules), laneOfMemory(problem.memories.size(), None) {
  std::vector<uint64_t> total = totalBytes(problem);
  for (size_t i = 0; i < problem.memories.size(); ++i) {
    const Memory &memory = problem.memories[i];
    bool device = memory.kind == MemoryKind::Device;
    uint64_t capacity = device            ? memory.capacity
                        : memory.writable ? unlimited
                                          : 0;
    bool scarce = device && total[i] > capacity;
    arenas.emplace_back(capacity, memory.alignment,
                        scarce ? 0 : Arena::untouched);
  }
  for (const Device &device : problem.devices) {
    if (problem.memories[device.memory].kind != MemoryKind::Device)
      continue;
    laneOfMemory[device.memory] = static_cast<uint32_t>(lanes.size());
    Lane lane;
    lane.memory = device.memory;
    lane.backing = device.backing;
    lane.roomy =
        total[device.memory] <= problem.memories[device.memory].capacity;
    lane.budget = static_cast<uint64_t>(
        rules.horizon *
        static_cast<double>(problem.memories[device.memory].capacity));
    listLoaders(lane);
    lanes.push_back(std::move(lane));
  }
  size_t numTiles = problem.tiles.size();
  lastTouch.assign(numTiles, None);
  finished.assign(numTiles, None);
  segmentOf.assign(numTiles, None);
  copyOf.assign(numTiles, None);
  lastTime.assign(numTiles, 0);
  readyAt.assign(numTiles, 0);
  engineTime.assign(machine.engines().size(), 0);
  inPlaceOf.assign(numTiles, None);
  heirOf.assign(numTiles, None);
  isCounted.assign(numTiles, false);
  isPromised.assign(numTiles, false);
  visited.assign(numTiles, false);
  finalCopy.assign(numTiles, None);
  if (rules.recompute > 0) {
    repeats = tasksToRepeat(problem);
    isDropped.assign(numTiles, false);
    awaited.assign(numTiles, 0);
    pricedFor.assign(numTiles, None);
    prices.assign(numTiles, 0);
  }
  listSteps();
  listUses();
  if (isTimed() && rules.patience > 0)
    listTimes();
}

uint64_t Placer::peak(uint32_t memory) const { return arenas[memory].peak(); }

//===----------------------------------------------------------------------===//
// Steps and uses
//===----------------------------------------------------------------------===//

void Placer::lanesOf(uint32_t task, std::vector<uint32_t> &result) const {
  result.clear();
  auto add = [&](uint32_t lane) {
    if (lane != None &&
        std::find(result.begin(), result.end(), lane) == result.end())
      result.push_back(lane);
  };
  for (uint32_t tile : problem.operands(task))
    add(laneOf(tile));
  for (uint32_t tile : problem.results(task))
    add(laneOf(tile));
  if (problem.tasks[task].workspace != 0)
    add(laneOfMemory[problem.devices[problem.tasks[task].device].memory]);
}

void Placer::listSteps() {
  for (uint32_t task : order) {
    lanesOf(task, touchedLanes);
    for (uint32_t lane : touchedLanes)
      lanes[lane].steps.push_back(task);
  }
  for (Lane &lane : lanes) {
    lane.steps.push_back(None);
    if (rules.layers)
      listLayers(lane);
  }
  for (uint32_t tile = 0; tile < problem.tiles.size(); ++tile)
    if (problem.tiles[tile].finalMemory == problem.tiles[tile].memory &&
        laneOf(tile) != None)
      lanes[laneOf(tile)].exitTiles.push_back(tile);
}

/// Calls \p visit(tile, position) for every tile of every task, in order; a
/// tile that a task names twice may be seen twice.
template <typename Visit> void Placer::forEachUse(Visit visit) {
  std::vector<uint32_t> step(lanes.size(), 0);
  for (uint32_t position = 0; position < order.size(); ++position) {
    uint32_t task = order[position];
    auto see = [&](uint32_t tile) {
      uint32_t lane = laneOf(tile);
      visit(tile, lane == None ? position : step[lane]);
    };
    for (uint32_t tile : problem.operands(task))
      see(tile);
    for (uint32_t tile : problem.results(task))
      see(tile);
    lanesOf(task, touchedLanes);
    for (uint32_t lane : touchedLanes)
      ++step[lane];
  }
  for (const Lane &lane : lanes)
    for (uint32_t tile : lane.exitTiles)
      visit(tile, static_cast<uint32_t>(lane.steps.size() - 1));
}

void Placer::listUses() {
  size_t numTiles = problem.tiles.size();
  std::vector<uint32_t> last(numTiles, None);
  useBegin.assign(numTiles + 1, 0);
  forEachUse([&](uint32_t tile, uint32_t position) {
    if (last[tile] != position)
      ++useBegin[tile + 1];
    last[tile] = position;
  });
  for (size_t tile = 0; tile < numTiles; ++tile)
    useBegin[tile + 1] += useBegin[tile];
  uses.resize(useBegin.back());
  nextUse.assign(useBegin.begin(), useBegin.end() - 1);
  std::fill(last.begin(), last.end(), None);
  forEachUse([&](uint32_t tile, uint32_t position) {
    if (last[tile] != position)
      uses[nextUse[tile]++] = position;
    last[tile] = position;
  });
  nextUse.assign(useBegin.begin(), useBegin.end() - 1);
}

//===----------------------------------------------------------------------===//
// Copies in host memory
//===----------------------------------------------------------------------===//

/// Takes a range that was last used at least \p rest operations ago, or else
/// bytes that were never used.
uint32_t Placer::findRested(Arena &arena, uint64_t bytes, uint32_t owner,
                            uint64_t rest) {
  uint32_t segment = None;
  if (now() >= rest)
    segment = arena.allocate(bytes, owner, now() - rest + 1);
  return segment != None ? segment : arena.grow(bytes, owner);
}

uint32_t Placer::allocateHost(uint32_t memory, uint64_t bytes) {
  Arena &arena = arenas[memory];
  if (!frugal)
    return findRested(arena, bytes, None, hostRest);
  uint32_t segment = arena.allocate(bytes, None, now() + 1);
  return segment != None ? segment : arena.allocate(bytes, None);
}

uint32_t Placer::storeHostCopy(const HostCopy &copy) {
  if (spareCopies.empty()) {
    hostCopies.push_back(copy);
    return static_cast<uint32_t>(hostCopies.size() - 1);
  }
  uint32_t id = spareCopies.back();
  spareCopies.pop_back();
  hostCopies[id] = copy;
  return id;
}

uint32_t Placer::newHostCopy(uint32_t memory, uint64_t bytes) {
  HostCopy copy;
  copy.memory = memory;
  copy.segment = allocateHost(memory, bytes);
  copy.offset = arenas[memory][copy.segment].offset;
  copy.references = 1;
  return storeHostCopy(copy);
}

uint32_t Placer::constantCopy(uint32_t memory, uint64_t offset) {
  HostCopy copy;
  copy.memory = memory;
  copy.offset = offset;
  copy.references = 1;
  return storeHostCopy(copy);
}

void Placer::dropHostCopy(uint32_t id) {
  HostCopy &copy = hostCopies[id];
  if (--copy.references != 0)
    return;
  if (copy.segment != None)
    arenas[copy.memory].release(copy.segment, now());
  spareCopies.push_back(id);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Access Placer::hostAccess(uint32_t copy, uint32_t tile, Role role) const {
  Access result;
  result.memory = hostCopies[copy].memory;
  result.value = values[tile];
  result.offset = hostCopies[copy].offset;
  result.bytes = problem.tiles[tile].bytes;
  result.role = role;
  return result;
}

Access Placer::access(uint32_t tile, Role role) const {
  uint32_t memory = problem.tiles[tile].memory;
  if (laneOf(tile) == None)
    return hostAccess(copyOf[tile], tile, role);
  uint32_t holder = inPlaceOf[tile] == None ? tile : inPlaceOf[tile];
  Access result;
  result.memory = memory;
  result.value = values[tile];
  result.offset = arenas[memory][segmentOf[holder]].offset;
  result.bytes = problem.tiles[tile].bytes;
  result.role = role;
  return result;
}

uint32_t Placer::emitCopy(CopyRole role, uint32_t task, const Access &source,
                          const Access &destination) {
  OpInfo info;
  info.task = task;
  info.role = role;
  info.engine = machine.copyEngine(source.memory, destination.memory);
  if (info.engine == None && failure.isOk())
    failure = Status::error(
        StatusCode::InvalidArgument,
        "no link from memory \"" + problem.memories[source.memory].name +
            "\" to memory \"" + problem.memories[destination.memory].name +
            "\", which a " + toString(role) + " of " +
            problem.describeTile(source.value) + " needs");
  plan->ops.push_back(info);
  return plan->placement.addOp(OpKind::Copy, {source, destination});
}

//===----------------------------------------------------------------------===//
// Entry and exit
//===----------------------------------------------------------------------===//

Status Placer::enter() {
  auto addPiece = [&](const Access &access, uint32_t tile) {
    plan->placement.entry.push_back(
        {access.memory, access.value, access.offset, access.bytes});
    plan->entryTiles.push_back(tile);
  };
  for (uint32_t id = 0; id < problem.tiles.size(); ++id) {
    const Tile &tile = problem.tiles[id];
    if (tile.initialMemory == None)
      continue;
    const Memory &memory = problem.memories[tile.initialMemory];
    if (memory.kind == MemoryKind::Device) {
      Arena &arena = arenas[tile.memory];
      segmentOf[id] = arena.allocate(tile.bytes, id);
      visited[id] = true;
      addPiece(access(id, Role::Write), id);
      continue;
    }
    copyOf[id] = memory.kind == MemoryKind::Parameters
                     ? constantCopy(tile.initialMemory, tile.initialOffset)
                     : newHostCopy(tile.initialMemory, tile.bytes);
    addPiece(hostAccess(copyOf[id], id, Role::Write), id);
  }
  for (uint32_t id = 0; id < problem.tiles.size(); ++id) {
    if (problem.tiles[id].initialMemory == None)
      continue;
    adoptFinal(id);
    uint32_t lane = laneOf(id);
    bool unused = nextUse[id] == useBegin[id + 1];
    if (unused)
      letGo(id);
    else if (segmentOf[id] != None)
      pushEvictable(lanes[lane], id);
  }
  return failure;
}

void Placer::adoptFinal(uint32_t id) {
  const Tile &tile = problem.tiles[id];
  bool onLane = laneOf(id) != None;
  if (tile.finalMemory == None || (onLane && tile.finalMemory == tile.memory))
    return;
  if (copyOf[id] != None && hostCopies[copyOf[id]].memory == tile.finalMemory) {
    ++hostCopies[copyOf[id]].references;
    finalCopy[id] = copyOf[id];
    return;
  }
  finalCopy[id] = newHostCopy(tile.finalMemory, tile.bytes);
  bool onDevice = segmentOf[id] != None || inPlaceOf[id] != None;
  Access source = onDevice ? access(id, Role::Read)
                           : hostAccess(copyOf[id], id, Role::Read);
  Access destination = hostAccess(finalCopy[id], id, Role::Write);
  emitCopy(CopyRole::Result, None, source, destination);
  uint64_t end = timeCopy(source, destination, readyTime(id));
  hostCopies[finalCopy[id]].ready = end;
  if (onLane && isTimed() && !lanes[laneOf(id)].roomy)
    lastTime[id] = std::max(lastTime[id], end);
  if (onLane && copyOf[id] == None && !rules.forgetCopies &&
      lanes[laneOf(id)].backing == tile.finalMemory) {
    copyOf[id] = finalCopy[id];
    ++hostCopies[copyOf[id]].references;
  }
}

Status Placer::leave() {
  for (Lane &lane : lanes) {
    if (lane.allocated + 1 == lane.steps.size() && !allocateStep(lane, false)) {
      packStep(lane);
      allocateStep(lane, true);
    }
  }
  TURNIP_RETURN_IF_ERROR(failure);
  for (uint32_t id = 0; id < problem.tiles.size(); ++id) {
    const Tile &tile = problem.tiles[id];
    if (tile.finalMemory == None)
      continue;
    Access found = finalCopy[id] != None
                       ? hostAccess(finalCopy[id], id, Role::Read)
                       : access(id, Role::Read);
    plan->placement.exit.push_back(
        {found.memory, found.value, found.offset, found.bytes});
    plan->exitTiles.push_back(id);
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

/// Makes room for the tasks, a load and an offload each; more is rare.
void Placer::reserveOps() {
  size_t numOps = 3 * order.size();
  plan->ops.reserve(numOps);
  plan->placement.kinds.reserve(numOps);
  plan->placement.accessBegin.reserve(numOps + 1);
  plan->placement.accesses.reserve(problem.operandList.size() +
                                   problem.resultList.size() +
                                   5 * order.size());
}

Status Placer::run(Plan &result, bool beFrugal) {
  plan = &result;
  frugal = beFrugal;
  for (size_t i = 0; i < arenas.size(); ++i)
    plan->placement.memories.push_back(
        {problem.memories[i].name, problem.memories[i].capacity,
         problem.memories[i].alignment, problem.memories[i].writable});
  plan->engines = machine.engines();
  reserveOps();
  TURNIP_RETURN_IF_ERROR(enter());
  for (Lane &lane : lanes)
    advance(lane);
  advanceTogether();
  for (position = 0; position < order.size(); ++position)
    TURNIP_RETURN_IF_ERROR(execute(order[position]));
  return leave();
}

Status Placer::execute(uint32_t task) {
  lanesOf(task, touchedLanes);
  passed = std::max(passed, position);
  for (uint32_t id : touchedLanes) {
    Lane &lane = lanes[id];
    if (lane.allocated > lane.executed || allocateStep(lane, false))
      continue;
    packStep(lane);
    if (!allocateStep(lane, true))
      return Status::error(StatusCode::Internal,
                           problem.describeTask(task) +
                               ": found no room in memory \"" +
                               problem.memories[lane.memory].name + "\"");
  }
  allocateHostResults(task);
  emitTask(task);
  for (uint32_t id : touchedLanes)
    lanes[id].lastOp = plan->placement.numOps() - 1;
  if (problem.tasks[task].kind == TaskKind::Transfer)
    shareTransfer(task);
  for (uint32_t tile : problem.results(task)) {
    visited[tile] = true;
    adoptFinal(tile);
  }
  for (uint32_t id : touchedLanes)
    executeStep(lanes[id]);
  for (uint32_t tile : problem.operands(task))
    finishHostTile(tile);
  for (uint32_t tile : problem.results(task))
    finishHostTile(tile);
  for (uint32_t id : touchedLanes)
    advance(lanes[id]);
  advanceTogether();
  return failure;
}

void Placer::allocateHostResults(uint32_t task) {
  for (uint32_t tile : problem.results(task))
    if (laneOf(tile) == None)
      copyOf[tile] =
          newHostCopy(problem.tiles[tile].memory, problem.tiles[tile].bytes);
}

void Placer::emitTask(uint32_t id) {
  const Task &task = problem.tasks[id];
  ArrayView<uint32_t> operands = problem.operands(id);
  ArrayView<uint32_t> results = problem.results(id);
  if (task.kind == TaskKind::Transfer) {
    emitCopy(CopyRole::Transfer, id, access(operands[0], Role::Read),
             access(results[0], Role::Write));
    timeTask(id, None);
    return;
  }
  scratch.clear();
  for (uint32_t tile : operands)
    scratch.push_back(access(tile, Role::Read));
  for (uint32_t tile : results) {
    scratch.push_back(access(tile, Role::Write));
    if (inPlaceOf[tile] != None)
      scratch.back().inPlaceOf = static_cast<uint32_t>(
          std::find(operands.begin(), operands.end(), inPlaceOf[tile]) -
          operands.begin());
  }
  uint32_t memory = problem.devices[task.device].memory;
  uint32_t lane = laneOfMemory[memory], hostScratch = None, segment = None;
  if (task.workspace != 0) {
    if (lane == None)
      hostScratch = allocateHost(memory, task.workspace);
    segment =
        lane == None ? hostScratch : lanes[lane].workspaces.front().segment;
    Access access;
    access.memory = memory;
    access.offset = arenas[memory][segment].offset;
    access.bytes = task.workspace;
    access.role = Role::Workspace;
    scratch.push_back(access);
  }
  OpInfo info;
  info.task = id;
  info.engine = machine.computeEngine(task.device);
  plan->ops.push_back(info);
  plan->placement.addOp(OpKind::Call, scratch);
  timeTask(id, lane == None ? None : segment);
  if (hostScratch != None)
    arenas[memory].release(hostScratch, now());
}

/// After a transfer two tiles hold one value: whatever copy in host memory the
/// one has is as good for the other.
void Placer::shareTransfer(uint32_t task) {
  uint32_t from = problem.operands(task)[0], to = problem.results(task)[0];
  auto share = [&](uint32_t source, uint32_t destination) {
    uint32_t lane = laneOf(destination);
    if (lane == None || rules.forgetCopies || copyOf[destination] != None ||
        copyOf[source] == None)
      return;
    const HostCopy &copy = hostCopies[copyOf[source]];
    if (copy.segment != None && copy.memory != lanes[lane].backing)
      return;
    copyOf[destination] = copyOf[source];
    ++hostCopies[copyOf[source]].references;
  };
  share(from, to);
  share(to, from);
}

void Placer::executeStep(Lane &lane) {
  uint32_t task = lane.steps[lane.executed];
  for (uint32_t tile : problem.results(task)) {
    uint32_t operand = inPlaceOf[tile];
    if (operand == None)
      continue;
    segmentOf[tile] = segmentOf[operand];
    segmentOf[operand] = None;
    inPlaceOf[tile] = None;
    isCounted[tile] = isCounted[operand];
    isCounted[operand] = false;
    isPromised[operand] = false;
    arenas[lane.memory].reassign(segmentOf[tile], tile);
  }
  for (uint32_t tile : problem.operands(task))
    if (problem.tiles[tile].memory == lane.memory)
      finishTile(lane, tile);
  for (uint32_t tile : problem.results(task))
    if (problem.tiles[tile].memory == lane.memory)
      finishTile(lane, tile);
  if (workspaceIn(lane, task) != 0) {
    Workspace workspace = lane.workspaces.front();
    lane.workspaces.pop_front();
    if (!workspace.shared) {
      lane.windowBytes -= arenas[lane.memory][workspace.segment].bytes;
      arenas[lane.memory].release(workspace.segment, ageAt(lane, taskEnd));
    }
  }
  if (task != None)
    lane.windowTime -= timeOf(task);
  ++lane.executed;
  while (rules.layers && lane.executed == lane.layerEnds[lane.layer] &&
         lane.layer + 1 < lane.layerEnds.size())
    ++lane.layer;
}

void Placer::finishTile(Lane &lane, uint32_t tile) {
  if (finished[tile] == lane.executed)
    return;
  finished[tile] = lane.executed;
  lastTime[tile] = std::max(lastTime[tile], ageAt(lane, taskEnd));
  if (lastTouch[tile] != lane.executed)
    return;
  if (isCounted[tile]) {
    const Arena &arena = arenas[lane.memory];
    uint32_t heir = heirOf[tile];
    lane.windowBytes -= arena.aligned(problem.tiles[tile].bytes);
    if (heir != None) {
      lane.windowBytes += arena.aligned(problem.tiles[heir].bytes);
      isCounted[heir] = true;
    }
    isCounted[tile] = false;
  }
  if (nextUse[tile] != useBegin[tile + 1])
    pushEvictable(lane, tile);
  else
    letGo(tile);
}

void Placer::finishHostTile(uint32_t tile) {
  if (laneOf(tile) != None || finished[tile] == position)
    return;
  finished[tile] = position;
  if (++nextUse[tile] == useBegin[tile + 1])
    letGo(tile);
}

/// Nobody reads \p tile any more, except where it must be at exit.
void Placer::letGo(uint32_t tile) {
  uint32_t heir = heirOf[tile];
  Arena &arena = arenas[problem.tiles[tile].memory];
  if (heir != None) {
    arena.reassign(segmentOf[tile], heir, lastTime[tile]);
    arena.shrink(segmentOf[tile], problem.tiles[heir].bytes, lastTime[tile]);
  } else if (segmentOf[tile] != None) {
    arena.release(segmentOf[tile], lastTime[tile]);
  }
  heirOf[tile] = None;
  isPromised[tile] = false;
  segmentOf[tile] = None;
  if (copyOf[tile] != None)
    dropHostCopy(copyOf[tile]);
  copyOf[tile] = None;
}
