//===- MachineTest.cpp - Machine descriptions -----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/machine/Machine.h"
#include "turnip/machine/PlannerProblem.h"
#include "gtest/gtest.h"

#include <cstdio>
#include <fstream>

using namespace turnip;
using namespace turnip::machine;

static const char *const memories =
    R"("memories": [{"name": "gpu", "capacity": "1GiB", "alignment": 256},
                    {"name": "ram", "kind": "host", "capacity": 4096}])";
static const char *const devices =
    R"("devices": [{"name": "gpu", "memory": "gpu", "memory_bandwidth": 1e12,
                    "launch_overhead": 1e-6,
                    "classes": {"other": {"flops": {"f32": 1e12}},
                                "contraction": {"flops": {"f16": 8e12},
                                                "efficiency": 0.5}}},
                   {"name": "cpu", "memory": "ram", "memory_bandwidth": 1e10,
                    "classes": {"other": {"flops": {"f32": 1e11}}}}])";
static const char *const links =
    R"("switches": [{"name": "s", "bandwidth": 5e9}],
       "links": [{"source": "ram", "destination": "gpu", "bandwidth": 1e10,
                  "latency": 1e-5, "switches": ["s"]},
                 {"source": "gpu", "destination": "ram", "bandwidth": 2e10,
                  "latency": 1e-6}])";

/// A description of these parts.
static std::string describe(const std::string &a, const std::string &b,
                            const std::string &c) {
  return "{" + a + ", " + b + ", " + c + "}";
}

static std::string good() { return describe(memories, devices, links); }

/// good() with the first \p from replaced by \p to.
static std::string changed(const std::string &from, const std::string &to) {
  std::string text = good();
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

static std::string refusal(const std::string &text) {
  Expected<Machine> machine = Machine::parse(text);
  if (machine)
    return "none";
  EXPECT_EQ(machine.status().code(), StatusCode::BadInput);
  return machine.status().message();
}

TEST(Machine, ReadsEveryField) {
  Expected<Machine> machine = Machine::parse(good());
  ASSERT_TRUE(machine) << machine.status().message();
  EXPECT_EQ(machine->memories[0].capacity, uint64_t(1) << 30);
  EXPECT_EQ(machine->memories[0].alignment, 256U);
  EXPECT_EQ(machine->accelerators(), std::vector<uint32_t>{0});
  EXPECT_EQ(machine->hostMemory(), 1U);
  EXPECT_EQ(machine->findDevice("dev0"), 0U);
  EXPECT_EQ(machine->findDevice("host"), 1U);
  EXPECT_EQ(machine->findDevice("dev1"), None);
  EXPECT_EQ(machine->findDevice("tpu"), None);
  EXPECT_EQ(machine->findMemory("params"), 1U);
  EXPECT_EQ(machine->findMemory("dev0"), 0U);
  EXPECT_EQ(machine->links[machine->findLink(1, 0)].switches,
            std::vector<uint32_t>{0});
}

TEST(Machine, RatesFallBackOnOtherTypesAndClasses) {
  Expected<Machine> machine = Machine::parse(good());
  ASSERT_TRUE(machine);
  const Device &device = machine->devices[0];
  EXPECT_EQ(device.flopRate(KernelClass::Contraction, ElementType::F16), 4e12);
  EXPECT_EQ(device.flopRate(KernelClass::Contraction, ElementType::BF16), 1e12);
  EXPECT_EQ(device.flopRate(KernelClass::Gather, ElementType::I64), 1e12);
  EXPECT_EQ(device.byteRate(KernelClass::Contraction), 5e11);
  EXPECT_EQ(device.byteRate(KernelClass::Gather), 1e12);
  EXPECT_DOUBLE_EQ(
      device.seconds(KernelClass::Other, ElementType::F32, 3e6, 1e6), 4e-6);
  EXPECT_DOUBLE_EQ(
      device.seconds(KernelClass::Other, ElementType::F32, 1e6, 3e6), 4e-6);
}

TEST(Machine, WritesWhatItReads) {
  Expected<Machine> machine = Machine::parse(good());
  ASSERT_TRUE(machine);
  machine->name = "m";
  machine->kernels.push_back({"k", 0xabcdef0123456789, 1e-4});
  machine->sources = {"a \"b\""};
  machine->kernelJitter = 0.25;
  std::string text = machine->toJson();
  Expected<Machine> again = Machine::parse(text);
  ASSERT_TRUE(again) << again.status().message() << text;
  EXPECT_EQ(again->toJson(), text);
  EXPECT_EQ(again->kernels[0].hash, 0xabcdef0123456789);
}

TEST(Machine, ReadsTheOldForm) {
  Expected<Machine> machine = Machine::parse(R"({
    "devices": {"default": {"flops": 2e12, "lanes": 2}, "dev1": {"queue": 4}},
    "links": {"dev0->host": {"bandwidth": 3e9}}, "jitter": 0.5, "seed": 7})");
  ASSERT_TRUE(machine) << machine.status().message();
  EXPECT_EQ(machine->otherDevice->lanes, 2U);
  EXPECT_EQ(
      machine->otherDevice->flopRate(KernelClass::Gather, ElementType::F32),
      2e12);
  EXPECT_EQ(machine->devices[machine->findDevice("dev1")].queue, 4U);
  EXPECT_EQ(machine->findDevice("dev0"), None);
  ASSERT_EQ(machine->links.size(), 1U);
  EXPECT_EQ(machine->links[0].bandwidth, 3e9);
  EXPECT_EQ(machine->transferJitter, 0.5);
  EXPECT_EQ(machine->kernelJitter, 0.5);
  EXPECT_EQ(machine->seed, 7U);
  EXPECT_EQ(refusal(R"({"links": {"x": {}}})"),
            "links.x: expected a name such as host->dev0");
}

/// good() with the first \p from replaced by \p to, and what is said of it.
struct Refusal {
  const char *from;
  const char *to;
  const char *message;
};

static void expectRefusals(const std::vector<Refusal> &refusals) {
  for (const Refusal &entry : refusals)
    EXPECT_EQ(refusal(changed(entry.from, entry.to)), entry.message)
        << entry.from << " -> " << entry.to;
}

TEST(Machine, RefusesWhatIsNoDescription) {
  EXPECT_EQ(refusal("3"), "machine: expected an object, but got a number");
  EXPECT_EQ(refusal("{\"a\": NaN}"), "line 1, column 7: expected a value");
  EXPECT_EQ(refusal(changed("\"1GiB\"", "\"lots\"")).substr(0, 22),
            "memories[0].capacity: ");
}

TEST(Machine, RefusesFieldsThatMakeNoSense) {
  expectRefusals({
      {R"("capacity")", R"("capcity")",
       "memories[0].capacity: expected a value, but there is none"},
      {R"("alignment")", R"("aligment")",
       "memories[0].aligment: unknown field"},
      {R"("switches": [{)", R"("speed": 1, "switches": [{)",
       "speed: unknown field"},
      {R"("1GiB")", "0",
       "memories[0].capacity: expected a number from 1 to 1125899906842624, "
       "but got 0"},
      {R"("1GiB")", R"("0")",
       "memories[0].capacity: expected a number from 1 to 1125899906842624, "
       "but got 0"},
      {R"("1GiB")", "-5",
       "memories[0].capacity: expected a number from 1 to 1125899906842624, "
       "but got -5"},
      {R"("1GiB")", R"("2048TiB")",
       "memories[0].capacity: expected a number from 1 to 1125899906842624, "
       "but got 2251799813685248"},
      {R"("1GiB")", "1.5", "memories[0].capacity: expected a whole number"},
      {"256", "96",
       "memories[0].alignment: expected a power of 2 from 64 on, but got 96"},
      {R"("host")", R"("disk")",
       "memories[1].kind: expected device or host, but got 'disk'"},
      {"1e12", "0",
       "devices[0].memory_bandwidth: expected a number from 1 to 1e+18, but "
       "got 0"},
      {"1e12", R"("fast")",
       "devices[0].memory_bandwidth: expected a number, but got a string"},
      {R"("bandwidth": 1e10)", R"("bandwidth": -1e10)",
       "links[0].bandwidth: expected a number from 1 to 1e+18, but got "
       "-10000000000"},
      {"5e9", "0",
       "switches[0].bandwidth: expected a number from 1 to 1e+18, but got 0"},
      {"1e-5", "-1",
       "links[0].latency: expected a number from 0 to 1000, but got -1"},
      {R"("f16")", R"("f12")",
       "devices[0].classes.contraction.flops.f12: unknown field"},
      {R"("contraction")", R"("matmul")",
       "devices[0].classes.matmul: unknown field"},
      {"0.5", "0",
       "devices[0].classes.contraction.efficiency: expected a number from "
       "1e-06 to 1, but got 0"},
      {R"("launch_overhead": 1e-6)", R"("lanes": 0)",
       "devices[0].lanes: expected a number from 1 to 1024, but got 0"},
      {R"("launch_overhead": 1e-6)", R"("waits": 0)",
       "devices[0].waits: expected a boolean, but got a number"},
      {R"(["s"])", R"("s")",
       "links[0].switches: expected an array, but got a string"},
  });
}

TEST(Machine, ListsTheFirstOfManyNames) {
  std::string memories;
  for (int i = 0; i < 20; ++i)
    memories += "{\"name\": \"m" + std::to_string(i) + "\", \"capacity\": 1},";
  EXPECT_EQ(refusal("{\"memories\": [" + memories +
                    "{\"name\": \"ram\", \"capacity\": 1}], \"devices\": "
                    "[{\"name\": \"d\", \"memory\": \"x\"}]}"),
            "devices[0].memory: no memory 'x'; there are: m0, m1, m2, m3, m4, "
            "m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, and 5 more");
}

TEST(Machine, RefusesFilesWithoutEnd) {
  EXPECT_EQ(Machine::read("/dev/zero").status().message(),
            "'/dev/zero': a machine description has at most 67108864 bytes");
}

TEST(Machine, RefusesReferencesThatLeadNowhere) {
  expectRefusals({
      {R"("name": "ram")", R"("name": "gpu")",
       "devices[1].memory: no memory 'ram'; there are: gpu, gpu"},
      {R"("name": "cpu")", R"("name": "gpu")",
       "devices[1].name: 'gpu' is the name of devices[0] already"},
      {R"("name": "cpu")", R"("name": "")",
       "devices[1].name: expected a name, but got none"},
      {R"("source": "ram")", R"("source": "rom")",
       "links[0].source: no memory 'rom'; there are: gpu, ram"},
      {R"(["s"])", R"(["t"])",
       "links[0].switches[0]: no switch 't'; there are: s"},
      {R"("source": "ram")", R"("source": "gpu")",
       "links[0]: expected two memories, but got 'gpu' twice"},
      {R"("source": "ram", "destination": "gpu")",
       R"("source": "gpu", "destination": "ram")",
       "links[1]: links[0] has the same ends already"},
      {R"("kind": "host")", R"("kind": "device")",
       "memories: expected a memory of kind host, but there is none"},
      {R"("memory": "ram")", R"("memory": "gpu")",
       "devices[1].memory: device 'gpu' has memory 'gpu' already"},
      {R"("other": {"flops": {"f32": 1e12}},)", "",
       "devices[0].classes: expected other.flops.f32, which stands for what "
       "is not listed"},
      {R"("switches": [{)",
       R"("kernels": [{"hash": "xyz", "seconds": 1}], "switches": [{)",
       "kernels[0].hash: expected up to 16 hexadecimal digits, but got 'xyz'"},
  });
}

TEST(Machine, RefusesToLackWhatEveryMachineHas) {
  EXPECT_EQ(refusal(describe(memories, devices, "\"links\": []")),
            "links: expected a link from 'ram' to 'gpu', but there is none");
  EXPECT_EQ(refusal(describe(memories, "\"devices\": []", links)),
            "devices: expected at least 1 device on a memory of kind device, "
            "but got 0");
  std::string alone = devices;
  alone = alone.substr(0, alone.find("{\"name\": \"cpu\""));
  alone = alone.substr(0, alone.rfind(',')) + "]";
  EXPECT_EQ(refusal(describe(memories, alone, links)),
            "devices: expected a device on 'ram', the host's memory, but there "
            "is none");
}

TEST(Machine, FindsByNameOrPath) {
  Expected<Machine> h100 = Machine::find("h100");
  ASSERT_TRUE(h100) << h100.status().message();
  EXPECT_EQ(h100->name, "h100");
  EXPECT_EQ(Machine::find("h100x").status().message(),
            "no machine 'h100x': expected a file or one of 4xp100, 8xa100, "
            "8xv100, h100, h200, laptop, rtx3060, rtx4090");
  EXPECT_EQ(Machine::find("h100x").status().code(),
            StatusCode::InvalidArgument);
  EXPECT_EQ(Machine::find("/nowhere/x").status().code(), StatusCode::Io);
  std::string path = testing::TempDir() + "machine-test.json";
  std::ofstream(path) << changed("256", "3");
  EXPECT_EQ(Machine::find(path).status().message(),
            "'" + path + "': memories[0].alignment: expected a power of 2 " +
                "from 64 on, but got 3");
  std::remove(path.c_str());
}

TEST(Machine, EveryShippedOneIsGood) {
  EXPECT_EQ(shippedMachines().size(), 8U);
  for (const ShippedMachine &shipped : shippedMachines()) {
    Expected<Machine> machine = Machine::find(std::string(shipped.name));
    ASSERT_TRUE(machine) << machine.status().message();
    EXPECT_EQ(machine->name, shipped.name);
    EXPECT_GE(machine->sources.size(), 3U);
    planner::Problem problem;
    Share share;
    share.devices = static_cast<uint32_t>(machine->accelerators().size());
    share.parameterBytes = 1 << 20;
    ASSERT_TRUE(addMachine(*machine, share, problem)) << shipped.name;
    EXPECT_TRUE(problem.check()) << problem.check().message();
    EXPECT_EQ(problem.memories.size(), share.devices + 2);
    // To and from the host and the parameters, to each peer, and inside.
    EXPECT_EQ(problem.links.size(), share.devices * (share.devices + 2) + 1);
  }
}

/// The vendors' figures of a machine: bytes of a device, operations and bytes
/// per second, bytes per second of the link from the host. The documents that
/// they are from are named in the description's sources.
struct Figures {
  const char *name;
  double capacity;
  double f32;
  double f16Contraction;
  double f16Other;
  double bandwidth;
  double link;
};

TEST(Machine, ShippedOnesHaveTheVendorsFigures) {
  const double GiB = 1024.0 * 1024 * 1024;
  // What 16 lanes of the third generation carry, and the share of it.
  const double pcie3 = 15.75e9 * 0.8;
  const Figures all[] = {
      {"4xp100", 16 * GiB, 9.3e12, 18.7e12, 18.7e12, 732e9, pcie3},
      {"8xv100", 32 * GiB, 15.7e12, 125e12, 31.4e12, 900e9, pcie3},
      {"8xa100", 40 * GiB, 19.5e12, 312e12, 78e12, 1555e9, 2 * pcie3},
      {"h100", 80 * GiB, 67e12, 989e12, 133.8e12, 3.35e12, 4 * pcie3},
      {"h200", 141 * GiB, 67e12, 989e12, 133.8e12, 4.8e12, 4 * pcie3},
      {"rtx4090", 24 * GiB, 82.6e12, 165.2e12, 82.6e12, 1008e9, 2 * pcie3},
      {"rtx3060", 12 * GiB, 12.7e12, 25.4e12, 12.7e12, 360e9, 2 * pcie3},
      {"laptop", 6 * GiB, 9e12, 18e12, 9e12, 192e9, pcie3},
  };
  for (const Figures &figures : all) {
    SCOPED_TRACE(figures.name);
    Expected<Machine> machine = Machine::find(figures.name);
    ASSERT_TRUE(machine) << machine.status().message();
    for (uint32_t index : machine->accelerators()) {
      const Device &device = machine->devices[index];
      EXPECT_EQ(machine->memories[device.memory].capacity, figures.capacity);
      EXPECT_EQ(device.memoryBandwidth, figures.bandwidth);
      // Rates are what is reached: the peak times the share.
      auto peak = [&](KernelClass kernel, ElementType type, double share) {
        return device.flopRate(kernel, type) / share;
      };
      using C = KernelClass;
      EXPECT_DOUBLE_EQ(peak(C::Contraction, ElementType::F32, 0.7),
                       figures.f32);
      EXPECT_DOUBLE_EQ(peak(C::Contraction, ElementType::F16, 0.7),
                       figures.f16Contraction);
      EXPECT_DOUBLE_EQ(peak(C::Elementwise, ElementType::F16, 0.8),
                       figures.f16Other);
      EXPECT_DOUBLE_EQ(
          machine->linkBetween(machine->hostMemory(), device.memory).bandwidth,
          figures.link);
    }
  }
}

TEST(Machine, BecomesAPlanningProblem) {
  Expected<Machine> machine = Machine::parse(good());
  ASSERT_TRUE(machine);
  planner::Problem problem;
  Share share;
  share.parameterBytes = 1000;
  ASSERT_TRUE(addMachine(*machine, share, problem));
  EXPECT_EQ(problem.memories[0].capacity, uint64_t(1) << 30);
  EXPECT_EQ(problem.memories[0].alignment, 256U);
  EXPECT_EQ(problem.memories[1].capacity, 3096U);
  EXPECT_EQ(problem.memories[2].capacity, 1000U);
  // As fast as the switch that the link passes through.
  EXPECT_EQ(problem.links[0].bytesPerSecond, 5e9);
  EXPECT_EQ(problem.links[2].bytesPerSecond, 2e10);
  EXPECT_EQ(problem.links[0].channel, problem.links[1].channel);

  planner::Problem capped;
  share.deviceBytes = 4096;
  share.hostBytes = 10;
  ASSERT_TRUE(addMachine(*machine, share, capped));
  EXPECT_EQ(capped.memories[0].capacity, 4096U);
  EXPECT_EQ(capped.memories[1].capacity, 10U);

  machine->name = "m";
  share = Share();
  share.devices = 2;
  EXPECT_EQ(addMachine(*machine, share, problem).message(),
            "the program uses 2 devices, but machine 'm' has 1");
  share.devices = 1;
  share.parameterBytes = 5000;
  Status status = addMachine(*machine, share, problem);
  EXPECT_EQ(status.code(), StatusCode::DoesNotFit);
  EXPECT_EQ(status.message(), "the parameters need 5000 bytes of host memory, "
                              "which has 4096 on machine 'm'");
}

TEST(Machine, ProgramsNeedNoDescription) {
  UniformMachine alike;
  alike.devices = 2;
  alike.deviceBytes = 100;
  alike.hostBytes = 200;
  alike.parameterBytes = 300;
  alike.deviceAlignment = 256;
  alike.bandwidth = 3e9;
  alike.latency = 1e-3;
  planner::Problem problem;
  addMachine(alike, problem);
  ASSERT_EQ(problem.memories.size(), 4U);
  EXPECT_EQ(problem.memories[1].name, "dev1");
  EXPECT_EQ(problem.memories[1].capacity, 100U);
  EXPECT_EQ(problem.memories[1].alignment, 256U);
  EXPECT_EQ(problem.memories[2].capacity, 200U);
  EXPECT_EQ(problem.memories[2].alignment, 64U);
  EXPECT_EQ(problem.memories[3].capacity, 300U);
  ASSERT_EQ(problem.devices.size(), 3U);
  EXPECT_EQ(problem.devices[2].backing, planner::None);
  // The same links as of a machine with a description.
  Expected<Machine> described = Machine::find("4xp100");
  ASSERT_TRUE(described);
  planner::Problem other;
  Share share;
  share.devices = 2;
  ASSERT_TRUE(addMachine(*described, share, other));
  ASSERT_EQ(problem.links.size(), other.links.size());
  for (size_t i = 0; i < problem.links.size(); ++i) {
    EXPECT_EQ(problem.links[i].name, other.links[i].name);
    EXPECT_EQ(problem.links[i].channel, other.links[i].channel);
    EXPECT_EQ(problem.links[i].bytesPerSecond, 3e9);
    EXPECT_EQ(problem.links[i].latency, 1e-3);
  }
}

TEST(Machine, DevicesWithoutALinkGoThroughTheHost) {
  Expected<Machine> machine = Machine::find("4xp100");
  ASSERT_TRUE(machine);
  uint32_t first = machine->findMemory("dev0");
  EXPECT_EQ(machine->linkBetween(first, machine->findMemory("dev1")).latency,
            1e-5);
  Link far = machine->linkBetween(first, machine->findMemory("dev2"));
  EXPECT_EQ(far.latency, 2e-5);
  EXPECT_EQ(far.switches.size(), 4U);
  uint32_t host = machine->hostMemory();
  EXPECT_GT(machine->linkBetween(host, host).bandwidth, 0);
}

TEST(Machine, LanesShareTimedKernels) {
  Device device;
  device.launchOverhead = 1;
  device.lanes = 2;
  const KernelTime kernel{"k", 1, 30};
  EXPECT_EQ(device.secondsOf(kernel, 3), 31);
  device.sharedLaunches = true;
  EXPECT_EQ(device.secondsOf(kernel, 3), 21);
  EXPECT_EQ(device.secondsOf(kernel, 1), 31);
  Machine machine;
  machine.kernels = {kernel};
  EXPECT_EQ(machine.findKernel(1), &machine.kernels[0]);
  EXPECT_EQ(machine.findKernel(2), nullptr);
}

TEST(Machine, HashesTellKernelsApart) {
  uint64_t hash = kernelHash("(a)", "b", 1);
  EXPECT_EQ(hash, kernelHash("(a)", "b", 1));
  EXPECT_NE(hash, kernelHash("(a)b", "", 1));
  EXPECT_NE(hash, kernelHash("(a)", "b", 2));
}
