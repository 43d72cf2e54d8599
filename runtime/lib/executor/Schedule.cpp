//===- Schedule.cpp - In which order ready operations go ------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/parameters/Tensor.h"
#include "turnip/runtime/Executor.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

using namespace turnip;
using namespace turnip::runtime;

static const char orderHeader[] = "turnip dispatch order 1";

/// Reads all of \p text as an unsigned number.
template <typename T> static bool readNumber(std::string_view text, T &value) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

Expected<Schedule> Schedule::parse(const std::string &text) {
  Schedule schedule;
  size_t colon = text.find(':');
  std::string kind = text.substr(0, colon);
  std::string rest =
      colon == std::string::npos ? std::string() : text.substr(colon + 1);
  if (text == "dynamic")
    return schedule;
  if (text == "fixed") {
    schedule.policy = Policy::Fixed;
    return schedule;
  }
  if (kind == "random") {
    schedule.policy = Policy::Random;
    if (!readNumber(rest, schedule.seed))
      return Status::error(StatusCode::InvalidArgument,
                           "expected a number after 'random:', but got '" +
                               rest + "'");
    return schedule;
  }
  if (kind == "replay") {
    schedule.policy = Policy::Replay;
    if (rest.empty())
      return Status::error(StatusCode::InvalidArgument,
                           "expected a file after 'replay:'");
    Expected<std::vector<uint32_t>> order = readDispatchOrder(rest);
    if (!order)
      return order.status();
    schedule.order = std::move(*order);
    return schedule;
  }
  return Status::error(StatusCode::InvalidArgument,
                       "unknown schedule '" + text +
                           "': expected dynamic, fixed, random:SEED or "
                           "replay:FILE");
}

Expected<std::vector<uint32_t>>
turnip::runtime::readDispatchOrder(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    return Status::error(StatusCode::Io,
                         "cannot read '" + path + "': " + strerror(errno));
  std::string line;
  std::getline(file, line);
  if (line != orderHeader)
    return Status::error(StatusCode::BadInput,
                         "'" + path + "' is not a recorded dispatch order");
  std::vector<uint32_t> order;
  while (std::getline(file, line)) {
    uint32_t vertex = 0;
    if (!readNumber(line, vertex))
      return Status::error(StatusCode::BadInput,
                           std::string("'")
                               .append(path)
                               .append("' line ")
                               .append(std::to_string(order.size() + 2))
                               .append(": expected a number, but got '")
                               .append(line)
                               .append("'"));
    order.push_back(vertex);
  }
  return order;
}

Status turnip::runtime::writeDispatchOrder(const std::string &path,
                                           const std::vector<uint32_t> &order) {
  std::string text = std::string(orderHeader) + "\n";
  for (uint32_t vertex : order)
    text += std::to_string(vertex) + "\n";
  return parameters::writeFileAtomically(path, text);
}
