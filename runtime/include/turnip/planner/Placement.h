//===- Placement.h - A placed graph and its proof ---------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of a plan that says what touches which bytes and in which partial
// order, without the problem it came from. The planner, the verifier of the
// mem dialect and the loader of artifacts all prove it with the same function.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_PLANNER_PLACEMENT_H
#define TURNIP_PLANNER_PLACEMENT_H

#include "turnip/planner/Problem.h"

#include <functional>

namespace turnip::planner {

/// A memory as far as the proof needs it.
struct PlacedMemory {
  std::string name;
  uint64_t capacity = 0;
  uint64_t alignment = 64;
  bool writable = true;
};

enum class Role : uint8_t {
  /// Reads a value; the range must hold exactly that value.
  Read,
  /// Writes a value over the whole range.
  Write,
  /// Scratch memory: written and read within the operation, no value after.
  Workspace,
};

/// A range of bytes that an operation touches, and the value it means.
struct Access {
  uint32_t memory = None;
  /// The value read or written; None for workspace.
  uint32_t value = None;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  Role role = Role::Read;
  /// For a write over an operand of the same operation (in place): that
  /// operand's position among the operation's accesses. Otherwise None.
  uint32_t inPlaceOf = None;
};

enum class OpKind : uint8_t {
  /// A kernel call. Accesses: operands, results, then workspace if any.
  Call,
  /// A copy of one value. Accesses: the source, the destination.
  Copy,
  /// Touches nothing: stands for all of its predecessors, so that many
  /// operations can wait for many others with few edges.
  Join,
};

enum class EdgeKind : uint8_t {
  /// The later operation reads what the earlier one wrote.
  Data,
  /// The later operation reuses memory that the earlier one still needs.
  Memory,
};

/// \p to may start only once \p from has finished.
struct Edge {
  uint32_t from = 0;
  uint32_t to = 0;
  EdgeKind kind = EdgeKind::Data;
};

/// A value that lies in a range at entry, or must lie there at exit.
struct Piece {
  uint32_t memory = None;
  uint32_t value = None;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

/// Operations on byte ranges, joined by edges.
struct Placement {
  std::vector<PlacedMemory> memories;
  /// One per operation.
  std::vector<OpKind> kinds;
  /// Accesses of operation i are [accessBegin[i], accessBegin[i + 1]).
  std::vector<uint32_t> accessBegin{0};
  std::vector<Access> accesses;
  /// In any order; plan() sorts them by `to`, then `from`, and lets every edge
  /// go from a lower to a higher operation.
  std::vector<Edge> edges;
  /// What lies where at entry. In memories that are not writable pieces may
  /// overlap (a parameter and its slices); elsewhere they may not.
  std::vector<Piece> entry;
  /// What must lie where at exit.
  std::vector<Piece> exit;

  uint32_t numOps() const { return static_cast<uint32_t>(kinds.size()); }
  ArrayView<Access> accessesOf(uint32_t op) const {
    return {accesses.data() + accessBegin[op],
            accessBegin[op + 1] - accessBegin[op]};
  }
  /// Appends an operation and returns its id.
  uint32_t addOp(OpKind kind, ArrayView<Access> opAccesses);
};

/// How messages call operations and values; either may be empty, then they
/// say `operation 3` and `value 5`.
struct PlacementNames {
  std::function<std::string(uint32_t)> operation;
  std::function<std::string(uint32_t)> value;
};

/// Proves that \p placement computes the same in every order that its edges
/// allow: the graph has no cycle; every range lies inside its memory, aligned;
/// nothing writes to a read-only memory; ranges of one operation overlap only
/// where a result is declared in place of an operand; every copy keeps value
/// and size; each read finds exactly the value it names; each pair of accesses
/// to common bytes of which one writes is ordered by the edges; and the pieces
/// of exit are there at the end. Structural nonsense (an index out of range)
/// is an error as well. Errors are BadInput and name both accesses and the
/// bytes. Takes time near linear in operations and edges for graphs that
/// plan() makes.
Status verifyPlacement(const Placement &placement,
                       const PlacementNames &names = {});

/// Returns how messages call an access: `reads dev0[64, 128)`. \p memories is
/// the table that the access indexes.
std::string describeAccess(const std::vector<PlacedMemory> &memories,
                           const Access &access);

} // namespace turnip::planner

#endif // TURNIP_PLANNER_PLACEMENT_H
