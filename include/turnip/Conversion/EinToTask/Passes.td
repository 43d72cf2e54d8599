//===- Passes.td - Partitioning passes ------------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_CONVERSION_EINTOTASK_PASSES_TD
#define TURNIP_CONVERSION_EINTOTASK_PASSES_TD

include "mlir/Pass/PassBase.td"

def PartitionEin : Pass<"partition-ein", "::mlir::ModuleOp"> {
  let summary = "split whole-tensor functions into graphs of tasks on tiles";
  let description = [{
    Turns every function of `ein` operations into a `task.graph` and a set of
    `task.kernel`s. Each operation is cut along its labels so that one task's
    operands and results together take at most `tile-budget` bytes; among the
    cuts that fit, the one that moves the fewest bytes wins: operands read by
    several tasks, tiles cut anew because the producer was cut otherwise, and
    partial results of a split reduction all count. An operation that cannot be
    cut below the budget keeps its smallest cut.

    A slice of a parameter or input is loaded as such and never cut on a device.
    An operation moves to the host when that moves fewer bytes than bringing an
    operand that cannot be cut: a lookup in an embedding table runs there, and
    only its rows travel.

    Partial results are joined from left to right, so that the result's bits do
    not depend on the schedule.

    ```mlir
    func.func @main(%x: tensor<8x4xf32>) -> tensor<8xf32> {
      %0 = ein.einsum "ij->i" sum(%x) { ... }
      return %0 : tensor<8xf32>
    }
    // becomes, with a tile budget of 128 bytes,
    task.graph @main devices 1 {
      %0 = task.input "arg0" [8, 4] offsets [0, 0] sizes [4, 4] : !task.tile<4x4xf32, dev 0>
      %1 = task.call @reduce_ij_i(%0) on dev 0 : ...
      task.result %1 "result0" [8] offsets [0] sizes [4] : !task.tile<4xf32, dev 0>
      ...
    }
    ```
  }];
  let options = [
    Option<"tileBudget", "tile-budget", "std::string", "\"4MiB\"",
           "Bytes that the operands and results of one task may take, such as "
           "4MiB or 1048576">
  ];
  let statistics = [
    Statistic<"numTasks", "tasks", "Kernel calls created">,
    Statistic<"numKernels", "kernels", "Kernels created">,
    Statistic<"numRepartitions", "repartitions",
              "Tiles cut anew because producer and consumer differ">
  ];
  let dependentDialects = ["::turnip::task::TaskDialect",
                           "::turnip::ein::EinDialect",
                           "::mlir::arith::ArithDialect"];
}

#endif // TURNIP_CONVERSION_EINTOTASK_PASSES_TD
