//===- Evaluator.cpp - Runs ein directly, in double precision -------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Reference/Evaluator.h"

#include "Body.h"
#include "Einsum.h"
#include "Strides.h"

#include "turnip/Dialect/Ein/IR/Ein.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <memory>

using namespace mlir;
using namespace turnip;
using namespace turnip::reference;

namespace {
using TensorPtr = std::shared_ptr<const Tensor>;

/// Runs blocks of operations on tensors; holds what is live.
class Evaluator {
public:
  Evaluator(const ParameterFn &parameters, EvaluateOptions options)
      : parameters(parameters), options(options) {}

  /// Runs \p block on tensors, then scalars; returns what its terminator uses.
  Expected<SmallVector<TensorPtr>>
  run(Block &block, ArrayRef<TensorPtr> arguments, ArrayRef<int64_t> numbers);

private:
  Status runOp(Operation *op);
  Status runScalarOp(Operation *op);
  Status define(Value value, Expected<Tensor> tensor);
  void dropDead(Operation *op);

  Expected<Tensor> parameter(ein::ParameterOp op);
  Expected<Tensor> constant(Operation *op, Attribute value);
  Expected<Tensor> einsum(ein::EinsumOp op);
  Status fused(ein::FusedOp op);
  Expected<Tensor> slice(ein::SliceOp op);
  Expected<Tensor> window(ein::WindowOp op);
  Expected<Tensor> concat(ein::ConcatOp op);
  Expected<Tensor> gather(ein::GatherOp op);

  const Tensor &get(Value value) { return *tensors.find(value)->second; }

  const ParameterFn &parameters;
  EvaluateOptions options;
  DenseMap<Value, TensorPtr> tensors;
  DenseMap<Value, Scalar> scalars;
};
} // namespace

//===----------------------------------------------------------------------===//
// Operations on tensors
//===----------------------------------------------------------------------===//

Expected<Tensor> Evaluator::parameter(ein::ParameterOp op) {
  auto type = op.getResult().getType();
  if (!parameters)
    return errorAt(op, StatusCode::InvalidArgument,
                   "no parameters were given, but '" + op.getName().str() +
                       "' is needed");
  Expected<Tensor> value = parameters(op.getName(), type);
  if (!value)
    return errorAt(op, value.status().code(), value.status().message());
  if (value->getType() == type)
    return value;
  if (value->getType().getElementType() != type.getElementType() ||
      value->getNumElements() != type.getNumElements()) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "expected parameter '" << op.getName() << "' to be " << type
        << ", but got " << value->getType();
    return errorAt(op, StatusCode::BadInput, text);
  }
  return value->reshaped(type);
}

Expected<Tensor> Evaluator::constant(Operation *op, Attribute value) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Tensor tensor(type);
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements)
    return errorAt(op, StatusCode::BadInput, "expected dense elements");
  int64_t index = 0;
  if (tensor.getKind().isFloat) {
    auto values = elements.tryGetValues<llvm::APFloat>();
    if (!values)
      return errorAt(op, StatusCode::BadInput, "cannot read the elements");
    for (llvm::APFloat number : *values) {
      bool losesInfo = false;
      number.convert(llvm::APFloat::IEEEdouble(),
                     llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      tensor.set(index++, Scalar::ofReal(number.convertToDouble()));
    }
    return tensor;
  }
  auto values = elements.tryGetValues<llvm::APInt>();
  if (!values)
    return errorAt(op, StatusCode::BadInput, "cannot read the elements");
  for (const llvm::APInt &number : *values)
    tensor.set(index++, Scalar::ofInteger(wrapToWidth(
                            static_cast<int64_t>(number.getRawData()[0]),
                            tensor.getKind().width)));
  return tensor;
}

Expected<Tensor> Evaluator::einsum(ein::EinsumOp op) {
  SmallVector<const Tensor *> inputs;
  for (Value input : op.getInputs())
    inputs.push_back(&get(input));
  return evaluateEinsum(op, inputs, scalars, options);
}

Status Evaluator::fused(ein::FusedOp op) {
  SmallVector<TensorPtr> inputs;
  for (Value input : op.getInputs())
    inputs.push_back(tensors.lookup(input));
  Expected<SmallVector<TensorPtr>> results = run(*op.getBlock(), inputs, {});
  if (!results)
    return results.status();
  for (auto [value, tensor] : llvm::zip_equal(op.getResults(), *results))
    tensors[value] = tensor;
  return Status::ok();
}

/// The elements of \p source that lie at \p base and \p strides from there.
static Tensor take(const Tensor &source, int64_t base,
                   ArrayRef<int64_t> strides, RankedTensorType type) {
  Tensor result(type);
  int64_t to = 0;
  for (int64_t from : walk(result.getShape(), strides, base))
    result.set(to++, source.get(from));
  return result;
}

Expected<Tensor> Evaluator::slice(ein::SliceOp op) {
  const Tensor &source = get(op.getSource());
  SmallVector<int64_t> strides = stridesOf(source.getShape());
  int64_t base = 0;
  for (size_t d = 0; d < strides.size(); ++d) {
    base += op.getOffsets()[d] * strides[d];
    strides[d] *= op.getStrides()[d];
  }
  return take(source, base, strides, op.getResult().getType());
}

Expected<Tensor> Evaluator::window(ein::WindowOp op) {
  const Tensor &source = get(op.getSource());
  SmallVector<int64_t> strides = stridesOf(source.getShape());
  ArrayRef<int64_t> sizes = op.getResult().getType().getShape();
  auto position = op.getPositions().begin();
  int64_t base = 0;
  for (size_t d = 0; d < strides.size(); ++d) {
    int64_t last = source.getShape()[d] - sizes[d];
    if (last == 0)
      continue;
    int64_t at = scalars.lookup(*position++).integer;
    base += std::clamp<int64_t>(at, 0, last) * strides[d];
  }
  return take(source, base, strides, op.getResult().getType());
}

Expected<Tensor> Evaluator::concat(ein::ConcatOp op) {
  Tensor result(op.getResult().getType());
  SmallVector<int64_t> strides = stridesOf(result.getShape());
  int64_t position = 0;
  for (Value input : op.getInputs()) {
    const Tensor &part = get(input);
    int64_t base = position * strides[op.getDim()];
    int64_t from = 0;
    for (int64_t to : walk(part.getShape(), strides, base))
      result.set(to, part.get(from++));
    position += part.getShape()[op.getDim()];
  }
  return result;
}

Expected<Tensor> Evaluator::gather(ein::GatherOp op) {
  const Tensor &table = get(op.getTable());
  const Tensor &indices = get(op.getIndices());
  Tensor result(op.getResult().getType());
  int64_t numRows = table.getShape().front();
  int64_t rowSize = table.getNumElements() / numRows;
  for (int64_t i = 0, e = indices.getNumElements(); i < e; ++i) {
    Scalar index = indices.get(i);
    int64_t row = std::clamp<int64_t>(index.integer, 0, numRows - 1);
    for (int64_t j = 0; j < rowSize; ++j) {
      Scalar value = table.get(row * rowSize + j);
      if (index.bound != 0)
        value.bound = kUndefined;
      result.set(i * rowSize + j, value);
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Status Evaluator::define(Value value, Expected<Tensor> tensor) {
  if (!tensor)
    return tensor.status();
  if (!options.trackBounds)
    tensor->dropBounds();
  tensors[value] = std::make_shared<Tensor>(std::move(*tensor));
  return Status::ok();
}

/// Scalar arithmetic between tensor operations, on offsets for example.
Status Evaluator::runScalarOp(Operation *op) {
  SmallVector<Scalar> registers;
  SmallVector<unsigned> numbers;
  for (Value operand : op->getOperands()) {
    auto known = scalars.find(operand);
    if (known == scalars.end())
      return errorAt(op, StatusCode::BadInput,
                     "the evaluator does not know this operation");
    numbers.push_back(registers.size());
    registers.push_back(known->second);
  }
  registers.emplace_back();
  Expected<Instruction> instruction =
      makeInstruction(op, numbers, registers.size() - 1);
  if (!instruction)
    return instruction.status();
  instruction->run(registers);
  scalars[op->getResult(0)] = registers.back();
  return Status::ok();
}

Status Evaluator::runOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, Status>(op)
      .Case([&](ein::ParameterOp op) {
        return define(op.getResult(), parameter(op));
      })
      .Case([&](ein::ConstantOp op) {
        return define(op.getResult(), constant(op, op.getValue()));
      })
      .Case(
          [&](ein::EinsumOp op) { return define(op.getResult(), einsum(op)); })
      .Case([&](ein::FusedOp op) { return fused(op); })
      .Case([&](ein::SliceOp op) { return define(op.getResult(), slice(op)); })
      .Case(
          [&](ein::WindowOp op) { return define(op.getResult(), window(op)); })
      .Case(
          [&](ein::ConcatOp op) { return define(op.getResult(), concat(op)); })
      .Case([&](ein::ReshapeOp op) {
        return define(op.getResult(),
                      get(op.getSource()).reshaped(op.getResult().getType()));
      })
      .Case(
          [&](ein::GatherOp op) { return define(op.getResult(), gather(op)); })
      .Case([&](arith::ConstantOp op) -> Status {
        if (isa<RankedTensorType>(op.getType()))
          return define(op.getResult(), constant(op, op.getValue()));
        Expected<Scalar> value = scalarOfAttribute(op, op.getValue());
        if (!value)
          return value.status();
        scalars[op.getResult()] = *value;
        return Status::ok();
      })
      .Default([&](Operation *op) { return runScalarOp(op); });
}

/// Frees what \p op was the last of its block to use.
void Evaluator::dropDead(Operation *op) {
  auto isLastUse = [&](Value value) {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
      return here && !op->isBeforeInBlock(here);
    });
  };
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (operand.getParentBlock() == op->getBlock() && isLastUse(operand))
        tensors.erase(operand);
  });
}

Expected<SmallVector<TensorPtr>> Evaluator::run(Block &block,
                                                ArrayRef<TensorPtr> arguments,
                                                ArrayRef<int64_t> numbers) {
  size_t numTensors = arguments.size();
  for (auto [value, tensor] : llvm::zip(block.getArguments(), arguments))
    tensors[value] = tensor;
  for (auto [index, number] : llvm::enumerate(numbers))
    scalars[block.getArgument(numTensors + index)] = Scalar::ofInteger(number);
  for (Operation &op : block.without_terminator()) {
    TURNIP_RETURN_IF_ERROR(runOp(&op));
    dropDead(&op);
  }
  SmallVector<TensorPtr> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(tensors.lookup(value));
  return results;
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

Expected<SmallVector<Tensor>> turnip::reference::evaluateBlock(
    Block &block, ArrayRef<Tensor> inputs, ArrayRef<int64_t> scalars,
    const ParameterFn &parameters, EvaluateOptions options) {
  Operation *parent = block.getParentOp();
  if (inputs.size() + scalars.size() != block.getNumArguments())
    return errorAt(parent, StatusCode::InvalidArgument,
                   "expected " + std::to_string(block.getNumArguments()) +
                       " arguments, but got " +
                       std::to_string(inputs.size() + scalars.size()));
  SmallVector<TensorPtr> arguments;
  for (auto [index, input] : llvm::enumerate(inputs)) {
    Type wanted = block.getArgument(index).getType();
    if (wanted != input.getType()) {
      std::string text;
      llvm::raw_string_ostream(text)
          << "expected argument " << index << " to be " << wanted
          << ", but got " << input.getType();
      return errorAt(parent, StatusCode::InvalidArgument, text);
    }
    // The caller keeps its tensors alive while this runs.
    arguments.push_back(TensorPtr(TensorPtr(), &input));
  }
  Evaluator evaluator(parameters, options);
  Expected<SmallVector<TensorPtr>> results =
      evaluator.run(block, arguments, scalars);
  if (!results)
    return results.status();
  SmallVector<Tensor> copies;
  for (const TensorPtr &result : *results)
    copies.push_back(*result);
  return copies;
}

Expected<SmallVector<Tensor>>
turnip::reference::evaluate(func::FuncOp function, ArrayRef<Tensor> inputs,
                            const ParameterFn &parameters,
                            EvaluateOptions options) {
  if (!function.getBody().hasOneBlock())
    return errorAt(function, StatusCode::BadInput,
                   "expected a body of one block");
  return evaluateBlock(function.front(), inputs, {}, parameters, options);
}
