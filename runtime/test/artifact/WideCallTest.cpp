//===- WideCallTest.cpp - Calls with many buffers -------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls with more than a few buffers are checked by sorting them.
//
//===----------------------------------------------------------------------===//

#include "Sample.h"
#include "turnip/artifact/Artifact.h"

#include <gtest/gtest.h>

using namespace turnip;
using namespace turnip::artifact;

namespace {
constexpr uint32_t count = 20, params = 2, host = 1, dev = 0;
constexpr uint32_t loadLink = 1, storeLink = 2;
/// The operand of 256 bytes, the result that replaces none, and their places.
constexpr uint64_t largeAt = uint64_t(64) * 32, freshAt = uint64_t(64) * 48;

uint64_t slot(uint32_t index) { return uint64_t(64) * index; }

/// A call with 20 operands whose places its results take, an operand of 256
/// bytes and a result more.
class WideCall : public testing::Test {
protected:
  Module module;
  Entry entry;
  std::vector<Access> buffers;

  void SetUp() override {
    module = makeSample();
    module.machine.memories[dev].capacity = 1 << 16;
    module.entries.clear();
    Kernel kernel;
    kernel.name = "wide";
    kernel.signature = "() -> ()";
    for (uint32_t i = 0; i < count; ++i)
      kernel.inPlace.push_back({i, i});
    kernel.operandBytes.assign(count, 64);
    kernel.operandBytes.push_back(256);
    kernel.resultBytes.assign(count + 1, 64);
    module.kernels = {kernel};
    for (uint32_t i = 0; i < count; ++i)
      buffers.push_back({slot(i), 64, i, dev, AccessRole::Read});
    buffers.push_back({largeAt, 256, count, dev, AccessRole::Read});
    for (uint32_t i = 0; i < count; ++i)
      buffers.push_back({slot(i), 64, 100 + i, dev, AccessRole::Write});
    buffers.push_back({freshAt, 64, 100 + count, dev, AccessRole::Write});
  }

  void addCopy(Access from, Access to, uint32_t link, CopyRole role,
               const std::vector<Edge> &edges) {
    Vertex vertex;
    vertex.kind = VertexKind::Copy;
    vertex.role = role;
    vertex.engine = static_cast<uint16_t>(link);
    from.role = AccessRole::Read;
    to.role = AccessRole::Write;
    addVertex(entry, vertex, {from, to}, edges);
  }

  /// Loads all operands, calls, stores all results, each in its own tensor.
  void build() {
    entry.name = "main";
    std::vector<Edge> loaded;
    for (uint32_t i = 0; i <= count; ++i) {
      Access from = buffers[i], to = from;
      from.memory = params;
      loaded.push_back({i, EdgeKind::Data});
      addCopy(from, to, loadLink, CopyRole::Load, {});
      bind(entry.parameters, "p" + std::to_string(i), from);
    }
    Vertex call;
    call.kernel = 0;
    call.engine = dev;
    addVertex(entry, call, buffers, loaded);
    for (uint32_t i = 0; i <= count; ++i) {
      Access from = buffers[count + 1 + i], to = from;
      to.memory = host;
      to.offset = slot(i);
      addCopy(from, to, storeLink, CopyRole::Result,
              {{count + 1, EdgeKind::Data}});
      bind(entry.results, "y" + std::to_string(i), to);
    }
    module.entries = {entry};
  }

  static void bind(std::vector<Binding> &bindings, const std::string &name,
                   const Access &access) {
    auto bytes = static_cast<int64_t>(access.bytes);
    Binding binding;
    binding.name = name;
    binding.type = ElementType::I8;
    binding.shape = binding.fileShape = {bytes};
    binding.pieces.push_back(
        {{0}, {bytes}, access.memory, access.offset, access.value});
    bindings.push_back(binding);
  }

  std::string error() {
    build();
    Status status = checkMeaning(module);
    return status ? checkPlacement(module).message() : status.message();
  }
};
} // namespace

TEST_F(WideCall, ResultsTakeOperandsPlaces) { EXPECT_EQ(error(), ""); }

TEST_F(WideCall, OnlyAsTheKernelAllows) {
  std::swap(buffers[count + 1 + 3].offset, buffers[count + 1 + 4].offset);
  EXPECT_EQ(error(), "entries[0].vertices[21].accesses[25]: bytes [192, 256) "
                     "of dev0 overlaps access 3, bytes [192, 256) of dev0");
}

TEST_F(WideCall, ResultsDoNotShare) {
  buffers.back().offset = slot(4);
  EXPECT_EQ(error(), "entries[0].vertices[21].accesses[41]: bytes [256, 320) "
                     "of dev0 overlaps access 25, bytes [256, 320) of dev0");
}

TEST_F(WideCall, ResultsInsideOperands) {
  buffers.back().offset = largeAt + 128;
  EXPECT_EQ(error(), "entries[0].vertices[21].accesses[41]: bytes [2176, 2240) "
                     "of dev0 overlaps access 20, bytes [2048, 2304) of dev0");
}

TEST_F(WideCall, TheProofKnowsWhoseReadersAreLeft) {
  build();
  // A reader of operand 7 that the call does not wait for.
  Entry &main = module.entries[0];
  Vertex late;
  late.kind = VertexKind::Copy;
  late.role = CopyRole::Offload;
  late.engine = storeLink;
  Access from = buffers[7], to = from;
  to.memory = host;
  to.offset = slot(50);
  to.role = AccessRole::Write;
  addVertex(main, late, {from, to}, {{7, EdgeKind::Data}});
  EXPECT_EQ(checkPlacement(module).message(),
            "entries[0]: vertices[43] (copy, offload) reads dev0[448, 512) for "
            "value 7, but bytes from 448 hold value 107 from vertices[21] "
            "(call of wide), which writes dev0[448, 512)");
}
