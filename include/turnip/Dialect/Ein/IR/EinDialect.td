//===- EinDialect.td - The ein dialect ------------------- -*- tablegen -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_EIN_IR_EINDIALECT_TD
#define TURNIP_DIALECT_EIN_IR_EINDIALECT_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Ein_Dialect : Dialect {
  let name = "ein";
  let cppNamespace = "::turnip::ein";
  let summary = "Tensor expressions in extended Einstein notation";
  let description = [{
    Whole tensors, no devices, no memory. One structured operation,
    `ein.einsum`, carries the weight: every dimension of every operand has a
    label, a scalar body joins the operands at each point of the label space,
    and an associative combiner accumulates over the labels that the result
    does not have. The other operations are the few things the notation cannot
    say.

    Tensors are ranked and static, every dimension is at least 1, and elements
    are `f32`, `f16`, `bf16`, `i8`, `i32`, `i64` or `i1`.

    A function of `ein` operations is an entry point of the program. Its
    arguments and results carry the names they are bound by:

    ```mlir
    func.func @main(%x: tensor<4x8xf32> {ein.name = "x"})
        -> (tensor<4xf32> {ein.name = "y"})
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

def Ein_Combiner : I32EnumAttr<"Combiner",
    "Associative operation that accumulates over reduced labels", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"Sum", 1, "sum">,
  I32EnumAttrCase<"Prod", 2, "prod">,
  I32EnumAttrCase<"Max", 3, "max">,
  I32EnumAttrCase<"Min", 4, "min">,
  I32EnumAttrCase<"And", 5, "and">,
  I32EnumAttrCase<"Or", 6, "or">,
  I32EnumAttrCase<"Xor", 7, "xor">
]> {
  let cppNamespace = "::turnip::ein";
  let genSpecializedAttr = 0;
}

def Ein_CombinerAttr : EnumAttr<Ein_Dialect, Ein_Combiner, "combiner"> {
  let assemblyFormat = "`<` $value `>`";
}

#endif // TURNIP_DIALECT_EIN_IR_EINDIALECT_TD
