//===- StressCase.h - One random program through every level ----*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A case is a random program with values for its inputs and parameters. Each
// stage takes it one level further down and compares with the evaluator, whose
// error bounds are the only tolerance.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TESTING_STRESSCASE_H
#define TURNIP_TESTING_STRESSCASE_H

#include "turnip/Reference/Program.h"
#include "turnip/Testing/Random.h"
#include "turnip/Testing/RandomProgram.h"
#include "turnip/runtime/KernelABI.h"

namespace turnip::testing {

struct ExecutionInputs;
class PlacedProgram;
class StoredParameters;

/// What the comparisons of any number of cases covered.
struct StressStatistics {
  int64_t elements = 0;
  /// Elements that the program does not define up to rounding.
  int64_t undefinedElements = 0;
  /// Elements whose bound is above a twentieth of their tensor's largest.
  int64_t looseElements = 0;
  int64_t operations = 0, tasks = 0, hostTasks = 0, runs = 0;
  /// The largest share of its bound that an error took up: of a result, and of
  /// the result of one kernel on the operands that it was given.
  double largestShare = 0, largestKernelShare = 0;

  /// Counts the elements of an evaluated result.
  void count(const reference::Tensor &tensor);
};

class StressCase {
public:
  /// Makes case \p index of the series \p seed. \p context must have the
  /// dialects of registerAllDialects.
  StressCase(mlir::MLIRContext *context, uint64_t seed, int64_t index,
             const RandomProgramOptions &options);
  /// Makes a case of \p module, with the random choices of case \p index.
  StressCase(mlir::ModuleOp module, uint64_t seed, int64_t index);

  /// Runs the stages in order up to and including \p last (empty: all). The
  /// error says which stage found what.
  Status run(llvm::StringRef last, StressStatistics &statistics);

  mlir::ModuleOp getModule() { return *module; }
  /// Names the library that plays CUDA (docs/stand-in.md); without it the stage
  /// "stand-in" does nothing.
  void setStandIn(std::string path) { standIn = std::move(path); }
  /// The names of the stages, in order.
  static llvm::SmallVector<llvm::StringRef> getStages();

private:
  /// Evaluates the program, with bounds.
  Status evaluateProgram();
  /// Printing and parsing gives the same text and the same values.
  Status checkText();
  /// Canonicalisation and the removal of common subexpressions keep the values.
  Status checkCanonicalForm();
  /// Fusing keeps the values, and so does cutting what was fused.
  Status checkFusedForm();
  /// Every operation has a linalg form.
  Status checkLinalg();
  /// Partitioning for a random budget keeps the values.
  Status checkPartition();
  /// Plans for several caps, from the smallest upwards, run under several
  /// schedules with interpreted kernels: all results have the same bits.
  Status checkExecution();
  /// Compiled kernels, called one after the other, agree with their bodies on
  /// the same operands, and all of them with the program.
  Status checkKernels();
  /// As checkExecution, with compiled kernels.
  Status checkWhole();
  /// The program with kernels for GPUs on the stand-in for CUDA, for several
  /// caps, under several schedules and random delays: all results have the same
  /// bits, and nothing is left behind.
  Status checkStandIn();

  using KernelTable =
      llvm::function_ref<runtime::KernelFunction(llvm::StringRef)>;
  ExecutionInputs executionInputs(StoredParameters &stored);
  /// Places \p graph for a cap of \p cap bytes, 0 for none, with planner
  /// options that do not matter to results.
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> place(mlir::ModuleOp graph,
                                                    uint64_t cap);
  Status checkCaps(mlir::ModuleOp graph, KernelTable kernels);
  Status checkCap(mlir::ModuleOp graph, uint64_t cap,
                  const ExecutionInputs &execution, KernelTable kernels,
                  bool guard);
  /// One alignment unit less than \p smallest is refused, with all it takes.
  Status checkSmallestCap(mlir::ModuleOp graph, uint64_t smallest);
  /// What was placed for one cap and planned again for \p cap is what is placed
  /// for that, byte by byte, and has the same results. One alignment unit below
  /// \p smallest is refused.
  Status checkReplanned(mlir::ModuleOp graph, uint64_t smallest, uint64_t cap,
                        const ExecutionInputs &execution, KernelTable kernels,
                        bool guard);
  /// A cap on host memory holds, or is refused for that reason.
  Status checkHostCap(mlir::ModuleOp graph, const PlacedProgram &placed);
  /// Plans for \p cap and runs on the stand-in.
  Status checkOnDevices(mlir::ModuleOp graph, uint64_t cap, uint64_t &smallest,
                        const ExecutionInputs &execution);
  /// Compares with the first run, bit by bit, and that one with the program.
  Status compareRun(llvm::ArrayRef<parameters::Tensor> results);

  /// A copy of the program, or of \p from, after \p pipeline.
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> lower(llvm::StringRef pipeline);
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> lower(mlir::ModuleOp from,
                                                    llvm::StringRef pipeline);
  /// Evaluates entry @main of \p lowered and compares with the program's
  /// results.
  Status compareEvaluated(mlir::ModuleOp lowered);
  /// Compares results computed otherwise, in the order of the signature.
  Status compareResults(llvm::ArrayRef<reference::NamedTensor> actual);

  struct Stage;
  static const Stage stages[];

  mlir::MLIRContext *context;
  uint64_t caseSeed;
  Random random;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  reference::Signature signature;
  llvm::SmallVector<reference::NamedTensor> inputs;
  reference::ParameterFn parameters;
  llvm::SmallVector<reference::NamedTensor> expected;
  std::vector<parameters::Tensor> firstResults;
  /// The pass that partitions, with its options.
  std::string partitioning;
  StressStatistics *statistics = nullptr;
  std::string standIn;
};

} // namespace turnip::testing

#endif // TURNIP_TESTING_STRESSCASE_H
