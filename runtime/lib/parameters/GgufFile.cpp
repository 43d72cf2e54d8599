//===- GgufFile.cpp - Reads GGUF model files ------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/parameters/GgufFile.h"

#include <cstring>
#include <limits>

using namespace turnip;
using namespace turnip::parameters;

static constexpr std::string_view magic = "GGUF";
static constexpr uint32_t maxRank = 4;
static constexpr unsigned maxNesting = 4;

static Status bad(std::string message) {
  return Status::error(StatusCode::BadInput, std::move(message));
}

static std::string quote(std::string_view text) {
  constexpr size_t longest = 80;
  std::string quoted = "'";
  for (char c : text.substr(0, longest))
    quoted += (c < 0x20 && c >= 0) || c == 0x7f ? '?' : c;
  return quoted + (text.size() > longest ? "...'" : "'");
}

const char *turnip::parameters::toString(GgufType type) {
  static const char *const names[] = {"u8",  "i8",  "u16",  "i16",    "u32",
                                      "i32", "f32", "bool", "string", "array",
                                      "u64", "i64", "f64"};
  return names[static_cast<uint32_t>(type)];
}

/// Bytes of a scalar of \p type; 0 for strings and arrays.
static uint64_t scalarBytes(GgufType type) {
  static const unsigned char sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return sizes[static_cast<uint32_t>(type)];
}

//===----------------------------------------------------------------------===//
// GgufValue
//===----------------------------------------------------------------------===//

template <typename T>
static T load(std::string_view bytes, uint64_t index = 0) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

Status GgufValue::wrongType(const char *wanted) const {
  std::string is = toString(valueType);
  if (valueType == GgufType::Array)
    is = std::string("an array of ") + toString(arrayType);
  return bad(std::string("expected ") + wanted + ", but the value is " + is);
}

GgufValue GgufValue::scalarAt(GgufType type, uint64_t index) const {
  GgufValue value;
  value.valueType = type;
  uint64_t bytes = scalarBytes(type);
  value.payload = payload.substr(index * bytes, bytes);
  return value;
}

Expected<int64_t> GgufValue::asSigned() const {
  switch (valueType) {
  case GgufType::U8:
    return load<uint8_t>(payload);
  case GgufType::I8:
    return load<int8_t>(payload);
  case GgufType::U16:
    return load<uint16_t>(payload);
  case GgufType::I16:
    return load<int16_t>(payload);
  case GgufType::U32:
    return load<uint32_t>(payload);
  case GgufType::I32:
    return load<int32_t>(payload);
  case GgufType::I64:
    return load<int64_t>(payload);
  case GgufType::U64: {
    uint64_t value = load<uint64_t>(payload);
    if (value > uint64_t(std::numeric_limits<int64_t>::max()))
      return bad("the value " + std::to_string(value) + " is too large");
    return static_cast<int64_t>(value);
  }
  default:
    return wrongType("an integer");
  }
}

Expected<uint64_t> GgufValue::asUnsigned() const {
  if (valueType == GgufType::U64)
    return load<uint64_t>(payload);
  Expected<int64_t> value = asSigned();
  if (!value)
    return value.status();
  if (*value < 0)
    return bad("expected an unsigned integer, but the value is " +
               std::to_string(*value));
  return static_cast<uint64_t>(*value);
}

Expected<double> GgufValue::asDouble() const {
  if (valueType == GgufType::F32)
    return load<float>(payload);
  if (valueType == GgufType::F64)
    return load<double>(payload);
  if (valueType == GgufType::U64)
    return static_cast<double>(load<uint64_t>(payload));
  Expected<int64_t> value = asSigned();
  if (!value)
    return wrongType("a number");
  return static_cast<double>(*value);
}

Expected<bool> GgufValue::asBool() const {
  if (valueType != GgufType::Bool)
    return wrongType("a bool");
  return payload[0] != 0;
}

Expected<std::string_view> GgufValue::asString() const {
  if (valueType != GgufType::String)
    return wrongType("a string");
  return payload;
}

Expected<const std::vector<std::string_view> *> GgufValue::asStrings() const {
  if (valueType != GgufType::Array || arrayType != GgufType::String)
    return wrongType("an array of strings");
  return &strings;
}

Expected<std::vector<int64_t>> GgufValue::asIntegers() const {
  if (valueType != GgufType::Array || scalarBytes(arrayType) == 0)
    return wrongType("an array of integers");
  std::vector<int64_t> elements;
  elements.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    Expected<int64_t> element = scalarAt(arrayType, i).asSigned();
    if (!element)
      return wrongType("an array of integers");
    elements.push_back(*element);
  }
  return elements;
}

Expected<std::vector<double>> GgufValue::asDoubles() const {
  if (valueType != GgufType::Array || scalarBytes(arrayType) == 0)
    return wrongType("an array of numbers");
  std::vector<double> elements;
  elements.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    Expected<double> element = scalarAt(arrayType, i).asDouble();
    if (!element)
      return wrongType("an array of numbers");
    elements.push_back(*element);
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// GgufTensor
//===----------------------------------------------------------------------===//

void GgufTensor::expand(int64_t first, int64_t elements, float *values) const {
  int64_t perBlock = format->blockElements;
  const auto *bytes = reinterpret_cast<const unsigned char *>(data.data());
  int64_t end = first + elements;
  float scratch[maxBlockElements];
  for (int64_t element = first; element < end;) {
    int64_t block = element / perBlock, within = element % perBlock;
    int64_t take = std::min(perBlock - within, end - element);
    const unsigned char *source = bytes + block * format->blockBytes;
    if (take == perBlock) {
      format->expand(source, values);
    } else {
      format->expand(source, scratch);
      std::memcpy(values, scratch + within,
                  static_cast<size_t>(take) * sizeof(float));
    }
    values += take;
    element += take;
  }
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace turnip::parameters {
/// Walks a file's header once, front to back.
class GgufParser {
public:
  GgufParser(std::string_view bytes, GgufFile &result)
      : bytes(bytes), result(result) {}

  Status run();

private:
  template <typename T> Status number(T &value, const char *what) {
    if (bytes.size() - position < sizeof(T))
      return truncated(what);
    value = load<T>(bytes.substr(position));
    position += sizeof(T);
    return Status::ok();
  }
  Status text(std::string_view &value, const char *what);
  Status take(uint64_t size, std::string_view &value, const char *what);
  Status valueType(GgufType &type);
  Status value(GgufValue &value);
  Status array(GgufValue &value, unsigned depth);
  Status keyValue();
  Status tensor(std::vector<uint64_t> &offsets);
  Status dataSection(const std::vector<uint64_t> &offsets);
  Status truncated(const char *what) const {
    return bad("truncated: the file ends at byte " +
               std::to_string(bytes.size()) + " within " + what +
               " that begins at byte " + std::to_string(position));
  }

  std::string_view bytes;
  GgufFile &result;
  uint64_t position = 0;
};
} // namespace turnip::parameters

Status GgufParser::take(uint64_t size, std::string_view &value,
                        const char *what) {
  if (size > bytes.size() - position)
    return truncated(what);
  value = bytes.substr(position, size);
  position += size;
  return Status::ok();
}

Status GgufParser::text(std::string_view &value, const char *what) {
  uint64_t length = 0;
  TURNIP_RETURN_IF_ERROR(number(length, what));
  return take(length, value, what);
}

Status GgufParser::valueType(GgufType &type) {
  uint32_t id = 0;
  TURNIP_RETURN_IF_ERROR(number(id, "the type of a value"));
  if (id > uint32_t(GgufType::F64))
    return bad("unknown value type " + std::to_string(id));
  type = static_cast<GgufType>(id);
  return Status::ok();
}

Status GgufParser::array(GgufValue &value, unsigned depth) {
  if (depth > maxNesting)
    return bad("arrays are nested more than " + std::to_string(maxNesting) +
               " deep");
  value.valueType = GgufType::Array;
  TURNIP_RETURN_IF_ERROR(valueType(value.arrayType));
  TURNIP_RETURN_IF_ERROR(number(value.count, "the size of an array"));
  // A string takes 8 bytes at least and an array 12, so that a false count
  // cannot make this reserve more than a small multiple of the file.
  uint64_t least = scalarBytes(value.arrayType);
  if (value.arrayType == GgufType::String)
    least = 8;
  else if (value.arrayType == GgufType::Array)
    least = 12;
  if (value.count > (bytes.size() - position) / least)
    return truncated("an array");
  if (value.arrayType == GgufType::String) {
    value.strings.resize(value.count);
    for (std::string_view &element : value.strings)
      TURNIP_RETURN_IF_ERROR(text(element, "a string"));
    return Status::ok();
  }
  if (value.arrayType == GgufType::Array) {
    for (uint64_t i = 0; i < value.count; ++i) {
      value.nested.emplace_back();
      TURNIP_RETURN_IF_ERROR(array(value.nested.back(), depth + 1));
    }
    return Status::ok();
  }
  return take(value.count * least, value.payload, "an array");
}

Status GgufParser::value(GgufValue &value) {
  TURNIP_RETURN_IF_ERROR(valueType(value.valueType));
  if (value.valueType == GgufType::Array)
    return array(value, /*depth=*/1);
  if (value.valueType == GgufType::String)
    return text(value.payload, "a string");
  return take(scalarBytes(value.valueType), value.payload, "a value");
}

Status GgufParser::keyValue() {
  std::string_view key;
  TURNIP_RETURN_IF_ERROR(text(key, "a metadata key"));
  GgufValue parsed;
  TURNIP_RETURN_IF_ERROR(
      value(parsed).withContext("metadata key " + quote(key)));
  if (!result.values.emplace(key, std::move(parsed)).second)
    return bad("metadata key " + quote(key) + " occurs twice");
  return Status::ok();
}

Status GgufParser::tensor(std::vector<uint64_t> &offsets) {
  GgufTensor tensor;
  TURNIP_RETURN_IF_ERROR(text(tensor.name, "a tensor's name"));
  std::string where = "tensor " + quote(tensor.name);
  uint32_t rank = 0;
  TURNIP_RETURN_IF_ERROR(number(rank, "a tensor's rank").withContext(where));
  if (rank > maxRank)
    return bad(where + ": expected a rank of at most " +
               std::to_string(maxRank) + ", but got " + std::to_string(rank));
  tensor.shape.resize(rank);
  for (uint32_t i = 0; i < rank; ++i) {
    uint64_t extent = 0;
    TURNIP_RETURN_IF_ERROR(
        number(extent, "a tensor's shape").withContext(where));
    if (extent > uint64_t(1) << 62)
      return bad(where + ": extent " + std::to_string(extent) +
                 " is too large");
    tensor.shape[rank - 1 - i] = static_cast<int64_t>(extent);
  }
  uint32_t id = 0;
  TURNIP_RETURN_IF_ERROR(number(id, "a tensor's type").withContext(where));
  tensor.format = findStorageFormat(id);
  if (!tensor.format)
    return bad(where + ": storage type " + std::to_string(id) +
               " is not supported; supported are " + knownStorageFormats());
  std::optional<int64_t> elements = countElements(tensor.shape);
  if (!elements)
    return bad(where + ": the number of elements overflows");
  tensor.numElements = *elements;
  int64_t row = rank == 0 ? 1 : tensor.shape.back();
  if (row % tensor.format->blockElements != 0)
    return bad(where + ": rows of " + std::to_string(row) +
               " elements do not divide into blocks of " +
               std::to_string(tensor.format->blockElements) + " (" +
               tensor.format->name + ")");
  uint64_t offset = 0;
  TURNIP_RETURN_IF_ERROR(
      number(offset, "a tensor's offset").withContext(where));
  offsets.push_back(offset);
  if (!result.tensorIndex.emplace(tensor.name, result.table.size()).second)
    return bad(where + " occurs twice");
  result.table.push_back(std::move(tensor));
  return Status::ok();
}

Status GgufParser::dataSection(const std::vector<uint64_t> &offsets) {
  Expected<uint64_t> alignment = result.unsignedValue("general.alignment", 32);
  if (!alignment)
    return alignment.status();
  if (*alignment == 0 || *alignment % 8 != 0 || *alignment > 1 << 20)
    return bad("general.alignment: expected a multiple of 8, but got " +
               std::to_string(*alignment));
  uint64_t start = (position + *alignment - 1) / *alignment * *alignment;
  uint64_t available = start > bytes.size() ? 0 : bytes.size() - start;
  for (size_t i = 0; i < offsets.size(); ++i) {
    GgufTensor &tensor = result.table[i];
    std::string where = "tensor " + quote(tensor.name);
    const StorageFormat &format = *tensor.format;
    uint64_t blocks = uint64_t(tensor.numElements / format.blockElements);
    if (offsets[i] % *alignment != 0)
      return bad(where + ": offset " + std::to_string(offsets[i]) +
                 " is not a multiple of the alignment " +
                 std::to_string(*alignment));
    if (offsets[i] > available ||
        blocks > (available - offsets[i]) / uint64_t(format.blockBytes))
      return bad(where + ": its " + std::to_string(blocks) + " blocks of " +
                 std::to_string(format.blockBytes) + " bytes at offset " +
                 std::to_string(offsets[i]) + " exceed the " +
                 std::to_string(available) + " bytes of data in the file");
    tensor.data =
        bytes.substr(start + offsets[i], blocks * uint64_t(format.blockBytes));
  }
  return Status::ok();
}

Status GgufParser::run() {
  if (!GgufFile::isGguf(bytes))
    return bad("not a GGUF file: it does not begin with 'GGUF'");
  position = magic.size();
  uint32_t version = 0;
  TURNIP_RETURN_IF_ERROR(number(version, "the header"));
  if (version != 2 && version != 3)
    return bad("expected GGUF version 2 or 3 in little-endian order, but got " +
               std::to_string(version));
  uint64_t tensors = 0, pairs = 0;
  TURNIP_RETURN_IF_ERROR(number(tensors, "the header"));
  TURNIP_RETURN_IF_ERROR(number(pairs, "the header"));
  for (uint64_t i = 0; i < pairs; ++i)
    TURNIP_RETURN_IF_ERROR(keyValue().withContext("metadata entry " +
                                                  std::to_string(i) + " of " +
                                                  std::to_string(pairs)));
  std::vector<uint64_t> offsets;
  for (uint64_t i = 0; i < tensors; ++i)
    TURNIP_RETURN_IF_ERROR(
        tensor(offsets).withContext("tensor entry " + std::to_string(i) +
                                    " of " + std::to_string(tensors)));
  return dataSection(offsets);
}

//===----------------------------------------------------------------------===//
// GgufFile
//===----------------------------------------------------------------------===//

bool GgufFile::isGguf(std::string_view bytes) {
  return bytes.substr(0, magic.size()) == magic;
}

Expected<GgufFile> GgufFile::parse(std::string_view bytes) {
  GgufFile result;
  TURNIP_RETURN_IF_ERROR(GgufParser(bytes, result).run());
  return result;
}

Expected<GgufFile> GgufFile::open(const std::string &path) {
  Expected<MappedFile> mapped = MappedFile::open(path);
  if (!mapped)
    return mapped.status();
  Expected<GgufFile> result = parse(mapped->bytes());
  if (!result)
    return result.status().withContext(path);
  result->file = std::move(*mapped);
  return result;
}

const GgufValue *GgufFile::find(std::string_view key) const {
  auto it = values.find(key);
  return it == values.end() ? nullptr : &it->second;
}

const GgufTensor *GgufFile::findTensor(std::string_view name) const {
  auto it = tensorIndex.find(name);
  return it == tensorIndex.end() ? nullptr : &table[it->second];
}

Expected<const GgufValue *> GgufFile::require(std::string_view key) const {
  const GgufValue *value = find(key);
  if (!value)
    return bad("the file has no metadata key " + quote(key));
  return value;
}

template <typename T>
static Expected<T> named(std::string_view key, Expected<T> value) {
  return std::move(value).withContext("metadata key " + quote(key));
}

Expected<uint64_t> GgufFile::unsignedValue(std::string_view key) const {
  Expected<const GgufValue *> value = require(key);
  return value ? named(key, (*value)->asUnsigned())
               : Expected<uint64_t>(value.status());
}

Expected<double> GgufFile::floatValue(std::string_view key) const {
  Expected<const GgufValue *> value = require(key);
  return value ? named(key, (*value)->asDouble())
               : Expected<double>(value.status());
}

Expected<std::string_view> GgufFile::stringValue(std::string_view key) const {
  Expected<const GgufValue *> value = require(key);
  return value ? named(key, (*value)->asString())
               : Expected<std::string_view>(value.status());
}

Expected<uint64_t> GgufFile::unsignedValue(std::string_view key,
                                           uint64_t absent) const {
  const GgufValue *value = find(key);
  return value ? named(key, value->asUnsigned()) : Expected<uint64_t>(absent);
}

Expected<double> GgufFile::floatValue(std::string_view key,
                                      double absent) const {
  const GgufValue *value = find(key);
  return value ? named(key, value->asDouble()) : Expected<double>(absent);
}

Expected<bool> GgufFile::boolValue(std::string_view key, bool absent) const {
  const GgufValue *value = find(key);
  return value ? named(key, value->asBool()) : Expected<bool>(absent);
}
