//===- Print.h - An artifact as text for people -----------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_ARTIFACT_PRINT_H
#define TURNIP_ARTIFACT_PRINT_H

#include "turnip/artifact/Module.h"

#include <ostream>

namespace turnip {
namespace artifact {

/// Prints what is in \p module as lines of text: producer, machine, kernels
/// with how often they are called, and for each entry what its vertices do, the
/// bytes it moves, its peaks, smallest caps, bounds and bindings. Not a format
/// to parse. The module must be valid.
void print(const Module &module, std::ostream &out);

} // namespace artifact
} // namespace turnip

#endif // TURNIP_ARTIFACT_PRINT_H
