//===- DriverMemory.cpp - Functions on memory and copies ------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Address.h"
#include "Memory.h"
#include "Stream.h"

#include <cinttypes>
#include <cstring>

using namespace turnip::standin;

using Place = Memory::Place;

TURNIP_STANDIN_EXPORT CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Context *context = nullptr;
  if (CUresult result = needContext(context))
    return result;
  *free = memory().freeBytes(*context->device);
  *total = world().config.memory;
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *address,
                                             size_t bytes) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_OUT_OF_MEMORY);
  Context *context = nullptr;
  if (CUresult result = needContext(context))
    return result;
  if (bytes == 0)
    return fail(CUDA_ERROR_INVALID_VALUE, "cuMemAlloc: 0 bytes");
  return memory().allocate(*context, bytes, *address);
}

TURNIP_STANDIN_EXPORT CUresult cuMemFree_v2(CUdeviceptr address) {
  TURNIP_STANDIN_ENTER_RELEASE(CUDA_ERROR_UNKNOWN);
  Context *context = nullptr;
  CUresult result = needContext(context);
  if (!context || !context->alive())
    return result;
  if (address) {
    // Nothing that is under way may lose its memory.
    if (Context *owner = memory().owner(address))
      synchronizeContext(*owner);
    if (CUresult wrong = memory().free(address))
      return wrong;
  }
  return result ? result : injected;
}

static CUresult allocateHost(void **address, size_t bytes) {
  Context *context = nullptr;
  if (CUresult result = needContext(context))
    return result;
  if (bytes == 0)
    return fail(CUDA_ERROR_INVALID_VALUE, "cuMemHostAlloc: 0 bytes");
  return memory().allocateHost(*context, bytes, *address);
}

TURNIP_STANDIN_EXPORT CUresult cuMemHostAlloc(void **address, size_t bytes,
                                              unsigned) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_OUT_OF_MEMORY);
  return allocateHost(address, bytes);
}

TURNIP_STANDIN_EXPORT CUresult cuMemAllocHost_v2(void **address, size_t bytes) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_OUT_OF_MEMORY);
  return allocateHost(address, bytes);
}

TURNIP_STANDIN_EXPORT CUresult cuMemFreeHost(void *address) {
  TURNIP_STANDIN_ENTER_RELEASE(CUDA_ERROR_UNKNOWN);
  Context *context = nullptr;
  CUresult result = needContext(context);
  if (!context || !context->alive())
    return result;
  if (CUresult wrong = memory().freeHost(address))
    return wrong;
  return result ? result : injected;
}

TURNIP_STANDIN_EXPORT CUresult cuMemHostRegister_v2(void *address, size_t bytes,
                                                    unsigned) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_OUT_OF_MEMORY);
  Context *context = nullptr;
  if (CUresult result = needContext(context))
    return result;
  if (!address || bytes == 0)
    return fail(CUDA_ERROR_INVALID_VALUE, "cuMemHostRegister: no memory");
  return memory().registerHost(*context, address, bytes);
}

TURNIP_STANDIN_EXPORT CUresult cuMemHostUnregister(void *address) {
  TURNIP_STANDIN_ENTER_RELEASE(CUDA_ERROR_UNKNOWN);
  Context *context = nullptr;
  CUresult result = needContext(context);
  if (!context || !context->alive())
    return result;
  if (CUresult wrong = memory().unregisterHost(address))
    return wrong;
  return result ? result : injected;
}

TURNIP_STANDIN_EXPORT CUresult
cuMemHostGetDevicePointer_v2(CUdeviceptr *pointer, void *address, unsigned) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Context *context = nullptr;
  if (CUresult result = needContext(context))
    return result;
  const uint64_t number = addressOf(address);
  if (memory().find(number, 1).kind != Place::Kind::Pinned)
    return fail(CUDA_ERROR_INVALID_VALUE, "%p is not in pinned memory",
                address);
  *pointer = number;
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuPointerGetAttribute(
    void *data, CUpointer_attribute attribute, CUdeviceptr address) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Context *context = nullptr;
  if (CUresult result = needContext(context))
    return result;
  Place place = memory().find(address, 1);
  if (place.kind != Place::Kind::Device && place.kind != Place::Kind::Pinned)
    return fail(CUDA_ERROR_INVALID_VALUE, "0x%llx is in no known memory",
                address);
  const bool onDevice = place.kind == Place::Kind::Device;
  if (attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
    *static_cast<unsigned *>(data) =
        onDevice ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  else if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
    *static_cast<int *>(data) = place.context->device->ordinal;
  else if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER ||
           (attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER && !onDevice))
    *static_cast<uint64_t *>(data) = address;
  else
    return fail(CUDA_ERROR_INVALID_VALUE,
                "attribute %d of 0x%llx is not played",
                static_cast<int>(attribute), address);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Checks that \p bytes bytes from \p address are what the copy's end must be.
static CUresult checkEnd(const char *end, uint64_t address, uint64_t bytes,
                         bool host, Place &place) {
  place = memory().find(address, bytes);
  const bool right = host ? address && (place.kind == Place::Kind::Pinned ||
                                        place.kind == Place::Kind::Pageable)
                          : place.kind == Place::Kind::Device;
  if (right)
    return CUDA_SUCCESS;
  return fail(CUDA_ERROR_INVALID_VALUE,
              "copy: the %s, %" PRIu64 " bytes at 0x%" PRIx64 ", is no %s", end,
              bytes, address,
              host ? "host memory, or only partly pinned"
                   : "device memory that is allocated");
}

/// Takes a copy from host memory that is not pinned: its bytes are read before
/// the call returns, and after everything in the stream.
static CUresult stage(Stream &stream, Work &work) {
  stream.synchronize();
  void *pages = mapPages(std::max<uint64_t>(work.bytes, 1));
  if (!pages)
    return fail(CUDA_ERROR_OUT_OF_MEMORY, "the host has no %" PRIu64 " bytes",
                work.bytes);
  std::memcpy(pages, pointerTo(work.source), work.bytes);
  work.object = pages;
  work.flags |= Work::staged;
  return CUDA_SUCCESS;
}

/// Submits a copy whose ends are as \p flags say, as CUDA does: pinned memory
/// is read and written later, any other before the call returns.
static CUresult submitCopy(uint64_t target, uint64_t source, uint64_t bytes,
                           uint32_t flags, void *handle, bool synchronous) {
  Stream *stream = nullptr;
  if (CUresult result = useStream(handle, stream))
    return result;
  if (bytes == 0)
    return CUDA_SUCCESS;
  Place to, from;
  if (CUresult result =
          checkEnd("target", target, bytes, (flags & Work::toHost) != 0, to))
    return result;
  if (CUresult result = checkEnd("source", source, bytes,
                                 (flags & Work::fromHost) != 0, from))
    return result;
  Work work;
  work.kind = Work::Kind::Copy;
  work.target = target;
  work.source = source;
  work.bytes = bytes;
  work.flags = flags;
  work.value = to.kind == Place::Kind::Pinned     ? to.serial
               : from.kind == Place::Kind::Pinned ? from.serial
                                                  : 0;
  if (from.kind == Place::Kind::Pageable)
    if (CUresult result = stage(*stream, work))
      return result;
  if (from.kind == Place::Kind::Pageable || to.kind == Place::Kind::Pageable)
    ++world().counters.pageableCopies;
  const uint64_t position = submit(*stream, work);
  if (to.kind == Place::Kind::Pageable || synchronous)
    stream->wait(position);
  return static_cast<CUresult>(stream->context.sticky.load());
}

TURNIP_STANDIN_EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr target,
                                                    const void *source,
                                                    size_t bytes,
                                                    void *stream) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  return submitCopy(target, addressOf(source), bytes, Work::fromHost, stream,
                    false);
}

TURNIP_STANDIN_EXPORT CUresult cuMemcpyDtoHAsync_v2(void *target,
                                                    CUdeviceptr source,
                                                    size_t bytes,
                                                    void *stream) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  return submitCopy(addressOf(target), source, bytes, Work::toHost, stream,
                    false);
}

TURNIP_STANDIN_EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr target,
                                                    CUdeviceptr source,
                                                    size_t bytes,
                                                    void *stream) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  return submitCopy(target, source, bytes, 0, stream, false);
}

TURNIP_STANDIN_EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr target,
                                               const void *source,
                                               size_t bytes) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  return submitCopy(target, addressOf(source), bytes, Work::fromHost, nullptr,
                    true);
}

TURNIP_STANDIN_EXPORT CUresult cuMemcpyDtoH_v2(void *target, CUdeviceptr source,
                                               size_t bytes) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  return submitCopy(addressOf(target), source, bytes, Work::toHost, nullptr,
                    true);
}

TURNIP_STANDIN_EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr target,
                                               CUdeviceptr source,
                                               size_t bytes) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  return submitCopy(target, source, bytes, 0, nullptr, true);
}

/// The kinds of a copy whose ends are found by their addresses.
static uint32_t guessFlags(uint64_t target, uint64_t source) {
  const bool fromDevice = memory().find(source, 1).kind == Place::Kind::Device;
  const bool toDevice = memory().find(target, 1).kind == Place::Kind::Device;
  return (fromDevice ? 0 : Work::fromHost) | (toDevice ? 0 : Work::toHost);
}

TURNIP_STANDIN_EXPORT CUresult cuMemcpyAsync(CUdeviceptr target,
                                             CUdeviceptr source, size_t bytes,
                                             void *stream) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  return submitCopy(target, source, bytes, guessFlags(target, source), stream,
                    false);
}

TURNIP_STANDIN_EXPORT CUresult cuMemcpyPeerAsync(CUdeviceptr target,
                                                 Context *targetContext,
                                                 CUdeviceptr source,
                                                 Context *sourceContext,
                                                 size_t bytes, void *stream) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  if (!targetContext || !targetContext->alive() || !sourceContext ||
      !sourceContext->alive())
    return fail(CUDA_ERROR_INVALID_CONTEXT, "no peer context, or destroyed");
  if (bytes && (memory().owner(target) != targetContext ||
                memory().owner(source) != sourceContext))
    return fail(CUDA_ERROR_INVALID_VALUE,
                "cuMemcpyPeerAsync: 0x%llx or 0x%llx is not in memory of the "
                "context named for it",
                target, source);
  return submitCopy(target, source, bytes, 0, stream, false);
}

static CUresult submitFill(CUdeviceptr target, uint64_t value, uint32_t width,
                           size_t count, void *handle, bool synchronous) {
  Stream *stream = nullptr;
  if (CUresult result = useStream(handle, stream))
    return result;
  if (count == 0)
    return CUDA_SUCCESS;
  Place place;
  if (CUresult result = checkEnd("target", target, count * width, false, place))
    return result;
  if (target % width)
    return fail(CUDA_ERROR_INVALID_VALUE,
                "cuMemset: 0x%llx is not aligned to %u bytes", target, width);
  Work work;
  work.kind = Work::Kind::Fill;
  work.target = target;
  work.bytes = count * width;
  work.value = value;
  work.flags = width;
  const uint64_t position = submit(*stream, work);
  if (synchronous)
    stream->wait(position);
  return static_cast<CUresult>(stream->context.sticky.load());
}

TURNIP_STANDIN_EXPORT CUresult cuMemsetD8Async(CUdeviceptr target,
                                               unsigned char value,
                                               size_t count, void *stream) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  return submitFill(target, value, 1, count, stream, false);
}

TURNIP_STANDIN_EXPORT CUresult cuMemsetD32Async(CUdeviceptr target,
                                                unsigned value, size_t count,
                                                void *stream) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  return submitFill(target, value, 4, count, stream, false);
}

TURNIP_STANDIN_EXPORT CUresult cuMemsetD8_v2(CUdeviceptr target,
                                             unsigned char value,
                                             size_t count) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  return submitFill(target, value, 1, count, nullptr, true);
}
