//===- Place.h - Where a tensor lies on a device --------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_GPU_PLACE_H
#define TURNIP_LIB_CODEGEN_GPU_PLACE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace turnip::codegen::gpu {

/// A tensor, or a strided part of one, in a buffer of the call or in a constant
/// of the module: what a View is before there is a function to use it in.
struct Place {
  static constexpr int64_t kNone = -1, kConstant = -2;

  mlir::Type elementType;
  /// The buffer in the order of the calling convention.
  int64_t buffer = kNone;
  /// Where the buffer's part begins, in bytes; a multiple of 256.
  int64_t bufferOffset = 0;
  /// The elements, for kConstant.
  mlir::DenseElementsAttr constant;
  /// Offset of element (0, ..., 0): a number of elements, and index values of
  /// the source function times a number of elements each.
  int64_t offset = 0;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> dynamicOffsets;
  llvm::SmallVector<int64_t> shape;
  /// In elements, one per dimension.
  llvm::SmallVector<int64_t> strides;

  bool exists() const { return buffer != kNone; }
  /// True where both lie in the same memory at the same place.
  bool startsWith(const Place &other) const {
    return buffer == other.buffer && bufferOffset == other.bufferOffset;
  }
  /// The largest power of two of elements, up to 256 bytes, that element
  /// (0, ..., 0) is sure to lie at a multiple of.
  int64_t alignment() const;
  /// The same elements in another shape, where no stride prevents it; otherwise
  /// a place that does not exist.
  Place reshaped(llvm::ArrayRef<int64_t> shape) const;
};

} // namespace turnip::codegen::gpu

#endif // TURNIP_LIB_CODEGEN_GPU_PLACE_H
