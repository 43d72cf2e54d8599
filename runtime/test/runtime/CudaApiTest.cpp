//===- CudaApiTest.cpp - The declarations of CUDA are CUDA's --------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares what the cuda driver declares for itself with the headers of CUDA.
// Built only where those are found; what it checks, it checks while compiling.
//
//===----------------------------------------------------------------------===//

#include "../../lib/drivers/cuda/Api.h"

#include <cublasLt.h>
#include <cuda.h>
#include <gtest/gtest.h>
#include <type_traits>

namespace ours = turnip::runtime::cuda;

/// True if values of both types are passed in the same way: pointers as
/// pointers, numbers and enumerators as numbers of one size.
template <typename A, typename B> static constexpr bool passedAlike() {
  return sizeof(A) == sizeof(B) &&
         std::is_pointer_v<A> == std::is_pointer_v<B> &&
         std::is_floating_point_v<A> == std::is_floating_point_v<B>;
}

template <typename A, typename... As, typename B, typename... Bs>
static constexpr bool alike(A (*)(As...), B (*)(Bs...)) {
  if constexpr (sizeof...(As) == sizeof...(Bs))
    return passedAlike<A, B>() && (passedAlike<As, Bs>() && ...);
  return false;
}

#define TURNIP_CHECK_FUNCTION(name, parameters)                                \
  static_assert(alike(decltype(ours::DriverApi::name)(nullptr),                \
                      decltype (&::name)(nullptr)),                            \
                #name);
TURNIP_CUDA_FUNCTIONS(TURNIP_CHECK_FUNCTION)
#undef TURNIP_CHECK_FUNCTION
#define TURNIP_CHECK_FUNCTION(name, parameters)                                \
  static_assert(alike(decltype(ours::LtApi::name)(nullptr),                    \
                      decltype (&::name)(nullptr)),                            \
                #name);
TURNIP_CUBLASLT_FUNCTIONS(TURNIP_CHECK_FUNCTION)
#undef TURNIP_CHECK_FUNCTION

#define TURNIP_CHECK_VALUE(name)                                               \
  static_assert(static_cast<long>(ours::name) == static_cast<long>(::name),    \
                #name)
TURNIP_CHECK_VALUE(CUDA_SUCCESS);
TURNIP_CHECK_VALUE(CUDA_ERROR_OUT_OF_MEMORY);
TURNIP_CHECK_VALUE(CUDA_ERROR_NO_DEVICE);
TURNIP_CHECK_VALUE(CUDA_ERROR_NOT_READY);
TURNIP_CHECK_VALUE(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
TURNIP_CHECK_VALUE(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
TURNIP_CHECK_VALUE(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
TURNIP_CHECK_VALUE(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
TURNIP_CHECK_VALUE(CU_STREAM_NON_BLOCKING);
TURNIP_CHECK_VALUE(CU_EVENT_BLOCKING_SYNC);
TURNIP_CHECK_VALUE(CU_EVENT_DISABLE_TIMING);
TURNIP_CHECK_VALUE(CUBLAS_STATUS_SUCCESS);
TURNIP_CHECK_VALUE(CUBLAS_STATUS_NOT_INITIALIZED);
TURNIP_CHECK_VALUE(CUBLAS_STATUS_ALLOC_FAILED);
TURNIP_CHECK_VALUE(CUBLAS_STATUS_INVALID_VALUE);
TURNIP_CHECK_VALUE(CUBLAS_STATUS_ARCH_MISMATCH);
TURNIP_CHECK_VALUE(CUBLAS_STATUS_MAPPING_ERROR);
TURNIP_CHECK_VALUE(CUBLAS_STATUS_EXECUTION_FAILED);
TURNIP_CHECK_VALUE(CUBLAS_STATUS_INTERNAL_ERROR);
TURNIP_CHECK_VALUE(CUBLAS_STATUS_NOT_SUPPORTED);
TURNIP_CHECK_VALUE(CUDA_R_32F);
TURNIP_CHECK_VALUE(CUDA_R_16F);
TURNIP_CHECK_VALUE(CUDA_R_16BF);
TURNIP_CHECK_VALUE(CUBLAS_COMPUTE_32F);
TURNIP_CHECK_VALUE(CUBLAS_COMPUTE_32F_FAST_TF32);
TURNIP_CHECK_VALUE(CUBLAS_OP_N);
TURNIP_CHECK_VALUE(CUBLAS_OP_T);
TURNIP_CHECK_VALUE(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
TURNIP_CHECK_VALUE(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
TURNIP_CHECK_VALUE(CUBLASLT_MATMUL_DESC_TRANSA);
TURNIP_CHECK_VALUE(CUBLASLT_MATMUL_DESC_TRANSB);
TURNIP_CHECK_VALUE(CUBLASLT_MATMUL_DESC_EPILOGUE);
TURNIP_CHECK_VALUE(CUBLASLT_MATMUL_DESC_BIAS_POINTER);
TURNIP_CHECK_VALUE(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
TURNIP_CHECK_VALUE(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
TURNIP_CHECK_VALUE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
TURNIP_CHECK_VALUE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
TURNIP_CHECK_VALUE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
TURNIP_CHECK_VALUE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
TURNIP_CHECK_VALUE(CUBLASLT_REDUCTION_SCHEME_NONE);
TURNIP_CHECK_VALUE(CUBLASLT_EPILOGUE_DEFAULT);
TURNIP_CHECK_VALUE(CUBLASLT_EPILOGUE_RELU);
TURNIP_CHECK_VALUE(CUBLASLT_EPILOGUE_BIAS);
TURNIP_CHECK_VALUE(CUBLASLT_EPILOGUE_GELU);
#undef TURNIP_CHECK_VALUE

static_assert(ours::pinnedForAllContexts == CU_MEMHOSTALLOC_PORTABLE);
static_assert(ours::pinnedForAllContexts == CU_MEMHOSTREGISTER_PORTABLE);
static_assert(sizeof(ours::cublasLtMatmulAlgo_t) ==
              sizeof(::cublasLtMatmulAlgo_t));
static_assert(sizeof(ours::cublasLtMatmulHeuristicResult_t) ==
              sizeof(::cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(ours::cublasLtMatmulHeuristicResult_t, workspaceSize) ==
              offsetof(::cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(ours::cublasLtMatmulHeuristicResult_t, state) ==
              offsetof(::cublasLtMatmulHeuristicResult_t, state));
static_assert(sizeof(ours::CUdeviceptr) == sizeof(::CUdeviceptr));

/// The spelling of a name after cuda.h has renamed it.
#define TURNIP_SPELLING(name) TURNIP_TEXT(name)
#define TURNIP_TEXT(name) #name

TEST(CudaApi, NamesAreThoseThatLibrariesExport) {
#define TURNIP_CHECK_NAME(name, parameters)                                    \
  EXPECT_STREQ(TURNIP_SPELLING(name), #name);
  TURNIP_CUDA_FUNCTIONS(TURNIP_CHECK_NAME)
}
