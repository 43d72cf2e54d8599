//===- NpyFormat.cpp - Reads and writes .npy files ------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NpyFormat.h"

#include "turnip/parameters/Tensor.h"
#include "turnip/support/MappedFile.h"

#include <charconv>
#include <cstring>

using namespace turnip;
using namespace turnip::parameters;

static constexpr std::string_view magic("\x93NUMPY", 6);

static Status bad(std::string message) {
  return Status::error(StatusCode::BadInput, std::move(message));
}

namespace {
/// Reads the Python dictionary literal of a header: three fixed keys.
class HeaderParser {
public:
  HeaderParser(std::string_view text, NpyContents &contents)
      : text(text), contents(contents) {}

  Status run();

private:
  void skipSpace() {
    while (position < text.size() && strchr(" \t\n", text[position]))
      ++position;
  }
  bool eat(std::string_view token) {
    skipSpace();
    if (text.substr(position, token.size()) != token)
      return false;
    position += token.size();
    return true;
  }
  Status expect(std::string_view token) {
    if (eat(token))
      return Status::ok();
    return bad("malformed .npy header: expected '" + std::string(token) +
               "' at its byte " + std::to_string(position));
  }
  Expected<std::string_view> string();
  Status entry();
  Status shape();
  Status descr();

  std::string_view text;
  NpyContents &contents;
  size_t position = 0;
  bool haveType = false, haveOrder = false, haveShape = false;
};
} // namespace

Expected<std::string_view> HeaderParser::string() {
  skipSpace();
  char quote = position < text.size() ? text[position] : '\0';
  size_t end = text.find(quote, position + 1);
  if ((quote != '\'' && quote != '"') || end == std::string_view::npos)
    return bad("malformed .npy header: expected a string at its byte " +
               std::to_string(position));
  std::string_view value = text.substr(position + 1, end - position - 1);
  position = end + 1;
  return value;
}

Status HeaderParser::descr() {
  Expected<std::string_view> name = string();
  if (!name)
    return name.status();
  static const struct {
    const char *name;
    ElementType type;
  } known[] = {
      {"<f4", ElementType::F32},  {"<f2", ElementType::F16},
      {"<u2", ElementType::BF16}, {"|i1", ElementType::I8},
      {"<i4", ElementType::I32},  {"<i8", ElementType::I64},
      {"|b1", ElementType::I1},   {"<f8", ElementType::F32},
  };
  for (const auto &entry : known) {
    if (*name != entry.name)
      continue;
    contents.type = entry.type;
    contents.isDouble = *name == "<f8";
    return Status::ok();
  }
  return bad("element type '" + std::string(*name) +
             "' of a .npy file is not supported; supported are <f4, <f2, <f8, "
             "|i1, <i4, <i8, |b1 and <u2 (bf16)");
}

Status HeaderParser::shape() {
  TURNIP_RETURN_IF_ERROR(expect("("));
  while (!eat(")")) {
    int64_t extent = 0;
    skipSpace();
    const char *begin = text.data() + position;
    auto [end, error] =
        std::from_chars(begin, text.data() + text.size(), extent);
    if (error != std::errc() || extent < 0)
      return bad("malformed .npy header: expected an extent at its byte " +
                 std::to_string(position));
    position += static_cast<size_t>(end - begin);
    contents.shape.push_back(extent);
    if (!eat(",")) {
      TURNIP_RETURN_IF_ERROR(expect(")"));
      break;
    }
  }
  return Status::ok();
}

Status HeaderParser::entry() {
  Expected<std::string_view> key = string();
  if (!key)
    return key.status();
  TURNIP_RETURN_IF_ERROR(expect(":"));
  if (*key == "descr" && !haveType) {
    haveType = true;
    return descr();
  }
  if (*key == "shape" && !haveShape) {
    haveShape = true;
    return shape();
  }
  if (*key == "fortran_order" && !haveOrder) {
    haveOrder = true;
    contents.fortranOrder = eat("True");
    return contents.fortranOrder ? Status::ok() : expect("False");
  }
  return bad("malformed .npy header: unexpected key '" + std::string(*key) +
             "'");
}

Status HeaderParser::run() {
  TURNIP_RETURN_IF_ERROR(expect("{"));
  while (!eat("}")) {
    TURNIP_RETURN_IF_ERROR(entry());
    if (!eat(",")) {
      TURNIP_RETURN_IF_ERROR(expect("}"));
      break;
    }
  }
  if (!haveType || !haveOrder || !haveShape)
    return bad("malformed .npy header: expected the keys descr, "
               "fortran_order and shape");
  return Status::ok();
}

Expected<NpyContents> turnip::parameters::splitNpy(std::string_view bytes) {
  if (bytes.substr(0, magic.size()) != magic || bytes.size() < 10)
    return bad("not a .npy file");
  int major = static_cast<unsigned char>(bytes[6]);
  if (major < 1 || major > 3)
    return bad("expected .npy version 1 to 3, but got " +
               std::to_string(major));
  size_t lengthBytes = major == 1 ? 2 : 4;
  if (bytes.size() < 8 + lengthBytes)
    return bad("truncated .npy header");
  uint64_t length = 0;
  std::memcpy(&length, bytes.data() + 8, lengthBytes);
  size_t start = 8 + lengthBytes;
  if (length > bytes.size() - start)
    return bad("truncated .npy header");
  NpyContents contents;
  TURNIP_RETURN_IF_ERROR(
      HeaderParser(bytes.substr(start, length), contents).run());
  contents.data = bytes.substr(start + length);
  std::optional<int64_t> count = countElements(contents.shape);
  int64_t each = contents.isDouble ? 8 : byteSize(contents.type);
  if (!count || static_cast<uint64_t>(*count) != contents.data.size() / each ||
      contents.data.size() % each != 0)
    return bad("a .npy file of shape " +
               describe(contents.shape, contents.type) + " has " +
               std::to_string(contents.data.size()) + " bytes of data");
  contents.numElements = *count;
  return contents;
}

/// Calls \p move(to, from) for every element of a tensor of \p shape, \p to its
/// index in C order, \p from its index in Fortran order.
template <typename Move>
static void forEachTransposed(const std::vector<int64_t> &shape, int64_t count,
                              Move move) {
  size_t rank = shape.size();
  std::vector<int64_t> index(rank, 0), stride(rank, 1);
  for (size_t d = 1; d < rank; ++d)
    stride[d] = stride[d - 1] * shape[d - 1];
  int64_t from = 0;
  for (int64_t to = 0; to < count; ++to) {
    move(to, from);
    for (size_t d = rank; d-- > 0;) {
      from += stride[d];
      if (++index[d] < shape[d])
        break;
      from -= stride[d] * shape[d];
      index[d] = 0;
    }
  }
}

static void copyElement(const NpyContents &contents, int64_t from,
                        Tensor &tensor, int64_t to) {
  if (contents.isDouble) {
    double value;
    std::memcpy(&value, contents.data.data() + 8 * from, sizeof value);
    tensor.setFromDouble(to, value);
    return;
  }
  int64_t each = byteSize(contents.type);
  std::memcpy(tensor.data.data() + to * each,
              contents.data.data() + from * each, static_cast<size_t>(each));
}

Expected<Tensor> turnip::parameters::parseNpy(std::string_view bytes) {
  Expected<NpyContents> contents = splitNpy(bytes);
  if (!contents)
    return contents.status();
  Tensor tensor = Tensor::zeros(contents->shape, contents->type);
  if (contents->fortranOrder)
    forEachTransposed(contents->shape, contents->numElements,
                      [&](int64_t to, int64_t from) {
                        copyElement(*contents, from, tensor, to);
                      });
  else if (contents->isDouble)
    for (int64_t i = 0; i < contents->numElements; ++i)
      copyElement(*contents, i, tensor, i);
  else if (!contents->data.empty())
    std::memcpy(tensor.data.data(), contents->data.data(),
                contents->data.size());
  return tensor;
}

Expected<Tensor> turnip::parameters::readNpy(const std::string &path) {
  Expected<MappedFile> file = MappedFile::open(path);
  if (!file)
    return file.status();
  return parseNpy(file->bytes()).withContext(path);
}

std::string turnip::parameters::npyHeader(const std::vector<int64_t> &shape,
                                          ElementType type) {
  static const char *const names[numElementTypes] = {"<f4", "<f2", "<u2", "|i1",
                                                     "<i4", "<i8", "|b1"};
  std::string dict = std::string("{'descr': '") +
                     names[static_cast<unsigned>(type)] +
                     "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : shape)
    dict += std::to_string(extent) + ", ";
  dict += "), }";
  // The data begins at a multiple of 64 bytes.
  size_t start = (10 + dict.size() + 1 + 63) / 64 * 64;
  dict.append(start - 10 - dict.size() - 1, ' ');
  dict += '\n';
  std::string header(magic);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(dict.size() & 0xff);
  header += static_cast<char>(dict.size() >> 8);
  return header + dict;
}

Status turnip::parameters::writeNpy(const std::string &path,
                                    const Tensor &tensor) {
  std::string bytes = npyHeader(tensor.shape, tensor.type);
  bytes.append(reinterpret_cast<const char *>(tensor.data.data()),
               tensor.data.size());
  return writeFileAtomically(path, bytes);
}
