//===- Json.cpp - Reading and writing JSON --------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/support/Json.h"

#include <charconv>
#include <cmath>
#include <unordered_set>

using namespace turnip;
using namespace turnip::json;

const Value *Value::find(std::string_view name) const {
  for (const auto &[key, value] : members)
    if (key == name)
      return &value;
  return nullptr;
}

const char *json::toString(Value::Kind kind) {
  switch (kind) {
  case Value::Kind::Null:
    return "null";
  case Value::Kind::Bool:
    return "a boolean";
  case Value::Kind::Number:
    return "a number";
  case Value::Kind::String:
    return "a string";
  case Value::Kind::Array:
    return "an array";
  case Value::Kind::Object:
    return "an object";
  }
  return "unknown";
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
/// Recursive descent; every function leaves the position behind what it read,
/// or fails at the position of the problem.
class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}
  Expected<Value> parseAll();

private:
  static constexpr unsigned maxDepth = 64;

  Status parseValue(Value &value, unsigned depth);
  Status parseObject(Value &value, unsigned depth);
  Status parseArray(Value &value, unsigned depth);
  Status parseString(std::string &string);
  Status parseEscape(std::string &string);
  Status parseHex(uint32_t &code);
  Status parseNumber(Value &value);
  Status error(const std::string &message) const;
  void skipSpace();
  bool consume(std::string_view token);
  char peek() const { return position < text.size() ? text[position] : '\0'; }

  std::string_view text;
  size_t position = 0;
};
} // namespace

Status Parser::error(const std::string &message) const {
  size_t line = 1;
  size_t column = 1;
  for (size_t i = 0; i < position && i < text.size(); ++i) {
    ++column;
    if (text[i] == '\n') {
      ++line;
      column = 1;
    }
  }
  return Status::error(StatusCode::BadInput,
                       "line " + std::to_string(line) + ", column " +
                           std::to_string(column) + ": " + message);
}

void Parser::skipSpace() {
  while (position < text.size() &&
         std::string_view(" \t\r\n").find(text[position]) !=
             std::string_view::npos)
    ++position;
}

bool Parser::consume(std::string_view token) {
  if (text.substr(position, token.size()) != token)
    return false;
  position += token.size();
  return true;
}

Expected<Value> Parser::parseAll() {
  Value value;
  TURNIP_RETURN_IF_ERROR(parseValue(value, 0));
  skipSpace();
  if (position != text.size())
    return error("expected the end of the text");
  return value;
}

Status Parser::parseValue(Value &value, unsigned depth) {
  skipSpace();
  if (depth > maxDepth)
    return error("nested deeper than " + std::to_string(maxDepth) + " levels");
  switch (peek()) {
  case '{':
    return parseObject(value, depth);
  case '[':
    return parseArray(value, depth);
  case '"':
    value.kind = Value::Kind::String;
    return parseString(value.string);
  default:
    break;
  }
  if (consume("null"))
    return Status::ok();
  value.kind = Value::Kind::Bool;
  value.boolean = consume("true");
  if (value.boolean || consume("false"))
    return Status::ok();
  return parseNumber(value);
}

Status Parser::parseObject(Value &value, unsigned depth) {
  value.kind = Value::Kind::Object;
  ++position;
  skipSpace();
  if (consume("}"))
    return Status::ok();
  std::unordered_set<std::string> names;
  do {
    skipSpace();
    if (peek() != '"')
      return error("expected a member name in quotes");
    std::string name;
    size_t begin = position;
    TURNIP_RETURN_IF_ERROR(parseString(name));
    if (!names.insert(name).second) {
      position = begin;
      return error("duplicate member '" + name + "'");
    }
    skipSpace();
    if (!consume(":"))
      return error("expected ':'");
    Value member;
    TURNIP_RETURN_IF_ERROR(parseValue(member, depth + 1));
    value.members.emplace_back(std::move(name), std::move(member));
    skipSpace();
  } while (consume(","));
  return consume("}") ? Status::ok() : error("expected ',' or '}'");
}

Status Parser::parseArray(Value &value, unsigned depth) {
  value.kind = Value::Kind::Array;
  ++position;
  skipSpace();
  if (consume("]"))
    return Status::ok();
  do {
    Value element;
    TURNIP_RETURN_IF_ERROR(parseValue(element, depth + 1));
    value.elements.push_back(std::move(element));
    skipSpace();
  } while (consume(","));
  return consume("]") ? Status::ok() : error("expected ',' or ']'");
}

Status Parser::parseString(std::string &string) {
  ++position;
  while (position < text.size()) {
    char c = text[position];
    if (static_cast<unsigned char>(c) < 0x20)
      return error("control character in a string");
    ++position;
    if (c == '"')
      return Status::ok();
    if (c != '\\')
      string += c;
    else
      TURNIP_RETURN_IF_ERROR(parseEscape(string));
  }
  return error("string without an end");
}

/// Appends \p code in UTF-8.
static void appendUtf8(std::string &string, uint32_t code) {
  if (code < 0x80) {
    string += static_cast<char>(code);
  } else if (code < 0x800) {
    string += static_cast<char>(0xC0 | (code >> 6));
    string += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    string += static_cast<char>(0xE0 | (code >> 12));
    string += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    string += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    string += static_cast<char>(0xF0 | (code >> 18));
    string += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    string += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    string += static_cast<char>(0x80 | (code & 0x3F));
  }
}

Status Parser::parseHex(uint32_t &code) {
  code = 0;
  const char *first = text.data() + position;
  const char *last = first + std::min<size_t>(4, text.size() - position);
  auto [end, failure] = std::from_chars(first, last, code, 16);
  if (failure != std::errc() || end != first + 4)
    return error("expected four hexadecimal digits");
  position += 4;
  return Status::ok();
}

Status Parser::parseEscape(std::string &string) {
  static constexpr std::string_view names = "\"\\/bfnrt";
  static constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  char c = peek();
  ++position;
  if (size_t i = names.find(c); i != std::string_view::npos) {
    string += meanings[i];
    return Status::ok();
  }
  if (c != 'u')
    return error("unknown escape");
  uint32_t code = 0;
  TURNIP_RETURN_IF_ERROR(parseHex(code));
  if (code >= 0xD800 && code < 0xDC00) {
    uint32_t low = 0;
    if (!consume("\\u"))
      return error("expected the second half of a surrogate pair");
    TURNIP_RETURN_IF_ERROR(parseHex(low));
    if (low < 0xDC00 || low > 0xDFFF)
      return error("expected the second half of a surrogate pair");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  appendUtf8(string, code);
  return Status::ok();
}

Status Parser::parseNumber(Value &value) {
  value.kind = Value::Kind::Number;
  const char *first = text.data() + position;
  const char *last = text.data() + text.size();
  auto [end, failure] = std::from_chars(first, last, value.number);
  if (failure != std::errc() || !std::isfinite(value.number))
    return error("expected a value");
  position += static_cast<size_t>(end - first);
  return Status::ok();
}

Expected<Value> json::parse(std::string_view text) {
  return Parser(text).parseAll();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void Writer::separate() {
  if (needComma)
    out += ',';
  if (wantNewLine)
    out += '\n';
  needComma = true;
  wantNewLine = false;
}

Writer &Writer::open(char bracket) {
  separate();
  out += bracket;
  needComma = false;
  return *this;
}

Writer &Writer::close(char bracket) {
  if (wantNewLine)
    out += '\n';
  wantNewLine = false;
  out += bracket;
  needComma = true;
  return *this;
}

Writer &Writer::newLine() {
  wantNewLine = true;
  return *this;
}

void Writer::quote(std::string_view text) {
  static constexpr char digits[] = "0123456789abcdef";
  out += '"';
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += digits[byte >> 4];
      out += digits[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

Writer &Writer::name(std::string_view text) {
  separate();
  quote(text);
  out += ':';
  needComma = false;
  return *this;
}

Writer &Writer::value(std::string_view text) {
  separate();
  quote(text);
  return *this;
}

Writer &Writer::value(int64_t number) {
  separate();
  out += std::to_string(number);
  return *this;
}

Writer &Writer::value(uint64_t number) {
  separate();
  out += std::to_string(number);
  return *this;
}

Writer &Writer::value(double number) {
  separate();
  if (!std::isfinite(number)) {
    out += "null";
    return *this;
  }
  char buffer[32];
  auto [end, failure] = std::to_chars(buffer, buffer + sizeof(buffer), number);
  out.append(buffer, end);
  return *this;
}

Writer &Writer::value(bool flag) {
  separate();
  out += flag ? "true" : "false";
  return *this;
}

Writer &Writer::raw(std::string_view text) {
  separate();
  out += text;
  return *this;
}
