//===- SimMachine.cpp - Reading machine descriptions ----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/runtime/Drivers.h"
#include "turnip/support/Json.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace turnip;
using namespace turnip::runtime;

static Status invalid(const std::string &message) {
  return Status::error(StatusCode::BadInput, message);
}

namespace {
/// A field of an object: its name, the values it may have, and where it goes.
struct Field {
  const char *name;
  double minimum;
  double maximum;
  double *value;
};
} // namespace

/// Reads the numbers of \p object at \p path; unknown members are errors unless
/// \p others lists them.
static Status readFields(const json::Value &object, const std::string &path,
                         const std::vector<Field> &fields,
                         const std::vector<std::string> &others = {}) {
  if (object.kind != json::Value::Kind::Object)
    return invalid(path + ": expected an object, but got " +
                   json::toString(object.kind));
  for (const auto &[name, value] : object.members) {
    std::string where = path;
    where += "." + name;
    const Field *found = nullptr;
    for (const Field &field : fields)
      if (name == field.name)
        found = &field;
    bool isOther = false;
    for (const std::string &other : others)
      isOther |= name == other;
    if (isOther)
      continue;
    if (!found)
      return invalid(where + ": unknown field");
    if (value.kind != json::Value::Kind::Number)
      return invalid(where + ": expected a number, but got " +
                     json::toString(value.kind));
    if (value.number < found->minimum || value.number > found->maximum) {
      std::ostringstream message;
      message << where << ": expected a number from " << found->minimum
              << " to " << found->maximum << ", but got " << value.number;
      return invalid(message.str());
    }
    *found->value = value.number;
  }
  return Status::ok();
}

static Status readDevices(const json::Value &devices, SimMachine &machine) {
  if (devices.kind != json::Value::Kind::Object)
    return invalid("devices: expected an object, but got " +
                   std::string(json::toString(devices.kind)));
  for (const auto &[name, value] : devices.members) {
    SimMachine::Compute compute;
    double lanes = compute.lanes;
    double queue = compute.queue;
    TURNIP_RETURN_IF_ERROR(
        readFields(value, "devices." + name,
                   {{"flops", 1, 1e30, &compute.flops},
                    {"memory_bandwidth", 1, 1e30, &compute.memoryBandwidth},
                    {"launch_overhead", 0, 1e6, &compute.launchOverhead},
                    {"lanes", 1, 1024, &lanes},
                    {"submit_latency", 0, 1e6, &compute.submitLatency},
                    {"queue", 0, 1024, &queue}}));
    if (lanes != std::floor(lanes))
      return invalid("devices." + name + ".lanes: expected a whole number");
    if (queue != std::floor(queue))
      return invalid("devices." + name + ".queue: expected a whole number");
    compute.lanes = static_cast<unsigned>(lanes);
    compute.queue = static_cast<unsigned>(queue);
    machine.devices[name] = compute;
  }
  return Status::ok();
}

static Status readLinks(const json::Value &links, SimMachine &machine) {
  if (links.kind != json::Value::Kind::Object)
    return invalid("links: expected an object, but got " +
                   std::string(json::toString(links.kind)));
  for (const auto &[name, value] : links.members) {
    SimMachine::Link link;
    TURNIP_RETURN_IF_ERROR(readFields(value, "links." + name,
                                      {{"bandwidth", 1, 1e30, &link.bandwidth},
                                       {"latency", 0, 1e6, &link.latency}}));
    machine.links[name] = link;
  }
  return Status::ok();
}

Expected<SimMachine> SimMachine::parse(const std::string &text) {
  Expected<json::Value> root = json::parse(text);
  if (!root)
    return root.status();
  SimMachine machine;
  double seed = 0;
  TURNIP_RETURN_IF_ERROR(
      readFields(*root, "machine",
                 {{"jitter", 0, 1, &machine.jitter}, {"seed", 0, 1e15, &seed}},
                 {"devices", "links"}));
  machine.seed = static_cast<uint64_t>(seed);
  if (const json::Value *devices = root->find("devices"))
    TURNIP_RETURN_IF_ERROR(readDevices(*devices, machine));
  if (const json::Value *links = root->find("links"))
    TURNIP_RETURN_IF_ERROR(readLinks(*links, machine));
  return machine;
}

Expected<SimMachine> SimMachine::read(const std::string &path) {
  std::ifstream file(path);
  std::ostringstream text;
  // An empty file fails to be copied too, but without a reason.
  errno = 0;
  if (!file || (!(text << file.rdbuf()) && errno != 0))
    return Status::error(StatusCode::Io,
                         "cannot read '" + path + "': " + strerror(errno));
  return parse(text.str()).withContext("'" + path + "'");
}
