//===- Assembly.cpp - Assembly that ops of mem share ----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace turnip::mem;

ParseResult turnip::mem::parseRange(AsmParser &parser, RangeAttr &range,
                                    int64_t defaultValue) {
  StringAttr memory;
  int64_t offset = 0, bytes = 0, value = defaultValue;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalSymbolName(memory))) {
    StringRef spelled;
    if (parser.parseKeyword(&spelled))
      return failure();
    StringRef digits = spelled;
    if (!digits.consume_front("v") || digits.getAsInteger(10, value))
      return parser.emitError(loc, "expected a value such as v3, but got ")
             << spelled;
    if (parser.parseSymbolName(memory))
      return failure();
  }
  if (parser.parseLSquare() || parser.parseInteger(offset) ||
      parser.parsePlus() || parser.parseInteger(bytes) || parser.parseRSquare())
    return failure();
  range = RangeAttr::getChecked(
      [&] { return parser.emitError(loc); }, parser.getContext(),
      FlatSymbolRefAttr::get(memory), offset, bytes, value);
  return success(range != nullptr);
}

void turnip::mem::printRange(AsmPrinter &printer, RangeAttr range,
                             int64_t defaultValue) {
  if (range.getValue() != defaultValue)
    printer << "v" << range.getValue() << " ";
  printer << range.getMemory() << "[" << range.getOffset() << " + "
          << range.getBytes() << "]";
}

ParseResult turnip::mem::parseTask(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  int64_t task;
  if (failed(parser.parseOptionalKeyword("task")))
    return success();
  if (parser.parseInteger(task))
    return failure();
  state.addAttribute("task", builder.getI64IntegerAttr(task));
  std::string name;
  if (succeeded(parser.parseOptionalString(&name)))
    state.addAttribute("task_name", builder.getStringAttr(name));
  return success();
}

void turnip::mem::printTask(OpAsmPrinter &printer, std::optional<int64_t> task,
                            std::optional<StringRef> name) {
  if (!task)
    return;
  printer << " task " << *task;
  if (name) {
    printer << ' ';
    printer.printString(*name);
  }
}

/// Parses `KEYWORD(%a, %b)` where it is present; returns how many there were.
static FailureOr<int32_t> parseTokenList(OpAsmParser &parser, StringRef keyword,
                                         OperationState &state) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return 0;
  SmallVector<OpAsmParser::UnresolvedOperand> tokens;
  auto type = TokenType::get(parser.getContext());
  if (parser.parseOperandList(tokens, OpAsmParser::Delimiter::Paren) ||
      parser.resolveOperands(tokens, type, state.operands))
    return failure();
  return static_cast<int32_t>(tokens.size());
}

ParseResult turnip::mem::parseTokens(OpAsmParser &parser,
                                     OperationState &state) {
  FailureOr<int32_t> data = parseTokenList(parser, "after", state);
  if (failed(data))
    return failure();
  FailureOr<int32_t> memory = parseTokenList(parser, "memory", state);
  if (failed(memory) || parser.parseOptionalAttrDict(state.attributes))
    return failure();
  state.addAttribute(
      "operandSegmentSizes",
      parser.getBuilder().getDenseI32ArrayAttr({*data, *memory}));
  state.addTypes(TokenType::get(parser.getContext()));
  return success();
}

void turnip::mem::printTokens(OpAsmPrinter &printer, Operation *op,
                              OperandRange data, OperandRange memory,
                              ArrayRef<StringRef> elided) {
  if (!data.empty())
    printer << " after(" << data << ")";
  if (!memory.empty())
    printer << " memory(" << memory << ")";
  SmallVector<StringRef> names(elided);
  names.push_back("operandSegmentSizes");
  printer.printOptionalAttrDict(op->getAttrs(), names);
}
