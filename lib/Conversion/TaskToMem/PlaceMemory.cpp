//===- PlaceMemory.cpp - Gives each tile a place in memory ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Conversion/TaskToMem/Passes.h"

#include "PlacedGraph.h"
#include "mlir/IR/Builders.h"
#include "turnip/Dialect/Task/IR/Box.h"
#include "turnip/machine/PlannerProblem.h"
#include "turnip/planner/Resident.h"
#include "turnip/support/ByteSize.h"
#include "llvm/Support/FormatVariadic.h"

namespace turnip {
#define GEN_PASS_DEF_PLACEMEMORY
#include "turnip/Conversion/TaskToMem/Passes.h.inc"
} // namespace turnip

using namespace mlir;
using namespace turnip;

/// A rate that nobody gave.
static constexpr double notGiven = -1;

namespace {
/// Options after they were read.
struct Caps {
  uint64_t device = unlimitedBytes;
  uint64_t host = unlimitedBytes;
};

/// A graph with its problem and its plan.
struct Placed {
  task::GraphOp graph;
  GraphProblem problem;
  planner::Plan plan;
};

class PlaceMemoryPass : public turnip::impl::PlaceMemoryBase<PlaceMemoryPass> {
public:
  using PlaceMemoryBase::PlaceMemoryBase;
  PlaceMemoryPass(const PlaceMemoryOptions &options, Status *failure)
      : PlaceMemoryBase(options), sink(failure) {}

  void runOnOperation() override;

private:
  /// Emits \p status at \p op, with \p hint as a note unless it is empty, and
  /// remembers it.
  LogicalResult fail(Operation *op, const Status &status,
                     const std::string &hint = "");
  LogicalResult readOptions();
  LogicalResult readRates();
  LogicalResult describeMachine(planner::Problem &machine, uint32_t devices,
                                uint64_t parameterBytes);
  void alignForLaunches(planner::Problem &problem);
  LogicalResult readSize(StringRef option, StringRef text, uint64_t &bytes);
  LogicalResult place(ArrayRef<task::GraphOp> graphs);
  FailureOr<Placed> planGraph(task::GraphOp graph,
                              const planner::Problem &machine,
                              const ParameterPlaces &places);
  LogicalResult keepParameters(planner::Problem &machine,
                               const ParameterLayout &all, Placed &placed);
  LogicalResult doesNotFit(const GraphProblem &graphProblem,
                           task::GraphOp graph, const Status &status);
  void write(planner::Problem &machine, MutableArrayRef<Placed> placed);
  void keep(task::GraphOp tasks, mem::GraphOp graph);
  std::string describeOptions() const;

  Status *sink = nullptr;
  Caps caps;
  planner::PlanOptions planOptions;
  MachineRates rates;
};
} // namespace

std::unique_ptr<Pass>
turnip::createPlaceMemory(const PlaceMemoryOptions &options, Status *failure) {
  return std::make_unique<PlaceMemoryPass>(options, failure);
}

//===----------------------------------------------------------------------===//
// Options and errors
//===----------------------------------------------------------------------===//

LogicalResult PlaceMemoryPass::fail(Operation *op, const Status &status,
                                    const std::string &hint) {
  if (sink)
    *sink = status;
  InFlightDiagnostic diagnostic = op->emitError()
                                  << turnip::toString(status.code()) << ": "
                                  << status.message();
  if (!hint.empty())
    diagnostic.attachNote() << hint;
  return diagnostic;
}

LogicalResult PlaceMemoryPass::readSize(StringRef option, StringRef text,
                                        uint64_t &bytes) {
  if (text.empty())
    return success();
  Expected<int64_t> size = parseByteSize({text.data(), text.size()});
  if (!size)
    return fail(getOperation(), size.status().withContext(option.str()));
  bytes = std::min(static_cast<uint64_t>(*size), unlimitedBytes);
  return success();
}

LogicalResult PlaceMemoryPass::readOptions() {
  if (failed(readSize("device-memory", deviceMemory, caps.device)) ||
      failed(readSize("host-memory", hostMemory, caps.host)))
    return failure();
  using planner::OrderKind;
  bool known = false;
  for (OrderKind kind : {OrderKind::Best, OrderKind::Given,
                         OrderKind::DepthFirst, OrderKind::MemoryAware,
                         OrderKind::CriticalPath, OrderKind::Scheduled}) {
    if (order != planner::toString(kind))
      continue;
    planOptions.order = kind;
    known = true;
  }
  auto invalid = [&](const std::string &message) {
    return fail(getOperation(),
                Status::error(StatusCode::InvalidArgument, message));
  };
  if (!known)
    return invalid("order: expected best, given, depth-first, memory-aware, "
                   "critical-path or scheduled, but got '" +
                   order + "'");
  if (!(horizon >= 0) || !std::isfinite(horizon))
    return invalid("horizon: expected at least 0, but got " +
                   std::to_string(horizon));
  if (horizon > 0)
    planOptions.horizon = horizon;
  Expected<planner::Policy> chosen = planner::parsePolicy(policy);
  if (!chosen)
    return fail(getOperation(), chosen.status().withContext("policy"));
  if (planEffort > planner::maxEffort)
    return invalid("plan-effort: expected at most " +
                   std::to_string(planner::maxEffort) + ", but got " +
                   std::to_string(planEffort));
  planOptions.policy = *chosen;
  planOptions.effort = planEffort;
  planOptions.seed = planSeed;
  planOptions.rematerialize = rematerialize;
  planOptions.inPlace = inPlace;
  planOptions.pruneEdges = pruneEdges;
  return readRates();
}

/// Overrides what \p machine says by the rates that were given.
static void override(machine::Machine &machine, const MachineRates &given,
                     bool links, bool latencies, bool flops, bool bytes) {
  for (machine::Link &link : machine.links) {
    if (links) {
      link.bandwidth = given.linkBandwidth;
      link.switches.clear();
    }
    if (latencies)
      link.latency = given.linkLatency;
  }
  for (machine::Device &device : machine.devices) {
    if (flops) {
      device.classes.clear();
      device.classes[machine::KernelClass::Other].flops[ElementType::F32] =
          given.flopRate;
    }
    if (!bytes)
      continue;
    device.memoryBandwidth = given.byteRate;
    for (auto &[kernelClass, classRates] : device.classes) {
      classRates.bandwidth = 0;
      classRates.efficiency = 1;
    }
  }
}

LogicalResult PlaceMemoryPass::readRates() {
  struct Rate {
    StringRef option;
    double value;
    double *rate;
    bool mayBeZero;
  };
  const Rate all[] = {
      {"link-bandwidth", linkBandwidth, &rates.linkBandwidth, false},
      {"link-latency", linkLatency, &rates.linkLatency, true},
      {"flop-rate", flopRate, &rates.flopRate, false},
      {"byte-rate", byteRate, &rates.byteRate, false}};
  for (const Rate &rate : all) {
    if (rate.value == notGiven)
      continue;
    bool isGood = rate.mayBeZero ? rate.value >= 0 : rate.value > 0;
    if (!isGood || !std::isfinite(rate.value))
      return fail(getOperation(),
                  Status::error(
                      StatusCode::InvalidArgument,
                      rate.option.str() + ": expected " +
                          (rate.mayBeZero ? "at least 0" : "a number above 0") +
                          ", but got " + std::to_string(rate.value)));
    *rate.rate = rate.value;
  }
  if (machine.empty())
    return success();
  Expected<machine::Machine> found = machine::Machine::find(machine);
  if (!found)
    return fail(getOperation(), found.status().withContext("machine"));
  override(*found, rates, linkBandwidth != notGiven, linkLatency != notGiven,
           flopRate != notGiven, byteRate != notGiven);
  rates.machine = std::move(*found);
  return success();
}

/// What the artifact remembers: the options that shape the plan.
std::string PlaceMemoryPass::describeOptions() const {
  std::string text;
  auto add = [&](StringRef name, StringRef value) {
    text += (text.empty() ? "" : " ") + name.str() + "=" + value.str();
  };
  if (!deviceMemory.empty())
    add("device-memory", std::to_string(caps.device));
  if (!hostMemory.empty())
    add("host-memory", std::to_string(caps.host));
  if (rates.machine)
    add("machine",
        rates.machine->name.empty() ? machine.getValue() : rates.machine->name);
  add("order", order);
  const planner::PlanOptions usual;
  if (planOptions.policy != usual.policy)
    add("policy", policy);
  if (planOptions.effort != usual.effort)
    add("plan-effort", std::to_string(planEffort));
  if (planOptions.seed != usual.seed)
    add("plan-seed", std::to_string(planSeed));
  if (!rematerialize)
    add("rematerialize", "false");
  if (horizon > 0)
    add("horizon", llvm::formatv("{0:F3}", double(horizon)).str());
  if (!residentParameters)
    add("resident-parameters", "false");
  if (!inPlace)
    add("in-place", "false");
  if (!pruneEdges)
    add("prune-edges", "false");
  return text;
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

/// Blames the task with the largest working set on devices that are too small,
/// and says which options help.
LogicalResult PlaceMemoryPass::doesNotFit(const GraphProblem &graphProblem,
                                          task::GraphOp graph,
                                          const Status &status) {
  const planner::Problem &problem = graphProblem.problem;
  planner::SmallestCap most;
  for (uint32_t device = 0; device < problem.devices.size(); ++device) {
    if (problem.devices[device].backing == planner::None)
      continue;
    planner::SmallestCap cap = planner::smallestCap(problem, device);
    if (cap.bytes > problem.memories[problem.devices[device].memory].capacity &&
        cap.bytes > most.bytes)
      most = cap;
  }
  if (most.bytes > 0) {
    Operation *op =
        most.task == planner::None ? graph : graphProblem.taskOps[most.task];
    return fail(op, status,
                "a smaller tile-budget makes smaller tasks; for these, "
                "device-memory=" +
                    std::to_string(most.bytes) + " is the least");
  }
  return fail(graph, status,
              "a larger host-memory, which holds parameters as well, or a "
              "larger device-memory helps");
}

FailureOr<Placed> PlaceMemoryPass::planGraph(task::GraphOp graph,
                                             const planner::Problem &machine,
                                             const ParameterPlaces &places) {
  Placed placed{graph, buildProblem(graph, machine, places, rates), {}};
  if (Status status = placed.problem.problem.check(); !status)
    return fail(graph, status);
  Expected<planner::Plan> plan =
      planner::planProved(placed.problem.problem, planOptions);
  if (!plan)
    return plan.status().code() == StatusCode::DoesNotFit
               ? doesNotFit(placed.problem, graph, plan.status())
               : fail(graph, plan.status());
  placed.plan = std::move(*plan);
  const planner::Problem &problem = placed.problem.problem;
  for (uint32_t device = 0; device < problem.devices.size(); ++device)
    placed.problem.smallestCaps.push_back(
        problem.devices[device].backing == planner::None
            ? planner::SmallestCap()
            : planner::smallestCap(problem, device));
  return placed;
}

/// Replans \p placed, and the memory of parameters of \p machine, so that
/// devices keep them from run to run, where there is such a plan that is no
/// worse.
LogicalResult PlaceMemoryPass::keepParameters(planner::Problem &machine,
                                              const ParameterLayout &all,
                                              Placed &placed) {
  planner::Problem resident = machine;
  ParameterLayout ofHost(memoryAlignment);
  for (auto parameter : placed.graph.getOps<task::ParameterOp>())
    if (parameter.getTile().getType().getPlace().isHost())
      ofHost.add(parameter);
  ofHost.finish();
  resident.memories.back().capacity = ofHost.size();

  ParameterPlaces places{all, &ofHost};
  GraphProblem problem = buildProblem(placed.graph, resident, places, rates);
  Expected<std::optional<planner::Plan>> better =
      planner::planResident(problem.problem, placed.plan, planOptions);
  if (!better)
    return fail(placed.graph, better.status());
  if (!*better)
    return success();
  machine = std::move(resident);
  problem.smallestCaps = std::move(placed.problem.smallestCaps);
  placed.problem = std::move(problem);
  placed.plan = std::move(**better);
  return success();
}

/// Gives \p tasks a name beside that of \p graph, which it became.
void PlaceMemoryPass::keep(task::GraphOp tasks, mem::GraphOp graph) {
  ModuleOp module = getOperation();
  std::string name = (tasks.getSymName() + ".tasks").str();
  while (module.lookupSymbol(name))
    name += ".tasks";
  tasks.setSymName(name);
  graph.setTasksAttr(FlatSymbolRefAttr::get(tasks.getSymNameAttr()));
  tasks->moveAfter(graph);
}

void PlaceMemoryPass::write(planner::Problem &machine,
                            MutableArrayRef<Placed> placed) {
  ModuleOp module = getOperation();
  std::vector<const planner::Statistics *> statistics;
  for (const Placed &entry : placed)
    statistics.push_back(&entry.plan.statistics);
  planner::shrinkToPeak(machine.memories, statistics,
                        /*devicesToo=*/deviceMemory.empty());
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  buildMachine(builder, module.getLoc(), machine);
  for (Placed &entry : placed) {
    builder.setInsertionPoint(entry.graph);
    mem::GraphOp graph =
        buildGraph(builder, entry.graph, entry.problem, entry.plan, keepTasks);
    if (keepTasks)
      keep(entry.graph, graph);
    else
      entry.graph.erase();
    for (planner::OpKind kind : entry.plan.placement.kinds) {
      numCalls += kind == planner::OpKind::Call;
      numCopies += kind == planner::OpKind::Copy;
    }
    numEdges += entry.plan.placement.edges.size();
  }
  module->setAttr(mem::MemDialect::kProducer,
                  builder.getStringAttr("turnip " TURNIP_VERSION));
  std::string options = describeOptions();
  if (auto earlier = dyn_cast_or_null<StringAttr>(
          module->removeAttr(task::TaskDialect::kOptions)))
    options = earlier.str() + " " + options;
  module->setAttr(mem::MemDialect::kOptions, builder.getStringAttr(options));
}

/// Fills in what there is to plan on: what the options say, of the machine if
/// one was named.
LogicalResult PlaceMemoryPass::describeMachine(planner::Problem &problem,
                                               uint32_t devices,
                                               uint64_t parameterBytes) {
  if (parameterBytes > caps.host)
    return fail(getOperation(),
                Status::error(StatusCode::DoesNotFit,
                              "the parameters need " +
                                  formatExactBytes(parameterBytes) +
                                  " of host memory, which has " +
                                  formatExactBytes(caps.host)));
  if (!rates.machine) {
    machine::UniformMachine alike;
    alike.devices = devices;
    alike.deviceBytes = caps.device;
    alike.hostBytes = caps.host - parameterBytes;
    alike.parameterBytes = parameterBytes;
    alike.deviceAlignment = alike.hostAlignment = memoryAlignment;
    alike.bandwidth = rates.linkBandwidth;
    alike.latency = rates.linkLatency;
    machine::addMachine(alike, problem);
    alignForLaunches(problem);
    return success();
  }
  machine::Share share;
  share.devices = devices;
  share.parameterBytes = parameterBytes;
  if (!deviceMemory.empty())
    share.deviceBytes = caps.device;
  if (!hostMemory.empty())
    share.hostBytes = caps.host - parameterBytes;
  if (Status status = machine::addMachine(*rates.machine, share, problem);
      !status)
    return fail(getOperation(), status);
  alignForLaunches(problem);
  return success();
}

/// Where kernels have code for GPUs, devices' memories are aligned to what it
/// counts on.
void PlaceMemoryPass::alignForLaunches(planner::Problem &problem) {
  static constexpr uint64_t kLaunchAlignment = 256;
  bool launches = false;
  for (auto kernel : getOperation().getOps<task::KernelOp>())
    if (ArrayAttr objects = kernel.getObjectsAttr())
      for (task::ObjectAttr object : objects.getAsRange<task::ObjectAttr>())
        launches |= object.getLaunches() != nullptr;
  if (!launches)
    return;
  for (planner::Memory &memory : problem.memories)
    if (memory.kind == planner::MemoryKind::Device)
      memory.alignment = std::max(memory.alignment, kLaunchAlignment);
}

LogicalResult PlaceMemoryPass::place(ArrayRef<task::GraphOp> graphs) {
  ParameterLayout layout(memoryAlignment);
  uint32_t devices = 1;
  SmallVector<task::Box> boxes;
  for (task::GraphOp graph : graphs) {
    devices = std::max(devices, static_cast<uint32_t>(graph.getDevices()));
    for (auto parameter : graph.getOps<task::ParameterOp>()) {
      layout.add(parameter);
      boxes.push_back(task::boxOf(
          parameter, parameter.getTile().getType().getElementType()));
    }
  }
  // One file gives them to all graphs.
  if (failed(task::verifySameTensors(boxes, /*viewsAllowed=*/true)))
    return failure();
  layout.finish();
  planner::Problem problem;
  if (failed(describeMachine(problem, devices, layout.size())))
    return failure();
  std::vector<Placed> placed;
  for (task::GraphOp graph : graphs) {
    FailureOr<Placed> result = planGraph(graph, problem, {layout});
    if (failed(result))
      return failure();
    placed.push_back(std::move(*result));
  }
  // Several graphs would have to agree where parameters stay.
  if (residentParameters && placed.size() == 1 &&
      failed(keepParameters(problem, layout, placed.front())))
    return failure();
  write(problem, placed);
  return success();
}

void PlaceMemoryPass::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<task::GraphOp> graphs(module.getOps<task::GraphOp>());
  auto none = [&](StringRef message) {
    return fail(module, Status::error(StatusCode::BadInput, message.str()));
  };
  LogicalResult result = success();
  if (graphs.empty())
    result = none("expected at least 1 task.graph, but got 0; partition-ein "
                  "makes them of functions");
  else if (!module.getOps<mem::MachineOp>().empty())
    result = none("expected a module that is not placed yet");
  if (failed(result) || failed(readOptions()) || failed(place(graphs)))
    signalPassFailure();
}
