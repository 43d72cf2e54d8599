//===- Stager.cpp - Copies from memory that is not pinned -----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stager.h"

#include "turnip/runtime/Clock.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

using namespace turnip;
using namespace turnip::runtime;
using namespace turnip::runtime::cuda;

Expected<std::unique_ptr<Stager>>
Stager::create(const Library &library, StreamQueue &queue, const Ring &ring,
               ErrorLog &errors, std::function<void()> published) {
  std::unique_ptr<Stager> stager(
      new Stager(library, queue, ring, errors, std::move(published)));
  TURNIP_RETURN_IF_ERROR(queue.device().enter());
  stager->taken.resize(ring.pieces, nullptr);
  // The thread sleeps in waits for these.
  for (CUevent &event : stager->taken)
    TURNIP_RETURN_IF_ERROR(library.check(
        library->cuEventCreate(&event, CU_EVENT_DISABLE_TIMING |
                                           CU_EVENT_BLOCKING_SYNC),
        "cuEventCreate"));
  stager->waiting.resize(queue.capacity());
  Stager *self = stager.get();
  stager->thread = std::thread([self] { self->threadMain(); });
  return stager;
}

Stager::~Stager() {
  if (thread.joinable()) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      stopping = true;
    }
    workCondition.notify_one();
    thread.join();
  }
  // The ring goes away after this: nothing may still be read from it.
  queue.synchronize();
  for (CUevent event : taken)
    if (event)
      library->cuEventDestroy_v2(event);
}

void Stager::submit(const Command &command) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    waiting[last++ % waiting.size()] = &command;
  }
  workCondition.notify_one();
}

void Stager::threadMain() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    if (first == last) {
      if (stopping)
        return;
      workCondition.wait(lock);
      continue;
    }
    const Command *command = waiting[first++ % waiting.size()];
    lock.unlock();
    transfer(*command);
    lock.lock();
  }
}

void Stager::transfer(const Command &command) {
  StreamQueue::Slot &slot =
      queue.prepare(command.vertex, monotonicNanoseconds());
  Status status = queue.device().enter();
  if (status && errors.empty())
    status = copyPieces(command);
  Status recorded = queue.record();
  if (status)
    status = recorded;
  if (!status)
    slot.error =
        errors.add(status.message() + " on " + queue.device().description());
  queue.publish();
  published();
}

/// Lets the system read ahead what lies in a mapped file. It may as well not.
static void announce(const void *source, uint64_t bytes) {
  constexpr uint64_t pageSize = 4096;
  const uint64_t before = reinterpret_cast<uint64_t>(source) % pageSize;
  ::madvise(const_cast<char *>(static_cast<const char *>(source)) - before,
            bytes + before, MADV_WILLNEED);
}

Status Stager::copyPieces(const Command &command) {
  announce(command.source, command.bytes);
  const auto *source = static_cast<const unsigned char *>(command.source);
  auto target = reinterpret_cast<CUdeviceptr>(command.target);
  for (uint64_t done = 0; done < command.bytes;) {
    const uint64_t bytes = std::min(command.bytes - done, ring.pieceBytes);
    const uint32_t piece = static_cast<uint32_t>(filled % ring.pieces);
    if (filled >= ring.pieces)
      TURNIP_RETURN_IF_ERROR(library.check(
          library->cuEventSynchronize(taken[piece]), "cuEventSynchronize"));
    unsigned char *place = ring.base + piece * ring.pieceBytes;
    std::memcpy(place, source + done, bytes);
    TURNIP_RETURN_IF_ERROR(
        library.check(library->cuMemcpyHtoDAsync_v2(target + done, place, bytes,
                                                    queue.stream()),
                      "cuMemcpyHtoDAsync"));
    TURNIP_RETURN_IF_ERROR(library.check(
        library->cuEventRecord(taken[piece], queue.stream()), "cuEventRecord"));
    ++filled;
    done += bytes;
  }
  return Status::ok();
}
