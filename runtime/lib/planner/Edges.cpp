//===- Edges.cpp - Which operation waits for which ------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Edges.h"
#include "HappensBefore.h"
#include "SegmentMap.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::planner;

namespace {
/// What a range was written by last, and who has read that since; by numbers
/// in the list without joins.
struct Occupant {
  uint32_t writer = None;
  /// A join of all readers, once there is one, by its final number.
  uint32_t join = None;
  /// Segments that still belong to it.
  uint32_t segments = 0;
  std::vector<uint32_t> readers;
};

/// Walks the operations once and lists edges, sorted, by final numbers: a join
/// comes right before the operation that first needs it.
class EdgeFinder {
public:
  explicit EdgeFinder(Plan &plan)
      : plan(plan), old(plan.placement), number(old.numOps(), None),
        memories(old.memories.size()) {}

  void run();

private:
  /// Edges to the same operation, or join.
  using Incoming = std::vector<std::pair<uint32_t, EdgeKind>>;

  void enter();
  void addOp(uint32_t op);
  void read(const Access &access, uint32_t op);
  void write(const Access &access, uint32_t op);
  void waitForAll(Occupant &occupant, uint32_t op, bool whole);
  void joinReaders(Occupant &occupant, uint32_t op);
  uint32_t newOccupant(uint32_t writer);
  void removeSegment(uint32_t occupant);
  void waitFor(uint32_t from, EdgeKind kind, uint32_t op) {
    if (from != None && from != op)
      incoming.emplace_back(number[from], kind);
  }
  /// Numbers the next operation or join, which waits for \p from.
  uint32_t append(Incoming &from);
  void insertJoins();

  Plan &plan;
  Placement &old;
  /// Final numbers.
  std::vector<uint32_t> number;
  std::vector<SegmentMap> memories;
  std::vector<Occupant> occupants;
  std::vector<uint32_t> spare;
  std::vector<Edge> edges;
  uint32_t count = 0;
  std::vector<uint32_t> joins;
  /// Of the operation at hand, and of a join.
  Incoming incoming, joined;
  /// Edges that were there before, sorted, and the first that is still to come.
  std::vector<Edge> given;
  size_t nextGiven = 0;
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

uint32_t EdgeFinder::append(Incoming &from) {
  // Where both kinds join the same two operations the data edge, which sorts
  // first, stays.
  std::sort(from.begin(), from.end());
  uint32_t last = None;
  for (const auto &[source, kind] : from)
    if (source != last)
      edges.push_back({last = source, count, kind});
  from.clear();
  return count++;
}

void EdgeFinder::read(const Access &access, uint32_t op) {
  Occupant &occupant =
      occupants[memories[access.memory].find(access.offset)->owner];
  waitFor(occupant.writer, EdgeKind::Data, op);
  if (occupant.readers.empty() || occupant.readers.back() != op)
    occupant.readers.push_back(op);
}

void EdgeFinder::joinReaders(Occupant &occupant, uint32_t op) {
  // An operation that reads what it overwrites cannot wait for itself.
  for (uint32_t reader : occupant.readers)
    if (reader != op)
      joined.emplace_back(number[reader], EdgeKind::Memory);
  occupant.join = append(joined);
  joins.push_back(occupant.join);
}

void EdgeFinder::waitForAll(Occupant &occupant, uint32_t op, bool whole) {
  if (occupant.readers.empty()) {
    waitFor(occupant.writer, EdgeKind::Memory, op);
    return;
  }
  bool last = whole && occupant.segments == 1;
  if (occupant.join == None &&
      (last || occupant.readers.size() <= joinThreshold)) {
    for (uint32_t reader : occupant.readers)
      waitFor(reader, EdgeKind::Memory, op);
    return;
  }
  if (occupant.join == None)
    joinReaders(occupant, op);
  incoming.emplace_back(occupant.join, EdgeKind::Memory);
}

void EdgeFinder::write(const Access &access, uint32_t op) {
  uint64_t begin = access.offset, end = access.offset + access.bytes;
  SegmentMap &map = memories[access.memory];
  map.visit(begin, end, [&](const SegmentMap::Segment &segment) {
    bool whole = segment.begin >= begin && segment.end <= end;
    waitForAll(occupants[segment.owner], op, whole);
    if (whole)
      removeSegment(segment.owner);
    else if (segment.begin < begin && segment.end > end)
      ++occupants[segment.owner].segments;
    return true;
  });
  map.assign(begin, end, newOccupant(op));
}

void EdgeFinder::enter() {
  for (const Piece &piece : old.entry)
    if (old.memories[piece.memory].writable)
      memories[piece.memory].assign(piece.offset, piece.offset + piece.bytes,
                                    newOccupant(None));
  given = std::move(old.edges);
  std::sort(given.begin(), given.end(),
            [](const Edge &a, const Edge &b) { return a.to < b.to; });
}

void EdgeFinder::addOp(uint32_t op) {
  ArrayView<Access> accesses = old.accessesOf(op);
  for (const Access &access : accesses)
    if (access.role == Role::Read && old.memories[access.memory].writable)
      read(access, op);
  for (const Access &access : accesses)
    if (access.role != Role::Read)
      write(access, op);
  for (; nextGiven < given.size() && given[nextGiven].to == op; ++nextGiven)
    waitFor(given[nextGiven].from, given[nextGiven].kind, op);
  number[op] = append(incoming);
}

/// Makes room for the joins in the lists of operations.
void EdgeFinder::insertJoins() {
  if (joins.empty())
    return;
  uint32_t from = old.numOps();
  old.kinds.resize(count);
  old.accessBegin.resize(count + 1);
  plan.ops.resize(count);
  size_t join = joins.size();
  old.accessBegin[count] = old.accessBegin[from];
  for (uint32_t to = count; to-- > 0 && join > 0;) {
    bool isJoin = joins[join - 1] == to;
    if (isJoin) {
      --join;
      old.accessBegin[to] = old.accessBegin[to + 1];
      old.kinds[to] = OpKind::Join;
      plan.ops[to] = {};
      continue;
    }
    --from;
    old.accessBegin[to] = old.accessBegin[from];
    old.kinds[to] = old.kinds[from];
    plan.ops[to] = plan.ops[from];
  }
}

void EdgeFinder::run() {
  enter();
  // Typical: two or three per operation.
  edges.reserve(size_t(3) * old.numOps());
  for (uint32_t op = 0; op < old.numOps(); ++op)
    addOp(op);
  insertJoins();
  old.edges = std::move(edges);
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

void planner::pruneFarEdges(Plan &plan) {
  uint32_t numOps = plan.placement.numOps();
  // pruneEdges() sees all of a graph that is no larger.
  if (numOps <= AncestorWindow::size)
    return;
  HappensBefore order;
  std::vector<Edge> &edges = plan.placement.edges;
  order.build(numOps, edges);
  size_t kept = 0, begin = 0;
  while (begin < edges.size()) {
    uint32_t op = edges[begin].to;
    size_t end = begin;
    while (end < edges.size() && edges[end].to == op)
      ++end;
    const uint32_t *drop = nullptr, *last = nullptr;
    if (end - begin > 1) {
      ArrayView<uint32_t> implied = order.impliedPredecessors(op);
      drop = implied.begin();
      last = implied.end();
    }
    for (size_t i = begin; i < end; ++i) {
      if (drop != last && *drop == i - begin)
        ++drop;
      else
        edges[kept++] = edges[i];
    }
    begin = end;
  }
  edges.resize(kept);
}
