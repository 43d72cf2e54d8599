//===- Summary.h - A run in figures and as a trace --------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_RUNTIME_SUMMARY_H
#define TURNIP_RUNTIME_SUMMARY_H

#include "turnip/runtime/Executor.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace turnip::runtime {

/// What one engine did in a run. Times are seconds.
struct EngineSummary {
  std::string name;
  EngineKind kind = EngineKind::Compute;
  uint64_t operations = 0;
  /// Transfer: bytes moved. Compute: bytes read and written by kernels.
  uint64_t bytes = 0;
  /// Time during which at least one operation was under way.
  double busySeconds = 0;
  /// Sum of the operations' times: more than busySeconds where several lanes
  /// work on different operations.
  double operationSeconds = 0;
  /// busySeconds over the time of the run.
  double busyShare = 0;
};

/// What one memory held.
struct MemorySummary {
  std::string name;
  MemoryKind kind = MemoryKind::Host;
  /// Bytes allocated, which is the end of the highest byte in use.
  uint64_t bytes = 0;
  /// The bytes that the program was allowed to use; 0: not known.
  uint64_t cap = 0;
};

/// A run in figures.
struct RunSummary {
  /// From the start to the last completion, on the driver's clock.
  double seconds = 0;
  uint64_t operations = 0;
  std::vector<EngineSummary> engines;
  std::vector<MemorySummary> memories;
  uint64_t bytesToDevices = 0;
  uint64_t bytesFromDevices = 0;
  /// Sums over the memories of devices, and over host and parameter memory.
  uint64_t peakDeviceBytes = 0;
  uint64_t peakHostBytes = 0;
  /// Busiest compute engine and busiest link.
  double computeSeconds = 0;
  double transferSeconds = 0;
  /// seconds / max(computeSeconds, transferSeconds); 0 if nothing was busy.
  double overBound = 0;

  /// A few lines for people; sizes in MiB.
  std::string toText() const;
  /// One JSON object with exact numbers.
  std::string toJson() const;
};

/// Adds up \p record, a finished run of \p graph on \p machine.
RunSummary summarize(const ExecutableGraph &graph,
                     const MachineDescription &machine,
                     const RunRecord &record);

/// How a trace calls an operation.
struct OperationNames {
  std::string operation;
  std::string task;
  /// A copy: what it moves.
  std::string tile;
  std::string location;
};

/// Writes \p record as Chrome trace events, which Perfetto and chrome://tracing
/// read: one track per engine (more where operations of one engine overlap),
/// with operation, task, tile, location and bytes of each. Joins are left out.
std::string chromeTrace(const ExecutableGraph &graph,
                        const MachineDescription &machine,
                        const RunRecord &record,
                        const std::function<OperationNames(uint32_t)> &names);

} // namespace turnip::runtime

#endif // TURNIP_RUNTIME_SUMMARY_H
