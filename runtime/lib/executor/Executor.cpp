//===- Executor.cpp - Runs a graph in the order events allow --------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/runtime/Executor.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>

using namespace turnip;
using namespace turnip::runtime;

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

/// Returns the number of predecessors of every vertex.
static std::vector<uint32_t> countPredecessors(const ExecutableGraph &graph) {
  std::vector<uint32_t> counts(graph.size(), 0);
  for (uint32_t successor : graph.successors)
    ++counts[successor];
  return counts;
}

/// Returns the vertices in some topological order; fewer than there are if the
/// graph has a cycle.
static std::vector<uint32_t> topologicalOrder(const ExecutableGraph &graph) {
  std::vector<uint32_t> pending = countPredecessors(graph);
  std::vector<uint32_t> order;
  order.reserve(graph.size());
  for (uint32_t v = 0; v < graph.size(); ++v)
    if (pending[v] == 0)
      order.push_back(v);
  for (size_t next = 0; next < order.size(); ++next)
    for (uint32_t successor : graph.successorsOf(order[next]))
      if (--pending[successor] == 0)
        order.push_back(successor);
  return order;
}

Status ExecutableGraph::check() const {
  auto invalid = [](const std::string &message) {
    return Status::error(StatusCode::BadInput, "graph: " + message);
  };
  if (successorBegin.size() != commands.size() + 1)
    return invalid("expected " + std::to_string(commands.size() + 1) +
                   " successor offsets, but got " +
                   std::to_string(successorBegin.size()));
  if (costs.size() != commands.size())
    return invalid("expected " + std::to_string(commands.size()) +
                   " costs, but got " + std::to_string(costs.size()));
  for (uint32_t v = 0; v < size(); ++v) {
    if (commands[v].vertex != v)
      return invalid("command " + std::to_string(v) + " is of vertex " +
                     std::to_string(commands[v].vertex));
    if (commands[v].kind != Command::Kind::Join &&
        commands[v].engine >= numEngines)
      return invalid("vertex " + std::to_string(v) + " runs on engine " +
                     std::to_string(commands[v].engine) + " of " +
                     std::to_string(numEngines));
    if (successorBegin[v] > successorBegin[v + 1])
      return invalid("successor offsets decrease at vertex " +
                     std::to_string(v));
  }
  if (successorBegin.front() != 0 || successorBegin.back() != successors.size())
    return invalid("successor offsets do not span the successors");
  for (uint32_t successor : successors)
    if (successor >= size())
      return invalid("successor " + std::to_string(successor) + " of " +
                     std::to_string(size()) + " vertices");
  size_t reached = topologicalOrder(*this).size();
  if (reached != size())
    return invalid("cycle: only " + std::to_string(reached) + " of " +
                   std::to_string(size()) + " vertices can ever start");
  return Status::ok();
}

std::vector<double>
turnip::runtime::bottomLevels(const ExecutableGraph &graph) {
  std::vector<double> levels(graph.size(), 0);
  std::vector<uint32_t> order = topologicalOrder(graph);
  for (size_t i = order.size(); i-- > 0;) {
    uint32_t v = order[i];
    for (uint32_t successor : graph.successorsOf(v))
      levels[v] = std::max(levels[v], levels[successor]);
    levels[v] += graph.costs[v];
  }
  return levels;
}

//===----------------------------------------------------------------------===//
// Setting up
//===----------------------------------------------------------------------===//

Executor::Executor(const ExecutableGraph &graph, Driver &driver)
    : graph(graph), driver(driver), predecessorCount(countPredecessors(graph)),
      deviceWaits(driver.properties().deviceWaits) {
  uint32_t size = graph.size();
  for (uint32_t v = 0; v < size; ++v) {
    if (predecessorCount[v] == 0)
      sources.push_back(v);
    numJoins += graph.commands[v].kind == Command::Kind::Join;
  }
  readyJoins.reserve(numJoins);
  engines.resize(graph.numEngines);
  for (uint32_t e = 0; e < graph.numEngines; ++e)
    engines[e].depth = std::max<uint32_t>(1, driver.queueDepth(e));
  rankOf.resize(size);
  pending.resize(size);
  toSubmit.reserve(size);
  batch.reserve(size);
  inbox.reserve(size);
  runRecord.starts.resize(size);
  runRecord.ends.resize(size);
  runRecord.dispatchOrder.reserve(size);
  runRecord.completionOrder.reserve(size);
  if (deviceWaits)
    findPredecessors();
  rankVertices(bottomLevels(graph));
}

void Executor::findPredecessors() {
  predecessorBegin.assign(graph.size() + 1, 0);
  for (uint32_t v = 0; v < graph.size(); ++v)
    predecessorBegin[v + 1] = predecessorBegin[v] + predecessorCount[v];
  predecessors.resize(graph.successors.size());
  std::vector<uint32_t> next(predecessorBegin.begin(),
                             predecessorBegin.end() - 1);
  for (uint32_t v = 0; v < graph.size(); ++v)
    for (uint32_t successor : graph.successorsOf(v))
      predecessors[next[successor]++] = v;
  blockers.resize(graph.size());
  stages.resize(graph.size());
  isHeldUp.resize(graph.size());
  // No command waits for more than what is in flight.
  uint32_t mostWaits = 0;
  for (const Engine &engine : engines)
    mostWaits += engine.depth;
  waits.reserve(mostWaits + 1);
  joinsToLookBehind.reserve(numJoins + 1);
  lookedBehindBy.resize(graph.size());
  findWaitGroups();
}

void Executor::findWaitGroups() {
  groupOf.assign(graph.size(), Driver::noWaitGroup);
  const bool acrossEngines = driver.properties().waitsAcrossEngines;
  for (uint32_t v : topologicalOrder(graph)) {
    if (graph.commands[v].kind != Command::Kind::Join) {
      groupOf[v] = driver.waitGroup(graph.commands[v]);
      continue;
    }
    const uint32_t first = predecessorBegin[v], last = predecessorBegin[v + 1];
    if (!acrossEngines || first == last)
      continue;
    uint32_t group = groupOf[predecessors[first]];
    for (uint32_t i = first; i < last; ++i)
      if (groupOf[predecessors[i]] != group)
        group = Driver::noWaitGroup;
    groupOf[v] = group;
  }
}

/// Turns urgencies (the larger the sooner; plan position breaks ties, and
/// decides alone where there are none) into the ranks of the ready queues.
void Executor::rankVertices(const std::vector<double> &urgency) {
  std::vector<uint32_t> order(graph.size());
  std::iota(order.begin(), order.end(), 0);
  if (!urgency.empty())
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return urgency[a] != urgency[b] ? urgency[a] > urgency[b] : a < b;
    });
  for (Engine &engine : engines)
    engine.vertexOfRank.clear();
  for (uint32_t v : order) {
    if (graph.commands[v].kind == Command::Kind::Join)
      continue;
    Engine &engine = engines[graph.commands[v].engine];
    rankOf[v] = static_cast<uint32_t>(engine.vertexOfRank.size());
    engine.vertexOfRank.push_back(v);
  }
  for (Engine &engine : engines) {
    engine.ready.reset(static_cast<uint32_t>(engine.vertexOfRank.size()));
    engine.behind.reset(static_cast<uint32_t>(engine.vertexOfRank.size()));
  }
}

/// Marks \p vertex done in \p pending, and every join that this completes.
static void retire(const ExecutableGraph &graph, uint32_t vertex,
                   std::vector<uint32_t> &pending) {
  std::vector<uint32_t> done = {vertex};
  while (!done.empty()) {
    uint32_t v = done.back();
    done.pop_back();
    for (uint32_t successor : graph.successorsOf(v))
      if (--pending[successor] == 0 &&
          graph.commands[successor].kind == Command::Kind::Join)
        done.push_back(successor);
  }
}

/// Checks that \p order visits every vertex but joins once, after its
/// predecessors.
static Status checkOrder(const ExecutableGraph &graph,
                         std::vector<uint32_t> pending,
                         const std::vector<uint32_t> &order,
                         uint32_t expectedSize) {
  auto invalid = [](const std::string &message) {
    return Status::error(StatusCode::BadInput, "dispatch order: " + message);
  };
  if (order.size() != expectedSize)
    return invalid("expected " + std::to_string(expectedSize) +
                   " operations, but got " + std::to_string(order.size()));
  std::vector<bool> seen(graph.size(), false);
  std::vector<uint32_t> counts = pending;
  for (uint32_t v = 0; v < graph.size(); ++v) {
    seen[v] = graph.commands[v].kind == Command::Kind::Join;
    if (seen[v] && counts[v] == 0)
      retire(graph, v, pending);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    uint32_t v = order[i];
    std::string where =
        "position " + std::to_string(i) + ": operation " + std::to_string(v);
    if (v >= graph.size())
      return invalid(where + " is not one of " + std::to_string(graph.size()));
    if (seen[v])
      return invalid(where + " is a join or occurs twice");
    if (pending[v] != 0)
      return invalid(where + " comes before something it depends on");
    seen[v] = true;
    retire(graph, v, pending);
  }
  return Status::ok();
}

Status Executor::setSchedule(const Schedule &schedule) {
  switch (schedule.policy) {
  case Schedule::Policy::Dynamic:
    rankVertices(bottomLevels(graph));
    break;
  case Schedule::Policy::Fixed:
    rankVertices({});
    break;
  case Schedule::Policy::Random: {
    std::mt19937_64 generator(schedule.seed);
    std::vector<double> urgency(graph.size());
    for (double &value : urgency)
      value = static_cast<double>(generator() >> 11);
    rankVertices(urgency);
    break;
  }
  case Schedule::Policy::Replay:
    TURNIP_RETURN_IF_ERROR(checkOrder(graph, predecessorCount, schedule.order,
                                      graph.size() - numJoins));
    rankVertices({});
    replayOrder = schedule.order;
    break;
  }
  policy = schedule.policy;
  return Status::ok();
}

void Executor::prepareRun() {
  std::copy(predecessorCount.begin(), predecessorCount.end(), pending.begin());
  for (Engine &engine : engines) {
    // A run that was stopped leaves ready operations behind.
    while (!engine.ready.empty())
      engine.ready.erase(engine.ready.min());
    while (!engine.behind.empty())
      engine.behind.erase(engine.behind.min());
    engine.inFlight = 0;
    engine.dispatched = 0;
    engine.heldUp = 0;
  }
  if (deviceWaits) {
    std::fill(isHeldUp.begin(), isHeldUp.end(), false);
    std::copy(predecessorCount.begin(), predecessorCount.end(),
              blockers.begin());
    std::fill(stages.begin(), stages.end(), Stage::Waiting);
  }
  runRecord.dispatchOrder.clear();
  runRecord.completionOrder.clear();
  totalInFlight = 0;
  stopped = false;
  failedVertex.reset();
  failure = nullptr;
  over = false;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// A stop is noticed when something completes. Where that may take long, the
/// driver is told.
void Executor::waitUntilOver() {
  constexpr std::chrono::milliseconds patience(50);
  const bool threaded = driver.properties().threaded;
  bool hurried = false;
  std::unique_lock<std::mutex> lock(mutex);
  while (!over) {
    if (threaded && (hurried || !shouldStop())) {
      overCondition.wait_for(lock, patience);
      continue;
    }
    lock.unlock();
    if (threaded)
      driver.hurry();
    else
      driver.pump();
    hurried = true;
    lock.lock();
  }
}

RunOutcome Executor::run() {
  prepareRun();
  Status started = driver.start(*this);
  if (!started)
    return {started, std::nullopt};
  runRecord.begin = driver.now();
  for (uint32_t v : sources)
    makeReady(v);
  completeJoins(runRecord.begin);
  deliver(nullptr, 0);

  waitUntilOver();
  driver.finish();
  runRecord.end = runRecord.begin;
  for (uint32_t v : runRecord.completionOrder)
    runRecord.end = std::max(runRecord.end, runRecord.ends[v]);
  return {finalStatus(), failedVertex};
}

Status Executor::finalStatus() const {
  if (failure)
    return Status::error(StatusCode::Device, failure);
  size_t done = runRecord.completionOrder.size();
  if (done == graph.size())
    return Status::ok();
  std::string progress = std::to_string(done) + " of " +
                         std::to_string(graph.size()) + " operations done";
  if (stopped)
    return Status::error(StatusCode::Cancelled, "stopped with " + progress);
  return Status::error(StatusCode::Internal,
                       "nothing can start with " + progress);
}

void Executor::deliver(const Event *events, size_t count) {
  std::unique_lock<std::mutex> lock(mutex);
  inbox.insert(inbox.end(), events, events + count);
  if (occupied)
    return;
  occupied = true;
  do {
    processInbox(lock);
  } while (!inbox.empty());
  occupied = false;
  // Nothing in flight, and nothing was dispatched: nothing ever will be.
  if (totalInFlight == 0) {
    over = true;
    // Notify with the lock held: the executor may go away once it is released.
    overCondition.notify_all();
  }
}

/// Takes what is in the inbox and acts on it; \p lock is held on entry and on
/// exit, but not while working.
void Executor::processInbox(std::unique_lock<std::mutex> &lock) {
  batch.swap(inbox);
  lock.unlock();
  for (const Event &event : batch)
    absorb(event);
  batch.clear();
  if (shouldStop())
    stopped = true;
  if (!stopped) {
    if (policy == Schedule::Policy::Replay)
      dispatchReplay();
    else
      dispatchReady();
    flushSubmissions();
  }
  lock.lock();
}

void Executor::flushSubmissions() {
  if (toSubmit.empty())
    return;
  driver.submit(toSubmit.data(), toSubmit.size());
  toSubmit.clear();
}

bool Executor::shouldStop() const {
  return stopRequested.load(std::memory_order_relaxed) ||
         (stopFlag && stopFlag->load(std::memory_order_relaxed));
}

void Executor::absorb(const Event &event) {
  uint32_t v = event.vertex;
  runRecord.starts[v] = event.start;
  runRecord.ends[v] = event.end;
  --engines[graph.commands[v].engine].inFlight;
  --totalInFlight;
  if (event.error && !failure) {
    failure = event.error;
    failedVertex = v;
    stopped = true;
  }
  if (deviceWaits)
    stages[v] = Stage::Done;
  complete(v);
  completeJoins(event.end);
}

/// Counts \p vertex as done for its successors.
void Executor::complete(uint32_t vertex) {
  runRecord.completionOrder.push_back(vertex);
  for (uint32_t successor : graph.successorsOf(vertex)) {
    const bool ready = --pending[successor] == 0;
    if (deviceWaits && !sharesGroup(vertex, successor))
      unblock(successor);
    if (ready)
      makeReady(successor);
  }
}

/// True if \p successor may be submitted behind \p vertex.
bool Executor::sharesGroup(uint32_t vertex, uint32_t successor) const {
  return groupOf[vertex] == groupOf[successor] &&
         groupOf[vertex] != Driver::noWaitGroup;
}

/// Counts a predecessor of \p vertex as done, or as submitted to its group.
void Executor::unblock(uint32_t vertex) {
  const Command &command = graph.commands[vertex];
  if (--blockers[vertex] != 0 || pending[vertex] == 0)
    return;
  if (command.kind != Command::Kind::Join) {
    stages[vertex] = Stage::Behind;
    engines[command.engine].behind.insert(rankOf[vertex]);
  } else if (groupOf[vertex] != Driver::noWaitGroup) {
    stages[vertex] = Stage::Issued;
    unblockSuccessors(vertex);
  }
}

/// \p vertex was issued. Joins may stand behind joins, but rarely do.
void Executor::unblockSuccessors(uint32_t vertex) {
  for (uint32_t successor : graph.successorsOf(vertex))
    if (sharesGroup(vertex, successor))
      unblock(successor);
}

void Executor::completeJoins(int64_t time) {
  while (!readyJoins.empty()) {
    uint32_t join = readyJoins.back();
    readyJoins.pop_back();
    runRecord.starts[join] = runRecord.ends[join] = time;
    if (deviceWaits)
      stages[join] = Stage::Done;
    complete(join);
  }
}

void Executor::makeReady(uint32_t vertex) {
  const Command &command = graph.commands[vertex];
  if (command.kind == Command::Kind::Join) {
    readyJoins.push_back(vertex);
    return;
  }
  Engine &engine = engines[command.engine];
  if (deviceWaits) {
    if (isHeldUp[vertex]) {
      isHeldUp[vertex] = false;
      --engine.heldUp;
    }
    if (stages[vertex] == Stage::Issued || stages[vertex] == Stage::Done)
      return;
    if (stages[vertex] == Stage::Behind)
      engine.behind.erase(rankOf[vertex]);
    stages[vertex] = Stage::Waiting;
  }
  engine.ready.insert(rankOf[vertex]);
}

/// Counts \p vertex as dispatched.
void Executor::note(Engine &engine, uint32_t vertex) {
  ++engine.inFlight;
  ++engine.dispatched;
  ++totalInFlight;
  runRecord.dispatchOrder.push_back(vertex);
  if (!deviceWaits)
    return;
  stages[vertex] = Stage::Issued;
  unblockSuccessors(vertex);
}

void Executor::issue(Engine &engine, uint32_t vertex) {
  engine.ready.erase(rankOf[vertex]);
  note(engine, vertex);
  toSubmit.push_back(&graph.commands[vertex]);
}

/// Finds the commands that \p vertex would be submitted behind: its unfinished
/// predecessors, and those of joins among them.
void Executor::findWaits(uint32_t vertex) {
  waits.clear();
  ++searches;
  joinsToLookBehind.push_back(vertex);
  while (!joinsToLookBehind.empty()) {
    uint32_t v = joinsToLookBehind.back();
    joinsToLookBehind.pop_back();
    for (uint32_t i = predecessorBegin[v]; i < predecessorBegin[v + 1]; ++i) {
      uint32_t p = predecessors[i];
      if (stages[p] != Stage::Issued)
        continue;
      if (graph.commands[p].kind == Command::Kind::Join) {
        if (lookedBehindBy[p] != searches)
          joinsToLookBehind.push_back(p);
        lookedBehindBy[p] = searches;
      } else if (std::find(waits.begin(), waits.end(), p) == waits.end())
        waits.push_back(p);
    }
  }
}

/// Submits \p vertex behind its unfinished predecessors, which findWaits() has
/// found and all of which are submitted.
void Executor::issueBehind(Engine &engine, uint32_t vertex) {
  engine.behind.erase(rankOf[vertex]);
  const uint16_t own = graph.commands[vertex].engine;
  if (std::any_of(waits.begin(), waits.end(), [&](uint32_t v) {
        return graph.commands[v].engine != own;
      })) {
    isHeldUp[vertex] = true;
    ++engine.heldUp;
  }
  note(engine, vertex);
  // What it waits for must be there first.
  flushSubmissions();
  driver.submitBehind(graph.commands[vertex], waits.data(), waits.size());
}

/// With Fixed, only the next operation of the plan may go.
bool Executor::mayDispatch(const Engine &engine, uint32_t rank) const {
  return policy != Schedule::Policy::Fixed || rank == engine.dispatched;
}

/// Issues what goes to \p engine now; false if nothing did.
bool Executor::dispatchReady(Engine &engine) {
  bool progress = false;
  while (engine.inFlight < engine.depth) {
    if (!engine.ready.empty() && mayDispatch(engine, engine.ready.min())) {
      issue(engine, engine.vertexOfRank[engine.ready.min()]);
    } else if (!engine.behind.empty() && engine.heldUp == 0 &&
               mayDispatch(engine, engine.behind.min())) {
      uint32_t vertex = engine.vertexOfRank[engine.behind.min()];
      findWaits(vertex);
      issueBehind(engine, vertex);
    } else {
      break;
    }
    progress = true;
  }
  return progress;
}

void Executor::dispatchReady() {
  // What goes to one engine may let something go to another one behind it.
  bool again = false;
  do {
    again = false;
    for (Engine &engine : engines)
      again |= dispatchReady(engine);
  } while (again && deviceWaits);
}

void Executor::dispatchReplay() {
  while (runRecord.dispatchOrder.size() < replayOrder.size()) {
    uint32_t v = replayOrder[runRecord.dispatchOrder.size()];
    Engine &engine = engines[graph.commands[v].engine];
    if (engine.inFlight >= engine.depth)
      break;
    if (pending[v] == 0) {
      issue(engine, v);
    } else if (deviceWaits && stages[v] == Stage::Behind) {
      findWaits(v);
      issueBehind(engine, v);
    } else {
      break;
    }
  }
}
