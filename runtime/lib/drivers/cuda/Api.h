//===- Api.h - What is used of the CUDA driver API --------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the CUDA driver API and of cuBLASLt that the driver uses,
// declared anew so that no header of CUDA is needed to build it: names, values
// and signatures are theirs. Functions are looked up by the names that
// libraries export, which for many is not the one that cuda.h spells
// (cuMemAlloc is cuMemAlloc_v2). ApiTest.cpp compares this with cuda.h where
// that is found.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_DRIVERS_CUDA_API_H
#define TURNIP_LIB_DRIVERS_CUDA_API_H

#include <cstddef>
#include <cstdint>

namespace turnip::runtime::cuda {

//===----------------------------------------------------------------------===//
// libcuda.so.1
//===----------------------------------------------------------------------===//

enum CUresult : int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
};

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;

enum CUdevice_attribute : int {
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
};

enum CUfunction_attribute : int {
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
};

enum CUstream_flags : unsigned {
  CU_STREAM_NON_BLOCKING = 1,
};

enum CUevent_flags : unsigned {
  CU_EVENT_BLOCKING_SYNC = 1,
  CU_EVENT_DISABLE_TIMING = 2,
};

/// CU_MEMHOSTALLOC_PORTABLE and CU_MEMHOSTREGISTER_PORTABLE, which cuda.h has
/// as macros: pinned for every context.
constexpr unsigned pinnedForAllContexts = 1;

/// X(name, parameters) for every function, in the order of CUDA's reference.
#define TURNIP_CUDA_FUNCTIONS(X)                                               \
  X(cuGetErrorString, (CUresult error, const char **text))                     \
  X(cuGetErrorName, (CUresult error, const char **text))                       \
  X(cuInit, (unsigned flags))                                                  \
  X(cuDeviceGet, (CUdevice * device, int ordinal))                             \
  X(cuDeviceGetCount, (int *count))                                            \
  X(cuDeviceGetName, (char *name, int length, CUdevice device))                \
  X(cuDeviceTotalMem_v2, (size_t *bytes, CUdevice device))                     \
  X(cuDeviceGetAttribute,                                                      \
    (int *value, CUdevice_attribute attribute, CUdevice device))               \
  X(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))          \
  X(cuDevicePrimaryCtxRelease_v2, (CUdevice device))                           \
  X(cuCtxSetCurrent, (CUcontext context))                                      \
  X(cuModuleLoadData, (CUmodule * module, const void *image))                  \
  X(cuModuleUnload, (CUmodule module))                                         \
  X(cuModuleGetFunction,                                                       \
    (CUfunction * function, CUmodule module, const char *name))                \
  X(cuMemGetInfo_v2, (size_t *free, size_t *total))                            \
  X(cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes))                      \
  X(cuMemFree_v2, (CUdeviceptr address))                                       \
  X(cuMemHostAlloc, (void **address, size_t bytes, unsigned flags))            \
  X(cuMemFreeHost, (void *address))                                            \
  X(cuMemHostRegister_v2, (void *address, size_t bytes, unsigned flags))       \
  X(cuMemHostUnregister, (void *address))                                      \
  X(cuMemcpyHtoD_v2, (CUdeviceptr target, const void *source, size_t bytes))   \
  X(cuMemcpyDtoH_v2, (void *target, CUdeviceptr source, size_t bytes))         \
  X(cuMemcpyPeerAsync,                                                         \
    (CUdeviceptr target, CUcontext targetContext, CUdeviceptr source,          \
     CUcontext sourceContext, size_t bytes, CUstream stream))                  \
  X(cuMemcpyHtoDAsync_v2,                                                      \
    (CUdeviceptr target, const void *source, size_t bytes, CUstream stream))   \
  X(cuMemcpyDtoHAsync_v2,                                                      \
    (void *target, CUdeviceptr source, size_t bytes, CUstream stream))         \
  X(cuMemcpyDtoDAsync_v2,                                                      \
    (CUdeviceptr target, CUdeviceptr source, size_t bytes, CUstream stream))   \
  X(cuStreamCreate, (CUstream * stream, unsigned flags))                       \
  X(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))       \
  X(cuStreamQuery, (CUstream stream))                                          \
  X(cuStreamSynchronize, (CUstream stream))                                    \
  X(cuStreamDestroy_v2, (CUstream stream))                                     \
  X(cuEventCreate, (CUevent * event, unsigned flags))                          \
  X(cuEventRecord, (CUevent event, CUstream stream))                           \
  X(cuEventQuery, (CUevent event))                                             \
  X(cuEventSynchronize, (CUevent event))                                       \
  X(cuEventDestroy_v2, (CUevent event))                                        \
  X(cuFuncSetAttribute,                                                        \
    (CUfunction function, CUfunction_attribute attribute, int value))          \
  X(cuLaunchKernel,                                                            \
    (CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,      \
     unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,  \
     CUstream stream, void **params, void **extra))                            \
  X(cuDeviceCanAccessPeer, (int *can, CUdevice device, CUdevice peer))         \
  X(cuCtxEnablePeerAccess, (CUcontext peer, unsigned flags))

/// The functions of libcuda.so.1.
struct DriverApi {
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define TURNIP_CUDA_DECLARE(name, parameters) CUresult(*name) parameters;
  TURNIP_CUDA_FUNCTIONS(TURNIP_CUDA_DECLARE)
#undef TURNIP_CUDA_DECLARE
};

//===----------------------------------------------------------------------===//
// libcublasLt.so
//===----------------------------------------------------------------------===//

enum cublasStatus_t : int {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
};

enum cudaDataType : int {
  CUDA_R_32F = 0,
  CUDA_R_16F = 2,
  CUDA_R_16BF = 14,
};

enum cublasComputeType_t : int {
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
};

enum cublasOperation_t : int { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 };

enum cublasLtMatrixLayoutAttribute_t : int {
  CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5,
  CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6,
};

enum cublasLtMatmulDescAttributes_t : int {
  CUBLASLT_MATMUL_DESC_TRANSA = 3,
  CUBLASLT_MATMUL_DESC_TRANSB = 4,
  CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
  CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8,
};

enum cublasLtMatmulPreferenceAttributes_t : int {
  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,
  CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK = 3,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8,
};

enum cublasLtReductionScheme_t : uint32_t {
  CUBLASLT_REDUCTION_SCHEME_NONE = 0,
};

enum cublasLtEpilogue_t : uint32_t {
  CUBLASLT_EPILOGUE_DEFAULT = 1,
  CUBLASLT_EPILOGUE_RELU = 2,
  CUBLASLT_EPILOGUE_BIAS = 4,
  CUBLASLT_EPILOGUE_GELU = 32,
};

using cublasLtHandle_t = struct cublasLtContext *;
using cublasLtMatmulDesc_t = struct cublasLtMatmulDescOpaque *;
using cublasLtMatrixLayout_t = struct cublasLtMatrixLayoutOpaque *;
using cublasLtMatmulPreference_t = struct cublasLtMatmulPreferenceOpaque *;

struct cublasLtMatmulAlgo_t {
  uint64_t data[8];
};

struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
  size_t workspaceSize;
  cublasStatus_t state;
  float wavesCount;
  int reserved[4];
};

/// X(name, parameters) for every function.
#define TURNIP_CUBLASLT_FUNCTIONS(X)                                           \
  X(cublasLtCreate, (cublasLtHandle_t * handle))                               \
  X(cublasLtDestroy, (cublasLtHandle_t handle))                                \
  X(cublasLtMatmul,                                                            \
    (cublasLtHandle_t handle, cublasLtMatmulDesc_t description,                \
     const void *alpha, const void *a, cublasLtMatrixLayout_t layoutA,         \
     const void *b, cublasLtMatrixLayout_t layoutB, const void *beta,          \
     const void *c, cublasLtMatrixLayout_t layoutC, void *d,                   \
     cublasLtMatrixLayout_t layoutD, const cublasLtMatmulAlgo_t *algorithm,    \
     void *workspace, size_t workspaceBytes, CUstream stream))                 \
  X(cublasLtMatrixLayoutCreate,                                                \
    (cublasLtMatrixLayout_t * layout, cudaDataType type, uint64_t rows,        \
     uint64_t columns, int64_t leadingDimension))                              \
  X(cublasLtMatrixLayoutDestroy, (cublasLtMatrixLayout_t layout))              \
  X(cublasLtMatrixLayoutSetAttribute,                                          \
    (cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute, \
     const void *value, size_t bytes))                                         \
  X(cublasLtMatmulDescCreate,                                                  \
    (cublasLtMatmulDesc_t * description, cublasComputeType_t compute,          \
     cudaDataType scale))                                                      \
  X(cublasLtMatmulDescDestroy, (cublasLtMatmulDesc_t description))             \
  X(cublasLtMatmulDescSetAttribute, (cublasLtMatmulDesc_t description,         \
                                     cublasLtMatmulDescAttributes_t attribute, \
                                     const void *value, size_t bytes))         \
  X(cublasLtMatmulPreferenceCreate, (cublasLtMatmulPreference_t * preference)) \
  X(cublasLtMatmulPreferenceDestroy, (cublasLtMatmulPreference_t preference))  \
  X(cublasLtMatmulPreferenceSetAttribute,                                      \
    (cublasLtMatmulPreference_t preference,                                    \
     cublasLtMatmulPreferenceAttributes_t attribute, const void *value,        \
     size_t bytes))                                                            \
  X(cublasLtMatmulAlgoGetHeuristic,                                            \
    (cublasLtHandle_t handle, cublasLtMatmulDesc_t description,                \
     cublasLtMatrixLayout_t layoutA, cublasLtMatrixLayout_t layoutB,           \
     cublasLtMatrixLayout_t layoutC, cublasLtMatrixLayout_t layoutD,           \
     cublasLtMatmulPreference_t preference, int wanted,                        \
     cublasLtMatmulHeuristicResult_t *results, int *found))

/// The functions of libcublasLt.so.
struct LtApi {
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define TURNIP_CUDA_DECLARE(name, parameters) cublasStatus_t(*name) parameters;
  TURNIP_CUBLASLT_FUNCTIONS(TURNIP_CUDA_DECLARE)
#undef TURNIP_CUDA_DECLARE
};

} // namespace turnip::runtime::cuda

#endif // TURNIP_LIB_DRIVERS_CUDA_API_H
