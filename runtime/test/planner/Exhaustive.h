//===- Exhaustive.h - Every order of a small plan ---------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An oracle that shares nothing with the planner's own proof: it carries out a
// plan on symbolic bytes in every order that the edges allow. What an operation
// must read is taken from the problem, not from what the plan says it reads.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TEST_PLANNER_EXHAUSTIVE_H
#define TURNIP_TEST_PLANNER_EXHAUSTIVE_H

#include "turnip/planner/Plan.h"

#include <map>
#include <set>

namespace turnip::planner::test {

enum class Outcome {
  /// Every order computes what the problem asks for.
  Right,
  /// Some order does not, or there is none.
  Wrong,
  /// More states than the limit.
  TooLarge,
};

class Exhaustive {
public:
  Exhaustive(const Problem &problem, const Plan &plan, size_t limit)
      : problem(problem), plan(plan), limit(limit),
        values(valuesOfTiles(problem)) {}

  Outcome run() {
    size_t numOps = plan.placement.numOps();
    // States by the set of operations done; where orders disagree about the
    // bytes, a set has several.
    std::set<std::pair<std::vector<bool>, State>> frontier, following;
    frontier.insert({std::vector<bool>(numOps, false), initial()});
    size_t seen = 1;
    for (size_t done = 0; done < numOps; ++done) {
      following.clear();
      for (const auto &[set, state] : frontier)
        for (uint32_t op = 0; op < numOps; ++op) {
          if (set[op] || !isReady(op, set))
            continue;
          State after = state;
          if (!perform(op, after))
            return Outcome::Wrong;
          std::vector<bool> more = set;
          more[op] = true;
          if (following.emplace(std::move(more), std::move(after)).second &&
              ++seen > limit)
            return Outcome::TooLarge;
        }
      if (following.empty())
        return Outcome::Wrong;
      std::swap(frontier, following);
    }
    for (const auto &[set, state] : frontier)
      if (!finished(state))
        return Outcome::Wrong;
    return Outcome::Right;
  }

private:
  /// What a byte holds: a value and which of its bytes.
  using Byte = std::pair<uint32_t, uint64_t>;
  /// Bytes of writable memories by (memory, address); absent ones are unknown.
  using State = std::map<std::pair<uint32_t, uint64_t>, Byte>;

  State initial() {
    State state;
    for (size_t i = 0; i < plan.placement.entry.size(); ++i) {
      const Piece &piece = plan.placement.entry[i];
      if (plan.placement.memories[piece.memory].writable)
        put(state, piece.memory, piece.offset, plan.entryTiles[i]);
      else
        constants.insert({piece.memory, piece.offset,
                          values[plan.entryTiles[i]], piece.bytes});
    }
    return state;
  }

  bool isReady(uint32_t op, const std::vector<bool> &done) const {
    for (const Edge &edge : plan.placement.edges)
      if (edge.to == op && !done[edge.from])
        return false;
    return true;
  }

  void put(State &state, uint32_t memory, uint64_t offset, uint32_t tile) {
    for (uint64_t i = 0; i < problem.tiles[tile].bytes; ++i)
      state[{memory, offset + i}] = {values[tile], i};
  }

  bool holds(const State &state, uint32_t memory, uint64_t offset,
             uint32_t tile) const {
    uint64_t bytes = problem.tiles[tile].bytes;
    if (!plan.placement.memories[memory].writable)
      return constants.count({memory, offset, values[tile], bytes}) != 0;
    for (uint64_t i = 0; i < bytes; ++i) {
      auto found = state.find({memory, offset + i});
      if (found == state.end() || found->second != Byte(values[tile], i))
        return false;
    }
    return true;
  }

  bool perform(uint32_t op, State &state) {
    ArrayView<Access> accesses = plan.placement.accessesOf(op);
    uint32_t task = plan.ops[op].task;
    if (plan.placement.kinds[op] == OpKind::Copy) {
      // A copy moves whatever bytes are there; a wrong one shows when read.
      if (plan.placement.memories[accesses[0].memory].writable) {
        std::vector<std::pair<bool, Byte>> bytes;
        for (uint64_t i = 0; i < accesses[0].bytes; ++i) {
          auto found = state.find({accesses[0].memory, accesses[0].offset + i});
          bool known = found != state.end();
          bytes.emplace_back(known, known ? found->second : Byte());
        }
        for (uint64_t i = 0; i < accesses[1].bytes; ++i) {
          auto at = std::make_pair(accesses[1].memory, accesses[1].offset + i);
          if (i < bytes.size() && bytes[i].first)
            state[at] = bytes[i].second;
          else
            state.erase(at);
        }
        return true;
      }
      uint32_t tile = accesses[0].value;
      if (!holds(state, accesses[0].memory, accesses[0].offset, tile))
        return false;
      put(state, accesses[1].memory, accesses[1].offset, tile);
      return true;
    }
    if (plan.placement.kinds[op] == OpKind::Join)
      return true;
    ArrayView<uint32_t> operands = problem.operands(task);
    ArrayView<uint32_t> results = problem.results(task);
    for (size_t i = 0; i < operands.size(); ++i)
      if (!holds(state, accesses[i].memory, accesses[i].offset, operands[i]))
        return false;
    size_t next = operands.size();
    // Scratch bytes end up as anything, and so do results that it covers.
    if (problem.tasks[task].workspace != 0) {
      const Access &scratch = accesses[next + results.size()];
      for (uint64_t i = 0; i < problem.tasks[task].workspace; ++i)
        state.erase({scratch.memory, scratch.offset + i});
    }
    for (uint32_t tile : results) {
      put(state, accesses[next].memory, accesses[next].offset, tile);
      ++next;
    }
    if (problem.tasks[task].workspace != 0) {
      const Access &scratch = accesses[next];
      for (uint64_t i = 0; i < problem.tasks[task].workspace; ++i)
        state.erase({scratch.memory, scratch.offset + i});
    }
    return true;
  }

  bool finished(const State &state) const {
    for (size_t i = 0; i < plan.placement.exit.size(); ++i) {
      const Piece &piece = plan.placement.exit[i];
      if (!holds(state, piece.memory, piece.offset, plan.exitTiles[i]))
        return false;
    }
    return true;
  }

  const Problem &problem;
  const Plan &plan;
  size_t limit;
  std::vector<uint32_t> values;
  /// (memory, offset, value, bytes) of read-only memories at entry.
  std::set<std::tuple<uint32_t, uint64_t, uint32_t, uint64_t>> constants;
};

} // namespace turnip::planner::test

#endif // TURNIP_TEST_PLANNER_EXHAUSTIVE_H
