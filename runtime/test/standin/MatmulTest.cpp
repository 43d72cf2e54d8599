//===- MatmulTest.cpp - Matrix products played ----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "turnip/support/ElementType.h"

#include <cmath>
#include <cstring>
#include <random>

namespace {
struct MatmulCase {
  int64_t m, n, k, batch;
  bool transposeA, transposeB;
  int32_t type, resultType;
  float alpha, beta;
  uint32_t epilogue;
  bool tf32;
};

class Products : public Machine {
protected:
  /// A matrix on the host and the device, with room after each column.
  struct Matrix {
    int64_t rows, columns, leading, stride, batch;
    int32_t type;
    std::vector<float> values;
    CUdeviceptr address = 0;
    Handle layout = nullptr;
    size_t at(int64_t number, int64_t row, int64_t column) const {
      return static_cast<size_t>(number * stride + column * leading + row);
    }
  };

  static std::vector<char> encode(const std::vector<float> &values,
                                  int32_t type) {
    std::vector<char> bytes(values.size() * (type == CUDA_R_32F ? 4 : 2));
    for (size_t i = 0; i < values.size(); ++i) {
      const uint16_t half = type == CUDA_R_16F
                                ? turnip::floatToHalf(values[i])
                                : turnip::floatToBfloat(values[i]);
      if (type == CUDA_R_32F)
        std::memcpy(&bytes[i * 4], &values[i], 4);
      else
        std::memcpy(&bytes[i * 2], &half, 2);
    }
    return bytes;
  }

  static std::vector<float> decode(const std::vector<char> &bytes,
                                   int32_t type) {
    std::vector<float> values(bytes.size() / (type == CUDA_R_32F ? 4 : 2));
    for (size_t i = 0; i < values.size(); ++i) {
      uint16_t half = 0;
      if (type == CUDA_R_32F) {
        std::memcpy(&values[i], &bytes[i * 4], 4);
        continue;
      }
      std::memcpy(&half, &bytes[i * 2], 2);
      values[i] = type == CUDA_R_16F ? turnip::halfToFloat(half)
                                     : turnip::bfloatToFloat(half);
    }
    return values;
  }

  Matrix make(int64_t rows, int64_t columns, int64_t batch, int32_t type) {
    Matrix matrix = {rows, columns, rows + 3, 0, batch, type, {}};
    matrix.stride = matrix.leading * columns + 5;
    matrix.values.resize(static_cast<size_t>(matrix.stride * batch));
    for (float &value : matrix.values)
      value = static_cast<float>(static_cast<int>(generator() % 2001) - 1000) /
              1000;
    std::vector<char> bytes = encode(matrix.values, type);
    matrix.values = decode(bytes, type);
    matrix.address = upload(bytes);
    EXPECT_EQ(cublasLtMatrixLayoutCreate(
                  &matrix.layout, type, static_cast<uint64_t>(rows),
                  static_cast<uint64_t>(columns), matrix.leading),
              CUBLAS_STATUS_SUCCESS);
    const auto count = static_cast<int32_t>(batch);
    EXPECT_EQ(cublasLtMatrixLayoutSetAttribute(
                  matrix.layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, 4),
              CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(cublasLtMatrixLayoutSetAttribute(
                  matrix.layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                  &matrix.stride, 8),
              CUBLAS_STATUS_SUCCESS);
    return matrix;
  }

  static void release(Matrix &matrix) {
    EXPECT_EQ(cublasLtMatrixLayoutDestroy(matrix.layout),
              CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(cuMemFree_v2(matrix.address), CUDA_SUCCESS);
  }

  template <typename T>
  void describe(cublasLtMatmulDescAttributes_t attribute, T value) {
    EXPECT_EQ(cublasLtMatmulDescSetAttribute(description, attribute, &value,
                                             sizeof(value)),
              CUBLAS_STATUS_SUCCESS);
  }

  void setUp(const std::string &configuration) {
    start(configuration);
    ASSERT_EQ(cublasLtCreate(&handle), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(cublasLtMatmulPreferenceCreate(&preference),
              CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(
        cublasLtMatmulDescCreate(&description, CUBLAS_COMPUTE_32F, CUDA_R_32F),
        CUBLAS_STATUS_SUCCESS);
    const uint64_t bytes = 1 << 16;
    const uint32_t none = CUBLASLT_REDUCTION_SCHEME_NONE;
    workspace = allocate(bytes);
    ASSERT_EQ(
        cublasLtMatmulPreferenceSetAttribute(
            preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, 8),
        CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(
        cublasLtMatmulPreferenceSetAttribute(
            preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &none, 4),
        CUBLAS_STATUS_SUCCESS);
  }

  void TearDown() override {
    if (handle) {
      EXPECT_EQ(cublasLtDestroy(handle), CUBLAS_STATUS_SUCCESS);
      EXPECT_EQ(cublasLtMatmulPreferenceDestroy(preference),
                CUBLAS_STATUS_SUCCESS);
      EXPECT_EQ(cublasLtMatmulDescDestroy(description), CUBLAS_STATUS_SUCCESS);
      EXPECT_EQ(cublasLtMatmulDescDestroy(description),
                CUBLAS_STATUS_INVALID_VALUE);
      EXPECT_EQ(cuMemFree_v2(workspace), CUDA_SUCCESS);
    }
    Machine::TearDown();
  }

  cublasStatus_t choose(const Matrix &a, const Matrix &b, const Matrix &d) {
    int found = 0;
    return cublasLtMatmulAlgoGetHeuristic(handle, description, a.layout,
                                          b.layout, d.layout, d.layout,
                                          preference, 1, &chosen, &found);
  }

  cublasStatus_t multiply(const Matrix &a, const Matrix &b, const Matrix &d,
                          float alpha, float beta, size_t offset = 0) {
    auto pointer = [](CUdeviceptr address) {
      return reinterpret_cast<void *>(address); // NOLINT
    };
    return cublasLtMatmul(
        handle, description, &alpha, pointer(a.address + offset), a.layout,
        pointer(b.address), b.layout, &beta, pointer(d.address), d.layout,
        pointer(d.address), d.layout, &chosen.algo, pointer(workspace),
        chosen.workspaceSize, nullptr);
  }

  std::vector<float> read(const Matrix &matrix) {
    return decode(
        download<char>(matrix.address, matrix.values.size() *
                                           (matrix.type == CUDA_R_32F ? 4 : 2)),
        matrix.type);
  }

  void check(const MatmulCase &c);

  std::mt19937 generator{1}; // NOLINT
  Handle handle = nullptr, description = nullptr, preference = nullptr;
  CUdeviceptr workspace = 0;
  cublasLtMatmulHeuristicResult_t chosen = {};
};

double activate(double value, uint32_t epilogue) {
  if (epilogue & CUBLASLT_EPILOGUE_RELU)
    return value < 0 ? 0 : value;
  if (epilogue & CUBLASLT_EPILOGUE_GELU)
    return 0.5 * value *
           (1 + std::tanh(std::sqrt(2 / M_PI) *
                          (value + 0.044715 * value * value * value)));
  return value;
}

void Products::check(const MatmulCase &c) {
  Matrix a = c.transposeA ? make(c.k, c.m, c.batch, c.type)
                          : make(c.m, c.k, c.batch, c.type);
  Matrix b = c.transposeB ? make(c.n, c.k, c.batch, c.type)
                          : make(c.k, c.n, c.batch, c.type);
  Matrix d = make(c.m, c.n, c.batch, c.resultType);
  Matrix bias = make(c.m, 1, 1, c.resultType);
  describe<int32_t>(CUBLASLT_MATMUL_DESC_TRANSA, c.transposeA);
  describe<int32_t>(CUBLASLT_MATMUL_DESC_TRANSB, c.transposeB);
  describe<uint32_t>(CUBLASLT_MATMUL_DESC_EPILOGUE, c.epilogue);
  describe<uint64_t>(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.address);
  describe<int32_t>(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE,
                    c.tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F);
  ASSERT_EQ(choose(a, b, d), CUBLAS_STATUS_SUCCESS) << message();
  ASSERT_EQ(multiply(a, b, d, c.alpha, c.beta), CUBLAS_STATUS_SUCCESS)
      << message();
  std::vector<float> got = read(d);
  const double tolerance =
      c.resultType == CUDA_R_32F ? (c.tf32 ? 2e-3 : 1e-5) : 1e-2;
  for (int64_t z = 0; z < c.batch; ++z)
    for (int64_t i = 0; i < c.m; ++i)
      for (int64_t j = 0; j < c.n; ++j) {
        double sum = 0, size = 1;
        for (int64_t k = 0; k < c.k; ++k) {
          const double term =
              double(a.values[c.transposeA ? a.at(z, k, i) : a.at(z, i, k)]) *
              double(b.values[c.transposeB ? b.at(z, j, k) : b.at(z, k, j)]);
          sum += term;
          size += std::abs(term);
        }
        sum = c.alpha * sum + c.beta * d.values[d.at(z, i, j)];
        if (c.epilogue & CUBLASLT_EPILOGUE_BIAS)
          sum += bias.values[static_cast<size_t>(i)];
        ASSERT_NEAR(got[d.at(z, i, j)], activate(sum, c.epilogue),
                    tolerance * size)
            << i << ", " << j;
      }
  // What lies between the columns and batches is left alone.
  for (size_t i = 0; i < got.size(); ++i) {
    const auto within = static_cast<int64_t>(i) % d.stride;
    if (within % d.leading >= d.rows || within >= d.leading * d.columns)
      ASSERT_EQ(got[i], d.values[i]);
  }
  for (Matrix *matrix : {&a, &b, &d, &bias})
    release(*matrix);
}
} // namespace

TEST_F(Products, AgreeWithTheDefinition) {
  setUp("");
  const uint32_t none = CUBLASLT_EPILOGUE_DEFAULT;
  for (bool transposeA : {false, true})
    for (bool transposeB : {false, true}) {
      check({130, 250, 300, 1, transposeA, transposeB, CUDA_R_32F, CUDA_R_32F,
             1, 0, none, false});
      check({5, 1, 700, 3, transposeA, transposeB, CUDA_R_16BF, CUDA_R_16BF, 1,
             0, none, false});
      check({17, 9, 33, 2, transposeA, transposeB, CUDA_R_16F, CUDA_R_32F, -0.5,
             2, none, false});
    }
  check({1, 1, 1, 1, false, false, CUDA_R_32F, CUDA_R_32F, 1, 1, none, false});
  check(
      {64, 40, 50, 1, false, false, CUDA_R_32F, CUDA_R_32F, 1, 0, none, true});
  check({64, 40, 50, 2, false, true, CUDA_R_16F, CUDA_R_16F, 1, 1,
         CUBLASLT_EPILOGUE_BIAS, false});
  check({64, 40, 50, 1, true, false, CUDA_R_16BF, CUDA_R_16BF, 2, 0,
         CUBLASLT_EPILOGUE_RELU, false});
  check({64, 40, 50, 1, true, false, CUDA_R_32F, CUDA_R_32F, 1, 0,
         CUBLASLT_EPILOGUE_GELU | CUBLASLT_EPILOGUE_BIAS, false});
}

TEST_F(Products, HaveTheSameBitsEveryTime) {
  setUp("");
  Matrix a = make(100, 1000, 1, CUDA_R_32F), b = make(1000, 50, 1, CUDA_R_32F),
         d = make(100, 50, 1, CUDA_R_32F);
  ASSERT_EQ(choose(a, b, d), CUBLAS_STATUS_SUCCESS);
  uint32_t splits = 0;
  size_t written = 0;
  EXPECT_EQ(
      cublasLtMatmulAlgoConfigGetAttribute(
          &chosen.algo, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &splits, 4, &written),
      CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(splits, 1U);
  std::vector<std::vector<float>> results;
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(multiply(a, b, d, 1, 0), CUBLAS_STATUS_SUCCESS);
    results.push_back(read(d));
    EXPECT_EQ(results.back(), results.front());
  }
  // Where a split sum was not forbidden, the library takes one whose order is
  // not fixed.
  const uint32_t all = ~0U;
  ASSERT_EQ(
      cublasLtMatmulPreferenceSetAttribute(
          preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &all, 4),
      CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(choose(a, b, d), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(
      cublasLtMatmulAlgoConfigGetAttribute(
          &chosen.algo, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &splits, 4, &written),
      CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(splits, 4U);
  bool differ = false;
  for (int i = 0; i < 50 && !differ; ++i) {
    ASSERT_EQ(multiply(a, b, d, 1, 0), CUBLAS_STATUS_SUCCESS);
    std::vector<float> result = read(d);
    for (size_t j = 0; j < result.size(); ++j)
      ASSERT_NEAR(result[j], results[0][j], 1e-3);
    differ = result != results[0];
  }
  EXPECT_TRUE(differ);
  for (Matrix *matrix : {&a, &b, &d})
    release(*matrix);
}

TEST_F(Products, LeaveNothingInTheirWorkspace) {
  setUp("");
  Matrix a = make(4, 4, 1, CUDA_R_32F);
  ASSERT_EQ(choose(a, a, a), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(chosen.workspaceSize, 1U << 16);
  EXPECT_EQ(cuMemsetD8_v2(workspace, 0, 1 << 16), CUDA_SUCCESS);
  ASSERT_EQ(multiply(a, a, a, 1, 0), CUBLAS_STATUS_SUCCESS);
  for (uint8_t byte : download<uint8_t>(workspace, 1 << 16))
    ASSERT_EQ(byte, 0xFF);
  release(a);
}

TEST_F(Products, RefuseWhatDoesNotFit) {
  setUp("");
  Matrix a = make(4, 6, 1, CUDA_R_32F), b = make(5, 4, 1, CUDA_R_32F),
         half = make(4, 4, 1, CUDA_R_16F), good = make(6, 4, 1, CUDA_R_32F),
         d = make(4, 4, 1, CUDA_R_32F), pair = make(4, 4, 2, CUDA_R_32F);
  EXPECT_EQ(choose(a, b, d), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(message(), "a product whose operands differ in k");
  EXPECT_EQ(choose(a, good, a), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(choose(a, good, pair), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(message(), "a product with a layout that does not fit");
  EXPECT_EQ(choose(half, d, d), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(choose(d, d, half), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(message(), "a product of types that is not played");
  describe<uint32_t>(CUBLASLT_MATMUL_DESC_EPILOGUE, 128);
  EXPECT_EQ(choose(d, d, d), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(message(), "an epilogue that is not played");
  describe<uint32_t>(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DEFAULT);
  int32_t wrong = 1;
  EXPECT_EQ(cublasLtMatrixLayoutSetAttribute(
                d.layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &wrong, 4),
            CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(cublasLtMatrixLayoutSetAttribute(
                d.layout, CUBLASLT_MATRIX_LAYOUT_ROWS, &wrong, 4),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasLtMatmulDescCreate(&d.layout, CUBLAS_COMPUTE_32F, CUDA_R_16F),
            CUBLAS_STATUS_NOT_SUPPORTED);
  ASSERT_EQ(choose(a, good, d), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(multiply(a, good, d, 1, 0, 16), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_NE(message().find("is not aligned to 256 bytes"), std::string::npos);
  EXPECT_EQ(multiply(a, good, d, 1, 0, 256), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_NE(message().find("is not in device memory"), std::string::npos);
  chosen.algo.data[0] = 0;
  EXPECT_EQ(multiply(a, good, d, 1, 0), CUBLAS_STATUS_INVALID_VALUE);
  for (Matrix *matrix : {&a, &b, &half, &good, &d, &pair})
    release(*matrix);
}
