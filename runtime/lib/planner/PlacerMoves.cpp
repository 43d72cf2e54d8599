//===- PlacerMoves.cpp - Tiles that make room by moving -------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges do not change while a tile stays, so what is free, or may go, is soon
// in many pieces. A tile that is needed soon may move out of the way: to a
// range that is free or, in a memory of few pieces, to where tiles needed late
// are evicted for it.
//
//===----------------------------------------------------------------------===//

#include "Placer.h"

#include <algorithm>
#include <limits>

using namespace turnip;
using namespace turnip::planner;

/// Memories in more pieces are not looked at as a whole.
static constexpr size_t packingLimit = 512;
/// Tiles that move for one range, and windows that are looked at closely.
static constexpr size_t movesLimit = 6, windowsLimit = 24;

/// Whether the tile that holds a segment may go to another place.
bool Placer::canMove(const Lane &lane, uint32_t segment) const {
  const Arena &arena = arenas[lane.memory];
  uint32_t tile = arena[segment].owner;
  return moves && tile != None && segmentOf[tile] == segment &&
         !isPromised[tile] && arena.largestFree() >= arena[segment].bytes;
}

/// A tile that is not written yet moves for nothing.
double Placer::costOfMoving(uint32_t tile) const {
  return visited[tile] ? static_cast<double>(problem.tiles[tile].bytes) *
                             leastCost * rules.moveCost
                       : 0;
}

/// Empties a window: what is cheaper moved than evicted goes to free ranges
/// elsewhere, if there are any for all of it.
bool Placer::clearWindow(Lane &lane, const Window &window) {
  Arena &arena = arenas[lane.memory];
  uint64_t low = arena[window.first].offset;
  uint64_t high = arena[window.last].offset + arena[window.last].bytes;
  std::vector<std::pair<uint32_t, uint32_t>> moved;
  std::vector<uint32_t> gone;
  for (uint32_t at = window.first;; at = arena[at].next) {
    uint32_t tile = arena[at].owner;
    bool evicts = !arena[at].free && canEvict(lane, arena[at]);
    bool goes = arena[at].free ||
                (evicts && (!canMove(lane, at) ||
                            evictionCost(lane, tile) <= costOfMoving(tile)));
    if (!goes) {
      uint32_t target =
          arena.allocateOutside(problem.tiles[tile].bytes, tile, low, high);
      if (target == None && !evicts) {
        for (const auto &move : moved)
          arena.release(move.second, arena[move.second].age, /*keep=*/true);
        return false;
      }
      goes = target == None;
      if (!goes)
        moved.emplace_back(tile, target);
    }
    if (goes && !arena[at].free)
      gone.push_back(tile);
    if (at == window.last)
      break;
  }
  for (uint32_t tile : gone)
    evict(lane, tile, /*mayDrop=*/true);
  for (auto [tile, target] : moved) {
    if (visited[tile]) {
      moveTile(lane, tile, target);
      lastTime[tile] = ageAt(lane, readyAt[tile]);
      continue;
    }
    arena.release(segmentOf[tile], arena[segmentOf[tile]].age, /*keep=*/true);
    segmentOf[tile] = target;
  }
  return true;
}

/// Makes a run of \p bytes, by moving tiles if the rules allow that and else
/// by evicting neighbours.
bool Placer::evictFor(Lane &lane, uint64_t bytes, Window &window) {
  if (rules.moveCost > 0 && arenas[lane.memory].numSegments() <= packingLimit) {
    moves = false;
    bool found = findWindow(lane, bytes, window);
    listPieces(lane);
    Packing packing;
    if (findPacking(lane, bytes,
                    found ? window.cost : std::numeric_limits<double>::max(),
                    packing)) {
      window = carryOut(lane, packing);
      return true;
    }
    return found && clearWindow(lane, window);
  }
  moves = rules.moveCost > 0;
  bool done = findWindow(lane, bytes, window) && clearWindow(lane, window);
  if (done || !moves)
    return done;
  moves = false;
  window = Window();
  return findWindow(lane, bytes, window) && clearWindow(lane, window);
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// Lists all pieces of the memory in the order of addresses. The tiles in
/// `popped` may be evicted.
void Placer::listPieces(const Lane &lane) {
  const Arena &arena = arenas[lane.memory];
  chosen.resize(problem.tiles.size());
  for (const auto &entry : popped)
    chosen[entry.second] = true;
  pieces.clear();
  for (uint32_t at = arena.lowest(); at != None; at = arena[at].next) {
    Piece piece;
    piece.segment = at;
    piece.kind = arena[at].free ? Piece::Kind::Free : Piece::Kind::Fixed;
    uint32_t tile = arena[at].owner;
    if (!arena[at].free && tile != None && segmentOf[tile] == at &&
        !isPromised[tile]) {
      piece.kind = Piece::Kind::Movable;
      piece.move = costOfMoving(tile);
      if (chosen[tile] && canEvict(lane, arena[at])) {
        piece.kind = Piece::Kind::Victim;
        piece.eviction = evictionCost(lane, tile);
      }
    }
    pieces.push_back(piece);
  }
  for (const auto &entry : popped)
    chosen[entry.second] = false;
}

/// Lists the runs of free and evictable pieces outside of a packing's window.
void Placer::listHoles(const Lane &lane, const Packing &packing) {
  const Arena &arena = arenas[lane.memory];
  holes.clear();
  bool open = false;
  for (size_t i = 0; i < pieces.size(); ++i) {
    bool usable = (i < packing.first || i > packing.last) &&
                  (pieces[i].kind == Piece::Kind::Free ||
                   pieces[i].kind == Piece::Kind::Victim);
    const Arena::Segment &segment = arena[pieces[i].segment];
    if (usable && !open)
      holes.push_back({segment.offset, segment.offset, i});
    if (usable)
      holes.back().end = segment.offset + segment.bytes;
    open = usable;
  }
}

/// Takes the start of the hole where that costs least for a tile; returns false
/// if there is none or the packing then costs at least \p limit.
bool Placer::fillHole(const Lane &lane, uint32_t tile, Packing &packing,
                      double limit) {
  const Arena &arena = arenas[lane.memory];
  uint64_t bytes = arena.aligned(problem.tiles[tile].bytes);
  // Calls visit for the pieces that begin in what the tile would take.
  auto forEachTaken = [&](const Hole &hole, auto visit) {
    for (size_t i = hole.piece; i < pieces.size(); ++i) {
      uint64_t offset = arena[pieces[i].segment].offset;
      if (offset >= hole.begin + bytes)
        return;
      if (offset >= hole.begin)
        visit(i);
    }
  };
  Hole *best = nullptr;
  double bestCost = 0;
  for (Hole &hole : holes) {
    uint64_t room = hole.end - hole.begin;
    if (room < bytes)
      continue;
    double cost = 0;
    forEachTaken(hole, [&](size_t i) { cost += pieces[i].eviction; });
    if (!best || cost < bestCost ||
        (cost == bestCost && room < best->end - best->begin)) {
      best = &hole;
      bestCost = cost;
    }
  }
  if (!best || packing.cost + bestCost >= limit)
    return false;
  packing.cost += bestCost;
  packing.moved.emplace_back(tile, best->piece);
  forEachTaken(*best, [&](size_t i) {
    if (pieces[i].kind == Piece::Kind::Victim)
      packing.evicted.push_back(i);
  });
  best->begin += bytes;
  return true;
}

/// Finds places outside of the packing's window for the tiles in it, the
/// largest first; returns false if there are none or all of it costs at least
/// \p limit.
bool Placer::settle(const Lane &lane, Packing &packing, double limit) {
  std::vector<size_t> homeless;
  for (size_t i = packing.first; i <= packing.last; ++i) {
    if (pieces[i].moves())
      homeless.push_back(i);
    else if (pieces[i].kind == Piece::Kind::Victim)
      packing.evicted.push_back(i);
  }
  const Arena &arena = arenas[lane.memory];
  std::sort(homeless.begin(), homeless.end(), [&](size_t a, size_t b) {
    uint64_t bytesA = arena[pieces[a].segment].bytes;
    uint64_t bytesB = arena[pieces[b].segment].bytes;
    return bytesA != bytesB ? bytesA > bytesB : a < b;
  });
  listHoles(lane, packing);
  for (size_t i : homeless) {
    if (fillHole(lane, arena[pieces[i].segment].owner, packing, limit))
      continue;
    packing.cost += pieces[i].eviction - pieces[i].move;
    if (pieces[i].kind != Piece::Kind::Victim || packing.cost >= limit)
      return false;
    packing.evicted.push_back(i);
  }
  return true;
}

/// Looks for the packing that costs least and less than \p limit.
bool Placer::findPacking(const Lane &lane, uint64_t bytes, double limit,
                         Packing &best) {
  const Arena &arena = arenas[lane.memory];
  std::vector<Packing> windows;
  uint64_t held = 0;
  size_t first = 0, movers = 0;
  double cost = 0;
  auto drop = [&](const Piece &piece) {
    held -= arena[piece.segment].bytes;
    cost -= piece.cost();
    movers -= piece.moves();
  };
  for (size_t last = 0; last < pieces.size(); ++last) {
    const Piece &piece = pieces[last];
    if (piece.kind == Piece::Kind::Fixed) {
      first = last + 1;
      held = movers = 0;
      cost = 0;
      continue;
    }
    held += arena[piece.segment].bytes;
    cost += piece.cost();
    movers += piece.moves();
    while (held - arena[pieces[first].segment].bytes >= bytes)
      drop(pieces[first++]);
    if (held >= bytes && movers > 0 && movers <= movesLimit && cost < limit)
      windows.push_back({first, last, cost, {}, {}});
  }
  std::sort(windows.begin(), windows.end(),
            [](const Packing &a, const Packing &b) {
              return a.cost != b.cost ? a.cost < b.cost : a.first < b.first;
            });
  bool found = false;
  for (size_t i = 0; i < std::min(windows.size(), windowsLimit); ++i) {
    if (windows[i].cost >= limit)
      break;
    if (!settle(lane, windows[i], limit))
      continue;
    limit = windows[i].cost;
    best = std::move(windows[i]);
    found = true;
  }
  return found;
}

/// Evicts and moves what the packing says; returns its window, now free.
Placer::Window Placer::carryOut(Lane &lane, const Packing &packing) {
  Arena &arena = arenas[lane.memory];
  Window window{pieces[packing.first].segment, pieces[packing.last].segment,
                packing.cost};
  for (size_t i : packing.evicted)
    evict(lane, arena[pieces[i].segment].owner, /*mayDrop=*/true);
  // Where the rest of a hole begins.
  std::vector<std::pair<size_t, uint32_t>> rests;
  for (auto [tile, hole] : packing.moved) {
    uint32_t segment = pieces[hole].segment;
    for (const auto &rest : rests)
      if (rest.first == hole)
        segment = rest.second;
    uint32_t target = arena.takeLow(segment, problem.tiles[tile].bytes, tile);
    rests.emplace_back(hole, arena[target].next);
    if (visited[tile]) {
      moveTile(lane, tile, target);
      lastTime[tile] = ageAt(lane, readyAt[tile]);
      continue;
    }
    arena.release(segmentOf[tile], arena[segmentOf[tile]].age, /*keep=*/true);
    segmentOf[tile] = target;
  }
  return window;
}
