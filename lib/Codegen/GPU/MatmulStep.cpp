//===- MatmulStep.cpp - Products that the matrix library computes ---------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatmulStep.h"

using namespace mlir;

namespace turnip::codegen::gpu {

/// The strides per loop dimension of a tensor at `place` that is read or
/// written with `map`.
static SmallVector<int64_t> getLoopStrides(AffineMap map, const Place &place) {
  SmallVector<int64_t> strides(map.getNumDims(), 0);
  for (auto [dim, stride] : llvm::enumerate(place.strides))
    strides[map.getDimPosition(dim)] = stride;
  return strides;
}

static std::string nameOf(Type type) {
  return type.isF32() ? "f32" : type.isF16() ? "f16" : "bf16";
}

/// The part of a call's buffers where element `offset` of `place` is the first.
static BufferPart partOf(const Place &place, int64_t offset) {
  return {place.buffer,
          place.bufferOffset + (place.offset + offset) *
                                   LaneBuilder::byteWidth(place.elementType)};
}

SmallVector<Operation *> emitMatmul(KernelSteps &steps, linalg::GenericOp op) {
  std::optional<Contraction> contraction = matchLibraryContraction(op);
  std::optional<MatmulStep> step = matchMatmul(op);
  if (!contraction || !step)
    return {};
  Place lhs = steps.placeOf(step->lhs), rhs = steps.placeOf(step->rhs);
  Place result = steps.destination(step->result);
  for (const Place *place : {&lhs, &rhs, &result})
    if (place->buffer < 0 || !place->dynamicOffsets.empty())
      return {};
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  ProductLayout layout;
  layout.sizes = op.getStaticLoopRanges();
  layout.lhs = getLoopStrides(maps[0], lhs);
  layout.rhs = getLoopStrides(maps[1], rhs);
  layout.result = getLoopStrides(maps[2], result);
  std::optional<SmallVector<Matmul>> calls = planMatmuls(*contraction, layout);
  if (!calls)
    return {};
  for (const Matmul &call : *calls) {
    KernelLaunch launch;
    launch.kind = KernelLaunch::Kind::Matmul;
    launch.buffers = {partOf(call.isSwapped ? rhs : lhs, call.offsetA),
                      partOf(call.isSwapped ? lhs : rhs, call.offsetB),
                      partOf(result, call.offsetD)};
    MatmulLaunch &matmul = launch.matmul;
    matmul.typeA = matmul.typeB = nameOf(lhs.elementType);
    matmul.typeD = nameOf(result.elementType);
    matmul.transA = call.transA;
    matmul.transB = call.transB;
    matmul.m = call.m;
    matmul.n = call.n;
    matmul.k = call.k;
    matmul.lda = call.lda;
    matmul.ldb = call.ldb;
    matmul.ldd = call.ldd;
    matmul.batch = call.batch;
    matmul.strideA = call.strideA;
    matmul.strideB = call.strideB;
    matmul.strideD = call.strideD;
    steps.launches.push_back(std::move(launch));
  }
  return SmallVector<Operation *>(step->operations.begin(),
                                  step->operations.end());
}

} // namespace turnip::codegen::gpu
