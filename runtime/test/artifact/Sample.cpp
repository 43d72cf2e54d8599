//===- Sample.cpp - A small module for tests ------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sample.h"

#include "turnip/artifact/Artifact.h"
#include "turnip/artifact/memgraph_generated.h"

#include <cstring>

using namespace turnip;
using namespace turnip::artifact;

namespace {
enum MemoryIndex : uint16_t { Dev, Ram, Params };
enum DeviceIndex : uint16_t { Gpu, Cpu };
enum LinkIndex : uint16_t { RamToDev, ParamsToDev, DevToRam };
enum KernelIndex : uint32_t { Lookup, Multiply, Add };

/// The values of the sample's entry, and its tiles. RowsOnDevice holds Rows.
enum ValueIndex : uint32_t {
  Tokens,
  Table,
  WeightLeft,
  WeightRight,
  Rows,
  RowsOnDevice,
  Left,
  Right,
  Sum
};
} // namespace

static Machine makeMachine() {
  Machine machine;
  machine.memories = {{"dev0", MemoryKind::Device, 1024, 64, true},
                      {"host", MemoryKind::Host, 4096, 64, true},
                      {"params", MemoryKind::Parameters, 8192, 64, false}};
  machine.devices = {{"gpu", DeviceKind::Accelerator, Dev, Ram},
                     {"cpu", DeviceKind::Host, Ram, none}};
  machine.links = {{Ram, Dev, 0, 1e9, 1e-5},
                   {Params, Dev, 0, 1e9, 1e-5},
                   {Dev, Ram, 1, 5e8, 1e-5}};
  return machine;
}

/// A call as two launches: a function fills the workspace, and a product takes
/// the transposed operands.
static KernelObject makeLaunched() {
  KernelObject object;
  object.triple = "nvptx64-nvidia-cuda";
  object.features = {"sm_80"};
  object.format = "ptx";
  object.code = "// made up";
  object.workspaceBytes = 64;
  Launch fill;
  fill.buffers = {{0, 16}, {3, 32}};
  fill.symbol = "fill";
  fill.grid = {{2, 3, 4}};
  fill.block = {{32, 2, 1}};
  fill.sharedBytes = 256;
  fill.scalars = {0};
  Launch product;
  product.kind = LaunchKind::Matmul;
  product.buffers = {{1, 0}, {0, 0}, {2, 0}};
  Matmul &matmul = product.matmul;
  matmul.m = 8;
  matmul.n = 4;
  matmul.k = 8;
  matmul.lda = matmul.ldb = matmul.ldd = 8;
  matmul.transposeA = true;
  matmul.alpha = 0.5f;
  matmul.workspaceOffset = 16;
  matmul.workspaceBytes = 48;
  object.launches = {fill, product};
  return object;
}

static std::vector<Kernel> makeKernels() {
  std::string code("\x7f"
                   "ELF made up",
                   12);
  Kernel lookup;
  lookup.name = "lookup";
  lookup.signature = "(tensor<4xi32>, tensor<100x8xf32>) -> tensor<4x8xf32>";
  lookup.operandBytes = {16, 3200};
  lookup.resultBytes = {128};
  lookup.bytesMoved = 272;
  lookup.seconds = 1e-7;
  lookup.objects = {
      {"x86_64-unknown-linux-gnu", {}, "elf-so", "lookup", code, 0, {}}};
  Kernel multiply;
  multiply.name = "multiply";
  multiply.signature =
      "(tensor<4x8xf32>, tensor<8x8xf32>, index) -> tensor<4x8xf32>";
  multiply.source = "%0 = ein.einsum ...";
  multiply.operandBytes = {128, 256};
  multiply.resultBytes = {128};
  multiply.scalarCount = 1;
  multiply.gridSize = 4;
  multiply.workspaceBytes = 100;
  multiply.flops = 512;
  multiply.bytesMoved = 512;
  multiply.seconds = 2e-7;
  multiply.objects = {
      {"x86_64-unknown-linux-gnu",
       {"x86-64-v3"},
       "elf-so",
       "multiply",
       code,
       100,
       {}},
      {"x86_64-unknown-linux-gnu", {}, "elf-so", "multiply", code, 100, {}},
      makeLaunched()};
  Kernel add;
  add.name = "add";
  add.signature = "(tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>";
  add.operandBytes = {128, 128};
  add.resultBytes = {128};
  add.inPlace = {{0, 0}, {1, 0}};
  add.objects = {
      {"x86_64-unknown-linux-gnu", {}, "elf-so", "add", code, 0, {}}};
  return {lookup, multiply, add};
}

void artifact::addVertex(Entry &entry, Vertex vertex,
                         const std::vector<Access> &accesses,
                         const std::vector<Edge> &edges,
                         const std::vector<Scalar> &scalars) {
  auto append = [](auto &to, const auto &from) {
    Range range{static_cast<uint32_t>(to.size()),
                static_cast<uint32_t>(from.size())};
    to.insert(to.end(), from.begin(), from.end());
    return range;
  };
  vertex.accesses = append(entry.accesses, accesses);
  vertex.edges = append(entry.edges, edges);
  vertex.scalars = append(entry.scalars, scalars);
  entry.vertices.push_back(vertex);
}

static Vertex call(KernelIndex kernel, DeviceIndex device, uint32_t task,
                   uint32_t location) {
  Vertex vertex;
  vertex.kernel = kernel;
  vertex.engine = device;
  vertex.task = task;
  vertex.location = location;
  return vertex;
}

static Vertex copy(uint16_t link, CopyRole role, uint32_t task = none) {
  Vertex vertex;
  vertex.kind = VertexKind::Copy;
  vertex.engine = link;
  vertex.role = role;
  vertex.task = task;
  return vertex;
}

static Access read(uint16_t memory, uint64_t offset, uint64_t bytes,
                   uint32_t value) {
  return {offset, bytes, value, memory, AccessRole::Read};
}

static Access write(uint16_t memory, uint64_t offset, uint64_t bytes,
                    uint32_t value) {
  return {offset, bytes, value, memory, AccessRole::Write};
}

static Access workspace(uint64_t offset, uint64_t bytes) {
  return {offset, bytes, none, Dev, AccessRole::Workspace};
}

static void addVertices(Entry &entry) {
  constexpr EdgeKind data = EdgeKind::Data, memory = EdgeKind::Memory;
  // 0: rows of the table, on the host. 1: to the device.
  addVertex(entry, call(Lookup, Cpu, 0, 0),
            {read(Ram, 0, 16, Tokens), read(Params, 0, 3200, Table),
             write(Ram, 64, 128, Rows)},
            {});
  addVertex(entry, copy(RamToDev, CopyRole::Transfer, 1),
            {read(Ram, 64, 128, Rows), write(Dev, 0, 128, Rows)}, {{0, data}});
  // 2 and 3: the left half of the weight.
  addVertex(
      entry, copy(ParamsToDev, CopyRole::Load),
      {read(Params, 3200, 256, WeightLeft), write(Dev, 128, 256, WeightLeft)},
      {});
  addVertex(entry, call(Multiply, Gpu, 2, 1),
            {read(Dev, 0, 128, Rows), read(Dev, 128, 256, WeightLeft),
             write(Dev, 384, 128, Left), workspace(640, 100)},
            {{1, data}, {2, data}}, {{0, none}});
  // 4 to 6: the right half, over the same bytes, behind a join.
  Vertex join;
  join.kind = VertexKind::Join;
  addVertex(entry, join, {}, {{3, memory}});
  addVertex(
      entry, copy(ParamsToDev, CopyRole::Load),
      {read(Params, 3456, 256, WeightRight), write(Dev, 128, 256, WeightRight)},
      {{4, memory}});
  addVertex(entry, call(Multiply, Gpu, 3, 1),
            {read(Dev, 0, 128, Rows), read(Dev, 128, 256, WeightRight),
             write(Dev, 512, 128, Right), workspace(640, 100)},
            {{3, memory}, {5, data}}, {{8, 0}});
  // 7: added in place. 8 and 9: moved, and stored.
  addVertex(entry, call(Add, Gpu, 4, none),
            {read(Dev, 384, 128, Left), read(Dev, 512, 128, Right),
             write(Dev, 384, 128, Sum)},
            {{3, data}, {6, data}});
  addVertex(entry, copy(noEngine, CopyRole::Move),
            {read(Dev, 384, 128, Sum), write(Dev, 0, 128, Sum)}, {{7, data}});
  addVertex(entry, copy(DevToRam, CopyRole::Result),
            {read(Dev, 0, 128, Sum), write(Ram, 192, 128, Sum)}, {{8, data}});
}

static TaskGraph makeTaskGraph() {
  constexpr TileOrigin task = TileOrigin::Task,
                       parameter = TileOrigin::Parameter;
  TaskGraph tasks;
  tasks.tiles = {{16, none, Ram, TileOrigin::Input},
                 {3200, 1, Ram, parameter},
                 {256, none, Dev, parameter},
                 {256, none, Dev, parameter},
                 {128, none, Ram, task},
                 {128, none, Dev, task},
                 {128, none, Dev, task},
                 {128, none, Dev, task},
                 {128, none, Dev, task}};
  tasks.operands = {Tokens,       Table,       Rows, RowsOnDevice, WeightLeft,
                    RowsOnDevice, WeightRight, Left, Right};
  tasks.results = {Sum};
  tasks.costs = {{1e-7, Lookup, Cpu}, {2e-7, Multiply, Gpu}, {1e-8, Add, Gpu}};
  return tasks;
}

Module artifact::makeSample() {
  Module module;
  module.producer = "a test";
  module.options = "--device-memory=1024";
  module.machine = makeMachine();
  module.kernels = makeKernels();
  Entry entry;
  entry.name = "main";
  entry.arguments = {{"position", 0, 1000}};
  entry.tasks = {"lookup", "rows", "left", "right", "sum"};
  entry.locations = {"loc(\"model.mlir\":3:8)", "loc(\"model.mlir\":4:8)"};
  addVertices(entry);
  entry.parameters = {{"table",
                       ElementType::F32,
                       {100, 8},
                       {100, 8},
                       {{{0, 0}, {100, 8}, Params, 0, Table}}},
                      {"weight",
                       ElementType::F32,
                       {16, 8},
                       {128},
                       {{{0, 0}, {8, 8}, Params, 3200, WeightLeft},
                        {{8, 0}, {8, 8}, Params, 3456, WeightRight}}}};
  entry.inputs = {
      {"tokens", ElementType::I32, {4}, {4}, {{{0}, {4}, Ram, 0, Tokens}}}};
  entry.results = {{"sum",
                    ElementType::F32,
                    {4, 8},
                    {4, 8},
                    {{{0, 0}, {4, 8}, Ram, 192, Sum}}}};
  entry.statistics.peakBytes = {740, 320, 3712};
  entry.statistics.linkBytes = {128, 512, 128};
  entry.statistics.incomingBytesBound = 640;
  entry.statistics.smallestCaps = {{704, 2}, {0, none}};
  entry.statistics.computeBound = 4e-7;
  entry.statistics.transferBound = 6.7e-7;
  entry.statistics.criticalPath = 3e-6;
  entry.statistics.makespanBound = 3e-6;
  entry.statistics.predictedMakespan = 4e-6;
  entry.statistics.order = "given";
  entry.taskGraph = makeTaskGraph();
  Entry empty;
  empty.name = "empty";
  module.entries = {entry, empty};
  return module;
}

void artifact::fixHash(std::string &bytes) {
  if (bytes.size() < 16)
    return;
  const char *begin = bytes.data();
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t *>(begin),
                                 bytes.size());
  if (!verifier.VerifyBuffer<fb::Header>(fb::ModuleIdentifier()))
    return;
  const auto *header = flatbuffers::GetRoot<fb::Header>(begin);
  size_t offset = static_cast<size_t>(
      reinterpret_cast<const char *>(header->hash()) - begin);
  fb::Hash hash(contentHash(bytes, offset));
  std::memcpy(&bytes[offset], &hash, sizeof(hash));
}
