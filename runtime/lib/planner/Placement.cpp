//===- Placement.cpp - A placed graph and its proof -----------------------===//
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
//===----------------------------------------------------------------------===//

#include "turnip/planner/Placement.h"
#include "Arithmetic.h"
#include "HappensBefore.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace turnip;
using namespace turnip::planner;

uint32_t Placement::addOp(OpKind kind, ArrayView<Access> opAccesses) {
  kinds.push_back(kind);
  accesses.insert(accesses.end(), opAccesses.begin(), opAccesses.end());
  accessBegin.push_back(static_cast<uint32_t>(accesses.size()));
  return numOps() - 1;
}

static std::string number(uint64_t value) { return std::to_string(value); }

static std::string describeRange(const std::vector<PlacedMemory> &memories,
                                 uint32_t memory, uint64_t offset,
                                 uint64_t bytes) {
  std::string name = memory < memories.size() ? memories[memory].name
                                              : "memory " + number(memory);
  std::string end = bytes > UINT64_MAX - offset
                        ? number(offset) + " + " + number(bytes)
                        : number(offset + bytes);
  return name + "[" + number(offset) + ", " + end + ")";
}

std::string planner::describeAccess(const std::vector<PlacedMemory> &memories,
                                    const Access &access) {
  const char *verb = access.role == Role::Read    ? "reads "
                     : access.role == Role::Write ? "writes "
                                                  : "uses as workspace ";
  return verb +
         describeRange(memories, access.memory, access.offset, access.bytes);
}

namespace {
/// One write (or piece of entry) and the reads that found it.
struct Instance {
  uint32_t value = None;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  /// Index of the writing access; None for a piece of entry.
  uint32_t access = None;
  /// The operation that access belongs to.
  uint32_t writer = None;
  /// The reading operations and their accesses.
  std::vector<std::pair<uint32_t, uint32_t>> readers;
  /// Operations known to come after every reader: an instance with many
  /// readers that many writes overwrite would cost their product otherwise.
  std::vector<uint32_t> covers;
};

/// A stretch of bytes that belongs to one instance.
struct Segment {
  uint64_t end = 0;
  uint32_t instance = 0;
};

class Verifier {
public:
  Verifier(const Placement &placement, const PlacementNames &names)
      : placement(placement), names(names) {}

  Status run();

private:
  using SegmentMap = std::map<uint64_t, Segment>;

  Status error(std::string message) const {
    return Status::error(StatusCode::BadInput, std::move(message));
  }
  std::string opName(uint32_t op) const {
    return names.operation ? names.operation(op) : "operation " + number(op);
  }
  std::string valueName(uint32_t value) const {
    if (value == None)
      return "scratch bytes";
    return names.value ? names.value(value) : "value " + number(value);
  }
  std::string accessName(const Access &access) const {
    return describeAccess(placement.memories, access);
  }
  std::string pieceName(const Piece &piece) const {
    return describeRange(placement.memories, piece.memory, piece.offset,
                         piece.bytes);
  }
  /// "operation 3, which writes dev0[0, 64)", or the same of entry.
  std::string writerName(const Instance &instance, uint32_t memory) const;

  Status checkStructure() const;
  Status checkRange(const std::string &who, uint32_t memory, uint64_t offset,
                    uint64_t bytes, bool aligned) const;
  Status checkOp(uint32_t op) const;
  Status checkOverlaps(uint32_t op);
  Status enter();
  Status visit(uint32_t op);
  Status read(uint32_t op, uint32_t index);
  Status write(uint32_t op, uint32_t index);
  Status checkOrdered(uint32_t op, const Access &access, Instance &instance);
  /// Whether a predecessor of \p op is known to follow all readers.
  bool covered(uint32_t op, const Instance &instance) const;
  /// Looks for such a predecessor, for the next write to the same instance.
  void findCover(uint32_t op, const std::vector<uint32_t> &readers,
                 Instance &instance);
  void overwrite(SegmentMap &map, uint64_t begin, uint64_t end,
                 uint32_t instance);
  Status leave();
  /// The instance that fills exactly the given range, or None.
  uint32_t find(uint32_t memory, uint64_t offset, uint64_t bytes) const;

  const Placement &placement;
  const PlacementNames &names;
  HappensBefore order;
  std::vector<SegmentMap> segments;
  std::vector<Instance> instances;
  /// Entry of read-only memories: (memory, offset, bytes, value), sorted.
  std::vector<std::tuple<uint32_t, uint64_t, uint64_t, uint32_t>> constants;
  /// Scratch of checkOverlaps.
  std::vector<uint32_t> sorted;
};
} // namespace

std::string Verifier::writerName(const Instance &instance,
                                 uint32_t memory) const {
  if (instance.access == None)
    return "entry, which puts " + valueName(instance.value) + " in " +
           describeRange(placement.memories, memory, instance.offset,
                         instance.bytes);
  return opName(instance.writer) + ", which " +
         accessName(placement.accesses[instance.access]);
}

//===----------------------------------------------------------------------===//
// Structure: every index, every range
//===----------------------------------------------------------------------===//

Status Verifier::checkRange(const std::string &who, uint32_t memory,
                            uint64_t offset, uint64_t bytes,
                            bool aligned) const {
  const PlacedMemory &table = placement.memories[memory];
  if (bytes == 0)
    return error(who + ": expected at least 1 byte, but got 0");
  if (!fits(offset, bytes, table.capacity))
    return error(who + ": exceeds the " + number(table.capacity) +
                 " bytes of " + table.name);
  if (aligned && offset % table.alignment != 0)
    return error(who + ": offset " + number(offset) + " is not a multiple of " +
                 number(table.alignment));
  return Status::ok();
}

Status Verifier::checkStructure() const {
  uint32_t numOps = placement.numOps();
  if (placement.accessBegin.size() != size_t(numOps) + 1 ||
      placement.accessBegin.front() != 0 ||
      placement.accessBegin.back() != placement.accesses.size() ||
      !std::is_sorted(placement.accessBegin.begin(),
                      placement.accessBegin.end()))
    return error("access bounds do not divide " +
                 number(placement.accesses.size()) + " accesses among " +
                 number(numOps) + " operations");
  for (const PlacedMemory &memory : placement.memories)
    if (!isPowerOfTwo(memory.alignment))
      return error("memory " + memory.name +
                   ": expected a power of two as alignment, but got " +
                   number(memory.alignment));
  for (const Edge &edge : placement.edges)
    if (edge.from >= numOps || edge.to >= numOps)
      return error("edge from " + number(edge.from) + " to " + number(edge.to) +
                   ": there are only " + number(numOps) + " operations");
  for (uint32_t op = 0; op < numOps; ++op)
    TURNIP_RETURN_IF_ERROR(checkOp(op));
  for (const std::vector<Piece> *list : {&placement.entry, &placement.exit})
    for (const Piece &piece : *list) {
      const char *when = list == &placement.entry ? "entry" : "exit";
      if (piece.memory >= placement.memories.size())
        return error(std::string(when) + " piece: memory " +
                     number(piece.memory) + " is not one of " +
                     number(placement.memories.size()));
      TURNIP_RETURN_IF_ERROR(
          checkRange(std::string(when) + " of " + valueName(piece.value) +
                         " in " + pieceName(piece),
                     piece.memory, piece.offset, piece.bytes,
                     placement.memories[piece.memory].writable));
    }
  return Status::ok();
}

Status Verifier::checkOp(uint32_t op) const {
  ArrayView<Access> accesses = placement.accessesOf(op);
  OpKind kind = placement.kinds[op];
  for (size_t i = 0; i < accesses.size(); ++i) {
    const Access &access = accesses[i];
    if (access.memory >= placement.memories.size())
      return error(opName(op) + ": memory " + number(access.memory) +
                   " of access " + number(i) + " is not one of " +
                   number(placement.memories.size()));
    const PlacedMemory &memory = placement.memories[access.memory];
    TURNIP_RETURN_IF_ERROR(checkRange(
        opName(op) + " " + accessName(access), access.memory, access.offset,
        access.bytes, memory.writable || kind == OpKind::Call));
    if (access.role != Role::Read && !memory.writable)
      return error(opName(op) + " " + accessName(access) + ": " + memory.name +
                   " is read-only");
    if ((access.value == None) != (access.role == Role::Workspace))
      return error(opName(op) + " " + accessName(access) +
                   (access.value == None ? ": expected a value"
                                         : ": workspace has no value"));
    if (access.inPlaceOf == None)
      continue;
    if (access.role != Role::Write || access.inPlaceOf >= accesses.size() ||
        accesses[access.inPlaceOf].role != Role::Read)
      return error(opName(op) + " " + accessName(access) +
                   ": is in place of access " + number(access.inPlaceOf) +
                   ", which is not an operand");
    const Access &operand = accesses[access.inPlaceOf];
    if (operand.memory != access.memory || operand.offset != access.offset ||
        operand.bytes != access.bytes)
      return error(opName(op) + " " + accessName(access) +
                   ": is in place of another range, for it " +
                   accessName(operand));
  }
  if (kind == OpKind::Join && !accesses.empty())
    return error(opName(op) + ": a join touches nothing, but it " +
                 accessName(accesses[0]));
  if (kind != OpKind::Copy)
    return Status::ok();
  if (accesses.size() != 2 || accesses[0].role != Role::Read ||
      accesses[1].role != Role::Write)
    return error(opName(op) +
                 ": a copy reads one range and writes one, but has " +
                 number(accesses.size()) + " accesses");
  if (accesses[0].bytes != accesses[1].bytes)
    return error(opName(op) + ": " + accessName(accesses[0]) + " and " +
                 accessName(accesses[1]) + ", sizes " +
                 number(accesses[0].bytes) + " and " +
                 number(accesses[1].bytes) + " differ");
  if (accesses[0].value != accesses[1].value)
    return error(opName(op) + ": " + accessName(accesses[0]) + " with " +
                 valueName(accesses[0].value) + ", but " +
                 accessName(accesses[1]) + " with " +
                 valueName(accesses[1].value));
  return Status::ok();
}

/// Within one operation, ranges overlap only where all read, or where a write
/// is declared to take an operand's place.
Status Verifier::checkOverlaps(uint32_t op) {
  ArrayView<Access> accesses = placement.accessesOf(op);
  sorted.clear();
  for (uint32_t i = 0; i < accesses.size(); ++i)
    if (placement.memories[accesses[i].memory].writable)
      sorted.push_back(i);
  std::sort(sorted.begin(), sorted.end(), [&](uint32_t a, uint32_t b) {
    return std::tie(accesses[a].memory, accesses[a].offset, a) <
           std::tie(accesses[b].memory, accesses[b].offset, b);
  });
  auto overlap = [&](uint32_t early, uint32_t late) {
    return early != None && accesses[early].memory == accesses[late].memory &&
           accesses[late].offset - accesses[early].offset <
               accesses[early].bytes;
  };
  auto end = [&](uint32_t i) { return accesses[i].offset + accesses[i].bytes; };
  // Of the ranges so far: the write, and the two reads, that reach farthest.
  // Two, because the farthest may be the operand whose place is taken.
  uint32_t write = None, reads[2] = {None, None};
  for (uint32_t i : sorted) {
    const Access &access = accesses[i];
    uint32_t clash = None;
    if (overlap(write, i) && accesses[write].inPlaceOf != i)
      clash = write;
    if (access.role != Role::Read)
      for (uint32_t read : reads)
        if (overlap(read, i) && access.inPlaceOf != read)
          clash = read;
    if (clash != None)
      return error(opName(op) + " " + accessName(accesses[clash]) + " and " +
                   accessName(access) +
                   ", which overlap and are not declared in place");
    auto farther = [&](uint32_t other) {
      return other == None || accesses[other].memory != access.memory ||
             end(other) < end(i);
    };
    if (access.role != Role::Read) {
      write = i;
    } else if (farther(reads[0])) {
      reads[1] = reads[0];
      reads[0] = i;
    } else if (farther(reads[1])) {
      reads[1] = i;
    }
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

Status Verifier::enter() {
  segments.resize(placement.memories.size());
  for (const Piece &piece : placement.entry) {
    if (!placement.memories[piece.memory].writable) {
      constants.emplace_back(piece.memory, piece.offset, piece.bytes,
                             piece.value);
      continue;
    }
    SegmentMap &map = segments[piece.memory];
    uint64_t end = piece.offset + piece.bytes;
    auto next = map.lower_bound(piece.offset);
    const Instance *other = nullptr;
    if (next != map.end() && next->first < end)
      other = &instances[next->second.instance];
    else if (next != map.begin() && std::prev(next)->second.end > piece.offset)
      other = &instances[std::prev(next)->second.instance];
    if (other)
      return error("entry of " + valueName(piece.value) + " in " +
                   pieceName(piece) + " overlaps " +
                   writerName(*other, piece.memory));
    map[piece.offset] = {end, static_cast<uint32_t>(instances.size())};
    Instance instance;
    instance.value = piece.value;
    instance.offset = piece.offset;
    instance.bytes = piece.bytes;
    instances.push_back(std::move(instance));
  }
  std::sort(constants.begin(), constants.end());
  return Status::ok();
}

uint32_t Verifier::find(uint32_t memory, uint64_t offset,
                        uint64_t bytes) const {
  auto found = segments[memory].find(offset);
  if (found == segments[memory].end() || found->second.end - offset != bytes)
    return None;
  const Instance &instance = instances[found->second.instance];
  bool whole = instance.offset == offset && instance.bytes == bytes;
  return whole ? found->second.instance : None;
}

Status Verifier::read(uint32_t op, uint32_t index) {
  const Access &access = placement.accesses[index];
  auto what = [&] {
    return opName(op) + " " + accessName(access) + " for " +
           valueName(access.value);
  };
  if (!placement.memories[access.memory].writable) {
    if (std::binary_search(constants.begin(), constants.end(),
                           std::make_tuple(access.memory, access.offset,
                                           access.bytes, access.value)))
      return Status::ok();
    return error(what() + ", but entry does not put it there");
  }
  uint32_t found = find(access.memory, access.offset, access.bytes);
  if (found != None && instances[found].value == access.value) {
    Instance &instance = instances[found];
    if (instance.writer != None && !order.before(instance.writer, op))
      return error(what() + ", but is not ordered after " +
                   writerName(instance, access.memory));
    instance.readers.emplace_back(op, index);
    return Status::ok();
  }
  // Name whatever lies there instead.
  const SegmentMap &map = segments[access.memory];
  auto next = map.upper_bound(access.offset);
  if (next != map.begin() && std::prev(next)->second.end > access.offset)
    --next;
  if (next == map.end() || next->first >= access.offset + access.bytes)
    return error(what() + ", but nothing is written there before");
  const Instance &other = instances[next->second.instance];
  return error(what() + ", but bytes from " +
               number(std::max(next->first, access.offset)) + " hold " +
               valueName(other.value) + " from " +
               writerName(other, access.memory));
}

static std::vector<uint32_t> readersOf(const Instance &instance) {
  std::vector<uint32_t> readers;
  readers.reserve(instance.readers.size());
  for (const auto &[reader, access] : instance.readers)
    readers.push_back(reader);
  return readers;
}

bool Verifier::covered(uint32_t op, const Instance &instance) const {
  for (uint32_t pred : order.predecessors(op))
    if (std::find(instance.covers.begin(), instance.covers.end(), pred) !=
        instance.covers.end())
      return true;
  return false;
}

void Verifier::findCover(uint32_t op, const std::vector<uint32_t> &readers,
                         Instance &instance) {
  // Who waits for the readers themselves has many predecessors and no cover.
  constexpr size_t few = 8;
  ArrayView<uint32_t> preds = order.predecessors(op);
  if (preds.size() > few)
    return;
  for (uint32_t pred : preds)
    if (order.firstNotBefore(readers, pred) == readers.size()) {
      instance.covers.push_back(pred);
      return;
    }
}

Status Verifier::checkOrdered(uint32_t op, const Access &access,
                              Instance &instance) {
  auto unordered = [&](uint32_t other, uint32_t otherAccess) {
    return error(opName(op) + " " + accessName(access) +
                 ", but is not ordered after " + opName(other) + ", which " +
                 accessName(placement.accesses[otherAccess]));
  };
  if (instance.readers.empty()) {
    if (instance.writer != None && instance.writer != op &&
        !order.before(instance.writer, op))
      return unordered(instance.writer, instance.access);
    return Status::ok();
  }
  constexpr size_t few = 8;
  if (instance.readers.size() > few) {
    if (covered(op, instance))
      return Status::ok();
    std::vector<uint32_t> readers = readersOf(instance);
    size_t missing = order.firstNotBefore(readers, op);
    if (missing != readers.size())
      return unordered(readers[missing], instance.readers[missing].second);
    findCover(op, readers, instance);
    return Status::ok();
  }
  for (const auto &[reader, readerAccess] : instance.readers)
    if (reader != op && !order.before(reader, op))
      return unordered(reader, readerAccess);
  return Status::ok();
}

void Verifier::overwrite(SegmentMap &map, uint64_t begin, uint64_t end,
                         uint32_t instance) {
  auto next = map.lower_bound(begin);
  if (next != map.begin()) {
    Segment &left = std::prev(next)->second;
    if (left.end > begin) {
      if (left.end > end)
        next = map.emplace_hint(next, end, left);
      left.end = begin;
    }
  }
  while (next != map.end() && next->first < end) {
    Segment segment = next->second;
    next = map.erase(next);
    if (segment.end > end) {
      map.emplace_hint(next, end, segment);
      break;
    }
  }
  map[begin] = {end, instance};
}

Status Verifier::write(uint32_t op, uint32_t index) {
  const Access &access = placement.accesses[index];
  SegmentMap &map = segments[access.memory];
  uint64_t end = access.offset + access.bytes;
  auto next = map.upper_bound(access.offset);
  if (next != map.begin() && std::prev(next)->second.end > access.offset)
    --next;
  for (; next != map.end() && next->first < end; ++next)
    TURNIP_RETURN_IF_ERROR(
        checkOrdered(op, access, instances[next->second.instance]));
  Instance instance;
  instance.value = access.value;
  instance.offset = access.offset;
  instance.bytes = access.bytes;
  instance.access = index;
  instance.writer = op;
  overwrite(map, access.offset, end, static_cast<uint32_t>(instances.size()));
  instances.push_back(std::move(instance));
  return Status::ok();
}

Status Verifier::visit(uint32_t op) {
  TURNIP_RETURN_IF_ERROR(checkOverlaps(op));
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

Status Verifier::leave() {
  for (const Piece &piece : placement.exit) {
    std::string what =
        "exit wants " + valueName(piece.value) + " in " + pieceName(piece);
    if (!placement.memories[piece.memory].writable) {
      if (!std::binary_search(constants.begin(), constants.end(),
                              std::make_tuple(piece.memory, piece.offset,
                                              piece.bytes, piece.value)))
        return error(what + ", but entry does not put it there");
      continue;
    }
    uint32_t found = find(piece.memory, piece.offset, piece.bytes);
    if (found != None && instances[found].value == piece.value)
      continue;
    if (found == None)
      return error(what + ", but nothing fills exactly that range");
    return error(what + ", but it holds " + valueName(instances[found].value) +
                 " from " + writerName(instances[found], piece.memory));
  }
  return Status::ok();
}

Status Verifier::run() {
  TURNIP_RETURN_IF_ERROR(checkStructure());
  uint32_t cyclic = order.build(placement.numOps(), placement.edges);
  if (cyclic != None)
    return error(opName(cyclic) + ": its dependencies form a cycle");
  TURNIP_RETURN_IF_ERROR(enter());
  for (uint32_t op : order.order())
    TURNIP_RETURN_IF_ERROR(visit(op));
  return leave();
}

Status planner::verifyPlacement(const Placement &placement,
                                const PlacementNames &names) {
  return Verifier(placement, names).run();
}
