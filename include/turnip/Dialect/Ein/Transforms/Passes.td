//===- Passes.td - Passes on ein ------------------------- -*- tablegen -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_EIN_TRANSFORMS_PASSES_TD
#define TURNIP_DIALECT_EIN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def EinFuse : Pass<"ein-fuse", "::mlir::func::FuncOp"> {
  let summary = "fuse elementwise and normalisation chains of einsums";
  let description = [{
    Gathers einsums that feed one another into `ein.fused` operations, each of
    which is later one task and one kernel with a single pass over memory: a
    softmax with its scale and mask, a normalisation with the residual addition
    before it, any chain of maps.

    Einsums are fused only where nothing is computed twice and no operand is
    read in larger pieces than before:
    - Positions along the parallel labels of the result are independent: every
      einsum of the group has these labels and reduces none of them. They
      include the first label of every einsum's result, so that a group can be
      cut into contiguous pieces.
    - What one position needs, operands, intermediates and results together,
      takes at most `row-budget` bytes, so that it stays in cache.
    - An intermediate that other operations read as well becomes a further
      result, unless more than two read it.
    - Contractions, einsums that reduce and use each element of their operands
      four times or more, stay alone: they have kernels of their own.
    - The fused operation can be placed so that all its operands come before and
      all its uses after it.

    With `attention`, two products and the softmax between them, with whatever
    scale and mask, become one operation first: parallel in rows and heads, keys
    and values whole, whatever they take. The scores are then never a tensor in
    memory. Nothing else may read anything between the products. Fusing changes
    the order of sums and, where weights are rounded to a narrow type, may
    change what is rounded (docs/kernels.md).

    ```mlir
    %0 = ein.einsum "ld->l" max(%x) { ... }
    %1 = ein.einsum "ld,l->ld"(%x, %0) { ... }
    // becomes
    %1 = ein.fused "ld->ld" parallel "l"(%x) {
    ^bb0(%t: tensor<4x8xf32>):
      %m = ein.einsum "ld->l" max(%t) { ... }
      %r = ein.einsum "ld,l->ld"(%t, %m) { ... }
      ein.yield %r : tensor<4x8xf32>
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let options = [
    Option<"rowBudget", "row-budget", "std::string", "\"1MiB\"",
           "Bytes that one position along the parallel labels may need">,
    Option<"attention", "attention", "bool", "false",
           "Make one operation of two products and the softmax between them">
  ];
  let statistics = [
    Statistic<"numGroups", "groups", "Fused operations created">,
    Statistic<"numFused", "fused", "Einsums that are part of one">,
    Statistic<"numAttentions", "attentions", "Attentions fused">
  ];
  let dependentDialects = ["::turnip::ein::EinDialect"];
}

#endif // TURNIP_DIALECT_EIN_TRANSFORMS_PASSES_TD
