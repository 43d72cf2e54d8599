//===- Box.h - Slices of named tensors --------------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parameters, inputs and results enter and leave a graph in slices: boxes of a
// named tensor. task and mem say them in the same way and check them here.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_TASK_IR_BOX_H
#define TURNIP_DIALECT_TASK_IR_BOX_H

#include "mlir/IR/Operation.h"

namespace turnip::task {

/// A box of a named tensor, as an operation states it.
struct Box {
  /// The operation, for messages.
  mlir::Operation *op = nullptr;
  mlir::StringAttr name;
  mlir::Type elementType;
  /// The shape that offsets and sizes refer to, and the shape outside the
  /// program, which has the same elements in the same order.
  llvm::ArrayRef<int64_t> shape, outer;
  llvm::ArrayRef<int64_t> offsets, sizes;
};

/// The box that \p op states, an operation with the accessors of
/// task.parameter and an element type from \p elementType.
template <typename OpTy> Box boxOf(OpTy op, mlir::Type elementType) {
  return {op,
          op.getNameAttr(),
          elementType,
          op.getShape(),
          op.getOuter(),
          op.getOffsets(),
          op.getSizes()};
}

/// Checks one box by itself: ranks, bounds, shapes of equal size.
mlir::LogicalResult verifyBox(const Box &box);

/// Checks that boxes of one name in \p boxes mean one tensor: equal element
/// types and outer shapes, and equal shapes unless \p viewsAllowed.
mlir::LogicalResult verifySameTensors(llvm::ArrayRef<Box> boxes,
                                      bool viewsAllowed);

/// Checks that the boxes of each name cover each element of its tensor exactly
/// once. Wants boxes that passed the two checks above.
mlir::LogicalResult verifyCoverage(llvm::ArrayRef<Box> boxes);

/// The distance in bytes of the box's first element from the tensor's.
int64_t boxByteOffset(const Box &box);

/// Whether the box's elements follow each other in the tensor.
bool isContiguous(const Box &box);

} // namespace turnip::task

#endif // TURNIP_DIALECT_TASK_IR_BOX_H
