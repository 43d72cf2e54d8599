//===- DriverStreams.cpp - Functions on streams and events ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "Stream.h"

using namespace turnip::standin;

static CUresult createStream(Stream **stream, unsigned flags, int priority) {
  Context *context = nullptr;
  if (CUresult result = needContext(context))
    return result;
  if (flags & ~CU_STREAM_NON_BLOCKING)
    return fail(CUDA_ERROR_INVALID_VALUE, "cuStreamCreate: unknown flags %u",
                flags);
  World &all = world();
  auto *made = new Stream(*context, flags, priority, ++all.streamsMade);
  {
    std::lock_guard<std::mutex> lock(all.mutex);
    all.objects.push_back(made);
  }
  if (!made->works()) {
    made->state = Object::State::Dead;
    return fail(CUDA_ERROR_OUT_OF_MEMORY,
                "the host has no memory for a stream's queue");
  }
  std::lock_guard<std::mutex> lock(context->mutex);
  context->streams.push_back(made);
  ++all.counters.streams;
  *stream = made;
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuStreamCreate(Stream **stream, unsigned flags) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_OUT_OF_MEMORY);
  return createStream(stream, flags, 0);
}

TURNIP_STANDIN_EXPORT CUresult cuStreamCreateWithPriority(Stream **stream,
                                                          unsigned flags,
                                                          int priority) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_OUT_OF_MEMORY);
  return createStream(stream, flags, std::max(-5, std::min(0, priority)));
}

TURNIP_STANDIN_EXPORT CUresult cuStreamDestroy_v2(Stream *stream) {
  TURNIP_STANDIN_ENTER_RELEASE(CUDA_ERROR_UNKNOWN);
  if (!stream || !stream->alive())
    return fail(CUDA_ERROR_INVALID_HANDLE,
                "cuStreamDestroy: no stream, or destroyed");
  stream->state = Object::State::Dead;
  // The call does not wait: what is in the queue will still be done.
  stream->stop();
  --world().counters.streams;
  const int sticky = stream->context.sticky.load();
  return sticky ? static_cast<CUresult>(sticky) : injected;
}

TURNIP_STANDIN_EXPORT CUresult cuStreamGetPriority(void *handle,
                                                   int *priority) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Stream *stream = nullptr;
  if (CUresult result = useStream(handle, stream))
    return result;
  *priority = stream->priority;
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuStreamGetFlags(void *handle, unsigned *flags) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Stream *stream = nullptr;
  if (CUresult result = useStream(handle, stream))
    return result;
  *flags = stream->flags;
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuStreamQuery(void *handle) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Stream *stream = nullptr;
  if (CUresult result = useStream(handle, stream))
    return result;
  return stream->atWork()
             ? CUDA_ERROR_NOT_READY
             : static_cast<CUresult>(stream->context.sticky.load());
}

TURNIP_STANDIN_EXPORT CUresult cuStreamSynchronize(void *handle) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Stream *stream = nullptr;
  if (CUresult result = useStream(handle, stream))
    return result;
  stream->synchronize();
  return static_cast<CUresult>(stream->context.sticky.load());
}

/// The event that \p event names, or why there is none.
static CUresult checkEvent(const EventObject *event) {
  Context *context = nullptr;
  if (CUresult result = needContext(context))
    return result;
  if (!event || !event->alive())
    return fail(CUDA_ERROR_INVALID_HANDLE, "no event, or destroyed");
  return static_cast<CUresult>(event->context->sticky.load());
}

TURNIP_STANDIN_EXPORT CUresult cuStreamWaitEvent(void *handle,
                                                 EventObject *event, unsigned) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Stream *stream = nullptr;
  if (CUresult result = useStream(handle, stream))
    return result;
  if (CUresult result = checkEvent(event))
    return result;
  auto [other, position] = eventTarget(*event);
  // An event that was never recorded has happened; a stream is in order.
  if (!other || other == stream || other->done(position))
    return CUDA_SUCCESS;
  Work work;
  work.kind = Work::Kind::Wait;
  work.other = other;
  work.value = position;
  submit(*stream, work);
  return CUDA_SUCCESS;
}

static CUresult submitValue(Work::Kind kind, void *handle, CUdeviceptr address,
                            uint64_t value, uint32_t bytes, unsigned flags) {
  Stream *stream = nullptr;
  if (CUresult result = useStream(handle, stream))
    return result;
  using Kind = Memory::Place::Kind;
  const Memory::Place place = memory().find(address, bytes);
  if (address % bytes ||
      (place.kind != Kind::Device && place.kind != Kind::Pinned))
    return fail(CUDA_ERROR_INVALID_VALUE,
                "a value at 0x%llx: not aligned, or in no memory of a device",
                address);
  if (kind == Work::Kind::WaitValue && flags > CU_STREAM_WAIT_VALUE_AND)
    return fail(CUDA_ERROR_NOT_SUPPORTED,
                "waiting for a value: the flags 0x%x are not played", flags);
  Work work;
  work.kind = kind;
  work.target = address;
  work.value = value;
  work.flags = bytes;
  work.condition = flags;
  submit(*stream, work);
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuStreamWriteValue32_v2(void *stream,
                                                       CUdeviceptr address,
                                                       uint32_t value,
                                                       unsigned flags) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  return submitValue(Work::Kind::Write, stream, address, value, 4, flags);
}

TURNIP_STANDIN_EXPORT CUresult cuStreamWriteValue64_v2(void *stream,
                                                       CUdeviceptr address,
                                                       uint64_t value,
                                                       unsigned flags) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  return submitValue(Work::Kind::Write, stream, address, value, 8, flags);
}

TURNIP_STANDIN_EXPORT CUresult cuStreamWaitValue32_v2(void *stream,
                                                      CUdeviceptr address,
                                                      uint32_t value,
                                                      unsigned flags) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  return submitValue(Work::Kind::WaitValue, stream, address, value, 4, flags);
}

TURNIP_STANDIN_EXPORT CUresult cuStreamWaitValue64_v2(void *stream,
                                                      CUdeviceptr address,
                                                      uint64_t value,
                                                      unsigned flags) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  return submitValue(Work::Kind::WaitValue, stream, address, value, 8, flags);
}

TURNIP_STANDIN_EXPORT CUresult cuLaunchHostFunc(void *handle,
                                                void (*function)(void *),
                                                void *data) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Stream *stream = nullptr;
  if (CUresult result = useStream(handle, stream))
    return result;
  if (!function)
    return fail(CUDA_ERROR_INVALID_VALUE, "cuLaunchHostFunc: no function");
  Work work;
  work.kind = Work::Kind::Call;
  work.function = function;
  work.object = data;
  submit(*stream, work);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

/// An event to be had again once many have died after it, or a new one.
static EventObject *takeEvent() {
  constexpr size_t kept = 1024;
  World &all = world();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (all.deadEvents.size() > kept) {
    EventObject *event = all.deadEvents.front();
    all.deadEvents.pop_front();
    return event;
  }
  auto *event = new EventObject;
  all.objects.push_back(event);
  return event;
}

TURNIP_STANDIN_EXPORT CUresult cuEventCreate(EventObject **event,
                                             unsigned flags) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_OUT_OF_MEMORY);
  Context *context = nullptr;
  if (CUresult result = needContext(context))
    return result;
  EventObject *made = takeEvent();
  {
    std::lock_guard<std::mutex> lock(made->mutex);
    made->context = context;
    made->timed = !(flags & CU_EVENT_DISABLE_TIMING);
    made->stream = nullptr;
    ++made->generation;
    made->state = Object::State::Alive;
  }
  std::lock_guard<std::mutex> lock(context->mutex);
  context->events.insert(made);
  ++world().counters.events;
  *event = made;
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuEventDestroy_v2(EventObject *event) {
  TURNIP_STANDIN_ENTER_RELEASE(CUDA_ERROR_UNKNOWN);
  if (!event || !event->alive())
    return fail(CUDA_ERROR_INVALID_HANDLE, "no event, or destroyed");
  event->state = Object::State::Dead;
  Context &context = *event->context;
  {
    std::lock_guard<std::mutex> lock(context.mutex);
    context.events.erase(event);
  }
  --world().counters.events;
  std::lock_guard<std::mutex> lock(world().mutex);
  world().deadEvents.push_back(event);
  const int sticky = context.sticky.load();
  return sticky ? static_cast<CUresult>(sticky) : injected;
}

TURNIP_STANDIN_EXPORT CUresult cuEventRecord(EventObject *event, void *handle) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Stream *stream = nullptr;
  if (CUresult result = useStream(handle, stream))
    return result;
  if (CUresult result = checkEvent(event))
    return result;
  if (event->context != &stream->context)
    return fail(CUDA_ERROR_INVALID_HANDLE,
                "cuEventRecord: event and stream are of different contexts");
  recordEvent(*event, *stream);
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuEventQuery(EventObject *event) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  if (CUresult result = checkEvent(event))
    return result;
  return eventDone(*event)
             ? static_cast<CUresult>(event->context->sticky.load())
             : CUDA_ERROR_NOT_READY;
}

TURNIP_STANDIN_EXPORT CUresult cuEventSynchronize(EventObject *event) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  if (CUresult result = checkEvent(event))
    return result;
  auto [stream, position] = eventTarget(*event);
  if (stream)
    stream->wait(position);
  return static_cast<CUresult>(event->context->sticky.load());
}

static CUresult elapsed(float *milliseconds, EventObject *begin,
                        EventObject *end) {
  int64_t times[2] = {};
  unsigned count = 0;
  for (EventObject *event : {begin, end}) {
    if (CUresult result = checkEvent(event))
      return result;
    if (!event->timed || !eventTarget(*event).first)
      return fail(CUDA_ERROR_INVALID_HANDLE,
                  "cuEventElapsedTime: an event without a time");
    if (!eventDone(*event))
      return CUDA_ERROR_NOT_READY;
    std::lock_guard<std::mutex> lock(event->mutex);
    times[count++] = event->time;
  }
  *milliseconds =
      static_cast<float>(static_cast<double>(times[1] - times[0]) / 1e6);
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuEventElapsedTime(float *milliseconds,
                                                  EventObject *begin,
                                                  EventObject *end) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  return elapsed(milliseconds, begin, end);
}

TURNIP_STANDIN_EXPORT CUresult cuEventElapsedTime_v2(float *milliseconds,
                                                     EventObject *begin,
                                                     EventObject *end) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  return elapsed(milliseconds, begin, end);
}
