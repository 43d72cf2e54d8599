//===- SegmentMap.cpp - Which bytes belong to whom ------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentMap.h"

#include <algorithm>

using namespace turnip::planner;

SegmentMap::Place SegmentMap::next(Place place) const {
  if (++place.index == blocks[place.block].size())
    return {place.block + 1, 0};
  return place;
}

SegmentMap::Place SegmentMap::endingAfter(uint64_t offset) const {
  // The last block that begins at or before the offset; the segment may be the
  // first of the one behind it.
  size_t behind = static_cast<size_t>(
      std::upper_bound(firsts.begin(), firsts.end(), offset) - firsts.begin());
  if (behind == 0)
    return {0, 0};
  const Block &block = blocks[behind - 1];
  auto found = std::lower_bound(block.begin(), block.end(), offset,
                                [](const Segment &segment, uint64_t offset) {
                                  return segment.end <= offset;
                                });
  if (found == block.end())
    return {behind, 0};
  return {behind - 1, static_cast<size_t>(found - block.begin())};
}

const SegmentMap::Segment *SegmentMap::find(uint64_t begin) const {
  Place place = endingAfter(begin);
  return !isEnd(place) && at(place).begin == begin ? &at(place) : nullptr;
}

const SegmentMap::Segment *SegmentMap::firstIn(uint64_t begin,
                                               uint64_t end) const {
  Place place = endingAfter(begin);
  return !isEnd(place) && at(place).begin < end ? &at(place) : nullptr;
}

/// Inserts \p segment before \p place.
void SegmentMap::insert(Place place, const Segment &segment) {
  if (blocks.empty()) {
    blocks.emplace_back(1, segment);
    firsts.push_back(segment.begin);
    return;
  }
  // Rather at the end of a block than at the beginning of the next.
  if (place.index == 0 && place.block > 0) {
    --place.block;
    place.index = blocks[place.block].size();
  }
  if (blocks[place.block].size() == blockSize) {
    // A full last block stays full if segments come in ascending order.
    bool append = place.block + 1 == blocks.size() && place.index == blockSize;
    size_t keep = append ? blockSize : blockSize / 2;
    Block rest(blocks[place.block].begin() + static_cast<ptrdiff_t>(keep),
               blocks[place.block].end());
    blocks[place.block].resize(keep);
    auto behind = static_cast<ptrdiff_t>(place.block) + 1;
    firsts.insert(firsts.begin() + behind,
                  append ? segment.begin : rest.front().begin);
    blocks.insert(blocks.begin() + behind, std::move(rest));
    blocks[place.block + 1].reserve(blockSize);
    if (place.index > keep || append) {
      ++place.block;
      place.index -= keep;
    }
  }
  Block &block = blocks[place.block];
  block.insert(block.begin() + static_cast<ptrdiff_t>(place.index), segment);
  firsts[place.block] = block.front().begin;
}

/// Removes \p count segments from \p first on.
void SegmentMap::erase(Place first, size_t count) {
  size_t emptyBegin = first.block, emptyEnd = first.block;
  while (count > 0) {
    Block &block = blocks[first.block];
    size_t here = std::min(count, block.size() - first.index);
    auto begin = block.begin() + static_cast<ptrdiff_t>(first.index);
    block.erase(begin, begin + static_cast<ptrdiff_t>(here));
    count -= here;
    if (block.empty()) {
      emptyEnd = first.block + 1;
    } else {
      firsts[first.block] = block.front().begin;
      if (first.block == emptyBegin)
        emptyBegin = first.block + 1;
    }
    first = {first.block + 1, 0};
  }
  if (emptyBegin >= emptyEnd)
    return;
  auto range = [&](auto &list) {
    list.erase(list.begin() + static_cast<ptrdiff_t>(emptyBegin),
               list.begin() + static_cast<ptrdiff_t>(emptyEnd));
  };
  range(blocks);
  range(firsts);
}

void SegmentMap::assign(uint64_t begin, uint64_t end, uint32_t owner) {
  Place place = endingAfter(begin);
  if (!isEnd(place) && at(place).begin == begin && at(place).end == end) {
    blocks[place.block][place.index].owner = owner;
    return;
  }
  Segment right{0, 0, 0};
  if (!isEnd(place) && at(place).begin < begin) {
    Segment &left = blocks[place.block][place.index];
    if (left.end > end)
      right = {end, left.end, left.owner};
    left.end = begin;
    place = next(place);
  }
  size_t count = 0;
  Place last = place;
  for (; !isEnd(last) && at(last).end <= end; last = next(last))
    ++count;
  if (!isEnd(last) && at(last).begin < end) {
    blocks[last.block][last.index].begin = end;
    if (last.index == 0)
      firsts[last.block] = end;
  }
  // Reuses an entry where there is one.
  if (count > 0) {
    blocks[place.block][place.index] = {begin, end, owner};
    if (place.index == 0)
      firsts[place.block] = begin;
    erase(next(place), count - 1);
  } else {
    insert(place, {begin, end, owner});
  }
  if (right.end != 0)
    insert(endingAfter(end), right);
}
