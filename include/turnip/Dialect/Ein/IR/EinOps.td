//===- EinOps.td - The ein operations -------------------- -*- tablegen -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_EIN_IR_EINOPS_TD
#define TURNIP_DIALECT_EIN_IR_EINOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "turnip/Dialect/Ein/IR/EinDialect.td"
include "turnip/Dialect/Ein/IR/EinInterfaces.td"

def Ein_Tensor : Type<CPred<"::turnip::ein::isEinTensor($_self)">,
    "ranked static tensor, sizes at least 1, of f32, f16, bf16, i8, i32, i64 "
    "or i1", "::mlir::RankedTensorType">;

def Ein_IndexTensor : Type<And<[Ein_Tensor.predicate, CPred<
    "::llvm::cast<::mlir::ShapedType>($_self).getElementType()"
    ".isSignlessInteger(32) || ::llvm::cast<::mlir::ShapedType>($_self)"
    ".getElementType().isSignlessInteger(64)">]>,
    "ranked static tensor, sizes at least 1, of i32 or i64",
    "::mlir::RankedTensorType">;

class Ein_Op<string mnemonic, list<Trait> traits = []>
    : Op<Ein_Dialect, mnemonic, traits>;

/// An operation that says how it may be split.
class Ein_PartitionableOp<string mnemonic, list<Trait> traits = []>
    : Ein_Op<mnemonic, !listconcat(traits, [
        Pure, DeclareOpInterfaceMethods<Ein_PartitionableOpInterface,
                                        ["getPartitionCombiner",
                                         "needsOffset"]>])>;

def Ein_ParameterOp : Ein_Op<"parameter", [Pure]> {
  let summary = "A tensor bound by name before the program runs";
  let description = [{
    The elements are kept outside the module, in a file of weights for example,
    and nobody writes them.

    ```mlir
    %w = ein.parameter "blk.0.attn_q.weight" : tensor<576x576xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Ein_Tensor:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Ein_ConstantOp : Ein_Op<"constant", [ConstantLike, Pure,
    AllTypesMatch<["value", "result"]>]> {
  let summary = "A tensor whose elements are part of the program";
  let description = [{
    ```mlir
    %c = ein.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Ein_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Ein_EinsumOp : Ein_PartitionableOp<"einsum"> {
  let summary = "Joins operands at every point of a label space and combines";
  let description = [{
    The notation gives each dimension of each operand and of the result a
    label, one letter. A label has one size wherever it occurs. The body joins
    the operands' elements at one point of the label space into one scalar;
    over labels that the result does not have, the scalars are combined. A
    result label that no operand has repeats the values along it.

    ```mlir
    %y = ein.einsum "lk,nk->ln" sum(%x, %w) {
    ^bb0(%a: f32, %b: f32):
      %p = arith.mulf %a, %b : f32
      ein.yield %p : f32
    } : (tensor<64x576xf32>, tensor<1536x576xf32>) -> tensor<64x1536xf32>
    ```

    The combiner is `sum`, `prod`, `max`, `min`, `and`, `or` or `xor`, in the
    type of the result's elements; there is none exactly when the result has
    every label. Integers wrap, integer maxima and minima are signed, float
    maxima and minima propagate NaN. The association in which values are
    combined is chosen when the program is compiled, and then fixed.

    Where elements of the result are f16 or bf16, the body may yield f32: then
    values are combined in f32, all of them in one task, and the result of that
    is rounded once. This is how products of narrow types are written:

    ```mlir
    %y = ein.einsum "lk,nk->ln" sum(%x, %w) {
    ^bb0(%a: bf16, %b: bf16):
      %a1 = arith.extf %a : bf16 to f32
      %b1 = arith.extf %b : bf16 to f32
      %p = arith.mulf %a1, %b1 : f32
      ein.yield %p : f32
    } : (tensor<64x576xbf16>, tensor<1536x576xbf16>) -> tensor<64x1536xbf16>
    ```

    The body is one block of operations on scalars without side effects, with
    an argument per operand. `ein.index` gives the position along a label.
    Values of type `index` defined above may be used in the body.
  }];
  let arguments = (ins StrAttr:$notation, Ein_CombinerAttr:$combiner,
                   Variadic<Ein_Tensor>:$inputs);
  let results = (outs Ein_Tensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $notation `` custom<Combiner>($combiner) `(` $inputs `)` $body attr-dict
    `:` functional-type($inputs, $result)
  }];
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::ValueRange":$inputs,
      "::llvm::StringRef":$notation, "::turnip::ein::Combiner":$combiner,
      "::llvm::function_ref<::mlir::Value(::mlir::OpBuilder &, "
      "::mlir::Location, ::mlir::ValueRange)>":$body)>
  ];
  let extraClassDeclaration = [{
    /// The parsed notation; the op must be valid.
    ::turnip::ein::Notation getParsedNotation();
    /// The size of a label that the notation has.
    int64_t getLabelSize(char label);
    /// The block that joins the operands' elements.
    ::mlir::Block *getBlock() { return &getBody().front(); }
    /// The value that the body yields.
    ::mlir::Value getYielded();
    /// Whether values are combined in a wider type than the result's elements
    /// have, and rounded after that.
    bool isRoundedOnce() {
      return getYielded().getType() != getType().getElementType();
    }
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Ein_IndexOp : Ein_Op<"index", [Pure, HasParent<"EinsumOp">]> {
  let summary = "The position along a label";
  let description = [{
    Only in the body of `ein.einsum`: the position, from 0, along a label of
    the notation at the point that the body is evaluated for.

    ```mlir
    %i = ein.index "l" : index
    ```
  }];
  let arguments = (ins StrAttr:$label);
  let results = (outs Index:$result);
  let assemblyFormat = "$label attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Ein_YieldOp : Ein_Op<"yield", [Pure, Terminator,
    ParentOneOf<["EinsumOp", "FusedOp"]>]> {
  let summary = "Ends the body of an einsum or of a fused operation";
  let description = [{
    In `ein.einsum`, one scalar of the type of the result's elements (or f32,
    see there), which the combiner accumulates; in `ein.fused`, a tensor per
    result.

    ```mlir
    ein.yield %p : f32
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Ein_FusedOp : Ein_PartitionableOp<"fused"> {
  let summary = "Several einsums that are computed together";
  let description = [{
    Softmax, normalisations and elementwise chains become one kernel that
    passes over memory once. The body holds `ein.einsum` operations only, and
    their labels are named across the whole group: a letter is one index space,
    and a value is used with the labels that it was defined with. Those of the
    block arguments and of the yielded values are given by the notation.

    Only the labels called `parallel` may be split: every einsum that reads
    them also keeps them, so that each position is computed by itself.

    ```mlir
    %y = ein.fused "ld->ld" parallel "l"(%x) {
    ^bb0(%t: tensor<4x8xf32>):
      %m = ein.einsum "ld->l" max(%t) {
      ^bb0(%a: f32):
        ein.yield %a : f32
      } : (tensor<4x8xf32>) -> tensor<4xf32>
      %r = ein.einsum "ld,l->ld"(%t, %m) {
      ^bb0(%a: f32, %b: f32):
        %d = arith.subf %a, %b : f32
        ein.yield %d : f32
      } : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
      ein.yield %r : tensor<4x8xf32>
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins StrAttr:$notation, StrAttr:$parallel,
                   Variadic<Ein_Tensor>:$inputs);
  let results = (outs Variadic<Ein_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $notation `parallel` $parallel `` `(` $inputs `)` $body attr-dict
    `:` functional-type($inputs, $results)
  }];
  let extraClassDeclaration = [{
    /// The parsed notation; the op must be valid.
    ::turnip::ein::Notation getParsedNotation();
    /// The block that holds the einsums.
    ::mlir::Block *getBlock() { return &getBody().front(); }
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
}

def Ein_SliceOp : Ein_PartitionableOp<"slice"> {
  let summary = "A strided rectangle of a tensor";
  let description = [{
    Element `i` along a dimension of the result is element
    `offset + i * stride` of the source. Strides are at least 1.

    ```mlir
    %s = ein.slice %x [0, 4] [2, 2] [1, 2]
        : tensor<8x8xf32> to tensor<2x2xf32>
    ```
  }];
  let arguments = (ins Ein_Tensor:$source, DenseI64ArrayAttr:$offsets,
                   DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides);
  let results = (outs Ein_Tensor:$result);
  let assemblyFormat = [{
    $source $offsets $sizes $strides attr-dict
    `:` type($source) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Ein_WindowOp : Ein_Op<"window", [Pure]> {
  let summary = "A rectangle of a tensor at a position that is computed";
  let description = [{
    Takes a rectangle of the result's shape. There is a position for each
    dimension in which the result is smaller than the source, in order; it is
    signed and is clamped so that the rectangle lies in the source. One kernel
    with windows serves all pieces of a shape.

    ```mlir
    %w = ein.window %x[%i] : tensor<8x4xf32> to tensor<2x4xf32>
    ```
  }];
  let arguments = (ins Ein_Tensor:$source, Variadic<Index>:$positions);
  let results = (outs Ein_Tensor:$result);
  let assemblyFormat = [{
    $source `[` $positions `]` attr-dict `:` type($source) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Ein_ConcatOp : Ein_PartitionableOp<"concat"> {
  let summary = "Tensors one after the other along one dimension";
  let description = [{
    ```mlir
    %c = ein.concat %a, %b dim 1
        : (tensor<4x2xf32>, tensor<4x6xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Variadic<Ein_Tensor>:$inputs, I64Attr:$dim);
  let results = (outs Ein_Tensor:$result);
  let assemblyFormat = [{
    $inputs `dim` $dim attr-dict `:` functional-type($inputs, $result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Ein_ReshapeOp : Ein_PartitionableOp<"reshape"> {
  let summary = "The same elements in row-major order, with another shape";
  let description = [{
    ```mlir
    %r = ein.reshape %x : tensor<64x576xf32> to tensor<64x9x64xf32>
    ```
  }];
  let arguments = (ins Ein_Tensor:$source);
  let results = (outs Ein_Tensor:$result);
  let assemblyFormat = [{
    $source attr-dict `:` type($source) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Ein_GatherOp : Ein_PartitionableOp<"gather"> {
  let summary = "Rows of a table, chosen by indices";
  let description = [{
    The result's leading dimensions are those of the indices, the others those
    of a row of the table: `result[i..., r...] = table[indices[i...], r...]`.
    An index is signed and is clamped to the rows that exist: below 0 reads row
    0, beyond the end reads the last row.

    ```mlir
    %e = ein.gather %table[%tokens]
        : (tensor<49152x576xf32>, tensor<64xi32>) -> tensor<64x576xf32>
    ```
  }];
  let arguments = (ins Ein_Tensor:$table, Ein_IndexTensor:$indices);
  let results = (outs Ein_Tensor:$result);
  let assemblyFormat = [{
    $table `[` $indices `]` attr-dict
    `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

#endif // TURNIP_DIALECT_EIN_IR_EINOPS_TD
