//===- Completion.cpp - Who notices that commands are done ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Completion.h"

#include "turnip/runtime/Clock.h"

#include <algorithm>
#include <ctime>
#include <sched.h>
#include <sys/prctl.h>

using namespace turnip;
using namespace turnip::runtime;
using namespace turnip::runtime::cuda;

Completion::Completion(const std::vector<std::unique_ptr<StreamQueue>> &queues,
                       ErrorLog &errors)
    : queues(queues), errors(errors) {
  size_t most = 0;
  for (const auto &queue : queues)
    most += queue->capacity();
  done.reserve(most);
  thread = std::thread([this] { threadMain(); });
}

Completion::~Completion() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping.store(true);
  }
  workCondition.notify_one();
  thread.join();
}

void Completion::notify() {
  // Sequentially consistent, as is the store of what is new on the queue: one
  // of both threads sees what the other did.
  if (!sleeping.load())
    return;
  std::lock_guard<std::mutex> lock(mutex);
  workCondition.notify_one();
}

bool Completion::anythingOutstanding() const {
  return std::any_of(queues.begin(), queues.end(),
                     [](const auto &queue) { return queue->size() > 0; });
}

/// True if what \p slot waits for was taken before. The device has seen to the
/// order already; here it keeps events in order.
bool Completion::awaitedDone(const StreamQueue::Slot &slot) const {
  for (size_t i = 0; i < slot.awaited.size(); ++i)
    if (queues[i]->head() < slot.awaited[i])
      return false;
  return true;
}

/// Takes the first command of \p queue, which is done.
void Completion::take(StreamQueue &queue) {
  const StreamQueue::Slot &slot = queue.at(queue.head());
  Event event;
  event.vertex = slot.vertex;
  event.end = monotonicNanoseconds();
  // It began when everything before it was out of its way.
  event.start = std::max(slot.submitted, queue.lastEnd);
  for (size_t i = 0; i < slot.awaited.size(); ++i)
    if (slot.awaited[i] > 0)
      event.start = std::max(event.start, queues[i]->lastEnd);
  event.error = slot.error;
  queue.lastEnd = event.end;
  queue.pop();
  done.push_back(event);
}

void Completion::collect() {
  // Whoever was called last on this thread may have left another context.
  const Device *entered = nullptr;
  for (const auto &queue : queues) {
    if (queue->size() == 0)
      continue;
    Device &device = queue->device();
    if (!entered || entered->handle() != device.handle()) {
      // What fails here fails again, and is reported, in poll().
      (void)device.enter();
      entered = &device;
    }
    while (queue->size() > 0 && awaitedDone(queue->at(queue->head())) &&
           queue->poll(errors))
      take(*queue);
  }
}

void Completion::sleep() {
  std::unique_lock<std::mutex> lock(mutex);
  sleeping.store(true);
  while (!stopping.load() && !anythingOutstanding())
    workCondition.wait(lock);
  sleeping.store(false);
}

/// How long the thread asks again and again before it takes naps, in
/// nanoseconds, and how long a nap is. Devices have more to do behind what they
/// are at, so that a nap delays what follows, not them.
static constexpr int64_t watchTime = 50000;
static constexpr long napTime = 10000;

void Completion::threadMain() {
  // Timers may fire up to this many nanoseconds late; the default is 50 us.
  prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
  int64_t lastFound = monotonicNanoseconds();
  while (!stopping.load(std::memory_order_relaxed)) {
    collect();
    if (!done.empty()) {
      sink.load()->deliver(done.data(), done.size());
      done.clear();
      lastFound = monotonicNanoseconds();
    } else if (!anythingOutstanding()) {
      sleep();
      lastFound = monotonicNanoseconds();
    } else if (monotonicNanoseconds() - lastFound < watchTime) {
      sched_yield();
    } else {
      timespec nap = {0, napTime};
      nanosleep(&nap, nullptr);
    }
  }
}
