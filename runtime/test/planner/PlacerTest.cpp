//===- PlacerTest.cpp - Every way to place is proved ----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placer.h"
#include "Edges.h"
#include "Estimate.h"
#include "Orders.h"
#include "Shapes.h"

#include <gtest/gtest.h>

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::test;

namespace {
/// Places with \p rules, expects a proof, and returns the plan with its
/// predicted time.
Plan placed(const Problem &problem, const std::vector<uint32_t> &order,
            const PlacerRules &rules) {
  Machine machine(problem);
  std::vector<uint32_t> values = valuesOfTiles(problem);
  Placer placer(problem, machine, values, order, rules);
  Plan plan;
  Status status = placer.run(plan, /*frugal=*/false);
  EXPECT_TRUE(status.isOk()) << status.message();
  if (!status)
    return plan;
  addEdges(plan);
  Status proof = plan.verify(problem);
  EXPECT_TRUE(proof.isOk()) << proof.message() << "\n" << plan.dump(problem);
  plan.statistics.predictedMakespan = predictMakespan(problem, machine, plan);
  countCopies(problem, machine, plan);
  return plan;
}

std::vector<uint32_t> givenOrder(const Problem &problem) {
  return orderTasks(problem, Machine(problem), OrderKind::Given);
}
} // namespace

TEST(Placer, EveryRuleIsProved) {
  uint64_t moves = 0;
  std::mt19937_64 random(5);
  auto share = [&](double most) {
    return most * static_cast<double>(random() % 1001) / 1000;
  };
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem =
        randomProblem(seed, {static_cast<uint32_t>(20 + seed % 60),
                             1 + static_cast<uint32_t>(seed) % 3});
    setCaps(problem, 1 + share(2));
    PlacerRules rules;
    rules.horizon = share(2);
    rules.dirtyCost = 1 + share(2);
    rules.distanceExponent = 0.5 + share(2);
    rules.recentCost = seed % 2 == 0 ? share(4) : 0;
    rules.guard = seed % 3 == 0 ? share(1) : 0;
    rules.moveCost = seed % 4 != 0 ? share(1) : 0;
    rules.inherit = seed % 5 != 0;
    Plan plan = placed(problem, givenOrder(problem), rules);
    moves += plan.statistics.moves;
    if (HasFailure())
      return;
  }
  EXPECT_GT(moves, 0u);
}

TEST(Placer, ValuesThatLiveBrieflyTakeMemoryOnce) {
  // Rounds of a weight that fills a quarter of the memory and a chain of 16
  // values, each read once by the next task: together they would fill the
  // horizon, though only two are alive at a time. The next weight has to come
  // in meanwhile.
  Problem problem = makeMachine();
  uint64_t offset = 0;
  const uint64_t weightBytes = 1 << 20, valueBytes = 1 << 18;
  uint32_t value = addInput(problem, deviceMemory(0), valueBytes);
  for (unsigned round = 0; round < 12; ++round)
    for (unsigned i = 0; i < 16; ++i) {
      std::vector<uint32_t> operands{value};
      if (i == 0)
        operands.push_back(
            addParameter(problem, deviceMemory(0), weightBytes, offset));
      value = addValue(problem, deviceMemory(0), valueBytes);
      addCall(problem, 1, operands, {value}, 1e-4);
    }
  problem.memories[deviceMemory(0)].capacity = 4 * weightBytes;
  PlacerRules rules;
  rules.horizon = 0.7;
  rules.inPlace = false;
  double inherits =
      placed(problem, givenOrder(problem), rules).statistics.predictedMakespan;
  rules.inherit = false;
  double without =
      placed(problem, givenOrder(problem), rules).statistics.predictedMakespan;
  const double compute = 12 * 16 * 1e-4;
  EXPECT_LT(inherits, compute * 1.08);
  EXPECT_GT(without, compute * 1.1);
}

TEST(Placer, MovesMakeRoomWithoutLoads) {
  // Small tiles a, b, c, d lie next to each other; a and c are used no more,
  // b and d soon again. A tile of the size of two finds only holes of one:
  // moving b costs less than loading it again.
  Problem problem = makeMachine();
  const uint64_t bytes = 1 << 16;
  std::vector<uint32_t> tiles;
  for (unsigned i = 0; i < 4; ++i) {
    tiles.push_back(addValue(problem, deviceMemory(0), bytes));
    addCall(problem, 1, {}, {tiles.back()}, 1e-5);
  }
  addCall(problem, 1, {tiles[0], tiles[2]}, {}, 1e-5);
  uint32_t large = addValue(problem, deviceMemory(0), 2 * bytes);
  addCall(problem, 1, {}, {large}, 1e-5);
  addCall(problem, 1, {tiles[1], tiles[3]}, {}, 1e-5);
  addCall(problem, 1, {large}, {}, 1e-5);
  problem.memories[deviceMemory(0)].capacity = 4 * bytes;
  PlacerRules rules;
  rules.horizon = 0;
  Plan plain = placed(problem, givenOrder(problem), rules);
  EXPECT_EQ(plain.statistics.moves, 0u);
  EXPECT_EQ(plain.statistics.reloads, 1u);
  rules.moveCost = 0.25;
  Plan moved = placed(problem, givenOrder(problem), rules);
  EXPECT_EQ(moved.statistics.moves, 1u);
  EXPECT_EQ(moved.statistics.reloads, 0u);
}

TEST(Placer, TilesMoveToWhereOthersAreEvicted) {
  // Memory is full of a, b, c, d, in this order; a and c are needed last of
  // all. A tile of the size of two needs one of them and a neighbour of it: b
  // goes to where a was, and the new tile to where b and c were.
  Problem problem = makeMachine();
  const uint64_t bytes = 1 << 16;
  std::vector<uint32_t> tiles;
  for (unsigned i = 0; i < 4; ++i) {
    tiles.push_back(addValue(problem, deviceMemory(0), bytes));
    addCall(problem, 1, {}, {tiles.back()}, 1e-5);
  }
  uint32_t large = addValue(problem, deviceMemory(0), 2 * bytes);
  addCall(problem, 1, {}, {large}, 1e-5);
  addCall(problem, 1, {tiles[1], tiles[3]}, {}, 1e-5);
  addCall(problem, 1, {large}, {}, 1e-5);
  addCall(problem, 1, {tiles[0], tiles[2]}, {}, 1e-5);
  problem.memories[deviceMemory(0)].capacity = 4 * bytes;
  PlacerRules rules;
  rules.horizon = 0;
  Plan plain = placed(problem, givenOrder(problem), rules);
  EXPECT_EQ(plain.statistics.moves, 0u);
  EXPECT_EQ(plain.statistics.reloads, 3u);
  rules.moveCost = 0.1;
  Plan moved = placed(problem, givenOrder(problem), rules);
  EXPECT_EQ(moved.statistics.moves, 1u);
  EXPECT_EQ(moved.statistics.reloads, 2u);
}

TEST(Placer, PatienceKeepsWhatIsNeededSoon) {
  // All of the memory ahead is taken, at the cost of loading a tile twice,
  // unless that is needed too soon for what bringing it back takes.
  Problem problem = makeMachine();
  const uint64_t bytes = 1 << 16;
  uint32_t kept = addInput(problem, deviceMemory(0), bytes);
  addCall(problem, 1, {kept}, {}, 1e-3);
  for (unsigned i = 0; i < 8; ++i)
    addCall(problem, 1, {addInput(problem, deviceMemory(0), bytes)}, {}, 1e-3);
  addCall(problem, 1, {kept}, {}, 1e-3);
  problem.memories[deviceMemory(0)].capacity = 4 * bytes;
  PlacerRules rules;
  rules.horizon = 1;
  rules.lead = 0;
  EXPECT_EQ(placed(problem, givenOrder(problem), rules).statistics.reloads, 1u);
  rules.patience = 1e6;
  EXPECT_EQ(placed(problem, givenOrder(problem), rules).statistics.reloads, 0u);
}
