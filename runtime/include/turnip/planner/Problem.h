//===- Problem.h - What the planner is asked to place -----------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A placement problem: a machine (memories, devices, links) and a graph of
// tasks on tiles. It holds no addresses and no order beyond data flow. Arrays
// are compact, ids are 32-bit indices into them, sizes are bytes in 64 bits.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_PLANNER_PROBLEM_H
#define TURNIP_PLANNER_PROBLEM_H

#include "turnip/planner/ArrayView.h"
#include "turnip/support/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace turnip::planner {

/// "No such memory, tile, task, value or device".
constexpr uint32_t None = UINT32_MAX;
/// An offset that the planner chooses.
constexpr uint64_t Unplaced = UINT64_MAX;

/// What a memory is to the planner.
enum class MemoryKind : uint8_t {
  /// A device's arena. Tiles there may be evicted to the backing memory.
  Device,
  /// Host RAM: nothing is evicted from it.
  Host,
  /// Read-only host memory that holds the parameters. A device whose memory is
  /// of kind Host reads from it in place.
  Parameters,
};

/// A memory of the machine.
struct Memory {
  std::string name;
  MemoryKind kind = MemoryKind::Device;
  /// Bytes that a plan may use; no plan ever needs one byte more.
  uint64_t capacity = 0;
  /// Every range starts at a multiple of this, a power of two. In a memory of
  /// kind Parameters it binds only the tiles that a task reads in place.
  uint64_t alignment = 64;
  /// Whether a task or a copy may write to it.
  bool writable = true;
};

/// Something that runs tasks, on tiles that lie in one memory.
struct Device {
  std::string name;
  /// Where the tiles of its tasks lie.
  uint32_t memory = None;
  /// The memory of kind Host that its tiles are evicted to; None where the
  /// device's memory is itself of kind Host.
  uint32_t backing = None;
};

/// A way to copy from one memory to another. Links of the same channel share
/// one copy engine. A link from a memory to itself moves tiles inside it;
/// where there is none, the device's compute engine does.
struct Link {
  std::string name;
  uint32_t source = None;
  uint32_t destination = None;
  /// Copy engine that carries it: 0, 1, ...
  uint32_t channel = 0;
  double bytesPerSecond = 1e10;
  /// Seconds before the first byte arrives.
  double latency = 0;
};

/// A value that tasks read and at most one task writes.
struct Tile {
  uint64_t bytes = 0;
  /// The memory where tasks access it: the one of its device.
  uint32_t memory = None;
  /// Where its value lies at entry, None for what a task produces: its own
  /// memory, a memory of kind Host (an input) or Parameters (a parameter).
  uint32_t initialMemory = None;
  /// The offset at entry, or Unplaced for the planner to choose.
  uint64_t initialOffset = Unplaced;
  /// Where its value must lie at exit, None when nobody asks for it: its own
  /// memory or one of kind Host.
  uint32_t finalMemory = None;
};

enum class TaskKind : uint8_t {
  /// A kernel call; every operand and result lies in the device's memory (or,
  /// read in place on the host, in a memory of kind Parameters).
  Call,
  /// Copies its one operand to its one result, which lies in another memory.
  Transfer,
};

/// A task that may write a result over an operand of the same size that nobody
/// needs afterwards. Both are positions in the task's lists.
struct InPlacePair {
  uint32_t operand = 0;
  uint32_t result = 0;
};

/// One task; its operands, results and pairs are in the problem's lists.
struct Task {
  TaskKind kind = TaskKind::Call;
  /// The device it runs on; for a transfer the device of its result's memory
  /// or, where that is a host memory, of its operand's.
  uint32_t device = None;
  /// Bytes of scratch memory that it needs while it runs.
  uint64_t workspace = 0;
  /// Seconds that it runs for, as far as known; 0 for a transfer, whose time
  /// follows from its link.
  double cost = 0;
  /// The caller's own number for it; the planner only hands it on.
  uint64_t tag = 0;
};

/// A machine and a graph of tasks to place on it. Tasks must be given in an
/// order in which each tile is produced before it is read.
class Problem {
public:
  std::vector<Memory> memories;
  std::vector<Device> devices;
  std::vector<Link> links;
  std::vector<Tile> tiles;
  std::vector<Task> tasks;
  /// Names for messages, one per tile or task; may be left empty or shorter.
  std::vector<std::string> tileNames, taskNames;
  /// Tile ids of all tasks' operands (results) one after the other; those of
  /// task t are [begin[t], begin[t + 1]).
  std::vector<uint32_t> operandBegin{0}, operandList;
  std::vector<uint32_t> resultBegin{0}, resultList;
  std::vector<uint32_t> pairBegin{0};
  std::vector<InPlacePair> pairList;

  uint32_t addMemory(Memory memory);
  uint32_t addDevice(Device device);
  uint32_t addLink(Link link);
  /// Adds a tile; \p name may be empty.
  uint32_t addTile(const Tile &tile, std::string name = {});
  /// Adds a task; \p name may be empty.
  uint32_t addTask(const Task &task, ArrayView<uint32_t> operands,
                   ArrayView<uint32_t> results, std::string name = {},
                   ArrayView<InPlacePair> inPlace = {});

  ArrayView<uint32_t> operands(uint32_t task) const {
    return {operandList.data() + operandBegin[task],
            operandBegin[task + 1] - operandBegin[task]};
  }
  ArrayView<uint32_t> results(uint32_t task) const {
    return {resultList.data() + resultBegin[task],
            resultBegin[task + 1] - resultBegin[task]};
  }
  ArrayView<InPlacePair> inPlacePairs(uint32_t task) const {
    return {pairList.data() + pairBegin[task],
            pairBegin[task + 1] - pairBegin[task]};
  }

  /// Returns how messages call tile \p tile: `tile 3 ("x")`.
  std::string describeTile(uint32_t tile) const;
  /// Returns how messages call task \p task: `task 7 ("matmul")`.
  std::string describeTask(uint32_t task) const;

  /// Says whether the input is sane: every index in range, sizes that add up
  /// in 64 bits, each tile written by one task or present at entry and never
  /// both, produced before it is read, and where its readers look for it.
  /// Errors are InvalidArgument and name the tile or task and both values.
  Status check() const;
};

/// The value that each tile holds, for all tiles: a transfer's result holds
/// its operand's value, every other tile its own. A value's id is the id of
/// the first tile that holds it. Wants a problem that passed check().
std::vector<uint32_t> valuesOfTiles(const Problem &problem);

/// The least capacity with which a memory can be planned.
struct SmallestCap {
  uint64_t bytes = 0;
  /// The task that needs it; None when what must lie there at entry or exit
  /// needs more than any task, or when nothing is needed.
  uint32_t task = None;
};

/// Returns the smallest capacity of \p device's memory for which plan()
/// succeeds given enough host memory: the largest sum of aligned operands,
/// results and workspace of one task (tiles named twice count once), or what
/// must lie there at entry or at exit if that is more. Wants a problem that
/// passed check() and a device whose memory is of kind Device.
SmallestCap smallestCap(const Problem &problem, uint32_t device);

} // namespace turnip::planner

#endif // TURNIP_PLANNER_PROBLEM_H
