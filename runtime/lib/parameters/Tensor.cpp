//===- Tensor.cpp - A dense tensor in host memory -------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/parameters/Tensor.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace turnip;
using namespace turnip::parameters;

Tensor Tensor::zeros(std::vector<int64_t> shape, ElementType type) {
  Tensor tensor;
  int64_t count = countElements(shape).value_or(0);
  tensor.shape = std::move(shape);
  tensor.type = type;
  tensor.data.resize(static_cast<size_t>(count * byteSize(type)));
  return tensor;
}

template <typename T> static T at(const Tensor &tensor, int64_t index) {
  T value;
  std::memcpy(&value,
              tensor.data.data() + index * static_cast<int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}

template <typename T> static void put(Tensor &tensor, int64_t index, T value) {
  std::memcpy(tensor.data.data() + index * static_cast<int64_t>(sizeof(T)),
              &value, sizeof(T));
}

double Tensor::valueAsDouble(int64_t index) const {
  switch (type) {
  case ElementType::F32:
    return at<float>(*this, index);
  case ElementType::F16:
    return halfToFloat(at<uint16_t>(*this, index));
  case ElementType::BF16:
    return bfloatToFloat(at<uint16_t>(*this, index));
  default:
    return static_cast<double>(valueAsInt(index));
  }
}

int64_t Tensor::valueAsInt(int64_t index) const {
  switch (type) {
  case ElementType::I8:
    return at<int8_t>(*this, index);
  case ElementType::I32:
    return at<int32_t>(*this, index);
  case ElementType::I64:
    return at<int64_t>(*this, index);
  case ElementType::I1:
    return at<uint8_t>(*this, index) != 0;
  default: {
    double value = std::trunc(valueAsDouble(index));
    if (!(value > -0x1p63))
      return value == value ? std::numeric_limits<int64_t>::min() : 0;
    return value < 0x1p63 ? static_cast<int64_t>(value)
                          : std::numeric_limits<int64_t>::max();
  }
  }
}

/// Rounds \p value to an f32 that a second rounding to a narrower type cannot
/// push to the wrong side: inexact results get an odd last bit.
static float roundToOdd(double value) {
  float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || !std::isfinite(nearest))
    return nearest;
  uint32_t bits;
  std::memcpy(&bits, &nearest, sizeof bits);
  if (bits & 1)
    return nearest;
  float toward = static_cast<double>(nearest) < value
                     ? std::numeric_limits<float>::infinity()
                     : -std::numeric_limits<float>::infinity();
  return std::nextafter(nearest, toward);
}

void Tensor::setFromDouble(int64_t index, double value) {
  switch (type) {
  case ElementType::F32:
    return put(*this, index, static_cast<float>(value));
  case ElementType::F16:
    return put(*this, index, floatToHalf(roundToOdd(value)));
  case ElementType::BF16:
    return put(*this, index, floatToBfloat(roundToOdd(value)));
  case ElementType::I1:
    return put<uint8_t>(*this, index, value != 0);
  default:
    break;
  }
  double whole = std::trunc(value);
  if (whole != whole)
    return setFromInt(index, 0);
  if (whole >= 0x1p63)
    return setFromInt(index, std::numeric_limits<int64_t>::max());
  if (whole < -0x1p63)
    return setFromInt(index, std::numeric_limits<int64_t>::min());
  setFromInt(index, static_cast<int64_t>(whole));
}

template <typename T> static T saturate(int64_t value) {
  if (value > std::numeric_limits<T>::max())
    return std::numeric_limits<T>::max();
  if (value < std::numeric_limits<T>::min())
    return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

void Tensor::setFromInt(int64_t index, int64_t value) {
  switch (type) {
  case ElementType::I8:
    return put(*this, index, saturate<int8_t>(value));
  case ElementType::I32:
    return put(*this, index, saturate<int32_t>(value));
  case ElementType::I64:
    return put(*this, index, value);
  case ElementType::I1:
    return put<uint8_t>(*this, index, value != 0);
  default:
    return setFromDouble(index, static_cast<double>(value));
  }
}

static Status ioError(const char *what, const std::string &path) {
  return Status::error(StatusCode::Io, std::string("cannot ") + what + " '" +
                                           path + "': " + strerror(errno));
}

static Status writeAll(int descriptor, std::string_view bytes,
                       const std::string &path) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return ioError("write", path);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return Status::ok();
}

Status turnip::parameters::checkWritable(const std::string &path) {
  // A file is replaced, so that its folder has to take it; what is none is
  // written as it is.
  struct stat info;
  std::string target = path;
  if (stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode)) {
    size_t slash = path.rfind('/');
    target = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  } else if (S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return ioError("write", path);
  }
  return access(target.c_str(), W_OK) == 0 ? Status::ok()
                                           : ioError("write", path);
}

Status turnip::parameters::writeFileAtomically(const std::string &path,
                                               std::string_view bytes) {
  return writeFileInPieces(path, [&]() -> Expected<std::string_view> {
    return std::exchange(bytes, std::string_view());
  });
}

Status turnip::parameters::writeFileInPieces(
    const std::string &path,
    const std::function<Expected<std::string_view>()> &next) {
  // A pipe or device cannot be replaced by a rename, and is written as it is. A
  // link stays: what it leads to is replaced.
  struct stat info;
  bool exists = stat(path.c_str(), &info) == 0;
  bool special = exists && !S_ISREG(info.st_mode);
  std::string destination = path;
  if (char *resolved = exists ? realpath(path.c_str(), nullptr) : nullptr) {
    destination = resolved;
    free(resolved);
  }
  std::string target =
      special ? path : destination + ".partial." + std::to_string(getpid());
  int flags = special ? O_WRONLY : O_WRONLY | O_CREAT | O_EXCL;
  int descriptor = ::open(target.c_str(), flags | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return ioError("write", path);
  Status status;
  while (status) {
    Expected<std::string_view> bytes = next();
    if (!bytes)
      status = bytes.status();
    if (!bytes || bytes->empty())
      break;
    status = writeAll(descriptor, *bytes, path);
  }
  if (::close(descriptor) != 0 && status)
    status = ioError("write", path);
  if (special)
    return status;
  if (status && std::rename(target.c_str(), destination.c_str()) != 0)
    status = ioError("write", path);
  if (!status)
    unlink(target.c_str());
  return status;
}
