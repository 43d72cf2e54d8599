//===- Scalar.cpp - The evaluator's numbers -------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Reference/Scalar.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace turnip::reference;

std::pair<ScalarKind, bool> ScalarKind::get(Type type) {
  ScalarKind kind;
  if (isa<IndexType>(type))
    return {kind, true};
  if (auto integer = dyn_cast<IntegerType>(type)) {
    kind.width = integer.getWidth();
    return {kind, kind.width >= 1 && kind.width <= 64};
  }
  auto real = dyn_cast<FloatType>(type);
  if (!real || !(real.isF16() || real.isBF16() || real.isF32() || real.isF64()))
    return {kind, false};
  const llvm::fltSemantics &semantics = real.getFloatSemantics();
  kind.isFloat = true;
  kind.width = real.getWidth();
  kind.unit = std::ldexp(1.0, -static_cast<int>(real.getFPMantissaWidth()));
  kind.smallest =
      std::ldexp(1.0, llvm::APFloat::semanticsMinExponent(semantics));
  kind.largest = std::ldexp(2.0 - 2.0 * kind.unit,
                            llvm::APFloat::semanticsMaxExponent(semantics));
  return {kind, true};
}

Scalar turnip::reference::rounded(double value, double propagated,
                                  const ScalarKind &kind, double units) {
  if (std::isnan(value) || std::isnan(propagated))
    return Scalar::ofReal(value, kUndefined);
  if (std::isinf(value))
    return Scalar::ofReal(value, std::isinf(propagated) ? kUndefined : 0);
  double magnitude = std::fabs(value) + propagated;
  if (magnitude > kind.largest)
    return Scalar::ofReal(value, kUndefined);
  // Zero is exact unless it came from rounded operands.
  double bound = propagated;
  if (magnitude != 0)
    bound += units * kind.unit * magnitude + kind.smallest * kind.unit;
  return Scalar::ofReal(value, bound);
}

double turnip::reference::roundToType(double value, Type type) {
  if (type.isF64())
    return value;
  if (type.isF32())
    return static_cast<float>(value);
  llvm::APFloat number(value);
  bool losesInfo = false;
  number.convert(cast<FloatType>(type).getFloatSemantics(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}
