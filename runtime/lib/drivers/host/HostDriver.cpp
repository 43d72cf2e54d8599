//===- HostDriver.cpp - Devices made of processors ------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arena.h"
#include "ComputeEngine.h"
#include "FaultTrap.h"
#include "TransferEngine.h"
#include "turnip/runtime/Clock.h"
#include "turnip/runtime/Drivers.h"

#include <optional>
#include <sched.h>

using namespace turnip;
using namespace turnip::runtime;

/// The processors that this process may use; at least one.
static std::vector<int> usableProcessors() {
  std::vector<int> processors;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(static_cast<size_t>(i), &set))
        processors.push_back(i);
  if (processors.empty())
    processors.push_back(0);
  return processors;
}

namespace {
class HostDriver final : public Driver {
public:
  explicit HostDriver(const HostOptions &options);

  const DriverProperties &properties() const override { return props; }
  std::optional<uint64_t>
  freeMemory(const std::string & /*name*/) const override {
    return availableHostBytes();
  }
  Status open(const MachineDescription &machine) override;
  void *base(uint32_t memory) const override { return arenas[memory].base(); }
  Status protect(uint32_t memory, bool writable) override {
    return arenas[memory].protect(writable);
  }
  int64_t now() const override { return monotonicNanoseconds(); }
  uint32_t queueDepth(uint32_t engine) const override;
  Status start(EventSink &sink) override;
  void submit(const Command *const *commands, size_t count) override;
  void hurry() override { setHurry(true); }
  void finish() override { setSinks(nullptr); }

private:
  /// Exactly one of the two.
  struct Engine {
    std::unique_ptr<ComputeEngine> compute;
    std::unique_ptr<TransferEngine> transfer;
  };

  void setSinks(EventSink *sink);
  void setHurry(bool hurry);

  const HostOptions options;
  DriverProperties props;
  /// Where lanes stay; empty where they may wander.
  std::vector<int> processors;
  std::optional<FaultTrap> trap;
  std::vector<Arena> arenas;
  std::vector<Engine> engines;
};
} // namespace

HostDriver::HostDriver(const HostOptions &options) : options(options) {
  props.name = "host";
  props.hostArenas = true;
  props.movesData = true;
  props.threaded = true;
  processors = usableProcessors();
  props.lanes =
      options.lanes ? options.lanes : static_cast<unsigned>(processors.size());
  // With fewer lanes than processors, which ones are free is for the system to
  // find out.
  if (props.lanes < processors.size())
    processors.clear();
  if (options.trapFaults)
    trap.emplace();
}

Status HostDriver::open(const MachineDescription &machine) {
  TURNIP_RETURN_IF_ERROR(checkAvailable(machine.memories));
  for (const MemoryDescription &memory : machine.memories) {
    // Parameters are written once, when they are bound; that is early enough.
    bool prefault = memory.kind != MemoryKind::Parameters;
    Expected<Arena> arena = Arena::allocate(memory.capacity, prefault);
    if (!arena)
      return arena.status().withContext("memory '" + memory.name + "'");
    arenas.push_back(std::move(*arena));
  }
  for (const EngineDescription &description : machine.engines) {
    Engine engine;
    if (description.kind == EngineKind::Compute)
      engine.compute = std::make_unique<ComputeEngine>(
          props.lanes, options.trapFaults, processors);
    else
      engine.transfer = std::make_unique<TransferEngine>(options);
    engines.push_back(std::move(engine));
  }
  return Status::ok();
}

uint32_t HostDriver::queueDepth(uint32_t engine) const {
  return engines[engine].compute ? engines[engine].compute->depth()
                                 : TransferEngine::depth;
}

void HostDriver::setSinks(EventSink *sink) {
  for (Engine &engine : engines) {
    if (engine.compute)
      engine.compute->setSink(sink);
    else
      engine.transfer->setSink(sink);
  }
}

void HostDriver::setHurry(bool hurry) {
  for (Engine &engine : engines)
    if (engine.transfer)
      engine.transfer->setHurry(hurry);
}

Status HostDriver::start(EventSink &sink) {
  setHurry(false);
  setSinks(&sink);
  return Status::ok();
}

void HostDriver::submit(const Command *const *commands, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    Engine &engine = engines[commands[i]->engine];
    if (engine.compute)
      engine.compute->submit(*commands[i]);
    else
      engine.transfer->submit(*commands[i]);
  }
}

std::unique_ptr<Driver>
turnip::runtime::createHostDriver(const HostOptions &options) {
  return std::make_unique<HostDriver>(options);
}
