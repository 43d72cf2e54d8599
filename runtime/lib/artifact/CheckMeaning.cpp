//===- CheckMeaning.cpp - Machine, kernels and what is left of a module ---===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "turnip/artifact/Artifact.h"

#include <algorithm>
#include <set>
#include <tuple>

using namespace turnip;
using namespace turnip::artifact;

static Status checkMemory(const Path &path, const Memory &memory) {
  TURNIP_RETURN_IF_ERROR(checkEnum(
      Path(path, "kind"), static_cast<unsigned>(memory.kind), numMemoryKinds));
  if (memory.alignment < 64 || memory.alignment > (uint64_t(1) << 30) ||
      (memory.alignment & (memory.alignment - 1)) != 0)
    return mismatchAt(Path(path, "alignment"), "a power of two from 64 to 2^30",
                      std::to_string(memory.alignment));
  if (memory.capacity > static_cast<uint64_t>(INT64_MAX))
    return mismatchAt(Path(path, "capacity"), "at most 2^63 - 1",
                      std::to_string(memory.capacity));
  if (memory.kind == MemoryKind::Parameters && memory.writable)
    return badAt(Path(path, "writable"), "a memory of kind parameters is not");
  return Status::ok();
}

static Status checkMemoryKind(const Path &path, const Machine &machine,
                              uint32_t index, MemoryKind expected) {
  TURNIP_RETURN_IF_ERROR(checkIndex(path, index, machine.memories.size()));
  MemoryKind kind = machine.memories[index].kind;
  if (kind == expected)
    return Status::ok();
  return mismatchAt(path, std::string("a memory of kind ") + toString(expected),
                    std::string("one of kind ") + toString(kind));
}

static Status checkDevice(const Path &path, const Machine &machine,
                          const Device &device) {
  TURNIP_RETURN_IF_ERROR(checkEnum(
      Path(path, "kind"), static_cast<unsigned>(device.kind), numDeviceKinds));
  MemoryKind kind =
      device.kind == DeviceKind::Host ? MemoryKind::Host : MemoryKind::Device;
  TURNIP_RETURN_IF_ERROR(
      checkMemoryKind(Path(path, "memory"), machine, device.memory, kind));
  if (device.kind == DeviceKind::Accelerator)
    return checkMemoryKind(Path(path, "backing"), machine, device.backing,
                           MemoryKind::Host);
  if (device.backing != none)
    return mismatchAt(Path(path, "backing"), "none for a host device",
                      std::to_string(device.backing));
  return Status::ok();
}

static Status checkLink(const Path &path, const Machine &machine,
                        const Link &link) {
  size_t memories = machine.memories.size();
  TURNIP_RETURN_IF_ERROR(
      checkIndex(Path(path, "source"), link.source, memories));
  TURNIP_RETURN_IF_ERROR(
      checkIndex(Path(path, "destination"), link.destination, memories));
  TURNIP_RETURN_IF_ERROR(
      checkIndex(Path(path, "channel"), link.channel, machine.links.size()));
  TURNIP_RETURN_IF_ERROR(
      checkMeasure(Path(path, "bytes_per_second"), link.bytesPerSecond));
  return checkMeasure(Path(path, "latency"), link.latency);
}

Status artifact::checkMachine(const Path &path, const Machine &machine) {
  Path memories(path, "memories"), devices(path, "devices"),
      links(path, "links");
  for (auto [list, size] : {std::make_pair(&memories, machine.memories.size()),
                            std::make_pair(&devices, machine.devices.size()),
                            std::make_pair(&links, machine.links.size())})
    if (size > UINT16_MAX)
      return mismatchAt(*list, "at most 65535 elements", std::to_string(size));
  TURNIP_RETURN_IF_ERROR(checkNames(memories, namesOf(machine.memories)));
  TURNIP_RETURN_IF_ERROR(checkNames(devices, namesOf(machine.devices)));
  for (size_t i = 0; i < machine.memories.size(); ++i)
    TURNIP_RETURN_IF_ERROR(checkMemory(Path(memories, i), machine.memories[i]));
  for (size_t i = 0; i < machine.devices.size(); ++i)
    TURNIP_RETURN_IF_ERROR(
        checkDevice(Path(devices, i), machine, machine.devices[i]));
  for (size_t i = 0; i < machine.links.size(); ++i)
    TURNIP_RETURN_IF_ERROR(
        checkLink(Path(links, i), machine, machine.links[i]));
  return Status::ok();
}

static Status checkObject(const Path &path, const Kernel &kernel,
                          const KernelObject &object) {
  struct {
    const char *field;
    const std::string &text;
    bool mayBeEmpty;
  } texts[] = {{"triple", object.triple, false},
               {"format", object.format, false},
               {"symbol", object.symbol, !object.launches.empty()},
               {"code", object.code, !object.launches.empty()}};
  for (const auto &[field, text, mayBeEmpty] : texts)
    if (text.empty() && !mayBeEmpty)
      return badAt(Path(path, field), "is empty");
  if (object.symbol.find('\0') != std::string::npos)
    return badAt(Path(path, "symbol"), "contains a zero byte");
  const std::vector<std::string> &features = object.features;
  for (size_t i = 1; i < features.size(); ++i)
    if (features[i] <= features[i - 1])
      return badAt(Path(Path(path, "features"), i),
                   "expected a feature after '" + features[i - 1] +
                       "' in sorted order, but got '" + features[i] + "'");
  if (object.workspaceBytes > kernel.workspaceBytes)
    return mismatchAt(Path(path, "workspace_bytes"),
                      "at most " + std::to_string(kernel.workspaceBytes) +
                          ", the kernel's",
                      std::to_string(object.workspaceBytes));
  return checkLaunches(Path(path, "launches"), kernel, object);
}

static Status checkInPlace(const Path &path, const Kernel &kernel) {
  std::set<std::pair<uint32_t, uint32_t>> seen;
  for (size_t i = 0; i < kernel.inPlace.size(); ++i) {
    const InPlacePair &pair = kernel.inPlace[i];
    Path here(path, i);
    TURNIP_RETURN_IF_ERROR(checkIndex(Path(here, "operand"), pair.operand,
                                      kernel.operandBytes.size()));
    TURNIP_RETURN_IF_ERROR(checkIndex(Path(here, "result"), pair.result,
                                      kernel.resultBytes.size()));
    uint64_t operand = kernel.operandBytes[pair.operand];
    uint64_t result = kernel.resultBytes[pair.result];
    if (operand != result)
      return badAt(here, "the operand has " + std::to_string(operand) +
                             " bytes, but the result has " +
                             std::to_string(result));
    if (!seen.emplace(pair.operand, pair.result).second)
      return badAt(here, "occurs twice");
  }
  return Status::ok();
}

Status artifact::checkKernel(const Path &path, const Kernel &kernel) {
  for (auto [field, list] :
       {std::make_pair("operand_bytes", &kernel.operandBytes),
        std::make_pair("result_bytes", &kernel.resultBytes)})
    for (size_t i = 0; i < list->size(); ++i)
      if ((*list)[i] == 0 || (*list)[i] > static_cast<uint64_t>(INT64_MAX))
        return mismatchAt(Path(Path(path, field), i), "1 to 2^63 - 1",
                          std::to_string((*list)[i]));
  if (kernel.gridSize == 0 ||
      kernel.gridSize > static_cast<uint64_t>(INT64_MAX))
    return mismatchAt(Path(path, "grid_size"), "1 to 2^63 - 1",
                      std::to_string(kernel.gridSize));
  TURNIP_RETURN_IF_ERROR(checkMeasure(Path(path, "seconds"), kernel.seconds));
  TURNIP_RETURN_IF_ERROR(checkEnum(Path(path, "kernel_class"),
                                   static_cast<unsigned>(kernel.kernelClass),
                                   machine::numKernelClasses));
  TURNIP_RETURN_IF_ERROR(checkEnum(
      Path(path, "type"), static_cast<unsigned>(kernel.type), numElementTypes));
  TURNIP_RETURN_IF_ERROR(checkInPlace(Path(path, "in_place"), kernel));
  Path objects(path, "objects");
  std::set<std::tuple<std::string, std::vector<std::string>, std::string>>
      targets;
  for (size_t i = 0; i < kernel.objects.size(); ++i) {
    const KernelObject &object = kernel.objects[i];
    TURNIP_RETURN_IF_ERROR(checkObject(Path(objects, i), kernel, object));
    if (!targets.emplace(object.triple, object.features, object.format).second)
      return badAt(
          Path(objects, i),
          "is another object for the same triple, features and format");
  }
  return Status::ok();
}

static Status checkArguments(const Path &path, const Entry &entry) {
  TURNIP_RETURN_IF_ERROR(checkNames(path, namesOf(entry.arguments)));
  for (size_t i = 0; i < entry.arguments.size(); ++i)
    if (entry.arguments[i].minimum > entry.arguments[i].maximum)
      return badAt(Path(path, i),
                   "the minimum " + std::to_string(entry.arguments[i].minimum) +
                       " exceeds the maximum " +
                       std::to_string(entry.arguments[i].maximum));
  return Status::ok();
}

static Status checkPeaks(const Path &path, const Module &module,
                         const Entry &entry) {
  const std::vector<uint64_t> &peaks = entry.statistics.peakBytes;
  if (peaks.empty())
    return Status::ok();
  std::vector<uint64_t> touched = touchedBytes(module, entry);
  for (size_t i = 0; i < peaks.size(); ++i) {
    const Memory &memory = module.machine.memories[i];
    if (peaks[i] < touched[i] || peaks[i] > memory.capacity)
      return mismatchAt(Path(path, i),
                        "from " + std::to_string(touched[i]) +
                            ", the bytes touched, to " +
                            std::to_string(memory.capacity) +
                            ", the capacity of " + memory.name,
                        std::to_string(peaks[i]));
  }
  return Status::ok();
}

static Status checkLinkBytes(const Path &path, const Entry &entry) {
  const std::vector<uint64_t> &claimed = entry.statistics.linkBytes;
  if (claimed.empty())
    return Status::ok();
  std::vector<uint64_t> moved(claimed.size(), 0);
  for (const Vertex &vertex : entry.vertices)
    if (vertex.kind == VertexKind::Copy && vertex.engine != noEngine)
      moved[vertex.engine] += entry.accessesOf(vertex)[0].bytes;
  for (size_t i = 0; i < claimed.size(); ++i)
    if (claimed[i] != moved[i])
      return mismatchAt(Path(path, i),
                        std::to_string(moved[i]) +
                            ", the bytes of the copies over the link",
                        std::to_string(claimed[i]));
  return Status::ok();
}

Status artifact::checkStatistics(const Path &path, const Module &module,
                                 const Entry &entry) {
  const Statistics &statistics = entry.statistics;
  const Machine &machine = module.machine;
  std::tuple<const char *, size_t, size_t> sizes[] = {
      {"peak_bytes", statistics.peakBytes.size(), machine.memories.size()},
      {"link_bytes", statistics.linkBytes.size(), machine.links.size()},
      {"smallest_caps", statistics.smallestCaps.size(),
       machine.devices.size()}};
  for (auto [field, size, expected] : sizes)
    if (size != 0 && size != expected)
      return mismatchAt(Path(path, field),
                        "0 or " + std::to_string(expected) + " elements",
                        std::to_string(size));
  std::pair<const char *, double> measures[] = {
      {"compute_bound", statistics.computeBound},
      {"transfer_bound", statistics.transferBound},
      {"critical_path", statistics.criticalPath},
      {"makespan_bound", statistics.makespanBound},
      {"predicted_makespan", statistics.predictedMakespan}};
  for (auto [field, value] : measures)
    TURNIP_RETURN_IF_ERROR(checkMeasure(Path(path, field), value));
  Path caps(path, "smallest_caps");
  for (size_t i = 0; i < statistics.smallestCaps.size(); ++i)
    TURNIP_RETURN_IF_ERROR(checkOptionalIndex(Path(Path(caps, i), "task"),
                                              statistics.smallestCaps[i].task,
                                              entry.tasks.size()));
  TURNIP_RETURN_IF_ERROR(checkPeaks(Path(path, "peak_bytes"), module, entry));
  return checkLinkBytes(Path(path, "link_bytes"), entry);
}

Status artifact::checkMeaning(const Module &module) {
  TURNIP_RETURN_IF_ERROR(checkMachine(Path("machine"), module.machine));
  Path kernels("kernels"), entries("entries");
  TURNIP_RETURN_IF_ERROR(checkNames(kernels, namesOf(module.kernels)));
  for (size_t i = 0; i < module.kernels.size(); ++i)
    TURNIP_RETURN_IF_ERROR(checkKernel(Path(kernels, i), module.kernels[i]));
  TURNIP_RETURN_IF_ERROR(checkNames(entries, namesOf(module.entries)));
  for (size_t i = 0; i < module.entries.size(); ++i) {
    const Entry &entry = module.entries[i];
    Path here(entries, i);
    TURNIP_RETURN_IF_ERROR(checkArguments(Path(here, "arguments"), entry));
    TURNIP_RETURN_IF_ERROR(checkGraph(here, module, entry));
    TURNIP_RETURN_IF_ERROR(checkBindings(here, module, entry));
    TURNIP_RETURN_IF_ERROR(
        checkStatistics(Path(here, "statistics"), module, entry));
    if (entry.taskGraph)
      TURNIP_RETURN_IF_ERROR(
          checkTaskGraph(Path(here, "task_graph"), module, entry));
    TURNIP_RETURN_IF_ERROR(checkRepeats(here, entry));
  }
  return Status::ok();
}

Expected<const Entry *> artifact::findEntry(const Module &module,
                                            const std::string &name) {
  if (name.empty() && module.entries.size() == 1)
    return &module.entries.front();
  const std::string wanted = name.empty() ? "main" : name;
  std::string known;
  for (const Entry &entry : module.entries) {
    if (entry.name == wanted)
      return &entry;
    known += (known.empty() ? "" : ", ") + entry.name;
  }
  return Status::error(StatusCode::InvalidArgument,
                       "no entry '" + wanted + "'; there are: " + known);
}
