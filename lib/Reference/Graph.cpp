//===- Graph.cpp - Evaluates a task.graph ---------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include "Body.h"
#include "Strides.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::reference;

namespace {
/// Runs one graph.
class GraphEvaluator {
public:
  GraphEvaluator(task::GraphOp graph, ArrayRef<NamedTensor> inputs,
                 const ParameterFn &parameters, const KernelFn &runKernel)
      : graph(graph), inputs(inputs), parameters(parameters),
        runKernel(runKernel) {}

  Expected<SmallVector<NamedTensor>> run();

private:
  Status runOp(Operation *op);
  Status input(task::InputOp op);
  Status parameter(task::ParameterOp op);
  Status result(task::ResultOp op);
  Status call(task::CallOp op);

  task::GraphOp graph;
  ArrayRef<NamedTensor> inputs;
  const ParameterFn &parameters;
  const KernelFn &runKernel;
  SymbolTableCollection symbols;
  DenseMap<Value, Tensor> tiles;
  llvm::StringMap<Tensor> wholeParameters;
  llvm::StringMap<Tensor> results;
};
} // namespace

/// Where the elements of the box at \p offsets lie in a tensor of \p shape.
static std::vector<int64_t> boxOf(ArrayRef<int64_t> shape,
                                  ArrayRef<int64_t> offsets,
                                  ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> strides = stridesOf(shape);
  int64_t base = 0;
  for (auto [offset, stride] : llvm::zip_equal(offsets, strides))
    base += offset * stride;
  return walk(sizes, strides, base);
}

/// Cuts the box that \p op describes out of \p whole.
template <typename SourceOp>
static Tensor cut(SourceOp op, const Tensor &whole) {
  Tensor tile(op.getTile().getType().getTensorType());
  int64_t to = 0;
  for (int64_t from : boxOf(op.getShape(), op.getOffsets(), op.getSizes()))
    tile.set(to++, whole.get(from));
  return tile;
}

/// The type of the whole tensor outside the graph.
template <typename BoundOp> static RankedTensorType wholeType(BoundOp op) {
  return RankedTensorType::get(op.getOuter(),
                               op.getTile().getType().getElementType());
}

static Status wrongType(Operation *op, StringRef name, Type wanted, Type got) {
  std::string text;
  llvm::raw_string_ostream(text)
      << "expected '" << name << "' to be " << wanted << ", but got " << got;
  return errorAt(op, StatusCode::InvalidArgument, text);
}

Status GraphEvaluator::input(task::InputOp op) {
  const Tensor *whole = findInput(inputs, op.getName());
  if (!whole)
    return errorAt(op, StatusCode::InvalidArgument,
                   "no value was given for input '" + op.getName().str() + "'");
  if (whole->getType() != wholeType(op))
    return wrongType(op, op.getName(), wholeType(op), whole->getType());
  tiles[op.getTile()] = cut(op, *whole);
  return Status::ok();
}

Status GraphEvaluator::parameter(task::ParameterOp op) {
  auto known = wholeParameters.find(op.getName());
  if (known == wholeParameters.end()) {
    if (!parameters)
      return errorAt(op, StatusCode::InvalidArgument,
                     "no parameters were given, but '" + op.getName().str() +
                         "' is needed");
    Expected<Tensor> whole = parameters(op.getName(), wholeType(op));
    if (!whole)
      return errorAt(op, whole.status().code(), whole.status().message());
    if (whole->getType().getElementType() != wholeType(op).getElementType() ||
        whole->getNumElements() != wholeType(op).getNumElements())
      return wrongType(op, op.getName(), wholeType(op), whole->getType());
    known = wholeParameters.try_emplace(op.getName(), *whole).first;
  }
  tiles[op.getTile()] = cut(op, known->second);
  return Status::ok();
}

Status GraphEvaluator::result(task::ResultOp op) {
  auto [whole, isNew] =
      results.try_emplace(op.getName(), Tensor(wholeType(op)));
  const Tensor &tile = tiles.find(op.getTile())->second;
  int64_t from = 0;
  for (int64_t to : boxOf(op.getShape(), op.getOffsets(), op.getSizes()))
    whole->second.set(to, tile.get(from++));
  return Status::ok();
}

Status GraphEvaluator::call(task::CallOp op) {
  auto kernel =
      symbols.lookupNearestSymbolFrom<task::KernelOp>(op, op.getKernelAttr());
  if (!kernel)
    return errorAt(op, StatusCode::BadInput,
                   "no kernel is called '" + op.getKernel().str() + "'");
  SmallVector<Tensor> operands;
  for (Value operand : op.getOperands())
    operands.push_back(tiles.find(operand)->second);
  Expected<SmallVector<Tensor>> values =
      runKernel(kernel, operands, op.getScalars());
  if (!values)
    return errorAt(op, values.status().code(), values.status().message());
  for (auto [tile, value] : llvm::zip_equal(op.getResults(), *values))
    tiles[tile] = std::move(value);
  return Status::ok();
}

Status GraphEvaluator::runOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, Status>(op)
      .Case([&](task::InputOp op) { return input(op); })
      .Case([&](task::ParameterOp op) { return parameter(op); })
      .Case([&](task::ResultOp op) { return result(op); })
      .Case([&](task::CallOp op) { return call(op); })
      .Case([&](task::TransferOp op) {
        Tensor tile = tiles.find(op.getSource())->second;
        tiles[op.getResult()] = std::move(tile);
        return Status::ok();
      })
      .Default([&](Operation *op) {
        return errorAt(op, StatusCode::BadInput,
                       "the evaluator does not know this operation");
      });
}

Expected<SmallVector<NamedTensor>> GraphEvaluator::run() {
  Block &block = graph.getBody().front();
  for (Operation &op : block) {
    TURNIP_RETURN_IF_ERROR(runOp(&op));
    for (Value operand : op.getOperands())
      if (llvm::all_of(operand.getUsers(), [&](Operation *user) {
            return !op.isBeforeInBlock(user);
          }))
        tiles.erase(operand);
  }
  SmallVector<NamedTensor> named;
  for (const NamedType &result : signatureOfGraph(graph).results)
    named.push_back({result.name, results.find(result.name)->second});
  return named;
}

Signature turnip::reference::signatureOfGraph(task::GraphOp graph) {
  Signature signature;
  llvm::StringSet<> seenInputs, seenResults, seenParameters;
  for (Operation &op : graph.getBody().front()) {
    if (auto input = dyn_cast<task::InputOp>(op)) {
      if (seenInputs.insert(input.getName()).second)
        signature.inputs.push_back({input.getName().str(), wholeType(input)});
    } else if (auto parameter = dyn_cast<task::ParameterOp>(op)) {
      if (seenParameters.insert(parameter.getName()).second)
        signature.parameters.push_back(
            {parameter.getName().str(), wholeType(parameter)});
    } else if (auto result = dyn_cast<task::ResultOp>(op)) {
      if (seenResults.insert(result.getName()).second)
        signature.results.push_back(
            {result.getName().str(), wholeType(result)});
    }
  }
  return signature;
}

Expected<SmallVector<NamedTensor>> turnip::reference::evaluateGraph(
    task::GraphOp graph, ArrayRef<NamedTensor> inputs,
    const ParameterFn &parameters, const KernelFn &run) {
  return GraphEvaluator(graph, inputs, parameters, run).run();
}
