//===- GgufWriter.h - Makes GGUF files for tests ----------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TEST_GGUFWRITER_H
#define TURNIP_TEST_GGUFWRITER_H

#include "turnip/parameters/GgufFile.h"

#include <cstring>
#include <string>
#include <vector>

namespace turnip::test {

/// Appends \p value's bytes to \p bytes.
template <typename T> void append(std::string &bytes, T value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
}

/// Appends a length and the characters.
inline void appendText(std::string &bytes, const std::string &text) {
  append<uint64_t>(bytes, text.size());
  bytes += text;
}

/// Builds the bytes of a GGUF file in memory.
class GgufWriter {
public:
  /// Adds a value whose bytes after the type are \p payload.
  void raw(const std::string &key, parameters::GgufType type,
           const std::string &payload) {
    appendText(pairs, key);
    append(pairs, static_cast<uint32_t>(type));
    pairs += payload;
    ++numPairs;
  }
  template <typename T>
  void scalar(const std::string &key, parameters::GgufType type, T value) {
    std::string payload;
    append(payload, value);
    raw(key, type, payload);
  }
  void text(const std::string &key, const std::string &value) {
    std::string payload;
    appendText(payload, value);
    raw(key, parameters::GgufType::String, payload);
  }
  void texts(const std::string &key, const std::vector<std::string> &values) {
    std::string payload;
    append(payload, static_cast<uint32_t>(parameters::GgufType::String));
    append<uint64_t>(payload, values.size());
    for (const std::string &value : values)
      appendText(payload, value);
    raw(key, parameters::GgufType::Array, payload);
  }
  template <typename T>
  void numbers(const std::string &key, parameters::GgufType type,
               const std::vector<T> &values) {
    std::string payload;
    append(payload, static_cast<uint32_t>(type));
    append<uint64_t>(payload, values.size());
    for (T value : values)
      append(payload, value);
    raw(key, parameters::GgufType::Array, payload);
  }
  /// Adds a tensor; \p shape is outermost first.
  void tensor(const std::string &name, const std::vector<uint64_t> &shape,
              uint32_t format, const std::string &data) {
    appendText(table, name);
    append(table, static_cast<uint32_t>(shape.size()));
    for (size_t i = shape.size(); i-- > 0;)
      append(table, shape[i]);
    append(table, format);
    append<uint64_t>(table, contents.size());
    contents += data;
    contents.resize((contents.size() + 31) / 32 * 32);
    ++numTensors;
  }

  std::string bytes() const {
    std::string all = "GGUF";
    append<uint32_t>(all, 3);
    append(all, numTensors);
    append(all, numPairs);
    all += pairs + table;
    all.resize((all.size() + 31) / 32 * 32);
    return all + contents;
  }

private:
  uint64_t numTensors = 0, numPairs = 0;
  std::string pairs, table, contents;
};

} // namespace turnip::test

#endif // TURNIP_TEST_GGUFWRITER_H
