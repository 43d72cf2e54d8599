//===- Arena.h - The bytes of one memory while planning ---------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An arena divides [0, capacity) into segments in address order, each free or
// held by one owner. A free segment remembers since when: what waits for a
// range can start the earlier, the longer ago the range was last used.
// Neighbouring free segments stay apart, so that an old one keeps its age.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_PLANNER_ARENA_H
#define TURNIP_LIB_PLANNER_ARENA_H

#include "turnip/planner/Problem.h"

#include <set>

namespace turnip::planner {

class Arena {
public:
  struct Segment {
    uint64_t offset = 0;
    uint64_t bytes = 0;
    /// Neighbours in address order, None at the ends.
    uint32_t previous = None, next = None;
    bool free = true;
    /// Who holds it, None for scratch memory; no meaning while it is free.
    uint32_t owner = None;
    /// The time of its last use before it was taken, if it was.
    uint64_t age = 0;
  };

  /// \p freshAge is the age of bytes that were never used: 0 where they are
  /// the best there is, `untouched` where use of them should grow slowly.
  Arena(uint64_t capacity, uint64_t alignment, uint64_t freshAge = 0);

  static constexpr uint64_t untouched = UINT64_MAX - 1;

  /// The bytes that a range for \p bytes takes up.
  uint64_t aligned(uint64_t bytes) const {
    return (bytes + alignment - 1) & ~(alignment - 1);
  }

  /// Takes the range that has been free for longest, as far as a bounded
  /// search can tell, and returns its segment, or None when there is no run
  /// of free segments that is large enough. Looks only at segments that were
  /// last used before \p before.
  uint32_t allocate(uint64_t bytes, uint32_t owner,
                    uint64_t before = UINT64_MAX);
  /// Takes the smallest run of free segments that were last used before
  /// \p before and are large enough, as far as a bounded search can tell, or
  /// returns None.
  uint32_t allocateTight(uint64_t bytes, uint32_t owner, uint64_t before);
  /// Takes the range at the lowest address that is large enough, or returns
  /// None. Looks at every segment.
  uint32_t allocateFirst(uint64_t bytes, uint32_t owner);
  /// Takes the smallest free segment that is large enough and lies outside of
  /// [low, high), as far as a bounded search can tell, or returns None.
  uint32_t allocateOutside(uint64_t bytes, uint32_t owner, uint64_t low,
                           uint64_t high);
  /// The bytes of the largest free segment.
  uint64_t largestFree() const {
    return bySize.empty() ? 0 : bySize.rbegin()->first;
  }
  /// Takes bytes that were never used, behind all others; None when there are
  /// too few.
  uint32_t grow(uint64_t bytes, uint32_t owner);
  /// Takes \p bytes from the run of free segments \p first ... \p last: from
  /// its low or high end, whichever was free for longer.
  uint32_t take(uint32_t first, uint32_t last, uint64_t bytes, uint32_t owner);
  /// Takes \p bytes at the start of the free run that begins with \p first.
  uint32_t takeLow(uint32_t first, uint64_t bytes, uint32_t owner);
  /// Frees a segment that was last used at \p age. With \p keep it stays a
  /// segment of its own, else it may be joined with its neighbours.
  void release(uint32_t segment, uint64_t age, bool keep = false);
  /// Gives back what a held segment has beyond \p bytes, last used at \p age.
  void shrink(uint32_t segment, uint64_t bytes, uint64_t age);
  /// Gives a held segment to another owner.
  void reassign(uint32_t segment, uint32_t owner) {
    segments[segment].owner = owner;
  }
  /// The same, of one that was last used at \p age.
  void reassign(uint32_t segment, uint32_t owner, uint64_t age) {
    segments[segment].owner = owner;
    segments[segment].age = age;
  }

  /// Ids of segments are below this.
  size_t numSegments() const { return segments.size(); }
  const Segment &operator[](uint32_t segment) const {
    return segments[segment];
  }
  /// The segment at address 0.
  uint32_t lowest() const { return head; }
  uint64_t freeBytes() const { return unused; }
  /// The largest end of a range that was ever held.
  uint64_t peak() const { return highest; }

private:
  uint32_t create(const Segment &segment);
  void linkNext(uint32_t segment, uint32_t next);
  /// Makes \p next the segment behind \p segment and returns its id.
  uint32_t insertAfter(uint32_t segment, Segment next);
  /// Cuts a free segment after \p bytes; the rest keeps its age.
  void split(uint32_t segment, uint64_t bytes);
  /// Joins a free segment with its free right neighbour.
  void mergeWithNext(uint32_t segment);
  uint32_t hold(uint32_t first, uint64_t bytes, uint32_t owner);
  void insertFree(uint32_t segment);
  void eraseFree(uint32_t segment);

  uint64_t alignment, unused, highest = 0;
  uint32_t head = None, tail = None;
  std::vector<Segment> segments;
  /// Ids of segments that may be used again.
  std::vector<uint32_t> spare;
  /// Free segments by age and by size.
  std::set<std::pair<uint64_t, uint32_t>> byAge, bySize;
};

} // namespace turnip::planner

#endif // TURNIP_LIB_PLANNER_ARENA_H
