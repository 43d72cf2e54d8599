//===- Machine.cpp - Links and engines by number --------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace turnip::planner;

Machine::Machine(const Problem &problem)
    : problem(problem), numMemories(problem.memories.size()),
      links(numMemories * numMemories, None), devices(numMemories, None) {
  for (uint32_t i = 0; i < problem.devices.size(); ++i) {
    devices[problem.devices[i].memory] = i;
    table.push_back({problem.devices[i].name, i, None});
  }
  // Channel numbers may be sparse; engines are numbered densely.
  for (uint32_t i = 0; i < problem.links.size(); ++i) {
    const Link &link = problem.links[i];
    uint32_t &slot = links[link.source * numMemories + link.destination];
    if (slot == None)
      slot = i;
    bool known = false;
    for (const Engine &engine : table)
      known |= engine.channel == link.channel;
    if (!known)
      table.push_back({link.name, None, link.channel});
  }
}

uint32_t Machine::copyEngine(uint32_t source, uint32_t destination) const {
  uint32_t found = link(source, destination);
  if (found == None)
    return source == destination ? devices[source] : None;
  for (uint32_t i = 0; i < table.size(); ++i)
    if (table[i].channel == problem.links[found].channel)
      return i;
  return None;
}

double Machine::copySeconds(uint32_t source, uint32_t destination,
                            uint64_t bytes) const {
  constexpr double moveBytesPerSecond = 1e11;
  uint32_t found = link(source, destination);
  if (found == None)
    return static_cast<double>(bytes) / moveBytesPerSecond;
  const Link &via = problem.links[found];
  return via.latency + static_cast<double>(bytes) / via.bytesPerSecond;
}
