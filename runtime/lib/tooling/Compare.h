//===- Compare.h - Comparing results ----------------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_TOOLING_COMPARE_H
#define TURNIP_LIB_TOOLING_COMPARE_H

#include "turnip/parameters/Tensor.h"

namespace turnip::tooling {

/// Compares \p actual with \p expected. Floats may differ by \p tolerance times
/// the largest finite magnitude in \p expected; NaN equals NaN, and infinities
/// equal themselves; everything else must be equal. The error (BadInput) names
/// the result, the worst element, both values and how many differ.
Status compareTensors(const std::string &name,
                      const parameters::Tensor &expected,
                      const parameters::Tensor &actual, double tolerance);

} // namespace turnip::tooling

#endif // TURNIP_LIB_TOOLING_COMPARE_H
