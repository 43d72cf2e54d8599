//===- TaskOps.cpp - Operations in a task graph ---------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Dialect/Task/IR/Task.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "turnip/Dialect/Task/IR/Box.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace turnip::task;

static ParseResult parseCallPlace(OpAsmParser &parser, PlaceAttr &place) {
  return parsePlace(parser, place);
}
static void printCallPlace(OpAsmPrinter &printer, Operation *,
                           PlaceAttr place) {
  printPlace(printer, place);
}

#define GET_OP_CLASSES
#include "turnip/Dialect/Task/IR/TaskOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Boxes: task.parameter, task.input, task.result
//===----------------------------------------------------------------------===//

/// Checks that the box is inside the named tensor and has the tile's shape.
template <typename OpTy> static LogicalResult verifyTileBox(OpTy op) {
  TileType tile = op.getTile().getType();
  if (failed(verifyBox(boxOf(op, tile.getElementType()))))
    return failure();
  if (tile.getShape() != op.getSizes())
    return op.emitOpError("expected a tile of shape [")
           << op.getSizes() << "], but got [" << tile.getShape() << "]";
  return success();
}

LogicalResult ParameterOp::verify() { return verifyTileBox(*this); }

LogicalResult InputOp::verify() { return verifyTileBox(*this); }

LogicalResult ResultOp::verify() { return verifyTileBox(*this); }

//===----------------------------------------------------------------------===//
// task.call
//===----------------------------------------------------------------------===//

void CallOp::build(OpBuilder &builder, OperationState &state, KernelOp kernel,
                   ValueRange operands, ArrayRef<int64_t> scalars,
                   PlaceAttr place) {
  SmallVector<Type> results;
  for (Type type : kernel.getResultTypes())
    results.push_back(TileType::get(cast<RankedTensorType>(type), place));
  build(builder, state, results,
        FlatSymbolRefAttr::get(kernel.getSymNameAttr()), operands,
        builder.getDenseI64ArrayAttr(scalars), place);
}

static std::string nameOf(PlaceAttr place) {
  return place.isHost() ? "host" : "dev " + std::to_string(place.getIndex());
}

/// Checks that every tile of \p types lives at \p place.
static LogicalResult verifyPlaces(CallOp op, TypeRange types, StringRef what,
                                  PlaceAttr place) {
  for (auto [index, type] : llvm::enumerate(types)) {
    PlaceAttr actual = cast<TileType>(type).getPlace();
    if (actual == place)
      continue;
    return op.emitOpError("expected ")
           << what << " " << index << " on " << nameOf(place)
           << ", but it is on " << nameOf(actual);
  }
  return success();
}

LogicalResult CallOp::verify() {
  if (failed(verifyPlaces(*this, getOperandTypes(), "operand", getPlace())))
    return failure();
  return verifyPlaces(*this, getResultTypes(), "result", getPlace());
}

/// Checks the tiles of one side of a call against the kernel's tensors.
static LogicalResult verifySignature(CallOp op, KernelOp kernel, StringRef what,
                                     TypeRange tiles, ArrayRef<Type> tensors) {
  if (tiles.size() != tensors.size()) {
    InFlightDiagnostic diag = op.emitOpError("expected ")
                              << tensors.size() << " " << what
                              << "s as kernel @" << kernel.getSymName()
                              << " has, but got " << tiles.size();
    diag.attachNote(kernel.getLoc()) << "the kernel is defined here";
    return diag;
  }
  for (auto [index, pair] : llvm::enumerate(llvm::zip(tiles, tensors))) {
    auto [tile, tensor] = pair;
    RankedTensorType actual = cast<TileType>(tile).getTensorType();
    if (actual == tensor)
      continue;
    InFlightDiagnostic diag = op.emitOpError("expected ")
                              << what << " " << index << " to be a tile of "
                              << tensor << " as in kernel @"
                              << kernel.getSymName() << ", but got " << actual;
    diag.attachNote(kernel.getLoc()) << "the kernel is defined here";
    return diag;
  }
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel =
      symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError("expected a task.kernel named @")
           << getKernel() << ", but there is none";
  ArrayRef<Type> arguments = kernel.getArgumentTypes();
  unsigned tensors = kernel.getNumTensorArguments();
  if (failed(verifySignature(*this, kernel, "operand", getOperandTypes(),
                             arguments.take_front(tensors))) ||
      failed(verifySignature(*this, kernel, "result", getResultTypes(),
                             kernel.getResultTypes())))
    return failure();
  size_t scalars = arguments.size() - tensors;
  if (getScalars().size() == scalars)
    return success();
  InFlightDiagnostic diag = emitOpError("expected ")
                            << scalars << " scalars as kernel @"
                            << kernel.getSymName() << " has, but got "
                            << getScalars().size();
  diag.attachNote(kernel.getLoc()) << "the kernel is defined here";
  return diag;
}

//===----------------------------------------------------------------------===//
// task.transfer
//===----------------------------------------------------------------------===//

LogicalResult TransferOp::verify() {
  TileType source = getSource().getType(), result = getResult().getType();
  if (source.getTensorType() != result.getTensorType())
    return emitOpError("expected source and result of one shape and element "
                       "type, but got ")
           << source.getTensorType() << " and " << result.getTensorType();
  if (source.getPlace() == result.getPlace())
    return emitOpError("expected source and result at different places");
  return success();
}

/// A value moved away and back is the value; moved twice, it can go directly.
OpFoldResult TransferOp::fold(FoldAdaptor) {
  auto first = getSource().getDefiningOp<TransferOp>();
  if (!first)
    return {};
  if (first.getSource().getType() == getType())
    return first.getSource();
  getSourceMutable().assign(first.getSource());
  return getResult();
}
