//===- DriverDevices.cpp - Functions on devices and contexts --------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Memory.h"
#include "Stream.h"

#include <cstdio>
#include <cstring>

using namespace turnip::standin;

namespace {
/// Names and descriptions of the errors that are played.
struct ErrorText {
  CUresult error;
  const char *name;
  const char *text;
};

const ErrorText errorTexts[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED",
     "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE",
     "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE",
     "invalid device ordinal"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE",
     "device kernel image is invalid"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT",
     "invalid device context"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {CUDA_ERROR_ECC_UNCORRECTABLE, "CUDA_ERROR_ECC_UNCORRECTABLE",
     "uncorrectable ECC error encountered"},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX",
     "a PTX JIT compilation failed"},
    {CUDA_ERROR_OPERATING_SYSTEM, "CUDA_ERROR_OPERATING_SYSTEM",
     "OS call failed or operation not supported on this OS"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE",
     "invalid resource handle"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
     "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED",
     "peer access is already enabled"},
    {CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED",
     "peer access has not been enabled"},
    {CUDA_ERROR_CONTEXT_IS_DESTROYED, "CUDA_ERROR_CONTEXT_IS_DESTROYED",
     "context is destroyed"},
    {CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
     "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
     "part or all of the requested memory range is already mapped"},
    {CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
     "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
     "pointer does not correspond to a registered memory region"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED",
     "unspecified launch failure"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED",
     "operation not supported"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

const ErrorText *findText(CUresult error) {
  for (const ErrorText &entry : errorTexts)
    if (entry.error == error)
      return &entry;
  return nullptr;
}

CUresult findDevice(CUdevice ordinal, Device *&device) {
  World &all = world();
  if (!all.initialised.load())
    return fail(CUDA_ERROR_NOT_INITIALIZED, "cuInit was not called");
  if (ordinal < 0 || ordinal >= static_cast<int>(all.devices.size()))
    return fail(CUDA_ERROR_INVALID_DEVICE, "there is no device %d", ordinal);
  device = all.devices[static_cast<size_t>(ordinal)];
  return CUDA_SUCCESS;
}
} // namespace

TURNIP_STANDIN_EXPORT CUresult cuGetErrorName(CUresult error,
                                              const char **name) {
  const ErrorText *entry = findText(error);
  *name = entry ? entry->name : nullptr;
  return entry ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

TURNIP_STANDIN_EXPORT CUresult cuGetErrorString(CUresult error,
                                                const char **text) {
  const ErrorText *entry = findText(error);
  *text = entry ? entry->text : nullptr;
  return entry ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

TURNIP_STANDIN_EXPORT CUresult cuInit(unsigned flags) {
  if (!configureFromEnvironment())
    return CUDA_ERROR_INVALID_VALUE;
  TURNIP_STANDIN_ENTER(CUDA_ERROR_NO_DEVICE);
  if (flags != 0)
    return fail(CUDA_ERROR_INVALID_VALUE, "cuInit: the flags must be 0");
  if (world().devices.empty())
    return fail(CUDA_ERROR_NO_DEVICE, "there is no device");
  world().initialised.store(true);
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuDriverGetVersion(int *version) {
  if (!configureFromEnvironment())
    return CUDA_ERROR_INVALID_VALUE;
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  *version = world().config.driverVersion;
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuDeviceGetCount(int *count) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  if (!world().initialised.load())
    return fail(CUDA_ERROR_NOT_INITIALIZED, "cuInit was not called");
  *count = static_cast<int>(world().devices.size());
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_INVALID_DEVICE);
  Device *found = nullptr;
  if (CUresult result = findDevice(ordinal, found))
    return result;
  *device = ordinal;
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuDeviceGetName(char *name, int length,
                                               CUdevice device) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Device *found = nullptr;
  if (CUresult result = findDevice(device, found))
    return result;
  if (length <= 0)
    return fail(CUDA_ERROR_INVALID_VALUE, "cuDeviceGetName: no room");
  std::snprintf(name, static_cast<size_t>(length), "Turnip CUDA stand-in");
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuDeviceGetUuid_v2(unsigned char *uuid,
                                                  CUdevice device) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Device *found = nullptr;
  if (CUresult result = findDevice(device, found))
    return result;
  const unsigned char name[15] = {'t', 'u', 'r', 'n', 'i', 'p', '-', 's',
                                  't', 'a', 'n', 'd', '-', 'i', 'n'};
  std::memcpy(uuid, name, sizeof(name));
  uuid[15] = static_cast<unsigned char>(device);
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuDeviceGetPCIBusId(char *id, int length,
                                                   CUdevice device) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Device *found = nullptr;
  if (CUresult result = findDevice(device, found))
    return result;
  if (length < 13)
    return fail(CUDA_ERROR_INVALID_VALUE, "cuDeviceGetPCIBusId: no room");
  std::snprintf(id, static_cast<size_t>(length), "0000:%02x:00.0", device + 1);
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes,
                                                   CUdevice device) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Device *found = nullptr;
  if (CUresult result = findDevice(device, found))
    return result;
  *bytes = world().config.memory;
  return CUDA_SUCCESS;
}

/// The value of \p attribute, -1 if it is not played.
static int attributeValue(CUdevice_attribute attribute, CUdevice device) {
  const Config &config = world().config;
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
    return BlockRunner::maxThreads;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
    return 64;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
    return INT32_MAX;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
    return 65535;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
    return 48 << 10;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    return config.capabilityMajor >= 9 ? BlockRunner::maxSharedBytes : 166912;
  case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
    return 32;
  case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
  case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
    return 1000000;
  case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
    return 64;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    return 1;
  case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
    return 1 << 20;
  case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
    return 2;
  case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
    return device + 1;
  case CU_DEVICE_ATTRIBUTE_INTEGRATED:
  case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
  case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID:
    return 0;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    return config.capabilityMajor;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    return config.capabilityMinor;
  case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
  case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
  case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
  case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
  case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
    return 1;
  }
  return -1;
}

TURNIP_STANDIN_EXPORT CUresult cuDeviceGetAttribute(
    int *value, CUdevice_attribute attribute, CUdevice device) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Device *found = nullptr;
  if (CUresult result = findDevice(device, found))
    return result;
  const int answer = attributeValue(attribute, device);
  if (answer < 0)
    return fail(CUDA_ERROR_INVALID_VALUE, "attribute %d is not played",
                static_cast<int>(attribute));
  *value = answer;
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuDeviceCanAccessPeer(int *can, CUdevice device,
                                                     CUdevice peer) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Device *found = nullptr;
  if (CUresult result = findDevice(device, found))
    return result;
  if (CUresult result = findDevice(peer, found))
    return result;
  *can = world().config.peers && device != peer;
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuDevicePrimaryCtxRetain(Context **context,
                                                        CUdevice device) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_OUT_OF_MEMORY);
  std::lock_guard<std::mutex> lock(world().mutex);
  Device *found = nullptr;
  if (CUresult result = findDevice(device, found))
    return result;
  if (found->primary)
    ++found->primary->retains;
  else
    found->primary = createContext(*found);
  *context = found->primary;
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  TURNIP_STANDIN_ENTER_RELEASE(CUDA_ERROR_UNKNOWN);
  std::lock_guard<std::mutex> lock(world().mutex);
  Device *found = nullptr;
  if (CUresult result = findDevice(device, found))
    return result;
  if (!found->primary)
    return fail(CUDA_ERROR_INVALID_CONTEXT,
                "device %d: its primary context is not retained", device);
  if (--found->primary->retains == 0) {
    destroyContext(*found->primary);
    found->primary = nullptr;
  }
  return injected;
}

TURNIP_STANDIN_EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device,
                                                          unsigned *flags,
                                                          int *active) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  std::lock_guard<std::mutex> lock(world().mutex);
  Device *found = nullptr;
  if (CUresult result = findDevice(device, found))
    return result;
  *flags = 0;
  *active = found->primary != nullptr;
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device,
                                                             unsigned) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Device *found = nullptr;
  return findDevice(device, found);
}

TURNIP_STANDIN_EXPORT CUresult cuCtxCreate_v2(Context **context, unsigned,
                                              CUdevice device) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_OUT_OF_MEMORY);
  std::lock_guard<std::mutex> lock(world().mutex);
  Device *found = nullptr;
  if (CUresult result = findDevice(device, found))
    return result;
  *context = createContext(*found);
  pushContext(*context);
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuCtxDestroy_v2(Context *context) {
  TURNIP_STANDIN_ENTER_RELEASE(CUDA_ERROR_UNKNOWN);
  std::lock_guard<std::mutex> lock(world().mutex);
  if (!context || !context->alive() || context->device->primary == context)
    return fail(CUDA_ERROR_INVALID_CONTEXT,
                "cuCtxDestroy: no context that cuCtxCreate has made");
  if (currentContext() == context)
    setCurrentContext(nullptr);
  destroyContext(*context);
  return injected;
}

TURNIP_STANDIN_EXPORT CUresult cuCtxSetCurrent(Context *context) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_INVALID_CONTEXT);
  if (context && !context->alive())
    return fail(CUDA_ERROR_INVALID_CONTEXT, "the context was destroyed");
  setCurrentContext(context);
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuCtxGetCurrent(Context **context) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  *context = currentContext();
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuCtxPushCurrent_v2(Context *context) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_INVALID_CONTEXT);
  if (!context || !context->alive())
    return fail(CUDA_ERROR_INVALID_CONTEXT, "no context, or destroyed");
  return pushContext(context)
             ? CUDA_SUCCESS
             : fail(CUDA_ERROR_INVALID_VALUE, "too many contexts on a thread");
}

TURNIP_STANDIN_EXPORT CUresult cuCtxPopCurrent_v2(Context **context) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_INVALID_CONTEXT);
  Context *top = nullptr;
  if (!popContext(top))
    return fail(CUDA_ERROR_INVALID_CONTEXT,
                "no context is current to this thread");
  if (context)
    *context = top;
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuCtxGetDevice(CUdevice *device) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Context *context = nullptr;
  if (CUresult result = needContext(context))
    return result;
  *device = context->device->ordinal;
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuCtxSynchronize() {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Context *context = nullptr;
  if (CUresult result = needContext(context))
    return result;
  synchronizeContext(*context);
  return static_cast<CUresult>(context->sticky.load());
}

TURNIP_STANDIN_EXPORT CUresult cuCtxGetStreamPriorityRange(int *least,
                                                           int *greatest) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Context *context = nullptr;
  if (CUresult result = needContext(context))
    return result;
  if (least)
    *least = 0;
  if (greatest)
    *greatest = -5;
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Context *context = nullptr;
  if (CUresult result = needContext(context))
    return result;
  switch (limit) {
  case CU_LIMIT_STACK_SIZE:
    *value = 1024;
    return CUDA_SUCCESS;
  case CU_LIMIT_PRINTF_FIFO_SIZE:
  case CU_LIMIT_MALLOC_HEAP_SIZE:
    *value = 0;
    return CUDA_SUCCESS;
  }
  return fail(CUDA_ERROR_INVALID_VALUE, "limit %d is not played",
              static_cast<int>(limit));
}

TURNIP_STANDIN_EXPORT CUresult cuCtxSetLimit(CUlimit limit, size_t) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Context *context = nullptr;
  if (CUresult result = needContext(context))
    return result;
  if (limit < CU_LIMIT_STACK_SIZE || limit > CU_LIMIT_MALLOC_HEAP_SIZE)
    return fail(CUDA_ERROR_INVALID_VALUE, "limit %d is not played",
                static_cast<int>(limit));
  return CUDA_SUCCESS;
}

/// Whether kernels of \p context may be given access to memory of \p peer.
static CUresult checkPeer(const Context &context, const Context *peer) {
  if (!peer || !peer->alive())
    return fail(CUDA_ERROR_INVALID_CONTEXT, "no peer context, or destroyed");
  if (!world().config.peers || peer->device == context.device)
    return fail(CUDA_ERROR_INVALID_DEVICE,
                "device %d cannot have device %d as a peer",
                context.device->ordinal, peer->device->ordinal);
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuCtxEnablePeerAccess(Context *peer, unsigned) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Context *context = nullptr;
  if (CUresult result = needContext(context))
    return result;
  if (CUresult result = checkPeer(*context, peer))
    return result;
  return memory().enablePeer(*context, *peer);
}

TURNIP_STANDIN_EXPORT CUresult cuCtxDisablePeerAccess(Context *peer) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Context *context = nullptr;
  if (CUresult result = needContext(context))
    return result;
  if (CUresult result = checkPeer(*context, peer))
    return result;
  return memory().disablePeer(*context, *peer);
}
