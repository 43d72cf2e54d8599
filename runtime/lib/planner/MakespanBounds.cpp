//===- MakespanBounds.cpp - Seconds that no run can save ------------------===//
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
#include "turnip/planner/Bounds.h"

#include <algorithm>
#include <map>
#include <queue>

using namespace turnip;
using namespace turnip::planner;

double MakespanBounds::best() const {
  return std::max({compute, channels, criticalPath, sequence, windows});
}

namespace {
/// Something an engine has to do: not before \p release, for \p seconds, and
/// \p tail seconds before the end of everything.
struct Job {
  double release = 0;
  double seconds = 0;
  double tail = 0;
};

/// Earliest starts and shortest ways to the end of all tasks.
class TaskTimes {
public:
  explicit TaskTimes(const WorkGraph &graph)
      : graph(graph), start(graph.numTasks(), 0), tail(graph.numTasks(), 0) {}

  /// Paths only, or on top of \p start and \p tail as they are.
  void followPaths();
  /// Lets a task start after all that has to be done before it, and end before
  /// all that has to be done after it.
  void addClosures();
  /// The longest of all tasks' starts, durations and tails.
  double longest() const;

  const WorkGraph &graph;
  std::vector<double> start, tail;
};

/// Sets of pieces of work before or after each task, a few hundred pieces at a
/// time, summed up per engine.
class Closure {
public:
  static constexpr uint32_t words = 16, bits = words * 64;

  Closure(const WorkGraph &graph, bool forward) : graph(graph) {
    order = graph.sorted();
    if (!forward)
      std::reverse(order.begin(), order.end());
    isForward = forward;
  }
  /// One piece of work: seen by \p task and what comes behind it or, if
  /// \p beyond, only by what comes behind it.
  void add(uint32_t task, uint32_t engine, double weight, bool beyond);
  /// The work that several tasks bring with them is one piece.
  void begin(uint32_t engine, double weight);
  void addTask(uint32_t task, bool beyond);
  /// Calls \p visit(task, sum) per task and engine.
  template <typename Visit> void forEachSum(Visit visit);

private:
  struct Source {
    uint32_t task;
    uint32_t piece;
    bool beyond;
  };
  template <typename Visit>
  void sumUp(uint32_t first, uint32_t last, Visit visit);

  const WorkGraph &graph;
  bool isForward = true;
  std::vector<uint32_t> order;
  std::vector<double> weights;
  std::vector<uint32_t> engines;
  std::vector<Source> sources;
};
} // namespace

void Closure::begin(uint32_t engine, double weight) {
  weights.push_back(weight);
  engines.push_back(engine);
}

void Closure::addTask(uint32_t task, bool beyond) {
  sources.push_back({task, static_cast<uint32_t>(weights.size() - 1), beyond});
}

void Closure::add(uint32_t task, uint32_t engine, double weight, bool beyond) {
  begin(engine, weight);
  addTask(task, beyond);
}

template <typename Visit> void Closure::forEachSum(Visit visit) {
  // Pieces of one engine side by side.
  std::vector<uint32_t> byEngine(weights.size()), place(weights.size());
  for (uint32_t i = 0; i < byEngine.size(); ++i)
    byEngine[i] = i;
  std::sort(byEngine.begin(), byEngine.end(), [&](uint32_t a, uint32_t b) {
    return std::make_pair(engines[a], a) < std::make_pair(engines[b], b);
  });
  std::vector<double> sorted(weights.size());
  std::vector<uint32_t> begins(graph.numEngines() + 1, 0);
  for (uint32_t i = 0; i < byEngine.size(); ++i) {
    place[byEngine[i]] = i;
    sorted[i] = weights[byEngine[i]];
    ++begins[engines[byEngine[i]] + 1];
  }
  weights = std::move(sorted);
  for (Source &source : sources)
    source.piece = place[source.piece];
  std::sort(sources.begin(), sources.end(),
            [](const Source &a, const Source &b) { return a.piece < b.piece; });
  std::vector<double> sums(graph.numTasks());
  for (uint32_t engine = 0; engine < graph.numEngines(); ++engine) {
    begins[engine + 1] += begins[engine];
    std::fill(sums.begin(), sums.end(), 0);
    for (uint32_t first = begins[engine]; first < begins[engine + 1];
         first += bits)
      sumUp(first, std::min(first + bits, begins[engine + 1]),
            [&](uint32_t task, double sum) { sums[task] += sum; });
    for (uint32_t task = 0; task < graph.numTasks(); ++task)
      visit(task, engine, sums[task]);
  }
}

template <typename Visit>
void Closure::sumUp(uint32_t first, uint32_t last, Visit visit) {
  std::vector<uint64_t> own(size_t(graph.numTasks()) * words, 0), beyond;
  std::vector<double> wordSums(words, 0);
  for (uint32_t piece = first; piece < last; ++piece)
    wordSums[(piece - first) / 64] += weights[piece];
  beyond = own;
  auto source =
      std::lower_bound(sources.begin(), sources.end(), first,
                       [](const Source &a, uint32_t b) { return a.piece < b; });
  for (; source != sources.end() && source->piece < last; ++source) {
    uint32_t bit = source->piece - first;
    std::vector<uint64_t> &set = source->beyond ? beyond : own;
    set[size_t(source->task) * words + bit / 64] |= uint64_t(1) << (bit % 64);
  }
  for (uint32_t task : order) {
    uint64_t *set = &own[size_t(task) * words];
    ArrayView<uint32_t> near =
        isForward ? graph.before(task) : graph.after(task);
    for (uint32_t other : near)
      for (uint32_t word = 0; word < words; ++word)
        set[word] |= beyond[size_t(other) * words + word];
    double sum = 0;
    for (uint32_t word = 0; word < words; ++word) {
      uint64_t &behind = beyond[size_t(task) * words + word];
      behind |= set[word];
      uint32_t size = std::min(last - first - std::min(word * 64, last - first),
                               uint32_t(64));
      uint64_t all = size == 64 ? ~uint64_t(0) : (uint64_t(1) << size) - 1;
      if (set[word] == all) {
        sum += wordSums[word];
        continue;
      }
      for (uint64_t rest = set[word]; rest != 0; rest &= rest - 1)
        sum += weights[first + word * 64 +
                       static_cast<uint32_t>(__builtin_ctzll(rest))];
    }
    visit(task, sum);
  }
}

void TaskTimes::followPaths() {
  const Problem &problem = graph.problem;
  for (uint32_t task : graph.sorted()) {
    for (uint32_t tile : problem.operands(task))
      if (graph.loadOf[tile] != None)
        start[task] =
            std::max(start[task], graph.loads[graph.loadOf[tile]].seconds);
    for (uint32_t other : graph.before(task))
      start[task] = std::max(start[task], start[other] + graph.seconds[other]);
  }
  const std::vector<uint32_t> &sorted = graph.sorted();
  for (size_t i = sorted.size(); i-- > 0;) {
    uint32_t task = sorted[i];
    for (uint32_t tile : problem.results(task))
      if (graph.resultOf[tile] != None)
        tail[task] =
            std::max(tail[task], graph.results[graph.resultOf[tile]].seconds);
    for (uint32_t other : graph.after(task))
      tail[task] = std::max(tail[task], graph.seconds[other] + tail[other]);
  }
}

/// Loads that more than one task needs are one piece of work.
static void addLoads(const WorkGraph &graph, Closure &closure, bool beyond,
                     bool latencies) {
  for (const CompulsoryCopy &load : graph.loads) {
    if (load.engine == None)
      continue;
    const Tile &tile = graph.problem.tiles[load.tile];
    double latency =
        graph.machine.copySeconds(tile.initialMemory, tile.memory, 0);
    closure.begin(load.engine, load.seconds - (latencies ? 0 : latency));
    for (uint32_t reader : graph.readersOf(load.tile))
      closure.addTask(reader, beyond);
  }
}

void TaskTimes::addClosures() {
  Closure ahead(graph, true), behind(graph, false), later(graph, false);
  for (uint32_t task = 0; task < graph.numTasks(); ++task) {
    if (graph.engine[task] == None)
      continue;
    ahead.add(task, graph.engine[task], graph.seconds[task], true);
    behind.add(task, graph.engine[task], graph.seconds[task], true);
  }
  addLoads(graph, ahead, /*beyond=*/false, /*latencies=*/true);
  for (const CompulsoryCopy &result : graph.results)
    if (result.engine != None)
      behind.add(graph.producer[result.tile], result.engine, result.seconds,
                 false);
  ahead.forEachSum([&](uint32_t task, uint32_t, double sum) {
    start[task] = std::max(start[task], sum);
  });
  behind.forEachSum([&](uint32_t task, uint32_t, double sum) {
    tail[task] = std::max(tail[task], sum);
  });
  // What later tasks load, beyond what can be there when a task ends.
  addLoads(graph, later, /*beyond=*/true, /*latencies=*/false);
  std::vector<double> full = secondsOfFullMemories(graph);
  later.forEachSum([&](uint32_t task, uint32_t engine, double sum) {
    tail[task] = std::max(tail[task], sum - full[engine]);
  });
  followPaths();
}

double TaskTimes::longest() const {
  double most = 0;
  for (uint32_t task = 0; task < graph.numTasks(); ++task)
    most = std::max(most, start[task] + graph.seconds[task] + tail[task]);
  return most;
}

//===----------------------------------------------------------------------===//
// One engine at a time
//===----------------------------------------------------------------------===//

/// The earliest end of everything if only this engine did one thing at a time
/// and could interrupt it: the released job with the longest tail first.
static double preemptive(std::vector<Job> jobs) {
  std::sort(jobs.begin(), jobs.end(),
            [](const Job &a, const Job &b) { return a.release < b.release; });
  /// Tail and seconds left.
  std::priority_queue<std::pair<double, double>> open;
  double time = 0, end = 0;
  for (size_t i = 0; i < jobs.size() || !open.empty();) {
    if (open.empty())
      time = std::max(time, jobs[i].release);
    for (; i < jobs.size() && jobs[i].release <= time; ++i)
      open.emplace(jobs[i].tail, jobs[i].seconds);
    auto [tail, left] = open.top();
    open.pop();
    double until = i < jobs.size() ? jobs[i].release : time + left;
    if (time + left <= until) {
      time += left;
      end = std::max(end, time + tail);
      continue;
    }
    open.emplace(tail, left - (until - time));
    time = until;
  }
  return end;
}

static std::vector<std::vector<Job>> makeJobs(const TaskTimes &times) {
  const WorkGraph &graph = times.graph;
  std::vector<std::vector<Job>> jobs(graph.numEngines());
  auto add = [&](uint32_t engine, const Job &job) {
    if (engine != None)
      jobs[engine].push_back(job);
  };
  for (uint32_t task = 0; task < graph.numTasks(); ++task)
    add(graph.engine[task],
        {times.start[task], graph.seconds[task], times.tail[task]});
  for (const CompulsoryCopy &load : graph.loads) {
    double tail = 0;
    for (uint32_t task : graph.readersOf(load.tile))
      tail = std::max(tail, graph.seconds[task] + times.tail[task]);
    add(load.engine, {0, load.seconds, tail});
  }
  for (const CompulsoryCopy &result : graph.results) {
    uint32_t task = graph.producer[result.tile];
    add(result.engine,
        {times.start[task] + graph.seconds[task], result.seconds, 0});
  }
  return jobs;
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

MakespanBounds planner::boundMakespan(const Problem &problem,
                                      const MakespanOptions &options) {
  Machine machine(problem);
  WorkGraph graph(problem, machine, options.deviceOrder);
  MakespanBounds bounds;
  TaskTimes times(graph);
  times.followPaths();
  bounds.criticalPath = times.longest();
  double pieces = 2.0 * graph.numTasks() + 2.0 * graph.loads.size();
  if (pieces * graph.numTasks() <= options.closureLimit)
    times.addClosures();
  bounds.sequence = times.longest();
  std::vector<std::vector<Job>> jobs = makeJobs(times);
  for (uint32_t engine = 0; engine < jobs.size(); ++engine) {
    double busy = 0;
    for (const Job &job : jobs[engine])
      busy += job.seconds;
    double &bound = machine.engines()[engine].device != None ? bounds.compute
                                                             : bounds.channels;
    bound = std::max(bound, busy);
    bounds.sequence =
        std::max(bounds.sequence, preemptive(std::move(jobs[engine])));
  }
  bounds.windows = boundWindows(graph, times.start, times.tail, options);
  return bounds;
}

/// How fast all that is not a device can fill \p memory (or take its bytes).
static double bytesPerSecond(const Problem &problem, uint32_t memory,
                             bool incoming) {
  std::map<uint32_t, double> channels;
  for (const Link &link : problem.links) {
    uint32_t here = incoming ? link.destination : link.source;
    uint32_t there = incoming ? link.source : link.destination;
    double &speed = channels[link.channel];
    if (here == memory && problem.memories[there].kind != MemoryKind::Device)
      speed = std::max(speed, link.bytesPerSecond);
  }
  double sum = 0;
  for (const auto &[channel, speed] : channels)
    sum += speed;
  return sum;
}

double planner::boundMakespanOfOrder(const Problem &problem,
                                     const TrafficBounds &traffic,
                                     const MakespanBounds &anyOrder) {
  double bound = anyOrder.best();
  for (uint32_t memory = 0; memory < problem.memories.size(); ++memory)
    for (bool incoming : {true, false}) {
      double speed = bytesPerSecond(problem, memory, incoming);
      if (speed > 0)
        bound = std::max(
            bound,
            (incoming ? traffic.incoming : traffic.outgoing)[memory] / speed);
    }
  return bound;
}
