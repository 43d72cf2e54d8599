//===- Executor.h - Runs a graph in the order events allow ------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The executor is a reactor: completion events go in, commands come out. One
// thread at a time is in it. A driver thread that delivers events while nobody
// is inside becomes that thread; otherwise it leaves its events in the inbox of
// whoever is. So a lane that finishes an operation starts the next one of its
// device without waking a dispatcher, and still every decision is taken in one
// place, one after the other: the dispatch order is well defined, can be
// recorded, and can be replayed.
//
// Commands are submitted when their predecessors are done. To a driver whose
// device can wait they are also submitted behind predecessors that are not,
// where nothing is ready and all of those are submitted and of the same wait
// group (see Driver.h). An engine that waits for another one is held up by it;
// so that this does not keep from it what becomes ready in between, at most one
// command of an engine waits for other engines at a time (but an order that is
// replayed is kept, whatever waits).
//
// A run allocates nothing: every array is sized when the executor is made or
// when the schedule changes.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_RUNTIME_EXECUTOR_H
#define TURNIP_RUNTIME_EXECUTOR_H

#include "turnip/runtime/Driver.h"
#include "turnip/runtime/ReadyQueue.h"
#include "turnip/support/Status.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace turnip::runtime {

/// A graph ready to be executed. Vertices are in plan order.
struct ExecutableGraph {
  /// One per vertex; commands[v].vertex == v.
  std::vector<Command> commands;
  /// Successors of v: successors[successorBegin[v] .. successorBegin[v + 1]).
  std::vector<uint32_t> successorBegin;
  std::vector<uint32_t> successors;
  /// Expected duration of each vertex, any unit; decides what is urgent.
  std::vector<double> costs;
  uint32_t numEngines = 0;

  uint32_t size() const { return static_cast<uint32_t>(commands.size()); }

  /// The successors of one vertex, to iterate over.
  struct SuccessorRange {
    const uint32_t *first;
    const uint32_t *last;
    const uint32_t *begin() const { return first; }
    const uint32_t *end() const { return last; }
  };
  SuccessorRange successorsOf(uint32_t vertex) const {
    return {successors.data() + successorBegin[vertex],
            successors.data() + successorBegin[vertex + 1]};
  }

  /// Checks sizes, indices and that the graph has no cycle.
  Status check() const;
};

/// In which order ready operations are dispatched.
struct Schedule {
  enum class Policy {
    /// The most urgent ready operation first: the one with the longest way to
    /// the end of the graph; plan position breaks ties.
    Dynamic,
    /// Every engine takes its operations in plan order, each only after the one
    /// before it was taken.
    Fixed,
    /// A random order that the seed determines, as far as events allow it.
    Random,
    /// Exactly the given dispatch order (joins are not dispatched).
    Replay,
  };

  Policy policy = Policy::Dynamic;
  uint64_t seed = 0;
  /// Replay: all vertices but joins, in the order of dispatch.
  std::vector<uint32_t> order;

  /// Reads "dynamic", "fixed", "random:SEED" or "replay:FILE".
  static Expected<Schedule> parse(const std::string &text);
};

/// Reads the dispatch order that writeDispatchOrder wrote.
Expected<std::vector<uint32_t>> readDispatchOrder(const std::string &path);

/// Writes \p order to \p path, whole or not at all: one vertex per line.
Status writeDispatchOrder(const std::string &path,
                          const std::vector<uint32_t> &order);

/// What happened in a run. Times are nanoseconds of the driver's clock.
struct RunRecord {
  int64_t begin = 0;
  int64_t end = 0;
  /// Per vertex; meaningful for the vertices in completionOrder.
  std::vector<int64_t> starts;
  std::vector<int64_t> ends;
  /// Without joins.
  std::vector<uint32_t> dispatchOrder;
  /// With joins.
  std::vector<uint32_t> completionOrder;
};

/// How a run ended.
struct RunOutcome {
  Status status;
  /// The operation that failed, where one did.
  std::optional<uint32_t> vertex;
};

/// Runs one graph on one driver, any number of times. Not thread-safe, apart
/// from requestStop().
class Executor final : private EventSink {
public:
  /// Both outlive the executor; the graph passes check(), and the driver is
  /// open.
  Executor(const ExecutableGraph &graph, Driver &driver);

  /// Chooses the schedule of the runs that follow. An order to replay must be a
  /// permutation of the vertices that respects every edge.
  Status setSchedule(const Schedule &schedule);

  /// Runs the graph to its end, or to the first error or request to stop; then
  /// dispatches nothing more and waits for what is in flight.
  RunOutcome run();

  /// Stops the run in progress, if any, and every later one. May be called from
  /// any thread.
  void requestStop() { stopRequested.store(true, std::memory_order_relaxed); }
  /// Undoes requestStop().
  void clearStop() { stopRequested.store(false, std::memory_order_relaxed); }

  /// Has runs stop whenever \p flag is true, as requestStop() does: for signal
  /// handlers, which may outlive the executor. The flag outlives both.
  void watchStopFlag(const std::atomic<bool> &flag) { stopFlag = &flag; }

  /// The run that ended last.
  const RunRecord &record() const { return runRecord; }

private:
  /// What the reactor keeps of one engine.
  struct Engine {
    ReadyQueue ready;
    /// Those that could be submitted behind unfinished predecessors.
    ReadyQueue behind;
    /// Vertex of each rank.
    std::vector<uint32_t> vertexOfRank;
    uint32_t depth = 1;
    uint32_t inFlight = 0;
    /// Of those, how many were submitted behind unfinished commands of other
    /// engines and still wait for them.
    uint32_t heldUp = 0;
    /// Ranks dispatched so far: with Fixed, the next one to dispatch.
    uint32_t dispatched = 0;
  };

  void deliver(const Event *events, size_t count) override;
  void prepareRun();
  void findPredecessors();
  void rankVertices(const std::vector<double> &urgency);
  void processInbox(std::unique_lock<std::mutex> &lock);
  void absorb(const Event &event);
  void complete(uint32_t vertex);
  void completeJoins(int64_t time);
  void makeReady(uint32_t vertex);
  void dispatchReady();
  bool dispatchReady(Engine &engine);
  void dispatchReplay();
  void note(Engine &engine, uint32_t vertex);
  void flushSubmissions();
  void issueBehind(Engine &engine, uint32_t vertex);
  void unblock(uint32_t vertex);
  void unblockSuccessors(uint32_t vertex);
  void findWaits(uint32_t vertex);
  void findWaitGroups();
  bool sharesGroup(uint32_t vertex, uint32_t successor) const;
  bool mayDispatch(const Engine &engine, uint32_t rank) const;
  bool shouldStop() const;
  void issue(Engine &engine, uint32_t vertex);
  void waitUntilOver();
  Status finalStatus() const;

  const ExecutableGraph &graph;
  Driver &driver;
  Schedule::Policy policy = Schedule::Policy::Dynamic;
  std::vector<uint32_t> predecessorCount;
  std::vector<uint32_t> sources;
  std::vector<uint32_t> rankOf;
  std::vector<uint32_t> replayOrder;
  uint32_t numJoins = 0;
  /// With device-side waits: the predecessors of v are
  /// predecessors[predecessorBegin[v] .. predecessorBegin[v + 1]).
  const bool deviceWaits;
  std::vector<uint32_t> predecessorBegin;
  std::vector<uint32_t> predecessors;
  /// See Driver::waitGroup(). A join has a group if all of its predecessors
  /// have that, and wait groups reach across engines.
  std::vector<uint32_t> groupOf;
  std::atomic<bool> stopRequested{false};
  const std::atomic<bool> *stopFlag = nullptr;

  /// Touched only by the thread that is inside the reactor.
  std::vector<Engine> engines;
  std::vector<uint32_t> pending;
  /// With device-side waits: predecessors that are neither done nor submitted
  /// to the vertex's own group, and what became of the vertex. A join is issued
  /// when its predecessors are done or issued.
  enum class Stage : uint8_t { Waiting, Behind, Issued, Done };
  std::vector<uint32_t> blockers;
  std::vector<Stage> stages;
  /// Issued, and counted by its engine as held up.
  std::vector<bool> isHeldUp;
  /// What findWaits() found, and the joins that it is still to look behind.
  std::vector<uint32_t> waits;
  std::vector<uint32_t> joinsToLookBehind;
  /// The search that looked behind a join last; searches are counted from 1.
  std::vector<uint64_t> lookedBehindBy;
  uint64_t searches = 0;
  std::vector<uint32_t> readyJoins;
  std::vector<const Command *> toSubmit;
  std::vector<Event> batch;
  RunRecord runRecord;
  uint32_t totalInFlight = 0;
  bool stopped = false;
  std::optional<uint32_t> failedVertex;
  const char *failure = nullptr;

  /// Guards the fields below.
  std::mutex mutex;
  std::condition_variable overCondition;
  std::vector<Event> inbox;
  bool occupied = false;
  bool over = false;
};

/// The length of the longest path from each vertex to the end of the graph, its
/// own cost included.
std::vector<double> bottomLevels(const ExecutableGraph &graph);

} // namespace turnip::runtime

#endif // TURNIP_RUNTIME_EXECUTOR_H
