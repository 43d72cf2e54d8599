//===- SimDriverTest.cpp - What the simulated machine takes into account --===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../runtime/TestGraph.h"
#include "turnip/runtime/Drivers.h"
#include "turnip/runtime/Executor.h"
#include "gtest/gtest.h"

using namespace turnip;
using namespace turnip::runtime;

/// Two devices that are linked with the host through one switch; everything
/// moves a byte, or computes an operation, per nanosecond.
static machine::Machine twoDevices() {
  machine::Machine machine;
  machine.name = "two";
  machine.memories = {{"a", machine::MemoryKind::Device, 1 << 20, 64},
                      {"b", machine::MemoryKind::Device, 1 << 20, 64},
                      {"ram", machine::MemoryKind::Host, 1 << 20, 64}};
  for (uint32_t i = 0; i < 3; ++i) {
    machine::Device device;
    device.name = i < 2 ? machine.memories[i].name : "cpu";
    device.memory = i;
    device.memoryBandwidth = 1e9;
    device.classes[machine::KernelClass::Other].flops[ElementType::F32] = 1e9;
    machine.devices.push_back(device);
  }
  machine.switches = {{"down", 1.5e9}};
  for (uint32_t i = 0; i < 2; ++i) {
    machine::Link link;
    link.source = 2;
    link.destination = i;
    link.bandwidth = 1e9;
    link.latency = 0;
    link.switches = {0};
    machine.links.push_back(link);
    std::swap(link.source, link.destination);
    link.switches.clear();
    machine.links.push_back(link);
  }
  return machine;
}

static void addLink(MachineDescription &description, const char *name) {
  EngineDescription link;
  link.name = name;
  link.kind = EngineKind::Transfer;
  description.engines.push_back(link);
}

/// Engines 0 and 1 compute, 2 and 3 copy to the two devices.
static MachineDescription engines() {
  MachineDescription description = computeMachine(2);
  addLink(description, "host->dev0");
  addLink(description, "host->dev1");
  return description;
}

static Command copyOf(uint16_t engine, uint64_t bytes) {
  Command command;
  command.kind = Command::Kind::Copy;
  command.engine = engine;
  command.bytes = bytes;
  return command;
}

static Command launchOf(uint16_t engine, double flops) {
  Command command;
  command.engine = engine;
  command.flops = flops;
  return command;
}

static RunRecord run(const machine::Machine &machine, const TestGraph &plain,
                     const SimOptions &options = {},
                     const MachineDescription &description = engines()) {
  std::unique_ptr<Driver> driver = createSimDriver(machine, options);
  Status opened = driver->open(description);
  EXPECT_TRUE(opened) << opened.message();
  ExecutableGraph graph =
      plain.build(static_cast<uint32_t>(description.engines.size()));
  Executor executor(graph, *driver);
  RunOutcome outcome = executor.run();
  EXPECT_TRUE(outcome.status) << outcome.status.message();
  return executor.record();
}

TEST(SimDriver, CopiesShareASwitch) {
  TestGraph graph;
  graph.add(copyOf(2, 3000));
  graph.add(copyOf(3, 6000));
  RunRecord record = run(twoDevices(), graph);
  // Each gets 0.75 bytes/ns until the first ends; then the link limits.
  EXPECT_EQ(record.ends[0], 4000);
  EXPECT_EQ(record.ends[1], 4000 + 3000);
}

TEST(SimDriver, WhatASlowLinkLeavesGoesToTheOther) {
  machine::Machine machine = twoDevices();
  machine.links[0].bandwidth = 0.25e9;
  machine.links[2].bandwidth = 2e9;
  TestGraph graph;
  graph.add(copyOf(2, 1000));
  graph.add(copyOf(3, 1250));
  RunRecord record = run(machine, graph);
  EXPECT_EQ(record.ends[0], 4000);
  EXPECT_EQ(record.ends[1], 1000);
}

TEST(SimDriver, LatencyTakesNoBandwidth) {
  machine::Machine machine = twoDevices();
  machine.links[2].latency = 1e-6;
  TestGraph graph;
  graph.add(copyOf(2, 1000));
  graph.add(copyOf(3, 1000));
  RunRecord record = run(machine, graph);
  EXPECT_EQ(record.ends[0], 1000);
  EXPECT_EQ(record.ends[1], 2000);
}

TEST(SimDriver, CopiesSlowComputing) {
  machine::Machine machine = twoDevices();
  // A nanosecond of computing for every two bytes.
  machine.devices[0].interference = 0.5e-9;
  TestGraph graph;
  graph.add(launchOf(0, 1000));
  graph.add(launchOf(1, 1000));
  graph.add(copyOf(2, 500));
  RunRecord record = run(machine, graph);
  EXPECT_EQ(record.ends[0], 1250);
  EXPECT_EQ(record.ends[1], 1000);
  EXPECT_EQ(record.ends[2], 500);
}

TEST(SimDriver, LanesShareTheGridOfALaunch) {
  machine::Machine machine = twoDevices();
  machine.devices[0].lanes = 2;
  machine.devices[0].sharedLaunches = true;
  machine.devices[1].lanes = 2;
  TestGraph graph;
  for (uint16_t engine = 0; engine < 2; ++engine) {
    Command launch = launchOf(engine, 3000);
    launch.grid = 3;
    graph.add(launch);
  }
  RunRecord record = run(machine, graph);
  EXPECT_EQ(record.ends[0], 2000);
  EXPECT_EQ(record.ends[1], 3000);
}

TEST(SimDriver, KernelsHaveTheirClassAndTheirTime) {
  machine::Machine machine = twoDevices();
  machine.devices[0]
      .classes[machine::KernelClass::Contraction]
      .flops[ElementType::F16] = 4e9;
  machine.devices[0].launchOverhead = 1e-6;
  machine.kernels = {{"known", 42, 7e-6}};
  MachineDescription description = engines();
  description.kernels = {
      {machine::KernelClass::Contraction, ElementType::F16, 1},
      {machine::KernelClass::Contraction, ElementType::F32, 2},
      {machine::KernelClass::Contraction, ElementType::F16, 42}};
  TestGraph graph;
  for (uint32_t kernel = 0; kernel < 3; ++kernel) {
    Command launch = launchOf(0, 8000);
    launch.kernel = kernel;
    graph.add(launch);
    if (kernel > 0)
      graph.edge(kernel - 1, kernel);
  }
  RunRecord record = run(machine, graph, {}, description);
  EXPECT_EQ(record.ends[0], 1000 + 2000);
  EXPECT_EQ(record.ends[1], 3000 + 1000 + 8000);
  EXPECT_EQ(record.ends[2], 12000 + 1000 + 7000);
}

TEST(SimDriver, EmulatedLinksComeOnTop) {
  TestGraph graph;
  graph.add(copyOf(2, 1000));
  SimOptions options;
  options.linkGbps = 0.5;
  EXPECT_EQ(run(twoDevices(), graph, options).ends[0], 2000);
  options.linkLatencyUs = 3;
  EXPECT_EQ(run(twoDevices(), graph, options).ends[0], 5000);
  options.linkGbps = 10;
  options.linkLatencyUs = 0;
  EXPECT_EQ(run(twoDevices(), graph, options).ends[0], 1000);
}

TEST(SimDriver, KernelsAndTransfersJitterSeparately) {
  TestGraph graph;
  graph.add(launchOf(0, 1000));
  graph.add(copyOf(2, 1000));
  machine::Machine machine = twoDevices();
  machine.seed = 3;
  machine.kernelJitter = 0.5;
  RunRecord kernels = run(machine, graph);
  EXPECT_NE(kernels.ends[0], 1000);
  EXPECT_EQ(kernels.ends[1], 1000);
  EXPECT_EQ(run(machine, graph).ends[0], kernels.ends[0]);
  std::swap(machine.kernelJitter, machine.transferJitter);
  RunRecord transfers = run(machine, graph);
  EXPECT_EQ(transfers.ends[0], 1000);
  EXPECT_NE(transfers.ends[1], 1000);
  machine.seed = 4;
  EXPECT_NE(run(machine, graph).ends[1], transfers.ends[1]);
}

TEST(SimDriver, AsksForDevicesAndLinksThatAreThere) {
  std::unique_ptr<Driver> driver = createSimDriver(twoDevices());
  EXPECT_EQ(driver->open(computeMachine(3)).message(),
            "machine 'two' has no device 'dev2'; it has: a, b, cpu");
  driver = createSimDriver(twoDevices());
  MachineDescription description;
  addLink(description, "disk->dev0");
  EXPECT_EQ(driver->open(description).message(),
            "machine 'two' has no link 'disk->dev0'; it has: links between a, "
            "b, ram");
  driver = createSimDriver(twoDevices());
  description.engines.clear();
  addLink(description, "dev0->dev1");
  addLink(description, "params->host");
  EXPECT_TRUE(driver->open(description));
}
