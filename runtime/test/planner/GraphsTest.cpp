//===- GraphsTest.cpp - Generated graphs ----------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graphs.h"

#include "turnip/planner/Plan.h"
#include "gtest/gtest.h"

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::bench;

namespace {

const char *const kinds[] = {"training",   "layered",  "star",      "butterfly",
                             "skip-chain", "llama-7b", "llama-3-8b"};

GraphOptions optionsOf(const char *kind, uint32_t devices) {
  GraphOptions options;
  Status status = parseGraphKind(kind, options);
  EXPECT_TRUE(status) << status.message();
  options.vertices = 120;
  options.devices = devices;
  options.layers = 1;
  return options;
}

TEST(Graphs, EveryKindCanBePlanned) {
  for (const char *kind : kinds)
    for (uint32_t devices : {1, 3}) {
      Expected<Problem> problem = makeGraph(optionsOf(kind, devices));
      ASSERT_TRUE(problem) << kind << problem.status().message();
      EXPECT_GE(problem->tasks.size(), 80U) << kind;
      setCapacity(*problem, 2 * largestTask(*problem));
      PlanOptions options;
      options.order = OrderKind::Given;
      Expected<Plan> result = plan(*problem, options);
      ASSERT_TRUE(result) << kind << result.status().message();
      Status proof = result->verify(*problem);
      EXPECT_TRUE(proof) << kind << proof.message();
    }
}

TEST(Graphs, SeedsDecide) {
  auto build = [](uint64_t seed) {
    GraphOptions options = optionsOf("layered", 2);
    options.seed = seed;
    return makeGraph(options);
  };
  Expected<Problem> first = build(1), again = build(1), other = build(2);
  ASSERT_TRUE(first && again && other);
  EXPECT_EQ(first->operandList, again->operandList);
  EXPECT_NE(first->operandList, other->operandList);
}

// Every activation is read again after all that were produced later.
TEST(Graphs, TrainingUsesActivationsInReverse) {
  Expected<Problem> problem = makeGraph(optionsOf("training", 1));
  ASSERT_TRUE(problem);
  std::vector<uint32_t> producer(problem->tiles.size(), None), last = producer;
  for (uint32_t task = 0; task < problem->tasks.size(); ++task) {
    for (uint32_t tile : problem->operands(task))
      last[tile] = task;
    for (uint32_t tile : problem->results(task))
      producer[tile] = task;
  }
  uint32_t forward = static_cast<uint32_t>(problem->tasks.size()) / 3;
  uint32_t checked = 0;
  for (uint32_t task = 4; task + 4 < forward; ++task) {
    uint32_t tile = problem->results(task)[0];
    uint32_t before = problem->results(task - 4)[0];
    EXPECT_LT(last[tile], last[before]);
    ++checked;
  }
  EXPECT_GT(checked, 20U);
}

TEST(Graphs, Errors) {
  GraphOptions options;
  Status status = parseGraphKind("llama-1b", options);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find("unknown kind of graph \"llama-1b\""),
            std::string::npos);
  auto message = [](GraphOptions changed) {
    Expected<Problem> problem = makeGraph(changed);
    EXPECT_FALSE(problem);
    return problem.status().message();
  };
  options = optionsOf("star", 65);
  EXPECT_EQ(message(options), "expected devices from 1 to 64, but got 65");
  options = optionsOf("star", 1);
  options.vertices = 0;
  EXPECT_EQ(message(options),
            "expected vertices from 1 to 100000000, but got 0");
  options = optionsOf("llama-7b", 1);
  options.sequence = 0;
  EXPECT_EQ(message(options),
            "expected positions from 1 to 1048576, but got 0");
  options = optionsOf("llama-7b", 1);
  options.tileBudget = 0;
  EXPECT_EQ(message(options),
            "expected bytes of a task from 1 to 1099511627776, but got 0");
}

} // namespace
