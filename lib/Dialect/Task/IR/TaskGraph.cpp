//===- TaskGraph.cpp - task.graph -----------------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Dialect/Task/IR/Task.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace turnip::task;

void GraphOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                    int64_t devices) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addAttribute(getDevicesAttrName(state.name),
                     builder.getI64IntegerAttr(devices));
  state.addRegion()->emplaceBlock();
}

LogicalResult GraphOp::verify() {
  if (getDevices() < 1)
    return emitOpError("expected at least 1 device, but got ") << getDevices();
  return success();
}

//===----------------------------------------------------------------------===//
// Named tensors
//===----------------------------------------------------------------------===//

/// Every tile's device must exist in the graph.
static LogicalResult verifyDevices(GraphOp graph) {
  for (Operation &op : graph.getBody().front()) {
    SmallVector<PlaceAttr> places;
    for (Type type : op.getResultTypes())
      if (auto tile = dyn_cast<TileType>(type))
        places.push_back(tile.getPlace());
    if (auto call = dyn_cast<CallOp>(op))
      places.push_back(call.getPlace());
    for (PlaceAttr place : places)
      if (place.getIndex() >= static_cast<int64_t>(graph.getDevices())) {
        InFlightDiagnostic diag = op.emitOpError("expected a device below ")
                                  << graph.getDevices() << ", but got dev "
                                  << place.getIndex();
        diag.attachNote(graph.getLoc()) << "the graph has the devices";
        return diag;
      }
  }
  return success();
}

static InFlightDiagnostic emitClash(Operation *op, Operation *other,
                                    const Twine &message) {
  InFlightDiagnostic diag = op->emitOpError(message);
  diag.attachNote(other->getLoc()) << "the name is first used here";
  return diag;
}

/// Uses of one name must mean one tensor. Parameters and inputs may be seen
/// under several shapes.
template <typename OpTy>
static LogicalResult verifySameTensor(llvm::StringMap<Operation *> &names,
                                      OpTy op, bool viewsAllowed) {
  auto [it, inserted] = names.try_emplace(op.getName(), op);
  if (inserted)
    return success();
  auto first = cast<OpTy>(it->second);
  Type type = op.getTile().getType().getElementType();
  Type firstType = first.getTile().getType().getElementType();
  if (type != firstType)
    return emitClash(op, first, "expected the element type of ")
           << op.getNameAttr() << " to be " << firstType << ", but got "
           << type;
  if (op.getOuter() != first.getOuter())
    return emitClash(op, first, "expected the outer shape of ")
           << op.getNameAttr() << " to be [" << first.getOuter()
           << "], but got [" << op.getOuter() << "]";
  if (!viewsAllowed && op.getShape() != first.getShape())
    return emitClash(op, first, "expected the shape of ")
           << op.getNameAttr() << " to be [" << first.getShape()
           << "], but got [" << op.getShape() << "]";
  return success();
}

//===----------------------------------------------------------------------===//
// Coverage of results
//===----------------------------------------------------------------------===//

static int64_t volume(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

static bool overlap(ResultOp a, ResultOp b) {
  for (size_t dim = 0; dim < a.getShape().size(); ++dim) {
    int64_t aBegin = a.getOffsets()[dim], bBegin = b.getOffsets()[dim];
    if (aBegin + a.getSizes()[dim] <= bBegin ||
        bBegin + b.getSizes()[dim] <= aBegin)
      return false;
  }
  return true;
}

/// The dimension with most distinct offsets: sorting by it leaves the fewest
/// pairs of boxes to compare.
static size_t widestDimension(MutableArrayRef<ResultOp> pieces) {
  size_t best = 0, bestCount = 0;
  for (size_t dim = 0; dim < pieces.front().getShape().size(); ++dim) {
    DenseSet<int64_t> offsets;
    for (ResultOp piece : pieces)
      offsets.insert(piece.getOffsets()[dim]);
    if (offsets.size() > bestCount) {
      best = dim;
      bestCount = offsets.size();
    }
  }
  return best;
}

/// Checks that the boxes of one result are disjoint and, by their volumes,
/// leave nothing out.
static LogicalResult verifyCoverage(GraphOp graph,
                                    SmallVectorImpl<ResultOp> &pieces) {
  ArrayRef<int64_t> shape = pieces.front().getShape();
  if (!shape.empty()) {
    size_t dim = widestDimension(pieces);
    llvm::sort(pieces, [dim](ResultOp a, ResultOp b) {
      return std::make_pair(a.getOffsets()[dim], a.getOffsets()) <
             std::make_pair(b.getOffsets()[dim], b.getOffsets());
    });
    for (size_t i = 0; i < pieces.size(); ++i) {
      int64_t end = pieces[i].getOffsets()[dim] + pieces[i].getSizes()[dim];
      for (size_t j = i + 1;
           j < pieces.size() && pieces[j].getOffsets()[dim] < end; ++j)
        if (overlap(pieces[i], pieces[j])) {
          InFlightDiagnostic diag =
              pieces[j].emitOpError("expected every element of result ")
              << pieces[j].getNameAttr()
              << " to be written once, but this slice "
                 "overlaps another";
          diag.attachNote(pieces[i].getLoc()) << "the other slice";
          return diag;
        }
    }
  } else if (pieces.size() > 1) {
    return emitClash(pieces[1], pieces[0],
                     "expected a result of rank 0 to be written once");
  }
  int64_t covered = 0;
  for (ResultOp piece : pieces)
    covered += volume(piece.getSizes());
  if (covered == volume(shape))
    return success();
  return pieces.front().emitOpError("expected slices of all ")
         << volume(shape) << " elements of result "
         << pieces.front().getNameAttr() << ", but they cover " << covered;
}

LogicalResult GraphOp::verifyRegions() {
  if (failed(verifyDevices(*this)))
    return failure();
  llvm::StringMap<Operation *> parameters, inputs, results;
  llvm::MapVector<StringAttr, SmallVector<ResultOp>> pieces;
  for (Operation &op : getBody().front()) {
    if (!isa<ParameterOp, InputOp, ResultOp, CallOp, TransferOp>(op))
      return op.emitOpError("expected only task operations in a task.graph");
    LogicalResult same = success();
    if (auto parameter = dyn_cast<ParameterOp>(op))
      same = verifySameTensor(parameters, parameter, /*viewsAllowed=*/true);
    else if (auto input = dyn_cast<InputOp>(op))
      same = verifySameTensor(inputs, input, /*viewsAllowed=*/true);
    else if (auto result = dyn_cast<ResultOp>(op)) {
      same = verifySameTensor(results, result, /*viewsAllowed=*/false);
      pieces[result.getNameAttr()].push_back(result);
    }
    if (failed(same))
      return failure();
  }
  for (auto &[name, boxes] : pieces)
    if (failed(verifyCoverage(*this, boxes)))
      return failure();
  return success();
}
