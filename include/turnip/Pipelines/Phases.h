//===- Phases.h - The phases of compilation, in one table ----- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From one table come the pipelines of turnip-opt (turnip-ein,
// turnip-ein-to-task, turnip-task-to-mem) and turnip-compile's --compile-from,
// --compile-to and
// --dump-phases, so they always agree.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_PIPELINES_PHASES_H
#define TURNIP_PIPELINES_PHASES_H

#include "mlir/Pass/PassManager.h"
#include "turnip/support/Status.h"
#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace turnip {

/// What a user says about a compilation. Sizes are as parseByteSize reads them.
struct CompileOptions {
  /// Bytes that one task's operands and results may take; runPhases() also
  /// takes "auto" and chooses.
  std::string tileBudget = "4MiB";
  /// Bytes of each device and of the host; empty: no cap.
  std::string deviceMemory, hostMemory;
  /// The processor that kernels are compiled for.
  std::string target = "x86-64-v3";
  /// Bytes per second and seconds that the planner reckons with per copy; -1:
  /// the machine's, or place-memory's own.
  double linkBandwidth = -1, linkLatency = -1;
  /// How the planner works: its policy as planner::parsePolicy reads it, its
  /// effort and its seed, and whether it may compute tiles again.
  std::string policy = "default";
  unsigned planEffort = 1;
  uint64_t planSeed = 0;
  bool rematerialize = true;
  /// The machine to plan for: a name or a file; empty: none in particular.
  std::string machine;
  /// Whether attention becomes one operation (ein-fuse).
  bool fuseAttention = false;
};

/// The levels of the program. Input is whatever comes in.
enum class Phase { Input, Ein, Task, Mem, Artifact };

/// One phase: how to get there from the one before.
struct PhaseInfo {
  Phase phase;
  /// As --compile-to spells it.
  llvm::StringLiteral name;
  /// The pipeline of turnip-opt that gets there; empty where no pass does.
  llvm::StringLiteral pipeline;
  llvm::StringLiteral summary;
  /// Adds the pipeline's passes. Null where no pass gets there. A pass that can
  /// tell why it fails writes that to \p failure if it is not null.
  void (*build)(mlir::OpPassManager &manager, const CompileOptions &options,
                Status *failure);
};

/// All phases in order, Input first.
llvm::ArrayRef<PhaseInfo> getPhases();

/// Registers the pipelines of all phases for turnip-opt.
void registerPhasePipelines();

} // namespace turnip

#endif // TURNIP_PIPELINES_PHASES_H
