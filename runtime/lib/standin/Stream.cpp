//===- Stream.cpp - Queues of work and the threads that do it -------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stream.h"

#include "Memory.h"

#include <chrono>
#include <cstring>

using namespace turnip::standin;

/// How long a thread looks for work, or for the end of some, before it sleeps.
static constexpr int64_t spinNanoseconds = 50000;

int64_t turnip::standin::nowNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Returns true as soon as \p condition holds, false if it does not in time.
template <typename Condition> static bool spin(Condition condition) {
  const int64_t deadline = nowNanoseconds() + spinNanoseconds;
  for (unsigned i = 0;; ++i) {
    if (condition())
      return true;
    if (i < 64) {
      __builtin_ia32_pause();
      continue;
    }
    std::this_thread::yield();
    if (i % 8 == 0 && nowNanoseconds() > deadline)
      return false;
  }
}

Stream::Stream(Context &context, unsigned flags, int priority, uint64_t number)
    : context(context), flags(flags), priority(priority), number(number) {
  void *pages =
      mapPages(capacity * sizeof(Work) + payloadCapacity * sizeof(uint64_t));
  queue = static_cast<Work *>(pages);
  if (queue) {
    payloads = reinterpret_cast<uint64_t *>(queue + capacity);
    thread = std::thread([this] { run(); });
  }
}

void Stream::stop() {
  Work work;
  work.kind = Work::Kind::Stop;
  push(work);
}

void Stream::join() {
  if (!thread.joinable())
    return;
  thread.join();
  unmapPages(queue,
             capacity * sizeof(Work) + payloadCapacity * sizeof(uint64_t));
}

//===----------------------------------------------------------------------===//
// The queue
//===----------------------------------------------------------------------===//

/// Where \p words words of payload begin: behind the last ones, or at the
/// ring's beginning where the rest of it is too short.
uint64_t Stream::placePayload(uint32_t words) const {
  const uint64_t offset = payloadUsed % payloadCapacity;
  return offset + words > payloadCapacity
             ? payloadUsed + payloadCapacity - offset
             : payloadUsed;
}

bool Stream::full(uint32_t words) const {
  return numSubmitted.load(std::memory_order_relaxed) -
                 numDone.load(std::memory_order_acquire) >=
             capacity ||
         placePayload(words) + words -
                 payloadFreed.load(std::memory_order_acquire) >
             payloadCapacity;
}

uint64_t Stream::push(const Work &work) {
  std::lock_guard<std::mutex> lock(submitMutex);
  while (full(work.payloadWords))
    wait(numDone.load(std::memory_order_acquire) + 1);
  const uint64_t position = numSubmitted.load(std::memory_order_relaxed) + 1;
  Work &slot = queue[position % capacity];
  slot = work;
  const uint64_t begin = placePayload(work.payloadWords);
  if (work.payloadWords) {
    uint64_t *target = payloads + begin % payloadCapacity;
    std::memcpy(target, work.payload, work.payloadWords * sizeof(uint64_t));
    slot.payload = target;
  }
  payloadUsed = slot.payloadEnd = begin + work.payloadWords;
  numSubmitted.store(position, std::memory_order_seq_cst);
  if (asleep.load(std::memory_order_seq_cst)) {
    // The sleeper has the lock from its last look at the queue until it sleeps.
    {
      std::lock_guard<std::mutex> sleepLock(sleepMutex);
    }
    workCame.notify_one();
  }
  return position;
}

void Stream::wait(uint64_t position) {
  auto reached = [&] { return done(position); };
  if (reached() || spin(reached))
    return;
  std::unique_lock<std::mutex> lock(sleepMutex);
  waiters.fetch_add(1, std::memory_order_seq_cst);
  workDone.wait(lock, [&] {
    return numDone.load(std::memory_order_seq_cst) >= position;
  });
  waiters.fetch_sub(1, std::memory_order_seq_cst);
}

void Stream::awaitWork(uint64_t position) {
  auto there = [&] { return submitted() >= position; };
  if (there() || spin(there))
    return;
  std::unique_lock<std::mutex> lock(sleepMutex);
  asleep.store(true, std::memory_order_seq_cst);
  workCame.wait(lock, [&] {
    return numSubmitted.load(std::memory_order_seq_cst) >= position;
  });
  asleep.store(false, std::memory_order_seq_cst);
}

void Stream::complete(const Work &work) {
  payloadFreed.store(work.payloadEnd, std::memory_order_release);
  numDone.fetch_add(1, std::memory_order_seq_cst);
  if (waiters.load(std::memory_order_seq_cst)) {
    {
      std::lock_guard<std::mutex> lock(sleepMutex);
    }
    workDone.notify_all();
  }
}

void Stream::run() {
  void *handlerStack = BlockRunner::enterThread();
  for (uint64_t position = 1;; ++position) {
    awaitWork(position);
    const Work &work = queue[position % capacity];
    const bool last = work.kind == Work::Kind::Stop;
    if (!last)
      execute(work);
    if (last && runner)
      runner->destroy();
    if (last)
      BlockRunner::leaveThread(handlerStack);
    complete(work);
    if (last)
      return;
  }
}

//===----------------------------------------------------------------------===//
// The NULL stream
//===----------------------------------------------------------------------===//

static void waitBehind(Stream &stream, Stream &other) {
  Work work;
  work.kind = Work::Kind::Wait;
  work.other = &other;
  work.value = other.submitted();
  stream.push(work);
}

uint64_t turnip::standin::submit(Stream &stream, const Work &work) {
  if (!stream.blocking())
    return stream.push(work);
  // The NULL stream waits for all that do not say they need not be waited for,
  // and these wait for it.
  Context &context = stream.context;
  std::lock_guard<std::mutex> lock(context.mutex);
  if (context.null && &stream != context.null && context.null->atWork())
    waitBehind(stream, *context.null);
  if (&stream == context.null)
    for (Stream *other : context.streams)
      if (other->blocking() && other->atWork())
        waitBehind(stream, *other);
  return stream.push(work);
}

static Stream *nullStream(Context &context) {
  {
    std::lock_guard<std::mutex> lock(context.mutex);
    if (context.null)
      return context.null;
  }
  World &all = world();
  std::lock_guard<std::mutex> worldLock(all.mutex);
  std::lock_guard<std::mutex> lock(context.mutex);
  if (!context.null) {
    context.null = new Stream(context, 0, 0, ++all.streamsMade);
    all.objects.push_back(context.null);
  }
  return context.null;
}

CUresult turnip::standin::useStream(void *handle, Stream *&stream) {
  Context *context = nullptr;
  if (CUresult result = needContext(context))
    return result;
  // The handle 1 names the NULL stream as well.
  if (reinterpret_cast<uintptr_t>(handle) <= 1) {
    stream = nullStream(*context);
    return stream->works() ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  }
  stream = static_cast<Stream *>(handle);
  if (!stream->alive())
    return fail(CUDA_ERROR_INVALID_HANDLE, "the stream was destroyed");
  return static_cast<CUresult>(stream->context.sticky.load());
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

void turnip::standin::recordEvent(EventObject &event, Stream &stream) {
  Work work;
  work.kind = Work::Kind::Record;
  work.object = &event;
  {
    std::lock_guard<std::mutex> lock(event.mutex);
    work.value = ++event.generation;
  }
  // Without the lock: a full queue may have to get past an earlier record of
  // the same event.
  const uint64_t position = stream.push(work);
  std::lock_guard<std::mutex> lock(event.mutex);
  event.stream = &stream;
  event.position = position;
}

std::pair<Stream *, uint64_t> turnip::standin::eventTarget(EventObject &event) {
  std::lock_guard<std::mutex> lock(event.mutex);
  return {event.stream, event.position};
}

bool turnip::standin::eventDone(EventObject &event) {
  auto [stream, position] = eventTarget(event);
  return !stream || stream->done(position);
}

void Stream::record(const Work &work) {
  auto &event = *static_cast<EventObject *>(work.object);
  std::lock_guard<std::mutex> lock(event.mutex);
  if (event.generation == work.value)
    event.time = nowNanoseconds();
}
