//===- BoundCases.cpp - Small problems to solve in another way ------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include <algorithm>
#include <random>

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::bench;

namespace {
/// Draws the tasks of one case.
class BoundCase {
public:
  explicit BoundCase(uint64_t seed) : random(seed), builder(GraphOptions()) {}
  Problem build();

private:
  uint64_t below(uint64_t bound) { return random() % bound; }
  uint64_t someBytes() { return 64 * (1 + below(16)); }
  void addTask();

  std::mt19937_64 random;
  GraphBuilder builder;
  std::vector<uint32_t> tiles;
};
} // namespace

void BoundCase::addTask() {
  std::vector<uint32_t> operands;
  for (uint64_t i = 1 + below(3); i-- > 0;) {
    // Recent tiles more often than old ones.
    size_t back = below(1 + below(tiles.size()));
    uint32_t tile = tiles[tiles.size() - 1 - back];
    if (std::find(operands.begin(), operands.end(), tile) == operands.end())
      operands.push_back(tile);
  }
  uint64_t bytes = someBytes();
  uint32_t inPlace = None;
  if (below(3) == 0) {
    inPlace = static_cast<uint32_t>(below(operands.size()));
    bytes = builder.bytesOf(operands[inPlace]);
  }
  uint32_t result = builder.call(0, operands, {bytes}, 1e-3, inPlace,
                                 below(4) == 0 ? someBytes() : 0);
  if (below(6) == 0)
    builder.result(result);
  tiles.push_back(result);
}

Problem BoundCase::build() {
  for (int i = 0; i < 5; ++i)
    tiles.push_back(i < 4
                        ? builder.parameterOn(builder.parameter(someBytes()), 0)
                        : builder.input(0, someBytes()));
  uint64_t tasks = 10 + below(30);
  while (builder.numTasks() < tasks)
    addTask();
  uint64_t share = 16 + below(10);
  Problem problem = builder.take();
  setCapacity(problem, largestTask(problem) * share / 16);
  return problem;
}

Problem bench::makeBoundCase(uint64_t seed) { return BoundCase(seed).build(); }
