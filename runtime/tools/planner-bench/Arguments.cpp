//===- Arguments.cpp - The command line of planner-bench ------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "turnip/support/ByteSize.h"

#include <cstdlib>

using namespace turnip;
using namespace turnip::planner::bench;

static Status refuse(const std::string &name, const std::string &wanted,
                     const std::string &value) {
  return Status::error(StatusCode::InvalidArgument,
                       "--" + name + ": expected " + wanted + ", but got \"" +
                           value + "\"");
}

Arguments::Arguments(int count, const char *const *values) {
  for (int i = 0; i < count; ++i) {
    std::string text = values[i];
    if (text.rfind("--", 0) != 0) {
      plain.push_back(text);
      continue;
    }
    size_t equals = text.find('=');
    bool valued = equals != std::string::npos;
    options.emplace_back(text.substr(2, valued ? equals - 2 : equals),
                         valued ? text.substr(equals + 1) : "");
  }
}

bool Arguments::take(const std::string &name, std::string &value) {
  for (size_t i = 0; i < options.size(); ++i)
    if (options[i].first == name) {
      value = options[i].second;
      options.erase(options.begin() + static_cast<ptrdiff_t>(i));
      return true;
    }
  return false;
}

Status Arguments::takeNumber(const std::string &name, uint64_t least,
                             uint64_t most, uint64_t &value) {
  std::string text;
  if (!take(name, text))
    return Status::ok();
  bool digits = !text.empty() && text.size() < 19 &&
                text.find_first_not_of("0123456789") == std::string::npos;
  uint64_t number = digits ? std::strtoull(text.c_str(), nullptr, 10) : 0;
  if (!digits || number < least || number > most)
    return refuse(name,
                  "a whole number from " + std::to_string(least) + " to " +
                      std::to_string(most),
                  text);
  value = number;
  return Status::ok();
}

Status Arguments::takeReal(const std::string &name, double least, double most,
                           double &value) {
  std::string text;
  if (!take(name, text))
    return Status::ok();
  char *end = nullptr;
  double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != 0 || !(number >= least && number <= most))
    return refuse(name,
                  "a number from " + std::to_string(least) + " to " +
                      std::to_string(most),
                  text);
  value = number;
  return Status::ok();
}

Status Arguments::takeBytes(const std::string &name, uint64_t &value) {
  std::string text;
  if (!take(name, text))
    return Status::ok();
  Expected<int64_t> bytes = parseByteSize(text);
  if (!bytes)
    return bytes.status().withContext("--" + name);
  value = static_cast<uint64_t>(*bytes);
  return Status::ok();
}

Status Arguments::takeGraph(GraphOptions &options) {
  uint64_t vertices = options.vertices, devices = options.devices;
  uint64_t sequence = options.sequence, layers = options.layers;
  TURNIP_RETURN_IF_ERROR(takeNumber("vertices", 1, 100000000, vertices));
  TURNIP_RETURN_IF_ERROR(takeNumber("devices", 1, 64, devices));
  TURNIP_RETURN_IF_ERROR(takeNumber("seed", 0, INT64_MAX / 10, options.seed));
  TURNIP_RETURN_IF_ERROR(takeNumber("sequence", 1, 1 << 20, sequence));
  TURNIP_RETURN_IF_ERROR(takeNumber("layers", 1, 1000, layers));
  TURNIP_RETURN_IF_ERROR(takeReal("intensity", 0, 1e6, options.intensity));
  TURNIP_RETURN_IF_ERROR(takeBytes("tile", options.tileBytes));
  TURNIP_RETURN_IF_ERROR(takeBytes("tile-budget", options.tileBudget));
  std::string ignored;
  options.fusedAttention |= take("fused-attention", ignored);
  options.vertices = static_cast<uint32_t>(vertices);
  options.devices = static_cast<uint32_t>(devices);
  options.sequence = static_cast<uint32_t>(sequence);
  options.layers = static_cast<uint32_t>(layers);
  return Status::ok();
}

Status Arguments::finish() const {
  if (options.empty())
    return Status::ok();
  return Status::error(StatusCode::InvalidArgument,
                       "unknown option \"--" + options.front().first + "\"");
}
