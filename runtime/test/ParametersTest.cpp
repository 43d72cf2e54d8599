//===- ParametersTest.cpp - GGUF, .npy and made-up parameters -------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GgufWriter.h"
#include "turnip/parameters/ParameterProvider.h"
#include "turnip/parameters/Tensor.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

using namespace turnip;
using namespace turnip::parameters;
using test::GgufWriter;

namespace {

struct ExpansionCase {
  uint32_t format;
  std::vector<unsigned char> blocks;
  std::vector<uint32_t> bits;
};

/// A directory that goes away with everything in it.
class TemporaryDirectory {
public:
  TemporaryDirectory() {
    std::string pattern = ::testing::TempDir() + "turnip-XXXXXX";
    path = mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() {
    for (const std::string &file : files)
      unlink(file.c_str());
    rmdir(path.c_str());
  }
  std::string write(const std::string &name, const std::string &bytes) {
    files.push_back(path + "/" + name);
    EXPECT_TRUE(writeFileAtomically(files.back(), bytes));
    return files.back();
  }
  std::string path;

private:
  std::vector<std::string> files;
};

} // namespace

static const std::vector<ExpansionCase> &expansionCases() {
  static const std::vector<ExpansionCase> cases = {
#include "ExpansionCases.inc"
  };
  return cases;
}

static std::string text(const std::vector<unsigned char> &bytes) {
  return std::string(bytes.begin(), bytes.end());
}

static uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

static std::string floatBytes(const std::vector<float> &values) {
  std::string bytes;
  for (float value : values)
    test::append(bytes, value);
  return bytes;
}

/// A file with every kind of value and one tensor of each format.
static GgufWriter sampleWriter() {
  GgufWriter writer;
  writer.text("general.architecture", "sample");
  writer.scalar<uint8_t>("u8", GgufType::U8, 200);
  writer.scalar<int8_t>("i8", GgufType::I8, -3);
  writer.scalar<uint16_t>("u16", GgufType::U16, 60000);
  writer.scalar<int16_t>("i16", GgufType::I16, -300);
  writer.scalar<uint32_t>("u32", GgufType::U32, 4000000000u);
  writer.scalar<int32_t>("i32", GgufType::I32, -70000);
  writer.scalar<float>("f32", GgufType::F32, 1.5f);
  writer.scalar<uint8_t>("bool", GgufType::Bool, 1);
  writer.scalar<uint64_t>("u64", GgufType::U64, ~uint64_t(0));
  writer.scalar<int64_t>("i64", GgufType::I64, -5000000000);
  writer.scalar<double>("f64", GgufType::F64, 0.1);
  writer.texts("texts", {"one", "", "three"});
  writer.numbers<int16_t>("numbers", GgufType::I16, {1, -2, 3});
  writer.numbers<float>("floats", GgufType::F32, {0.5f, -2.0f});
  std::string nested;
  test::append(nested, uint32_t(GgufType::Array));
  test::append<uint64_t>(nested, 1);
  test::append(nested, uint32_t(GgufType::U8));
  test::append<uint64_t>(nested, 2);
  nested += "\x07\x08";
  writer.raw("nested", GgufType::Array, nested);
  writer.tensor("plain", {2, 3}, 0, floatBytes({1, 2, 3, 4, 5, 6}));
  for (const ExpansionCase &c : expansionCases())
    writer.tensor("format" + std::to_string(c.format), {c.bits.size()},
                  c.format, text(c.blocks));
  std::string integers;
  test::append<int32_t>(integers, 7);
  test::append<int32_t>(integers, -9);
  writer.tensor("integers", {2}, 26, integers);
  return writer;
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

TEST(ElementType, HalfRoundTripsEveryPattern) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    float value = halfToFloat(static_cast<uint16_t>(bits));
    if (value == value)
      EXPECT_EQ(floatToHalf(value), bits);
    else
      EXPECT_TRUE(std::isnan(halfToFloat(floatToHalf(value))));
  }
}

TEST(ElementType, HalfRoundsToNearestEven) {
  EXPECT_EQ(floatToHalf(1.0f + 0x1p-11f), 0x3c00);            // tie: even below
  EXPECT_EQ(floatToHalf(1.0f + 3 * 0x1p-11f), 0x3c02);        // tie: even above
  EXPECT_EQ(floatToHalf(1.0f + 0x1p-11f + 0x1p-20f), 0x3c01); // above the tie
  EXPECT_EQ(floatToHalf(65519.0f), 0x7bff);
  EXPECT_EQ(floatToHalf(65520.0f), 0x7c00);
  EXPECT_EQ(floatToHalf(-0x1p-25f), 0x8000);
  EXPECT_EQ(floatToHalf(3 * 0x1p-26f), 0x0001);
  EXPECT_EQ(floatToBfloat(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(floatToBfloat(1.0f + 3 * 0x1p-8f), 0x3f82);
}

TEST(ElementType, CountsElements) {
  EXPECT_EQ(countElements({}), 1);
  EXPECT_EQ(countElements({2, 0, 3}), 0);
  EXPECT_EQ(countElements({int64_t(1) << 40, int64_t(1) << 40}), std::nullopt);
  EXPECT_EQ(countElements({-1}), std::nullopt);
  EXPECT_EQ(describe({64, 576}, ElementType::BF16), "64x576xbf16");
}

//===----------------------------------------------------------------------===//
// GGUF
//===----------------------------------------------------------------------===//

TEST(Gguf, ReadsEveryValueType) {
  std::string bytes = sampleWriter().bytes();
  Expected<GgufFile> file = GgufFile::parse(bytes);
  ASSERT_TRUE(file) << file.status().message();
  EXPECT_EQ(*file->stringValue("general.architecture"), "sample");
  EXPECT_EQ(*file->unsignedValue("u8"), 200u);
  EXPECT_EQ(*file->find("i8")->asSigned(), -3);
  EXPECT_EQ(*file->unsignedValue("u16"), 60000u);
  EXPECT_EQ(*file->find("i16")->asSigned(), -300);
  EXPECT_EQ(*file->unsignedValue("u32"), 4000000000u);
  EXPECT_EQ(*file->find("i32")->asSigned(), -70000);
  EXPECT_EQ(*file->floatValue("f32"), 1.5);
  EXPECT_EQ(*file->boolValue("bool", false), true);
  EXPECT_EQ(*file->unsignedValue("u64"), ~uint64_t(0));
  EXPECT_EQ(*file->find("i64")->asSigned(), -5000000000);
  EXPECT_EQ(*file->floatValue("f64"), 0.1);
  EXPECT_EQ(**file->find("texts")->asStrings(),
            (std::vector<std::string_view>{"one", "", "three"}));
  EXPECT_EQ(*file->find("numbers")->asIntegers(),
            (std::vector<int64_t>{1, -2, 3}));
  EXPECT_EQ(*file->find("floats")->asDoubles(),
            (std::vector<double>{0.5, -2.0}));
  const GgufValue &nested = file->find("nested")->arrays().at(0);
  EXPECT_EQ(*nested.asIntegers(), (std::vector<int64_t>{7, 8}));
  EXPECT_EQ(*file->unsignedValue("absent", 12), 12u);
}

TEST(Gguf, NamesWhatIsWrongWithAValue) {
  std::string bytes = sampleWriter().bytes();
  Expected<GgufFile> file = GgufFile::parse(bytes);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->unsignedValue("i8").status().message(),
            "metadata key 'i8': expected an unsigned integer, but the value is "
            "-3");
  EXPECT_EQ(file->unsignedValue("f32").status().message(),
            "metadata key 'f32': expected an integer, but the value is f32");
  EXPECT_EQ(
      file->stringValue("texts").status().message(),
      "metadata key 'texts': expected a string, but the value is an array "
      "of string");
  EXPECT_EQ(file->unsignedValue("absent").status().message(),
            "the file has no metadata key 'absent'");
  EXPECT_EQ(file->find("u64")->asSigned().status().message(),
            "the value 18446744073709551615 is too large");
  EXPECT_FALSE(file->boolValue("u8", true));
  EXPECT_FALSE(file->find("texts")->asIntegers());
  EXPECT_FALSE(file->find("floats")->asIntegers());
  EXPECT_FALSE(file->find("nested")->asDoubles());
  EXPECT_FALSE(file->find("numbers")->asStrings());
}

TEST(Gguf, ExpandsAsTheGgufPackageDoes) {
  std::string bytes = sampleWriter().bytes();
  Expected<GgufFile> file = GgufFile::parse(bytes);
  ASSERT_TRUE(file);
  ASSERT_EQ(expansionCases().size(), 10u);
  for (const ExpansionCase &c : expansionCases()) {
    const GgufTensor *tensor =
        file->findTensor("format" + std::to_string(c.format));
    ASSERT_TRUE(tensor);
    auto size = static_cast<int64_t>(c.bits.size());
    std::vector<float> values(c.bits.size());
    tensor->expand(0, size, values.data());
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(bitsOf(values[i]), c.bits[i])
          << tensor->format->name << " element " << i;
    // Ranges that begin and end within blocks.
    for (int64_t first : {int64_t(0), int64_t(1), size / 2 - 3, size - 5}) {
      std::vector<float> part(5, -1);
      tensor->expand(first, 5, part.data());
      for (int64_t i = 0; i < 5; ++i)
        EXPECT_EQ(bitsOf(part[i]), c.bits[first + i]);
    }
  }
}

TEST(Gguf, EveryTruncationIsAnError) {
  std::string whole = sampleWriter().bytes();
  for (size_t length = 0; length < whole.size(); ++length) {
    // A copy of its own, so that a sanitizer sees any read beyond the end.
    std::string bytes(whole, 0, length);
    bytes.shrink_to_fit();
    Expected<GgufFile> file = GgufFile::parse(bytes);
    bool paddingOnly = whole.size() - length < 32;
    EXPECT_TRUE(!file || paddingOnly) << length;
    if (!file)
      EXPECT_FALSE(file.status().message().empty());
  }
}

TEST(Gguf, FlippedBitsNeverCrash) {
  std::string whole = sampleWriter().bytes();
  size_t refused = 0;
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    Expected<GgufFile> file = GgufFile::parse(bytes);
    refused += !file;
    if (!file)
      continue;
    for (const GgufTensor &tensor : file->tensors()) {
      if (!tensor.format->expand || tensor.numElements > 1 << 16)
        continue;
      std::vector<float> values(static_cast<size_t>(tensor.numElements));
      tensor.expand(0, tensor.numElements, values.data());
    }
  }
  EXPECT_GT(refused, whole.size() / 8);
}

TEST(Gguf, FalseCountsAreRefusedWithoutAllocating) {
  std::string bytes = "GGUF";
  test::append<uint32_t>(bytes, 3);
  test::append<uint64_t>(bytes, 0);
  test::append<uint64_t>(bytes, 1);
  test::appendText(bytes, "k");
  test::append(bytes, uint32_t(GgufType::Array));
  test::append(bytes, uint32_t(GgufType::String));
  test::append(bytes, ~uint64_t(0) / 16);
  Expected<GgufFile> file = GgufFile::parse(bytes);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.status().message(),
            "metadata entry 0 of 1: metadata key 'k': truncated: the file ends "
            "at byte 49 within an array that begins at byte 49");
}

TEST(Gguf, RefusesWhatItCannotRead) {
  auto error = [](const std::string &bytes) {
    Expected<GgufFile> file = GgufFile::parse(bytes);
    return file ? "" : file.status().message();
  };
  EXPECT_EQ(error("PK\x03\x04 something else"),
            "not a GGUF file: it does not begin with 'GGUF'");
  std::string version = sampleWriter().bytes();
  version[4] = 9;
  EXPECT_EQ(error(version), "expected GGUF version 2 or 3 in little-endian "
                            "order, but got 9");
  GgufWriter odd;
  odd.tensor("t", {3, 33}, 3, std::string(60, 'a'));
  EXPECT_EQ(error(odd.bytes()), "tensor entry 0 of 1: tensor 't': rows of 33 "
                                "elements do not divide into blocks of 32 "
                                "(q4_1)");
  GgufWriter unknown;
  unknown.tensor("t", {256}, 16, std::string(66, 'a'));
  EXPECT_NE(error(unknown.bytes()).find("storage type 16 is not supported"),
            std::string::npos);
  GgufWriter small;
  small.tensor("t", {16}, 0, "abc");
  EXPECT_EQ(error(small.bytes()),
            "tensor 't': its 16 blocks of 4 bytes at offset 0 exceed the 32 "
            "bytes of data in the file");
  GgufWriter twice;
  twice.tensor("t", {1}, 0, "abcd");
  twice.tensor("t", {1}, 0, "abcd");
  EXPECT_EQ(error(twice.bytes()),
            "tensor entry 1 of 2: tensor 't' occurs twice");
  GgufWriter huge;
  huge.tensor("t", {uint64_t(1) << 40, uint64_t(1) << 40}, 0, "");
  EXPECT_EQ(error(huge.bytes()), "tensor entry 0 of 1: tensor 't': the number "
                                 "of elements overflows");
  GgufWriter alignment;
  alignment.scalar<uint32_t>("general.alignment", GgufType::U32, 3);
  EXPECT_EQ(error(alignment.bytes()),
            "general.alignment: expected a multiple of 8, but got 3");
}

//===----------------------------------------------------------------------===//
// Providers
//===----------------------------------------------------------------------===//

TEST(Provider, ReadsGgufTensors) {
  TemporaryDirectory directory;
  std::string path = directory.write("sample.gguf", sampleWriter().bytes());
  Expected<std::unique_ptr<ParameterProvider>> provider = openParameters(path);
  ASSERT_TRUE(provider) << provider.status().message();
  Expected<ParameterInfo> info = (*provider)->find("plain");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(info->storage, "f32");
  EXPECT_EQ(info->type, ElementType::F32);
  EXPECT_EQ(info->storedBytes, 24);
  EXPECT_EQ((*provider)->names().front(), "plain");

  // An unaligned destination.
  alignas(4) unsigned char buffer[1 + 4 * 4];
  ASSERT_TRUE((*provider)->read("plain", 1, 4, ElementType::F32, buffer + 1));
  float values[4];
  std::memcpy(values, buffer + 1, sizeof values);
  EXPECT_EQ(values[0], 2);
  EXPECT_EQ(values[3], 5);
  uint16_t halves[2];
  ASSERT_TRUE((*provider)->read("plain", 2, 2, ElementType::BF16, halves));
  EXPECT_EQ(halves[0], floatToBfloat(3));
  int32_t integers[2];
  ASSERT_TRUE((*provider)->read("integers", 0, 2, ElementType::I32, integers));
  EXPECT_EQ(integers[1], -9);

  for (const ExpansionCase &c : expansionCases()) {
    std::string name = "format" + std::to_string(c.format);
    EXPECT_EQ((*provider)->find(name)->numElements(), int64_t(c.bits.size()));
    std::vector<uint16_t> part(7);
    ASSERT_TRUE((*provider)->read(name, 3, 7, ElementType::F16, part.data()));
    for (size_t i = 0; i < 7; ++i) {
      float value;
      std::memcpy(&value, &c.bits[3 + i], sizeof value);
      EXPECT_EQ(part[i], floatToHalf(value));
    }
  }
}

TEST(Provider, ShowsWhereFilesAreMapped) {
  TemporaryDirectory directory;
  std::string path = directory.write("sample.gguf", sampleWriter().bytes());
  auto gguf = openParameters(path);
  ASSERT_TRUE(gguf);
  const void *at = (*gguf)->mapped("plain", 1, 4, ElementType::F32);
  ASSERT_NE(at, nullptr);
  float values[4];
  std::memcpy(values, at, sizeof values);
  EXPECT_EQ(values[0], 2);
  EXPECT_EQ(values[3], 5);
  EXPECT_EQ((*gguf)->mapped("plain", 3, 4, ElementType::F32), nullptr);
  EXPECT_EQ((*gguf)->mapped("plain", 0, 1, ElementType::BF16), nullptr);
  EXPECT_EQ((*gguf)->mapped("plane", 0, 1, ElementType::F32), nullptr);
  EXPECT_EQ((*gguf)->mapped("format3", 0, 1, ElementType::F32), nullptr);
  std::string half = npyHeader({2}, ElementType::F16);
  test::append(half, floatToHalf(1.0f));
  test::append(half, floatToHalf(2.0f));
  TemporaryDirectory other;
  other.write("x.npy", half);
  auto npy = openParameters(other.path);
  ASSERT_TRUE(npy);
  at = (*npy)->mapped("x", 1, 1, ElementType::F16);
  ASSERT_NE(at, nullptr);
  uint16_t value;
  std::memcpy(&value, at, sizeof value);
  EXPECT_EQ(value, floatToHalf(2.0f));
  EXPECT_EQ((*npy)->mapped("x", 1, 1, ElementType::F32), nullptr);
  EXPECT_EQ((*npy)->mapped("x", 1, 2, ElementType::F16), nullptr);
  EXPECT_EQ((*npy)->mapped("y", 0, 1, ElementType::F16), nullptr);
  EXPECT_EQ(makeSplatParameters(1)->mapped("x", 0, 1, ElementType::F32),
            nullptr);
}

TEST(Provider, NamesWhatIsWrong) {
  TemporaryDirectory directory;
  std::string path = directory.write("sample.gguf", sampleWriter().bytes());
  auto provider = openParameters(path);
  ASSERT_TRUE(provider);
  EXPECT_EQ((*provider)->find("plane").status().message(),
            "'" + path + "' has no parameter 'plane'; did you mean 'plain'?");
  float value;
  EXPECT_EQ(
      (*provider)->read("plain", 5, 2, ElementType::F32, &value).message(),
      "parameter 'plain': 2 elements from element 5 on are not within "
      "its 6 elements");
  EXPECT_FALSE((*provider)->read("plain", -1, 1, ElementType::F32, &value));
  EXPECT_EQ(
      (*provider)->read("format3", 0, 1, ElementType::I32, &value).message(),
      "parameter 'format3': cannot read q4_1 elements as i32");
  EXPECT_EQ(
      (*provider)->read("integers", 0, 1, ElementType::F32, &value).message(),
      "parameter 'integers': cannot read i32 elements as f32");
  EXPECT_EQ(openParameters(directory.path + "/none").status().code(),
            StatusCode::Io);
  std::string other = directory.write("other", "hello");
  EXPECT_NE(openParameters(other).status().message().find(
                "is not a parameter file; known are"),
            std::string::npos);
  EXPECT_EQ(openParameters("random:x").status().code(),
            StatusCode::InvalidArgument);
  EXPECT_EQ(openParameters("splat:").status().message(),
            "expected splat:VALUE with a number, but got 'splat:'");
}

TEST(Provider, ReadsADirectoryOfNpyFiles) {
  TemporaryDirectory directory;
  std::string half = npyHeader({3}, ElementType::F16);
  for (float value : {1.0f, 2.0f, 0.5f})
    test::append(half, floatToHalf(value));
  directory.write("blk.0.x.npy", half);
  directory.write("README", "not a parameter");
  auto provider = openParameters(directory.path);
  ASSERT_TRUE(provider) << provider.status().message();
  EXPECT_EQ((*provider)->names(), std::vector<std::string>{"blk.0.x"});
  EXPECT_EQ((*provider)->find("blk.0.x")->type, ElementType::F16);
  float values[2];
  ASSERT_TRUE((*provider)->read("blk.0.x", 1, 2, ElementType::F32, values));
  EXPECT_EQ(values[1], 0.5f);
  EXPECT_FALSE((*provider)->read("blk.0.x", 2, 2, ElementType::F32, values));
  directory.write("broken.npy", half.substr(0, 60));
  EXPECT_FALSE(openParameters(directory.path));
}

TEST(Provider, RandomValuesDependOnSeedNameAndIndexOnly) {
  auto provider = makeRandomParameters(7);
  constexpr int64_t size = 20000;
  std::vector<float> whole(size), part(size);
  ASSERT_TRUE(provider->read("w", 0, size, ElementType::F32, whole.data()));
  ASSERT_TRUE(provider->read("w", 123, 77, ElementType::F32, part.data()));
  for (int i = 0; i < 77; ++i)
    EXPECT_EQ(part[i], whole[123 + i]);
  double sum = 0, squares = 0;
  for (float value : whole) {
    sum += value;
    squares += double(value) * value;
  }
  EXPECT_NEAR(sum / size, 0, 0.002);
  EXPECT_NEAR(std::sqrt(squares / size), 0.05, 0.001);
  ASSERT_TRUE(provider->read("v", 0, 2, ElementType::F32, part.data()));
  EXPECT_NE(part[0], whole[0]);
  ASSERT_TRUE(
      makeRandomParameters(8)->read("w", 0, 2, ElementType::F32, part.data()));
  EXPECT_NE(part[0], whole[0]);
  auto splat = makeSplatParameters(2.5);
  uint16_t half;
  ASSERT_TRUE(splat->read("any", 1000, 1, ElementType::F16, &half));
  EXPECT_EQ(half, floatToHalf(2.5f));
  EXPECT_TRUE(splat->find("any")->anyShape);
  EXPECT_FALSE(splat->read("any", -1, 1, ElementType::F16, &half));
}

// The values themselves are part of the interface: benchmarks on different
// machines compare results that come from them.
TEST(Provider, RandomValuesStayWhatTheyAre) {
  auto provider = makeRandomParameters(7);
  float values[3], far;
  ASSERT_TRUE(provider->read("w", 0, 3, ElementType::F32, values));
  ASSERT_TRUE(provider->read("w", int64_t(1) << 40, 1, ElementType::F32, &far));
  EXPECT_EQ(values[0], -0x1.5570fc0000000p-4f);
  EXPECT_EQ(values[1], -0x1.30c96c0000000p-4f);
  EXPECT_EQ(values[2], -0x1.33f1400000000p-4f);
  EXPECT_EQ(far, -0x1.14dc360000000p-3f);
  int8_t whole[2];
  ASSERT_TRUE(provider->read("w", 0, 2, ElementType::I8, whole));
  EXPECT_EQ(whole[0], 53);
  EXPECT_EQ(whole[1], 10);
}

// Large reads are shared by threads.
TEST(Provider, RandomValuesDoNotDependOnHowMuchIsRead) {
  auto provider = makeRandomParameters(11);
  constexpr int64_t size = (int64_t(3) << 20) + 17, first = 12345;
  std::vector<uint16_t> whole(size), pieces(size);
  for (ElementType type : {ElementType::BF16, ElementType::F16}) {
    ASSERT_TRUE(provider->read("w", first, size, type, whole.data()));
    for (int64_t at = 0; at < size; at += 100000)
      ASSERT_TRUE(provider->read("w", first + at,
                                 std::min<int64_t>(100000, size - at), type,
                                 pieces.data() + at));
    EXPECT_EQ(whole, pieces) << toString(type);
    // Each is the f32 value, rounded.
    std::vector<float> exact(1000);
    ASSERT_TRUE(
        provider->read("w", first, 1000, ElementType::F32, exact.data()));
    for (int i = 0; i < 1000; ++i)
      EXPECT_NEAR(type == ElementType::BF16 ? bfloatToFloat(whole[i])
                                            : halfToFloat(whole[i]),
                  exact[i], std::abs(exact[i]) / 256 + 1e-7);
  }
}

//===----------------------------------------------------------------------===//
// Tensors as text and as .npy
//===----------------------------------------------------------------------===//

TEST(TensorText, ParsesAndPrints) {
  auto round = [](const char *text) {
    Expected<Tensor> tensor = parseTensor(text);
    return tensor ? toText(*tensor) : tensor.status().message();
  };
  EXPECT_EQ(round("2x2xf32=1,2,3,4"), "2x2xf32=[1 2][3 4]");
  EXPECT_EQ(round("2x2xf32=[[1,2],[3,4]]"), "2x2xf32=[1 2][3 4]");
  EXPECT_EQ(round("2x1x2xi32=[[1 2]][[3 4]]"), "2x1x2xi32=[[1 2]][[3 4]]");
  EXPECT_EQ(round("f32=-1.5e-3"), "f32=-0.0015");
  EXPECT_EQ(round("3xbf16=0.1"), "3xbf16=0.1 0.1 0.1");
  EXPECT_EQ(round("3xf16=0.1,65504,inf"), "3xf16=0.1 6.55e+04 inf");
  EXPECT_EQ(round("2xf32=nan,-inf"), "2xf32=nan -inf");
  EXPECT_EQ(round("2xi1=true,0"), "2xi1=1 0");
  EXPECT_EQ(round("2xi8=-128,0x7f"), "2xi8=-128 127");
  EXPECT_EQ(round("1xi64=-9223372036854775808"), "1xi64=-9223372036854775808");
  EXPECT_EQ(round("0x2xf32="), "0x2xf32=");
  EXPECT_EQ(toText(*parseTensor("2x3xi32=1,2,3,4,5,6"), 4),
            "2x3xi32=[1 2 3][4 ...]");
}

TEST(TensorText, NamesWhatIsWrong) {
  auto error = [](const char *text) {
    Expected<Tensor> tensor = parseTensor(text);
    return tensor ? "" : tensor.status().message();
  };
  EXPECT_EQ(error("2xf32"), "expected SHAPExTYPE=VALUES such as "
                            "2x2xf32=1,2,3,4, but got '2xf32'");
  EXPECT_EQ(error("2xf31=1,2"), "expected an element type (f32, f16, bf16, i8, "
                                "i32, i64 or i1) at the end of '2xf31'");
  EXPECT_EQ(error("2f32=1,2"),
            "expected a shape and type such as 2x3xf32, but got '2f32'");
  EXPECT_EQ(error("99999999x99999999xf32=1"),
            "the shape '99999999x99999999xf32' has too many elements");
  EXPECT_EQ(error("3xf32=1,2"), "expected 3 values, but got 2");
  EXPECT_EQ(error("2xf32=1,2,3"), "expected 2 values, but got 3");
  EXPECT_EQ(error("2xf32=1,a"), "expected a number, but got 'a'");
  EXPECT_EQ(error("2xi32=1,1.5"), "expected an integer, but got '1.5'");
  EXPECT_EQ(error("1xi8=128"), "the value '128' is out of range for i8");
  EXPECT_EQ(error("1xi1=2"), "the value '2' is out of range for i1");
  EXPECT_EQ(error("2x2xf32=[1 2 3][4]"),
            "expected 2 values between brackets, but got 3");
  EXPECT_EQ(error("2xf32=[[1 2]]"),
            "brackets are nested 2 deep in a tensor of rank 1");
  EXPECT_EQ(error("2xf32=[1 2"), "expected ']' at the end of '[1 2'");
  EXPECT_EQ(error("2xf32=1 2]"), "unexpected ']' in '1 2]'");
  EXPECT_EQ(error("1xf32=1e999"), "the value '1e999' is out of range");
}

TEST(TensorText, SplatsOfAnySizeAndTheirBytes) {
  for (const char *text : {"1xi64=5", "7xi64=5", "1000xi64=5", "3x5xi8=5"}) {
    Expected<Tensor> tensor = parseTensor(text);
    ASSERT_TRUE(tensor) << tensor.status().message();
    for (int64_t i = 0; i < tensor->numElements(); ++i)
      EXPECT_EQ(tensor->valueAsInt(i), 5);
    EXPECT_EQ(bytesOfTensorOrFile(text), tensor->data.size());
  }
  EXPECT_EQ(bytesOfTensorOrFile("60000x60000xf32=1"), 14400000000U);
  EXPECT_EQ(bytesOfTensorOrFile("99999999x99999999xf32=1"), 0U);
  EXPECT_EQ(bytesOfTensorOrFile("nothing"), 0U);
  EXPECT_EQ(bytesOfTensorOrFile("@/no/such/file"), 0U);
}

TEST(Npy, RoundTripsEveryType) {
  TemporaryDirectory directory;
  for (unsigned i = 0; i < numElementTypes; ++i) {
    auto type = static_cast<ElementType>(i);
    Tensor tensor = Tensor::zeros({2, 3}, type);
    for (int64_t e = 0; e < 6; ++e)
      tensor.setFromInt(e, e % 2);
    std::string path = directory.write("x.npy", "");
    ASSERT_TRUE(writeNpy(path, tensor));
    Expected<Tensor> again = parseTensorOrFile("@" + path);
    ASSERT_TRUE(again) << again.status().message();
    EXPECT_EQ(again->shape, tensor.shape);
    EXPECT_EQ(again->type, type);
    EXPECT_EQ(again->data, tensor.data);
  }
  EXPECT_EQ(npyHeader({}, ElementType::F32).size() % 64, 0u);
  EXPECT_TRUE(parseNpy(npyHeader({}, ElementType::F32) + "abcd"));
}

TEST(WriteFile, KeepsLinksAndDevices) {
  TemporaryDirectory directory;
  std::string target = directory.write("target", "old");
  std::string link = directory.write("link", "");
  ASSERT_EQ(unlink(link.c_str()), 0);
  ASSERT_EQ(symlink(target.c_str(), link.c_str()), 0);
  EXPECT_TRUE(writeFileAtomically(link, "new"));
  char leadsTo[4096];
  EXPECT_GT(readlink(link.c_str(), leadsTo, sizeof(leadsTo)), 0);
  std::ifstream file(target);
  std::string text;
  file >> text;
  EXPECT_EQ(text, "new");
  EXPECT_TRUE(writeFileAtomically("/dev/null", "gone"));
  struct stat info;
  ASSERT_EQ(stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
}

TEST(Npy, ReadsFortranOrderAndDoubles) {
  std::string dict = "{'descr': '<f8', 'fortran_order': True, "
                     "'shape': (2, 3), }\n";
  std::string bytes("\x93NUMPY\x01\x00", 8);
  test::append(bytes, uint16_t(dict.size()));
  bytes += dict;
  for (double value : {1.0, 4.0, 2.0, 5.0, 3.0, 6.0})
    test::append(bytes, value);
  Expected<Tensor> tensor = parseNpy(bytes);
  ASSERT_TRUE(tensor) << tensor.status().message();
  EXPECT_EQ(toText(*tensor), "2x3xf32=[1 2 3][4 5 6]");
}

TEST(Npy, DamagedFilesAreErrors) {
  std::string whole = npyHeader({2, 3}, ElementType::F32) + std::string(24, 0);
  for (size_t length = 0; length < whole.size(); ++length) {
    std::string bytes(whole, 0, length);
    bytes.shrink_to_fit();
    EXPECT_FALSE(parseNpy(bytes));
  }
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    Expected<Tensor> tensor = parseNpy(bytes);
    EXPECT_TRUE(tensor || !tensor.status().message().empty());
  }
  EXPECT_EQ(parseNpy("hello").status().message(), "not a .npy file");
  EXPECT_FALSE(parseNpy(whole + "x"));
}

TEST(Npy, AFailedWriteLeavesNothingBehind) {
  TemporaryDirectory directory;
  std::string path = directory.path + "/absent/x.npy";
  Status status = writeFileAtomically(path, "bytes");
  EXPECT_EQ(status.code(), StatusCode::Io);
  EXPECT_NE(status.message().find("No such file"), std::string::npos);
  struct stat info;
  EXPECT_NE(stat(path.c_str(), &info), 0);
}

TEST(Tensor, RoundsOnceAndSaturates) {
  Tensor half = Tensor::zeros({1}, ElementType::F16);
  // Just above the middle of two f16 numbers by less than f32 can say.
  half.setFromDouble(0, 1.0 + 0x1p-11 + 0x1p-40);
  EXPECT_EQ(half.valueAsDouble(0), 1.0 + 0x1p-10);
  half.setFromDouble(0, 1.0 + 3 * 0x1p-11 - 0x1p-40);
  EXPECT_EQ(half.valueAsDouble(0), 1.0 + 0x1p-10);
  Tensor small = Tensor::zeros({1}, ElementType::I8);
  small.setFromDouble(0, 1e9);
  EXPECT_EQ(small.valueAsInt(0), 127);
  small.setFromDouble(0, std::nan(""));
  EXPECT_EQ(small.valueAsInt(0), 0);
}
