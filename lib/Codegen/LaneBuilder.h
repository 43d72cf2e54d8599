//===- LaneBuilder.h - Scalars and vectors behind one face ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The loops of a kernel run once over whole vectors and once over what is
/// left, one element at a time, and both must round alike. LaneBuilder emits
/// either from the same description: a "lane value" is a scalar (the same in
/// every lane) or a fixed vector of the lane count.
///
/// f16 and bf16 never appear as SSA types: such a value is kept as the f32 that
/// it equals, is rounded after every operation, and is narrowed in memory only.
/// This needs no conversion library and computes what IEEE arithmetic of the
/// narrow type would.
///
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_LANEBUILDER_H
#define TURNIP_LIB_CODEGEN_LANEBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "turnip/Codegen/KernelCompiler.h"

namespace turnip::codegen {

class LaneBuilder {
public:
  LaneBuilder(mlir::OpBuilder &builder, mlir::Location loc,
              const KernelTarget &target)
      : b(builder), loc(loc), target(target) {}

  mlir::OpBuilder &b;
  mlir::Location loc;
  const KernelTarget &target;

  /// The type a value of element type `type` has in registers.
  mlir::Type registerType(mlir::Type type) const;
  /// The type it has in memory: i1 as i8, f16 and bf16 as i16 (f16 as f16
  /// where the processor converts it).
  mlir::Type memoryType(mlir::Type type) const;
  /// Bytes of one element in memory.
  static int64_t byteWidth(mlir::Type type);

  /// Number of lanes of `value`; 0 for a scalar.
  static int64_t lanes(mlir::Value value);
  /// `value` in `n` lanes; n = 0 leaves a scalar alone.
  mlir::Value splat(mlir::Value value, int64_t n);
  /// `type` in `n` lanes.
  static mlir::Type laneType(mlir::Type type, int64_t n);

  mlir::Value i64(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, int64_t factor);

  /// Loads one element (lanes = 0) or `lanes` elements `stride` apart starting
  /// at element `index` of `base`, as register values of element type `type`.
  /// Neighbouring elements begin at a multiple of `alignment` elements.
  mlir::Value load(mlir::Type type, mlir::Value base, mlir::Value index,
                   int64_t lanes, int64_t stride = 1, int64_t alignment = 1);
  /// Stores what load loads. `value` may be a scalar with lanes > 0.
  void store(mlir::Type type, mlir::Value value, mlir::Value base,
             mlir::Value index, int64_t lanes, int64_t stride = 1,
             int64_t alignment = 1);

  /// `value` (f32 lanes) rounded to the precision of `type`.
  mlir::Value round(mlir::Value value, mlir::Type type);

  /// Copies the operation of a payload onto register values. Returns its
  /// results; fails (with a diagnostic) on an operation that no kernel can
  /// contain.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  cloneOp(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);

private:
  mlir::Value address(mlir::Type memory, mlir::Value base, mlir::Value index);
  mlir::Value fromMemory(mlir::Value value, mlir::Type type);
  mlir::Value toMemory(mlir::Value value, mlir::Type type);
  mlir::Value halfFromBits(mlir::Value bits);
  mlir::Value halfToBits(mlir::Value value);
  mlir::Value bfloatToBits(mlir::Value value);
  mlir::Value splatConstant(mlir::Type like, int64_t value);
  mlir::FailureOr<mlir::Value> cloneConversion(mlir::Operation *op,
                                               mlir::Value operand);
};

/// True for f16 and bf16.
inline bool isNarrowFloat(mlir::Type type) {
  return type.isF16() || type.isBF16();
}

} // namespace turnip::codegen

#endif // TURNIP_LIB_CODEGEN_LANEBUILDER_H
