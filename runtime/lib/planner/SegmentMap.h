//===- SegmentMap.h - Which bytes belong to whom ----------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Disjoint ranges of one memory's bytes, each with an owner's number. Planning
// and proving ask it several times per operation, among up to millions of
// ranges, so it is a sorted list in blocks instead of a tree of nodes: two
// binary searches in consecutive memory, and most changes replace an entry.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_PLANNER_SEGMENTMAP_H
#define TURNIP_LIB_PLANNER_SEGMENTMAP_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace turnip::planner {

class SegmentMap {
public:
  struct Segment {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint32_t owner = 0;
  };

  /// The segment that begins at \p begin, or null. Valid until the next change.
  const Segment *find(uint64_t begin) const;
  /// The first segment that has bytes of [\p begin, \p end), or null.
  const Segment *firstIn(uint64_t begin, uint64_t end) const;

  /// Calls \p visit(segment) for all segments with bytes of [\p begin, \p end),
  /// in ascending order, until one returns false; returns whether none did.
  template <typename Visit>
  bool visit(uint64_t begin, uint64_t end, Visit visit) const;

  /// Gives [\p begin, \p end) to \p owner, whatever was there. What sticks out
  /// of a segment that was there stays, in one or two pieces.
  void assign(uint64_t begin, uint64_t end, uint32_t owner);

private:
  static constexpr size_t blockSize = 128;
  using Block = std::vector<Segment>;

  /// The place of a segment, or the end: block == blocks.size().
  struct Place {
    size_t block = 0, index = 0;
  };
  /// The first segment that ends after \p offset.
  Place endingAfter(uint64_t offset) const;
  const Segment &at(Place place) const {
    return blocks[place.block][place.index];
  }
  bool isEnd(Place place) const { return place.block == blocks.size(); }
  Place next(Place place) const;
  void insert(Place place, const Segment &segment);
  void erase(Place first, size_t count);

  /// No block is empty; firsts[i] is where block i begins.
  std::vector<Block> blocks;
  std::vector<uint64_t> firsts;
};

template <typename Visit>
bool SegmentMap::visit(uint64_t begin, uint64_t end, Visit visit) const {
  for (Place place = endingAfter(begin); !isEnd(place) && at(place).begin < end;
       place = next(place))
    if (!visit(at(place)))
      return false;
  return true;
}

} // namespace turnip::planner

#endif // TURNIP_LIB_PLANNER_SEGMENTMAP_H
