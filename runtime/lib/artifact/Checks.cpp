//===- Checks.cpp - What the checks of a module share ---------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include <algorithm>
#include <cmath>

using namespace turnip;
using namespace turnip::artifact;

std::string Path::str() const {
  if (!parent)
    return field;
  if (field)
    return parent->str() + "." + field;
  return parent->str() + "[" + std::to_string(index) + "]";
}

Status artifact::badAt(const Path &path, const std::string &what) {
  return Status::error(StatusCode::BadInput, path.str() + ": " + what);
}

Status artifact::mismatchAt(const Path &path, const std::string &expected,
                            const std::string &got) {
  return badAt(path, "expected " + expected + ", but got " + got);
}

Status artifact::mismatchAt(const Path &path, uint64_t expected, uint64_t got) {
  return mismatchAt(path, std::to_string(expected), std::to_string(got));
}

Status artifact::checkIndex(const Path &path, uint64_t index, uint64_t count) {
  if (index < count)
    return Status::ok();
  return mismatchAt(path, "an index below " + std::to_string(count),
                    index == none ? "none" : std::to_string(index));
}

Status artifact::checkOptionalIndex(const Path &path, uint32_t index,
                                    uint64_t count) {
  return index == none ? Status::ok() : checkIndex(path, index, count);
}

Status artifact::checkEnum(const Path &path, unsigned value, unsigned count) {
  if (value < count)
    return Status::ok();
  return mismatchAt(path, "an enumerator below " + std::to_string(count),
                    std::to_string(value));
}

Status artifact::checkMeasure(const Path &path, double value) {
  if (std::isfinite(value) && value >= 0)
    return Status::ok();
  return mismatchAt(path, "a number from 0 upwards", std::to_string(value));
}

std::string artifact::rangeText(const Memory &memory, uint64_t offset,
                                uint64_t bytes) {
  return "bytes [" + std::to_string(offset) + ", " +
         std::to_string(offset + bytes) + ") of " + memory.name;
}

Status artifact::checkWithin(const Path &path, const Memory &memory,
                             uint64_t offset, uint64_t bytes) {
  if (bytes == 0)
    return badAt(path, "expected at least 1 byte, but got 0");
  if (offset <= memory.capacity && bytes <= memory.capacity - offset)
    return Status::ok();
  return mismatchAt(path,
                    "bytes within the " + std::to_string(memory.capacity) +
                        " of " + memory.name,
                    std::to_string(bytes) + " at offset " +
                        std::to_string(offset));
}

Status artifact::checkNames(const Path &list,
                            const std::vector<std::string_view> &names) {
  std::vector<size_t> order(names.size());
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    if (names[i].empty())
      return badAt(Path(Path(list, i), "name"),
                   "expected a name, but got none");
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return names[a] != names[b] ? names[a] < names[b] : a < b;
  });
  for (size_t i = 1; i < order.size(); ++i)
    if (names[order[i]] == names[order[i - 1]])
      return badAt(Path(Path(list, order[i]), "name"),
                   "'" + std::string(names[order[i]]) +
                       "' is also the name of element " +
                       std::to_string(order[i - 1]));
  return Status::ok();
}
