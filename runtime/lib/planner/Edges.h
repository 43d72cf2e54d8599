//===- Edges.h - Which operation waits for which ----------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_PLANNER_EDGES_H
#define TURNIP_LIB_PLANNER_EDGES_H

#include "turnip/planner/Plan.h"

namespace turnip::planner {

/// Adds to \p plan, whose operations are right when carried out in the order
/// they are listed, the edges that make every order right: each read waits for
/// the write of its value, and the first write to a range for every access of
/// the range's previous occupants. Where many operations would wait for many,
/// adds a join. No engine is assumed to keep an order. Edges that \p plan has
/// already are kept besides.
void addEdges(Plan &plan);

/// Drops edges that shorter steps within 256 operations imply.
void pruneEdges(Plan &plan);

/// Drops most of the other edges that are implied, over long chains; takes
/// longer than pruneEdges(). Wants edges sorted, as addEdges() leaves them.
void pruneFarEdges(Plan &plan);

} // namespace turnip::planner

#endif // TURNIP_LIB_PLANNER_EDGES_H
