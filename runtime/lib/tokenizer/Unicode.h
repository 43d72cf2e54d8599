//===- Unicode.h - UTF-8 and classes of characters -------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_TOKENIZER_UNICODE_H
#define TURNIP_LIB_TOKENIZER_UNICODE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace turnip::tokenizer {

/// What a pre-tokenizer distinguishes: \p{L}, \p{N}, \s and the rest.
enum class CharacterClass : uint8_t { Letter, Number, Space, Other };

/// Returns the class of a code point.
CharacterClass classOf(uint32_t point);

/// One code point of a text and the bytes that it takes.
struct Character {
  uint32_t point;
  size_t length;
  /// False for a byte that begins no well-formed sequence; then the length is
  /// 1 and the point U+FFFD.
  bool valid;
};

/// Decodes the character that begins at \p position, which is within \p text.
Character characterAt(std::string_view text, size_t position);

/// Returns how many bytes at the end of \p text begin a sequence that more
/// bytes could complete: 0 to 3.
size_t incompleteTail(std::string_view text);

/// Appends \p point in UTF-8.
void appendUtf8(std::string &text, uint32_t point);

} // namespace turnip::tokenizer

#endif // TURNIP_LIB_TOKENIZER_UNICODE_H
