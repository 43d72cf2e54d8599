//===- ExecutorTest.cpp - Policies, recording, errors, allocation ---------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestGraph.h"
#include "turnip/runtime/Drivers.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <new>
#include <numeric>
#include <set>
#include <thread>
#include <unistd.h>

using namespace turnip;
using namespace turnip::runtime;

//===----------------------------------------------------------------------===//
// Counting allocations
//===----------------------------------------------------------------------===//

#if defined(__SANITIZE_THREAD__)
#define TURNIP_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TURNIP_THREAD_SANITIZER
#endif
#endif

static std::atomic<uint64_t> allocations{0};

// Thread sanitizer has its own operator new.
#ifndef TURNIP_THREAD_SANITIZER
void *operator new(size_t size) {
  ++allocations;
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  std::abort();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
#endif

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

static void doNothing(void *const *, const int64_t *, int64_t) {}

/// Any number of devices of 10^9 operations per second.
static machine::Machine billionFlops() {
  machine::Machine machine = machine::Machine::uniform();
  machine.otherDevice->classes[machine::KernelClass::Other]
      .flops[ElementType::F32] = 1e9;
  return machine;
}

static std::unique_ptr<Driver> openSim(uint32_t numDevices, double jitter = 0,
                                       uint64_t seed = 0) {
  machine::Machine machine = billionFlops();
  machine.kernelJitter = machine.transferJitter = jitter;
  machine.seed = seed;
  std::unique_ptr<Driver> driver = createSimDriver(machine);
  EXPECT_TRUE(driver->open(computeMachine(numDevices)));
  return driver;
}

static std::unique_ptr<Driver> openHost(uint32_t numDevices, unsigned lanes) {
  HostOptions options;
  options.lanes = lanes;
  std::unique_ptr<Driver> driver = createHostDriver(options);
  EXPECT_TRUE(driver->open(computeMachine(numDevices)));
  return driver;
}

static Schedule makeSchedule(Schedule::Policy policy, uint64_t seed = 0) {
  Schedule schedule;
  schedule.policy = policy;
  schedule.seed = seed;
  return schedule;
}

static std::string temporaryPath(const char *name) {
  return testing::TempDir() + name + "." + std::to_string(getpid());
}

//===----------------------------------------------------------------------===//
// Ready queue and graph
//===----------------------------------------------------------------------===//

TEST(ReadyQueue, YieldsMembersInOrder) {
  for (uint32_t count : {1U, 63U, 64U, 65U, 4096U, 4097U, 300000U}) {
    ReadyQueue queue;
    queue.reset(count);
    std::mt19937_64 generator(count);
    std::set<uint32_t> expected;
    for (int i = 0; i < 2000; ++i) {
      if (expected.empty() || generator() % 3 != 0) {
        auto member = static_cast<uint32_t>(generator() % count);
        if (expected.insert(member).second)
          queue.insert(member);
        continue;
      }
      ASSERT_FALSE(queue.empty());
      ASSERT_EQ(queue.min(), *expected.begin());
      queue.erase(queue.min());
      expected.erase(expected.begin());
    }
    EXPECT_EQ(queue.empty(), expected.empty());
  }
}

TEST(ExecutableGraph, CheckNamesWhatIsWrong) {
  TestGraph plain;
  plain.addLaunch(0);
  plain.addLaunch(0);
  plain.edge(0, 1);
  ExecutableGraph good = plain.build(1);
  EXPECT_TRUE(good.check());

  ExecutableGraph graph = good;
  graph.commands[1].engine = 4;
  EXPECT_EQ(graph.check().message(), "graph: vertex 1 runs on engine 4 of 1");
  graph = good;
  graph.commands[1].vertex = 0;
  EXPECT_EQ(graph.check().message(), "graph: command 1 is of vertex 0");
  graph = good;
  graph.successors[0] = 9;
  EXPECT_EQ(graph.check().message(), "graph: successor 9 of 2 vertices");
  graph = good;
  graph.costs.clear();
  EXPECT_EQ(graph.check().message(), "graph: expected 2 costs, but got 0");
  graph = good;
  graph.successorBegin.pop_back();
  EXPECT_EQ(graph.check().message(),
            "graph: expected 3 successor offsets, but got 2");
  graph = good;
  graph.successorBegin = {0, 1, 0};
  EXPECT_EQ(graph.check().message(),
            "graph: successor offsets decrease at vertex 1");
  graph = good;
  graph.successorBegin = {0, 0, 0};
  EXPECT_EQ(graph.check().message(),
            "graph: successor offsets do not span the successors");
  plain.edge(1, 0);
  EXPECT_EQ(plain.build(1).check().message(),
            "graph: cycle: only 0 of 2 vertices can ever start");
}

//===----------------------------------------------------------------------===//
// Policies
//===----------------------------------------------------------------------===//

TEST(Executor, DynamicTakesTheLongestWayFirst) {
  // 0 is a long way from the end through 3; 1 and 2 are leaves.
  TestGraph plain;
  plain.addLaunch(0, 1);
  plain.addLaunch(0, 5);
  plain.addLaunch(0, 5);
  plain.addLaunch(0, 100);
  plain.edge(0, 3);
  ExecutableGraph graph = plain.build(1);
  std::unique_ptr<Driver> driver = openSim(1);
  Executor executor(graph, *driver);
  ASSERT_TRUE(executor.run().status);
  EXPECT_EQ(executor.record().dispatchOrder,
            (std::vector<uint32_t>{0, 3, 1, 2}));
}

TEST(Executor, FixedKeepsPlanOrderPerEngine) {
  TestGraph plain = randomGraph(500, 3, 11);
  ExecutableGraph graph = plain.build(3);
  std::unique_ptr<Driver> driver = openSim(3, 0.5);
  Executor executor(graph, *driver);
  ASSERT_TRUE(executor.setSchedule(makeSchedule(Schedule::Policy::Fixed)));
  ASSERT_TRUE(executor.run().status);
  std::vector<int64_t> last(3, -1);
  for (uint32_t v : executor.record().dispatchOrder) {
    int64_t &previous = last[graph.commands[v].engine];
    EXPECT_LT(previous, static_cast<int64_t>(v));
    previous = v;
  }
}

TEST(Executor, RandomOrdersDifferBySeedAndRepeat) {
  ExecutableGraph graph = randomGraph(200, 1, 3).build(1);
  std::unique_ptr<Driver> driver = openSim(1);
  Executor executor(graph, *driver);
  std::set<std::vector<uint32_t>> orders;
  for (uint64_t seed = 0; seed < 20; ++seed)
    for (int repeat = 0; repeat < 2; ++repeat) {
      ASSERT_TRUE(
          executor.setSchedule(makeSchedule(Schedule::Policy::Random, seed)));
      ASSERT_TRUE(executor.run().status);
      orders.insert(executor.record().dispatchOrder);
    }
  EXPECT_EQ(orders.size(), 20U);
}

TEST(Executor, ReplayReproducesAnOrderRecordedElsewhere) {
  TestGraph plain = randomGraph(800, 2, 21);
  for (Command &command : plain.commands)
    command.function = doNothing;
  ExecutableGraph graph = plain.build(2);
  std::unique_ptr<Driver> sim = openSim(2, 0.9, 4);
  Executor recorder(graph, *sim);
  ASSERT_TRUE(recorder.setSchedule(makeSchedule(Schedule::Policy::Random, 99)));
  ASSERT_TRUE(recorder.run().status);
  std::vector<uint32_t> order = recorder.record().dispatchOrder;
  std::string path = temporaryPath("order");
  ASSERT_TRUE(writeDispatchOrder(path, order));

  Expected<Schedule> schedule = Schedule::parse("replay:" + path);
  ASSERT_TRUE(schedule) << schedule.status().message();
  std::remove(path.c_str());
  std::unique_ptr<Driver> host = openHost(2, 2);
  Executor player(graph, *host);
  ASSERT_TRUE(player.setSchedule(*schedule));
  for (int repeat = 0; repeat < 5; ++repeat) {
    ASSERT_TRUE(player.run().status);
    EXPECT_EQ(player.record().dispatchOrder, order);
  }
}

TEST(Executor, ReplayRefusesOrdersThatCannotBe) {
  TestGraph plain;
  plain.addLaunch(0);
  plain.addLaunch(0);
  uint32_t join = plain.addJoin();
  uint32_t last = plain.addLaunch(0);
  plain.edge(0, join);
  plain.edge(1, join);
  plain.edge(join, last);
  ExecutableGraph graph = plain.build(1);
  std::unique_ptr<Driver> driver = openSim(1);
  Executor executor(graph, *driver);
  auto refuse = [&](std::vector<uint32_t> order) {
    Schedule schedule = makeSchedule(Schedule::Policy::Replay);
    schedule.order = std::move(order);
    return executor.setSchedule(schedule).message();
  };
  EXPECT_EQ(refuse({0, 1}), "dispatch order: expected 3 operations, but got 2");
  EXPECT_EQ(refuse({0, 3, 1}), "dispatch order: position 1: operation 3 comes "
                               "before something it depends on");
  EXPECT_EQ(refuse({0, 0, 1}), "dispatch order: position 1: operation 0 is a "
                               "join or occurs twice");
  EXPECT_EQ(refuse({0, 1, 2}), "dispatch order: position 2: operation 2 is a "
                               "join or occurs twice");
  EXPECT_EQ(refuse({0, 1, 7}),
            "dispatch order: position 2: operation 7 is not one of 4");
  EXPECT_EQ(refuse({1, 0, 3}), "");
  ASSERT_TRUE(executor.run().status);
  EXPECT_EQ(executor.record().dispatchOrder, (std::vector<uint32_t>{1, 0, 3}));
}

TEST(Schedule, ParseExplains) {
  EXPECT_EQ(Schedule::parse("random:12")->seed, 12U);
  EXPECT_EQ(Schedule::parse("random:x").status().message(),
            "expected a number after 'random:', but got 'x'");
  EXPECT_EQ(Schedule::parse("replay:").status().message(),
            "expected a file after 'replay:'");
  EXPECT_EQ(Schedule::parse("fast").status().message(),
            "unknown schedule 'fast': expected dynamic, fixed, random:SEED or "
            "replay:FILE");
  EXPECT_EQ(Schedule::parse("replay:/nowhere/x").status().code(),
            StatusCode::Io);
}

TEST(Schedule, RecordedOrdersAreChecked) {
  std::string path = temporaryPath("bad-order");
  std::ofstream(path) << "hello\n";
  EXPECT_EQ(readDispatchOrder(path).status().message(),
            "'" + path + "' is not a recorded dispatch order");
  std::ofstream(path) << "turnip dispatch order 1\n3\nx4\n";
  EXPECT_EQ(readDispatchOrder(path).status().message(),
            "'" + path + "' line 3: expected a number, but got 'x4'");
  std::remove(path.c_str());
  EXPECT_EQ(writeDispatchOrder("/nowhere/x", {}).code(), StatusCode::Io);
}

//===----------------------------------------------------------------------===//
// Joins, stopping, allocation
//===----------------------------------------------------------------------===//

TEST(Executor, JoinsCompleteByThemselves) {
  // join -> launch -> join -> join -> launch, on every kind of driver.
  TestGraph plain;
  uint32_t first = plain.addJoin();
  uint32_t a = plain.addLaunch(0);
  uint32_t b = plain.addJoin();
  uint32_t c = plain.addJoin();
  uint32_t d = plain.addLaunch(0);
  uint32_t last = plain.addJoin();
  for (auto [from, to] :
       {std::pair{first, a}, {a, b}, {b, c}, {c, d}, {d, last}})
    plain.edge(from, to);
  for (Command &command : plain.commands)
    command.function = doNothing;
  ExecutableGraph graph = plain.build(1);
  std::unique_ptr<Driver> null = createNullDriver();
  ASSERT_TRUE(null->open(computeMachine(1)));
  std::unique_ptr<Driver> sim = openSim(1);
  std::unique_ptr<Driver> host = openHost(1, 1);
  for (Driver *driver : {null.get(), sim.get(), host.get()}) {
    Executor executor(graph, *driver);
    ASSERT_TRUE(executor.run().status);
    EXPECT_EQ(executor.record().dispatchOrder, (std::vector<uint32_t>{a, d}));
    EXPECT_EQ(executor.record().completionOrder,
              (std::vector<uint32_t>{first, a, b, c, d, last}));
  }
}

TEST(Executor, GraphsWithoutWorkEndAtOnce) {
  std::unique_ptr<Driver> host = openHost(1, 1);
  ExecutableGraph empty = TestGraph().build(1);
  Executor nothing(empty, *host);
  EXPECT_TRUE(nothing.run().status);
  TestGraph plain;
  plain.addJoin();
  ExecutableGraph joins = plain.build(1);
  Executor onlyJoins(joins, *host);
  EXPECT_TRUE(onlyJoins.run().status);
}

static void nap(void *const *, const int64_t *, int64_t) {
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

TEST(Executor, StopsOnRequestAndRunsAgain) {
  TestGraph plain;
  for (int i = 0; i < 1000; ++i) {
    plain.addLaunch(0);
    plain.commands.back().function = nap;
    if (i)
      plain.edge(i - 1, i);
  }
  ExecutableGraph graph = plain.build(1);
  std::unique_ptr<Driver> driver = openHost(1, 2);
  Executor executor(graph, *driver);
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    executor.requestStop();
  });
  RunOutcome outcome = executor.run();
  stopper.join();
  EXPECT_EQ(outcome.status.code(), StatusCode::Cancelled);
  EXPECT_LT(executor.record().completionOrder.size(), 1000U);
  EXPECT_EQ(executor.run().status.message(),
            "stopped with 0 of 1000 operations done");
}

TEST(Executor, StopsDuringASlowEmulatedCopy) {
  TestGraph plain;
  for (int i = 0; i < 10; ++i) {
    Command copy;
    copy.kind = Command::Kind::Copy;
    copy.engine = 1;
    plain.add(copy);
    if (i)
      plain.edge(i - 1, i);
  }
  ExecutableGraph graph = plain.build(2);
  HostOptions options;
  options.linkLatencyUs = 60e6;
  std::unique_ptr<Driver> driver = createHostDriver(options);
  MachineDescription machine;
  machine.engines = {{"dev", EngineKind::Compute, 0, false},
                     {"link", EngineKind::Transfer, 0, true}};
  ASSERT_TRUE(driver->open(machine));
  Executor executor(graph, *driver);
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    executor.requestStop();
  });
  auto start = std::chrono::steady_clock::now();
  RunOutcome outcome = executor.run();
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  stopper.join();
  EXPECT_EQ(outcome.status.message(), "stopped with 1 of 10 operations done");
  EXPECT_LT(seconds.count(), 30);
  const RunRecord &record = executor.record();
  EXPECT_LT(record.ends[0] - record.starts[0], int64_t(30e9));
}

TEST(Executor, RunsAllocateNothing) {
#ifdef TURNIP_THREAD_SANITIZER
  GTEST_SKIP() << "unsupported: allocations cannot be counted here";
#endif
  TestGraph plain = randomGraph(20000, 3, 8);
  for (Command &command : plain.commands)
    command.function = doNothing;
  ExecutableGraph graph = plain.build(3);
  std::unique_ptr<Driver> null = createNullDriver();
  ASSERT_TRUE(null->open(computeMachine(3)));
  std::unique_ptr<Driver> host = openHost(3, 2);
  for (Driver *driver : {null.get(), host.get()}) {
    Executor executor(graph, *driver);
    ASSERT_TRUE(executor.run().status);
    uint64_t before = allocations;
    for (int repeat = 0; repeat < 3; ++repeat)
      ASSERT_TRUE(executor.run().status);
    EXPECT_EQ(allocations - before, 0U) << driver->properties().name;
  }
}

//===----------------------------------------------------------------------===//
// The simulated machine
//===----------------------------------------------------------------------===//

TEST(SimMachine, PredictsTimes) {
  Expected<machine::Machine> machine = machine::Machine::parse(R"({
    "devices": {"dev0": {"flops": 1e9, "memory_bandwidth": 1e9,
                         "launch_overhead": 1e-6}},
    "links": {"default": {"bandwidth": 1e9, "latency": 2e-6}}})");
  ASSERT_TRUE(machine) << machine.status().message();
  std::unique_ptr<Driver> driver = createSimDriver(*machine);
  MachineDescription description = computeMachine(1);
  EngineDescription link;
  link.name = "host->dev0";
  link.kind = EngineKind::Transfer;
  description.engines.push_back(link);
  ASSERT_TRUE(driver->open(description));
  TestGraph plain;
  Command launch;
  launch.flops = 5000;
  launch.bytes = 3000;
  plain.add(launch);
  Command copy;
  copy.kind = Command::Kind::Copy;
  copy.engine = 1;
  copy.bytes = 7000;
  plain.add(copy);
  launch.flops = 100;
  plain.add(launch);
  plain.edge(0, 1);
  plain.edge(1, 2);
  ExecutableGraph graph = plain.build(2);
  Executor executor(graph, *driver);
  ASSERT_TRUE(executor.run().status);
  EXPECT_EQ(executor.record().ends[0], 6000);
  EXPECT_EQ(executor.record().ends[1], 6000 + 9000);
  EXPECT_EQ(executor.record().ends[2], 6000 + 9000 + 4000);
}

/// The simulated microseconds of \p plain on a device that starts an operation
/// 10 us after it was submitted and takes \p queue more than it runs.
static double latencyBoundTime(const TestGraph &plain, unsigned queue,
                               RunRecord *record = nullptr) {
  machine::Machine machine = billionFlops();
  machine.otherDevice->submitLatency = 1e-5;
  machine.otherDevice->queue = queue;
  std::unique_ptr<Driver> driver = createSimDriver(machine);
  EXPECT_TRUE(driver->open(computeMachine(2)));
  ExecutableGraph graph = plain.build(2);
  Executor executor(graph, *driver);
  RunOutcome outcome = executor.run();
  EXPECT_TRUE(outcome.status) << outcome.status.message();
  if (record)
    *record = executor.record();
  return static_cast<double>(executor.record().end) / 1e3;
}

TEST(Executor, IssuingBehindUnfinishedPredecessorsHidesLatency) {
  TestGraph chain;
  Command launch;
  launch.flops = 1e4; // 10 us
  for (uint32_t v = 0; v < 100; ++v) {
    chain.add(launch);
    if (v > 0)
      chain.edge(v - 1, v);
  }
  EXPECT_EQ(latencyBoundTime(chain, 0), 2000);
  EXPECT_EQ(latencyBoundTime(chain, 2), 1010);

  // On two devices in turn nothing may be issued early.
  for (uint32_t v = 0; v < 100; ++v)
    chain.commands[v].engine = v % 2;
  EXPECT_EQ(latencyBoundTime(chain, 2), 2000);
}

TEST(Executor, IssuingBehindRespectsEveryEdge) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    TestGraph plain = randomGraph(400, 2, seed);
    for (Command &command : plain.commands) {
      command.flops = 1e3 * (1 + command.vertex % 7);
      if (command.vertex % 11 == 5) {
        command.kind = Command::Kind::Join;
        command.engine = UINT16_MAX;
      }
    }
    RunRecord record;
    latencyBoundTime(plain, 3, &record);
    ASSERT_EQ(record.completionOrder.size(), 400U);
    for (auto [from, to] : plain.edges)
      ASSERT_LE(record.ends[from], record.starts[to]);
    // The order holds for drivers without device-side waits, too.
    ExecutableGraph graph = plain.build(2);
    std::unique_ptr<Driver> driver = openSim(2);
    Executor executor(graph, *driver);
    Schedule schedule = makeSchedule(Schedule::Policy::Replay);
    schedule.order = record.dispatchOrder;
    ASSERT_TRUE(executor.setSchedule(schedule));
    ASSERT_TRUE(executor.run().status);
    EXPECT_EQ(executor.record().dispatchOrder, record.dispatchOrder);
  }
}

TEST(SimMachine, RefusesWhatItDoesNotKnow) {
  auto refuse = [](const char *text) {
    return machine::Machine::parse(text).status().message();
  };
  EXPECT_EQ(refuse("[]"), "machine: expected an object, but got an array");
  EXPECT_EQ(refuse("{\"jiter\": 1}"), "jiter: unknown field");
  EXPECT_EQ(refuse("{\"jitter\": 2}"),
            "jitter: expected a number from 0 to 1, but got 2");
  EXPECT_EQ(refuse("{\"devices\": {\"a\": {\"flops\": \"x\"}}}"),
            "devices.a.flops: expected a number, but got a string");
  EXPECT_EQ(refuse("{\"devices\": {\"a\": {\"lanes\": 1.5}}}"),
            "devices.a.lanes: expected a whole number");
  EXPECT_EQ(refuse("{\"devices\": {\"a\": {\"queue\": 1.5}}}"),
            "devices.a.queue: expected a whole number");
  EXPECT_EQ(refuse("{\"devices\": 1}"),
            "devices: expected an array, but got a number");
  EXPECT_EQ(refuse("{\"links\": []}"),
            "links: expected an object, but got an array");
  EXPECT_EQ(refuse("{\"jitter\": 1"), "line 1, column 13: expected ',' or '}'");
  Expected<machine::Machine> absent = machine::Machine::read("/nowhere/x");
  EXPECT_EQ(absent.status().code(), StatusCode::Io);
  EXPECT_EQ(absent.status().message(),
            "cannot read '/nowhere/x': No such file or directory");
}

/// The simulated time of 8 independent chains of 40 calls that visit 4 devices
/// in random order, every call with up to 50 % jitter.
static double branchesTime(Schedule::Policy policy, uint64_t seed) {
  std::mt19937_64 generator(7);
  TestGraph plain;
  for (uint32_t step = 0; step < 40; ++step)
    for (uint32_t branch = 0; branch < 8; ++branch) {
      Command launch;
      launch.engine = static_cast<uint16_t>(generator() % 4);
      launch.flops = 1e6;
      uint32_t call = plain.add(launch, 1e-3);
      if (step > 0)
        plain.edge(call - 8, call);
    }
  ExecutableGraph graph = plain.build(4);
  std::unique_ptr<Driver> driver = openSim(4, 0.5, seed);
  Executor executor(graph, *driver);
  EXPECT_TRUE(executor.setSchedule(makeSchedule(policy)));
  EXPECT_TRUE(executor.run().status);
  return static_cast<double>(executor.record().end - executor.record().begin);
}

TEST(SimMachine, DynamicBeatsFixedOnIndependentBranches) {
  double fixed = 0;
  double dynamic = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    fixed += branchesTime(Schedule::Policy::Fixed, seed);
    dynamic += branchesTime(Schedule::Policy::Dynamic, seed);
  }
  RecordProperty("fixedOverDynamic", std::to_string(fixed / dynamic));
  EXPECT_GT(fixed / dynamic, 1.05);
}
