//===- Program.cpp - Evaluates an entry point by name ---------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Reference/Program.h"

#include "Body.h"
#include "Graph.h"

#include "turnip/Dialect/Ein/IR/Ein.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::reference;

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

/// The name in \p attribute, or \p base with \p index.
static std::string nameOr(Attribute attribute, StringRef base, unsigned index) {
  if (auto name = dyn_cast_if_present<StringAttr>(attribute))
    return name.str();
  return (base + Twine(index)).str();
}

static Signature signatureOfFunction(func::FuncOp function) {
  Signature signature;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      signature.inputs.push_back(
          {nameOr(function.getArgAttr(index, "ein.name"), "arg", index),
           tensor});
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      signature.results.push_back(
          {nameOr(function.getResultAttr(index, "ein.name"), "result", index),
           tensor});
  llvm::StringSet<> seen;
  function.walk([&](ein::ParameterOp op) {
    if (seen.insert(op.getName()).second)
      signature.parameters.push_back(
          {op.getName().str(), op.getResult().getType()});
  });
  return signature;
}

Expected<Signature> turnip::reference::signatureOf(Operation *entry) {
  if (auto function = dyn_cast<func::FuncOp>(entry))
    return signatureOfFunction(function);
  if (auto graph = dyn_cast<task::GraphOp>(entry))
    return signatureOfGraph(graph);
  return errorAt(entry, StatusCode::BadInput, "expected an entry point");
}

Expected<Operation *> turnip::reference::findEntry(ModuleOp module,
                                                   StringRef name) {
  SmallVector<Operation *> entries;
  std::string known;
  for (Operation &op : module.getOps()) {
    if (op.getName().getDialectNamespace() == "mem")
      return Status::error(StatusCode::BadInput,
                           "expected a module in phase ein or task, but got "
                           "one in phase mem, which turnip-run executes as an "
                           "artifact");
    if (!isa<func::FuncOp, task::GraphOp>(op))
      continue;
    StringRef symbol = SymbolTable::getSymbolName(&op).getValue();
    if (symbol == name)
      return &op;
    entries.push_back(&op);
    known += (known.empty() ? "" : ", ") + symbol.str();
  }
  if (name.empty() && entries.size() == 1)
    return entries.front();
  if (entries.empty())
    return Status::error(StatusCode::BadInput,
                         "expected a func.func or a task.graph to evaluate, "
                         "but the module has none");
  return Status::error(StatusCode::InvalidArgument,
                       (name.empty() ? std::string("expected one entry point")
                                     : "no entry point '" + name.str() + "'") +
                           "; there are: " + known);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

const Tensor *turnip::reference::findInput(ArrayRef<NamedTensor> inputs,
                                           StringRef name) {
  for (const NamedTensor &input : inputs)
    if (input.name == name)
      return &input.tensor;
  return nullptr;
}

static Expected<SmallVector<NamedTensor>>
evaluateFunction(func::FuncOp function, ArrayRef<NamedTensor> inputs,
                 const ParameterFn &parameters, EvaluateOptions options) {
  Signature signature = signatureOfFunction(function);
  SmallVector<Tensor> arguments;
  for (const NamedType &input : signature.inputs) {
    const Tensor *tensor = findInput(inputs, input.name);
    if (!tensor)
      return errorAt(function, StatusCode::InvalidArgument,
                     "no value was given for input '" + input.name + "'");
    arguments.push_back(*tensor);
  }
  Expected<SmallVector<Tensor>> results =
      evaluate(function, arguments, parameters, options);
  if (!results)
    return results.status();
  SmallVector<NamedTensor> named;
  for (auto [result, tensor] : llvm::zip_equal(signature.results, *results))
    named.push_back({result.name, std::move(tensor)});
  return named;
}

Expected<SmallVector<NamedTensor>>
turnip::reference::evaluateEntry(Operation *entry, ArrayRef<NamedTensor> inputs,
                                 const ParameterFn &parameters,
                                 EvaluateOptions options) {
  if (auto function = dyn_cast<func::FuncOp>(entry))
    return evaluateFunction(function, inputs, parameters, options);
  return evaluateGraphWith(
      entry, inputs, parameters,
      [&](Operation *op, ArrayRef<Tensor> operands,
          ArrayRef<int64_t> scalars) -> Expected<SmallVector<Tensor>> {
        auto kernel = cast<task::KernelOp>(op);
        if (kernel.isExternal())
          return errorAt(op, StatusCode::BadInput,
                         "kernel '" + kernel.getSymName().str() +
                             "' has no body");
        return evaluateBlock(kernel.getBody().front(), operands, scalars,
                             parameters, options);
      });
}

Expected<SmallVector<NamedTensor>> turnip::reference::evaluateGraphWith(
    Operation *graph, ArrayRef<NamedTensor> inputs,
    const ParameterFn &parameters, const KernelFn &run) {
  if (auto op = dyn_cast<task::GraphOp>(graph))
    return evaluateGraph(op, inputs, parameters, run);
  return errorAt(graph, StatusCode::BadInput, "expected an entry point");
}

//===----------------------------------------------------------------------===//
// The runtime's tensors
//===----------------------------------------------------------------------===//

/// The runtime's name of an element type that ein supports.
static turnip::ElementType elementTypeOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return *parseElementType(text);
}

static Type typeOf(turnip::ElementType type, MLIRContext *context) {
  switch (type) {
  case turnip::ElementType::F32:
    return Float32Type::get(context);
  case turnip::ElementType::F16:
    return Float16Type::get(context);
  case turnip::ElementType::BF16:
    return BFloat16Type::get(context);
  case turnip::ElementType::I8:
    return IntegerType::get(context, 8);
  case turnip::ElementType::I32:
    return IntegerType::get(context, 32);
  case turnip::ElementType::I64:
    return IntegerType::get(context, 64);
  case turnip::ElementType::I1:
    return IntegerType::get(context, 1);
  }
  llvm_unreachable("unknown element type");
}

parameters::Tensor turnip::reference::toHost(const Tensor &tensor) {
  parameters::Tensor host;
  host.shape = tensor.getShape().vec();
  host.type = elementTypeOf(tensor.getType().getElementType());
  std::string bytes = tensor.toBytes();
  host.data.assign(bytes.begin(), bytes.end());
  return host;
}

Tensor turnip::reference::fromHost(const parameters::Tensor &tensor,
                                   MLIRContext *context) {
  auto type = RankedTensorType::get(tensor.shape, typeOf(tensor.type, context));
  ArrayRef<char> bytes(reinterpret_cast<const char *>(tensor.data.data()),
                       tensor.data.size());
  return *Tensor::ofBytes(type, bytes);
}

ParameterFn
turnip::reference::readFrom(const parameters::ParameterProvider &provider) {
  return [&provider](StringRef name,
                     RankedTensorType type) -> Expected<Tensor> {
    Expected<parameters::ParameterInfo> info = provider.find(name.str());
    if (!info)
      return info.status();
    int64_t count = type.getNumElements();
    if (!info->anyShape && info->numElements() != count)
      return Status::error(StatusCode::BadInput,
                           "expected parameter '" + name.str() + "' to have " +
                               std::to_string(count) + " elements, but got " +
                               std::to_string(info->numElements()));
    parameters::Tensor host = parameters::Tensor::zeros(
        type.getShape().vec(), elementTypeOf(type.getElementType()));
    TURNIP_RETURN_IF_ERROR(
        provider.read(name.str(), 0, count, host.type, host.data.data()));
    return fromHost(host, type.getContext());
  };
}
