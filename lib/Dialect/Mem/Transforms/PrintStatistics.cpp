//===- PrintStatistics.cpp - Peaks, copies and dependencies ---------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Dialect/Mem/Transforms/Passes.h"

#include "turnip/Dialect/Mem/IR/Machine.h"
#include "turnip/support/ByteSize.h"
#include "llvm/Support/Format.h"

namespace turnip::mem {
#define GEN_PASS_DEF_PRINTSTATISTICS
#include "turnip/Dialect/Mem/Transforms/Passes.h.inc"
} // namespace turnip::mem

using namespace mlir;
using namespace turnip;
using namespace turnip::mem;

namespace {
struct Copies {
  int64_t count = 0, bytes = 0;
  void add(int64_t moved) {
    ++count;
    bytes += moved;
  }
};

/// Counts in one graph.
class GraphCounts {
public:
  GraphCounts(GraphOp graph, Machine &machine);
  void print(raw_ostream &os);

private:
  void addRange(RangeAttr range);
  void addCall(CallOp call);
  void addCopy(CopyOp copy);
  void printMemories(raw_ostream &os);
  void printDevices(raw_ostream &os);
  void printCopies(raw_ostream &os);
  void printBounds(raw_ostream &os);

  GraphOp graph;
  Machine &machine;
  std::vector<int64_t> peaks;
  std::vector<Copies> links;
  std::map<CopyRole, Copies> roles;
  llvm::DenseMap<int64_t, StringRef> taskNames;
  int64_t calls = 0, copies = 0, joins = 0, data = 0, memory = 0;
};
} // namespace

void GraphCounts::addRange(RangeAttr range) {
  int64_t &peak = peaks[*machine.findMemory(range.getMemory())];
  peak = std::max(peak, range.getOffset() + range.getBytes());
}

void GraphCounts::addCall(CallOp call) {
  ++calls;
  data += call.getDataTokens().size();
  memory += call.getMemoryTokens().size();
  for (ArrayAttr ranges : {call.getReads(), call.getWrites()})
    for (RangeAttr range : ranges.getAsRange<RangeAttr>())
      addRange(range);
  if (call.getWorkspace())
    addRange(*call.getWorkspace());
  if (call.getTask())
    taskNames[*call.getTask()] = call.getTaskLabel();
}

void GraphCounts::addCopy(CopyOp copy) {
  ++copies;
  data += copy.getDataTokens().size();
  memory += copy.getMemoryTokens().size();
  addRange(copy.getSource());
  addRange(copy.getDestination());
  int64_t bytes = copy.getSource().getBytes();
  roles[copy.getRole()].add(bytes);
  if (std::optional<uint32_t> link = machine.linkOf(copy))
    links[*link].add(bytes);
}

GraphCounts::GraphCounts(GraphOp graph, Machine &machine)
    : graph(graph), machine(machine), peaks(machine.getMemories().size()),
      links(machine.getLinks().size()) {
  for (Operation &op : graph.getBody().front()) {
    if (auto parameter = dyn_cast<ParameterOp>(op)) {
      addRange(parameter.getRange());
    } else if (auto input = dyn_cast<InputOp>(op)) {
      addRange(input.getRange());
    } else if (auto result = dyn_cast<ResultOp>(op)) {
      addRange(result.getRange());
    } else if (auto call = dyn_cast<CallOp>(op)) {
      addCall(call);
    } else if (auto copy = dyn_cast<CopyOp>(op)) {
      addCopy(copy);
    } else if (auto join = dyn_cast<JoinOp>(op)) {
      ++joins;
      data += join.getDataTokens().size();
      memory += join.getMemoryTokens().size();
    }
  }
}

void GraphCounts::printMemories(raw_ostream &os) {
  for (auto [index, memory] : llvm::enumerate(machine.getMemories()))
    os << "  memory @" << memory.getSymName() << ": peak "
       << formatExactBytes(peaks[index]) << " of "
       << formatExactBytes(memory.getCapacity()) << "\n";
}

void GraphCounts::printDevices(raw_ostream &os) {
  std::optional<StatisticsAttr> statistics = graph.getStatistics();
  if (!statistics || statistics->getSmallestCaps().empty())
    return;
  for (auto [index, device] : llvm::enumerate(machine.getDevices())) {
    if (device.getKind() == DeviceKind::Host)
      continue;
    auto cap = cast<SmallestCapAttr>(statistics->getSmallestCaps()[index]);
    os << "  device \"" << device.getName() << "\": smallest cap "
       << formatExactBytes(cap.getBytes());
    if (cap.getTask() >= 0)
      os << ", by task " << cap.getTask() << " ("
         << taskNames.lookup(cap.getTask()) << ")";
    os << "\n";
  }
}

void GraphCounts::printCopies(raw_ostream &os) {
  for (auto [role, counted] : roles)
    os << "  " << stringifyCopyRole(role) << ": " << counted.count
       << " copies, " << formatExactBytes(counted.bytes) << "\n";
  for (auto [index, link] : llvm::enumerate(machine.getLinks()))
    os << "  link @" << link.getSource() << " to @" << link.getDestination()
       << ": " << links[index].count << " copies, "
       << formatExactBytes(links[index].bytes) << "\n";
}

void GraphCounts::printBounds(raw_ostream &os) {
  std::optional<StatisticsAttr> statistics = graph.getStatistics();
  if (!statistics)
    return;
  os << "  bound of bytes brought to devices: "
     << formatExactBytes(statistics->getIncomingBytesBound()) << "\n";
  auto seconds = [&](StringRef what, FloatAttr value) {
    os << "  " << what << ": " << llvm::format("%.6f", value.getValueAsDouble())
       << " s\n";
  };
  seconds("bound of computing", statistics->getComputeBound());
  seconds("bound of copying", statistics->getTransferBound());
  seconds("longest chain", statistics->getCriticalPath());
  seconds("bound of the whole", statistics->getMakespanBound());
  seconds("prediction", statistics->getPredictedMakespan());
  os << "  order: " << statistics->getOrder().getValue() << "\n";
}

void GraphCounts::print(raw_ostream &os) {
  os << "graph @" << graph.getSymName() << "\n";
  printMemories(os);
  printDevices(os);
  int64_t operations = calls + copies + joins;
  os << "  operations: " << calls << " calls, " << copies << " copies, "
     << joins << " joins\n";
  double edges = operations ? double(data + memory) / operations : 0;
  os << "  dependencies: " << data << " data, " << memory << " memory, "
     << llvm::format("%.2f", edges) << " per operation\n";
  printCopies(os);
  printBounds(os);
}

void turnip::mem::printStatistics(ModuleOp module, raw_ostream &os) {
  MachineOp machineOp = getMachine(module);
  if (!machineOp)
    return;
  Machine machine(machineOp);
  for (auto graph : module.getOps<GraphOp>())
    GraphCounts(graph, machine).print(os);
}

namespace {
struct PrintStatisticsPass
    : turnip::mem::impl::PrintStatisticsBase<PrintStatisticsPass> {
  void runOnOperation() override {
    turnip::mem::printStatistics(getOperation(), llvm::errs());
    markAllAnalysesPreserved();
  }
};
} // namespace
