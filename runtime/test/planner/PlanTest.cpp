//===- PlanTest.cpp - Plans of hand-made and random problems --------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"
#include "turnip/planner/Bounds.h"
#include "turnip/support/ByteSize.h"

#include <gtest/gtest.h>
#include <limits>
#include <numeric>

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

static constexpr Policy allPolicies[] = {Policy::Default, Policy::Original,
                                         Policy::LRU, Policy::LayerWise,
                                         Policy::NoPrefetch};

/// Expects a proved plan at the smallest cap, and that 64 bytes less are
/// refused with a message that says so.
static void expectExactCap(Problem &problem, const PlanOptions &options) {
  setCaps(problem, 1);
  SmallestCap cap = smallestCap(problem, 1);
  if (cap.bytes == 0)
    return;
  planned(problem, options);
  problem.memories[deviceMemory(0)].capacity = cap.bytes - 64;
  Expected<Plan> refused = plan(problem, options);
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
}

TEST(Plan, NamesTheCapThatDoesForAllDevices) {
  MachineShape machine;
  machine.devices = 3;
  machine.deviceBytes = 64;
  Problem problem = makeMachine(machine);
  const uint64_t bytes[] = {128, 512, 256};
  for (uint32_t i = 0; i < 3; ++i) {
    uint32_t input = addInput(problem, deviceMemory(i), bytes[i]);
    uint32_t result = addValue(problem, deviceMemory(i), bytes[i], hostMemory);
    addCall(problem, i + 1, {input}, {result}, 1e6);
  }
  const std::string message = plan(problem).status().message();
  EXPECT_EQ(message.find(problem.describeTask(1)), 0u) << message;
  EXPECT_NE(message.find("smallest capacity for these tasks is 1024 bytes"),
            std::string::npos)
      << message;
  for (uint32_t i = 0; i < 3; ++i)
    problem.memories[deviceMemory(i)].capacity = 1024;
  planned(problem, PlanOptions());
}

TEST(Plan, RandomProblemsAtManyCaps) {
  const OrderKind kinds[] = {OrderKind::Given, OrderKind::DepthFirst,
                             OrderKind::MemoryAware, OrderKind::CriticalPath,
                             OrderKind::Scheduled};
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
      options.order = kinds[seed % 5];
      options.policy = allPolicies[seed / 5 % 5];
      options.pruneEdges = seed % 3 != 0;
      Plan plan = planned(problem, options);
      for (size_t i = 0; i < problem.memories.size(); ++i)
        ASSERT_LE(plan.statistics.peakBytes[i], problem.memories[i].capacity);
      if (HasFailure())
        return;
    }
  }
}

TEST(Plan, PoliciesHaveNames) {
  for (Policy policy : allPolicies) {
    Expected<Policy> parsed = parsePolicy(toString(policy));
    ASSERT_TRUE(parsed.isOk());
    EXPECT_EQ(*parsed, policy);
  }
  Expected<Policy> parsed = parsePolicy("oracle");
  ASSERT_FALSE(parsed.isOk());
  EXPECT_EQ(parsed.status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(
      parsed.status().message(),
      "expected default, original, lru, layer-wise or no-prefetch, but got "
      "'oracle'");
}

TEST(Plan, EffortIsLimited) {
  PlanOptions options;
  options.effort = maxEffort + 1;
  Expected<Plan> refused = plan(makeMachine(), options);
  ASSERT_FALSE(refused.isOk());
  EXPECT_EQ(refused.status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(refused.status().message(),
            "effort: expected at most 1000, but got 1001");
}

TEST(Plan, NoPrefetchLoadsOnlyWhatIsNext) {
  // Three tasks with a parameter each: a load waits for the task before.
  Problem problem = makeMachine();
  uint64_t offset = 0;
  for (unsigned i = 0; i < 3; ++i) {
    uint32_t weight = addParameter(problem, deviceMemory(0), 1000, offset);
    addCall(problem, 1, {weight}, {addValue(problem, deviceMemory(0), 64)});
  }
  PlanOptions options;
  options.policy = Policy::NoPrefetch;
  Plan demand = planned(problem, options);
  Plan ahead = planned(problem);
  const Statistics &s = demand.statistics;
  EXPECT_EQ(s.loads, 3u);
  // Nothing overlaps: three times copying and three times computing.
  EXPECT_DOUBLE_EQ(s.predictedMakespan, 3 * (1e-3 + 1000 / 1e9));
  EXPECT_LT(ahead.statistics.predictedMakespan, s.predictedMakespan);
}

TEST(Plan, SmallestCapIsExact) {
  for (uint64_t seed = 1000; seed < 1300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem = randomProblem(seed);
    PlanOptions options;
    options.policy = allPolicies[seed % 5];
    options.effort = seed % 4;
    expectExactCap(problem, options);
    if (HasFailure())
      return;
  }
}

TEST(Plan, TheOriginalAlwaysWritesBack) {
  // Two parameters take turns: each is written to host memory when it leaves,
  // although it was there before, and read from there.
  Problem problem = makeMachine();
  uint64_t offset = 0;
  uint32_t a = addParameter(problem, deviceMemory(0), 1024, offset);
  uint32_t b = addParameter(problem, deviceMemory(0), 1024, offset);
  uint32_t tile = None;
  for (uint32_t weight : {a, b, a, b}) {
    uint32_t next = addValue(problem, deviceMemory(0), 64, hostMemory);
    std::vector<uint32_t> operands{weight};
    if (tile != None)
      operands.push_back(tile);
    addCall(problem, 1, operands, {next});
    tile = next;
  }
  setCaps(problem, 1);
  PlanOptions options;
  options.policy = Policy::Original;
  Plan original = planned(problem, options);
  EXPECT_EQ(original.statistics.loads, 2u);
  EXPECT_EQ(original.statistics.reloads, 2u);
  EXPECT_EQ(original.statistics.offloads, 2u);
  EXPECT_EQ(planned(problem).statistics.offloads, 0u);
}

TEST(Plan, LayersAreLoadedWhileTheLayerBeforeRuns) {
  // Four layers of one parameter; the memory holds two. Each is loaded while
  // the one before is used, and no earlier.
  Problem problem = makeMachine();
  uint64_t offset = 0;
  const double copy = 1e-3;
  for (unsigned i = 0; i < 4; ++i) {
    uint32_t weight = addParameter(problem, deviceMemory(0), 1000000, offset);
    addCall(problem, 1, {weight}, {addValue(problem, deviceMemory(0), 64)},
            10 * copy);
  }
  setCaps(problem, 2);
  PlanOptions options;
  options.policy = Policy::LayerWise;
  EXPECT_NEAR(planned(problem, options).statistics.predictedMakespan, 41 * copy,
              1e-9);
  problem.memories[deviceMemory(0)].capacity = 1 << 30;
  options.policy = Policy::LRU;
  EXPECT_NEAR(planned(problem, options).statistics.predictedMakespan, 44 * copy,
              1e-9);
}

TEST(Plan, LeastRecentlyUsedGoes) {
  // The device holds two of three tiles in turn: the one that comes next is
  // always the one that left last, until the first is used no more.
  Problem problem = makeMachine();
  uint64_t offset = 0;
  std::vector<uint32_t> weights;
  weights.reserve(3);
  for (unsigned i = 0; i < 3; ++i)
    weights.push_back(addParameter(problem, deviceMemory(0), 1024, offset));
  for (unsigned i = 0; i < 12; ++i)
    addCall(problem, 1, {weights[i % 3]}, {}, 1e-3, 64);
  problem.memories[deviceMemory(0)].capacity = 2 * 1024 + 64;
  PlanOptions options;
  options.policy = Policy::LRU;
  EXPECT_EQ(planned(problem, options).statistics.reloads, 8u);
  options.policy = Policy::NoPrefetch;
  EXPECT_LT(planned(problem, options).statistics.reloads, 6u);
}

//===----------------------------------------------------------------------===//
// Hand-made cases
//===----------------------------------------------------------------------===//

namespace {
/// Operations of a plan by role, in order.
std::vector<uint32_t> copiesOf(const Plan &plan, CopyRole role) {
  std::vector<uint32_t> found;
  for (uint32_t op = 0; op < plan.ops.size(); ++op)
    if (plan.ops[op].role == role)
      found.push_back(op);
  return found;
}

uint32_t opOf(const Plan &plan, uint32_t task) {
  for (uint32_t op = 0; op < plan.ops.size(); ++op)
    if (plan.ops[op].task == task)
      return op;
  return None;
}

const uint32_t dev = deviceMemory(0);
} // namespace

TEST(Plan, CleanTilesAreDroppedForFree) {
  // Two parameters and an input take turns on a device that holds one and the
  // results: nothing is ever written back.
  Problem problem = makeMachine();
  uint64_t offset = 0;
  uint32_t a = addParameter(problem, dev, 1024, offset);
  uint32_t b = addParameter(problem, dev, 1024, offset);
  uint32_t c = addInput(problem, dev, 1024);
  for (uint32_t tile : {a, b, c, a, b, c})
    addCall(problem, 1, {tile}, {addValue(problem, dev, 64, hostMemory)});
  setCaps(problem, 1);
  Plan plan = planned(problem);
  EXPECT_EQ(plan.statistics.offloads, 0u);
  EXPECT_EQ(plan.statistics.loads, 3u);
  EXPECT_EQ(plan.statistics.results, 6u);
  EXPECT_EQ(plan.statistics.moves, 0u);
  // Every load and reload of a parameter comes from where it was at entry.
  for (CopyRole role : {CopyRole::Load, CopyRole::Reload})
    for (uint32_t op : copiesOf(plan, role)) {
      const Access &source = plan.placement.accessesOf(op)[0];
      if (source.value != c) {
        EXPECT_EQ(source.memory, paramsMemory);
        EXPECT_EQ(source.offset, problem.tiles[source.value].initialOffset);
      }
    }
}

TEST(Plan, DirtyTilesAreWrittenOnce) {
  // 24 layers forward and back: 96 MiB of activations at 24 MiB.
  Problem problem = trainingProblem(24, 4, 1 << 20);
  problem.memories[dev].capacity = 24 << 20;
  Plan plan = planned(problem);
  std::vector<unsigned> writes(problem.tiles.size(), 0);
  for (uint32_t op : copiesOf(plan, CopyRole::Offload))
    ++writes[plan.placement.accessesOf(op)[0].value];
  EXPECT_GT(plan.statistics.offloads, 0u);
  EXPECT_EQ(*std::max_element(writes.begin(), writes.end()), 1u);
  double loaded = static_cast<double>(plan.statistics.loadBytes +
                                      plan.statistics.reloadBytes);
  EXPECT_LE(loaded, 1.05 * plan.statistics.incomingBytesBound);
}

TEST(Plan, StreamsParametersOnceAndInTime) {
  // 513 MiB of parameters, each read once, through 64 MiB, with as much to
  // compute as to transfer: the prediction leaves little to wait for.
  MachineShape machine;
  machine.deviceBytes = 64 << 20;
  for (double ratio : {0.5, 1.0, 2.0}) {
    Problem problem = streamingProblem(
        30, ratio * 538e6 / machine.linkBytesPerSecond, machine);
    Plan plan = planned(problem);
    const Statistics &s = plan.statistics;
    EXPECT_EQ(s.offloads + s.moves + s.reloads, 0u);
    EXPECT_EQ(s.loadBytes, static_cast<uint64_t>(s.incomingBytesBound));
    EXPECT_LE(s.predictedMakespan,
              1.1 * std::max(s.computeBound, s.transferBound));
  }
}

TEST(Plan, ResultsTakeThePlaceOfDyingOperands) {
  Problem problem = makeMachine();
  uint32_t x = addInput(problem, dev, 640);
  uint32_t y = addValue(problem, dev, 640);
  uint32_t z = addValue(problem, dev, 640, hostMemory);
  uint32_t w = addValue(problem, dev, 640, hostMemory);
  uint32_t first = addCall(problem, 1, {x}, {y}, 1, 0, {{0, 0}});
  uint32_t second = addCall(problem, 1, {y, y}, {z}, 1, 0, {{0, 0}});
  uint32_t third = addCall(problem, 1, {y}, {w}, 1, 0, {{0, 0}});
  Plan plan = planned(problem, {OrderKind::Given});
  auto inPlace = [&](uint32_t task, size_t result) {
    return plan.placement.accessesOf(opOf(plan, task))[result].inPlaceOf;
  };
  EXPECT_EQ(inPlace(first, 1), 0u);
  // It reads the operand twice and the operand lives on.
  EXPECT_EQ(inPlace(second, 2), None);
  EXPECT_EQ(inPlace(third, 1), 0u);
  EXPECT_EQ(plan.statistics.peakBytes[dev], 1280u);

  PlanOptions options{OrderKind::Given};
  options.inPlace = false;
  plan = planned(problem, options);
  EXPECT_EQ(inPlace(first, 1), None);
}

TEST(Plan, HostTasksReadParametersInPlace) {
  // A lookup on the host in a large parameter: only its rows move.
  Problem problem = makeMachine();
  uint64_t offset = 0;
  uint32_t table = addParameter(problem, hostMemory, 1 << 20, offset);
  uint32_t ids = addInput(problem, hostMemory, 64);
  uint32_t rows = addValue(problem, hostMemory, 4096);
  uint32_t lookup = addCall(problem, hostDevice, {ids, table}, {rows});
  uint32_t moved = addValue(problem, dev, 4096);
  addTransfer(problem, 1, rows, moved);
  uint32_t out = addValue(problem, dev, 4096, hostMemory);
  addCall(problem, 1, {moved}, {out});
  Plan plan = planned(problem);
  EXPECT_EQ(plan.placement.accessesOf(opOf(plan, lookup))[1].memory,
            paramsMemory);
  EXPECT_EQ(plan.statistics.loads, 0u);
  EXPECT_EQ(plan.statistics.transferBytes, 4096u);
  EXPECT_LE(plan.statistics.peakBytes[hostMemory], 64u + 4096 + 4096);
}

TEST(Plan, TransfersShareTheHostCopy) {
  // What came from the host and is evicted comes from there again: the tile in
  // host memory is kept for it, and nothing is written back.
  Problem problem = makeMachine();
  uint32_t source = addValue(problem, hostMemory, 1024);
  addCall(problem, hostDevice, {}, {source});
  uint32_t moved = addValue(problem, dev, 1024);
  addTransfer(problem, 1, source, moved);
  uint32_t other = addInput(problem, dev, 1024);
  for (uint32_t tile : {moved, other, moved})
    addCall(problem, 1, {tile}, {addValue(problem, dev, 64, hostMemory)});
  setCaps(problem, 1);
  Plan plan = planned(problem, {OrderKind::Given});
  EXPECT_EQ(plan.statistics.offloads, 0u);
  EXPECT_EQ(plan.statistics.reloads, 1u);
}

TEST(Plan, HostMemoryIsEnforced) {
  Problem problem = trainingProblem(8, 2, 4096);
  setCaps(problem, 1);
  uint64_t need = 0;
  {
    // Ask for too little to learn what the tightest plan needs.
    problem.memories[hostMemory].capacity = 4096;
    Expected<Plan> refused = plan(problem, {OrderKind::Given, 0.5});
    ASSERT_FALSE(refused.isOk());
    EXPECT_EQ(refused.status().code(), StatusCode::DoesNotFit);
    const std::string &message = refused.status().message();
    const std::string start = "memory \"host\" needs ";
    ASSERT_EQ(message.find(start), 0u) << message;
    need = std::strtoull(message.c_str() + start.size(), nullptr, 10);
    EXPECT_EQ(message, start + formatExactBytes(need) +
                           ", but has 4096 bytes (4.00 KiB)");
  }
  problem.memories[hostMemory].capacity = need;
  Plan tight = planned(problem, {OrderKind::Given, 0.5});
  EXPECT_LE(tight.statistics.peakBytes[hostMemory], need);
  problem.memories[hostMemory].capacity = need - 64;
  EXPECT_FALSE(plan(problem, {OrderKind::Given, 0.5}).isOk());
}

TEST(Plan, ManyReadersManyReusersFewEdges) {
  // One tile with 3000 readers whose range 64 small tiles share afterwards,
  // round after round: edges must not be the product.
  Problem problem = makeMachine();
  uint32_t hub = addInput(problem, dev, 4096);
  for (unsigned i = 0; i < 3000; ++i)
    addCall(problem, 1, {hub}, {addValue(problem, dev, 64)});
  for (unsigned i = 0; i < 3000; ++i)
    addCall(problem, 1, {}, {addValue(problem, dev, 64)});
  setCaps(problem, 1);
  Plan plan = planned(problem, {OrderKind::Given});
  EXPECT_GT(plan.statistics.joins, 0u);
  EXPECT_LT(plan.placement.edges.size(), 4 * plan.placement.kinds.size());
}

TEST(Plan, IsDeterministic) {
  Problem problem = randomProblem(77, {200, 2, 4000, 20});
  setCaps(problem, 1.5);
  EXPECT_EQ(planned(problem).dump(problem), planned(problem).dump(problem));
}

/// More effort never predicts a later end and, of two plans that end at the
/// same time, never takes the one that copies for longer. Exactly, and whether
/// or not the caller chose something himself.
TEST(Plan, MoreEffortIsNeverWorse) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    uint32_t tasks = 10 + static_cast<uint32_t>(seed * 7 % 50);
    Problem problem =
        randomProblem(seed, {tasks, 1 + static_cast<uint32_t>(seed) % 3});
    setCaps(problem, 1 + 0.25 * static_cast<double>(seed % 9));
    PlanOptions options;
    options.seed = seed;
    if (seed % 5 == 1)
      options.policy = Policy::NoPrefetch;
    if (seed % 5 == 2)
      options.order = OrderKind::Given;
    if (seed % 5 == 3)
      options.horizon = 0.4;
    double time = std::numeric_limits<double>::infinity(), copies = time;
    for (options.effort = 0; options.effort <= 4; ++options.effort) {
      SCOPED_TRACE("effort " + std::to_string(options.effort));
      const Statistics now = planned(problem, options).statistics;
      EXPECT_LE(now.predictedMakespan, time);
      if (now.predictedMakespan == time)
        EXPECT_LE(now.copySeconds, copies);
      time = now.predictedMakespan;
      copies = now.copySeconds;
    }
  }
}

TEST(Plan, TheSameSeedGivesTheSamePlan) {
  for (uint64_t seed = 0; seed < 3; ++seed) {
    Problem problem =
        randomProblem(seed, {60, 1 + static_cast<uint32_t>(seed)});
    setCaps(problem, 1.5);
    PlanOptions options;
    options.effort = 5;
    options.seed = seed;
    EXPECT_EQ(planned(problem, options).dump(problem),
              planned(problem, options).dump(problem));
  }
}

TEST(Plan, ProductsOfTilesAreBlocked) {
  // C = A B in 12 x 12 x 12 tiles, on a device that holds 16: row by row every
  // product loads a tile of B, in blocks fewer do.
  Problem problem = makeMachine();
  uint64_t offset = 0;
  const uint64_t bytes = 4096;
  std::vector<uint32_t> a, b;
  for (unsigned i = 0; i < 144; ++i) {
    a.push_back(addParameter(problem, deviceMemory(0), bytes, offset));
    b.push_back(addParameter(problem, deviceMemory(0), bytes, offset));
  }
  for (unsigned i = 0; i < 12; ++i)
    for (unsigned j = 0; j < 12; ++j) {
      uint32_t sum = None;
      for (unsigned k = 0; k < 12; ++k) {
        uint32_t next = addValue(problem, deviceMemory(0), bytes,
                                 k == 11 ? hostMemory : None);
        std::vector<uint32_t> operands{a[i * 12 + k], b[k * 12 + j]};
        std::vector<InPlacePair> pairs;
        if (k != 0) {
          operands.push_back(sum);
          pairs.push_back({2, 0});
        }
        addCall(problem, 1, operands, {next}, 1e-6, 0, pairs);
        sum = next;
      }
    }
  problem.memories[deviceMemory(0)].capacity = 16 * bytes;
  auto loads = [&](OrderKind kind) {
    PlanOptions options;
    options.order = kind;
    const Statistics s = planned(problem, options).statistics;
    return s.loads + s.reloads;
  };
  EXPECT_LT(loads(OrderKind::Scheduled) * 100, loads(OrderKind::Given) * 85);
}

/// Orders are tried and changed only where the caller leaves the choice.
TEST(Plan, KeepsTheOrderThatIsAskedFor) {
  PlanOptions options;
  options.order = OrderKind::Given;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem = randomProblem(seed, {60, 3, 2000, 12});
    setCaps(problem, 2);
    std::vector<uint32_t> given(problem.tasks.size());
    std::iota(given.begin(), given.end(), 0);
    EXPECT_EQ(taskOrder(problem, planned(problem, options)), given);
  }
}

TEST(Plan, FiguresAddUp) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem = randomProblem(seed, {60, 1, 2000, 12});
    setCaps(problem, 1.5);
    Plan plan = planned(problem);
    const Statistics &s = plan.statistics;
    uint64_t links = 0;
    for (uint64_t bytes : s.linkBytes)
      links += bytes;
    EXPECT_EQ(links, s.loadBytes + s.reloadBytes + s.offloadBytes +
                         s.resultBytes + s.transferBytes);
    EXPECT_GE(static_cast<double>(s.loadBytes + s.reloadBytes) + 0.5,
              s.incomingBytesBound);
    EXPECT_GE(s.predictedMakespan, s.makespanBound * (1 - 1e-9));
    EXPECT_NE(toString(problem, s).find("predicted makespan"),
              std::string::npos);
  }
}

TEST(Plan, EdgesHoldWithAndWithoutPruning) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Problem problem = randomProblem(seed, {100, 1, 2000, 12});
    setCaps(problem, 2);
    PlanOptions options{OrderKind::Given, 0.5};
    Plan pruned = planned(problem, options);
    options.pruneEdges = false;
    Plan whole = planned(problem, options);
    EXPECT_LE(pruned.placement.edges.size(), whole.placement.edges.size());
    EXPECT_DOUBLE_EQ(pruned.statistics.predictedMakespan,
                     whole.statistics.predictedMakespan);
  }
}

TEST(Plan, RoomyMemoryIsUsedAgainInTheEnd) {
  // A chain of 20000 tiles in a memory that would hold them all.
  Problem problem = makeMachine();
  uint32_t tile = addInput(problem, dev, 1024);
  for (unsigned i = 0; i < 20000; ++i) {
    uint32_t next = addValue(problem, dev, 1024);
    addCall(problem, 1, {tile}, {next});
    tile = next;
  }
  Plan plan = planned(problem, {OrderKind::Given});
  EXPECT_LE(plan.statistics.peakBytes[dev], 1024u * 8400);
}

TEST(Plan, NothingToDo) {
  Problem problem = makeMachine();
  Plan plan = planned(problem);
  EXPECT_EQ(plan.placement.numOps(), 0u);
  // A parameter nobody uses and an input that is a result as it is.
  uint64_t offset = 0;
  addParameter(problem, dev, 100, offset);
  problem.tiles[addInput(problem, dev, 100)].finalMemory = hostMemory;
  plan = planned(problem);
  EXPECT_EQ(plan.placement.numOps(), 0u);
  EXPECT_EQ(plan.placement.exit.size(), 1u);
}

TEST(Plan, ParametersCanBeResults) {
  Problem problem = makeMachine();
  uint64_t offset = 0;
  // On a device and read there, on the host and read there, and read by nobody.
  uint32_t a = addParameter(problem, dev, 100, offset);
  uint32_t b = addParameter(problem, hostMemory, 100, offset);
  uint32_t c = addParameter(problem, dev, 100, offset);
  uint32_t d = addParameter(problem, dev, 100, offset);
  for (uint32_t tile : {a, b, c})
    problem.tiles[tile].finalMemory = hostMemory;
  problem.tiles[d].finalMemory = dev;
  addCall(problem, 1, {a}, {addValue(problem, dev, 64)});
  addCall(problem, hostDevice, {b}, {addValue(problem, hostMemory, 64)});
  setCaps(problem, 1);
  Plan plan = planned(problem);
  EXPECT_EQ(plan.placement.exit.size(), 4u);
  EXPECT_EQ(plan.statistics.results, 3u);
  EXPECT_EQ(plan.statistics.loads, 2u);
}
