//===- TaskDialect.cpp - Types and attributes of task ---------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Dialect/Task/IR/Task.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace mlir;
using namespace turnip::task;

#include "turnip/Dialect/Task/IR/TaskDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "turnip/Dialect/Task/IR/TaskAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "turnip/Dialect/Task/IR/TaskTypes.cpp.inc"

void TaskDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "turnip/Dialect/Task/IR/TaskAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "turnip/Dialect/Task/IR/TaskTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "turnip/Dialect/Task/IR/TaskOps.cpp.inc"
      >();
}

LogicalResult TaskDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name != kOptions)
    return op->emitError("expected task.options, but got ") << name;
  if (!isa<ModuleOp>(op) || !isa<StringAttr>(attribute.getValue()))
    return op->emitError("expected ")
           << name << " to be a string on a module, but got "
           << attribute.getValue() << " on " << op->getName();
  return success();
}

std::optional<int64_t> turnip::task::elementBytes(Type type) {
  if (type.isSignlessInteger(1) || type.isSignlessInteger(8))
    return 1;
  if (type.isF16() || type.isBF16())
    return 2;
  if (type.isF32() || type.isSignlessInteger(32))
    return 4;
  if (type.isSignlessInteger(64))
    return 8;
  return std::nullopt;
}

std::optional<int64_t> turnip::task::denseBytes(ArrayRef<int64_t> shape,
                                                Type elementType) {
  std::optional<int64_t> bytes = elementBytes(elementType);
  if (!bytes)
    return std::nullopt;
  for (int64_t size : shape)
    if (llvm::MulOverflow(*bytes, size, *bytes))
      return std::nullopt;
  return bytes;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

ParseResult turnip::task::parsePlace(AsmParser &parser, PlaceAttr &place) {
  if (succeeded(parser.parseOptionalKeyword("host"))) {
    place = PlaceAttr::getHost(parser.getContext());
    return success();
  }
  int64_t index = 0;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword("dev")))
    return parser.emitError(loc, "expected a place: 'host' or 'dev N'");
  loc = parser.getCurrentLocation();
  if (parser.parseInteger(index))
    return failure();
  if (index < 0)
    return parser.emitError(loc, "expected a device index of at least 0, but "
                                 "got ")
           << index;
  place = PlaceAttr::get(parser.getContext(), index);
  return success();
}

void turnip::task::printPlace(AsmPrinter &printer, PlaceAttr place) {
  if (place.isHost())
    printer << "host";
  else
    printer << "dev " << place.getIndex();
}

Attribute PlaceAttr::parse(AsmParser &parser, Type) {
  PlaceAttr place;
  if (parser.parseLess() || parsePlace(parser, place) || parser.parseGreater())
    return {};
  return place;
}

void PlaceAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printPlace(printer, *this);
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Object code
//===----------------------------------------------------------------------===//

/// Pairs of a buffer and an offset.
static LogicalResult
verifyBuffers(llvm::function_ref<InFlightDiagnostic()> emitError,
              ArrayRef<int64_t> buffers) {
  if (buffers.size() % 2 != 0)
    return emitError() << "expected pairs of a buffer and an offset, but got "
                       << buffers.size() << " numbers";
  for (int64_t number : buffers)
    if (number < 0)
      return emitError() << "expected buffers and offsets of at least 0, but "
                         << "got " << number;
  return success();
}

LogicalResult
LaunchAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   StringAttr symbol, ArrayRef<int64_t> grid,
                   ArrayRef<int64_t> block, int64_t shared,
                   ArrayRef<int64_t> buffers, ArrayRef<int64_t> scalars) {
  for (auto [name, sizes] :
       {std::pair("grid", grid), std::pair("block", block)}) {
    if (sizes.size() != 3)
      return emitError() << "expected a " << name << " of 3 sizes, but got "
                         << sizes.size();
    for (int64_t size : sizes)
      if (size < 1 || size > std::numeric_limits<int32_t>::max())
        return emitError() << "expected a " << name
                           << " of sizes from 1 to 2147483647, but got "
                           << size;
  }
  if (shared < 0 || shared > std::numeric_limits<int32_t>::max())
    return emitError() << "expected shared memory from 0 to 2147483647 bytes, "
                       << "but got " << shared;
  for (int64_t scalar : scalars)
    if (scalar < 0)
      return emitError() << "expected scalars of at least 0, but got "
                         << scalar;
  return verifyBuffers(emitError, buffers);
}

LogicalResult
MatmulAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   ArrayRef<int64_t> buffers, Type typeA, Type typeB,
                   Type typeD, StringAttr compute, int64_t transA,
                   int64_t transB, int64_t m, int64_t n, int64_t k, int64_t lda,
                   int64_t ldb, int64_t ldd, int64_t batch, int64_t strideA,
                   int64_t strideB, int64_t strideD, FloatAttr alpha,
                   FloatAttr beta, StringAttr epilogue, int64_t workspaceOffset,
                   int64_t workspaceBytes) {
  for (Type type : {typeA, typeB, typeD})
    if (!type.isF32() && !type.isF16() && !type.isBF16())
      return emitError() << "expected matrices of f32, f16 or bf16, but got "
                         << type;
  if (compute != "f32" && compute != "tf32")
    return emitError() << "expected compute f32 or tf32, but got " << compute;
  if (!llvm::is_contained({"none", "relu", "gelu", "bias"},
                          epilogue.getValue()))
    return emitError() << "expected epilogue none, relu, gelu or bias, but got "
                       << epilogue;
  for (int64_t size : {m, n, k, lda, ldb, ldd, batch})
    if (size < 1)
      return emitError() << "expected sizes of at least 1, but got " << size;
  for (int64_t number :
       {strideA, strideB, strideD, workspaceOffset, workspaceBytes})
    if (number < 0)
      return emitError() << "expected strides and workspace of at least 0, but "
                         << "got " << number;
  return verifyBuffers(emitError, buffers);
}

LogicalResult
ObjectAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   StringAttr triple, ArrayRef<StringAttr> features,
                   StringAttr format, StringAttr symbol, int64_t workspace,
                   ArrayAttr launches, DenseIntElementsAttr code) {
  if (workspace < 0)
    return emitError() << "expected workspace of at least 0, but got "
                       << workspace;
  if (launches)
    for (Attribute launch : launches)
      if (!isa<LaunchAttr, MatmulAttr>(launch))
        return emitError() << "expected #task.launch or #task.matmul, but got "
                           << launch;
  auto type = dyn_cast<RankedTensorType>(code.getType());
  if (!type || type.getRank() != 1 ||
      !type.getElementType().isSignlessInteger(8))
    return emitError() << "expected code of type tensor<Nxi8>, but got "
                       << code.getType();
  if (symbol.getValue().empty() && !launches)
    return emitError() << "expected a symbol, but got an empty name";
  return success();
}

ObjectAttr ObjectAttr::get(MLIRContext *context, StringRef triple,
                           ArrayRef<std::string> features, StringRef format,
                           StringRef symbol, StringRef code, int64_t workspace,
                           ArrayRef<Attribute> launches) {
  std::set<std::string> sorted(features.begin(), features.end());
  SmallVector<StringAttr> featureAttrs;
  for (const std::string &feature : sorted)
    featureAttrs.push_back(StringAttr::get(context, feature));
  auto type = RankedTensorType::get({static_cast<int64_t>(code.size())},
                                    IntegerType::get(context, 8));
  auto bytes = DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef<char>(code.data(), code.size()));
  return get(context, StringAttr::get(context, triple), featureAttrs,
             StringAttr::get(context, format), StringAttr::get(context, symbol),
             workspace,
             launches.empty() ? ArrayAttr() : ArrayAttr::get(context, launches),
             cast<DenseIntElementsAttr>(bytes));
}

std::string ObjectAttr::getBytes() const {
  ArrayRef<char> raw = getCode().getRawData();
  size_t size = getCode().getNumElements();
  if (getCode().isSplat() && size > 0)
    return std::string(size, raw.front());
  return std::string(raw.begin(), raw.end());
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

Type TileType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  PlaceAttr place;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseComma() ||
      parsePlace(parser, place) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(parser.getNameLoc()); },
                    parser.getContext(), shape, elementType, place);
}

void TileType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t size : getShape())
    printer << size << "x";
  printer << getElementType() << ", ";
  printPlace(printer, getPlace());
  printer << ">";
}

LogicalResult
TileType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                 ArrayRef<int64_t> shape, Type elementType, PlaceAttr place) {
  if (!elementBytes(elementType))
    return emitError() << "expected element type f32, f16, bf16, i8, i32, i64 "
                          "or i1, but got "
                       << elementType;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size < 1)
      return emitError() << "expected dimension " << dim
                         << " to have a size of at least 1, but got " << size;
  if (!denseBytes(shape, elementType))
    return emitError() << "expected a tile of less than 2^63 bytes";
  return success();
}

RankedTensorType TileType::getTensorType() const {
  return RankedTensorType::get(getShape(), getElementType());
}

int64_t TileType::getSizeInBytes() const {
  return *denseBytes(getShape(), getElementType());
}
