//===- Sample.h - A small module for tests ----------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TEST_ARTIFACT_SAMPLE_H
#define TURNIP_TEST_ARTIFACT_SAMPLE_H

#include "turnip/artifact/Module.h"

#include <string>

namespace turnip {
namespace artifact {

/// Two entries on a machine with a capped device, host memory and parameters.
/// Entry `main` looks rows up on the host, loads them and a weight in two
/// halves over the same device range one after the other, multiplies, adds in
/// place, moves a tile and stores the result; it has every kind of vertex,
/// edge, access and binding, and the task graph it was planned from. Entry
/// `empty` has nothing. Kernels have made-up
/// code.
Module makeSample();

/// Appends a vertex and what it owns to \p entry.
void addVertex(Entry &entry, Vertex vertex, const std::vector<Access> &accesses,
               const std::vector<Edge> &edges,
               const std::vector<Scalar> &scalars = {});

/// Gives \p bytes the hash that their content has, so that what comes after the
/// comparison of hashes is reached. Does nothing to bytes whose header is too
/// damaged to find the hash in.
void fixHash(std::string &bytes);

} // namespace artifact
} // namespace turnip

#endif // TURNIP_TEST_ARTIFACT_SAMPLE_H
