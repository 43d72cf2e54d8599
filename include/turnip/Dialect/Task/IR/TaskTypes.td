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

def Task_ObjectAttr : Task_Attr<"Object", "object"> {
  let summary = "machine code of a kernel for one target";
  let description = [{
    The code of a kernel for one kind of machine: target triple, the CPU
    features it requires, file format (`elf-so` for a shared object), the
    entry symbol and the bytes, printed in hexadecimal.

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
    "::mlir::DenseIntElementsAttr":$code
  );
  let assemblyFormat = [{
    `<` `triple` `=` $triple `,` `features` `=` `[` (`]`) : ($features^ `]`)? `,`
        `format` `=` $format `,` `symbol` `=` $symbol `,`
        `code` `=` $code `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Builds the attribute from plain bytes; sorts the features.
    static ObjectAttr get(::mlir::MLIRContext *context, ::llvm::StringRef triple,
                          ::llvm::ArrayRef<::std::string> features,
                          ::llvm::StringRef format, ::llvm::StringRef symbol,
                          ::llvm::StringRef code);
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
