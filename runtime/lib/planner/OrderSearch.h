//===- OrderSearch.h - Orders that copy less --------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Local search: a task and all that it needs, or all that needs it, move a
// random way along the order; a move stays if the bytes that no plan with the
// order can avoid copying do not get more.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_PLANNER_ORDERSEARCH_H
#define TURNIP_LIB_PLANNER_ORDERSEARCH_H

#include "turnip/planner/Problem.h"

#include <random>

namespace turnip::planner {

/// Returns an order of data flow near \p order, which is one, whose bounds of
/// incoming and half of the outgoing bytes are in sum at most as large. Tries
/// \p rounds moves that \p random draws, and fewer where none helps any more;
/// each takes O(n log n).
std::vector<uint32_t> copyLess(const Problem &problem,
                               std::vector<uint32_t> order, size_t rounds,
                               std::mt19937_64 &random);

} // namespace turnip::planner

#endif // TURNIP_LIB_PLANNER_ORDERSEARCH_H
