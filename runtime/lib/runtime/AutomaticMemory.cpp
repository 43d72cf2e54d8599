//===- AutomaticMemory.cpp - How much a device may use --------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/runtime/AutomaticMemory.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::runtime;

/// Bytes of all tiles of \p entry in \p memory and of its largest workspace.
static uint64_t usefulBytes(const artifact::Module &module,
                            const artifact::Entry &entry, uint32_t memory) {
  uint64_t alignment = module.machine.memories[memory].alignment;
  auto aligned = [&](uint64_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
  };
  uint64_t workspace = 0, total = 0;
  for (const artifact::Kernel &kernel : module.kernels)
    workspace = std::max(workspace, kernel.workspaceBytes);
  for (const artifact::Tile &tile : entry.taskGraph->tiles)
    if (tile.memory == memory)
      total += aligned(tile.bytes);
  return total + aligned(workspace);
}

/// An upper bound for the bytes of the entry's parameters.
static uint64_t parameterBytes(const artifact::Entry &entry) {
  uint64_t bytes = 0;
  for (const artifact::Tile &tile : entry.taskGraph->tiles)
    if (tile.origin == artifact::TileOrigin::Parameter)
      bytes += tile.bytes;
  return bytes;
}

/// Rounds down to five significant bits.
static uint64_t roundDown(uint64_t bytes) {
  uint64_t unit = 1;
  while (bytes / unit >= 32)
    unit *= 2;
  return bytes / unit * unit;
}

AutomaticMemory
turnip::runtime::automaticDeviceMemory(const artifact::Module &module,
                                       const artifact::Entry &entry,
                                       const Driver &driver) {
  uint64_t accelerators = 0, useful = 0, placed = 0;
  std::optional<uint64_t> free;
  for (const artifact::Device &device : module.machine.devices) {
    if (device.kind != artifact::DeviceKind::Accelerator)
      continue;
    const artifact::Memory &memory = module.machine.memories[device.memory];
    ++accelerators;
    useful = std::max(useful, usefulBytes(module, entry, device.memory));
    placed = std::max(placed, memory.capacity);
    if (std::optional<uint64_t> bytes = driver.freeMemory(memory.name))
      free = std::min(*bytes, free.value_or(*bytes));
  }
  AutomaticMemory result{placed, "what the artifact was placed for"};
  if (free && driver.properties().hostArenas) {
    uint64_t parameters = parameterBytes(entry);
    uint64_t left = *free > parameters ? *free - parameters : 0;
    result = {roundDown(left / 2 / std::max<uint64_t>(accelerators, 1)),
              "half of the free host memory besides the parameters"};
    if (accelerators > 1)
      result.reason +=
          ", shared by " + std::to_string(accelerators) + " devices";
  } else if (free) {
    result = {*free, "what the device has free"};
  }
  if (useful < result.bytes)
    result = {useful, "all tiles at once"};
  return result;
}
