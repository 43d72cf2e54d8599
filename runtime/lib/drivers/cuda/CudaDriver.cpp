//===- CudaDriver.cpp - Devices made of GPUs ------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"

#include <algorithm>
#include <cstring>

using namespace turnip;
using namespace turnip::runtime;
using namespace turnip::runtime::cuda;

CudaDriver::CudaDriver(const Library &library, CudaOptions given)
    : library(library), options(std::move(given)) {
  props.name = "cuda";
  props.movesData = true;
  props.threaded = true;
  props.deviceWaits = true;
  props.waitsAcrossEngines = true;
  props.launchesObjects = true;
  // Two, so that the end of one kernel and the beginning of another overlap.
  props.lanes = options.lanes ? options.lanes : 2;
}

CudaDriver::~CudaDriver() {
  // Stagers tell the completion thread what they did, so it goes last; queues
  // wait for what is on them.
  for (Engine &engine : engines)
    engine.stager.reset();
  completion.reset();
  peerStagers.clear();
  engines.clear();
  queues.clear();
  if (!devices.empty())
    library->cuCtxSetCurrent(devices.front()->handle());
  memories.clear();
  if (ring)
    library->cuMemFreeHost(ring);
}

Status CudaDriver::takeDevices() {
  for (int ordinal : options.devices) {
    Expected<std::unique_ptr<Device>> device = Device::create(library, ordinal);
    if (!device)
      return device.status();
    devices.push_back(std::move(*device));
  }
  return Status::ok();
}

/// Keeps some for what the CUDA driver and cuBLASLt take themselves when code
/// is loaded.
std::optional<uint64_t>
CudaDriver::freeMemory(const std::string & /*name*/) const {
  std::optional<uint64_t> least;
  for (const auto &device : devices) {
    Expected<uint64_t> free = device->freeBytes();
    if (!free)
      return std::nullopt;
    uint64_t reserve = std::min(*free / 8, uint64_t(512) << 20);
    auto sharers = static_cast<uint64_t>(
        std::count_if(devices.begin(), devices.end(), [&](const auto &other) {
          return other->handle() == device->handle();
        }));
    uint64_t share = (*free - reserve) / sharers;
    least = std::min(share, least.value_or(share));
  }
  return least;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void *CudaDriver::base(uint32_t memory) const {
  // An address is all that there is of memory in a device.
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<void *>(memories[memory].first);
}

bool CudaDriver::readsFromAnywhere(uint32_t memory, uint64_t offset,
                                   uint64_t bytes) const {
  const Memory &from = memories[memory];
  return stagerBytes > 0 && from.forParameters &&
         offset + bytes > from.host->pinnedBytes();
}

Status CudaDriver::read(uint32_t memory, uint64_t offset, uint64_t bytes,
                        void *target) const {
  const Memory &from = memories[memory];
  if (!from.device)
    return Driver::read(memory, offset, bytes, target);
  TURNIP_RETURN_IF_ERROR(from.device->enter());
  return library.check(
      library->cuMemcpyDtoH_v2(target, from.first + offset, bytes),
      "cuMemcpyDtoH");
}

Status CudaDriver::write(uint32_t memory, uint64_t offset, uint64_t bytes,
                         const void *source) {
  const Memory &to = memories[memory];
  if (!to.device)
    return Driver::write(memory, offset, bytes, source);
  TURNIP_RETURN_IF_ERROR(to.device->enter());
  return library.check(
      library->cuMemcpyHtoD_v2(to.first + offset, source, bytes),
      "cuMemcpyHtoD");
}

Status CudaDriver::protect(uint32_t memory, bool writable) {
  if (!memories[memory].host)
    return Driver::protect(memory, writable);
  return memories[memory].host->protect(writable);
}

Device *CudaDriver::deviceAt(const void *address) const {
  const auto value = reinterpret_cast<uint64_t>(address);
  for (const Memory &memory : memories)
    if (memory.device && value - memory.first < memory.bytes)
      return memory.device;
  return nullptr;
}

bool CudaDriver::isPinned(const void *address, uint64_t bytes) const {
  const auto value = reinterpret_cast<uint64_t>(address);
  return std::any_of(
      memories.begin(), memories.end(), [&](const Memory &memory) {
        return memory.host && value >= memory.first &&
               value - memory.first <= memory.host->pinnedBytes() &&
               bytes <= memory.host->pinnedBytes() - (value - memory.first);
      });
}

/// True if \p command, a copy, goes through the ring of \p engine.
bool CudaDriver::isStaged(const Engine &engine, const Command &command) const {
  return engine.stager && command.bytes > 0 && !deviceAt(command.source) &&
         !isPinned(command.source, command.bytes);
}

size_t CudaDriver::indexOf(const Device &device) const {
  size_t index = 0;
  while (devices[index].get() != &device)
    ++index;
  return index;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Status CudaDriver::start(EventSink &sink) {
  errors.clear();
  for (Engine &engine : engines) {
    if (engine.hostCompute)
      engine.hostCompute->setSink(&sink);
    else if (engine.hostTransfer)
      engine.hostTransfer->setSink(&sink);
  }
  completion->setSink(&sink);
  return Status::ok();
}

void CudaDriver::finish() {
  // After an error something may be at work that counts as done.
  if (!errors.empty())
    synchronize();
  for (Engine &engine : engines) {
    if (engine.hostCompute)
      engine.hostCompute->setSink(nullptr);
    else if (engine.hostTransfer)
      engine.hostTransfer->setSink(nullptr);
  }
  completion->setSink(nullptr);
}

void CudaDriver::synchronize() {
  for (const auto &queue : queues)
    queue->synchronize();
  for (const auto &stager : peerStagers)
    if (stager)
      stager->synchronize();
}

uint32_t CudaDriver::waitGroup(const Command &command) const {
  const Engine &engine = engines[command.engine];
  if (!engine.device)
    return noWaitGroup;
  if (command.kind != Command::Kind::Copy || command.bytes == 0)
    return 0;
  const bool onHost = !deviceAt(command.source) && !deviceAt(command.target);
  return onHost || isStaged(engine, command) ? noWaitGroup : 0;
}

void CudaDriver::submit(const Command *const *commands, size_t count) {
  for (size_t i = 0; i < count; ++i)
    submitOne(*commands[i], nullptr, 0);
}

void CudaDriver::submitBehind(const Command &command, const uint32_t *waits,
                              size_t numWaits) {
  submitOne(command, waits, numWaits);
}

/// Finds where the commands of \p waits are. What is on no stream any more is
/// done.
void CudaDriver::findAwaited(const uint32_t *waits, size_t numWaits) {
  awaited.clear();
  if (numWaits == 0)
    return;
  for (const Engine &engine : engines)
    for (uint32_t q = engine.firstQueue;
         engine.device && q < engine.firstQueue + engine.numQueues; ++q)
      for (uint64_t number = queues[q]->head(), end = queues[q]->tail();
           number < end; ++number)
        if (std::find(waits, waits + numWaits, queues[q]->at(number).vertex) !=
            waits + numWaits)
          awaited.push_back({q, number});
}

/// The stream of \p engine on which something that the command waits for is
/// last, or else the one with the least on it.
StreamQueue &CudaDriver::chooseQueue(const Engine &engine) const {
  for (const Awaited &other : awaited)
    if (other.queue >= engine.firstQueue &&
        other.queue < engine.firstQueue + engine.numQueues &&
        queues[other.queue]->tail() == other.number + 1)
      return *queues[other.queue];
  auto first = queues.begin() + engine.firstQueue;
  return **std::min_element(
      first, first + engine.numQueues,
      [](const auto &a, const auto &b) { return a->size() < b->size(); });
}

void CudaDriver::submitOne(const Command &command, const uint32_t *waits,
                           size_t numWaits) {
  Engine &engine = engines[command.engine];
  if (engine.hostCompute) {
    engine.hostCompute->submit(command);
    return;
  }
  if (engine.hostTransfer) {
    engine.hostTransfer->submit(command);
    return;
  }
  if (isStaged(engine, command)) {
    engine.stager->submit(command);
    return;
  }
  findAwaited(waits, numWaits);
  StreamQueue &queue = chooseQueue(engine);
  StreamQueue::Slot &slot =
      queue.prepare(command.vertex, monotonicNanoseconds());
  Status status = engine.device->enter();
  // After an error nothing is begun any more; what is handed over counts as
  // done, so that the run comes to its end.
  if (status && errors.empty())
    status = issue(engine, queue, slot, command);
  Status recorded = queue.record();
  if (status)
    status = recorded;
  if (!status)
    slot.error =
        errors.add(status.message() + " on " + engine.device->description());
  queue.publish();
  completion->notify();
}

Status CudaDriver::issue(const Engine &engine, StreamQueue &queue,
                         StreamQueue::Slot &slot, const Command &command) {
  for (const Awaited &other : awaited) {
    slot.awaited[other.queue] =
        std::max(slot.awaited[other.queue], other.number + 1);
    TURNIP_RETURN_IF_ERROR(queue.waitFor(*queues[other.queue], other.number));
  }
  if (command.kind == Command::Kind::Launch)
    return engine.device->launch(command, queue.stream());
  return copy(queue, command);
}

Status CudaDriver::copy(StreamQueue &queue, const Command &command) {
  if (command.bytes == 0)
    return Status::ok();
  Device *from = deviceAt(command.source), *to = deviceAt(command.target);
  auto source = reinterpret_cast<CUdeviceptr>(command.source);
  auto target = reinterpret_cast<CUdeviceptr>(command.target);
  if (!from && !to) {
    // Everything it depends on is done: see waitGroup().
    std::memcpy(command.target, command.source, command.bytes);
    return Status::ok();
  }
  // Streams copy to their own device, and from it to the host.
  Device &own = to ? *to : *from;
  if (own.handle() != queue.device().handle())
    return Status::error(StatusCode::Device,
                         "the link belongs to another device than " +
                             own.description());
  if (!from)
    return library.check(library->cuMemcpyHtoDAsync_v2(target, command.source,
                                                       command.bytes,
                                                       queue.stream()),
                         "cuMemcpyHtoDAsync");
  if (!to)
    return library.check(library->cuMemcpyDtoHAsync_v2(command.target, source,
                                                       command.bytes,
                                                       queue.stream()),
                         "cuMemcpyDtoHAsync");
  if (from->handle() == to->handle())
    return library.check(library->cuMemcpyDtoDAsync_v2(
                             target, source, command.bytes, queue.stream()),
                         "cuMemcpyDtoDAsync");
  const size_t pair = indexOf(*from) * devices.size() + indexOf(*to);
  if (peerStagers[pair])
    return peerStagers[pair]->copy(command, queue.stream());
  return library.check(library->cuMemcpyPeerAsync(target, to->handle(), source,
                                                  from->handle(), command.bytes,
                                                  queue.stream()),
                       "cuMemcpyPeerAsync");
}

//===----------------------------------------------------------------------===//
// Making one
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<Driver>>
turnip::runtime::createCudaDriver(const CudaOptions &options) {
  Expected<const Library *> library = Library::find();
  if (!library)
    return library.status();
  auto driver = std::make_unique<CudaDriver>(**library, options);
  TURNIP_RETURN_IF_ERROR(driver->takeDevices());
  return std::unique_ptr<Driver>(std::move(driver));
}

Expected<std::vector<CudaDeviceInfo>> turnip::runtime::listCudaDevices() {
  Expected<const Library *> found = Library::find();
  if (!found)
    return found.status();
  const Library &library = **found;
  Expected<int> count = library.deviceCount();
  if (!count)
    return count.status();
  std::vector<CudaDeviceInfo> list;
  for (int i = 0; i < *count; ++i) {
    CUdevice device = 0;
    char name[256] = "";
    size_t bytes = 0;
    CudaDeviceInfo info;
    TURNIP_RETURN_IF_ERROR(
        library.check(library->cuDeviceGet(&device, i), "cuDeviceGet"));
    TURNIP_RETURN_IF_ERROR(
        library.check(library->cuDeviceGetName(name, sizeof(name) - 1, device),
                      "cuDeviceGetName"));
    TURNIP_RETURN_IF_ERROR(library.check(
        library->cuDeviceTotalMem_v2(&bytes, device), "cuDeviceTotalMem"));
    TURNIP_RETURN_IF_ERROR(library.check(
        library->cuDeviceGetAttribute(
            &info.major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
        "cuDeviceGetAttribute"));
    TURNIP_RETURN_IF_ERROR(library.check(
        library->cuDeviceGetAttribute(
            &info.minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device),
        "cuDeviceGetAttribute"));
    info.name = name;
    info.bytes = bytes;
    list.push_back(std::move(info));
  }
  return list;
}
