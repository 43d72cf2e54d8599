//===- MemGraph.cpp - mem.graph and its proof -----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Dialect/Mem/IR/GraphPlacement.h"

#include "GraphTasks.h"
#include "mlir/IR/Builders.h"
#include "turnip/Dialect/Task/IR/Box.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::mem;

void GraphOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                    StatisticsAttr statistics) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  if (statistics)
    state.addAttribute(getStatisticsAttrName(state.name), statistics);
  state.addRegion()->emplaceBlock();
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

LogicalResult GraphOp::verifyRegions() {
  SmallVector<task::Box> parameters, inputs, results;
  for (Operation &op : getBody().front()) {
    if (auto parameter = dyn_cast<ParameterOp>(op))
      parameters.push_back(task::boxOf(parameter, parameter.getElementType()));
    else if (auto input = dyn_cast<InputOp>(op))
      inputs.push_back(task::boxOf(input, input.getElementType()));
    else if (auto result = dyn_cast<ResultOp>(op))
      results.push_back(task::boxOf(result, result.getElementType()));
    else if (!isa<ArgumentOp, CostOp, CallOp, CopyOp, JoinOp>(op))
      return op.emitOpError("expected only mem operations in a mem.graph");
  }
  if (failed(verifySameTensors(parameters, /*viewsAllowed=*/true)) ||
      failed(verifySameTensors(inputs, /*viewsAllowed=*/true)) ||
      failed(verifySameTensors(results, /*viewsAllowed=*/false)))
    return failure();
  return verifyCoverage(results);
}

//===----------------------------------------------------------------------===//
// Operations against machine and kernels
//===----------------------------------------------------------------------===//

namespace {
/// Checks what each operation names: memories, devices, links, kernels.
class SymbolVerifier {
public:
  SymbolVerifier(GraphOp graph, Machine &machine,
                 SymbolTableCollection &symbols)
      : graph(graph), machine(machine), symbols(symbols) {}

  LogicalResult verify();
  task::KernelOp lookup(FlatSymbolRefAttr name) {
    return symbols.lookupNearestSymbolFrom<task::KernelOp>(graph, name);
  }

private:
  FailureOr<MemoryOp> memoryOf(Operation *op, RangeAttr range);
  LogicalResult verifyPiece(Operation *op, RangeAttr range, MemoryKind kind);
  LogicalResult verifyParameter(ParameterOp op);
  LogicalResult verifyCall(CallOp call);
  LogicalResult verifyBuffers(CallOp call, task::KernelOp kernel,
                              StringRef what, ArrayAttr ranges,
                              ArrayRef<Type> types);
  LogicalResult verifyPlaces(CallOp call, DeviceOp device);
  LogicalResult verifyScalars(CallOp call, task::KernelOp kernel);
  LogicalResult verifyRepeats(CallOp call);
  LogicalResult verifyCopy(CopyOp copy);
  LogicalResult verifyCost(CostOp cost);

  GraphOp graph;
  Machine &machine;
  SymbolTableCollection &symbols;
  int64_t arguments = 0;
  DenseSet<std::pair<Attribute, Attribute>> costs;
  /// The first call that writes each value.
  DenseMap<int64_t, CallOp> writers;
};
} // namespace

FailureOr<MemoryOp> SymbolVerifier::memoryOf(Operation *op, RangeAttr range) {
  std::optional<uint32_t> index = machine.findMemory(range.getMemory());
  if (!index)
    return op->emitOpError("expected a memory of the machine, but there is no ")
           << range.getMemory();
  return machine.getMemories()[*index];
}

LogicalResult SymbolVerifier::verifyPiece(Operation *op, RangeAttr range,
                                          MemoryKind kind) {
  FailureOr<MemoryOp> memory = memoryOf(op, range);
  if (failed(memory))
    return failure();
  if (memory->getKind() == kind)
    return success();
  return op->emitOpError("expected bytes in a memory of kind ")
         << stringifyMemoryKind(kind) << ", but " << range.getMemory()
         << " is of kind " << stringifyMemoryKind(memory->getKind());
}

/// A parameter is loaded from a memory of parameters, or stays on a device.
LogicalResult SymbolVerifier::verifyParameter(ParameterOp op) {
  FailureOr<MemoryOp> memory = memoryOf(op, op.getRange());
  if (failed(memory))
    return failure();
  if (memory->getKind() == MemoryKind::Device)
    return success();
  return verifyPiece(op, op.getRange(), MemoryKind::Parameters);
}

LogicalResult SymbolVerifier::verifyBuffers(CallOp call, task::KernelOp kernel,
                                            StringRef what, ArrayAttr ranges,
                                            ArrayRef<Type> types) {
  if (ranges.size() != types.size())
    return call.emitOpError("expected ")
           << types.size() << " " << what << " as kernel "
           << call.getKernelAttr() << " has, but got " << ranges.size();
  for (auto [index, pair] :
       llvm::enumerate(llvm::zip(ranges.getAsRange<RangeAttr>(), types))) {
    auto [range, type] = pair;
    auto tensor = cast<RankedTensorType>(type);
    int64_t bytes =
        *task::denseBytes(tensor.getShape(), tensor.getElementType());
    if (range.getBytes() != bytes)
      return call.emitOpError("expected number ")
             << index << " of " << what << " to have " << bytes
             << " bytes as in kernel " << call.getKernelAttr() << ", but got "
             << range.getBytes();
  }
  return success();
}

/// A device accesses its memory; the host also reads parameters in place.
LogicalResult SymbolVerifier::verifyPlaces(CallOp call, DeviceOp device) {
  auto check = [&](RangeAttr range, bool isRead) -> LogicalResult {
    FailureOr<MemoryOp> memory = memoryOf(call, range);
    if (failed(memory))
      return failure();
    if (range.getMemory() == device.getMemoryAttr() ||
        (isRead && device.getKind() == DeviceKind::Host &&
         memory->getKind() == MemoryKind::Parameters))
      return success();
    return call.emitOpError("expected device ")
           << device.getNameAttr() << " to access " << device.getMemoryAttr()
           << ", but it accesses " << range.getMemory();
  };
  for (RangeAttr range : call.getReads().getAsRange<RangeAttr>())
    if (failed(check(range, /*isRead=*/true)))
      return failure();
  for (RangeAttr range : call.getWrites().getAsRange<RangeAttr>())
    if (failed(check(range, /*isRead=*/false)))
      return failure();
  if (call.getWorkspace())
    return check(*call.getWorkspace(), /*isRead=*/false);
  return success();
}

LogicalResult SymbolVerifier::verifyScalars(CallOp call,
                                            task::KernelOp kernel) {
  size_t scalars = call.getScalars() ? call.getScalars()->size() : 0;
  if (scalars != kernel.getNumScalarArguments())
    return call.emitOpError("expected ")
           << kernel.getNumScalarArguments() << " scalars as kernel "
           << call.getKernelAttr() << " has, but got " << scalars;
  if (std::optional<ArrayRef<int64_t>> used = call.getScalarArguments())
    for (int64_t argument : *used)
      if (argument < -1 || argument >= arguments)
        return call.emitOpError("expected an argument below ")
               << arguments << ", but got " << argument;
  return success();
}

/// The values of \p ranges.
static SmallVector<int64_t> valuesOf(ArrayAttr ranges) {
  SmallVector<int64_t> values;
  for (RangeAttr range : ranges.getAsRange<RangeAttr>())
    values.push_back(range.getValue());
  return values;
}

/// Calls that write the same value compute it in the same way: a kernel leaves
/// the same bits for the same operands and scalars on the same device.
LogicalResult SymbolVerifier::verifyRepeats(CallOp call) {
  for (int64_t value : valuesOf(call.getWrites())) {
    CallOp first = writers.try_emplace(value, call).first->second;
    if (first == call)
      continue;
    StringRef what;
    if (first.getKernelAttr() != call.getKernelAttr())
      what = "kernel";
    else if (first.getDeviceAttr() != call.getDeviceAttr())
      what = "device";
    else if (first.getScalarsAttr() != call.getScalarsAttr() ||
             first.getScalarArgumentsAttr() != call.getScalarArgumentsAttr())
      what = "scalars";
    else if (valuesOf(first.getReads()) != valuesOf(call.getReads()))
      what = "operands";
    else if (valuesOf(first.getWrites()) != valuesOf(call.getWrites()))
      what = "results";
    else
      continue;
    InFlightDiagnostic diag = call.emitOpError("expected the ")
                              << what << " of the other call that computes v"
                              << value;
    diag.attachNote(first.getLoc()) << "the other call is here";
    return diag;
  }
  return success();
}

LogicalResult SymbolVerifier::verifyCall(CallOp call) {
  task::KernelOp kernel = lookup(call.getKernelAttr());
  if (!kernel)
    return call.emitOpError("expected a task.kernel, but there is no ")
           << call.getKernelAttr();
  std::optional<uint32_t> device = machine.findDevice(call.getDeviceAttr());
  if (!device)
    return call.emitOpError(
               "expected a device of the machine, but there is no ")
           << call.getDeviceAttr();
  ArrayRef<Type> operands =
      kernel.getArgumentTypes().take_front(kernel.getNumTensorArguments());
  if (failed(verifyBuffers(call, kernel, "reads", call.getReads(), operands)) ||
      failed(verifyBuffers(call, kernel, "writes", call.getWrites(),
                           kernel.getResultTypes())) ||
      failed(verifyPlaces(call, machine.getDevices()[*device])) ||
      failed(verifyScalars(call, kernel)))
    return failure();
  int64_t workspace = call.getWorkspace() ? call.getWorkspace()->getBytes() : 0;
  if (workspace != kernel.getWorkspaceBytes())
    return call.emitOpError("expected a workspace of ")
           << kernel.getWorkspaceBytes() << " bytes as kernel "
           << call.getKernelAttr() << " needs, but got " << workspace;
  return verifyRepeats(call);
}

LogicalResult SymbolVerifier::verifyCopy(CopyOp copy) {
  FlatSymbolRefAttr source = copy.getSource().getMemory();
  FlatSymbolRefAttr destination = copy.getDestination().getMemory();
  if (failed(memoryOf(copy, copy.getSource())) ||
      failed(memoryOf(copy, copy.getDestination())))
    return failure();
  int64_t links = machine.getLinks().size();
  if (std::optional<int64_t> via = copy.getVia()) {
    if (*via < 0 || *via >= links)
      return copy.emitOpError("expected a link below ")
             << links << ", but got " << *via;
    LinkOp link = machine.getLinks()[*via];
    if (link.getSourceAttr() == source &&
        link.getDestinationAttr() == destination)
      return success();
    InFlightDiagnostic diag = copy.emitOpError("expected a link from ")
                              << source << " to " << destination
                              << ", but got one from " << link.getSourceAttr()
                              << " to " << link.getDestinationAttr();
    diag.attachNote(link.getLoc()) << "the link is defined here";
    return diag;
  }
  bool movesItself = source == destination &&
                     llvm::any_of(machine.getDevices(), [&](DeviceOp device) {
                       return device.getMemoryAttr() == source;
                     });
  if (machine.findLink(source, destination) || movesItself)
    return success();
  return copy.emitOpError("expected a link from ")
         << source << " to " << destination << ", but the machine has none";
}

LogicalResult SymbolVerifier::verifyCost(CostOp cost) {
  if (!lookup(cost.getKernelAttr()))
    return cost.emitOpError("expected a task.kernel, but there is no ")
           << cost.getKernelAttr();
  if (!machine.findDevice(cost.getDeviceAttr()))
    return cost.emitOpError(
               "expected a device of the machine, but there is no ")
           << cost.getDeviceAttr();
  if (!costs.insert({cost.getKernelAttr(), cost.getDeviceAttr()}).second)
    return cost.emitOpError("expected one cost per kernel and device, but got "
                            "another of ")
           << cost.getKernelAttr() << " on " << cost.getDeviceAttr();
  return success();
}

LogicalResult SymbolVerifier::verify() {
  arguments = llvm::range_size(graph.getOps<ArgumentOp>());
  for (Operation &op : graph.getBody().front()) {
    LogicalResult result = success();
    if (auto parameter = dyn_cast<ParameterOp>(op))
      result = verifyParameter(parameter);
    else if (auto input = dyn_cast<InputOp>(op))
      result = verifyPiece(&op, input.getRange(), MemoryKind::Host);
    else if (auto exit = dyn_cast<ResultOp>(op))
      result = verifyPiece(&op, exit.getRange(), MemoryKind::Host);
    else if (auto call = dyn_cast<CallOp>(op))
      result = verifyCall(call);
    else if (auto copy = dyn_cast<CopyOp>(op))
      result = verifyCopy(copy);
    else if (auto cost = dyn_cast<CostOp>(op))
      result = verifyCost(cost);
    if (failed(result))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The proof
//===----------------------------------------------------------------------===//

static std::string describe(Operation *op) {
  std::string text = op->getName().getStringRef().str();
  if (auto call = dyn_cast<CallOp>(op)) {
    text += " @" + call.getKernel().str();
    if (call.getTask())
      text += " task " + std::to_string(*call.getTask());
  } else if (auto copy = dyn_cast<CopyOp>(op)) {
    text += " " + stringifyCopyRole(copy.getRole()).str();
  }
  return text;
}

/// Runs the planner's proof. The operations that its message names, in the
/// order in which it does, are where the error and its notes go.
static LogicalResult prove(GraphOp graph,
                           const GraphPlacement &graphPlacement) {
  llvm::MapVector<Operation *, std::string> named;
  planner::PlacementNames names;
  names.operation = [&](uint32_t id) {
    Operation *op = graphPlacement.operations[id];
    std::string name = describe(op) + " (operation " + std::to_string(id) + ")";
    named[op] = name;
    return name;
  };
  names.value = [](uint32_t id) { return "v" + std::to_string(id); };
  Status status = planner::verifyPlacement(graphPlacement.placement, names);
  if (status.isOk())
    return success();
  const std::string &message = status.message();
  auto ordered = named.takeVector();
  llvm::erase_if(ordered, [&](const auto &entry) {
    return message.find(entry.second) == std::string::npos;
  });
  llvm::sort(ordered, [&](const auto &a, const auto &b) {
    return message.find(a.second) < message.find(b.second);
  });
  Operation *where = ordered.empty() ? graph : ordered.front().first;
  InFlightDiagnostic diag = where->emitOpError("breaks the placement: ")
                            << message;
  for (auto &[other, name] : ordered)
    if (other != where)
      diag.attachNote(other->getLoc()) << name << " is here";
  return diag;
}

static LogicalResult verifyStatistics(GraphOp graph, Machine &machine) {
  std::optional<StatisticsAttr> statistics = graph.getStatistics();
  if (!statistics)
    return success();
  auto check = [&](StringRef what, size_t actual, size_t expected) {
    if (actual == 0 || actual == expected)
      return success();
    return LogicalResult(graph.emitOpError("expected statistics of ")
                         << expected << " " << what << ", but got " << actual);
  };
  return success(
      succeeded(check("memories", statistics->getPeakBytes().size(),
                      machine.getMemories().size())) &&
      succeeded(check("links", statistics->getLinkBytes().size(),
                      machine.getLinks().size())) &&
      succeeded(check("devices", statistics->getSmallestCaps().size(),
                      machine.getDevices().size())));
}

LogicalResult GraphOp::verifySymbolUses(SymbolTableCollection &symbols) {
  MachineOp machineOp = getMachine((*this)->getParentOfType<ModuleOp>());
  if (!machineOp)
    return emitOpError("expected a mem.machine in the module");
  Machine machine(machineOp);
  SymbolVerifier verifier(*this, machine, symbols);
  if (failed(verifier.verify()) || failed(verifyStatistics(*this, machine)) ||
      failed(verifyTasks(*this, machine, symbols)))
    return failure();
  return prove(*this,
               buildPlacement(*this, machine, [&](FlatSymbolRefAttr name) {
                 return verifier.lookup(name);
               }));
}
