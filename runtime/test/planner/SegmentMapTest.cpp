//===- SegmentMapTest.cpp - Ranges against one owner per byte -------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentMap.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace turnip::planner;
using Segment = SegmentMap::Segment;

namespace {
constexpr uint32_t nobody = UINT32_MAX;

/// Each byte by itself: its owner, and whether a segment begins there.
struct Bytes {
  std::vector<uint32_t> owner;
  std::vector<bool> begins;

  explicit Bytes(size_t size) : owner(size + 1, nobody), begins(size + 1) {}

  void assign(uint64_t begin, uint64_t end, uint32_t by) {
    begins[end] = begins[end] || (owner[end] != nobody);
    std::fill(owner.begin() + begin, owner.begin() + end, by);
    std::fill(begins.begin() + begin, begins.begin() + end, false);
    begins[begin] = true;
  }
  std::vector<Segment> in(uint64_t begin, uint64_t end) const {
    std::vector<Segment> found;
    while (begin > 0 && owner[begin] != nobody && !begins[begin])
      --begin;
    for (uint64_t at = begin; at < end; ++at) {
      if (owner[at] == nobody)
        continue;
      uint64_t last = at + 1;
      while (owner[last] != nobody && !begins[last])
        ++last;
      found.push_back({at, last, owner[at]});
      at = last - 1;
    }
    return found;
  }
};

void expectSame(const Segment &a, const Segment &b) {
  EXPECT_EQ(a.begin, b.begin);
  EXPECT_EQ(a.end, b.end);
  EXPECT_EQ(a.owner, b.owner);
}

void compare(const SegmentMap &map, const Bytes &bytes, uint64_t begin,
             uint64_t end) {
  std::vector<Segment> expected = bytes.in(begin, end), found;
  map.visit(begin, end, [&](const Segment &segment) {
    found.push_back(segment);
    return true;
  });
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    expectSame(found[i], expected[i]);
  const Segment *first = map.firstIn(begin, end);
  ASSERT_EQ(first != nullptr, !expected.empty());
  if (first)
    expectSame(*first, expected.front());
  const Segment *exact = map.find(begin);
  bool starts = !expected.empty() && expected.front().begin == begin;
  ASSERT_EQ(exact != nullptr, starts);
  if (exact)
    expectSame(*exact, expected.front());
}
} // namespace

/// Enough short segments for many blocks, and long ones that swallow blocks.
TEST(SegmentMap, AgreesWithBytes) {
  constexpr uint64_t size = 20000;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    std::mt19937_64 random(seed);
    SegmentMap map;
    Bytes bytes(size);
    for (uint32_t step = 0; step < 20000; ++step) {
      uint64_t begin = random() % size;
      uint64_t most = random() % 400 == 0 ? size : 1 + random() % 8;
      if (seed == 1)
        begin = step < size ? step : begin;
      uint64_t end = std::min(size, begin + 1 + random() % most);
      map.assign(begin, end, step);
      bytes.assign(begin, end, step);
      begin = random() % size;
      compare(map, bytes, begin, std::min(size, begin + 1 + random() % 50));
      if (step % 2000 == 0)
        compare(map, bytes, 0, size);
      if (HasFatalFailure())
        return;
    }
    compare(map, bytes, 0, size);
  }
}

TEST(SegmentMap, VisitStopsEarly) {
  SegmentMap map;
  for (uint32_t i = 0; i < 10; ++i)
    map.assign(uint64_t(10) * i, uint64_t(10) * (i + 1), i);
  unsigned seen = 0;
  EXPECT_FALSE(map.visit(25, 80, [&](const Segment &segment) {
    ++seen;
    return segment.owner < 4;
  }));
  EXPECT_EQ(seen, 3u);
}
