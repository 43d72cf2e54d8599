//===- TileNames.h - What the values of a graph are called ------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_RUNTIME_TILENAMES_H
#define TURNIP_LIB_RUNTIME_TILENAMES_H

#include "turnip/artifact/Module.h"

#include <string>
#include <unordered_map>

namespace turnip::runtime {

/// Names the values of \p entry, by their ids, for people: a slice of a tensor
/// that enters or leaves (`w`, or `w[64:128, 0:32]` where it is not all of it),
/// or else the task that made it (`task up`, `task up result 1`).
std::unordered_map<uint32_t, std::string>
tileNames(const artifact::Entry &entry);

} // namespace turnip::runtime

#endif // TURNIP_LIB_RUNTIME_TILENAMES_H
