//===- KernelTable.cpp - Kernels, each defined once -----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTable.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace turnip;

/// Whether two operations compute the same function of their operands.
static bool computeTheSame(Operation *lhs, Operation *rhs) {
  if (lhs->getName() != rhs->getName() ||
      lhs->getAttrDictionary() != rhs->getAttrDictionary() ||
      lhs->getOperandTypes() != rhs->getOperandTypes() ||
      lhs->getResultTypes() != rhs->getResultTypes() ||
      lhs->getNumRegions() != rhs->getNumRegions())
    return false;
  return llvm::all_of(llvm::zip(lhs->getRegions(), rhs->getRegions()),
                      [](auto pair) {
                        return OperationEquivalence::isRegionEquivalentTo(
                            &std::get<0>(pair), &std::get<1>(pair),
                            OperationEquivalence::IgnoreLocations);
                      });
}

unsigned KernelTable::intern(Operation *op) {
  llvm::hash_code hash = llvm::hash_combine(
      op->getName(), op->getAttrDictionary(),
      llvm::hash_combine_range(op->operand_type_begin(),
                               op->operand_type_end()),
      llvm::hash_combine_range(op->result_type_begin(), op->result_type_end()));
  SmallVector<unsigned, 1> &bucket = byHash[hash];
  for (unsigned id : bucket)
    if (computeTheSame(representatives[id], op))
      return id;
  bucket.push_back(representatives.size());
  representatives.push_back(op);
  return representatives.size() - 1;
}

/// A name for kernels of \p op that tells a reader of a trace what it does: the
/// operation and, where it has one, its notation.
static std::string kernelName(Operation *op) {
  std::string name = op->getName().stripDialect().str();
  if (auto notation = op->getAttrOfType<StringAttr>("notation")) {
    name += '_';
    for (char c : notation.getValue())
      if (llvm::isAlnum(c))
        name += c;
      else if (c == ',' || c == '>')
        name += '_';
  }
  return name;
}

task::KernelOp KernelTable::create(Location loc, StringRef name,
                                   TypeRange arguments, TypeRange results,
                                   const BodyBuilder &buildBody) {
  OpBuilder builder(module.getContext());
  builder.setInsertionPoint(module.getBody(), module.getBody()->begin());
  if (tail)
    builder.setInsertionPointAfter(tail);
  auto kernel = task::KernelOp::create(
      builder, loc, name, builder.getFunctionType(arguments, results));
  Block *body = kernel.addEntryBlock();
  builder.setInsertionPointToStart(body);
  SmallVector<Value> values = buildBody(builder, loc, body->getArguments());
  task::YieldOp::create(builder, loc, values);
  symbols.insert(kernel);
  tail = kernel;
  ++numKernels;
  return kernel;
}

task::KernelOp KernelTable::getTile(ein::PartitionableOpInterface op,
                                    ArrayRef<int64_t> tileSizes,
                                    ArrayRef<bool> scalars) {
  std::vector<int64_t> key = {intern(op)};
  key.insert(key.end(), tileSizes.begin(), tileSizes.end());
  key.insert(key.end(), scalars.begin(), scalars.end());
  task::KernelOp &kernel = tiles[key];
  if (kernel)
    return kernel;

  auto tileType = [&](Type type, ArrayRef<unsigned> labels) -> Type {
    return RankedTensorType::get(ein::getTileShape(labels, tileSizes),
                                 cast<RankedTensorType>(type).getElementType());
  };
  SmallVector<Type> arguments, results;
  for (auto [index, type] : llvm::enumerate(op->getOperandTypes()))
    arguments.push_back(tileType(type, op.getOperandLabels(index)));
  for (auto [index, type] : llvm::enumerate(op->getResultTypes()))
    results.push_back(tileType(type, op.getResultLabels(index)));
  unsigned numTensors = arguments.size();
  arguments.append(llvm::count(scalars, true),
                   IndexType::get(module.getContext()));
  kernel =
      create(op.getLoc(), kernelName(op), arguments, results,
             [&](OpBuilder &builder, Location loc, ValueRange values) {
               SmallVector<Value> offsets(tileSizes.size());
               unsigned next = numTensors;
               for (auto [label, isScalar] : llvm::enumerate(scalars))
                 if (isScalar)
                   offsets[label] = values[next++];
               return op.buildTile(builder, loc, values.take_front(numTensors),
                                   tileSizes, offsets);
             });
  return kernel;
}

task::KernelOp KernelTable::getWhole(Operation *op) {
  task::KernelOp &kernel = tiles[{intern(op)}];
  if (kernel)
    return kernel;
  kernel = create(
      op->getLoc(), kernelName(op), op->getOperandTypes(), op->getResultTypes(),
      [&](OpBuilder &builder, Location, ValueRange values) {
        IRMapping mapping;
        mapping.map(op->getOperands(), values);
        return SmallVector<Value>(builder.clone(*op, mapping)->getResults());
      });
  return kernel;
}

/// A key for kernels that no operation of the program stands for.
template <typename... Ts>
static std::string makeKey(StringRef kind, const Ts &...parts) {
  std::string key;
  llvm::raw_string_ostream stream(key);
  stream << kind;
  ((stream << ' ' << parts), ...);
  return key;
}

task::KernelOp KernelTable::getCombine(Location loc, ein::Combiner combiner,
                                       RankedTensorType type) {
  task::KernelOp &kernel =
      others[makeKey("combine", ein::stringifyCombiner(combiner), Type(type))];
  if (!kernel)
    kernel = create(loc, ("combine_" + ein::stringifyCombiner(combiner)).str(),
                    {type, type}, {type},
                    [&](OpBuilder &builder, Location loc, ValueRange values) {
                      return SmallVector<Value>{ein::buildCombine(
                          builder, loc, combiner, values[0], values[1])};
                    });
  return kernel;
}

/// Joins \p values, a grid of \p gridSizes in row-major order, along dimension
/// \p dim and those after it.
static Value buildConcat(OpBuilder &builder, Location loc, ValueRange values,
                         ArrayRef<int64_t> gridSizes, unsigned dim) {
  if (dim == gridSizes.size())
    return values.front();
  SmallVector<Value> parts;
  size_t stride = values.size() / gridSizes[dim];
  for (int64_t i = 0; i < gridSizes[dim]; ++i)
    parts.push_back(buildConcat(builder, loc, values.slice(i * stride, stride),
                                gridSizes, dim + 1));
  if (parts.size() == 1)
    return parts.front();
  auto type = cast<RankedTensorType>(parts.front().getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = 0;
  for (Value part : parts)
    shape[dim] += cast<RankedTensorType>(part.getType()).getDimSize(dim);
  return ein::ConcatOp::create(builder, loc, type.clone(shape), parts, dim);
}

/// Takes its part of each of \p values, with \p positions for dimensions that
/// are cut.
static SmallVector<Value> buildWindows(OpBuilder &builder, Location loc,
                                       ArrayRef<Piece> pieces,
                                       ValueRange values,
                                       ValueRange positions) {
  SmallVector<Value> windows;
  for (auto [piece, value] : llvm::zip_equal(pieces, values)) {
    unsigned cut = piece.positions().size();
    auto type = cast<RankedTensorType>(value.getType());
    windows.push_back(cut == 0 ? value
                               : ein::WindowOp::create(
                                     builder, loc, type.clone(piece.box.sizes),
                                     value, positions.take_front(cut)));
    positions = positions.drop_front(cut);
  }
  return windows;
}

task::KernelOp KernelTable::getAssemble(Location loc, Type elementType,
                                        ArrayRef<Piece> pieces,
                                        ArrayRef<int64_t> gridSizes) {
  std::string key = makeKey("assemble", elementType);
  unsigned numPositions = 0;
  for (const Piece &piece : pieces) {
    numPositions += piece.positions().size();
    for (ArrayRef<int64_t> part : {ArrayRef<int64_t>(piece.sourceShape),
                                   ArrayRef<int64_t>(piece.box.sizes)}) {
      key += '|';
      for (int64_t number : part)
        key += std::to_string(number) + ",";
    }
  }
  for (int64_t number : gridSizes)
    key += ';' + std::to_string(number);
  task::KernelOp &kernel = others[key];
  if (kernel)
    return kernel;

  SmallVector<Type> arguments;
  for (const Piece &piece : pieces)
    arguments.push_back(RankedTensorType::get(piece.sourceShape, elementType));
  arguments.append(numPositions, IndexType::get(module.getContext()));
  SmallVector<int64_t> shape(gridSizes.size(), 0);
  for (unsigned dim = 0, stride = pieces.size(); dim < shape.size(); ++dim) {
    stride /= gridSizes[dim];
    for (int64_t i = 0; i < gridSizes[dim]; ++i)
      shape[dim] += pieces[i * stride].box.sizes[dim];
  }
  kernel = create(
      loc, "assemble", arguments, {RankedTensorType::get(shape, elementType)},
      [&](OpBuilder &builder, Location loc, ValueRange values) {
        SmallVector<Value> windows =
            buildWindows(builder, loc, pieces, values.take_front(pieces.size()),
                         values.drop_front(pieces.size()));
        return SmallVector<Value>{
            buildConcat(builder, loc, windows, gridSizes, 0)};
      });
  return kernel;
}

/// An einsum that yields its operand's elements in their places.
static Value buildCopy(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  std::string labels;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    labels += static_cast<char>('a' + dim);
  return ein::EinsumOp::create(
      builder, loc, type, value, labels + "->" + labels, ein::Combiner::None,
      [](OpBuilder &, Location, ValueRange elements) { return elements[0]; });
}

task::KernelOp KernelTable::getCopy(Location loc, RankedTensorType type) {
  task::KernelOp &kernel = others[makeKey("copy", Type(type))];
  if (!kernel)
    kernel =
        create(loc, "copy", {type}, {type},
               [&](OpBuilder &builder, Location loc, ValueRange values) {
                 return SmallVector<Value>{buildCopy(builder, loc, values[0])};
               });
  return kernel;
}
