//===- ComputeEngine.cpp - The lanes of one device ------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputeEngine.h"

#include "FaultTrap.h"
#include "turnip/runtime/Clock.h"

#include <algorithm>
#include <cstring>
#include <pthread.h>
#include <sched.h>

using namespace turnip;
using namespace turnip::runtime;

ComputeEngine::ComputeEngine(unsigned lanes, bool trapFaults,
                             const std::vector<int> &processors)
    : trapFaults(trapFaults) {
  for (unsigned i = 0; i < lanes + 1; ++i) {
    slots.push_back(std::make_unique<Slot>());
    freeSlots.push_back(slots.back().get());
  }
  queue.reserve(slots.size());
  for (unsigned i = 0; i < lanes; ++i) {
    threads.emplace_back([this] { laneMain(); });
    if (processors.empty())
      continue;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<size_t>(processors[i % processors.size()]), &set);
    // A lane that cannot be kept in place works all the same.
    pthread_setaffinity_np(threads.back().native_handle(), sizeof(set), &set);
  }
}

ComputeEngine::~ComputeEngine() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  workCondition.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

void ComputeEngine::setSink(EventSink *newSink) {
  std::lock_guard<std::mutex> lock(mutex);
  sink = newSink;
}

void ComputeEngine::submit(const Command &command) {
  unsigned wake = 0;
  {
    std::lock_guard<std::mutex> lock(mutex);
    Slot *slot = freeSlots.back();
    freeSlots.pop_back();
    slot->command = &command;
    slot->next.store(0, std::memory_order_relaxed);
    slot->start = 0;
    slot->failed = false;
    queue.push_back(slot);
    submissions.fetch_add(1, std::memory_order_release);
    wake = static_cast<unsigned>(
        std::min<int64_t>(command.grid, static_cast<int64_t>(idleLanes)));
  }
  while (wake-- > 0)
    workCondition.notify_one();
}

/// Returns the oldest launch with grid points left, or null.
ComputeEngine::Slot *ComputeEngine::findWork() {
  for (Slot *slot : queue)
    if (slot->next.load(std::memory_order_relaxed) < slot->command->grid)
      return slot;
  return nullptr;
}

/// How long a lane looks for work before it sleeps, in nanoseconds. Waking it
/// takes about as long, and most gaps between operations are shorter.
static constexpr int64_t watchTime = 50000;

/// Returns, with \p lock held as on entry, when there may be work again.
void ComputeEngine::waitForWork(std::unique_lock<std::mutex> &lock) {
  const uint64_t seen = submissions.load(std::memory_order_relaxed);
  lock.unlock();
  // Yield all the while: whoever else has something to do on this processor,
  // such as a copy, goes first.
  int64_t deadline = monotonicNanoseconds() + watchTime;
  while (submissions.load(std::memory_order_acquire) == seen &&
         monotonicNanoseconds() < deadline)
    sched_yield();
  lock.lock();
  if (stopping || submissions.load(std::memory_order_relaxed) != seen)
    return;
  ++idleLanes;
  workCondition.wait(lock);
  --idleLanes;
}

void ComputeEngine::laneMain() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    Slot *slot = findWork();
    if (!slot) {
      if (stopping)
        return;
      waitForWork(lock);
      continue;
    }
    if (slot->lanesInside++ == 0 && slot->start == 0)
      slot->start = monotonicNanoseconds();
    lock.unlock();
    const void *fault = nullptr;
    bool succeeded = runGridPoints(*slot, fault);
    lock.lock();
    if (!succeeded && !slot->failed) {
      slot->failed = true;
      slot->fault = fault;
    }
    // Whoever leaves last, with no grid points left, reports.
    if (--slot->lanesInside == 0 && slot->next.load() >= slot->command->grid)
      retire(*slot, lock);
  }
}

void ComputeEngine::retire(Slot &slot, std::unique_lock<std::mutex> &lock) {
  Event event;
  event.vertex = slot.command->vertex;
  event.start = slot.start;
  event.end = monotonicNanoseconds();
  if (slot.failed) {
    event.error = memoryFaultMessage;
    event.fault = slot.fault;
  }
  queue.erase(std::find(queue.begin(), queue.end(), &slot));
  freeSlots.push_back(&slot);
  EventSink *target = sink;
  lock.unlock();
  target->deliver(&event, 1);
  lock.lock();
}

/// Runs grid points of \p slot until there are none left. Returns false, and
/// the address, if one of them caused a memory fault; the rest is given up.
bool ComputeEngine::runGridPoints(Slot &slot, const void *&fault) const {
  const Command &command = *slot.command;
  auto runAll = [&] {
    if (command.kind == Command::Kind::Copy) {
      if (slot.next.fetch_add(1, std::memory_order_relaxed) == 0 &&
          command.bytes > 0)
        std::memmove(command.target, command.source, command.bytes);
      return;
    }
    for (int64_t point = slot.next.fetch_add(1, std::memory_order_relaxed);
         point < command.grid;
         point = slot.next.fetch_add(1, std::memory_order_relaxed))
      command.function(command.buffers, command.scalars, point);
  };
  if (!trapFaults) {
    runAll();
    return true;
  }
  if (FaultTrap::protect(runAll, fault))
    return true;
  slot.next.store(command.grid, std::memory_order_relaxed);
  return false;
}
