//===- Simulation.cpp - Runs plans on a virtual clock ---------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"

#include "turnip/machine/Machine.h"
#include "turnip/runtime/Drivers.h"
#include "turnip/runtime/Summary.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::bench;

/// What the machine below computes per second: only the product with a call's
/// operations matters, and that is its task's cost.
static constexpr double flopsPerSecond = 1e12;
/// Moves read and write each byte; the planner reckons with half of this.
static constexpr double moveBytesPerSecond = 2e11;

Simulation::Simulation(const Problem &problem, const Plan &plan)
    : problem(problem), plan(plan) {
  std::vector<uint32_t> order(plan.placement.numOps());
  std::iota(order.begin(), order.end(), 0);
  build(order);
}

runtime::Command Simulation::commandOf(uint32_t op) const {
  runtime::Command command;
  uint32_t engine = plan.ops[op].engine;
  command.engine = engine == None ? UINT16_MAX : static_cast<uint16_t>(engine);
  switch (plan.placement.kinds[op]) {
  case OpKind::Call:
    command.flops = problem.tasks[plan.ops[op].task].cost * flopsPerSecond;
    break;
  case OpKind::Copy:
    command.kind = runtime::Command::Kind::Copy;
    command.bytes = plan.placement.accessesOf(op)[0].bytes;
    break;
  case OpKind::Join:
    command.kind = runtime::Command::Kind::Join;
    break;
  }
  return command;
}

/// The first link of a transfer engine's channel.
const Link &Simulation::linkOf(uint32_t engine) const {
  for (const Link &link : problem.links)
    if (link.channel == plan.engines[engine].channel)
      return link;
  return problem.links.front();
}

double Simulation::secondsOf(uint32_t op) const {
  runtime::Command command = commandOf(op);
  if (command.kind == runtime::Command::Kind::Join)
    return 0;
  if (command.kind == runtime::Command::Kind::Launch)
    return command.flops / flopsPerSecond;
  auto bytes = static_cast<double>(command.bytes);
  if (plan.engines[command.engine].device != None)
    return 2 * bytes / moveBytesPerSecond;
  const Link &link = linkOf(command.engine);
  return link.latency + bytes / link.bytesPerSecond;
}

void Simulation::build(const std::vector<uint32_t> &order) {
  opOf = order;
  graph = runtime::ExecutableGraph();
  graph.numEngines = static_cast<uint32_t>(plan.engines.size());
  std::vector<uint32_t> vertexOf(order.size());
  for (uint32_t vertex = 0; vertex < order.size(); ++vertex) {
    vertexOf[order[vertex]] = vertex;
    graph.commands.push_back(commandOf(order[vertex]));
    graph.commands.back().vertex = vertex;
    graph.costs.push_back(secondsOf(order[vertex]));
  }
  graph.successorBegin.assign(order.size() + 1, 0);
  for (const Edge &edge : plan.placement.edges)
    ++graph.successorBegin[vertexOf[edge.from] + 1];
  for (size_t i = 0; i < order.size(); ++i)
    graph.successorBegin[i + 1] += graph.successorBegin[i];
  graph.successors.resize(plan.placement.edges.size());
  std::vector<uint32_t> cursor(graph.successorBegin.begin(),
                               graph.successorBegin.end() - 1);
  for (const Edge &edge : plan.placement.edges)
    graph.successors[cursor[vertexOf[edge.from]]++] = vertexOf[edge.to];
}

runtime::MachineDescription Simulation::describeEngines() const {
  runtime::MachineDescription machine;
  for (const Memory &memory : problem.memories)
    machine.memories.push_back(
        {memory.name, static_cast<runtime::MemoryKind>(memory.kind), 0});
  for (uint32_t i = 0; i < plan.engines.size(); ++i) {
    runtime::EngineDescription description;
    description.name = plan.engines[i].name;
    if (plan.engines[i].device == None) {
      const Link &link = linkOf(i);
      description.kind = runtime::EngineKind::Transfer;
      description.name = problem.memories[link.source].name + "->" +
                         problem.memories[link.destination].name;
      description.toDevice =
          problem.memories[link.destination].kind == MemoryKind::Device;
    }
    machine.engines.push_back(description);
  }
  return machine;
}

/// The machine that costs and links describe. Errors: InvalidArgument where the
/// links of a channel differ in speed, which an engine of the driver cannot.
static Expected<machine::Machine> describeMachine(const Problem &problem) {
  machine::Machine machine = machine::Machine::uniform();
  machine.otherDevice->memoryBandwidth = moveBytesPerSecond;
  machine.otherDevice->classes.clear();
  machine.otherDevice->classes[machine::KernelClass::Other]
      .flops[ElementType::F32] = flopsPerSecond;
  for (const Memory &memory : problem.memories)
    machine.memories.push_back({memory.name,
                                memory.kind == MemoryKind::Device
                                    ? machine::MemoryKind::Device
                                    : machine::MemoryKind::Host,
                                memory.capacity, memory.alignment});
  std::map<uint32_t, const Link *> channels;
  for (const Link &link : problem.links) {
    const Link *first = channels.try_emplace(link.channel, &link).first->second;
    if (link.bytesPerSecond != first->bytesPerSecond ||
        link.latency != first->latency)
      return Status::error(StatusCode::InvalidArgument,
                           "expected links of one channel to be equally fast, "
                           "but got \"" +
                               link.name + "\" and \"" + first->name + "\"");
    machine::Link described;
    described.source = link.source;
    described.destination = link.destination;
    described.bandwidth = link.bytesPerSecond;
    described.latency = link.latency;
    machine.links.push_back(described);
  }
  return machine;
}

Expected<double> Simulation::run(runtime::Schedule::Policy policy,
                                 double jitter, uint64_t seed) {
  Expected<machine::Machine> described = describeMachine(problem);
  if (!described)
    return described.status();
  machine::Machine &machine = *described;
  machine.kernelJitter = machine.transferJitter = jitter;
  machine.seed = seed;
  std::unique_ptr<runtime::Driver> driver =
      runtime::createSimDriver(std::move(machine));
  TURNIP_RETURN_IF_ERROR(driver->open(describeEngines()));
  runtime::Executor executor(graph, *driver);
  runtime::Schedule schedule;
  schedule.policy = policy;
  schedule.seed = seed;
  TURNIP_RETURN_IF_ERROR(executor.setSchedule(schedule));
  TURNIP_RETURN_IF_ERROR(executor.run().status);
  record = executor.record();
  return static_cast<double>(record.end - record.begin) * 1e-9;
}

void Simulation::adoptLastOrder() {
  std::vector<uint32_t> order = record.completionOrder;
  // A join starts and ends with what it waits for; completion settles those.
  std::vector<uint32_t> rank(order.size());
  for (uint32_t i = 0; i < order.size(); ++i)
    rank[order[i]] = i;
  auto startOf = [&](uint32_t vertex) {
    bool join = graph.commands[vertex].kind == runtime::Command::Kind::Join;
    return join ? record.ends[vertex] : record.starts[vertex];
  };
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::make_pair(startOf(a), rank[a]) <
           std::make_pair(startOf(b), rank[b]);
  });
  for (uint32_t &vertex : order)
    vertex = opOf[vertex];
  build(order);
}

double Simulation::busiestShare() const {
  std::vector<int64_t> busy(graph.numEngines, 0);
  for (const runtime::Command &command : graph.commands)
    if (command.kind != runtime::Command::Kind::Join)
      busy[command.engine] +=
          record.ends[command.vertex] - record.starts[command.vertex];
  int64_t most = 0;
  for (int64_t time : busy)
    most = std::max(most, time);
  return static_cast<double>(most) /
         static_cast<double>(std::max<int64_t>(1, record.end - record.begin));
}

std::string Simulation::nameOf(uint32_t op) const {
  switch (plan.placement.kinds[op]) {
  case OpKind::Call:
    return "call";
  case OpKind::Copy:
    return toString(plan.ops[op].role);
  case OpKind::Join:
    return "join";
  }
  return "";
}

std::string Simulation::trace() const {
  return chromeTrace(graph, describeEngines(), record, [&](uint32_t vertex) {
    uint32_t op = opOf[vertex], task = plan.ops[op].task;
    runtime::OperationNames names;
    names.operation = nameOf(op);
    if (task != None)
      names.task = problem.describeTask(task);
    return names;
  });
}
