//===- PreTokenizer.cpp - Splits text into words --------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PreTokenizer.h"

#include "Unicode.h"

#include <algorithm>
#include <vector>

using namespace turnip::tokenizer;

static const PreTokenizer preTokenizers[] = {
    {"gpt-2 phi-2", false, false, false, 0},
    {"smollm starcoder refact command-r", true, false, false, 0},
    {"llama-bpe llama3 llama-v3", false, true, true, 3},
    {"qwen2", false, true, false, 1},
};

/// Calls \p visit for each of the names in \p list until it returns true.
template <typename Visit>
static bool anyName(std::string_view list, Visit visit) {
  while (!list.empty()) {
    size_t end = std::min(list.find(' '), list.size());
    if (visit(list.substr(0, end)))
      return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

const PreTokenizer *turnip::tokenizer::findPreTokenizer(std::string_view name) {
  for (const PreTokenizer &rules : preTokenizers)
    if (anyName(rules.names, [&](std::string_view n) { return n == name; }))
      return &rules;
  return nullptr;
}

std::string turnip::tokenizer::knownPreTokenizers() {
  std::string all;
  for (const PreTokenizer &rules : preTokenizers)
    anyName(rules.names, [&](std::string_view name) {
      all += (all.empty() ? "" : ", ") + std::string(name);
      return false;
    });
  return all;
}

namespace {
/// A stretch of text, decoded, and the alternatives of the rules: each returns
/// how many characters it matches at a position, 0 for no match.
class Matcher {
public:
  Matcher(const PreTokenizer &rules, std::string_view text)
      : rules(rules), text(text) {
    for (size_t at = 0; at < text.size();) {
      Character character = characterAt(text, at);
      points.push_back(character.point);
      classes.push_back(character.valid ? classOf(character.point)
                                        : CharacterClass::Other);
      starts.push_back(at);
      at += character.length;
    }
    starts.push_back(text.size());
  }

  void split(const std::function<void(std::string_view)> &word) const {
    for (size_t at = 0; at < points.size();) {
      size_t length = rules.llama3 ? matchLlama3(at) : matchGpt2(at);
      word(text.substr(starts[at], starts[at + length] - starts[at]));
      at += length;
    }
  }

private:
  bool is(size_t at, CharacterClass kind) const {
    return at < points.size() && classes[at] == kind;
  }
  bool isNewline(size_t at) const {
    return at < points.size() && (points[at] == '\n' || points[at] == '\r');
  }
  /// The end of the run of \p kind that begins at \p at.
  size_t runEnd(size_t at, CharacterClass kind) const {
    while (is(at, kind))
      ++at;
    return at;
  }

  size_t matchContraction(size_t at, bool anyCase) const;
  /// ` ?` and then a run of one class.
  size_t matchSpacedRun(size_t at, CharacterClass kind) const;
  size_t matchSpaces(size_t at) const;
  size_t matchGpt2(size_t at) const;
  size_t matchLlama3(size_t at) const;

  const PreTokenizer &rules;
  std::string_view text;
  std::vector<uint32_t> points;
  std::vector<CharacterClass> classes;
  std::vector<size_t> starts;
};
} // namespace

size_t Matcher::matchContraction(size_t at, bool anyCase) const {
  if (points[at] != '\'')
    return 0;
  static constexpr std::string_view endings[] = {"s", "t",  "re", "ve",
                                                 "m", "ll", "d"};
  for (std::string_view ending : endings) {
    size_t matched = 0;
    while (matched < ending.size() && at + 1 + matched < points.size()) {
      uint32_t point = points[at + 1 + matched];
      if (anyCase && point >= 'A' && point <= 'Z')
        point += 'a' - 'A';
      if (point != static_cast<unsigned char>(ending[matched]))
        break;
      ++matched;
    }
    if (matched == ending.size())
      return 1 + matched;
  }
  return 0;
}

size_t Matcher::matchSpacedRun(size_t at, CharacterClass kind) const {
  size_t begin = at + (points[at] == ' ' ? 1 : 0);
  size_t end = runEnd(begin, kind);
  return end > begin ? end - at : 0;
}

/// \s+(?!\S)|\s+ : the last space before a word is left to that word, unless
/// it is the only one.
size_t Matcher::matchSpaces(size_t at) const {
  size_t end = runEnd(at, CharacterClass::Space);
  if (end < points.size() && end - at > 1)
    --end;
  return end - at;
}

size_t Matcher::matchGpt2(size_t at) const {
  if (size_t length = matchContraction(at, /*anyCase=*/false))
    return length;
  for (CharacterClass kind :
       {CharacterClass::Letter, CharacterClass::Number, CharacterClass::Other})
    if (size_t length = matchSpacedRun(at, kind))
      return length;
  return matchSpaces(at);
}

size_t Matcher::matchLlama3(size_t at) const {
  if (size_t length = matchContraction(at, /*anyCase=*/true))
    return length;
  bool mayLead = !isNewline(at) && !is(at, CharacterClass::Letter) &&
                 !is(at, CharacterClass::Number);
  size_t letters = at + (mayLead ? 1 : 0);
  size_t end = runEnd(letters, CharacterClass::Letter);
  if (end > letters)
    return end - at;
  if (is(at, CharacterClass::Number)) {
    end = runEnd(at, CharacterClass::Number);
    return std::min(end - at, rules.maxDigits);
  }
  if (size_t length = matchSpacedRun(at, CharacterClass::Other)) {
    while (isNewline(at + length))
      ++length;
    return length;
  }
  end = runEnd(at, CharacterClass::Space);
  for (size_t last = end; last > at; --last)
    if (isNewline(last - 1))
      return last - at;
  return matchSpaces(at);
}

void turnip::tokenizer::splitWords(
    const PreTokenizer &rules, std::string_view text,
    const std::function<void(std::string_view)> &word) {
  if (!rules.isolateNumbers)
    return Matcher(rules, text).split(word);
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    Character character = characterAt(text, at);
    if (character.valid && classOf(character.point) == CharacterClass::Number) {
      Matcher(rules, text.substr(begin, at - begin)).split(word);
      word(text.substr(at, character.length));
      begin = at + character.length;
    }
    at += character.length;
  }
  Matcher(rules, text.substr(begin)).split(word);
}
