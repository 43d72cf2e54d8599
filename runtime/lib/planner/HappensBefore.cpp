//===- HappensBefore.cpp - Which operation must precede which -------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HappensBefore.h"

#include <algorithm>
#include <queue>

using namespace turnip::planner;

void AncestorWindow::addPredecessor(uint32_t distance,
                                    const AncestorWindow &other) {
  if (distance > size)
    return;
  uint32_t bit = distance - 1;
  words[bit / 64] |= uint64_t(1) << (bit % 64);
  if (distance == size)
    return;
  uint32_t whole = distance / 64, rest = distance % 64;
  for (uint32_t i = size / 64; i-- > whole;) {
    uint64_t word = other.words[i - whole] << rest;
    if (rest != 0 && i > whole)
      word |= other.words[i - whole - 1] >> (64 - rest);
    words[i] |= word;
  }
}

bool HappensBefore::sortTopologically(uint32_t numOps,
                                      const std::vector<Edge> &edges) {
  sequence.resize(numOps);
  position.resize(numOps);
  for (uint32_t op = 0; op < numOps; ++op)
    sequence[op] = position[op] = op;
  if (std::all_of(edges.begin(), edges.end(),
                  [](const Edge &edge) { return edge.from < edge.to; }))
    return true;

  std::vector<uint32_t> begin(numOps + 1), next(edges.size()), waiting(numOps);
  for (const Edge &edge : edges)
    ++begin[edge.from + 1];
  for (uint32_t op = 0; op < numOps; ++op)
    begin[op + 1] += begin[op];
  std::vector<uint32_t> cursor(begin.begin(), begin.end() - 1);
  for (const Edge &edge : edges) {
    next[cursor[edge.from]++] = edge.to;
    ++waiting[edge.to];
  }
  // The lowest ready number first stays close to the given order.
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t op = 0; op < numOps; ++op)
    if (waiting[op] == 0)
      ready.push(op);
  uint32_t count = 0;
  std::fill(position.begin(), position.end(), None);
  while (!ready.empty()) {
    uint32_t op = ready.top();
    ready.pop();
    position[op] = count;
    sequence[count++] = op;
    for (uint32_t i = begin[op]; i < begin[op + 1]; ++i)
      if (--waiting[next[i]] == 0)
        ready.push(next[i]);
  }
  return count == numOps;
}

uint32_t HappensBefore::build(uint32_t numOps, const std::vector<Edge> &edges) {
  if (!sortTopologically(numOps, edges)) {
    // Every operation left over has a predecessor left over: walk back among
    // them until one repeats; that one is on a cycle.
    std::vector<uint32_t> back(numOps, None), visited(numOps, 0);
    for (const Edge &edge : edges)
      if (position[edge.from] == None && position[edge.to] == None)
        back[edge.to] = edge.from;
    uint32_t op = 0;
    while (position[op] != None)
      ++op;
    while (!visited[op]) {
      visited[op] = 1;
      op = back[op];
    }
    return op;
  }
  predBegin.assign(numOps + 1, 0);
  for (const Edge &edge : edges)
    ++predBegin[edge.to + 1];
  for (uint32_t op = 0; op < numOps; ++op)
    predBegin[op + 1] += predBegin[op];
  preds.resize(edges.size());
  std::vector<uint32_t> cursor(predBegin.begin(), predBegin.end() - 1);
  for (const Edge &edge : edges)
    preds[cursor[edge.to]++] = edge.from;

  windows.assign(numOps, {});
  seen.assign(numOps, 0);
  for (uint32_t op : sequence) {
    auto first = preds.begin() + predBegin[op];
    auto last = preds.begin() + predBegin[op + 1];
    if (!std::is_sorted(first, last))
      std::sort(first, last);
    for (auto pred = first; pred != last; ++pred)
      windows[op].addPredecessor(position[op] - position[*pred],
                                 windows[*pred]);
  }
  return None;
}

bool HappensBefore::before(uint32_t earlier, uint32_t later) {
  uint32_t from = position[earlier], to = position[later];
  if (from >= to)
    return false;
  if (to - from <= AncestorWindow::size)
    return windows[later].test(to - from);
  ++search;
  stack.assign(1, later);
  while (!stack.empty()) {
    uint32_t op = stack.back();
    stack.pop_back();
    ArrayView<uint32_t> candidates = predecessors(op);
    if (std::binary_search(candidates.begin(), candidates.end(), earlier))
      return true;
    for (uint32_t pred : candidates) {
      if (position[pred] <= from || seen[pred] == search)
        continue;
      seen[pred] = search;
      uint32_t distance = position[pred] - from;
      if (distance > AncestorWindow::size)
        stack.push_back(pred);
      else if (windows[pred].test(distance))
        return true;
    }
  }
  return false;
}

size_t HappensBefore::firstNotBefore(ArrayView<uint32_t> earlier,
                                     uint32_t later) {
  uint32_t lowest = position[later];
  for (uint32_t op : earlier)
    lowest = std::min(lowest, position[op]);
  // Ancestors that lie before the whole list lead to nothing in it.
  ++search;
  seen[later] = search;
  stack.assign(1, later);
  while (!stack.empty()) {
    uint32_t op = stack.back();
    stack.pop_back();
    for (uint32_t pred : predecessors(op)) {
      if (position[pred] < lowest || seen[pred] == search)
        continue;
      seen[pred] = search;
      stack.push_back(pred);
    }
  }
  for (size_t i = 0; i < earlier.size(); ++i)
    if (seen[earlier[i]] != search)
      return i;
  return earlier.size();
}
