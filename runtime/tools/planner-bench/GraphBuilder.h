//===- GraphBuilder.h - Adds tasks to a problem -----------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TOOLS_PLANNERBENCH_GRAPHBUILDER_H
#define TURNIP_TOOLS_PLANNERBENCH_GRAPHBUILDER_H

#include "Graphs.h"

#include <unordered_map>

namespace turnip::planner::bench {

/// A machine, and the tasks added so far. Tiles that a task reads on another
/// device than where they were produced are transferred there once.
class GraphBuilder {
public:
  explicit GraphBuilder(const GraphOptions &options);

  uint32_t numDevices() const { return devices; }

  /// Adds a parameter; a number for parameterOn().
  uint32_t parameter(uint64_t bytes);
  /// The tile of a parameter on a device.
  uint32_t parameterOn(uint32_t parameter, uint32_t device);
  /// Adds an input that \p device reads.
  uint32_t input(uint32_t device, uint64_t bytes);
  /// The tile itself where \p device has it, else what a transfer brings.
  uint32_t on(uint32_t device, uint32_t tile);
  /// Adds a call whose operands are on the device; returns its first result,
  /// the others follow. \p inPlace: a position in \p operands that the first
  /// result may take the place of, or None.
  uint32_t call(uint32_t device, const std::vector<uint32_t> &operands,
                const std::vector<uint64_t> &resultBytes, double seconds,
                uint32_t inPlace = None, uint64_t workspace = 0);
  /// Says that the tile is a result.
  void result(uint32_t tile);

  uint64_t bytesOf(uint32_t tile) const { return problem.tiles[tile].bytes; }
  size_t numTasks() const { return problem.tasks.size(); }
  Problem take() { return std::move(problem); }

private:
  struct Parameter {
    uint64_t offset = 0;
    uint64_t bytes = 0;
  };

  uint32_t devices, host, params;
  Problem problem;
  std::vector<Parameter> parameters;
  uint64_t end = 0;
  /// By tile (or parameter) and device.
  std::unordered_map<uint64_t, uint32_t> copies, loaded;
};

/// Adds the forward pass of options.llama.
void buildLlama(GraphBuilder &builder, const GraphOptions &options);

} // namespace turnip::planner::bench

#endif // TURNIP_TOOLS_PLANNERBENCH_GRAPHBUILDER_H
