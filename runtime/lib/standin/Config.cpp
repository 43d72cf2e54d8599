//===- Config.cpp - What TURNIP_STANDIN asks for --------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Config.h"

#include "turnip/support/ByteSize.h"

#include <charconv>

using namespace turnip;
using namespace turnip::standin;

static Status wrongValue(std::string_view key, std::string_view value,
                         const char *expected) {
  return Status::error(StatusCode::InvalidArgument,
                       std::string(key) + ": expected " + expected +
                           ", but got '" + std::string(value) + "'");
}

/// Reads a whole number from \p low to \p high.
template <typename T>
static Status readNumber(std::string_view key, std::string_view value,
                         uint64_t low, uint64_t high, T &result) {
  uint64_t number = 0;
  auto [end, error] =
      std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() ||
      number < low || number > high)
    return wrongValue(
        key, value,
        ("a number from " + std::to_string(low) + " to " + std::to_string(high))
            .c_str());
  result = static_cast<T>(number);
  return Status::ok();
}

static Status readSwitch(std::string_view key, std::string_view value,
                         bool &result) {
  if (value != "0" && value != "1")
    return wrongValue(key, value, "0 or 1");
  result = value == "1";
  return Status::ok();
}

/// Cuts \p text at the first \p separator; the second part is empty where there
/// is none.
static std::pair<std::string_view, std::string_view>
split(std::string_view text, char separator) {
  size_t at = text.find(separator);
  if (at == std::string_view::npos)
    return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

/// `sm_90`.
static Status readCapability(std::string_view value, Config &config) {
  int number = 0;
  std::string_view digits = value.substr(std::min<size_t>(3, value.size()));
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (value.substr(0, 3) != "sm_" || error != std::errc() ||
      end != digits.data() + digits.size() || number < 50 || number > 999)
    return wrongValue("chip", value, "a chip such as sm_90");
  config.capabilityMajor = number / 10;
  config.capabilityMinor = number % 10;
  return Status::ok();
}

/// `NUMBER[:ERROR]`.
static Status readFailure(std::string_view key, std::string_view value,
                          uint64_t &number, int &error) {
  auto [first, second] = split(value, ':');
  TURNIP_RETURN_IF_ERROR(readNumber(key, first, 1, UINT64_MAX, number));
  return second.empty() ? Status::ok() : readNumber(key, second, 1, 999, error);
}

static Status readBandwidth(std::string_view value, double &result) {
  double number = 0;
  auto [end, error] =
      std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() ||
      !(number >= 0 && number <= 1e6))
    return wrongValue("link-gbps", value, "a number from 0 to 1000000");
  result = number;
  return Status::ok();
}

static Status readEntry(std::string_view key, std::string_view value,
                        Config &config) {
  if (key == "devices")
    return readNumber(key, value, 0, 16, config.devices);
  if (key == "memory") {
    Expected<int64_t> bytes = parseByteSize(value);
    if (!bytes)
      return bytes.status().withContext("memory");
    config.memory = static_cast<uint64_t>(*bytes);
    return Status::ok();
  }
  if (key == "chip")
    return readCapability(value, config);
  if (key == "driver")
    return readNumber(key, value, 1000, 99999, config.driverVersion);
  if (key == "delay-us")
    return readNumber(key, value, 0, 10000000, config.delayUs);
  if (key == "seed")
    return readNumber(key, value, 0, UINT64_MAX, config.seed);
  if (key == "link-gbps")
    return readBandwidth(value, config.linkGbps);
  if (key == "peers")
    return readSwitch(key, value, config.peers);
  if (key == "poison")
    return readSwitch(key, value, config.poison);
  if (key == "log")
    return readSwitch(key, value, config.log);
  if (key == "report") {
    config.report = value;
    return Status::ok();
  }
  if (key == "fail-at")
    return readFailure(key, value, config.failure.number, config.failure.error);
  if (key == "fail-work")
    return readFailure(key, value, config.failingWork, config.workError);
  if (key == "fail") {
    auto [function, rest] = split(value, ':');
    config.failure.function = function;
    return readFailure(key, rest, config.failure.number, config.failure.error);
  }
  return Status::error(StatusCode::InvalidArgument,
                       "unknown key '" + std::string(key) + "'");
}

Expected<Config> turnip::standin::parseConfig(std::string_view text) {
  Config config;
  while (!text.empty()) {
    auto [entry, rest] = split(text, ',');
    auto [key, value] = split(entry, '=');
    TURNIP_RETURN_IF_ERROR(readEntry(key, value, config));
    text = rest;
  }
  return config;
}
