//===- Placer.h - Where each tile lies, step by step ------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carries out the tasks in a given order on paper. Every device memory is a
// lane with two cursors: one allocates, the other follows and executes. The
// first runs ahead as far as the distinct tiles between them fit a share of
// the memory, so that loads land in ranges that fell idle long before. What is
// needed farthest in the future makes room; a tile with a valid copy in host
// memory just disappears, another is written back first, once. When even the
// task at hand finds no room, its tiles slide together and the rest leaves.
//
// The result is a list of operations with ranges; edges follow from it
// (Edges.h).
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_PLANNER_PLACER_H
#define TURNIP_LIB_PLANNER_PLACER_H

#include "Arena.h"
#include "Machine.h"

#include <deque>

namespace turnip::planner {

/// How a placer decides.
struct PlacerRules {
  /// Which tiles make room.
  enum class Victims : uint8_t {
    /// The window of neighbours that costs least, near what is needed farthest
    /// in the future.
    Window,
    /// What is needed farthest in the future, until there is room.
    Farthest,
    /// What was used least recently, until there is room.
    LeastRecent,
  };

  /// How far allocation runs ahead: the share of the memory that the distinct
  /// tiles between the cursors may take.
  double horizon = 0.5;
  /// If not None, all lanes share one cursor this many tasks ahead instead.
  uint32_t tasksAhead = None;
  /// Run ahead by layers that take half of the memory instead: while one is
  /// executed, the next is allocated.
  bool layers = false;
  Victims victims = Victims::Window;
  /// What it costs to evict a byte that has to be written back, where dropping
  /// one costs 1.
  double dirtyCost = 2;
  /// How much a next use farther away makes an eviction cheaper: the exponent
  /// of the distance.
  double distanceExponent = 1;
  /// How much dearer it is to evict a tile that was used just now: whatever
  /// takes its range has to wait for that.
  double recentCost = 0;
  /// Allocation that runs ahead only evicts tiles whose next use is farther
  /// beyond it than this share of the way it is ahead.
  double guard = 0;
  /// What it costs to move a byte within the memory so that a range gets large
  /// enough, where evicting the one needed farthest in the future costs 1; 0
  /// never moves for that. In a memory of few pieces tiles also move to where
  /// others are evicted for them.
  double moveCost = 0;
  /// Let results that are allocated ahead take ranges of tiles whose last use
  /// lies between the cursors, and scratch ranges the one of a step before.
  bool inherit = true;
  /// Let results take the place of dying operands.
  bool inPlace = true;
  /// A tile is computed again instead of being written back and loaded where
  /// that takes at most this many times as long; 0 never does.
  double recompute = 0;
  /// Forget the copy in host memory when a tile is loaded, so that evicting it
  /// always writes.
  bool forgetCopies = false;
  /// Take the lowest range that fits instead of the one idle for longest.
  bool firstFit = false;
  /// Loads wait for the step that was executed last when they were planned.
  bool onDemand = false;
  /// If not negative, time decides as well: allocation only runs ahead while
  /// the links to the memory would fall idle before the next step ends, or
  /// this share of the time later that it takes to fill the memory; and of the
  /// ranges that are free in time the tightest is taken.
  double lead = -1;
  /// If time decides, allocation that runs ahead only evicts tiles that are
  /// needed again after at least this many times what bringing them back takes.
  double patience = 0;
};

class Placer {
public:
  /// \p order lists all tasks in an order of data flow; \p values is what
  /// valuesOfTiles() returned. All must outlive the placer.
  Placer(const Problem &problem, const Machine &machine,
         const std::vector<uint32_t> &values,
         const std::vector<uint32_t> &order, const PlacerRules &rules);

  /// Fills in operations, accesses, entry and exit of \p plan, no edges.
  /// Host memories are taken to be unlimited; peak use is in hostPeak().
  /// With \p frugal, host ranges are used again at once, else only a while
  /// after their last use. Errors: InvalidArgument for a link that is missing.
  Status run(Plan &plan, bool frugal);

  /// The bytes used of each memory, from address 0.
  uint64_t peak(uint32_t memory) const;

private:
  /// A copy of a value in host memory, shared by the tiles that hold it.
  struct HostCopy {
    uint32_t memory = None;
    uint64_t offset = 0;
    /// None for a parameter, which is never freed.
    uint32_t segment = None;
    uint32_t references = 0;
    /// When it is written.
    uint64_t ready = 0;
  };

  /// The scratch range of a step.
  struct Workspace {
    uint32_t segment = None;
    /// A later step uses the range, too.
    bool shared = false;
  };

  /// One device memory.
  struct Lane {
    uint32_t memory = None;
    uint32_t backing = None;
    /// Whether the memory holds every tile there ever is at once.
    bool roomy = false;
    /// The tasks that touch the memory, in order; the last, None, stands for
    /// what must lie there at exit.
    std::vector<uint32_t> steps;
    std::vector<uint32_t> exitTiles;
    /// Steps that have all their ranges; steps that were carried out.
    uint32_t allocated = 0, executed = 0;
    /// Progress within the step being allocated.
    uint32_t piece = 0;
    /// Bytes of the distinct tiles of the steps between the cursors.
    uint64_t windowBytes = 0, budget = 0;
    /// Resident tiles outside the window, what is to go first on top; lazily
    /// cleaned.
    std::vector<std::pair<uint32_t, uint32_t>> evictable;
    /// Those that were compared before, in ascending order.
    std::vector<std::pair<uint32_t, uint32_t>> lookedAt;
    /// Steps that the cursor shared by all lanes has passed.
    uint32_t reached = 0;
    /// The end of each layer, and the one that is executed.
    std::vector<uint32_t> layerEnds;
    uint32_t layer = 0;
    /// The operation of the step that was carried out last.
    uint32_t lastOp = None;
    /// Tiles whose last use has been allocated but not carried out, and whose
    /// range no later tile has been given yet, in order of that use.
    std::deque<uint32_t> dying;
    /// Scratch ranges of allocated steps that need one, in order.
    std::deque<Workspace> workspaces;
    /// Engines that bring what tasks load, and the time to fill the memory.
    std::vector<uint32_t> loaders;
    uint64_t fillTime = 0;
    /// What the steps between the cursors take.
    uint64_t windowTime = 0;
    /// When each step would begin if everything took turns and nothing were
    /// ever loaded twice, in seconds.
    std::vector<double> timeAt;
  };

  // Setting up.
  void lanesOf(uint32_t task, std::vector<uint32_t> &result) const;
  template <typename Visit> void forEachUse(Visit visit);
  void listSteps();
  void listUses();
  void reserveOps();
  Status enter();
  Status leave();

  // Allocation.
  uint32_t laneOf(uint32_t tile) const {
    return laneOfMemory[problem.tiles[tile].memory];
  }
  /// Whether a step between the cursors touches \p tile.
  bool inWindow(const Lane &lane, uint32_t tile) const {
    return lastTouch[tile] != None && lastTouch[tile] >= lane.executed;
  }
  uint64_t workspaceIn(const Lane &lane, uint32_t task) const;
  void advance(Lane &lane);
  void advanceTogether();
  bool mayAdvance(const Lane &lane) const;
  void listLayers(Lane &lane);
  bool allocateStep(Lane &lane, bool packed);
  bool allocatePiece(Lane &lane, uint32_t piece, bool packed);
  bool allocateOperand(Lane &lane, uint32_t tile, bool packed);
  bool allocateResult(Lane &lane, uint32_t tile, bool packed);
  uint32_t numPieces(const Lane &lane) const;
  uint64_t newBytes(const Lane &lane) const;
  uint32_t inPlaceOperand(const Lane &lane, uint32_t task,
                          uint32_t result) const;
  uint32_t findRange(Lane &lane, uint64_t bytes, uint32_t owner, bool packed);
  void touch(Lane &lane, uint32_t tile, bool counts = true);
  void listDying(Lane &lane);
  bool inheritRange(Lane &lane, uint32_t tile);
  size_t findDying(const Lane &lane, uint32_t tile) const;
  bool takesOver(const Lane &lane, uint32_t task, uint32_t tile) const;
  /// Whether the last use of \p tile is yet to be carried out and no other
  /// tile gets its range then.
  bool isDying(const Lane &lane, uint32_t tile) const {
    return lastTouch[tile] >= lane.executed && heirOf[tile] == None;
  }
  bool shareWorkspace(Lane &lane, uint64_t bytes);
  /// The range that holds \p tile or will hold it when it is written.
  uint32_t rangeOf(uint32_t tile) const;
  void load(uint32_t tile);

  // Making room.
  struct Window {
    uint32_t first = None, last = None;
    double cost = 0;
  };
  bool evictFor(Lane &lane, uint64_t bytes, Window &window);
  bool findWindow(Lane &lane, uint64_t bytes, Window &window);
  bool clearWindow(Lane &lane, const Window &window);
  bool canMove(const Lane &lane, uint32_t segment) const;
  double costOfMoving(uint32_t tile) const;
  /// A piece of memory that a packing looks at.
  struct Piece {
    uint32_t segment = None;
    enum class Kind : uint8_t { Free, Victim, Movable, Fixed } kind;
    /// What evicting its tile costs, and what moving it does.
    double eviction = 0, move = 0;

    bool moves() const {
      return kind == Kind::Movable || (kind == Kind::Victim && move < eviction);
    }
    double cost() const { return moves() ? move : eviction; }
  };
  /// A window that gets free when some tiles are evicted and others move to
  /// holes elsewhere.
  struct Packing {
    size_t first = 0, last = 0;
    double cost = 0;
    /// Pieces to empty by eviction; tiles, each with the piece that its new
    /// range begins with.
    std::vector<size_t> evicted;
    std::vector<std::pair<uint32_t, size_t>> moved;
  };
  /// What is left of a run of free and evictable pieces, by offsets; \p piece
  /// is the first of them.
  struct Hole {
    uint64_t begin = 0, end = 0;
    size_t piece = 0;
  };
  void listPieces(const Lane &lane);
  bool findPacking(const Lane &lane, uint64_t bytes, double limit,
                   Packing &best);
  void listHoles(const Lane &lane, const Packing &packing);
  bool fillHole(const Lane &lane, uint32_t tile, Packing &packing,
                double limit);
  bool settle(const Lane &lane, Packing &packing, double limit);
  Window carryOut(Lane &lane, const Packing &packing);
  bool evictInOrder(Lane &lane, uint64_t bytes);
  uint64_t runAround(const Lane &lane, uint32_t segment) const;
  uint32_t victimKey(uint32_t tile) const;
  bool popVictim(Lane &lane, std::pair<uint32_t, uint32_t> &entry);
  void bestWindow(const Lane &lane, uint32_t center, uint64_t bytes,
                  Window &best);
  void pushEvictable(Lane &lane, uint32_t tile);
  bool canEvict(const Lane &lane, const Arena::Segment &segment) const;
  double evictionCost(const Lane &lane, uint32_t tile);
  void evict(Lane &lane, uint32_t tile, bool mayDrop = false);
  void packStep(Lane &lane);
  void slide(Lane &lane, uint32_t tile, uint64_t target);
  void moveTile(Lane &lane, uint32_t tile, uint32_t segment);
  void releaseUnwritten(Lane &lane);

  // Computing again.
  std::vector<uint32_t> sourcesOf(uint32_t tile) const;
  bool isUsedNear(uint32_t tile, uint32_t step) const;
  uint64_t bytesOfStep(const Lane &lane, uint32_t step,
                       std::vector<uint32_t> tiles) const;
  double secondsToRecompute(const Lane &lane, uint32_t tile,
                            uint32_t step) const;
  double priceOfRecomputing(const Lane &lane, uint32_t tile) const;
  double priceOfDropping(const Lane &lane, uint32_t tile);
  void drop(uint32_t tile);
  bool computesAgain(const Lane &lane, uint32_t tile, bool packed) const;
  void emitAgain(Lane &lane, uint32_t tile);
  bool recompute(Lane &lane, uint32_t tile, bool packed);
  bool recomputePacked(Lane &lane, uint32_t tile);
  bool bringSources(Lane &lane, uint32_t tile,
                    const std::vector<uint32_t> &sources);

  // Execution.
  Status execute(uint32_t task);
  void emitTask(uint32_t task);
  void executeStep(Lane &lane);
  void finishTile(Lane &lane, uint32_t tile);
  void finishHostTile(uint32_t tile);
  void allocateHostResults(uint32_t task);
  void adoptFinal(uint32_t tile);
  void letGo(uint32_t tile);
  void shareTransfer(uint32_t task);

  // Host copies.
  uint32_t newHostCopy(uint32_t memory, uint64_t bytes);
  uint32_t constantCopy(uint32_t memory, uint64_t offset);
  uint32_t storeHostCopy(const HostCopy &copy);
  void dropHostCopy(uint32_t copy);
  uint32_t findRested(Arena &arena, uint64_t bytes, uint32_t owner,
                      uint64_t rest);
  uint32_t allocateHost(uint32_t memory, uint64_t bytes);

  // Time on paper, in nanoseconds: engines take operations as they are listed.
  bool isTimed() const { return rules.lead >= 0; }
  void listLoaders(Lane &lane);
  void listTimes();
  /// Lets an engine work, from \p earliest on; returns when it is done.
  uint64_t occupy(uint32_t engine, uint64_t earliest, double seconds);
  uint64_t timeCopy(const Access &source, const Access &destination,
                    uint64_t earliest);
  void timeTask(uint32_t task, uint32_t workspaceSegment);
  uint64_t timeOf(uint32_t task) const;
  uint64_t freeSince(uint32_t memory, uint32_t segment) const;
  uint64_t readyTime(uint32_t tile) const;
  bool wantsLoads(const Lane &lane) const;
  bool isPatient(const Lane &lane, uint32_t tile) const;
  uint64_t wantedBy(const Lane &lane, uint32_t owner) const;
  /// The age of a range that was used last until \p end.
  uint64_t ageAt(const Lane &lane, uint64_t end) const {
    return isTimed() && !lane.roomy ? end : now();
  }

  // Operations.
  Access access(uint32_t tile, Role role) const;
  Access hostAccess(uint32_t copy, uint32_t tile, Role role) const;
  uint32_t emitCopy(CopyRole role, uint32_t task, const Access &source,
                    const Access &destination);
  uint64_t now() const { return plan->placement.numOps(); }

  const Problem &problem;
  const Machine &machine;
  const std::vector<uint32_t> &values;
  const std::vector<uint32_t> &order;
  PlacerRules rules;
  Plan *plan = nullptr;
  bool frugal = false;
  Status failure;
  /// The number of tasks executed.
  uint32_t position = 0;
  /// Tasks that the cursor shared by all lanes has passed.
  uint32_t passed = 0;
  /// When each engine is done with what it was given, and the last task ends.
  std::vector<uint64_t> engineTime;
  uint64_t taskEnd = 0;

  std::vector<Lane> lanes;
  std::vector<uint32_t> laneOfMemory;
  /// One per memory; those of read-only memories are empty.
  std::vector<Arena> arenas;
  std::vector<HostCopy> hostCopies;
  std::vector<uint32_t> spareCopies;

  /// Positions of the steps that touch each tile, in its memory's lane (or
  /// among all tasks for a tile in host memory).
  std::vector<uint32_t> useBegin, uses;

  // Per tile.
  /// Next entry of `uses`.
  std::vector<uint32_t> nextUse;
  /// The step that touched it last, None before the first.
  std::vector<uint32_t> lastTouch;
  /// The step (or position, in host memory) that was last done with it.
  std::vector<uint32_t> finished;
  /// Its range on its device, None while it is not there.
  std::vector<uint32_t> segmentOf;
  /// Its valid copy in host memory; for a tile of a host memory its place.
  std::vector<uint32_t> copyOf;
  /// When it was last used on its device.
  std::vector<uint64_t> lastTime;
  /// When its value is on its device.
  std::vector<uint64_t> readyAt;
  /// For a result about to be written in place: the operand.
  std::vector<uint32_t> inPlaceOf;
  /// The tile that gets its range when its last use is carried out.
  std::vector<uint32_t> heirOf;
  /// Whether its range is promised to another tile.
  std::vector<bool> isPromised;
  /// Whether the window's bytes count it.
  std::vector<bool> isCounted;
  /// Whether it has been on its device before.
  std::vector<bool> visited;
  /// The task that may be carried out again for it; empty where none may.
  std::vector<uint32_t> repeats;
  /// Whether it left without being written back, to be computed again; and how
  /// many that did so are computed from it.
  std::vector<bool> isDropped;
  std::vector<uint32_t> awaited;
  /// priceOfRecomputing() for the next use at which it was asked.
  std::vector<uint32_t> pricedFor;
  std::vector<float> prices;
  /// Where it lies at exit, if anybody wants to know: a host copy.
  std::vector<uint32_t> finalCopy;

  // Scratch.
  std::vector<Access> scratch;
  std::vector<std::pair<uint32_t, uint32_t>> popped;
  std::vector<uint32_t> around, touchedLanes;
  /// Per segment, the eviction that last found it in a run that is too short.
  std::vector<uint64_t> tooShort;
  uint64_t evictions = 0;
  std::vector<double> costs;
  /// What evicting a byte costs where it costs least, and whether tiles may be
  /// moved to make room.
  double leastCost = 0;
  bool moves = false;
  std::vector<bool> chosen;
  std::vector<Piece> pieces;
  std::vector<Hole> holes;
};

} // namespace turnip::planner

#endif // TURNIP_LIB_PLANNER_PLACER_H
