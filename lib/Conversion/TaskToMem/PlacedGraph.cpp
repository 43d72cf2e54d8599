//===- PlacedGraph.cpp - A plan as mem IR ---------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlacedGraph.h"

#include "mlir/IR/Builders.h"

#include <map>

using namespace mlir;
using namespace turnip;

mem::MachineOp turnip::buildMachine(OpBuilder &builder, Location loc,
                                    const planner::Problem &machine) {
  auto op = mem::MachineOp::create(builder, loc);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&op.getBody().front());
  auto memory = [&](uint32_t index) {
    return FlatSymbolRefAttr::get(builder.getContext(),
                                  machine.memories[index].name);
  };
  for (const planner::Memory &entry : machine.memories)
    mem::MemoryOp::create(builder, loc, entry.name,
                          static_cast<mem::MemoryKind>(entry.kind),
                          entry.capacity, entry.alignment, !entry.writable);
  for (const planner::Device &device : machine.devices) {
    bool isHost = device.backing == planner::None;
    mem::DeviceOp::create(
        builder, loc, builder.getStringAttr(device.name),
        mem::DeviceKindAttr::get(builder.getContext(),
                                 isHost ? mem::DeviceKind::Host
                                        : mem::DeviceKind::Accelerator),
        memory(device.memory),
        isHost ? FlatSymbolRefAttr() : memory(device.backing));
  }
  for (const planner::Link &link : machine.links)
    mem::LinkOp::create(builder, loc, memory(link.source),
                        memory(link.destination),
                        builder.getI64IntegerAttr(link.channel),
                        builder.getF64FloatAttr(link.bytesPerSecond),
                        builder.getF64FloatAttr(link.latency));
  return op;
}

namespace {
/// Writes one plan as operations.
class GraphBuilder {
public:
  GraphBuilder(OpBuilder &builder, task::GraphOp graph,
               const GraphProblem &problem, const planner::Plan &plan)
      : builder(builder), graph(graph), graphProblem(problem),
        problem(problem.problem), plan(plan) {}

  mem::GraphOp run(bool withCosts);

private:
  FlatSymbolRefAttr memory(uint32_t index) {
    return FlatSymbolRefAttr::get(builder.getContext(),
                                  problem.memories[index].name);
  }
  template <typename T> mem::RangeAttr range(const T &from) {
    return mem::RangeAttr::get(
        builder.getContext(), memory(from.memory),
        static_cast<int64_t>(from.offset), static_cast<int64_t>(from.bytes),
        from.value == planner::None ? mem::RangeAttr::kNoValue
                                    : int64_t(from.value));
  }
  template <typename MemOp, typename TaskOp>
  void addPiece(TaskOp op, const planner::Piece &piece);
  void addPieces();
  void addCosts();
  void addResults();
  void addOperation(uint32_t id, ArrayRef<Value> data, ArrayRef<Value> memory);
  Value addCall(uint32_t id, ArrayRef<Value> data, ArrayRef<Value> memory);
  Value addCopy(uint32_t id, ArrayRef<Value> data, ArrayRef<Value> memory);
  mem::StatisticsAttr statistics();

  OpBuilder &builder;
  task::GraphOp graph;
  const GraphProblem &graphProblem;
  const planner::Problem &problem;
  const planner::Plan &plan;
  SmallVector<Value> tokens;
};
} // namespace

template <typename MemOp, typename TaskOp>
void GraphBuilder::addPiece(TaskOp op, const planner::Piece &piece) {
  MemOp::create(builder, op.getLoc(), op.getNameAttr(), op.getShapeAttr(),
                op.getOuterShapeAttr(), op.getOffsetsAttr(), op.getSizesAttr(),
                TypeAttr::get(op.getTile().getType().getElementType()),
                range(piece));
}

/// Parameters and inputs, in the order of the task.graph, so that slices of one
/// tensor stay together if they were.
void GraphBuilder::addPieces() {
  std::vector<uint32_t> pieceOf(problem.tiles.size(), planner::None);
  for (uint32_t i = 0; i < plan.entryTiles.size(); ++i)
    pieceOf[plan.entryTiles[i]] = i;
  auto pieceFor = [&](Value tile) -> const planner::Piece & {
    return plan.placement.entry[pieceOf[graphProblem.numbering.getTile(tile)]];
  };
  // Two operations may be one tile, or different views of it.
  DenseSet<Attribute> said;
  auto isNew = [&](auto op) {
    return said
        .insert(builder.getArrayAttr({op.getNameAttr(), op.getShapeAttr(),
                                      op.getOffsetsAttr(), op.getSizesAttr(),
                                      range(pieceFor(op.getTile()))}))
        .second;
  };
  for (auto op : graph.getOps<task::ParameterOp>())
    if (isNew(op))
      addPiece<mem::ParameterOp>(op, pieceFor(op.getTile()));
  for (auto op : graph.getOps<task::InputOp>())
    if (isNew(op))
      addPiece<mem::InputOp>(op, pieceFor(op.getTile()));
}

/// What the planner reckoned with: a call's cost is that of its kernel on its
/// device.
void GraphBuilder::addCosts() {
  std::map<std::pair<StringRef, uint32_t>, double> costs;
  for (auto [op, task] : llvm::zip_equal(graphProblem.taskOps, problem.tasks))
    if (auto call = dyn_cast<task::CallOp>(op))
      costs.try_emplace({call.getKernel(), task.device}, task.cost);
  for (const auto &[call, seconds] : costs)
    mem::CostOp::create(
        builder, graph.getLoc(),
        FlatSymbolRefAttr::get(builder.getContext(), call.first),
        builder.getStringAttr(problem.devices[call.second].name),
        builder.getF64FloatAttr(seconds));
}

void GraphBuilder::addResults() {
  std::vector<uint32_t> pieceOf(problem.tiles.size(), planner::None);
  for (uint32_t i = 0; i < plan.exitTiles.size(); ++i)
    pieceOf[plan.exitTiles[i]] = i;
  for (auto op : graph.getOps<task::ResultOp>())
    addPiece<mem::ResultOp>(
        op, plan.placement
                .exit[pieceOf[graphProblem.numbering.getTile(op.getTile())]]);
}

Value GraphBuilder::addCall(uint32_t id, ArrayRef<Value> data,
                            ArrayRef<Value> memory) {
  uint32_t task = plan.ops[id].task;
  auto call = cast<task::CallOp>(graphProblem.taskOps[task]);
  SmallVector<Attribute> reads, writes;
  mem::RangeAttr workspace;
  for (const planner::Access &access : plan.placement.accessesOf(id)) {
    if (access.role == planner::Role::Read)
      reads.push_back(range(access));
    else if (access.role == planner::Role::Write)
      writes.push_back(range(access));
    else
      workspace = range(access);
  }
  std::string name = taskName(call);
  return mem::CallOp::create(
      builder, call.getLoc(), mem::TokenType::get(builder.getContext()),
      call.getKernelAttr(), builder.getI64IntegerAttr(task),
      name == call.getKernel() ? StringAttr() : builder.getStringAttr(name),
      builder.getStringAttr(problem.devices[problem.tasks[task].device].name),
      builder.getArrayAttr(reads), builder.getArrayAttr(writes), workspace,
      call.getScalars().empty() ? DenseI64ArrayAttr() : call.getScalarsAttr(),
      DenseI64ArrayAttr(), data, memory);
}

/// A copy that no task asks for is told by the tile it moves.
Value GraphBuilder::addCopy(uint32_t id, ArrayRef<Value> data,
                            ArrayRef<Value> memory) {
  const planner::OpInfo &info = plan.ops[id];
  planner::ArrayView<planner::Access> accesses = plan.placement.accessesOf(id);
  bool isTask = info.task != planner::None;
  Operation *op = isTask ? graphProblem.taskOps[info.task]
                         : graphProblem.tileOps[accesses[0].value];
  return mem::CopyOp::create(
      builder, op->getLoc(), mem::TokenType::get(builder.getContext()),
      mem::CopyRoleAttr::get(builder.getContext(),
                             static_cast<mem::CopyRole>(info.role)),
      range(accesses[0]), range(accesses[1]), IntegerAttr(),
      isTask ? builder.getI64IntegerAttr(info.task) : IntegerAttr(),
      isTask ? builder.getStringAttr(taskName(op)) : StringAttr(), data,
      memory);
}

void GraphBuilder::addOperation(uint32_t id, ArrayRef<Value> data,
                                ArrayRef<Value> memory) {
  switch (plan.placement.kinds[id]) {
  case planner::OpKind::Call:
    tokens.push_back(addCall(id, data, memory));
    return;
  case planner::OpKind::Copy:
    tokens.push_back(addCopy(id, data, memory));
    return;
  case planner::OpKind::Join:
    tokens.push_back(mem::JoinOp::create(
        builder, graph.getLoc(), mem::TokenType::get(builder.getContext()),
        data, memory));
    return;
  }
}

mem::StatisticsAttr GraphBuilder::statistics() {
  const planner::Statistics &from = plan.statistics;
  auto numbers = [&](const std::vector<uint64_t> &values) {
    return builder.getDenseI64ArrayAttr(
        SmallVector<int64_t>(values.begin(), values.end()));
  };
  SmallVector<Attribute> caps;
  for (const planner::SmallestCap &cap : graphProblem.smallestCaps)
    caps.push_back(mem::SmallestCapAttr::get(
        builder.getContext(), static_cast<int64_t>(cap.bytes),
        cap.task == planner::None ? -1 : int64_t(cap.task)));
  // The planner counts whole alignment units, and not the parameters.
  std::vector<uint64_t> peakBytes(from.peakBytes.size());
  auto add = [&](const auto &range) {
    peakBytes[range.memory] =
        std::max(peakBytes[range.memory], range.offset + range.bytes);
  };
  for (const planner::Piece &piece : plan.placement.entry)
    add(piece);
  for (const planner::Access &access : plan.placement.accesses)
    add(access);
  return mem::StatisticsAttr::get(
      builder.getContext(), numbers(peakBytes), numbers(from.linkBytes),
      static_cast<int64_t>(from.incomingBytesBound), builder.getArrayAttr(caps),
      builder.getF64FloatAttr(from.computeBound),
      builder.getF64FloatAttr(from.transferBound),
      builder.getF64FloatAttr(from.criticalPath),
      builder.getF64FloatAttr(from.makespanBound),
      builder.getF64FloatAttr(from.predictedMakespan),
      builder.getStringAttr(from.order));
}

mem::GraphOp GraphBuilder::run(bool withCosts) {
  auto result = mem::GraphOp::create(builder, graph.getLoc(),
                                     graph.getSymName(), statistics());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&result.getBody().front());
  if (withCosts)
    addCosts();
  addPieces();
  // Edges are sorted by the operation that waits.
  size_t next = 0;
  const std::vector<planner::Edge> &edges = plan.placement.edges;
  for (uint32_t id = 0; id < plan.placement.numOps(); ++id) {
    SmallVector<Value> data, memory;
    for (; next < edges.size() && edges[next].to == id; ++next)
      (edges[next].kind == planner::EdgeKind::Data ? data : memory)
          .push_back(tokens[edges[next].from]);
    addOperation(id, data, memory);
  }
  addResults();
  return result;
}

mem::GraphOp turnip::buildGraph(OpBuilder &builder, task::GraphOp graph,
                                const GraphProblem &problem,
                                const planner::Plan &plan, bool withCosts) {
  return GraphBuilder(builder, graph, problem, plan).run(withCosts);
}
