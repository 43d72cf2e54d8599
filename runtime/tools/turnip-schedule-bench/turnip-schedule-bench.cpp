//===- turnip-schedule-bench.cpp - What a schedule is worth ---------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans graphs with the planner, runs them, and prints ratios:
//
//   turnip-schedule-bench branches [sim|host]
//     Eight independent branches, each a chain whose data hops between three
//     devices on a way of its own; a hop takes 1 ms, give or take up to 50 %.
//     How much longer does the planner's fixed order take than the dynamic one?
//
//   turnip-schedule-bench overlap
//     A chain of calls with a parameter each, on one lane and an emulated link
//     whose speed makes the transfers take 0.5, 1 and 2 times as long as the
//     calls. How far is the time from the longer of the two?
//
// Runs to compare are interleaved; every figure is a median.
//
//===----------------------------------------------------------------------===//

#include "PlannedModule.h"

#include "turnip/parameters/ParameterProvider.h"
#include "turnip/parameters/Tensor.h"
#include "turnip/runtime/Clock.h"
#include "turnip/runtime/Drivers.h"
#include "turnip/runtime/Session.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

using namespace turnip;
using namespace turnip::runtime;
using planner::Problem;

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// Memories: parameters, host, then one per device. Devices: host, then the
/// others.
static constexpr uint32_t params = 0;
static constexpr uint32_t host = 1;
static uint32_t memoryOf(uint32_t device) { return device + 1; }

/// A machine of \p numDevices devices besides the host, each with a link each
/// way to the host and to every other device.
static Problem makeMachine(uint32_t numDevices, uint64_t cap,
                           double linkBytesPerSecond) {
  constexpr uint64_t plenty = uint64_t(1) << 40;
  Problem problem;
  problem.addMemory(
      {"params", planner::MemoryKind::Parameters, plenty, 64, false});
  problem.addMemory({"host", planner::MemoryKind::Host, plenty, 64, true});
  problem.addDevice({"host", host, planner::None});
  uint32_t channel = 0;
  auto link = [&](uint32_t from, uint32_t to, uint32_t onChannel) {
    problem.addLink(
        {problem.memories[from].name + "-" + problem.memories[to].name, from,
         to, onChannel, linkBytesPerSecond});
  };
  for (uint32_t d = 1; d <= numDevices; ++d) {
    std::string name = "dev" + std::to_string(d - 1);
    uint32_t memory =
        problem.addMemory({name, planner::MemoryKind::Device, cap, 64, true});
    problem.addDevice({name, memory, host});
    link(params, memory, channel);
    link(host, memory, channel++);
    link(memory, host, channel++);
    for (uint32_t other = 1; other < d; ++other) {
      link(memory, memoryOf(other), channel++);
      link(memoryOf(other), memory, channel++);
    }
  }
  return problem;
}

static uint32_t addTile(Problem &problem, uint64_t bytes, uint32_t memory,
                        uint32_t initial = planner::None,
                        uint32_t final = planner::None) {
  planner::Tile tile;
  tile.bytes = bytes;
  tile.memory = memory;
  tile.initialMemory = initial;
  tile.finalMemory = final;
  return problem.addTile(tile);
}

static void addCall(Problem &problem, uint32_t device, double cost,
                    const std::vector<uint32_t> &operands, uint32_t result) {
  planner::Task task;
  task.device = device;
  task.cost = cost;
  problem.addTask(task, operands, {result});
}

static constexpr uint32_t numBranches = 8;
/// What a branch moves, in a millisecond.
static constexpr uint64_t branchBytes = 1 << 16;
static constexpr double branchBytesPerSecond = branchBytes / 1e-3;

/// See the head of this file.
static Problem branchesProblem(uint32_t steps, uint64_t seed) {
  constexpr uint32_t numDevices = 3;
  std::mt19937_64 generator(seed);
  Problem problem = makeMachine(numDevices, 64 << 20, branchBytesPerSecond);
  std::vector<uint32_t> values;
  std::vector<uint32_t> devices;
  for (uint32_t b = 0; b < numBranches; ++b) {
    devices.push_back(1 + static_cast<uint32_t>(generator() % numDevices));
    values.push_back(
        addTile(problem, branchBytes, memoryOf(devices.back()), host));
  }
  for (uint32_t step = 0; step < steps; ++step)
    for (uint32_t b = 0; b < numBranches; ++b) {
      uint32_t device =
          1 + static_cast<uint32_t>(generator() % (numDevices - 1));
      if (device >= devices[b])
        ++device;
      uint32_t moved = addTile(problem, branchBytes, memoryOf(device));
      planner::Task task;
      task.kind = planner::TaskKind::Transfer;
      task.device = device;
      problem.addTask(task, {values[b]}, {moved});
      values[b] = addTile(problem, branchBytes, memoryOf(device), planner::None,
                          step + 1 == steps ? host : planner::None);
      addCall(problem, device, 2e-5, {moved}, values[b]);
      devices[b] = device;
    }
  return problem;
}

/// A chain of \p steps calls of \p cost seconds, each with a parameter of
/// 1 MiB.
static Problem overlapProblem(uint32_t steps, double cost,
                              double linkBytesPerSecond) {
  constexpr uint64_t tileBytes = 1 << 20;
  Problem problem = makeMachine(1, 16 << 20, linkBytesPerSecond);
  uint32_t memory = memoryOf(1);
  uint32_t value = addTile(problem, 4096, memory, host);
  for (uint32_t step = 0; step < steps; ++step) {
    uint32_t parameter = addTile(problem, tileBytes, memory, params);
    problem.tiles[parameter].initialOffset = step * tileBytes;
    uint32_t next = addTile(problem, 4096, memory, planner::None,
                            step + 1 == steps ? host : planner::None);
    addCall(problem, 1, cost, {value, parameter}, next);
    value = next;
  }
  return problem;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Multiplies and adds scalars[0] times, each step waiting for the one before.
static void busyKernel(void *const *, const int64_t *scalars, int64_t) {
  volatile float result = 2.0F;
  float x = result;
  for (int64_t i = 0; i < scalars[0] / 2; ++i)
    x = x * 0.999F + 0.001F;
  result = x;
}

/// Measures how much of its arithmetic busyKernel does per second.
static double measureFlops() {
  const int64_t flops = 20000000;
  std::vector<double> rates;
  for (int i = 0; i < 5; ++i) {
    int64_t begin = monotonicNanoseconds();
    busyKernel(nullptr, &flops, 0);
    rates.push_back(static_cast<double>(flops) * 1e9 /
                    static_cast<double>(monotonicNanoseconds() - begin));
  }
  return *std::max_element(rates.begin(), rates.end());
}

[[noreturn]] static void fail(const Status &status) {
  std::fprintf(stderr, "turnip-schedule-bench: error: %s\n",
               status.message().c_str());
  std::exit(exitCode(status.code()));
}

static void require(const Status &status) {
  if (!status)
    fail(status);
}

static std::unique_ptr<Session> makeSession(const Program &program,
                                            std::unique_ptr<Driver> driver,
                                            const char *policy) {
  Expected<std::unique_ptr<Session>> session =
      Session::create(program, std::move(driver));
  if (!session)
    fail(session.status());
  require((*session)->bindParameters(*parameters::makeSplatParameters(1)));
  for (const artifact::Binding &input : (*session)->entry().inputs)
    require((*session)->setInput(
        input.name, parameters::Tensor::zeros(input.fileShape, input.type)));
  Expected<Schedule> schedule = Schedule::parse(policy);
  if (!schedule)
    fail(schedule.status());
  require((*session)->setSchedule(*schedule));
  return std::move(*session);
}

static Program makeProgram(const Problem &problem, double flopsPerSecond) {
  Expected<planner::Plan> plan = planner::plan(problem);
  if (!plan)
    fail(plan.status());
  artifact::Module module =
      schedulebench::makeModule(problem, *plan, flopsPerSecond);
  std::vector<KernelFunction> kernels(module.kernels.size(), busyKernel);
  Expected<Program> program =
      Program::create(std::move(module), std::move(kernels));
  if (!program)
    fail(program.status());
  return *program;
}

static double runOnce(Session &session) {
  require(session.run());
  return session.summary().seconds;
}

static double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

//===----------------------------------------------------------------------===//
// The benchmarks
//===----------------------------------------------------------------------===//

/// The kernels of the branches are short either way.
static constexpr double simulatedFlops = 5e8;

static std::unique_ptr<Driver> branchesDriver(bool onHost, uint64_t seed) {
  if (!onHost) {
    machine::Machine machine = machine::Machine::uniform();
    machine.otherDevice->classes[machine::KernelClass::Other]
        .flops[ElementType::F32] = simulatedFlops;
    machine.otherDevice->memoryBandwidth = 1e12;
    machine.otherLink->bandwidth = branchBytesPerSecond;
    machine.otherLink->latency = 0;
    machine.kernelJitter = machine.transferJitter = 0.5;
    machine.seed = seed;
    return createSimDriver(machine);
  }
  HostOptions options;
  options.lanes = 1;
  options.linkGbps = branchBytesPerSecond / 1e9;
  options.linkJitter = 0.5;
  options.seed = seed;
  return createHostDriver(options);
}

static void branches(bool onHost) {
  std::vector<double> ratios;
  const uint32_t rounds = onHost ? 9 : 25;
  for (uint32_t seed = 0; seed < rounds; ++seed) {
    Program program = makeProgram(branchesProblem(25, seed), simulatedFlops);
    auto fixed = makeSession(program, branchesDriver(onHost, seed), "fixed");
    auto dynamic =
        makeSession(program, branchesDriver(onHost, seed), "dynamic");
    ratios.push_back(runOnce(*fixed) / runOnce(*dynamic));
  }
  std::printf("%u branches on %s, 50 %% jitter: fixed / dynamic = %.3f (median "
              "of %u)\n",
              numBranches, onHost ? "host" : "sim", median(ratios), rounds);
}

static void overlap() {
  constexpr uint32_t steps = 200;
  constexpr double cost = 1e-3;
  const double flops = measureFlops();
  for (double ratio : {0.5, 1.0, 2.0}) {
    const double bytesPerSecond = (1 << 20) / (cost * ratio);
    Program program =
        makeProgram(overlapProblem(steps, cost, bytesPerSecond), flops);
    HostOptions fast;
    fast.lanes = 1;
    HostOptions emulated = fast;
    emulated.linkGbps = bytesPerSecond / 1e9;
    auto reference = makeSession(program, createHostDriver(fast), "dynamic");
    auto session = makeSession(program, createHostDriver(emulated), "dynamic");
    std::vector<double> computeTimes;
    std::vector<double> times;
    for (int round = 0; round < 7; ++round) {
      runOnce(*reference);
      double compute = 0;
      for (const EngineSummary &engine : reference->summary().engines)
        if (engine.kind == EngineKind::Compute)
          compute = std::max(compute, engine.operationSeconds);
      computeTimes.push_back(compute);
      times.push_back(runOnce(*session));
    }
    double compute = median(computeTimes);
    double transfer =
        static_cast<double>(session->summary().bytesToDevices) / bytesPerSecond;
    double time = median(times);
    std::printf("transfers %.2f x compute (%.1f ms): %.1f ms = %.3f x the "
                "longer\n",
                transfer / compute, compute * 1e3, time * 1e3,
                time / std::max(compute, transfer));
  }
}

int main(int argc, char **argv) {
  if (argc == 2 && std::strcmp(argv[1], "overlap") == 0) {
    overlap();
    return 0;
  }
  bool isBranches = argc >= 2 && std::strcmp(argv[1], "branches") == 0;
  if (isBranches && argc == 3 && std::strcmp(argv[2], "sim") == 0) {
    branches(false);
    return 0;
  }
  if (isBranches && argc == 3 && std::strcmp(argv[2], "host") == 0) {
    branches(true);
    return 0;
  }
  std::fprintf(stderr, "usage: %s branches sim|host\n       %s overlap\n",
               argv[0], argv[0]);
  return 2;
}
