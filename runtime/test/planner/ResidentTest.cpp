//===- ResidentTest.cpp - Parameters that stay on devices -----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/planner/Resident.h"
#include "Shapes.h"

#include <gtest/gtest.h>

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::test;

static constexpr uint64_t parameterBytes = 4096;

/// Four calls in a row, each with a parameter of its own that is loaded or, if
/// \p stays, on the device from run to run.
static Problem chain(bool stays, uint64_t capacity) {
  MachineShape shape;
  shape.deviceBytes = capacity;
  Problem problem = makeMachine(shape);
  const uint32_t memory = deviceMemory(0);
  uint64_t offset = 0;
  uint32_t x = addInput(problem, memory, 64);
  for (int i = 0; i < 4; ++i) {
    uint32_t weight = addParameter(problem, memory, parameterBytes, offset);
    if (stays) {
      Tile &tile = problem.tiles[weight];
      tile.initialMemory = tile.finalMemory = memory;
      tile.initialOffset = Unplaced;
    }
    uint32_t y = addValue(problem, memory, 64, i == 3 ? hostMemory : None);
    addCall(problem, 1, {x, weight}, {y});
    x = y;
  }
  return problem;
}

static std::optional<Plan> residentPlan(uint64_t capacity, double makespan) {
  Plan loaded;
  loaded.statistics.predictedMakespan = makespan;
  Expected<std::optional<Plan>> made =
      planResident(chain(/*stays=*/true, capacity), loaded, {});
  EXPECT_TRUE(made) << made.status().message();
  return made ? std::move(*made) : std::nullopt;
}

TEST(Resident, StaysWhereItFits) {
  Problem problem = chain(/*stays=*/true, 1 << 20);
  Expected<Plan> loaded = planProved(chain(/*stays=*/false, 1 << 20), {});
  ASSERT_TRUE(loaded) << loaded.status().message();
  EXPECT_EQ(loaded->statistics.loads, 5U);
  Expected<std::optional<Plan>> made = planResident(problem, *loaded, {});
  ASSERT_TRUE(made) << made.status().message();
  ASSERT_TRUE(*made);
  // The input alone is brought in.
  EXPECT_EQ((*made)->statistics.loads, 1U);
  EXPECT_TRUE((*made)->verify(problem)) << (*made)->verify(problem).message();
}

TEST(Resident, IsLeftWhereItDoesNotFit) {
  const double late = 1e9;
  EXPECT_TRUE(residentPlan(4 * parameterBytes + 192, late));
  // Not beside the largest task.
  EXPECT_FALSE(residentPlan(4 * parameterBytes + 64, late));
  // Not even alone.
  EXPECT_FALSE(residentPlan(4 * parameterBytes - 64, late));
}

TEST(Resident, IsLeftWhereLoadingIsSooner) {
  EXPECT_FALSE(residentPlan(1 << 20, /*makespan=*/0));
}

TEST(Resident, SaysWhatIsWrongWithAProblem) {
  Problem problem = chain(/*stays=*/true, 1 << 20);
  PlanOptions options;
  options.effort = maxEffort + 1;
  Expected<std::optional<Plan>> made = planResident(problem, Plan(), options);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(planProved(problem, options).status().message(),
            made.status().message());
}

TEST(Resident, MemoriesWithoutACapShrink) {
  std::vector<Memory> memories = makeMachine().memories;
  Statistics first, second;
  first.peakBytes = {64, 640, 6400};
  second.peakBytes = {128, 512, 100};
  for (Memory &memory : memories)
    memory.capacity = 1000;
  shrinkToPeak(memories, {&first, &second}, /*devicesToo=*/false);
  for (const Memory &memory : memories)
    EXPECT_EQ(memory.capacity, memory.kind == MemoryKind::Host ? 640U : 1000U);
  shrinkToPeak(memories, {&first, &second}, /*devicesToo=*/true);
  EXPECT_EQ(memories[deviceMemory(0)].capacity, 6400U);
  EXPECT_EQ(memories[paramsMemory].capacity, 1000U);
}
