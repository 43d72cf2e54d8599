//===- CheckRepeats.cpp - Calls that compute the same value ---------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel leaves the same bits for the same operands and scalars on the same
// device. So a value may be computed more than once, by calls that agree in all
// of these.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::artifact;

/// The values that a call reads, or writes, in order.
static std::vector<uint32_t> valuesOf(const Entry &entry, const Vertex &vertex,
                                      AccessRole role) {
  std::vector<uint32_t> values;
  for (const Access &access : entry.accessesOf(vertex))
    if (access.role == role)
      values.push_back(access.value);
  return values;
}

/// In what the two calls differ, or null.
static const char *difference(const Entry &entry, const Vertex &a,
                              const Vertex &b) {
  if (a.kernel != b.kernel)
    return "kernel";
  if (a.engine != b.engine)
    return "device";
  Span<Scalar> left = entry.scalarsOf(a), right = entry.scalarsOf(b);
  if (!std::equal(left.begin(), left.end(), right.begin(), right.end(),
                  [](const Scalar &x, const Scalar &y) {
                    return x.value == y.value && x.argument == y.argument;
                  }))
    return "scalars";
  if (valuesOf(entry, a, AccessRole::Read) !=
      valuesOf(entry, b, AccessRole::Read))
    return "operands";
  if (valuesOf(entry, a, AccessRole::Write) !=
      valuesOf(entry, b, AccessRole::Write))
    return "results";
  return nullptr;
}

Status artifact::checkRepeats(const Path &path, const Entry &entry) {
  std::vector<std::pair<uint32_t, uint32_t>> writers;
  for (uint32_t i = 0; i < entry.vertices.size(); ++i)
    if (entry.vertices[i].kind == VertexKind::Call)
      for (const Access &access : entry.accessesOf(entry.vertices[i]))
        if (access.role == AccessRole::Write)
          writers.emplace_back(access.value, i);
  std::sort(writers.begin(), writers.end());
  for (size_t i = 1; i < writers.size(); ++i) {
    auto [value, vertex] = writers[i];
    auto [before, other] = writers[i - 1];
    if (value != before)
      continue;
    const char *what =
        difference(entry, entry.vertices[other], entry.vertices[vertex]);
    if (what)
      return badAt(path, "vertices[" + std::to_string(other) +
                             "] and vertices[" + std::to_string(vertex) +
                             "] compute value " + std::to_string(value) +
                             ", but differ in their " + what);
  }
  return Status::ok();
}
