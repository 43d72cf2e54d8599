//===- TransferEngine.cpp - One direction of a link -----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransferEngine.h"

#include "FaultTrap.h"
#include "turnip/runtime/Clock.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/prctl.h>

using namespace turnip;
using namespace turnip::runtime;

TransferEngine::TransferEngine(const HostOptions &options) : options(options) {
  thread = std::thread([this] { threadMain(); });
}

TransferEngine::~TransferEngine() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  workCondition.notify_one();
  thread.join();
}

void TransferEngine::setSink(EventSink *newSink) {
  std::lock_guard<std::mutex> lock(mutex);
  sink = newSink;
}

void TransferEngine::submit(const Command &command) {
  int64_t now = monotonicNanoseconds();
  {
    std::lock_guard<std::mutex> lock(mutex);
    entries[(head + count++) % depth] = {&command, now};
  }
  workCondition.notify_one();
}

void TransferEngine::threadMain() {
  // Timers may fire up to this many nanoseconds late; the default is 50 us.
  prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    if (count == 0) {
      if (stopping)
        return;
      workCondition.wait(lock);
      continue;
    }
    Entry entry = entries[head];
    head = (head + 1) % depth;
    --count;
    EventSink *target = sink;
    lock.unlock();
    Event event = transfer(entry);
    target->deliver(&event, 1);
    lock.lock();
  }
}

static void sleepUntil(int64_t deadline) {
  timespec time;
  time.tv_sec = deadline / 1000000000;
  time.tv_nsec = deadline % 1000000000;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) ==
         EINTR) {
  }
}

/// Sleeps in pieces that are short for somebody who wants to stop.
int64_t TransferEngine::waitUntil(int64_t deadline) const {
  constexpr int64_t piece = 50000000;
  while (!hurry.load(std::memory_order_relaxed)) {
    int64_t now = monotonicNanoseconds();
    if (now >= deadline)
      return deadline;
    sleepUntil(std::min(deadline, now + piece));
  }
  return std::min(deadline, monotonicNanoseconds());
}

Event TransferEngine::transfer(const Entry &entry) {
  const Command &command = *entry.command;
  Event event;
  event.vertex = command.vertex;
  auto copy = [&] {
    if (command.bytes > 0)
      std::memcpy(command.target, command.source, command.bytes);
  };
  const bool emulated = options.linkGbps > 0 || options.linkLatencyUs > 0;
  event.start =
      emulated ? std::max(entry.submitted, freeAt) : monotonicNanoseconds();
  if (!options.trapFaults) {
    copy();
  } else if (!FaultTrap::protect(copy, event.fault)) {
    event.error = memoryFaultMessage;
  }
  event.end = monotonicNanoseconds();
  if (!emulated)
    return event;

  double nanoseconds = options.linkLatencyUs * 1e3;
  if (options.linkGbps > 0)
    nanoseconds += static_cast<double>(command.bytes) / options.linkGbps;
  nanoseconds *= jitterFactor(options.linkJitter, options.seed, command.vertex);
  int64_t deadline = event.start + static_cast<int64_t>(nanoseconds);
  if (deadline > event.end)
    event.end = std::max(event.end, waitUntil(deadline));
  freeAt = event.end;
  return event;
}
