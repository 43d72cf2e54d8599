//===- Edges.cpp - Which operation waits for which ------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Edges.h"
#include "HappensBefore.h"

#include <algorithm>
#include <map>

using namespace turnip;
using namespace turnip::planner;

namespace {
/// What a range was written by last, and who has read that since.
struct Occupant {
  uint32_t writer = None;
  /// A join of all readers, once there is one.
  uint32_t join = None;
  /// Segments that still belong to it.
  uint32_t segments = 0;
  std::vector<uint32_t> readers;
};

struct Segment {
  uint64_t end = 0;
  uint32_t occupant = 0;
};

/// Walks the operations once and collects edges. New numbers leave room for
/// the joins that come up on the way.
class EdgeFinder {
public:
  explicit EdgeFinder(Plan &plan)
      : plan(plan), old(plan.placement),
        memories(plan.placement.memories.size()) {}

  void run();

private:
  using SegmentMap = std::map<uint64_t, Segment>;

  void read(const Access &access, uint32_t op);
  void write(const Access &access, uint32_t op);
  void waitForAll(uint32_t occupant, uint32_t op, bool whole);
  uint32_t newOccupant(uint32_t writer);
  void removeSegment(uint32_t occupant);
  void addEdge(uint32_t from, uint32_t to, EdgeKind kind) {
    if (from != None && from != to)
      edges.push_back({from, to, kind});
  }

  Plan &plan;
  const Placement &old;
  std::vector<SegmentMap> memories;
  std::vector<Occupant> occupants;
  std::vector<uint32_t> spare;
  /// Edges and joins by old numbers; join i is numbered old.numOps() + i and
  /// comes right before operation joinBefore[i].
  std::vector<Edge> edges;
  std::vector<uint32_t> joinBefore;

  void renumber();
};
} // namespace

/// With this many readers, operations that overwrite parts of a range wait for
/// one join instead of for each reader.
static constexpr size_t joinThreshold = 8;

uint32_t EdgeFinder::newOccupant(uint32_t writer) {
  uint32_t id;
  if (spare.empty()) {
    id = static_cast<uint32_t>(occupants.size());
    occupants.emplace_back();
  } else {
    id = spare.back();
    spare.pop_back();
  }
  occupants[id].writer = writer;
  occupants[id].segments = 1;
  return id;
}

void EdgeFinder::removeSegment(uint32_t id) {
  Occupant &occupant = occupants[id];
  if (--occupant.segments != 0)
    return;
  occupant.join = None;
  occupant.readers.clear();
  spare.push_back(id);
}

void EdgeFinder::read(const Access &access, uint32_t op) {
  auto found = memories[access.memory].find(access.offset);
  Occupant &occupant = occupants[found->second.occupant];
  addEdge(occupant.writer, op, EdgeKind::Data);
  if (occupant.readers.empty() || occupant.readers.back() != op)
    occupant.readers.push_back(op);
}

void EdgeFinder::waitForAll(uint32_t id, uint32_t op, bool whole) {
  Occupant &occupant = occupants[id];
  if (occupant.readers.empty()) {
    addEdge(occupant.writer, op, EdgeKind::Memory);
    return;
  }
  bool last = whole && occupant.segments == 1;
  if (occupant.join == None &&
      (last || occupant.readers.size() <= joinThreshold)) {
    for (uint32_t reader : occupant.readers)
      addEdge(reader, op, EdgeKind::Memory);
    return;
  }
  if (occupant.join == None) {
    occupant.join = old.numOps() + static_cast<uint32_t>(joinBefore.size());
    joinBefore.push_back(op);
    // An operation that reads what it overwrites cannot wait for itself.
    for (uint32_t reader : occupant.readers)
      if (reader != op)
        addEdge(reader, occupant.join, EdgeKind::Memory);
  }
  addEdge(occupant.join, op, EdgeKind::Memory);
}

void EdgeFinder::write(const Access &access, uint32_t op) {
  SegmentMap &map = memories[access.memory];
  uint64_t begin = access.offset, end = access.offset + access.bytes;
  auto at = map.upper_bound(begin);
  if (at != map.begin() && std::prev(at)->second.end > begin)
    --at;
  while (at != map.end() && at->first < end) {
    uint64_t from = at->first;
    Segment segment = at->second;
    bool whole = from >= begin && segment.end <= end;
    waitForAll(segment.occupant, op, whole);
    at = map.erase(at);
    if (from < begin) {
      map[from] = {begin, segment.occupant};
      ++occupants[segment.occupant].segments;
    }
    if (segment.end > end) {
      at = map.emplace_hint(at, end, Segment{segment.end, segment.occupant});
      ++occupants[segment.occupant].segments;
    }
    removeSegment(segment.occupant);
  }
  map[begin] = {end, newOccupant(op)};
}

void EdgeFinder::run() {
  edges = old.edges;
  for (const Piece &piece : old.entry)
    if (old.memories[piece.memory].writable)
      memories[piece.memory][piece.offset] = {piece.offset + piece.bytes,
                                              newOccupant(None)};
  for (uint32_t op = 0; op < old.numOps(); ++op) {
    for (const Access &access : old.accessesOf(op))
      if (access.role == Role::Read && old.memories[access.memory].writable)
        read(access, op);
    for (const Access &access : old.accessesOf(op))
      if (access.role != Role::Read)
        write(access, op);
  }
  renumber();
}

static bool comesBefore(const Edge &a, const Edge &b) {
  if (a.to != b.to)
    return a.to < b.to;
  if (a.from != b.from)
    return a.from < b.from;
  return a.kind < b.kind;
}

void EdgeFinder::renumber() {
  Plan result;
  std::vector<uint32_t> number(old.numOps() + joinBefore.size());
  size_t join = 0;
  for (uint32_t op = 0; op < old.numOps(); ++op) {
    for (; join < joinBefore.size() && joinBefore[join] == op; ++join) {
      number[old.numOps() + join] =
          result.placement.addOp(OpKind::Join, ArrayView<Access>());
      result.ops.emplace_back();
    }
    number[op] = result.placement.addOp(old.kinds[op], old.accessesOf(op));
    result.ops.push_back(plan.ops[op]);
  }
  for (Edge &edge : edges) {
    edge.from = number[edge.from];
    edge.to = number[edge.to];
  }
  std::sort(edges.begin(), edges.end(), comesBefore);
  // Where both kinds join the same two operations the data edge, which sorts
  // first, stays.
  edges.erase(std::unique(edges.begin(), edges.end(),
                          [](const Edge &a, const Edge &b) {
                            return a.from == b.from && a.to == b.to;
                          }),
              edges.end());
  plan.placement.kinds = std::move(result.placement.kinds);
  plan.placement.accessBegin = std::move(result.placement.accessBegin);
  plan.placement.accesses = std::move(result.placement.accesses);
  plan.placement.edges = std::move(edges);
  plan.ops = std::move(result.ops);
}

void planner::addEdges(Plan &plan) { EdgeFinder(plan).run(); }

void planner::pruneEdges(Plan &plan) {
  std::vector<Edge> &edges = plan.placement.edges;
  std::vector<AncestorWindow> windows(plan.placement.numOps());
  size_t kept = 0, begin = 0;
  while (begin < edges.size()) {
    uint32_t op = edges[begin].to;
    size_t end = begin;
    while (end < edges.size() && edges[end].to == op)
      ++end;
    // The latest predecessor first: only it can imply others.
    size_t write = end;
    for (size_t i = end; i-- > begin;) {
      uint32_t distance = op - edges[i].from;
      if (distance <= AncestorWindow::size) {
        if (windows[op].test(distance))
          continue;
        windows[op].addPredecessor(distance, windows[edges[i].from]);
      }
      edges[--write] = edges[i];
    }
    for (; write < end; ++write)
      edges[kept++] = edges[write];
    begin = end;
  }
  edges.resize(kept);
}
