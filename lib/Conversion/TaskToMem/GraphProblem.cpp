//===- GraphProblem.cpp - A task.graph as a planning problem --------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphProblem.h"

#include "turnip/Dialect/Task/Analysis/KernelKind.h"

using namespace mlir;
using namespace turnip;

std::string turnip::taskName(Operation *op) {
  if (auto name = op->getLoc()->findInstanceOf<NameLoc>())
    return name.getName().str();
  if (auto call = dyn_cast<task::CallOp>(op))
    return call.getKernel().str();
  return "transfer";
}

namespace {
/// Translates one graph's operations in their order.
class ProblemBuilder {
public:
  ProblemBuilder(task::GraphOp graph, const planner::Problem &machine,
                 const ParameterPlaces &places, const MachineRates &rates)
      : graph(graph), places(places), rates(rates), result(graph) {
    result.problem.memories = machine.memories;
    result.problem.devices = machine.devices;
    result.problem.links = machine.links;
    host = result.problem.devices.size() - 1;
    parameters = result.problem.memories.size() - 1;
  }

  GraphProblem run();

private:
  uint32_t deviceOf(task::PlaceAttr place) const {
    return place.isHost() ? host : static_cast<uint32_t>(place.getIndex());
  }
  uint32_t memoryOf(task::PlaceAttr place) const {
    return result.problem.devices[deviceOf(place)].memory;
  }
  /// Whether an earlier operation defines the same tile.
  bool isKnown(Value value) const {
    return result.numbering.getTile(value) < result.problem.tiles.size();
  }
  uint32_t addTile(Value value, std::string name,
                   uint32_t initialMemory = planner::None,
                   uint64_t initialOffset = planner::Unplaced);
  void addParameter(task::ParameterOp op);
  void addInput(task::InputOp op);
  void addCall(task::CallOp op);
  void addTransfer(task::TransferOp op);
  double seconds(task::KernelOp kernel, uint32_t device) const;

  task::GraphOp graph;
  const ParameterPlaces &places;
  const MachineRates &rates;
  SymbolTableCollection symbols;
  GraphProblem result;
  uint32_t host, parameters;
  /// Seconds of each kernel on each device.
  llvm::DenseMap<std::pair<Operation *, uint32_t>, double> costs;
};
} // namespace

uint32_t ProblemBuilder::addTile(Value value, std::string name,
                                 uint32_t initialMemory,
                                 uint64_t initialOffset) {
  auto type = cast<task::TileType>(value.getType());
  planner::Tile tile;
  tile.bytes = type.getSizeInBytes();
  tile.memory = memoryOf(type.getPlace());
  tile.initialMemory = initialMemory;
  tile.initialOffset = initialOffset;
  uint32_t id = result.problem.addTile(tile, std::move(name));
  result.tileOps.push_back(value.getDefiningOp());
  return id;
}

void ProblemBuilder::addParameter(task::ParameterOp op) {
  if (isKnown(op.getTile()))
    return;
  task::PlaceAttr place = op.getTile().getType().getPlace();
  uint32_t memory = memoryOf(place);
  bool stays = places.ofHost && !place.isHost();
  uint32_t id = stays ? addTile(op.getTile(), op.getName().str(), memory)
                      : addTile(op.getTile(), op.getName().str(), parameters,
                                places.stored().offsetOf(op));
  if (stays)
    result.problem.tiles[id].finalMemory = memory;
}

void ProblemBuilder::addInput(task::InputOp op) {
  if (!isKnown(op.getTile()))
    addTile(op.getTile(), op.getName().str(),
            result.problem.devices[host].memory);
}

/// What a call takes: what the machine says of kernels of its kind; without a
/// machine the kernel's own estimate, or the larger of arithmetic and memory
/// time.
double ProblemBuilder::seconds(task::KernelOp kernel, uint32_t device) const {
  if (const std::optional<machine::Machine> &machine = rates.machine) {
    task::KernelKind kind = task::getKernelKind(kernel);
    const machine::Device &runsOn =
        machine
            ->devices[machine->findDevice(result.problem.devices[device].name)];
    if (!machine->kernels.empty())
      if (const machine::KernelTime *timed =
              machine->findKernel(task::getKernelHash(kernel)))
        return runsOn.secondsOf(*timed, kernel.getGrid().value_or(1));
    return runsOn.seconds(kind.kernelClass, kind.type, kind.flops, kind.bytes);
  }
  if (FloatAttr seconds = kernel.getSecondsAttr())
    return seconds.getValueAsDouble();
  double bytes = 0;
  if (std::optional<int64_t> known = kernel.getBytes()) {
    bytes = static_cast<double>(*known);
  } else {
    for (Type type : llvm::concat<const Type>(kernel.getArgumentTypes(),
                                              kernel.getResultTypes()))
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        bytes += static_cast<double>(
            *task::denseBytes(tensor.getShape(), tensor.getElementType()));
  }
  double flops = static_cast<double>(kernel.getFlops().value_or(0));
  return std::max(bytes / rates.byteRate, flops / rates.flopRate);
}

void ProblemBuilder::addCall(task::CallOp op) {
  auto kernel =
      symbols.lookupNearestSymbolFrom<task::KernelOp>(op, op.getKernelAttr());
  std::vector<uint32_t> operands, results;
  for (Value operand : op.getOperands())
    operands.push_back(result.numbering.getTile(operand));
  for (Value value : op.getResults())
    results.push_back(addTile(value, ""));
  std::vector<planner::InPlacePair> pairs;
  for (auto [operand, to] : kernel.getInplacePairs())
    pairs.push_back(
        {static_cast<uint32_t>(operand), static_cast<uint32_t>(to)});
  planner::Task task;
  task.device = deviceOf(op.getPlace());
  task.workspace = kernel.getWorkspaceBytes();
  auto [cost, isNew] = costs.try_emplace({kernel, task.device});
  if (isNew)
    cost->second = seconds(kernel, task.device);
  task.cost = cost->second;
  task.tag = result.taskOps.size();
  result.problem.addTask(task, operands, results, taskName(op), pairs);
  result.taskOps.push_back(op);
}

void ProblemBuilder::addTransfer(task::TransferOp op) {
  uint32_t from = result.numbering.getTile(op.getSource());
  task::PlaceAttr source = op.getSource().getType().getPlace();
  task::PlaceAttr destination = op.getResult().getType().getPlace();
  uint32_t to = addTile(op.getResult(), "");
  planner::Task task;
  task.kind = planner::TaskKind::Transfer;
  task.device = deviceOf(destination.isHost() ? source : destination);
  task.tag = result.taskOps.size();
  result.problem.addTask(task, {from}, {to}, taskName(op));
  result.taskOps.push_back(op);
}

GraphProblem ProblemBuilder::run() {
  for (Operation &op : graph.getBody().front()) {
    if (auto parameter = dyn_cast<task::ParameterOp>(op))
      addParameter(parameter);
    else if (auto input = dyn_cast<task::InputOp>(op))
      addInput(input);
    else if (auto call = dyn_cast<task::CallOp>(op))
      addCall(call);
    else if (auto transfer = dyn_cast<task::TransferOp>(op))
      addTransfer(transfer);
    else if (auto exit = dyn_cast<task::ResultOp>(op))
      result.problem.tiles[result.numbering.getTile(exit.getTile())]
          .finalMemory = result.problem.devices[host].memory;
  }
  return std::move(result);
}

GraphProblem turnip::buildProblem(task::GraphOp graph,
                                  const planner::Problem &machine,
                                  const ParameterPlaces &places,
                                  const MachineRates &rates) {
  return ProblemBuilder(graph, machine, places, rates).run();
}
