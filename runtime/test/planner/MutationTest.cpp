//===- MutationTest.cpp - Does the proof notice damage --------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Damages plans in every way listed in Mutator.h and expects the proof to
// reject each mutant, or the exhaustive oracle to show that it computes the
// same.
//
//===----------------------------------------------------------------------===//

#include "Exhaustive.h"
#include "Mutator.h"
#include "RandomProblem.h"

#include <array>
#include <gtest/gtest.h>

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::test;

namespace {
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
    for (size_t kind = 0; kind < numMutations; ++kind)
      for (unsigned repeat = 0; repeat < 4; ++repeat) {
        Plan mutant;
        if (!mutator.apply(static_cast<Mutation>(kind), mutant))
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
    std::printf("%s: %zu mutants, %zu rejected, %zu equivalent\n",
                toString(static_cast<Mutation>(kind)), tally.mutants,
                tally.rejected, tally.equivalent);
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
