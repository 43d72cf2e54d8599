//===- Probes.cpp - How fast this machine is ------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Probes.h"

#include "turnip/runtime/Executor.h"

#include <algorithm>
#include <cmath>

using namespace turnip;
using namespace turnip::runtime;
using namespace turnip::tooling;
using machine::KernelClass;

double tooling::medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Floats in each of the three buffers that probe kernels work through; few
/// caches hold them all.
static constexpr int64_t probeFloats = int64_t(1) << 22;
static constexpr int64_t contractionSteps = 4000;
/// Independent sums that a contraction keeps going.
static constexpr int64_t contractionSums = 64;

static void doNothing(void *const *, const int64_t *, int64_t) {}

/// Multiplies and adds as fast as vector units go, without memory.
static void contract(void *const *buffers, const int64_t *, int64_t point) {
  auto *sums =
      static_cast<float *>(buffers[2]) + (point % 1024) * contractionSums;
  float local[contractionSums];
  std::copy(sums, sums + contractionSums, local);
  const float factor = sums[0] * 0 + 0.5F;
  for (int64_t step = 0; step < contractionSteps; ++step)
    for (float &sum : local)
      sum = sum * factor + 1;
  std::copy(local, local + contractionSums, sums);
}

static void addElements(void *const *buffers, const int64_t *, int64_t) {
  const auto *a = static_cast<const float *>(buffers[0]);
  const auto *b = static_cast<const float *>(buffers[1]);
  auto *result = static_cast<float *>(buffers[2]);
  for (int64_t i = 0; i < probeFloats; ++i)
    result[i] = a[i] + b[i];
}

static void sumElements(void *const *buffers, const int64_t *, int64_t) {
  const auto *a = static_cast<const float *>(buffers[0]);
  float sums[contractionSums] = {};
  for (int64_t i = 0; i < probeFloats; i += contractionSums)
    for (int64_t j = 0; j < contractionSums; ++j)
      sums[j] += a[i + j];
  std::copy(sums, sums + contractionSums, static_cast<float *>(buffers[2]));
}

/// Elements that are looked up in a whole buffer.
static constexpr int64_t gatherFloats = probeFloats / 8;

static void gatherElements(void *const *buffers, const int64_t *, int64_t) {
  const auto *a = static_cast<const float *>(buffers[0]);
  auto *result = static_cast<float *>(buffers[2]);
  uint64_t state = 1;
  for (int64_t i = 0; i < gatherFloats; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    result[i] = a[(state >> 33) % probeFloats];
  }
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

namespace {
/// A driver with one device, and graphs to run on it.
class Probe {
public:
  Status open(std::unique_ptr<Driver> unopened);

  void clear();
  uint32_t addLaunch(KernelFunction function, uint16_t engine = 0,
                     int64_t grid = 1);
  uint32_t addCopy(bool toDevice, uint64_t bytes);
  /// Runs what was added, the operations of each engine one after the other.
  Status run();
  double seconds() const {
    return static_cast<double>(record.end - record.begin) * 1e-9;
  }
  /// Median seconds of the first \p count operations.
  double medianSeconds(size_t count) const;
  /// From the start of the first of [\p first, \p last) to the end of the last.
  double span(size_t first, size_t last) const {
    return static_cast<double>(record.ends[last - 1] - record.starts[first]) *
           1e-9;
  }

private:
  static constexpr uint64_t memoryBytes = uint64_t(112) << 20;

  std::unique_ptr<Driver> driver;
  std::vector<void *> buffers;
  std::vector<Command> commands;
  /// Where the next copy of each direction reads and writes.
  uint64_t cursor = 0;
  RunRecord record;
};
} // namespace

Status Probe::open(std::unique_ptr<Driver> unopened) {
  MachineDescription machine;
  machine.memories = {{"dev0", MemoryKind::Device, memoryBytes},
                      {"host", MemoryKind::Host, memoryBytes}};
  machine.memories[0].device = 0;
  EngineDescription compute;
  compute.name = "dev0";
  compute.device = 0;
  EngineDescription in{"host->dev0", EngineKind::Transfer, 0, true};
  EngineDescription out{"dev0->host", EngineKind::Transfer, 0, false};
  machine.engines = {compute, in, out};
  driver = std::move(unopened);
  TURNIP_RETURN_IF_ERROR(driver->open(machine));
  auto *first = static_cast<char *>(driver->base(0));
  for (uint64_t i = 0; i < 3; ++i)
    buffers.push_back(first + i * probeFloats * sizeof(float));
  return Status::ok();
}

void Probe::clear() { commands.clear(); }

uint32_t Probe::addLaunch(KernelFunction function, uint16_t engine,
                          int64_t grid) {
  Command command;
  command.vertex = static_cast<uint32_t>(commands.size());
  command.engine = engine;
  command.function = function;
  command.buffers = buffers.data();
  command.grid = grid;
  commands.push_back(command);
  return command.vertex;
}

uint32_t Probe::addCopy(bool toDevice, uint64_t bytes) {
  // Beyond what the kernels work on.
  constexpr uint64_t reserved = 3 * probeFloats * sizeof(float);
  if (cursor + bytes > memoryBytes - reserved)
    cursor = 0;
  auto *device = static_cast<char *>(driver->base(0)) + reserved + cursor;
  auto *host = static_cast<char *>(driver->base(1)) + reserved + cursor;
  cursor += bytes;
  Command command;
  command.kind = Command::Kind::Copy;
  command.vertex = static_cast<uint32_t>(commands.size());
  command.engine = toDevice ? 1 : 2;
  command.source = toDevice ? host : device;
  command.target = toDevice ? device : host;
  command.bytes = bytes;
  commands.push_back(command);
  return command.vertex;
}

Status Probe::run() {
  ExecutableGraph graph;
  graph.commands = commands;
  graph.costs.assign(commands.size(), 1);
  graph.numEngines = 3;
  std::vector<uint32_t> next(commands.size(), UINT32_MAX);
  std::vector<uint32_t> last(graph.numEngines, UINT32_MAX);
  for (const Command &command : commands) {
    uint32_t &before = last[command.engine];
    // Copies queue up, launches wait for each other.
    if (before != UINT32_MAX && command.engine == 0)
      next[before] = command.vertex;
    before = command.vertex;
  }
  for (uint32_t successor : next) {
    graph.successorBegin.push_back(
        static_cast<uint32_t>(graph.successors.size()));
    if (successor != UINT32_MAX)
      graph.successors.push_back(successor);
  }
  graph.successorBegin.push_back(
      static_cast<uint32_t>(graph.successors.size()));
  Executor executor(graph, *driver);
  RunOutcome outcome = executor.run();
  record = executor.record();
  return outcome.status;
}

double Probe::medianSeconds(size_t count) const {
  std::vector<double> seconds;
  seconds.reserve(count);
  for (size_t i = 0; i < count; ++i)
    seconds.push_back(static_cast<double>(record.ends[i] - record.starts[i]) *
                      1e-9);
  return medianOf(seconds);
}

//===----------------------------------------------------------------------===//
// Figures
//===----------------------------------------------------------------------===//

/// Runs \p fill's graph \p rounds times; the median of \p figure.
template <typename Fill, typename Figure>
static Expected<double> repeat(Probe &probe, unsigned rounds, const Fill &fill,
                               const Figure &figure) {
  std::vector<double> values;
  values.reserve(rounds);
  for (unsigned i = 0; i < rounds; ++i) {
    probe.clear();
    fill();
    TURNIP_RETURN_IF_ERROR(probe.run());
    values.push_back(figure());
  }
  return medianOf(values);
}

static Status probeLaunches(Probe &probe, ProbeFigures &figures) {
  constexpr unsigned count = 1000;
  Expected<double> seconds = repeat(
      probe, 9,
      [&] {
        for (unsigned i = 0; i < count; ++i)
          probe.addLaunch(doNothing);
      },
      [&] { return probe.seconds() / count; });
  if (!seconds)
    return seconds.status();
  figures.launchOverhead = *seconds;
  return Status::ok();
}

/// A line through the times of small and of large copies.
static Status measureCopies(Probe &probe, ProbeFigures &figures) {
  constexpr unsigned count = 24;
  constexpr uint64_t sizes[2] = {4 << 10, 2 << 20};
  for (unsigned direction = 0; direction < 2; ++direction) {
    double seconds[2];
    for (unsigned i = 0; i < 2; ++i) {
      Expected<double> measured = repeat(
          probe, 9,
          [&] {
            for (unsigned copy = 0; copy < count; ++copy)
              probe.addCopy(direction == 0, sizes[i]);
          },
          [&] { return probe.span(0, count) / count; });
      if (!measured)
        return measured.status();
      seconds[i] = std::max(*measured, 1e-9);
    }
    double slope = std::max(seconds[1] - seconds[0], 1e-9);
    figures.copyBandwidth[direction] =
        static_cast<double>(sizes[1] - sizes[0]) / slope;
    figures.copyLatency[direction] =
        std::max(0.0, seconds[0] - static_cast<double>(sizes[0]) /
                                       figures.copyBandwidth[direction]);
  }
  return Status::ok();
}

static Status probeKernels(Probe &probe, ProbeFigures &figures) {
  constexpr unsigned count = 3;
  auto time = [&](KernelFunction function) {
    return repeat(
        probe, 3,
        [&] {
          for (unsigned i = 0; i < count; ++i)
            probe.addLaunch(function);
        },
        [&] { return std::max(probe.medianSeconds(count), 1e-9); });
  };
  Expected<double> contraction = time(contract);
  if (!contraction)
    return contraction.status();
  figures.contractionFlops =
      2.0 * contractionSteps * contractionSums / *contraction;
  struct {
    KernelClass kernelClass;
    KernelFunction function;
    /// Bytes read and written.
    double bytes;
  } kernels[] = {{KernelClass::Elementwise, addElements, 12.0 * probeFloats},
                 {KernelClass::Reduction, sumElements, 4.0 * probeFloats},
                 {KernelClass::Gather, gatherElements, 8.0 * gatherFloats}};
  for (const auto &kernel : kernels) {
    Expected<double> seconds = time(kernel.function);
    if (!seconds)
      return seconds.status();
    figures.bandwidth[kernel.kernelClass] = kernel.bytes / *seconds;
  }
  figures.bandwidth[KernelClass::Copy] = 2 * figures.copyBandwidth[0];
  return Status::ok();
}

/// Computes on all lanes, alone and beside copies.
static Status probeInterference(Probe &probe, ProbeFigures &figures) {
  constexpr unsigned launches = 40;
  constexpr int64_t grid = 16;
  constexpr uint64_t bytes = 2 << 20;
  auto launchAll = [&] {
    for (unsigned i = 0; i < launches; ++i)
      probe.addLaunch(contract, 0, grid);
  };
  Expected<double> alone =
      repeat(probe, 5, launchAll, [&] { return probe.span(0, launches); });
  if (!alone)
    return alone.status();
  // As many copies as keep a link busy half the time.
  auto copies = static_cast<unsigned>(std::clamp(
      *alone / 2 * figures.copyBandwidth[0] / static_cast<double>(bytes), 1.0,
      10000.0));
  Expected<double> beside = repeat(
      probe, 5,
      [&] {
        launchAll();
        for (unsigned i = 0; i < copies; ++i)
          probe.addCopy(true, bytes);
      },
      [&] { return probe.span(0, launches); });
  if (!beside)
    return beside.status();
  figures.interference =
      std::max(0.0, *beside - *alone) / (static_cast<double>(copies) * bytes);
  return Status::ok();
}

Expected<ProbeFigures> tooling::probeHost(const HostOptions &options) {
  Probe probe;
  ProbeFigures figures;
  TURNIP_RETURN_IF_ERROR(probe.open(createHostDriver(options)));
  TURNIP_RETURN_IF_ERROR(probeLaunches(probe, figures));
  TURNIP_RETURN_IF_ERROR(measureCopies(probe, figures));
  TURNIP_RETURN_IF_ERROR(probeKernels(probe, figures));
  TURNIP_RETURN_IF_ERROR(probeInterference(probe, figures));
  return figures;
}

Status tooling::probeCopies(std::unique_ptr<Driver> driver,
                            ProbeFigures &figures) {
  Probe probe;
  TURNIP_RETURN_IF_ERROR(probe.open(std::move(driver)));
  return measureCopies(probe, figures);
}
