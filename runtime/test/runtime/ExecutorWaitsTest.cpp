//===- ExecutorWaitsTest.cpp - Waits that reach across engines ------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The executor on a driver whose engines wait for each other on the device, all
// but the last, in an order of completion that a seed determines.
//
//===----------------------------------------------------------------------===//

#include "TestGraph.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace turnip;
using namespace turnip::runtime;

namespace {
constexpr uint32_t numEngines = 4;
constexpr uint32_t hostEngine = 3;

/// Takes commands, completes one that may start per pump(), and looks at what
/// it is asked to do.
class WaitingDriver final : public Driver {
public:
  WaitingDriver(const ExecutableGraph &graph, uint64_t seed)
      : graph(graph), generator(seed) {
    props.name = "waiting";
    props.deviceWaits = true;
    props.waitsAcrossEngines = true;
    predecessors.resize(graph.size());
    for (uint32_t v = 0; v < graph.size(); ++v)
      for (uint32_t successor : graph.successorsOf(v))
        predecessors[successor].push_back(v);
  }

  const DriverProperties &properties() const override { return props; }
  Status open(const MachineDescription & /*machine*/) override {
    return Status::ok();
  }
  void *base(uint32_t /*memory*/) const override { return nullptr; }
  int64_t now() const override { return clock; }
  uint32_t queueDepth(uint32_t /*engine*/) const override { return 3; }
  uint32_t waitGroup(const Command &command) const override {
    return command.engine == hostEngine ? noWaitGroup : 0;
  }

  Status start(EventSink &newSink) override {
    sink = &newSink;
    submitted.clear();
    done.clear();
    behind = 0;
    return Status::ok();
  }
  void submit(const Command *const *commands, size_t count) override {
    for (size_t i = 0; i < count; ++i) {
      EXPECT_TRUE(unfinished(commands[i]->vertex).empty());
      submitted.push_back({commands[i]->vertex, {}});
    }
  }
  void submitBehind(const Command &command, const uint32_t *waits,
                    size_t numWaits) override {
    std::set<uint32_t> given(waits, waits + numWaits);
    EXPECT_FALSE(given.empty());
    EXPECT_EQ(given, unfinished(command.vertex));
    EXPECT_NE(command.engine, hostEngine);
    bool across = false;
    for (uint32_t wait : given) {
      EXPECT_TRUE(isSubmitted(wait));
      EXPECT_NE(graph.commands[wait].engine, hostEngine);
      across |= graph.commands[wait].engine != command.engine;
    }
    // Nothing else of this engine waits for another one. An order that is
    // replayed leaves no choice.
    for (const Submission &other : submitted)
      for (uint32_t wait : other.waits)
        if (!replaying &&
            graph.commands[other.vertex].engine == command.engine &&
            done.count(wait) == 0)
          EXPECT_EQ(graph.commands[wait].engine, command.engine);
    behind += across;
    submitted.push_back({command.vertex, given});
  }
  void pump() override {
    std::vector<size_t> able;
    for (size_t i = 0; i < submitted.size(); ++i)
      if (std::all_of(submitted[i].waits.begin(), submitted[i].waits.end(),
                      [&](uint32_t wait) { return done.count(wait) != 0; }))
        able.push_back(i);
    ASSERT_FALSE(able.empty());
    size_t chosen = able[generator() % able.size()];
    Event event;
    event.vertex = submitted[chosen].vertex;
    event.start = clock;
    event.end = ++clock;
    submitted.erase(submitted.begin() + static_cast<ptrdiff_t>(chosen));
    done.insert(event.vertex);
    sink->deliver(&event, 1);
  }
  void finish() override { EXPECT_TRUE(submitted.empty()); }

  /// How many were submitted behind commands of other engines.
  uint64_t behind = 0;
  bool replaying = false;

private:
  struct Submission {
    uint32_t vertex;
    std::set<uint32_t> waits;
  };

  bool isSubmitted(uint32_t vertex) const {
    return std::any_of(
        submitted.begin(), submitted.end(),
        [&](const Submission &one) { return one.vertex == vertex; });
  }
  /// The predecessors that are not done, and those of joins among them.
  std::set<uint32_t> unfinished(uint32_t vertex) const {
    std::set<uint32_t> found;
    for (uint32_t p : predecessors[vertex]) {
      if (graph.commands[p].kind == Command::Kind::Join)
        found.merge(unfinished(p));
      else if (done.count(p) == 0)
        found.insert(p);
    }
    return found;
  }

  const ExecutableGraph &graph;
  std::vector<std::vector<uint32_t>> predecessors;
  std::mt19937_64 generator;
  DriverProperties props;
  EventSink *sink = nullptr;
  std::vector<Submission> submitted;
  std::set<uint32_t> done;
  int64_t clock = 0;
};
} // namespace

TEST(ExecutorWaits, GoThroughJoinsButNotToTheHost) {
  TestGraph plain;
  uint32_t first = plain.addLaunch(0), join = plain.addJoin();
  uint32_t second = plain.addLaunch(1), third = plain.addLaunch(1);
  uint32_t host = plain.addLaunch(hostEngine), last = plain.addLaunch(2);
  plain.edge(first, join);
  plain.edge(join, second);
  plain.edge(first, third);
  plain.edge(second, host);
  plain.edge(host, last);
  ExecutableGraph graph = plain.build(numEngines);
  WaitingDriver driver(graph, 1);
  Executor executor(graph, driver);
  RunOutcome outcome = executor.run();
  ASSERT_TRUE(outcome.status) << outcome.status.message();
  // Of the two on engine 1, one was put behind the first.
  EXPECT_EQ(driver.behind, 1U);
  EXPECT_EQ(executor.record().dispatchOrder,
            (std::vector<uint32_t>{first, second, third, host, last}));
}

TEST(ExecutorWaits, RandomGraphsKeepEveryEdge) {
  uint64_t behind = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    std::mt19937_64 generator(seed);
    TestGraph plain = randomGraph(80, numEngines, seed);
    for (Command &command : plain.commands)
      if (generator() % 5 == 0) {
        command.kind = Command::Kind::Join;
        command.engine = UINT16_MAX;
      }
    ExecutableGraph graph = plain.build(numEngines);
    ASSERT_TRUE(graph.check());
    WaitingDriver driver(graph, seed);
    Executor executor(graph, driver);
    std::vector<uint32_t> order;
    for (const char *policy : {"dynamic", "fixed", "random:3"}) {
      ASSERT_TRUE(executor.setSchedule(*Schedule::parse(policy)));
      RunOutcome outcome = executor.run();
      ASSERT_TRUE(outcome.status) << outcome.status.message();
      ASSERT_EQ(executor.record().completionOrder.size(), graph.size());
      behind += driver.behind;
      order = executor.record().dispatchOrder;
    }
    // What was done once can be done again, whenever things complete.
    Schedule replay;
    replay.policy = Schedule::Policy::Replay;
    replay.order = order;
    ASSERT_TRUE(executor.setSchedule(replay));
    driver.replaying = true;
    RunOutcome outcome = executor.run();
    ASSERT_TRUE(outcome.status) << outcome.status.message();
    EXPECT_EQ(executor.record().dispatchOrder, order);
  }
  EXPECT_GT(behind, 1000U);
}
