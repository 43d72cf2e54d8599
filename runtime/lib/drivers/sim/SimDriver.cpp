//===- SimDriver.cpp - A machine on a virtual clock -----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/runtime/Drivers.h"

#include <algorithm>
#include <cmath>

using namespace turnip;
using namespace turnip::runtime;

namespace {
class SimDriver final : public Driver {
public:
  explicit SimDriver(SimMachine machine) : machine(std::move(machine)) {
    props.name = "sim";
    props.virtualClock = true;
  }

  const DriverProperties &properties() const override { return props; }
  Status open(const MachineDescription &description) override;
  void *base(uint32_t /*memory*/) const override { return nullptr; }
  int64_t now() const override { return clock; }
  uint32_t queueDepth(uint32_t engine) const override {
    return engines[engine].lanes;
  }
  Status start(EventSink &newSink) override;
  void submit(const Command *const *commands, size_t count) override;
  void pump() override;
  void finish() override { sink = nullptr; }

private:
  struct Engine {
    bool isCompute = true;
    SimMachine::Compute compute;
    SimMachine::Link link;
    unsigned lanes = 1;
  };

  int64_t duration(const Command &command) const;

  const SimMachine machine;
  DriverProperties props;
  std::vector<Engine> engines;
  EventSink *sink = nullptr;
  int64_t clock = 0;
  /// A heap, earliest end first; equal ends by vertex.
  std::vector<Event> outstanding;
  std::vector<Event> delivering;
};
} // namespace

/// Returns the entry of \p table for \p name, or else its default.
template <typename T>
static T lookUp(const std::map<std::string, T> &table,
                const std::string &name) {
  auto found = table.find(name);
  if (found == table.end())
    found = table.find("default");
  return found == table.end() ? T() : found->second;
}

Status SimDriver::open(const MachineDescription &description) {
  for (const EngineDescription &engineDescription : description.engines) {
    Engine engine;
    engine.isCompute = engineDescription.kind == EngineKind::Compute;
    if (engine.isCompute) {
      engine.compute = lookUp(machine.devices, engineDescription.name);
      engine.lanes = engine.compute.lanes;
    } else {
      engine.link = lookUp(machine.links, engineDescription.name);
    }
    engines.push_back(engine);
  }
  return Status::ok();
}

Status SimDriver::start(EventSink &newSink) {
  sink = &newSink;
  clock = 0;
  outstanding.clear();
  return Status::ok();
}

int64_t SimDriver::duration(const Command &command) const {
  const Engine &engine = engines[command.engine];
  auto bytes = static_cast<double>(command.bytes);
  // A copy within a device's memory reads and writes each byte.
  if (engine.isCompute && command.kind == Command::Kind::Copy)
    bytes *= 2;
  double seconds = 0;
  if (engine.isCompute)
    seconds = engine.compute.launchOverhead +
              std::max(command.flops / engine.compute.flops,
                       bytes / engine.compute.memoryBandwidth);
  else
    seconds = engine.link.latency + bytes / engine.link.bandwidth;
  seconds *= jitterFactor(machine.jitter, machine.seed, command.vertex);
  // At least a nanosecond, so that time always moves.
  return std::max<int64_t>(1, std::llround(std::min(seconds, 1e9) * 1e9));
}

/// Orders the heap: true if \p a ends after \p b.
static bool endsLater(const Event &a, const Event &b) {
  return a.end != b.end ? a.end > b.end : a.vertex > b.vertex;
}

void SimDriver::submit(const Command *const *commands, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    // The queue is as deep as there are lanes, so each command starts now.
    Event event;
    event.vertex = commands[i]->vertex;
    event.start = clock;
    event.end = clock + duration(*commands[i]);
    outstanding.push_back(event);
    std::push_heap(outstanding.begin(), outstanding.end(), endsLater);
  }
}

void SimDriver::pump() {
  if (outstanding.empty())
    return;
  clock = outstanding.front().end;
  delivering.clear();
  while (!outstanding.empty() && outstanding.front().end == clock) {
    std::pop_heap(outstanding.begin(), outstanding.end(), endsLater);
    delivering.push_back(outstanding.back());
    outstanding.pop_back();
  }
  sink->deliver(delivering.data(), delivering.size());
}

std::unique_ptr<Driver> turnip::runtime::createSimDriver(SimMachine machine) {
  return std::make_unique<SimDriver>(std::move(machine));
}
