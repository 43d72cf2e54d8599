//===- turnip-dispatch-bench.cpp - What dispatching an operation costs ----===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a graph of empty operations, each after two random earlier ones, on the
// null driver, and the same graph as a oneTBB flow graph where that library was
// found; alternately, so that both see the same machine. Prints the median time
// per operation of each and their ratio.
//
//   turnip-dispatch-bench [vertices [rounds]]
//
// With --device=cuda as the first argument, the operations are launches of a
// kernel that does nothing and copies of 64 bytes each way, on one GPU or on
// what TURNIP_CUDA_LIBRARY names.
//
//===----------------------------------------------------------------------===//

#include "turnip/artifact/Module.h"
#include "turnip/runtime/Clock.h"
#include "turnip/runtime/Drivers.h"
#include "turnip/runtime/Executor.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#ifdef TURNIP_HAVE_TBB
#include <deque>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#endif

using namespace turnip;
using namespace turnip::runtime;

/// The predecessors of every vertex.
using Predecessors = std::vector<std::vector<uint32_t>>;

static Predecessors drawGraph(uint32_t size) {
  // The same graph every time.
  std::mt19937_64 generator(1); // NOLINT(bugprone-random-generator-seed)
  Predecessors predecessors(size);
  for (uint32_t v = 1; v < size; ++v)
    for (unsigned i = 0; i < 2; ++i)
      predecessors[v].push_back(static_cast<uint32_t>(generator() % v));
  return predecessors;
}

/// Four engines: a device, the host, and both directions of a link.
static ExecutableGraph makeGraph(const Predecessors &predecessors) {
  std::vector<std::vector<uint32_t>> successors(predecessors.size());
  for (uint32_t v = 0; v < predecessors.size(); ++v)
    for (uint32_t p : predecessors[v])
      successors[p].push_back(v);
  ExecutableGraph graph;
  graph.numEngines = 4;
  graph.costs.assign(predecessors.size(), 1.0);
  graph.successorBegin.push_back(0);
  for (uint32_t v = 0; v < predecessors.size(); ++v) {
    Command command;
    command.vertex = v;
    command.engine = static_cast<uint16_t>(v % 4);
    graph.commands.push_back(command);
    graph.successors.insert(graph.successors.end(), successors[v].begin(),
                            successors[v].end());
    graph.successorBegin.push_back(
        static_cast<uint32_t>(graph.successors.size()));
  }
  return graph;
}

static double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

#ifdef TURNIP_HAVE_TBB
namespace {
/// The same graph in a oneTBB flow graph with two threads.
class TbbGraph {
public:
  explicit TbbGraph(const Predecessors &predecessors)
      : threads(oneapi::tbb::global_control::max_allowed_parallelism, 2) {
    for (uint32_t v = 0; v < predecessors.size(); ++v) {
      nodes.emplace_back(graph, [](const Message &) {});
      for (uint32_t p : predecessors[v])
        oneapi::tbb::flow::make_edge(nodes[p], nodes[v]);
      if (predecessors[v].empty())
        sources.push_back(v);
    }
  }
  void run() {
    for (uint32_t v : sources)
      nodes[v].try_put(Message());
    graph.wait_for_all();
  }

private:
  using Message = oneapi::tbb::flow::continue_msg;
  oneapi::tbb::global_control threads;
  oneapi::tbb::flow::graph graph;
  std::deque<oneapi::tbb::flow::continue_node<Message>> nodes;
  std::vector<uint32_t> sources;
};
} // namespace
#endif

/// A kernel that does nothing, for every GPU and for the stand-in.
static artifact::Kernel idleKernel() {
  artifact::Kernel kernel;
  kernel.name = "idle";
  artifact::Launch launch;
  launch.symbol = "idle";
  artifact::KernelObject ptx;
  ptx.triple = "nvptx64-nvidia-cuda";
  ptx.features = {"sm_80"};
  ptx.format = "ptx";
  ptx.code = ".version 7.0\n.target sm_80\n.address_size 64\n"
             ".visible .entry idle()\n{\n  ret;\n}\n";
  ptx.launches = {launch};
  kernel.objects = {ptx};
#ifdef TURNIP_IDLE_KERNEL
  artifact::KernelObject standIn;
  standIn.triple = "x86_64-unknown-linux-gnu";
  standIn.features = {"cuda-stand-in"};
  standIn.format = "stand-in";
  std::ifstream file(TURNIP_IDLE_KERNEL, std::ios::binary);
  standIn.code.assign(std::istreambuf_iterator<char>(file), {});
  standIn.launches = {launch};
  kernel.objects.push_back(standIn);
#endif
  return kernel;
}

/// One GPU with its links, and 1 MiB of memory on either side.
static MachineDescription cudaMachine(const artifact::Kernel &kernel) {
  MachineDescription machine;
  machine.memories = {{"dev0", MemoryKind::Device, 1 << 20, 0},
                      {"host", MemoryKind::Host, 1 << 20}};
  machine.engines = {{"dev0", EngineKind::Compute, 0, false},
                     {"host->dev0", EngineKind::Transfer, 0, true},
                     {"dev0->host", EngineKind::Transfer, 0, false}};
  KernelDescription description;
  description.code = &kernel;
  description.engines = {0};
  machine.kernels = {description};
  return machine;
}

/// Turns the operations of \p graph into work for \p driver: two of four
/// launch, one copies there and one back.
static void makeCudaWork(ExecutableGraph &graph, const Driver &driver) {
  graph.numEngines = 3;
  for (Command &command : graph.commands) {
    const uint32_t kind = command.vertex % 4;
    command.engine = static_cast<uint16_t>(kind < 2 ? 0 : kind - 1);
    if (kind < 2) {
      command.kernel = 0;
      continue;
    }
    command.kind = Command::Kind::Copy;
    command.bytes = 64;
    const size_t offset = size_t(command.vertex) % 16384 * 64;
    char *device = static_cast<char *>(driver.base(0)) + offset;
    char *host = static_cast<char *>(driver.base(1)) + offset;
    command.source = kind == 2 ? host : device;
    command.target = kind == 2 ? device : host;
  }
}

static int fail(const Status &status) {
  std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return exitCode(status.code());
}

/// Runs \p size operations \p rounds times on a GPU and prints what one took.
static int runOnCuda(uint32_t size, uint32_t rounds) {
  const artifact::Kernel kernel = idleKernel();
  CudaOptions options;
  options.devices = {0};
  Expected<std::unique_ptr<Driver>> driver = createCudaDriver(options);
  if (!driver)
    return fail(driver.status());
  if (Status opened = (*driver)->open(cudaMachine(kernel)); !opened)
    return fail(opened);
  ExecutableGraph graph = makeGraph(drawGraph(size));
  makeCudaWork(graph, **driver);
  Executor executor(graph, **driver);
  std::vector<double> times;
  for (uint32_t round = 0; round <= rounds; ++round) {
    int64_t begin = monotonicNanoseconds();
    RunOutcome outcome = executor.run();
    int64_t end = monotonicNanoseconds();
    if (!outcome.status)
      return fail(outcome.status);
    // The first round warms the caches.
    if (round > 0)
      times.push_back(static_cast<double>(end - begin) / size);
  }
  std::printf("operations: %u, two random predecessors each; median of %u\n",
              size, rounds);
  std::printf("turnip (cuda driver): %.2f us per operation\n",
              median(times) / 1000);
  return 0;
}

/// Reads argument \p index as a number from 1 to 10^7, or gives \p fallback.
static uint32_t numberArgument(int argc, char **argv, int index,
                               uint32_t fallback) {
  if (argc <= index)
    return fallback;
  char *end = nullptr;
  unsigned long value = std::strtoul(argv[index], &end, 10);
  if (*end != '\0' || value < 1 || value > 10000000) {
    std::fprintf(stderr, "usage: %s [--device=cuda] [vertices [rounds]]\n",
                 argv[0]);
    std::exit(2);
  }
  return static_cast<uint32_t>(value);
}

int main(int argc, char **argv) {
  const bool cuda = argc > 1 && std::strcmp(argv[1], "--device=cuda") == 0;
  if (cuda) {
    --argc;
    ++argv;
  }
  const uint32_t size = numberArgument(argc, argv, 1, 100000);
  const uint32_t rounds = numberArgument(argc, argv, 2, 15);
  if (cuda)
    return runOnCuda(size, rounds);

  Predecessors predecessors = drawGraph(size);
  ExecutableGraph graph = makeGraph(predecessors);
  std::unique_ptr<Driver> driver = createNullDriver();
  MachineDescription machine;
  machine.engines.resize(graph.numEngines);
  Status opened = driver->open(machine);
  if (!opened)
    return fail(opened);
  Executor executor(graph, *driver);
#ifdef TURNIP_HAVE_TBB
  TbbGraph tbb(predecessors);
#endif

  std::vector<double> turnipTimes;
  std::vector<double> tbbTimes;
  for (uint32_t round = 0; round <= rounds; ++round) {
    int64_t begin = monotonicNanoseconds();
    RunOutcome outcome = executor.run();
    int64_t middle = monotonicNanoseconds();
    if (!outcome.status)
      return fail(outcome.status);
#ifdef TURNIP_HAVE_TBB
    tbb.run();
#endif
    int64_t end = monotonicNanoseconds();
    // The first round warms the caches.
    if (round == 0)
      continue;
    turnipTimes.push_back(static_cast<double>(middle - begin) / size);
    tbbTimes.push_back(static_cast<double>(end - middle) / size);
  }

  double turnipTime = median(turnipTimes);
  std::printf("operations: %u, two random predecessors each; median of %u\n",
              size, rounds);
  std::printf("turnip (null driver): %.0f ns per operation\n", turnipTime);
#ifdef TURNIP_HAVE_TBB
  double tbbTime = median(tbbTimes);
  std::printf("oneTBB flow graph:    %.0f ns per operation\n", tbbTime);
  std::printf("ratio turnip / oneTBB: %.2f\n", turnipTime / tbbTime);
#else
  std::printf("oneTBB flow graph:    not built with oneTBB\n");
#endif
  return 0;
}
