//===- Open.cpp - Setting up the CUDA driver ------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::runtime;
using namespace turnip::runtime::cuda;

static constexpr uint64_t pageSize = 4096;
/// Pieces of a ring; one is filled while the device takes others.
static constexpr uint64_t ringPieces = 8;
/// Long enough for a link to reach its speed.
static constexpr uint64_t largestPiece = uint64_t(2) << 20;

static uint64_t roundUp(uint64_t bytes) {
  return (bytes + pageSize - 1) / pageSize * pageSize;
}

/// True if \p engine copies from the host to a device.
static bool loads(const EngineDescription &engine) {
  return engine.kind == EngineKind::Transfer && engine.device >= 0 &&
         engine.toDevice && engine.source < 0;
}

static Status invalidArgument(const std::string &message) {
  return Status::error(StatusCode::InvalidArgument, message);
}

Status CudaDriver::open(const MachineDescription &machine) {
  TURNIP_RETURN_IF_ERROR(assignDevices(machine));
  TURNIP_RETURN_IF_ERROR(allocateMemories(machine));
  TURNIP_RETURN_IF_ERROR(findPeers());
  TURNIP_RETURN_IF_ERROR(pinMemories(machine));
  TURNIP_RETURN_IF_ERROR(loadKernels(machine));
  TURNIP_RETURN_IF_ERROR(makeEngines(machine));
  TURNIP_RETURN_IF_ERROR(makeStagers());
  completion = std::make_unique<Completion>(queues, errors);
  return Status::ok();
}

/// The devices that the machine asks for are those that were given, in order.
Status CudaDriver::assignDevices(const MachineDescription &machine) {
  std::vector<int32_t> numbers;
  for (const EngineDescription &engine : machine.engines)
    if (engine.kind == EngineKind::Compute && engine.device >= 0)
      numbers.push_back(engine.device);
  if (numbers.size() != devices.size())
    return invalidArgument(
        "the program was compiled for " + std::to_string(numbers.size()) +
        " devices, but --device= names " + std::to_string(devices.size()) +
        "; one GPU may be named twice (cuda:0,cuda:0)");
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto number = static_cast<size_t>(numbers[i]);
    if (deviceOfNumber.size() <= number)
      deviceOfNumber.resize(number + 1, nullptr);
    deviceOfNumber[number] = devices[i].get();
  }
  return Status::ok();
}

Status CudaDriver::allocateMemories(const MachineDescription &machine) {
  // Parameters are counted when they are bound, as far as they do not stay in
  // their file.
  std::vector<MemoryDescription> onHost;
  for (const MemoryDescription &memory : machine.memories)
    if (memory.kind == MemoryKind::Host)
      onHost.push_back(memory);
  TURNIP_RETURN_IF_ERROR(checkAvailable(onHost));
  for (const MemoryDescription &description : machine.memories) {
    Memory memory;
    memory.bytes = description.capacity;
    memory.forParameters = description.kind == MemoryKind::Parameters;
    if (description.kind != MemoryKind::Device) {
      Expected<std::unique_ptr<HostMemory>> host = HostMemory::allocate(
          library, description.capacity,
          /*prefault=*/description.kind == MemoryKind::Host);
      if (!host)
        return host.status().withContext("memory '" + description.name + "'");
      memory.host = std::move(*host);
      memory.first = reinterpret_cast<uint64_t>(memory.host->base());
    } else {
      const auto number = static_cast<size_t>(description.device);
      if (description.device < 0 || number >= deviceOfNumber.size() ||
          !deviceOfNumber[number] || deviceOfNumber[number]->arena())
        return invalidArgument("memory '" + description.name +
                               "': expected one memory for each device");
      memory.device = deviceOfNumber[number];
      TURNIP_RETURN_IF_ERROR(
          memory.device->allocate(description.name, description.capacity));
      memory.first = memory.device->arena();
    }
    memories.push_back(std::move(memory));
  }
  return Status::ok();
}

Status CudaDriver::findPeers() {
  const size_t count = devices.size();
  reaches.assign(count * count, true);
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < count; ++j) {
      Device &from = *devices[i], &to = *devices[j];
      if (from.handle() == to.handle())
        continue;
      int can = 0;
      TURNIP_RETURN_IF_ERROR(library.check(
          library->cuDeviceCanAccessPeer(&can, from.device(), to.device()),
          "cuDeviceCanAccessPeer"));
      reaches[i * count + j] = can != 0;
      if (!can)
        continue;
      TURNIP_RETURN_IF_ERROR(from.enter());
      CUresult enabled = library->cuCtxEnablePeerAccess(to.handle(), 0);
      if (enabled != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
        TURNIP_RETURN_IF_ERROR(library.check(enabled, "cuCtxEnablePeerAccess"));
    }
  return Status::ok();
}

static uint64_t roundDown(uint64_t bytes) {
  return bytes / pageSize * pageSize;
}

/// Decides what is pinned within what may be: all memory that devices write to,
/// rings where something has to go through them, and then parameters, whose
/// share is returned.
Expected<uint64_t> CudaDriver::planPinned(const MachineDescription &machine) {
  uint64_t written = 0, parameters = 0;
  for (size_t i = 0; i < memories.size(); ++i)
    if (memories[i].host)
      (memories[i].forParameters ? parameters : written) +=
          roundUp(memories[i].bytes);
  const uint64_t budget = options.pinnedMemory.value_or(
      availableHostBytes().value_or(UINT64_MAX) / 2);
  const auto peerPieces =
      2 *
      static_cast<uint64_t>(std::count(reaches.begin(), reaches.end(), false));
  auto pieces =
      ringPieces * static_cast<uint64_t>(std::count_if(
                       machine.engines.begin(), machine.engines.end(), loads));
  uint64_t least = written + peerPieces * pageSize;
  if (least <= budget && parameters <= budget - least)
    pieces = 0;
  least += pieces * pageSize;
  if (least > budget)
    return Status::error(StatusCode::DoesNotFit,
                         "host memory takes " + std::to_string(least) +
                             " bytes of pinned memory, but " +
                             std::to_string(budget) +
                             " are allowed: --pinned-memory= sets how many");
  // Every piece has a page; more goes to peers, to other rings, to parameters.
  uint64_t left = budget - least;
  auto grow = [&](uint64_t count) {
    if (count == 0)
      return uint64_t(0);
    uint64_t more = std::min(largestPiece - pageSize, roundDown(left / count));
    left -= count * more;
    return pageSize + more;
  };
  if (pieces == 0) {
    left -= parameters;
    peerPieceBytes = grow(peerPieces);
    ringBytes = peerPieces * peerPieceBytes;
    return parameters;
  }
  const uint64_t others = left / 2;
  left -= others;
  peerPieceBytes = grow(peerPieces);
  left += others;
  stagerBytes = grow(pieces);
  ringBytes = peerPieces * peerPieceBytes + pieces * stagerBytes;
  return roundDown(left);
}

Status CudaDriver::pinMemories(const MachineDescription &machine) {
  if (devices.empty())
    return Status::ok();
  Expected<uint64_t> left = planPinned(machine);
  if (!left)
    return left.status();
  TURNIP_RETURN_IF_ERROR(devices.front()->enter());
  for (size_t i = 0; i < memories.size(); ++i) {
    if (!memories[i].host || memories[i].bytes == 0)
      continue;
    uint64_t bytes = memories[i].host->size();
    if (memories[i].forParameters) {
      bytes = std::min(bytes, *left);
      *left -= bytes;
    }
    TURNIP_RETURN_IF_ERROR(memories[i].host->pin(bytes).withContext(
        "memory '" + machine.memories[i].name + "'"));
  }
  if (ringBytes == 0)
    return Status::ok();
  void *memory = nullptr;
  TURNIP_RETURN_IF_ERROR(library.check(
      library->cuMemHostAlloc(&memory, ringBytes, pinnedForAllContexts),
      "cuMemHostAlloc"));
  ring = static_cast<unsigned char *>(memory);
  return Status::ok();
}

Status CudaDriver::loadKernels(const MachineDescription &machine) {
  for (uint32_t k = 0; k < machine.kernels.size(); ++k) {
    const KernelDescription &kernel = machine.kernels[k];
    for (uint16_t e : kernel.engines) {
      const int32_t number = machine.engines[e].device;
      if (number < 0)
        continue;
      uint64_t alignment = 0;
      for (const MemoryDescription &memory : machine.memories)
        if (memory.kind == MemoryKind::Device && memory.device == number)
          alignment = memory.alignment;
      TURNIP_RETURN_IF_ERROR(
          deviceOfNumber[static_cast<size_t>(number)]->loadKernel(
              k, *kernel.code, alignment));
    }
  }
  return Status::ok();
}

Status CudaDriver::makeEngines(const MachineDescription &machine) {
  struct Wanted {
    Device *device;
    uint32_t depth;
  };
  std::vector<Wanted> wanted;
  for (const EngineDescription &description : machine.engines) {
    Engine engine;
    const bool computes = description.kind == EngineKind::Compute;
    if (description.device < 0) {
      if (computes)
        engine.hostCompute = std::make_unique<ComputeEngine>(
            options.hostLanes
                ? options.hostLanes
                : std::max(1u, std::thread::hardware_concurrency()),
            /*trapFaults=*/false, std::vector<int>());
      else
        engine.hostTransfer = std::make_unique<TransferEngine>(HostOptions());
      engine.depth = computes ? engine.hostCompute->depth()
                              : uint32_t(TransferEngine::depth);
      engines.push_back(std::move(engine));
      continue;
    }
    engine.device = deviceOfNumber[static_cast<size_t>(description.device)];
    // Something to do for every stream, and something behind it.
    engine.depth = computes ? props.lanes + 2 : 3;
    engine.firstQueue = static_cast<uint32_t>(wanted.size());
    engine.numQueues = computes ? props.lanes : 1;
    wanted.insert(wanted.end(), engine.numQueues,
                  {engine.device, engine.depth});
    // A link that has a ring has one more stream, behind the others.
    if (loads(description) && stagerBytes > 0)
      wanted.push_back({engine.device, engine.depth});
    engines.push_back(std::move(engine));
  }
  uint32_t inFlight = 0;
  for (const Wanted &queue : wanted) {
    Expected<std::unique_ptr<StreamQueue>> made =
        StreamQueue::create(library, *queue.device, queue.depth,
                            static_cast<uint32_t>(wanted.size()));
    if (!made)
      return made.status().withContext(queue.device->description());
    queues.push_back(std::move(*made));
    inFlight += queue.depth;
  }
  awaited.reserve(inFlight);
  return Status::ok();
}

Status CudaDriver::makeStagers() {
  unsigned char *next = ring;
  const size_t count = devices.size();
  peerStagers.resize(count * count);
  for (size_t pair = 0; pair < count * count; ++pair) {
    if (reaches[pair])
      continue;
    Expected<std::unique_ptr<PeerStager>> made =
        PeerStager::create(library, *devices[pair / count],
                           *devices[pair % count], next, peerPieceBytes);
    if (!made)
      return made.status();
    peerStagers[pair] = std::move(*made);
    next += 2 * peerPieceBytes;
  }
  if (stagerBytes == 0)
    return Status::ok();
  for (size_t e = 0; e < engines.size(); ++e) {
    Engine &engine = engines[e];
    if (!engine.device)
      continue;
    const size_t own = engine.firstQueue + engine.numQueues;
    size_t end = queues.size();
    for (size_t later = engines.size(); later-- > e + 1;)
      if (engines[later].device)
        end = engines[later].firstQueue;
    if (own >= end)
      continue;
    Expected<std::unique_ptr<Stager>> made =
        Stager::create(library, *queues[own], {next, stagerBytes, ringPieces},
                       errors, [this] { completion->notify(); });
    if (!made)
      return made.status();
    engine.stager = std::move(*made);
    next += ringPieces * stagerBytes;
  }
  return Status::ok();
}
