//===- PrintStatistics.cpp - What a task graph consists of ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Dialect/Task/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "turnip/Dialect/Task/IR/Task.h"
#include "turnip/support/ByteSize.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"

namespace turnip::task {
#define GEN_PASS_DEF_PRINTSTATISTICS
#include "turnip/Dialect/Task/Transforms/Passes.h.inc"
} // namespace turnip::task

using namespace mlir;
using namespace turnip;
using namespace turnip::task;

static std::string placeText(int64_t place) {
  return place == PlaceAttr::kHost ? "host" : "dev " + std::to_string(place);
}

namespace {
/// Counts in one graph.
struct GraphCounts {
  struct Slices {
    int64_t count = 0, bytes = 0;
    void add(TileType type) {
      ++count;
      bytes += type.getSizeInBytes();
    }
  };
  struct Largest {
    int64_t bytes = -1, task = 0;
    StringRef kernel;
  };

  explicit GraphCounts(GraphOp graph);
  void addCall(CallOp call, int64_t task);
  void print(GraphOp graph, raw_ostream &os) const;

  std::map<int64_t, int64_t> calls;
  int64_t transfers = 0;
  Slices parameters, hostParameters, inputs, results;
  std::map<int64_t, Largest> largest;
  llvm::MapVector<StringAttr, int64_t> kernelCalls;
  SymbolTableCollection symbols;
};
} // namespace

/// What the call needs in its memory, each range aligned to 64 bytes.
static int64_t workingSet(CallOp call, KernelOp kernel) {
  auto aligned = [](int64_t bytes) {
    return static_cast<int64_t>(llvm::alignTo(bytes, 64));
  };
  int64_t bytes = kernel ? aligned(kernel.getWorkspaceBytes()) : 0;
  llvm::SmallPtrSet<void *, 8> seen;
  for (Value operand : call.getOperands())
    if (seen.insert(operand.getAsOpaquePointer()).second)
      bytes += aligned(cast<TileType>(operand.getType()).getSizeInBytes());
  for (Value result : call.getResults())
    bytes += aligned(cast<TileType>(result.getType()).getSizeInBytes());
  return bytes;
}

void GraphCounts::addCall(CallOp call, int64_t task) {
  int64_t place = call.getPlace().getIndex();
  ++calls[place];
  ++kernelCalls[call.getKernelAttr().getAttr()];
  auto kernel =
      symbols.lookupNearestSymbolFrom<KernelOp>(call, call.getKernelAttr());
  int64_t bytes = workingSet(call, kernel);
  Largest &best = largest[place];
  if (bytes > best.bytes)
    best = {bytes, task, call.getKernel()};
}

GraphCounts::GraphCounts(GraphOp graph) {
  int64_t task = 0;
  for (Operation &op : graph.getBody().front()) {
    if (auto call = dyn_cast<CallOp>(op)) {
      addCall(call, task++);
    } else if (isa<TransferOp>(op)) {
      ++transfers;
      ++task;
    } else if (auto parameter = dyn_cast<ParameterOp>(op)) {
      parameters.add(parameter.getTile().getType());
      if (parameter.getTile().getType().getPlace().isHost())
        hostParameters.add(parameter.getTile().getType());
    } else if (auto input = dyn_cast<InputOp>(op)) {
      inputs.add(input.getTile().getType());
    } else if (auto result = dyn_cast<ResultOp>(op)) {
      results.add(result.getTile().getType());
    }
  }
}

void GraphCounts::print(GraphOp graph, raw_ostream &os) const {
  os << "graph @" << graph.getSymName() << " on " << graph.getDevices()
     << (graph.getDevices() == 1 ? " device\n" : " devices\n");
  os << "  calls:";
  StringRef separator = " ";
  for (auto [place, count] : calls) {
    os << separator << count << " on " << placeText(place);
    separator = ", ";
  }
  os << "; " << transfers << " transfers\n";
  std::vector<std::pair<StringRef, Slices>> slices = {
      {"parameters", parameters}, {"inputs", inputs}, {"results", results}};
  if (hostParameters.count > 0)
    slices.insert(slices.begin() + 1,
                  {"parameters read on the host", hostParameters});
  for (auto [what, counted] : slices)
    os << "  " << what << ": " << counted.count << " slices, "
       << formatExactBytes(counted.bytes) << "\n";
  for (auto &[place, entry] : largest)
    os << "  largest working set of " << placeText(place) << ": task "
       << entry.task << " (" << entry.kernel << "), "
       << formatExactBytes(entry.bytes) << "\n";
}

int64_t turnip::task::largestWorkingSet(ModuleOp module) {
  int64_t bytes = 0;
  for (auto graph : module.getOps<GraphOp>())
    for (const auto &[place, largest] : GraphCounts(graph).largest)
      if (place != PlaceAttr::kHost)
        bytes = std::max(bytes, largest.bytes);
  return bytes;
}

void turnip::task::printStatistics(ModuleOp module, raw_ostream &os) {
  llvm::MapVector<StringAttr, int64_t> kernelCalls;
  for (auto graph : module.getOps<GraphOp>()) {
    GraphCounts counts(graph);
    counts.print(graph, os);
    for (auto [kernel, count] : counts.kernelCalls)
      kernelCalls[kernel] += count;
  }
  for (auto kernel : module.getOps<KernelOp>()) {
    os << "kernel @" << kernel.getSymName() << ": "
       << kernelCalls.lookup(kernel.getSymNameAttr()) << " calls, workspace "
       << kernel.getWorkspaceBytes() << " bytes";
    if (kernel.getFlops())
      os << ", " << *kernel.getFlops() << " flops";
    if (kernel.getBytes())
      os << ", " << *kernel.getBytes() << " bytes moved";
    os << "\n";
  }
}

namespace {
struct PrintStatisticsPass
    : turnip::task::impl::PrintStatisticsBase<PrintStatisticsPass> {
  void runOnOperation() override {
    turnip::task::printStatistics(getOperation(), llvm::errs());
    markAllAnalysesPreserved();
  }
};
} // namespace
