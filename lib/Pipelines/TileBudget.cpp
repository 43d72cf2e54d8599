//===- TileBudget.cpp - A tile budget that would do -----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileBudget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "turnip/Codegen/Passes.h"
#include "turnip/Dialect/Ein/IR/Ein.h"
#include "turnip/Dialect/Task/IR/Task.h"
#include "turnip/Dialect/Task/Transforms/Passes.h"
#include "turnip/machine/Machine.h"
#include "turnip/support/ByteSize.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace turnip;

/// No budget below this leaves anything to compute with, and no budget above
/// the other one is smaller than a memory.
static constexpr int64_t kSmallest = 256;
static constexpr int64_t kLargest = int64_t(1) << 40;

/// A power of two as an option spells it.
static std::string spell(int64_t bytes) {
  std::pair<int64_t, const char *> units[] = {
      {int64_t(1) << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}};
  for (auto [unit, name] : units)
    if (bytes >= unit)
      return std::to_string(bytes / unit) + name;
  return std::to_string(bytes);
}

static int64_t sizeOf(const std::string &text) {
  Expected<int64_t> bytes = parseByteSize(text);
  return bytes ? *bytes : 0;
}

static LogicalResult runQuietly(PassManager &manager, ModuleOp module) {
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  return manager.run(module);
}

/// \p program cut into tasks of at most \p budget bytes; null if that fails.
static OwningOpRef<ModuleOp> cut(ModuleOp program, CompileOptions options,
                                 int64_t budget) {
  options.tileBudget = std::to_string(budget);
  OwningOpRef<ModuleOp> tasks = program.clone();
  PassManager manager(program.getContext(), ModuleOp::getOperationName());
  getPhases()[static_cast<size_t>(Phase::Task)].build(manager, options,
                                                      nullptr);
  return succeeded(runQuietly(manager, *tasks)) ? std::move(tasks) : nullptr;
}

static bool compileKernels(ModuleOp tasks, const CompileOptions &options) {
  PassManager manager(tasks.getContext(), ModuleOp::getOperationName());
  codegen::TaskCompileKernelsOptions kernels;
  kernels.target = options.target;
  manager.addPass(codegen::createTaskCompileKernels(kernels));
  return succeeded(runQuietly(manager, tasks));
}

std::string turnip::findSmallerTileBudget(ModuleOp program,
                                          const CompileOptions &options) {
  int64_t memory = sizeOf(options.deviceMemory);
  int64_t given = sizeOf(options.tileBudget);
  for (auto budget = static_cast<int64_t>(llvm::bit_floor<uint64_t>(
           std::max<int64_t>(0, std::min(memory, given - 1))));
       budget >= kSmallest; budget /= 2) {
    OwningOpRef<ModuleOp> tasks = cut(program, options, budget);
    if (!tasks)
      return "";
    if (task::largestWorkingSet(*tasks) <= memory &&
        compileKernels(*tasks, options) &&
        task::largestWorkingSet(*tasks) <= memory)
      return spell(budget);
  }
  return "";
}

std::string turnip::findLargerTileBudget(ModuleOp program,
                                         const CompileOptions &options) {
  int64_t given = std::max<int64_t>(sizeOf(options.tileBudget), 1);
  for (auto budget = static_cast<int64_t>(llvm::NextPowerOf2(given));
       budget <= kLargest; budget *= 2)
    if (cut(program, options, budget))
      return spell(budget);
  return "";
}

/// The least that a device of \p options has; nothing if they do not say.
static std::optional<int64_t> deviceMemory(const CompileOptions &options) {
  if (!options.deviceMemory.empty())
    return sizeOf(options.deviceMemory);
  if (options.machine.empty())
    return std::nullopt;
  Expected<machine::Machine> machine = machine::Machine::find(options.machine);
  if (!machine)
    return std::nullopt;
  uint64_t least = kLargest;
  for (uint32_t device : machine->accelerators())
    least = std::min(
        least, machine->memories[machine->devices[device].memory].capacity);
  return static_cast<int64_t>(least);
}

/// Bytes of the parameters, inputs and results of \p program.
static int64_t interfaceBytes(ModuleOp program) {
  int64_t bytes = 0;
  auto add = [&](Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      bytes += task::denseBytes(tensor.getShape(), tensor.getElementType())
                   .value_or(0);
  };
  program.walk([&](Operation *op) {
    if (auto parameter = dyn_cast<ein::ParameterOp>(op))
      add(parameter.getResult().getType());
    else if (auto function = dyn_cast<func::FuncOp>(op)) {
      llvm::for_each(function.getArgumentTypes(), add);
      llvm::for_each(function.getResultTypes(), add);
    }
  });
  return bytes;
}

std::string turnip::chooseTileBudget(ModuleOp program,
                                     const CompileOptions &options) {
  const std::string usual = CompileOptions().tileBudget;
  auto most = static_cast<int64_t>(llvm::bit_ceil<uint64_t>(
      std::max(sizeOf(usual), interfaceBytes(program) / 16)));
  std::optional<int64_t> memory = deviceMemory(options);
  // A sixteenth of a task is left for workspace.
  const int64_t limit = memory ? *memory / 8 * 15 / 16 : kLargest;
  int64_t best = 0, leastTask = INT64_MAX;
  for (int64_t budget =
           std::min(most, static_cast<int64_t>(llvm::bit_floor<uint64_t>(
                              std::max<int64_t>(limit, kSmallest))));
       budget >= kSmallest; budget /= 2) {
    OwningOpRef<ModuleOp> tasks = cut(program, options, budget);
    // Smaller ones would make even more tasks.
    if (!tasks)
      break;
    int64_t task = task::largestWorkingSet(*tasks);
    if (task < leastTask) {
      leastTask = task;
      best = budget;
    }
    if (task <= limit)
      return spell(budget);
  }
  if (best > 0)
    return spell(best);
  CompileOptions smallest = options;
  smallest.tileBudget = std::to_string(std::min(most, limit));
  std::string larger = findLargerTileBudget(program, smallest);
  return larger.empty() ? usual : larger;
}
