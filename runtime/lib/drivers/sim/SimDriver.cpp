//===- SimDriver.cpp - A machine on a virtual clock -----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flows.h"
#include "turnip/runtime/Drivers.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

using namespace turnip;
using namespace turnip::runtime;

namespace {
class SimDriver final : public Driver {
public:
  SimDriver(machine::Machine machine, const SimOptions &options);

  const DriverProperties &properties() const override { return props; }
  std::optional<uint64_t> freeMemory(const std::string &name) const override;
  Status open(const MachineDescription &description) override;
  void *base(uint32_t /*memory*/) const override { return nullptr; }
  int64_t now() const override { return clock; }
  uint32_t queueDepth(uint32_t engine) const override {
    return engines[engine].lanes + engines[engine].queue;
  }
  Status start(EventSink &newSink) override;
  void submit(const Command *const *commands, size_t count) override;
  void submitBehind(const Command &command, const uint32_t *waits,
                    size_t numWaits) override;
  void pump() override;
  void finish() override { sink = nullptr; }

private:
  /// A command that an engine has taken.
  struct Slot {
    const Command *command = nullptr;
    /// It starts no earlier than this, and than the end of what it waits for.
    int64_t earliest = 0;
    std::vector<uint32_t> waits;
    int64_t start = -1;
    /// Pieces that have yet to start, and that have yet to end.
    uint32_t unstarted = 1;
    uint32_t unfinished = 1;
    Flow piece;
  };
  struct Engine {
    bool isCompute = true;
    machine::Device device;
    machine::Link link;
    uint32_t lanes = 1;
    uint32_t queue = 0;
    uint32_t busyLanes = 0;
    std::vector<Slot> slots;
    /// Numbers of slots: those in use, oldest first, and the others.
    std::vector<uint32_t> taken, unused;
  };

  void nameMemories(const MachineDescription &description);
  Status openCompute(const EngineDescription &description, Engine &engine);
  Status openTransfer(const std::string &name, Engine &engine);
  double launchSeconds(const Engine &engine, const Command &command) const;
  void prepare(Slot &slot, const Engine &engine) const;
  Slot &take(const Command &command);
  bool mayStart(const Slot &slot) const;
  void startPieces();
  void startPieces(uint16_t number);
  int64_t nextStart() const;
  void finishPiece(const Flow &flow);

  const machine::Machine machine;
  const SimOptions options;
  DriverProperties props;
  /// The machine's memory for each of the program's.
  std::map<std::string, uint32_t> memoryOf;
  /// Compute engines of accelerators so far.
  uint32_t numAccelerators = 0;
  std::vector<KernelDescription> kernels;
  /// Measured seconds of each kernel; below 0: not measured.
  std::vector<double> kernelSeconds;
  std::vector<Engine> engines;
  EventSink *sink = nullptr;
  int64_t clock = 0;
  Flows flows;
  std::vector<Flow> ended;
  std::vector<Event> delivering;
  uint32_t outstanding = 0;
  /// Per vertex: whether it is done.
  std::vector<uint8_t> done;
};
} // namespace

static std::vector<double> capacitiesOf(const machine::Machine &machine) {
  std::vector<double> capacities;
  capacities.reserve(machine.switches.size());
  for (const machine::Switch &entry : machine.switches)
    capacities.push_back(entry.bandwidth);
  return capacities;
}

SimDriver::SimDriver(machine::Machine given, const SimOptions &options)
    : machine(std::move(given)), options(options),
      flows(capacitiesOf(machine)) {
  props.name = "sim";
  props.virtualClock = true;
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

template <typename T> static std::string listNames(const std::vector<T> &list) {
  std::string names;
  for (const T &entry : list)
    names += (names.empty() ? "" : ", ") + entry.name;
  return names.empty() ? "none" : names;
}

static Status lacks(const machine::Machine &machine, const std::string &what,
                    const std::string &known) {
  return Status::error(StatusCode::InvalidArgument, "machine '" + machine.name +
                                                        "' has no " + what +
                                                        "; it has: " + known);
}

/// A memory is the machine's of the same name, or else the one of the device
/// with the same rank, or of the host.
void SimDriver::nameMemories(const MachineDescription &description) {
  const std::vector<uint32_t> devices = machine.accelerators();
  size_t rank = 0;
  for (const MemoryDescription &memory : description.memories) {
    uint32_t found = machine.findMemory(memory.name);
    if (memory.kind != MemoryKind::Device) {
      memoryOf[memory.name] =
          found == machine::None ? machine.hostMemory() : found;
      continue;
    }
    if (found == machine::None && rank < devices.size())
      found = machine.devices[devices[rank]].memory;
    memoryOf[memory.name] = found;
    ++rank;
  }
}

Status SimDriver::openCompute(const EngineDescription &description,
                              Engine &engine) {
  const std::string &name = description.name;
  uint32_t index = machine.findDevice(name);
  const uint32_t rank = numAccelerators;
  numAccelerators += description.device >= 0;
  // What a program calls its own way is known by its rank.
  if (index == machine::None && !machine.otherDevice)
    index = machine.findDevice(
        description.device >= 0 ? "dev" + std::to_string(rank) : "host");
  if (index != machine::None)
    engine.device = machine.devices[index];
  else if (machine.otherDevice)
    engine.device = *machine.otherDevice;
  else
    return lacks(machine, "device '" + name + "'", listNames(machine.devices));
  engine.lanes = engine.device.lanes;
  engine.queue = engine.device.queue;
  props.deviceWaits |= engine.queue > 0 && engine.device.waits;
  return Status::ok();
}

Status SimDriver::openTransfer(const std::string &name, Engine &engine) {
  size_t arrow = name.find("->");
  uint32_t source = machine::None;
  uint32_t destination = machine::None;
  auto find = [&](const std::string &memory) {
    auto it = memoryOf.find(memory);
    return it == memoryOf.end() ? machine.findMemory(memory) : it->second;
  };
  if (arrow != std::string::npos) {
    source = find(name.substr(0, arrow));
    destination = find(name.substr(arrow + 2));
  }
  const bool known = source != machine::None && destination != machine::None;
  uint32_t index =
      known ? machine.findLink(source, destination) : machine::None;
  if (index != machine::None)
    engine.link = machine.links[index];
  else if (machine.otherLink)
    engine.link = *machine.otherLink;
  else if (known)
    engine.link = machine.linkBetween(source, destination);
  else
    return lacks(machine, "link '" + name + "'",
                 "links between " + listNames(machine.memories));
  engine.queue = engine.link.queue;
  return Status::ok();
}

std::optional<uint64_t> SimDriver::freeMemory(const std::string &name) const {
  uint32_t memory = machine.findMemory(name);
  if (memory == machine::None)
    return std::nullopt;
  return machine.memories[memory].capacity;
}

Status SimDriver::open(const MachineDescription &description) {
  std::unordered_map<uint64_t, double> measured;
  for (const machine::KernelTime &kernel : machine.kernels)
    measured.emplace(kernel.hash, kernel.seconds);
  kernels = description.kernels;
  for (const KernelDescription &kernel : kernels) {
    auto found = measured.find(kernel.hash);
    kernelSeconds.push_back(found == measured.end() ? -1 : found->second);
  }
  nameMemories(description);
  for (const EngineDescription &engineDescription : description.engines) {
    Engine engine;
    engine.isCompute = engineDescription.kind == EngineKind::Compute;
    TURNIP_RETURN_IF_ERROR(engine.isCompute
                               ? openCompute(engineDescription, engine)
                               : openTransfer(engineDescription.name, engine));
    engine.slots.resize(engine.lanes + engine.queue);
    for (uint32_t i = 0; i < engine.slots.size(); ++i)
      engine.unused.push_back(i);
    engine.taken.reserve(engine.slots.size());
    engines.push_back(std::move(engine));
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Durations
//===----------------------------------------------------------------------===//

double SimDriver::launchSeconds(const Engine &engine,
                                const Command &command) const {
  const machine::Device &device = engine.device;
  auto bytes = static_cast<double>(command.bytes);
  // A copy within a device's memory reads and writes each byte.
  if (command.kind == Command::Kind::Copy)
    return device.seconds(machine::KernelClass::Copy, ElementType::F32, 0,
                          2 * bytes);
  if (command.kernel >= kernels.size())
    return device.seconds(machine::KernelClass::Other, ElementType::F32,
                          command.flops, bytes);
  if (kernelSeconds[command.kernel] >= 0)
    return device.launchOverhead + kernelSeconds[command.kernel];
  const KernelDescription &kernel = kernels[command.kernel];
  return device.seconds(kernel.kernelClass, kernel.type, command.flops, bytes);
}

/// At least a nanosecond, so that time always moves.
static double nanoseconds(double seconds) {
  return std::max(1.0, std::round(std::min(seconds, 1e9) * 1e9));
}

/// The most pieces that a launch is cut into per lane.
static constexpr int64_t piecesPerLane = 16;

/// Finds out how long \p slot's command takes, in how many pieces.
void SimDriver::prepare(Slot &slot, const Engine &engine) const {
  const Command &command = *slot.command;
  Flow &piece = slot.piece;
  piece = Flow();
  piece.engine = command.engine;
  slot.start = -1;
  slot.unstarted = slot.unfinished = 1;
  if (engine.isCompute) {
    double factor =
        jitterFactor(machine.kernelJitter, machine.seed, command.vertex);
    if (engine.device.sharedLaunches && command.kind == Command::Kind::Launch)
      slot.unstarted = slot.unfinished = static_cast<uint32_t>(
          std::clamp<int64_t>(command.grid, 1, piecesPerLane * engine.lanes));
    piece.work =
        nanoseconds(launchSeconds(engine, command) * factor / slot.unstarted);
    piece.interference = engine.device.interference;
    return;
  }
  double factor =
      jitterFactor(machine.transferJitter, machine.seed, command.vertex);
  const machine::Link &link = engine.link;
  auto bytes = static_cast<double>(command.bytes);
  double seconds = link.latency + bytes / link.bandwidth;
  double emulated = options.linkLatencyUs * 1e-6;
  if (options.linkGbps > 0)
    emulated += bytes / (options.linkGbps * 1e9);
  double latency = std::max(link.latency, options.linkLatencyUs * 1e-6);
  double total = nanoseconds(std::max(seconds, emulated) * factor);
  piece.latency = std::min(std::floor(latency * factor * 1e9), total);
  piece.work = total - piece.latency;
  piece.bandwidth = piece.work > 0 ? bytes / piece.work * 1e9 : 0;
  piece.switches = &link.switches;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Status SimDriver::start(EventSink &newSink) {
  sink = &newSink;
  clock = 0;
  outstanding = 0;
  flows.clear();
  std::fill(done.begin(), done.end(), uint8_t(0));
  for (Engine &engine : engines) {
    engine.busyLanes = 0;
    engine.unused.insert(engine.unused.end(), engine.taken.begin(),
                         engine.taken.end());
    engine.taken.clear();
  }
  return Status::ok();
}

SimDriver::Slot &SimDriver::take(const Command &command) {
  Engine &engine = engines[command.engine];
  if (engine.unused.empty()) {
    engine.unused.push_back(static_cast<uint32_t>(engine.slots.size()));
    engine.slots.emplace_back();
  }
  uint32_t number = engine.unused.back();
  engine.unused.pop_back();
  engine.taken.push_back(number);
  Slot &slot = engine.slots[number];
  slot.command = &command;
  slot.waits.clear();
  prepare(slot, engine);
  slot.piece.slot = number;
  slot.earliest = clock;
  if (engine.isCompute)
    slot.earliest += std::llround(engine.device.submitLatency * 1e9);
  if (done.size() <= command.vertex)
    done.resize(command.vertex + 1);
  ++outstanding;
  return slot;
}

void SimDriver::submit(const Command *const *commands, size_t count) {
  for (size_t i = 0; i < count; ++i)
    take(*commands[i]);
}

void SimDriver::submitBehind(const Command &command, const uint32_t *waits,
                             size_t numWaits) {
  take(command).waits.assign(waits, waits + numWaits);
}

bool SimDriver::mayStart(const Slot &slot) const {
  return std::all_of(slot.waits.begin(), slot.waits.end(),
                     [&](uint32_t vertex) { return done[vertex] != 0; });
}

/// Starts what there is a lane for, oldest first. What has to wait keeps a lane
/// free for itself.
void SimDriver::startPieces(uint16_t number) {
  Engine &engine = engines[number];
  uint32_t kept = 0;
  for (uint32_t index : engine.taken) {
    if (engine.busyLanes + kept >= engine.lanes)
      return;
    Slot &slot = engine.slots[index];
    if (slot.unstarted == 0)
      continue;
    if (slot.earliest > clock || !mayStart(slot)) {
      ++kept;
      continue;
    }
    if (slot.start < 0)
      slot.start = clock;
    while (slot.unstarted > 0 && engine.busyLanes + kept < engine.lanes) {
      --slot.unstarted;
      ++engine.busyLanes;
      flows.add(slot.piece);
    }
  }
}

void SimDriver::startPieces() {
  for (size_t i = 0; i < engines.size(); ++i)
    if (!engines[i].taken.empty() && engines[i].busyLanes < engines[i].lanes)
      startPieces(static_cast<uint16_t>(i));
}

/// When the next command is old enough to start, if time alone holds one back.
int64_t SimDriver::nextStart() const {
  int64_t next = INT64_MAX;
  for (const Engine &engine : engines)
    for (uint32_t index : engine.taken)
      if (engine.slots[index].earliest > clock)
        next = std::min(next, engine.slots[index].earliest);
  return next;
}

void SimDriver::finishPiece(const Flow &flow) {
  Engine &engine = engines[flow.engine];
  Slot &slot = engine.slots[flow.slot];
  --engine.busyLanes;
  if (--slot.unfinished > 0)
    return;
  Event event;
  event.vertex = slot.command->vertex;
  event.start = slot.start;
  event.end = clock;
  delivering.push_back(event);
  done[event.vertex] = 1;
  --outstanding;
  engine.taken.erase(
      std::find(engine.taken.begin(), engine.taken.end(), flow.slot));
  engine.unused.push_back(flow.slot);
}

void SimDriver::pump() {
  delivering.clear();
  while (delivering.empty() && outstanding > 0) {
    startPieces();
    int64_t next = nextStart();
    if (!flows.empty())
      next = std::min(next, clock + flows.nextChange());
    ended.clear();
    if (!flows.empty())
      flows.advance(next - clock, ended);
    clock = next;
    for (const Flow &flow : ended)
      finishPiece(flow);
  }
  if (delivering.empty())
    return;
  std::sort(delivering.begin(), delivering.end(),
            [](const Event &a, const Event &b) { return a.vertex < b.vertex; });
  sink->deliver(delivering.data(), delivering.size());
}

std::unique_ptr<Driver>
turnip::runtime::createSimDriver(machine::Machine machine,
                                 const SimOptions &options) {
  return std::make_unique<SimDriver>(std::move(machine), options);
}
