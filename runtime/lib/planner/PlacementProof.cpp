//===- PlacementProof.cpp - Is every order right --------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The proof walks one topological order and keeps, per memory, a map from byte
// ranges to the instance that was written there last. An instance is one write
// with the reads it got. Where every pair of conflicting accesses is ordered by
// the edges, all topological orders agree with the one walked, so it is enough
// to check each pair and to look at each read once. A write has to be ordered
// after the reads of the instances it overwrites, and after their writes where
// there are no reads; everything older is ordered through those.
//
// Most pairs are settled at once. The others wait, and are settled many at a
// time before the walk says that all is well or that something else is wrong.
//
//===----------------------------------------------------------------------===//

#include "HappensBefore.h"
#include "PlacementMessages.h"
#include "SegmentMap.h"

#include <algorithm>
#include <tuple>

using namespace turnip;
using namespace turnip::planner;
using Answer = HappensBefore::Answer;

namespace {
/// One write (or piece of entry) and the reads that found it.
struct Instance {
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint32_t value = None;
  /// Index of the writing access; None for a piece of entry.
  uint32_t access = None;
  /// The operation that access belongs to.
  uint32_t writer = None;
  /// The latest of its readers, and how many there are.
  uint32_t reader = None;
  uint32_t numReaders = 0;
  /// The operation that was last found to come after all of these.
  uint32_t follower = None;
  /// Its crowd, once it has one.
  uint32_t crowd = None;
};

/// A read of an instance; a list from the latest to the first.
struct Reader {
  uint32_t op = 0;
  uint32_t access = 0;
  uint32_t previous = None;
};

/// The readers of an instance that has too many for a look at each of them
/// whenever something overwrites a part of it.
struct Crowd {
  std::vector<uint32_t> ops, accesses;
  HappensBefore::ChainLabels firstAfter{};
  /// Sets of operations such that every reader precedes one of each set, or is
  /// it: whatever comes after all of a set comes after all readers.
  std::vector<std::vector<uint32_t>> gates;
  /// How often all readers have been looked at.
  uint32_t looks = 0;
};

/// Order that is still to be proved: of one operation, or of a crowd, before
/// another operation.
struct Doubt {
  uint32_t earlier = None;
  uint32_t crowd = None;
  uint32_t later = 0;
  uint32_t earlierAccess = 0, laterAccess = 0;
  /// Whether `later` reads what `earlier` wrote.
  bool isData = false;
};

class Proof {
public:
  Proof(const Placement &placement, const PlacementMessages &messages)
      : placement(placement), messages(messages) {}

  Status run();

private:
  static Status error(std::string message) {
    return PlacementMessages::error(std::move(message));
  }
  /// "operation 3, which writes dev0[0, 64)", or the same of entry.
  std::string writerName(const Instance &instance, uint32_t memory) const;
  std::string readName(uint32_t op, const Access &access) const {
    return messages.access(op, access) + " for " + messages.value(access.value);
  }

  Status walk();
  Status enter();
  Status visit(uint32_t op);
  Status read(uint32_t op, uint32_t index);
  Status misread(uint32_t op, const Access &access) const;
  Status write(uint32_t op, uint32_t index);
  Status leave();
  /// The instance that fills exactly the given range, or None.
  uint32_t find(uint32_t memory, uint64_t offset, uint64_t bytes) const;

  Status checkFollows(uint32_t op, uint32_t index, Instance &instance);
  Status checkFollowsCrowd(uint32_t op, uint32_t index, Instance &instance);
  Crowd &crowdOf(Instance &instance);
  bool precedes(uint32_t earlier, uint32_t later) {
    return earlier == later || order.ask(earlier, later) == Answer::Yes;
  }
  bool followsAll(const Crowd &crowd, uint32_t op);
  void findGates(uint32_t op, Crowd &crowd);
  Status require(const Doubt &order);
  Status refuse(const Doubt &order) const;
  Status settle();

  const Placement &placement;
  const PlacementMessages &messages;
  HappensBefore order;
  std::vector<SegmentMap> segments;
  std::vector<Instance> instances;
  std::vector<Reader> readers;
  std::vector<Crowd> crowds;
  std::vector<Doubt> doubts;
  /// Entry of read-only memories: (memory, offset, bytes, value), sorted.
  std::vector<std::tuple<uint32_t, uint64_t, uint64_t, uint32_t>> constants;
};
} // namespace

std::string Proof::writerName(const Instance &instance, uint32_t memory) const {
  if (instance.access == None)
    return "entry, which puts " + messages.value(instance.value) + " in " +
           messages.range(memory, instance.offset, instance.bytes);
  return messages.operation(instance.writer) + ", which " +
         messages.access(placement.accesses[instance.access]);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

Status Proof::refuse(const Doubt &doubt) const {
  const Access &later = placement.accesses[doubt.laterAccess];
  return error((doubt.isData ? readName(doubt.later, later)
                             : messages.access(doubt.later, later)) +
               ", but is not ordered after " +
               messages.operation(doubt.earlier) + ", which " +
               messages.access(placement.accesses[doubt.earlierAccess]));
}

/// Settles the doubts there are.
Status Proof::settle() {
  std::vector<HappensBefore::Need> needs;
  needs.reserve(doubts.size());
  for (const Doubt &doubt : doubts)
    needs.push_back({doubt.crowd == None
                         ? ArrayView<uint32_t>(&doubt.earlier, 1)
                         : ArrayView<uint32_t>(crowds[doubt.crowd].ops),
                     doubt.later});
  HappensBefore::Unordered found = order.firstUnordered(needs);
  if (found.need == None) {
    doubts.clear();
    return Status::ok();
  }
  Doubt wrong = doubts[found.need];
  if (wrong.crowd != None) {
    wrong.earlier = crowds[wrong.crowd].ops[found.index];
    wrong.earlierAccess = crowds[wrong.crowd].accesses[found.index];
  }
  return refuse(wrong);
}

/// Proves an order now or notes it for later.
Status Proof::require(const Doubt &doubt) {
  constexpr size_t mostDoubts = size_t(1) << 20;
  Answer answer = doubt.crowd != None ? Answer::Unknown
                                      : order.ask(doubt.earlier, doubt.later);
  if (answer == Answer::Yes)
    return Status::ok();
  if (answer == Answer::No)
    return refuse(doubt);
  doubts.push_back(doubt);
  return doubts.size() < mostDoubts ? Status::ok() : settle();
}

Crowd &Proof::crowdOf(Instance &instance) {
  if (instance.crowd != None)
    return crowds[instance.crowd];
  instance.crowd = static_cast<uint32_t>(crowds.size());
  crowds.emplace_back();
  Crowd &crowd = crowds.back();
  crowd.ops.reserve(instance.numReaders);
  crowd.accesses.reserve(instance.numReaders);
  for (uint32_t at = instance.reader; at != None; at = readers[at].previous) {
    crowd.ops.push_back(readers[at].op);
    crowd.accesses.push_back(readers[at].access);
  }
  std::reverse(crowd.ops.begin(), crowd.ops.end());
  std::reverse(crowd.accesses.begin(), crowd.accesses.end());
  return crowd;
}

/// Whether single questions show that \p op comes after, or is, each reader.
bool Proof::followsAll(const Crowd &crowd, uint32_t op) {
  // From the latest: where one is missing it is likely to be among those.
  return std::all_of(crowd.ops.rbegin(), crowd.ops.rend(),
                     [&](uint32_t reader) { return precedes(reader, op); });
}

/// Looks for predecessors of \p op that all readers lead to, for the next write
/// to the same instance.
void Proof::findGates(uint32_t op, Crowd &crowd) {
  // Who waits for the readers themselves has many predecessors.
  constexpr size_t few = 16, mostGates = 4;
  size_t numPreds = order.numPredecessors(op);
  if (numPreds > few || crowd.gates.size() == mostGates)
    return;
  std::vector<uint32_t> chosen;
  for (size_t i = crowd.ops.size(); i-- > 0;) {
    uint32_t reader = crowd.ops[i];
    auto leadsTo = [&](uint32_t gate) { return precedes(reader, gate); };
    if (reader == op)
      return;
    if (std::any_of(chosen.begin(), chosen.end(), leadsTo))
      continue;
    size_t pred = 0;
    while (pred < numPreds && !leadsTo(order.predecessor(op, pred)))
      ++pred;
    if (pred == numPreds)
      return;
    chosen.push_back(order.predecessor(op, pred));
  }
  crowd.gates.push_back(std::move(chosen));
}

Status Proof::checkFollowsCrowd(uint32_t op, uint32_t index,
                                Instance &instance) {
  // Each look costs the readers' number; a few find what there is to find.
  constexpr uint32_t mostLooks = 16;
  Crowd &crowd = crowdOf(instance);
  for (const std::vector<uint32_t> &gates : crowd.gates)
    if (std::all_of(gates.begin(), gates.end(),
                    [&](uint32_t gate) { return precedes(gate, op); }))
      return Status::ok();
  if (crowd.looks < mostLooks) {
    ++crowd.looks;
    if (followsAll(crowd, op)) {
      findGates(op, crowd);
      return Status::ok();
    }
  }
  if (crowd.firstAfter[0] == 0)
    crowd.firstAfter = order.firstAfter(crowd.ops);
  if (order.follows(crowd.firstAfter, op))
    return Status::ok();
  Doubt doubt;
  doubt.crowd = instance.crowd;
  doubt.later = op;
  doubt.laterAccess = index;
  return require(doubt);
}

/// Checks that \p op, whose access \p index overwrites bytes of \p instance,
/// comes after whatever used it.
Status Proof::checkFollows(uint32_t op, uint32_t index, Instance &instance) {
  constexpr uint32_t few = 8;
  if (instance.follower == op)
    return Status::ok();
  instance.follower = op;
  Doubt doubt;
  doubt.later = op;
  doubt.laterAccess = index;
  if (instance.numReaders > few)
    return checkFollowsCrowd(op, index, instance);
  if (instance.numReaders == 0) {
    if (instance.writer == None || instance.writer == op)
      return Status::ok();
    doubt.earlier = instance.writer;
    doubt.earlierAccess = instance.access;
    return require(doubt);
  }
  for (uint32_t at = instance.reader; at != None; at = readers[at].previous) {
    if (readers[at].op == op)
      continue;
    doubt.earlier = readers[at].op;
    doubt.earlierAccess = readers[at].access;
    TURNIP_RETURN_IF_ERROR(require(doubt));
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

Status Proof::enter() {
  segments.resize(placement.memories.size());
  for (const Piece &piece : placement.entry) {
    if (!placement.memories[piece.memory].writable) {
      constants.emplace_back(piece.memory, piece.offset, piece.bytes,
                             piece.value);
      continue;
    }
    SegmentMap &map = segments[piece.memory];
    uint64_t end = piece.offset + piece.bytes;
    if (const SegmentMap::Segment *other = map.firstIn(piece.offset, end)) {
      // One value may come under two names, such as a parameter of two shapes.
      const Instance &before = instances[other->owner];
      if (before.value == piece.value && before.offset == piece.offset &&
          before.bytes == piece.bytes)
        continue;
      return error("entry of " + messages.value(piece.value) + " in " +
                   messages.piece(piece) + " overlaps " +
                   writerName(before, piece.memory));
    }
    map.assign(piece.offset, end, static_cast<uint32_t>(instances.size()));
    Instance instance;
    instance.value = piece.value;
    instance.offset = piece.offset;
    instance.bytes = piece.bytes;
    instances.push_back(instance);
  }
  std::sort(constants.begin(), constants.end());
  return Status::ok();
}

uint32_t Proof::find(uint32_t memory, uint64_t offset, uint64_t bytes) const {
  const SegmentMap::Segment *found = segments[memory].find(offset);
  if (!found || found->end - offset != bytes)
    return None;
  const Instance &instance = instances[found->owner];
  bool whole = instance.offset == offset && instance.bytes == bytes;
  return whole ? found->owner : None;
}

Status Proof::read(uint32_t op, uint32_t index) {
  const Access &access = placement.accesses[index];
  if (!placement.memories[access.memory].writable) {
    if (std::binary_search(constants.begin(), constants.end(),
                           std::make_tuple(access.memory, access.offset,
                                           access.bytes, access.value)))
      return Status::ok();
    return error(readName(op, access) + ", but entry does not put it there");
  }
  uint32_t found = find(access.memory, access.offset, access.bytes);
  if (found == None || instances[found].value != access.value)
    return misread(op, access);
  Instance &instance = instances[found];
  // An operation may name an operand twice.
  if (instance.reader != None && readers[instance.reader].op == op)
    return Status::ok();
  if (instance.writer != None) {
    Doubt doubt;
    doubt.earlier = instance.writer;
    doubt.earlierAccess = instance.access;
    doubt.later = op;
    doubt.laterAccess = index;
    doubt.isData = true;
    TURNIP_RETURN_IF_ERROR(require(doubt));
  }
  readers.push_back({op, index, instance.reader});
  instance.reader = static_cast<uint32_t>(readers.size() - 1);
  ++instance.numReaders;
  return Status::ok();
}

/// Names whatever lies where \p op looks for something else.
Status Proof::misread(uint32_t op, const Access &access) const {
  const SegmentMap::Segment *there = segments[access.memory].firstIn(
      access.offset, access.offset + access.bytes);
  if (!there)
    return error(readName(op, access) +
                 ", but nothing is written there before");
  const Instance &other = instances[there->owner];
  return error(readName(op, access) + ", but bytes from " +
               std::to_string(std::max(there->begin, access.offset)) +
               " hold " + messages.value(other.value) + " from " +
               writerName(other, access.memory));
}

Status Proof::write(uint32_t op, uint32_t index) {
  const Access &access = placement.accesses[index];
  SegmentMap &map = segments[access.memory];
  uint64_t end = access.offset + access.bytes;
  Status status;
  if (!map.visit(access.offset, end, [&](const SegmentMap::Segment &segment) {
        status = checkFollows(op, index, instances[segment.owner]);
        return status.isOk();
      }))
    return status;
  Instance instance;
  instance.value = access.value;
  instance.offset = access.offset;
  instance.bytes = access.bytes;
  instance.access = index;
  instance.writer = op;
  map.assign(access.offset, end, static_cast<uint32_t>(instances.size()));
  instances.push_back(instance);
  return Status::ok();
}

Status Proof::visit(uint32_t op) {
  uint32_t begin = placement.accessBegin[op];
  uint32_t end = placement.accessBegin[op + 1];
  for (uint32_t i = begin; i < end; ++i)
    if (placement.accesses[i].role == Role::Read)
      TURNIP_RETURN_IF_ERROR(read(op, i));
  for (uint32_t i = begin; i < end; ++i)
    if (placement.accesses[i].role != Role::Read)
      TURNIP_RETURN_IF_ERROR(write(op, i));
  return Status::ok();
}

Status Proof::leave() {
  for (const Piece &piece : placement.exit) {
    auto what = [&] {
      return "exit wants " + messages.value(piece.value) + " in " +
             messages.piece(piece);
    };
    if (!placement.memories[piece.memory].writable) {
      if (!std::binary_search(constants.begin(), constants.end(),
                              std::make_tuple(piece.memory, piece.offset,
                                              piece.bytes, piece.value)))
        return error(what() + ", but entry does not put it there");
      continue;
    }
    uint32_t found = find(piece.memory, piece.offset, piece.bytes);
    if (found != None && instances[found].value == piece.value)
      continue;
    if (found == None)
      return error(what() + ", but nothing fills exactly that range");
    return error(what() + ", but it holds " +
                 messages.value(instances[found].value) + " from " +
                 writerName(instances[found], piece.memory));
  }
  return Status::ok();
}

Status Proof::walk() {
  for (uint32_t op : order.order())
    TURNIP_RETURN_IF_ERROR(visit(op));
  return leave();
}

Status Proof::run() {
  uint32_t cyclic = order.build(placement.numOps(), placement.edges);
  if (cyclic != None)
    return error(messages.operation(cyclic) +
                 ": its dependencies form a cycle");
  size_t writes = 0, reads = 0;
  for (const Access &access : placement.accesses)
    ++(access.role == Role::Read ? reads : writes);
  instances.reserve(writes + placement.entry.size());
  readers.reserve(reads);
  TURNIP_RETURN_IF_ERROR(enter());
  Status walked = walk();
  // An order that is missing is found first, and explains what comes after.
  TURNIP_RETURN_IF_ERROR(settle());
  return walked;
}

Status planner::verifyPlacement(const Placement &placement,
                                const PlacementNames &names) {
  PlacementMessages messages(placement, names);
  TURNIP_RETURN_IF_ERROR(checkPlacementStructure(placement, messages));
  return Proof(placement, messages).run();
}
