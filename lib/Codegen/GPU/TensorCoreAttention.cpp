//===- TensorCoreAttention.cpp - Attention of f16 and bf16 ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace turnip::codegen::gpu {

namespace {
/// A warp has 16 rows, a block 64; tiles have 64 keys. With t = lane / 4 and
/// u = lane % 4, a thread holds of every 16 x 8 block of scores, and of the
/// result, rows t and t + 8 and columns 2u and 2u + 1 (the accumulators of
/// m16n8k16), so that scores are, once exponentiated and rounded, the left
/// operand of the second product as they are. Keys lie in shared memory as they
/// are, values transposed; rows of both are longer by 16 bytes, which puts what
/// the threads of a warp read at once into different banks.
class TensorCoreAttention : public AttentionKernel {
public:
  TensorCoreAttention(DeviceFunction &function, const Attention &attention,
                      const AttentionLayout &layout)
      : AttentionKernel(function, attention, layout) {
    shape.rows = 64;
    shape.keys = 64;
    shape.threads = 128;
    shape.slots = 2;
    shape.columns = 16;
    shape.resultColumns = layout.valueSize / 4;
    shape.rowThreads = 4;
    shape.contiguous = 2;
  }

protected:
  void prepare() override;
  Tile computeScores(Value firstKey) override;
  Tile addValues(Value firstKey, const Tile &weights, Tile sums) override;
  Value rowOf(int64_t slot) override {
    return addI(firstRowOfThread, i32(8 * slot));
  }
  Value keyOf(int64_t column) override { return elementOf(column); }
  Value elementOf(int64_t column) override {
    return addI(pairOffset, i32(column / 2 * 8 + column % 2));
  }
  Value exponential(Value x) override;

private:
  static constexpr int64_t kWarps = 4, kPad = 8, kPiece = 8;

  void stageKeys(Value firstKey);
  void stageValues(Value firstKey);
  void stageValuePair(Value first, Value second, Value to);
  Values multiply(ArrayRef<Value> a, ArrayRef<Value> b, Values sums);

  int64_t keyStride() const { return (layout.headSize + kPad) * 2; }
  int64_t valueStride() const { return (shape.keys + kPad) * 2; }

  Value lane, warp, firstRowOfThread, pairOffset;
  int64_t keysOffset = 0, valuesOffset = 0;
  /// Left operands of the first product, four per 16 elements of the head.
  Values queries;
  /// Where this thread reads right operands.
  Value keysAt, valuesAt;
};
} // namespace

void TensorCoreAttention::prepare() {
  Value thread = f.thread();
  lane = arith::AndIOp::create(b, l.loc, thread, i32(31));
  warp = arith::ShRUIOp::create(b, l.loc, thread, i32(5));
  Value t = arith::ShRUIOp::create(b, l.loc, lane, i32(2));
  Value u = arith::AndIOp::create(b, l.loc, lane, i32(3));
  firstRowOfThread = addI(mulI(warp, 16), t);
  pairOffset = mulI(u, 2);
  keysOffset = f.reserveShared(shape.keys * keyStride());
  valuesOffset = f.reserveShared(layout.valueSize * valueStride());
  keysAt = offset(f.shared(keysOffset), addI(mulI(t, keyStride()), mulI(u, 4)));
  valuesAt =
      offset(f.shared(valuesOffset), addI(mulI(t, valueStride()), mulI(u, 4)));
  Values rows;
  for (int64_t slot = 0; slot < 2; ++slot) {
    Value row = boundedRow(rowOf(slot));
    rows.push_back(address(layout.queries, l.add(l.mul(row, layout.row.queries),
                                                 f.widen(pairOffset))));
  }
  for (int64_t first = 0; first < layout.headSize; first += 16)
    for (int64_t half : {0, 8})
      for (int64_t slot : {0, 1})
        queries.push_back(
            load(b.getI32Type(), offset(rows[slot], 2 * (first + half))));
}

/// What is rounded to 11 bits or fewer needs no more than the device's own
/// approximation, which has 22.
Value TensorCoreAttention::exponential(Value x) {
  Value power = arith::MulFOp::create(b, l.loc, x, f32(llvm::numbers::log2e));
  return math::Exp2Op::create(b, l.loc, power, arith::FastMathFlags::afn);
}

/// Copies a tile of keys to shared memory, 16 bytes at a time.
void TensorCoreAttention::stageKeys(Value firstKey) {
  int64_t pieces = layout.headSize / kPiece;
  auto type = VectorType::get({4}, b.getI32Type());
  for (int64_t first = 0; first < shape.keys * pieces; first += shape.threads) {
    Value index = addI(f.thread(), i32(first));
    Value key = arith::DivUIOp::create(b, l.loc, index, i32(pieces));
    Value piece = arith::RemUIOp::create(b, l.loc, index, i32(pieces));
    Value from = boundedKey(l.add(firstKey, f.widen(key)));
    Value at =
        l.add(l.mul(from, layout.key.keys), f.widen(mulI(piece, kPiece)));
    Value value = load(type, address(layout.keys, at));
    store(value, offset(f.shared(keysOffset),
                        addI(mulI(key, keyStride()), mulI(piece, 16))));
  }
}

/// Stores 8 elements of two keys' values, of each element the two next to each
/// other.
void TensorCoreAttention::stageValuePair(Value first, Value second, Value to) {
  auto type = VectorType::get({4}, b.getI32Type());
  Value x = load(type, first), y = load(type, second);
  for (int64_t word = 0; word < 4; ++word) {
    Value left =
        vector::ExtractOp::create(b, l.loc, x, ArrayRef<int64_t>{word});
    Value right =
        vector::ExtractOp::create(b, l.loc, y, ArrayRef<int64_t>{word});
    Value low = arith::OrIOp::create(
        b, l.loc, arith::AndIOp::create(b, l.loc, left, i32(0xffff)),
        arith::ShLIOp::create(b, l.loc, right, i32(16)));
    Value high = arith::OrIOp::create(
        b, l.loc, arith::ShRUIOp::create(b, l.loc, left, i32(16)),
        arith::AndIOp::create(b, l.loc, right, i32(-65536)));
    store(low, offset(to, 2 * word * valueStride()));
    store(high, offset(to, (2 * word + 1) * valueStride()));
  }
}

/// Transposes a tile of values into shared memory. A lane takes two keys, a
/// warp every fourth group of 8 elements.
void TensorCoreAttention::stageValues(Value firstKey) {
  int64_t groups = layout.valueSize / kPiece;
  Value key = l.add(firstKey, f.widen(mulI(lane, 2)));
  Value rows[] = {boundedKey(key), boundedKey(l.add(key, l.i64(1)))};
  for (int64_t first = 0; first < groups; first += kWarps) {
    Value group = addI(warp, i32(first));
    Value exists;
    if (first + kWarps > groups)
      exists = f.less(group, groups);
    f.when(exists, [&] {
      Value element = f.widen(mulI(group, kPiece));
      Values from;
      for (Value row : rows)
        from.push_back(address(layout.values,
                               l.add(l.mul(row, layout.key.values), element)));
      stageValuePair(
          from[0], from[1],
          offset(f.shared(valuesOffset),
                 addI(mulI(group, kPiece * valueStride()), mulI(lane, 4))));
    });
  }
}

AttentionKernel::Values TensorCoreAttention::multiply(ArrayRef<Value> left,
                                                      ArrayRef<Value> right,
                                                      Values sums) {
  bool isHalf = layout.type.isF16();
  auto operands = [&](ArrayRef<Value> words) {
    Values values(words);
    if (isHalf)
      for (Value &value : values)
        value = LLVM::BitcastOp::create(
            b, l.loc, VectorType::get({2}, b.getF16Type()), value);
    return values;
  };
  Type f32 = b.getF32Type();
  auto type =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {f32, f32, f32, f32});
  NVVM::MMATypes element = isHalf ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
  Value product = NVVM::MmaOp::create(
      b, l.loc, type, operands(left), operands(right), sums,
      ArrayRef<int64_t>{16, 8, 16}, std::nullopt, std::nullopt,
      std::array<NVVM::MMATypes, 2>{element, element},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  for (int64_t i = 0; i < 4; ++i)
    sums[i] = LLVM::ExtractValueOp::create(b, l.loc, product, i);
  return sums;
}

AttentionKernel::Tile TensorCoreAttention::computeScores(Value firstKey) {
  // Nobody reads the tile before this one any more.
  f.barrier();
  stageKeys(firstKey);
  stageValues(firstKey);
  f.barrier();
  int64_t blocks = shape.keys / 8;
  SmallVector<Values> sums(blocks, Values(4, f32(0)));
  for (int64_t k = 0; k < layout.headSize / 16; ++k)
    for (int64_t block = 0; block < blocks; ++block) {
      Value at = offset(keysAt, block * 8 * keyStride() + k * 32);
      Value right[] = {load(b.getI32Type(), at),
                       load(b.getI32Type(), offset(at, 16))};
      sums[block] = multiply(ArrayRef<Value>(queries).slice(4 * k, 4), right,
                             sums[block]);
    }
  Tile tile(2);
  for (const Values &block : sums)
    for (int64_t i = 0; i < 4; ++i)
      tile[i / 2].push_back(block[i]);
  return tile;
}

AttentionKernel::Tile
TensorCoreAttention::addValues(Value firstKey, const Tile &weights, Tile sums) {
  SmallVector<Values> left;
  for (int64_t k = 0; k < shape.keys / 16; ++k) {
    Values &words = left.emplace_back();
    for (int64_t half : {0, 2})
      for (int64_t slot : {0, 1})
        words.push_back(
            pack(weights[slot][4 * k + half], weights[slot][4 * k + half + 1]));
  }
  for (int64_t k = 0; k < shape.keys / 16; ++k)
    for (int64_t block = 0; block < layout.valueSize / 8; ++block) {
      Value at = offset(valuesAt, block * 8 * valueStride() + k * 32);
      Value right[] = {load(b.getI32Type(), at),
                       load(b.getI32Type(), offset(at, 16))};
      Values four = {sums[0][2 * block], sums[0][2 * block + 1],
                     sums[1][2 * block], sums[1][2 * block + 1]};
      four = multiply(left[k], right, four);
      for (int64_t i = 0; i < 4; ++i)
        sums[i / 2][2 * block + i % 2] = four[i];
    }
  return sums;
}

std::unique_ptr<AttentionKernel>
createTensorCoreAttention(DeviceFunction &function, const Attention &attention,
                          const AttentionLayout &layout) {
  return std::make_unique<TensorCoreAttention>(function, attention, layout);
}

} // namespace turnip::codegen::gpu
