//===- PreTokenizer.h - Splits text into words -----------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_TOKENIZER_PRETOKENIZER_H
#define TURNIP_LIB_TOKENIZER_PRETOKENIZER_H

#include <functional>
#include <string>
#include <string_view>

namespace turnip::tokenizer {

/// How a text is split into words, which merges never cross. The rules are
/// written by hand after the regular expressions that define them.
struct PreTokenizer {
  /// Values of tokenizer.ggml.pre that mean these rules, separated by spaces.
  const char *names;
  /// Every character of \p{N} is a word of its own, and ends the text before
  /// it.
  bool isolateNumbers;
  /// False, the rules of GPT-2:
  ///   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|
  ///   \s+(?!\S)|\s+
  /// True, those of Llama 3, with numbers of at most maxDigits:
  ///   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,max}|
  ///    ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
  bool llama3;
  /// A word that is a token is not split and merged.
  bool wholeWords;
  size_t maxDigits;
};

/// Returns the rules that \p name stands for, or null.
const PreTokenizer *findPreTokenizer(std::string_view name);

/// The names of all rules, separated by ", ".
std::string knownPreTokenizers();

/// Calls \p word for each word of \p text in order; together they are the text.
void splitWords(const PreTokenizer &rules, std::string_view text,
                const std::function<void(std::string_view)> &word);

} // namespace turnip::tokenizer

#endif // TURNIP_LIB_TOKENIZER_PRETOKENIZER_H
