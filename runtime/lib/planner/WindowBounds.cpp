//===- WindowBounds.cpp - What cannot overlap for lack of memory ----------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/planner-evaluation.md states and proves what is computed here.
//
//===----------------------------------------------------------------------===//

#include "WindowBounds.h"
#include "Recompute.h"

#include <algorithm>
#include <limits>

using namespace turnip;
using namespace turnip::planner;

/// The link that brings what lies at \p source to \p destination, or None.
static double bytesPerSecond(const WorkGraph &graph, uint32_t source,
                             uint32_t destination) {
  uint32_t link = graph.machine.link(source, destination);
  return link == None ? 0 : graph.problem.links[link].bytesPerSecond;
}

std::vector<double> planner::secondsOfFullMemories(const WorkGraph &graph) {
  const Problem &problem = graph.problem;
  std::vector<double> seconds(graph.numEngines(), 0);
  for (uint32_t to = 0; to < problem.memories.size(); ++to) {
    if (problem.memories[to].kind != MemoryKind::Device)
      continue;
    // Each engine by its slowest link here: what is there came over that one.
    std::vector<double> most(graph.numEngines(), 0);
    double capacity = static_cast<double>(problem.memories[to].capacity);
    for (uint32_t from = 0; from < problem.memories.size(); ++from) {
      uint32_t engine = graph.machine.copyEngine(from, to);
      double speed = bytesPerSecond(graph, from, to);
      if (engine != None && speed > 0)
        most[engine] = std::max(most[engine], capacity / speed);
    }
    for (uint32_t engine = 0; engine < seconds.size(); ++engine)
      seconds[engine] += most[engine];
  }
  return seconds;
}

namespace {
/// Copies of which some have to happen within a window.
class Copies {
public:
  Copies(const WorkGraph &graph, uint32_t memory)
      : graph(graph),
        capacity(static_cast<double>(graph.problem.memories[memory].capacity)) {
  }

  /// One of them. The fastest way and the largest tile decide.
  void add(uint32_t source, uint32_t destination, uint64_t bytes) {
    speed = std::max(speed, bytesPerSecond(graph, source, destination));
    latency =
        std::min(latency, graph.machine.copySeconds(source, destination, 0));
    largest = std::max(largest, static_cast<double>(bytes));
  }
  /// Seconds to copy what of \p bytes the memory does not hold; one copy may
  /// be under way when the window begins.
  double secondsBeyondCapacity(double bytes) const {
    double excess = bytes - capacity;
    if (excess <= 0 || speed == 0)
      return 0;
    return excess / speed + latency * std::max(0.0, excess / largest - 1);
  }

private:
  const WorkGraph &graph;
  double capacity;
  double speed = 0, largest = 1;
  double latency = std::numeric_limits<double>::infinity();
};
} // namespace

namespace {
/// Sums over the windows [i, j] of a chain, i < j, from pieces that belong to
/// every window that begins at or before one moment and ends at or after
/// another.
class WindowSums {
public:
  explicit WindowSums(uint32_t moments = 0)
      : moments(moments), sums(size_t(moments) * moments, 0) {}
  double &at(uint32_t i, uint32_t j) { return sums[size_t(i) * moments + j]; }
  /// Adds what at() holds of the windows inside each window.
  void accumulate(bool begins, bool ends) {
    if (begins)
      for (uint32_t i = moments; i-- > 1;)
        for (uint32_t j = 0; j < moments; ++j)
          at(i - 1, j) += at(i, j);
    if (ends)
      for (uint32_t i = 0; i < moments; ++i)
        for (uint32_t j = 1; j < moments; ++j)
          at(i, j) += at(i, j - 1);
  }

private:
  uint32_t moments;
  std::vector<double> sums;
};

/// Moment 0 is the beginning, moment k the end of the k-th task of the chain,
/// the last moment the end of everything.
class Windows {
public:
  Windows(const WorkGraph &graph, const std::vector<double> &start,
          const std::vector<double> &tail, const MakespanOptions &options)
      : graph(graph), start(start), tail(tail) {
    if (options.repeats)
      repeats = tasksToRepeat(graph.problem);
    followLongestPath();
    locate();
    thinOut(options.pivots);
    locate();
  }
  double run();

private:
  void followLongestPath();
  void thinOut(uint32_t pivots);
  void locate();
  void addWork();
  void addLoads(uint32_t memory);
  void addWriteBacks(uint32_t memory);
  /// Whether a plan may compute \p tile again instead of keeping it.
  bool isFree(uint32_t tile) const {
    return !repeats.empty() && repeats[tile] != None;
  }
  void raise(uint32_t i, uint32_t j, double seconds) {
    length.at(i, j) = std::max(length.at(i, j), seconds);
  }

  const WorkGraph &graph;
  const std::vector<double> &start, &tail;
  std::vector<uint32_t> repeats;
  std::vector<uint32_t> chain;
  uint32_t moments = 0;
  /// Per task: the last moment that it cannot start before, and the first that
  /// it cannot end after.
  std::vector<uint32_t> from, to;
  WindowSums length;
};
} // namespace

/// Makes the chain a path with the longest way through it.
void Windows::followLongestPath() {
  uint32_t at = None;
  double most = -1;
  for (uint32_t task = 0; task < graph.numTasks(); ++task) {
    double through = start[task] + graph.seconds[task] + tail[task];
    if (graph.before(task).empty() && through > most) {
      most = through;
      at = task;
    }
  }
  while (at != None) {
    chain.push_back(at);
    uint32_t next = None;
    most = -1;
    for (uint32_t other : graph.after(at))
      if (graph.seconds[other] + tail[other] > most) {
        most = graph.seconds[other] + tail[other];
        next = other;
      }
    at = next;
  }
}

/// Keeps one task of each stretch of the chain: the one with the fewest tasks
/// that may run before as well as after it.
void Windows::thinOut(uint32_t pivots) {
  std::vector<uint32_t> before(moments, 0), after(moments, 0);
  for (uint32_t task = 0; task < graph.numTasks(); ++task) {
    ++before[to[task]];
    ++after[from[task]];
  }
  for (uint32_t k = 1; k < moments; ++k)
    before[k] += before[k - 1];
  for (uint32_t k = moments - 1; k-- > 0;)
    after[k] += after[k + 1];
  size_t count = std::min<size_t>(pivots, chain.size());
  std::vector<uint32_t> kept;
  for (size_t i = 0; i < count; ++i) {
    size_t best = i * chain.size() / count;
    for (size_t k = best; k < (i + 1) * chain.size() / count; ++k)
      if (before[k + 1] + after[k + 1] > before[best + 1] + after[best + 1])
        best = k;
    kept.push_back(chain[best]);
  }
  chain = std::move(kept);
}

void Windows::locate() {
  moments = static_cast<uint32_t>(chain.size()) + 2;
  from.assign(graph.numTasks(), 0);
  to.assign(graph.numTasks(), moments - 1);
  std::vector<uint32_t> own(graph.numTasks(), 0);
  for (uint32_t k = 0; k < chain.size(); ++k)
    own[chain[k]] = k + 1;
  const std::vector<uint32_t> &sorted = graph.sorted();
  for (uint32_t task : sorted)
    for (uint32_t other : graph.before(task))
      from[task] = std::max({from[task], from[other], own[other]});
  for (size_t i = sorted.size(); i-- > 0;) {
    uint32_t task = sorted[i];
    for (uint32_t other : graph.after(task))
      to[task] = std::min(to[task], to[other]);
    if (own[task] != 0)
      to[task] = std::min(to[task], own[task]);
  }
}

/// Tasks that have to run within a window, and results.
void Windows::addWork() {
  for (uint32_t engine = 0; engine < graph.numEngines(); ++engine) {
    WindowSums sums(moments);
    for (uint32_t task = 0; task < graph.numTasks(); ++task)
      if (graph.engine[task] == engine)
        sums.at(from[task], to[task]) += graph.seconds[task];
    for (const CompulsoryCopy &result : graph.results)
      if (result.engine == engine) {
        uint32_t producer = graph.producer[result.tile];
        // The end of a chain's task is a moment before the copy.
        uint32_t begin = from[producer];
        for (uint32_t k = 0; k < chain.size(); ++k)
          if (chain[k] == producer)
            begin = k + 1;
        sums.at(begin, moments - 1) += result.seconds;
      }
    sums.accumulate(true, true);
    for (uint32_t i = 0; i < moments; ++i)
      for (uint32_t j = i + 1; j < moments; ++j)
        raise(i, j, sums.at(i, j));
  }
}

/// What tasks of a window read of what was there before it: all of it comes in
/// during the window but what the memory can hold at its beginning.
void Windows::addLoads(uint32_t memory) {
  const Problem &problem = graph.problem;
  uint32_t device = graph.machine.deviceOf(memory);
  uint32_t backing = problem.devices[device].backing;
  for (uint32_t engine = 0; engine < graph.numEngines(); ++engine) {
    WindowSums bytes(moments);
    Copies copies(graph, memory);
    std::vector<uint32_t> earliest(moments);
    for (uint32_t id = 0; id < problem.tiles.size(); ++id) {
      const Tile &tile = problem.tiles[id];
      uint32_t source =
          tile.initialMemory == None || tile.initialMemory == memory
              ? backing
              : tile.initialMemory;
      if (tile.memory != memory || graph.readersOf(id).empty() || isFree(id) ||
          graph.machine.copyEngine(source, memory) != engine)
        continue;
      copies.add(source, memory, tile.bytes);
      // The first end of a reader that cannot start before each moment.
      std::fill(earliest.begin(), earliest.end(), moments);
      for (uint32_t reader : graph.readersOf(id))
        earliest[from[reader]] = std::min(earliest[from[reader]], to[reader]);
      for (uint32_t i = moments - 1; i-- > 0;)
        earliest[i] = std::min(earliest[i], earliest[i + 1]);
      uint32_t begin = graph.producer[id] == None ? 0 : to[graph.producer[id]];
      for (uint32_t i = begin; i < moments; ++i)
        if (earliest[i] < moments)
          bytes.at(i, earliest[i]) += static_cast<double>(tile.bytes);
    }
    bytes.accumulate(false, true);
    for (uint32_t i = 0; i < moments; ++i)
      for (uint32_t j = i + 1; j < moments; ++j)
        raise(i, j, copies.secondsBeyondCapacity(bytes.at(i, j)));
  }
}

/// What tasks of a window produce and later ones read: all of it goes out
/// during the window but what the memory can hold at its end.
void Windows::addWriteBacks(uint32_t memory) {
  const Problem &problem = graph.problem;
  uint32_t device = graph.machine.deviceOf(memory);
  uint32_t backing = problem.devices[device].backing;
  Copies copies(graph, memory);
  WindowSums bytes(moments);
  for (uint32_t id = 0; id < problem.tiles.size(); ++id) {
    const Tile &tile = problem.tiles[id];
    uint32_t producer = graph.producer[id];
    if (tile.memory != memory || producer == None || isFree(id) ||
        problem.tasks[producer].kind != TaskKind::Call)
      continue;
    uint32_t last = 0;
    bool moves = false;
    for (uint32_t reader : graph.readersOf(id)) {
      last = std::max(last, from[reader]);
      moves |= problem.tasks[reader].kind == TaskKind::Transfer;
    }
    if (moves)
      continue;
    copies.add(memory, backing, tile.bytes);
    for (uint32_t j = to[producer]; j <= last; ++j)
      bytes.at(from[producer], j) += static_cast<double>(tile.bytes);
  }
  bytes.accumulate(true, false);
  for (uint32_t i = 0; i < moments; ++i)
    for (uint32_t j = i + 1; j < moments; ++j)
      raise(i, j, copies.secondsBeyondCapacity(bytes.at(i, j)));
}

double Windows::run() {
  length = WindowSums(moments);
  addWork();
  for (const Device &device : graph.problem.devices)
    if (graph.problem.memories[device.memory].kind == MemoryKind::Device) {
      addLoads(device.memory);
      addWriteBacks(device.memory);
    }
  std::vector<double> reached(moments, 0);
  double longest = 0;
  for (uint32_t j = 1; j < moments; ++j) {
    for (uint32_t i = 0; i < j; ++i)
      reached[j] = std::max(reached[j], reached[i] + length.at(i, j));
    if (j + 1 == moments)
      break;
    uint32_t task = chain[j - 1];
    reached[j] = std::max(reached[j], start[task] + graph.seconds[task]);
    longest = std::max(longest, reached[j] + tail[task]);
  }
  return std::max(longest, reached[moments - 1]);
}

double planner::boundWindows(const WorkGraph &graph,
                             const std::vector<double> &start,
                             const std::vector<double> &tail,
                             const MakespanOptions &options) {
  if (graph.numTasks() == 0)
    return 0;
  return Windows(graph, start, tail, options).run();
}
