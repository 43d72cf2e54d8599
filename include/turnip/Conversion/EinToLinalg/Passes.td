//===- Passes.td - From ein to linalg on tensors --------- -*- tablegen -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_CONVERSION_EINTOLINALG_PASSES_TD
#define TURNIP_CONVERSION_EINTOLINALG_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertEinToLinalg : Pass<"convert-ein-to-linalg"> {
  let summary = "convert ein operations to linalg and tensor operations";
  let description = [{
    Converts every `ein` operation below the one that the pass runs on, be it in
    a function or in a kernel. An einsum becomes one `linalg.generic` whose
    loops are the result's labels, in order, then the reduced labels in order of
    appearance. A reduction accumulates into a tensor filled with the combiner's
    identity; the accumulator is the first operand of the combiner's operation.
    A fused operation becomes the operations it holds. Slices, concatenations
    and reshapes become `tensor` operations, a gather becomes a `linalg.generic`
    that extracts from the table at clamped indices.

    Parameters stay as they are in functions. Elsewhere they are errors:
    kernels take their tensors as operands.

    ```mlir
    %0 = ein.einsum "ab->a" sum(%x) {
    ^bb0(%e: f32):
      ein.yield %e : f32
    } : (tensor<4x8xf32>) -> tensor<4xf32>
    // becomes
    %e = tensor.empty() : tensor<4xf32>
    %z = linalg.fill ins(%cst : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %0 = linalg.generic {
        indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<4x8xf32>) outs(%z : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %s = arith.addf %out, %in : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    ```
  }];
  let statistics = [
    Statistic<"numGenerics", "generics", "linalg.generic operations created">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // TURNIP_CONVERSION_EINTOLINALG_PASSES_TD
