//===- TaskGraph.cpp - task.graph -----------------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Dialect/Task/IR/Task.h"

#include "mlir/IR/Builders.h"
#include "turnip/Dialect/Task/IR/Box.h"

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

LogicalResult GraphOp::verifyRegions() {
  if (failed(verifyDevices(*this)))
    return failure();
  SmallVector<Box> parameters, inputs, results;
  for (Operation &op : getBody().front()) {
    if (auto parameter = dyn_cast<ParameterOp>(op))
      parameters.push_back(
          boxOf(parameter, parameter.getTile().getType().getElementType()));
    else if (auto input = dyn_cast<InputOp>(op))
      inputs.push_back(
          boxOf(input, input.getTile().getType().getElementType()));
    else if (auto result = dyn_cast<ResultOp>(op))
      results.push_back(
          boxOf(result, result.getTile().getType().getElementType()));
    else if (!isa<CallOp, TransferOp>(op))
      return op.emitOpError("expected only task operations in a task.graph");
  }
  if (failed(verifySameTensors(parameters, /*viewsAllowed=*/true)) ||
      failed(verifySameTensors(inputs, /*viewsAllowed=*/true)) ||
      failed(verifySameTensors(results, /*viewsAllowed=*/false)))
    return failure();
  return verifyCoverage(results);
}
