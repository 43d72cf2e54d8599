//===- OrderSearch.cpp - Orders that copy less ----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OrderSearch.h"
#include "Flow.h"
#include "turnip/planner/Bounds.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::planner;

/// So many moves without fewer bytes end the search.
static constexpr size_t patience = 200;

namespace {
/// Moves parts of an order.
class OrderMoves {
public:
  explicit OrderMoves(const Problem &problem)
      : problem(problem), flow(problem), stamp(problem.tasks.size(), 0) {}

  /// Brings the task at \p from, and what it needs of those between, before the
  /// task at \p to, which is earlier. Returns whether that changes anything.
  bool pull(std::vector<uint32_t> &order, size_t from, size_t to);
  /// Brings the task at \p from, and what needs it of those between, behind the
  /// task at \p to, which is later.
  bool push(std::vector<uint32_t> &order, size_t from, size_t to);

private:
  const Problem &problem;
  Flow flow;
  std::vector<size_t> stamp;
  size_t clock = 0;
  std::vector<uint32_t> moving, staying;
};
} // namespace

bool OrderMoves::pull(std::vector<uint32_t> &order, size_t from, size_t to) {
  moving.clear();
  staying.clear();
  stamp[order[from]] = ++clock;
  for (size_t i = from + 1; i-- > to;) {
    if (stamp[order[i]] != clock) {
      staying.push_back(order[i]);
      continue;
    }
    moving.push_back(order[i]);
    for (uint32_t tile : problem.operands(order[i]))
      if (flow.producer[tile] != None)
        stamp[flow.producer[tile]] = clock;
  }
  auto at = order.begin() + static_cast<ptrdiff_t>(to);
  at = std::copy(moving.rbegin(), moving.rend(), at);
  std::copy(staying.rbegin(), staying.rend(), at);
  return !staying.empty();
}

bool OrderMoves::push(std::vector<uint32_t> &order, size_t from, size_t to) {
  moving.clear();
  staying.clear();
  stamp[order[from]] = ++clock;
  for (size_t i = from; i <= to; ++i) {
    if (stamp[order[i]] != clock) {
      staying.push_back(order[i]);
      continue;
    }
    moving.push_back(order[i]);
    for (uint32_t tile : problem.results(order[i]))
      for (uint32_t reader : flow.readersOf(tile))
        stamp[reader] = clock;
  }
  auto at = order.begin() + static_cast<ptrdiff_t>(from);
  at = std::copy(staying.begin(), staying.end(), at);
  std::copy(moving.begin(), moving.end(), at);
  return !staying.empty();
}

std::vector<uint32_t> planner::copyLess(const Problem &problem,
                                        std::vector<uint32_t> order,
                                        size_t rounds,
                                        std::mt19937_64 &random) {
  if (order.size() < 2)
    return order;
  OrderMoves moves(problem);
  // What goes out counts half, as when plans are compared.
  constexpr double outgoingShare = 0.5;
  auto bytesOf = [&](const TrafficBounds &traffic) {
    return traffic.totalIncoming() + outgoingShare * traffic.totalOutgoing();
  };
  double bytes = bytesOf(boundTraffic(problem, order));
  double once = bytesOf(boundTraffic(problem));
  std::vector<uint32_t> next;
  size_t vain = 0;
  for (size_t round = 0; round < rounds && vain < patience && bytes > once;
       ++round, ++vain) {
    next = order;
    size_t from = random() % order.size();
    // Short ways as often as long ones.
    size_t way = 1 + random() % (size_t(2) << random() % 8);
    size_t last = order.size() - 1;
    bool changed = random() % 2 == 0
                       ? moves.pull(next, from, from - std::min(from, way))
                       : moves.push(next, from, std::min(last, from + way));
    if (!changed)
      continue;
    double less = bytesOf(boundTraffic(problem, next));
    if (less > bytes)
      continue;
    if (less < bytes)
      vain = 0;
    bytes = less;
    order.swap(next);
  }
  return order;
}
