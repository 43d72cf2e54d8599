//===- OrderSearchTest.cpp - Orders that copy less ------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OrderSearch.h"
#include "RandomProblem.h"
#include "turnip/planner/Bounds.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::test;

/// Whether every task comes once, and after all that it reads from.
static bool followsDataFlow(const Problem &problem,
                            const std::vector<uint32_t> &order) {
  std::vector<bool> done(problem.tasks.size()), made(problem.tiles.size());
  std::vector<bool> isMade(problem.tiles.size());
  for (uint32_t tile : problem.resultList)
    isMade[tile] = true;
  for (uint32_t task : order) {
    if (done[task])
      return false;
    done[task] = true;
    for (uint32_t tile : problem.operands(task))
      if (isMade[tile] && !made[tile])
        return false;
    for (uint32_t tile : problem.results(task))
      made[tile] = true;
  }
  return order.size() == problem.tasks.size();
}

TEST(OrderSearch, KeepsDataFlowAndNeverCopiesMore) {
  unsigned better = 0;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    Problem problem =
        randomProblem(seed, {40, static_cast<uint32_t>(1 + seed % 2)});
    setCaps(problem, 1.3);
    std::vector<uint32_t> order(problem.tasks.size());
    std::iota(order.begin(), order.end(), 0);
    std::mt19937_64 random(seed);
    std::vector<uint32_t> next = copyLess(problem, order, 200, random);
    ASSERT_TRUE(followsDataFlow(problem, next)) << seed;
    auto bytesOf = [&](const std::vector<uint32_t> &tasks) {
      TrafficBounds traffic = boundTraffic(problem, tasks);
      return traffic.totalIncoming() + 0.5 * traffic.totalOutgoing();
    };
    EXPECT_LE(bytesOf(next), bytesOf(order)) << seed;
    better += bytesOf(next) < bytesOf(order);
  }
  EXPECT_GE(better, 10u);
}

TEST(OrderSearch, LeavesOrdersThatCopyNothingTwice) {
  Problem problem = randomProblem(3, {30, 1});
  setCaps(problem, 1000);
  std::vector<uint32_t> order(problem.tasks.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(1);
  EXPECT_EQ(copyLess(problem, order, 1000, random), order);
  EXPECT_TRUE(copyLess(problem, {}, 10, random).empty());
}
