//===- CheckBindings.cpp - Parameters, inputs and results -----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

using namespace turnip;
using namespace turnip::artifact;

namespace {
/// A piece, where it is in its list, and how it lies in its tensor.
struct Placed {
  const Path *list;
  size_t binding, index;
  const Binding *owner;
  const Piece *piece;
  uint64_t bytes;
  /// The bytes of the tensor follow each other in memory from `base` on, which
  /// may be before the memory's first byte; only for contiguous slices.
  bool contiguous;
  int64_t base;
};
} // namespace

/// The elements of \p shape; an error unless every extent is at least 1.
static Expected<int64_t> elements(const Path &path,
                                  const std::vector<int64_t> &shape) {
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] < 1)
      return mismatchAt(Path(path, i), "an extent of at least 1",
                        std::to_string(shape[i]));
  std::optional<int64_t> count = countElements(shape);
  // One element takes at most 8 bytes.
  if (!count || *count > std::numeric_limits<int64_t>::max() / 8)
    return badAt(path, "the tensor has 2^60 elements or more");
  return *count;
}

namespace {
/// What a binding stands for.
enum class BindingKind { Parameter, Input, Result };
} // namespace

static Status checkPiece(const Path &path, const Machine &machine,
                         const Binding &binding, const Piece &piece,
                         BindingKind kind) {
  size_t rank = binding.shape.size();
  if (piece.offsets.size() != rank)
    return mismatchAt(Path(path, "offsets"), rank, piece.offsets.size());
  if (piece.sizes.size() != rank)
    return mismatchAt(Path(path, "sizes"), rank, piece.sizes.size());
  Path sizes(path, "sizes"), offsets(path, "offsets");
  for (size_t i = 0; i < rank; ++i) {
    int64_t extent = binding.shape[i];
    if (piece.sizes[i] < 1 || piece.sizes[i] > extent)
      return mismatchAt(Path(sizes, i), "1 to " + std::to_string(extent),
                        std::to_string(piece.sizes[i]));
    if (piece.offsets[i] < 0 || piece.offsets[i] > extent - piece.sizes[i])
      return mismatchAt(Path(offsets, i),
                        "0 to " + std::to_string(extent - piece.sizes[i]),
                        std::to_string(piece.offsets[i]));
  }
  TURNIP_RETURN_IF_ERROR(
      checkIndex(Path(path, "memory"), piece.memory, machine.memories.size()));
  const Memory &memory = machine.memories[piece.memory];
  if (memory.kind == MemoryKind::Device && kind != BindingKind::Parameter)
    return mismatchAt(Path(path, "memory"), "a memory of the host",
                      memory.name + " of kind device");
  if (kind == BindingKind::Result && !memory.writable)
    return badAt(Path(path, "memory"),
                 "a result is there, but " + memory.name + " is not writable");
  TURNIP_RETURN_IF_ERROR(
      checkWithin(path, memory, piece.offset, pieceBytes(binding, piece)));
  uint64_t element = static_cast<uint64_t>(byteSize(binding.type));
  if (piece.offset % element != 0)
    return mismatchAt(Path(path, "offset"),
                      "a multiple of " + std::to_string(element),
                      std::to_string(piece.offset));
  if (piece.value == none)
    return mismatchAt(Path(path, "value"), "a value", "none");
  return Status::ok();
}

static bool overlap(const Piece &a, const Piece &b) {
  for (size_t i = 0; i < a.sizes.size(); ++i)
    if (a.offsets[i] >= b.offsets[i] + b.sizes[i] ||
        b.offsets[i] >= a.offsets[i] + a.sizes[i])
      return false;
  return true;
}

/// Whether the pieces are different cells of a grid: in every dimension those
/// that are not at the same place do not overlap. Says so in O(n log n); false
/// says nothing.
static bool areCellsOfAGrid(const Binding &binding) {
  const std::vector<Piece> &pieces = binding.pieces;
  std::vector<uint64_t> cells(pieces.size(), 0);
  for (size_t dim = 0; dim < binding.shape.size(); ++dim) {
    // Where pieces begin, and how far they go.
    std::vector<std::pair<int64_t, int64_t>> spans;
    spans.reserve(pieces.size());
    for (const Piece &piece : pieces)
      spans.emplace_back(piece.offsets[dim], piece.sizes[dim]);
    std::sort(spans.begin(), spans.end());
    spans.erase(std::unique(spans.begin(), spans.end()), spans.end());
    for (size_t i = 1; i < spans.size(); ++i)
      if (spans[i].first < spans[i - 1].first + spans[i - 1].second)
        return false;
    // There are at most as many cells as elements.
    for (size_t i = 0; i < pieces.size(); ++i) {
      std::pair<int64_t, int64_t> span(pieces[i].offsets[dim],
                                       pieces[i].sizes[dim]);
      auto at = std::lower_bound(spans.begin(), spans.end(), span);
      cells[i] =
          cells[i] * spans.size() + static_cast<uint64_t>(at - spans.begin());
    }
  }
  std::sort(cells.begin(), cells.end());
  return std::adjacent_find(cells.begin(), cells.end()) == cells.end();
}

/// The dimension along which the pieces begin at the most different places.
static size_t sweepDimension(const Binding &binding) {
  size_t best = 0, most = 0;
  for (size_t dim = 0; dim < binding.shape.size(); ++dim) {
    std::vector<int64_t> offsets;
    offsets.reserve(binding.pieces.size());
    for (const Piece &piece : binding.pieces)
      offsets.push_back(piece.offsets[dim]);
    std::sort(offsets.begin(), offsets.end());
    size_t different = static_cast<size_t>(
        std::unique(offsets.begin(), offsets.end()) - offsets.begin());
    if (different > most) {
      most = different;
      best = dim;
    }
  }
  return best;
}

/// Checks that the pieces hold every one of \p elements exactly once.
static Status checkCover(const Path &path, const Binding &binding,
                         int64_t elements) {
  const std::vector<Piece> &pieces = binding.pieces;
  std::vector<size_t> order(pieces.size());
  uint64_t covered = 0;
  uint64_t width = static_cast<uint64_t>(byteSize(binding.type));
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    covered += pieceBytes(binding, pieces[i]) / width;
    // Pieces beyond this overlap; the sum cannot exceed 2^64 before.
    if (covered > static_cast<uint64_t>(elements))
      break;
  }
  if (covered != static_cast<uint64_t>(elements))
    return badAt(
        path,
        "the tensor has " + std::to_string(elements) +
            " elements, but the pieces have " + std::to_string(covered) +
            (covered > static_cast<uint64_t>(elements) ? " or more" : ""));
  // A scalar's only piece is all of it.
  if (binding.shape.empty() || areCellsOfAGrid(binding))
    return Status::ok();
  size_t dim = sweepDimension(binding);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return pieces[a].offsets[dim] < pieces[b].offsets[dim];
  });
  std::vector<size_t> active;
  for (size_t next : order) {
    const Piece &piece = pieces[next];
    auto over = [&](size_t i) {
      return pieces[i].offsets[dim] + pieces[i].sizes[dim] <=
             piece.offsets[dim];
    };
    active.erase(std::remove_if(active.begin(), active.end(), over),
                 active.end());
    for (size_t other : active)
      if (overlap(piece, pieces[other]))
        return badAt(Path(path, std::max(next, other)),
                     "holds elements that piece " +
                         std::to_string(std::min(next, other)) +
                         " holds as well");
    active.push_back(next);
  }
  return Status::ok();
}

static Status checkBinding(const Path &path, const Machine &machine,
                           const Binding &binding, BindingKind kind) {
  if (binding.name.empty())
    return badAt(Path(path, "name"), "expected a name, but got none");
  TURNIP_RETURN_IF_ERROR(checkEnum(Path(path, "type"),
                                   static_cast<unsigned>(binding.type),
                                   numElementTypes));
  Expected<int64_t> inside = elements(Path(path, "shape"), binding.shape);
  if (!inside)
    return inside.status();
  Expected<int64_t> outside =
      elements(Path(path, "file_shape"), binding.fileShape);
  if (!outside)
    return outside.status();
  if (*inside != *outside)
    return badAt(Path(path, "file_shape"), "has " + std::to_string(*outside) +
                                               " elements, but the shape has " +
                                               std::to_string(*inside));
  Path pieces(path, "pieces");
  for (size_t i = 0; i < binding.pieces.size(); ++i)
    TURNIP_RETURN_IF_ERROR(
        checkPiece(Path(pieces, i), machine, binding, binding.pieces[i], kind));
  return kind == BindingKind::Result ? checkCover(pieces, binding, *inside)
                                     : Status::ok();
}

/// Checks that bindings with one name are views of one tensor: same type and
/// file shape, no shape twice.
static Status checkViews(const Path &list,
                         const std::vector<Binding> &bindings) {
  std::map<std::pair<std::string_view, std::vector<int64_t>>, size_t> views;
  std::map<std::string_view, size_t> tensors;
  for (size_t i = 0; i < bindings.size(); ++i) {
    const Binding &binding = bindings[i];
    auto [view, isNew] = views.emplace(
        std::make_pair(std::string_view(binding.name), binding.shape), i);
    if (!isNew)
      return badAt(Path(list, i), "'" + binding.name + "' with shape " +
                                      describe(binding.shape, binding.type) +
                                      " is already element " +
                                      std::to_string(view->second));
    size_t first = tensors.emplace(binding.name, i).first->second;
    const Binding &other = bindings[first];
    if (other.type != binding.type || other.fileShape != binding.fileShape)
      return badAt(Path(list, i),
                   "'" + binding.name + "' is " +
                       describe(binding.fileShape, binding.type) +
                       " here, but " + describe(other.fileShape, other.type) +
                       " in element " + std::to_string(first));
  }
  return Status::ok();
}

static Placed place(const Path &list, const std::vector<Binding> &bindings,
                    size_t binding, size_t index) {
  const Binding &owner = bindings[binding];
  const Piece &piece = owner.pieces[index];
  Placed placed{&list, binding, index, &owner, &piece, pieceBytes(owner, piece),
                true,  0};
  // Contiguous: from the first extent other than 1 on, dimensions are whole.
  bool whole = true;
  int64_t stride = 1, linear = 0;
  for (size_t i = owner.shape.size(); i-- > 0;) {
    if (!whole && piece.sizes[i] != 1)
      placed.contiguous = false;
    whole = whole && piece.sizes[i] == owner.shape[i];
    linear += piece.offsets[i] * stride;
    stride *= owner.shape[i];
  }
  placed.base =
      static_cast<int64_t>(piece.offset) - linear * byteSize(owner.type);
  return placed;
}

/// Checks that what is bound at entry does not overwrite itself: pieces share
/// bytes only as slices of one tensor that lies there in its natural layout.
static Status checkPlaces(const Path &parameters, const Path &inputs,
                          const Machine &machine, const Entry &entry) {
  std::vector<Placed> all;
  for (auto [list, bindings] : {std::make_pair(&parameters, &entry.parameters),
                                std::make_pair(&inputs, &entry.inputs)})
    for (size_t i = 0; i < bindings->size(); ++i)
      for (size_t j = 0; j < (*bindings)[i].pieces.size(); ++j)
        all.push_back(place(*list, *bindings, i, j));
  // Among equals as listed, so that messages do not depend on the sort.
  auto key = [&](const Placed &placed) {
    return std::make_tuple(placed.piece->memory, placed.piece->offset,
                           placed.list == &inputs, placed.binding,
                           placed.index);
  };
  std::sort(all.begin(), all.end(),
            [&](const Placed &a, const Placed &b) { return key(a) < key(b); });
  // `last` reaches farthest among the pieces so far.
  const Placed *last = nullptr;
  for (const Placed &next : all) {
    bool shares = last && last->piece->memory == next.piece->memory &&
                  next.piece->offset < last->piece->offset + last->bytes;
    if (shares) {
      bool oneTensor =
          last->list == next.list && last->owner->name == next.owner->name;
      bool natural =
          last->contiguous && next.contiguous && last->base == next.base;
      bool equal = last->owner == next.owner &&
                   last->piece->offset == next.piece->offset &&
                   last->piece->offsets == next.piece->offsets &&
                   last->piece->sizes == next.piece->sizes;
      if (!oneTensor || !(natural || equal)) {
        const Memory &memory = machine.memories[next.piece->memory];
        Path binding(*next.list, next.binding);
        Path pieces(binding, "pieces");
        return badAt(Path(pieces, next.index),
                     rangeText(memory, next.piece->offset, next.bytes) +
                         " overlaps piece " + std::to_string(last->index) +
                         " of '" + last->owner->name + "', " +
                         rangeText(memory, last->piece->offset, last->bytes));
      }
    }
    if (!shares ||
        next.piece->offset + next.bytes > last->piece->offset + last->bytes)
      last = &next;
  }
  return Status::ok();
}

Status artifact::checkBindings(const Path &path, const Module &module,
                               const Entry &entry) {
  const Machine &machine = module.machine;
  Path parameters(path, "parameters"), inputs(path, "inputs"),
      results(path, "results");
  std::tuple<const Path *, const std::vector<Binding> *, BindingKind> lists[] =
      {{&parameters, &entry.parameters, BindingKind::Parameter},
       {&inputs, &entry.inputs, BindingKind::Input},
       {&results, &entry.results, BindingKind::Result}};
  for (auto [list, bindings, kind] : lists) {
    for (size_t i = 0; i < bindings->size(); ++i)
      TURNIP_RETURN_IF_ERROR(
          checkBinding(Path(*list, i), machine, (*bindings)[i], kind));
    TURNIP_RETURN_IF_ERROR(checkViews(*list, *bindings));
  }
  return checkPlaces(parameters, inputs, machine, entry);
}
