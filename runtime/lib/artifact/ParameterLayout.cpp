//===- ParameterLayout.cpp - Where parameters are stored
//--------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/artifact/ParameterLayout.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::artifact;

static uint64_t alignUp(uint64_t bytes, uint64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

ParameterSlice artifact::sliceOf(const Binding &binding, const Piece &piece,
                                 bool inPlace) {
  auto span = [](const std::vector<int64_t> &numbers) {
    return Span<int64_t>(numbers.data(), numbers.size());
  };
  return {binding.name,      span(binding.shape),    span(piece.offsets),
          span(piece.sizes), byteSize(binding.type), inPlace};
}

static uint64_t bytesOf(const ParameterSlice &slice) {
  auto bytes = static_cast<uint64_t>(slice.elementBytes);
  for (int64_t size : slice.sizes)
    bytes *= static_cast<uint64_t>(size);
  return bytes;
}

/// The distance in bytes of the slice's first element from the parameter's.
static uint64_t beginOf(const ParameterSlice &slice) {
  int64_t elements = 0;
  for (size_t dim = 0; dim < slice.shape.size(); ++dim)
    elements = elements * slice.shape[dim] + slice.offsets[dim];
  return static_cast<uint64_t>(elements * slice.elementBytes);
}

/// Elements follow each other where, after the first dimension of size above 1,
/// every dimension is whole.
static bool isContiguous(const ParameterSlice &slice) {
  size_t dim = 0;
  while (dim < slice.sizes.size() && slice.sizes[dim] == 1)
    ++dim;
  for (++dim; dim < slice.sizes.size(); ++dim)
    if (slice.sizes[dim] != slice.shape[dim])
      return false;
  return true;
}

static std::vector<int64_t> keyOf(const ParameterSlice &slice) {
  std::vector<int64_t> key(slice.shape.begin(), slice.shape.end());
  key.insert(key.end(), slice.offsets.begin(), slice.offsets.end());
  key.insert(key.end(), slice.sizes.begin(), slice.sizes.end());
  return key;
}

/// Whether \p slice is stored as a part of its parameter. One that a kernel
/// reads in place must also be aligned there.
bool ParameterLayout::isPart(const ParameterSlice &slice) const {
  return isContiguous(slice) &&
         (!slice.inPlace || beginOf(slice) % alignment == 0);
}

void ParameterLayout::add(const ParameterSlice &slice) {
  auto [it, inserted] =
      names.try_emplace(std::string(slice.name), parameters.size());
  if (inserted)
    parameters.emplace_back();
  Parameter &parameter = parameters[it->second];
  uint64_t bytes = bytesOf(slice);
  if (isPart(slice)) {
    uint64_t begin = beginOf(slice);
    parameter.intervals.push_back({begin, begin + bytes, 0});
  } else {
    parameter.packed[keyOf(slice)] = {0, bytes};
  }
}

/// Unites intervals that touch or overlap.
template <typename Interval>
static void merge(std::vector<Interval> &intervals) {
  std::vector<Interval> merged;
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval &a, const Interval &b) {
              return std::make_pair(a.begin, a.end) <
                     std::make_pair(b.begin, b.end);
            });
  for (const Interval &interval : intervals) {
    if (!merged.empty() && interval.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, interval.end);
    else
      merged.push_back(interval);
  }
  intervals = std::move(merged);
}

/// Intervals keep their distance from a multiple of the alignment, so that
/// slices that are aligned in the parameter are aligned in memory.
void ParameterLayout::finish() {
  for (Parameter &parameter : parameters) {
    merge(parameter.intervals);
    for (Interval &interval : parameter.intervals) {
      interval.offset = alignUp(end, alignment) + interval.begin % alignment;
      end = interval.offset + (interval.end - interval.begin);
    }
    for (auto &[key, place] : parameter.packed) {
      place.first = alignUp(end, alignment);
      end = place.first + place.second;
    }
  }
}

uint64_t ParameterLayout::offsetOf(const ParameterSlice &slice) const {
  const Parameter &parameter = parameters[names.find(slice.name)->second];
  if (!isPart(slice))
    return parameter.packed.at(keyOf(slice)).first;
  uint64_t begin = beginOf(slice);
  auto it =
      std::upper_bound(parameter.intervals.begin(), parameter.intervals.end(),
                       begin, [](uint64_t value, const Interval &interval) {
                         return value < interval.begin;
                       });
  const Interval &interval = *std::prev(it);
  return interval.offset + (begin - interval.begin);
}
