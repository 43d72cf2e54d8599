//===- PlanText.cpp - Plans and figures as text ---------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/planner/Plan.h"

#include <iterator>
#include <sstream>

using namespace turnip;
using namespace turnip::planner;

const char *planner::toString(CopyRole role) {
  switch (role) {
  case CopyRole::NotACopy:
    return "no copy";
  case CopyRole::Transfer:
    return "transfer";
  case CopyRole::Load:
    return "load";
  case CopyRole::Reload:
    return "reload";
  case CopyRole::Offload:
    return "offload";
  case CopyRole::Result:
    return "result";
  case CopyRole::Move:
    return "move";
  }
  return "unknown";
}

const char *planner::toString(OrderKind kind) {
  switch (kind) {
  case OrderKind::Best:
    return "best";
  case OrderKind::Given:
    return "given";
  case OrderKind::DepthFirst:
    return "depth-first";
  case OrderKind::MemoryAware:
    return "memory-aware";
  case OrderKind::CriticalPath:
    return "critical-path";
  case OrderKind::Scheduled:
    return "scheduled";
  }
  return "unknown";
}

static constexpr Policy policies[] = {Policy::Default, Policy::Original,
                                      Policy::LRU, Policy::LayerWise,
                                      Policy::NoPrefetch};

const char *planner::toString(Policy policy) {
  switch (policy) {
  case Policy::Default:
    return "default";
  case Policy::Original:
    return "original";
  case Policy::LRU:
    return "lru";
  case Policy::LayerWise:
    return "layer-wise";
  case Policy::NoPrefetch:
    return "no-prefetch";
  }
  return "unknown";
}

Expected<Policy> planner::parsePolicy(const std::string &text) {
  std::string choices;
  for (Policy policy : policies) {
    if (text == toString(policy))
      return policy;
    if (!choices.empty())
      choices += policy == std::end(policies)[-1] ? " or " : ", ";
    choices += toString(policy);
  }
  return Status::error(StatusCode::InvalidArgument,
                       "expected " + choices + ", but got '" + text + "'");
}

static void dumpOp(std::ostream &out, const Plan &plan, const Problem &problem,
                   uint32_t op) {
  const OpInfo &info = plan.ops[op];
  out << "op " << op << " ";
  if (plan.placement.kinds[op] == OpKind::Join)
    out << "join";
  else if (plan.placement.kinds[op] == OpKind::Copy)
    out << toString(info.role);
  else
    out << "call";
  if (info.task != None)
    out << " " << problem.describeTask(info.task);
  if (info.engine != None)
    out << " on " << plan.engines[info.engine].name;
  for (const Access &access : plan.placement.accessesOf(op)) {
    out << ", " << describeAccess(plan.placement.memories, access);
    if (access.value != None)
      out << " v" << access.value;
    if (access.inPlaceOf != None)
      out << " in place of access " << access.inPlaceOf;
  }
}

std::string Plan::dump(const Problem &problem) const {
  std::ostringstream out;
  for (const PlacedMemory &memory : placement.memories)
    out << "memory " << memory.name << " capacity " << memory.capacity
        << " alignment " << memory.alignment
        << (memory.writable ? "\n" : " read-only\n");
  auto dumpPieces = [&](const char *when, const std::vector<Piece> &pieces,
                        const std::vector<uint32_t> &tiles) {
    for (size_t i = 0; i < pieces.size(); ++i)
      out << when << " " << problem.describeTile(tiles[i]) << " in "
          << placement.memories[pieces[i].memory].name << "["
          << pieces[i].offset << ", " << pieces[i].offset + pieces[i].bytes
          << ") v" << pieces[i].value << "\n";
  };
  dumpPieces("entry", placement.entry, entryTiles);
  size_t edge = 0;
  for (uint32_t op = 0; op < placement.numOps(); ++op) {
    dumpOp(out, *this, problem, op);
    for (; edge < placement.edges.size() && placement.edges[edge].to == op;
         ++edge)
      out << (placement.edges[edge].kind == EdgeKind::Data ? " after "
                                                           : " memory ")
          << placement.edges[edge].from;
    out << "\n";
  }
  dumpPieces("exit", placement.exit, exitTiles);
  return out.str();
}

std::string planner::toString(const Problem &problem,
                              const Statistics &statistics) {
  std::ostringstream out;
  for (size_t i = 0; i < statistics.peakBytes.size(); ++i)
    out << "memory " << problem.memories[i].name << ": peak "
        << statistics.peakBytes[i] << " of " << problem.memories[i].capacity
        << " bytes\n";
  for (size_t i = 0; i < statistics.linkBytes.size(); ++i)
    out << "link " << problem.links[i].name << ": " << statistics.linkBytes[i]
        << " bytes in " << statistics.linkCopies[i] << " copies\n";
  auto count = [&](const char *what, uint64_t copies, uint64_t bytes) {
    out << what << ": " << copies << ", " << bytes << " bytes\n";
  };
  count("loads", statistics.loads, statistics.loadBytes);
  count("reloads", statistics.reloads, statistics.reloadBytes);
  count("offloads", statistics.offloads, statistics.offloadBytes);
  count("results", statistics.results, statistics.resultBytes);
  count("transfers", statistics.transfers, statistics.transferBytes);
  count("moves", statistics.moves, statistics.moveBytes);
  if (statistics.repeats != 0)
    count("computed again", statistics.repeats, statistics.repeatBytes);
  out << "joins: " << statistics.joins << "\n"
      << "order: " << statistics.order << ", horizon " << statistics.horizon
      << "\n"
      << "bound on bytes loaded: "
      << static_cast<uint64_t>(statistics.incomingBytesBound) << "\n"
      << "bounds in seconds: compute " << statistics.computeBound
      << ", transfer " << statistics.transferBound << ", critical path "
      << statistics.criticalPath << "\n"
      << "predicted makespan in seconds: " << statistics.predictedMakespan;
  if (statistics.makespanBound > 0)
    out << ", " << statistics.predictedMakespan / statistics.makespanBound
        << " of its bound";
  out << "\n";
  return out.str();
}
