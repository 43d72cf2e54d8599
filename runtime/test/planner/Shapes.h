//===- Shapes.h - Graphs with the shapes of real ones -----------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TEST_PLANNER_SHAPES_H
#define TURNIP_TEST_PLANNER_SHAPES_H

#include "RandomProblem.h"

namespace turnip::planner::test {

/// A transformer's forward pass over 64 positions, with the sizes of a model
/// of 135 million parameters in f32 cut into tiles of at most 4 MiB: every
/// parameter is read once, activations are small, logits are results. Task
/// costs follow floating point operations and sum up to \p seconds.
inline Problem streamingProblem(uint32_t layers, double seconds,
                                const MachineShape &machine) {
  constexpr uint64_t rows = 64, width = 576, groups = 192, inner = 1536;
  constexpr uint64_t vocabulary = 49152, slice = 1536;
  Problem problem = makeMachine(machine);
  uint32_t memory = deviceMemory(0);
  uint64_t offset = 0;
  auto value = [&](uint64_t columns, uint32_t finalMemory = None) {
    return addValue(problem, memory, rows * columns * 4, finalMemory);
  };
  auto multiply = [&](uint32_t x, uint64_t from, uint64_t to, uint32_t result) {
    uint32_t weight = addParameter(problem, memory, from * to * 4, offset);
    addCall(problem, 1, {x, weight}, {result},
            static_cast<double>(rows * from * to), from * 4 * 64);
    return result;
  };
  auto combine = [&](const std::vector<uint32_t> &operands, uint64_t columns) {
    uint32_t result = value(columns);
    addCall(problem, 1, operands, {result},
            static_cast<double>(rows * columns * 8), 0, {{0, 0}});
    return result;
  };
  uint32_t x = addInput(problem, memory, rows * width * 4);
  for (uint32_t layer = 0; layer < layers; ++layer) {
    uint32_t normed = combine({x}, width);
    uint32_t q = multiply(normed, width, width, value(width));
    uint32_t k = multiply(normed, width, groups, value(groups));
    uint32_t v = multiply(normed, width, groups, value(groups));
    uint32_t scores = combine({q, k}, rows * 9);
    uint32_t mixed = combine({scores, v}, width);
    uint32_t out = multiply(mixed, width, width, value(width));
    x = combine({x, out}, width);
    normed = combine({x}, width);
    uint32_t gate = multiply(normed, width, inner, value(inner));
    uint32_t up = multiply(normed, width, inner, value(inner));
    uint32_t act = combine({gate, up}, inner);
    uint32_t down = multiply(act, inner, width, value(width));
    x = combine({x, down}, width);
  }
  for (uint64_t at = 0; at < vocabulary; at += slice)
    multiply(x, width, slice, value(slice, hostMemory));
  double total = 0;
  for (const Task &task : problem.tasks)
    total += task.cost;
  for (Task &task : problem.tasks)
    task.cost *= seconds / total;
  return problem;
}

/// Layers of \p width tasks; each reads \p fan random tiles of the layer
/// before, of one some layers back, and a parameter that is used in several
/// places.
inline Problem layeredProblem(uint32_t layers, uint32_t width, uint32_t fan,
                              uint64_t tileBytes, uint64_t seed,
                              const MachineShape &machine = {}) {
  std::mt19937_64 random(seed);
  Problem problem = makeMachine(machine);
  uint32_t memory = deviceMemory(0);
  uint64_t offset = 0;
  std::vector<uint32_t> parameters;
  parameters.reserve(size_t(2) * width);
  for (uint32_t i = 0; i < 2 * width; ++i)
    parameters.push_back(addParameter(problem, memory, tileBytes, offset));
  std::vector<uint32_t> tiles;
  tiles.reserve(size_t(layers + 1) * width);
  for (uint32_t i = 0; i < width; ++i)
    tiles.push_back(addInput(problem, memory, tileBytes));
  for (uint32_t layer = 0; layer < layers; ++layer)
    for (uint32_t i = 0; i < width; ++i) {
      std::vector<uint32_t> operands{parameters[random() % parameters.size()]};
      size_t begin = size_t(layer) * width;
      for (uint32_t j = 0; j < fan; ++j)
        operands.push_back(tiles[begin + random() % width]);
      size_t back = random() % (size_t(layer) + 1);
      operands.push_back(tiles[begin - back * width + random() % width]);
      bool last = layer + 1 == layers;
      uint32_t result =
          addValue(problem, memory, tileBytes, last ? hostMemory : None);
      addCall(problem, 1, operands, {result});
      tiles.push_back(result);
    }
  return problem;
}

} // namespace turnip::planner::test

#endif // TURNIP_TEST_PLANNER_SHAPES_H
