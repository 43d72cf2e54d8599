//===- OldForm.cpp - Descriptions as turnip-run first had them ------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// {"devices": {"default": {"flops": 2e14, "memory_bandwidth": 1e12,
//                          "launch_overhead": 5e-6, "lanes": 1,
//                          "submit_latency": 1e-5, "queue": 4}},
//  "links": {"default": {"bandwidth": 25e9, "latency": 1e-5}},
//  "jitter": 0.1, "seed": 1}
//
// Everything is optional; "default" stands for what is not listed, and no
// capacities are known.
//
//===----------------------------------------------------------------------===//

#include "Reader.h"

using namespace turnip;
using namespace turnip::machine;

static Status readDevice(const json::Value &value, const std::string &path,
                         Device &device) {
  ObjectReader reader(value, path);
  TURNIP_RETURN_IF_ERROR(reader.check());
  double flops = 0;
  TURNIP_RETURN_IF_ERROR(reader.number("flops", 1, maxFlops, flops));
  TURNIP_RETURN_IF_ERROR(reader.number("memory_bandwidth", 1, maxBandwidth,
                                       device.memoryBandwidth));
  TURNIP_RETURN_IF_ERROR(
      reader.number("launch_overhead", 0, maxSeconds, device.launchOverhead));
  TURNIP_RETURN_IF_ERROR(reader.whole("lanes", 1, maxLanes, device.lanes));
  TURNIP_RETURN_IF_ERROR(
      reader.number("submit_latency", 0, maxSeconds, device.submitLatency));
  TURNIP_RETURN_IF_ERROR(reader.whole("queue", 0, maxLanes, device.queue));
  if (flops > 0)
    device.classes[KernelClass::Other].flops[ElementType::F32] = flops;
  return reader.finish();
}

static Status readDevices(const json::Value &devices, Machine &machine) {
  for (const auto &[name, value] : devices.members) {
    Device device;
    TURNIP_RETURN_IF_ERROR(readDevice(value, "devices." + name, device));
    device.name = name;
    if (name == "default")
      machine.otherDevice = device;
    else
      machine.devices.push_back(device);
  }
  return Status::ok();
}

/// The memory called \p name, which is made up if it is new.
static uint32_t memoryCalled(const std::string &name, Machine &machine) {
  uint32_t found = machine.findMemory(name);
  if (found != None)
    return found;
  machine.memories.push_back({name, MemoryKind::Device, maxCapacity, 64});
  return static_cast<uint32_t>(machine.memories.size() - 1);
}

static Status readLinks(const json::Value &links, Machine &machine) {
  TURNIP_RETURN_IF_ERROR(expectKind(links, "links", json::Value::Kind::Object));
  for (const auto &[name, value] : links.members) {
    Link link;
    ObjectReader reader(value, "links." + name);
    TURNIP_RETURN_IF_ERROR(reader.check());
    TURNIP_RETURN_IF_ERROR(
        reader.number("bandwidth", 1, maxBandwidth, link.bandwidth));
    TURNIP_RETURN_IF_ERROR(
        reader.number("latency", 0, maxSeconds, link.latency));
    TURNIP_RETURN_IF_ERROR(reader.finish());
    if (name == "default") {
      machine.otherLink = link;
      continue;
    }
    size_t arrow = name.find("->");
    if (arrow == std::string::npos)
      return invalidAt(reader.path(), "expected a name such as host->dev0");
    link.source = memoryCalled(name.substr(0, arrow), machine);
    link.destination = memoryCalled(name.substr(arrow + 2), machine);
    machine.links.push_back(link);
  }
  return Status::ok();
}

Expected<Machine> machine::readOldForm(const json::Value &root) {
  Machine machine = Machine::uniform();
  ObjectReader reader(root, "");
  double jitter = 0;
  TURNIP_RETURN_IF_ERROR(reader.number("jitter", 0, 1, jitter));
  TURNIP_RETURN_IF_ERROR(reader.whole("seed", 0, uint64_t(1) << 50,
                                      machine.seed, ObjectReader::Optional));
  machine.kernelJitter = machine.transferJitter = jitter;
  if (const json::Value *devices = reader.find("devices"))
    TURNIP_RETURN_IF_ERROR(readDevices(*devices, machine));
  if (const json::Value *links = reader.find("links"))
    TURNIP_RETURN_IF_ERROR(readLinks(*links, machine));
  TURNIP_RETURN_IF_ERROR(reader.finish());
  return machine;
}
