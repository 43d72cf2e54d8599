//===- SimulationTest.cpp - Plans under the executor ----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"
#include "Graphs.h"

#include "turnip/planner/Bounds.h"
#include "gtest/gtest.h"

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::bench;
using SchedulePolicy = runtime::Schedule::Policy;

namespace {

Problem makeProblem(const char *kind, uint32_t devices, double c) {
  GraphOptions options;
  EXPECT_TRUE(parseGraphKind(kind, options));
  options.vertices = 150;
  options.devices = devices;
  options.layers = 1;
  Expected<Problem> problem = makeGraph(options);
  EXPECT_TRUE(problem);
  setCapacity(*problem, static_cast<uint64_t>(
                            c * static_cast<double>(largestTask(*problem))));
  return *problem;
}

double secondsOf(Simulation &simulation, SchedulePolicy policy, double jitter,
                 uint64_t seed) {
  Expected<double> seconds = simulation.run(policy, jitter, seed);
  EXPECT_TRUE(seconds) << seconds.status().message();
  return seconds ? *seconds : 0;
}

TEST(Simulation, NoScheduleBeatsTheBounds) {
  for (const char *kind : {"training", "layered", "star", "butterfly",
                           "skip-chain", "llama-7b", "llama-3-8b"})
    for (uint32_t devices : {1, 3})
      for (double c : {1.0, 2.0, 6.0}) {
        Problem problem = makeProblem(kind, devices, c);
        Expected<Plan> result = plan(problem);
        ASSERT_TRUE(result) << result.status().message();
        MakespanOptions options;
        options.repeats = result->statistics.repeats != 0;
        TrafficBounds traffic =
            boundTraffic(problem, taskOrder(problem, *result), options.repeats);
        double bound = boundMakespanOfOrder(problem, traffic,
                                            boundMakespan(problem, options));
        Simulation simulation(problem, *result);
        // The clock counts nanoseconds.
        const double rounding =
            1e-9 * static_cast<double>(result->placement.numOps());
        for (SchedulePolicy policy :
             {SchedulePolicy::Dynamic, SchedulePolicy::Fixed,
              SchedulePolicy::Random})
          EXPECT_LE(bound, secondsOf(simulation, policy, 0, 7) + rounding)
              << kind << " on " << devices << ", c " << c;
        EXPECT_NEAR(secondsOf(simulation, SchedulePolicy::Dynamic, 0, 0),
                    result->statistics.predictedMakespan,
                    0.1 * result->statistics.predictedMakespan)
            << kind;
      }
}

TEST(Simulation, FollowsAnEarlierRun) {
  Problem problem = makeProblem("llama-7b", 2, 2);
  Expected<Plan> result = plan(problem);
  ASSERT_TRUE(result);
  Simulation simulation(problem, *result);
  double dynamic = secondsOf(simulation, SchedulePolicy::Dynamic, 0, 0);
  simulation.adoptLastOrder();
  EXPECT_NEAR(secondsOf(simulation, SchedulePolicy::Fixed, 0, 0), dynamic,
              1e-3 * dynamic);
  // Times vary with the seed, and only then.
  double once = secondsOf(simulation, SchedulePolicy::Fixed, 0.5, 1);
  EXPECT_EQ(secondsOf(simulation, SchedulePolicy::Fixed, 0.5, 1), once);
  EXPECT_NE(secondsOf(simulation, SchedulePolicy::Fixed, 0.5, 2), once);
  EXPECT_NE(simulation.trace().find("\"load\""), std::string::npos);
  EXPECT_GT(simulation.busiestShare(), 0.3);
  EXPECT_LE(simulation.busiestShare(), 1);
}

TEST(Simulation, Errors) {
  Problem problem = makeProblem("star", 1, 2);
  Expected<Plan> result = plan(problem);
  ASSERT_TRUE(result);
  problem.links[1].bytesPerSecond = 1;
  Simulation simulation(problem, *result);
  Expected<double> seconds = simulation.run(SchedulePolicy::Dynamic, 0, 0);
  ASSERT_FALSE(seconds);
  EXPECT_EQ(seconds.status().message(),
            "expected links of one channel to be equally fast, but got "
            "\"host to dev0\" and \"params to dev0\"");
  // Channels may differ.
  problem.links[1].bytesPerSecond = problem.links[0].bytesPerSecond;
  double before = secondsOf(simulation, SchedulePolicy::Dynamic, 0, 0);
  problem.links[2].bytesPerSecond /= 1000;
  EXPECT_GT(secondsOf(simulation, SchedulePolicy::Dynamic, 0, 0), before);
}

} // namespace
