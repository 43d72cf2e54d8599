//===- MappedParameters.cpp - Parameters copied from their file -----------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MappedParameters.h"

#include "Slices.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::runtime;

ParameterReaders::ParameterReaders(const artifact::Module &module,
                                   const artifact::Entry &entry) {
  std::map<uint32_t, std::map<std::pair<uint64_t, uint64_t>, Range>> found;
  for (uint32_t v = 0; v < entry.vertices.size(); ++v) {
    const artifact::Vertex &vertex = entry.vertices[v];
    for (const artifact::Access &access : entry.accessesOf(vertex)) {
      if (module.machine.memories[access.memory].kind !=
          artifact::MemoryKind::Parameters)
        continue;
      Range &range = found[access.memory][{access.offset, access.bytes}];
      range.offset = access.offset;
      range.bytes = access.bytes;
      if (vertex.kind == artifact::VertexKind::Copy &&
          access.role == artifact::AccessRole::Read)
        range.copies.push_back(v);
      else
        range.isCalledOn = true;
    }
  }
  for (auto &[memory, byPlace] : found) {
    uint64_t end = 0;
    for (auto &[place, range] : byPlace) {
      end = std::max(end, range.offset + range.bytes);
      ends[memory].push_back(end);
      ranges[memory].push_back(std::move(range));
    }
  }
}

const std::vector<uint32_t> &ParameterReaders::copiesOf(uint32_t memory,
                                                        uint64_t offset,
                                                        uint64_t bytes) const {
  static const std::vector<uint32_t> nothing;
  auto all = ranges.find(memory);
  if (all == ranges.end())
    return nothing;
  const std::vector<Range> &sorted = all->second;
  const std::vector<uint64_t> &largest = ends.at(memory);
  auto behind = std::lower_bound(
      sorted.begin(), sorted.end(), offset + bytes,
      [](const Range &range, uint64_t end) { return range.offset < end; });
  const std::vector<uint32_t> *exact = &nothing;
  for (auto i = static_cast<size_t>(behind - sorted.begin()); i > 0; --i) {
    if (largest[i - 1] <= offset)
      break;
    const Range &range = sorted[i - 1];
    if (range.offset + range.bytes <= offset)
      continue;
    if (range.offset != offset || range.bytes != bytes || range.isCalledOn)
      return nothing;
    exact = &range.copies;
  }
  return *exact;
}

const void *
turnip::runtime::findMapped(const parameters::ParameterProvider &provider,
                            const artifact::Binding &binding,
                            const artifact::Piece &piece) {
  // Only what is in one piece outside is in one piece there.
  int64_t runs = 0, first = 0, count = 0;
  forEachRun(binding.shape, piece.offsets, piece.sizes,
             [&](int64_t whole, int64_t /*part*/, int64_t length) {
               first = whole;
               count = length;
               return ++runs < 2;
             });
  return runs == 1 ? provider.mapped(binding.name, first, count, binding.type)
                   : nullptr;
}
