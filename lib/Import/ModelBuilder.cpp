//===- ModelBuilder.cpp - Builds language models in ein -------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Import/ModelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/DenseMap.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace turnip;
using namespace turnip::import;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static Value constant(OpBuilder &b, Location loc, double value) {
  return arith::ConstantOp::create(
      b, loc, b.getF32FloatAttr(static_cast<float>(value)));
}

/// The position along \p label as f32.
static Value positionAsFloat(OpBuilder &b, Location loc, StringRef label) {
  Value position = ein::IndexOp::create(b, loc, b.getIndexType(), label);
  Value integer = arith::IndexCastOp::create(b, loc, b.getI32Type(), position);
  return arith::SIToFPOp::create(b, loc, b.getF32Type(), integer);
}

static Value position(OpBuilder &b, Location loc, StringRef label) {
  return ein::IndexOp::create(b, loc, b.getIndexType(), label);
}

static Value product(OpBuilder &b, Location loc, ValueRange args) {
  return arith::MulFOp::create(b, loc, args[0], args[1]);
}

//===----------------------------------------------------------------------===//
// Errors, locations, parameters
//===----------------------------------------------------------------------===//

void ModelBuilder::fail(Status error) {
  if (failure.isOk())
    failure = std::move(error);
}

void ModelBuilder::setLocation(StringRef name) {
  location = NameLoc::get(builder.getStringAttr(name));
}

/// The MLIR type of a float type.
static Type floatType(OpBuilder &b, ElementType type) {
  switch (type) {
  case ElementType::F16:
    return b.getF16Type();
  case ElementType::BF16:
    return b.getBF16Type();
  default:
    return b.getF32Type();
  }
}

ModelBuilder::ModelBuilder(OpBuilder &builder, const ParameterSource &source,
                           bool isBatched, ElementType activationType)
    : builder(builder), source(source), isBatched(isBatched),
      activationType(floatType(builder, activationType)) {}

Value ModelBuilder::parameter(StringRef name, ArrayRef<int64_t> stored,
                              ArrayRef<int64_t> view) {
  Expected<ElementType> type = source.find(name, stored);
  if (!type)
    fail(type.status());
  used.insert(name);
  Type element = floatType(builder, type ? *type : ElementType::F32);
  if (stored.size() > 1 && !activationType.isF32())
    element = activationType;
  Value value = ein::ParameterOp::create(
      builder, location, RankedTensorType::get(stored, element), name);
  if (view.empty() || view == stored)
    return value;
  return ein::ReshapeOp::create(builder, location,
                                RankedTensorType::get(view, element), value);
}

Value ModelBuilder::lookUp(Value table, Value tokens) {
  auto type = cast<RankedTensorType>(table.getType());
  SmallVector<int64_t> shape(shapeOf(tokens));
  shape.push_back(type.getDimSize(1));
  Value rows = ein::GatherOp::create(
      builder, location, RankedTensorType::get(shape, type.getElementType()),
      table, tokens);
  if (type.getElementType() == activationType)
    return rows;
  return einsum("%ln->%ln", ein::Combiner::None, rows, activationType,
                [](OpBuilder &, Location, ValueRange args) { return args[0]; });
}

//===----------------------------------------------------------------------===//
// Einsums
//===----------------------------------------------------------------------===//

/// Puts the label of the batch, or nothing, where \p notation has a '%'.
std::string ModelBuilder::spell(StringRef notation) const {
  std::string spelt;
  for (char c : notation)
    if (c != '%')
      spelt += c;
    else if (isBatched)
      spelt += 'b';
  return spelt;
}

Value ModelBuilder::einsum(StringRef pattern, ein::Combiner combiner,
                           ValueRange operands, Type result, Body body) {
  std::string notation = spell(pattern);
  ein::Notation parsed =
      llvm::cantFail(ein::Notation::parse(notation, operands.size(), 1));
  llvm::DenseMap<char, int64_t> sizes;
  for (auto [labels, operand] : llvm::zip_equal(parsed.operands, operands))
    for (auto [label, size] : llvm::zip_equal(labels, shapeOf(operand)))
      sizes[label] = size;
  SmallVector<int64_t> shape;
  for (char label : parsed.results[0])
    shape.push_back(sizes.lookup(label));
  auto widened = [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
    SmallVector<Value> values(args);
    for (Value &value : values)
      if (!value.getType().isF32())
        value = arith::ExtFOp::create(b, loc, b.getF32Type(), value);
    Value value = body(b, loc, values);
    // What is combined is rounded after that.
    if (combiner != ein::Combiner::None || result.isF32())
      return value;
    return arith::TruncFOp::create(b, loc, result, value);
  };
  return ein::EinsumOp::create(builder, location,
                               RankedTensorType::get(shape, result), operands,
                               notation, combiner, widened);
}

Value ModelBuilder::contract(StringRef notation, Value lhs, Value rhs,
                             Type result) {
  return einsum(notation, ein::Combiner::Sum, {lhs, rhs}, result, product);
}

Value ModelBuilder::add(StringRef notation, Value lhs, Value rhs) {
  return einsum(notation, ein::Combiner::None, {lhs, rhs},
                cast<RankedTensorType>(lhs.getType()).getElementType(),
                [](OpBuilder &b, Location loc, ValueRange args) -> Value {
                  return arith::AddFOp::create(b, loc, args[0], args[1]);
                });
}

Value ModelBuilder::addBias(StringRef notation, Value x,
                            const std::string &name, int64_t size,
                            ArrayRef<int64_t> view) {
  std::string bias = name + ".bias";
  return hasTensor(bias) ? add(notation, x, parameter(bias, {size}, view)) : x;
}

Value ModelBuilder::linear(Value x, const std::string &name, int64_t outputs,
                           Type result) {
  setLocation(name);
  int64_t inputs = shapeOf(x).back();
  Value weight = parameter(name + ".weight", {outputs, inputs});
  Value y = contract("%lk,nk->%ln", x, weight, result);
  return addBias("%ln,n->%ln", y, name, outputs, {});
}

Value ModelBuilder::rmsNorm(Value x, StringRef weight, double epsilon) {
  setLocation(weight);
  int64_t size = shapeOf(x).back();
  Value scale = parameter((weight + ".weight").str(), {size});
  Value squares =
      einsum("%ln->%l", ein::Combiner::Sum, x, f32(),
             [](OpBuilder &b, Location loc, ValueRange args) -> Value {
               return arith::MulFOp::create(b, loc, args[0], args[0]);
             });
  Value reciprocal = einsum(
      "%l->%l", ein::Combiner::None, squares, f32(),
      [=](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value mean = arith::MulFOp::create(
            b, loc, args[0], constant(b, loc, 1.0 / static_cast<double>(size)));
        Value shifted =
            arith::AddFOp::create(b, loc, mean, constant(b, loc, epsilon));
        Value root = math::SqrtOp::create(b, loc, shifted);
        return arith::DivFOp::create(b, loc, constant(b, loc, 1), root);
      });
  return einsum("%ln,%l,n->%ln", ein::Combiner::None, {x, reciprocal, scale},
                activationType,
                [](OpBuilder &b, Location loc, ValueRange args) -> Value {
                  Value y = arith::MulFOp::create(b, loc, args[0], args[1]);
                  return arith::MulFOp::create(b, loc, y, args[2]);
                });
}

//===----------------------------------------------------------------------===//
// Rotary embedding
//===----------------------------------------------------------------------===//

/// \p frequency of a pair (its turn per position) as \p ramp changes it: with
/// s the number of turns within the ramp's length, put to [0, 1] between the
/// lowest and the highest, frequency * (s + (1 - s) / factor).
static Value applyRamp(OpBuilder &b, Location loc, Value frequency,
                       const RotaryRamp &ramp) {
  constexpr double circle = 6.283185307179586;
  double scale = ramp.length / circle / (ramp.highest - ramp.lowest);
  double start = ramp.lowest / (ramp.highest - ramp.lowest);
  Value turns =
      arith::MulFOp::create(b, loc, frequency, constant(b, loc, scale));
  Value smooth = arith::SubFOp::create(b, loc, turns, constant(b, loc, start));
  smooth = arith::MaximumFOp::create(b, loc, smooth, constant(b, loc, 0));
  smooth = arith::MinimumFOp::create(b, loc, smooth, constant(b, loc, 1));
  double slow = 1 / ramp.factor;
  Value rest =
      arith::MulFOp::create(b, loc, smooth, constant(b, loc, 1 - slow));
  Value share = arith::AddFOp::create(b, loc, rest, constant(b, loc, slow));
  return arith::MulFOp::create(b, loc, frequency, share);
}

/// The angle per position of each pair [p]: computed once, exact in f32 but for
/// the exponential.
Value ModelBuilder::rotaryFrequencies(const RotaryEmbedding &rotary,
                                      int64_t headSize) {
  int64_t pairs = headSize / 2, rotatedPairs = rotary.rotated / 2;
  double logBase = -std::log(rotary.base) / static_cast<double>(rotatedPairs);
  auto frequency = [=](OpBuilder &b, Location loc, ValueRange args) -> Value {
    Value exponent = arith::MulFOp::create(b, loc, positionAsFloat(b, loc, "p"),
                                           constant(b, loc, logBase));
    Value value = math::ExpOp::create(b, loc, exponent);
    if (rotary.divisor != 1)
      value = arith::DivFOp::create(b, loc, value,
                                    constant(b, loc, rotary.divisor));
    if (rotary.ramp)
      value = applyRamp(b, loc, value, *rotary.ramp);
    if (!args.empty())
      value = arith::DivFOp::create(b, loc, value, args[0]);
    if (rotatedPairs == pairs)
      return value;
    Value end = arith::ConstantIndexOp::create(b, loc, rotatedPairs);
    Value turns = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                        position(b, loc, "p"), end);
    return arith::SelectOp::create(b, loc, turns, value, constant(b, loc, 0));
  };
  SmallVector<Value> factors;
  if (!rotary.factors.empty())
    factors.push_back(parameter(rotary.factors, {pairs}));
  return ein::EinsumOp::create(
      builder, location, RankedTensorType::get({pairs}, builder.getF32Type()),
      factors, factors.empty() ? "->p" : "p->p", ein::Combiner::None,
      frequency);
}

Value ModelBuilder::rotations(const RotaryEmbedding &rotary, int64_t length,
                              int64_t headSize) {
  setLocation("rotary");
  Value frequencies = rotaryFrequencies(rotary, headSize);

  // [[cos, -sin], [sin, cos]] with s the row and t the column.
  auto rotation = [](OpBuilder &b, Location loc, ValueRange args) -> Value {
    Value angle =
        arith::MulFOp::create(b, loc, positionAsFloat(b, loc, "l"), args[0]);
    Value cosine = math::CosOp::create(b, loc, angle);
    Value sine = math::SinOp::create(b, loc, angle);
    Value row = position(b, loc, "s"), column = position(b, loc, "t");
    Value equal =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, row, column);
    Value above =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, row, column);
    Value negative = arith::NegFOp::create(b, loc, sine);
    Value off = arith::SelectOp::create(b, loc, above, negative, sine);
    return arith::SelectOp::create(b, loc, equal, cosine, off);
  };
  return ein::EinsumOp::create(
      builder, location,
      RankedTensorType::get({length, headSize / 2, 2, 2}, builder.getF32Type()),
      frequencies, "p->lpst", ein::Combiner::None, rotation);
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

Value ModelBuilder::projectQueries(Value x, const std::string &name,
                                   const AttentionShape &shape) {
  setLocation(name);
  int64_t g = shape.groups, r = shape.queriesPerGroup, p = shape.headSize / 2;
  int64_t rows = shape.queryHeads() * shape.headSize,
          inputs = shapeOf(x).back();
  bool halves = shape.layout == RotaryLayout::Halves;
  SmallVector<int64_t> bias = halves ? SmallVector<int64_t>{g, r, 2, p}
                                     : SmallVector<int64_t>{g, r, p, 2};
  SmallVector<int64_t> view = bias;
  view.push_back(inputs);
  Value weight = parameter(name + ".weight", {rows, inputs}, view);
  Value q = contract(halves ? "%lk,grtpk->%lgrpt" : "%lk,grptk->%lgrpt", x,
                     weight, activationType);
  return addBias(halves ? "%lgrpt,grtp->%lgrpt" : "%lgrpt,grpt->%lgrpt", q,
                 name, rows, bias);
}

Value ModelBuilder::projectKeys(Value x, const std::string &name,
                                const AttentionShape &shape) {
  setLocation(name);
  int64_t g = shape.groups, p = shape.headSize / 2;
  int64_t rows = g * shape.headSize, inputs = shapeOf(x).back();
  bool halves = shape.layout == RotaryLayout::Halves;
  SmallVector<int64_t> bias =
      halves ? SmallVector<int64_t>{g, 2, p} : SmallVector<int64_t>{g, p, 2};
  SmallVector<int64_t> view = bias;
  view.push_back(inputs);
  Value weight = parameter(name + ".weight", {rows, inputs}, view);
  Value k = contract(halves ? "%lk,gtpk->%lgpt" : "%lk,gptk->%lgpt", x, weight,
                     activationType);
  return addBias(halves ? "%lgpt,gtp->%lgpt" : "%lgpt,gpt->%lgpt", k, name,
                 rows, bias);
}

Value ModelBuilder::causalSoftmax(Value scores, double scale) {
  auto mask = [=](OpBuilder &b, Location loc, ValueRange args) -> Value {
    Value scaled =
        arith::MulFOp::create(b, loc, args[0], constant(b, loc, scale));
    Value seen =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle,
                              position(b, loc, "m"), position(b, loc, "l"));
    Value hidden = constant(b, loc, -std::numeric_limits<double>::infinity());
    return arith::SelectOp::create(b, loc, seen, scaled, hidden);
  };
  auto same = [](OpBuilder &, Location, ValueRange args) -> Value {
    return args[0];
  };
  auto exponential = [](OpBuilder &b, Location loc, ValueRange args) -> Value {
    Value below = arith::SubFOp::create(b, loc, args[0], args[1]);
    return math::ExpOp::create(b, loc, below);
  };
  auto quotient = [](OpBuilder &b, Location loc, ValueRange args) -> Value {
    return arith::DivFOp::create(b, loc, args[0], args[1]);
  };
  using ein::Combiner;
  Value masked = einsum("%grlm->%grlm", Combiner::None, scores, f32(), mask);
  Value largest = einsum("%grlm->%grl", Combiner::Max, masked, f32(), same);
  Value weights = einsum("%grlm,%grl->%grlm", Combiner::None, {masked, largest},
                         f32(), exponential);
  Value total = einsum("%grlm->%grl", Combiner::Sum, weights, f32(), same);
  return einsum("%grlm,%grl->%grlm", Combiner::None, {weights, total},
                activationType, quotient);
}

Value ModelBuilder::attention(Value x, const std::string &prefix,
                              const AttentionShape &shape, Value rotations) {
  int64_t g = shape.groups, r = shape.queriesPerGroup, d = shape.valueSize;
  int64_t inputs = shapeOf(x).back();
  Value q = projectQueries(x, prefix + "attn_q", shape);
  setLocation(prefix + "attn_q.rotary");
  q = contract("%lgrpt,lpst->%lgrps", q, rotations, activationType);
  Value k = projectKeys(x, prefix + "attn_k", shape);
  setLocation(prefix + "attn_k.rotary");
  k = contract("%lgpt,lpst->%lgps", k, rotations, activationType);

  std::string value = prefix + "attn_v";
  setLocation(value);
  Value v =
      contract("%lk,gdk->%lgd", x,
               parameter(value + ".weight", {g * d, inputs}, {g, d, inputs}),
               activationType);
  v = addBias("%lgd,gd->%lgd", v, value, g * d, {g, d});

  setLocation(prefix + "attn.scores");
  Value scores = contract("%lgrps,%mgps->%grlm", q, k, f32());
  setLocation(prefix + "attn.softmax");
  Value weights =
      causalSoftmax(scores, 1 / std::sqrt(static_cast<double>(shape.headSize)));
  setLocation(prefix + "attn.mix");
  Value mixed = contract("%grlm,%mgd->%lgrd", weights, v, activationType);

  std::string output = prefix + "attn_output";
  setLocation(output);
  Value weight =
      parameter(output + ".weight", {inputs, g * r * d}, {inputs, g, r, d});
  Value y = contract("%lgrd,ngrd->%ln", mixed, weight, activationType);
  return addBias("%ln,n->%ln", y, output, inputs, {});
}

Value ModelBuilder::swiGlu(Value x, const std::string &prefix, int64_t hidden) {
  int64_t outputs = shapeOf(x).back();
  Value gate = linear(x, prefix + "ffn_gate", hidden, activationType);
  Value up = linear(x, prefix + "ffn_up", hidden, activationType);
  setLocation(prefix + "ffn.swiglu");
  Value gated =
      einsum("%ln,%ln->%ln", ein::Combiner::None, {gate, up}, activationType,
             [](OpBuilder &b, Location loc, ValueRange args) -> Value {
               Value negative = arith::NegFOp::create(b, loc, args[0]);
               Value power = math::ExpOp::create(b, loc, negative);
               Value below =
                   arith::AddFOp::create(b, loc, constant(b, loc, 1), power);
               Value silu = arith::DivFOp::create(b, loc, args[0], below);
               return arith::MulFOp::create(b, loc, silu, args[1]);
             });
  return linear(gated, prefix + "ffn_down", outputs, activationType);
}
