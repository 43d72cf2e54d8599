//===- CheckTaskGraphTest.cpp - One test per message on task graphs -------===//
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

namespace {
/// A way to break a rule, and what checkMeaning says about it behind
/// "entries[0].task_graph".
struct Case {
  const char *name;
  void (*breakRule)(Entry &, TaskGraph &);
  const char *message;
};
} // namespace

static const Case cases[] = {
    {"Location", [](Entry &, TaskGraph &t) { t.location = 2; },
     ".location: expected an index below 2, but got 2"},
    {"TileLocation", [](Entry &, TaskGraph &t) { t.tiles[1].location = 2; },
     ".tiles[1].location: expected an index below 2, but got 2"},
    {"LocationOfResult", [](Entry &, TaskGraph &t) { t.tiles[4].location = 1; },
     ".tiles[4].location: expected none for the result of a task, but got 1"},
    {"TileOrigin",
     [](Entry &, TaskGraph &t) { t.tiles[0].origin = TileOrigin(3); },
     ".tiles[0].origin: expected an enumerator below 3, but got 3"},
    {"TileBytes", [](Entry &, TaskGraph &t) { t.tiles[0].bytes = 0; },
     ".tiles[0].bytes: expected 1 to 2^63 - 1, but got 0"},
    {"TileMemory", [](Entry &, TaskGraph &t) { t.tiles[0].memory = 3; },
     ".tiles[0].memory: expected an index below 3, but got 3"},
    {"TileWithoutDevice", [](Entry &, TaskGraph &t) { t.tiles[0].memory = 2; },
     ".tiles[0].memory: expected the memory of a device, but got params"},
    {"TaskOfAnotherCopy", [](Entry &e, TaskGraph &) { e.vertices[2].task = 1; },
     ": task 1 is carried out by vertices[2], a copy of role load"},
    {"TaskWithoutVertex",
     [](Entry &e, TaskGraph &) { e.vertices[7].task = none; },
     ": no vertex carries out task 4"},
    {"TooFewOperands", [](Entry &, TaskGraph &t) { t.operands.pop_back(); },
     ".operands: task 4 has 2 operands, but 1 are left"},
    {"TooManyOperands", [](Entry &, TaskGraph &t) { t.operands.push_back(0); },
     ".operands: has 10 elements, but the tasks have 9 operands"},
    {"OperandTooLate", [](Entry &, TaskGraph &t) { t.operands[2] = 5; },
     ".operands[2]: expected a tile before tile 5, a result of task 1, but got "
     "5"},
    {"TooFewResults", [](Entry &, TaskGraph &t) { t.tiles.pop_back(); },
     ".tiles: task 4 has 1 results, but only 0 tiles of origin task follow"},
    {"TooManyResults",
     [](Entry &, TaskGraph &t) { t.tiles.push_back(t.tiles.back()); },
     ".tiles[9]: is the result of no task"},
    {"OperandBytes", [](Entry &, TaskGraph &t) { t.operands[4] = 5; },
     ".operands[4]: expected a tile of 256 bytes, but got tile 5 of 128"},
    {"OperandMemory", [](Entry &, TaskGraph &t) { t.operands[3] = 4; },
     ".operands[3]: expected a tile in dev0, but got tile 4 in host"},
    {"ResultBytes", [](Entry &, TaskGraph &t) { t.tiles[6].bytes = 64; },
     ".tiles[6]: expected a tile of 128 bytes, but got tile 6 of 64"},
    {"ResultMemory", [](Entry &, TaskGraph &t) { t.tiles[6].memory = 1; },
     ".tiles[6]: expected a tile in dev0, but got tile 6 in host"},
    {"TransferBytes", [](Entry &, TaskGraph &t) { t.tiles[5].bytes = 64; },
     ".tiles[5]: expected a tile of 128 bytes, but got tile 5 of 64"},
    {"TransferWithin", [](Entry &, TaskGraph &t) { t.tiles[5].memory = 1; },
     ".tiles[5]: is transferred within host"},
    {"ReadValue",
     [](Entry &, TaskGraph &t) { std::swap(t.operands[4], t.operands[6]); },
     ": vertices[3].accesses[1] has value 2, but tile 3 of task 2 holds value "
     "3"},
    {"WriteValue",
     [](Entry &e, TaskGraph &) {
       e.accesses[e.vertices[7].accesses.first + 2].value = 7;
     },
     ": vertices[7].accesses[2] has value 7, but tile 8 of task 4 holds value "
     "8"},
    {"PieceWithoutTile",
     [](Entry &e, TaskGraph &) { e.inputs[0].pieces[0].value = 9; },
     ": inputs[0].pieces[0] has value 9, but there are 9 tiles"},
    {"PieceOrigin",
     [](Entry &e, TaskGraph &) { e.inputs[0].pieces[0].value = 1; },
     ": inputs[0].pieces[0] belongs to tile 1, whose origin is parameter"},
    {"PieceBytes", [](Entry &, TaskGraph &t) { t.tiles[1].bytes = 64; },
     ".operands[1]: expected a tile of 3200 bytes, but got tile 1 of 64"},
    {"PieceOfOtherBytes",
     [](Entry &e, TaskGraph &) { e.parameters[1].pieces[1].value = 1; },
     ": parameters[1].pieces[1] has 256 bytes, but tile 1 has 3200"},
    {"PiecesApart",
     [](Entry &e, TaskGraph &) { e.parameters[1].pieces[1].value = 2; },
     ": parameters[1].pieces[1] lies elsewhere than another piece of tile 2"},
    {"TileWithoutPiece",
     [](Entry &e, TaskGraph &) { e.parameters[1].pieces.pop_back(); },
     ".tiles[3]: is of origin parameter, but no piece has its value"},
    {"TooFewResultTiles", [](Entry &, TaskGraph &t) { t.results.clear(); },
     ".results: has 0 elements, but the results have more pieces"},
    {"TooManyResultTiles",
     [](Entry &, TaskGraph &t) { t.results.push_back(0); },
     ".results: has 2 elements, but the results have 1 pieces"},
    {"ResultTile", [](Entry &, TaskGraph &t) { t.results[0] = 9; },
     ".results[0]: expected an index below 9, but got 9"},
    {"ResultTileBytes", [](Entry &, TaskGraph &t) { t.results[0] = 0; },
     ".results[0]: expected a tile of 128 bytes, but got tile 0 of 16"},
    {"ResultValue", [](Entry &, TaskGraph &t) { t.results[0] = 7; },
     ".results[0]: expected a tile that holds value 8, but got tile 7 that "
     "holds value 7"},
    {"CostKernel", [](Entry &, TaskGraph &t) { t.costs[2].kernel = 3; },
     ".costs[2].kernel: expected an index below 3, but got 3"},
    {"CostDevice", [](Entry &, TaskGraph &t) { t.costs[2].device = 2; },
     ".costs[2].device: expected an index below 2, but got 2"},
    {"CostSeconds", [](Entry &, TaskGraph &t) { t.costs[2].seconds = -1; },
     ".costs[2].seconds: expected a number from 0 upwards, but got -1.000000"},
    {"CostOrder", [](Entry &, TaskGraph &t) { t.costs[2].kernel = 0; },
     ".costs[2]: expected kernel and device after 1 and 0, but got 0 and 0"},
};

TEST(CheckTaskGraph, EveryMessage) {
  for (const Case &test : cases) {
    Module module = makeSample();
    Entry &entry = module.entries[0];
    test.breakRule(entry, *entry.taskGraph);
    Status status = checkMeaning(module);
    EXPECT_EQ(status.message(),
              std::string("entries[0].task_graph") + test.message)
        << test.name;
    EXPECT_EQ(status.code(), StatusCode::BadInput) << test.name;
  }
}

/// A second vertex for a task, as a planner that computes something again
/// would have it.
TEST(CheckTaskGraph, TaskTwice) {
  Module module = makeSample();
  Entry &entry = module.entries[0];
  // The left half again, where it is not needed any more.
  Vertex again = entry.vertices[3];
  std::vector<Access> accesses(entry.accessesOf(again).begin(),
                               entry.accessesOf(again).end());
  addVertex(entry, again, accesses, {{9, EdgeKind::Memory}}, {{0, none}});
  entry.statistics.linkBytes.clear();
  EXPECT_TRUE(checkMeaning(module)) << checkMeaning(module).message();
  entry.vertices.back().task = 3;
  EXPECT_EQ(checkMeaning(module).message(),
            "entries[0].task_graph: vertices[10].accesses[1] has value 2, but "
            "tile 3 of task 3 holds value 3");
  entry.vertices.back().task = 4;
  EXPECT_EQ(checkMeaning(module).message(),
            "entries[0].task_graph: vertices[10] and vertices[7] carry out "
            "task 4, but differ in their kernel");
}

// With or without a task graph, calls that compute one value agree in all that
// it follows from.
TEST(CheckTaskGraph, ValueComputedTwice) {
  Module module = makeSample();
  Entry &entry = module.entries[0];
  Vertex again = entry.vertices[3];
  std::vector<Access> accesses(entry.accessesOf(again).begin(),
                               entry.accessesOf(again).end());
  addVertex(entry, again, accesses, {{9, EdgeKind::Memory}}, {{0, none}});
  entry.statistics.linkBytes.clear();
  const uint32_t value = accesses[2].value;
  const std::string both = "entries[0]: vertices[3] and vertices[10] compute "
                           "value " +
                           std::to_string(value) + ", but differ in their ";
  ASSERT_TRUE(checkMeaning(module)) << checkMeaning(module).message();
  entry.scalars.back().value = 1;
  EXPECT_EQ(checkMeaning(module).message(), both + "scalars");
  entry.scalars.back().value = 0;
  entry.taskGraph.reset();
  ASSERT_TRUE(checkMeaning(module)) << checkMeaning(module).message();
  Access &weight = entry.accesses[entry.vertices.back().accesses.first + 1];
  weight.value += 1;
  EXPECT_EQ(checkMeaning(module).message(), both + "operands");
  weight.value -= 1;
  module.kernels.push_back(module.kernels[again.kernel]);
  module.kernels.back().name = "another";
  entry.vertices.back().kernel =
      static_cast<uint32_t>(module.kernels.size() - 1);
  EXPECT_EQ(checkMeaning(module).message(), both + "kernel");
}
