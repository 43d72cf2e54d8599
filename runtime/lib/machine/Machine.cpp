//===- Machine.cpp - What a machine can do --------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/machine/Machine.h"

#include <algorithm>
#include <cctype>

using namespace turnip;
using namespace turnip::machine;

static constexpr std::array<const char *, numKernelClasses> classNames = {
    "contraction", "elementwise", "reduction", "gather", "copy", "other"};

const char *machine::toString(KernelClass kernelClass) {
  return classNames[static_cast<unsigned>(kernelClass)];
}

std::optional<KernelClass> machine::parseKernelClass(std::string_view text) {
  for (unsigned i = 0; i < numKernelClasses; ++i)
    if (text == classNames[i])
      return static_cast<KernelClass>(i);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// Speeds of a device of which nothing is known.
static constexpr double assumedFlops = 1e12;

double Device::flopRate(KernelClass kernelClass, ElementType type) const {
  for (ElementType wanted : {type, ElementType::F32})
    for (KernelClass candidate : {kernelClass, KernelClass::Other}) {
      auto rates = classes.find(candidate);
      if (rates == classes.end())
        continue;
      auto rate = rates->second.flops.find(wanted);
      if (rate != rates->second.flops.end())
        return rate->second * rates->second.efficiency;
    }
  return assumedFlops;
}

double Device::byteRate(KernelClass kernelClass) const {
  for (KernelClass candidate : {kernelClass, KernelClass::Other}) {
    auto rates = classes.find(candidate);
    if (rates == classes.end())
      continue;
    double bandwidth = rates->second.bandwidth;
    return (bandwidth > 0 ? bandwidth : memoryBandwidth) *
           rates->second.efficiency;
  }
  return memoryBandwidth;
}

double Device::seconds(KernelClass kernelClass, ElementType type, double flops,
                       double bytes) const {
  return launchOverhead + std::max(flops / flopRate(kernelClass, type),
                                   bytes / byteRate(kernelClass));
}

double Device::secondsOf(const KernelTime &kernel, int64_t grid) const {
  if (!sharedLaunches || grid < 1)
    return launchOverhead + kernel.seconds;
  // The lane with the most grid points ends last.
  int64_t most = (grid + lanes - 1) / lanes;
  return launchOverhead +
         kernel.seconds * static_cast<double>(most) / static_cast<double>(grid);
}

//===----------------------------------------------------------------------===//
// Machines
//===----------------------------------------------------------------------===//

Machine Machine::uniform() {
  Machine machine;
  machine.otherDevice.emplace();
  machine.otherLink.emplace();
  return machine;
}

std::vector<uint32_t> Machine::accelerators() const {
  std::vector<uint32_t> result;
  for (uint32_t i = 0; i < devices.size(); ++i)
    if (devices[i].memory != None &&
        memories[devices[i].memory].kind == MemoryKind::Device)
      result.push_back(i);
  return result;
}

uint32_t Machine::hostMemory() const {
  for (uint32_t i = 0; i < memories.size(); ++i)
    if (memories[i].kind == MemoryKind::Host)
      return i;
  return None;
}

/// The index of what is called \p name in \p list, or None.
template <typename T>
static uint32_t findNamed(const std::vector<T> &list, const std::string &name) {
  for (uint32_t i = 0; i < list.size(); ++i)
    if (list[i].name == name)
      return i;
  return None;
}

/// The number of "devN"; nothing for other names.
static std::optional<uint32_t> numberOf(const std::string &name) {
  if (name.size() < 4 || name.size() > 8 || name.compare(0, 3, "dev") != 0)
    return std::nullopt;
  uint32_t number = 0;
  for (size_t i = 3; i < name.size(); ++i) {
    if (!std::isdigit(static_cast<unsigned char>(name[i])))
      return std::nullopt;
    number = number * 10 + static_cast<uint32_t>(name[i] - '0');
  }
  return number;
}

uint32_t Machine::findDevice(const std::string &wanted) const {
  uint32_t named = findNamed(devices, wanted);
  if (named != None)
    return named;
  if (std::optional<uint32_t> number = numberOf(wanted)) {
    std::vector<uint32_t> all = accelerators();
    return *number < all.size() ? all[*number] : None;
  }
  if (wanted != "host")
    return None;
  for (uint32_t i = 0; i < devices.size(); ++i)
    if (devices[i].memory != None && devices[i].memory == hostMemory())
      return i;
  return None;
}

uint32_t Machine::findMemory(const std::string &wanted) const {
  uint32_t named = findNamed(memories, wanted);
  if (named != None)
    return named;
  if (wanted == "host" || wanted == "params")
    return hostMemory();
  if (!numberOf(wanted))
    return None;
  uint32_t device = findDevice(wanted);
  return device == None ? None : devices[device].memory;
}

uint32_t Machine::findLink(uint32_t source, uint32_t destination) const {
  for (uint32_t i = 0; i < links.size(); ++i)
    if (links[i].source == source && links[i].destination == destination)
      return i;
  return None;
}

const KernelTime *Machine::findKernel(uint64_t hash) const {
  for (const KernelTime &kernel : kernels)
    if (kernel.hash == hash)
      return &kernel;
  return nullptr;
}

Link Machine::linkBetween(uint32_t source, uint32_t destination) const {
  if (uint32_t direct = findLink(source, destination); direct != None)
    return links[direct];
  Link link;
  const uint32_t host = hostMemory();
  if (source == destination) {
    // A copy reads and writes each byte.
    link.latency = 1e-6;
    for (const Device &device : devices)
      if (device.memory == source)
        link.bandwidth = device.byteRate(KernelClass::Copy) / 2;
  } else {
    const Link &up = links[findLink(source, host)];
    link = links[findLink(host, destination)];
    link.bandwidth = std::min(link.bandwidth, up.bandwidth);
    link.latency += up.latency;
    link.switches.insert(link.switches.end(), up.switches.begin(),
                         up.switches.end());
  }
  link.source = source;
  link.destination = destination;
  return link;
}

uint64_t machine::kernelHash(std::string_view signature,
                             std::string_view source, uint64_t gridSize) {
  // FNV-1a, with separators that no text contains.
  uint64_t hash = 0xcbf29ce484222325ULL;
  auto add = [&](unsigned char byte) {
    hash = (hash ^ byte) * 0x100000001b3ULL;
  };
  for (std::string_view text : {signature, source}) {
    for (char c : text)
      add(static_cast<unsigned char>(c));
    add(0xff);
  }
  for (unsigned i = 0; i < 8; ++i)
    add(static_cast<unsigned char>(gridSize >> (8 * i)));
  return hash;
}
