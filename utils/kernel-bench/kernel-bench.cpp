//===- kernel-bench.cpp - Compiled kernels beside OpenBLAS and memcpy -----===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints, for matrix products of the shapes that transformers use, the speed of
// the compiled kernel and of OpenBLAS on one thread, and their ratio; for
// memory-bound kernels, the bandwidth beside memcpy's. Medians of interleaved
// runs. OpenBLAS is loaded at run time from libopenblas.so.0.
//
//   kernel-bench [FILTER]
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "turnip/Codegen/KernelCompiler.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace turnip::codegen;
using llvm::formatv;

namespace {

using Gemm = void (*)(int, int, int, int, int, int, float, const float *, int,
                      const float *, int, float, float *, int);

/// Processor time of this thread: what else the machine does matters less.
double seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

struct Kernel {
  KernelBinary binary;
  void (*entry)(void *const *, const int64_t *, int64_t) = nullptr;
  double compileSeconds = 0;
};

Kernel load(MLIRContext &context, const std::string &text) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  Kernel kernel;
  double start = seconds();
  FailureOr<KernelBinary> binary =
      compileKernel(*module->getOps<func::FuncOp>().begin(), KernelTarget());
  if (failed(binary))
    std::exit(1);
  kernel.compileSeconds = seconds() - start;
  kernel.binary = std::move(*binary);
  int file = memfd_create("kernel", 0);
  if (write(file, kernel.binary.object.data(), kernel.binary.object.size()) < 0)
    std::exit(1);
  void *handle =
      dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW);
  if (!handle)
    std::exit(1);
  kernel.entry = reinterpret_cast<decltype(kernel.entry)>(
      dlsym(handle, kernel.binary.symbol.c_str()));
  return kernel;
}

void *allocate(size_t bytes) {
  void *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  std::memset(memory, 0, bytes);
  return memory;
}

/// Medians of interleaved runs.
std::vector<double> race(ArrayRef<std::function<void()>> runs) {
  std::vector<std::vector<double>> times(runs.size());
  double start = seconds();
  for (int round = 0; round < 7 || (round < 60 && seconds() - start < 1.0);
       ++round)
    for (size_t i = 0; i < runs.size(); ++i) {
      double before = seconds();
      runs[i]();
      times[i].push_back(seconds() - before);
    }
  std::vector<double> medians;
  for (std::vector<double> &t : times) {
    std::sort(t.begin(), t.end());
    medians.push_back(t[t.size() / 2]);
  }
  return medians;
}

std::string product(int batch, int m, int n, int k, bool transposed,
                    const char *type) {
  std::string b = transposed ? formatv("{0}x{1}x{2}", batch, n, k)
                             : formatv("{0}x{1}x{2}", batch, k, n);
  std::string narrow = type, extend;
  const char *x = "a", *y = "b";
  if (narrow != "f32") {
    extend = formatv("%c = arith.extf %a : {0} to f32\n"
                     "    %d = arith.extf %b : {0} to f32\n    ",
                     type);
    x = "c";
    y = "d";
  }
  return formatv(R"(
func.func @k(%x: tensor<{0}x{1}x{3}x{4}>, %y: tensor<{5}x{4}>) -> tensor<{0}x{1}x{2}xf32> {{
  %e = tensor.empty() : tensor<{0}x{1}x{2}xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<{0}x{1}x{2}xf32>) -> tensor<{0}x{1}x{2}xf32>
  %r = linalg.generic {{indexing_maps = [affine_map<(g, m, n, k) -> (g, m, k)>, affine_map<(g, m, n, k) -> {6}>, affine_map<(g, m, n, k) -> (g, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<{0}x{1}x{3}x{4}>, tensor<{5}x{4}>) outs(%f : tensor<{0}x{1}x{2}xf32>) {{
  ^bb0(%a: {4}, %b: {4}, %o: f32):
    {7}%p = arith.mulf %{8}, %{9} : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<{0}x{1}x{2}xf32>
  return %r : tensor<{0}x{1}x{2}xf32>
})",
                 batch, m, n, k, type, b,
                 transposed ? "(g, n, k)" : "(g, k, n)", extend, x, y);
}

void benchProduct(MLIRContext &context, Gemm gemm, int batch, int m, int n,
                  int k, bool transposed, const char *type, bool cold) {
  Kernel kernel = load(context, product(batch, m, n, k, transposed, type));
  size_t width = std::string(type) == "f32" ? 4 : 2;
  // Weights come from memory: each run takes another copy of them.
  size_t weights = width * batch * n * k;
  int copies = cold ? int(96 * 1024 * 1024 / weights) + 1 : 1;
  auto *everyWeight = static_cast<char *>(allocate(weights * copies));
  int turn = 0;
  void *buffers[4] = {allocate(width * batch * m * k), nullptr,
                      allocate(size_t(4) * batch * m * n),
                      allocate(kernel.binary.workspaceBytes + 64)};
  auto *a = static_cast<float *>(allocate(size_t(4) * batch * m * k));
  auto *everyB =
      static_cast<float *>(allocate(size_t(4) * batch * n * k * copies));
  auto *c = static_cast<float *>(allocate(size_t(4) * batch * m * n));
  std::function<void()> runs[] = {
      [&] {
        turn = (turn + 1) % copies;
        buffers[1] = everyWeight + turn * weights;
        for (int64_t point = 0; point < kernel.binary.gridSize; ++point)
          kernel.entry(buffers, nullptr, point);
      },
      [&] {
        if (!gemm)
          return;
        const float *b = everyB + size_t(turn) * batch * n * k;
        for (int g = 0; g < batch; ++g)
          gemm(101, 111, transposed ? 112 : 111, m, n, k, 1.0f,
               a + size_t(g) * m * k, k, b + size_t(g) * n * k,
               transposed ? k : n, 0.0f, c + size_t(g) * m * n, n);
      }};
  std::vector<double> t = race(runs);
  double flops = 2e-9 * batch * m * n * k;
  llvm::outs() << formatv(
      "{0,-5}{11} {1} {2,4} x {3,5} x {4,4} {5,2}  grid {6,2}  {7,6:F1} "
      "GFLOP/s  "
      "OpenBLAS {8,6:F1}  ratio {9,5:F2}  compiled in {10:F0} ms\n",
      type, transposed ? "x.W^T" : "x.W  ", m, n, k, batch,
      kernel.binary.gridSize, flops / t[0], flops / t[1], t[1] / t[0],
      kernel.compileSeconds * 1e3, cold ? "cold" : "warm");
  buffers[1] = everyWeight;
  for (void *buffer : buffers)
    std::free(buffer);
  std::free(a);
  std::free(everyB);
  std::free(c);
}

std::string unary(const char *body, int rows, int columns) {
  return formatv(R"(
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @k(%x: tensor<{1}x{2}xf32>, %y: tensor<{1}x{2}xf32>) -> tensor<{1}x{2}xf32> {{
  %e = tensor.empty() : tensor<{1}x{2}xf32>
  %one = arith.constant 1.0 : f32
  %r = linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<{1}x{2}xf32>, tensor<{1}x{2}xf32>) outs(%e : tensor<{1}x{2}xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    {0}
    linalg.yield %v : f32
  } -> tensor<{1}x{2}xf32>
  return %r : tensor<{1}x{2}xf32>
})",
                 body, rows, columns);
}

std::string softmax(int rows, int columns) {
  return formatv(R"(
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @k(%x: tensor<{0}x{1}xf32>, %y: tensor<{0}x{1}xf32>) -> tensor<{0}x{1}xf32> {{
  %e = tensor.empty() : tensor<{0}x{1}xf32>
  %er = tensor.empty() : tensor<{0}xf32>
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %f0 = linalg.fill ins(%low : f32) outs(%er : tensor<{0}xf32>) -> tensor<{0}xf32>
  %max = linalg.generic {{indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<{0}x{1}xf32>) outs(%f0 : tensor<{0}xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %v = arith.maximumf %o, %a : f32
    linalg.yield %v : f32
  } -> tensor<{0}xf32>
  %exp = linalg.generic {{indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<{0}x{1}xf32>, tensor<{0}xf32>) outs(%e : tensor<{0}x{1}xf32>) {{
  ^bb0(%a: f32, %m: f32, %o: f32):
    %d = arith.subf %a, %m : f32
    %v = math.exp %d : f32
    linalg.yield %v : f32
  } -> tensor<{0}x{1}xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%er : tensor<{0}xf32>) -> tensor<{0}xf32>
  %sum = linalg.generic {{indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<{0}x{1}xf32>) outs(%f1 : tensor<{0}xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %o, %a : f32
    linalg.yield %v : f32
  } -> tensor<{0}xf32>
  %r = linalg.generic {{indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<{0}x{1}xf32>, tensor<{0}xf32>) outs(%e : tensor<{0}x{1}xf32>) {{
  ^bb0(%a: f32, %s: f32, %o: f32):
    %v = arith.divf %a, %s : f32
    linalg.yield %v : f32
  } -> tensor<{0}x{1}xf32>
  return %r : tensor<{0}x{1}xf32>
})",
                 rows, columns);
}

/// Bandwidth of a kernel that reads `operands` matrices and writes one.
void benchMemory(MLIRContext &context, const char *name,
                 const std::string &text, int rows, int columns, int operands) {
  Kernel kernel = load(context, text);
  size_t bytes = size_t(4) * rows * columns;
  void *buffers[4] = {allocate(bytes), allocate(bytes), allocate(bytes),
                      allocate(kernel.binary.workspaceBytes + 64)};
  std::function<void()> runs[] = {
      [&] {
        for (int64_t point = 0; point < kernel.binary.gridSize; ++point)
          kernel.entry(buffers, nullptr, point);
      },
      [&] { std::memcpy(buffers[2], buffers[0], bytes); }};
  std::vector<double> t = race(runs);
  llvm::outs() << formatv(
      "{0,-10} {1,5} x {2,5}  grid {3,2}  {4,6:F1} GB/s  memcpy {5,6:F1}  "
      "ratio {6,5:F2}  compiled in {7:F0} ms\n",
      name, rows, columns, kernel.binary.gridSize,
      1e-9 * bytes * (operands + 1) / t[0], 2e-9 * bytes / t[1],
      (operands + 1) * t[1] / (2 * t[0]), kernel.compileSeconds * 1e3);
  for (void *buffer : buffers)
    std::free(buffer);
}

} // namespace

int main(int argc, char **argv) {
  std::string filter = argc > 1 ? argv[1] : "";
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<arith::ArithDialect, func::FuncDialect,
                      linalg::LinalgDialect, math::MathDialect,
                      tensor::TensorDialect>();
  Gemm gemm = nullptr;
  if (void *blas = dlopen("libopenblas.so.0", RTLD_NOW)) {
    gemm = reinterpret_cast<Gemm>(dlsym(blas, "cblas_sgemm"));
    if (void *set = dlsym(blas, "openblas_set_num_threads"))
      reinterpret_cast<void (*)(int)>(set)(1);
  } else {
    llvm::errs() << "libopenblas.so.0 not found: no ratios\n";
  }
  struct Shape {
    int batch, m, n, k;
    bool transposed;
    const char *type;
    bool cold = false;
  };
  const Shape shapes[] = {{1, 128, 576, 576, true, "f32"},
                          {1, 128, 192, 576, true, "f32"},
                          {1, 128, 1536, 576, true, "f32"},
                          {1, 128, 576, 1536, true, "f32"},
                          {1, 128, 3500, 576, true, "f32"},
                          {1, 64, 1536, 576, true, "f32"},
                          {1, 1, 1536, 576, true, "f32"},
                          {9, 128, 128, 64, true, "f32"},
                          {3, 128, 128, 64, true, "f32"},
                          {9, 128, 64, 128, false, "f32"},
                          {3, 128, 64, 128, false, "f32"},
                          {1, 1024, 1024, 1024, false, "f32"},
                          {1, 1024, 1024, 1024, true, "f32"},
                          {1, 64, 64, 64, false, "f32"},
                          {1, 128, 128, 128, false, "f32"},
                          {1, 128, 1536, 576, true, "bf16"},
                          {1, 1024, 1024, 1024, false, "bf16"},
                          {1, 128, 1536, 576, true, "f16"},
                          {1, 128, 1536, 576, true, "f32", true},
                          {1, 128, 576, 1536, true, "f32", true},
                          {1, 128, 5461, 576, true, "f32", true},
                          {1, 64, 1536, 576, true, "f32", true},
                          {1, 1, 1536, 576, true, "f32", true}};
  if (filter.empty() || filter == "product")
    for (const Shape &s : shapes)
      benchProduct(context, gemm, s.batch, s.m, s.n, s.k, s.transposed, s.type,
                   s.cold);
  if (!filter.empty() && filter != "memory")
    return 0;
  benchMemory(context, "add-mul",
              unary("%w = arith.addf %a, %b : f32\n"
                    "    %v = arith.mulf %w, %b : f32",
                    4096, 1024),
              4096, 1024, 2);
  benchMemory(context, "silu-mul",
              unary("%n = arith.negf %a : f32\n    %t = math.exp %n : f32\n"
                    "    %u = arith.addf %t, %one : f32\n"
                    "    %s = arith.divf %a, %u : f32\n"
                    "    %v = arith.mulf %s, %b : f32",
                    4096, 1024),
              4096, 1024, 2);
  benchMemory(context, "gelu-mul",
              unary("%t = math.erf %a : f32\n    %u = arith.addf %t, %one : "
                    "f32\n    %s = arith.mulf %a, %u : f32\n"
                    "    %v = arith.mulf %s, %b : f32",
                    4096, 1024),
              4096, 1024, 2);
  benchMemory(context, "softmax", softmax(8192, 512), 8192, 512, 1);
  return 0;
}
