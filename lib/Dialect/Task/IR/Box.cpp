//===- Box.cpp - Slices of named tensors ----------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Dialect/Task/IR/Box.h"

#include "turnip/Dialect/Task/IR/Task.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace turnip::task;

//===----------------------------------------------------------------------===//
// One box
//===----------------------------------------------------------------------===//

/// Checks offsets and sizes against the shape they cut.
static LogicalResult verifyBounds(const Box &box) {
  ArrayRef<int64_t> shape = box.shape, offsets = box.offsets, sizes = box.sizes;
  if (offsets.size() != shape.size())
    return box.op->emitOpError("expected ")
           << shape.size() << " offsets, but got " << offsets.size();
  if (sizes.size() != shape.size())
    return box.op->emitOpError("expected ")
           << shape.size() << " sizes, but got " << sizes.size();
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] < 1)
      return box.op->emitOpError("expected dimension ")
             << dim << " of the shape to be at least 1, but got " << shape[dim];
    if (sizes[dim] < 1)
      return box.op->emitOpError("expected dimension ")
             << dim << " of the sizes to be at least 1, but got " << sizes[dim];
    if (offsets[dim] < 0 || offsets[dim] > shape[dim] ||
        sizes[dim] > shape[dim] - offsets[dim])
      return box.op->emitOpError("expected a slice within 0 to ")
             << shape[dim] << " in dimension " << dim << ", but got offset "
             << offsets[dim] << " and size " << sizes[dim];
  }
  return success();
}

LogicalResult turnip::task::verifyBox(const Box &box) {
  if (box.name.getValue().empty())
    return box.op->emitOpError("expected a name, but got an empty string");
  if (failed(verifyBounds(box)))
    return failure();
  std::optional<int64_t> bytes = denseBytes(box.shape, box.elementType);
  if (!bytes)
    return box.op->emitOpError("expected a tensor of less than 2^63 bytes");
  if (llvm::any_of(box.outer, [](int64_t size) { return size < 1; }) ||
      denseBytes(box.outer, box.elementType) != bytes)
    return box.op->emitOpError("expected an outer shape with as many elements "
                               "as [")
           << box.shape << "], but got [" << box.outer << "]";
  return success();
}

int64_t turnip::task::boxByteOffset(const Box &box) {
  int64_t elements = 0;
  for (size_t dim = 0; dim < box.shape.size(); ++dim)
    elements = elements * box.shape[dim] + box.offsets[dim];
  return elements * *elementBytes(box.elementType);
}

/// Elements follow each other where, after the first dimension of size above 1,
/// every dimension is whole.
bool turnip::task::isContiguous(const Box &box) {
  size_t dim = 0;
  while (dim < box.sizes.size() && box.sizes[dim] == 1)
    ++dim;
  for (++dim; dim < box.sizes.size(); ++dim)
    if (box.sizes[dim] != box.shape[dim])
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Boxes of one name
//===----------------------------------------------------------------------===//

static LogicalResult verifySameTensor(const Box &box, const Box &first,
                                      bool viewsAllowed) {
  auto note = [&](InFlightDiagnostic &&diag) {
    diag.attachNote(first.op->getLoc()) << "the name is first used here";
    return failure();
  };
  if (box.elementType != first.elementType)
    return note(box.op->emitOpError("expected the element type of ")
                << box.name << " to be " << first.elementType << ", but got "
                << box.elementType);
  if (box.outer != first.outer)
    return note(box.op->emitOpError("expected the outer shape of ")
                << box.name << " to be [" << first.outer << "], but got ["
                << box.outer << "]");
  if (!viewsAllowed && box.shape != first.shape)
    return note(box.op->emitOpError("expected the shape of ")
                << box.name << " to be [" << first.shape << "], but got ["
                << box.shape << "]");
  return success();
}

LogicalResult turnip::task::verifySameTensors(ArrayRef<Box> boxes,
                                              bool viewsAllowed) {
  llvm::DenseMap<StringAttr, const Box *> firsts;
  for (const Box &box : boxes) {
    auto [it, inserted] = firsts.try_emplace(box.name, &box);
    if (!inserted && failed(verifySameTensor(box, *it->second, viewsAllowed)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Coverage
//===----------------------------------------------------------------------===//

static int64_t volume(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

static bool overlap(const Box &a, const Box &b) {
  for (size_t dim = 0; dim < a.shape.size(); ++dim)
    if (a.offsets[dim] + a.sizes[dim] <= b.offsets[dim] ||
        b.offsets[dim] + b.sizes[dim] <= a.offsets[dim])
      return false;
  return true;
}

/// The dimension with most distinct offsets: sorting by it leaves the fewest
/// pairs of boxes to compare.
static size_t widestDimension(ArrayRef<const Box *> boxes) {
  size_t best = 0, bestCount = 0;
  for (size_t dim = 0; dim < boxes.front()->shape.size(); ++dim) {
    DenseSet<int64_t> offsets;
    for (const Box *box : boxes)
      offsets.insert(box->offsets[dim]);
    if (offsets.size() > bestCount) {
      best = dim;
      bestCount = offsets.size();
    }
  }
  return best;
}

static LogicalResult emitOverlap(const Box &box, const Box &other) {
  InFlightDiagnostic diag = box.op->emitOpError("expected each element of ")
                            << box.name
                            << " in one slice, but this one overlaps another";
  diag.attachNote(other.op->getLoc()) << "the other slice";
  return diag;
}

/// Boxes that are disjoint leave nothing out if their volumes add up.
static LogicalResult verifyCovered(MutableArrayRef<const Box *> boxes) {
  size_t dim = widestDimension(boxes);
  auto begin = [dim](const Box *box) {
    return box->offsets.empty() ? 0 : box->offsets[dim];
  };
  auto end = [dim](const Box *box) {
    return box->offsets.empty() ? 1 : box->offsets[dim] + box->sizes[dim];
  };
  const Box &first = *boxes.front();
  llvm::sort(boxes, [&](const Box *a, const Box *b) {
    return std::make_pair(begin(a), a) < std::make_pair(begin(b), b);
  });
  for (size_t i = 0; i < boxes.size(); ++i)
    for (size_t j = i + 1; j < boxes.size() && begin(boxes[j]) < end(boxes[i]);
         ++j)
      if (overlap(*boxes[i], *boxes[j]))
        return emitOverlap(*boxes[j], *boxes[i]);
  int64_t covered = 0;
  for (const Box *box : boxes)
    covered += volume(box->sizes);
  if (covered == volume(first.shape))
    return success();
  return first.op->emitOpError("expected slices of all ")
         << volume(first.shape) << " elements of " << first.name
         << ", but they cover " << covered;
}

LogicalResult turnip::task::verifyCoverage(ArrayRef<Box> boxes) {
  llvm::MapVector<StringAttr, SmallVector<const Box *>> byName;
  for (const Box &box : boxes)
    byName[box.name].push_back(&box);
  for (auto &[name, group] : byName)
    if (failed(verifyCovered(group)))
      return failure();
  return success();
}
