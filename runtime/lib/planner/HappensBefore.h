//===- HappensBefore.h - Which operation must precede which -----*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exact reachability in a directed acyclic graph whose questions are mostly
// about neighbours. Operations get topological positions; for each the
// ancestors among the 256 positions before it are kept as a bitset, which
// settles every question about a pair that is no further apart, because a path
// between them cannot leave the window. Other pairs are searched backwards,
// bounded by the position of the earlier one; direct edges are found first.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_PLANNER_HAPPENSBEFORE_H
#define TURNIP_LIB_PLANNER_HAPPENSBEFORE_H

#include "turnip/planner/Placement.h"

namespace turnip::planner {

/// A bitset over the 256 topological positions before an operation: bit k
/// stands for the position k + 1 before it.
class AncestorWindow {
public:
  static constexpr uint32_t size = 256;

  bool test(uint32_t distance) const {
    return words[(distance - 1) / 64] >> ((distance - 1) % 64) & 1;
  }
  /// Adds the operation at \p distance and all that \p other holds for it.
  void addPredecessor(uint32_t distance, const AncestorWindow &other);

private:
  uint64_t words[size / 64] = {};
};

class HappensBefore {
public:
  /// Builds the relation for operations 0 to \p numOps - 1. Returns the number
  /// of an operation on a cycle, or None.
  uint32_t build(uint32_t numOps, const std::vector<Edge> &edges);

  /// Whether the edges order \p earlier before \p later.
  bool before(uint32_t earlier, uint32_t later);
  /// The first of \p earlier that is neither \p later nor ordered before it, as
  /// an index; the list's size where there is none. One walk for the whole
  /// list, which is worth it for more than a few.
  size_t firstNotBefore(ArrayView<uint32_t> earlier, uint32_t later);

  /// Operations in topological order; the given order where that is one.
  const std::vector<uint32_t> &order() const { return sequence; }
  ArrayView<uint32_t> predecessors(uint32_t op) const {
    return {preds.data() + predBegin[op], predBegin[op + 1] - predBegin[op]};
  }

private:
  bool sortTopologically(uint32_t numOps, const std::vector<Edge> &edges);

  std::vector<uint32_t> sequence, position;
  std::vector<uint32_t> predBegin, preds;
  std::vector<AncestorWindow> windows;
  /// Scratch of searches: the search in which an operation was last seen.
  std::vector<uint32_t> seen, stack;
  uint32_t search = 0;
};

} // namespace turnip::planner

#endif // TURNIP_LIB_PLANNER_HAPPENSBEFORE_H
