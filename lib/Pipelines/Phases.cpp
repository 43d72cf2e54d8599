//===- Phases.cpp - The phases of compilation, in one table ---------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Pipelines/Phases.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "turnip/Codegen/Passes.h"
#include "turnip/Conversion/EinToTask/Passes.h"
#include "turnip/Conversion/TaskToMem/Passes.h"
#include "turnip/Dialect/Ein/Transforms/Passes.h"
#include "turnip/Dialect/Mem/Transforms/Passes.h"
#include "turnip/Dialect/Task/Transforms/Passes.h"

using namespace mlir;
using namespace turnip;

//===----------------------------------------------------------------------===//
// What each phase does
//===----------------------------------------------------------------------===//

static void cleanUp(OpPassManager &manager) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

static void buildEin(OpPassManager &manager, const CompileOptions &options,
                     Status *) {
  manager.addPass(createInlinerPass());
  manager.addPass(createSymbolDCEPass());
  cleanUp(manager);
  ein::EinFuseOptions fuse;
  fuse.attention = options.fuseAttention;
  manager.addNestedPass<func::FuncOp>(ein::createEinFuse(fuse));
  cleanUp(manager);
}

static void buildTask(OpPassManager &manager, const CompileOptions &options,
                      Status *) {
  PartitionEinOptions partition;
  partition.tileBudget = options.tileBudget;
  manager.addPass(createPartitionEin(partition));
  cleanUp(manager);
  manager.addPass(task::createDeduplicateKernels());
  manager.addPass(task::createVerifyTask());
}

static void buildMem(OpPassManager &manager, const CompileOptions &options,
                     Status *failure) {
  codegen::TaskCompileKernelsOptions kernels;
  kernels.target = options.target;
  manager.addPass(codegen::createTaskCompileKernels(kernels));
  PlaceMemoryOptions place;
  place.deviceMemory = options.deviceMemory;
  place.hostMemory = options.hostMemory;
  place.linkBandwidth = options.linkBandwidth;
  place.linkLatency = options.linkLatency;
  place.policy = options.policy;
  place.planEffort = options.planEffort;
  place.planSeed = options.planSeed;
  place.rematerialize = options.rematerialize;
  place.machine = options.machine;
  manager.addPass(createPlaceMemory(place, failure));
  manager.addPass(mem::createVerifyMem());
}

ArrayRef<PhaseInfo> turnip::getPhases() {
  static constexpr PhaseInfo phases[] = {
      {Phase::Input, "input", "", "the program as it comes in", nullptr},
      {Phase::Ein, "ein", "turnip-ein", "whole tensors, simplified and fused",
       buildEin},
      {Phase::Task, "task", "turnip-ein-to-task",
       "kernel calls on tiles, each on a device", buildTask},
      {Phase::Mem, "mem", "turnip-task-to-mem",
       "compiled kernels on placed memory, with dependencies", buildMem},
      {Phase::Artifact, "artifact", "", "the file that turnip-run executes",
       nullptr},
  };
  return phases;
}

//===----------------------------------------------------------------------===//
// Pipelines of turnip-opt
//===----------------------------------------------------------------------===//

namespace {
struct EinPipelineOptions : PassPipelineOptions<EinPipelineOptions> {
  Option<bool> fuseAttention{
      *this, "fuse-attention",
      llvm::cl::desc("Make one operation of each attention"),
      llvm::cl::init(CompileOptions().fuseAttention)};
};

struct TaskPipelineOptions : PassPipelineOptions<TaskPipelineOptions> {
  Option<std::string> tileBudget{
      *this, "tile-budget",
      llvm::cl::desc("Bytes that one task's operands and results may take"),
      llvm::cl::init(CompileOptions().tileBudget)};
};

struct MemPipelineOptions : PassPipelineOptions<MemPipelineOptions> {
  Option<std::string> deviceMemory{
      *this, "device-memory",
      llvm::cl::desc("Bytes of each device's memory; empty: no cap")};
  Option<std::string> hostMemory{
      *this, "host-memory",
      llvm::cl::desc("Bytes of host memory; empty: no cap")};
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("The processor that kernels are compiled for"),
      llvm::cl::init(CompileOptions().target)};
  Option<std::string> machine{
      *this, "machine", llvm::cl::desc("A machine's name or description file")};
  Option<double> linkBandwidth{*this, "link-bandwidth",
                               llvm::cl::desc("Bytes per second of each link"),
                               llvm::cl::init(CompileOptions().linkBandwidth)};
  Option<double> linkLatency{
      *this, "link-latency",
      llvm::cl::desc("Seconds before a copy's first byte"),
      llvm::cl::init(CompileOptions().linkLatency)};
  Option<std::string> policy{
      *this, "policy",
      llvm::cl::desc("Who decides what lies in memory: default or a policy to "
                     "compare with"),
      llvm::cl::init(CompileOptions().policy)};
  Option<unsigned> planEffort{
      *this, "plan-effort",
      llvm::cl::desc("How many plans are tried, in multiples of what is usual"),
      llvm::cl::init(CompileOptions().planEffort)};
  Option<uint64_t> planSeed{
      *this, "plan-seed",
      llvm::cl::desc("Chooses among searches that are equally good to try"),
      llvm::cl::init(CompileOptions().planSeed)};
  Option<bool> rematerialize{
      *this, "rematerialize",
      llvm::cl::desc("Also try plans that compute cheap tiles again"),
      llvm::cl::init(CompileOptions().rematerialize)};
};
} // namespace

static const PhaseInfo &infoOf(Phase phase) {
  return getPhases()[static_cast<size_t>(phase)];
}

void turnip::registerPhasePipelines() {
  const PhaseInfo &ein = infoOf(Phase::Ein);
  static PassPipelineRegistration<EinPipelineOptions> einPipeline(
      ein.pipeline, ein.summary,
      [](OpPassManager &manager, const EinPipelineOptions &from) {
        CompileOptions options;
        options.fuseAttention = from.fuseAttention;
        buildEin(manager, options, nullptr);
      });
  const PhaseInfo &task = infoOf(Phase::Task);
  static PassPipelineRegistration<TaskPipelineOptions> taskPipeline(
      task.pipeline, task.summary,
      [](OpPassManager &manager, const TaskPipelineOptions &from) {
        CompileOptions options;
        options.tileBudget = from.tileBudget;
        buildTask(manager, options, nullptr);
      });
  const PhaseInfo &mem = infoOf(Phase::Mem);
  static PassPipelineRegistration<MemPipelineOptions> memPipeline(
      mem.pipeline, mem.summary,
      [](OpPassManager &manager, const MemPipelineOptions &from) {
        CompileOptions options;
        options.deviceMemory = from.deviceMemory;
        options.hostMemory = from.hostMemory;
        options.target = from.target;
        options.linkBandwidth = from.linkBandwidth;
        options.linkLatency = from.linkLatency;
        options.policy = from.policy;
        options.planEffort = from.planEffort;
        options.planSeed = from.planSeed;
        options.rematerialize = from.rematerialize;
        options.machine = from.machine;
        buildMem(manager, options, nullptr);
      });
}
