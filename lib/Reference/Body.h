//===- Body.h - A scalar body, made ready to run ----------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_REFERENCE_BODY_H
#define TURNIP_LIB_REFERENCE_BODY_H

#include "ScalarOps.h"

#include "turnip/support/Status.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <array>

namespace turnip::reference {

/// Returns an error of \p code about \p op: its name, location and \p what.
Status errorAt(mlir::Operation *op, StatusCode code, const std::string &what);

/// One scalar operation on numbered registers.
struct Instruction {
  ScalarFunction function = nullptr;
  ScalarContext context;
  std::array<unsigned, 3> operands = {};
  unsigned result = 0;

  void run(llvm::MutableArrayRef<Scalar> registers) const {
    const Scalar *in[3] = {&registers[operands[0]], &registers[operands[1]],
                           &registers[operands[2]]};
    registers[result] = function(in, context);
  }
};

/// The body of an einsum as instructions. Registers 0, 1, ... hold the block's
/// arguments.
struct Body {
  llvm::SmallVector<Instruction> instructions;
  /// Registers at the start: constants and captured values are already there.
  llvm::SmallVector<Scalar> registers;
  /// Registers that hold the position along a label.
  llvm::SmallVector<std::pair<unsigned, char>> positions;
  unsigned yielded = 0;

  /// Compiles \p block; \p captured gives the values of what it uses from
  /// above. Errors: BadInput at an operation that no table knows.
  static Expected<Body>
  compile(mlir::Block &block,
          const llvm::DenseMap<mlir::Value, Scalar> &captured);
};

/// Makes an instruction of \p op with \p operands and \p result as registers.
Expected<Instruction> makeInstruction(mlir::Operation *op,
                                      llvm::ArrayRef<unsigned> operands,
                                      unsigned result);

/// Returns the value of a scalar attribute.
Expected<Scalar> scalarOfAttribute(mlir::Operation *op, mlir::Attribute value);

} // namespace turnip::reference

#endif // TURNIP_LIB_REFERENCE_BODY_H
