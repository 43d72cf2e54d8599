//===- CheckPlacement.cpp - The placement proof of an artifact ------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/artifact/Artifact.h"
#include "turnip/planner/Plan.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::artifact;

/// Checks that an enumerator means the same here and in the planner.
template <typename A, typename B> static constexpr bool sameNumber(A a, B b) {
  return static_cast<unsigned>(a) == static_cast<unsigned>(b);
}
static_assert(sameNumber(VertexKind::Call, planner::OpKind::Call) &&
              sameNumber(VertexKind::Copy, planner::OpKind::Copy) &&
              sameNumber(VertexKind::Join, planner::OpKind::Join));
static_assert(sameNumber(AccessRole::Read, planner::Role::Read) &&
              sameNumber(AccessRole::Write, planner::Role::Write) &&
              sameNumber(AccessRole::Workspace, planner::Role::Workspace));
static_assert(sameNumber(EdgeKind::Data, planner::EdgeKind::Data) &&
              sameNumber(EdgeKind::Memory, planner::EdgeKind::Memory));
static_assert(sameNumber(CopyRole::NotACopy, planner::CopyRole::NotACopy) &&
              sameNumber(CopyRole::Transfer, planner::CopyRole::Transfer) &&
              sameNumber(CopyRole::Load, planner::CopyRole::Load) &&
              sameNumber(CopyRole::Reload, planner::CopyRole::Reload) &&
              sameNumber(CopyRole::Offload, planner::CopyRole::Offload) &&
              sameNumber(CopyRole::Result, planner::CopyRole::Result) &&
              sameNumber(CopyRole::Move, planner::CopyRole::Move));
static_assert(none == planner::None);

namespace {
/// Finds the operand of a call that a write replaces: the first with the same
/// range. Meaning has been checked, so sharing a range says as much.
class ReplacedOperands {
public:
  void setCall(Span<Access> call) {
    accesses = call;
    sorted.clear();
    if (call.size() <= few)
      return;
    for (uint32_t i = 0; i < call.size(); ++i)
      if (call[i].role == AccessRole::Read)
        sorted.push_back(i);
    std::sort(sorted.begin(), sorted.end(), [&](uint32_t a, uint32_t b) {
      return key(a) != key(b) ? key(a) < key(b) : a < b;
    });
  }

  uint32_t of(uint32_t write) const {
    if (accesses.size() <= few) {
      for (uint32_t i = 0; i < write; ++i)
        if (accesses[i].role == AccessRole::Read && key(i) == key(write))
          return i;
      return none;
    }
    auto found = std::lower_bound(
        sorted.begin(), sorted.end(), write,
        [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
    return found != sorted.end() && key(*found) == key(write) ? *found : none;
  }

private:
  /// Calls with more accesses are looked up in a sorted list.
  static constexpr size_t few = 16;

  std::pair<uint32_t, uint64_t> key(uint32_t i) const {
    return {accesses[i].memory, accesses[i].offset};
  }

  Span<Access> accesses;
  std::vector<uint32_t> sorted;
};
} // namespace

static void addVertex(const Entry &entry, const Vertex &vertex,
                      ReplacedOperands &replaced,
                      planner::Placement &placement) {
  Span<Access> accesses = entry.accessesOf(vertex);
  bool isCall = vertex.kind == VertexKind::Call;
  if (isCall)
    replaced.setCall(accesses);
  for (uint32_t i = 0; i < accesses.size(); ++i) {
    const Access &from = accesses[i];
    planner::Access to;
    to.memory = from.memory;
    to.value = from.value;
    to.offset = from.offset;
    to.bytes = from.bytes;
    to.role = static_cast<planner::Role>(from.role);
    if (from.role == AccessRole::Write && isCall)
      to.inPlaceOf = replaced.of(i);
    placement.accesses.push_back(to);
  }
  auto op = static_cast<uint32_t>(placement.kinds.size());
  placement.kinds.push_back(static_cast<planner::OpKind>(vertex.kind));
  placement.accessBegin.push_back(
      static_cast<uint32_t>(placement.accesses.size()));
  for (const Edge &edge : entry.edgesOf(vertex))
    placement.edges.push_back(
        {edge.source, op, static_cast<planner::EdgeKind>(edge.kind)});
}

static void addPieces(const std::vector<Binding> &bindings,
                      std::vector<planner::Piece> &pieces) {
  for (const Binding &binding : bindings)
    for (const Piece &piece : binding.pieces)
      pieces.push_back({piece.memory, piece.value, piece.offset,
                        pieceBytes(binding, piece)});
}

static planner::Placement makePlacement(const Module &module,
                                        const Entry &entry) {
  planner::Placement placement;
  for (const Memory &memory : module.machine.memories)
    placement.memories.push_back(
        {memory.name, memory.capacity, memory.alignment, memory.writable});
  placement.kinds.reserve(entry.vertices.size());
  placement.accessBegin.reserve(entry.vertices.size() + 1);
  placement.accesses.reserve(entry.accesses.size());
  placement.edges.reserve(entry.edges.size());
  ReplacedOperands replaced;
  for (const Vertex &vertex : entry.vertices)
    addVertex(entry, vertex, replaced, placement);
  addPieces(entry.parameters, placement.entry);
  // Parameters that may be written must be back in place for the next run.
  std::copy_if(placement.entry.begin(), placement.entry.end(),
               std::back_inserter(placement.exit),
               [&](const planner::Piece &piece) {
                 return placement.memories[piece.memory].writable;
               });
  addPieces(entry.inputs, placement.entry);
  addPieces(entry.results, placement.exit);
  return placement;
}

/// "vertices[3] (call of multiply for left)".
static std::string vertexName(const Module &module, const Entry &entry,
                              uint32_t index) {
  const Vertex &vertex = entry.vertices[index];
  std::string text = "vertices[" + std::to_string(index) + "] (";
  if (vertex.kind == VertexKind::Call)
    text += "call of " + module.kernels[vertex.kernel].name;
  else
    text += toString(vertex.kind);
  if (vertex.kind == VertexKind::Copy)
    text += std::string(", ") + toString(vertex.role);
  if (vertex.task != none)
    text += " for " + entry.tasks[vertex.task];
  return text + ")";
}

Status artifact::checkPlacement(const Module &module) {
  for (size_t i = 0; i < module.entries.size(); ++i) {
    const Entry &entry = module.entries[i];
    planner::PlacementNames names;
    names.operation = [&](uint32_t op) {
      return vertexName(module, entry, op);
    };
    Status status =
        planner::verifyPlacement(makePlacement(module, entry), names);
    if (!status)
      return status.withContext("entries[" + std::to_string(i) + "]");
  }
  return Status::ok();
}
