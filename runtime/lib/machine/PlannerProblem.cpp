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

namespace {
/// Adds links to a problem.
class LinkBuilder {
public:
  LinkBuilder(const Machine &machine, planner::Problem &problem)
      : machine(machine), problem(problem) {}

  /// Adds a link between two memories of the problem that is like the one
  /// between two of the machine.
  void add(uint32_t source, uint32_t destination, const Link &like,
           uint32_t channel) {
    double bandwidth = like.bandwidth;
    for (uint32_t index : like.switches)
      bandwidth = std::min(bandwidth, machine.switches[index].bandwidth);
    problem.addLink({problem.memories[source].name + " to " +
                         problem.memories[destination].name,
                     source, destination, channel, bandwidth, like.latency});
  }

private:
  const Machine &machine;
  planner::Problem &problem;
};
} // namespace

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
    problem.addMemory({"dev" + std::to_string(i), planner::MemoryKind::Device,
                       share.deviceBytes.value_or(memory.capacity),
                       memory.alignment, /*writable=*/true});
  }
  uint32_t host = problem.addMemory(
      {"host", planner::MemoryKind::Host,
       share.hostBytes.value_or(ram.capacity - share.parameterBytes),
       ram.alignment, /*writable=*/true});
  uint32_t parameters = problem.addMemory(
      {"params", planner::MemoryKind::Parameters, share.parameterBytes,
       ram.alignment, /*writable=*/false});
  for (uint32_t i = 0; i < devices.size(); ++i)
    problem.addDevice({"dev" + std::to_string(i), i, host});
  problem.addDevice({"host", host, planner::None});

  LinkBuilder links(machine, problem);
  uint32_t channel = 0;
  for (uint32_t i = 0; i < devices.size(); ++i) {
    Link down = machine.linkBetween(hostMemory, memories[i]);
    links.add(parameters, i, down, channel);
    links.add(host, i, down, channel);
    links.add(i, host, machine.linkBetween(memories[i], hostMemory),
              channel + 1);
    channel += 2;
  }
  for (uint32_t i = 0; i < devices.size(); ++i)
    for (uint32_t j = 0; j < devices.size(); ++j)
      if (i != j)
        links.add(i, j, machine.linkBetween(memories[i], memories[j]),
                  channel++);
  links.add(parameters, host, machine.linkBetween(hostMemory, hostMemory),
            channel);
  return Status::ok();
}
