//===- PlanTest.cpp - Plans of hand-made and random problems --------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomProblem.h"

#include <gtest/gtest.h>

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::test;

/// Plans, expects success and a proof, and returns the plan.
static Plan planned(const Problem &problem, const PlanOptions &options = {}) {
  Expected<Plan> result = plan(problem, options);
  EXPECT_TRUE(result.isOk()) << result.status().message();
  if (!result)
    return {};
  Status proof = result->verify(problem);
  EXPECT_TRUE(proof.isOk()) << proof.message() << "\n" << result->dump(problem);
  return std::move(*result);
}

TEST(Plan, RandomProblemsAtManyCaps) {
  const OrderKind kinds[] = {OrderKind::Given, OrderKind::DepthFirst,
                             OrderKind::MemoryAware, OrderKind::CriticalPath};
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomShape shape;
    shape.tasks = 1 + seed % 60;
    shape.devices = seed % 5 == 0 ? 2 : 1;
    Problem problem = randomProblem(seed, shape);
    ASSERT_TRUE(problem.check().isOk()) << problem.check().message();
    for (double factor : {1.0, 1.1, 1.5, 2.0, 4.0, 100.0}) {
      SCOPED_TRACE("factor " + std::to_string(factor));
      setCaps(problem, factor);
      PlanOptions options;
      options.order = kinds[seed % 4];
      options.pruneEdges = seed % 3 != 0;
      Plan plan = planned(problem, options);
      for (size_t i = 0; i < problem.memories.size(); ++i)
        ASSERT_LE(plan.statistics.peakBytes[i], problem.memories[i].capacity);
      if (HasFailure())
        return;
    }
  }
}

TEST(Plan, SmallestCapIsExact) {
  for (uint64_t seed = 1000; seed < 1300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem = randomProblem(seed);
    setCaps(problem, 1);
    SmallestCap cap = smallestCap(problem, 1);
    if (cap.bytes == 0)
      continue;
    planned(problem, {OrderKind::Given});
    problem.memories[deviceMemory(0)].capacity = cap.bytes - 64;
    Expected<Plan> refused = plan(problem);
    ASSERT_FALSE(refused.isOk());
    EXPECT_EQ(refused.status().code(), StatusCode::DoesNotFit);
    const std::string &message = refused.status().message();
    std::string need = std::to_string(cap.bytes) + " bytes";
    EXPECT_NE(message.find("needs " + need), std::string::npos) << message;
    EXPECT_NE(message.find("smallest capacity for these tasks is " + need),
              std::string::npos)
        << message;
    if (cap.task != None)
      EXPECT_EQ(message.find(problem.describeTask(cap.task)), 0u) << message;
    if (HasFailure())
      return;
  }
}
