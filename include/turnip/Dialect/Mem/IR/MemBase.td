//===- MemBase.td - The mem dialect ---------------------- -*- tablegen -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_MEM_IR_MEMBASE_TD
#define TURNIP_DIALECT_MEM_IR_MEMBASE_TD

include "mlir/IR/OpBase.td"

def Mem_Dialect : Dialect {
  let name = "mem";
  let cppNamespace = "::turnip::mem";
  let summary = "A placed program: operations on byte ranges, joined by tokens";
  let description = [{
    The `mem` dialect holds a program after memory was planned. A `mem.machine`
    lists memories, devices and links. In a `mem.graph` every kernel call and
    every copy names the bytes it touches and the *value* it expects or leaves
    there: `v3 @dev0[128 + 64]` is the 64 bytes of memory `@dev0` from offset
    128, holding value 3. Copies of one content have one value.

    An operation's result is a token: its completion. Operands are what it waits
    for, after data it reads (`after`) or before it overwrites memory that is
    still in use (`memory`). Any order that respects the tokens must compute the
    same; the verifier of `mem.graph` proves it.

    The kernels are those of the `task` dialect.

    ```mlir
    mem.machine {
      mem.memory @dev0 device capacity 1024 alignment 64
      mem.memory @host host capacity 128 alignment 64
      mem.device "dev0" accelerator memory @dev0 backing @host
      mem.link @host to @dev0 channel 0
      mem.link @dev0 to @host channel 1
    }
    mem.graph @main {
      mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
      %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
      %1 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64])
             writes(v1 @dev0[64 + 64]) after(%0)
      %2 = mem.copy result v1 @dev0[64 + 64] to @host[64 + 64] after(%1)
      mem.result "y" [16] offsets [0] sizes [16] : f32 at v1 @host[64 + 64]
    }
    ```
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["::turnip::task::TaskDialect"];
  let extraClassDeclaration = [{
    /// Attributes of the module: what made it, and with which options.
    static constexpr ::llvm::StringLiteral kProducer = "mem.producer";
    static constexpr ::llvm::StringLiteral kOptions = "mem.options";
  }];
}

#endif // TURNIP_DIALECT_MEM_IR_MEMBASE_TD
