//===- Calibrate.cpp - A description of the machine at hand ---------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibrate.h"

#include "Probes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unistd.h>

using namespace turnip;
using namespace turnip::runtime;
using namespace turnip::tooling;
using machine::KernelClass;

namespace {
/// Sums over operations.
struct Work {
  double seconds = 0;
  double flops = 0;
  double bytes = 0;
};

/// What runs of a program showed.
struct ProgramFigures {
  /// Seconds of each kernel that was called, by its number.
  std::map<uint32_t, double> kernelSeconds;
  /// All launches of a run, with medians for times.
  Work launches;
  std::map<std::pair<KernelClass, ElementType>, Work> byClass;
  /// Copies to (0) and from (1) devices.
  Work copies[2];
  /// How many devices it has, the host aside.
  uint32_t devices = 0;
  /// Of what lies in their memories.
  uint64_t alignment = 64;
  /// Median time during which the devices computed.
  double busySeconds = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Smaller copies say more about latency than about bandwidth.
static constexpr uint64_t largeCopy = 256 << 10;

/// Adds what the last run of \p session shows of single operations.
static void addRun(const Session &session,
                   std::map<uint32_t, std::vector<double>> &kernels,
                   ProgramFigures &figures) {
  const RunRecord &record = session.record();
  for (const Command &command : session.graph().commands) {
    if (command.kind == Command::Kind::Join)
      continue;
    double seconds = static_cast<double>(record.ends[command.vertex] -
                                         record.starts[command.vertex]) *
                     1e-9;
    if (command.kind == Command::Kind::Launch) {
      kernels[command.kernel].push_back(seconds);
      continue;
    }
    const EngineDescription &engine = session.machine().engines[command.engine];
    if (engine.kind != EngineKind::Transfer || engine.device < 0 ||
        command.bytes < largeCopy)
      continue;
    Work &copies = figures.copies[engine.toDevice ? 0 : 1];
    copies.seconds += seconds;
    copies.bytes += static_cast<double>(command.bytes);
  }
}

static double busySecondsOf(const Session &session) {
  double busy = 0;
  for (const EngineSummary &engine : session.summary().engines)
    if (engine.kind == EngineKind::Compute)
      busy += engine.busySeconds;
  return busy;
}

static Expected<ProgramFigures>
measureProgram(const CalibrationRequest &request, unsigned lanes,
               machine::Machine &machine) {
  Expected<std::unique_ptr<Driver>> driver = request.createDriver(lanes);
  if (!driver)
    return driver.status();
  Expected<std::unique_ptr<Session>> session = request.open(std::move(*driver));
  if (!session)
    return session.status();
  ProgramFigures figures;
  std::map<uint32_t, std::vector<double>> kernels;
  std::vector<double> busy;
  for (unsigned i = 0; i <= request.runs; ++i) {
    TURNIP_RETURN_IF_ERROR((*session)->run());
    if (i == 0)
      continue;
    addRun(**session, kernels, figures);
    busy.push_back(busySecondsOf(**session));
  }
  figures.busySeconds = medianOf(busy);
  for (const EngineDescription &engine : (*session)->machine().engines)
    figures.devices += engine.kind == EngineKind::Compute && engine.device >= 0;
  for (const MemoryDescription &memory : (*session)->machine().memories)
    if (memory.kind == runtime::MemoryKind::Device)
      figures.alignment = std::max(figures.alignment, memory.alignment);
  for (auto &[kernel, seconds] : kernels)
    figures.kernelSeconds[kernel] = medianOf(seconds);
  for (const Command &command : (*session)->graph().commands) {
    if (command.kind != Command::Kind::Launch)
      continue;
    const KernelDescription &kernel =
        (*session)->machine().kernels[command.kernel];
    for (Work *work : {&figures.launches,
                       &figures.byClass[{kernel.kernelClass, kernel.type}]}) {
      work->seconds += figures.kernelSeconds[command.kernel];
      work->flops += command.flops;
      work->bytes += static_cast<double>(command.bytes);
    }
  }
  const artifact::Module &module = (*session)->program().module();
  machine.kernels.clear();
  for (auto [kernel, seconds] : figures.kernelSeconds)
    machine.kernels.push_back({module.kernels[kernel].name,
                               (*session)->machine().kernels[kernel].hash,
                               seconds});
  return figures;
}

//===----------------------------------------------------------------------===//
// The description
//===----------------------------------------------------------------------===//

static uint64_t bytesOfRam() {
  long pages = sysconf(_SC_PHYS_PAGES);
  long pageSize = sysconf(_SC_PAGESIZE);
  return pages > 0 && pageSize > 0
             ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(pageSize)
             : uint64_t(1) << 30;
}

/// A device of the host driver, as probes show it.
static machine::Device describeDevice(const ProbeFigures &probes,
                                      unsigned lanes) {
  machine::Device device;
  device.launchOverhead = probes.launchOverhead;
  device.lanes = lanes;
  // One launch waits beside those that run, but only if it could run.
  device.queue = 1;
  device.waits = false;
  device.sharedLaunches = true;
  device.interference = std::min(probes.interference, 1.0);
  device.memoryBandwidth = probes.bandwidth.at(KernelClass::Elementwise);
  for (auto [kernelClass, bandwidth] : probes.bandwidth)
    device.classes[kernelClass].bandwidth = bandwidth;
  for (KernelClass kernelClass : {KernelClass::Contraction, KernelClass::Other})
    device.classes[kernelClass].flops[ElementType::F32] =
        probes.contractionFlops;
  return device;
}

/// A link of the host driver: one copy waits beside the one under way.
static void addLink(machine::Machine &machine, uint32_t source,
                    uint32_t destination, double bandwidth, double latency) {
  machine::Link link;
  link.source = source;
  link.destination = destination;
  link.bandwidth = std::max(bandwidth, 1.0);
  link.latency = latency;
  link.queue = 1;
  machine.links.push_back(link);
}

/// Describes the host and \p devices devices, which are like \p device and
/// have memories like \p memory.
static void describeMachine(const ProbeFigures &probes, machine::Device host,
                            machine::Device device,
                            const machine::Memory &memory, uint32_t devices,
                            machine::Machine &machine) {
  machine.memories.push_back(
      {"host", machine::MemoryKind::Host, bytesOfRam(), 64});
  host.name = "host";
  host.memory = 0;
  machine.devices.push_back(std::move(host));
  for (uint32_t i = 0; i < devices; ++i) {
    device.name = "dev" + std::to_string(i);
    device.memory = i + 1;
    machine.devices.push_back(device);
    machine.memories.push_back(memory);
    machine.memories.back().name = device.name;
  }
  for (uint32_t i = 1; i <= devices; ++i) {
    addLink(machine, 0, i, probes.copyBandwidth[0], probes.copyLatency[0]);
    addLink(machine, i, 0, probes.copyBandwidth[1], probes.copyLatency[1]);
    for (uint32_t j = 1; j <= devices; ++j)
      if (i != j)
        addLink(machine, i, j, probes.copyBandwidth[1], probes.copyLatency[1]);
  }
}

/// Replaces what probes say of classes and links by what the program showed.
/// With \p onlyDevices, the host is another kind of machine.
static void improve(const ProgramFigures &figures, bool onlyDevices,
                    machine::Machine &machine) {
  for (machine::Device &device : machine.devices)
    for (const auto &[kind, work] : figures.byClass) {
      if (onlyDevices && device.memory == 0)
        continue;
      if (work.seconds <= 0)
        continue;
      machine::ClassRates &rates = device.classes[kind.first];
      const bool counts = kind.first == KernelClass::Contraction;
      if (counts && work.flops > 0)
        rates.flops[kind.second] = std::max(1.0, work.flops / work.seconds);
      else if (!counts && kind.first != KernelClass::Other && work.bytes > 0)
        rates.bandwidth = std::max(1.0, work.bytes / work.seconds);
    }
  for (machine::Link &link : machine.links) {
    bool fromHost =
        machine.memories[link.source].kind == machine::MemoryKind::Host;
    const Work &copies = figures.copies[fromHost ? 0 : 1];
    if (copies.seconds > 0)
      link.bandwidth = std::max(1.0, copies.bytes / copies.seconds);
  }
}

/// How much longer launches take on one of \p lanes lanes that all work than
/// on one that works alone.
static double laneFactor(const ProgramFigures &alone,
                         const ProgramFigures &together, unsigned lanes,
                         double interference) {
  if (alone.launches.seconds <= 0)
    return 1;
  double copied = 0;
  for (const Work &copies : together.copies)
    copied += copies.bytes;
  double computing = together.busySeconds - interference * copied;
  return std::clamp(computing * lanes / alone.launches.seconds, 1.0,
                    static_cast<double>(lanes));
}

/// A machine of which nothing but its name is known yet.
static machine::Machine nameMachine(const std::string &what) {
  machine::Machine machine;
  machine.name = "calibrated";
  machine.description = what + ", on the machine at hand";
  machine.sources = {"Measured by turnip-run --calibrate"};
  return machine;
}

static Expected<machine::Machine>
calibrateHost(const CalibrationRequest &request, unsigned lanes) {
  machine::Machine machine = nameMachine(
      "The host driver with " + std::to_string(lanes) + " lanes per device");
  ProgramFigures alone;
  ProgramFigures together;
  // A program that does not run is found out about before anything else.
  if (request.open) {
    Expected<ProgramFigures> figures = measureProgram(request, 1, machine);
    if (!figures)
      return figures.status();
    alone = *figures;
  }
  if (request.open && lanes > 1) {
    machine::Machine unused;
    Expected<ProgramFigures> figures = measureProgram(request, lanes, unused);
    if (!figures)
      return figures.status();
    together = *figures;
    for (Work &copies : together.copies)
      copies.bytes /= request.runs;
  }
  Expected<ProbeFigures> probes = probeHost(request.host);
  if (!probes)
    return probes.status();
  const uint32_t devices = std::max(alone.devices, 1U);
  const machine::Device device = describeDevice(*probes, lanes);
  describeMachine(*probes, device, device,
                  {"", machine::MemoryKind::Device,
                   std::max<uint64_t>(1, bytesOfRam() / 2 / devices),
                   alone.alignment},
                  devices, machine);
  improve(alone, /*onlyDevices=*/false, machine);
  if (lanes > 1) {
    double factor = laneFactor(alone, together, lanes, probes->interference);
    for (machine::KernelTime &kernel : machine.kernels)
      kernel.seconds *= factor;
  }
  return machine;
}

//===----------------------------------------------------------------------===//
// Drivers that launch objects
//===----------------------------------------------------------------------===//

/// A device of a driver that launches objects, as a program shows it.
static machine::Device describeAccelerator(const ProgramFigures &figures) {
  machine::Device device;
  device.queue = 3;
  device.waits = true;
  device.launchOverhead = std::numeric_limits<double>::infinity();
  for (auto [kernel, seconds] : figures.kernelSeconds)
    device.launchOverhead = std::min(device.launchOverhead, seconds);
  double flops = 1;
  for (const auto &[kind, work] : figures.byClass) {
    if (work.seconds <= 0)
      continue;
    device.memoryBandwidth =
        std::max(device.memoryBandwidth, work.bytes / work.seconds);
    if (kind.second == ElementType::F32 || flops == 1)
      flops = std::max(flops, work.flops / work.seconds);
  }
  device.memoryBandwidth = std::max(device.memoryBandwidth, 1.0);
  device.classes[KernelClass::Other].flops[ElementType::F32] = flops;
  return device;
}

static Expected<machine::Machine>
calibrateAccelerator(const CalibrationRequest &request) {
  if (!request.open)
    return Status::error(StatusCode::InvalidArgument,
                         "--calibrate on " + request.device +
                             " times the kernels of a program: name an "
                             "artifact");
  machine::Machine machine = nameMachine("The device " + request.device);
  // One lane, so that kernels do not take time from each other.
  Expected<ProgramFigures> figures = measureProgram(request, 1, machine);
  if (!figures)
    return figures.status();
  if (figures->kernelSeconds.empty())
    return Status::error(StatusCode::InvalidArgument,
                         "the program calls no kernel on " + request.device);
  Expected<ProbeFigures> host = probeHost(request.host);
  if (!host)
    return host.status();
  Expected<std::unique_ptr<Driver>> driver = request.createDriver(1);
  if (!driver)
    return driver.status();
  const uint64_t free = (*driver)->freeMemory("dev0").value_or(1);
  ProbeFigures copies;
  TURNIP_RETURN_IF_ERROR(probeCopies(std::move(*driver), copies));
  const machine::Device processors =
      describeDevice(*host, createHostDriver(request.host)->properties().lanes);
  describeMachine(copies, processors, describeAccelerator(*figures),
                  {"", machine::MemoryKind::Device, std::max<uint64_t>(free, 1),
                   figures->alignment},
                  figures->devices, machine);
  improve(*figures, /*onlyDevices=*/true, machine);
  return machine;
}

Expected<machine::Machine>
tooling::calibrate(const CalibrationRequest &request) {
  Expected<std::unique_ptr<Driver>> driver = request.createDriver(0);
  if (!driver)
    return driver.status();
  const DriverProperties properties = (*driver)->properties();
  driver->reset();
  return properties.launchesObjects ? calibrateAccelerator(request)
                                    : calibrateHost(request, properties.lanes);
}
