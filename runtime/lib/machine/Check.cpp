//===- Check.cpp - What single fields of a machine do not show ------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reader.h"

using namespace turnip;
using namespace turnip::machine;

/// Checks that no two of \p list have one name.
template <typename T>
static Status checkNames(const char *field, const std::vector<T> &list) {
  std::map<std::string, size_t> seen;
  for (size_t i = 0; i < list.size(); ++i) {
    std::string path = std::string(field) + "[" + std::to_string(i) + "].name";
    if (list[i].name.empty())
      return invalidAt(path, "expected a name, but got none");
    auto [it, inserted] = seen.emplace(list[i].name, i);
    if (!inserted)
      return invalidAt(path, "'" + list[i].name + "' is the name of " + field +
                                 "[" + std::to_string(it->second) +
                                 "] already");
  }
  return Status::ok();
}

/// Each memory has one device at most, and the host's has one.
static Status checkDevices(const Machine &machine) {
  if (machine.accelerators().empty())
    return invalidAt("devices", "expected at least 1 device on a memory of "
                                "kind device, but got 0");
  const uint32_t host = machine.hostMemory();
  if (host == None)
    return invalidAt("memories",
                     "expected a memory of kind host, but there is none");
  std::map<uint32_t, uint32_t> owners;
  for (uint32_t i = 0; i < machine.devices.size(); ++i) {
    auto [it, inserted] = owners.emplace(machine.devices[i].memory, i);
    if (!inserted)
      return invalidAt("devices[" + std::to_string(i) + "].memory",
                       "device '" + machine.devices[it->second].name +
                           "' has memory '" + machine.memories[it->first].name +
                           "' already");
  }
  if (owners.count(host) == 0)
    return invalidAt("devices", "expected a device on '" +
                                    machine.memories[host].name +
                                    "', the host's memory, but there is none");
  return Status::ok();
}

/// Links have two ends, no two have the same, and every device's memory is
/// linked with the host's both ways.
static Status checkLinks(const Machine &machine) {
  std::map<std::pair<uint32_t, uint32_t>, size_t> ends;
  for (size_t i = 0; i < machine.links.size(); ++i) {
    const Link &link = machine.links[i];
    std::string path = "links[" + std::to_string(i) + "]";
    if (link.source == link.destination)
      return invalidAt(path, "expected two memories, but got '" +
                                 machine.memories[link.source].name +
                                 "' twice");
    auto [it, inserted] =
        ends.emplace(std::make_pair(link.source, link.destination), i);
    if (!inserted)
      return invalidAt(path, "links[" + std::to_string(it->second) +
                                 "] has the same ends already");
  }
  const uint32_t host = machine.hostMemory();
  for (uint32_t device : machine.accelerators()) {
    const uint32_t memory = machine.devices[device].memory;
    for (auto [from, to] :
         {std::make_pair(host, memory), std::make_pair(memory, host)})
      if (machine.findLink(from, to) == None)
        return invalidAt("links", "expected a link from '" +
                                      machine.memories[from].name + "' to '" +
                                      machine.memories[to].name +
                                      "', but there is none");
  }
  return Status::ok();
}

Status machine::checkMachine(const Machine &machine) {
  TURNIP_RETURN_IF_ERROR(checkNames("memories", machine.memories));
  TURNIP_RETURN_IF_ERROR(checkNames("devices", machine.devices));
  TURNIP_RETURN_IF_ERROR(checkNames("switches", machine.switches));
  TURNIP_RETURN_IF_ERROR(checkDevices(machine));
  return checkLinks(machine);
}
