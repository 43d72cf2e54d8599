//===- PlacerClock.cpp - When operations run on paper ---------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While operations are listed a clock per engine tells when each would run if
// engines took them as listed. Allocation then runs ahead just as far as keeps
// the links busy, and knows which ranges are free in time.
//
//===----------------------------------------------------------------------===//

#include "Placer.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::planner;

static uint64_t nanoseconds(double seconds) {
  constexpr double most = 1e15;
  return static_cast<uint64_t>(std::min(seconds * 1e9, most));
}

void Placer::listLoaders(Lane &lane) {
  uint64_t capacity = problem.memories[lane.memory].capacity;
  for (uint32_t from = 0; from < problem.memories.size(); ++from) {
    uint32_t engine = machine.copyEngine(from, lane.memory);
    if (from == lane.memory || engine == None ||
        problem.memories[from].kind == MemoryKind::Device ||
        std::find(lane.loaders.begin(), lane.loaders.end(), engine) !=
            lane.loaders.end())
      continue;
    lane.loaders.push_back(engine);
    lane.fillTime =
        std::max(lane.fillTime,
                 nanoseconds(machine.copySeconds(from, lane.memory, capacity)));
  }
}

uint64_t Placer::occupy(uint32_t engine, uint64_t earliest, double seconds) {
  if (engine == None)
    return earliest;
  engineTime[engine] =
      std::max(engineTime[engine], earliest) + nanoseconds(seconds);
  return engineTime[engine];
}

/// Lets the copy that was listed just now run, from \p earliest on.
uint64_t Placer::timeCopy(const Access &source, const Access &destination,
                          uint64_t earliest) {
  if (!isTimed())
    return 0;
  return occupy(
      plan->ops.back().engine, earliest,
      machine.copySeconds(source.memory, destination.memory, source.bytes));
}

/// What a call takes; the links take care of transfers.
uint64_t Placer::timeOf(uint32_t task) const {
  return problem.tasks[task].kind == TaskKind::Call
             ? nanoseconds(problem.tasks[task].cost)
             : 0;
}

/// When a range that is held was free; at the beginning where ages of its
/// memory are not times.
uint64_t Placer::freeSince(uint32_t memory, uint32_t segment) const {
  uint32_t lane = laneOfMemory[memory];
  if (!isTimed() || lane == None || lanes[lane].roomy)
    return 0;
  return arenas[memory][segment].age;
}

/// When the value of \p tile is there, wherever that is.
uint64_t Placer::readyTime(uint32_t tile) const {
  bool onDevice = segmentOf[tile] != None || inPlaceOf[tile] != None;
  if (laneOf(tile) != None && onDevice)
    return readyAt[tile];
  return copyOf[tile] == None ? 0 : hostCopies[copyOf[tile]].ready;
}

/// Lets the task that was listed just now run.
void Placer::timeTask(uint32_t task, uint32_t workspaceSegment) {
  if (!isTimed())
    return;
  ArrayView<uint32_t> operands = problem.operands(task);
  ArrayView<uint32_t> results = problem.results(task);
  uint64_t earliest = 0;
  for (uint32_t tile : operands)
    earliest = std::max(earliest, readyTime(tile));
  for (uint32_t tile : results) {
    if (laneOf(tile) == None)
      continue;
    uint32_t operand = inPlaceOf[tile];
    earliest = std::max(
        earliest, operand == None
                      ? freeSince(problem.tiles[tile].memory, segmentOf[tile])
                      : lastTime[operand]);
  }
  uint32_t device = problem.tasks[task].device;
  if (workspaceSegment != None)
    earliest = std::max(
        earliest, freeSince(problem.devices[device].memory, workspaceSegment));
  double seconds = problem.tasks[task].cost;
  if (problem.tasks[task].kind == TaskKind::Transfer) {
    const Tile &from = problem.tiles[operands[0]];
    const Tile &to = problem.tiles[results[0]];
    seconds = machine.copySeconds(from.memory, to.memory, from.bytes);
  }
  taskEnd = occupy(plan->ops.back().engine, earliest, seconds);
  for (uint32_t tile : results) {
    readyAt[tile] = taskEnd;
    if (laneOf(tile) == None)
      hostCopies[copyOf[tile]].ready = taskEnd;
  }
}

/// Whether a link to the memory would fall idle while the next step runs.
bool Placer::wantsLoads(const Lane &lane) const {
  uint32_t task = lane.steps[lane.executed];
  if (task == None || lane.loaders.empty())
    return true;
  uint32_t device = problem.tasks[task].device;
  uint64_t end = problem.tasks[task].kind == TaskKind::Call
                     ? engineTime[machine.computeEngine(device)]
                     : 0;
  for (uint32_t tile : problem.operands(task))
    end = std::max(end, readyTime(tile));
  end += timeOf(task) +
         static_cast<uint64_t>(rules.lead * static_cast<double>(lane.fillTime));
  for (uint32_t engine : lane.loaders)
    if (engineTime[engine] < end)
      return true;
  return false;
}

/// By when a range for \p owner, in the step being allocated, may be free and
/// nothing waits for it.
uint64_t Placer::wantedBy(const Lane &lane, uint32_t owner) const {
  uint32_t task = lane.steps[lane.allocated];
  if (owner != None && copyOf[owner] != None && segmentOf[owner] == None) {
    uint32_t engine =
        machine.copyEngine(hostCopies[copyOf[owner]].memory, lane.memory);
    return engine == None ? 0 : engineTime[engine];
  }
  if (task == None || problem.tasks[task].kind != TaskKind::Call)
    return taskEnd;
  return engineTime[machine.computeEngine(problem.tasks[task].device)] +
         lane.windowTime;
}

void Placer::listTimes() {
  std::vector<bool> seen(problem.tiles.size());
  for (Lane &lane : lanes) {
    double time = 0;
    for (uint32_t task : lane.steps) {
      lane.timeAt.push_back(time);
      if (task == None)
        continue;
      if (problem.tasks[task].kind == TaskKind::Call)
        time += problem.tasks[task].cost;
      for (uint32_t id : problem.operands(task)) {
        const Tile &tile = problem.tiles[id];
        if (tile.memory != lane.memory || seen[id])
          continue;
        seen[id] = true;
        if (tile.initialMemory != None && tile.initialMemory != lane.memory)
          time +=
              machine.copySeconds(tile.initialMemory, lane.memory, tile.bytes);
      }
    }
  }
}

/// Whether \p tile is needed so late that it may go for what is allocated
/// ahead of time.
bool Placer::isPatient(const Lane &lane, uint32_t tile) const {
  if (!isTimed() || rules.patience == 0)
    return true;
  double distance =
      lane.timeAt[uses[nextUse[tile]]] - lane.timeAt[lane.allocated];
  return distance >=
         rules.patience * machine.copySeconds(lane.backing, lane.memory,
                                              problem.tiles[tile].bytes);
}
