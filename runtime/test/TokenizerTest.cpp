//===- TokenizerTest.cpp - Byte pairs, pre-tokenizers, streaming ----------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/tokenizer/Tokenizer.h"
#include "GgufWriter.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace turnip;
using namespace turnip::parameters;
using namespace turnip::tokenizer;
using test::GgufWriter;

namespace {
/// A text under a pre-tokenizer, and its ids by the `tokenizers` package.
struct Case {
  std::string pre;
  std::string text;
  std::vector<int32_t> ids;
};
} // namespace

static const std::vector<std::string> &smallTokens() {
  static const std::vector<std::string> tokens = {
#define SMALL_TOKENS
#include "TokenizerCases.inc"
#undef SMALL_TOKENS
  };
  return tokens;
}

static const std::vector<std::string> &smallMerges() {
  static const std::vector<std::string> merges = {
#define SMALL_MERGES
#include "TokenizerCases.inc"
#undef SMALL_MERGES
  };
  return merges;
}

static const std::vector<Case> &smallCases() {
  static const std::vector<Case> cases = {
#define SMALL_CASES
#include "TokenizerCases.inc"
#undef SMALL_CASES
  };
  return cases;
}

static const std::vector<Case> &modelCases() {
  static const std::vector<Case> cases = {
#define MODEL_CASES
#include "TokenizerCases.inc"
#undef MODEL_CASES
  };
  return cases;
}

/// A file with the small vocabulary, whose first three tokens are control.
static GgufWriter smallWriter(const std::string &pre) {
  GgufWriter writer;
  writer.text("tokenizer.ggml.model", "gpt2");
  writer.text("tokenizer.ggml.pre", pre);
  writer.texts("tokenizer.ggml.tokens", smallTokens());
  std::vector<int32_t> types(smallTokens().size(), 1);
  types[0] = types[1] = types[2] = 3;
  writer.numbers("tokenizer.ggml.token_type", GgufType::I32, types);
  writer.texts("tokenizer.ggml.merges", smallMerges());
  writer.scalar<uint32_t>("tokenizer.ggml.bos_token_id", GgufType::U32, 1);
  writer.scalar<uint32_t>("tokenizer.ggml.eos_token_id", GgufType::U32, 2);
  return writer;
}

static Expected<Tokenizer> makeTokenizer(const GgufWriter &writer) {
  // The tokenizer keeps nothing of the file.
  std::string bytes = writer.bytes();
  Expected<GgufFile> file = GgufFile::parse(bytes);
  if (!file)
    return file.status();
  return Tokenizer::create(*file);
}

static std::string errorOf(const GgufWriter &writer) {
  Expected<Tokenizer> tokenizer = makeTokenizer(writer);
  return tokenizer ? "" : tokenizer.status().message();
}

TEST(Tokenizer, EncodesAsTheTokenizersPackageDoes) {
  ASSERT_EQ(smallCases().size(), 4u * 98);
  std::string pre;
  std::optional<Tokenizer> tokenizer;
  for (const Case &c : smallCases()) {
    if (c.pre != pre) {
      Expected<Tokenizer> made = makeTokenizer(smallWriter(c.pre));
      ASSERT_TRUE(made) << made.status().message();
      tokenizer.emplace(std::move(*made));
      pre = c.pre;
    }
    EXPECT_EQ(tokenizer->encode(c.text), c.ids) << c.pre << ": " << c.text;
    EXPECT_EQ(tokenizer->decode(c.ids, /*showControl=*/true), c.text);
  }
}

/// With the vocabulary of the model that utils/fetch-model.sh fetches.
TEST(Tokenizer, EncodesWithTheModelsVocabulary) {
  const char *path = std::getenv("TURNIP_SMOLLM2");
  if (!path)
    GTEST_SKIP() << "TURNIP_SMOLLM2 does not name the model";
  Expected<GgufFile> file = GgufFile::open(path);
  ASSERT_TRUE(file) << file.status().message();
  Expected<Tokenizer> tokenizer = Tokenizer::create(*file);
  ASSERT_TRUE(tokenizer) << tokenizer.status().message();
  ASSERT_EQ(modelCases().size(), 98u);
  for (const Case &c : modelCases())
    EXPECT_EQ(tokenizer->encode(c.text), c.ids) << c.text;
  EXPECT_EQ(*tokenizer->formatChat("Hi"),
            "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, "
            "trained by Hugging Face<|im_end|>\n<|im_start|>user\nHi<|im_end|>"
            "\n<|im_start|>assistant\n");
}

TEST(Tokenizer, EveryByteSurvives) {
  Expected<Tokenizer> tokenizer = makeTokenizer(smallWriter("smollm"));
  ASSERT_TRUE(tokenizer);
  std::string bytes;
  for (int i = 0; i < 256; ++i)
    bytes += static_cast<char>(i);
  bytes += "\xe2\x82 \xf0\x9f\x98 \xc0\x80 \xed\xa0\x80 \xf4\x90\x80\x80";
  EXPECT_EQ(tokenizer->decode(tokenizer->encode(bytes)), bytes);
}

TEST(Tokenizer, ControlTokens) {
  GgufWriter writer = smallWriter("gpt-2");
  writer.scalar<uint8_t>("tokenizer.ggml.add_bos_token", GgufType::Bool, 1);
  Expected<Tokenizer> tokenizer = makeTokenizer(writer);
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(tokenizer->encode("<|im_end|>"), (std::vector<int32_t>{1, 2}));
  EncodeOptions plain;
  plain.parseControl = plain.addBeginning = false;
  std::vector<int32_t> ids = tokenizer->encode("<|im_end|>", plain);
  EXPECT_GT(ids.size(), 1u);
  EXPECT_EQ(tokenizer->decode(ids), "<|im_end|>");
  EXPECT_EQ(tokenizer->decode({1, 2}), "");
  EXPECT_EQ(tokenizer->decode({1, 2}, true), "<|im_start|><|im_end|>");
  EXPECT_EQ(tokenizer->decode({-1, 1 << 20}), "");
  EXPECT_TRUE(tokenizer->isEnd(2));
  EXPECT_FALSE(tokenizer->isEnd(1));
  EXPECT_EQ(tokenizer->end(), 2);
  EXPECT_EQ(tokenizer->padding(), std::nullopt);
  EXPECT_EQ(tokenizer->find("<|im_start|>"), 1);
}

TEST(Tokenizer, StreamsWholeCharacters) {
  Expected<Tokenizer> tokenizer = makeTokenizer(smallWriter("gpt-2"));
  ASSERT_TRUE(tokenizer);
  std::string text = "a\xf0\x9f\x98\x80z";
  StreamDecoder stream(*tokenizer);
  std::vector<std::string> pieces;
  auto byteToken = [&](unsigned char byte) {
    // The tokens of single bytes come right after the three control tokens.
    for (int32_t id = 3; id < 259; ++id)
      if (tokenizer->decodeToken(id) == std::string(1, char(byte)))
        return id;
    return -1;
  };
  for (char c : text)
    pieces.push_back(stream.push(byteToken(static_cast<unsigned char>(c))));
  EXPECT_EQ(pieces, (std::vector<std::string>{"a", "", "", "",
                                              "\xf0\x9f\x98\x80", "z"}));
  EXPECT_EQ(stream.finish(), "");
  // An unfinished character is replaced once something else follows, or at
  // the end; a byte that cannot begin one at once.
  EXPECT_EQ(stream.push(byteToken(0xe2)), "");
  EXPECT_EQ(stream.push(byteToken('x')), "\xef\xbf\xbdx");
  EXPECT_EQ(stream.push(byteToken(0xff)), "\xef\xbf\xbd");
  EXPECT_EQ(stream.push(byteToken(0xed)), "");
  EXPECT_EQ(stream.push(byteToken(0xa0)), "\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(stream.push(byteToken(0xf0)), "");
  EXPECT_EQ(stream.finish(), "\xef\xbf\xbd");
  EXPECT_EQ(stream.finish(), "");
}

TEST(Tokenizer, LongWordsTakeLittleTime) {
  Expected<Tokenizer> tokenizer = makeTokenizer(smallWriter("gpt-2"));
  ASSERT_TRUE(tokenizer);
  std::string text(1 << 20, 'a');
  std::vector<int32_t> ids = tokenizer->encode(text);
  EXPECT_LT(ids.size(), text.size() / 2);
  EXPECT_EQ(tokenizer->decode(ids), text);
}

TEST(Tokenizer, NamesWhatIsWrong) {
  GgufWriter empty;
  EXPECT_EQ(errorOf(empty),
            "the file has no metadata key 'tokenizer.ggml.model'");
  GgufWriter sentence;
  sentence.text("tokenizer.ggml.model", "llama");
  EXPECT_EQ(errorOf(sentence),
            "tokenizer model 'llama' is not supported; supported is gpt2 "
            "(byte-level byte pairs)");
  EXPECT_EQ(
      errorOf(smallWriter("odd")),
      "pre-tokenizer 'odd' is not supported; supported are gpt-2, phi-2, "
      "smollm, starcoder, refact, command-r, llama-bpe, llama3, llama-v3, "
      "qwen2");
  auto withMerges = [](const std::vector<std::string> &merges) {
    GgufWriter writer;
    writer.text("tokenizer.ggml.model", "gpt2");
    writer.text("tokenizer.ggml.pre", "gpt-2");
    writer.texts("tokenizer.ggml.tokens", {"a", "b", "ab"});
    writer.texts("tokenizer.ggml.merges", merges);
    return writer;
  };
  EXPECT_EQ(errorOf(withMerges({"a b"})), "");
  EXPECT_EQ(
      errorOf(withMerges({"a b", "ab"})),
      "metadata key 'tokenizer.ggml.merges', entry 1: expected two tokens "
      "separated by a space");
  EXPECT_EQ(errorOf(withMerges({"b a"})),
            "metadata key 'tokenizer.ggml.merges', entry 0: a token is not in "
            "the vocabulary");
  GgufWriter types = withMerges({});
  types.numbers<int32_t>("tokenizer.ggml.token_type", GgufType::I32, {1});
  EXPECT_EQ(errorOf(types), "expected 3 token types, but got 1");
  GgufWriter end = withMerges({});
  end.scalar<uint32_t>("tokenizer.ggml.eos_token_id", GgufType::U32, 3);
  EXPECT_EQ(errorOf(end),
            "metadata key 'tokenizer.ggml.eos_token_id': expected "
            "a token below 3, but got 3");
  GgufWriter chat = withMerges({});
  EXPECT_FALSE(makeTokenizer(chat)->formatChat("Hi"));
}

TEST(Tokenizer, DamagedFilesNeverCrash) {
  GgufWriter writer;
  writer.text("tokenizer.ggml.model", "gpt2");
  writer.text("tokenizer.ggml.pre", "smollm");
  writer.texts("tokenizer.ggml.tokens", {"<e>", "a", "b", "ab", "\xc4\xa0"});
  writer.numbers<int32_t>("tokenizer.ggml.token_type", GgufType::I32,
                          {3, 1, 1, 1, 1});
  writer.texts("tokenizer.ggml.merges", {"a b"});
  writer.scalar<uint32_t>("tokenizer.ggml.eos_token_id", GgufType::U32, 0);
  writer.text("tokenizer.chat_template", "<|im_start|>system\nx");
  std::string whole = writer.bytes();
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    Expected<GgufFile> file = GgufFile::parse(bytes);
    if (!file)
      continue;
    Expected<Tokenizer> tokenizer = Tokenizer::create(*file);
    if (!tokenizer) {
      EXPECT_FALSE(tokenizer.status().message().empty());
      continue;
    }
    EXPECT_LE(tokenizer->encode("ab a1<e>").size(), 8u);
    (void)tokenizer->decode({0, 1, 2, 3, 4});
  }
}
