//===- Orders.h - In which order tasks are placed ---------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_PLANNER_ORDERS_H
#define TURNIP_LIB_PLANNER_ORDERS_H

#include "Machine.h"

namespace turnip::planner {

/// Returns all tasks of \p problem in an order of data flow; \p kind is not
/// Best. The same input gives the same order.
std::vector<uint32_t> orderTasks(const Problem &problem, const Machine &machine,
                                 OrderKind kind);

} // namespace turnip::planner

#endif // TURNIP_LIB_PLANNER_ORDERS_H
