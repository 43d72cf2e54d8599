//===- Matmul.cpp - Contractions as calls of a matrix library -------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matmul.h"
#include "../RowPlan.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace turnip::codegen {

namespace {
/// Loop dimensions of one role that walk all tensors like one dimension.
struct Run {
  int64_t size = 1;
  int64_t lhs = 0, rhs = 0, result = 0;
};
using Runs = SmallVector<Run>;
} // namespace

/// Joins neighbours among \p runs, which are sorted outermost first.
static Runs joinSorted(ArrayRef<Run> runs) {
  Runs joined;
  for (const Run &run : runs) {
    if (!joined.empty()) {
      Run &outer = joined.back();
      if (outer.lhs == run.lhs * run.size && outer.rhs == run.rhs * run.size &&
          outer.result == run.result * run.size) {
        outer = {outer.size * run.size, run.lhs, run.rhs, run.result};
        continue;
      }
    }
    joined.push_back(run);
  }
  return joined;
}

/// Joins what can be joined, whatever the order.
static Runs join(Runs runs) {
  llvm::sort(runs, [](const Run &a, const Run &b) {
    return std::tie(a.result, a.lhs, a.rhs, a.size) >
           std::tie(b.result, b.lhs, b.rhs, b.size);
  });
  return joinSorted(runs);
}

static Runs collect(ArrayRef<int64_t> dims, const ProductLayout &layout) {
  Runs runs;
  for (int64_t dim : dims)
    if (layout.sizes[dim] != 1)
      runs.push_back({layout.sizes[dim], layout.lhs[dim], layout.rhs[dim],
                      layout.result[dim]});
  return join(std::move(runs));
}

/// The leading dimension of a column-major matrix of \p rows x \p columns with
/// these strides, or 0 if it is none.
static int64_t leadingDimension(int64_t rows, int64_t rowStride,
                                int64_t columns, int64_t columnStride) {
  if (rows != 1 && rowStride != 1)
    return 0;
  if (columns == 1)
    return rows;
  return columnStride >= rows ? columnStride : 0;
}

namespace {
/// A choice of what one matrix product runs over.
class Candidate {
public:
  Candidate(const Run &m, const Run &n, const Run &k, Runs rest)
      : m(m), n(n), k(k), outer(join(std::move(rest))) {
    // The longest of the others is the batch.
    auto longest = llvm::max_element(
        outer, [](const Run &a, const Run &b) { return a.size < b.size; });
    if (longest != outer.end()) {
      batch = *longest;
      outer.erase(longest);
    }
    for (const Run &run : outer)
      numCalls *= run.size;
  }

  /// Fills in all but offsets; fails if the strides cannot be said.
  bool build() {
    if (fill(false))
      return true;
    std::swap(m, n);
    return fill(true);
  }

  bool isBetterThan(const Candidate &other) const {
    int64_t area = m.size * n.size, otherArea = other.m.size * other.n.size;
    return area != otherArea ? area > otherArea : numCalls < other.numCalls;
  }

  int64_t getNumCalls() const { return numCalls; }

  /// One call per position along what is neither matrix nor batch.
  SmallVector<Matmul> getCalls() const {
    SmallVector<Matmul> calls = {call};
    for (const Run &run : outer) {
      SmallVector<Matmul> all;
      for (const Matmul &first : calls)
        for (int64_t i = 0; i < run.size; ++i) {
          Matmul next = first;
          next.offsetA += i * strideOfA(run);
          next.offsetB += i * strideOfB(run);
          next.offsetD += i * run.result;
          all.push_back(next);
        }
      calls = std::move(all);
    }
    return calls;
  }

private:
  int64_t strideOfA(const Run &run) const {
    return call.isSwapped ? run.rhs : run.lhs;
  }
  int64_t strideOfB(const Run &run) const {
    return call.isSwapped ? run.lhs : run.rhs;
  }

  /// With `m` along the columns' elements of D: A has m and k, B has k and n.
  bool fill(bool isSwapped) {
    call = Matmul();
    call.isSwapped = isSwapped;
    call.m = m.size;
    call.n = n.size;
    call.k = k.size;
    call.batch = batch.size;
    call.strideA = strideOfA(batch);
    call.strideB = strideOfB(batch);
    call.strideD = batch.result;
    call.ldd = leadingDimension(m.size, m.result, n.size, n.result);
    int64_t am = strideOfA(m), ak = strideOfA(k);
    call.lda = leadingDimension(m.size, am, k.size, ak);
    if (call.lda == 0) {
      call.transA = true;
      call.lda = leadingDimension(k.size, ak, m.size, am);
    }
    int64_t bk = strideOfB(k), bn = strideOfB(n);
    call.ldb = leadingDimension(k.size, bk, n.size, bn);
    if (call.ldb == 0) {
      call.transB = true;
      call.ldb = leadingDimension(n.size, bn, k.size, bk);
    }
    return call.ldd != 0 && call.lda != 0 && call.ldb != 0;
  }

  Run m, n, k;
  Runs outer;
  Run batch;
  int64_t numCalls = 1;
  Matmul call;
};
} // namespace

/// All of \p runs but the one at \p index.
static void appendOthers(Runs &to, ArrayRef<Run> runs, size_t index) {
  for (auto [i, run] : llvm::enumerate(runs))
    if (i != index)
      to.push_back(run);
}

std::optional<SmallVector<Matmul>> planMatmuls(const Contraction &contraction,
                                               const ProductLayout &layout,
                                               int64_t maxCalls) {
  Runs batch = collect(contraction.batch, layout);
  Runs m = collect(contraction.m, layout), n = collect(contraction.n, layout);
  Runs k = collect(contraction.k, layout);
  if (k.size() > 1)
    return std::nullopt;
  // A role without dimensions has one position.
  for (Runs *runs : {&m, &n, &k})
    if (runs->empty())
      runs->push_back(Run());
  std::optional<Candidate> best;
  for (size_t i = 0; i < m.size(); ++i)
    for (size_t j = 0; j < n.size(); ++j) {
      Runs rest = batch;
      appendOthers(rest, m, i);
      appendOthers(rest, n, j);
      Candidate candidate(m[i], n[j], k.front(), std::move(rest));
      if (candidate.getNumCalls() > maxCalls || !candidate.build())
        continue;
      if (!best || candidate.isBetterThan(*best))
        best = std::move(candidate);
    }
  if (!best)
    return std::nullopt;
  return best->getCalls();
}

//===----------------------------------------------------------------------===//
// Contractions in linalg
//===----------------------------------------------------------------------===//

/// The strides per loop dimension of a dense tensor that is read with \p map.
static SmallVector<int64_t> getDenseStrides(AffineMap map, Type type) {
  SmallVector<int64_t> strides(map.getNumDims(), 0);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
  int64_t stride = 1;
  for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
    strides[map.getDimPosition(dim)] = stride;
    stride *= shape[dim];
  }
  return strides;
}

ProductLayout getDenseLayout(linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  ProductLayout layout;
  layout.sizes = op.getStaticLoopRanges();
  layout.lhs = getDenseStrides(maps[0], op.getInputs()[0].getType());
  layout.rhs = getDenseStrides(maps[1], op.getInputs()[1].getType());
  layout.result = getDenseStrides(maps[2], op.getOutputs()[0].getType());
  return layout;
}

/// Whether a product is large enough for a call, which has its price, and has
/// sums that are worth the library's tiles.
static bool isWorthACall(const Contraction &contraction,
                         ArrayRef<int64_t> sizes) {
  constexpr int64_t leastDepth = 8, leastPoints = 4096;
  int64_t depth = 1, points = 1;
  for (int64_t dim : contraction.k)
    depth *= sizes[dim];
  for (int64_t size : sizes)
    points *= size;
  return depth >= leastDepth && points >= leastPoints;
}

std::optional<Contraction> matchLibraryContraction(linalg::GenericOp op) {
  std::optional<Contraction> contraction = matchContraction(op);
  if (!contraction || !contraction->isFloat)
    return std::nullopt;
  Value scalar = getFillScalar(op.getOutputs()[0]);
  if (!scalar || !matchPattern(scalar, m_AnyZeroFloat()) ||
      !isWorthACall(*contraction, op.getStaticLoopRanges()))
    return std::nullopt;
  return contraction;
}

linalg::GenericOp findRounding(Value value, Type type) {
  if (!value.hasOneUse())
    return nullptr;
  auto op = dyn_cast<linalg::GenericOp>(*value.user_begin());
  if (!op || op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() != 0 || op.getInputs()[0] != value ||
      op.getIndexingMapsArray()[0] != op.getIndexingMapsArray()[1] ||
      !op.getIndexingMapsArray()[0].isPermutation() ||
      getElementTypeOrSelf(op.getResult(0).getType()) != type)
    return nullptr;
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  auto trunc = yielded.getDefiningOp<arith::TruncFOp>();
  bool rounds = trunc && trunc.getIn() == op.getBody()->getArgument(0) &&
                !trunc.getRoundingmodeAttr();
  return rounds ? op : nullptr;
}

std::optional<MatmulStep> matchMatmul(Operation *operation) {
  auto op = dyn_cast<linalg::GenericOp>(operation);
  if (!op)
    return std::nullopt;
  std::optional<Contraction> contraction = matchLibraryContraction(op);
  if (!contraction)
    return std::nullopt;
  MatmulStep step;
  step.lhs = op.getInputs()[0];
  step.rhs = op.getInputs()[1];
  Type element = getElementTypeOrSelf(step.lhs.getType());
  if (getElementTypeOrSelf(step.rhs.getType()) != element)
    return std::nullopt;
  std::optional<SmallVector<Matmul>> calls =
      planMatmuls(*contraction, getDenseLayout(op));
  if (!calls)
    return std::nullopt;
  step.calls = std::move(*calls);
  step.operations.push_back(op);
  step.result = op.getResult(0);
  if (!element.isF32())
    if (linalg::GenericOp rounding = findRounding(step.result, element)) {
      step.operations.push_back(rounding);
      step.result = rounding.getResult(0);
    }
  return step;
}

} // namespace turnip::codegen
