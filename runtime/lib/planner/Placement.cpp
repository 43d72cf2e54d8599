//===- Placement.cpp - A placed graph -------------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/planner/Placement.h"
#include "PlacementMessages.h"

using namespace turnip;
using namespace turnip::planner;

uint32_t Placement::addOp(OpKind kind, ArrayView<Access> opAccesses) {
  kinds.push_back(kind);
  accesses.insert(accesses.end(), opAccesses.begin(), opAccesses.end());
  accessBegin.push_back(static_cast<uint32_t>(accesses.size()));
  return numOps() - 1;
}
static std::string number(uint64_t value) { return std::to_string(value); }

static std::string describeRange(const std::vector<PlacedMemory> &memories,
                                 uint32_t memory, uint64_t offset,
                                 uint64_t bytes) {
  std::string name = memory < memories.size() ? memories[memory].name
                                              : "memory " + number(memory);
  std::string end = bytes > UINT64_MAX - offset
                        ? number(offset) + " + " + number(bytes)
                        : number(offset + bytes);
  return name + "[" + number(offset) + ", " + end + ")";
}

std::string planner::describeAccess(const std::vector<PlacedMemory> &memories,
                                    const Access &access) {
  const char *verb = access.role == Role::Read    ? "reads "
                     : access.role == Role::Write ? "writes "
                                                  : "uses as workspace ";
  return verb +
         describeRange(memories, access.memory, access.offset, access.bytes);
}
std::string PlacementMessages::operation(uint32_t op) const {
  return names.operation ? names.operation(op) : "operation " + number(op);
}

std::string PlacementMessages::value(uint32_t value) const {
  if (value == None)
    return "scratch bytes";
  return names.value ? names.value(value) : "value " + number(value);
}

std::string PlacementMessages::range(uint32_t memory, uint64_t offset,
                                     uint64_t bytes) const {
  return describeRange(placement.memories, memory, offset, bytes);
}
