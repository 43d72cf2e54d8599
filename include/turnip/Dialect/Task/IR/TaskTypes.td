//===- TaskTypes.td - Types and attributes of task ---------*- tablegen -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_TASK_IR_TASKTYPES_TD
#define TURNIP_DIALECT_TASK_IR_TASKTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "turnip/Dialect/Task/IR/TaskBase.td"

class Task_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Task_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Task_PlaceAttr : Task_Attr<"Place", "place"> {
  let summary = "where a tile lives or a call runs: host or a device";
  let description = [{
    `host`, which is host memory and the CPU that computes on it, or `dev N`,
    the N-th device of the graph and its memory.

    ```mlir
    #task.place<host>
    #task.place<dev 0>
    ```
  }];
  // The device's index, or -1 for the host.
  let parameters = (ins "int64_t":$index);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static constexpr int64_t kHost = -1;
    static PlaceAttr getHost(::mlir::MLIRContext *context) {
      return get(context, kHost);
    }
    bool isHost() const { return getIndex() == kHost; }
  }];
}

def Task_LaunchAttr : Task_Attr<"Launch", "launch"> {
  let summary = "one launch of a device function";
  let description = [{
    A step of a kernel on a GPU: the function, blocks and threads per block
    along x, y and z, the bytes of dynamic shared memory, and what is passed.
    `buffers` holds pairs: which of the call's buffers (operands, results,
    workspace), and from which byte on; `scalars` which of its scalars.

    ```mlir
    #task.launch<"step0" grid(12, 1, 1) block(256, 1, 1) shared 1024
                 buffers(0, 0, 2, 512) scalars(0)>
    ```
  }];
  let parameters = (ins
    "::mlir::StringAttr":$symbol,
    ArrayRefParameter<"int64_t">:$grid,
    ArrayRefParameter<"int64_t">:$block,
    "int64_t":$shared,
    OptionalArrayRefParameter<"int64_t">:$buffers,
    OptionalArrayRefParameter<"int64_t">:$scalars
  );
  let assemblyFormat = [{
    `<` $symbol `grid` `(` $grid `)` `block` `(` $block `)` `shared` $shared
        `buffers` `(` (`)`) : ($buffers^ `)`)?
        `scalars` `(` (`)`) : ($scalars^ `)`)? `>`
  }];
  let genVerifyDecl = 1;
}

def Task_MatmulAttr : Task_Attr<"Matmul", "matmul"> {
  let summary = "one product of a device's matrix library";
  let description = [{
    D = epilogue(alpha * op(A) * op(B) + beta * C) of column-major matrices, as
    artifact::Matmul describes it. `buffers` holds pairs as in `#task.launch`:
    A, B, D, or A, B, C, D where beta is not 0, and the bias where the epilogue
    adds one.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$buffers,
    "::mlir::Type":$typeA, "::mlir::Type":$typeB, "::mlir::Type":$typeD,
    "::mlir::StringAttr":$compute,
    "int64_t":$transA, "int64_t":$transB,
    "int64_t":$m, "int64_t":$n, "int64_t":$k,
    "int64_t":$lda, "int64_t":$ldb, "int64_t":$ldd,
    "int64_t":$batch,
    "int64_t":$strideA, "int64_t":$strideB, "int64_t":$strideD,
    "::mlir::FloatAttr":$alpha, "::mlir::FloatAttr":$beta,
    "::mlir::StringAttr":$epilogue,
    "int64_t":$workspaceOffset, "int64_t":$workspaceBytes
  );
  let assemblyFormat = [{
    `<` `buffers` `(` $buffers `)` `,`
        struct($typeA, $typeB, $typeD, $compute, $transA, $transB, $m, $n, $k,
               $lda, $ldb, $ldd, $batch, $strideA, $strideB, $strideD, $alpha,
               $beta, $epilogue, $workspaceOffset, $workspaceBytes) `>`
  }];
  let genVerifyDecl = 1;
}

def Task_ObjectAttr : Task_Attr<"Object", "object"> {
  let summary = "machine code of a kernel for one target";
  let description = [{
    The code of a kernel for one kind of machine: target triple, the CPU
    features it requires, file format (`elf-so` for a shared object that the
    host calls, `cubin`, `ptx` or `stand-in` for device functions), the entry
    symbol and the bytes, printed in hexadecimal. Where code needs workspace,
    `workspace` says how many bytes; `launches` is what a call on a device runs,
    in order, each a `#task.launch` or a `#task.matmul`.

    ```mlir
    #task.object<triple = "x86_64-unknown-linux-gnu", features = ["avx2"],
                 format = "elf-so", symbol = "scale",
                 code = dense<"0x7F45..."> : tensor<4096xi8>>
    ```
  }];
  let parameters = (ins
    "::mlir::StringAttr":$triple,
    OptionalArrayRefParameter<"::mlir::StringAttr">:$features,
    "::mlir::StringAttr":$format,
    "::mlir::StringAttr":$symbol,
    DefaultValuedParameter<"int64_t", "0">:$workspace,
    OptionalParameter<"::mlir::ArrayAttr">:$launches,
    "::mlir::DenseIntElementsAttr":$code
  );
  let assemblyFormat = [{
    `<` `triple` `=` $triple `,` `features` `=` `[` (`]`) : ($features^ `]`)? `,`
        `format` `=` $format `,` `symbol` `=` $symbol `,`
        (`workspace` `=` $workspace^ `,`)? (`launches` `=` $launches^ `,`)?
        `code` `=` $code `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Builds the attribute from plain bytes; sorts the features.
    static ObjectAttr get(::mlir::MLIRContext *context, ::llvm::StringRef triple,
                          ::llvm::ArrayRef<::std::string> features,
                          ::llvm::StringRef format, ::llvm::StringRef symbol,
                          ::llvm::StringRef code, int64_t workspace = 0,
                          ::llvm::ArrayRef<::mlir::Attribute> launches = {});
    /// The bytes of the code, expanded where all are equal.
    ::std::string getBytes() const;
  }];
}

def Task_TileType : TypeDef<Task_Dialect, "Tile"> {
  let mnemonic = "tile";
  let summary = "a dense row-major array at one place";
  let description = [{
    A piece of a tensor: shape, element type and the place whose memory holds
    it. Sizes are static and at least 1. Elements lie densely in row-major
    order; an `i1` takes one byte.

    ```mlir
    !task.tile<64x576xf32, dev 0>
    !task.tile<64xi32, host>
    !task.tile<f32, host>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$elementType,
    "::turnip::task::PlaceAttr":$place
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$tensor,
                                        "::turnip::task::PlaceAttr":$place), [{
      return $_get(tensor.getContext(), tensor.getShape(),
                   tensor.getElementType(), place);
    }]>
  ];
  let extraClassDeclaration = [{
    /// The tensor type that a kernel sees for this tile.
    ::mlir::RankedTensorType getTensorType() const;
    /// Bytes of the tile, without any alignment.
    int64_t getSizeInBytes() const;
  }];
}

#endif // TURNIP_DIALECT_TASK_IR_TASKTYPES_TD
