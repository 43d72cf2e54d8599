//===- Tokenizer.cpp - Text to token ids and back -------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/tokenizer/Tokenizer.h"

#include "PreTokenizer.h"
#include "Unicode.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

using namespace turnip;
using namespace turnip::tokenizer;
using parameters::GgufFile;

static Status bad(std::string message) {
  return Status::error(StatusCode::BadInput, std::move(message));
}

namespace {
/// The values of tokenizer.ggml.token_type.
enum class TokenType : int8_t {
  Normal = 1,
  Unknown = 2,
  Control = 3,
  UserDefined = 4,
  Unused = 5,
  Byte = 6,
};

/// What two adjacent tokens become, and how early (the least rank first).
struct Merge {
  int32_t rank;
  int32_t result;
};

/// The printable characters that stand for the 256 bytes in a byte-level
/// vocabulary: printable Latin-1 for itself, U+0100 onward for the others.
struct ByteSymbols {
  ByteSymbols() {
    std::fill(std::begin(bytes), std::end(bytes), int16_t(-1));
    uint32_t next = 256;
    for (uint32_t byte = 0; byte < 256; ++byte) {
      bool plain = (byte >= 0x21 && byte <= 0x7e) ||
                   (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
      uint32_t point = plain ? byte : next++;
      appendUtf8(symbol[byte], point);
      bytes[point] = static_cast<int16_t>(byte);
    }
  }
  /// The byte that \p point stands for, or -1.
  int byteOf(uint32_t point) const {
    return point < std::size(bytes) ? bytes[point] : -1;
  }
  std::string symbol[256];

private:
  int16_t bytes[512];
};
} // namespace

static const ByteSymbols &byteSymbols() {
  static const ByteSymbols symbols;
  return symbols;
}

struct Tokenizer::Data {
  Status readTokens(const GgufFile &file);
  Status readMerges(const GgufFile &file);
  Status readSpecial(const GgufFile &file);
  Status readOptionalId(const GgufFile &file, const char *key,
                        std::optional<int32_t> &id) const;

  std::string_view token(int32_t id) const {
    return std::string_view(characters)
        .substr(offsets[id], offsets[id + 1] - offsets[id]);
  }
  int32_t size() const { return static_cast<int32_t>(types.size()); }
  void encodeWord(std::string_view word, std::vector<int32_t> &ids) const;
  void encodeStretch(std::string_view text, std::vector<int32_t> &ids) const;
  /// The longest special token that \p text begins with, or -1.
  int32_t specialAt(std::string_view text, bool parseControl) const;
  void mergeSymbols(std::vector<int32_t> &symbols) const;

  /// All tokens one after the other; token i is [offsets[i], offsets[i + 1]).
  std::string characters;
  std::vector<uint32_t> offsets;
  std::vector<TokenType> types;
  std::unordered_map<std::string_view, int32_t> ids;
  /// Keyed by the left id in the upper half and the right one in the lower.
  std::unordered_map<uint64_t, Merge> merges;
  int32_t byteIds[256];
  /// Control and user-defined tokens, the longest first.
  std::vector<int32_t> special;
  const PreTokenizer *rules = nullptr;
  std::optional<int32_t> beginning, end, endOfTurn, padding;
  bool addBeginning = false;
  std::string chatTemplate;
};

static uint64_t pairKey(int32_t left, int32_t right) {
  return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 |
         static_cast<uint32_t>(right);
}

//===----------------------------------------------------------------------===//
// Reading the file
//===----------------------------------------------------------------------===//

static Expected<const std::vector<std::string_view> *>
stringsOf(const GgufFile &file, const char *key) {
  const parameters::GgufValue *value = file.find(key);
  if (!value)
    return bad(std::string("the file has no metadata key '") + key + "'");
  return value->asStrings().withContext(std::string("metadata key '") + key +
                                        "'");
}

Status Tokenizer::Data::readTokens(const GgufFile &file) {
  auto tokens = stringsOf(file, "tokenizer.ggml.tokens");
  if (!tokens)
    return tokens.status();
  size_t count = (*tokens)->size();
  if (count == 0 || count > size_t(1) << 30)
    return bad("metadata key 'tokenizer.ggml.tokens': expected at least one "
               "token");
  offsets.push_back(0);
  for (std::string_view token : **tokens) {
    if (token.size() > UINT32_MAX - characters.size())
      return bad("metadata key 'tokenizer.ggml.tokens': more than 4 GiB");
    characters += token;
    offsets.push_back(static_cast<uint32_t>(characters.size()));
  }
  types.assign(count, TokenType::Normal);
  if (const parameters::GgufValue *value =
          file.find("tokenizer.ggml.token_type")) {
    Expected<std::vector<int64_t>> read = value->asIntegers();
    if (!read)
      return read.status().withContext(
          "metadata key 'tokenizer.ggml.token_type'");
    if (read->size() != count)
      return bad("expected " + std::to_string(count) +
                 " token types, but got " + std::to_string(read->size()));
    for (size_t i = 0; i < count; ++i)
      if ((*read)[i] >= 1 && (*read)[i] <= 6)
        types[i] = static_cast<TokenType>((*read)[i]);
  }
  // Of tokens written alike, the first is meant.
  for (int32_t id = 0; id < size(); ++id)
    ids.emplace(token(id), id);
  for (int byte = 0; byte < 256; ++byte) {
    auto it = ids.find(byteSymbols().symbol[byte]);
    byteIds[byte] = it == ids.end() ? -1 : it->second;
  }
  return Status::ok();
}

Status Tokenizer::Data::readMerges(const GgufFile &file) {
  auto lines = stringsOf(file, "tokenizer.ggml.merges");
  if (!lines)
    return lines.status();
  int32_t rank = 0;
  for (std::string_view line : **lines) {
    std::string where =
        "metadata key 'tokenizer.ggml.merges', entry " + std::to_string(rank);
    size_t space = line.find(' ', 1);
    if (space == std::string_view::npos)
      return bad(where + ": expected two tokens separated by a space");
    std::string_view left = line.substr(0, space),
                     right = line.substr(space + 1);
    auto leftId = ids.find(left), rightId = ids.find(right);
    auto result = ids.find(std::string(left) + std::string(right));
    if (leftId == ids.end() || rightId == ids.end() || result == ids.end())
      return bad(where + ": a token is not in the vocabulary");
    merges.emplace(pairKey(leftId->second, rightId->second),
                   Merge{rank, result->second});
    ++rank;
  }
  return Status::ok();
}

Status Tokenizer::Data::readOptionalId(const GgufFile &file, const char *key,
                                       std::optional<int32_t> &id) const {
  if (!file.find(key))
    return Status::ok();
  Expected<uint64_t> value = file.unsignedValue(key);
  if (!value)
    return value.status();
  if (*value >= static_cast<uint64_t>(size()))
    return bad(std::string("metadata key '") + key +
               "': expected a token below " + std::to_string(size()) +
               ", but got " + std::to_string(*value));
  id = static_cast<int32_t>(*value);
  return Status::ok();
}

Status Tokenizer::Data::readSpecial(const GgufFile &file) {
  TURNIP_RETURN_IF_ERROR(
      readOptionalId(file, "tokenizer.ggml.bos_token_id", beginning));
  TURNIP_RETURN_IF_ERROR(
      readOptionalId(file, "tokenizer.ggml.eos_token_id", end));
  TURNIP_RETURN_IF_ERROR(
      readOptionalId(file, "tokenizer.ggml.eot_token_id", endOfTurn));
  TURNIP_RETURN_IF_ERROR(
      readOptionalId(file, "tokenizer.ggml.padding_token_id", padding));
  Expected<bool> add =
      file.boolValue("tokenizer.ggml.add_bos_token", /*absent=*/false);
  if (!add)
    return add.status();
  addBeginning = *add;
  if (file.find("tokenizer.chat_template")) {
    Expected<std::string_view> text =
        file.stringValue("tokenizer.chat_template");
    if (!text)
      return text.status();
    chatTemplate = *text;
  }
  for (int32_t id = 0; id < size(); ++id)
    if ((types[id] == TokenType::Control ||
         types[id] == TokenType::UserDefined) &&
        !token(id).empty())
      special.push_back(id);
  std::sort(special.begin(), special.end(), [&](int32_t a, int32_t b) {
    size_t first = token(a).size(), second = token(b).size();
    return first != second ? first > second : a < b;
  });
  return Status::ok();
}

Expected<Tokenizer> Tokenizer::create(const GgufFile &file) {
  Expected<std::string_view> model = file.stringValue("tokenizer.ggml.model");
  if (!model)
    return model.status();
  if (*model != "gpt2")
    return bad("tokenizer model '" + std::string(*model) +
               "' is not supported; supported is gpt2 (byte-level byte pairs)");
  Expected<std::string_view> pre = file.stringValue("tokenizer.ggml.pre");
  if (!pre)
    return pre.status();
  auto data = std::make_unique<Data>();
  data->rules = findPreTokenizer(*pre);
  if (!data->rules)
    return bad("pre-tokenizer '" + std::string(*pre) +
               "' is not supported; supported are " + knownPreTokenizers());
  TURNIP_RETURN_IF_ERROR(data->readTokens(file));
  TURNIP_RETURN_IF_ERROR(data->readMerges(file));
  TURNIP_RETURN_IF_ERROR(data->readSpecial(file));
  return Tokenizer(std::move(data));
}

//===----------------------------------------------------------------------===//
// Encoding
//===----------------------------------------------------------------------===//

namespace {
/// Two neighbours that could merge. Stale entries are recognised by the ids.
struct Candidate {
  int32_t rank;
  int32_t result;
  uint32_t left, right;
  int32_t leftId, rightId;

  /// The order of a queue whose top has the least rank, leftmost first.
  bool operator<(const Candidate &other) const {
    return rank != other.rank ? rank > other.rank : left > other.left;
  }
};
} // namespace

/// Merges neighbours, the least rank first, until none can. A word of n bytes
/// takes n log n steps however it merges.
void Tokenizer::Data::mergeSymbols(std::vector<int32_t> &symbols) const {
  auto count = static_cast<uint32_t>(symbols.size());
  constexpr uint32_t none = UINT32_MAX;
  std::vector<uint32_t> next(count), previous(count);
  for (uint32_t i = 0; i < count; ++i) {
    next[i] = i + 1 < count ? i + 1 : none;
    previous[i] = i > 0 ? i - 1 : none;
  }
  std::priority_queue<Candidate> queue;
  auto consider = [&](uint32_t left, uint32_t right) {
    if (left == none || right == none)
      return;
    auto it = merges.find(pairKey(symbols[left], symbols[right]));
    if (it != merges.end())
      queue.push({it->second.rank, it->second.result, left, right,
                  symbols[left], symbols[right]});
  };
  for (uint32_t i = 0; i + 1 < count; ++i)
    consider(i, i + 1);
  while (!queue.empty()) {
    Candidate best = queue.top();
    queue.pop();
    if (symbols[best.left] != best.leftId ||
        symbols[best.right] != best.rightId || next[best.left] != best.right)
      continue;
    symbols[best.left] = best.result;
    symbols[best.right] = -1;
    next[best.left] = next[best.right];
    if (next[best.left] != none)
      previous[next[best.left]] = best.left;
    consider(previous[best.left], best.left);
    consider(best.left, next[best.left]);
  }
  symbols.erase(std::remove(symbols.begin(), symbols.end(), -1), symbols.end());
}

void Tokenizer::Data::encodeWord(std::string_view word,
                                 std::vector<int32_t> &result) const {
  if (rules->wholeWords) {
    std::string spelled;
    for (char c : word)
      spelled += byteSymbols().symbol[static_cast<unsigned char>(c)];
    auto it = ids.find(spelled);
    if (it != ids.end()) {
      result.push_back(it->second);
      return;
    }
  }
  std::vector<int32_t> symbols;
  for (char c : word) {
    int32_t id = byteIds[static_cast<unsigned char>(c)];
    if (id >= 0)
      symbols.push_back(id);
  }
  mergeSymbols(symbols);
  result.insert(result.end(), symbols.begin(), symbols.end());
}

void Tokenizer::Data::encodeStretch(std::string_view text,
                                    std::vector<int32_t> &result) const {
  splitWords(*rules, text,
             [&](std::string_view word) { encodeWord(word, result); });
}

int32_t Tokenizer::Data::specialAt(std::string_view text,
                                   bool parseControl) const {
  for (int32_t id : special)
    if ((parseControl || types[id] == TokenType::UserDefined) &&
        text.substr(0, token(id).size()) == token(id))
      return id;
  return -1;
}

std::vector<int32_t> Tokenizer::encode(std::string_view text,
                                       const EncodeOptions &options) const {
  bool starts[256] = {};
  for (int32_t id : data->special)
    starts[static_cast<unsigned char>(data->token(id)[0])] = true;
  std::vector<int32_t> result;
  if (options.addBeginning && data->addBeginning && data->beginning)
    result.push_back(*data->beginning);
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    int32_t id = starts[static_cast<unsigned char>(text[at])]
                     ? data->specialAt(text.substr(at), options.parseControl)
                     : -1;
    if (id < 0) {
      ++at;
      continue;
    }
    data->encodeStretch(text.substr(begin, at - begin), result);
    result.push_back(id);
    at += data->token(id).size();
    begin = at;
  }
  data->encodeStretch(text.substr(begin), result);
  return result;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

std::string Tokenizer::decodeToken(int32_t id, bool showControl) const {
  if (id < 0 || id >= size())
    return "";
  std::string_view text = data->token(id);
  TokenType type = data->types[id];
  if (type == TokenType::UserDefined)
    return std::string(text);
  if (type == TokenType::Control || type == TokenType::Unknown)
    return showControl ? std::string(text) : "";
  std::string bytes;
  for (size_t at = 0; at < text.size();) {
    Character character = characterAt(text, at);
    int byte = character.valid ? byteSymbols().byteOf(character.point) : -1;
    if (byte >= 0)
      bytes += static_cast<char>(byte);
    else
      bytes += text.substr(at, character.length);
    at += character.length;
  }
  return bytes;
}

std::string Tokenizer::decode(const std::vector<int32_t> &ids,
                              bool showControl) const {
  std::string bytes;
  for (int32_t id : ids)
    bytes += decodeToken(id, showControl);
  return bytes;
}

/// Moves everything but the last \p keep bytes of \p pending into well-formed
/// text.
static std::string takeWellFormed(std::string &pending, size_t keep) {
  std::string text;
  size_t stop = pending.size() - keep;
  for (size_t at = 0; at < stop;) {
    Character character = characterAt(pending, at);
    appendUtf8(text, character.point);
    at += character.length;
  }
  pending.erase(0, stop);
  return text;
}

std::string StreamDecoder::push(int32_t id) {
  pending += tokenizer.decodeToken(id);
  return takeWellFormed(pending, incompleteTail(pending));
}

std::string StreamDecoder::finish() {
  bool unfinished = !pending.empty();
  pending.clear();
  std::string text;
  if (unfinished)
    appendUtf8(text, 0xfffd);
  return text;
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

Tokenizer::Tokenizer(std::unique_ptr<Data> data) : data(std::move(data)) {}
Tokenizer::Tokenizer(Tokenizer &&) noexcept = default;
Tokenizer &Tokenizer::operator=(Tokenizer &&) noexcept = default;
Tokenizer::~Tokenizer() = default;

int32_t Tokenizer::size() const { return data->size(); }

std::optional<int32_t> Tokenizer::find(std::string_view text) const {
  auto it = data->ids.find(text);
  if (it == data->ids.end())
    return std::nullopt;
  return it->second;
}

std::optional<int32_t> Tokenizer::beginning() const { return data->beginning; }
std::optional<int32_t> Tokenizer::end() const { return data->end; }
std::optional<int32_t> Tokenizer::padding() const { return data->padding; }

bool Tokenizer::isEnd(int32_t id) const {
  return id == data->end || id == data->endOfTurn;
}

Expected<std::string> Tokenizer::formatChat(std::string_view message) const {
  static constexpr std::string_view open = "<|im_start|>", close = "<|im_end|>";
  const std::string &form = data->chatTemplate;
  if (!find(open) || !find(close) || form.find(open) == std::string::npos)
    return bad("the file has no chat template that is supported; supported is "
               "<|im_start|>role ... <|im_end|>");
  std::string text;
  std::string system = std::string(open) + "system\n";
  size_t begin = form.find(system);
  size_t finish = begin == std::string::npos ? begin : form.find(close, begin);
  if (finish != std::string::npos)
    text = form.substr(begin, finish - begin) + std::string(close) + "\n";
  text += std::string(open) + "user\n" + std::string(message) +
          std::string(close) + "\n" + std::string(open) + "assistant\n";
  return text;
}
