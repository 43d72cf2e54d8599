//===- BoundsCommand.cpp - Prints small problems and their bounds ---------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One JSON object per case, for utils/checks/bounds.py, which solves the same
// problems as linear programs.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "turnip/planner/Bounds.h"

#include <numeric>

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::bench;

static unsigned long long number(uint64_t value) { return value; }

static void printList(const char *name, ArrayView<uint32_t> list) {
  std::printf("\"%s\": [", name);
  for (size_t i = 0; i < list.size(); ++i)
    std::printf("%s%u", i == 0 ? "" : ", ", list[i]);
  std::printf("]");
}

static void printCase(uint64_t seed) {
  Problem problem = makeBoundCase(seed);
  std::vector<uint32_t> order(problem.tasks.size());
  std::iota(order.begin(), order.end(), 0);
  TrafficBounds bounds = boundTraffic(problem, order);
  std::printf("{\"seed\": %llu, \"capacity\": %llu, \"incoming\": %.3f, "
              "\"outgoing\": %.3f, \"together\": %.3f, \"tiles\": [",
              number(seed), number(problem.memories[0].capacity),
              bounds.totalIncoming(), bounds.totalOutgoing(),
              boundTogether(problem, order));
  for (size_t i = 0; i < problem.tiles.size(); ++i) {
    const Tile &tile = problem.tiles[i];
    std::printf("%s{\"bytes\": %llu, \"loaded\": %s, \"result\": %s}",
                i == 0 ? "" : ", ", number(tile.bytes),
                tile.initialMemory == None ? "false" : "true",
                tile.finalMemory == None ? "false" : "true");
  }
  std::printf("], \"tasks\": [");
  for (uint32_t task = 0; task < problem.tasks.size(); ++task) {
    std::printf("%s{", task == 0 ? "" : ", ");
    printList("operands", problem.operands(task));
    std::printf(", ");
    printList("results", problem.results(task));
    ArrayView<InPlacePair> pairs = problem.inPlacePairs(task);
    std::printf(", \"workspace\": %llu, \"in_place\": %d}",
                number(problem.tasks[task].workspace),
                pairs.empty() ? -1 : static_cast<int>(pairs[0].operand));
  }
  std::printf("]}\n");
}

Status bench::runBounds(Arguments &arguments) {
  uint64_t cases = 100;
  TURNIP_RETURN_IF_ERROR(arguments.takeNumber("cases", 1, 1000000, cases));
  TURNIP_RETURN_IF_ERROR(arguments.finish());
  for (uint64_t seed = 0; seed < cases; ++seed)
    printCase(seed);
  return Status::ok();
}
