//===- Matmul.h - A matrix product by cuBLASLt ------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_DRIVERS_CUDA_MATMUL_H
#define TURNIP_LIB_DRIVERS_CUDA_MATMUL_H

#include "Library.h"
#include "turnip/artifact/Module.h"

#include <memory>

namespace turnip::runtime::cuda {

/// One product with the algorithm that was chosen for it: the library's first
/// choice for the alignment that every call has, within the workspace that is
/// planned, without sums that are split among blocks. So every call takes the
/// same algorithm and gives the same bits. Belongs to the context that was
/// current when it was made; one thread at a time.
class MatmulPlan {
public:
  /// Plans \p launch, a Matmul whose buffers are aligned to \p alignment bytes
  /// before its offsets are added. Error: Device, where there is no algorithm.
  static Expected<std::unique_ptr<MatmulPlan>>
  create(const LtLibrary &library, cublasLtHandle_t handle,
         const artifact::Launch &launch, uint64_t alignment);
  ~MatmulPlan();
  MatmulPlan(const MatmulPlan &) = delete;
  MatmulPlan &operator=(const MatmulPlan &) = delete;

  /// Puts the product on \p stream. \p buffers are the call's; \p workspace is
  /// its workspace, or null.
  Status run(void *const *buffers, void *workspace, CUstream stream);

private:
  MatmulPlan(const LtLibrary &library, cublasLtHandle_t handle,
             const artifact::Launch &launch)
      : library(library), handle(handle), launch(launch) {}

  Status describe();
  Status makeLayout(cublasLtMatrixLayout_t &layout, ElementType type,
                    uint64_t rows, uint64_t columns, uint64_t ld,
                    uint64_t stride);
  Status chooseAlgorithm(uint64_t alignment);

  const LtLibrary &library;
  const cublasLtHandle_t handle;
  const artifact::Launch &launch;
  cublasLtMatmulDesc_t description = nullptr;
  cublasLtMatrixLayout_t layoutA = nullptr;
  cublasLtMatrixLayout_t layoutB = nullptr;
  cublasLtMatrixLayout_t layoutD = nullptr;
  cublasLtMatmulAlgo_t algorithm = {};
};

} // namespace turnip::runtime::cuda

#endif // TURNIP_LIB_DRIVERS_CUDA_MATMUL_H
