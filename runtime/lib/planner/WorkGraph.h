//===- WorkGraph.h - What has to be done, and in which order ----*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_PLANNER_WORKGRAPH_H
#define TURNIP_LIB_PLANNER_WORKGRAPH_H

#include "Machine.h"

namespace turnip::planner {

/// A compulsory copy: of a tile that tasks need from where it lies at entry, or
/// of a result to where it must lie at exit.
struct CompulsoryCopy {
  uint32_t tile = None;
  uint32_t engine = None;
  double seconds = 0;
};

/// A problem's tasks, in the problem's order, with who waits for whom, and the
/// copies that no plan can avoid.
class WorkGraph {
public:
  /// \p deviceOrder, if not null, has each device take its tasks in that order.
  WorkGraph(const Problem &problem, const Machine &machine,
            const std::vector<uint32_t> *deviceOrder);

  uint32_t numTasks() const {
    return static_cast<uint32_t>(problem.tasks.size());
  }
  uint32_t numEngines() const {
    return static_cast<uint32_t>(machine.engines().size());
  }
  ArrayView<uint32_t> before(uint32_t task) const {
    return {predecessors.data() + predecessorBegin[task],
            predecessorBegin[task + 1] - predecessorBegin[task]};
  }
  ArrayView<uint32_t> after(uint32_t task) const {
    return {successors.data() + successorBegin[task],
            successorBegin[task + 1] - successorBegin[task]};
  }
  /// Tasks so that each comes after all it waits for.
  const std::vector<uint32_t> &sorted() const { return topological; }

  const Problem &problem;
  const Machine &machine;
  /// Per task: the engine it runs on, and for how long.
  std::vector<uint32_t> engine;
  std::vector<double> seconds;
  /// Of tiles (by id, -1 for none): the copy that brings it, the copy that
  /// takes it to its place at exit.
  std::vector<CompulsoryCopy> loads, results;
  /// Tasks that produce each tile (None) and those that read it.
  std::vector<uint32_t> producer, readerBegin, readers;
  ArrayView<uint32_t> readersOf(uint32_t tile) const {
    return {readers.data() + readerBegin[tile],
            readerBegin[tile + 1] - readerBegin[tile]};
  }
  /// Per tile: its load or result copy in the lists above, or None.
  std::vector<uint32_t> loadOf, resultOf;

private:
  void addCopies();
  void addEdges(const std::vector<uint32_t> *deviceOrder);
  void sort();

  std::vector<uint32_t> predecessorBegin, predecessors;
  std::vector<uint32_t> successorBegin, successors;
  std::vector<uint32_t> topological;
};

} // namespace turnip::planner

#endif // TURNIP_LIB_PLANNER_WORKGRAPH_H
