//===- Matmul.h - Contractions as calls of a matrix library ---------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// On CUDA devices a contraction is one or more calls of cuBLASLt. Whatever
/// order the labels have in the three tensors, those of one role are joined
/// where they walk memory like one; what is left over becomes the batch, and
/// beyond that several calls. A layout that cannot be said this way (no unit
/// stride, summed labels that do not join) is copied into one that can.
///
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_GPU_MATMUL_H
#define TURNIP_LIB_CODEGEN_GPU_MATMUL_H

#include "../Contraction.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace turnip::codegen {

/// How a contraction walks its tensors.
struct ProductLayout {
  /// Extent of each loop dimension.
  llvm::SmallVector<int64_t> sizes;
  /// Per loop dimension the elements from one position to the next in the left
  /// operand, the right operand and the result; 0 where the tensor does not
  /// have the dimension.
  llvm::SmallVector<int64_t> lhs, rhs, result;
};

/// The layout of a contraction whose tensors are dense and row-major.
ProductLayout getDenseLayout(mlir::linalg::GenericOp op);

/// One call: D = op(A) op(B) for `batch` matrices, all column-major, offsets
/// and strides in elements. op(A) is m x k, op(B) is k x n.
///
/// Offsets need not be multiples of what the memory is aligned to: whoever
/// chooses an algorithm knows from them how far addresses are aligned.
struct Matmul {
  /// Whether A is the contraction's right operand and B its left one.
  bool isSwapped = false;
  bool transA = false, transB = false;
  int64_t m = 1, n = 1, k = 1;
  int64_t lda = 1, ldb = 1, ldd = 1;
  int64_t batch = 1;
  int64_t strideA = 0, strideB = 0, strideD = 0;
  int64_t offsetA = 0, offsetB = 0, offsetD = 0;
};

/// How many calls a contraction may become before its tensors are copied into
/// another layout instead.
inline constexpr int64_t kMaxMatmuls = 64;

/// The calls that compute a contraction, or nothing where its layout cannot be
/// expressed in \p maxCalls of them. The largest matrices win, then the fewest
/// calls.
std::optional<llvm::SmallVector<Matmul>>
planMatmuls(const Contraction &contraction, const ProductLayout &layout,
            int64_t maxCalls = kMaxMatmuls);

/// Matches a contraction of floats that starts from zero and is large enough to
/// be worth a call.
std::optional<Contraction> matchLibraryContraction(mlir::linalg::GenericOp op);

/// A contraction that a matrix library computes, and what it takes and gives.
struct MatmulStep {
  /// The operands in the contraction's order: f32, f16 or bf16, both the same.
  mlir::Value lhs, rhs;
  /// What is written: the contraction's result, or, where only a rounding to
  /// the operands' type reads that, the rounded one. Sums are f32 in any case.
  mlir::Value result;
  /// The operations that the calls stand for.
  llvm::SmallVector<mlir::linalg::GenericOp, 2> operations;
  llvm::SmallVector<Matmul> calls;
};

/// The operation that rounds the f32 elements of \p value to \p type in their
/// places, if nothing else reads them.
mlir::linalg::GenericOp findRounding(mlir::Value value, mlir::Type type);

/// The step that starts with \p op, of dense tensors; nothing where \p op is
/// no contraction of floats from zero, is too small to be worth a call, or has
/// a layout or mixed types that prepareMatmuls did not see to.
std::optional<MatmulStep> matchMatmul(mlir::Operation *op);

/// Rewrites the contractions of \p func that are worth a call so that
/// matchMatmul takes them. Operands of two types become f32 first, which loses
/// nothing; tensors whose layout cannot be expressed are copied, those first
/// that take the fewest bytes. The copies are generics like any other. Those in
/// \p exempt stay as they are.
void prepareMatmuls(mlir::func::FuncOp func,
                    const llvm::DenseSet<mlir::Operation *> &exempt = {});

} // namespace turnip::codegen

#endif // TURNIP_LIB_CODEGEN_GPU_MATMUL_H
