//===- PlacementTest.cpp - What the proof refuses -------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/planner/Placement.h"

#include <gtest/gtest.h>

using namespace turnip;
using namespace turnip::planner;

static Access reads(uint32_t memory, uint64_t offset, uint64_t bytes,
                    uint32_t value) {
  return {memory, value, offset, bytes, Role::Read, None};
}
static Access writes(uint32_t memory, uint64_t offset, uint64_t bytes,
                     uint32_t value, uint32_t inPlaceOf = None) {
  return {memory, value, offset, bytes, Role::Write, inPlaceOf};
}
static Access scratch(uint32_t memory, uint64_t offset, uint64_t bytes) {
  return {memory, None, offset, bytes, Role::Workspace, None};
}

namespace {
/// Three memories: params (read-only), host, dev. Value 1 comes from params by
/// operation 0, operation 1 makes 2 of it, operation 2 copies 2 to the host.
struct Proof : testing::Test {
  Placement placement;

  void SetUp() override {
    placement.memories = {{"params", 4096, 64, false},
                          {"host", 4096, 64, true},
                          {"dev", 1024, 64, true}};
    placement.entry = {{0, 1, 100, 64}};
    placement.exit = {{1, 2, 0, 64}};
    placement.addOp(OpKind::Copy, {reads(0, 100, 64, 1), writes(2, 0, 64, 1)});
    placement.addOp(OpKind::Call, {reads(2, 0, 64, 1), writes(2, 64, 64, 2)});
    placement.addOp(OpKind::Copy, {reads(2, 64, 64, 2), writes(1, 0, 64, 2)});
    placement.edges = {{0, 1, EdgeKind::Data}, {1, 2, EdgeKind::Data}};
  }

  void expectFine() {
    Status status = verifyPlacement(placement);
    EXPECT_TRUE(status.isOk()) << status.message();
  }
  void expectError(const std::string &message) {
    Status status = verifyPlacement(placement);
    ASSERT_FALSE(status.isOk());
    EXPECT_EQ(status.code(), StatusCode::BadInput);
    EXPECT_EQ(status.message(), message);
  }
};
} // namespace

TEST_F(Proof, HoldsInAnyListedOrder) {
  expectFine();
  // The list may run against the edges.
  std::swap(placement.accesses[0], placement.accesses[4]);
  std::swap(placement.accesses[1], placement.accesses[5]);
  placement.edges = {{2, 1, EdgeKind::Data}, {1, 0, EdgeKind::Data}};
  expectFine();
}

TEST_F(Proof, Structure) {
  Placement good = placement;
  placement.accessBegin[1] = 5;
  expectError("access bounds do not divide 6 accesses among 3 operations");
  placement = good;
  placement.memories[1].alignment = 3;
  expectError("memory host: expected a power of two as alignment, but got 3");
  placement = good;
  placement.edges[1].to = 7;
  expectError("edge from 1 to 7: there are only 3 operations");
  placement = good;
  placement.accesses[2].memory = 8;
  expectError("operation 1: memory 8 of access 0 is not one of 3");
  placement = good;
  placement.accesses[2].bytes = 0;
  expectError("operation 1 reads dev[0, 0): expected at least 1 byte, but got "
              "0");
  placement = good;
  placement.accesses[3].offset = 1024 - 32;
  expectError("operation 1 writes dev[992, 1056): exceeds the 1024 bytes of "
              "dev");
  placement = good;
  placement.accesses[3].offset = UINT64_MAX - 63;
  expectError("operation 1 writes dev[18446744073709551552, "
              "18446744073709551552 + 64): exceeds the 1024 bytes of dev");
  placement = good;
  placement.accesses[3].offset = 72;
  expectError("operation 1 writes dev[72, 136): offset 72 is not a multiple of "
              "64");
  placement = good;
  placement.accesses[3].memory = 0;
  expectError("operation 1 writes params[64, 128): params is read-only");
}

TEST_F(Proof, Values) {
  Placement good = placement;
  placement.accesses[3].value = None;
  expectError("operation 1 writes dev[64, 128): expected a value");
  placement = good;
  placement.accesses[3].role = Role::Workspace;
  expectError("operation 1 uses as workspace dev[64, 128): workspace has no "
              "value");
  placement = good;
  placement.accesses[1].value = 5;
  expectError("operation 0: reads params[100, 164) with value 1, but writes "
              "dev[0, 64) with value 5");
  placement = good;
  placement.accesses[1].bytes = 32;
  expectError("operation 0: reads params[100, 164) and writes dev[0, 32), "
              "sizes 64 and 32 differ");
  placement = good;
  placement.kinds[1] = OpKind::Join;
  expectError("operation 1: a join touches nothing, but it reads dev[0, 64)");
  placement = good;
  placement.accesses[1].role = Role::Read;
  expectError("operation 0: a copy reads one range and writes one, but has 2 "
              "accesses");
}

TEST_F(Proof, Pieces) {
  Placement good = placement;
  placement.entry.push_back({9, 3, 0, 64});
  expectError("entry piece: memory 9 is not one of 3");
  placement = good;
  placement.exit.push_back({1, 3, 4096, 64});
  expectError("exit of value 3 in host[4096, 4160): exceeds the 4096 bytes of "
              "host");
  placement = good;
  placement.entry.push_back({1, 3, 32, 64});
  expectError("entry of value 3 in host[32, 96): offset 32 is not a multiple "
              "of 64");
  placement = good;
  placement.entry.push_back({1, 3, 512, 128});
  placement.entry.push_back({1, 4, 576, 64});
  expectError("entry of value 4 in host[576, 640) overlaps entry, which puts "
              "value 3 in host[512, 640)");
}

TEST_F(Proof, Cycle) {
  placement.edges.push_back({2, 0, EdgeKind::Memory});
  Status status = verifyPlacement(placement);
  ASSERT_FALSE(status.isOk());
  EXPECT_NE(status.message().find("its dependencies form a cycle"),
            std::string::npos);
}

TEST_F(Proof, OverlapWithinAnOperation) {
  placement.accesses[3].offset = 0;
  placement.accesses[4].offset = 0;
  expectError("operation 1 reads dev[0, 64) and writes dev[0, 64), which "
              "overlap and are not declared in place");
  placement.accesses[3].inPlaceOf = 0;
  expectFine();
}

TEST_F(Proof, InPlace) {
  Placement good = placement;
  placement.accesses[3].inPlaceOf = 1;
  expectError("operation 1 writes dev[64, 128): is in place of access 1, which "
              "is not an operand");
  placement = good;
  placement.accesses[3].inPlaceOf = 0;
  expectError("operation 1 writes dev[64, 128): is in place of another range, "
              "for it reads dev[0, 64)");
  // A second operand in the same range is not covered by the declaration.
  placement = good;
  placement.kinds = {};
  placement.accesses = {};
  placement.accessBegin = {0};
  placement.exit = {};
  placement.addOp(OpKind::Copy, {reads(0, 100, 64, 1), writes(2, 0, 64, 1)});
  placement.addOp(OpKind::Call, {reads(2, 0, 64, 1), reads(2, 0, 64, 1),
                                 writes(2, 0, 64, 2, 0)});
  placement.edges = {{0, 1, EdgeKind::Data}};
  expectError("operation 1 reads dev[0, 64) and writes dev[0, 64), which "
              "overlap and are not declared in place");
}

TEST_F(Proof, OverlapWithinAnOperationInAnyConstellation) {
  Placement good = placement;
  auto overlapping = [&](std::initializer_list<Access> accesses) {
    placement = good;
    placement.addOp(OpKind::Call, accesses);
    Status status = verifyPlacement(placement);
    return status.message().find("which overlap") != std::string::npos;
  };
  EXPECT_TRUE(overlapping({writes(2, 256, 128, 9), writes(2, 320, 64, 8)}));
  EXPECT_TRUE(overlapping({writes(2, 256, 256, 9), scratch(2, 320, 64)}));
  EXPECT_TRUE(overlapping({scratch(2, 256, 64), writes(2, 256, 64, 9)}));
  EXPECT_TRUE(overlapping(
      {reads(2, 0, 256, 1), reads(2, 0, 64, 1), writes(2, 192, 64, 9)}));
  EXPECT_TRUE(overlapping({reads(2, 64, 64, 1), writes(2, 0, 128, 9)}));
  EXPECT_FALSE(overlapping({writes(2, 256, 64, 9), writes(2, 320, 64, 8)}));
  EXPECT_FALSE(overlapping({writes(1, 256, 64, 9), writes(2, 256, 64, 8)}));
  // Only the operand in whose place the result goes is exempt.
  EXPECT_TRUE(overlapping(
      {reads(2, 0, 128, 1), reads(2, 64, 64, 2), writes(2, 0, 128, 9, 0)}));
  EXPECT_TRUE(overlapping(
      {reads(2, 0, 64, 1), writes(2, 0, 64, 9, 0), writes(2, 0, 64, 8, 0)}));
}

TEST_F(Proof, ReadsFindTheirValue) {
  Placement good = placement;
  placement.accesses[0].offset = 164;
  expectError("operation 0 reads params[164, 228) for value 1, but entry does "
              "not put it there");
  placement = good;
  placement.accesses[2].value = 7;
  expectError("operation 1 reads dev[0, 64) for value 7, but bytes from 0 hold "
              "value 1 from operation 0, which writes dev[0, 64)");
  placement = good;
  placement.accesses[2].offset = 128;
  expectError("operation 1 reads dev[128, 192) for value 1, but nothing is "
              "written there before");
  placement = good;
  placement.accesses[2].bytes = 32;
  expectError("operation 1 reads dev[0, 32) for value 1, but bytes from 0 hold "
              "value 1 from operation 0, which writes dev[0, 64)");
  placement = good;
  placement.edges.erase(placement.edges.begin());
  expectError("operation 1 reads dev[0, 64) for value 1, but is not ordered "
              "after operation 0, which writes dev[0, 64)");
}

TEST_F(Proof, ScratchBytesAreNoValue) {
  placement.addOp(OpKind::Call, {scratch(2, 64, 64)});
  placement.addOp(OpKind::Call, {reads(2, 64, 64, 2)});
  placement.edges.push_back({2, 3, EdgeKind::Memory});
  placement.edges.push_back({3, 4, EdgeKind::Memory});
  expectError("operation 4 reads dev[64, 128) for value 2, but bytes from 64 "
              "hold scratch bytes from operation 3, which uses as workspace "
              "dev[64, 128)");
}

TEST_F(Proof, WritesWaitForReaders) {
  // Overwrites value 1 while operation 1 may still read it.
  placement.addOp(OpKind::Call, {writes(2, 0, 128, 3)});
  placement.edges.push_back({0, 3, EdgeKind::Memory});
  expectError("operation 3 writes dev[0, 128), but is not ordered after "
              "operation 1, which reads dev[0, 64)");
  placement.edges.back().from = 1;
  expectError("operation 3 writes dev[0, 128), but is not ordered after "
              "operation 2, which reads dev[64, 128)");
  placement.edges.back().from = 2;
  expectFine();
}

TEST_F(Proof, WritesWaitForUnreadWrites) {
  placement.addOp(OpKind::Call, {writes(2, 512, 64, 3)});
  placement.addOp(OpKind::Call, {scratch(2, 512, 128)});
  expectError("operation 4 uses as workspace dev[512, 640), but is not ordered "
              "after operation 3, which writes dev[512, 576)");
  placement.edges.push_back({3, 4, EdgeKind::Memory});
  expectFine();
}

TEST_F(Proof, JoinsCarryOrder) {
  // Many readers of value 1, then many small writes over it.
  for (uint32_t i = 0; i < 40; ++i) {
    uint32_t op = placement.addOp(
        OpKind::Call, {reads(2, 0, 64, 1), writes(2, 128, 64, 10 + i)});
    placement.edges.push_back({op - 1, op, EdgeKind::Memory});
  }
  placement.edges.push_back({0, 3, EdgeKind::Data});
  uint32_t join = placement.addOp(OpKind::Join, ArrayView<Access>());
  for (uint32_t op = 1; op < join; ++op)
    placement.edges.push_back({op, join, EdgeKind::Memory});
  for (uint32_t i = 0; i < 4; ++i) {
    uint32_t op = placement.addOp(OpKind::Call, {writes(2, 0, 64, 100 + i)});
    placement.edges.push_back({i == 0 ? join : op - 1, op, EdgeKind::Memory});
  }
  expectFine();
  for (size_t i = 0; i < placement.edges.size(); ++i)
    if (placement.edges[i].to == join && placement.edges[i].from == join - 1)
      placement.edges.erase(placement.edges.begin() + i);
  expectError("operation 44 writes dev[0, 64), but is not ordered after "
              "operation 42, which reads dev[0, 64)");
}

TEST_F(Proof, Exit) {
  Placement good = placement;
  placement.exit[0].value = 8;
  expectError("exit wants value 8 in host[0, 64), but it holds value 2 from "
              "operation 2, which writes host[0, 64)");
  placement = good;
  placement.exit[0].offset = 64;
  expectError("exit wants value 2 in host[64, 128), but nothing fills exactly "
              "that range");
  placement = good;
  placement.exit.push_back({0, 2, 100, 64});
  expectError("exit wants value 2 in params[100, 164), but entry does not put "
              "it there");
  placement.exit.back().value = 1;
  expectFine();
}

TEST_F(Proof, FarApartOperations) {
  // A long chain: the pair in question is farther apart than any window, and
  // ordered through the chain only.
  uint32_t last = 2;
  for (uint32_t i = 0; i < 1000; ++i) {
    uint32_t op = placement.addOp(OpKind::Call, {scratch(2, 256, 64)});
    placement.edges.push_back({last, op, EdgeKind::Memory});
    last = op;
  }
  uint32_t op = placement.addOp(OpKind::Call, {writes(2, 0, 64, 50)});
  placement.edges.push_back({last, op, EdgeKind::Memory});
  expectFine();
  // Broken in the middle: operation 500 no longer waits for 499.
  placement.edges.erase(placement.edges.begin() + 2 + 497);
  expectError("operation 500 uses as workspace dev[256, 320), but is not "
              "ordered after operation 499, which uses as workspace dev[256, "
              "320)");
}

TEST_F(Proof, NamesComeFromTheCaller) {
  placement.accesses[2].value = 7;
  PlacementNames names;
  names.operation = [](uint32_t op) { return "op#" + std::to_string(op); };
  names.value = [](uint32_t value) { return "v" + std::to_string(value); };
  Status status = verifyPlacement(placement, names);
  EXPECT_EQ(status.message(), "op#1 reads dev[0, 64) for v7, but bytes from 0 "
                              "hold v1 from op#0, which writes dev[0, 64)");
}
