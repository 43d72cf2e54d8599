//===- MutationTest.cpp - Does the proof notice damage --------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Damages plans in every way listed in Mutation and expects the proof to reject
// each mutant, or the exhaustive oracle to show that it computes the same.
//
//===----------------------------------------------------------------------===//

#include "Exhaustive.h"
#include "RandomProblem.h"

#include <array>
#include <gtest/gtest.h>

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::test;

namespace {
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
};
constexpr size_t numMutations = 12;

/// Makes mutants of one plan.
class Mutator {
public:
  Mutator(const Plan &plan, uint64_t seed) : plan(plan), random(seed) {}

  /// Returns false when the plan has nothing to damage that way.
  bool apply(Mutation kind, Plan &mutant) {
    mutant = plan;
    Placement &placement = mutant.placement;
    switch (kind) {
    case Mutation::RemoveEdge:
      if (placement.edges.empty())
        return false;
      placement.edges.erase(placement.edges.begin() +
                            below(placement.edges.size()));
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
    }
    return false;
  }

private:
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
      edges.erase(edges.begin() + edge);
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
};

struct Tally {
  size_t mutants = 0, rejected = 0, equivalent = 0, confirmed = 0,
         unconfirmed = 0;
};
} // namespace

/// A few hundred states are plenty to prove an accepted mutant of these sizes.
static constexpr size_t stateLimit = 20000;

static Problem smallProblem(uint64_t seed) {
  RandomShape shape;
  shape.tasks = 5 + seed % 6;
  shape.largestTile = 200;
  shape.reach = 4;
  Problem problem = randomProblem(seed, shape);
  setCaps(problem, seed % 2 ? 1.0 : 1.3);
  return problem;
}

TEST(Exhaustive, AgreesWithTheProofOnPlans) {
  size_t proved = 0;
  for (uint64_t seed = 0; seed < 120; ++seed) {
    Problem problem = smallProblem(seed);
    Expected<Plan> result = plan(problem, {OrderKind::Given});
    ASSERT_TRUE(result.isOk()) << result.status().message();
    ASSERT_TRUE(result->verify(problem).isOk());
    Outcome outcome = Exhaustive(problem, *result, stateLimit).run();
    ASSERT_NE(outcome, Outcome::Wrong) << "seed " << seed << "\n"
                                       << result->dump(problem);
    proved += outcome == Outcome::Right;
  }
  EXPECT_GE(proved, 60u);
}

TEST(Mutation, EveryMutantIsRejectedOrEquivalent) {
  std::array<Tally, numMutations> tallies;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Problem problem = smallProblem(seed);
    Expected<Plan> original = plan(problem, {OrderKind::Given});
    ASSERT_TRUE(original.isOk()) << original.status().message();
    Mutator mutator(*original, seed);
    const std::string before = original->dump(problem);
    for (size_t kind = 0; kind < numMutations; ++kind)
      for (unsigned repeat = 0; repeat < 4; ++repeat) {
        Plan mutant;
        if (!mutator.apply(static_cast<Mutation>(kind), mutant) ||
            mutant.dump(problem) == before)
          continue;
        Tally &tally = tallies[kind];
        ++tally.mutants;
        Status proof = mutant.verify(problem);
        if (proof) {
          ASSERT_EQ(Exhaustive(problem, mutant, stateLimit).run(),
                    Outcome::Right)
              << "seed " << seed << ", kind " << kind << "\n"
              << mutant.dump(problem);
          ++tally.equivalent;
          continue;
        }
        EXPECT_EQ(proof.code(), StatusCode::BadInput) << proof.message();
        ++tally.rejected;
        if (static_cast<Mutation>(kind) != Mutation::RemoveEdge)
          continue;
        // Mutants without an edge still run; most must go wrong in some order.
        Outcome outcome = Exhaustive(problem, mutant, stateLimit).run();
        tally.confirmed += outcome == Outcome::Wrong;
        tally.unconfirmed += outcome == Outcome::Right;
      }
  }
  size_t mutants = 0;
  for (size_t kind = 0; kind < numMutations; ++kind) {
    const Tally &tally = tallies[kind];
    std::printf("mutation %zu: %zu mutants, %zu rejected, %zu equivalent\n",
                kind, tally.mutants, tally.rejected, tally.equivalent);
    mutants += tally.mutants;
    EXPECT_GT(tally.rejected, 0u) << "kind " << kind;
  }
  std::printf("%zu mutants; of removed edges %zu wrong in some order, %zu "
              "in none\n",
              mutants, tallies[0].confirmed, tallies[0].unconfirmed);
  EXPECT_GE(mutants, 1000u);
  // A pruned edge is never one that does not matter.
  EXPECT_EQ(tallies[0].equivalent, 0u);
  EXPECT_GT(tallies[0].confirmed, 3 * tallies[0].unconfirmed);
}

TEST(Mutation, EveryEdgeOfLargerPlansMatters) {
  for (uint64_t seed = 500; seed < 508; ++seed) {
    RandomShape shape;
    shape.tasks = 60;
    shape.devices = 1 + seed % 2;
    Problem problem = randomProblem(seed, shape);
    setCaps(problem, 1.5);
    Expected<Plan> original = plan(problem, {OrderKind::Given});
    ASSERT_TRUE(original.isOk());
    for (size_t i = 0; i < original->placement.edges.size(); ++i) {
      Plan mutant = *original;
      Edge edge = mutant.placement.edges[i];
      mutant.placement.edges.erase(mutant.placement.edges.begin() + i);
      Status proof = mutant.verify(problem);
      ASSERT_FALSE(proof.isOk())
          << "seed " << seed << ", edge " << edge.from << " to " << edge.to;
      // Both operations are named; a join stands for those before it.
      EXPECT_NE(proof.message().find("is not ordered after"), std::string::npos)
          << proof.message();
    }
  }
}
