//===- PlacerRecompute.cpp - Tiles that are computed again ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile may be dropped without being written back if it is certain that its
// task can be carried out again when it is needed next: its operands are used
// then or later, so they still exist; none of them was dropped in the same way;
// and they fit beside the step that needs it. Its task then takes the place of
// a load: it is listed where the allocating cursor is, on ranges of its own.
//
//===----------------------------------------------------------------------===//

#include "Placer.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::planner;

/// Whether \p tile is used at most this many steps before or after a step, so
/// that it is likely to be there then.
static constexpr uint32_t nearSteps = 8;

/// The operands of the task that computes \p tile again, each once.
std::vector<uint32_t> Placer::sourcesOf(uint32_t tile) const {
  ArrayView<uint32_t> operands = problem.operands(repeats[tile]);
  std::vector<uint32_t> sources(operands.begin(), operands.end());
  std::sort(sources.begin(), sources.end());
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  return sources;
}

bool Placer::isUsedNear(uint32_t tile, uint32_t step) const {
  auto end = uses.begin() + useBegin[tile + 1];
  auto found = std::lower_bound(uses.begin() + useBegin[tile], end,
                                step > nearSteps ? step - nearSteps : 0);
  return found != end && *found <= step + nearSteps;
}

/// What the tiles and the scratch range of a step take up together, and
/// \p others where they are not among them.
uint64_t Placer::bytesOfStep(const Lane &lane, uint32_t step,
                             std::vector<uint32_t> tiles) const {
  const Arena &arena = arenas[lane.memory];
  uint32_t task = lane.steps[step];
  for (ArrayView<uint32_t> list :
       {problem.operands(task), problem.results(task)})
    for (uint32_t tile : list)
      if (problem.tiles[tile].memory == lane.memory)
        tiles.push_back(tile);
  std::sort(tiles.begin(), tiles.end());
  tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
  uint64_t bytes = arena.aligned(workspaceIn(lane, task));
  for (uint32_t tile : tiles)
    bytes += arena.aligned(problem.tiles[tile].bytes);
  return bytes;
}

/// Seconds to compute \p tile again for its use in \p step, its operands
/// included that are not likely to be there.
double Placer::secondsToRecompute(const Lane &lane, uint32_t tile,
                                  uint32_t step) const {
  double seconds = problem.tasks[repeats[tile]].cost;
  for (uint32_t source : problem.operands(repeats[tile]))
    if (!isUsedNear(source, step))
      seconds += machine.copySeconds(lane.backing, lane.memory,
                                     problem.tiles[source].bytes);
  return seconds;
}

/// What computing \p tile again for its next use takes, in multiples of what
/// loading it would; negative if it takes too long, if what it is computed from
/// may be gone by then, or if that leaves no room for the step.
double Placer::priceOfRecomputing(const Lane &lane, uint32_t tile) const {
  constexpr double never = -1;
  uint32_t next = uses[nextUse[tile]];
  if (lane.steps[next] == None)
    return never;
  uint64_t bytes = problem.tiles[tile].bytes;
  double loading = machine.copySeconds(lane.backing, lane.memory, bytes);
  double saved =
      loading + machine.copySeconds(lane.memory, lane.backing, bytes);
  double seconds = secondsToRecompute(lane, tile, next);
  if (seconds > rules.recompute * saved)
    return never;
  for (uint32_t source : problem.operands(repeats[tile]))
    if (uses[useBegin[source + 1] - 1] < next)
      return never;
  if (bytesOfStep(lane, next, sourcesOf(tile)) >
      problem.memories[lane.memory].capacity)
    return never;
  return loading == 0 ? 0 : seconds / loading;
}

/// The same, and negative as well if \p tile may not go now without being
/// written back.
double Placer::priceOfDropping(const Lane &lane, uint32_t tile) {
  if (rules.recompute == 0 || repeats[tile] == None || awaited[tile] != 0)
    return -1;
  for (uint32_t source : problem.operands(repeats[tile]))
    if (isDropped[source])
      return -1;
  if (pricedFor[tile] != nextUse[tile]) {
    pricedFor[tile] = nextUse[tile];
    prices[tile] = static_cast<float>(priceOfRecomputing(lane, tile));
  }
  return prices[tile];
}

void Placer::drop(uint32_t tile) {
  isDropped[tile] = true;
  for (uint32_t source : sourcesOf(tile))
    ++awaited[source];
}

/// Whether \p tile is to be computed instead of loaded: because there is no
/// copy of it, or because all that it takes is there and it takes less time.
bool Placer::computesAgain(const Lane &lane, uint32_t tile, bool packed) const {
  if (rules.recompute == 0 || repeats[tile] == None || isDropped[tile])
    return rules.recompute > 0 && isDropped[tile];
  if (packed || !visited[tile])
    return false;
  for (uint32_t source : problem.operands(repeats[tile]))
    if (segmentOf[source] == None || !visited[source])
      return false;
  return problem.tasks[repeats[tile]].cost <=
         rules.recompute * machine.copySeconds(lane.backing, lane.memory,
                                               problem.tiles[tile].bytes);
}

/// Lists the task that computes \p tile, which has a range, once more.
void Placer::emitAgain(Lane &lane, uint32_t tile) {
  uint32_t task = repeats[tile];
  scratch.clear();
  for (uint32_t source : problem.operands(task))
    scratch.push_back(access(source, Role::Read));
  scratch.push_back(access(tile, Role::Write));
  OpInfo info;
  info.task = task;
  info.engine = machine.computeEngine(problem.tasks[task].device);
  plan->ops.push_back(info);
  plan->placement.addOp(OpKind::Call, scratch);
  if (isTimed()) {
    uint64_t earliest = freeSince(lane.memory, segmentOf[tile]);
    for (uint32_t source : problem.operands(task))
      earliest = std::max(earliest, readyAt[source]);
    readyAt[tile] = occupy(info.engine, earliest, problem.tasks[task].cost);
  }
  uint64_t age = ageAt(lane, readyAt[tile]);
  for (uint32_t source : problem.operands(task))
    lastTime[source] = std::max(lastTime[source], age);
  if (!isDropped[tile])
    return;
  isDropped[tile] = false;
  for (uint32_t source : sourcesOf(tile))
    --awaited[source];
}

/// Computes \p tile again where everything but the step at hand has left: the
/// operands lie above it for a moment.
bool Placer::recomputePacked(Lane &lane, uint32_t tile) {
  segmentOf[tile] = findRange(lane, problem.tiles[tile].bytes, tile, true);
  if (segmentOf[tile] == None)
    return false;
  std::vector<uint32_t> brought;
  for (uint32_t source : sourcesOf(tile)) {
    if (segmentOf[source] != None)
      continue;
    segmentOf[source] =
        findRange(lane, problem.tiles[source].bytes, source, true);
    load(source);
    brought.push_back(source);
  }
  emitAgain(lane, tile);
  for (uint32_t source : brought)
    evict(lane, source);
  return true;
}

/// Finds ranges for \p tile and for what it is computed from; the latter are
/// loaded. False where there is no room; then the tile has no range.
bool Placer::bringSources(Lane &lane, uint32_t tile,
                          const std::vector<uint32_t> &sources) {
  for (uint32_t source : sources) {
    if (segmentOf[source] != None)
      continue;
    uint32_t segment =
        findRange(lane, problem.tiles[source].bytes, source, false);
    if (segment == None)
      return false;
    segmentOf[source] = segment;
    load(source);
  }
  segmentOf[tile] = findRange(lane, problem.tiles[tile].bytes, tile, false);
  return segmentOf[tile] != None;
}

/// Computes \p tile again, as a load would bring it.
bool Placer::recompute(Lane &lane, uint32_t tile, bool packed) {
  if (packed)
    return recomputePacked(lane, tile);
  // What is needed for it must not leave meanwhile.
  std::vector<uint32_t> sources = sourcesOf(tile), touched;
  for (uint32_t source : sources) {
    touched.push_back(lastTouch[source]);
    lastTouch[source] = lane.allocated;
  }
  bool done = bringSources(lane, tile, sources);
  if (done)
    emitAgain(lane, tile);
  for (size_t i = 0; i < sources.size(); ++i) {
    uint32_t source = sources[i];
    lastTouch[source] = touched[i];
    if (segmentOf[source] != None && !inWindow(lane, source) &&
        nextUse[source] != useBegin[source + 1])
      pushEvictable(lane, source);
  }
  return done;
}
