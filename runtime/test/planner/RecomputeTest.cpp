//===- RecomputeTest.cpp - Calls that are carried out again ---------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recompute.h"
#include "Edges.h"
#include "Estimate.h"
#include "Exhaustive.h"
#include "Mutator.h"
#include "Orders.h"
#include "Placer.h"
#include "RandomProblem.h"
#include "turnip/planner/Bounds.h"

#include <gtest/gtest.h>

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::test;

namespace {
constexpr uint64_t bytes = 1 << 20;
const uint32_t memory = deviceMemory(0);

/// Plans, expects a proof, and returns the plan.
Plan planned(const Problem &problem, bool rematerialize = true,
             uint32_t effort = 1) {
  PlanOptions options;
  options.rematerialize = rematerialize;
  options.effort = effort;
  Expected<Plan> result = plan(problem, options);
  EXPECT_TRUE(result.isOk()) << result.status().message();
  if (!result)
    return {};
  Status proof = result->verify(problem);
  EXPECT_TRUE(proof.isOk()) << proof.message() << "\n" << result->dump(problem);
  return std::move(*result);
}

/// Places the tasks as given, computing again whatever can be if that takes at
/// most \p price times as long as copying.
Plan placed(const Problem &problem, double price, double horizon = 0.5) {
  Machine machine(problem);
  std::vector<uint32_t> values = valuesOfTiles(problem);
  std::vector<uint32_t> order = orderTasks(problem, machine, OrderKind::Given);
  PlacerRules rules;
  rules.recompute = price;
  rules.horizon = horizon;
  rules.moveCost = horizon > 1 ? 0.25 : 0;
  Placer placer(problem, machine, values, order, rules);
  Plan plan;
  Status status = placer.run(plan, /*frugal=*/false);
  EXPECT_TRUE(status.isOk()) << status.message();
  addEdges(plan);
  pruneEdges(plan);
  plan.statistics.predictedMakespan = predictMakespan(problem, machine, plan);
  countCopies(problem, machine, plan);
  Status proof = plan.verify(problem);
  EXPECT_TRUE(proof.isOk()) << proof.message() << "\n" << plan.dump(problem);
  return plan;
}

/// A long chain of steps between the two uses of some tables, each of which a
/// task computes from \p source, or from nothing if that is None. Of
/// \p capacity tiles the chain needs four.
struct Tables {
  Problem problem = makeMachine();
  std::vector<uint32_t> tables;
  uint32_t last = None;

  Tables(uint32_t count, bool fromInput, double cost, uint64_t capacity = 6,
         bool keepsSource = true) {
    uint64_t offset = 0;
    uint32_t source = addInput(problem, memory, 64);
    std::vector<uint32_t> operands;
    if (fromInput)
      operands.push_back(source);
    for (uint32_t i = 0; i < count; ++i) {
      tables.push_back(addValue(problem, memory, bytes));
      addCall(problem, 1, operands, {tables.back()}, cost);
    }
    uint32_t value = addInput(problem, memory, bytes);
    auto step = [&](uint32_t other) {
      uint32_t next = addValue(problem, memory, bytes);
      addCall(problem, 1, {value, other}, {next}, 1e-4);
      value = next;
    };
    for (uint32_t table : tables)
      step(table);
    for (uint32_t i = 0; i < 12; ++i)
      step(addParameter(problem, memory, bytes, offset));
    for (uint32_t table : tables)
      step(table);
    if (keepsSource) {
      uint32_t end = addValue(problem, memory, 64);
      addCall(problem, 1, {value, source}, {end}, 1e-4);
      value = end;
    }
    problem.tiles[value].finalMemory = hostMemory;
    problem.memories[memory].capacity = capacity * bytes;
    last = value;
  }
};

/// The first operation that carries out a task again, or None.
uint32_t firstRepeat(const Plan &plan, const Problem &problem) {
  std::vector<bool> seen(problem.tasks.size(), false);
  for (uint32_t op = 0; op < plan.placement.numOps(); ++op) {
    uint32_t task = plan.ops[op].task;
    if (task != None && seen[task])
      return op;
    if (task != None)
      seen[task] = true;
  }
  return None;
}
} // namespace

TEST(Recompute, OffersCallsWithoutOtherEffects) {
  Problem problem = makeMachine();
  uint32_t input = addInput(problem, memory, 64);
  uint32_t cheap = addValue(problem, memory, 64);
  uint32_t scratch = addValue(problem, memory, 64);
  uint32_t one = addValue(problem, memory, 64);
  uint32_t two = addValue(problem, memory, 64);
  uint32_t stays = addValue(problem, memory, 64, memory);
  uint32_t onHost = addValue(problem, hostMemory, 64);
  addCall(problem, 1, {input}, {cheap});
  addCall(problem, 1, {input}, {scratch}, 1e-3, 64);
  addCall(problem, 1, {input}, {one, two});
  addCall(problem, 1, {input}, {stays});
  addTransfer(problem, 1, input, onHost);
  std::vector<uint32_t> tasks = tasksToRepeat(problem);
  EXPECT_EQ(tasks[cheap], 0u);
  for (uint32_t tile : {input, scratch, one, two, stays, onHost})
    EXPECT_EQ(tasks[tile], None) << tile;
}

TEST(Recompute, TablesAreComputedTwiceAndNeverCopied) {
  for (bool fromInput : {false, true}) {
    Tables graph(4, fromInput, 1e-5);
    Plan once = planned(graph.problem, false);
    EXPECT_EQ(once.statistics.repeats, 0u);
    EXPECT_GT(once.statistics.offloads, 0u);
    Plan plan = planned(graph.problem);
    EXPECT_GT(plan.statistics.repeats, 0u);
    EXPECT_EQ(plan.statistics.repeatBytes, plan.statistics.repeats * bytes);
    EXPECT_NEAR(plan.statistics.repeatSeconds,
                static_cast<double>(plan.statistics.repeats) * 1e-5, 1e-9);
    EXPECT_EQ(plan.statistics.offloads, 0u);
    EXPECT_LT(plan.statistics.copySeconds, once.statistics.copySeconds);
    EXPECT_LE(plan.statistics.predictedMakespan,
              once.statistics.predictedMakespan);
    EXPECT_NE(toString(graph.problem, plan.statistics).find("computed again: "),
              std::string::npos);
  }
}

TEST(Recompute, NotWhereItTakesLongerThanCopying) {
  Tables graph(4, true, 0.1);
  EXPECT_EQ(planned(graph.problem).statistics.repeats, 0u);
  EXPECT_GT(planned(graph.problem).statistics.offloads, 0u);
}

/// An effort of 0 and other policies make their one plan.
TEST(Recompute, OnlyTheDefaultPolicySearchesForIt) {
  Tables graph(4, true, 1e-5);
  EXPECT_EQ(planned(graph.problem, true, 0).statistics.repeats, 0u);
  for (Policy policy :
       {Policy::Original, Policy::LRU, Policy::LayerWise, Policy::NoPrefetch}) {
    PlanOptions options;
    options.policy = policy;
    Expected<Plan> result = plan(graph.problem, options);
    ASSERT_TRUE(result.isOk());
    EXPECT_EQ(result->statistics.repeats, 0u) << toString(policy);
  }
}

/// What nobody needs afterwards may be gone, so the tables are written back.
TEST(Recompute, NotFromWhatIsGone) {
  Tables graph(4, true, 1e-5, 6, /*keepsSource=*/false);
  Plan plan = placed(graph.problem, 1e9);
  EXPECT_EQ(plan.statistics.repeats, 0u);
  EXPECT_GT(plan.statistics.offloads, 0u);
}

/// At the smallest cap there is no room for operands beside the step.
TEST(Recompute, OnlyWhereOperandsFitBesideTheStep) {
  Tables fromNothing(4, false, 1e-5, 3), fromInput(4, true, 1e-5, 3);
  EXPECT_EQ(smallestCap(fromInput.problem, 1).bytes, 3 * bytes);
  EXPECT_EQ(placed(fromInput.problem, 1e9).statistics.repeats, 0u);
  EXPECT_GT(placed(fromNothing.problem, 1e9).statistics.repeats, 0u);
  fromInput.problem.memories[memory].capacity += 64;
  EXPECT_GT(placed(fromInput.problem, 1e9).statistics.repeats, 0u);
}

TEST(Recompute, EveryPlacementIsProved) {
  uint64_t repeats = 0, transfers = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomShape shape{static_cast<uint32_t>(20 + seed % 80),
                      1 + static_cast<uint32_t>(seed) % 3, 2000,
                      static_cast<uint32_t>(4 + seed % 30)};
    Problem problem = randomProblem(seed, shape);
    setCaps(problem, 1 + 0.125 * static_cast<double>(seed % 17));
    Plan plan = placed(problem, 1e9, 0.2 * static_cast<double>(seed % 8));
    repeats += plan.statistics.repeats;
    transfers += plan.statistics.transfers;
  }
  EXPECT_GT(repeats, 400u);
  EXPECT_GT(transfers, 400u);
}

/// The bounds for such plans hold for all of them; those for plans that run
/// each task once need not.
TEST(Recompute, BoundsHold) {
  size_t beaten = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem = seed % 2
                          ? randomProblem(seed, {60, 1, 2000, 30})
                          : Tables(3 + seed % 5, seed % 4 == 0, 1e-5).problem;
    if (seed % 2)
      setCaps(problem, 1.5);
    Plan plan = placed(problem, 1e9, 0.7);
    double brought = static_cast<double>(plan.statistics.loadBytes +
                                         plan.statistics.reloadBytes);
    double taken = static_cast<double>(plan.statistics.offloadBytes +
                                       plan.statistics.resultBytes);
    std::vector<uint32_t> order = taskOrder(problem, plan);
    TrafficBounds traffic = boundTraffic(problem, order, /*repeats=*/true);
    EXPECT_LE(traffic.totalIncoming(), brought + 0.5);
    EXPECT_LE(traffic.totalOutgoing(), taken + 0.5);
    EXPECT_EQ(traffic.totalIncoming(), boundIncoming(problem, order, true));
    TrafficBounds once = boundTraffic(problem, order);
    EXPECT_LE(traffic.totalIncoming(), once.totalIncoming());
    EXPECT_LE(traffic.totalOutgoing(), once.totalOutgoing());
    beaten += once.totalIncoming() > brought || once.totalOutgoing() > taken;
    MakespanOptions options;
    options.repeats = true;
    EXPECT_LE(
        boundMakespanOfOrder(problem, traffic, boundMakespan(problem, options)),
        plan.statistics.predictedMakespan * (1 + 1e-9));
  }
  EXPECT_GT(beaten, 5u);
}

/// The plan without is one of those it is chosen from.
TEST(Recompute, IsNeverWorse) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem = randomProblem(seed, {50, 1, 200000, 30});
    setCaps(problem, 1.5);
    Statistics off = planned(problem, false).statistics;
    Statistics on = planned(problem, true).statistics;
    bool sooner = on.predictedMakespan <= off.predictedMakespan;
    bool lessInAll = on.predictedMakespan + on.copySeconds / 2 <=
                     off.predictedMakespan + off.copySeconds / 2;
    EXPECT_TRUE(sooner || lessInAll);
    EXPECT_LE(on.predictedMakespan, 1.03 * off.predictedMakespan);
  }
}

TEST(Recompute, MutantsAreRejected) {
  Tables graph(4, true, 1e-5, 6);
  const Problem &problem = graph.problem;
  const Plan plan = placed(problem, 1e9);
  uint32_t op = firstRepeat(plan, problem);
  ASSERT_NE(op, None);
  uint32_t other = plan.ops[op].task == 0 ? 1 : 0;
  auto refused = [&](const Plan &mutant, const std::string &why) {
    Status proof = mutant.verify(problem);
    ASSERT_FALSE(proof.isOk());
    EXPECT_NE(proof.message().find(why), std::string::npos) << proof.message();
  };
  uint32_t read = plan.placement.accessBegin[op], write = read + 1;
  Plan mutant = plan;
  // Another operand: of the same size, but not what the task reads.
  mutant.placement.accesses[read].value = graph.last;
  refused(mutant, "expected value");
  // Another version: the range holds something else by then.
  mutant = plan;
  mutant.placement.accesses[read].offset =
      plan.placement.accesses[write].offset;
  refused(mutant, "which overlap and are not declared in place");
  mutant = plan;
  mutant.placement.accesses[read].offset = 5 * bytes;
  refused(mutant, "reads ");
  // Another result than the task has.
  mutant = plan;
  mutant.placement.accesses[write].value = graph.tables[other];
  refused(mutant, "expected value");
  // Another task, which computes the same from the same but is not the same.
  mutant = plan;
  mutant.ops[op].task = other;
  refused(mutant, "expected value");
  // No task at all.
  mutant = plan;
  mutant.ops[op].task = None;
  refused(mutant, "a call performs no task");
}

TEST(Recompute, TransfersHappenOnce) {
  Problem problem = makeMachine();
  uint32_t input = addInput(problem, memory, 64);
  uint32_t moved = addValue(problem, hostMemory, 64, hostMemory);
  addTransfer(problem, 1, input, moved);
  Plan plan = planned(problem);
  for (uint32_t op = 0; op < plan.placement.numOps(); ++op)
    if (plan.ops[op].task == 0) {
      std::vector<Access> again(plan.placement.accessesOf(op).begin(),
                                plan.placement.accessesOf(op).end());
      plan.ops.push_back(plan.ops[op]);
      plan.placement.addOp(OpKind::Copy, again);
      break;
    }
  Status proof = plan.verify(problem);
  ASSERT_FALSE(proof.isOk());
  EXPECT_NE(proof.message().find("performs the transfer too"),
            std::string::npos)
      << proof.message();
}

/// Damaged plans are refused or harmless, and sound ones compute the same in
/// every order: on symbolic bytes.
TEST(Recompute, AgreesWithTheOracle) {
  constexpr size_t stateLimit = 20000;
  size_t proved = 0, rejected = 0, repeats = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem =
        randomProblem(seed, {static_cast<uint32_t>(5 + seed % 7), 1, 200, 8});
    setCaps(problem, seed % 2 ? 1.0 : 1.3);
    Plan plan = placed(problem, 1e9, 0);
    if (plan.statistics.repeats == 0)
      continue;
    repeats += plan.statistics.repeats;
    Outcome outcome = Exhaustive(problem, plan, stateLimit).run();
    ASSERT_NE(outcome, Outcome::Wrong) << plan.dump(problem);
    proved += outcome == Outcome::Right;
    Mutator mutator(plan, seed);
    for (size_t kind = 0; kind < numMutations; ++kind) {
      Plan mutant;
      if (!mutator.apply(static_cast<Mutation>(kind), mutant))
        continue;
      if (!mutant.verify(problem)) {
        ++rejected;
        continue;
      }
      ASSERT_EQ(Exhaustive(problem, mutant, stateLimit).run(), Outcome::Right)
          << mutant.dump(problem);
    }
  }
  EXPECT_GT(repeats, 25u);
  EXPECT_GT(proved, 10u);
  EXPECT_GT(rejected, 50u);
}
