//===- Tokenizer.h - Text to token ids and back ----------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Byte-level byte-pair encoding with the vocabulary that a GGUF file carries.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TOKENIZER_TOKENIZER_H
#define TURNIP_TOKENIZER_TOKENIZER_H

#include "turnip/parameters/GgufFile.h"
#include "turnip/support/Status.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnip::tokenizer {

/// What encode does besides encoding.
struct EncodeOptions {
  /// Control tokens that are written out in the text ("<|im_start|>") become
  /// their ids. User-defined tokens always do.
  bool parseControl = true;
  /// Put the beginning-of-text token in front if the file asks for it.
  bool addBeginning = true;
};

/// A vocabulary and its merges. Immutable: all members may be called from any
/// thread. It keeps nothing of the file it was made from.
class Tokenizer {
public:
  /// Reads the keys tokenizer.ggml.*. The model must be "gpt2" and the
  /// pre-tokenizer one that is known; errors list those.
  static Expected<Tokenizer> create(const parameters::GgufFile &file);

  Tokenizer(Tokenizer &&) noexcept;
  Tokenizer &operator=(Tokenizer &&) noexcept;
  ~Tokenizer();

  /// Number of tokens; ids are 0 .. size() - 1.
  int32_t size() const;

  /// Returns the ids of \p text. Bytes that are not UTF-8 are encoded as they
  /// are; a byte that the vocabulary has no token for is left out, as in the
  /// tokenizers of Hugging Face.
  std::vector<int32_t> encode(std::string_view text,
                              const EncodeOptions &options = {}) const;

  /// Returns the bytes that \p ids stand for; they need not be whole UTF-8
  /// sequences. Control tokens give nothing unless \p showControl; an id that
  /// is no token gives nothing.
  std::string decode(const std::vector<int32_t> &ids,
                     bool showControl = false) const;

  /// The bytes of one token.
  std::string decodeToken(int32_t id, bool showControl = false) const;

  /// Returns the id of the token that is written as \p text, if there is one.
  std::optional<int32_t> find(std::string_view text) const;

  /// The tokens that begin a text, end it, and fill what is left over.
  std::optional<int32_t> beginning() const;
  std::optional<int32_t> end() const;
  std::optional<int32_t> padding() const;
  /// Whether generation stops at \p id: end of text, end of turn.
  bool isEnd(int32_t id) const;

  /// Wraps \p message as a chat does its user's turn, ready for the answer.
  /// Known is the form "<|im_start|>role\n...<|im_end|>\n" (ChatML), with the
  /// system message that the file's template begins with, if it has one. An
  /// error for files without such a template.
  Expected<std::string> formatChat(std::string_view message) const;

private:
  struct Data;
  explicit Tokenizer(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data;
};

/// Turns tokens into text as they come: whole characters only, so that a
/// character whose bytes are spread over tokens appears once, complete.
class StreamDecoder {
public:
  explicit StreamDecoder(const Tokenizer &tokenizer) : tokenizer(tokenizer) {}

  /// Returns the characters that \p id completes, in well-formed UTF-8; bytes
  /// that cannot become a character give U+FFFD.
  std::string push(int32_t id);
  /// Returns what is left at the end: U+FFFD for an unfinished character.
  std::string finish();

private:
  const Tokenizer &tokenizer;
  std::string pending;
};

} // namespace turnip::tokenizer

#endif // TURNIP_TOKENIZER_TOKENIZER_H
