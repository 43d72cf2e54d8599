//===- Contraction.cpp - A fast loop for plain sums of products -----------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Einsum.h"

#include <algorithm>

using namespace mlir;
using namespace turnip;
using namespace turnip::reference;

/// The block argument that \p value is, perhaps widened; null otherwise.
static BlockArgument widenedArgument(Value value) {
  while (auto extension = value.getDefiningOp<arith::ExtFOp>())
    value = extension.getIn();
  return dyn_cast<BlockArgument>(value);
}

/// Whether the body multiplies its two arguments and does nothing else.
static bool isPlainProduct(ein::EinsumOp op) {
  if (op.getCombiner() != ein::Combiner::Sum || op.getInputs().size() != 2)
    return false;
  auto product = op.getYielded().getDefiningOp<arith::MulFOp>();
  if (!product)
    return false;
  BlockArgument lhs = widenedArgument(product.getLhs());
  BlockArgument rhs = widenedArgument(product.getRhs());
  return lhs && rhs && lhs != rhs && lhs.getOwner() == op.getBlock() &&
         rhs.getOwner() == op.getBlock();
}

namespace {
/// The labels of a contraction by the tensors that have them.
struct Roles {
  LabelSpace batch, rows, columns, contracted;
};
} // namespace

static std::optional<Roles> classify(ein::EinsumOp op,
                                     const ein::Notation &notation) {
  Roles roles;
  for (char label : notation.labels()) {
    bool inLhs = StringRef(notation.operands[0]).contains(label);
    bool inRhs = StringRef(notation.operands[1]).contains(label);
    bool inResult = StringRef(notation.results[0]).contains(label);
    LabelSpace *space = nullptr;
    if (inLhs && inRhs)
      space = inResult ? &roles.batch : &roles.contracted;
    else if (inResult && inLhs)
      space = &roles.rows;
    else if (inResult && inRhs)
      space = &roles.columns;
    if (!space)
      return std::nullopt;
    space->labels.push_back(label);
    space->sizes.push_back(op.getLabelSize(label));
  }
  return roles;
}

/// Columns that are multiplied at a time.
static constexpr int64_t kBlock = 256;

/// c[r][j] += a[r][k] * b[k][j] for 4 rows at most and kBlock columns.
static void multiplyRows(int64_t numRows, int64_t depth, const double *a,
                         const double *b, double (*c)[kBlock]) {
  if (numRows == 4) {
    for (int64_t k = 0; k < depth; ++k) {
      const double *row = b + k * kBlock;
      double a0 = a[k], a1 = a[depth + k];
      double a2 = a[2 * depth + k], a3 = a[3 * depth + k];
      for (int64_t j = 0; j < kBlock; ++j) {
        c[0][j] += a0 * row[j];
        c[1][j] += a1 * row[j];
        c[2][j] += a2 * row[j];
        c[3][j] += a3 * row[j];
      }
    }
    return;
  }
  for (int64_t r = 0; r < numRows; ++r)
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t j = 0; j < kBlock; ++j)
        c[r][j] += a[r * depth + k] * b[k * kBlock + j];
}

namespace {
/// One tensor's offsets, by the roles of its labels.
struct RoleOffsets {
  std::vector<int64_t> batch, free, contracted;
};
} // namespace

static RoleOffsets offsetsOf(const Roles &roles, const LabelSpace &free,
                             StringRef labels, ArrayRef<int64_t> shape) {
  auto strides = labelStrides(labels, shape);
  return {roles.batch.offsets(strides), free.offsets(strides),
          roles.contracted.offsets(strides)};
}

std::optional<Tensor>
turnip::reference::evaluateContraction(ein::EinsumOp op,
                                       ArrayRef<const Tensor *> inputs) {
  if (!isPlainProduct(op))
    return std::nullopt;
  ein::Notation notation = op.getParsedNotation();
  std::optional<Roles> roles = classify(op, notation);
  if (!roles)
    return std::nullopt;
  RoleOffsets lhs = offsetsOf(*roles, roles->rows, notation.operands[0],
                              inputs[0]->getShape());
  RoleOffsets rhs = offsetsOf(*roles, roles->columns, notation.operands[1],
                              inputs[1]->getShape());
  Tensor result(op.getResult().getType());
  auto resultStrides = labelStrides(notation.results[0], result.getShape());
  std::vector<int64_t> toBatch = roles->batch.offsets(resultStrides);
  std::vector<int64_t> toRow = roles->rows.offsets(resultStrides);
  std::vector<int64_t> toColumn = roles->columns.offsets(resultStrides);

  int64_t numRows = lhs.free.size(), numColumns = rhs.free.size();
  int64_t depth = lhs.contracted.size();
  ArrayRef<double> a = inputs[0]->getReals(), b = inputs[1]->getReals();
  MutableArrayRef<double> c = result.getReals();
  std::vector<double> packedA(numRows * depth), packedB(depth * kBlock);
  for (size_t batch = 0; batch < toBatch.size(); ++batch) {
    for (int64_t r = 0; r < numRows; ++r)
      for (int64_t k = 0; k < depth; ++k)
        packedA[r * depth + k] =
            a[lhs.batch[batch] + lhs.free[r] + lhs.contracted[k]];
    for (int64_t first = 0; first < numColumns; first += kBlock) {
      int64_t width = std::min(kBlock, numColumns - first);
      for (int64_t j = 0; j < width; ++j)
        for (int64_t k = 0; k < depth; ++k)
          packedB[k * kBlock + j] =
              b[rhs.batch[batch] + rhs.free[first + j] + rhs.contracted[k]];
      for (int64_t r = 0; r < numRows; r += 4) {
        double sums[4][kBlock] = {};
        int64_t height = std::min<int64_t>(4, numRows - r);
        multiplyRows(height, depth, &packedA[r * depth], packedB.data(), sums);
        for (int64_t i = 0; i < height; ++i)
          for (int64_t j = 0; j < width; ++j)
            c[toBatch[batch] + toRow[r + i] + toColumn[first + j]] = sums[i][j];
      }
    }
  }
  return result;
}
