//===- Calls.h - The stand-in's functions, for tests ------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TEST_STANDIN_CALLS_H
#define TURNIP_TEST_STANDIN_CALLS_H

#include "CudaApi.h"
#include "turnip/standin/StandIn.h"

namespace turnip::standin {
// The handles are opaque to callers.
using Handle = void *;
} // namespace turnip::standin

extern "C" {
using namespace turnip::standin;

CUresult cuInit(unsigned);
CUresult cuDriverGetVersion(int *);
CUresult cuGetErrorName(CUresult, const char **);
CUresult cuGetErrorString(CUresult, const char **);
CUresult cuDeviceGetCount(int *);
CUresult cuDeviceGet(CUdevice *, int);
CUresult cuDeviceGetName(char *, int, CUdevice);
CUresult cuDeviceGetUuid_v2(unsigned char *, CUdevice);
CUresult cuDeviceGetPCIBusId(char *, int, CUdevice);
CUresult cuDeviceTotalMem_v2(size_t *, CUdevice);
CUresult cuDeviceGetAttribute(int *, CUdevice_attribute, CUdevice);
CUresult cuDeviceCanAccessPeer(int *, CUdevice, CUdevice);
CUresult cuDevicePrimaryCtxRetain(Handle *, CUdevice);
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice);
CUresult cuDevicePrimaryCtxGetState(CUdevice, unsigned *, int *);
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice, unsigned);
CUresult cuCtxCreate_v2(Handle *, unsigned, CUdevice);
CUresult cuCtxDestroy_v2(Handle);
CUresult cuCtxSetCurrent(Handle);
CUresult cuCtxGetCurrent(Handle *);
CUresult cuCtxPushCurrent_v2(Handle);
CUresult cuCtxPopCurrent_v2(Handle *);
CUresult cuCtxGetDevice(CUdevice *);
CUresult cuCtxSynchronize();
CUresult cuCtxGetStreamPriorityRange(int *, int *);
CUresult cuCtxGetLimit(size_t *, CUlimit);
CUresult cuCtxSetLimit(CUlimit, size_t);
CUresult cuCtxEnablePeerAccess(Handle, unsigned);
CUresult cuCtxDisablePeerAccess(Handle);
CUresult cuMemGetInfo_v2(size_t *, size_t *);
CUresult cuMemAlloc_v2(CUdeviceptr *, size_t);
CUresult cuMemFree_v2(CUdeviceptr);
CUresult cuMemHostAlloc(void **, size_t, unsigned);
CUresult cuMemAllocHost_v2(void **, size_t);
CUresult cuMemFreeHost(void *);
CUresult cuMemHostRegister_v2(void *, size_t, unsigned);
CUresult cuMemHostUnregister(void *);
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *, void *, unsigned);
CUresult cuPointerGetAttribute(void *, CUpointer_attribute, CUdeviceptr);
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr, const void *, size_t, Handle);
CUresult cuMemcpyDtoHAsync_v2(void *, CUdeviceptr, size_t, Handle);
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr, CUdeviceptr, size_t, Handle);
CUresult cuMemcpyHtoD_v2(CUdeviceptr, const void *, size_t);
CUresult cuMemcpyDtoH_v2(void *, CUdeviceptr, size_t);
CUresult cuMemcpyDtoD_v2(CUdeviceptr, CUdeviceptr, size_t);
CUresult cuMemcpyAsync(CUdeviceptr, CUdeviceptr, size_t, Handle);
CUresult cuMemcpyPeerAsync(CUdeviceptr, Handle, CUdeviceptr, Handle, size_t,
                           Handle);
CUresult cuMemsetD8Async(CUdeviceptr, unsigned char, size_t, Handle);
CUresult cuMemsetD32Async(CUdeviceptr, unsigned, size_t, Handle);
CUresult cuMemsetD8_v2(CUdeviceptr, unsigned char, size_t);
CUresult cuStreamCreate(Handle *, unsigned);
CUresult cuStreamCreateWithPriority(Handle *, unsigned, int);
CUresult cuStreamDestroy_v2(Handle);
CUresult cuStreamGetPriority(Handle, int *);
CUresult cuStreamGetFlags(Handle, unsigned *);
CUresult cuStreamQuery(Handle);
CUresult cuStreamSynchronize(Handle);
CUresult cuStreamWaitEvent(Handle, Handle, unsigned);
CUresult cuStreamWriteValue32_v2(Handle, CUdeviceptr, uint32_t, unsigned);
CUresult cuStreamWriteValue64_v2(Handle, CUdeviceptr, uint64_t, unsigned);
CUresult cuStreamWaitValue32_v2(Handle, CUdeviceptr, uint32_t, unsigned);
CUresult cuStreamWaitValue64_v2(Handle, CUdeviceptr, uint64_t, unsigned);
CUresult cuLaunchHostFunc(Handle, void (*)(void *), void *);
CUresult cuEventCreate(Handle *, unsigned);
CUresult cuEventDestroy_v2(Handle);
CUresult cuEventRecord(Handle, Handle);
CUresult cuEventQuery(Handle);
CUresult cuEventSynchronize(Handle);
CUresult cuEventElapsedTime(float *, Handle, Handle);
CUresult cuModuleLoadData(Handle *, const void *);
CUresult cuModuleLoadDataEx(Handle *, const void *, unsigned, int *, void **);
CUresult cuModuleUnload(Handle);
CUresult cuModuleGetFunction(Handle *, Handle, const char *);
CUresult cuFuncGetAttribute(int *, CUfunction_attribute, Handle);
CUresult cuFuncSetAttribute(Handle, CUfunction_attribute, int);
CUresult cuLaunchKernel(Handle, unsigned, unsigned, unsigned, unsigned,
                        unsigned, unsigned, unsigned, Handle, void **, void **);

size_t cublasLtGetVersion();
cublasStatus_t cublasLtCreate(Handle *);
cublasStatus_t cublasLtDestroy(Handle);
cublasStatus_t cublasLtMatrixLayoutCreate(Handle *, int32_t, uint64_t, uint64_t,
                                          int64_t);
cublasStatus_t cublasLtMatrixLayoutDestroy(Handle);
cublasStatus_t cublasLtMatrixLayoutSetAttribute(Handle,
                                                cublasLtMatrixLayoutAttribute_t,
                                                const void *, size_t);
cublasStatus_t cublasLtMatmulDescCreate(Handle *, int32_t, int32_t);
cublasStatus_t cublasLtMatmulDescDestroy(Handle);
cublasStatus_t cublasLtMatmulDescSetAttribute(Handle,
                                              cublasLtMatmulDescAttributes_t,
                                              const void *, size_t);
cublasStatus_t cublasLtMatmulPreferenceCreate(Handle *);
cublasStatus_t cublasLtMatmulPreferenceDestroy(Handle);
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    Handle, cublasLtMatmulPreferenceAttributes_t, const void *, size_t);
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(Handle, Handle, Handle, Handle,
                                              Handle, Handle, Handle, int,
                                              cublasLtMatmulHeuristicResult_t *,
                                              int *);
cublasStatus_t
cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t *,
                                     cublasLtMatmulAlgoConfigAttributes_t,
                                     void *, size_t, size_t *);
cublasStatus_t cublasLtMatmul(Handle, Handle, const void *, const void *,
                              Handle, const void *, Handle, const void *,
                              const void *, Handle, void *, Handle,
                              const cublasLtMatmulAlgo_t *, void *, size_t,
                              Handle);
}

#endif // TURNIP_TEST_STANDIN_CALLS_H
