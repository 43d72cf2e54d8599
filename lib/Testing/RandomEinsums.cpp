//===- RandomEinsums.cpp - Random contractions, maps and chains -----------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramGrower.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace turnip;
using namespace turnip::testing;

Sized ProgramGrower::einsum(const EinsumSketch &sketch, BodyFn body) {
  SmallVector<Value> inputs;
  for (const Sized &input : sketch.inputs)
    inputs.push_back(input.value);
  std::string notation =
      llvm::join(sketch.operandLabels, ",") + "->" + sketch.result.labels;
  auto type = RankedTensorType::get(sketch.result.sizes, sketch.resultType);
  double size = 1;
  auto build = [&](OpBuilder &inner, Location loc, ValueRange arguments) {
    SmallVector<Sized> leaves;
    for (auto [argument, input] : llvm::zip_equal(arguments, sketch.inputs))
      leaves.push_back({argument, input.size});
    BodyBuilder bodyBuilder(random, inner, loc);
    Sized value = body(bodyBuilder, inner, loc, leaves);
    // Narrow floats may be combined in f32.
    Type yielded = sketch.resultType;
    if (sketch.combiner != ein::Combiner::None &&
        (yielded.isF16() || yielded.isBF16()) && random.chance(50))
      yielded = inner.getF32Type();
    Sized converted = bodyBuilder.convert(value, yielded);
    size = converted.size;
    return converted.value;
  };
  Value result = ein::EinsumOp::create(builder, loc, type, inputs, notation,
                                       sketch.combiner, build);
  return {result, size};
}

ein::Combiner ProgramGrower::randomCombiner(Type type, int64_t numReduced) {
  using C = ein::Combiner;
  if (type.isInteger(1))
    return random.pick({C::And, C::Or, C::Xor});
  if (isa<IntegerType>(type))
    return random.pick(
        {C::Sum, C::Sum, C::Prod, C::Max, C::Min, C::And, C::Or, C::Xor});
  // Products of many floats leave the range of f16.
  if (numReduced <= 6 && random.chance(15))
    return C::Prod;
  return random.pick({C::Sum, C::Sum, C::Sum, C::Max, C::Min});
}

/// The size of a value after combining \p count of them.
static double combinedSize(ein::Combiner combiner, double size, int64_t count) {
  if (combiner == ein::Combiner::Sum)
    return size * std::sqrt(static_cast<double>(count));
  if (combiner == ein::Combiner::Prod)
    return std::max(1.0, std::pow(size, static_cast<double>(count)));
  return size;
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

namespace {
/// How the labels of the first operand are used.
struct ContractionShape {
  LabelledShape rhs, result;
  int64_t numContracted = 1, numPoints = 1;
};
} // namespace

static ContractionShape
sketchContraction(const LabelledShape &lhs, Random &random,
                  llvm::function_ref<int64_t()> freshSize) {
  ContractionShape shape;
  bool hasContracted = false;
  for (auto [label, size] : llvm::zip(lhs.labels, lhs.sizes)) {
    int64_t role = random.between(0, 9);
    bool isLast = shape.rhs.rank() + shape.result.rank() + 1 >= lhs.rank();
    if (role < 4 || (isLast && !hasContracted)) {
      hasContracted = true;
      shape.rhs.add(label, size);
      shape.numContracted *= size;
    } else {
      shape.result.add(label, size);
      if (role < 6)
        shape.rhs.add(label, size);
    }
  }
  shape.numPoints = lhs.numElements();
  char next = 'p';
  for (int64_t i = 0, e = random.between(0, 2); i < e; ++i) {
    int64_t size = freshSize();
    if (shape.rhs.rank() >= 5 || shape.result.rank() >= 5)
      break;
    shape.rhs.add(next, size);
    shape.result.add(next++, size);
    shape.numPoints *= size;
  }
  return shape;
}

void ProgramGrower::contraction() {
  Sized lhs = pickNumbers();
  LabelledShape lhsShape = label(lhs.value);
  ContractionShape shape = sketchContraction(
      lhsShape, random, [&] { return randomSize(options.maxElements); });
  if (shape.rhs.numElements() > options.maxElements ||
      shape.result.numElements() > options.maxElements ||
      shape.numPoints > options.maxPoints)
    return;
  Type type = typeOf(lhs.value).getElementType();
  shape.rhs = shape.rhs.shuffled(random);
  Sized rhs = obtain(shape.rhs.sizes, type);

  EinsumSketch sketch;
  sketch.inputs = {lhs, rhs};
  sketch.operandLabels = {lhsShape.labels, shape.rhs.labels};
  sketch.result = shape.result.shuffled(random);
  double size = lhs.size * rhs.size;
  bool staysNarrow = random.chance(40) && shape.numContracted * size < 4096;
  if (isa<FloatType>(type))
    sketch.resultType = staysNarrow ? type : builder.getF32Type();
  else
    sketch.resultType =
        type.isInteger(8) && !staysNarrow ? builder.getI32Type() : type;
  bool isReduced =
      lhsShape.rank() + shape.rhs.rank() > 0 &&
      llvm::any_of(lhsShape.labels + shape.rhs.labels, [&](char c) {
        return !StringRef(sketch.result.labels).contains(c);
      });
  bool isPlain = random.chance(75);
  if (isReduced)
    sketch.combiner =
        isPlain ? ein::Combiner::Sum
                : randomCombiner(sketch.resultType, shape.numContracted);
  Sized result = einsum(sketch, [&](BodyBuilder &body, OpBuilder &inner,
                                    Location loc, ArrayRef<Sized> leaves) {
    Sized a = body.convert(leaves[0], sketch.resultType);
    Sized b = body.convert(leaves[1], sketch.resultType);
    if (!isPlain)
      return body.expression({a, b}, sketch.resultType, 2);
    if (isa<FloatType>(sketch.resultType))
      return Sized{arith::MulFOp::create(inner, loc, a.value, b.value), size};
    return Sized{arith::MulIOp::create(inner, loc, a.value, b.value), 1};
  });
  result.size = combinedSize(sketch.combiner, result.size, shape.numContracted);
  keep(result);
}

//===----------------------------------------------------------------------===//
// Maps and reductions
//===----------------------------------------------------------------------===//

void ProgramGrower::map() {
  Sized input = pick([](RankedTensorType) { return true; });
  Type type = typeOf(input.value).getElementType();
  LabelledShape shape = label(input.value);
  EinsumSketch sketch;
  sketch.inputs = {input};
  sketch.operandLabels = {shape.labels};
  sketch.result = shape;
  if (random.chance(15) && shape.rank() < 5) {
    int64_t size = randomSize(options.maxElements / shape.numElements());
    sketch.result.add('z', size);
  }
  if (random.chance(35))
    sketch.result = sketch.result.shuffled(random);
  // Other operands have some of the labels, in any order.
  for (int64_t i = 0, e = random.between(0, 2); i < e; ++i) {
    LabelledShape other;
    for (auto [label, size] :
         llvm::zip(sketch.result.labels, sketch.result.sizes))
      if (random.chance(70))
        other.add(label, size);
    if (random.chance(40))
      other = other.shuffled(random);
    Type otherType = random.chance(75) ? type : randomElementType();
    sketch.inputs.push_back(obtain(other.sizes, otherType));
    sketch.operandLabels.push_back(other.labels);
  }
  sketch.resultType = random.chance(75) ? type : randomElementType();
  // Narrow floats are computed in f32 or as they are.
  Type compute = type;
  if (isa<FloatType>(type) && random.chance(60))
    compute = builder.getF32Type();
  if (type.isInteger(1) && isa<FloatType>(sketch.resultType))
    compute = sketch.resultType;
  keep(einsum(sketch, [&](BodyBuilder &body, OpBuilder &inner, Location loc,
                          ArrayRef<Sized> leaves) {
    SmallVector<Sized> all(leaves);
    if (sketch.result.rank() > 0 && random.chance(25)) {
      char label = sketch.result.labels[random.between(
          0, static_cast<int64_t>(sketch.result.rank()) - 1)];
      all.push_back({ein::IndexOp::create(inner, loc, inner.getIndexType(),
                                          std::string(1, label)),
                     3});
    }
    return body.expression(all, compute, random.between(1, 3));
  }));
}

/// Values that follow from where they stand alone, of no operand.
void ProgramGrower::positions() {
  EinsumSketch sketch;
  for (auto [d, size] : llvm::enumerate(randomShape(3)))
    sketch.result.add(static_cast<char>('a' + d), size);
  sketch.resultType = randomElementType();
  keep(einsum(sketch, [&](BodyBuilder &body, OpBuilder &inner, Location loc,
                          ArrayRef<Sized>) {
    SmallVector<Sized> leaves;
    for (char label : sketch.result.labels)
      leaves.push_back({ein::IndexOp::create(inner, loc, inner.getIndexType(),
                                             std::string(1, label)),
                        3});
    return body.expression(leaves, sketch.resultType, 2);
  }));
}

void ProgramGrower::reduction() {
  Sized input = pick([](RankedTensorType type) { return type.getRank() > 0; });
  if (!input.value)
    return;
  LabelledShape shape = label(input.value);
  EinsumSketch sketch;
  sketch.inputs = {input};
  sketch.operandLabels = {shape.labels};
  int64_t numReduced = 1;
  for (auto [label, size] : llvm::zip(shape.labels, shape.sizes)) {
    if (random.chance(50))
      sketch.result.add(label, size);
    else
      numReduced *= size;
  }
  if (sketch.result.rank() == shape.rank()) {
    numReduced = sketch.result.sizes.pop_back_val();
    sketch.result.labels.pop_back();
  }
  if (random.chance(30))
    sketch.result = sketch.result.shuffled(random);
  Type type = typeOf(input.value).getElementType();
  bool isFloat = isa<FloatType>(type);
  sketch.resultType = isFloat && (numReduced > 256 || random.chance(60))
                          ? Type(builder.getF32Type())
                          : type;
  sketch.combiner = randomCombiner(sketch.resultType, numReduced);
  Sized result = einsum(sketch, [&](BodyBuilder &body, OpBuilder &, Location,
                                    ArrayRef<Sized> leaves) {
    return body.expression(leaves, sketch.resultType, random.between(0, 1));
  });
  result.size = combinedSize(sketch.combiner, result.size, numReduced);
  keep(result);
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

/// exp(x - max x) / sum exp(x - max x) along \p over; masked where the position
/// along \p over exceeds the one along \p query, unless that is 0.
Sized ProgramGrower::softmaxOf(Sized input, const LabelledShape &shape,
                               char over, char query) {
  Type type = builder.getF32Type();
  LabelledShape rows;
  for (auto [label, size] : llvm::zip(shape.labels, shape.sizes))
    if (label != over)
      rows.add(label, size);
  EinsumSketch elementwise;
  elementwise.inputs = {input};
  elementwise.operandLabels = {shape.labels};
  elementwise.result = shape;
  elementwise.resultType = type;
  Sized scores = einsum(elementwise, [&](BodyBuilder &body, OpBuilder &inner,
                                         Location loc, ArrayRef<Sized> leaves) {
    Sized value = body.tame(body.convert(leaves[0], type));
    if (query == 0)
      return value;
    Type index = inner.getIndexType();
    Value column =
        ein::IndexOp::create(inner, loc, index, std::string(1, over));
    Value row = ein::IndexOp::create(inner, loc, index, std::string(1, query));
    Value isSeen = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::sle,
                                         column, row);
    Value hidden =
        body.constant(type, -std::numeric_limits<double>::infinity());
    Value masked =
        arith::SelectOp::create(inner, loc, isSeen, value.value, hidden);
    return Sized{masked, value.size};
  });
  EinsumSketch reduced = elementwise;
  reduced.inputs = {scores};
  reduced.result = rows;
  reduced.combiner = ein::Combiner::Max;
  auto identity = [](BodyBuilder &, OpBuilder &, Location,
                     ArrayRef<Sized> leaves) { return leaves[0]; };
  Sized largest = einsum(reduced, identity);
  EinsumSketch joined = elementwise;
  joined.inputs = {scores, largest};
  joined.operandLabels = {shape.labels, rows.labels};
  Sized powers = einsum(joined, [](BodyBuilder &, OpBuilder &inner,
                                   Location loc, ArrayRef<Sized> leaves) {
    Value difference =
        arith::SubFOp::create(inner, loc, leaves[0].value, leaves[1].value);
    return Sized{math::ExpOp::create(inner, loc, difference), 1};
  });
  reduced.inputs = {powers};
  reduced.combiner = ein::Combiner::Sum;
  Sized sums = einsum(reduced, identity);
  joined.inputs = {powers, sums};
  return einsum(joined, [](BodyBuilder &, OpBuilder &inner, Location loc,
                           ArrayRef<Sized> leaves) {
    return Sized{
        arith::DivFOp::create(inner, loc, leaves[0].value, leaves[1].value),
        0.5};
  });
}

void ProgramGrower::softmax() {
  Sized input = pickFloats();
  LabelledShape shape = label(input.value);
  int64_t last = static_cast<int64_t>(shape.rank()) - 1;
  int64_t over = random.between(0, last), query = random.between(0, last);
  bool isMasked = over != query && random.chance(60);
  keep(softmaxOf(input, shape, shape.labels[over],
                 isMasked ? shape.labels[query] : '\0'));
}

void ProgramGrower::normalisation() {
  Sized input = pickFloats();
  LabelledShape shape = label(input.value);
  Type type = builder.getF32Type();
  int64_t last = static_cast<int64_t>(shape.rank()) - 1;
  int64_t over = random.chance(70) ? last : random.between(0, last);
  int64_t count = shape.sizes[over];
  LabelledShape rows;
  for (auto [d, size] : llvm::enumerate(shape.sizes))
    if (static_cast<int64_t>(d) != over)
      rows.add(shape.labels[d], size);
  EinsumSketch squares;
  squares.inputs = {input};
  squares.operandLabels = {shape.labels};
  squares.result = rows;
  squares.resultType = type;
  squares.combiner = ein::Combiner::Sum;
  Sized sums = einsum(squares, [&](BodyBuilder &body, OpBuilder &inner,
                                   Location loc, ArrayRef<Sized> leaves) {
    Value x = body.convert(leaves[0], type).value;
    return Sized{arith::MulFOp::create(inner, loc, x, x), 1};
  });
  EinsumSketch scaled;
  scaled.inputs = {input, sums, obtain({count}, type)};
  scaled.operandLabels = {shape.labels, rows.labels,
                          std::string(1, shape.labels[over])};
  scaled.result = shape;
  scaled.resultType =
      random.chance(70) ? type : typeOf(input.value).getElementType();
  keep(einsum(scaled, [&](BodyBuilder &body, OpBuilder &inner, Location loc,
                          ArrayRef<Sized> leaves) {
    Value x = body.convert(leaves[0], type).value;
    Value mean = arith::MulFOp::create(inner, loc, leaves[1].value,
                                       body.constant(type, 1.0 / count));
    Value shifted =
        arith::AddFOp::create(inner, loc, mean, body.constant(type, 1e-2));
    Value factor = math::RsqrtOp::create(inner, loc, shifted);
    Value y = arith::MulFOp::create(inner, loc, x, factor);
    return Sized{arith::MulFOp::create(inner, loc, y, leaves[2].value), 1};
  }));
}

/// Causal attention with \p g groups of \p r heads, as Llama has it.
void ProgramGrower::attention() {
  int64_t length = randomSize(17), groups = random.between(1, 3);
  int64_t repeats = random.between(1, 3), depth = randomSize(17);
  if (length * groups * repeats * std::max(depth, length) > options.maxElements)
    return;
  Type type = builder.getF32Type();
  LabelledShape query, key, scores;
  query.add('l', length), query.add('g', groups), query.add('r', repeats),
      query.add('d', depth);
  key.add('m', length), key.add('g', groups), key.add('d', depth);
  scores.add('g', groups), scores.add('r', repeats), scores.add('l', length),
      scores.add('m', length);
  auto product = [](BodyBuilder &, OpBuilder &inner, Location loc,
                    ArrayRef<Sized> leaves) {
    return Sized{
        arith::MulFOp::create(inner, loc, leaves[0].value, leaves[1].value), 1};
  };
  EinsumSketch multiply;
  multiply.inputs = {obtain(query.sizes, type), obtain(key.sizes, type)};
  multiply.operandLabels = {query.labels, key.labels};
  multiply.result = scores;
  multiply.resultType = type;
  multiply.combiner = ein::Combiner::Sum;
  Sized weights = softmaxOf(einsum(multiply, product), scores, 'm', 'l');
  EinsumSketch mix = multiply;
  mix.inputs = {weights, obtain(key.sizes, type)};
  mix.operandLabels = {scores.labels, key.labels};
  mix.result = query;
  keep(einsum(mix, product));
}
