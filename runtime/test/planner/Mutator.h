//===- Mutator.h - Plans with one thing wrong -------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TEST_PLANNER_MUTATOR_H
#define TURNIP_TEST_PLANNER_MUTATOR_H

#include "turnip/planner/Plan.h"

#include <algorithm>
#include <random>

namespace turnip::planner::test {

enum class Mutation {
  RemoveEdge,
  ChangeOffset,
  ChangeSize,
  ChangeMemory,
  SwapOperands,
  RedirectOperand,
  DropCopy,
  RedirectReload,
  StaleHostCopy,
  DropInPlace,
  ChangeEntry,
  ChangeExit,
  /// Removes one of the edges that join operations farthest apart.
  RemoveFarEdge,
};
constexpr size_t numMutations = 13;

inline const char *toString(Mutation kind) {
  switch (kind) {
  case Mutation::RemoveEdge:
    return "remove edge";
  case Mutation::ChangeOffset:
    return "change offset";
  case Mutation::ChangeSize:
    return "change size";
  case Mutation::ChangeMemory:
    return "change memory";
  case Mutation::SwapOperands:
    return "swap operands";
  case Mutation::RedirectOperand:
    return "redirect operand";
  case Mutation::DropCopy:
    return "drop copy";
  case Mutation::RedirectReload:
    return "redirect reload";
  case Mutation::StaleHostCopy:
    return "stale host copy";
  case Mutation::DropInPlace:
    return "drop in place";
  case Mutation::ChangeEntry:
    return "change entry";
  case Mutation::ChangeExit:
    return "change exit";
  case Mutation::RemoveFarEdge:
    return "remove far edge";
  }
  return "";
}

/// Makes mutants of one plan.
class Mutator {
public:
  Mutator(const Plan &plan, uint64_t seed) : plan(plan), random(seed) {}

  /// Makes \p mutant from the plan. Returns false when the plan has nothing to
  /// damage that way, or when the damage changes nothing.
  bool apply(Mutation kind, Plan &mutant) {
    mutant = plan;
    removed = {None, None};
    return damage(kind, mutant) && differs(mutant.placement);
  }

  /// The edge that the last mutant lacks, if that is what is wrong with it.
  const Edge &removedEdge() const { return removed; }

private:
  bool damage(Mutation kind, Plan &mutant) {
    Placement &placement = mutant.placement;
    switch (kind) {
    case Mutation::RemoveEdge:
      if (placement.edges.empty())
        return false;
      removeEdge(placement, below(placement.edges.size()));
      return true;
    case Mutation::ChangeOffset:
      return changeAccess(mutant, [&](Access &access) {
        uint64_t step = 64 * (1 + below(4));
        access.offset = below(2) && access.offset >= step
                            ? access.offset - step
                            : access.offset + step;
      });
    case Mutation::ChangeSize:
      return changeAccess(mutant, [&](Access &access) {
        access.bytes =
            below(2) && access.bytes > 1 ? access.bytes - 1 : access.bytes + 1;
      });
    case Mutation::ChangeMemory:
      return changeAccess(mutant, [&](Access &access) {
        access.memory = (access.memory + 1) %
                        static_cast<uint32_t>(placement.memories.size());
      });
    case Mutation::SwapOperands:
      return swapOperands(placement);
    case Mutation::RedirectOperand:
      return redirectOperand(placement);
    case Mutation::DropCopy:
      return dropCopy(mutant);
    case Mutation::RedirectReload:
      return redirectReload(mutant);
    case Mutation::StaleHostCopy:
      return staleHostCopy(mutant);
    case Mutation::DropInPlace:
      return dropInPlace(placement);
    case Mutation::ChangeEntry:
      return changePiece(placement.entry);
    case Mutation::ChangeExit:
      return changePiece(placement.exit);
    case Mutation::RemoveFarEdge:
      return removeFarEdge(placement);
    }
    return false;
  }

  size_t below(size_t bound) { return random() % bound; }

  template <typename Change> bool changeAccess(Plan &mutant, Change change) {
    std::vector<Access> &accesses = mutant.placement.accesses;
    if (accesses.empty())
      return false;
    change(accesses[below(accesses.size())]);
    return true;
  }

  /// Picks one of the indices below \p count that \p accept likes.
  template <typename Accept> uint32_t pick(size_t count, Accept accept) {
    std::vector<uint32_t> fitting;
    for (uint32_t i = 0; i < count; ++i)
      if (accept(i))
        fitting.push_back(i);
    return fitting.empty() ? None : fitting[below(fitting.size())];
  }

  void removeEdge(Placement &placement, size_t index) {
    removed = placement.edges[index];
    placement.edges.erase(placement.edges.begin() + index);
  }

  bool removeFarEdge(Placement &placement) {
    const std::vector<Edge> &edges = placement.edges;
    uint32_t farthest = 0;
    for (const Edge &edge : edges)
      farthest = std::max(farthest, edge.to - edge.from);
    uint32_t edge = pick(edges.size(), [&](uint32_t i) {
      return edges[i].to - edges[i].from >= farthest - farthest / 8;
    });
    if (edge == None)
      return false;
    removeEdge(placement, edge);
    return true;
  }

  bool differs(const Placement &mutant) const {
    const Placement &original = plan.placement;
    auto same = [](const auto &a, const auto &b, auto equal) {
      return a.size() == b.size() &&
             std::equal(a.begin(), a.end(), b.begin(), equal);
    };
    auto samePiece = [](const Piece &a, const Piece &b) {
      return a.memory == b.memory && a.value == b.value &&
             a.offset == b.offset && a.bytes == b.bytes;
    };
    return !same(original.accesses, mutant.accesses,
                 [](const Access &a, const Access &b) {
                   return a.memory == b.memory && a.value == b.value &&
                          a.offset == b.offset && a.bytes == b.bytes &&
                          a.role == b.role && a.inPlaceOf == b.inPlaceOf;
                 }) ||
           !same(original.edges, mutant.edges,
                 [](const Edge &a, const Edge &b) {
                   return a.from == b.from && a.to == b.to;
                 }) ||
           !same(original.entry, mutant.entry, samePiece) ||
           !same(original.exit, mutant.exit, samePiece);
  }

  bool swapOperands(Placement &placement) {
    auto reads = [&](uint32_t op) {
      size_t count = 0;
      for (const Access &access : placement.accessesOf(op))
        count += access.role == Role::Read;
      return count;
    };
    uint32_t op = pick(placement.numOps(), [&](uint32_t candidate) {
      return reads(candidate) >= 2;
    });
    if (op == None)
      return false;
    size_t begin = placement.accessBegin[op], count = reads(op);
    size_t first = below(count), second = (first + 1) % count;
    std::swap(placement.accesses[begin + first],
              placement.accesses[begin + second]);
    return true;
  }

  /// Lets a read mean another range, with or without what it names.
  bool redirectOperand(Placement &placement) {
    uint32_t victim = pick(placement.accesses.size(), [&](uint32_t i) {
      return placement.accesses[i].role == Role::Read;
    });
    if (victim == None)
      return false;
    const Access &other = placement.accesses[below(placement.accesses.size())];
    Access &access = placement.accesses[victim];
    access.offset = other.offset;
    access.memory = other.memory;
    if (below(2)) {
      access.value = other.value;
      access.bytes = other.bytes;
    }
    return true;
  }

  uint32_t pickCopy(const Plan &from, std::initializer_list<CopyRole> roles) {
    return pick(from.ops.size(), [&](uint32_t op) {
      return std::find(roles.begin(), roles.end(), from.ops[op].role) !=
             roles.end();
    });
  }

  /// Replaces a copy by a join: the order stays, the bytes do not come.
  bool dropCopy(Plan &mutant) {
    uint32_t op =
        pickCopy(mutant, {CopyRole::Offload, CopyRole::Result, CopyRole::Reload,
                          CopyRole::Load, CopyRole::Move});
    if (op == None)
      return false;
    Placement &placement = mutant.placement;
    size_t begin = placement.accessBegin[op];
    placement.accesses.erase(placement.accesses.begin() + begin,
                             placement.accesses.begin() + begin + 2);
    for (size_t i = op + 1; i < placement.accessBegin.size(); ++i)
      placement.accessBegin[i] -= 2;
    placement.kinds[op] = OpKind::Join;
    mutant.ops[op] = {};
    return true;
  }

  /// Lets a load or reload come from where another one comes from.
  bool redirectReload(Plan &mutant) {
    uint32_t op = pickCopy(mutant, {CopyRole::Load, CopyRole::Reload});
    uint32_t other =
        pickCopy(mutant, {CopyRole::Load, CopyRole::Reload, CopyRole::Offload});
    if (op == None || other == op)
      return false;
    Placement &placement = mutant.placement;
    size_t end = below(2);
    Access &access = placement.accesses[placement.accessBegin[op] + end];
    const Access &from =
        placement
            .accesses[placement.accessBegin[other] +
                      (mutant.ops[other].role == CopyRole::Offload ? 1 - end
                                                                   : end)];
    access.offset = from.offset;
    access.memory = from.memory;
    return true;
  }

  /// Lets a reload run before the copy that it reads is written.
  bool staleHostCopy(Plan &mutant) {
    std::vector<Edge> &edges = mutant.placement.edges;
    uint32_t edge = pick(edges.size(), [&](uint32_t i) {
      CopyRole from = mutant.ops[edges[i].from].role;
      CopyRole to = mutant.ops[edges[i].to].role;
      return (from == CopyRole::Offload || from == CopyRole::Result) &&
             to == CopyRole::Reload;
    });
    if (edge == None)
      return false;
    if (below(2))
      removeEdge(mutant.placement, edge);
    else
      std::swap(edges[edge].from, edges[edge].to);
    return true;
  }

  bool dropInPlace(Placement &placement) {
    uint32_t access = pick(placement.accesses.size(), [&](uint32_t i) {
      return placement.accesses[i].inPlaceOf != None;
    });
    if (access == None)
      return false;
    placement.accesses[access].inPlaceOf = None;
    return true;
  }

  bool changePiece(std::vector<Piece> &pieces) {
    if (pieces.empty())
      return false;
    pieces[below(pieces.size())].offset += 64;
    return true;
  }

  const Plan &plan;
  std::mt19937_64 random;
  Edge removed{None, None};
};

/// Whether \p placement, which lacks \p edge, orders what the edge ordered
/// all the same: a plain search, by which to judge what the proof accepts.
inline bool ordersWithout(const Placement &placement, const Edge &edge) {
  bool forward = placement.kinds[edge.to] == OpKind::Join;
  std::vector<std::vector<uint32_t>> next(placement.numOps());
  for (const Edge &other : placement.edges)
    next[forward ? other.from : other.to].push_back(forward ? other.to
                                                            : other.from);
  std::vector<bool> seen(placement.numOps(), false);
  std::vector<uint32_t> stack{forward ? edge.from : edge.to};
  while (!stack.empty()) {
    uint32_t op = stack.back();
    stack.pop_back();
    for (uint32_t other : next[op])
      if (!seen[other]) {
        seen[other] = true;
        stack.push_back(other);
      }
  }
  // A join stands for those behind it, or before it.
  uint32_t end = forward ? edge.to : edge.from;
  if (seen[end] || placement.kinds[end] != OpKind::Join)
    return seen[end];
  bool all = true;
  for (const Edge &other : placement.edges)
    if (forward && other.from == end)
      all &= seen[other.to];
    else if (!forward && other.to == end)
      all &= seen[other.from];
  return all;
}

} // namespace turnip::planner::test

#endif // TURNIP_TEST_PLANNER_MUTATOR_H
