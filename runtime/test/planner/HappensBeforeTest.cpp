//===- HappensBeforeTest.cpp - Order against a full closure ---------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every answer about random graphs, in which most pairs are farther apart than
// a window, is compared with the transitive closure.
//
//===----------------------------------------------------------------------===//

#include "HappensBefore.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace turnip::planner;
using Answer = HappensBefore::Answer;

namespace {
/// What precedes what, in full.
class Closure {
public:
  Closure(uint32_t numOps, const std::vector<Edge> &edges,
          const std::vector<uint32_t> &order)
      : rows(numOps, std::vector<bool>(numOps, false)) {
    std::vector<std::vector<uint32_t>> preds(numOps);
    for (const Edge &edge : edges)
      preds[edge.to].push_back(edge.from);
    for (uint32_t op : order)
      for (uint32_t pred : preds[op]) {
        rows[op][pred] = true;
        for (uint32_t i = 0; i < numOps; ++i)
          if (rows[pred][i])
            rows[op][i] = true;
      }
  }
  bool before(uint32_t earlier, uint32_t later) const {
    return rows[later][earlier];
  }

private:
  std::vector<std::vector<bool>> rows;
};

/// Kinds of graphs: many short edges, few of any length, layers joined by
/// barriers, two chains with rungs, a butterfly.
std::vector<Edge> makeEdges(unsigned kind, uint32_t numOps,
                            std::mt19937_64 &random) {
  std::vector<Edge> edges;
  auto below = [&](uint32_t bound) {
    return static_cast<uint32_t>(random() % bound);
  };
  for (uint32_t to = 1; to < numOps; ++to) {
    switch (kind) {
    case 0:
      edges.push_back({to - 1 - below(std::min(to, 400u)), to});
      edges.push_back({to - 1 - below(std::min(to, 5u)), to});
      break;
    case 1:
      if (below(4) != 0)
        edges.push_back({below(to), to});
      break;
    case 2:
      edges.push_back({to - to % 300, to});
      if (to % 300 == 0)
        for (uint32_t from = to - 299; from < to; ++from)
          edges.push_back({from, to});
      if (to % 300 == 0)
        edges.pop_back();
      break;
    case 3:
      if (to >= 2)
        edges.push_back({to - 2, to});
      if (below(40) == 0)
        edges.push_back({to - 1, to});
      break;
    default:
      constexpr uint32_t width = 128;
      if (to < width)
        break;
      uint32_t lane = to % width, bit = to / width % 7;
      edges.push_back({to - width, to});
      edges.push_back({to - width - lane + (lane ^ (1u << bit)), to});
      break;
    }
  }
  edges.erase(std::remove_if(edges.begin(), edges.end(),
                             [](const Edge &e) { return e.from == e.to; }),
              edges.end());
  return edges;
}

void renumber(std::vector<Edge> &edges, uint32_t numOps,
              std::mt19937_64 &random) {
  std::vector<uint32_t> number(numOps);
  std::iota(number.begin(), number.end(), 0);
  std::shuffle(number.begin(), number.end(), random);
  for (Edge &edge : edges)
    edge = {number[edge.from], number[edge.to]};
}

class EveryGraph : public testing::TestWithParam<unsigned> {
protected:
  static constexpr uint32_t numOps = 1500;

  void SetUp() override {
    random.seed(GetParam());
    edges = makeEdges(GetParam() / 2, numOps, random);
    if (GetParam() % 2 != 0)
      renumber(edges, numOps, random);
    ASSERT_EQ(order.build(numOps, edges), None);
  }
  uint32_t below(size_t bound) {
    return static_cast<uint32_t>(random() % bound);
  }

  std::mt19937_64 random;
  std::vector<Edge> edges;
  HappensBefore order;
};
} // namespace

TEST_P(EveryGraph, SingleAnswersAreNeverWrong) {
  Closure closure(numOps, edges, order.order());
  size_t unknown = 0;
  for (unsigned i = 0; i < 200000; ++i) {
    uint32_t earlier = below(numOps), later = below(numOps);
    Answer answer = order.ask(earlier, later);
    unknown += answer == Answer::Unknown;
    if (answer != Answer::Unknown)
      ASSERT_EQ(answer == Answer::Yes, closure.before(earlier, later))
          << earlier << " before " << later;
  }
  EXPECT_LT(unknown, 180000u);
}

TEST_P(EveryGraph, ChainsNeverClaimTooMuch) {
  Closure closure(numOps, edges, order.order());
  for (unsigned i = 0; i < 2000; ++i) {
    std::vector<uint32_t> earlier(1 + below(20));
    for (uint32_t &op : earlier)
      op = below(numOps);
    uint32_t later = below(numOps);
    if (!order.follows(order.firstAfter(earlier), later))
      continue;
    for (uint32_t op : earlier)
      EXPECT_TRUE(op == later || closure.before(op, later));
  }
}

TEST_P(EveryGraph, ImpliedPredecessorsPrecedeOthers) {
  Closure closure(numOps, edges, order.order());
  size_t found = 0, all = 0;
  for (uint32_t op = 0; op < numOps; ++op) {
    auto isImplied = [&](size_t index) {
      for (size_t i = 0; i < order.numPredecessors(op); ++i)
        if (closure.before(order.predecessor(op, index),
                           order.predecessor(op, i)) ||
            (i > index &&
             order.predecessor(op, index) == order.predecessor(op, i)))
          return true;
      return false;
    };
    for (uint32_t index : order.impliedPredecessors(op)) {
      EXPECT_TRUE(isImplied(index)) << op;
      ++found;
    }
    for (size_t i = 0; i < order.numPredecessors(op); ++i)
      all += isImplied(i);
  }
  EXPECT_GE(2 * found, all);
}

/// Needs that hold, of single operations and of lists, then one that does not.
TEST_P(EveryGraph, SweepsAcceptAllAndFindTheOne) {
  Closure closure(numOps, edges, order.order());
  for (unsigned mode = 0; mode < 3; ++mode) {
    std::vector<std::vector<uint32_t>> lists;
    std::vector<uint32_t> targets;
    uint32_t fewSources = below(numOps);
    while (targets.size() < 1500) {
      uint32_t later = below(numOps);
      std::vector<uint32_t> list;
      for (unsigned i = 0; i < (mode == 2 ? 40u : 1u); ++i) {
        uint32_t op =
            mode == 1 ? (fewSources + below(50)) % numOps : below(numOps);
        if (op == later || closure.before(op, later))
          list.push_back(op);
      }
      if (mode == 1 && list.empty() && below(50) != 0)
        continue;
      lists.push_back(std::move(list));
      targets.push_back(later);
    }
    std::vector<HappensBefore::Need> needs;
    needs.reserve(targets.size());
    for (size_t i = 0; i < targets.size(); ++i)
      needs.push_back({lists[i], targets[i]});
    EXPECT_EQ(order.firstUnordered(needs).need, None);
    for (unsigned i = 0; i < 20; ++i) {
      uint32_t victim = below(needs.size()), op = below(numOps);
      if (op == targets[victim] || closure.before(op, targets[victim]))
        continue;
      std::vector<uint32_t> list = lists[victim];
      list.push_back(op);
      std::vector<HappensBefore::Need> wrong = needs;
      wrong[victim].earlier = list;
      HappensBefore::Unordered found = order.firstUnordered(wrong);
      ASSERT_EQ(found.need, victim);
      EXPECT_EQ(found.index, list.size() - 1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(HappensBefore, EveryGraph, testing::Range(0u, 10u));
