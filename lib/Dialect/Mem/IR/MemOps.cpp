//===- MemOps.cpp - Operations in a mem.graph -----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Dialect/Mem/IR/Mem.h"

#include "Assembly.h"
#include "mlir/IR/Builders.h"
#include "turnip/Dialect/Task/IR/Box.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::mem;

/// Forms of parseRange and printRange for the declarative assembly.
static ParseResult parsePieceRange(OpAsmParser &parser, RangeAttr &range) {
  return parseRange(parser, range);
}
static void printPieceRange(OpAsmPrinter &printer, Operation *,
                            RangeAttr range) {
  printRange(printer, range);
}

#define GET_OP_CLASSES
#include "turnip/Dialect/Mem/IR/MemOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Arguments and pieces
//===----------------------------------------------------------------------===//

LogicalResult ArgumentOp::verify() {
  int64_t minimum = getMinimum(), maximum = getMaximum();
  if (minimum > maximum)
    return emitOpError("expected a minimum of at most ")
           << maximum << ", but got " << minimum;
  return success();
}

LogicalResult CostOp::verify() {
  double seconds = getSeconds().convertToDouble();
  if (!(seconds >= 0) || !std::isfinite(seconds))
    return emitOpError("expected seconds of at least 0, but got ") << seconds;
  return success();
}

/// Checks a piece by itself: its box, and the bytes that hold it.
template <typename OpTy> static LogicalResult verifyPiece(OpTy op) {
  Type type = op.getElementType();
  if (!task::elementBytes(type))
    return op.emitOpError("expected element type f32, f16, bf16, i8, i32, i64 "
                          "or i1, but got ")
           << type;
  if (failed(task::verifyBox(task::boxOf(op, type))))
    return failure();
  int64_t bytes = *task::denseBytes(op.getSizes(), type);
  if (op.getRange().getBytes() != bytes)
    return op.emitOpError("expected a range of ")
           << bytes << " bytes, but got " << op.getRange().getBytes();
  if (op.getRange().getValue() == RangeAttr::kNoValue)
    return op.emitOpError("expected a range with a value");
  return success();
}

LogicalResult ParameterOp::verify() { return verifyPiece(*this); }

LogicalResult InputOp::verify() { return verifyPiece(*this); }

LogicalResult ResultOp::verify() { return verifyPiece(*this); }

//===----------------------------------------------------------------------===//
// mem.call
//===----------------------------------------------------------------------===//

/// Parses `KEYWORD(range, ...)` where it is present into attribute \p name.
static ParseResult parseRanges(OpAsmParser &parser, StringRef name,
                               OperationState &state) {
  SmallVector<Attribute> ranges;
  if (succeeded(parser.parseOptionalKeyword(name)) &&
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&] {
        RangeAttr range;
        if (parseRange(parser, range))
          return failure();
        ranges.push_back(range);
        return success();
      }))
    return failure();
  state.addAttribute(name, parser.getBuilder().getArrayAttr(ranges));
  return success();
}

static void printRanges(OpAsmPrinter &printer, StringRef name,
                        ArrayAttr ranges) {
  if (ranges.empty())
    return;
  printer << ' ' << name << '(';
  llvm::interleaveComma(ranges.getAsRange<RangeAttr>(), printer,
                        [&](RangeAttr range) { printRange(printer, range); });
  printer << ')';
}

/// Parses `KEYWORD [1, 2]` where it is present into attribute \p name.
static ParseResult parseNumbers(OpAsmParser &parser, StringRef keyword,
                                StringRef name, OperationState &state) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  auto numbers = dyn_cast_or_null<DenseI64ArrayAttr>(
      DenseI64ArrayAttr::parse(parser, Type()));
  if (!numbers)
    return failure();
  state.addAttribute(name, numbers);
  return success();
}

ParseResult CallOp::parse(OpAsmParser &parser, OperationState &state) {
  StringAttr kernel, device;
  if (parser.parseSymbolName(kernel) || parseTask(parser, state) ||
      parser.parseKeyword("on") || parser.parseAttribute(device) ||
      parseRanges(parser, "reads", state) ||
      parseRanges(parser, "writes", state))
    return failure();
  state.addAttribute("kernel", FlatSymbolRefAttr::get(kernel));
  state.addAttribute("device", device);
  if (succeeded(parser.parseOptionalKeyword("workspace"))) {
    RangeAttr range;
    if (parser.parseLParen() || parseRange(parser, range) ||
        parser.parseRParen())
      return failure();
    state.addAttribute("workspace", range);
  }
  if (parseNumbers(parser, "scalars", "scalars", state) ||
      parseNumbers(parser, "arguments", "scalar_arguments", state))
    return failure();
  return parseTokens(parser, state);
}

void CallOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getKernelAttr();
  printTask(printer, getTask(), getTaskName());
  printer << " on " << getDeviceAttr();
  printRanges(printer, "reads", getReads());
  printRanges(printer, "writes", getWrites());
  if (RangeAttr range = getWorkspaceAttr()) {
    printer << " workspace(";
    printRange(printer, range);
    printer << ')';
  }
  auto numbers = [&](StringRef keyword, DenseI64ArrayAttr values) {
    if (!values)
      return;
    printer << ' ' << keyword << ' ';
    values.print(printer);
  };
  numbers("scalars", getScalarsAttr());
  numbers("arguments", getScalarArgumentsAttr());
  printTokens(printer, *this, getDataTokens(), getMemoryTokens(),
              {"kernel", "task", "task_name", "device", "reads", "writes",
               "workspace", "scalars", "scalar_arguments"});
}

/// Task numbers are 32 bits, and a name needs a number.
static LogicalResult verifyTask(Operation *op, std::optional<int64_t> task,
                                std::optional<StringRef> name) {
  if (task && (*task < 0 || *task >= UINT32_MAX))
    return op->emitOpError("expected a task below ")
           << UINT32_MAX << ", but got " << *task;
  if (name && !task)
    return op->emitOpError("expected a task number before the task name");
  return success();
}

LogicalResult CallOp::verify() {
  if (failed(verifyTask(*this, getTask(), getTaskName())))
    return failure();
  for (ArrayAttr ranges : {getReads(), getWrites()})
    for (RangeAttr range : ranges.getAsRange<RangeAttr>())
      if (range.getValue() == RangeAttr::kNoValue)
        return emitOpError("expected reads and writes with values");
  if (getWorkspace() && getWorkspace()->getValue() != RangeAttr::kNoValue)
    return emitOpError("expected a workspace without a value, but got v")
           << getWorkspace()->getValue();
  std::optional<ArrayRef<int64_t>> arguments = getScalarArguments();
  size_t scalars = getScalars() ? getScalars()->size() : 0;
  if (arguments && arguments->size() != scalars)
    return emitOpError("expected ")
           << scalars << " arguments as there are scalars, but got "
           << arguments->size();
  return success();
}

//===----------------------------------------------------------------------===//
// mem.copy
//===----------------------------------------------------------------------===//

ParseResult CopyOp::parse(OpAsmParser &parser, OperationState &state) {
  StringRef spelled;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&spelled))
    return failure();
  std::optional<CopyRole> role = symbolizeCopyRole(spelled);
  if (!role)
    return parser.emitError(loc, "expected transfer, load, reload, offload, "
                                 "result or move, but got ")
           << spelled;
  state.addAttribute("role", CopyRoleAttr::get(parser.getContext(), *role));
  RangeAttr source, destination;
  if (parseRange(parser, source) || parser.parseKeyword("to") ||
      parseRange(parser, destination, source.getValue()))
    return failure();
  state.addAttribute("source", source);
  state.addAttribute("destination", destination);
  if (succeeded(parser.parseOptionalKeyword("via"))) {
    int64_t via;
    if (parser.parseInteger(via))
      return failure();
    state.addAttribute("via", parser.getBuilder().getI64IntegerAttr(via));
  }
  if (parseTask(parser, state))
    return failure();
  return parseTokens(parser, state);
}

void CopyOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyCopyRole(getRole()) << ' ';
  printRange(printer, getSource());
  printer << " to ";
  printRange(printer, getDestination(), getSource().getValue());
  if (getVia())
    printer << " via " << *getVia();
  printTask(printer, getTask(), getTaskName());
  printTokens(printer, *this, getDataTokens(), getMemoryTokens(),
              {"role", "source", "destination", "via", "task", "task_name"});
}

LogicalResult CopyOp::verify() {
  if (getSource().getValue() == RangeAttr::kNoValue)
    return emitOpError("expected a source with a value");
  if (getDestination().getValue() == RangeAttr::kNoValue)
    return emitOpError("expected a destination with a value");
  return verifyTask(*this, getTask(), getTaskName());
}

//===----------------------------------------------------------------------===//
// mem.join
//===----------------------------------------------------------------------===//

ParseResult JoinOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseTokens(parser, state);
}

void JoinOp::print(OpAsmPrinter &printer) {
  printTokens(printer, *this, getDataTokens(), getMemoryTokens(), {});
}
