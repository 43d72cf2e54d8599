//===- DriverConformanceTest.cpp - What every driver must do --------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One suite over all drivers. A test of something that a driver says it does
// not do is skipped with "unsupported"; everything else must pass.
//
//===----------------------------------------------------------------------===//

#include "CudaTestKernels.h"
#include "TestGraph.h"
#include "turnip/runtime/Drivers.h"

#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

using namespace turnip;
using namespace turnip::runtime;

namespace {
struct DriverCase {
  const char *name;
  std::unique_ptr<Driver> (*create)();
};

std::unique_ptr<Driver> createHost(unsigned lanes, double gbps,
                                   double latencyUs, bool trap) {
  HostOptions options;
  options.lanes = lanes;
  options.linkGbps = gbps;
  options.linkLatencyUs = latencyUs;
  options.linkJitter = gbps > 0 ? 0.5 : 0;
  options.trapFaults = trap;
  return createHostDriver(options);
}

const DriverCase driverCases[] = {
    {"host1", [] { return createHost(1, 0, 0, false); }},
    {"host3", [] { return createHost(3, 0, 0, false); }},
    {"hostLink", [] { return createHost(2, 10, 20, false); }},
    {"hostTrap", [] { return createHost(2, 0, 0, true); }},
    {"sim", [] { return createSimDriver(machine::Machine::uniform()); }},
    {"simJitter",
     [] {
       auto machine = machine::Machine::uniform();
       machine.kernelJitter = machine.transferJitter = 0.5;
       machine.otherDevice->lanes = 3;
       return createSimDriver(machine);
     }},
    {"simQueue",
     [] {
       auto machine = machine::Machine::uniform();
       machine.kernelJitter = machine.transferJitter = 0.5;
       machine.otherDevice->lanes = 2;
       machine.otherDevice->queue = 3;
       machine.otherDevice->submitLatency = 1e-5;
       return createSimDriver(machine);
     }},
    {"simShared",
     [] {
       auto machine = machine::Machine::uniform();
       machine.otherDevice->lanes = 3;
       machine.otherDevice->queue = 1;
       machine.otherDevice->waits = false;
       machine.otherDevice->sharedLaunches = true;
       machine.otherDevice->interference = 1e-11;
       machine.switches.push_back({"all", 1e9});
       machine.otherLink->switches = {0};
       machine.otherLink->queue = 1;
       return createSimDriver(machine);
     }},
    {"null", [] { return createNullDriver(); }},
#ifdef TURNIP_CUDA_STAND_IN
    {"cuda", [] { return createOnStandIn({0}); }},
    {"cudaOneStream", [] { return createOnStandIn({0}, 1); }},
#endif
    {"gpu", [] { return createOnGpu(); }},
};

using Bytes = std::vector<unsigned char>;

/// Collects events; safe for drivers with threads.
class Collector final : public EventSink {
public:
  void deliver(const Event *first, size_t count) override {
    std::lock_guard<std::mutex> lock(mutex);
    events.insert(events.end(), first, first + count);
  }
  size_t size() {
    std::lock_guard<std::mutex> lock(mutex);
    return events.size();
  }

  std::vector<Event> events;

private:
  std::mutex mutex;
};

class DriverConformance : public testing::TestWithParam<DriverCase> {
protected:
  /// Engines: 0 computes on device 0, 1 and 2 copy to and from it.
  /// Memories: 0 of the device, 1 of the host, 2 of the parameters.
  void SetUp() override {
    driver = GetParam().create();
    if (!driver)
      GTEST_SKIP() << "no GPU to test on: TURNIP_TEST_GPU names one";
    machine.memories = {{"dev0", MemoryKind::Device, 1 << 16, 0},
                        {"host", MemoryKind::Host, 1 << 16},
                        {"params", MemoryKind::Parameters, 1 << 16}};
    if (driver->properties().launchesObjects)
      for (const artifact::Kernel *kernel : {&countKernel(), &idleKernel()}) {
        KernelDescription description;
        description.code = kernel;
        description.engines = {0};
        machine.kernels.push_back(description);
      }
    machine.engines = {{"dev0", EngineKind::Compute, 0, false},
                       {"host->dev0", EngineKind::Transfer, 0, true},
                       {"dev0->host", EngineKind::Transfer, 0, false}};
    Status opened = driver->open(machine);
    ASSERT_TRUE(opened) << opened.message();
  }

  bool movesData() const { return driver->properties().movesData; }

  /// Submits \p command, waits for its event, returns that.
  Event runOne(const Command &command) {
    Collector collector;
    EXPECT_TRUE(driver->start(collector));
    const Command *pointer = &command;
    driver->submit(&pointer, 1);
    waitFor(collector, 1);
    driver->finish();
    return collector.events.front();
  }

  void waitFor(Collector &collector, size_t count) {
    while (collector.size() < count) {
      if (driver->properties().threaded)
        std::this_thread::yield();
      else
        driver->pump();
    }
  }

  unsigned char *address(uint32_t memory, uint64_t offset = 0) {
    return static_cast<unsigned char *>(driver->base(memory)) + offset;
  }
  void fill(uint32_t memory, uint64_t offset, const Bytes &bytes) {
    Status written = driver->write(memory, offset, bytes.size(), bytes.data());
    EXPECT_TRUE(written) << written.message();
  }
  Bytes contents(uint32_t memory, uint64_t offset, uint64_t count) {
    Bytes bytes(count);
    Status read = driver->read(memory, offset, count, bytes.data());
    EXPECT_TRUE(read) << read.message();
    return bytes;
  }

  MachineDescription machine;
  std::unique_ptr<Driver> driver;
};

/// Counts how often each grid point ran: buffers[0] is an array of counters.
void countPoint(void *const *buffers, const int64_t *scalars, int64_t point) {
  reinterpret_cast<std::atomic<uint32_t> *>(buffers[0])[point] +=
      static_cast<uint32_t>(scalars[0]);
}

void doNothing(void *const *, const int64_t *, int64_t) {}
} // namespace

TEST_P(DriverConformance, NamesItself) {
  EXPECT_FALSE(driver->properties().name.empty());
}

TEST_P(DriverConformance, MemoriesAreAlignedWritableAndApart) {
  if (!movesData())
    GTEST_SKIP() << "unsupported: moves no data";
  // What is in a device is aligned as its kernels need it.
  const uintptr_t alignment = driver->properties().launchesObjects ? 256 : 4096;
  for (uint32_t m = 0; m < machine.memories.size(); ++m) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(driver->base(m)) % alignment, 0U);
    fill(
        m, 0,
        Bytes(machine.memories[m].capacity, static_cast<unsigned char>(m + 1)));
  }
  for (uint32_t m = 0; m < machine.memories.size(); ++m) {
    EXPECT_EQ(contents(m, 0, 1)[0], m + 1);
    EXPECT_EQ(contents(m, machine.memories[m].capacity - 1, 1)[0], m + 1);
  }
}

TEST_P(DriverConformance, MemoryThatCannotBeHadIsRefused) {
  if (!movesData())
    GTEST_SKIP() << "unsupported: moves no data";
  std::unique_ptr<Driver> another = GetParam().create();
  machine.memories[1].capacity = uint64_t(1) << 45;
  Status status = another->open(machine);
  EXPECT_EQ(status.code(), StatusCode::DoesNotFit);
  EXPECT_NE(status.message().find("memory 'host' needs 35184372088832 bytes"),
            std::string::npos)
      << status.message();
}

TEST_P(DriverConformance, WithoutDataThereAreNoAddresses) {
  if (movesData())
    GTEST_SKIP() << "unsupported: this driver moves data";
  for (uint32_t m = 0; m < machine.memories.size(); ++m)
    EXPECT_EQ(driver->base(m), nullptr);
}

TEST_P(DriverConformance, QueuesTakeAtLeastOneCommand) {
  for (uint32_t e = 0; e < machine.engines.size(); ++e)
    EXPECT_GE(driver->queueDepth(e), 1U);
}

TEST_P(DriverConformance, LaunchRunsEveryGridPointOnce) {
  std::vector<uint32_t> counters(1000, 0);
  void *buffers[] = {driver->base(0)};
  int64_t scalar = 3;
  if (movesData())
    fill(0, 0, Bytes(4000, 0));
  Command command;
  command.function = countPoint;
  command.kernel = CountKernel;
  command.buffers = buffers;
  command.scalars = &scalar;
  command.grid = 1000;
  command.vertex = 17;
  Event event = runOne(command);
  EXPECT_EQ(event.vertex, 17U);
  EXPECT_EQ(event.error, nullptr);
  if (!movesData())
    GTEST_SKIP() << "unsupported: moves no data";
  ASSERT_TRUE(driver->read(0, 0, 4000, counters.data()));
  EXPECT_EQ(counters, std::vector<uint32_t>(1000, 3));
}

TEST_P(DriverConformance, CopyMovesExactlyItsBytes) {
  Command command;
  command.kind = Command::Kind::Copy;
  command.engine = 1;
  command.bytes = 1000;
  Bytes pattern(1000);
  if (movesData()) {
    fill(0, 0, Bytes(4096, 0xEE));
    for (size_t i = 0; i < pattern.size(); ++i)
      pattern[i] = static_cast<unsigned char>(i % 251);
    fill(1, 64, pattern);
    command.source = address(1, 64);
    command.target = address(0, 128);
  }
  EXPECT_EQ(runOne(command).error, nullptr);
  if (!movesData())
    GTEST_SKIP() << "unsupported: moves no data";
  EXPECT_EQ(contents(0, 128, 1000), pattern);
  EXPECT_EQ(contents(0, 127, 1)[0], 0xEE);
  EXPECT_EQ(contents(0, 1128, 1)[0], 0xEE);
}

TEST_P(DriverConformance, ComputeEngineMovesWithinItsMemory) {
  Command command;
  command.kind = Command::Kind::Copy;
  command.engine = 0;
  command.bytes = 512;
  if (movesData()) {
    fill(0, 0, Bytes(512, 0x5A));
    fill(0, 1024, Bytes(512, 0));
    command.source = address(0);
    command.target = address(0, 1024);
  }
  EXPECT_EQ(runOne(command).error, nullptr);
  if (!movesData())
    GTEST_SKIP() << "unsupported: moves no data";
  EXPECT_EQ(contents(0, 1024, 512), Bytes(512, 0x5A));
}

TEST_P(DriverConformance, EventsComeOncePerCommandWithTimesInOrder) {
  int64_t before = driver->now();
  Collector collector;
  ASSERT_TRUE(driver->start(collector));
  std::vector<Command> commands;
  for (uint32_t e = 0; e < machine.engines.size(); ++e)
    for (uint32_t i = 0; i < std::min(driver->queueDepth(e), 4U); ++i) {
      Command command;
      command.kind = e == 0 ? Command::Kind::Launch : Command::Kind::Copy;
      command.engine = static_cast<uint16_t>(e);
      command.function = doNothing;
      command.kernel = IdleKernel;
      command.vertex = static_cast<uint32_t>(commands.size());
      commands.push_back(command);
    }
  std::vector<const Command *> pointers;
  pointers.reserve(commands.size());
  for (const Command &command : commands)
    pointers.push_back(&command);
  driver->submit(pointers.data(), pointers.size());
  waitFor(collector, commands.size());
  driver->finish();
  ASSERT_EQ(collector.events.size(), commands.size());
  std::vector<int> seen(commands.size(), 0);
  for (const Event &event : collector.events) {
    ++seen[event.vertex];
    EXPECT_LE(event.start, event.end);
    if (!driver->properties().virtualClock)
      EXPECT_GE(event.start, before);
    EXPECT_LE(event.end, driver->now());
  }
  EXPECT_EQ(seen, std::vector<int>(commands.size(), 1));
}

TEST_P(DriverConformance, ProtectedMemoryStaysReadable) {
  Status status = driver->protect(2, /*writable=*/false);
  if (!movesData()) {
    EXPECT_EQ(status.code(), StatusCode::Device);
    GTEST_SKIP() << "unsupported: " << status.message();
  }
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(contents(2, 0, 1)[0], 0);
  ASSERT_TRUE(driver->protect(2, /*writable=*/true));
  fill(2, 0, {1});
  EXPECT_EQ(contents(2, 0, 1)[0], 1);
}

TEST_P(DriverConformance, ExecutorRespectsEveryEdge) {
  TestGraph plain = randomGraph(2000, 3, 5);
  for (Command &command : plain.commands) {
    command.kind =
        command.engine == 0 ? Command::Kind::Launch : Command::Kind::Copy;
    command.function = doNothing;
    command.kernel = IdleKernel;
  }
  ExecutableGraph graph = plain.build(3);
  ASSERT_TRUE(graph.check());
  Executor executor(graph, *driver);
  for (const char *policy : {"dynamic", "fixed", "random:7"}) {
    Expected<Schedule> schedule = Schedule::parse(policy);
    ASSERT_TRUE(schedule);
    ASSERT_TRUE(executor.setSchedule(*schedule));
    RunOutcome outcome = executor.run();
    ASSERT_TRUE(outcome.status) << outcome.status.message();
    const RunRecord &record = executor.record();
    ASSERT_EQ(record.completionOrder.size(), graph.size());
    for (auto [from, to] : plain.edges)
      ASSERT_LE(record.ends[from], record.starts[to]) << policy;
  }
}

TEST_P(DriverConformance, InjectedFailuresEndCleanly) {
  TestGraph plain = randomGraph(60, 3, 9);
  for (Command &command : plain.commands) {
    command.kind =
        command.engine == 0 ? Command::Kind::Launch : Command::Kind::Copy;
    command.function = doNothing;
    command.kernel = IdleKernel;
  }
  ExecutableGraph graph = plain.build(3);
  for (uint64_t failing = 0; failing < 60; ++failing) {
    std::unique_ptr<Driver> faulty =
        createFailingDriver(GetParam().create(), failing);
    ASSERT_TRUE(faulty->open(machine));
    Executor executor(graph, *faulty);
    for (int repeat = 0; repeat < 2; ++repeat) {
      RunOutcome outcome = executor.run();
      EXPECT_EQ(outcome.status.code(), StatusCode::Device);
      EXPECT_EQ(outcome.status.message(), "injected failure");
      ASSERT_TRUE(outcome.vertex.has_value());
      EXPECT_EQ(executor.record().dispatchOrder[failing],
                outcome.vertex.value_or(UINT32_MAX));
      // Nothing was left in flight.
      EXPECT_EQ(executor.record().dispatchOrder.size(),
                executor.record().completionOrder.size());
    }
  }
}

TEST_P(DriverConformance, CommandsWaitOnTheDeviceForOthers) {
  if (!driver->properties().deviceWaits)
    GTEST_SKIP() << "unsupported: no device-side waits";
  ASSERT_GE(driver->queueDepth(0), 3U);
  Collector collector;
  ASSERT_TRUE(driver->start(collector));
  std::vector<Command> commands(3);
  for (uint32_t v = 0; v < 3; ++v) {
    commands[v].vertex = v;
    commands[v].function = doNothing;
    commands[v].kernel = IdleKernel;
    commands[v].flops = 1e6;
  }
  const Command *first[] = {&commands[0], &commands[1]};
  driver->submit(first, 2);
  const uint32_t waits[] = {0, 1};
  driver->submitBehind(commands[2], waits, 2);
  waitFor(collector, 3);
  driver->finish();
  std::vector<Event> events(3);
  for (const Event &event : collector.events)
    events[event.vertex] = event;
  EXPECT_GE(events[2].start, std::max(events[0].end, events[1].end));
}

TEST_P(DriverConformance, CommandsWaitForOtherEngines) {
  if (!driver->properties().waitsAcrossEngines)
    GTEST_SKIP() << "unsupported: engines do not wait for each other";
  const Bytes zeros(4000, 0);
  fill(1, 0, zeros);
  void *buffers[] = {driver->base(0)};
  int64_t scalar = 7;
  Command load, count, store;
  load.kind = store.kind = Command::Kind::Copy;
  load.engine = 1;
  store.engine = 2;
  load.bytes = store.bytes = 4000;
  load.source = address(1);
  load.target = address(0);
  store.source = address(0);
  store.target = address(1, 8192);
  count.kernel = CountKernel;
  count.buffers = buffers;
  count.scalars = &scalar;
  count.vertex = 1;
  store.vertex = 2;
  for (const Command *command : {&load, &count, &store})
    EXPECT_EQ(driver->waitGroup(*command), driver->waitGroup(load));
  for (int repeat = 0; repeat < 50; ++repeat) {
    fill(0, 0, Bytes(4000, 0xAA));
    fill(1, 8192, Bytes(4000, 0xBB));
    Collector collector;
    ASSERT_TRUE(driver->start(collector));
    const Command *first = &load;
    const uint32_t waits[] = {0, 1};
    driver->submit(&first, 1);
    driver->submitBehind(count, waits, 1);
    driver->submitBehind(store, waits + 1, 1);
    waitFor(collector, 3);
    driver->finish();
    ASSERT_EQ(collector.events[0].vertex, 0U);
    ASSERT_EQ(collector.events[1].vertex, 1U);
    for (size_t i = 0; i < 3; ++i)
      ASSERT_EQ(collector.events[i].error, nullptr);
    ASSERT_LE(collector.events[0].end, collector.events[1].start);
    ASSERT_LE(collector.events[1].end, collector.events[2].start);
    std::vector<uint32_t> counters(1000);
    ASSERT_TRUE(driver->read(1, 8192, 4000, counters.data()));
    ASSERT_EQ(counters, std::vector<uint32_t>(1000, 7));
  }
}

INSTANTIATE_TEST_SUITE_P(Drivers, DriverConformance,
                         testing::ValuesIn(driverCases),
                         [](const auto &info) { return info.param.name; });
