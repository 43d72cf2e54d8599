//===- ReplanTest.cpp - Planning an artifact again ------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../artifact/Sample.h"

#include "turnip/artifact/Artifact.h"
#include "turnip/machine/Machine.h"
#include "turnip/runtime/AutomaticMemory.h"
#include "turnip/runtime/Drivers.h"
#include "turnip/runtime/PlanCache.h"
#include "turnip/runtime/Session.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace turnip;
using namespace turnip::runtime;
namespace fs = std::filesystem;

extern "C" {
void lookup(void *const *buffers, const int64_t *scalars, int64_t point);
void multiply(void *const *buffers, const int64_t *scalars, int64_t row);
void add(void *const *buffers, const int64_t *scalars, int64_t point);
}

/// What one call of the sample needs at most: rows, half of the weight, a
/// product and the workspace.
static constexpr uint64_t smallestSampleCap = 128 + 256 + 128 + 128;

static Program sampleProgram() {
  Expected<Program> program =
      Program::create(artifact::makeSample(), {lookup, multiply, add});
  EXPECT_TRUE(program) << program.status().message();
  return *program;
}

static ReplanOptions capped(uint64_t bytes) {
  ReplanOptions options;
  options.deviceMemory = bytes;
  return options;
}

/// Runs \p program once and returns the bytes of its result.
static std::vector<unsigned char> resultOf(const Program &program,
                                           bool guard = false) {
  HostOptions host;
  host.lanes = 2;
  host.trapFaults = guard;
  SessionOptions options;
  options.entry = "main";
  options.guard = guard;
  auto session = Session::create(program, createHostDriver(host), options);
  EXPECT_TRUE(session) << session.status().message();
  EXPECT_TRUE((*session)->bindParameters(*parameters::makeRandomParameters(3)));
  EXPECT_TRUE((*session)->setInput(
      "tokens", *parameters::parseTensor("4xi32=7,99,0,42")));
  EXPECT_TRUE((*session)->setArgument("position", 5));
  Status status = (*session)->run();
  EXPECT_TRUE(status) << status.message();
  Expected<parameters::Tensor> sum = (*session)->result("sum");
  EXPECT_TRUE(sum) << sum.status().message();
  return {sum->data.begin(), sum->data.end()};
}

static std::string errorOf(artifact::Module module,
                           const ReplanOptions &options = {},
                           StatusCode code = StatusCode::BadInput) {
  Expected<artifact::Module> made = replan(std::move(module), "main", options);
  EXPECT_FALSE(made);
  if (made)
    return "";
  EXPECT_EQ(made.status().code(), code);
  return made.status().message();
}

TEST(ProblemOf, Sample) {
  artifact::Module module = artifact::makeSample();
  Expected<planner::Problem> problem = problemOf(module, module.entries[0]);
  ASSERT_TRUE(problem) << problem.status().message();
  EXPECT_TRUE(problem->check()) << problem->check().message();
  EXPECT_EQ(problem->tiles.size(), 9u);
  EXPECT_EQ(problem->describeTile(1), "tile 1 (\"table\")");
  EXPECT_EQ(problem->describeTask(2), "task 2 (\"left\")");
  EXPECT_EQ(problem->tasks[1].kind, planner::TaskKind::Transfer);
  EXPECT_EQ(problem->tasks[1].device, 0u);
  EXPECT_EQ(problem->tasks[2].workspace, 100u);
  EXPECT_EQ(problem->tasks[2].cost, 2e-7);
  EXPECT_EQ(problem->inPlacePairs(4).size(), 2u);
  // The table, then both halves of the weight behind it.
  EXPECT_EQ(problem->tiles[1].initialMemory, 2u);
  EXPECT_EQ(problem->tiles[1].initialOffset, 0u);
  EXPECT_EQ(problem->tiles[2].initialOffset, 3200u);
  EXPECT_EQ(problem->tiles[3].initialOffset, 3456u);
  EXPECT_EQ(problem->memories[2].capacity, 3712u);
  EXPECT_EQ(problem->tiles[0].initialMemory, 1u);
  EXPECT_EQ(problem->tiles[8].finalMemory, 1u);
  planner::SmallestCap cap = planner::smallestCap(*problem, 0);
  EXPECT_EQ(cap.bytes, smallestSampleCap);
  EXPECT_EQ(cap.task, 2u);
}

TEST(Replan, EveryCapGivesTheSameBits) {
  Program program = sampleProgram();
  const std::vector<unsigned char> expected = resultOf(program);
  for (uint64_t cap = smallestSampleCap; cap < smallestSampleCap + 1024;
       cap += 64) {
    Expected<Program> again = program.replanned("main", capped(cap));
    ASSERT_TRUE(again) << cap << ": " << again.status().message();
    const artifact::Module &module = again->module();
    EXPECT_EQ(module.machine.memories[0].capacity, cap);
    EXPECT_LE(touchedBytes(module, module.entries[0])[0], cap);
    EXPECT_EQ(resultOf(*again), expected) << cap;
    // What was planned again can be written, read and planned again.
    Expected<std::string> bytes = artifact::serialize(module);
    ASSERT_TRUE(bytes) << bytes.status().message();
    Expected<artifact::Module> loaded = artifact::load(*bytes);
    ASSERT_TRUE(loaded) << loaded.status().message();
    Expected<Program> back = again->replanned("main", capped(cap));
    ASSERT_TRUE(back) << back.status().message();
    EXPECT_EQ(back->module().entries[0].accesses.size(),
              module.entries[0].accesses.size());
  }
}

TEST(Replan, ParametersStayWhereThereIsRoom) {
  Expected<Program> roomy = sampleProgram().replanned("main", capped(1 << 20));
  ASSERT_TRUE(roomy) << roomy.status().message();
  const artifact::Module &module = roomy->module();
  EXPECT_EQ(module.entries[0].parameters[1].pieces[0].memory, 0u);
  // The table, which the host reads, is all that is left.
  EXPECT_EQ(module.machine.memories[2].capacity, 3200u);
  // And back: they are loaded again.
  Expected<Program> tight = roomy->replanned("main", capped(smallestSampleCap));
  ASSERT_TRUE(tight) << tight.status().message();
  EXPECT_EQ(tight->module().entries[0].parameters[1].pieces[0].memory, 2u);
  EXPECT_EQ(tight->module().machine.memories[2].capacity, 3712u);
  EXPECT_EQ(resultOf(*tight), resultOf(*roomy));
  ReplanOptions loading = capped(1 << 20);
  loading.residentParameters = false;
  Expected<Program> loaded = roomy->replanned("main", loading);
  ASSERT_TRUE(loaded) << loaded.status().message();
  EXPECT_EQ(loaded->module().entries[0].parameters[1].pieces[0].memory, 2u);
}

TEST(Replan, EveryDriver) {
  Expected<Program> program =
      sampleProgram().replanned("main", capped(smallestSampleCap));
  ASSERT_TRUE(program) << program.status().message();
  EXPECT_EQ(resultOf(*program, /*guard=*/true), resultOf(sampleProgram()));
  for (bool sim : {false, true}) {
    auto session = Session::create(
        *program, sim ? createSimDriver(machine::Machine::uniform())
                      : createNullDriver());
    ASSERT_TRUE(session) << session.status().message();
    Status status = (*session)->run();
    EXPECT_TRUE(status) << status.message();
    EXPECT_EQ((*session)->record().completionOrder.size(),
              program->module().entries[0].vertices.size());
  }
}

TEST(Replan, OptionsAreRemembered) {
  ReplanOptions options = capped(704);
  options.hostMemory = 1 << 20;
  options.plan.policy = planner::Policy::NoPrefetch;
  options.plan.effort = 2;
  options.plan.seed = 3;
  options.plan.rematerialize = false;
  options.plan.horizon = 0.5;
  options.plan.inPlace = options.plan.pruneEdges = false;
  options.residentParameters = false;
  Expected<artifact::Module> made =
      replan(artifact::makeSample(), "main", options);
  ASSERT_TRUE(made) << made.status().message();
  EXPECT_EQ(made->options,
            "--device-memory=1024; planned again: device-memory=704 "
            "host-memory=1048576 order=best policy=no-prefetch plan-effort=2 "
            "plan-seed=3 rematerialize=false horizon=0.500000 "
            "resident-parameters=false "
            "in-place=false prune-edges=false");
  // Parameters are part of host memory.
  EXPECT_LE(made->machine.memories[1].capacity +
                made->machine.memories[2].capacity,
            uint64_t(1) << 20);
}

/// The sample's devices under the names that machines have for them.
static artifact::Module renamedSample() {
  artifact::Module module = artifact::makeSample();
  module.machine.devices[0].name = "dev0";
  module.machine.devices[1].name = "host";
  return module;
}

TEST(Replan, OnAnotherMachine) {
  ReplanOptions options;
  options.machine = *machine::Machine::find("h100");
  Expected<artifact::Module> made = replan(renamedSample(), "main", options);
  ASSERT_TRUE(made) << made.status().message();
  const machine::Machine &machine = *options.machine;
  uint32_t gpu = machine.accelerators().front();
  EXPECT_EQ(made->machine.memories[0].capacity,
            machine.memories[machine.devices[gpu].memory].capacity);
  machine::Link link =
      machine.linkBetween(machine.hostMemory(), machine.devices[gpu].memory);
  EXPECT_EQ(made->machine.links[0].latency, link.latency);
  EXPECT_EQ(made->machine.links[1].bytesPerSecond,
            made->machine.links[0].bytesPerSecond);
  // The multiplication, with a class and the bytes that it says it moves.
  const artifact::Kernel &kernel = made->kernels[1];
  EXPECT_EQ(
      made->entries[0].taskGraph->costs[1].seconds,
      machine.devices[gpu].seconds(kernel.kernelClass, kernel.type, 512, 512));
  // The sum, which does not: its operands and its result.
  EXPECT_EQ(made->entries[0].taskGraph->costs[2].seconds,
            machine.devices[gpu].seconds(kernel.kernelClass, kernel.type, 0,
                                         3 * 128));
  EXPECT_NE(made->options.find(" machine=h100#"), std::string::npos);
  // What was measured comes first.
  ReplanOptions measured = options;
  measured.machine->kernels.push_back(
      {"multiply", artifact::codeHash(made->kernels[1]), 0.25});
  Expected<artifact::Module> timed = replan(renamedSample(), "main", measured);
  ASSERT_TRUE(timed) << timed.status().message();
  EXPECT_EQ(timed->entries[0].taskGraph->costs[1].seconds,
            machine.devices[gpu].secondsOf(measured.machine->kernels[0], 4));
  // Its buffers are aligned to 256 bytes.
  EXPECT_EQ(made->machine.memories[0].alignment, 256U);
  options.deviceMemory = 1024;
  made = replan(renamedSample(), "main", options);
  ASSERT_TRUE(made) << made.status().message();
  EXPECT_EQ(made->machine.memories[0].capacity, 1024U);
}

TEST(Replan, MachineThatLacksSomething) {
  ReplanOptions options;
  options.machine = *machine::Machine::find("h100");
  EXPECT_EQ(
      errorOf(artifact::makeSample(), options, StatusCode::InvalidArgument),
      "machine 'h100' has no device that the artifact's 'gpu' could be");
  artifact::Module module = renamedSample();
  module.machine.memories[0].name = "dev7";
  EXPECT_EQ(errorOf(module, options, StatusCode::InvalidArgument),
            "machine 'h100' has no memory that the artifact's 'dev7' could be");
}

TEST(Replan, BelowTheSmallestCap) {
  EXPECT_EQ(errorOf(artifact::makeSample(), capped(smallestSampleCap - 1),
                    StatusCode::DoesNotFit)
                .substr(0, 27),
            "task 2 (\"left\") needs 640 b");
}

TEST(Replan, HostMemoryIsTooSmall) {
  ReplanOptions options;
  options.hostMemory = 3711;
  EXPECT_EQ(errorOf(artifact::makeSample(), options, StatusCode::DoesNotFit),
            "the parameters need 3712 bytes (3.62 KiB) of host memory, which "
            "has 3711 bytes (3.62 KiB)");
  options.hostMemory = 3712;
  EXPECT_NE(errorOf(artifact::makeSample(), options, StatusCode::DoesNotFit)
                .find("memory \"host\" needs"),
            std::string::npos);
}

TEST(Replan, WithoutTaskGraph) {
  artifact::Module module = artifact::makeSample();
  module.entries[0].taskGraph.reset();
  const char *message =
      "entry 'main' keeps no task graph, so it cannot be planned again; "
      "compile "
      "it again, with this release and without keep-tasks=false";
  EXPECT_EQ(problemOf(module, module.entries[0]).status().message(), message);
  EXPECT_EQ(errorOf(module), message);
}

TEST(Replan, WithoutMemoryForParameters) {
  artifact::Module module = artifact::makeSample();
  module.machine.memories[2].kind = artifact::MemoryKind::Host;
  EXPECT_EQ(errorOf(module), "entry 'main' cannot be planned again: its "
                             "machine has no memory for parameters");
}

TEST(Replan, UnknownEntry) {
  EXPECT_EQ(sampleProgram().replanned("other", {}).status().message(),
            "no entry 'other'; there are: main, empty");
}

TEST(Replan, OptionsOutOfRange) {
  ReplanOptions options;
  options.plan.effort = planner::maxEffort + 1;
  EXPECT_NE(
      errorOf(artifact::makeSample(), options, StatusCode::InvalidArgument),
      "");
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

namespace {
class Cache : public testing::Test {
protected:
  void SetUp() override {
    folder =
        fs::path(testing::TempDir()) / ("plans." + std::to_string(getpid()));
    fs::remove_all(folder);
    Expected<std::string> bytes = artifact::serialize(artifact::makeSample());
    Expected<artifact::Module> loaded = artifact::load(*bytes);
    ASSERT_TRUE(loaded) << loaded.status().message();
    sample = std::move(*loaded);
  }
  void TearDown() override { fs::remove_all(folder); }

  /// Plans for \p bytes; whether the plan was found is left in `found`.
  artifact::Module plan(uint64_t bytes) {
    Expected<artifact::Module> module =
        PlanCache(folder.string())
            .replan(sample, "main", capped(bytes), &found);
    EXPECT_TRUE(module) << module.status().message();
    return module ? *module : artifact::Module();
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> paths;
    for (const auto &item : fs::directory_iterator(folder))
      paths.push_back(item.path());
    return paths;
  }
  static std::string contents(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file),
            std::istreambuf_iterator<char>()};
  }
  static void write(const fs::path &path, const std::string &bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  fs::path folder;
  artifact::Module sample;
  bool found = false;
};
} // namespace

TEST_F(Cache, FindsWhatItKept) {
  artifact::Module first = plan(640);
  EXPECT_FALSE(found);
  artifact::Module second = plan(640);
  EXPECT_TRUE(found);
  EXPECT_EQ(*artifact::serialize(first), *artifact::serialize(second));
  plan(704);
  EXPECT_FALSE(found);
  EXPECT_EQ(files().size(), 2U);
  ReplanOptions other = capped(640);
  other.plan.seed = 1;
  ASSERT_TRUE(PlanCache(folder.string()).replan(sample, "main", other, &found));
  EXPECT_FALSE(found);
}

TEST_F(Cache, OtherArtifactsHaveOtherPlans) {
  plan(640);
  sample.kernels[1].flops += 1;
  Expected<artifact::Module> other =
      artifact::load(*artifact::serialize(sample));
  ASSERT_TRUE(other);
  sample = *other;
  plan(640);
  EXPECT_FALSE(found);
}

TEST_F(Cache, IgnoresDamagedFiles) {
  artifact::Module first = plan(640);
  fs::path file = files().at(0);
  const std::string bytes = contents(file);
  std::string flipped = bytes;
  flipped[bytes.size() / 2] ^= 1;
  for (const std::string &damaged :
       {std::string(), std::string("junk"), bytes.substr(0, bytes.size() / 2),
        flipped}) {
    write(file, damaged);
    EXPECT_EQ(*artifact::serialize(plan(640)), *artifact::serialize(first));
    EXPECT_FALSE(found);
    // It has been replaced.
    EXPECT_EQ(contents(file), bytes);
    plan(640);
    EXPECT_TRUE(found);
  }
}

TEST_F(Cache, IgnoresPlansOfSomethingElse) {
  plan(640);
  fs::path file = files().at(0);
  Expected<artifact::Module> kept = artifact::load(contents(file));
  ASSERT_TRUE(kept) << kept.status().message();
  // As another planner would have left it, for the same key.
  artifact::Module stale = *kept;
  stale.options = "planner of old" + stale.options;
  write(file, *artifact::serialize(stale));
  plan(640);
  EXPECT_FALSE(found);
  // With the right key, but for other kernels or tasks.
  artifact::Module other = *kept;
  other.kernels[0].signature += " ";
  write(file, *artifact::serialize(other));
  plan(640);
  EXPECT_FALSE(found);
  other = *kept;
  other.entries[0].tasks[0] = "something else";
  write(file, *artifact::serialize(other));
  plan(640);
  EXPECT_FALSE(found);
}

TEST_F(Cache, ForgetsWhatWasNotUsedForLongest) {
  plan(640);
  const fs::path first = files().at(0);
  const uint64_t bytes = fs::file_size(first);
  plan(704);
  ASSERT_EQ(files().size(), 2U);
  fs::path second = files().at(0) == first ? files().at(1) : files().at(0);
  write(folder / "notes.txt", std::string(10 * bytes, 'x'));
  auto longAgo = fs::last_write_time(first) - std::chrono::hours(1);
  fs::last_write_time(first, longAgo);
  fs::last_write_time(second, longAgo + std::chrono::minutes(1));
  // Finding it is using it.
  plan(640);
  ASSERT_TRUE(found);
  EXPECT_GT(fs::last_write_time(first), fs::last_write_time(second));
  // Room for two and a half.
  ASSERT_TRUE(PlanCache(folder.string(), bytes * 5 / 2)
                  .replan(sample, "main", capped(768), &found));
  EXPECT_FALSE(found);
  EXPECT_TRUE(fs::exists(first));
  EXPECT_FALSE(fs::exists(second));
  EXPECT_EQ(files().size(), 3U);
  // The newest stays whatever it takes, and what is no plan is left alone.
  ASSERT_TRUE(PlanCache(folder.string(), 0)
                  .replan(sample, "main", capped(832), &found));
  EXPECT_EQ(files().size(), 2U);
  EXPECT_TRUE(fs::exists(folder / "notes.txt"));
  plan(832);
  EXPECT_TRUE(found);
}

TEST_F(Cache, WorksWithoutAFolder) {
  write(folder, "a file");
  plan(640);
  plan(640);
  EXPECT_FALSE(found);
  fs::remove(folder);
  ASSERT_TRUE(PlanCache("").replan(sample, "main", capped(640), &found));
  EXPECT_FALSE(found);
  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(Cache, LeavesPipesAlone) {
  artifact::Module first = plan(640);
  fs::path file = files().at(0);
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(*artifact::serialize(plan(640)), *artifact::serialize(first));
  EXPECT_FALSE(found);
  EXPECT_TRUE(fs::is_fifo(file));
}

TEST_F(Cache, PassesErrorsOn) {
  PlanCache cache(folder.string());
  EXPECT_EQ(cache.replan(sample, "main", capped(1)).status().code(),
            StatusCode::DoesNotFit);
  EXPECT_EQ(cache.replan(sample, "other", {}).status().code(),
            StatusCode::InvalidArgument);
  EXPECT_FALSE(fs::exists(folder) && !files().empty());
}

TEST_F(Cache, ManyAtATime) {
  const std::string expected = *artifact::serialize(plan(640));
  fs::remove_all(folder);
  std::vector<std::thread> threads;
  std::vector<std::string> results(8);
  threads.reserve(results.size());
  for (std::string &result : results)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        Expected<artifact::Module> module =
            PlanCache(folder.string()).replan(sample, "main", capped(640));
        result =
            module ? *artifact::serialize(*module) : module.status().message();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &result : results)
    EXPECT_TRUE(result == expected);
  // Nothing is left behind but the plan.
  EXPECT_EQ(files().size(), 1U);
}

TEST(PlanCache, DefaultFolder) {
  ::setenv("HOME", "/home/somebody", 1);
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("TURNIP_PLAN_CACHE");
  EXPECT_EQ(PlanCache::defaultFolder(), "/home/somebody/.cache/turnip/plans");
  ::setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(PlanCache::defaultFolder(), "/cache/turnip/plans");
  ::setenv("TURNIP_PLAN_CACHE", "/plans", 1);
  EXPECT_EQ(PlanCache::defaultFolder(), "/plans");
  ::unsetenv("TURNIP_PLAN_CACHE");
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("HOME");
  EXPECT_EQ(PlanCache::defaultFolder(), "");
}

//===----------------------------------------------------------------------===//
// Automatic capacities
//===----------------------------------------------------------------------===//

namespace {
/// A driver that says that \p bytes are free.
class FreeDriver : public Driver {
public:
  FreeDriver(std::optional<uint64_t> bytes, bool hostArenas) : bytes(bytes) {
    props.hostArenas = hostArenas;
  }
  const DriverProperties &properties() const override { return props; }
  std::optional<uint64_t> freeMemory(const std::string &) const override {
    return bytes;
  }
  Status open(const MachineDescription &) override { return Status::ok(); }
  void *base(uint32_t) const override { return nullptr; }
  int64_t now() const override { return 0; }
  uint32_t queueDepth(uint32_t) const override { return 1; }
  Status start(EventSink &) override { return Status::ok(); }
  void submit(const Command *const *, size_t) override {}
  void finish() override {}

private:
  std::optional<uint64_t> bytes;
  DriverProperties props;
};
} // namespace

static std::string automatic(std::optional<uint64_t> bytes, bool hostArenas,
                             uint32_t devices = 1) {
  artifact::Module module = artifact::makeSample();
  for (uint32_t i = 1; i < devices; ++i) {
    module.machine.memories.push_back(module.machine.memories[0]);
    module.machine.devices.push_back(module.machine.devices[0]);
    module.machine.devices.back().memory =
        static_cast<uint32_t>(module.machine.memories.size()) - 1;
  }
  AutomaticMemory chosen = automaticDeviceMemory(module, module.entries[0],
                                                 FreeDriver(bytes, hostArenas));
  return std::to_string(chosen.bytes) + ", " + chosen.reason;
}

TEST(AutomaticMemory, Chooses) {
  EXPECT_EQ(automatic({}, false), "1024, what the artifact was placed for");
  EXPECT_EQ(automatic(700, false), "700, what the device has free");
  // Tiles of 4 * 128 + 2 * 256, and 128 of workspace.
  EXPECT_EQ(automatic(1 << 30, false), "1152, all tiles at once");
  // Of what is left besides 3712 bytes of parameters, rounded down.
  EXPECT_EQ(automatic(3712 + 2000, true),
            "992, half of the free host memory besides the parameters");
  EXPECT_EQ(automatic(3712 + 2000, true, 2),
            "496, half of the free host memory besides the parameters, shared "
            "by 2 devices");
  EXPECT_EQ(automatic(100, true),
            "0, half of the free host memory besides the parameters");
}
