//===- StreamQueue.cpp - A stream and what is on it -----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamQueue.h"

using namespace turnip;
using namespace turnip::runtime::cuda;

Expected<std::unique_ptr<StreamQueue>>
StreamQueue::create(const Library &library, Device &device, uint32_t depth,
                    uint32_t numQueues) {
  std::unique_ptr<StreamQueue> queue(new StreamQueue(library, device));
  TURNIP_RETURN_IF_ERROR(device.enter());
  TURNIP_RETURN_IF_ERROR(library.check(
      library->cuStreamCreate(&queue->handle, CU_STREAM_NON_BLOCKING),
      "cuStreamCreate"));
  queue->slots.resize(depth);
  for (Slot &slot : queue->slots) {
    slot.awaited.assign(numQueues, 0);
    TURNIP_RETURN_IF_ERROR(library.check(
        library->cuEventCreate(&slot.event, CU_EVENT_DISABLE_TIMING),
        "cuEventCreate"));
  }
  return queue;
}

StreamQueue::~StreamQueue() {
  library->cuCtxSetCurrent(owner.handle());
  if (handle)
    library->cuStreamSynchronize(handle);
  for (Slot &slot : slots)
    if (slot.event)
      library->cuEventDestroy_v2(slot.event);
  if (handle)
    library->cuStreamDestroy_v2(handle);
}

StreamQueue::Slot &StreamQueue::prepare(uint32_t vertex, int64_t now) {
  Slot &slot = slots[tail() % slots.size()];
  slot.vertex = vertex;
  slot.recorded = false;
  slot.error = nullptr;
  slot.submitted = now;
  std::fill(slot.awaited.begin(), slot.awaited.end(), 0);
  return slot;
}

Status StreamQueue::waitFor(const StreamQueue &other, uint64_t number) {
  // What is on one stream waits as it is.
  if (&other == this)
    return Status::ok();
  return library.check(
      library->cuStreamWaitEvent(handle, other.at(number).event, 0),
      "cuStreamWaitEvent");
}

Status StreamQueue::record() {
  Slot &slot = slots[tail() % slots.size()];
  Status status = library.check(library->cuEventRecord(slot.event, handle),
                                "cuEventRecord");
  slot.recorded = status.isOk();
  return status;
}

bool StreamQueue::poll(ErrorLog &errors) {
  if (head() == tail())
    return false;
  Slot &slot = slots[head() % slots.size()];
  const char *call = slot.recorded ? "cuEventQuery" : "cuStreamQuery";
  CUresult result = slot.recorded ? library->cuEventQuery(slot.event)
                                  : library->cuStreamQuery(handle);
  if (result == CUDA_ERROR_NOT_READY)
    return false;
  if (result != CUDA_SUCCESS && !slot.error)
    slot.error = errors.add(library.check(result, call).message() + " on " +
                            owner.description());
  return true;
}

void StreamQueue::synchronize() const {
  library->cuCtxSetCurrent(owner.handle());
  library->cuStreamSynchronize(handle);
}
