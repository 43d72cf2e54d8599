//===- HardPlacements.h - Placements that are hard to prove -----*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Right placements that no planner of ours would make: operations that touch
// the same bytes are far apart and ordered through long ways only.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TOOLS_PLANNERBENCH_HARDPLACEMENTS_H
#define TURNIP_TOOLS_PLANNERBENCH_HARDPLACEMENTS_H

#include "turnip/planner/Placement.h"

#include <vector>

namespace turnip::planner::bench {

enum class HardKind : uint8_t {
  /// One chain; values are read and overwritten up to half the chain later.
  Chain,
  /// Two chains with a rung now and then; values cross.
  Ladder,
  /// One value, read by half of all operations, then overwritten in pieces by
  /// the others. Half of the readers precede one join, half another.
  Crowd,
  /// A fast Fourier transform whose ranges are used again as soon as data flow
  /// allows: one path each, through a different part of the graph.
  Butterfly,
  /// Wide layers with a join between each and the next.
  Layers,
  /// Two edges each to anywhere among 400 operations before; values are read
  /// at the end of a random walk.
  Random,
};

constexpr HardKind hardKinds[] = {HardKind::Chain,  HardKind::Ladder,
                                  HardKind::Crowd,  HardKind::Butterfly,
                                  HardKind::Layers, HardKind::Random};

/// Returns "chain", "ladder", "crowd", "butterfly", "layers" or "random".
const char *toString(HardKind kind);

/// Builds a placement of about \p numOps operations, at least 64.
Placement makeHard(HardKind kind, uint32_t numOps, uint64_t seed);

/// Takes all edges to one operation that reads what another wrote, so that the
/// placement is wrong for certain.
void breakHard(Placement &placement, uint64_t seed);

} // namespace turnip::planner::bench

#endif // TURNIP_TOOLS_PLANNERBENCH_HARDPLACEMENTS_H
