//===- EinStructuredOps.cpp - Einsum, fused and what their bodies hold ----===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/OpImplementation.h"
#include "turnip/Dialect/Ein/IR/Ein.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace turnip::ein;

// The two halves of the custom directive in the assembly format of einsum: no
// keyword stands for no combiner.
static ParseResult parseCombiner(OpAsmParser &parser, CombinerAttr &combiner) {
  StringRef keyword;
  Combiner value = Combiner::None;
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword(&keyword))) {
    std::optional<Combiner> parsed = symbolizeCombiner(keyword);
    if (!parsed || *parsed == Combiner::None)
      return parser.emitError(loc, "expected combiner sum, prod, max, min, "
                                   "and, or or xor, but got '")
             << keyword << "'";
    value = *parsed;
  }
  combiner = CombinerAttr::get(parser.getContext(), value);
  return success();
}

static void printCombiner(OpAsmPrinter &printer, Operation *op,
                          CombinerAttr combiner) {
  if (combiner.getValue() != Combiner::None)
    printer << ' ' << stringifyCombiner(combiner.getValue());
}

#define GET_OP_CLASSES
#include "turnip/Dialect/Ein/IR/EinOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Labels
//===----------------------------------------------------------------------===//

namespace {
/// The sizes of labels as they are met, with where each was met first.
class LabelSizes {
public:
  explicit LabelSizes(Operation *op) : op(op) {}

  /// Gives `labels` to the dimensions of `type`, an operand or result called
  /// `what`; reports a wrong number or a second size.
  LogicalResult bind(StringRef labels, Type type, const Twine &what) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
    if (labels.size() != shape.size())
      return op->emitOpError("expected ")
             << what << " of rank " << labels.size() << " as labelled \""
             << labels << "\", but got rank " << shape.size();
    for (auto [label, size] : llvm::zip_equal(labels, shape)) {
      auto [it, isNew] = sizes.try_emplace(label, size);
      if (!isNew && it->second != size)
        return op->emitOpError("expected label '")
               << Twine(label) << "' of size " << it->second << " in " << what
               << ", but got " << size;
    }
    return success();
  }

  bool contains(char label) const { return sizes.contains(label); }

private:
  Operation *op;
  llvm::DenseMap<char, int64_t> sizes;
};
} // namespace

/// Checks a block's arguments against the types that the operation gives them.
static LogicalResult verifyArguments(Operation *op, Block &block,
                                     TypeRange expected) {
  if (block.getNumArguments() != expected.size())
    return op->emitOpError("expected body with ")
           << expected.size() << " arguments, but got "
           << block.getNumArguments();
  for (auto [i, argument, type] :
       llvm::enumerate(block.getArguments(), expected))
    if (argument.getType() != type)
      return op->emitOpError("expected body argument #")
             << i << " of type " << type << ", but got " << argument.getType();
  return success();
}

/// Checks the values that end a block against the types the operation needs.
static LogicalResult verifyYield(Operation *op, Block &block,
                                 TypeRange expected) {
  auto yield = dyn_cast_or_null<YieldOp>(
      block.mightHaveTerminator() ? block.getTerminator() : nullptr);
  if (!yield)
    return op->emitOpError("expected body to end with ein.yield");
  if (yield.getValues().size() != expected.size())
    return op->emitOpError("expected body to yield ")
           << expected.size() << " values, but got "
           << yield.getValues().size();
  for (auto [i, value, type] : llvm::enumerate(yield.getValues(), expected))
    if (value.getType() != type)
      return op->emitOpError("expected yielded value #")
             << i << " of type " << type << ", but got " << value.getType();
  return success();
}

/// What an einsum's body has to yield: elements of the result, or f32 that is
/// rounded to them once it is combined.
static Type getYieldType(EinsumOp op) {
  Type element = op.getResult().getType().getElementType();
  auto yield = dyn_cast_or_null<YieldOp>(op.getBlock()->mightHaveTerminator()
                                             ? op.getBlock()->getTerminator()
                                             : nullptr);
  bool isRounded = op.getCombiner() != Combiner::None &&
                   (element.isF16() || element.isBF16()) && yield &&
                   yield.getValues().size() == 1 &&
                   yield.getValues().front().getType().isF32();
  return isRounded ? Float32Type::get(op.getContext()) : element;
}

/// Checks that values from above the operation are only indices.
static LogicalResult verifyCaptures(Operation *op, Operation *inner,
                                    Region &region) {
  for (Value operand : inner->getOperands())
    if (!region.isAncestor(operand.getParentRegion()) &&
        !operand.getType().isIndex())
      return op->emitOpError("expected body to use only index values from "
                             "above, but got ")
             << operand.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// EinsumOp
//===----------------------------------------------------------------------===//

void EinsumOp::build(
    OpBuilder &builder, OperationState &state, Type result, ValueRange inputs,
    StringRef notation, Combiner combiner,
    llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  state.addTypes(result);
  state.addOperands(inputs);
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.notation = builder.getStringAttr(notation);
  properties.combiner = CombinerAttr::get(builder.getContext(), combiner);
  Region *region = state.addRegion();
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types =
      llvm::map_to_vector(inputs.getTypes(), [](Type type) -> Type {
        return cast<RankedTensorType>(type).getElementType();
      });
  Block *block =
      builder.createBlock(region, region->end(), types,
                          SmallVector<Location>(types.size(), state.location));
  Value value = body(builder, state.location, block->getArguments());
  YieldOp::create(builder, state.location, value);
}

Notation EinsumOp::getParsedNotation() {
  return llvm::cantFail(Notation::parse(getNotation(), getInputs().size(), 1));
}

int64_t EinsumOp::getLabelSize(char label) {
  Notation notation = getParsedNotation();
  size_t dim = notation.results[0].find(label);
  if (dim != std::string::npos)
    return getResult().getType().getDimSize(dim);
  for (auto [labels, input] : llvm::zip(notation.operands, getInputs()))
    if ((dim = labels.find(label)) != std::string::npos)
      return cast<RankedTensorType>(input.getType()).getDimSize(dim);
  llvm_unreachable("label is not in the notation");
}

Value EinsumOp::getYielded() {
  return cast<YieldOp>(getBlock()->getTerminator()).getValues().front();
}

LogicalResult EinsumOp::verify() {
  auto parsed = Notation::parse(getNotation(), getInputs().size(), 1);
  if (!parsed)
    return emitOpError(llvm::toString(parsed.takeError()));
  LabelSizes sizes(*this);
  for (auto [i, labels, input] : llvm::enumerate(parsed->operands, getInputs()))
    if (failed(sizes.bind(labels, input.getType(), "operand #" + Twine(i))))
      return failure();
  if (failed(sizes.bind(parsed->results[0], getResult().getType(), "result")))
    return failure();

  std::string reduced = parsed->reductionLabels();
  if (getCombiner() == Combiner::None && !reduced.empty())
    return emitOpError("expected a combiner for label '")
           << Twine(reduced.front()) << "', which the result does not have";
  if (getCombiner() != Combiner::None && reduced.empty())
    return emitOpError("expected no combiner, as the result has every label, "
                       "but got ")
           << stringifyCombiner(getCombiner());
  Type element = getResult().getType().getElementType();
  if (!isCombinerLegal(getCombiner(), element))
    return emitOpError("expected a combiner that is defined on ")
           << element << ", but got " << stringifyCombiner(getCombiner());
  SmallVector<Type> types =
      llvm::map_to_vector(getInputs().getTypes(), [](Type type) -> Type {
        return cast<RankedTensorType>(type).getElementType();
      });
  return verifyArguments(*this, *getBlock(), types);
}

LogicalResult EinsumOp::verifyRegions() {
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  for (Operation &inner : *getBlock()) {
    if (failed(verifyCaptures(*this, &inner, getBody())))
      return failure();
    if (isa<IndexOp>(inner) || inner.hasTrait<OpTrait::IsTerminator>())
      continue;
    if (inner.getNumRegions() != 0 || !isMemoryEffectFree(&inner) ||
        !llvm::all_of(inner.getOperandTypes(), isScalar) ||
        !llvm::all_of(inner.getResultTypes(), isScalar))
      return emitOpError("expected body of operations on scalars without side "
                         "effects, but got '")
             << inner.getName() << "'";
  }
  return verifyYield(*this, *getBlock(), getYieldType(*this));
}

//===----------------------------------------------------------------------===//
// IndexOp
//===----------------------------------------------------------------------===//

LogicalResult IndexOp::verify() {
  auto einsum = cast<EinsumOp>((*this)->getParentOp());
  if (getLabel().size() != 1)
    return emitOpError("expected one letter as label, but got \"")
           << getLabel() << "\"";
  std::string labels = einsum.getParsedNotation().labels();
  if (!StringRef(labels).contains(getLabel()))
    return emitOpError("expected a label of \"")
           << einsum.getNotation() << "\", but got '" << getLabel() << "'";
  return success();
}

//===----------------------------------------------------------------------===//
// FusedOp
//===----------------------------------------------------------------------===//

Notation FusedOp::getParsedNotation() {
  return llvm::cantFail(
      Notation::parse(getNotation(), getInputs().size(), getNumResults()));
}

LogicalResult FusedOp::verify() {
  if (getNumResults() == 0)
    return emitOpError("expected at least one result");
  auto parsed =
      Notation::parse(getNotation(), getInputs().size(), getNumResults());
  if (!parsed)
    return emitOpError(llvm::toString(parsed.takeError()));
  LabelSizes sizes(*this);
  for (auto [i, labels, input] : llvm::enumerate(parsed->operands, getInputs()))
    if (failed(sizes.bind(labels, input.getType(), "operand #" + Twine(i))))
      return failure();
  for (auto [i, labels, type] :
       llvm::enumerate(parsed->results, getResultTypes()))
    if (failed(sizes.bind(labels, type, "result #" + Twine(i))))
      return failure();
  for (auto [i, label] : llvm::enumerate(getParallel())) {
    if (getParallel().take_front(i).contains(label))
      return emitOpError("expected each parallel label once, but got '")
             << Twine(label) << "' twice";
    for (auto [result, labels] : llvm::enumerate(parsed->results))
      if (!StringRef(labels).contains(label))
        return emitOpError("expected parallel label '")
               << Twine(label) << "' in result #" << result << ", but got \""
               << labels << "\"";
  }
  return verifyArguments(*this, *getBlock(), getInputs().getTypes());
}

namespace {
/// Follows labels through the body of a fused operation.
class FusedBodyVerifier {
public:
  FusedBodyVerifier(FusedOp op) : op(op), sizes(op) {}

  LogicalResult verify() {
    Notation notation = op.getParsedNotation();
    for (auto [argument, labels] :
         llvm::zip_equal(op.getBlock()->getArguments(), notation.operands)) {
      valueLabels[argument] = labels;
      (void)sizes.bind(labels, argument.getType(), "operand");
    }
    for (auto [labels, type] :
         llvm::zip_equal(notation.results, op.getResultTypes()))
      (void)sizes.bind(labels, type, "result");
    if (failed(verifyYield(op, *op.getBlock(), op.getResultTypes())))
      return failure();
    for (Operation &inner : op.getBlock()->without_terminator()) {
      auto einsum = dyn_cast<EinsumOp>(inner);
      if (!einsum)
        return op.emitOpError("expected body of ein.einsum, but got '")
               << inner.getName() << "'";
      if (failed(verifyEinsum(einsum)))
        return failure();
    }
    auto yield = cast<YieldOp>(op.getBlock()->getTerminator());
    for (auto [value, labels] :
         llvm::zip_equal(yield.getValues(), notation.results))
      if (failed(verifyUse(value, labels)))
        return failure();
    return success();
  }

private:
  /// A value inside is used with the labels that it was defined with.
  LogicalResult verifyUse(Value value, StringRef labels) {
    auto it = valueLabels.find(value);
    if (it == valueLabels.end())
      return op.emitOpError("expected body to use no tensors from above, but "
                            "got ")
             << value.getType();
    if (it->second != labels)
      return op.emitOpError("expected a value with labels \"")
             << it->second << "\" to be used with them, but got \"" << labels
             << "\"";
    return success();
  }

  LogicalResult verifyEinsum(EinsumOp einsum) {
    Notation notation = einsum.getParsedNotation();
    for (auto [value, labels] :
         llvm::zip_equal(einsum.getInputs(), notation.operands))
      if (failed(verifyUse(value, labels)))
        return failure();
    const std::string &result = notation.results[0];
    if (failed(sizes.bind(result, einsum.getResult().getType(),
                          "the result of an einsum inside")))
      return failure();
    valueLabels[einsum.getResult()] = result;
    for (char label : notation.reductionLabels())
      if (op.getParallel().contains(label))
        return op.emitOpError("expected body to keep parallel label '")
               << Twine(label) << "', but got \"" << einsum.getNotation()
               << "\"";
    return success();
  }

  FusedOp op;
  LabelSizes sizes;
  llvm::DenseMap<Value, std::string> valueLabels;
};
} // namespace

LogicalResult FusedOp::verifyRegions() {
  return FusedBodyVerifier(*this).verify();
}
