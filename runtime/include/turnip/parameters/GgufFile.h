//===- GgufFile.h - Reads GGUF model files ----------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GGUF, versions 2 and 3, little-endian: a header, key-value metadata, a table
// of tensors, then their data. The file is mapped, never copied, and is not
// trusted: every count, length and offset is checked before it is used.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_PARAMETERS_GGUFFILE_H
#define TURNIP_PARAMETERS_GGUFFILE_H

#include "turnip/parameters/StorageFormat.h"
#include "turnip/support/MappedFile.h"
#include "turnip/support/Status.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace turnip::parameters {

/// The types of metadata values, by their number in the file.
enum class GgufType : uint32_t {
  U8 = 0,
  I8 = 1,
  U16 = 2,
  I16 = 3,
  U32 = 4,
  I32 = 5,
  F32 = 6,
  Bool = 7,
  String = 8,
  Array = 9,
  U64 = 10,
  I64 = 11,
  F64 = 12,
};

/// Returns the type's name in messages, such as "u32" or "string".
const char *toString(GgufType type);

/// A metadata value: a scalar, a string or an array. Strings and numeric
/// arrays are views of the file's bytes.
class GgufValue {
public:
  GgufType type() const { return valueType; }
  /// Element type of an array.
  GgufType elementType() const { return arrayType; }
  /// Number of elements of an array.
  uint64_t size() const { return count; }

  /// The value as an unsigned integer; an error if it is none or negative.
  Expected<uint64_t> asUnsigned() const;
  /// The value of any integer type; an error if it is none or exceeds i64.
  Expected<int64_t> asSigned() const;
  /// The value of any numeric type, rounded to double.
  Expected<double> asDouble() const;
  Expected<bool> asBool() const;
  Expected<std::string_view> asString() const;
  /// The elements of an array of strings; valid while this value lives.
  Expected<const std::vector<std::string_view> *> asStrings() const;
  /// The elements of an array of any integer type.
  Expected<std::vector<int64_t>> asIntegers() const;
  /// The elements of an array of any numeric type.
  Expected<std::vector<double>> asDoubles() const;
  /// The elements of an array of arrays.
  const std::vector<GgufValue> &arrays() const { return nested; }

private:
  friend class GgufParser;
  /// Scalar \p index of type \p type within payload.
  GgufValue scalarAt(GgufType type, uint64_t index) const;
  Status wrongType(const char *wanted) const;

  GgufType valueType = GgufType::U8;
  GgufType arrayType = GgufType::U8;
  uint64_t count = 0;
  /// The scalar's, string's or numeric array's bytes.
  std::string_view payload;
  std::vector<std::string_view> strings;
  std::vector<GgufValue> nested;
};

/// An entry of the tensor table.
struct GgufTensor {
  std::string_view name;
  /// Extents, outermost first (the file stores them innermost first).
  std::vector<int64_t> shape;
  const StorageFormat *format = nullptr;
  int64_t numElements = 0;
  /// The tensor's data as stored.
  std::string_view data;

  /// Expands the elements [first, first + count) in row-major order to floats.
  /// The range must lie within the tensor, whose format must expand.
  void expand(int64_t first, int64_t count, float *values) const;
};

/// An open GGUF file. Immutable: all members may be called from any thread.
class GgufFile {
public:
  /// Maps and checks the file at \p path.
  static Expected<GgufFile> open(const std::string &path);

  /// Checks \p bytes, which must outlive the result.
  static Expected<GgufFile> parse(std::string_view bytes);

  /// Returns true if \p bytes begin as a GGUF file does.
  static bool isGguf(std::string_view bytes);

  /// All metadata, by key.
  const std::map<std::string_view, GgufValue> &metadata() const {
    return values;
  }
  /// Returns the value of \p key, or null.
  const GgufValue *find(std::string_view key) const;

  /// Typed look-ups; the error names the key.
  Expected<uint64_t> unsignedValue(std::string_view key) const;
  Expected<double> floatValue(std::string_view key) const;
  Expected<std::string_view> stringValue(std::string_view key) const;
  /// Look-ups with a value for absent keys; a wrong type is still an error.
  Expected<uint64_t> unsignedValue(std::string_view key, uint64_t absent) const;
  Expected<double> floatValue(std::string_view key, double absent) const;
  Expected<bool> boolValue(std::string_view key, bool absent) const;

  /// All tensors in the order of the file.
  const std::vector<GgufTensor> &tensors() const { return table; }
  /// Returns the tensor \p name, or null.
  const GgufTensor *findTensor(std::string_view name) const;

private:
  friend class GgufParser;
  Expected<const GgufValue *> require(std::string_view key) const;

  MappedFile file;
  std::map<std::string_view, GgufValue> values;
  std::vector<GgufTensor> table;
  std::unordered_map<std::string_view, size_t> tensorIndex;
};

} // namespace turnip::parameters

#endif // TURNIP_PARAMETERS_GGUFFILE_H
