//===- Graphs.h - Task graphs made to measure -------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Planning problems of given kinds and sizes, for benchmarks and scale tests.
// The same options give the same problem on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TOOLS_PLANNERBENCH_GRAPHS_H
#define TURNIP_TOOLS_PLANNERBENCH_GRAPHS_H

#include "turnip/planner/Problem.h"

#include <cstdio>
#include <string>

namespace turnip::planner::bench {

enum class GraphKind : uint8_t {
  /// Layers forward and back: every activation and every parameter is used
  /// again in reverse order, the parameters' gradients are results.
  Training,
  /// Layers whose tasks read random tiles of earlier layers, and parameters
  /// that several tasks share.
  Layered,
  /// A tile that all leaves read, whose results are summed up to the next hub.
  Star,
  /// The stages of a fast Fourier transform.
  Butterfly,
  /// A chain in which every fourth task also reads a tile from far back.
  SkipChain,
  /// The forward pass of a transformer over a whole sequence.
  Llama,
};

/// Returns "training", "layered", "star", "butterfly", "skip-chain" or "llama".
const char *toString(GraphKind kind);

/// Reads what toString() prints, or a model such as `llama-7b`, into
/// \p options. Errors: InvalidArgument for any other name.
struct GraphOptions;
Status parseGraphKind(const std::string &name, GraphOptions &options);

/// A transformer's sizes, in elements.
struct LlamaShape {
  const char *name;
  uint32_t layers, width, heads, keyHeads, inner, vocabulary;
};

/// What a machine can do, for the costs of tasks and copies. The defaults are
/// those of the figures that the evaluation compares with.
struct BenchRates {
  /// Bytes per second of each link in each direction, seconds before each copy.
  double linkBytesPerSecond = 25e9;
  double linkLatency = 1e-5;
  /// Floating point operations and bytes of memory per second of a kernel.
  double flopsPerSecond = 200e12;
  double bytesPerSecond = 2e12;
};

struct GraphOptions {
  GraphKind kind = GraphKind::Training;
  /// About how many tasks; a Llama graph follows from its other options.
  uint32_t vertices = 1000;
  uint32_t devices = 1;
  uint64_t seed = 1;
  /// Bytes of a tile, or of the largest one where they differ. Not for Llama.
  uint64_t tileBytes = uint64_t(32) << 20;
  /// Seconds of a task of the kinds other than Llama, as a share of the time
  /// that a tile takes over a link.
  double intensity = 0.5;
  /// A Llama graph: model, positions, layers (0: all of the model's), the bytes
  /// that one task may touch, and whether scores stay inside one kernel. They
  /// do in any case where one head's scores exceed the budget.
  const LlamaShape *llama = nullptr;
  uint32_t sequence = 4096;
  uint32_t layers = 0;
  uint64_t tileBudget = uint64_t(72) << 20;
  bool fusedAttention = false;
  BenchRates rates;
};

/// The models: 7b, 13b, 30b, 65b, 3-8b, 3-70b, smollm2-135m. Returns null for
/// any other name.
const LlamaShape *findLlama(const std::string &name);

/// Builds the graph. Device memories are unlimited; see setCapacity(). Memories
/// are dev0, ..., host, params and devices dev0, ..., host, as the compiler has
/// them. Errors: InvalidArgument for 0 or more than 64 devices, 0 or more than
/// 10^8 vertices, no sequence, tiles of 0 or more than 2^40 bytes.
Expected<Problem> makeGraph(const GraphOptions &options);

/// A small random problem on one device with little memory, for comparing
/// bounds with other ways to compute them.
Problem makeBoundCase(uint64_t seed);

/// The smallest capacity with which every device of \p problem can be planned.
uint64_t largestTask(const Problem &problem);

/// Gives every device memory of \p problem \p bytes, rounded down to its
/// alignment.
void setCapacity(Problem &problem, uint64_t bytes);

/// Writes \p problem as a module of the task dialect: kernels without bodies
/// but with costs, tiles as one-dimensional arrays of bytes. Wants a problem as
/// makeGraph() builds them.
void printTaskGraph(const Problem &problem, std::FILE *out);

} // namespace turnip::planner::bench

#endif // TURNIP_TOOLS_PLANNERBENCH_GRAPHS_H
