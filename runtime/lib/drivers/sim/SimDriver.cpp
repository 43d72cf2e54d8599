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
    return static_cast<uint32_t>(engines[engine].laneFree.size()) +
           engines[engine].compute.queue;
  }
  Status start(EventSink &newSink) override;
  void submit(const Command *const *commands, size_t count) override;
  void submitBehind(const Command &command, const uint32_t *waits,
                    size_t numWaits) override;
  void pump() override;
  void finish() override { sink = nullptr; }

private:
  struct Engine {
    bool isCompute = true;
    SimMachine::Compute compute;
    SimMachine::Link link;
    /// When each lane is free; a link has one.
    std::vector<int64_t> laneFree = {0};
  };

  int64_t duration(const Command &command) const;
  void begin(const Command &command, int64_t earliest);

  const SimMachine machine;
  DriverProperties props;
  std::vector<Engine> engines;
  EventSink *sink = nullptr;
  int64_t clock = 0;
  /// A heap, earliest end first; equal ends by vertex.
  std::vector<Event> outstanding;
  std::vector<Event> delivering;
  /// When each command submitted in this run ends, by vertex.
  std::vector<int64_t> ends;
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
      engine.laneFree.resize(engine.compute.lanes, 0);
      props.deviceWaits |= engine.compute.queue > 0;
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
  for (Engine &engine : engines)
    std::fill(engine.laneFree.begin(), engine.laneFree.end(), 0);
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

/// Lets \p command run on the first lane to be free, from \p earliest on.
void SimDriver::begin(const Command &command, int64_t earliest) {
  Engine &engine = engines[command.engine];
  int64_t &lane =
      *std::min_element(engine.laneFree.begin(), engine.laneFree.end());
  auto latency =
      static_cast<int64_t>(std::llround(engine.compute.submitLatency * 1e9));
  Event event;
  event.vertex = command.vertex;
  event.start = std::max({clock + latency, lane, earliest});
  event.end = event.start + duration(command);
  lane = event.end;
  if (ends.size() <= command.vertex)
    ends.resize(command.vertex + 1);
  ends[command.vertex] = event.end;
  outstanding.push_back(event);
  std::push_heap(outstanding.begin(), outstanding.end(), endsLater);
}

void SimDriver::submit(const Command *const *commands, size_t count) {
  for (size_t i = 0; i < count; ++i)
    begin(*commands[i], clock);
}

void SimDriver::submitBehind(const Command &command, const uint32_t *waits,
                             size_t numWaits) {
  int64_t earliest = clock;
  for (size_t i = 0; i < numWaits; ++i)
    earliest = std::max(earliest, ends[waits[i]]);
  begin(command, earliest);
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
