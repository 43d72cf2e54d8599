//===- GraphPlacement.cpp - A mem.graph for the planner -------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Dialect/Mem/IR/GraphPlacement.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::mem;

namespace {
/// Appends a graph's operations to a placement, one after the other.
class PlacementBuilder {
public:
  PlacementBuilder(Machine &machine, KernelLookup lookup)
      : machine(machine), lookup(lookup) {}

  void addMemories();
  void add(Operation &op);

  GraphPlacement result;

private:
  planner::Access access(RangeAttr range, planner::Role role) const;
  planner::Piece piece(RangeAttr range) const;
  SmallVector<planner::Access> accessesOf(CallOp call);
  void addOperation(Operation &op, planner::OpKind kind,
                    ArrayRef<planner::Access> accesses, ValueRange data,
                    ValueRange memory);

  Machine &machine;
  KernelLookup lookup;
  llvm::DenseMap<Value, uint32_t> tokens;
};
} // namespace

void PlacementBuilder::addMemories() {
  for (MemoryOp memory : machine.getMemories())
    result.placement.memories.push_back(
        {memory.getSymName().str(), memory.getCapacity(), memory.getAlignment(),
         !memory.getReadonly()});
}

planner::Access PlacementBuilder::access(RangeAttr range,
                                         planner::Role role) const {
  planner::Access access;
  access.memory = *machine.findMemory(range.getMemory());
  access.offset = range.getOffset();
  access.bytes = range.getBytes();
  access.role = role;
  if (role != planner::Role::Workspace)
    access.value = static_cast<uint32_t>(range.getValue());
  return access;
}

planner::Piece PlacementBuilder::piece(RangeAttr range) const {
  planner::Piece piece;
  piece.memory = *machine.findMemory(range.getMemory());
  piece.offset = range.getOffset();
  piece.bytes = range.getBytes();
  piece.value = static_cast<uint32_t>(range.getValue());
  return piece;
}

/// A result is in place where its kernel allows it and its range is exactly
/// the operand's.
SmallVector<planner::Access> PlacementBuilder::accessesOf(CallOp call) {
  SmallVector<planner::Access> accesses;
  for (RangeAttr range : call.getReads().getAsRange<RangeAttr>())
    accesses.push_back(access(range, planner::Role::Read));
  size_t operands = accesses.size();
  for (RangeAttr range : call.getWrites().getAsRange<RangeAttr>())
    accesses.push_back(access(range, planner::Role::Write));
  for (auto [operand, result] :
       lookup(call.getKernelAttr()).getInplacePairs()) {
    const planner::Access &read = accesses[operand];
    planner::Access &write = accesses[operands + result];
    if (read.memory == write.memory && read.offset == write.offset &&
        read.bytes == write.bytes)
      write.inPlaceOf = static_cast<uint32_t>(operand);
  }
  if (call.getWorkspace())
    accesses.push_back(access(*call.getWorkspace(), planner::Role::Workspace));
  return accesses;
}

void PlacementBuilder::addOperation(Operation &op, planner::OpKind kind,
                                    ArrayRef<planner::Access> accesses,
                                    ValueRange data, ValueRange memory) {
  uint32_t id = result.placement.addOp(
      kind,
      planner::ArrayView<planner::Access>(accesses.data(), accesses.size()));
  for (Value token : data)
    result.placement.edges.push_back(
        {tokens.lookup(token), id, planner::EdgeKind::Data});
  for (Value token : memory)
    result.placement.edges.push_back(
        {tokens.lookup(token), id, planner::EdgeKind::Memory});
  tokens[op.getResult(0)] = id;
  result.operations.push_back(&op);
}

void PlacementBuilder::add(Operation &op) {
  planner::Placement &placement = result.placement;
  if (auto parameter = dyn_cast<ParameterOp>(op)) {
    placement.entry.push_back(piece(parameter.getRange()));
    result.entry.push_back(&op);
    // What may be written must be back in place for the next run.
    if (placement.memories[placement.entry.back().memory].writable) {
      placement.exit.push_back(placement.entry.back());
      result.exit.push_back(&op);
    }
  } else if (auto input = dyn_cast<InputOp>(op)) {
    placement.entry.push_back(piece(input.getRange()));
    result.entry.push_back(&op);
  } else if (auto exit = dyn_cast<ResultOp>(op)) {
    placement.exit.push_back(piece(exit.getRange()));
    result.exit.push_back(&op);
  } else if (auto call = dyn_cast<CallOp>(op)) {
    addOperation(op, planner::OpKind::Call, accessesOf(call),
                 call.getDataTokens(), call.getMemoryTokens());
  } else if (auto copy = dyn_cast<CopyOp>(op)) {
    planner::Access accesses[] = {
        access(copy.getSource(), planner::Role::Read),
        access(copy.getDestination(), planner::Role::Write)};
    addOperation(op, planner::OpKind::Copy, accesses, copy.getDataTokens(),
                 copy.getMemoryTokens());
  } else if (auto join = dyn_cast<JoinOp>(op)) {
    addOperation(op, planner::OpKind::Join, {}, join.getDataTokens(),
                 join.getMemoryTokens());
  }
}

GraphPlacement turnip::mem::buildPlacement(GraphOp graph, Machine &machine,
                                           KernelLookup lookup) {
  PlacementBuilder builder(machine, lookup);
  builder.addMemories();
  for (Operation &op : graph.getBody().front())
    builder.add(op);
  return std::move(builder.result);
}
