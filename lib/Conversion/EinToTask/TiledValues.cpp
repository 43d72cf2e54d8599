//===- TiledValues.cpp - Values of a function as tiles --------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TiledValues.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace turnip;

const SourceView *TiledValues::getSource(Value value) const {
  auto found = values.find(value);
  return found == values.end() ? nullptr
                               : std::get_if<SourceView>(&found->second);
}

const TiledTensor *TiledValues::getTiles(Value value) const {
  auto found = values.find(value);
  return found == values.end() ? nullptr
                               : std::get_if<TiledTensor>(&found->second);
}

ValueRange TiledValues::call(task::KernelOp kernel, ValueRange operands,
                             ArrayRef<int64_t> scalars, task::PlaceAttr place,
                             Location loc) {
  ++numTasks;
  return task::CallOp::create(builder, loc, kernel, operands, scalars, place)
      .getResults();
}

/// A key that tells boxes apart, with anything else in front.
static std::vector<int64_t> boxKey(const Box &box) {
  std::vector<int64_t> key(box.offsets.begin(), box.offsets.end());
  key.insert(key.end(), box.sizes.begin(), box.sizes.end());
  return key;
}

Value TiledValues::load(const SourceView &view, const Box &box,
                        task::PlaceAttr place, Location loc) {
  Box absolute = box;
  for (auto [offset, base] :
       llvm::zip_equal(absolute.offsets, view.box.offsets))
    offset += base;
  Key key = boxKey(absolute);
  key.insert(key.end(), view.shape.begin(), view.shape.end());
  key.push_back(reinterpret_cast<intptr_t>(view.name.getAsOpaquePointer()));
  key.push_back(
      reinterpret_cast<intptr_t>(view.elementType.getAsOpaquePointer()));
  key.push_back(view.isParameter);
  key.push_back(place.getIndex());
  Value &tile = loaded[key];
  if (tile)
    return tile;
  Type elementType = view.elementType;
  if (view.isParameter) {
    auto op = task::ParameterOp::create(
        builder, loc, view.name.getValue(), view.shape, view.declaredShape,
        absolute.offsets, absolute.sizes, elementType, place);
    tile = op.getTile();
  } else {
    auto op = task::InputOp::create(
        builder, loc, view.name.getValue(), view.shape, view.declaredShape,
        absolute.offsets, absolute.sizes, elementType, place);
    tile = op.getTile();
  }
  return tile;
}

Value TiledValues::transfer(Value tile, task::PlaceAttr place, Location loc) {
  auto type = cast<task::TileType>(tile.getType());
  if (type.getPlace() == place)
    return tile;
  Value &copy = moved[{tile, place}];
  if (!copy)
    copy = task::TransferOp::create(
        builder, loc, task::TileType::get(type.getTensorType(), place), tile);
  return copy;
}

/// Calls the kernel that joins \p pieces of \p sources.
Value TiledValues::callAssemble(ArrayRef<Piece> pieces, ValueRange sources,
                                ArrayRef<int64_t> gridSizes,
                                const TiledTensor &tensor, Location loc) {
  Type elementType =
      cast<task::TileType>(sources.front().getType()).getElementType();
  SmallVector<int64_t> positions;
  for (const Piece &piece : pieces)
    llvm::append_range(positions, piece.positions());
  return call(kernels.getAssemble(loc, elementType, pieces, gridSizes), sources,
              positions, tensor.place, loc)[0];
}

/// Joins \p pieces of \p sources into one tile: in one task where that fits the
/// budget, else the pieces are cut first, one task each.
Value TiledValues::joinPieces(SmallVector<Piece> pieces,
                              SmallVector<Value> sources,
                              ArrayRef<int64_t> gridSizes,
                              const TiledTensor &tensor, Location loc) {
  Type elementType =
      cast<task::TileType>(sources.front().getType()).getElementType();
  int64_t bytes = 0;
  for (auto [piece, source] : llvm::zip_equal(pieces, sources)) {
    bytes += cast<task::TileType>(source.getType()).getSizeInBytes();
    bytes += *task::denseBytes(piece.box.sizes, elementType);
  }
  if (bytes > tileBudget && pieces.size() > 1)
    for (auto [piece, source] : llvm::zip_equal(pieces, sources)) {
      if (ArrayRef<int64_t>(piece.box.sizes) ==
          ArrayRef<int64_t>(piece.sourceShape))
        continue;
      SmallVector<int64_t> ones(gridSizes.size(), 1);
      source = callAssemble(piece, source, ones, tensor, loc);
      piece.sourceShape = piece.box.sizes;
      piece.box.offsets.assign(gridSizes.size(), 0);
    }
  if (pieces.size() == 1 && ArrayRef<int64_t>(pieces[0].box.sizes) ==
                                ArrayRef<int64_t>(pieces[0].sourceShape))
    return sources.front();
  return callAssemble(pieces, sources, gridSizes, tensor, loc);
}

Value TiledValues::assemble(RankedTensorType type, const TiledTensor &tensor,
                            const Box &box, Location loc) {
  unsigned rank = type.getRank();
  SmallVector<int64_t> first(rank), gridSizes(rank), tilesPerDim(rank);
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t tile = tensor.tiling[dim];
    first[dim] = box.offsets[dim] / tile;
    gridSizes[dim] =
        (box.offsets[dim] + box.sizes[dim] - 1) / tile + 1 - first[dim];
    tilesPerDim[dim] = numTiles(type.getDimSize(dim), tile);
  }
  SmallVector<Piece> pieces;
  SmallVector<Value> sources;
  SmallVector<int64_t> position(rank, 0);
  for (bool done = false; !done;) {
    Piece piece;
    int64_t index = 0;
    for (unsigned dim = 0; dim < rank; ++dim) {
      int64_t tile = tensor.tiling[dim];
      int64_t begin = (first[dim] + position[dim]) * tile;
      int64_t end = std::min(begin + tile, type.getDimSize(dim));
      int64_t from = std::max(begin, box.offsets[dim]);
      int64_t to = std::min(end, box.offsets[dim] + box.sizes[dim]);
      piece.sourceShape.push_back(end - begin);
      piece.box.offsets.push_back(from - begin);
      piece.box.sizes.push_back(to - from);
      index = index * tilesPerDim[dim] + first[dim] + position[dim];
    }
    pieces.push_back(std::move(piece));
    sources.push_back(tensor.tiles[index]);
    done = true;
    for (unsigned dim = rank; dim-- > 0;) {
      if (++position[dim] < gridSizes[dim]) {
        done = false;
        break;
      }
      position[dim] = 0;
    }
  }
  return joinPieces(std::move(pieces), std::move(sources), gridSizes, tensor,
                    loc);
}

Value TiledValues::fetch(Value value, const Box &box, task::PlaceAttr place,
                         Location loc) {
  if (const SourceView *view = getSource(value))
    return load(*view, box, place, loc);
  const TiledTensor &tensor = *getTiles(value);
  Value &tile = assembled[{value.getAsOpaquePointer(), boxKey(box)}];
  if (!tile) {
    int64_t before = numTasks;
    tile = assemble(cast<RankedTensorType>(value.getType()), tensor, box, loc);
    numRepartitions += numTasks - before;
  }
  return transfer(tile, place, loc);
}
