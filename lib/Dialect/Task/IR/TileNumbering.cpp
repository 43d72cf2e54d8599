//===- TileNumbering.cpp - The tiles of a graph by number -----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Dialect/Task/IR/TileNumbering.h"

#include "mlir/IR/Builders.h"
#include "turnip/Dialect/Task/IR/Box.h"

using namespace mlir;
using namespace turnip::task;

/// Equal for parameters of one place that are the same bytes: the slice, or, if
/// its elements follow each other, where they begin and how many there are.
/// What a kernel reads in place lies within its parameter only if it is aligned
/// there.
static Attribute keyOf(ParameterOp op) {
  Builder builder(op.getContext());
  TileType type = op.getTile().getType();
  Box box = boxOf(op, type.getElementType());
  int64_t begin = boxByteOffset(box);
  if (isContiguous(box) &&
      (!type.getPlace().isHost() || begin % memoryAlignment == 0))
    return builder.getArrayAttr(
        {op.getNameAttr(), type.getPlace(), builder.getI64IntegerAttr(begin),
         builder.getI64IntegerAttr(type.getSizeInBytes())});
  return builder.getArrayAttr({op.getNameAttr(), type.getPlace(),
                               op.getShapeAttr(), op.getOffsetsAttr(),
                               op.getSizesAttr()});
}

static Attribute keyOf(InputOp op) {
  // Without a number in it: no key of a parameter.
  return Builder(op.getContext())
      .getArrayAttr({op.getTile().getType().getPlace(), op.getNameAttr(),
                     op.getShapeAttr(), op.getOffsetsAttr(),
                     op.getSizesAttr()});
}

void TileNumbering::add(Value value) {
  tiles[value] = definitions.size();
  definitions.push_back(value);
}

void TileNumbering::add(Value value, Attribute key) {
  auto [it, inserted] = known.try_emplace(key, definitions.size());
  if (inserted)
    add(value);
  else
    tiles[value] = it->second;
}

TileNumbering::TileNumbering(GraphOp graph) {
  for (Operation &op : graph.getBody().front()) {
    if (auto parameter = dyn_cast<ParameterOp>(op)) {
      add(parameter.getTile(), keyOf(parameter));
    } else if (auto input = dyn_cast<InputOp>(op)) {
      add(input.getTile(), keyOf(input));
    } else if (isa<CallOp, TransferOp>(op)) {
      for (Value result : op.getResults())
        add(result);
      tasks.push_back(&op);
    }
  }
}

SmallVector<uint32_t> TileNumbering::getValues() const {
  SmallVector<uint32_t> values;
  for (Value definition : definitions) {
    auto transfer = definition.getDefiningOp<TransferOp>();
    values.push_back(transfer ? values[getTile(transfer.getSource())]
                              : values.size());
  }
  return values;
}
