//===- Attention.h - Two products and the softmax between them ------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Attention is a product of queries and keys, a map of the scores (their scale
/// and mask), a softmax along the keys, and a product with the values. On a GPU
/// it is one launch that never stores scores: a block of threads takes some
/// rows of queries and goes over keys and values tile by tile, with the largest
/// score and the sum of exponentials so far next to the result so far, which is
/// scaled whenever the largest score grows (Milakov and Gimelshein, arXiv
/// 1805.02867; Dao et al., arXiv 2205.14135).
///
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_GPU_ATTENTION_H
#define TURNIP_LIB_CODEGEN_GPU_ATTENTION_H

#include "KernelSteps.h"
#include <optional>

namespace turnip::codegen::gpu {

/// The operations of one attention, and how their dimensions correspond.
struct Attention {
  mlir::linalg::GenericOp scores, maximum, exponential, total, quotient, mix;
  /// What is done to scores, and the rounding of the result, where there is
  /// such.
  mlir::linalg::GenericOp mask, rounding;
  mlir::Value queries, keys, values, result;
  /// A dimension of one index space, with its place in each tensor (-1: none).
  struct Dim {
    int64_t size = 1;
    int64_t queries = -1, keys = -1, values = -1, result = -1;
    /// Whether the softmax runs along it.
    bool isKey = false;
  };
  /// Dimensions of the scores; what the first product sums over; what only
  /// values and the result have.
  llvm::SmallVector<Dim> scoreDims, headDims, valueDims;
  /// The dimension of the scores that each loop of `mask` is.
  llvm::SmallVector<int64_t> maskLoops;

  /// All operations in program order.
  llvm::SmallVector<mlir::Operation *> operations() const;
};

/// Recognises the attention that begins with the product `scores`. All that
/// lies between its operations has no other reader.
std::optional<Attention> matchAttention(mlir::linalg::GenericOp scores);

/// The operations of all attentions in `func`.
llvm::DenseSet<mlir::Operation *> findAttentions(mlir::func::FuncOp func);

/// Emits `attention` as one launch. False where it has no such form (element
/// types that differ, sizes of heads or layouts that the kernel does not take):
/// then nothing was emitted.
mlir::FailureOr<bool> emitAttention(KernelSteps &steps,
                                    const Attention &attention);

} // namespace turnip::codegen::gpu

#endif // TURNIP_LIB_CODEGEN_GPU_ATTENTION_H
