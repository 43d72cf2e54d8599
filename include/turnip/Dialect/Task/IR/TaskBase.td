//===- TaskBase.td - The task dialect ----------------------*- tablegen -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_TASK_IR_TASKBASE_TD
#define TURNIP_DIALECT_TASK_IR_TASKBASE_TD

include "mlir/IR/OpBase.td"

def Task_Dialect : Dialect {
  let name = "task";
  let cppNamespace = "::turnip::task";
  let summary = "A partitioned program: kernel calls and transfers on tiles";
  let description = [{
    The `task` dialect holds a program after it was cut into pieces and before
    memory is planned. A `task.graph` calls kernels on *tiles*; every tile
    lives at one place: `host` or device `N`. Kernels are symbols defined once
    and called many times; their bodies are tensor expressions on the tiles'
    shapes.

    The graph says what depends on what, and nothing else: no address, no
    order beyond data flow, no aliasing. An update makes a new tile.

    ```mlir
    task.kernel @scale(%x: tensor<4x8xf32>, %w: tensor<8xf32>)
        -> tensor<4x8xf32> grid 4 {
      %0 = ein.einsum "ld,d->ld"(%x, %w) { ... }
      task.yield %0 : tensor<4x8xf32>
    }

    task.graph @main devices 1 {
      %x = task.input "x" [8, 8] offsets [4, 0] sizes [4, 8]
        : !task.tile<4x8xf32, dev 0>
      %w = task.parameter "w" [8] offsets [0] sizes [8]
        : !task.tile<8xf32, dev 0>
      %y = task.call @scale(%x, %w) on dev 0
        : (!task.tile<4x8xf32, dev 0>, !task.tile<8xf32, dev 0>)
        -> !task.tile<4x8xf32, dev 0>
      ...
    }
    ```
  }];
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Attribute of the module: the options it was partitioned with.
    static constexpr ::llvm::StringLiteral kOptions = "task.options";
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

#endif // TURNIP_DIALECT_TASK_IR_TASKBASE_TD
