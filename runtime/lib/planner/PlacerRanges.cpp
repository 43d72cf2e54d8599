//===- PlacerRanges.cpp - How ranges in a device's memory are chosen ------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placer.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace turnip;
using namespace turnip::planner;

/// Of the resident tiles those needed farthest in the future are compared,
/// this many at a time and at most this many in all.
static constexpr size_t victimBatch = 16, victimLimit = 64;
/// Segments that a window may extend to either side.
static constexpr unsigned windowReach = 32;

/// In a memory that could hold everything: operations that pass before a range
/// is used again, and steps that allocation runs ahead. Bounds what a long
/// graph takes without making it wait.
static constexpr uint64_t roomyRest = 4096;

//===----------------------------------------------------------------------===//
// The allocating cursor
//===----------------------------------------------------------------------===//

uint64_t Placer::workspaceIn(const Lane &lane, uint32_t task) const {
  if (task == None)
    return 0;
  uint32_t memory = problem.devices[problem.tasks[task].device].memory;
  return memory == lane.memory ? problem.tasks[task].workspace : 0;
}

/// Whether the result \p tile of the next step is likely to take over a range
/// that the window counts already.
bool Placer::takesOver(const Lane &lane, uint32_t task, uint32_t tile) const {
  for (const InPlacePair &pair : problem.inPlacePairs(task)) {
    uint32_t operand = problem.operands(task)[pair.operand];
    if (rules.inPlace && problem.results(task)[pair.result] == tile &&
        uses[useBegin[operand + 1] - 1] == lane.allocated)
      return true;
  }
  return findDying(lane, tile) != lane.dying.size();
}

/// Bytes that the next step adds to the window between the cursors.
uint64_t Placer::newBytes(const Lane &lane) const {
  const Arena &arena = arenas[lane.memory];
  uint64_t bytes = 0;
  auto add = [&](ArrayView<uint32_t> tiles) {
    for (uint32_t tile : tiles)
      if (problem.tiles[tile].memory == lane.memory && !inWindow(lane, tile))
        bytes += arena.aligned(problem.tiles[tile].bytes);
  };
  uint32_t task = lane.steps[lane.allocated];
  if (task == None) {
    add(lane.exitTiles);
    return bytes;
  }
  add(problem.operands(task));
  for (uint32_t tile : problem.results(task))
    if (!takesOver(lane, task, tile))
      add({&tile, 1});
  return bytes + arena.aligned(workspaceIn(lane, task));
}

/// Divides the lane's steps into layers of neighbours whose distinct bytes take
/// up to half of the memory; a step that needs more is a layer of its own.
void Placer::listLayers(Lane &lane) {
  const Arena &arena = arenas[lane.memory];
  uint64_t half = problem.memories[lane.memory].capacity / 2, held = 0;
  uint32_t layer = 0;
  std::vector<uint32_t> seenIn(problem.tiles.size(), None);
  for (uint32_t step = 0; step + 1 < lane.steps.size(); ++step) {
    uint32_t task = lane.steps[step];
    for (bool again : {false, true}) {
      uint64_t more = arena.aligned(workspaceIn(lane, task));
      for (ArrayView<uint32_t> list :
           {problem.operands(task), problem.results(task)})
        for (uint32_t tile : list)
          if (problem.tiles[tile].memory == lane.memory &&
              seenIn[tile] != layer) {
            more += arena.aligned(problem.tiles[tile].bytes);
            seenIn[tile] = layer;
          }
      held += more;
      if (again || held == more || held <= half)
        break;
      lane.layerEnds.push_back(step);
      ++layer;
      held = 0;
    }
  }
  lane.layerEnds.push_back(static_cast<uint32_t>(lane.steps.size()));
}

/// Whether the rules let allocation run one step farther ahead.
bool Placer::mayAdvance(const Lane &lane) const {
  uint32_t ahead = lane.allocated - lane.executed;
  if (rules.layers) {
    size_t last = std::min<size_t>(lane.layer + 1, lane.layerEnds.size() - 1);
    return lane.allocated < lane.layerEnds[last];
  }
  if (isTimed() && ahead != 0 && lane.piece == 0 && !wantsLoads(lane))
    return false;
  if (ahead != 0 && lane.piece == 0 &&
      lane.windowBytes + newBytes(lane) > lane.budget)
    return false;
  return !lane.roomy || ahead < roomyRest;
}

void Placer::advance(Lane &lane) {
  while (rules.tasksAhead == None && lane.allocated < lane.steps.size() &&
         failure.isOk() && mayAdvance(lane))
    if (!allocateStep(lane, false))
      return;
}

/// Moves the cursor that all lanes share: a task that finds no room on one of
/// them stops it for all.
void Placer::advanceTogether() {
  if (rules.tasksAhead == None)
    return;
  std::vector<uint32_t> touched;
  for (; passed < order.size() && passed - position < rules.tasksAhead &&
         failure.isOk();
       ++passed) {
    lanesOf(order[passed], touched);
    for (uint32_t id : touched)
      if (lanes[id].allocated <= lanes[id].reached &&
          !allocateStep(lanes[id], false))
        return;
    for (uint32_t id : touched)
      ++lanes[id].reached;
  }
}

uint32_t Placer::numPieces(const Lane &lane) const {
  uint32_t task = lane.steps[lane.allocated];
  if (task == None)
    return static_cast<uint32_t>(lane.exitTiles.size());
  return static_cast<uint32_t>(problem.operands(task).size() +
                               problem.results(task).size() + 1);
}

bool Placer::allocateStep(Lane &lane, bool packed) {
  uint32_t count = numPieces(lane);
  for (; lane.piece < count; ++lane.piece)
    if (!allocatePiece(lane, lane.piece, packed))
      return false;
  lane.piece = 0;
  listDying(lane);
  if (lane.steps[lane.allocated] != None)
    lane.windowTime += timeOf(lane.steps[lane.allocated]);
  ++lane.allocated;
  return true;
}

bool Placer::allocatePiece(Lane &lane, uint32_t piece, bool packed) {
  uint32_t task = lane.steps[lane.allocated];
  if (task == None)
    return allocateOperand(lane, lane.exitTiles[piece], packed);
  ArrayView<uint32_t> operands = problem.operands(task);
  ArrayView<uint32_t> results = problem.results(task);
  auto elsewhere = [&](uint32_t tile) {
    return problem.tiles[tile].memory != lane.memory;
  };
  if (piece < operands.size())
    return elsewhere(operands[piece]) ||
           allocateOperand(lane, operands[piece], packed);
  piece -= static_cast<uint32_t>(operands.size());
  if (piece < results.size())
    return elsewhere(results[piece]) ||
           allocateResult(lane, results[piece], packed);
  uint64_t bytes = workspaceIn(lane, task);
  if (bytes == 0)
    return true;
  if (!packed && shareWorkspace(lane, bytes))
    return true;
  uint32_t segment = findRange(lane, bytes, None, packed);
  if (segment == None)
    return false;
  lane.workspaces.push_back({segment, false});
  lane.windowBytes += arenas[lane.memory][segment].bytes;
  return true;
}

//===----------------------------------------------------------------------===//
// Ranges that fall free between the cursors
//===----------------------------------------------------------------------===//

uint32_t Placer::rangeOf(uint32_t tile) const {
  while (segmentOf[tile] == None && inPlaceOf[tile] != None)
    tile = inPlaceOf[tile];
  return segmentOf[tile];
}

/// Remembers the tiles that the step just allocated uses last.
void Placer::listDying(Lane &lane) {
  uint32_t task = lane.steps[lane.allocated];
  if (!rules.inherit || lane.roomy || task == None)
    return;
  ArrayView<uint32_t> results = problem.results(task);
  auto list = [&](uint32_t tile) {
    if (problem.tiles[tile].memory != lane.memory ||
        nextUse[tile] != useBegin[tile + 1] || heirOf[tile] != None)
      return;
    for (uint32_t result : results)
      if (inPlaceOf[result] == tile)
        return;
    if (lane.dying.empty() || lane.dying.back() != tile)
      lane.dying.push_back(tile);
  };
  for (uint32_t tile : problem.operands(task))
    list(tile);
  for (uint32_t tile : results)
    list(tile);
}

/// Gives the result \p tile the range of a tile that dies between the cursors:
/// the result is written after that one's last use anyway. Only a result: a
/// load would have to be planned after that use.
bool Placer::inheritRange(Lane &lane, uint32_t tile) {
  while (!lane.dying.empty() && !isDying(lane, lane.dying.front()))
    lane.dying.pop_front();
  size_t index = findDying(lane, tile);
  if (index == lane.dying.size())
    return false;
  uint32_t other = lane.dying[index];
  heirOf[other] = tile;
  // Its range may be that of the operand in whose place it will be written.
  for (uint32_t at = other; at != None; at = inPlaceOf[at])
    isPromised[at] = true;
  segmentOf[tile] = rangeOf(other);
  lane.dying.erase(lane.dying.begin() + static_cast<ptrdiff_t>(index));
  return true;
}

/// The first of the lane's dying tiles whose range suits \p tile, or their
/// number.
size_t Placer::findDying(const Lane &lane, uint32_t tile) const {
  // Slack may be wasted up to this share of the range.
  constexpr uint64_t slackShare = 8;
  constexpr size_t lookLimit = 64;
  const Arena &arena = arenas[lane.memory];
  uint64_t bytes = arena.aligned(problem.tiles[tile].bytes);
  for (size_t i = 0; i < std::min(lane.dying.size(), lookLimit); ++i) {
    if (!isDying(lane, lane.dying[i]))
      continue;
    // The range may yet be cut to the size of the tile that holds it then.
    uint64_t held = arena.aligned(problem.tiles[lane.dying[i]].bytes);
    if (held >= bytes && held - bytes <= bytes / slackShare)
      return i;
  }
  return lane.dying.size();
}

/// Lets the step use the scratch range of the last step that has one, if that
/// is large enough and not carried out yet.
bool Placer::shareWorkspace(Lane &lane, uint64_t bytes) {
  constexpr uint64_t wasteFactor = 4;
  if (!rules.inherit || lane.roomy || lane.workspaces.empty())
    return false;
  uint64_t held = arenas[lane.memory][lane.workspaces.back().segment].bytes;
  if (held < bytes || held / wasteFactor > bytes)
    return false;
  lane.workspaces.back().shared = true;
  lane.workspaces.push_back({lane.workspaces.back().segment, false});
  return true;
}

bool Placer::allocateOperand(Lane &lane, uint32_t tile, bool packed) {
  bool isThere = segmentOf[tile] != None || inPlaceOf[tile] != None;
  if (!isThere && computesAgain(lane, tile, packed)) {
    if (!recompute(lane, tile, packed))
      return false;
  } else if (!isThere) {
    uint32_t segment = findRange(lane, problem.tiles[tile].bytes, tile, packed);
    if (segment == None)
      return false;
    segmentOf[tile] = segment;
    load(tile);
  }
  touch(lane, tile);
  return true;
}

bool Placer::allocateResult(Lane &lane, uint32_t tile, bool packed) {
  if (segmentOf[tile] == None && inPlaceOf[tile] == None) {
    uint32_t task = lane.steps[lane.allocated];
    inPlaceOf[tile] = inPlaceOperand(lane, task, tile);
    bool inherits = inPlaceOf[tile] == None && !packed && rules.inherit &&
                    !lane.roomy && inheritRange(lane, tile);
    if (inherits) {
      touch(lane, tile, /*counts=*/false);
      return true;
    }
    if (inPlaceOf[tile] == None)
      segmentOf[tile] =
          findRange(lane, problem.tiles[tile].bytes, tile, packed);
    if (inPlaceOf[tile] == None && segmentOf[tile] == None)
      return false;
    if (inPlaceOf[tile] != None)
      isPromised[inPlaceOf[tile]] = true;
  }
  touch(lane, tile, /*counts=*/inPlaceOf[tile] == None);
  return true;
}

/// The operand whose range \p result may take over, or None: one that the task
/// allows, that nobody uses later, and that it reads through no other operand.
uint32_t Placer::inPlaceOperand(const Lane &lane, uint32_t task,
                                uint32_t result) const {
  if (!rules.inPlace)
    return None;
  ArrayView<uint32_t> operands = problem.operands(task);
  ArrayView<uint32_t> results = problem.results(task);
  for (const InPlacePair &pair : problem.inPlacePairs(task)) {
    uint32_t tile = operands[pair.operand];
    if (results[pair.result] != result ||
        problem.tiles[tile].memory != lane.memory ||
        nextUse[tile] != useBegin[tile + 1] ||
        std::count(operands.begin(), operands.end(), tile) != 1)
      continue;
    bool taken = false;
    for (uint32_t other : results)
      taken |= inPlaceOf[other] == tile;
    if (!taken)
      return tile;
  }
  return None;
}

void Placer::touch(Lane &lane, uint32_t tile, bool counts) {
  if (counts && !inWindow(lane, tile)) {
    lane.windowBytes += arenas[lane.memory].aligned(problem.tiles[tile].bytes);
    isCounted[tile] = true;
  }
  lastTouch[tile] = lane.allocated;
  uint32_t &next = nextUse[tile];
  while (next != useBegin[tile + 1] && uses[next] <= lane.allocated)
    ++next;
}

void Placer::load(uint32_t tile) {
  CopyRole role = visited[tile] ? CopyRole::Reload : CopyRole::Load;
  visited[tile] = true;
  Access source = hostAccess(copyOf[tile], tile, Role::Read);
  Access destination = access(tile, Role::Write);
  uint32_t op = emitCopy(role, None, source, destination);
  uint64_t earliest = std::max(freeSince(destination.memory, segmentOf[tile]),
                               hostCopies[copyOf[tile]].ready);
  readyAt[tile] = timeCopy(source, destination, earliest);
  uint32_t before = lanes[laneOf(tile)].lastOp;
  if (rules.onDemand && before != None)
    plan->placement.edges.push_back({before, op, EdgeKind::Memory});
  if (rules.forgetCopies) {
    dropHostCopy(copyOf[tile]);
    copyOf[tile] = None;
  }
}

uint32_t Placer::findRange(Lane &lane, uint64_t bytes, uint32_t owner,
                           bool packed) {
  Arena &arena = arenas[lane.memory];
  if (packed) {
    uint32_t segment = arena.lowest();
    while (segment != None && !arena[segment].free)
      segment = arena[segment].next;
    return segment == None ? None : arena.takeLow(segment, bytes, owner);
  }
  uint32_t segment = None;
  if (rules.firstFit)
    segment = arena.allocateFirst(bytes, owner);
  else if (lane.roomy)
    segment = findRested(arena, bytes, owner, roomyRest);
  else if (isTimed())
    segment = arena.allocateTight(bytes, owner, wantedBy(lane, owner) + 1);
  if (segment == None && !rules.firstFit)
    segment = arena.allocate(bytes, owner);
  if (segment != None)
    return segment;
  if (rules.victims != PlacerRules::Victims::Window)
    return evictInOrder(lane, arena.aligned(bytes))
               ? arena.allocateFirst(bytes, owner)
               : None;
  Window window;
  if (!evictFor(lane, arena.aligned(bytes), window))
    return None;
  return arena.take(window.first, window.last, bytes, owner);
}

//===----------------------------------------------------------------------===//
// Eviction
//===----------------------------------------------------------------------===//

/// What goes first has the largest key.
uint32_t Placer::victimKey(uint32_t tile) const {
  if (rules.victims != PlacerRules::Victims::LeastRecent)
    return uses[nextUse[tile]];
  return lastTouch[tile] == None ? None : None - 1 - lastTouch[tile];
}

void Placer::pushEvictable(Lane &lane, uint32_t tile) {
  lane.evictable.emplace_back(victimKey(tile), tile);
  std::push_heap(lane.evictable.begin(), lane.evictable.end());
}

bool Placer::canEvict(const Lane &lane, const Arena::Segment &segment) const {
  if (segment.owner == None || inWindow(lane, segment.owner))
    return false;
  if (lane.allocated == lane.executed)
    return true;
  if (!isPatient(lane, segment.owner))
    return false;
  if (rules.guard == 0)
    return true;
  double distance = static_cast<double>(uses[nextUse[segment.owner]]) -
                    static_cast<double>(lane.allocated);
  return distance >= rules.guard * (lane.allocated - lane.executed);
}

/// Bytes that come and go because of an eviction, the less the farther away
/// the next use is: whatever frees a byte for twice as long is worth twice.
double Placer::evictionCost(const Lane &lane, uint32_t tile) {
  double bytes = static_cast<double>(problem.tiles[tile].bytes);
  if (copyOf[tile] == None) {
    double price = priceOfDropping(lane, tile);
    bytes *= price < 0 ? rules.dirtyCost : price;
  }
  double distance = static_cast<double>(uses[nextUse[tile]]) -
                    static_cast<double>(lane.allocated) + 1;
  if (rules.distanceExponent != 1)
    distance = std::pow(distance, rules.distanceExponent);
  if (rules.recentCost > 0 && lastTouch[tile] != None)
    bytes *= 1 + rules.recentCost / (lane.executed - lastTouch[tile]);
  return bytes / distance;
}

/// Looks for the cheapest run of free and evictable segments that holds
/// \p bytes and includes \p center; updates \p best when it costs less.
void Placer::bestWindow(const Lane &lane, uint32_t center, uint64_t bytes,
                        Window &best) {
  const Arena &arena = arenas[lane.memory];
  auto usable = [&](uint32_t segment) {
    return segment != None &&
           (arena[segment].free || canEvict(lane, arena[segment]) ||
            canMove(lane, segment));
  };
  around.clear();
  uint64_t total = 0;
  uint32_t at = arena[center].previous;
  for (unsigned i = 0; i < windowReach && usable(at) && total < bytes; ++i) {
    around.push_back(at);
    total += arena[at].bytes;
    at = arena[at].previous;
  }
  std::reverse(around.begin(), around.end());
  size_t middle = around.size();
  around.push_back(center);
  total = arena[center].bytes;
  at = arena[center].next;
  for (unsigned i = 0; i < windowReach && usable(at) && total < bytes; ++i) {
    around.push_back(at);
    total += arena[at].bytes;
    at = arena[at].next;
  }
  auto cost = [&](uint32_t segment) {
    if (arena[segment].free)
      return 0.0;
    uint32_t tile = arena[segment].owner;
    double least = canEvict(lane, arena[segment])
                       ? evictionCost(lane, tile)
                       : std::numeric_limits<double>::max();
    return canMove(lane, segment) ? std::min(least, costOfMoving(tile)) : least;
  };
  uint64_t sum = 0;
  for (uint32_t segment : around)
    sum += arena[segment].bytes;
  if (sum < bytes) {
    // Whatever else lies here will not do either, unless reach ended the look.
    if (around.size() <= windowReach) {
      tooShort.resize(std::max(tooShort.size(), arena.numSegments()));
      for (uint32_t segment : around)
        tooShort[segment] = evictions;
    }
    return;
  }
  size_t last = 0;
  uint64_t held = 0;
  costs.assign(1, 0);
  for (uint32_t segment : around)
    costs.push_back(costs.back() + cost(segment));
  for (size_t first = 0; first <= middle; ++first) {
    while (last < around.size() && (held < bytes || last <= middle))
      held += arena[around[last++]].bytes;
    if (held < bytes)
      break;
    double sum = costs[last] - costs[first];
    if (best.first == None || sum < best.cost)
      best = {around[first], around[last - 1], sum};
    held -= arena[around[first]].bytes;
  }
}

/// Takes the next tile that may go off the heap; false when there is none.
bool Placer::popVictim(Lane &lane, std::pair<uint32_t, uint32_t> &entry) {
  while (!lane.evictable.empty() || !lane.lookedAt.empty()) {
    if (lane.evictable.empty() ||
        (!lane.lookedAt.empty() &&
         lane.lookedAt.back() >= lane.evictable.front())) {
      entry = lane.lookedAt.back();
      lane.lookedAt.pop_back();
    } else {
      std::pop_heap(lane.evictable.begin(), lane.evictable.end());
      entry = lane.evictable.back();
      lane.evictable.pop_back();
    }
    uint32_t tile = entry.second;
    // Touched again, gone or freed since: the entry means nothing any more.
    if (segmentOf[tile] != None && !inWindow(lane, tile) &&
        nextUse[tile] != useBegin[tile + 1] && victimKey(tile) == entry.first)
      return true;
  }
  return false;
}

/// Bytes of the run of segments around \p segment that are free or chosen to
/// go.
uint64_t Placer::runAround(const Lane &lane, uint32_t segment) const {
  const Arena &arena = arenas[lane.memory];
  auto usable = [&](uint32_t at) {
    return at != None && (arena[at].free ||
                          (arena[at].owner != None && chosen[arena[at].owner]));
  };
  uint64_t bytes = arena[segment].bytes;
  for (uint32_t at = arena[segment].previous; usable(at);
       at = arena[at].previous)
    bytes += arena[at].bytes;
  for (uint32_t at = arena[segment].next; usable(at); at = arena[at].next)
    bytes += arena[at].bytes;
  return bytes;
}

/// Evicts one tile after another until there is a run of \p bytes; evicts none
/// if there never would be.
bool Placer::evictInOrder(Lane &lane, uint64_t bytes) {
  popped.clear();
  chosen.resize(problem.tiles.size());
  bool found = false;
  std::pair<uint32_t, uint32_t> entry;
  while (!found && popVictim(lane, entry)) {
    // A tile may be on the heap twice.
    if (chosen[entry.second])
      continue;
    popped.push_back(entry);
    chosen[entry.second] = true;
    found = runAround(lane, segmentOf[entry.second]) >= bytes;
  }
  for (const auto &[key, tile] : popped) {
    chosen[tile] = false;
    if (found)
      evict(lane, tile);
    else
      pushEvictable(lane, tile);
  }
  return found;
}

/// Looks for the window that costs least.
bool Placer::findWindow(Lane &lane, uint64_t bytes, Window &window) {
  popped.clear();
  ++evictions;
  std::pair<uint32_t, uint32_t> entry;
  while (popped.size() < victimLimit &&
         (window.first == None || popped.size() < victimBatch) &&
         popVictim(lane, entry)) {
    if (popped.empty())
      leastCost = evictionCost(lane, entry.second) /
                  static_cast<double>(problem.tiles[entry.second].bytes);
    popped.push_back(entry);
    uint32_t segment = segmentOf[entry.second];
    if (segment >= tooShort.size() || tooShort[segment] != evictions)
      bestWindow(lane, segment, bytes, window);
  }
  // They came in descending order and are at least as large as what is left.
  lane.lookedAt.insert(lane.lookedAt.end(), popped.rbegin(), popped.rend());
  return window.first != None;
}

/// With \p mayDrop a tile that can be computed again need not be written back.
void Placer::evict(Lane &lane, uint32_t tile, bool mayDrop) {
  uint64_t age = lastTime[tile];
  if (copyOf[tile] == None && mayDrop && priceOfDropping(lane, tile) >= 0) {
    drop(tile);
  } else if (copyOf[tile] == None) {
    copyOf[tile] = newHostCopy(lane.backing, problem.tiles[tile].bytes);
    Access source = access(tile, Role::Read);
    Access destination = hostAccess(copyOf[tile], tile, Role::Write);
    emitCopy(CopyRole::Offload, None, source, destination);
    uint64_t end = timeCopy(source, destination, readyAt[tile]);
    hostCopies[copyOf[tile]].ready = end;
    age = std::max(age, ageAt(lane, end));
  }
  arenas[lane.memory].release(segmentOf[tile], age, /*keep=*/true);
  segmentOf[tile] = None;
}

//===----------------------------------------------------------------------===//
// The last resort
//===----------------------------------------------------------------------===//

/// Gives back the ranges of results that the step at hand has not written.
void Placer::releaseUnwritten(Lane &lane) {
  uint32_t task = lane.steps[lane.allocated];
  if (task == None)
    return;
  for (uint32_t tile : problem.results(task)) {
    if (problem.tiles[tile].memory != lane.memory || segmentOf[tile] == None)
      continue;
    arenas[lane.memory].release(segmentOf[tile], ageAt(lane, taskEnd),
                                /*keep=*/true);
    segmentOf[tile] = None;
  }
}

/// Evicts everything but the tiles of the step at hand, which is the next to
/// execute, and slides those to the lowest addresses: what is left is one run,
/// large enough for the rest of the step in any memory that holds the step.
void Placer::packStep(Lane &lane) {
  Arena &arena = arenas[lane.memory];
  releaseUnwritten(lane);
  lane.piece = 0;
  std::vector<uint32_t> kept;
  for (uint32_t at = arena.lowest(); at != None; at = arena[at].next) {
    if (arena[at].free)
      continue;
    uint32_t tile = arena[at].owner;
    if (canEvict(lane, arena[at]))
      evict(lane, tile);
    else
      kept.push_back(tile);
  }
  uint64_t target = 0;
  for (uint32_t tile : kept) {
    slide(lane, tile, target);
    target += arena.aligned(problem.tiles[tile].bytes);
  }
}

void Placer::moveTile(Lane &lane, uint32_t tile, uint32_t segment) {
  Access source = access(tile, Role::Read);
  uint32_t old = segmentOf[tile];
  segmentOf[tile] = segment;
  Access destination = access(tile, Role::Write);
  emitCopy(CopyRole::Move, None, source, destination);
  readyAt[tile] = timeCopy(source, destination,
                           std::max({readyAt[tile], lastTime[tile],
                                     freeSince(lane.memory, segment)}));
  arenas[lane.memory].release(old, ageAt(lane, readyAt[tile]),
                              /*keep=*/true);
}

/// Moves \p tile down to \p target; all below is packed, and nothing lies
/// between. A copy must not overlap itself: where the way is too short, it
/// goes over a free range above, or over host memory.
void Placer::slide(Lane &lane, uint32_t tile, uint64_t target) {
  Arena &arena = arenas[lane.memory];
  uint64_t bytes = arena.aligned(problem.tiles[tile].bytes);
  uint64_t offset = arena[segmentOf[tile]].offset;
  auto lowestFree = [&] {
    uint32_t at = arena.lowest();
    while (arena[at].offset != target)
      at = arena[at].next;
    return at;
  };
  if (offset == target)
    return;
  if (offset - target >= bytes) {
    moveTile(lane, tile, arena.takeLow(lowestFree(), bytes, tile));
    return;
  }
  uint64_t run = 0;
  uint32_t first = None;
  for (uint32_t at = arena[segmentOf[tile]].next; at != None && run < bytes;
       at = arena[at].next) {
    if (!arena[at].free) {
      run = 0;
      first = None;
      continue;
    }
    first = first == None ? at : first;
    run += arena[at].bytes;
  }
  if (run >= bytes) {
    moveTile(lane, tile, arena.takeLow(first, bytes, tile));
  } else {
    evict(lane, tile);
    segmentOf[tile] = arena.takeLow(lowestFree(), bytes, tile);
    load(tile);
    return;
  }
  moveTile(lane, tile, arena.takeLow(lowestFree(), bytes, tile));
}
