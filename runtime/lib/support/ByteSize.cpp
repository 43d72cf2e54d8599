//===- ByteSize.cpp - Sizes as people write them --------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/support/ByteSize.h"

#include <cstdio>
#include <limits>

using namespace turnip;

static Status malformed(std::string_view text) {
  return Status::error(StatusCode::InvalidArgument,
                       "expected a size such as 64MiB, 1.5GiB or 1048576, but "
                       "got '" +
                           std::string(text) + "'");
}

/// The shift that a unit stands for, or -1.
static int unitShift(std::string_view unit) {
  if (unit.empty() || unit == "B")
    return 0;
  if (unit == "KiB")
    return 10;
  if (unit == "MiB")
    return 20;
  if (unit == "GiB")
    return 30;
  if (unit == "TiB")
    return 40;
  return -1;
}

Expected<int64_t> turnip::parseByteSize(std::string_view text) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  size_t position = 0;
  int64_t whole = 0;
  auto isDigit = [&] {
    return position < text.size() && text[position] >= '0' &&
           text[position] <= '9';
  };
  if (!isDigit())
    return malformed(text);
  for (; isDigit(); ++position) {
    int digit = text[position] - '0';
    if (whole > (kMax - digit) / 10)
      return malformed(text);
    whole = whole * 10 + digit;
  }
  // The fraction as numerator / denominator; nine digits are plenty.
  int64_t numerator = 0, denominator = 1;
  if (position < text.size() && text[position] == '.') {
    ++position;
    if (!isDigit())
      return malformed(text);
    for (; isDigit(); ++position) {
      if (denominator >= 1000000000)
        return malformed(text);
      numerator = numerator * 10 + (text[position] - '0');
      denominator *= 10;
    }
  }
  int shift = unitShift(text.substr(position));
  if (shift < 0 || whole > (kMax >> shift))
    return malformed(text);
  int64_t unit = int64_t(1) << shift;
  // Nine digits of fraction times 2^40 take up to 70 bits.
  __int128 product = static_cast<__int128>(numerator) * unit;
  if (product % denominator != 0)
    return malformed(text);
  int64_t fraction = static_cast<int64_t>(product / denominator);
  int64_t bytes = whole << shift;
  if (bytes > kMax - fraction)
    return malformed(text);
  return bytes + fraction;
}

std::string turnip::formatBytes(uint64_t bytes) {
  if (bytes < 1024)
    return std::to_string(bytes) + " bytes";
  const bool small = bytes < (1 << 20);
  char text[64];
  std::snprintf(text, sizeof(text), "%.2f %s",
                static_cast<double>(bytes) / (small ? 1 << 10 : 1 << 20),
                small ? "KiB" : "MiB");
  return text;
}

std::string turnip::formatExactBytes(uint64_t bytes) {
  std::string exact = std::to_string(bytes) + " bytes";
  return bytes < 1024 ? exact : exact + " (" + formatBytes(bytes) + ")";
}
