//===- ProblemTest.cpp - What check() refuses -----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomProblem.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::test;

namespace {
/// One device, one parameter, one input, and y = f(parameter, input), which is
/// a result: the ground that each test spoils in one place.
struct ProblemCheck : testing::Test {
  Problem problem = makeMachine();
  uint32_t weight, x, y, task;

  void SetUp() override {
    uint64_t offset = 0;
    weight = addParameter(problem, deviceMemory(0), 128, offset);
    x = addInput(problem, deviceMemory(0), 64);
    y = addValue(problem, deviceMemory(0), 64, hostMemory);
    task = addCall(problem, 1, {weight, x}, {y}, 1e-3, 100, {{1, 0}});
    problem.tileNames = {"w", "x", "y"};
    problem.taskNames = {"f"};
  }

  void expectInvalid(const std::string &message) {
    Status status = problem.check();
    ASSERT_FALSE(status.isOk());
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
    EXPECT_EQ(status.message(), message);
    // plan() refuses it in the same words.
    EXPECT_EQ(plan(problem).status().message(), message);
  }
};
} // namespace

TEST_F(ProblemCheck, IsFine) { EXPECT_TRUE(problem.check().isOk()); }

TEST_F(ProblemCheck, Memories) {
  problem.memories[hostMemory].alignment = 48;
  expectInvalid("memory 1 (\"host\"): expected a power of two as alignment, "
                "but got 48");
  problem.memories[hostMemory].alignment = 64;
  problem.memories[hostMemory].writable = false;
  expectInvalid("memory 1 (\"host\"): a memory of kind host must be writable");
  problem.memories[hostMemory].writable = true;
  problem.memories[paramsMemory].writable = true;
  expectInvalid(
      "memory 0 (\"params\"): a memory of kind parameters cannot be writable");
}

TEST_F(ProblemCheck, Devices) {
  problem.devices[1].memory = 9;
  expectInvalid("device 1 (\"dev0\"): its memory 9 is not one of 3");
  problem.devices[1].memory = paramsMemory;
  expectInvalid("device 1 (\"dev0\"): expected a memory of kind device or "
                "host, but got kind parameters");
  problem.devices[1].memory = deviceMemory(0);
  problem.devices[1].backing = None;
  expectInvalid("device 1 (\"dev0\"): backing memory 4294967295 is not one of "
                "3");
  problem.devices[1].backing = paramsMemory;
  expectInvalid("device 1 (\"dev0\"): expected a backing memory of kind host, "
                "but got kind parameters");
  problem.devices[1].backing = hostMemory;
  problem.addDevice({"again", deviceMemory(0), hostMemory});
  expectInvalid("device 2 (\"again\"): shares memory 2 with device 1");
}

TEST_F(ProblemCheck, Links) {
  problem.links[0].source = 7;
  expectInvalid("link 0 (\"params-dev0\"): source memory 7 is not one of 3");
  problem.links[0].source = paramsMemory;
  problem.links[0].destination = 8;
  expectInvalid(
      "link 0 (\"params-dev0\"): destination memory 8 is not one of 3");
  problem.links[0].destination = deviceMemory(0);
  problem.links[0].bytesPerSecond = 0;
  expectInvalid("link 0 (\"params-dev0\"): expected bytes per second above 0, "
                "but got 0.000000");
  problem.links[0].bytesPerSecond = 1;
  problem.links[0].latency = -1;
  expectInvalid("link 0 (\"params-dev0\"): expected a latency of at least 0, "
                "but got -1.000000");
}

TEST_F(ProblemCheck, TilesInMemories) {
  problem.tiles[x].bytes = 0;
  expectInvalid("tile 1 (\"x\"): expected at least 1 byte, but got 0");
  problem.tiles[x].bytes = 64;
  problem.tiles[x].memory = 5;
  expectInvalid("tile 1 (\"x\"): memory 5 is not one of 3");
  problem.tiles[x].memory = paramsMemory;
  expectInvalid("tile 1 (\"x\"): expected a memory of kind device or host, "
                "but got kind parameters");
  problem.tiles[x].memory =
      problem.addMemory({"lonely", MemoryKind::Device, 1 << 20, 64, true});
  expectInvalid("tile 1 (\"x\"): no device has its memory 3");
}

TEST_F(ProblemCheck, TilesAtEntry) {
  problem.tiles[x].initialMemory = 6;
  expectInvalid("tile 1 (\"x\"): initial memory 6 is not one of 3");
  problem.tiles[x].initialMemory =
      problem.addMemory({"dev1", MemoryKind::Device, 1 << 20, 64, true});
  expectInvalid(
      "tile 1 (\"x\"): its memory is 2, but it starts in device memory 3");
  problem.tiles[x].initialMemory = paramsMemory;
  expectInvalid("tile 1 (\"x\"): expected an initial offset in memory "
                "\"params\"");
  problem.memories[paramsMemory].capacity = 1024;
  problem.tiles[x].initialOffset = 1000;
  expectInvalid("tile 1 (\"x\"): 64 bytes at offset 1000 exceed the 1024 "
                "bytes of memory \"params\"");
  problem.tiles[x].initialMemory = hostMemory;
  expectInvalid("tile 1 (\"x\"): expected no initial offset in memory "
                "\"host\", but got 1000");
}

TEST_F(ProblemCheck, HostTilesAtEntry) {
  uint32_t tile = addInput(problem, hostMemory, 64, paramsMemory);
  problem.tiles[tile].initialOffset = 100;
  expectInvalid("tile 3: is read in place at offset 100, which is not a "
                "multiple of 64");
  problem.tiles[tile].initialMemory =
      problem.addMemory({"far", MemoryKind::Host, 1 << 20, 64, true});
  problem.tiles[tile].initialOffset = Unplaced;
  expectInvalid("tile 3: its memory is 1, but it starts in host memory 3");
}

TEST_F(ProblemCheck, TilesAtExit) {
  problem.tiles[y].finalMemory = 4;
  expectInvalid("tile 2 (\"y\"): final memory 4 is not one of 3");
  problem.tiles[y].finalMemory = paramsMemory;
  expectInvalid("tile 2 (\"y\"): expected its own or a host memory at exit, "
                "but got kind parameters");
  problem.tiles[y].finalMemory = None;
  uint32_t tile = addValue(problem, hostMemory, 64, hostMemory);
  expectInvalid(problem.describeTile(tile) +
                ": is wanted at exit, but no task writes it");
}

TEST_F(ProblemCheck, TooManyBytes) {
  problem.tiles[x].bytes = uint64_t(1) << 61;
  expectInvalid("tile 1 (\"x\"): brings all tiles to more than "
                "1152921504606846976 bytes");
}

TEST_F(ProblemCheck, Tasks) {
  problem.tasks[task].device = 3;
  expectInvalid("task 0 (\"f\"): device 3 is not one of 2");
  problem.tasks[task].device = 1;
  problem.tasks[task].cost = std::nan("");
  expectInvalid("task 0 (\"f\"): expected a cost of at least 0, but got nan");
  problem.tasks[task].cost = 0;
  problem.tasks[task].workspace = UINT64_MAX - 64;
  expectInvalid("task 0 (\"f\"): its working set exceeds 64 bits");
  problem.tasks[task].workspace = 0;
  problem.operandList[1] = 12;
  expectInvalid("task 0 (\"f\"): operand 12 is not one of 3 tiles");
  problem.operandList[1] = y;
  expectInvalid(
      "task 0 (\"f\"): reads tile 2 (\"y\"), which no earlier task writes");
  problem.operandList[1] = x;
  problem.resultList[0] = 12;
  expectInvalid("task 0 (\"f\"): result 12 is not one of 3 tiles");
  problem.resultList[0] = x;
  expectInvalid(
      "task 0 (\"f\"): writes tile 1 (\"x\"), which has a value at entry");
}

TEST_F(ProblemCheck, TilesOfTasks) {
  addCall(problem, 1, {x}, {y});
  expectInvalid("task 1: writes tile 2 (\"y\"), which task 0 (\"f\") writes "
                "too");
  problem.resultList[1] = addValue(problem, hostMemory, 64);
  expectInvalid("task 1: runs in memory 2, but tile 3 lies in memory 1");
  problem.tiles[3].memory = deviceMemory(0);
  problem.operandList[2] = addInput(problem, hostMemory, 64);
  expectInvalid("task 1: runs in memory 2, but tile 4 lies in memory 1");
}

TEST_F(ProblemCheck, InPlacePairs) {
  problem.pairList[0].operand = 2;
  expectInvalid("task 0 (\"f\"): in-place operand 2 is not one of 2");
  problem.pairList[0] = {1, 4};
  expectInvalid("task 0 (\"f\"): in-place result 4 is not one of 1");
  problem.pairList[0] = {0, 0};
  expectInvalid("task 0 (\"f\"): in-place tile 0 (\"w\") has 128 bytes, but "
                "tile 2 (\"y\") has 64");
}

TEST_F(ProblemCheck, Transfers) {
  uint32_t moved = addValue(problem, hostMemory, 64);
  uint32_t transfer = addTransfer(problem, 1, y, moved);
  EXPECT_TRUE(problem.check().isOk());
  problem.tasks[transfer].workspace = 64;
  expectInvalid("task 1: a transfer needs no workspace, but asks for 64 bytes");
  problem.tasks[transfer].workspace = 0;
  problem.tiles[moved].bytes = 60;
  expectInvalid("task 1: transfers tile 2 (\"y\") of 64 bytes to tile 3 of 60 "
                "bytes");
  problem.tiles[moved].bytes = 64;
  problem.tiles[moved].memory = deviceMemory(0);
  expectInvalid("task 1: transfers within memory 2");
  problem.tiles[moved].memory = hostMemory;
  problem.addMemory({"dev1", MemoryKind::Device, 1 << 20, 64, true});
  problem.tasks[transfer].device =
      problem.addDevice({"dev1", deviceMemory(1), hostMemory});
  expectInvalid("task 1: is on a device with memory 3, but joins memories 2 "
                "and 1");
  problem.tasks[transfer].device = 1;
  problem.pairList.push_back({0, 0});
  ++problem.pairBegin.back();
  expectInvalid("task 1: a transfer has no in-place pair");
  problem.tasks[task].kind = TaskKind::Transfer;
  expectInvalid("task 0 (\"f\"): a transfer needs 1 operand and 1 result, but "
                "has 2 and 1");
}

TEST_F(ProblemCheck, Bounds) {
  problem.operandBegin.pop_back();
  expectInvalid("operand bounds: expected 2, but got 1");
  problem.operandBegin.push_back(3);
  expectInvalid("operand bounds: expected 0 to 2, but got 0 to 3");
  problem.operandBegin = {5, 2};
  expectInvalid("operand bounds: 5 is followed by 2");
}

TEST_F(ProblemCheck, MissingLinks) {
  problem.links.erase(problem.links.begin() + 2);
  Expected<Plan> refused = plan(problem);
  ASSERT_FALSE(refused.isOk());
  EXPECT_EQ(refused.status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(refused.status().message(),
            "no link from memory \"dev0\" to memory \"host\", which a result "
            "of tile 2 (\"y\") needs");
}

TEST_F(ProblemCheck, SmallestCapCountsTilesOnce) {
  SmallestCap cap = smallestCap(problem, 1);
  EXPECT_EQ(cap.bytes, 128u + 64 + 64 + 128);
  EXPECT_EQ(cap.task, task);
  addCall(problem, 1, {weight, weight, weight},
          {addValue(problem, deviceMemory(0), 256)});
  EXPECT_EQ(smallestCap(problem, 1).bytes, 128u + 256);
  // What must lie on the device at exit counts as well.
  problem.tiles[y].finalMemory = deviceMemory(0);
  problem.tiles[3].finalMemory = deviceMemory(0);
  addCall(problem, 1, {},
          {addValue(problem, deviceMemory(0), 100, deviceMemory(0))});
  cap = smallestCap(problem, 1);
  EXPECT_EQ(cap.bytes, 64u + 256 + 128);
  EXPECT_EQ(cap.task, None);
  problem.memories[deviceMemory(0)].capacity = cap.bytes - 1;
  Expected<Plan> refused = plan(problem);
  ASSERT_FALSE(refused.isOk());
  EXPECT_EQ(
      refused.status().message(),
      "what lies there at entry or exit needs 448 bytes of memory "
      "\"dev0\", which has 447 bytes; the smallest capacity for these tasks "
      "is 448 bytes");
}
