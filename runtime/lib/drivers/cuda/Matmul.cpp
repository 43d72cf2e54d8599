//===- Matmul.cpp - A matrix product by cuBLASLt --------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matmul.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::runtime::cuda;
using artifact::LaunchBuffer;
using artifact::Matmul;
using artifact::MatmulEpilogue;

static cudaDataType typeOf(ElementType type) {
  return type == ElementType::F16    ? CUDA_R_16F
         : type == ElementType::BF16 ? CUDA_R_16BF
                                     : CUDA_R_32F;
}

static cublasLtEpilogue_t epilogueOf(MatmulEpilogue epilogue) {
  switch (epilogue) {
  case MatmulEpilogue::None:
    return CUBLASLT_EPILOGUE_DEFAULT;
  case MatmulEpilogue::Relu:
    return CUBLASLT_EPILOGUE_RELU;
  case MatmulEpilogue::Gelu:
    return CUBLASLT_EPILOGUE_GELU;
  case MatmulEpilogue::Bias:
    return CUBLASLT_EPILOGUE_BIAS;
  }
  return CUBLASLT_EPILOGUE_DEFAULT;
}

Expected<std::unique_ptr<MatmulPlan>>
MatmulPlan::create(const LtLibrary &library, cublasLtHandle_t handle,
                   const artifact::Launch &launch, uint64_t alignment) {
  std::unique_ptr<MatmulPlan> plan(new MatmulPlan(library, handle, launch));
  TURNIP_RETURN_IF_ERROR(plan->describe());
  TURNIP_RETURN_IF_ERROR(plan->chooseAlgorithm(alignment));
  return plan;
}

MatmulPlan::~MatmulPlan() {
  for (cublasLtMatrixLayout_t layout : {layoutA, layoutB, layoutD})
    if (layout)
      library->cublasLtMatrixLayoutDestroy(layout);
  if (description)
    library->cublasLtMatmulDescDestroy(description);
}

Status MatmulPlan::makeLayout(cublasLtMatrixLayout_t &layout, ElementType type,
                              uint64_t rows, uint64_t columns, uint64_t ld,
                              uint64_t stride) {
  const auto batch = static_cast<int32_t>(launch.matmul.batch);
  const auto offset = static_cast<int64_t>(stride);
  TURNIP_RETURN_IF_ERROR(library.check(
      library->cublasLtMatrixLayoutCreate(&layout, typeOf(type), rows, columns,
                                          static_cast<int64_t>(ld)),
      "cublasLtMatrixLayoutCreate"));
  TURNIP_RETURN_IF_ERROR(library.check(
      library->cublasLtMatrixLayoutSetAttribute(
          layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof(batch)),
      "cublasLtMatrixLayoutSetAttribute"));
  return library.check(library->cublasLtMatrixLayoutSetAttribute(
                           layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                           &offset, sizeof(offset)),
                       "cublasLtMatrixLayoutSetAttribute");
}

Status MatmulPlan::describe() {
  const Matmul &matmul = launch.matmul;
  TURNIP_RETURN_IF_ERROR(
      library.check(library->cublasLtMatmulDescCreate(
                        &description,
                        matmul.compute == artifact::MatmulCompute::TF32
                            ? CUBLAS_COMPUTE_32F_FAST_TF32
                            : CUBLAS_COMPUTE_32F,
                        CUDA_R_32F),
                    "cublasLtMatmulDescCreate"));
  auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto &value) {
    return library.check(library->cublasLtMatmulDescSetAttribute(
                             description, attribute, &value, sizeof(value)),
                         "cublasLtMatmulDescSetAttribute");
  };
  const int32_t operations[] = {matmul.transposeA ? CUBLAS_OP_T : CUBLAS_OP_N,
                                matmul.transposeB ? CUBLAS_OP_T : CUBLAS_OP_N};
  const uint32_t epilogue = epilogueOf(matmul.epilogue);
  TURNIP_RETURN_IF_ERROR(set(CUBLASLT_MATMUL_DESC_TRANSA, operations[0]));
  TURNIP_RETURN_IF_ERROR(set(CUBLASLT_MATMUL_DESC_TRANSB, operations[1]));
  TURNIP_RETURN_IF_ERROR(set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue));
  uint64_t sizesA[] = {matmul.m, matmul.k}, sizesB[] = {matmul.k, matmul.n};
  if (matmul.transposeA)
    std::swap(sizesA[0], sizesA[1]);
  if (matmul.transposeB)
    std::swap(sizesB[0], sizesB[1]);
  TURNIP_RETURN_IF_ERROR(makeLayout(layoutA, matmul.typeA, sizesA[0], sizesA[1],
                                    matmul.lda, matmul.strideA));
  TURNIP_RETURN_IF_ERROR(makeLayout(layoutB, matmul.typeB, sizesB[0], sizesB[1],
                                    matmul.ldb, matmul.strideB));
  return makeLayout(layoutD, matmul.typeD, matmul.m, matmul.n, matmul.ldd,
                    matmul.strideD);
}

/// The largest power of two up to \p most that \p at is a multiple of.
static uint32_t alignmentOf(const LaunchBuffer &at, uint64_t most) {
  uint64_t lowestBit = at.offset & (~at.offset + 1);
  return static_cast<uint32_t>(at.offset == 0 ? most
                                              : std::min(lowestBit, most));
}

Status MatmulPlan::chooseAlgorithm(uint64_t alignment) {
  // More would not help: it is what the library assumes of large buffers.
  alignment = std::min<uint64_t>(alignment, 256);
  const Matmul &matmul = launch.matmul;
  cublasLtMatmulPreference_t preference = nullptr;
  TURNIP_RETURN_IF_ERROR(
      library.check(library->cublasLtMatmulPreferenceCreate(&preference),
                    "cublasLtMatmulPreferenceCreate"));
  Status status;
  auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute,
                 const auto &value) {
    if (status)
      status = library.check(library->cublasLtMatmulPreferenceSetAttribute(
                                 preference, attribute, &value, sizeof(value)),
                             "cublasLtMatmulPreferenceSetAttribute");
  };
  const uint64_t workspace = matmul.workspaceBytes;
  const uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_NONE;
  const size_t indexOfD = matmul.beta != 0 ? 3 : 2;
  set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace);
  set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, reductions);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
      alignmentOf(launch.buffers[0], alignment));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
      alignmentOf(launch.buffers[1], alignment));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
      alignmentOf(launch.buffers[2], alignment));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES,
      alignmentOf(launch.buffers[indexOfD], alignment));
  cublasLtMatmulHeuristicResult_t result = {};
  int found = 0;
  cublasStatus_t answer = CUBLAS_STATUS_SUCCESS;
  if (status)
    answer = library->cublasLtMatmulAlgoGetHeuristic(
        handle, description, layoutA, layoutB, layoutD, layoutD, preference,
        /*wanted=*/1, &result, &found);
  library->cublasLtMatmulPreferenceDestroy(preference);
  TURNIP_RETURN_IF_ERROR(status);
  // "Not supported" is how the library says that there is none.
  if (answer != CUBLAS_STATUS_NOT_SUPPORTED)
    TURNIP_RETURN_IF_ERROR(
        library.check(answer, "cublasLtMatmulAlgoGetHeuristic"));
  if (answer != CUBLAS_STATUS_SUCCESS || found < 1 ||
      result.state != CUBLAS_STATUS_SUCCESS ||
      result.workspaceSize > matmul.workspaceBytes)
    return Status::error(
        StatusCode::Device,
        "cuBLASLt has no algorithm for the product of " +
            std::to_string(matmul.m) + "x" + std::to_string(matmul.k) +
            " and " + std::to_string(matmul.k) + "x" +
            std::to_string(matmul.n) + " (" + toString(matmul.typeA) + ", " +
            toString(matmul.typeB) + " to " + toString(matmul.typeD) +
            ") within " + std::to_string(matmul.workspaceBytes) +
            " bytes of workspace");
  algorithm = result.algo;
  return Status::ok();
}

Status MatmulPlan::run(void *const *buffers, void *workspace, CUstream stream) {
  const Matmul &matmul = launch.matmul;
  auto address = [&](size_t index) -> void * {
    const LaunchBuffer &at = launch.buffers[index];
    return static_cast<char *>(buffers[at.buffer]) + at.offset;
  };
  const bool addsC = matmul.beta != 0;
  void *d = address(addsC ? 3 : 2);
  if (matmul.epilogue == MatmulEpilogue::Bias) {
    const void *bias = address(launch.buffers.size() - 1);
    TURNIP_RETURN_IF_ERROR(
        library.check(library->cublasLtMatmulDescSetAttribute(
                          description, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                          static_cast<const void *>(&bias), sizeof(bias)),
                      "cublasLtMatmulDescSetAttribute"));
  }
  void *scratch = matmul.workspaceBytes > 0
                      ? static_cast<char *>(workspace) + matmul.workspaceOffset
                      : nullptr;
  return library.check(library->cublasLtMatmul(
                           handle, description, &matmul.alpha, address(0),
                           layoutA, address(1), layoutB, &matmul.beta,
                           addsC ? address(2) : d, layoutD, d, layoutD,
                           &algorithm, scratch, matmul.workspaceBytes, stream),
                       "cublasLtMatmul");
}
