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
//===----------------------------------------------------------------------===//

#include "turnip/runtime/Clock.h"
#include "turnip/runtime/Drivers.h"
#include "turnip/runtime/Executor.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
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

/// Reads argument \p index as a number from 1 to 10^7, or gives \p fallback.
static uint32_t numberArgument(int argc, char **argv, int index,
                               uint32_t fallback) {
  if (argc <= index)
    return fallback;
  char *end = nullptr;
  unsigned long value = std::strtoul(argv[index], &end, 10);
  if (*end != '\0' || value < 1 || value > 10000000) {
    std::fprintf(stderr, "usage: %s [vertices [rounds]]\n", argv[0]);
    std::exit(2);
  }
  return static_cast<uint32_t>(value);
}

int main(int argc, char **argv) {
  const uint32_t size = numberArgument(argc, argv, 1, 100000);
  const uint32_t rounds = numberArgument(argc, argv, 2, 15);

  Predecessors predecessors = drawGraph(size);
  ExecutableGraph graph = makeGraph(predecessors);
  std::unique_ptr<Driver> driver = createNullDriver();
  MachineDescription machine;
  machine.engines.resize(graph.numEngines);
  Status opened = driver->open(machine);
  if (!opened) {
    std::fprintf(stderr, "error: %s\n", opened.message().c_str());
    return exitCode(opened.code());
  }
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
    if (!outcome.status) {
      std::fprintf(stderr, "error: %s\n", outcome.status.message().c_str());
      return exitCode(outcome.status.code());
    }
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
