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

//===----------------------------------------------------------------------===//
// Positions and windows
//===----------------------------------------------------------------------===//

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

/// Every operation left over has a predecessor left over: walks back among
/// them until one repeats; that one is on a cycle.
uint32_t HappensBefore::findCycle(const std::vector<Edge> &edges) const {
  std::vector<uint32_t> back(numOps(), None);
  std::vector<bool> visited(numOps(), false);
  for (const Edge &edge : edges)
    if (position[edge.from] == None && position[edge.to] == None)
      back[edge.to] = edge.from;
  uint32_t op = 0;
  while (position[op] != None)
    ++op;
  while (!visited[op]) {
    visited[op] = true;
    op = back[op];
  }
  return op;
}

uint32_t HappensBefore::build(uint32_t numOps, const std::vector<Edge> &edges) {
  if (!sortTopologically(numOps, edges))
    return findCycle(edges);
  predBegin.assign(numOps + 1, 0);
  for (const Edge &edge : edges)
    ++predBegin[position[edge.to] + 1];
  for (uint32_t at = 0; at < numOps; ++at)
    predBegin[at + 1] += predBegin[at];
  preds.resize(edges.size());
  std::vector<uint32_t> cursor(predBegin.begin(), predBegin.end() - 1);
  for (const Edge &edge : edges)
    preds[cursor[position[edge.to]]++] = position[edge.from];

  windows.assign(numOps, {});
  seen.assign(numOps, 0);
  for (uint32_t at = 0; at < numOps; ++at) {
    auto first = preds.begin() + predBegin[at];
    auto last = preds.begin() + predBegin[at + 1];
    if (!std::is_sorted(first, last))
      std::sort(first, last);
    for (auto pred = last; pred != first; --pred) {
      uint32_t distance = at - pred[-1];
      if (distance > AncestorWindow::size)
        break;
      windows[at].addPredecessor(distance, windows[pred[-1]]);
    }
  }
  return None;
}

//===----------------------------------------------------------------------===//
// Single questions
//===----------------------------------------------------------------------===//

HappensBefore::Answer HappensBefore::ask(uint32_t earlier, uint32_t later) {
  uint32_t from = position[earlier], to = position[later];
  if (from >= to)
    return Answer::No;
  if (to - from <= AncestorWindow::size)
    return windows[to].test(to - from) ? Answer::Yes : Answer::No;
  ArrayView<uint32_t> direct = predsAt(to);
  if (std::binary_search(direct.begin(), direct.end(), from))
    return Answer::Yes;
  if (!reaches.empty() && chained(from, to))
    return Answer::Yes;
  Answer answer = search(from, to);
  if (answer != Answer::Unknown || !reaches.empty())
    return answer;
  needChains();
  return chained(from, to) ? Answer::Yes : Answer::Unknown;
}

/// Looks backwards from \p to, whose direct predecessors \p from is not among,
/// at a few hundred edges at most. Nothing before \p from matters, and windows
/// end the way early.
HappensBefore::Answer HappensBefore::search(uint32_t from, uint32_t to) {
  constexpr size_t edgeLimit = 256;
  size_t looked = 0;
  ++searches;
  stack.assign(1, to);
  while (!stack.empty()) {
    ArrayView<uint32_t> candidates = predsAt(stack.back());
    stack.pop_back();
    for (size_t i = candidates.size(); i > 0; --i) {
      uint32_t pred = candidates[i - 1];
      if (pred <= from)
        break;
      if (seen[pred] == searches)
        continue;
      if (++looked > edgeLimit)
        return Answer::Unknown;
      seen[pred] = searches;
      if (pred - from <= AncestorWindow::size) {
        if (windows[pred].test(pred - from))
          return Answer::Yes;
        continue;
      }
      // A join may have very many predecessors: ask it before others are
      // followed.
      ArrayView<uint32_t> next = predsAt(pred);
      if (std::binary_search(next.begin(), next.end(), from))
        return Answer::Yes;
      stack.push_back(pred);
    }
  }
  return Answer::No;
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

/// Finds the path with the most positions that no chain before it has; marks
/// its positions in \p onChain and \p used. Returns how many are new.
uint32_t HappensBefore::addChain(std::vector<bool> &used,
                                 std::vector<bool> &onChain) {
  std::vector<uint32_t> gain(numOps()), back(numOps(), None);
  uint32_t end = 0;
  for (uint32_t at = 0; at < numOps(); ++at) {
    for (uint32_t pred : predsAt(at))
      if (back[at] == None || gain[pred] > gain[back[at]])
        back[at] = pred;
    gain[at] = !used[at] + (back[at] == None ? 0 : gain[back[at]]);
    if (gain[at] > gain[end])
      end = at;
  }
  onChain.assign(numOps(), false);
  for (uint32_t at = end; at != None; at = back[at])
    onChain[at] = used[at] = true;
  return gain[end];
}

void HappensBefore::needChains() {
  if (!reaches.empty())
    return;
  reachedBy.assign(numOps(), ChainLabels{});
  ChainLabels nothing;
  nothing.fill(INT32_MAX);
  reaches.assign(numOps(), nothing);
  std::vector<bool> used(numOps(), false), onChain;
  for (size_t chain = 0; chain < numChains; ++chain) {
    // Shorter chains prove nothing that windows do not.
    if (addChain(used, onChain) <= AncestorWindow::size / 4)
      break;
    for (uint32_t at = 0; at < numOps(); ++at)
      if (onChain[at])
        reachedBy[at][chain] = reaches[at][chain] =
            static_cast<int32_t>(at + 1);
  }
  for (uint32_t at = 0; at < numOps(); ++at)
    for (uint32_t pred : predsAt(at))
      for (size_t chain = 0; chain < numChains; ++chain)
        reachedBy[at][chain] =
            std::max(reachedBy[at][chain], reachedBy[pred][chain]);
  for (uint32_t at = numOps(); at-- > 0;)
    for (uint32_t pred : predsAt(at))
      for (size_t chain = 0; chain < numChains; ++chain)
        reaches[pred][chain] =
            std::min(reaches[pred][chain], reaches[at][chain]);
}

bool HappensBefore::chained(uint32_t from, uint32_t to) const {
  bool found = false;
  for (size_t chain = 0; chain < numChains; ++chain)
    found |= reaches[from][chain] <= reachedBy[to][chain];
  return found;
}

HappensBefore::ChainLabels HappensBefore::firstAfter(ArrayView<uint32_t> ops) {
  needChains();
  ChainLabels first{};
  for (uint32_t op : ops)
    for (size_t chain = 0; chain < numChains; ++chain)
      first[chain] = std::max(first[chain], reaches[position[op]][chain]);
  return first;
}

bool HappensBefore::follows(const ChainLabels &first, uint32_t later) {
  needChains();
  bool found = false;
  for (size_t chain = 0; chain < numChains; ++chain)
    found |= first[chain] <= reachedBy[position[later]][chain];
  return found;
}

ArrayView<uint32_t> HappensBefore::impliedPredecessors(uint32_t op) {
  needChains();
  implied.clear();
  ArrayView<uint32_t> direct = predsAt(position[op]);
  // Per chain the latest vertex that leads to one of the predecessors so far.
  ChainLabels latest{};
  for (size_t i = direct.size(); i-- > 0;) {
    uint32_t at = direct[i];
    bool before = false;
    for (size_t j = i + 1; j < direct.size() && !before; ++j) {
      if (direct[j] - at > AncestorWindow::size)
        break;
      before = direct[j] != at && windows[direct[j]].test(direct[j] - at);
    }
    for (size_t chain = 0; chain < numChains; ++chain)
      before |= reaches[at][chain] <= latest[chain];
    if (before)
      implied.push_back(static_cast<uint32_t>(i));
    for (size_t chain = 0; chain < numChains; ++chain)
      latest[chain] = std::max(latest[chain], reachedBy[at][chain]);
  }
  std::reverse(implied.begin(), implied.end());
  return implied;
}

//===----------------------------------------------------------------------===//
// Sweeps
//===----------------------------------------------------------------------===//

/// One need during firstUnordered(), by position.
struct HappensBefore::Question {
  uint32_t need = 0;
  /// Where the need's later operation is.
  uint32_t target = 0;
  /// Where the first of its earlier operations is.
  uint32_t source = 0;
  /// Its bit in the sweep.
  uint32_t column = 0;
  ArrayView<uint32_t> earlier;
};

ArrayView<uint32_t> HappensBefore::predsFrom(uint32_t low, uint32_t at) const {
  ArrayView<uint32_t> all = predsAt(at);
  const uint32_t *first = all.begin();
  if (first != all.end() && *first < low)
    first = std::lower_bound(first, all.end(), low);
  return {first, static_cast<size_t>(all.end() - first)};
}

/// Gives every position in [low, high] the columns of what it reaches.
void HappensBefore::sweepBack(uint32_t low, uint32_t high) {
  for (uint32_t at = high; at > low; --at) {
    const Columns &own = columns[at - low];
    if (own.isEmpty())
      continue;
    for (uint32_t pred : predsFrom(low, at)) {
      Columns &other = columns[pred - low];
      for (size_t word = 0; word < sweepWidth / 64; ++word)
        other.words[word] |= own.words[word];
    }
  }
}

/// Gives every position in [low, high] the columns of what reaches it.
void HappensBefore::sweepForward(uint32_t low, uint32_t high) {
  for (uint32_t at = low; at <= high; ++at) {
    Columns &own = columns[at - low];
    for (uint32_t pred : predsFrom(low, at)) {
      const Columns &other = columns[pred - low];
      for (size_t word = 0; word < sweepWidth / 64; ++word)
        own.words[word] |= other.words[word];
    }
  }
}

/// The end of the batch that begins at \p begin: questions, sorted by \p key,
/// of which at most sweepWidth keys differ. Numbers their columns.
template <typename Questions, typename Key>
static size_t takeBatch(Questions &questions, size_t begin, uint32_t width,
                        Key key) {
  uint32_t column = 0;
  size_t end = begin;
  for (; end < questions.size(); ++end) {
    if (end > begin && key(questions[end]) != key(questions[end - 1]))
      ++column;
    if (column == width)
      break;
    questions[end].column = column;
  }
  return end;
}

HappensBefore::Unordered
HappensBefore::settleBySource(std::vector<Question> &questions) {
  auto key = [](const Question &question) { return question.source; };
  std::sort(questions.begin(), questions.end(),
            [&](const Question &a, const Question &b) {
              return std::make_pair(a.source, a.need) <
                     std::make_pair(b.source, b.need);
            });
  for (size_t begin = 0, end = 0; begin < questions.size(); begin = end) {
    end = takeBatch(questions, begin, sweepWidth, key);
    uint32_t low = questions[begin].source, high = low;
    for (size_t i = begin; i < end; ++i)
      high = std::max(high, questions[i].target);
    columns.assign(high - low + 1, {});
    for (size_t i = begin; i < end; ++i)
      columns[questions[i].source - low].set(questions[i].column);
    sweepForward(low, high);
    for (size_t i = begin; i < end; ++i)
      if (!columns[questions[i].target - low].test(questions[i].column))
        return {questions[i].need, 0};
  }
  return {};
}

HappensBefore::Unordered
HappensBefore::settleByTarget(std::vector<Question> &questions) {
  auto key = [](const Question &question) { return question.target; };
  std::sort(questions.begin(), questions.end(),
            [&](const Question &a, const Question &b) {
              return std::make_pair(a.target, a.need) <
                     std::make_pair(b.target, b.need);
            });
  for (size_t begin = 0, end = 0; begin < questions.size(); begin = end) {
    end = takeBatch(questions, begin, sweepWidth, key);
    uint32_t high = questions[end - 1].target, low = high;
    for (size_t i = begin; i < end; ++i)
      low = std::min(low, questions[i].source);
    columns.assign(high - low + 1, {});
    for (size_t i = begin; i < end; ++i)
      columns[questions[i].target - low].set(questions[i].column);
    sweepBack(low, high);
    Unordered found =
        lookUp(low, questions.data() + begin, questions.data() + end);
    if (found.need != None)
      return found;
  }
  return {};
}

/// Checks the questions of one sweep; those with the same list together.
HappensBefore::Unordered HappensBefore::lookUp(uint32_t low, Question *begin,
                                               Question *end) const {
  auto list = [](const Question &question) {
    return std::make_pair(question.earlier.begin(), question.earlier.size());
  };
  std::sort(begin, end, [&](const Question &a, const Question &b) {
    return list(a) < list(b);
  });
  Unordered first;
  for (Question *group = begin, *next = begin; group != end; group = next) {
    Columns wanted;
    for (; next != end && list(*next) == list(*group); ++next)
      wanted.set(next->column);
    for (uint32_t i = 0; i < group->earlier.size(); ++i) {
      const Columns &found = columns[position[group->earlier[i]] - low];
      if (found.contain(wanted))
        continue;
      for (Question *question = group; question != next; ++question)
        if (!found.test(question->column) && question->need < first.need)
          first = {question->need, i};
    }
  }
  return first;
}

HappensBefore::Unordered HappensBefore::firstUnordered(ArrayView<Need> needs) {
  std::vector<Question> singles, lists;
  for (uint32_t i = 0; i < needs.size(); ++i) {
    Question question;
    question.need = i;
    question.target = position[needs[i].later];
    question.earlier = needs[i].earlier;
    question.source = question.target;
    for (uint32_t j = 0; j < question.earlier.size(); ++j) {
      uint32_t at = position[question.earlier[j]];
      if (at > question.target)
        return {i, j};
      question.source = std::min(question.source, at);
    }
    (question.earlier.size() == 1 ? singles : lists).push_back(question);
  }
  // A column per source or per target, whichever are fewer.
  auto distinct = [&](auto key) {
    std::vector<uint32_t> keys;
    keys.reserve(singles.size());
    for (const Question &question : singles)
      keys.push_back(key(question));
    std::sort(keys.begin(), keys.end());
    return std::unique(keys.begin(), keys.end()) - keys.begin();
  };
  auto sources = distinct([](const Question &q) { return q.source; });
  auto targets = distinct([](const Question &q) { return q.target; });
  if (sources < targets) {
    Unordered found = settleBySource(singles);
    if (found.need != None)
      return found;
  } else {
    lists.insert(lists.end(), singles.begin(), singles.end());
  }
  return settleByTarget(lists);
}
