//===- Conversion.cpp - From stored elements to computed ones -------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversion.h"

#include <algorithm>
#include <cstring>

using namespace turnip;
using namespace turnip::parameters;

void turnip::parameters::storeFloats(const float *values, int64_t count,
                                     ElementType type, void *dst) {
  auto *bytes = static_cast<unsigned char *>(dst);
  if (type == ElementType::F32) {
    std::memcpy(bytes, values, static_cast<size_t>(count) * sizeof(float));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    uint16_t bits = type == ElementType::F16 ? floatToHalf(values[i])
                                             : floatToBfloat(values[i]);
    std::memcpy(bytes + 2 * i, &bits, sizeof bits);
  }
}

void turnip::parameters::loadFloats(const void *source, int64_t count,
                                    ElementType type, float *values) {
  const auto *bytes = static_cast<const unsigned char *>(source);
  if (type == ElementType::F32) {
    std::memcpy(values, bytes, static_cast<size_t>(count) * sizeof(float));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    uint16_t bits;
    std::memcpy(&bits, bytes + 2 * i, sizeof bits);
    values[i] =
        type == ElementType::F16 ? halfToFloat(bits) : bfloatToFloat(bits);
  }
}

Status turnip::parameters::convertElements(const void *source, ElementType from,
                                           int64_t count, ElementType to,
                                           void *dst) {
  if (from == to) {
    std::memcpy(dst, source, static_cast<size_t>(count * byteSize(to)));
    return Status::ok();
  }
  if (!isFloat(from) || !isFloat(to))
    return Status::error(StatusCode::BadInput,
                         std::string("cannot read ") + toString(from) +
                             " elements as " + toString(to));
  const auto *in = static_cast<const unsigned char *>(source);
  auto *out = static_cast<unsigned char *>(dst);
  float chunk[1024];
  for (int64_t done = 0; done < count;) {
    int64_t take = std::min<int64_t>(count - done, 1024);
    loadFloats(in + done * byteSize(from), take, from, chunk);
    storeFloats(chunk, take, to, out + done * byteSize(to));
    done += take;
  }
  return Status::ok();
}

Status turnip::parameters::checkRange(int64_t first, int64_t count,
                                      int64_t size) {
  if (first >= 0 && count >= 0 && first <= size && count <= size - first)
    return Status::ok();
  return Status::error(StatusCode::InvalidArgument,
                       std::to_string(count) + " elements from element " +
                           std::to_string(first) + " on are not within its " +
                           std::to_string(size) + " elements");
}
