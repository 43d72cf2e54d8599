//===- Minimize.cpp - Smaller programs that still fail --------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Testing/Minimize.h"

#include "turnip/Dialect/Ein/IR/Ein.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::testing;

static func::FuncOp functionOf(ModuleOp module) {
  return *module.getOps<func::FuncOp>().begin();
}

/// Erases what no result needs, arguments included.
static void eraseDead(func::FuncOp function) {
  SmallVector<Operation *> ops;
  for (Operation &op : function.front().without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
  for (unsigned i = function.getNumArguments(); i > 0; --i)
    if (function.getArgument(i - 1).use_empty())
      (void)function.eraseArgument(i - 1);
}

/// Drops result \p index.
static void dropResult(func::FuncOp function, unsigned index) {
  function.front().getTerminator()->eraseOperand(index);
  (void)function.eraseResult(index);
  eraseDead(function);
}

/// Returns operand \p operand of what computes result \p index instead of it.
static void stepBack(func::FuncOp function, unsigned index, unsigned operand) {
  Operation *end = function.front().getTerminator();
  end->setOperand(index,
                  end->getOperand(index).getDefiningOp()->getOperand(operand));
  function.setFunctionType(FunctionType::get(function.getContext(),
                                             function.getArgumentTypes(),
                                             end->getOperandTypes()));
  eraseDead(function);
}

/// How many operands the operation that computes result \p index has.
static unsigned countSteps(func::FuncOp function, unsigned index) {
  Operation *maker =
      function.front().getTerminator()->getOperand(index).getDefiningOp();
  return maker ? maker->getNumOperands() : 0;
}

/// Makes the result of operation \p index an input.
static void cutAt(func::FuncOp function, size_t index) {
  Operation &op = *std::next(function.front().begin(), index);
  OpBuilder builder(function);
  unsigned argument = function.getNumArguments();
  NamedAttribute name(builder.getStringAttr("ein.name"),
                      builder.getStringAttr("cut" + std::to_string(index) +
                                            "of" + std::to_string(argument)));
  if (failed(function.insertArgument(argument, op.getResult(0).getType(),
                                     builder.getDictionaryAttr(name),
                                     op.getLoc())))
    return;
  op.getResult(0).replaceAllUsesWith(function.getArgument(argument));
  eraseDead(function);
}

/// Whether operation \p index computes something from other values.
static bool isCuttable(func::FuncOp function, size_t index) {
  Operation &op = *std::next(function.front().begin(), index);
  return op.getNumOperands() != 0 && op.getNumResults() == 1;
}

OwningOpRef<ModuleOp>
turnip::testing::minimizeProgram(ModuleOp program,
                                 llvm::function_ref<bool(ModuleOp)> fails) {
  OwningOpRef<ModuleOp> best = program.clone();
  auto attempt = [&](llvm::function_ref<void(func::FuncOp)> edit) {
    OwningOpRef<ModuleOp> candidate = best->clone();
    edit(functionOf(*candidate));
    if (!fails(*candidate))
      return false;
    best = std::move(candidate);
    return true;
  };
  auto stepsBack = [&](unsigned result) {
    for (unsigned k = 0, e = countSteps(functionOf(*best), result); k < e; ++k)
      if (attempt([&](func::FuncOp f) { stepBack(f, result, k); }))
        return true;
    return false;
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (unsigned i = functionOf(*best).getNumResults(); i > 0; --i)
      if (functionOf(*best).getNumResults() > 1)
        progress |= attempt([&](func::FuncOp f) { dropResult(f, i - 1); });
    for (unsigned i = 0; i < functionOf(*best).getNumResults(); ++i)
      while (stepsBack(i))
        progress = true;
    size_t count = functionOf(*best).front().getOperations().size() - 1;
    for (size_t i = count; i > 0; --i) {
      size_t left = functionOf(*best).front().getOperations().size() - 1;
      if (i <= left && isCuttable(functionOf(*best), i - 1))
        progress |= attempt([&](func::FuncOp f) { cutAt(f, i - 1); });
    }
  }
  return best;
}
