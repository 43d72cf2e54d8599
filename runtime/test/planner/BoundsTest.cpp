//===- BoundsTest.cpp - Lower bounds --------------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graphs.h"
#include "RandomProblem.h"

#include "turnip/planner/Bounds.h"
#include "gtest/gtest.h"

#include <numeric>

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::test;

namespace {

/// What a run looks like in which every engine takes the ready operation that
/// comes first by \p rank, or exactly in the order of the plan.
class Run {
public:
  Run(const Problem &problem, const Plan &plan) : problem(problem), plan(plan) {
    for (uint32_t i = 0; i < problem.links.size(); ++i)
      links.try_emplace({problem.links[i].source, problem.links[i].destination},
                        i);
  }

  double inRandomOrder(uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<uint64_t> rank(plan.placement.numOps());
    for (uint64_t &value : rank)
      value = random();
    return run(rank, false);
  }
  double inPlanOrder() {
    std::vector<uint64_t> rank(plan.placement.numOps());
    for (size_t i = 0; i < rank.size(); ++i)
      rank[i] = i;
    return run(rank, true);
  }

private:
  double secondsOf(uint32_t op) const {
    if (plan.placement.kinds[op] == OpKind::Call)
      return problem.tasks[plan.ops[op].task].cost;
    if (plan.placement.kinds[op] == OpKind::Join)
      return 0;
    ArrayView<Access> accesses = plan.placement.accessesOf(op);
    auto link = links.find({accesses[0].memory, accesses[1].memory});
    double bytes = static_cast<double>(accesses[0].bytes);
    if (link == links.end())
      return bytes / 1e11;
    const Link &via = problem.links[link->second];
    return via.latency + bytes / via.bytesPerSecond;
  }

  double run(const std::vector<uint64_t> &rank, bool inSequence) {
    uint32_t numOps = plan.placement.numOps();
    std::vector<std::vector<uint32_t>> before(numOps);
    for (const Edge &edge : plan.placement.edges)
      before[edge.to].push_back(edge.from);
    std::vector<double> end(numOps, -1), idle(plan.engines.size(), 0);
    std::vector<uint32_t> todo(numOps);
    for (uint32_t op = 0; op < numOps; ++op)
      todo[op] = op;
    // Again and again the operation that can start first, by rank where equal.
    double last = 0;
    while (!todo.empty()) {
      size_t best = todo.size();
      std::pair<double, uint64_t> bestKey;
      std::vector<bool> seen(plan.engines.size());
      for (size_t i = 0; i < todo.size(); ++i) {
        uint32_t op = todo[i];
        uint32_t engine = plan.ops[op].engine;
        double start = engine == None ? 0 : idle[engine];
        bool ready = true;
        for (uint32_t other : before[op]) {
          ready &= end[other] >= 0;
          start = std::max(start, end[other]);
        }
        bool blocked = inSequence && engine != None && seen[engine];
        if (engine != None)
          seen[engine] = true;
        std::pair<double, uint64_t> key(start, rank[op]);
        if (ready && !blocked && (best == todo.size() || key < bestKey)) {
          best = i;
          bestKey = key;
        }
      }
      if (best == todo.size())
        return -1;
      uint32_t op = todo[best];
      end[op] = bestKey.first + secondsOf(op);
      if (plan.ops[op].engine != None)
        idle[plan.ops[op].engine] = end[op];
      last = std::max(last, end[op]);
      todo.erase(todo.begin() + static_cast<ptrdiff_t>(best));
    }
    return last;
  }

  const Problem &problem;
  const Plan &plan;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> links;
};

/// Bytes that \p plan brings to each memory and takes from it, transfer tasks
/// apart.
TrafficBounds trafficOf(const Problem &problem, const Plan &plan) {
  TrafficBounds traffic;
  traffic.incoming.assign(problem.memories.size(), 0);
  traffic.outgoing.assign(problem.memories.size(), 0);
  for (uint32_t op = 0; op < plan.placement.numOps(); ++op) {
    if (plan.placement.kinds[op] != OpKind::Copy)
      continue;
    ArrayView<Access> accesses = plan.placement.accessesOf(op);
    double bytes = static_cast<double>(accesses[0].bytes);
    switch (plan.ops[op].role) {
    case CopyRole::Load:
    case CopyRole::Reload:
      traffic.incoming[accesses[1].memory] += bytes;
      break;
    case CopyRole::Offload:
    case CopyRole::Result:
      traffic.outgoing[accesses[0].memory] += bytes;
      break;
    default:
      break;
    }
  }
  return traffic;
}

void expectNotMore(const std::vector<double> &bound,
                   const std::vector<double> &actual, const std::string &what) {
  ASSERT_EQ(bound.size(), actual.size());
  for (size_t i = 0; i < bound.size(); ++i)
    EXPECT_LE(bound[i], actual[i] + 0.5) << what << " of memory " << i;
}

/// Every bound against one plan and some of its runs.
void expectBounded(const Problem &problem, const Plan &plan,
                   const std::string &name) {
  std::vector<uint32_t> order = taskOrder(problem, plan);
  ASSERT_EQ(order.size(), problem.tasks.size()) << name;
  TrafficBounds traffic = trafficOf(problem, plan);
  bool repeats = plan.statistics.repeats != 0;
  TrafficBounds ofOrder = boundTraffic(problem, order, repeats);
  TrafficBounds ofAny = boundTraffic(problem);
  expectNotMore(ofOrder.incoming, traffic.incoming, name + ": incoming");
  expectNotMore(ofOrder.outgoing, traffic.outgoing, name + ": outgoing");
  double together = 0;
  for (size_t i = 0; i < traffic.incoming.size(); ++i)
    together += traffic.incoming[i] + traffic.outgoing[i];
  EXPECT_LE(boundTogether(problem, order, repeats), together * (1 + 1e-9))
      << name;
  expectNotMore(ofAny.incoming, ofOrder.incoming, name + ": order");
  expectNotMore(ofAny.outgoing, ofOrder.outgoing, name + ": order");

  MakespanOptions options;
  options.repeats = repeats;
  MakespanBounds bounds = boundMakespan(problem, options);
  double bound = boundMakespanOfOrder(problem, ofOrder, bounds);
  EXPECT_GE(bound, bounds.best()) << name;
  constexpr double rounding = 1 + 1e-9;
  EXPECT_LE(bound, plan.statistics.predictedMakespan * rounding) << name;
  for (uint64_t seed = 0; seed < 3; ++seed)
    EXPECT_LE(bound, Run(problem, plan).inRandomOrder(seed) * rounding) << name;
  double fixed = Run(problem, plan).inPlanOrder();
  ASSERT_GE(fixed, 0) << name;
  MakespanOptions inOrder = options;
  inOrder.deviceOrder = &order;
  double strict = boundMakespan(problem, inOrder).best();
  EXPECT_GE(strict * rounding, bounds.best()) << name;
  EXPECT_LE(std::max(strict, bound), fixed * rounding) << name;
}

/// Every policy at several capacities.
void expectAllBounded(Problem problem, const std::string &name) {
  for (double c : {1.0, 1.3, 2.0, 4.0}) {
    setCaps(problem, c);
    for (Policy policy : {Policy::Default, Policy::Original, Policy::LRU,
                          Policy::LayerWise, Policy::NoPrefetch}) {
      PlanOptions options;
      options.policy = policy;
      Expected<Plan> result = plan(problem, options);
      ASSERT_TRUE(result) << name << result.status().message();
      expectBounded(problem, *result,
                    name + ", c " + std::to_string(c) + ", " +
                        toString(policy));
    }
  }
}

TEST(Bounds, HoldForRandomProblems) {
  for (uint64_t seed = 0; seed < 40; ++seed)
    expectAllBounded(
        randomProblem(seed, {25, static_cast<uint32_t>(1 + seed % 3)}),
        "random " + std::to_string(seed));
}

TEST(Bounds, HoldForEveryKindOfGraph) {
  for (const char *kind :
       {"training", "layered", "star", "butterfly", "skip-chain", "llama-7b"})
    for (uint32_t devices : {1, 2}) {
      bench::GraphOptions options;
      ASSERT_TRUE(bench::parseGraphKind(kind, options));
      options.vertices = 40;
      options.devices = devices;
      options.layers = 1;
      options.tileBudget = uint64_t(256) << 20;
      Expected<Problem> problem = bench::makeGraph(options);
      ASSERT_TRUE(problem);
      expectAllBounded(*problem, kind);
    }
}

/// Tiles a, b, c of 64 bytes that every task uses in turn, on a device that
/// holds two of them.
TEST(Bounds, IncomingIsFractional) {
  MachineShape machine;
  machine.deviceBytes = 128;
  Problem problem = makeMachine(machine);
  uint32_t memory = deviceMemory(0);
  uint64_t offset = 0;
  std::vector<uint32_t> tiles;
  tiles.reserve(3);
  for (int i = 0; i < 3; ++i)
    tiles.push_back(addParameter(problem, memory, 64, offset));
  for (int i = 0; i < 6; ++i)
    addCall(problem, 1, {tiles[i % 3]}, {});
  std::vector<uint32_t> order{0, 1, 2, 3, 4, 5};
  // Loaded: a b c, of which c takes the place of b; then b; a stays.
  EXPECT_EQ(boundTraffic(problem, order).totalIncoming(), 4 * 64);
  // With room for half a tile more, half of b stays.
  problem.memories[memory].capacity = 2 * 64 + 32;
  EXPECT_EQ(boundTraffic(problem, order).totalIncoming(), 3.5 * 64);
  EXPECT_EQ(boundTraffic(problem).totalIncoming(), 3 * 64);
}

/// Four tiles that are produced and read again in reverse order, with room for
/// two and a task's result.
TEST(Bounds, OutgoingCountsWhatCannotStay) {
  MachineShape machine;
  machine.deviceBytes = 192;
  Problem problem = makeMachine(machine);
  uint32_t memory = deviceMemory(0);
  std::vector<uint32_t> tiles, order;
  for (int i = 0; i < 4; ++i) {
    tiles.push_back(addValue(problem, memory, 64));
    addCall(problem, 1, {}, {tiles.back()});
  }
  for (int i = 4; i-- > 0;)
    addCall(problem, 1, {tiles[i]},
            {addValue(problem, memory, 64, hostMemory)});
  for (uint32_t i = 0; i < 8; ++i)
    order.push_back(i);
  TrafficBounds bounds = boundTraffic(problem, order);
  // Four results, and of the four tiles one while three are there, or two while
  // the first result is computed.
  EXPECT_EQ(bounds.totalOutgoing(), 6 * 64);
  EXPECT_EQ(bounds.totalIncoming(), 2 * 64);
  EXPECT_EQ(boundTraffic(problem).totalOutgoing(), 4 * 64);
}

struct BoundOptimum {
  uint64_t seed;
  double incoming, outgoing, together;
};

const BoundOptimum optima[] = {
#include "BoundOptima.inc"
};

// The bound of incoming bytes is the optimum of a linear program, that of
// outgoing bytes is not above it and seldom below, that of both together hardly
// ever.
TEST(Bounds, AgreeWithLinearPrograms) {
  double sum = 0, sumOfOptima = 0, together = 0, togetherAtBest = 0;
  for (const BoundOptimum &optimum : optima) {
    Problem problem = bench::makeBoundCase(optimum.seed);
    std::vector<uint32_t> order(problem.tasks.size());
    std::iota(order.begin(), order.end(), 0);
    TrafficBounds bounds = boundTraffic(problem, order);
    EXPECT_NEAR(bounds.totalIncoming(), optimum.incoming, 0.01)
        << "seed " << optimum.seed;
    EXPECT_LE(bounds.totalOutgoing(), optimum.outgoing + 0.01)
        << "seed " << optimum.seed;
    double both = boundTogether(problem, order);
    EXPECT_GE(both, bounds.totalIncoming() + bounds.totalOutgoing());
    EXPECT_LE(both, optimum.together + 0.01) << "seed " << optimum.seed;
    sum += bounds.totalOutgoing();
    sumOfOptima += optimum.outgoing;
    together += both;
    togetherAtBest += optimum.together;
  }
  EXPECT_GE(sum, 0.9 * sumOfOptima);
  EXPECT_GE(together, 0.995 * togetherAtBest);
}

// A turning point in the middle: all activations are produced before the first
// is used again, so what does not fit has to go out before and come in after.
TEST(Bounds, WindowsSeeTheTurningPoint) {
  Problem problem = trainingProblem(16, 1, 1 << 20, 1e-3);
  setCaps(problem, 2);
  MakespanBounds bounds = boundMakespan(problem);
  EXPECT_GT(bounds.windows,
            1.1 * std::max({bounds.compute, bounds.channels,
                            bounds.criticalPath, bounds.sequence}));
  // With room for everything nothing has to wait.
  setCaps(problem, 100);
  bounds = boundMakespan(problem);
  EXPECT_LE(bounds.windows, bounds.sequence * 1.02);
}

// Loads before the first task and results after the last do not overlap.
TEST(Bounds, SequenceAddsWhatComesBeforeAndAfter) {
  Problem problem = makeMachine();
  uint64_t offset = 0;
  uint32_t memory = deviceMemory(0);
  uint32_t weight = addParameter(problem, memory, 1000000, offset);
  for (int i = 0; i < 5; ++i)
    addCall(problem, 1, {weight},
            {addValue(problem, memory, 1000000, hostMemory)}, 1e-3);
  MakespanBounds bounds = boundMakespan(problem);
  EXPECT_NEAR(bounds.compute, 5e-3, 1e-9);
  EXPECT_NEAR(bounds.criticalPath, 3e-3, 1e-9);
  EXPECT_NEAR(bounds.sequence, 7e-3, 1e-9);
  MakespanOptions paths;
  paths.closureLimit = 0;
  EXPECT_NEAR(boundMakespan(problem, paths).sequence, 7e-3, 1e-9);
}

TEST(Bounds, NothingToDo) {
  Problem problem = makeMachine();
  EXPECT_EQ(boundMakespan(problem).best(), 0);
  EXPECT_EQ(boundTraffic(problem, {}).totalIncoming(), 0);
}

} // namespace
