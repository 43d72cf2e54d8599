//===- MemDialect.cpp - Types and attributes of mem -----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"
#include "turnip/Dialect/Mem/IR/Mem.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace turnip::mem;

#include "turnip/Dialect/Mem/IR/MemDialect.cpp.inc"

#include "turnip/Dialect/Mem/IR/MemEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "turnip/Dialect/Mem/IR/MemAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "turnip/Dialect/Mem/IR/MemTypes.cpp.inc"

void MemDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "turnip/Dialect/Mem/IR/MemAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "turnip/Dialect/Mem/IR/MemTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "turnip/Dialect/Mem/IR/MemOps.cpp.inc"
      >();
}

LogicalResult MemDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name != kProducer && name != kOptions)
    return op->emitError("expected mem.producer or mem.options, but got ")
           << name;
  if (!isa<ModuleOp>(op) || !isa<StringAttr>(attribute.getValue()))
    return op->emitError("expected ")
           << name << " to be a string on a module, but got "
           << attribute.getValue() << " on " << op->getName();
  return success();
}

Attribute RangeAttr::parse(AsmParser &parser, Type) {
  RangeAttr range;
  if (parser.parseLess() || parseRange(parser, range) || parser.parseGreater())
    return {};
  return range;
}

void RangeAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printRange(printer, *this);
  printer << ">";
}

LogicalResult
RangeAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                  FlatSymbolRefAttr memory, int64_t offset, int64_t bytes,
                  int64_t value) {
  if (offset < 0)
    return emitError() << "expected an offset of at least 0, but got "
                       << offset;
  if (bytes < 1)
    return emitError() << "expected at least 1 byte, but got " << bytes;
  if (offset > INT64_MAX - bytes)
    return emitError() << "expected a range that ends below 2^63, but got "
                       << offset << " + " << bytes;
  if (value < kNoValue || value >= UINT32_MAX)
    return emitError() << "expected a value below v" << UINT32_MAX
                       << ", but got v" << value;
  return success();
}

LogicalResult
StatisticsAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                       DenseI64ArrayAttr, DenseI64ArrayAttr, int64_t,
                       ArrayAttr smallestCaps, FloatAttr, FloatAttr, FloatAttr,
                       FloatAttr, FloatAttr, StringAttr) {
  for (Attribute cap : smallestCaps)
    if (!isa<SmallestCapAttr>(cap))
      return emitError() << "expected smallest_caps to hold "
                            "#mem.smallest_cap, but got "
                         << cap;
  return success();
}
