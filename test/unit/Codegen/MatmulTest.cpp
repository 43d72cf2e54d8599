//===- MatmulTest.cpp - Contractions as calls of a matrix library ---------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPU/Matmul.h"
#include "ContractionText.h"
#include "KernelRunner.h"
#include "RowPlan.h"
#include "mlir/IR/Verifier.h"
#include <random>

using namespace mlir;
using namespace turnip::codegen;
using namespace turnip::test;

namespace {

/// The same numbers every time.
struct Random : std::mt19937 {
  explicit Random(unsigned seed) : std::mt19937(seed) {}
};

int64_t draw(Random &random, int64_t low, int64_t high) {
  return low + int64_t(random() % uint64_t(high - low + 1));
}

/// What the library does, written down: column-major matrices, sums in double.
void run(const Matmul &call, const std::vector<double> &lhs,
         const std::vector<double> &rhs, std::vector<double> &result) {
  const std::vector<double> &a = call.isSwapped ? rhs : lhs;
  const std::vector<double> &b = call.isSwapped ? lhs : rhs;
  ASSERT_GE(call.lda, call.transA ? call.k : call.m);
  ASSERT_GE(call.ldb, call.transB ? call.n : call.k);
  ASSERT_GE(call.ldd, call.m);
  for (int64_t batch = 0; batch < call.batch; ++batch)
    for (int64_t i = 0; i < call.m; ++i)
      for (int64_t j = 0; j < call.n; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < call.k; ++k) {
          int64_t atA = call.transA ? k + i * call.lda : i + k * call.lda;
          int64_t atB = call.transB ? j + k * call.ldb : k + j * call.ldb;
          sum += a.at(call.offsetA + batch * call.strideA + atA) *
                 b.at(call.offsetB + batch * call.strideB + atB);
        }
        double &to =
            result.at(call.offsetD + batch * call.strideD + i + j * call.ldd);
        ASSERT_TRUE(std::isnan(to)) << "written twice";
        to = sum;
      }
}

std::vector<double> run(llvm::ArrayRef<Matmul> calls,
                        const std::vector<double> &lhs,
                        const std::vector<double> &rhs, size_t resultSize) {
  std::vector<double> result(resultSize, std::nan(""));
  for (const Matmul &call : calls)
    run(call, lhs, rhs, result);
  return result;
}

/// Loop dimensions in random order, tensors with their dimensions in random
/// order, sometimes with gaps as in a slice.
struct Case {
  Contraction contraction;
  ProductLayout layout;
  std::vector<double> lhs, rhs;
  size_t resultSize = 0;

  explicit Case(Random &random) {
    llvm::SmallVector<int64_t> *roles[] = {&contraction.batch, &contraction.m,
                                           &contraction.n, &contraction.k};
    int64_t dims = 0;
    for (auto *role : roles)
      for (int64_t i = draw(random, role == roles[3], 2); i > 0; --i)
        role->push_back(dims++);
    for (int64_t i = 0; i < dims; ++i)
      layout.sizes.push_back(draw(random, 1, 5));
    auto lay = [&](llvm::SmallVector<int64_t> &strides, int without) {
      llvm::SmallVector<int64_t> order;
      for (int role = 0; role < 4; ++role)
        if (role != without)
          order.append(roles[role]->begin(), roles[role]->end());
      std::shuffle(order.begin(), order.end(), random);
      strides.assign(dims, 0);
      int64_t stride = 1;
      for (int64_t dim : order) {
        strides[dim] = stride;
        stride *= layout.sizes[dim] + (draw(random, 0, 7) == 0);
      }
      return size_t(stride);
    };
    lhs.resize(lay(layout.lhs, 2));
    rhs.resize(lay(layout.rhs, 1));
    resultSize = lay(layout.result, 3);
    for (double &x : lhs)
      x = double(draw(random, -9, 9));
    for (double &x : rhs)
      x = double(draw(random, -9, 9));
  }

  std::vector<double> expected() const {
    std::vector<double> result(resultSize, std::nan(""));
    llvm::SmallVector<int64_t> at(layout.sizes.size(), 0);
    for (;;) {
      int64_t a = 0, b = 0, d = 0;
      for (size_t i = 0; i < at.size(); ++i) {
        a += at[i] * layout.lhs[i];
        b += at[i] * layout.rhs[i];
        d += at[i] * layout.result[i];
      }
      double &sum = result[d];
      sum = (std::isnan(sum) ? 0 : sum) + lhs[a] * rhs[b];
      size_t i = 0;
      while (i < at.size() && ++at[i] == layout.sizes[i])
        at[i++] = 0;
      if (i == at.size())
        return result;
    }
  }
};

bool equal(const std::vector<double> &x, const std::vector<double> &y) {
  for (size_t i = 0; i < x.size(); ++i)
    if (x[i] != y[i] && !(std::isnan(x[i]) && std::isnan(y[i])))
      return false;
  return x.size() == y.size();
}

TEST(Matmul, RandomLayouts) {
  Random random(7);
  int expressible = 0;
  for (int i = 0; i < 20000; ++i) {
    Case c(random);
    auto calls = planMatmuls(c.contraction, c.layout);
    if (!calls)
      continue;
    ++expressible;
    ASSERT_LE(int64_t(calls->size()), kMaxMatmuls);
    ASSERT_TRUE(equal(run(*calls, c.lhs, c.rhs, c.resultSize), c.expected()))
        << "case " << i;
  }
  EXPECT_GT(expressible, 6000);
  EXPECT_LT(expressible, 18000);
}

std::vector<double> reals(const Tensor &tensor) {
  std::vector<double> values;
  values.reserve(tensor.values.size());
  for (const Scalar &scalar : tensor.values)
    values.push_back(scalar.f);
  return values;
}

linalg::GenericOp findContraction(func::FuncOp func) {
  linalg::GenericOp found;
  func.walk([&](linalg::GenericOp op) {
    if (matchContraction(op))
      found = op;
  });
  return found;
}

/// Small integers, so that every order of summing gives the same.
std::vector<Tensor> integers(func::FuncOp func, Random &random) {
  std::vector<Tensor> tensors;
  for (Type type : func.getArgumentTypes()) {
    tensors.push_back(Tensor::make(cast<RankedTensorType>(type)));
    for (Scalar &scalar : tensors.back().values)
      scalar.f = double(draw(random, -4, 4));
  }
  return tensors;
}

/// Prepares a contraction, checks that nothing changed, that the library can
/// compute it now, and, where nothing is copied, that its calls do. Returns how
/// many operations there are beside the contraction and fills.
int check(const Einsum &einsum, Random &random,
          llvm::SmallVector<Matmul> *calls = nullptr) {
  func::FuncOp func = parseKernel(contraction(einsum));
  std::vector<Tensor> tensors = integers(func, random);
  std::vector<Tensor> expected = interpret(func, tensors, {});
  prepareMatmuls(func);
  EXPECT_TRUE(succeeded(verify(func)));
  std::vector<Tensor> actual = interpret(func, tensors, {});
  EXPECT_TRUE(equal(reals(actual[0]), reals(expected[0])));
  int copies = -1;
  func.walk([&](linalg::GenericOp op) { copies += isComputeOp(op); });
  std::optional<MatmulStep> step = matchMatmul(findContraction(func));
  EXPECT_TRUE(step) << contraction(einsum);
  if (!step)
    return copies;
  if (copies == 0)
    EXPECT_TRUE(equal(run(step->calls, reals(tensors[0]), reals(tensors[1]),
                          expected[0].values.size()),
                      reals(expected[0])));
  if (calls)
    *calls = step->calls;
  return copies;
}

TEST(Matmul, ProductsOfModels) {
  Random random(1);
  llvm::SmallVector<Matmul> calls;
  std::map<char, int> sizes = {{'l', 12}, {'m', 20}, {'g', 3}, {'r', 2},
                               {'p', 4},  {'t', 2},  {'s', 2}, {'d', 8},
                               {'k', 24}, {'n', 40}, {'b', 2}};
  auto numCalls = [&](const char *a, const char *b, const char *c) {
    EXPECT_EQ(check({a, b, c, sizes}, random, &calls), 0);
    return calls.size();
  };
  // One matrix each: rows are the columns of D, weights are transposed.
  EXPECT_EQ(numCalls("lk", "nk", "ln"), 1u);
  EXPECT_EQ(calls[0].batch, 1);
  EXPECT_TRUE(calls[0].isSwapped && calls[0].transA && !calls[0].transB);
  EXPECT_EQ(numCalls("lk", "grptk", "lgrpt"), 1u);
  EXPECT_EQ(calls[0].m, 3 * 2 * 4 * 2);
  EXPECT_EQ(numCalls("lgrd", "ngrd", "ln"), 1u);
  EXPECT_EQ(calls[0].k, 3 * 2 * 8);
  EXPECT_EQ(numCalls("blk", "nk", "bln"), 1u);
  EXPECT_EQ(calls[0].n, 2 * 12);
  // Scores: heads of a group take a call each, groups are the batch.
  EXPECT_EQ(numCalls("lgrps", "mgps", "grlm"), 2u);
  EXPECT_EQ(calls[0].batch, 3);
  EXPECT_EQ(calls[0].m * calls[0].n, 12 * 20);
  EXPECT_EQ(calls[1].offsetD, 12 * 20);
  EXPECT_EQ(numCalls("grlm", "mgd", "lgrd"), 2u);
  // A batch of sequences is one more dimension of the batch.
  EXPECT_EQ(numCalls("blgrps", "bmgps", "bgrlm"), 4u);
}

TEST(Matmul, OneOfEach) {
  Random random(2);
  for (const char *a : {"mk", "km"})
    for (const char *b : {"nk", "kn"})
      for (const char *c : {"mn", "nm"})
        for (auto [m, n, k] : {std::tuple(1, 300, 17), std::tuple(300, 1, 17),
                               std::tuple(1, 1, 5000), std::tuple(17, 33, 9)})
          EXPECT_EQ(check({a, b, c, {{'m', m}, {'n', n}, {'k', k}}}, random),
                    0);
}

TEST(Matmul, CopiesWhatCannotBeExpressed) {
  Random random(3);
  std::map<char, int> sizes = {{'a', 3}, {'b', 5},  {'c', 7},
                               {'d', 9}, {'m', 30}, {'k', 16}};
  // Summed dimensions in another order: the smaller operand is copied.
  EXPECT_EQ(check({"mcd", "adc", "ma", sizes}, random), 1);
  // No unit stride: the batch is innermost everywhere.
  EXPECT_EQ(check({"mka", "dka", "mda", sizes}, random), 3);
  // The summed dimension lies between others.
  EXPECT_EQ(check({"mkab", "dk", "mabd", sizes}, random), 0);
}

TEST(Matmul, RandomLabelOrders) {
  Random random(11);
  int copied = 0, direct = 0;
  for (int i = 0; i < 80; ++i) {
    std::string roles[4], all = "abcdefgh";
    std::map<char, int> sizes;
    size_t next = 0;
    for (int role = 0; role < 4; ++role)
      for (int64_t j = draw(random, role > 0, 2); j > 0; --j) {
        roles[role] += all[next];
        sizes[all[next++]] =
            int(role == 3 ? draw(random, 8, 12) : draw(random, 4, 9));
      }
    std::string a = roles[0] + roles[1] + roles[3];
    std::string b = roles[0] + roles[2] + roles[3];
    std::string c = roles[0] + roles[1] + roles[2];
    for (std::string *part : {&a, &b, &c})
      std::shuffle(part->begin(), part->end(), random);
    double points = 1;
    for (auto [label, size] : sizes)
      points *= size;
    if (points < 4096 || points > 30000)
      continue;
    ++(check({a, b, c, sizes}, random) ? copied : direct);
  }
  EXPECT_GT(copied, 5);
  EXPECT_GT(direct, 5);
}

TEST(Matmul, MixedTypesBecomeF32) {
  Random random(5);
  std::map<char, int> sizes = {{'m', 9}, {'n', 24}, {'k', 32}};
  for (auto [x, y, copies] :
       {std::tuple("f32", "bf16", 1), std::tuple("f16", "f32", 1),
        std::tuple("f16", "bf16", 2), std::tuple("bf16", "bf16", 0),
        std::tuple("f16", "f16", 0), std::tuple("f32", "f32", 0)}) {
    Einsum einsum = {"mk", "nk", "mn", sizes, x, y};
    EXPECT_EQ(check(einsum, random), copies) << x << " x " << y;
  }
}

/// A product of bf16, with its sums rounded to \p type.
std::string roundedProduct(const char *type) {
  return llvm::formatv(R"(
func.func @k(%x: tensor<16x32xbf16>, %y: tensor<24x32xbf16>) -> tensor<16x24x{0}> {{
  %e = tensor.empty() : tensor<16x24xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x24xf32>) -> tensor<16x24xf32>
  %p = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
      affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<16x32xbf16>, tensor<24x32xbf16>)
      outs(%f : tensor<16x24xf32>) {{
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %a1 = arith.extf %a : bf16 to f32
    %b1 = arith.extf %b : bf16 to f32
    %m = arith.mulf %a1, %b1 : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<16x24xf32>
  %e1 = tensor.empty() : tensor<16x24x{0}>
  %r = linalg.generic {{indexing_maps = [affine_map<(m, n) -> (m, n)>,
      affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<16x24xf32>) outs(%e1 : tensor<16x24x{0}>) {{
  ^bb0(%a: f32, %o: {0}):
    %t = arith.truncf %a : f32 to {0}
    linalg.yield %t : {0}
  } -> tensor<16x24x{0}>
  return %r : tensor<16x24x{0}>
})",
                       type);
}

TEST(Matmul, RoundingIsPartOfTheCall) {
  func::FuncOp func = parseKernel(roundedProduct("bf16"));
  std::optional<MatmulStep> step = matchMatmul(findContraction(func));
  ASSERT_TRUE(step);
  EXPECT_EQ(step->operations.size(), 2u);
  EXPECT_TRUE(getElementTypeOrSelf(step->result.getType()).isBF16());
  // The library gives what it takes, or f32.
  func = parseKernel(roundedProduct("f16"));
  step = matchMatmul(findContraction(func));
  ASSERT_TRUE(step);
  EXPECT_EQ(step->operations.size(), 1u);
  EXPECT_TRUE(getElementTypeOrSelf(step->result.getType()).isF32());
}

TEST(Matmul, LeavesOtherOperationsAlone) {
  // Too small, sums of too few, integers.
  for (const Einsum &einsum :
       {Einsum{"mk", "nk", "mn", {{'m', 4}, {'n', 4}, {'k', 16}}},
        Einsum{"mk", "nk", "mn", {{'m', 64}, {'n', 64}, {'k', 2}}},
        Einsum{"mk",
               "nk",
               "mn",
               {{'m', 32}, {'n', 32}, {'k', 32}},
               "i8",
               "i8",
               "i32"}}) {
    func::FuncOp func = parseKernel(contraction(einsum));
    prepareMatmuls(func);
    EXPECT_FALSE(matchMatmul(findContraction(func)));
  }
  // A sum that does not start from zero.
  std::string text =
      contraction({"mk", "nk", "mn", {{'m', 32}, {'n', 32}, {'k', 32}}});
  text.replace(text.find("0.0"), 3, "1.0");
  EXPECT_FALSE(matchMatmul(findContraction(parseKernel(text))));
}

} // namespace
