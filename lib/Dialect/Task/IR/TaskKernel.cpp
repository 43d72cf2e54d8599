//===- TaskKernel.cpp - task.kernel ---------------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Dialect/Task/IR/Task.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace turnip::task;

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     FunctionType type) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.addRegion();
}

unsigned KernelOp::getNumTensorArguments() {
  ArrayRef<Type> types = getArgumentTypes();
  while (!types.empty() && types.back().isIndex())
    types = types.drop_back();
  return types.size();
}

SmallVector<std::pair<int64_t, int64_t>> KernelOp::getInplacePairs() {
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  if (std::optional<ArrayRef<int64_t>> flat = getInplace())
    for (size_t i = 0; i + 1 < flat->size(); i += 2)
      pairs.emplace_back((*flat)[i], (*flat)[i + 1]);
  return pairs;
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// Parses `(0 -> 0, 1 -> 0)` after the keyword `inplace`.
static ParseResult parseInplace(OpAsmParser &parser,
                                SmallVectorImpl<int64_t> &pairs) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&] {
    int64_t operand, result;
    if (parser.parseInteger(operand) || parser.parseArrow() ||
        parser.parseInteger(result))
      return failure();
    pairs.append({operand, result});
    return success();
  });
}

/// Parses the clauses between signature and body, in the order they print.
static ParseResult parseClauses(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  for (StringRef name : {"grid", "workspace", "flops", "bytes"}) {
    int64_t value;
    if (failed(parser.parseOptionalKeyword(name)))
      continue;
    if (parser.parseInteger(value))
      return failure();
    state.addAttribute(name, builder.getI64IntegerAttr(value));
  }
  if (succeeded(parser.parseOptionalKeyword("seconds"))) {
    double value;
    if (parser.parseFloat(value))
      return failure();
    state.addAttribute("seconds", builder.getF64FloatAttr(value));
  }
  if (succeeded(parser.parseOptionalKeyword("inplace"))) {
    SmallVector<int64_t> pairs;
    if (parseInplace(parser, pairs))
      return failure();
    state.addAttribute("inplace", builder.getDenseI64ArrayAttr(pairs));
  }
  if (succeeded(parser.parseOptionalKeyword("objects"))) {
    ArrayAttr objects;
    if (parser.parseAttribute(objects, "objects", state.attributes))
      return failure();
  }
  return success();
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  (void)mlir::impl::parseOptionalVisibilityKeyword(parser, state.attributes);
  if (parser.parseSymbolName(name, getSymNameAttrName(state.name),
                             state.attributes))
    return failure();

  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  bool isVariadic = false;
  if (function_interface_impl::parseFunctionSignatureWithArguments(
          parser, /*allowVariadic=*/false, arguments, isVariadic, resultTypes,
          resultAttrs))
    return failure();
  SmallVector<Type> argumentTypes;
  for (OpAsmParser::Argument &argument : arguments)
    argumentTypes.push_back(argument.type);
  state.addAttribute(
      getFunctionTypeAttrName(state.name),
      TypeAttr::get(builder.getFunctionType(argumentTypes, resultTypes)));
  call_interface_impl::addArgAndResultAttrs(
      builder, state, arguments, resultAttrs, getArgAttrsAttrName(state.name),
      getResAttrsAttrName(state.name));

  if (parseClauses(parser, state) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  Region *body = state.addRegion();
  OptionalParseResult result = parser.parseOptionalRegion(
      *body, arguments, /*enableNameShadowing=*/false);
  return result.has_value() ? *result : ParseResult(success());
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  if (std::optional<StringRef> visibility = getSymVisibility())
    printer << *visibility << ' ';
  printer.printSymbolName(getSymName());
  function_interface_impl::printFunctionSignature(
      printer, *this, getArgumentTypes(), /*isVariadic=*/false,
      getResultTypes());
  auto clause = [&](StringRef name, std::optional<int64_t> value) {
    if (value)
      printer << ' ' << name << ' ' << *value;
  };
  clause("grid", getGrid());
  clause("workspace", getWorkspace());
  clause("flops", getFlops());
  clause("bytes", getBytes());
  if (FloatAttr seconds = getSecondsAttr()) {
    printer << " seconds ";
    printer.printFloat(seconds.getValue());
  }
  if (getInplace()) {
    printer << " inplace(";
    llvm::interleaveComma(getInplacePairs(), printer, [&](auto pair) {
      printer << pair.first << " -> " << pair.second;
    });
    printer << ')';
  }
  if (ArrayAttr objects = getObjectsAttr())
    printer << " objects " << objects;
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getFunctionTypeAttrName(), getArgAttrsAttrName(),
       getSymVisibilityAttrName(), getResAttrsAttrName(), getGridAttrName(),
       getWorkspaceAttrName(), getFlopsAttrName(), getBytesAttrName(),
       getSecondsAttrName(), getInplaceAttrName(), getObjectsAttrName()});
  if (!getBody().empty()) {
    printer << ' ';
    printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                        /*printBlockTerminators=*/true);
  }
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Bytes of a kernel's tensor, or nothing where a tile cannot have this type.
static std::optional<int64_t> tensorBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding() ||
      llvm::is_contained(tensor.getShape(), 0))
    return std::nullopt;
  return denseBytes(tensor.getShape(), tensor.getElementType());
}

static LogicalResult verifyTypes(KernelOp op) {
  unsigned tensors = op.getNumTensorArguments();
  for (auto [index, type] : llvm::enumerate(op.getArgumentTypes()))
    if (index < tensors && !tensorBytes(type))
      return op.emitOpError("expected argument ")
             << index
             << " to be a tensor of static sizes of at least 1, or a trailing "
                "index, but got "
             << type;
  for (auto [index, type] : llvm::enumerate(op.getResultTypes()))
    if (!tensorBytes(type))
      return op.emitOpError("expected result ")
             << index
             << " to be a tensor of static sizes of at least 1, but got "
             << type;
  if (op.getResultTypes().empty())
    return op.emitOpError("expected at least 1 result, but got 0");
  return success();
}

static LogicalResult verifyInplace(KernelOp op) {
  std::optional<ArrayRef<int64_t>> flat = op.getInplace();
  if (!flat)
    return success();
  if (flat->size() % 2 != 0)
    return op.emitOpError("expected inplace to hold pairs, but got ")
           << flat->size() << " numbers";
  int64_t operands = op.getNumTensorArguments();
  int64_t results = op.getResultTypes().size();
  llvm::SmallSet<std::pair<int64_t, int64_t>, 4> seen;
  for (auto [operand, result] : op.getInplacePairs()) {
    if (operand < 0 || operand >= operands)
      return op.emitOpError("expected an inplace operand below ")
             << operands << ", but got " << operand;
    if (result < 0 || result >= results)
      return op.emitOpError("expected an inplace result below ")
             << results << ", but got " << result;
    if (!seen.insert({operand, result}).second)
      return op.emitOpError("expected every inplace pair once, but got ")
             << operand << " -> " << result << " again";
    int64_t from = *tensorBytes(op.getArgumentTypes()[operand]);
    int64_t to = *tensorBytes(op.getResultTypes()[result]);
    if (from != to)
      return op.emitOpError("expected the inplace pair ")
             << operand << " -> " << result << " to have equal bytes, but got "
             << from << " and " << to;
  }
  return success();
}

/// A launch passes buffers and scalars that a call has.
static LogicalResult verifyLaunches(KernelOp kernel, ObjectAttr object) {
  if (!object.getLaunches())
    return success();
  // The last one is the workspace.
  int64_t buffers = kernel.getNumTensorArguments() + kernel.getNumResults() +
                    (object.getWorkspace() > 0);
  int64_t scalars = kernel.getNumScalarArguments();
  for (Attribute attribute : object.getLaunches()) {
    ArrayRef<int64_t> passed;
    if (auto launch = dyn_cast<LaunchAttr>(attribute)) {
      passed = launch.getBuffers();
      for (int64_t scalar : launch.getScalars())
        if (scalar >= scalars)
          return kernel.emitOpError("expected launches with scalars below ")
                 << scalars << ", but got " << scalar;
    } else {
      passed = cast<MatmulAttr>(attribute).getBuffers();
    }
    for (size_t i = 0; i < passed.size(); i += 2)
      if (passed[i] >= buffers)
        return kernel.emitOpError("expected launches with buffers below ")
               << buffers << ", but got " << passed[i];
  }
  return success();
}

LogicalResult KernelOp::verify() {
  if (failed(verifyTypes(*this)))
    return failure();
  if (getGrid() && *getGrid() < 1)
    return emitOpError("expected a grid of at least 1, but got ") << *getGrid();
  std::pair<StringRef, std::optional<int64_t>> amounts[] = {
      {"workspace", getWorkspace()},
      {"flops", getFlops()},
      {"bytes", getBytes()}};
  for (auto [name, amount] : amounts)
    if (amount && *amount < 0)
      return emitOpError("expected ")
             << name << " of at least 0, but got " << *amount;
  if (failed(verifyInplace(*this)))
    return failure();
  if (getSeconds() && !(getSecondsAttr().getValueAsDouble() >= 0))
    return emitOpError("expected seconds of at least 0, but got ")
           << getSecondsAttr().getValueAsDouble();
  DenseSet<std::pair<Attribute, Attribute>> targets;
  if (ArrayAttr objects = getObjectsAttr())
    for (ObjectAttr object : objects.getAsRange<ObjectAttr>()) {
      SmallVector<Attribute> features(object.getFeatures().begin(),
                                      object.getFeatures().end());
      auto key = ArrayAttr::get(getContext(), features);
      features.push_back(object.getFormat());
      auto withFormat = ArrayAttr::get(getContext(), features);
      if (!targets.insert({object.getTriple(), withFormat}).second)
        return emitOpError("expected one object per triple, features and "
                           "format, but got another for ")
               << object.getTriple() << " with " << key << " and "
               << object.getFormat();
      if (failed(verifyLaunches(*this, object)))
        return failure();
    }
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  if (isExternal())
    return success();
  if (!llvm::hasSingleElement(getBody()))
    return emitOpError("expected a body of 1 block, but got ")
           << llvm::range_size(getBody());
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError("expected a body that ends with task.yield");
  if (yield.getOperandTypes() == TypeRange(getResultTypes()))
    return success();
  InFlightDiagnostic diag = yield.emitOpError("expected types (")
                            << getResultTypes() << "), but got ("
                            << yield.getOperandTypes() << ")";
  diag.attachNote(getLoc()) << "the kernel's results";
  return diag;
}
