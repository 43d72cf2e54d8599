//===- TensorText.cpp - Tensors as text -----------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/parameters/Tensor.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>

using namespace turnip;
using namespace turnip::parameters;

static Status bad(std::string message) {
  return Status::error(StatusCode::BadInput, std::move(message));
}

static std::string quote(std::string_view text) {
  return "'" + std::string(text.substr(0, 80)) +
         (text.size() > 80 ? "...'" : "'");
}

/// Tensors given as text are small; this bounds what a mistyped shape costs.
static constexpr int64_t maxTextElements = int64_t(1) << 32;

/// Reads a shape such as 2x3xf32, of at most maxTextElements elements.
static Status readShape(std::string_view text, std::vector<int64_t> &shape,
                        ElementType &elementType) {
  std::string_view rest = text;
  while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') {
    int64_t extent = 0;
    auto [end, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), extent);
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    if (error != std::errc() || rest.empty() || rest[0] != 'x')
      return bad("expected a shape and type such as 2x3xf32, but got " +
                 quote(text));
    rest.remove_prefix(1);
    shape.push_back(extent);
  }
  std::optional<ElementType> type = parseElementType(rest);
  if (!type)
    return bad("expected an element type (f32, f16, bf16, i8, i32, i64 or i1) "
               "at the end of " +
               quote(text));
  std::optional<int64_t> count = countElements(shape);
  if (!count || *count > maxTextElements)
    return bad("the shape " + quote(text) + " has too many elements");
  elementType = *type;
  return Status::ok();
}

/// Splits off what "0x" and a sign say and reads the digits.
static bool parseInteger(std::string_view text, int64_t &value) {
  bool negative = !text.empty() && text[0] == '-';
  if (negative)
    text.remove_prefix(1);
  int base = 10;
  if (text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X") {
    base = 16;
    text.remove_prefix(2);
  }
  uint64_t magnitude = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  uint64_t most = uint64_t(std::numeric_limits<int64_t>::max()) + negative;
  if (text.empty() || error != std::errc() ||
      end != text.data() + text.size() || magnitude > most)
    return false;
  value = static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
  return true;
}

static Status parseValue(std::string_view text, Tensor &tensor, int64_t index) {
  if (isFloat(tensor.type)) {
    double value = 0;
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range &&
        end == text.data() + text.size())
      return bad("the value " + quote(text) + " is out of range");
    if (error != std::errc() || end != text.data() + text.size())
      return bad("expected a number, but got " + quote(text));
    tensor.setFromDouble(index, value);
    return Status::ok();
  }
  int64_t value = 0;
  if (tensor.type == ElementType::I1 && (text == "true" || text == "false"))
    value = text == "true";
  else if (!parseInteger(text, value))
    return bad("expected an integer, but got " + quote(text));
  if (tensor.type == ElementType::I1 ? (value != 0 && value != 1) : false)
    return bad("the value " + quote(text) + " is out of range for i1");
  tensor.setFromInt(index, value);
  if (tensor.valueAsInt(index) != value)
    return bad("the value " + quote(text) + " is out of range for " +
               toString(tensor.type));
  return Status::ok();
}

namespace {
/// Reads the values after '='. Brackets may group them; a group at depth k of
/// D must hold as many values as the last D - k + 1 extents say.
class ValueParser {
public:
  ValueParser(std::string_view text, Tensor &tensor)
      : text(text), tensor(tensor), expected(tensor.numElements()) {}

  Status run();

private:
  Status measureDepth();
  Status closeGroup();
  Status oneValue(size_t begin, size_t end);

  std::string_view text;
  Tensor &tensor;
  int64_t expected;
  int64_t parsed = 0;
  size_t deepest = 0;
  /// Number of values before each open group.
  std::vector<int64_t> open;
};
} // namespace

Status ValueParser::measureDepth() {
  size_t depth = 0;
  for (char c : text) {
    if (c == '[')
      deepest = std::max(deepest, ++depth);
    else if (c == ']' && depth-- == 0)
      return bad("unexpected ']' in " + quote(text));
  }
  if (depth != 0)
    return bad("expected ']' at the end of " + quote(text));
  if (deepest > tensor.shape.size())
    return bad("brackets are nested " + std::to_string(deepest) +
               " deep in a tensor of rank " +
               std::to_string(tensor.shape.size()));
  return Status::ok();
}

Status ValueParser::closeGroup() {
  int64_t size = parsed - open.back();
  int64_t wanted = 1;
  for (size_t i = 0; i < deepest - open.size() + 1; ++i)
    wanted *= tensor.shape[tensor.shape.size() - 1 - i];
  open.pop_back();
  if (size == wanted)
    return Status::ok();
  return bad("expected " + std::to_string(wanted) +
             " values between brackets, but got " + std::to_string(size));
}

Status ValueParser::oneValue(size_t begin, size_t end) {
  if (parsed >= expected && expected != 0) {
    ++parsed; // counted for the message
    return Status::ok();
  }
  if (expected == 0)
    return bad("expected no values, but got " + quote(text));
  return parseValue(text.substr(begin, end - begin), tensor, parsed++);
}

Status ValueParser::run() {
  TURNIP_RETURN_IF_ERROR(measureDepth());
  for (size_t i = 0; i < text.size();) {
    char c = text[i];
    if (c == '[') {
      open.push_back(parsed);
    } else if (c == ']') {
      TURNIP_RETURN_IF_ERROR(closeGroup());
    } else if (c != ',' && c != ' ') {
      size_t end = text.find_first_of(",[] ", i);
      end = end == std::string_view::npos ? text.size() : end;
      TURNIP_RETURN_IF_ERROR(oneValue(i, end));
      i = end;
      continue;
    }
    ++i;
  }
  if (parsed == 1 && expected > 1 && deepest == 0) {
    // What is there already, again and again.
    size_t all = tensor.data.size();
    for (auto done = static_cast<size_t>(byteSize(tensor.type)); done < all;) {
      size_t more = std::min(done, all - done);
      std::memcpy(tensor.data.data() + done, tensor.data.data(), more);
      done += more;
    }
    return Status::ok();
  }
  if (parsed != expected)
    return bad("expected " + std::to_string(expected) + " values, but got " +
               std::to_string(parsed));
  return Status::ok();
}

Expected<Tensor> turnip::parameters::parseTensor(std::string_view text) {
  size_t equals = text.find('=');
  if (equals == std::string_view::npos)
    return bad("expected SHAPExTYPE=VALUES such as 2x2xf32=1,2,3,4, but got " +
               quote(text));
  std::vector<int64_t> shape;
  ElementType type = ElementType::F32;
  TURNIP_RETURN_IF_ERROR(readShape(text.substr(0, equals), shape, type));
  Tensor tensor = Tensor::zeros(std::move(shape), type);
  TURNIP_RETURN_IF_ERROR(ValueParser(text.substr(equals + 1), tensor).run());
  return tensor;
}

Expected<Tensor> turnip::parameters::parseTensorOrFile(std::string_view text) {
  if (!text.empty() && text[0] == '@')
    return readNpy(std::string(text.substr(1)));
  return parseTensor(text);
}

uint64_t turnip::parameters::bytesOfTensorOrFile(std::string_view text) {
  if (!text.empty() && text[0] == '@') {
    std::error_code error;
    uint64_t bytes =
        std::filesystem::file_size(std::string(text.substr(1)), error);
    return error ? 0 : bytes;
  }
  std::vector<int64_t> shape;
  ElementType type = ElementType::F32;
  if (!readShape(text.substr(0, text.find('=')), shape, type))
    return 0;
  return static_cast<uint64_t>(*countElements(shape) * byteSize(type));
}

/// The shortest decimal that parseValue reads back as the same element.
static std::string valueText(const Tensor &tensor, int64_t index) {
  if (!isFloat(tensor.type))
    return std::to_string(tensor.valueAsInt(index));
  auto value = static_cast<float>(tensor.valueAsDouble(index));
  if (std::isnan(value))
    return "nan";
  char buffer[64];
  if (tensor.type == ElementType::F32 || std::isinf(value)) {
    auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
    return std::string(buffer, result.ptr);
  }
  Tensor again = Tensor::zeros({}, tensor.type);
  for (int digits = 1; digits < 9; ++digits) {
    auto result = std::to_chars(buffer, buffer + sizeof buffer, value,
                                std::chars_format::general, digits);
    std::string_view candidate(buffer,
                               static_cast<size_t>(result.ptr - buffer));
    if (parseValue(candidate, again, 0) &&
        again.valueAsDouble(0) == tensor.valueAsDouble(index))
      return std::string(candidate);
  }
  auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, result.ptr);
}

/// Prints the sub-tensor of the extents from \p dim on; the outermost brackets
/// of the whole are left out.
static void printDim(const Tensor &tensor, size_t dim, int64_t &index,
                     int64_t &left, std::string &text) {
  if (dim == tensor.shape.size()) {
    text += valueText(tensor, index++);
    --left;
    return;
  }
  bool innermost = dim + 1 == tensor.shape.size();
  for (int64_t i = 0; i < tensor.shape[dim]; ++i) {
    if (innermost && i != 0)
      text += ' ';
    if (left <= 0) {
      text += "...";
      return;
    }
    if (!innermost)
      text += '[';
    printDim(tensor, dim + 1, index, left, text);
    if (!innermost)
      text += ']';
  }
}

std::string turnip::parameters::toText(const Tensor &tensor,
                                       int64_t maxElements) {
  std::string text = describe(tensor.shape, tensor.type) + "=";
  int64_t index = 0, left = maxElements;
  if (tensor.numElements() > 0)
    printDim(tensor, 0, index, left, text);
  return text;
}
