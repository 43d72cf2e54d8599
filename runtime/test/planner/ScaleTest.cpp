//===- ScaleTest.cpp - Proofs of large placements -------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `planner-bench proofs` and `planner-bench mutants` do, on graphs that
// are small enough for every day: about 10^5 operations in all, so large that
// most accesses to the same bytes are farther apart than a window.
//
//===----------------------------------------------------------------------===//

#include "Graphs.h"
#include "HardPlacements.h"
#include "Mutator.h"
#include "Oversubscribe.h"

#include <gtest/gtest.h>

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::bench;
using namespace turnip::planner::test;

TEST(Scale, EveryMutantOfLargePlansIsRefused) {
  for (const char *kind :
       {"training", "layered", "star", "butterfly", "skip-chain"}) {
    GraphOptions options;
    options.vertices = 10000;
    ASSERT_TRUE(parseGraphKind(kind, options).isOk());
    Expected<Problem> problem = makeGraph(options);
    ASSERT_TRUE(problem.isOk());
    oversubscribe(*problem, 8);
    PlanOptions planOptions;
    planOptions.effort = 0;
    Expected<Plan> original = plan(*problem, planOptions);
    ASSERT_TRUE(original.isOk()) << original.status().message();
    Status proof = original->verify(*problem);
    ASSERT_TRUE(proof.isOk()) << proof.message();
    Mutator mutator(*original, 1);
    size_t refused = 0;
    for (size_t i = 0; i < 3 * numMutations; ++i) {
      auto mutation = static_cast<Mutation>(i % numMutations);
      Plan mutant;
      if (!mutator.apply(mutation, mutant))
        continue;
      bool accepted = mutant.verify(*problem).isOk();
      refused += !accepted;
      bool harmless = mutator.removedEdge().to != None &&
                      ordersWithout(mutant.placement, mutator.removedEdge());
      ASSERT_EQ(accepted, harmless) << kind << ", " << toString(mutation);
    }
    EXPECT_GE(refused, 24u) << kind;
  }
}

TEST(Scale, HardPlacementsAreProvedAndBrokenOnesRefused) {
  for (HardKind kind : hardKinds)
    for (uint32_t numOps : {100, 3000, 40000}) {
      Placement placement = makeHard(kind, numOps, 5);
      Status proof = verifyPlacement(placement);
      ASSERT_TRUE(proof.isOk()) << bench::toString(kind) << " of " << numOps
                                << ": " << proof.message();
      for (uint64_t seed = 0; seed < 4; ++seed) {
        Placement broken = placement;
        breakHard(broken, seed);
        Status refusal = verifyPlacement(broken);
        ASSERT_FALSE(refusal.isOk()) << bench::toString(kind);
        EXPECT_NE(refusal.message().find("is not ordered after"),
                  std::string::npos)
            << refusal.message();
      }
    }
}

TEST(Scale, LargeGraphsThatComputeLongCopyLittle) {
  // There is time for few plans, and running far ahead gains nothing here.
  GraphOptions options;
  options.kind = GraphKind::Layered;
  options.vertices = 160000;
  options.intensity = 8;
  Expected<Problem> problem = makeGraph(options);
  ASSERT_TRUE(problem) << problem.status().message();
  setCapacity(*problem, 8 * largestTask(*problem));
  Expected<Plan> made = plan(*problem);
  ASSERT_TRUE(made) << made.status().message();
  const Statistics &figures = made->statistics;
  EXPECT_LE(static_cast<double>(figures.loadBytes + figures.reloadBytes),
            1.25 * figures.incomingBytesBound);
  EXPECT_LE(figures.predictedMakespan, 1.05 * figures.makespanBound);
}
