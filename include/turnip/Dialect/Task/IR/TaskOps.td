//===- TaskOps.td - Operations of task ---------------------*- tablegen -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_TASK_IR_TASKOPS_TD
#define TURNIP_DIALECT_TASK_IR_TASKOPS_TD

include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "turnip/Dialect/Task/IR/TaskTypes.td"

class Task_Op<string mnemonic, list<Trait> traits = []>
    : Op<Task_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

def Task_KernelOp : Task_Op<"kernel", [IsolatedFromAbove, Symbol,
                                       FunctionOpInterface]> {
  let summary = "a kernel: a pure function on tiles, defined once";
  let description = [{
    A function from tensors to tensors with static shapes. Trailing arguments
    of type `index` are scalars: numbers that a call supplies, such as the
    position of its tile in the whole tensor.

    The body holds tensor operations and ends with `task.yield`. It may be
    missing when only object code is known, as in a module read back from an
    artifact.

    Optional attributes, filled in by later passes:

    - `grid`: how many independent pieces of work one call consists of;
    - `workspace`: bytes of scratch memory that one call needs;
    - `flops`, `bytes`, `seconds`: work, memory traffic and time of one call,
      for estimates;
    - `inplace(operand -> result, ...)`: results that may be written over an
      operand of as many bytes; where an operand or result occurs more than
      once, any one of the pairs may be used;
    - `objects`: machine code, at most one per triple, features and format.

    ```mlir
    task.kernel @up(%x: tensor<64x576xf32>, %w: tensor<768x576xf32>)
        -> tensor<64x768xf32> grid 12 workspace 4096 flops 56623104 {
      %0 = ein.einsum "lk,nk->ln" sum(%x, %w) { ... }
      task.yield %0 : tensor<64x768xf32>
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs,
    OptionalAttr<I64Attr>:$grid,
    OptionalAttr<I64Attr>:$workspace,
    OptionalAttr<I64Attr>:$flops,
    OptionalAttr<I64Attr>:$bytes,
    OptionalAttr<F64Attr>:$seconds,
    OptionalAttr<DenseI64ArrayAttr>:$inplace,
    OptionalAttr<TypedArrayAttrBase<Task_ObjectAttr, "kernel objects">>:$objects
  );
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type)>
  ];
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() {
      return isExternal() ? nullptr : &getBody();
    }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    /// How many leading arguments are tensors.
    unsigned getNumTensorArguments();
    /// How many trailing arguments are scalars.
    unsigned getNumScalarArguments() {
      return getNumArguments() - getNumTensorArguments();
    }
    /// The (operand, result) pairs that may share memory.
    ::llvm::SmallVector<::std::pair<int64_t, int64_t>> getInplacePairs();
    /// Bytes of workspace of one call: 0 where nothing is known.
    int64_t getWorkspaceBytes() { return getWorkspace().value_or(0); }
  }];
}

def Task_YieldOp : Task_Op<"yield", [Pure, ReturnLike, Terminator,
                                     HasParent<"KernelOp">]> {
  let summary = "the results of a kernel";
  let description = [{
    Ends the body of a `task.kernel`; operand types are the kernel's results.

    ```mlir
    task.yield %0 : tensor<64x768xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ /* no operands */ }]>];
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

def Task_GraphOp : Task_Op<"graph", [IsolatedFromAbove, Symbol, SingleBlock,
                                     NoTerminator, NoRegionArguments]> {
  let summary = "an entry point as a graph of calls and transfers on tiles";
  let description = [{
    One entry point of the program for a number of devices. Operations are
    joined by the tiles they produce and use; their textual order has no
    meaning beyond that.

    Constraints, checked here because they concern several operations:

    - every device index is less than `devices`;
    - parameters of one name agree in element type and outer shape, and so do
      inputs;
    - results of one name agree in element type and in both shapes;
    - every element of each result is written exactly once.

    ```mlir
    task.graph @main devices 1 {
      %x = task.input "x" [8] offsets [0] sizes [8] : !task.tile<8xf32, dev 0>
      %y = task.call @f(%x) on dev 0
        : (!task.tile<8xf32, dev 0>) -> !task.tile<8xf32, dev 0>
      task.result %y "y" [8] offsets [0] sizes [8] : !task.tile<8xf32, dev 0>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       I64Attr:$devices);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `devices` $devices attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "int64_t":$devices)>
  ];
}

class Task_SourceOp<string mnemonic, list<Trait> traits = []>
    : Task_Op<mnemonic, !listconcat(traits, [HasParent<"GraphOp">])> {
  let arguments = (ins StrAttr:$name, DenseI64ArrayAttr:$shape,
                       OptionalAttr<DenseI64ArrayAttr>:$outer_shape,
                       DenseI64ArrayAttr:$offsets, DenseI64ArrayAttr:$sizes);
  let results = (outs Task_TileType:$tile);
  let assemblyFormat = [{
    $name $shape (`of` $outer_shape^)? `offsets` $offsets `sizes` $sizes
    attr-dict `:` type($tile)
  }];
  let hasVerifier = 1;
  // `outerShape` is dropped where it equals `shape`.
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "::llvm::ArrayRef<int64_t>":$shape,
                   "::llvm::ArrayRef<int64_t>":$outerShape,
                   "::llvm::ArrayRef<int64_t>":$offsets,
                   "::llvm::ArrayRef<int64_t>":$sizes,
                   "::mlir::Type":$elementType, "PlaceAttr":$place), [{
      build($_builder, $_state,
            TileType::get($_builder.getContext(), sizes, elementType, place),
            $_builder.getStringAttr(name),
            $_builder.getDenseI64ArrayAttr(shape),
            outerShape == shape ? ::mlir::DenseI64ArrayAttr()
                                : $_builder.getDenseI64ArrayAttr(outerShape),
            $_builder.getDenseI64ArrayAttr(offsets),
            $_builder.getDenseI64ArrayAttr(sizes));
    }]>
  ];
  let extraClassDeclaration = [{
    /// The shape outside the program: the file's, or the declared one.
    ::llvm::ArrayRef<int64_t> getOuter() {
      return getOuterShape().value_or(getShape());
    }
  }];
}

def Task_ParameterOp : Task_SourceOp<"parameter", [Pure]> {
  let summary = "a slice of a named parameter";
  let description = [{
    A box of a parameter that is bound by name when the program runs. The
    shape in brackets is the shape under which the box is cut. Where it
    differs from the shape in the parameter file, that follows `of`: both have
    the same elements in the same order. The tile's place is where the value
    is needed: its first copy lies in host memory.

    ```mlir
    %w = task.parameter "blk.0.ffn_up.weight" [1536, 576]
           offsets [768, 0] sizes [768, 576] : !task.tile<768x576xf32, dev 0>
    %q = task.parameter "blk.0.attn_q.weight" [9, 64, 576] of [576, 576]
           offsets [3, 0, 0] sizes [3, 64, 576]
           : !task.tile<3x64x576xf32, dev 0>
    ```
  }];
}

def Task_InputOp : Task_SourceOp<"input"> {
  let summary = "a slice of a named input of the invocation";
  let description = [{
    A box of an input given anew with every invocation, written as for
    `task.parameter`. An input without uses stays, because it is part of the
    entry point's signature.

    ```mlir
    %t = task.input "tokens" [64] offsets [0] sizes [64]
           : !task.tile<64xi32, host>
    ```
  }];
}

def Task_ResultOp : Task_Op<"result", [HasParent<"GraphOp">]> {
  let summary = "a slice of a named result of the invocation";
  let description = [{
    Says which box of which result a tile is. Where the tile lives on a device,
    its value is copied to host memory.

    ```mlir
    task.result %z "logits" [64, 49152] offsets [0, 0] sizes [64, 768]
      : !task.tile<64x768xf32, dev 0>
    ```
  }];
  let arguments = (ins Task_TileType:$tile, StrAttr:$name,
                       DenseI64ArrayAttr:$shape,
                       OptionalAttr<DenseI64ArrayAttr>:$outer_shape,
                       DenseI64ArrayAttr:$offsets, DenseI64ArrayAttr:$sizes);
  let assemblyFormat = [{
    $tile $name $shape (`of` $outer_shape^)? `offsets` $offsets `sizes` $sizes
    attr-dict `:` type($tile)
  }];
  let hasVerifier = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Value":$tile, "::llvm::StringRef":$name,
                   "::llvm::ArrayRef<int64_t>":$shape,
                   "::llvm::ArrayRef<int64_t>":$outerShape,
                   "::llvm::ArrayRef<int64_t>":$offsets,
                   "::llvm::ArrayRef<int64_t>":$sizes), [{
      build($_builder, $_state, tile, $_builder.getStringAttr(name),
            $_builder.getDenseI64ArrayAttr(shape),
            outerShape == shape ? ::mlir::DenseI64ArrayAttr()
                                : $_builder.getDenseI64ArrayAttr(outerShape),
            $_builder.getDenseI64ArrayAttr(offsets),
            $_builder.getDenseI64ArrayAttr(sizes));
    }]>
  ];
  let extraClassDeclaration = [{
    /// The shape that the program declares.
    ::llvm::ArrayRef<int64_t> getOuter() {
      return getOuterShape().value_or(getShape());
    }
  }];
}

def Task_CallOp : Task_Op<"call", [Pure, HasParent<"GraphOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a call of a kernel on tiles";
  let description = [{
    Runs a kernel at a place. All operands and results live there, and their
    shapes and element types are the kernel's. `scalars` are the kernel's
    trailing `index` arguments.

    ```mlir
    %y = task.call @mask(%s) scalars [64] on dev 0
           : (!task.tile<64x64xf32, dev 0>) -> !task.tile<64x64xf32, dev 0>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel,
                       Variadic<Task_TileType>:$operands,
                       DefaultValuedOptionalAttr<DenseI64ArrayAttr,
                                                 "{}">:$scalars,
                       Task_PlaceAttr:$place);
  let results = (outs Variadic<Task_TileType>:$results);
  let assemblyFormat = [{
    $kernel `(` $operands `)` (`scalars` $scalars^)? `on` custom<CallPlace>($place)
    attr-dict `:` functional-type($operands, $results)
  }];
  let hasVerifier = 1;
  let builders = [
    OpBuilder<(ins "KernelOp":$kernel, "::mlir::ValueRange":$operands,
                   "::llvm::ArrayRef<int64_t>":$scalars, "PlaceAttr":$place)>
  ];
}

def Task_TransferOp : Task_Op<"transfer", [Pure, HasParent<"GraphOp">]> {
  let summary = "a tile's value at another place";
  let description = [{
    Moves a value between two different places; shape and element type stay.

    ```mlir
    %x = task.transfer %e : !task.tile<64x576xf32, host>
                         to !task.tile<64x576xf32, dev 0>
    ```
  }];
  let arguments = (ins Task_TileType:$source);
  let results = (outs Task_TileType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // TURNIP_DIALECT_TASK_IR_TASKOPS_TD
