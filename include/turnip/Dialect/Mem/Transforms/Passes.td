//===- Passes.td - Passes of mem ------------------------- -*- tablegen -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_MEM_TRANSFORMS_PASSES_TD
#define TURNIP_DIALECT_MEM_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def PrintStatistics : Pass<"mem-print-statistics", "::mlir::ModuleOp"> {
  let summary = "print peak bytes, copies and dependencies of placed graphs";
  let description = [{
    Prints to stderr, per graph: peak bytes of each memory and its capacity,
    the smallest capacity that would have done and the task that needs it,
    operations and dependencies, copies by role, bytes by link, and the bounds
    that the planner found.

    ```mlir
    // graph @main
    //   memory @dev0: peak 18944 of 18944 bytes (0.02 of 0.02 MiB)
    //   device "dev0": smallest cap 18944 bytes (0.02 MiB), by task 0 (up)
    //   operations: 4 calls, 6 copies, 0 joins
    //   dependencies: 9 data, 2 memory, 1.10 per operation
    //   load: 4 copies, 25088 bytes (0.02 MiB)
    ```
  }];
}

def VerifyMem : Pass<"mem-verify", "::mlir::ModuleOp"> {
  let summary = "check that a module is completely placed";
  let description = [{
    The legality check of the `mem` phase: one `mem.machine`, at least one
    `mem.graph`, nothing else but kernels, and with `require-code` object code
    for every kernel. That the placement is right is checked by `mem.graph`
    itself, always.
  }];
  let options = [
    Option<"requireCode", "require-code", "bool", "false",
           "Every kernel must have object code">
  ];
}

#endif // TURNIP_DIALECT_MEM_TRANSFORMS_PASSES_TD
