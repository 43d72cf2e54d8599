//===- Reader.cpp - Reading JSON objects field by field -------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reader.h"

#include "turnip/support/ByteSize.h"

#include <cmath>
#include <sstream>

using namespace turnip;
using namespace turnip::machine;

Status machine::invalidAt(const std::string &path, const std::string &message) {
  return Status::error(StatusCode::BadInput, path + ": " + message);
}

Status machine::expectKind(const json::Value &value, const std::string &path,
                           json::Value::Kind kind) {
  if (value.kind == kind)
    return Status::ok();
  return invalidAt(path, std::string("expected ") + json::toString(kind) +
                             ", but got " + json::toString(value.kind));
}

/// "expected a number from A to B, but got C".
static Status outOfRange(const std::string &path, const char *what,
                         double minimum, double maximum, double value) {
  std::ostringstream message;
  message.precision(16);
  message << "expected " << what << " from " << minimum << " to " << maximum
          << ", but got " << value;
  return invalidAt(path, message.str());
}

Status ObjectReader::missing(const char *name) const {
  return invalidAt(pathOf(name), "expected a value, but there is none");
}

const json::Value *ObjectReader::find(const char *name) {
  known.insert(name);
  return object.find(name);
}

Status ObjectReader::number(const char *name, double minimum, double maximum,
                            double &value, Need need) {
  const json::Value *found = find(name);
  if (!found)
    return need == Needed ? missing(name) : Status::ok();
  TURNIP_RETURN_IF_ERROR(
      expectKind(*found, pathOf(name), json::Value::Kind::Number));
  if (!(found->number >= minimum && found->number <= maximum))
    return outOfRange(pathOf(name), "a number", minimum, maximum,
                      found->number);
  value = found->number;
  return Status::ok();
}

Status ObjectReader::whole(const char *name, uint64_t minimum, uint64_t maximum,
                           uint64_t &value, Need need) {
  auto real = static_cast<double>(value);
  TURNIP_RETURN_IF_ERROR(number(name, static_cast<double>(minimum),
                                static_cast<double>(maximum), real, need));
  if (real != std::floor(real))
    return invalidAt(pathOf(name), "expected a whole number");
  value = static_cast<uint64_t>(real);
  return Status::ok();
}

Status ObjectReader::whole(const char *name, uint32_t minimum, uint32_t maximum,
                           uint32_t &value) {
  uint64_t wide = value;
  TURNIP_RETURN_IF_ERROR(
      whole(name, uint64_t(minimum), uint64_t(maximum), wide));
  value = static_cast<uint32_t>(wide);
  return Status::ok();
}

Status ObjectReader::text(const char *name, std::string &value, Need need) {
  const json::Value *found = find(name);
  if (!found)
    return need == Needed ? missing(name) : Status::ok();
  TURNIP_RETURN_IF_ERROR(
      expectKind(*found, pathOf(name), json::Value::Kind::String));
  value = found->string;
  return Status::ok();
}

Status ObjectReader::flag(const char *name, bool &value) {
  const json::Value *found = find(name);
  if (!found)
    return Status::ok();
  TURNIP_RETURN_IF_ERROR(
      expectKind(*found, pathOf(name), json::Value::Kind::Bool));
  value = found->boolean;
  return Status::ok();
}

Status ObjectReader::bytes(const char *name, uint64_t maximum, uint64_t &value,
                           Need need) {
  const json::Value *found = find(name);
  if (!found || found->kind != json::Value::Kind::String)
    return whole(name, 1, maximum, value, need);
  Expected<int64_t> size = parseByteSize(found->string);
  if (!size)
    return invalidAt(pathOf(name), size.status().message());
  if (*size < 1 || static_cast<uint64_t>(*size) > maximum)
    return outOfRange(pathOf(name), "a number", 1, static_cast<double>(maximum),
                      static_cast<double>(*size));
  value = static_cast<uint64_t>(*size);
  return Status::ok();
}

Status ObjectReader::finish() const {
  for (const auto &[name, value] : object.members)
    if (known.count(name) == 0)
      return invalidAt(pathOf(name), "unknown field");
  return Status::ok();
}
