//===- ArtifactTest.cpp - Writing and reading artifacts -------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/artifact/Artifact.h"
#include "Sample.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
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
  EXPECT_EQ(touchedBytes(*loaded, entry), entry.statistics.peakBytes);
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
