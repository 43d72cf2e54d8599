//===- PlacementStructure.cpp - What each operation shows by itself -------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"
#include "PlacementMessages.h"

#include <algorithm>
#include <tuple>

using namespace turnip;
using namespace turnip::planner;

static std::string number(uint64_t value) { return std::to_string(value); }

static Status error(std::string message) {
  return PlacementMessages::error(std::move(message));
}

namespace {
class StructureChecker {
public:
  StructureChecker(const Placement &placement,
                   const PlacementMessages &messages)
      : placement(placement), messages(messages) {}

  Status run();

private:
  template <typename Who>
  Status checkRange(const Who &who, uint32_t memory, uint64_t offset,
                    uint64_t bytes, bool aligned) const;
  Status checkBounds() const;
  Status checkPieces(const char *when, const std::vector<Piece> &pieces) const;
  Status checkOp(uint32_t op) const;
  Status checkAccess(uint32_t op, uint32_t index) const;
  Status checkInPlace(uint32_t op, const Access &access) const;
  Status checkCopy(uint32_t op) const;
  bool anyOverlap(ArrayView<Access> accesses) const;
  Status checkOverlaps(uint32_t op);

  const Placement &placement;
  const PlacementMessages &messages;
  /// Scratch of checkOverlaps.
  std::vector<uint32_t> sorted;
};
} // namespace

/// \p who returns how a message begins.
template <typename Who>
Status StructureChecker::checkRange(const Who &who, uint32_t memory,
                                    uint64_t offset, uint64_t bytes,
                                    bool aligned) const {
  const PlacedMemory &table = placement.memories[memory];
  if (bytes == 0)
    return error(who() + ": expected at least 1 byte, but got 0");
  if (!fits(offset, bytes, table.capacity))
    return error(who() + ": exceeds the " + number(table.capacity) +
                 " bytes of " + table.name);
  if (aligned && offset % table.alignment != 0)
    return error(who() + ": offset " + number(offset) +
                 " is not a multiple of " + number(table.alignment));
  return Status::ok();
}

Status StructureChecker::checkBounds() const {
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
  return Status::ok();
}

Status StructureChecker::checkPieces(const char *when,
                                     const std::vector<Piece> &pieces) const {
  for (const Piece &piece : pieces) {
    if (piece.memory >= placement.memories.size())
      return error(std::string(when) + " piece: memory " +
                   number(piece.memory) + " is not one of " +
                   number(placement.memories.size()));
    auto who = [&] {
      return std::string(when) + " of " + messages.value(piece.value) + " in " +
             messages.piece(piece);
    };
    TURNIP_RETURN_IF_ERROR(
        checkRange(who, piece.memory, piece.offset, piece.bytes,
                   placement.memories[piece.memory].writable));
  }
  return Status::ok();
}

Status StructureChecker::checkInPlace(uint32_t op, const Access &access) const {
  ArrayView<Access> accesses = placement.accessesOf(op);
  if (access.role != Role::Write || access.inPlaceOf >= accesses.size() ||
      accesses[access.inPlaceOf].role != Role::Read)
    return error(messages.access(op, access) + ": is in place of access " +
                 number(access.inPlaceOf) + ", which is not an operand");
  const Access &operand = accesses[access.inPlaceOf];
  if (operand.memory != access.memory || operand.offset != access.offset ||
      operand.bytes != access.bytes)
    return error(messages.access(op, access) +
                 ": is in place of another range, for it " +
                 messages.access(operand));
  return Status::ok();
}

Status StructureChecker::checkAccess(uint32_t op, uint32_t index) const {
  const Access &access = placement.accessesOf(op)[index];
  if (access.memory >= placement.memories.size())
    return error(messages.operation(op) + ": memory " + number(access.memory) +
                 " of access " + number(index) + " is not one of " +
                 number(placement.memories.size()));
  const PlacedMemory &memory = placement.memories[access.memory];
  TURNIP_RETURN_IF_ERROR(checkRange(
      [&] { return messages.access(op, access); }, access.memory, access.offset,
      access.bytes, memory.writable || placement.kinds[op] == OpKind::Call));
  if (access.role != Role::Read && !memory.writable)
    return error(messages.access(op, access) + ": " + memory.name +
                 " is read-only");
  if ((access.value == None) != (access.role == Role::Workspace))
    return error(messages.access(op, access) +
                 (access.value == None ? ": expected a value"
                                       : ": workspace has no value"));
  return access.inPlaceOf == None ? Status::ok() : checkInPlace(op, access);
}

Status StructureChecker::checkCopy(uint32_t op) const {
  ArrayView<Access> accesses = placement.accessesOf(op);
  if (accesses.size() != 2 || accesses[0].role != Role::Read ||
      accesses[1].role != Role::Write)
    return error(messages.operation(op) +
                 ": a copy reads one range and writes one, but has " +
                 number(accesses.size()) + " accesses");
  const Access &from = accesses[0], &to = accesses[1];
  if (from.bytes != to.bytes)
    return error(messages.operation(op) + ": " + messages.access(from) +
                 " and " + messages.access(to) + ", sizes " +
                 number(from.bytes) + " and " + number(to.bytes) + " differ");
  if (from.value != to.value)
    return error(messages.operation(op) + ": " + messages.access(from) +
                 " with " + messages.value(from.value) + ", but " +
                 messages.access(to) + " with " + messages.value(to.value));
  return Status::ok();
}

Status StructureChecker::checkOp(uint32_t op) const {
  ArrayView<Access> accesses = placement.accessesOf(op);
  for (uint32_t i = 0; i < accesses.size(); ++i)
    TURNIP_RETURN_IF_ERROR(checkAccess(op, i));
  OpKind kind = placement.kinds[op];
  if (kind == OpKind::Join && !accesses.empty())
    return error(messages.operation(op) + ": a join touches nothing, but it " +
                 messages.access(accesses[0]));
  return kind == OpKind::Copy ? checkCopy(op) : Status::ok();
}

/// Whether any two of \p accesses, of which one writes, share bytes.
bool StructureChecker::anyOverlap(ArrayView<Access> accesses) const {
  for (size_t i = 1; i < accesses.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const Access &a = accesses[i], &b = accesses[j];
      if (a.memory == b.memory && a.offset < b.offset + b.bytes &&
          b.offset < a.offset + a.bytes &&
          (a.role != Role::Read || b.role != Role::Read))
        return true;
    }
  return false;
}

/// Within one operation, ranges overlap only where all read, or where a write
/// is declared to take an operand's place.
Status StructureChecker::checkOverlaps(uint32_t op) {
  ArrayView<Access> accesses = placement.accessesOf(op);
  constexpr size_t few = 8;
  if (accesses.size() <= few && !anyOverlap(accesses))
    return Status::ok();
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
      return error(messages.access(op, accesses[clash]) + " and " +
                   messages.access(access) +
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

Status StructureChecker::run() {
  TURNIP_RETURN_IF_ERROR(checkBounds());
  for (uint32_t op = 0; op < placement.numOps(); ++op)
    TURNIP_RETURN_IF_ERROR(checkOp(op));
  TURNIP_RETURN_IF_ERROR(checkPieces("entry", placement.entry));
  TURNIP_RETURN_IF_ERROR(checkPieces("exit", placement.exit));
  for (uint32_t op = 0; op < placement.numOps(); ++op)
    TURNIP_RETURN_IF_ERROR(checkOverlaps(op));
  return Status::ok();
}

Status planner::checkPlacementStructure(const Placement &placement,
                                        const PlacementMessages &messages) {
  return StructureChecker(placement, messages).run();
}
