//===- ArtifactTest.cpp - Writing and reading artifacts -------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/artifact/Artifact.h"
#include "Sample.h"
#include "turnip/artifact/Print.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sstream>
#include <unistd.h>

using namespace turnip;
using namespace turnip::artifact;

static std::string sampleBytes() {
  Expected<std::string> bytes = serialize(makeSample());
  EXPECT_TRUE(bytes) << bytes.status().message();
  return bytes ? *bytes : std::string();
}

TEST(Artifact, RoundTripIsByteIdentical) {
  std::string bytes = sampleBytes();
  Expected<Module> module = load(bytes);
  ASSERT_TRUE(module) << module.status().message();
  Expected<std::string> again = serialize(*module);
  ASSERT_TRUE(again) << again.status().message();
  EXPECT_TRUE(bytes == *again);
}

TEST(Artifact, LoadsEveryField) {
  Expected<Module> loaded = load(sampleBytes());
  ASSERT_TRUE(loaded) << loaded.status().message();
  Module sample = makeSample();
  EXPECT_EQ(loaded->producer, sample.producer);
  EXPECT_EQ(loaded->options, sample.options);
  const Kernel &kernel = loaded->kernels[1];
  EXPECT_EQ(kernel.signature, sample.kernels[1].signature);
  EXPECT_EQ(kernel.source, sample.kernels[1].source);
  EXPECT_EQ(kernel.operandBytes, sample.kernels[1].operandBytes);
  EXPECT_EQ(kernel.scalarCount, 1u);
  EXPECT_EQ(kernel.gridSize, 4u);
  EXPECT_EQ(kernel.workspaceBytes, 100u);
  EXPECT_EQ(kernel.seconds, 2e-7);
  EXPECT_EQ(kernel.objects[0].features, sample.kernels[1].objects[0].features);
  EXPECT_EQ(kernel.objects[2].code, "// made up");
  const KernelObject &launched = kernel.objects[2];
  EXPECT_EQ(kernel.objects[0].workspaceBytes, 100u);
  EXPECT_EQ(launched.workspaceBytes, 64u);
  ASSERT_EQ(launched.launches.size(), 2u);
  const Launch &fill = launched.launches[0], &product = launched.launches[1];
  EXPECT_EQ(fill.kind, LaunchKind::Kernel);
  EXPECT_EQ(fill.symbol, "fill");
  EXPECT_EQ(fill.grid[2], 4u);
  EXPECT_EQ(fill.block[0], 32u);
  EXPECT_EQ(fill.sharedBytes, 256u);
  EXPECT_EQ(fill.scalars, std::vector<uint32_t>{0});
  EXPECT_EQ(fill.buffers[1].buffer, 3u);
  EXPECT_EQ(fill.buffers[1].offset, 32u);
  EXPECT_EQ(product.kind, LaunchKind::Matmul);
  EXPECT_EQ(product.matmul.n, 4u);
  EXPECT_TRUE(product.matmul.transposeA);
  EXPECT_FALSE(product.matmul.transposeB);
  EXPECT_EQ(product.matmul.batch, 1u);
  EXPECT_EQ(product.matmul.alpha, 0.5f);
  EXPECT_EQ(product.matmul.beta, 0.0f);
  EXPECT_EQ(product.matmul.workspaceBytes, 48u);
  EXPECT_EQ(loaded->machine.links[2].bytesPerSecond, 5e8);
  EXPECT_EQ(loaded->machine.memories[2].kind, MemoryKind::Parameters);
  const Entry &entry = loaded->entries[0];
  ASSERT_EQ(entry.vertices.size(), 10u);
  const Vertex &multiply = entry.vertices[6];
  EXPECT_EQ(multiply.kernel, 1u);
  EXPECT_EQ(entry.tasks[multiply.task], "right");
  EXPECT_EQ(entry.scalarsOf(multiply)[0].value, 8);
  EXPECT_EQ(entry.scalarsOf(multiply)[0].argument, 0u);
  EXPECT_EQ(entry.edgesOf(multiply)[0].kind, EdgeKind::Memory);
  EXPECT_EQ(entry.edgesOf(multiply)[1].source, 5u);
  EXPECT_EQ(entry.accessesOf(multiply)[3].role, AccessRole::Workspace);
  EXPECT_EQ(entry.accessesOf(multiply)[2].offset, 512u);
  EXPECT_EQ(entry.vertices[4].kind, VertexKind::Join);
  EXPECT_EQ(entry.vertices[8].engine, noEngine);
  EXPECT_EQ(entry.vertices[8].role, CopyRole::Move);
  EXPECT_EQ(entry.parameters[1].fileShape, std::vector<int64_t>{128});
  EXPECT_EQ(entry.parameters[1].pieces[1].offset, 3456u);
  EXPECT_EQ(entry.arguments[0].maximum, 1000);
  EXPECT_EQ(entry.statistics.smallestCaps[0].bytes, 704u);
  EXPECT_EQ(entry.statistics.predictedMakespan, 4e-6);
  EXPECT_EQ(entry.statistics.order, "given");
  ASSERT_TRUE(entry.taskGraph);
  EXPECT_EQ(entry.taskGraph->tiles.size(), 9u);
  EXPECT_EQ(entry.taskGraph->tiles[1].bytes, 3200u);
  EXPECT_EQ(entry.taskGraph->tiles[1].origin, TileOrigin::Parameter);
  EXPECT_EQ(entry.taskGraph->operands.size(), 9u);
  EXPECT_EQ(entry.taskGraph->results, std::vector<uint32_t>{8});
  EXPECT_EQ(entry.taskGraph->costs[1].seconds, 2e-7);
  EXPECT_EQ(entry.taskGraph->location, none);
  EXPECT_FALSE(loaded->entries[1].taskGraph);
  EXPECT_EQ(touchedBytes(*loaded, entry), entry.statistics.peakBytes);
}

TEST(Artifact, FrozenFileRoundTrips) {
  std::ifstream file(TURNIP_FROZEN_ARTIFACT, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)),
                    std::istreambuf_iterator<char>());
  Expected<Module> module = load(bytes);
  ASSERT_TRUE(module) << module.status().message();
  EXPECT_EQ(module->entries[0].vertices.size(), 10u);
  Expected<std::string> again = serialize(*module);
  ASSERT_TRUE(again) << again.status().message();
  // As long as the format is the one it was written in.
  EXPECT_TRUE(bytes == *again);
}

TEST(Artifact, ReadsEarlierMinorVersions) {
  std::ifstream file(TURNIP_FROZEN_1_0, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)),
                    std::istreambuf_iterator<char>());
  Expected<Module> module = load(bytes);
  ASSERT_TRUE(module) << module.status().message();
  EXPECT_FALSE(module->entries[0].taskGraph);
  std::ifstream later(TURNIP_FROZEN_1_1, std::ios::binary);
  bytes.assign(std::istreambuf_iterator<char>(later),
               std::istreambuf_iterator<char>());
  module = load(bytes);
  ASSERT_TRUE(module) << module.status().message();
  EXPECT_TRUE(module->entries[0].taskGraph);
  EXPECT_EQ(module->kernels[1].workspaceBytes, 100u);
  EXPECT_EQ(module->kernels[1].objects[0].workspaceBytes, 0u);
  EXPECT_TRUE(module->kernels[1].objects[2].launches.empty());
}

TEST(Artifact, TasksHaveTheirTiles) {
  Module module = makeSample();
  const Entry &entry = module.entries[0];
  std::vector<TaskView> tasks = tasksOf(module, entry);
  ASSERT_EQ(tasks.size(), 5u);
  EXPECT_EQ(tasks[2].vertex, &entry.vertices[3]);
  EXPECT_EQ(tasks[2].operands.size(), 2u);
  EXPECT_EQ(tasks[2].operands[1], 2u);
  EXPECT_EQ(tasks[2].firstResult, 6u);
  EXPECT_EQ(tasks[2].numResults, 1u);
  EXPECT_EQ(valuesOf(entry, tasks),
            (std::vector<uint32_t>{0, 1, 2, 3, 4, 4, 6, 7, 8}));
}

TEST(Artifact, LoadsFromAnyAddress) {
  std::string bytes = sampleBytes();
  for (size_t shift = 0; shift < 9; ++shift) {
    std::string shifted = std::string(shift, 'x') + bytes;
    Expected<Module> module = load(std::string_view(shifted).substr(shift));
    EXPECT_TRUE(module) << module.status().message();
  }
}

TEST(Artifact, FilesRoundTrip) {
  std::string path = ::testing::TempDir() + "/turnip-artifact-" +
                     std::to_string(::getpid()) + ".memgraph";
  Status saved = saveFile(makeSample(), path);
  ASSERT_TRUE(saved) << saved.message();
  Expected<Module> module = loadFile(path);
  EXPECT_TRUE(module) << module.status().message();
  // Over what is there, too, and nothing is left beside it.
  EXPECT_TRUE(saveFile(makeSample(), path));
  namespace fs = std::filesystem;
  const std::string name = fs::path(path).filename().string();
  for (const auto &item : fs::directory_iterator(::testing::TempDir())) {
    std::string other = item.path().filename().string();
    EXPECT_TRUE(other == name || other.rfind(name, 0) != 0) << other;
  }
  std::remove(path.c_str());
}

TEST(Artifact, FileErrorsNameThePath) {
  Expected<Module> missing = loadFile("/nonexistent/a.memgraph");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.status().code(), StatusCode::Io);
  EXPECT_EQ(missing.status().message(), "/nonexistent/a.memgraph: cannot open: "
                                        "No such file or directory");
  Expected<Module> folder = loadFile("/");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.status().message(), "/: not a regular file");
  Status saved = saveFile(makeSample(), "/nonexistent/a.memgraph");
  EXPECT_EQ(saved.code(), StatusCode::Io);
  EXPECT_EQ(saved.message(), "/nonexistent/a.memgraph: cannot write: No such "
                             "file or directory");
}

TEST(Artifact, HashSeesEveryBitAndTheSize) {
  std::string bytes = "some bytes of a length that is no multiple of 8";
  uint64_t hash = contentHash(bytes, 8);
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    bool inHash = bit / 8 >= 8 && bit / 8 < 16;
    EXPECT_EQ(contentHash(flipped, 8) == hash, inHash) << bit;
  }
  EXPECT_NE(contentHash(bytes + std::string(1, '\0'), 8), hash);
}

TEST(Artifact, PrintsWhatIsInIt) {
  std::ostringstream out;
  print(makeSample(), out);
  EXPECT_EQ(out.str(), R"(producer a test
options --device-memory=1024
machine
  memory dev0: device, 1024 bytes (1.00 KiB), aligned to 64
  memory host: host, 4096 bytes (4.00 KiB), aligned to 64
  memory params: parameters, 8192 bytes (8.00 KiB), aligned to 64, read-only
  device gpu: accelerator, computes in dev0, evicts to host
  device cpu: host, computes in host
  link 0: host to dev0, channel 0, 1.000 GB/s, 10.0 us
  link 1: params to dev0, channel 0, 1.000 GB/s, 10.0 us
  link 2: dev0 to host, channel 1, 0.500 GB/s, 10.0 us
3 kernels, 58 bytes of code
  lookup: 1 call, grid 1, workspace 0 bytes, 0 flops, 272 bytes moved, other of f32
    (tensor<4xi32>, tensor<100x8xf32>) -> tensor<4x8xf32>
    x86_64-unknown-linux-gnu, elf-so, 12 bytes
  multiply: 2 calls, grid 4, workspace 100 bytes, 512 flops, 512 bytes moved, other of f32
    (tensor<4x8xf32>, tensor<8x8xf32>, index) -> tensor<4x8xf32>
    x86_64-unknown-linux-gnu, elf-so, 12 bytes, x86-64-v3
    x86_64-unknown-linux-gnu, elf-so, 12 bytes
    nvptx64-nvidia-cuda, ptx, 10 bytes, sm_80
      fill, grid 2x3x4, block 32x2x1, 256 bytes shared
      matmul 8x4x8, f32 transposed by f32 to f32 in f32
  add: 1 call, grid 1, workspace 0 bytes, 0 flops, 0 bytes moved, other of f32
    (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    x86_64-unknown-linux-gnu, elf-so, 12 bytes
entry main
  4 calls, 5 copies, 1 join; 8 data and 3 memory dependencies
  transfer: 1 copy, 128 bytes
  load: 2 copies, 512 bytes
  result: 1 copy, 128 bytes
  move: 1 copy, 128 bytes
  planned from 5 tasks on 9 tiles, 4368 bytes (4.27 KiB)
  peak of dev0: 740 bytes
  peak of host: 320 bytes
  peak of params: 3712 bytes (3.62 KiB)
  over link 0: 128 bytes
  over link 1: 512 bytes
  over link 2: 128 bytes
  no plan of this order loads less than 640 bytes
  smallest cap of gpu: 704 bytes, needed by left
  predicted 0.004 ms, at least 0.003 ms (compute 0.000 ms, transfers 0.001 ms, longest chain 0.003 ms); order given
  argument position: 0 to 1000
  parameter table: 100x8xf32, 1 piece
  parameter weight: 16x8xf32 of 128xf32, 2 pieces
  input tokens: 4xi32, 1 piece
  result sum: 4x8xf32, 1 piece
entry empty
  0 calls, 0 copies, 0 joins; 0 data and 0 memory dependencies
  peak of dev0: 0 bytes
  peak of host: 0 bytes
  peak of params: 0 bytes
)");
}
