//===- KernelKind.cpp - What a kernel mostly does -------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Dialect/Task/Analysis/KernelKind.h"

#include "turnip/Dialect/Ein/IR/Ein.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::task;
using machine::KernelClass;

namespace {
/// One operation of a kernel's body.
struct Part {
  KernelClass kernelClass = KernelClass::Other;
  /// Points of the label space, or elements of the result.
  double points = 0;
  double flops = 0;
};
} // namespace

/// How much a class asks of a machine, for operations of one size.
static unsigned demandOf(KernelClass kernelClass) {
  switch (kernelClass) {
  case KernelClass::Contraction:
    return 5;
  case KernelClass::Gather:
    return 4;
  case KernelClass::Reduction:
    return 3;
  case KernelClass::Elementwise:
    return 2;
  case KernelClass::Copy:
    return 1;
  case KernelClass::Other:
    return 0;
  }
  return 0;
}

static double elementsOf(Value value) {
  double elements = 1;
  for (int64_t size : cast<RankedTensorType>(value.getType()).getShape())
    elements *= static_cast<double>(size);
  return elements;
}

static Part describeEinsum(ein::EinsumOp op) {
  Part part;
  part.points = 1;
  const std::string labels = op.getParsedNotation().labels();
  for (char label : labels)
    part.points *= static_cast<double>(op.getLabelSize(label));
  const bool reduces = op.getCombiner() != ein::Combiner::None;
  part.kernelClass = !reduces                     ? KernelClass::Elementwise
                     : op.getInputs().size() >= 2 ? KernelClass::Contraction
                                                  : KernelClass::Reduction;
  double operations = reduces ? 1 : 0;
  for (Operation &inner : op.getBlock()->without_terminator())
    operations += isa<ein::IndexOp, arith::ConstantOp, arith::ExtFOp,
                      arith::TruncFOp, arith::IndexCastOp>(inner)
                      ? 0
                      : 1;
  if (operations == 0)
    part.kernelClass = KernelClass::Copy;
  part.flops = part.points * operations;
  return part;
}

static Part describePart(Operation *op) {
  if (auto einsum = dyn_cast<ein::EinsumOp>(op))
    return describeEinsum(einsum);
  Part part;
  if (isa<ein::GatherOp>(op))
    part.kernelClass = KernelClass::Gather;
  else if (isa<ein::SliceOp, ein::WindowOp, ein::ConcatOp, ein::ReshapeOp>(op))
    part.kernelClass = KernelClass::Copy;
  else
    return part;
  part.points = elementsOf(op->getResult(0));
  return part;
}

/// The widest float type of what \p op works on, or else its widest type.
static ElementType typeOf(Operation *op) {
  Type widest;
  auto consider = [&](Value value) {
    Type type = getElementTypeOrSelf(value);
    if (!type.isIntOrFloat())
      return;
    auto width = [](Type type) {
      return std::pair(isa<FloatType>(type), type.getIntOrFloatBitWidth());
    };
    if (!widest || width(type) > width(widest))
      widest = type;
  };
  llvm::for_each(op->getOperands(), consider);
  if (!widest)
    llvm::for_each(op->getResults(), consider);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (widest)
    os << widest;
  return parseElementType(text).value_or(ElementType::F32);
}

KernelKind task::getKernelKind(KernelOp kernel) {
  KernelKind kind;
  double flops = 0;
  Part most;
  if (!kernel.isExternal())
    kernel.getBody().walk([&](Operation *op) {
      Part part = describePart(op);
      flops += part.flops;
      bool isMore = part.points > most.points ||
                    (part.points == most.points &&
                     demandOf(part.kernelClass) > demandOf(most.kernelClass));
      if (part.points <= 0 || !isMore)
        return;
      most = part;
      kind.type = typeOf(op);
    });
  kind.kernelClass = most.kernelClass;
  kind.flops =
      kernel.getFlops() ? static_cast<double>(*kernel.getFlops()) : flops;
  if (std::optional<int64_t> known = kernel.getBytes()) {
    kind.bytes = static_cast<double>(*known);
    return kind;
  }
  for (Type type : llvm::concat<const Type>(kernel.getArgumentTypes(),
                                            kernel.getResultTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      kind.bytes += static_cast<double>(
          *denseBytes(tensor.getShape(), tensor.getElementType()));
  return kind;
}

//===----------------------------------------------------------------------===//
// Identity
//===----------------------------------------------------------------------===//

std::string task::printSignature(KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << kernel.getFunctionType();
  return text;
}

std::string task::printSource(KernelOp kernel) {
  if (kernel.isExternal())
    return "";
  OwningOpRef<KernelOp> copy(cast<KernelOp>(kernel->clone()));
  copy->removeGridAttr();
  copy->removeWorkspaceAttr();
  copy->removeFlopsAttr();
  copy->removeBytesAttr();
  copy->removeSecondsAttr();
  copy->removeInplaceAttr();
  copy->removeObjectsAttr();
  std::string text;
  llvm::raw_string_ostream os(text);
  (*copy)->print(os, OpPrintingFlags().useLocalScope().enableDebugInfo(false));
  return text;
}

uint64_t task::getKernelHash(KernelOp kernel) {
  // The same source may have become other code.
  std::string identity = printSource(kernel);
  if (ArrayAttr objects = kernel.getObjectsAttr())
    for (ObjectAttr object : objects.getAsRange<ObjectAttr>())
      identity += object.getBytes();
  return machine::kernelHash(printSignature(kernel), identity,
                             kernel.getGrid().value_or(1));
}
