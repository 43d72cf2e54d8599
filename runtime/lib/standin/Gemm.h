//===- Gemm.h - Matrix products on one CPU thread ---------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_STANDIN_GEMM_H
#define TURNIP_LIB_STANDIN_GEMM_H

#include <cstdint>

namespace turnip::standin {

/// What a matrix is made of.
enum class MatrixType : uint8_t { F32, F16, BF16 };

inline uint64_t bytesOf(MatrixType type) {
  return type == MatrixType::F32 ? 4 : 2;
}

enum class Activation : uint8_t { None, Relu, Gelu };

/// D = activation(alpha * op(A) * op(B) + beta * C + bias), column-major as in
/// cuBLASLt, with sums in f32.
struct MatrixProduct {
  struct Matrix {
    const void *data = nullptr;
    MatrixType type = MatrixType::F32;
    bool transposed = false;
    /// In elements.
    int64_t leading = 0;
    int64_t batchStride = 0;
  };
  Matrix a, b, c, d;
  int64_t m = 0, n = 0, k = 0, batch = 1;
  float alpha = 1, beta = 0;
  /// Round operands to tf32.
  bool tf32 = false;
  Activation activation = Activation::None;
  /// One number per row of D, or null.
  const void *bias = nullptr;
  MatrixType biasType = MatrixType::F32;
};

/// The memory that a product works in: pages of its own, so that nothing shows
/// up in the program's heap.
class GemmScratch {
public:
  GemmScratch() = default;
  GemmScratch(const GemmScratch &) = delete;
  GemmScratch &operator=(const GemmScratch &) = delete;
  ~GemmScratch();

  /// Null if there is no memory.
  float *get();

private:
  void *pages = nullptr;
};

/// Computes \p product. Every element is one chain of additions in the order of
/// k, whatever the shape: the same bits every time. False if there was no
/// memory to work in.
bool multiply(const MatrixProduct &product, GemmScratch &scratch);

} // namespace turnip::standin

#endif // TURNIP_LIB_STANDIN_GEMM_H
