//===- CublasLt.cpp - Matrix products as cuBLASLt has them ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "Stream.h"

#include <cinttypes>
#include <cstring>

using namespace turnip::standin;

namespace {
struct LtHandle : Object {};

struct LtLayout : Object {
  int32_t type = CUDA_R_32F;
  uint64_t rows = 0;
  uint64_t columns = 0;
  int64_t leading = 0;
  int32_t batch = 1;
  int64_t batchStride = 0;
};

struct LtDescription : Object {
  int32_t compute = CUBLAS_COMPUTE_32F;
  int32_t transposeA = CUBLAS_OP_N;
  int32_t transposeB = CUBLAS_OP_N;
  uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void *bias = nullptr;
  int32_t biasType = -1;
};

struct LtPreference : Object {
  uint64_t workspace = 0;
  uint32_t reductions = ~0U;
  /// Of A, B, C and D.
  uint32_t alignments[4] = {256, 256, 256, 256};
};

/// What is in a cublasLtMatmulAlgo_t.
struct Algorithm {
  static constexpr uint64_t known = 0x5475726e69704c74;
  uint64_t mark = known;
  uint64_t workspace = 0;
  uint32_t splits = 1;
  uint32_t alignments[4] = {256, 256, 256, 256};
};
static_assert(sizeof(Algorithm) <= sizeof(cublasLtMatmulAlgo_t));

cublasStatus_t refuse(cublasStatus_t status, const char *why) {
  explain("%s", why);
  return status;
}

/// Keeps \p object for ever, counts it as alive and hands it out.
template <typename T> cublasStatus_t handOut(T **result, T *object) {
  std::lock_guard<std::mutex> lock(world().mutex);
  world().objects.push_back(object);
  ++world().counters.ltObjects;
  *result = object;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t endObject(Object *object, CUresult injected) {
  if (!object || !object->alive())
    return refuse(CUBLAS_STATUS_INVALID_VALUE,
                  "an object of cuBLASLt that is none, or destroyed");
  object->state = Object::State::Dead;
  --world().counters.ltObjects;
  return static_cast<cublasStatus_t>(injected);
}

/// Reads an attribute of type T.
template <typename T>
cublasStatus_t readAttribute(T &member, const void *value, size_t bytes) {
  if (!value || bytes != sizeof(T))
    return refuse(CUBLAS_STATUS_INVALID_VALUE,
                  "an attribute of cuBLASLt of the wrong size");
  std::memcpy(static_cast<void *>(&member), value, sizeof(T));
  return CUBLAS_STATUS_SUCCESS;
}

/// Accepts an attribute that can only have one value here.
template <typename T>
cublasStatus_t requireAttribute(T only, const void *value, size_t bytes) {
  T given = only;
  if (cublasStatus_t status = readAttribute(given, value, bytes))
    return status;
  return given == only ? CUBLAS_STATUS_SUCCESS
                       : refuse(CUBLAS_STATUS_NOT_SUPPORTED,
                                "a value of an attribute of cuBLASLt that is "
                                "not played");
}

bool typeOf(int32_t type, MatrixType &result) {
  if (type != CUDA_R_32F && type != CUDA_R_16F && type != CUDA_R_16BF)
    return false;
  result = type == CUDA_R_32F   ? MatrixType::F32
           : type == CUDA_R_16F ? MatrixType::F16
                                : MatrixType::BF16;
  return true;
}
} // namespace

TURNIP_STANDIN_EXPORT size_t cublasLtGetVersion() {
  return static_cast<size_t>(world().config.driverVersion / 1000) * 10000;
}

TURNIP_STANDIN_EXPORT cublasStatus_t cublasLtCreate(LtHandle **handle) {
  TURNIP_STANDIN_ENTER_LT(CUBLAS_STATUS_ALLOC_FAILED);
  Context *context = nullptr;
  if (needContext(context))
    return CUBLAS_STATUS_NOT_INITIALIZED;
  return handOut(handle, new LtHandle);
}

TURNIP_STANDIN_EXPORT cublasStatus_t cublasLtDestroy(LtHandle *handle) {
  TURNIP_STANDIN_ENTER_RELEASE(CUBLAS_STATUS_INTERNAL_ERROR);
  return endObject(handle, injected);
}

TURNIP_STANDIN_EXPORT cublasStatus_t
cublasLtMatrixLayoutCreate(LtLayout **layout, int32_t type, uint64_t rows,
                           uint64_t columns, int64_t leading) {
  TURNIP_STANDIN_ENTER_LT(CUBLAS_STATUS_ALLOC_FAILED);
  auto *made = new LtLayout;
  made->type = type;
  made->rows = rows;
  made->columns = columns;
  made->leading = leading;
  return handOut(layout, made);
}

TURNIP_STANDIN_EXPORT cublasStatus_t
cublasLtMatrixLayoutDestroy(LtLayout *layout) {
  TURNIP_STANDIN_ENTER_RELEASE(CUBLAS_STATUS_INTERNAL_ERROR);
  return endObject(layout, injected);
}

TURNIP_STANDIN_EXPORT cublasStatus_t cublasLtMatrixLayoutSetAttribute(
    LtLayout *layout, cublasLtMatrixLayoutAttribute_t attribute,
    const void *value, size_t bytes) {
  TURNIP_STANDIN_ENTER_LT(CUBLAS_STATUS_INVALID_VALUE);
  if (!layout || !layout->alive())
    return refuse(CUBLAS_STATUS_INVALID_VALUE, "no layout, or destroyed");
  switch (attribute) {
  case CUBLASLT_MATRIX_LAYOUT_TYPE:
    return readAttribute(layout->type, value, bytes);
  case CUBLASLT_MATRIX_LAYOUT_ORDER:
    return requireAttribute<int32_t>(0, value, bytes);
  case CUBLASLT_MATRIX_LAYOUT_ROWS:
    return readAttribute(layout->rows, value, bytes);
  case CUBLASLT_MATRIX_LAYOUT_COLS:
    return readAttribute(layout->columns, value, bytes);
  case CUBLASLT_MATRIX_LAYOUT_LD:
    return readAttribute(layout->leading, value, bytes);
  case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
    return readAttribute(layout->batch, value, bytes);
  case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
    return readAttribute(layout->batchStride, value, bytes);
  }
  return refuse(CUBLAS_STATUS_INVALID_VALUE,
                "an attribute of layouts that is not played");
}

TURNIP_STANDIN_EXPORT cublasStatus_t cublasLtMatmulDescCreate(
    LtDescription **description, int32_t compute, int32_t scaleType) {
  TURNIP_STANDIN_ENTER_LT(CUBLAS_STATUS_ALLOC_FAILED);
  if (scaleType != CUDA_R_32F)
    return refuse(CUBLAS_STATUS_NOT_SUPPORTED, "scale types other than f32");
  auto *made = new LtDescription;
  made->compute = compute;
  return handOut(description, made);
}

TURNIP_STANDIN_EXPORT cublasStatus_t
cublasLtMatmulDescDestroy(LtDescription *description) {
  TURNIP_STANDIN_ENTER_RELEASE(CUBLAS_STATUS_INTERNAL_ERROR);
  return endObject(description, injected);
}

TURNIP_STANDIN_EXPORT cublasStatus_t cublasLtMatmulDescSetAttribute(
    LtDescription *description, cublasLtMatmulDescAttributes_t attribute,
    const void *value, size_t bytes) {
  TURNIP_STANDIN_ENTER_LT(CUBLAS_STATUS_INVALID_VALUE);
  if (!description || !description->alive())
    return refuse(CUBLAS_STATUS_INVALID_VALUE, "no description, or destroyed");
  switch (attribute) {
  case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE:
    return readAttribute(description->compute, value, bytes);
  case CUBLASLT_MATMUL_DESC_SCALE_TYPE:
    return requireAttribute<int32_t>(CUDA_R_32F, value, bytes);
  case CUBLASLT_MATMUL_DESC_POINTER_MODE:
    return requireAttribute<int32_t>(0, value, bytes);
  case CUBLASLT_MATMUL_DESC_TRANSA:
    return readAttribute(description->transposeA, value, bytes);
  case CUBLASLT_MATMUL_DESC_TRANSB:
    return readAttribute(description->transposeB, value, bytes);
  case CUBLASLT_MATMUL_DESC_EPILOGUE:
    return readAttribute(description->epilogue, value, bytes);
  case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
    return readAttribute(description->bias, value, bytes);
  case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
    return readAttribute(description->biasType, value, bytes);
  }
  return refuse(CUBLAS_STATUS_INVALID_VALUE,
                "an attribute of descriptions that is not played");
}

TURNIP_STANDIN_EXPORT cublasStatus_t
cublasLtMatmulPreferenceCreate(LtPreference **preference) {
  TURNIP_STANDIN_ENTER_LT(CUBLAS_STATUS_ALLOC_FAILED);
  return handOut(preference, new LtPreference);
}

TURNIP_STANDIN_EXPORT cublasStatus_t
cublasLtMatmulPreferenceDestroy(LtPreference *preference) {
  TURNIP_STANDIN_ENTER_RELEASE(CUBLAS_STATUS_INTERNAL_ERROR);
  return endObject(preference, injected);
}

TURNIP_STANDIN_EXPORT cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    LtPreference *preference, cublasLtMatmulPreferenceAttributes_t attribute,
    const void *value, size_t bytes) {
  TURNIP_STANDIN_ENTER_LT(CUBLAS_STATUS_INVALID_VALUE);
  if (!preference || !preference->alive())
    return refuse(CUBLAS_STATUS_INVALID_VALUE, "no preference, or destroyed");
  switch (attribute) {
  case CUBLASLT_MATMUL_PREF_SEARCH_MODE:
    return requireAttribute<uint32_t>(0, value, bytes);
  case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
    return readAttribute(preference->workspace, value, bytes);
  case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
    return readAttribute(preference->reductions, value, bytes);
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
    return readAttribute(
        preference->alignments[attribute -
                               CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES],
        value, bytes);
  }
  return refuse(CUBLAS_STATUS_INVALID_VALUE,
                "an attribute of preferences that is not played");
}

//===----------------------------------------------------------------------===//
// Algorithms
//===----------------------------------------------------------------------===//

namespace {
/// The description and layouts of one product.
struct Problem {
  const LtDescription *description;
  /// Of A, B, C and D.
  const LtLayout *layouts[4];
};
} // namespace

static bool readLayout(const LtLayout &layout, int32_t operation,
                       MatrixProduct::Matrix &matrix) {
  matrix.leading = layout.leading;
  matrix.batchStride = layout.batchStride;
  matrix.transposed = operation != CUBLAS_OP_N;
  return typeOf(layout.type, matrix.type);
}

/// The types that can be multiplied.
static bool typesFit(const Problem &problem) {
  const int32_t compute = problem.description->compute;
  const int32_t a = problem.layouts[0]->type, d = problem.layouts[3]->type;
  if (a != problem.layouts[1]->type || d != problem.layouts[2]->type ||
      (d != a && d != CUDA_R_32F))
    return false;
  return compute == CUBLAS_COMPUTE_32F ||
         compute == CUBLAS_COMPUTE_32F_PEDANTIC ||
         (compute == CUBLAS_COMPUTE_32F_FAST_TF32 && a == CUDA_R_32F);
}

static cublasStatus_t readShape(const Problem &problem,
                                MatrixProduct &product) {
  const LtDescription &description = *problem.description;
  const LtLayout *const *layouts = problem.layouts;
  const bool transposeA = description.transposeA != CUBLAS_OP_N;
  const bool transposeB = description.transposeB != CUBLAS_OP_N;
  const uint64_t m = transposeA ? layouts[0]->columns : layouts[0]->rows;
  const uint64_t k = transposeA ? layouts[0]->rows : layouts[0]->columns;
  const uint64_t n = transposeB ? layouts[1]->rows : layouts[1]->columns;
  const uint64_t depth = transposeB ? layouts[1]->columns : layouts[1]->rows;
  if (k != depth || k == 0)
    return refuse(CUBLAS_STATUS_INVALID_VALUE,
                  "a product whose operands differ in k");
  for (unsigned i = 0; i < 4; ++i) {
    const LtLayout &layout = *layouts[i];
    if ((i > 1 && (layout.rows != m || layout.columns != n)) ||
        layout.leading < static_cast<int64_t>(layout.rows) ||
        layout.batch != layouts[3]->batch || layout.batch < 1 ||
        layout.batchStride < 0)
      return refuse(CUBLAS_STATUS_INVALID_VALUE,
                    "a product with a layout that does not fit");
  }
  product.m = static_cast<int64_t>(m);
  product.n = static_cast<int64_t>(n);
  product.k = static_cast<int64_t>(k);
  product.batch = layouts[3]->batch;
  return CUBLAS_STATUS_SUCCESS;
}

/// Reads everything of a product but its addresses and factors.
static cublasStatus_t readProblem(const Problem &problem,
                                  MatrixProduct &product) {
  if (!problem.description || !problem.description->alive())
    return refuse(CUBLAS_STATUS_INVALID_VALUE, "no description, or destroyed");
  for (const LtLayout *layout : problem.layouts)
    if (!layout || !layout->alive())
      return refuse(CUBLAS_STATUS_INVALID_VALUE, "no layout, or destroyed");
  const LtDescription &description = *problem.description;
  const LtLayout *const *layouts = problem.layouts;
  if (!readLayout(*layouts[0], description.transposeA, product.a) ||
      !readLayout(*layouts[1], description.transposeB, product.b) ||
      !readLayout(*layouts[2], CUBLAS_OP_N, product.c) ||
      !readLayout(*layouts[3], CUBLAS_OP_N, product.d) || !typesFit(problem))
    return refuse(CUBLAS_STATUS_NOT_SUPPORTED,
                  "a product of types that is not played");
  product.tf32 = description.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  const uint32_t epilogue = description.epilogue;
  const uint32_t activation = epilogue & ~CUBLASLT_EPILOGUE_BIAS;
  if (activation == CUBLASLT_EPILOGUE_RELU)
    product.activation = Activation::Relu;
  else if (activation == CUBLASLT_EPILOGUE_GELU)
    product.activation = Activation::Gelu;
  else if (epilogue != CUBLASLT_EPILOGUE_DEFAULT &&
           epilogue != CUBLASLT_EPILOGUE_BIAS)
    return refuse(CUBLAS_STATUS_NOT_SUPPORTED,
                  "an epilogue that is not played");
  const int32_t biasType =
      description.biasType < 0 ? layouts[3]->type : description.biasType;
  if (!typeOf(biasType, product.biasType))
    return refuse(CUBLAS_STATUS_NOT_SUPPORTED,
                  "a type of bias that is not played");
  return readShape(problem, product);
}

/// The library's choice: as much of the workspace as it likes, and a split sum
/// with additions in no fixed order unless that was forbidden.
static Algorithm chooseAlgorithm(const MatrixProduct &product,
                                 const LtPreference &preference) {
  Algorithm algorithm;
  algorithm.workspace =
      std::min<uint64_t>(preference.workspace / 256 * 256, 64 << 10);
  if (preference.reductions != CUBLASLT_REDUCTION_SCHEME_NONE &&
      product.k >= 256)
    algorithm.splits = 4;
  std::memcpy(algorithm.alignments, preference.alignments,
              sizeof(algorithm.alignments));
  return algorithm;
}

TURNIP_STANDIN_EXPORT cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    LtHandle *handle, LtDescription *description, LtLayout *a, LtLayout *b,
    LtLayout *c, LtLayout *d, LtPreference *preference, int wanted,
    cublasLtMatmulHeuristicResult_t *results, int *found) {
  TURNIP_STANDIN_ENTER_LT(CUBLAS_STATUS_NOT_SUPPORTED);
  if (!handle || !handle->alive() || !preference || !preference->alive() ||
      wanted < 1)
    return refuse(CUBLAS_STATUS_INVALID_VALUE,
                  "no handle or preference, or destroyed");
  *found = 0;
  MatrixProduct product;
  if (cublasStatus_t status = readProblem({description, {a, b, c, d}}, product))
    return status;
  const Algorithm algorithm = chooseAlgorithm(product, *preference);
  cublasLtMatmulHeuristicResult_t result = {};
  std::memcpy(&result.algo, &algorithm, sizeof(algorithm));
  result.workspaceSize = algorithm.workspace;
  result.state = CUBLAS_STATUS_SUCCESS;
  result.wavesCount = 1;
  results[0] = result;
  *found = 1;
  return CUBLAS_STATUS_SUCCESS;
}

TURNIP_STANDIN_EXPORT cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(
    const cublasLtMatmulAlgo_t *algo,
    cublasLtMatmulAlgoConfigAttributes_t attribute, void *value, size_t bytes,
    size_t *written) {
  TURNIP_STANDIN_ENTER_LT(CUBLAS_STATUS_INVALID_VALUE);
  Algorithm algorithm;
  std::memcpy(static_cast<void *>(&algorithm), algo, sizeof(algorithm));
  if (algorithm.mark != Algorithm::known || bytes != sizeof(uint32_t))
    return refuse(CUBLAS_STATUS_INVALID_VALUE,
                  "no algorithm, or the wrong size");
  uint32_t answer = 0;
  if (attribute == CUBLASLT_ALGO_CONFIG_SPLITK_NUM)
    answer = algorithm.splits;
  else if (attribute == CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME)
    answer = algorithm.splits > 1 ? CUBLASLT_REDUCTION_SCHEME_INPLACE
                                  : CUBLASLT_REDUCTION_SCHEME_NONE;
  std::memcpy(value, &answer, sizeof(answer));
  if (written)
    *written = sizeof(answer);
  return CUBLAS_STATUS_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The bytes from the first to the last element of a matrix.
static uint64_t extent(const LtLayout &layout) {
  if (layout.rows == 0 || layout.columns == 0)
    return 0;
  const auto leading = static_cast<uint64_t>(layout.leading);
  const auto stride = static_cast<uint64_t>(layout.batchStride);
  const uint64_t elements = (static_cast<uint64_t>(layout.batch) - 1) * stride +
                            (layout.columns - 1) * leading + layout.rows;
  return elements * (layout.type == CUDA_R_32F ? 4 : 2);
}

/// Checks alignments and that every operand is device memory.
static cublasStatus_t checkOperands(const MatmulWork &work,
                                    const Algorithm &algorithm) {
  for (unsigned i = 0; i < 6; ++i) {
    const MatmulWork::Operand &operand = work.operands[i];
    if (!operand.bytes)
      continue;
    if (memory().find(operand.address, operand.bytes).kind !=
        Memory::Place::Kind::Device) {
      explain("cublasLtMatmul: operand %u, %" PRIu64 " bytes at 0x%" PRIx64
              ", is not in device memory",
              i, operand.bytes, operand.address);
      return CUBLAS_STATUS_INVALID_VALUE;
    }
    // The workspace has an alignment of its own.
    const uint64_t alignment = i < 4    ? algorithm.alignments[i]
                               : i == 5 ? 256
                                        : 1;
    if (alignment && operand.address % alignment) {
      explain("cublasLtMatmul: operand %u at 0x%" PRIx64
              " is not aligned to %" PRIu64 " bytes",
              i, operand.address, alignment);
      return CUBLAS_STATUS_INVALID_VALUE;
    }
  }
  return CUBLAS_STATUS_SUCCESS;
}

/// Lists what \p work touches.
static void listOperands(MatmulWork &work, const Problem &problem,
                         const void *const (&addresses)[4],
                         const void *workspace, const Algorithm &algorithm) {
  auto set = [&](unsigned index, const void *address, uint64_t bytes) {
    work.operands[index] = {reinterpret_cast<uint64_t>(address), bytes};
  };
  for (unsigned i = 0; i < 4; ++i)
    if (i != 2 || work.product.beta != 0)
      set(i, addresses[i], extent(*problem.layouts[i]));
  if (problem.description->epilogue & CUBLASLT_EPILOGUE_BIAS)
    set(4, problem.description->bias,
        problem.layouts[3]->rows * bytesOf(work.product.biasType));
  set(5, workspace, algorithm.workspace);
}

TURNIP_STANDIN_EXPORT cublasStatus_t cublasLtMatmul(
    LtHandle *handle, LtDescription *description, const void *alpha,
    const void *a, LtLayout *layoutA, const void *b, LtLayout *layoutB,
    const void *beta, const void *c, LtLayout *layoutC, void *d,
    LtLayout *layoutD, const cublasLtMatmulAlgo_t *algo, void *workspace,
    size_t workspaceBytes, void *streamHandle) {
  TURNIP_STANDIN_ENTER_LT(CUBLAS_STATUS_EXECUTION_FAILED);
  Stream *stream = nullptr;
  if (!handle || !handle->alive() || !alpha || !beta)
    return refuse(CUBLAS_STATUS_INVALID_VALUE,
                  "no handle, or destroyed, or no factors");
  if (useStream(streamHandle, stream) || &stream->context != currentContext())
    return CUBLAS_STATUS_EXECUTION_FAILED;
  const Problem problem = {description, {layoutA, layoutB, layoutC, layoutD}};
  MatmulWork work;
  if (cublasStatus_t status = readProblem(problem, work.product))
    return status;
  std::memcpy(&work.product.alpha, alpha, sizeof(float));
  std::memcpy(&work.product.beta, beta, sizeof(float));
  Algorithm algorithm;
  if (algo)
    std::memcpy(static_cast<void *>(&algorithm), algo, sizeof(algorithm));
  else
    algorithm = chooseAlgorithm(work.product, LtPreference());
  if (algorithm.mark != Algorithm::known ||
      algorithm.workspace > workspaceBytes)
    return refuse(CUBLAS_STATUS_INVALID_VALUE,
                  "cublasLtMatmul: no algorithm, or one that needs more "
                  "workspace");
  work.splits = algorithm.splits;
  listOperands(work, problem, {a, b, c, d}, workspace, algorithm);
  if (cublasStatus_t status = checkOperands(work, algorithm))
    return status;
  Work entry;
  entry.kind = Work::Kind::Matmul;
  uint64_t words[sizeof(MatmulWork) / sizeof(uint64_t)];
  std::memcpy(words, static_cast<const void *>(&work), sizeof(work));
  entry.payload = words;
  entry.payloadWords = sizeof(words) / sizeof(uint64_t);
  submit(*stream, entry);
  return CUBLAS_STATUS_SUCCESS;
}
