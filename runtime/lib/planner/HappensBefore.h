//===- HappensBefore.h - Which operation must precede which -----*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exact reachability in a directed acyclic graph, in three layers.
//
// Windows: operations get topological positions; for each the ancestors among
// the 256 positions before it are kept as a bitset, which settles every
// question about a pair no further apart, because a path between them cannot
// leave the window.
//
// Chains: of eight long paths each operation knows the earliest vertex that it
// reaches and the latest that reaches it. Where the one is not after the other
// a path over that chain exists. This is the chain cover of Jagadish (ACM TODS
// 15(4), 1990) cut down to a few chains; it proves, but cannot refute.
//
// Sweeps: what is left is settled 512 at a time, a bit each, by one walk over
// the part of the graph in question. This is what bounds the worst case: q
// questions on n operations and m edges take O(q / 512 * (n + m)) there.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_PLANNER_HAPPENSBEFORE_H
#define TURNIP_LIB_PLANNER_HAPPENSBEFORE_H

#include "turnip/planner/Placement.h"

#include <array>

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
  static constexpr size_t numChains = 8;
  /// A position + 1 on each chain.
  using ChainLabels = std::array<int32_t, numChains>;

  enum class Answer : uint8_t { Yes, No, Unknown };

  /// Builds the relation for operations 0 to \p numOps - 1. Returns the number
  /// of an operation on a cycle, or None.
  uint32_t build(uint32_t numOps, const std::vector<Edge> &edges);

  /// Whether the edges order \p earlier before \p later, as far as windows,
  /// direct edges, chains and a short search tell. Never wrong.
  Answer ask(uint32_t earlier, uint32_t later);

  /// For a list of operations: per chain the first vertex that all of them
  /// precede or are.
  ChainLabels firstAfter(ArrayView<uint32_t> ops);
  /// Whether a chain leads from the vertices \p first to \p later.
  bool follows(const ChainLabels &first, uint32_t later);

  /// The direct predecessors of \p op that come before another one for certain,
  /// or are listed again, so that an edge from them says nothing new; as far as
  /// windows and chains tell. Indices as in predecessor(), ascending; valid
  /// until the next call.
  ArrayView<uint32_t> impliedPredecessors(uint32_t op);

  /// All of `earlier` must precede `later`, or be it.
  struct Need {
    ArrayView<uint32_t> earlier;
    uint32_t later = 0;
  };
  /// A need and the index of one of its earlier operations; or None.
  struct Unordered {
    uint32_t need = None;
    uint32_t index = None;
  };
  /// Settles \p needs exactly, by sweeps; returns one that the edges do not
  /// satisfy, the same one each time.
  Unordered firstUnordered(ArrayView<Need> needs);

  /// Operations in topological order; the given order where that is one.
  const std::vector<uint32_t> &order() const { return sequence; }
  size_t numPredecessors(uint32_t op) const {
    uint32_t at = position[op];
    return predBegin[at + 1] - predBegin[at];
  }
  /// The direct predecessor number \p index of \p op, latest last.
  uint32_t predecessor(uint32_t op, size_t index) const {
    return sequence[preds[predBegin[position[op]] + index]];
  }

private:
  static constexpr uint32_t sweepWidth = 512;
  struct Columns {
    uint64_t words[sweepWidth / 64] = {};

    void set(uint32_t column) {
      words[column / 64] |= uint64_t(1) << (column % 64);
    }
    bool test(uint32_t column) const {
      return words[column / 64] >> (column % 64) & 1;
    }
    bool contain(const Columns &other) const {
      uint64_t missing = 0;
      for (size_t i = 0; i < sweepWidth / 64; ++i)
        missing |= other.words[i] & ~words[i];
      return missing == 0;
    }
    bool isEmpty() const {
      uint64_t any = 0;
      for (uint64_t word : words)
        any |= word;
      return any == 0;
    }
  };
  struct Question;

  bool sortTopologically(uint32_t numOps, const std::vector<Edge> &edges);
  uint32_t findCycle(const std::vector<Edge> &edges) const;
  uint32_t numOps() const { return static_cast<uint32_t>(sequence.size()); }
  ArrayView<uint32_t> predsAt(uint32_t at) const {
    return {preds.data() + predBegin[at], predBegin[at + 1] - predBegin[at]};
  }
  /// The direct predecessors of position \p at that are not before \p low.
  ArrayView<uint32_t> predsFrom(uint32_t low, uint32_t at) const;
  Answer search(uint32_t from, uint32_t to);
  void needChains();
  uint32_t addChain(std::vector<bool> &used, std::vector<bool> &onChain);
  bool chained(uint32_t from, uint32_t to) const;

  void sweepBack(uint32_t low, uint32_t high);
  void sweepForward(uint32_t low, uint32_t high);
  Unordered settleByTarget(std::vector<Question> &questions);
  Unordered settleBySource(std::vector<Question> &questions);
  Unordered lookUp(uint32_t low, Question *begin, Question *end) const;

  /// All below are by position; edges are pairs of positions.
  std::vector<uint32_t> sequence, position;
  std::vector<uint32_t> predBegin, preds;
  std::vector<AncestorWindow> windows;
  /// Per position; empty until first needed.
  std::vector<ChainLabels> reachedBy, reaches;
  std::vector<Columns> columns;
  /// Scratch of searches: the search in which a position was last seen.
  std::vector<uint32_t> seen, stack;
  /// Scratch of impliedPredecessors.
  std::vector<uint32_t> implied;
  uint32_t searches = 0;
};

} // namespace turnip::planner

#endif // TURNIP_LIB_PLANNER_HAPPENSBEFORE_H
