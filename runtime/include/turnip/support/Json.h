//===- Json.h - Reading and writing JSON ------------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_SUPPORT_JSON_H
#define TURNIP_SUPPORT_JSON_H

#include "turnip/support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace turnip::json {

/// A parsed JSON value.
struct Value {
  enum class Kind { Null, Bool, Number, String, Array, Object };

  Kind kind = Kind::Null;
  bool boolean = false;
  double number = 0;
  std::string string;
  std::vector<Value> elements;
  /// In the order of the text; names are unique.
  std::vector<std::pair<std::string, Value>> members;

  /// The member \p name of an object, or null.
  const Value *find(std::string_view name) const;
};

/// Returns the kind as messages spell it, such as "a number".
const char *toString(Value::Kind kind);

/// Parses one JSON value that takes up all of \p text; errors give line and
/// column. Nesting is limited to 64 levels.
Expected<Value> parse(std::string_view text);

/// Writes JSON text piece by piece. Commas and colons come by themselves; the
/// caller nests and names correctly.
class Writer {
public:
  Writer &beginObject() { return open('{'); }
  Writer &endObject() { return close('}'); }
  Writer &beginArray() { return open('['); }
  Writer &endArray() { return close(']'); }
  Writer &name(std::string_view text);
  Writer &value(std::string_view text);
  Writer &value(const char *text) { return value(std::string_view(text)); }
  Writer &value(int64_t number);
  Writer &value(uint64_t number);
  Writer &value(int number) { return value(int64_t(number)); }
  Writer &value(unsigned number) { return value(uint64_t(number)); }
  /// The shortest text that reads back as \p number; null unless finite.
  Writer &value(double number);
  Writer &value(bool flag);
  /// A value that is JSON text already.
  Writer &raw(std::string_view text);
  /// A name and its value.
  template <typename T> Writer &member(std::string_view key, const T &v) {
    return name(key).value(v);
  }
  /// Begins a new line before the next value.
  Writer &newLine();

  const std::string &text() const { return out; }
  std::string take() { return std::move(out); }

private:
  Writer &open(char bracket);
  Writer &close(char bracket);
  void separate();
  void quote(std::string_view text);

  std::string out;
  bool needComma = false;
  bool wantNewLine = false;
};

} // namespace turnip::json

#endif // TURNIP_SUPPORT_JSON_H
