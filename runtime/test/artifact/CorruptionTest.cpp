//===- CorruptionTest.cpp - Damaged and forged artifacts ------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sample.h"
#include "turnip/artifact/Artifact.h"
#include "turnip/artifact/memgraph_generated.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>

using namespace turnip;
using namespace turnip::artifact;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static std::string sampleBytes() {
  Expected<std::string> bytes = serialize(makeSample());
  EXPECT_TRUE(bytes) << bytes.status().message();
  return bytes ? *bytes : std::string();
}

/// The root of a writable artifact.
static fb::Module &root(std::string &bytes) {
  return *flatbuffers::GetMutableRoot<fb::Module>(bytes.data());
}

/// Overwrites what a const accessor of FlatBuffers points to.
template <typename T, typename V>
static void overwrite(const T *place, V value) {
  static_assert(sizeof(T) == sizeof(V), "writes exactly the field");
  std::memcpy(const_cast<T *>(place), &value, sizeof(value));
}

static std::string loadError(const std::string &bytes) {
  Expected<Module> module = load(bytes);
  EXPECT_FALSE(module);
  if (module)
    return "";
  EXPECT_EQ(module.status().code(), StatusCode::BadInput);
  return module.status().message();
}

TEST(Header, TooShort) {
  EXPECT_EQ(loadError(""),
            "not an artifact: expected at least 16 bytes, but got 0");
  EXPECT_EQ(loadError("TNIP"),
            "not an artifact: expected at least 16 bytes, but got 4");
}

TEST(Header, OtherFiles) {
  EXPECT_EQ(loadError(std::string(100, 'x')),
            "not an artifact: expected the identifier 'TNIP' in bytes 4 to 7");
}

TEST(Header, OutsideTheFile) {
  std::string bytes = sampleBytes();
  bytes[3] = 0x10; // the root lies beyond the end
  EXPECT_EQ(loadError(bytes), "the artifact's header is damaged or cut off");
}

TEST(Header, OtherMajorVersion) {
  std::string bytes = sampleBytes();
  overwrite(root(bytes).version(), fb::Version(2, 0));
  EXPECT_EQ(loadError(bytes),
            "the artifact has format version 2.0, made by 'a test', but this "
            "build reads 1.0 to 1.2: compile it again or use a matching "
            "release");
}

TEST(Header, NewerMinorVersion) {
  std::string bytes = sampleBytes();
  overwrite(root(bytes).version(), fb::Version(1, 3));
  EXPECT_EQ(loadError(bytes),
            "the artifact has format version 1.3, made by 'a test', but this "
            "build reads 1.0 to 1.2: compile it again or use a matching "
            "release");
}

TEST(Header, WrongHash) {
  std::string bytes = sampleBytes();
  uint64_t right = root(bytes).hash()->value();
  overwrite(root(bytes).hash(), fb::Hash(0xabc));
  char text[128];
  std::snprintf(text, sizeof(text),
                "the artifact is damaged: its content hash is "
                "0000000000000abc, but its bytes have %016llx",
                static_cast<unsigned long long>(right));
  EXPECT_EQ(loadError(bytes), text);
}

TEST(Structure, MissingPart) {
  std::string bytes = sampleBytes();
  // The name of the first kernel: its offset now leads out of the file.
  const fb::Kernel *kernel = root(bytes).kernels()->Get(0);
  const auto *table = reinterpret_cast<const flatbuffers::Table *>(kernel);
  overwrite(table->GetAddressOf(fb::Kernel::VT_NAME), uint8_t(0xff));
  overwrite(table->GetAddressOf(fb::Kernel::VT_NAME) + 3, uint8_t(0x7f));
  fixHash(bytes);
  EXPECT_EQ(loadError(bytes),
            "the artifact's structure is invalid: a table, vector or string "
            "lies outside the file or a required part is missing");
}

TEST(Structure, SharedParts) {
  // A file of some kilobytes whose 1000 kernels are all one table with a long
  // name: megabytes when read.
  flatbuffers::FlatBufferBuilder builder;
  auto text = builder.CreateString(std::string(4000, 'n'));
  auto sizes = builder.CreateVector(std::vector<uint64_t>());
  auto pairs = builder.CreateVectorOfStructs(std::vector<fb::InPlacePair>());
  auto objects = builder.CreateVector(
      std::vector<flatbuffers::Offset<fb::KernelObject>>());
  auto kernel = fb::CreateKernel(builder, text, text, text, sizes, sizes, 0, 1,
                                 0, 0, 0, 0, pairs, objects);
  auto kernels = builder.CreateVector(
      std::vector<flatbuffers::Offset<fb::Kernel>>(1000, kernel));
  auto memories =
      builder.CreateVector(std::vector<flatbuffers::Offset<fb::Memory>>());
  auto devices =
      builder.CreateVector(std::vector<flatbuffers::Offset<fb::Device>>());
  auto links = builder.CreateVectorOfStructs(std::vector<fb::Link>());
  auto machine = fb::CreateMachine(builder, memories, devices, links);
  auto entries =
      builder.CreateVector(std::vector<flatbuffers::Offset<fb::Entry>>());
  auto name = builder.CreateString("p");
  fb::Version version(formatMajor, formatMinor);
  fb::Hash hash(0);
  fb::FinishModuleBuffer(builder,
                         fb::CreateModule(builder, &version, &hash, name, name,
                                          machine, kernels, entries));
  std::string bytes(reinterpret_cast<const char *>(builder.GetBufferPointer()),
                    builder.GetSize());
  fixHash(bytes);
  std::string message = loadError(bytes);
  // The structure's limit on tables or the reader's on bytes.
  EXPECT_TRUE(message.find("parts of the file are shared") !=
                  std::string::npos ||
              message.find("structure is invalid") != std::string::npos)
      << message;
}

TEST(Structure, MisalignedElements) {
  std::string bytes = sampleBytes();
  // The vector of operand sizes of a kernel, moved by 4 bytes.
  const fb::Kernel *kernel = root(bytes).kernels()->Get(0);
  const auto *table = reinterpret_cast<const flatbuffers::Table *>(kernel);
  const uint8_t *field = table->GetAddressOf(fb::Kernel::VT_OPERAND_BYTES);
  flatbuffers::uoffset_t offset;
  std::memcpy(&offset, field, sizeof(offset));
  // What lies there, the first size's low half, becomes the length: 16.
  overwrite(reinterpret_cast<const uint32_t *>(field), offset + 4);
  fixHash(bytes);
  EXPECT_NE(loadError(bytes).find("are not aligned to 8 bytes"),
            std::string::npos)
      << loadError(bytes);
}

TEST(Structure, ReservedFields) {
  std::string bytes = sampleBytes();
  const fb::Access *access = root(bytes).entries()->Get(0)->accesses()->Get(2);
  overwrite(reinterpret_cast<const uint8_t *>(access) + sizeof(*access) - 1,
            uint8_t(5));
  fixHash(bytes);
  EXPECT_EQ(loadError(bytes),
            "entries[0].accesses[2].reserved: expected 0, but got 5");
}

TEST(Structure, EnumeratorsOutOfRange) {
  std::string bytes = sampleBytes();
  const fb::Edge *edge = root(bytes).entries()->Get(0)->edges()->Get(0);
  overwrite(reinterpret_cast<const uint8_t *>(edge) + 4, uint8_t(2));
  fixHash(bytes);
  EXPECT_EQ(loadError(bytes), "entries[0].vertices[1].edges[0].kind: expected "
                              "an enumerator below 2, but got 2");
}

TEST(Structure, LaunchesAreOfOneKind) {
  std::string bytes = sampleBytes();
  const fb::Launch *launch =
      root(bytes).kernels()->Get(1)->objects()->Get(2)->launches()->Get(0);
  // The place of the kernel in the launch's table: as if it had none.
  const auto *table = reinterpret_cast<const flatbuffers::Table *>(launch);
  overwrite(reinterpret_cast<const uint16_t *>(table->GetVTable() +
                                               fb::Launch::VT_KERNEL),
            uint16_t(0));
  fixHash(bytes);
  EXPECT_EQ(loadError(bytes), "kernels[1].objects[2].launches[0]: expected a "
                              "kernel or a matmul, but got neither");
}

TEST(Corruption, EveryTruncationIsRefused) {
  std::string bytes = sampleBytes();
  for (size_t size = 0; size < bytes.size(); ++size)
    ASSERT_NE(loadError(bytes.substr(0, size)), "") << size;
  ASSERT_NE(loadError(bytes + '\0'), "");
}

TEST(Corruption, EveryFlippedBitIsRefused) {
  std::string bytes = sampleBytes();
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    ASSERT_NE(loadError(bytes), "") << bit;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
  }
}

TEST(Corruption, FlippedBitsBehindARightHashNeverCrash) {
  const std::string bytes = sampleBytes();
  std::mt19937 random(1);
  auto below = [&](size_t count) {
    return std::uniform_int_distribution<size_t>(0, count - 1)(random);
  };
  for (size_t i = 0; i < bytes.size() * 8 + 5000; ++i) {
    std::string damaged = bytes;
    // Each bit on its own, then several bits or bytes.
    size_t changes = i < bytes.size() * 8 ? 1 : 1 + below(6);
    for (size_t change = 0; change < changes; ++change) {
      size_t bit =
          changes == 1 ? i % (bytes.size() * 8) : below(bytes.size() * 8);
      char &byte = damaged[bit / 8];
      byte = change % 2 == 0 ? static_cast<char>(byte ^ (1 << (bit % 8)))
                             : static_cast<char>(below(256));
    }
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(damaged.data()),
                           damaged.size());
  }
}

TEST(Corruption, StoredCorpusNeverCrashes) {
  size_t files = 0;
  for (const auto &item :
       std::filesystem::directory_iterator(TURNIP_FUZZ_CORPUS)) {
    std::ifstream file(item.path(), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)),
                      std::istreambuf_iterator<char>());
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()),
                           bytes.size());
    ++files;
  }
  EXPECT_GT(files, 0u);
}
