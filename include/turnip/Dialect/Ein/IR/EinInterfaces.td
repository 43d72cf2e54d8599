//===- EinInterfaces.td - How ein operations may be split  -*- tablegen -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_EIN_IR_EININTERFACES_TD
#define TURNIP_DIALECT_EIN_IR_EININTERFACES_TD

include "mlir/IR/OpBase.td"

def Ein_PartitionableOpInterface : OpInterface<"PartitionableOpInterface"> {
  let cppNamespace = "::turnip::ein";
  let description = [{
    How an operation on whole tensors may be split into the same operation on
    tiles. Every dimension of every operand and result has a label, an index
    into `getPartitionLabels()`. A tile is given by a size and an offset per
    label; the tile of an operand or result is the rectangle that its labels
    select.

    A parallel label may be split anywhere: the tiles of the results are
    disjoint. A reduction label may be split anywhere: each piece gives a
    partial result, and partial results are joined by `buildCombine` with
    `getPartitionCombiner()`. A whole label is never split.
  }];
  let methods = [
    InterfaceMethod<[{
        The labels, each with a name for messages, a size and a kind. Labels of
        results come first, in the order of the first result.
      }],
      "::llvm::SmallVector<::turnip::ein::PartitionLabel>",
      "getPartitionLabels">,
    InterfaceMethod<"The label of each dimension of an operand.",
      "::llvm::SmallVector<unsigned>", "getOperandLabels",
      (ins "unsigned":$operand)>,
    InterfaceMethod<"The label of each dimension of a result.",
      "::llvm::SmallVector<unsigned>", "getResultLabels",
      (ins "unsigned":$result)>,
    InterfaceMethod<[{
        What joins partial results when a reduction label is split, `none` if
        there is no reduction label.
      }],
      "::turnip::ein::Combiner", "getPartitionCombiner", (ins), [{}],
      [{ return ::turnip::ein::Combiner::None; }]>,
    InterfaceMethod<[{
        Whether a tile depends on where along this label it lies.
      }],
      "bool", "needsOffset", (ins "unsigned":$label), [{}],
      [{ return false; }]>,
    InterfaceMethod<[{
        Creates the operation on tiles and returns its results. `labelSizes`
        has the tile's size per label. `labelOffsets` has an `index` value per
        label, which may be null where `needsOffset` is false or the offset is
        zero. Values that the body captures are captured by the tile as well.
      }],
      "::llvm::SmallVector<::mlir::Value>", "buildTile",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::ValueRange":$operandTiles,
           "::llvm::ArrayRef<int64_t>":$labelSizes,
           "::llvm::ArrayRef<::mlir::Value>":$labelOffsets)>
  ];
}

#endif // TURNIP_DIALECT_EIN_IR_EININTERFACES_TD
