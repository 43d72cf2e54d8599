//===- Einsum.cpp - Evaluates one einsum ----------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Einsum.h"

#include "Body.h"
#include "Strides.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::reference;

//===----------------------------------------------------------------------===//
// Label spaces
//===----------------------------------------------------------------------===//

int64_t LabelSpace::numPoints() const {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

std::vector<int64_t>
LabelSpace::offsets(const DenseMap<char, int64_t> &strides) const {
  SmallVector<int64_t> stridesInOrder;
  for (char label : labels)
    stridesInOrder.push_back(strides.lookup(label));
  return walk(sizes, stridesInOrder, 0);
}

DenseMap<char, int64_t>
turnip::reference::labelStrides(StringRef labels, ArrayRef<int64_t> shape) {
  DenseMap<char, int64_t> strides;
  int64_t stride = 1;
  for (int64_t d = static_cast<int64_t>(shape.size()) - 1; d >= 0; --d) {
    strides[labels[d]] = stride;
    stride *= shape[d];
  }
  return strides;
}

//===----------------------------------------------------------------------===//
// Combiners
//===----------------------------------------------------------------------===//

/// The operation that joins two values; null without a combiner.
static ScalarFunction joinOf(ein::Combiner combiner, bool isFloat) {
  switch (combiner) {
  case ein::Combiner::None:
    return nullptr;
  case ein::Combiner::Sum:
    return lookupScalarOp(isFloat ? "arith.addf" : "arith.addi");
  case ein::Combiner::Prod:
    return lookupScalarOp(isFloat ? "arith.mulf" : "arith.muli");
  case ein::Combiner::Max:
    return lookupScalarOp(isFloat ? "arith.maximumf" : "arith.maxsi");
  case ein::Combiner::Min:
    return lookupScalarOp(isFloat ? "arith.minimumf" : "arith.minsi");
  case ein::Combiner::And:
    return lookupScalarOp("arith.andi");
  case ein::Combiner::Or:
    return lookupScalarOp("arith.ori");
  case ein::Combiner::Xor:
    return lookupScalarOp("arith.xori");
  }
  llvm_unreachable("unknown combiner");
}

namespace {
/// Combines values in order, with a bound that holds for every association.
class Accumulator {
public:
  Accumulator(ein::Combiner combiner, const ScalarKind &kind)
      : isSum(kind.isFloat && combiner == ein::Combiner::Sum),
        isProduct(kind.isFloat && combiner == ein::Combiner::Prod),
        join(joinOf(combiner, kind.isFloat)), kind(kind) {}

  void add(const Scalar &value) {
    double size = std::fabs(value.real) + value.bound;
    if (count++ == 0) {
      total = value;
      magnitude = size;
    } else if (isSum) {
      total.real += value.real;
      total.bound += value.bound;
      magnitude += size;
    } else if (isProduct) {
      total.real *= value.real;
      magnitude *= size;
    } else {
      const Scalar *in[] = {&total, &value};
      total = join(in, {kind, kind, 0});
    }
  }

  Scalar finish() const {
    if (!(isSum || isProduct) || count <= 1)
      return total;
    double steps = static_cast<double>(count - 1);
    double bound = total.bound;
    // Sums: |error| <= (n - 1) u sum |x| for every order (Rump, 2012).
    // Products: n - 1 factors of 1 + u around the product of magnitudes.
    if (isSum)
      bound += steps * kind.unit * magnitude;
    else
      bound =
          magnitude * std::pow(1 + kind.unit, steps) - std::fabs(total.real);
    Scalar result = rounded(total.real, bound, kind, 0);
    if (magnitude > kind.largest && !std::isinf(total.real))
      result.bound = kUndefined;
    if (result.bound != 0)
      result.bound += steps * kind.smallest * kind.unit;
    return result;
  }

private:
  bool isSum, isProduct;
  ScalarFunction join;
  ScalarKind kind;
  int64_t count = 0;
  Scalar total;
  /// Sums: the sum of magnitudes; products: the product of magnitudes.
  double magnitude = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

namespace {
/// Where to find a register's value: at the offset of the result's point plus
/// that of the reduced point.
struct Source {
  unsigned number = 0;
  /// The operand; null for a position along a label.
  const Tensor *tensor = nullptr;
  std::vector<int64_t> outer, inner;

  Scalar at(int64_t point, int64_t reduced) const {
    int64_t offset = outer[point] + inner[reduced];
    return tensor ? tensor->get(offset) : Scalar::ofInteger(offset);
  }
};
} // namespace

static LabelSpace spaceOf(ein::EinsumOp op, StringRef labels) {
  LabelSpace space;
  space.labels = labels.str();
  for (char label : labels)
    space.sizes.push_back(op.getLabelSize(label));
  return space;
}

Expected<Tensor> turnip::reference::evaluateEinsum(
    ein::EinsumOp op, ArrayRef<const Tensor *> inputs,
    const DenseMap<Value, Scalar> &captured, const EvaluateOptions &options) {
  if (!options.trackBounds)
    if (std::optional<Tensor> fast = evaluateContraction(op, inputs))
      return std::move(*fast);
  Expected<Body> body = Body::compile(*op.getBlock(), captured);
  if (!body)
    return body.status();

  ein::Notation notation = op.getParsedNotation();
  LabelSpace outer = spaceOf(op, notation.results.front());
  LabelSpace inner = spaceOf(op, notation.reductionLabels());
  std::vector<Source> sources;
  for (auto [number, input] : llvm::enumerate(inputs)) {
    auto strides = labelStrides(notation.operands[number], input->getShape());
    sources.push_back({static_cast<unsigned>(number), input,
                       outer.offsets(strides), inner.offsets(strides)});
  }
  for (auto [number, label] : body->positions) {
    DenseMap<char, int64_t> strides;
    strides[label] = 1;
    sources.push_back(
        {number, nullptr, outer.offsets(strides), inner.offsets(strides)});
  }

  Tensor result(op.getResult().getType());
  int64_t numReduced = inner.numPoints();
  ScalarKind combined = ScalarKind::get(op.getYielded().getType()).first;
  SmallVector<Scalar> registers = body->registers;
  for (int64_t point = 0, e = outer.numPoints(); point < e; ++point) {
    Accumulator accumulator(op.getCombiner(), combined);
    for (int64_t reduced = 0; reduced < numReduced; ++reduced) {
      for (const Source &source : sources)
        registers[source.number] = source.at(point, reduced);
      for (const Instruction &instruction : body->instructions)
        instruction.run(registers);
      accumulator.add(registers[body->yielded]);
    }
    Scalar value = accumulator.finish();
    if (op.isRoundedOnce())
      value = rounded(value.real, value.bound, result.getKind());
    if (!options.trackBounds)
      value.bound = 0;
    result.set(point, value);
  }
  return result;
}
