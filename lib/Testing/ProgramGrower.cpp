//===- ProgramGrower.cpp - Grows a random program -------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramGrower.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::testing;

int64_t LabelledShape::numElements() const {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

LabelledShape LabelledShape::shuffled(Random &random) const {
  SmallVector<size_t> order = llvm::to_vector(llvm::seq<size_t>(0, rank()));
  random.shuffle(order);
  LabelledShape result;
  for (size_t i : order)
    result.add(labels[i], sizes[i]);
  return result;
}

ProgramGrower::ProgramGrower(func::FuncOp function, Random &random,
                             const RandomProgramOptions &options)
    : function(function), random(random), options(options),
      builder(OpBuilder::atBlockEnd(&function.front())),
      loc(function.getLoc()) {
  for (int64_t i = 0, e = random.between(1, 3); i < e; ++i)
    keep(fresh(randomShape(5), randomElementType()));
}

void ProgramGrower::step() {
  int64_t choice = random.between(0, 99);
  if (choice < 24)
    contraction();
  else if (choice < 46)
    map();
  else if (choice < 56)
    reduction();
  else if (choice < 60)
    transposition();
  else if (choice < 62)
    positions();
  else if (choice < 68)
    slice();
  else if (choice < 75)
    concat();
  else if (choice < 81)
    reshape();
  else if (choice < 87)
    gather();
  else if (choice < 92)
    softmax();
  else if (choice < 96)
    normalisation();
  else
    attention();
}

void ProgramGrower::finish() {
  SmallVector<Value> results;
  for (const Sized &made : llvm::reverse(pool))
    if (made.value.use_empty() && made.value.getDefiningOp() &&
        results.size() < 4)
      results.push_back(made.value);
  if (results.empty() || random.chance(20))
    results.push_back(random.pick(ArrayRef<Sized>(pool)).value);
  func::ReturnOp::create(builder, loc, results);
  function.setFunctionType(builder.getFunctionType(
      function.getArgumentTypes(), ValueRange(results).getTypes()));
  for (size_t i = 0; i < results.size(); ++i)
    function.setResultAttr(i, "ein.name",
                           builder.getStringAttr("out" + std::to_string(i)));
}

//===----------------------------------------------------------------------===//
// Shapes and values
//===----------------------------------------------------------------------===//

Type ProgramGrower::randomElementType() {
  int64_t choice = random.between(0, 99);
  if (choice < 55)
    return builder.getF32Type();
  if (choice < 66)
    return builder.getF16Type();
  if (choice < 77)
    return builder.getBF16Type();
  if (choice < 87)
    return builder.getI32Type();
  if (choice < 91)
    return builder.getI8Type();
  if (choice < 96)
    return builder.getI64Type();
  return builder.getI1Type();
}

int64_t ProgramGrower::randomSize(int64_t limit) {
  static const int64_t sizes[] = {1, 1,  2,  2,  3,  4,  5,  6,  7,  8,
                                  9, 13, 16, 17, 24, 31, 33, 64, 67, 130};
  int64_t size = random.pick(sizes);
  return std::min(size, std::max<int64_t>(limit, 1));
}

SmallVector<int64_t> ProgramGrower::randomShape(int64_t maxRank) {
  static const int64_t ranks[] = {0, 1, 1, 2, 2, 2, 2, 3, 3, 4, 5};
  SmallVector<int64_t> shape;
  int64_t rank = std::min(random.pick(ranks), maxRank);
  int64_t rest = options.maxElements;
  for (int64_t d = 0; d < rank; ++d) {
    shape.push_back(randomSize(rest));
    rest /= shape.back();
  }
  random.shuffle(shape);
  return shape;
}

Sized ProgramGrower::keep(Sized value) {
  pool.push_back(value);
  return value;
}

Sized ProgramGrower::fresh(ArrayRef<int64_t> shape, Type type) {
  auto tensor = RankedTensorType::get(shape, type);
  int64_t choice = random.between(0, 99);
  if (choice < 50) {
    unsigned index = function.getNumArguments();
    NamedAttribute name(builder.getStringAttr("ein.name"),
                        builder.getStringAttr("in" + std::to_string(index)));
    if (failed(function.insertArgument(index, tensor,
                                       builder.getDictionaryAttr(name), loc)))
      llvm_unreachable("the function takes any argument");
    return {function.getArgument(index), 0.6};
  }
  if (choice < 92 || tensor.getNumElements() > 256)
    return {ein::ParameterOp::create(builder, loc, tensor,
                                     "p" + std::to_string(numParameters++)),
            0.6};
  reference::Tensor values = makeRandomTensor(tensor, random.next(), "");
  std::string bytes = values.toBytes();
  DenseElementsAttr elements;
  if (type.isInteger(1)) {
    SmallVector<bool> bits;
    for (char byte : bytes)
      bits.push_back(byte != 0);
    elements = DenseElementsAttr::get(tensor, bits);
  } else {
    elements = DenseElementsAttr::getFromRawBuffer(
        tensor, ArrayRef<char>(bytes.data(), bytes.size()));
  }
  return {ein::ConstantOp::create(builder, loc, tensor, elements), 0.6};
}

Sized ProgramGrower::pick(llvm::function_ref<bool(RankedTensorType)> isWanted) {
  SmallVector<Sized> wanted;
  for (const Sized &made : pool)
    if (isWanted(typeOf(made.value)))
      wanted.push_back(made);
  if (wanted.empty())
    return {};
  // Recent values are more often picked, so that chains become long.
  if (random.chance(50))
    return wanted.back();
  return random.pick(ArrayRef<Sized>(wanted));
}

Sized ProgramGrower::obtain(ArrayRef<int64_t> shape, Type type) {
  auto tensor = RankedTensorType::get(shape, type);
  if (random.chance(70))
    if (Sized found =
            pick([&](RankedTensorType other) { return other == tensor; });
        found.value)
      return found;
  return keep(fresh(shape, type));
}

Sized ProgramGrower::pickNumbers() {
  Sized found = pick([](RankedTensorType type) {
    return !type.getElementType().isInteger(1);
  });
  return found.value ? found
                     : keep(fresh(randomShape(5), builder.getF32Type()));
}

Sized ProgramGrower::pickFloats() {
  Sized found = pick([](RankedTensorType type) {
    return isa<FloatType>(type.getElementType()) && type.getRank() > 0;
  });
  if (found.value)
    return found;
  SmallVector<int64_t> shape = randomShape(4);
  shape.push_back(randomSize(16));
  return keep(fresh(shape, builder.getF32Type()));
}

LabelledShape ProgramGrower::label(Value value) {
  LabelledShape shape;
  for (auto [d, size] : llvm::enumerate(typeOf(value).getShape()))
    shape.add(static_cast<char>('a' + d), size);
  return shape;
}

//===----------------------------------------------------------------------===//
// Operations that move elements
//===----------------------------------------------------------------------===//

void ProgramGrower::transposition() {
  Sized input = pick([](RankedTensorType type) { return type.getRank() > 1; });
  if (!input.value)
    return;
  LabelledShape shape = label(input.value);
  EinsumSketch sketch;
  sketch.inputs = {input};
  sketch.operandLabels = {shape.labels};
  sketch.result = shape.shuffled(random);
  sketch.resultType = typeOf(input.value).getElementType();
  keep(einsum(sketch, [](BodyBuilder &, OpBuilder &, Location,
                         ArrayRef<Sized> leaves) { return leaves.front(); }));
}

void ProgramGrower::slice() {
  Sized input = pick([](RankedTensorType type) { return type.getRank() > 0; });
  if (!input.value)
    return;
  RankedTensorType type = typeOf(input.value);
  SmallVector<int64_t> offsets, sizes, strides;
  for (int64_t size : type.getShape()) {
    int64_t stride = random.chance(30) ? random.between(1, 3) : 1;
    int64_t offset = random.chance(50) ? random.between(0, size - 1) : 0;
    int64_t most = (size - offset + stride - 1) / stride;
    offsets.push_back(offset);
    strides.push_back(stride);
    sizes.push_back(random.chance(50) ? most : random.between(1, most));
  }
  auto result = RankedTensorType::get(sizes, type.getElementType());
  keep({ein::SliceOp::create(builder, loc, result, input.value, offsets, sizes,
                             strides),
        input.size});
}

void ProgramGrower::concat() {
  Sized first = pick([&](RankedTensorType type) {
    return type.getRank() > 0 &&
           2 * type.getNumElements() <= options.maxElements;
  });
  if (!first.value)
    return;
  RankedTensorType type = typeOf(first.value);
  int64_t dim = random.between(0, type.getRank() - 1);
  SmallVector<Value> parts = {first.value};
  SmallVector<int64_t> shape(type.getShape());
  int64_t others = type.getNumElements() / shape[dim];
  for (int64_t i = 0, e = random.between(1, 2); i < e; ++i) {
    SmallVector<int64_t> partShape(type.getShape());
    if (random.chance(50))
      partShape[dim] = randomSize(options.maxElements / others / 2);
    if ((shape[dim] + partShape[dim]) * others > options.maxElements)
      continue;
    parts.push_back(obtain(partShape, type.getElementType()).value);
    shape[dim] += partShape[dim];
  }
  random.shuffle(parts);
  auto result = RankedTensorType::get(shape, type.getElementType());
  keep({ein::ConcatOp::create(builder, loc, result, parts, dim), 1});
}

void ProgramGrower::reshape() {
  Sized input = pick([](RankedTensorType) { return true; });
  RankedTensorType type = typeOf(input.value);
  // Split the number of elements into factors, then merge some of them.
  SmallVector<int64_t> factors;
  int64_t rest = type.getNumElements();
  for (int64_t factor = 2; factor <= rest; ++factor)
    while (rest % factor == 0) {
      factors.push_back(factor);
      rest /= factor;
    }
  if (random.chance(30))
    factors.push_back(1);
  if (random.chance(50))
    random.shuffle(factors);
  SmallVector<int64_t> shape;
  for (int64_t factor : factors) {
    bool merges = !shape.empty() && (shape.size() >= 5 || random.chance(50));
    if (merges)
      shape.back() *= factor;
    else
      shape.push_back(factor);
  }
  auto result = RankedTensorType::get(shape, type.getElementType());
  if (result != type)
    keep({ein::ReshapeOp::create(builder, loc, result, input.value),
          input.size});
}

void ProgramGrower::gather() {
  Sized table = pick([](RankedTensorType type) { return type.getRank() > 0; });
  if (!table.value)
    return;
  RankedTensorType tableType = typeOf(table.value);
  int64_t rowSize = tableType.getNumElements() / tableType.getDimSize(0);
  auto fits = [&](RankedTensorType type) {
    Type element = type.getElementType();
    return (element.isInteger(32) || element.isInteger(64)) &&
           type.getNumElements() * rowSize <= options.maxElements &&
           type.getRank() + tableType.getRank() - 1 <= 5;
  };
  Sized indices = random.chance(50) ? pick(fits) : Sized{};
  if (!indices.value) {
    SmallVector<int64_t> shape = randomShape(2);
    Type element =
        random.chance(70) ? builder.getI32Type() : Type(builder.getI64Type());
    if (!fits(RankedTensorType::get(shape, element)))
      return;
    indices = keep(fresh(shape, element));
  }
  SmallVector<int64_t> shape(typeOf(indices.value).getShape());
  llvm::append_range(shape, tableType.getShape().drop_front());
  auto result = RankedTensorType::get(shape, tableType.getElementType());
  keep({ein::GatherOp::create(builder, loc, result, table.value, indices.value),
        table.size});
}
