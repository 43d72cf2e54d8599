//===- Unicode.cpp - UTF-8 and classes of characters ----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Unicode.h"

#include <algorithm>
#include <iterator>

using namespace turnip::tokenizer;

namespace {
struct Range {
  uint32_t first, last;
  CharacterClass kind;
};
} // namespace

static constexpr Range ranges[] = {
#include "UnicodeRanges.inc"
};

CharacterClass turnip::tokenizer::classOf(uint32_t point) {
  const Range *range = std::lower_bound(
      std::begin(ranges), std::end(ranges), point,
      [](const Range &range, uint32_t value) { return range.last < value; });
  if (range == std::end(ranges) || point < range->first)
    return CharacterClass::Other;
  return range->kind;
}

namespace {
/// The length that a first byte announces, the bits it gives, and the least
/// code point that needs this length.
struct Lead {
  size_t length;
  uint32_t bits;
  uint32_t least;
};
} // namespace

static Lead leadOf(unsigned char byte) {
  if (byte < 0x80)
    return {1, byte, 0};
  if (byte >= 0xc2 && byte < 0xe0)
    return {2, byte & 0x1fu, 0x80};
  if (byte >= 0xe0 && byte < 0xf0)
    return {3, byte & 0x0fu, 0x800};
  if (byte >= 0xf0 && byte < 0xf5)
    return {4, byte & 0x07u, 0x10000};
  return {0, 0, 0};
}

static bool isContinuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

Character turnip::tokenizer::characterAt(std::string_view text,
                                         size_t position) {
  constexpr Character broken = {0xfffd, 1, false};
  Lead lead = leadOf(static_cast<unsigned char>(text[position]));
  if (lead.length == 0 || lead.length > text.size() - position)
    return broken;
  uint32_t point = lead.bits;
  for (size_t i = 1; i < lead.length; ++i) {
    if (!isContinuation(text[position + i]))
      return broken;
    point =
        point << 6 | (static_cast<unsigned char>(text[position + i]) & 0x3fu);
  }
  bool surrogate = point >= 0xd800 && point < 0xe000;
  if (point < lead.least || point > 0x10ffff || surrogate)
    return broken;
  return {point, lead.length, true};
}

size_t turnip::tokenizer::incompleteTail(std::string_view text) {
  for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
    char byte = text[text.size() - back];
    if (isContinuation(byte))
      continue;
    Lead lead = leadOf(static_cast<unsigned char>(byte));
    if (lead.length <= back)
      return 0;
    // Some second bytes make the sequence ill-formed whatever follows: try the
    // least and the greatest completion.
    std::string least(text.substr(text.size() - back)), greatest = least;
    least.resize(lead.length, '\x80');
    greatest.resize(lead.length, '\xbf');
    bool possible =
        characterAt(least, 0).valid || characterAt(greatest, 0).valid;
    return possible ? back : 0;
  }
  return 0;
}

void turnip::tokenizer::appendUtf8(std::string &text, uint32_t point) {
  auto put = [&](uint32_t byte) { text += static_cast<char>(byte); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xc0 | point >> 6);
    put(0x80 | (point & 0x3f));
  } else if (point < 0x10000) {
    put(0xe0 | point >> 12);
    put(0x80 | (point >> 6 & 0x3f));
    put(0x80 | (point & 0x3f));
  } else {
    put(0xf0 | point >> 18);
    put(0x80 | (point >> 12 & 0x3f));
    put(0x80 | (point >> 6 & 0x3f));
    put(0x80 | (point & 0x3f));
  }
}
