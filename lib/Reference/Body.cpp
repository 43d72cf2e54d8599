//===- Body.cpp - A scalar body, made ready to run ------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Body.h"

#include "turnip/Dialect/Ein/IR/Ein.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::reference;

Status turnip::reference::errorAt(Operation *op, StatusCode code,
                                  const std::string &what) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "'" << op->getName() << "' at " << op->getLoc() << ": " << what;
  return Status::error(code, text);
}

Expected<Scalar> turnip::reference::scalarOfAttribute(Operation *op,
                                                      Attribute value) {
  if (auto real = dyn_cast<FloatAttr>(value)) {
    llvm::APFloat number = real.getValue();
    bool losesInfo = false;
    number.convert(llvm::APFloat::IEEEdouble(),
                   llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return Scalar::ofReal(number.convertToDouble());
  }
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    const llvm::APInt &bits = integer.getValue();
    return Scalar::ofInteger(wrapToWidth(
        static_cast<int64_t>(bits.getRawData()[0]), bits.getBitWidth()));
  }
  return errorAt(op, StatusCode::BadInput,
                 "expected a float or integer constant");
}

/// The kind of \p value's type.
static Expected<ScalarKind> kindOf(Operation *op, Value value) {
  auto [kind, isKnown] = ScalarKind::get(value.getType());
  if (isKnown)
    return kind;
  std::string text;
  llvm::raw_string_ostream(text)
      << "the evaluator has no scalar type " << value.getType();
  return errorAt(op, StatusCode::BadInput, text);
}

Expected<Instruction>
turnip::reference::makeInstruction(Operation *op, ArrayRef<unsigned> operands,
                                   unsigned result) {
  Instruction instruction;
  instruction.function = lookupScalarOp(op->getName().getStringRef());
  if (!instruction.function)
    return errorAt(op, StatusCode::BadInput,
                   "the evaluator does not know this operation");
  if (operands.size() > 3 || op->getNumResults() != 1)
    return errorAt(op, StatusCode::BadInput,
                   "expected at most 3 operands and 1 result");
  llvm::copy(operands, instruction.operands.begin());
  instruction.result = result;
  Expected<ScalarKind> resultKind = kindOf(op, op->getResult(0));
  if (!resultKind)
    return resultKind.status();
  instruction.context.result = *resultKind;
  if (op->getNumOperands() != 0) {
    Expected<ScalarKind> operandKind = kindOf(op, op->getOperand(0));
    if (!operandKind)
      return operandKind.status();
    instruction.context.operand = *operandKind;
  }
  if (auto predicate = op->getAttrOfType<IntegerAttr>("predicate"))
    instruction.context.predicate = predicate.getInt();
  return instruction;
}

namespace {
/// Compiles one body: gives every value a register.
struct BodyCompiler {
  explicit BodyCompiler(const DenseMap<Value, Scalar> &captured)
      : captured(captured) {}

  const DenseMap<Value, Scalar> &captured;
  Body body;
  DenseMap<Value, unsigned> numbers;

  unsigned define(Value value) {
    numbers[value] = body.registers.size();
    body.registers.emplace_back();
    return numbers[value];
  }

  /// The register of \p value, filled with what was captured if need be.
  Expected<unsigned> use(Operation *op, Value value) {
    auto known = numbers.find(value);
    if (known != numbers.end())
      return unsigned(known->second);
    auto outside = captured.find(value);
    if (outside == captured.end())
      return errorAt(op, StatusCode::BadInput,
                     "a value from outside the body is not a known scalar");
    unsigned number = define(value);
    body.registers[number] = outside->second;
    return number;
  }

  Status compile(Operation *op) {
    if (auto index = dyn_cast<ein::IndexOp>(op)) {
      body.positions.push_back(
          {define(index.getResult()), index.getLabel().front()});
      return Status::ok();
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      Expected<Scalar> value = scalarOfAttribute(op, constant.getValue());
      if (!value)
        return value.status();
      body.registers[define(constant.getResult())] = *value;
      return Status::ok();
    }
    SmallVector<unsigned> operands;
    for (Value operand : op->getOperands()) {
      Expected<unsigned> number = use(op, operand);
      if (!number)
        return number.status();
      operands.push_back(*number);
    }
    if (isa<ein::YieldOp>(op)) {
      body.yielded = operands.front();
      return Status::ok();
    }
    unsigned result = op->getNumResults() == 1 ? define(op->getResult(0)) : 0;
    Expected<Instruction> instruction = makeInstruction(op, operands, result);
    if (!instruction)
      return instruction.status();
    body.instructions.push_back(*instruction);
    return Status::ok();
  }
};
} // namespace

Expected<Body> Body::compile(Block &block,
                             const DenseMap<Value, Scalar> &captured) {
  BodyCompiler compiler(captured);
  for (Value argument : block.getArguments())
    compiler.define(argument);
  for (Operation &op : block)
    TURNIP_RETURN_IF_ERROR(compiler.compile(&op));
  return std::move(compiler.body);
}
