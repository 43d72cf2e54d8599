//===- ParameterLayout.cpp - Where parameters are stored ------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParameterLayout.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace turnip;

static task::Box boxOf(task::ParameterOp op) {
  return task::boxOf(op, op.getTile().getType().getElementType());
}

static std::vector<int64_t> keyOf(const task::Box &box) {
  std::vector<int64_t> key(box.shape.begin(), box.shape.end());
  key.insert(key.end(), box.offsets.begin(), box.offsets.end());
  key.insert(key.end(), box.sizes.begin(), box.sizes.end());
  return key;
}

bool ParameterLayout::isPart(const task::Box &box, task::ParameterOp op) const {
  return isContiguous(box) && (!op.getTile().getType().getPlace().isHost() ||
                               boxByteOffset(box) % alignment == 0);
}

void ParameterLayout::add(task::ParameterOp op) {
  auto [it, inserted] = names.try_emplace(op.getName(), parameters.size());
  if (inserted)
    parameters.emplace_back();
  Parameter &parameter = parameters[it->second];
  task::Box box = boxOf(op);
  uint64_t bytes = op.getTile().getType().getSizeInBytes();
  if (isPart(box, op)) {
    uint64_t begin = boxByteOffset(box);
    parameter.intervals.push_back({begin, begin + bytes, 0});
  } else {
    parameter.packed[keyOf(box)] = {0, bytes};
  }
}

/// Unites intervals that touch or overlap.
void ParameterLayout::merge(Parameter &parameter) {
  std::vector<Interval> merged;
  llvm::sort(parameter.intervals, [](const Interval &a, const Interval &b) {
    return std::make_pair(a.begin, a.end) < std::make_pair(b.begin, b.end);
  });
  for (const Interval &interval : parameter.intervals) {
    if (!merged.empty() && interval.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, interval.end);
    else
      merged.push_back(interval);
  }
  parameter.intervals = std::move(merged);
}

/// Intervals keep their distance from a multiple of the alignment, so that
/// slices that are aligned in the parameter are aligned in memory.
void ParameterLayout::finish() {
  for (Parameter &parameter : parameters) {
    merge(parameter);
    for (Interval &interval : parameter.intervals) {
      interval.offset =
          llvm::alignTo(end, alignment) + interval.begin % alignment;
      end = interval.offset + (interval.end - interval.begin);
    }
    for (auto &[key, place] : parameter.packed) {
      place.first = llvm::alignTo(end, alignment);
      end = place.first + place.second;
    }
  }
}

uint64_t ParameterLayout::offsetOf(task::ParameterOp op) const {
  const Parameter &parameter = parameters[names.lookup(op.getName())];
  task::Box box = boxOf(op);
  if (!isPart(box, op))
    return parameter.packed.at(keyOf(box)).first;
  uint64_t begin = boxByteOffset(box);
  auto it = llvm::upper_bound(parameter.intervals, begin,
                              [](uint64_t value, const Interval &interval) {
                                return value < interval.begin;
                              });
  const Interval &interval = *std::prev(it);
  return interval.offset + (begin - interval.begin);
}
