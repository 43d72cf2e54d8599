//===- PlannerProblem.cpp - A machine as the planner sees it --------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/machine/PlannerProblem.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::machine;

/// Device \p index among those of a program.
static std::string deviceName(uint32_t index) {
  return "dev" + std::to_string(index);
}

/// Adds the devices of the memories that \p problem has: \p count devices',
/// then the host's.
static void addDevices(uint32_t count, planner::Problem &problem) {
  for (uint32_t i = 0; i < count; ++i)
    problem.addDevice({deviceName(i), i, /*backing=*/count});
  problem.addDevice({"host", count, planner::None});
}

/// Adds all links. \p like gives bandwidth and latency between two memories:
/// 0 to \p count - 1 are the devices', \p count is the host's.
template <typename F>
static void addLinks(uint32_t count, planner::Problem &problem, F like) {
  const uint32_t host = count, parameters = count + 1;
  auto add = [&](uint32_t source, uint32_t destination, uint32_t channel) {
    auto [bandwidth, latency] = like(std::min(source, host), destination);
    problem.addLink({problem.memories[source].name + " to " +
                         problem.memories[destination].name,
                     source, destination, channel, bandwidth, latency});
  };
  // Each device has an engine for what comes in and one for what goes out.
  uint32_t channel = 0;
  for (uint32_t i = 0; i < count; ++i) {
    add(parameters, i, channel);
    add(host, i, channel);
    add(i, host, channel + 1);
    channel += 2;
  }
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t j = 0; j < count; ++j)
      if (i != j)
        add(i, j, channel++);
  add(parameters, host, channel);
}

void machine::addMachine(const UniformMachine &machine,
                         planner::Problem &problem) {
  for (uint32_t i = 0; i < machine.devices; ++i)
    problem.addMemory({deviceName(i), planner::MemoryKind::Device,
                       machine.deviceBytes, machine.deviceAlignment,
                       /*writable=*/true});
  problem.addMemory({"host", planner::MemoryKind::Host, machine.hostBytes,
                     machine.hostAlignment, /*writable=*/true});
  problem.addMemory({"params", planner::MemoryKind::Parameters,
                     machine.parameterBytes, machine.hostAlignment,
                     /*writable=*/false});
  addDevices(machine.devices, problem);
  addLinks(machine.devices, problem, [&](uint32_t, uint32_t) {
    return std::make_pair(machine.bandwidth, machine.latency);
  });
}

Status machine::addMachine(const Machine &machine, const Share &share,
                           planner::Problem &problem) {
  std::vector<uint32_t> devices = machine.accelerators();
  if (share.devices > devices.size())
    return Status::error(StatusCode::InvalidArgument,
                         "the program uses " + std::to_string(share.devices) +
                             " devices, but machine '" + machine.name +
                             "' has " + std::to_string(devices.size()));
  devices.resize(share.devices);
  const uint32_t hostMemory = machine.hostMemory();
  const Memory &ram = machine.memories[hostMemory];
  if (!share.hostBytes && share.parameterBytes > ram.capacity)
    return Status::error(
        StatusCode::DoesNotFit,
        "the parameters need " + std::to_string(share.parameterBytes) +
            " bytes of host memory, which has " + std::to_string(ram.capacity) +
            " on machine '" + machine.name + "'");
  std::vector<uint32_t> memories;
  for (uint32_t i = 0; i < devices.size(); ++i) {
    memories.push_back(machine.devices[devices[i]].memory);
    const Memory &memory = machine.memories[memories.back()];
    problem.addMemory({deviceName(i), planner::MemoryKind::Device,
                       share.deviceBytes.value_or(memory.capacity),
                       memory.alignment, /*writable=*/true});
  }
  problem.addMemory(
      {"host", planner::MemoryKind::Host,
       share.hostBytes.value_or(ram.capacity - share.parameterBytes),
       ram.alignment, /*writable=*/true});
  problem.addMemory({"params", planner::MemoryKind::Parameters,
                     share.parameterBytes, ram.alignment, /*writable=*/false});
  addDevices(share.devices, problem);
  memories.push_back(hostMemory);
  addLinks(share.devices, problem, [&](uint32_t source, uint32_t destination) {
    Link like = machine.linkBetween(memories[source], memories[destination]);
    double bandwidth = like.bandwidth;
    for (uint32_t index : like.switches)
      bandwidth = std::min(bandwidth, machine.switches[index].bandwidth);
    return std::make_pair(bandwidth, like.latency);
  });
  return Status::ok();
}
