//===- PlacementTest.cpp - The placement proof of an artifact -------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sample.h"
#include "turnip/artifact/Artifact.h"

#include <gtest/gtest.h>

using namespace turnip;
using namespace turnip::artifact;

/// Removes edge \p index of vertex \p vertex.
static void removeEdge(Entry &entry, size_t vertex, size_t index) {
  entry.edges.erase(entry.edges.begin() + entry.vertices[vertex].edges.first +
                    static_cast<std::ptrdiff_t>(index));
  --entry.vertices[vertex].edges.count;
  for (size_t i = vertex + 1; i < entry.vertices.size(); ++i)
    --entry.vertices[i].edges.first;
}

/// What loading says about \p module, whose meaning is right.
static std::string loadError(const Module &module) {
  Expected<std::string> bytes = serialize(module);
  EXPECT_TRUE(bytes) << bytes.status().message();
  if (!bytes)
    return "";
  LoadOptions trusting;
  trusting.verifyPlacement = false;
  EXPECT_TRUE(load(*bytes, trusting));
  Expected<Module> loaded = load(*bytes);
  EXPECT_FALSE(loaded);
  return loaded ? "" : loaded.status().message();
}

TEST(Placement, EveryEdgeIsNeeded) {
  // All but those that another path implies, which are not removed here.
  Module sample = makeSample();
  for (size_t vertex = 0; vertex < sample.entries[0].vertices.size(); ++vertex)
    for (size_t i = 0; i < sample.entries[0].vertices[vertex].edges.count;
         ++i) {
      bool implied = (vertex == 6 || vertex == 7) && i == 0;
      Module module = sample;
      removeEdge(module.entries[0], vertex, i);
      if (implied)
        EXPECT_TRUE(checkPlacement(module)) << vertex << " " << i;
      else
        EXPECT_NE(loadError(module), "") << vertex << " " << i;
    }
}

TEST(Placement, MissingDataEdge) {
  Module module = makeSample();
  removeEdge(module.entries[0], 1, 0);
  EXPECT_EQ(loadError(module),
            "entries[0]: vertices[1] (copy, transfer for rows) reads host[64, "
            "192) for value 4, but is not ordered after vertices[0] (call of "
            "lookup for lookup), which writes host[64, 192)");
}

TEST(Placement, MissingMemoryEdge) {
  Module module = makeSample();
  removeEdge(module.entries[0], 5, 0);
  EXPECT_EQ(loadError(module),
            "entries[0]: vertices[5] (copy, load) writes dev0[128, 384), but "
            "is not ordered after vertices[3] (call of multiply for left), "
            "which reads dev0[128, 384)");
}

TEST(Placement, WrongValue) {
  Module module = makeSample();
  Entry &entry = module.entries[0];
  // Which would be missed before the proof.
  entry.taskGraph.reset();
  entry.accesses[entry.vertices[6].accesses.first + 1].value = 2;
  EXPECT_EQ(loadError(module),
            "entries[0]: vertices[6] (call of multiply for right) reads "
            "dev0[128, 384) for value 2, but bytes from 128 hold value 3 from "
            "vertices[5] (copy, load), which writes dev0[128, 384)");
}

TEST(Placement, ResultThatIsNotThere) {
  Module module = makeSample();
  Entry &entry = module.entries[0];
  entry.results[0].pieces[0].offset = 256;
  entry.statistics.peakBytes[1] = 384;
  EXPECT_EQ(loadError(module), "entries[0]: exit wants value 8 in host[256, "
                               "384), but nothing fills exactly that range");
}
