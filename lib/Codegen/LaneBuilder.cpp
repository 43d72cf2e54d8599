//===- LaneBuilder.cpp - Scalars and vectors behind one face --------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneBuilder.h"
#include "MathExpansion.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace turnip::codegen {

Type LaneBuilder::registerType(Type type) const {
  return isNarrowFloat(type) ? Type(b.getF32Type()) : type;
}

Type LaneBuilder::memoryType(Type type) const {
  if (type.isInteger(1))
    return b.getI8Type();
  if (type.isBF16() || (type.isF16() && !target.hasFMA()))
    return b.getI16Type();
  if (type.isIndex())
    return b.getI64Type();
  return type;
}

int64_t LaneBuilder::byteWidth(Type type) {
  if (type.isIndex())
    return 8;
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

int64_t LaneBuilder::lanes(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? vector.getNumElements() : 0;
}

Type LaneBuilder::laneType(Type type, int64_t n) {
  return n == 0 ? type : Type(VectorType::get({n}, type));
}

Value LaneBuilder::splat(Value value, int64_t n) {
  if (n == 0 || lanes(value) != 0)
    return value;
  return vector::BroadcastOp::create(b, loc, laneType(value.getType(), n),
                                     value);
}

Value LaneBuilder::i64(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
}

static std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

Value LaneBuilder::add(Value x, Value y) {
  if (!x || constantOf(x) == 0)
    return y ? y : x;
  if (!y || constantOf(y) == 0)
    return x;
  return arith::AddIOp::create(b, loc, x, y);
}

Value LaneBuilder::mul(Value x, int64_t factor) {
  if (factor == 1)
    return x;
  if (factor == 0)
    return i64(0);
  if (std::optional<int64_t> constant = constantOf(x))
    return i64(*constant * factor);
  return arith::MulIOp::create(b, loc, x, i64(factor));
}

Value LaneBuilder::splatConstant(Type like, int64_t value) {
  Type element = getElementTypeOrSelf(like);
  TypedAttr attr = isa<FloatType>(element)
                       ? TypedAttr(b.getFloatAttr(element, double(value)))
                       : TypedAttr(b.getIntegerAttr(element, value));
  return splat(arith::ConstantOp::create(b, loc, attr),
               isa<VectorType>(like) ? cast<VectorType>(like).getNumElements()
                                     : 0);
}

//===----------------------------------------------------------------------===//
// Narrow floats
//===----------------------------------------------------------------------===//

/// i32 lanes that hold f16 bits -> f32 lanes; exact, subnormals included.
Value LaneBuilder::halfFromBits(Value bits) {
  int64_t n = lanes(bits);
  Type i32 = laneType(b.getI32Type(), n), f32 = laneType(b.getF32Type(), n);
  auto c = [&](int64_t v) { return splatConstant(i32, v); };
  Value sign = arith::ShLIOp::create(
      b, loc, arith::AndIOp::create(b, loc, bits, c(0x8000)), c(16));
  Value magnitude = arith::ShLIOp::create(
      b, loc, arith::AndIOp::create(b, loc, bits, c(0x7fff)), c(13));
  // Scaling by 2^112 moves the exponent's bias and normalises subnormals.
  Value scale = arith::BitcastOp::create(b, loc, f32, c(0x77800000));
  Value scaled = arith::MulFOp::create(
      b, loc, arith::BitcastOp::create(b, loc, f32, magnitude), scale);
  Value scaledBits = arith::BitcastOp::create(b, loc, i32, scaled);
  Value special = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                        magnitude, c(0x0f800000));
  Value infinite = arith::OrIOp::create(b, loc, magnitude, c(0x7f800000));
  Value chosen = arith::SelectOp::create(b, loc, special, infinite, scaledBits);
  return arith::BitcastOp::create(b, loc, f32,
                                  arith::OrIOp::create(b, loc, chosen, sign));
}

/// f32 lanes -> i32 lanes that hold f16 bits, rounded to nearest even.
Value LaneBuilder::halfToBits(Value value) {
  int64_t n = lanes(value);
  Type i32 = laneType(b.getI32Type(), n), f32 = laneType(b.getF32Type(), n);
  auto c = [&](int64_t v) { return splatConstant(i32, v); };
  Value bits = arith::BitcastOp::create(b, loc, i32, value);
  Value sign =
      arith::AndIOp::create(b, loc, bits, c(0x80000000LL - (1LL << 32)));
  Value magnitude = arith::AndIOp::create(b, loc, bits, c(0x7fffffff));
  // Normal: round the 13 dropped bits to even, move the bias.
  Value odd = arith::AndIOp::create(
      b, loc, arith::ShRUIOp::create(b, loc, magnitude, c(13)), c(1));
  Value rounded = arith::AddIOp::create(
      b, loc, arith::AddIOp::create(b, loc, magnitude, c(0xfff)), odd);
  Value normal = arith::ShRUIOp::create(
      b, loc, arith::SubIOp::create(b, loc, rounded, c(112 << 23)), c(13));
  // Subnormal: adding 0.5 leaves the rounded value in the low bits.
  Value half = arith::BitcastOp::create(b, loc, f32, c(0x3f000000));
  Value shifted = arith::AddFOp::create(
      b, loc, arith::BitcastOp::create(b, loc, f32, magnitude), half);
  Value subnormal = arith::SubIOp::create(
      b, loc, arith::BitcastOp::create(b, loc, i32, shifted), c(0x3f000000));
  auto cmp = [&](arith::CmpIPredicate p, Value x, int64_t v) {
    return arith::CmpIOp::create(b, loc, p, x, c(v));
  };
  Value result = arith::SelectOp::create(
      b, loc, cmp(arith::CmpIPredicate::ult, magnitude, 113 << 23), subnormal,
      normal);
  result = arith::SelectOp::create(
      b, loc, cmp(arith::CmpIPredicate::uge, magnitude, 0x477ff000), c(0x7c00),
      result);
  result = arith::SelectOp::create(
      b, loc, cmp(arith::CmpIPredicate::ugt, magnitude, 0x7f800000), c(0x7e00),
      result);
  Value signBits = arith::ShRUIOp::create(b, loc, sign, c(16));
  return arith::OrIOp::create(b, loc, result, signBits);
}

/// f32 lanes -> i32 lanes whose upper half is the nearest bf16, ties to even.
Value LaneBuilder::bfloatToBits(Value value) {
  int64_t n = lanes(value);
  Type i32 = laneType(b.getI32Type(), n);
  auto c = [&](int64_t v) { return splatConstant(i32, v); };
  if (target.roundsToBFloat) {
    Value narrow =
        arith::TruncFOp::create(b, loc, laneType(b.getBF16Type(), n), value);
    Value word =
        arith::BitcastOp::create(b, loc, laneType(b.getI16Type(), n), narrow);
    word = arith::ExtUIOp::create(b, loc, i32, word);
    return arith::ShLIOp::create(b, loc, word, c(16));
  }
  Value bits = arith::BitcastOp::create(b, loc, i32, value);
  Value odd = arith::AndIOp::create(
      b, loc, arith::ShRUIOp::create(b, loc, bits, c(16)), c(1));
  Value rounded = arith::AddIOp::create(
      b, loc, arith::AddIOp::create(b, loc, bits, c(0x7fff)), odd);
  Value nan =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, value, value);
  Value quiet = arith::OrIOp::create(b, loc, bits, c(0x00400000));
  return arith::SelectOp::create(b, loc, nan, quiet, rounded);
}

Value LaneBuilder::round(Value value, Type type) {
  int64_t n = lanes(value);
  Type f32 = laneType(b.getF32Type(), n), i32 = laneType(b.getI32Type(), n);
  if (type.isF16()) {
    if (!target.hasFMA())
      return halfFromBits(halfToBits(value));
    Value narrow =
        arith::TruncFOp::create(b, loc, laneType(b.getF16Type(), n), value);
    return arith::ExtFOp::create(b, loc, f32, narrow);
  }
  if (type.isBF16()) {
    Value mask = splatConstant(i32, -65536);
    Value upper = arith::AndIOp::create(b, loc, bfloatToBits(value), mask);
    return arith::BitcastOp::create(b, loc, f32, upper);
  }
  return value;
}

Value LaneBuilder::fromMemory(Value value, Type type) {
  int64_t n = lanes(value);
  if (type.isInteger(1))
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value,
                                 splatConstant(value.getType(), 0));
  if (type.isIndex())
    return arith::IndexCastOp::create(b, loc, laneType(b.getIndexType(), n),
                                      value);
  if (type.isF16() && target.hasFMA())
    return arith::ExtFOp::create(b, loc, laneType(b.getF32Type(), n), value);
  if (!isNarrowFloat(type))
    return value;
  Value bits =
      arith::ExtUIOp::create(b, loc, laneType(b.getI32Type(), n), value);
  if (type.isF16())
    return halfFromBits(bits);
  bits = arith::ShLIOp::create(b, loc, bits, splatConstant(bits.getType(), 16));
  return arith::BitcastOp::create(b, loc, laneType(b.getF32Type(), n), bits);
}

Value LaneBuilder::toMemory(Value value, Type type) {
  int64_t n = lanes(value);
  if (type.isInteger(1))
    return arith::ExtUIOp::create(b, loc, laneType(b.getI8Type(), n), value);
  if (type.isIndex())
    return arith::IndexCastOp::create(b, loc, laneType(b.getI64Type(), n),
                                      value);
  if (type.isF16() && target.hasFMA())
    return arith::TruncFOp::create(b, loc, laneType(b.getF16Type(), n), value);
  if (!isNarrowFloat(type))
    return value;
  Value bits;
  if (type.isF16()) {
    bits = halfToBits(value);
  } else {
    bits = bfloatToBits(value);
    bits =
        arith::ShRUIOp::create(b, loc, bits, splatConstant(bits.getType(), 16));
  }
  return arith::TruncIOp::create(b, loc, laneType(b.getI16Type(), n), bits);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value LaneBuilder::address(Type memory, Value base, Value index) {
  return LLVM::GEPOp::create(b, loc, base.getType(), memory, base,
                             ArrayRef<LLVM::GEPArg>{index});
}

Value LaneBuilder::load(Type type, Value base, Value index, int64_t n,
                        int64_t stride, int64_t elements) {
  Type memory = memoryType(type);
  unsigned alignment = byteWidth(type);
  if (n == 0 || stride == 0) {
    Value raw = LLVM::LoadOp::create(b, loc, memory,
                                     address(memory, base, index), alignment);
    return fromMemory(raw, type);
  }
  Type wide = laneType(memory, n);
  if (stride == 1) {
    Value raw =
        LLVM::LoadOp::create(b, loc, wide, address(memory, base, index),
                             alignment * std::max<int64_t>(elements, 1));
    return fromMemory(raw, type);
  }
  SmallVector<Value> values;
  for (int64_t i = 0; i < n; ++i)
    values.push_back(LLVM::LoadOp::create(
        b, loc, memory, address(memory, base, add(index, i64(i * stride))),
        alignment));
  Value raw = vector::FromElementsOp::create(b, loc, wide, values);
  return fromMemory(raw, type);
}

void LaneBuilder::store(Type type, Value value, Value base, Value index,
                        int64_t n, int64_t stride, int64_t elements) {
  Type memory = memoryType(type);
  unsigned alignment = byteWidth(type);
  Value raw = toMemory(n == 0 ? value : splat(value, n), type);
  if (n == 0 || stride == 1) {
    LLVM::StoreOp::create(b, loc, raw, address(memory, base, index),
                          alignment * std::max<int64_t>(n ? elements : 1, 1));
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    Value element =
        vector::ExtractOp::create(b, loc, raw, ArrayRef<int64_t>{i});
    LLVM::StoreOp::create(b, loc, element,
                          address(memory, base, add(index, i64(i * stride))),
                          alignment);
  }
}

//===----------------------------------------------------------------------===//
// Payload operations
//===----------------------------------------------------------------------===//

FailureOr<Value> LaneBuilder::cloneConversion(Operation *op, Value operand) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  int64_t n = lanes(operand);
  Type target = laneType(registerType(to), n);
  Value value = operand;
  if (isa<arith::BitcastOp>(op)) {
    if (isNarrowFloat(from) || isNarrowFloat(to)) {
      Type bitsType = laneType(b.getI16Type(), n);
      Value bits = value;
      if (isNarrowFloat(from)) {
        bits = toMemory(value, from);
        if (bits.getType() != bitsType)
          bits = arith::BitcastOp::create(b, loc, bitsType, bits);
      }
      if (!isNarrowFloat(to))
        return bits;
      Type memory = laneType(memoryType(to), n);
      if (memory != bitsType)
        bits = arith::BitcastOp::create(b, loc, memory, bits);
      return fromMemory(bits, to);
    }
    return Value(arith::BitcastOp::create(b, loc, target, value));
  }
  // arith.extf and arith.truncf.
  Type fromElement = registerType(from), toElement = registerType(to);
  unsigned fromBits = fromElement.getIntOrFloatBitWidth();
  unsigned toBits = toElement.getIntOrFloatBitWidth();
  if (fromBits < toBits)
    value = arith::ExtFOp::create(b, loc, target, value);
  else if (fromBits > toBits)
    value = arith::TruncFOp::create(b, loc, target, value);
  if (isa<arith::TruncFOp>(op))
    value = round(value, to);
  return value;
}

FailureOr<SmallVector<Value>> LaneBuilder::cloneOp(Operation *op,
                                                   ArrayRef<Value> operands) {
  int64_t n = 0;
  for (Value operand : operands)
    n = std::max(n, lanes(operand));
  SmallVector<Value> wide;
  for (Value operand : operands)
    wide.push_back(splat(operand, n));

  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto value = dyn_cast<FloatAttr>(constant.getValue());
    if (!value || !isNarrowFloat(value.getType()))
      return SmallVector<Value>{b.clone(*op)->getResult(0)};
    bool lossy = false;
    APFloat f = value.getValue();
    f.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lossy);
    return SmallVector<Value>{
        arith::ConstantOp::create(b, loc, b.getFloatAttr(b.getF32Type(), f))};
  }
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::BitcastOp>(op)) {
    FailureOr<Value> result = cloneConversion(op, wide.front());
    if (failed(result))
      return failure();
    return SmallVector<Value>{*result};
  }
  if (Value expanded = expandMath(*this, op, wide)) {
    return SmallVector<Value>{round(expanded, op->getResult(0).getType())};
  }
  if (auto sincos = dyn_cast<math::SincosOp>(op)) {
    Value sine = expandSinOrCos(*this, wide.front(), /*cosine=*/false);
    Value cosine = expandSinOrCos(*this, wide.front(), /*cosine=*/true);
    return SmallVector<Value>{round(sine, sincos.getSin().getType()),
                              round(cosine, sincos.getCos().getType())};
  }
  // Other functions would become calls of a library.
  bool known =
      isa<arith::ArithDialect>(op->getDialect()) ||
      isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::FloorOp,
          math::TruncOp, math::RoundEvenOp, math::SqrtOp, math::CopySignOp,
          math::CountLeadingZerosOp, math::CountTrailingZerosOp, math::CtPopOp,
          math::IsFiniteOp, math::IsInfOp, math::IsNaNOp, math::IsNormalOp>(op);
  if (!known || op->getNumRegions() != 0 || !isMemoryEffectFree(op)) {
    op->emitOpError("cannot be part of a kernel");
    return failure();
  }
  OperationState state(loc, op->getName());
  state.addOperands(wide);
  for (Type type : op->getResultTypes())
    state.addTypes(laneType(registerType(type), n));
  for (NamedAttribute attr : op->getAttrs())
    if (attr.getName() != "fastmath")
      state.addAttribute(attr.getName(), attr.getValue());
  Operation *copy = b.create(state);
  SmallVector<Value> results;
  for (auto [result, original] :
       llvm::zip(copy->getResults(), op->getResults()))
    results.push_back(round(result, original.getType()));
  return results;
}

} // namespace turnip::codegen
