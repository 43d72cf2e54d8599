//===- TileNames.cpp - What the values of a graph are called --------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileNames.h"

using namespace turnip;
using namespace turnip::runtime;

static std::string sliceName(const artifact::Binding &binding,
                             const artifact::Piece &piece) {
  if (piece.sizes == binding.shape)
    return binding.name;
  std::string text = binding.name + "[";
  for (size_t i = 0; i < piece.sizes.size(); ++i)
    text += (i ? ", " : "") + std::to_string(piece.offsets[i]) + ":" +
            std::to_string(piece.offsets[i] + piece.sizes[i]);
  return text + "]";
}

std::unordered_map<uint32_t, std::string>
runtime::tileNames(const artifact::Entry &entry) {
  std::unordered_map<uint32_t, std::string> names;
  for (const auto *bindings :
       {&entry.parameters, &entry.inputs, &entry.results})
    for (const artifact::Binding &binding : *bindings)
      for (const artifact::Piece &piece : binding.pieces)
        names.emplace(piece.value, sliceName(binding, piece));
  for (const artifact::Vertex &vertex : entry.vertices) {
    if (vertex.kind != artifact::VertexKind::Call ||
        vertex.task == artifact::none)
      continue;
    unsigned numWritten = 0;
    for (const artifact::Access &access : entry.accessesOf(vertex)) {
      if (access.role != artifact::AccessRole::Write)
        continue;
      std::string name = "task " + entry.tasks[vertex.task];
      if (numWritten > 0)
        name += " result " + std::to_string(numWritten);
      names.emplace(access.value, name);
      ++numWritten;
    }
  }
  return names;
}
