//===- EinDialect.cpp - The ein dialect -----------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "turnip/Dialect/Ein/IR/Ein.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace turnip::ein;

#include "turnip/Dialect/Ein/IR/EinDialect.cpp.inc"

#include "turnip/Dialect/Ein/IR/EinEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "turnip/Dialect/Ein/IR/EinAttrs.cpp.inc"

namespace {
/// Constants that arise in a body stay there: it uses no scalars from above.
struct EinFoldInterface : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;
  bool shouldMaterializeInto(Region *region) const override {
    return isa<EinsumOp>(region->getParentOp());
  }
};

/// Programs may be written as functions that call each other: everything can
/// be inlined anywhere.
struct EinInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *op, Region *to, bool wouldBeCloned,
                       IRMapping &mapping) const override {
    return true;
  }
  bool isLegalToInline(Region *from, Region *to, bool wouldBeCloned,
                       IRMapping &mapping) const override {
    return true;
  }
};
} // namespace

void EinDialect::initialize() {
  addInterfaces<EinFoldInterface, EinInlinerInterface>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "turnip/Dialect/Ein/IR/EinAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "turnip/Dialect/Ein/IR/EinOps.cpp.inc"
      >();
}

Operation *EinDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                           Type type, Location loc) {
  if (auto elements = dyn_cast<ElementsAttr>(value);
      elements && elements.getType() == type && isEinTensor(type))
    return ConstantOp::create(builder, loc, type, elements);
  if (auto scalar = dyn_cast<TypedAttr>(value))
    return arith::ConstantOp::materialize(builder, scalar, type, loc);
  return nullptr;
}

LogicalResult EinDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  return op->emitOpError("has unknown attribute '")
         << attribute.getName().getValue() << "'";
}

/// Checks a name of a function's argument or result, which must be a string
/// that no other has. `count` and `get` list the attributes of all of them.
static LogicalResult
verifyBinding(Operation *op, NamedAttribute attribute, StringRef what,
              unsigned index, unsigned count,
              llvm::function_ref<Attribute(unsigned)> get) {
  if (attribute.getName() != "ein.name")
    return op->emitOpError("has unknown attribute '")
           << attribute.getName().getValue() << "' on " << what << " #"
           << index;
  auto name = dyn_cast<StringAttr>(attribute.getValue());
  if (!name || name.empty())
    return op->emitOpError("expected 'ein.name' of ")
           << what << " #" << index << " to be a nonempty string, but got "
           << attribute.getValue();
  for (unsigned i = 0; i < count; ++i)
    if (i != index && get(i) == name)
      return op->emitOpError("expected distinct names, but got ")
             << name << " for " << what << "s #" << std::min(i, index)
             << " and #" << std::max(i, index);
  return success();
}

LogicalResult EinDialect::verifyRegionArgAttribute(Operation *op,
                                                   unsigned region,
                                                   unsigned index,
                                                   NamedAttribute attribute) {
  auto function = cast<FunctionOpInterface>(op);
  return verifyBinding(
      op, attribute, "argument", index, function.getNumArguments(),
      [&](unsigned i) { return function.getArgAttr(i, "ein.name"); });
}

LogicalResult EinDialect::verifyRegionResultAttribute(
    Operation *op, unsigned region, unsigned index, NamedAttribute attribute) {
  auto function = cast<FunctionOpInterface>(op);
  return verifyBinding(
      op, attribute, "result", index, function.getNumResults(),
      [&](unsigned i) { return function.getResultAttr(i, "ein.name"); });
}

bool turnip::ein::isEinElementType(Type type) {
  return type.isF32() || type.isF16() || type.isBF16() ||
         type.isSignlessInteger(8) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64) || type.isSignlessInteger(1);
}

bool turnip::ein::isEinTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding() ||
      !isEinElementType(tensor.getElementType()))
    return false;
  constexpr int64_t limit = int64_t(1) << 60;
  int64_t elements = 1;
  for (int64_t size : tensor.getShape()) {
    if (size < 1 || size > limit / elements)
      return false;
    elements *= size;
  }
  return true;
}
