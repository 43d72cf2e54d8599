//===- Passes.td - Passes of task ------------------------ -*- tablegen -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_TASK_TRANSFORMS_PASSES_TD
#define TURNIP_DIALECT_TASK_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def DeduplicateKernels
    : Pass<"task-deduplicate-kernels", "::mlir::ModuleOp"> {
  let summary = "merge kernels that are the same, drop those nobody calls";
  let description = [{
    Kernels with equal types, attributes and bodies, names and locations aside,
    become the first of them. Kernels without a body are equal only if they
    carry equal object code. Kernels that nothing calls are removed.

    ```mlir
    task.kernel @a(%x: tensor<8xf32>) -> tensor<8xf32> { ... }
    task.kernel @b(%x: tensor<8xf32>) -> tensor<8xf32> { ... }  // the same
    task.graph @main devices 1 {
      %1 = task.call @b(%0) ...   // becomes a call of @a; @b goes
    }
    ```
  }];
  let statistics = [
    Statistic<"numMerged", "merged", "Kernels merged into an equal one">,
    Statistic<"numRemoved", "removed", "Kernels that nothing called">
  ];
}

def PrintStatistics : Pass<"task-print-statistics", "::mlir::ModuleOp"> {
  let summary = "print what a task graph consists of";
  let description = [{
    Prints to stderr, per graph: calls by place, transfers, bytes of
    parameters, inputs and results, the largest working set (aligned operands,
    results and workspace: the smallest cap of its device) and its task, then
    each kernel with its calls and estimates.

    ```mlir
    // graph @main on 1 device
    //   calls: 4 on dev 0, 1 on host; 0 transfers
    //   parameters: 3 slices, 24576 bytes (0.02 MiB)
    //   largest working set of dev 0: task 0 (up), 18944 bytes (0.02 MiB)
    ```
  }];
}

def VerifyTask : Pass<"task-verify", "::mlir::ModuleOp"> {
  let summary = "check that a module is completely partitioned";
  let description = [{
    The legality check of the `task` phase: at least one `task.graph`, nothing
    but graphs and kernels in the module, and with `require-code` object code
    for every kernel.
  }];
  let options = [
    Option<"requireCode", "require-code", "bool", "false",
           "Every kernel must have object code">
  ];
}

#endif // TURNIP_DIALECT_TASK_TRANSFORMS_PASSES_TD
