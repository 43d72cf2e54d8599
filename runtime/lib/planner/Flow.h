//===- Flow.h - Which task waits for which ----------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_PLANNER_FLOW_H
#define TURNIP_LIB_PLANNER_FLOW_H

#include "Machine.h"

namespace turnip::planner {

/// Who produces and who reads each tile, and the tasks' data flow.
struct Flow {
  explicit Flow(const Problem &problem);

  /// The readers of a tile, in the order of tasks; a task that names the tile
  /// twice is there twice, next to each other.
  ArrayView<uint32_t> readersOf(uint32_t tile) const {
    return {readers.data() + readerBegin[tile],
            readerBegin[tile + 1] - readerBegin[tile]};
  }

  /// The task that writes each tile, or None.
  std::vector<uint32_t> producer;
  /// Readers of tile t: readers[readerBegin[t]] ...
  std::vector<uint32_t> readerBegin, readers;
  /// Operands of each task (with repetition) that some task produces.
  std::vector<uint32_t> waiting;
};

/// Seconds from the start of each task to the end of the longest chain of
/// data flow that begins with it.
std::vector<double> urgencies(const Problem &problem, const Machine &machine,
                              const Flow &flow);

} // namespace turnip::planner

#endif // TURNIP_LIB_PLANNER_FLOW_H
