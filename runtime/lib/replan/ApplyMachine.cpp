//===- ApplyMachine.cpp - An artifact on another machine ------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApplyMachine.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::runtime;

static Status lacks(const machine::Machine &machine, const char *what,
                    const std::string &name) {
  return Status::error(StatusCode::InvalidArgument,
                       "machine '" + machine.name + "' has no " + what +
                           " that the artifact's '" + name + "' could be");
}

static Status setLinks(artifact::Machine &to, const machine::Machine &from) {
  std::vector<uint32_t> memories;
  for (artifact::Memory &memory : to.memories) {
    uint32_t found = memory.kind == artifact::MemoryKind::Device
                         ? from.findMemory(memory.name)
                         : from.hostMemory();
    if (found == machine::None)
      return lacks(from, "memory", memory.name);
    if (memory.kind == artifact::MemoryKind::Device) {
      memory.capacity = from.memories[found].capacity;
      memory.alignment =
          std::max(memory.alignment, from.memories[found].alignment);
    }
    memories.push_back(found);
  }
  for (artifact::Link &link : to.links) {
    machine::Link like =
        from.linkBetween(memories[link.source], memories[link.destination]);
    link.bytesPerSecond = like.bandwidth;
    for (uint32_t index : like.switches)
      link.bytesPerSecond =
          std::min(link.bytesPerSecond, from.switches[index].bandwidth);
    link.latency = like.latency;
  }
  return Status::ok();
}

/// Bytes that one call of \p kernel reads and writes.
static double bytesOf(const artifact::Kernel &kernel) {
  uint64_t bytes = kernel.bytesMoved;
  if (bytes == 0)
    for (const std::vector<uint64_t> *list :
         {&kernel.operandBytes, &kernel.resultBytes})
      for (uint64_t size : *list)
        bytes += size;
  return static_cast<double>(bytes);
}

/// What was measured of \p kernel, or else what its kind says.
static double secondsOf(const artifact::Kernel &kernel,
                        const machine::Machine &machine,
                        const machine::Device &device) {
  if (!machine.kernels.empty())
    if (const machine::KernelTime *timed =
            machine.findKernel(artifact::codeHash(kernel)))
      return device.secondsOf(*timed, static_cast<int64_t>(kernel.gridSize));
  return device.seconds(kernel.kernelClass, kernel.type,
                        static_cast<double>(kernel.flops), bytesOf(kernel));
}

Status turnip::runtime::applyMachine(artifact::Module &module,
                                     artifact::Entry &entry,
                                     const machine::Machine &machine) {
  TURNIP_RETURN_IF_ERROR(setLinks(module.machine, machine));
  for (artifact::Cost &cost : entry.taskGraph->costs) {
    const std::string &name = module.machine.devices[cost.device].name;
    uint32_t device = machine.findDevice(name);
    if (device == machine::None)
      return lacks(machine, "device", name);
    cost.seconds = secondsOf(module.kernels[cost.kernel], machine,
                             machine.devices[device]);
  }
  return Status::ok();
}
