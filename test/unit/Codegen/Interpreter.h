//===- Interpreter.h - linalg on tensors, in double precision -------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The oracle of the code generator's tests: runs a function element by element
/// with no regard for speed. Floats are doubles, rounded where the program says
/// f16 or bf16; integers wrap to their width.
///
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TEST_UNIT_CODEGEN_INTERPRETER_H
#define TURNIP_TEST_UNIT_CODEGEN_INTERPRETER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <cstdint>
#include <vector>

namespace turnip::test {

struct Scalar {
  double f = 0;
  int64_t i = 0;
};

struct Tensor {
  mlir::Type elementType;
  std::vector<int64_t> shape;
  std::vector<Scalar> values; // row-major

  static Tensor make(mlir::RankedTensorType type);
};

/// `value` as an element of `type` holds it.
Scalar roundTo(Scalar value, mlir::Type type);

/// Runs `func` on tensors, then index scalars. Aborts on what it does not know.
std::vector<Tensor> interpret(mlir::func::FuncOp func,
                              const std::vector<Tensor> &tensors,
                              const std::vector<int64_t> &scalars);

} // namespace turnip::test

#endif // TURNIP_TEST_UNIT_CODEGEN_INTERPRETER_H
