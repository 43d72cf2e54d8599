//===- Summary.cpp - A run in figures -------------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/runtime/Summary.h"

#include "turnip/support/ByteSize.h"
#include "turnip/support/Json.h"

#include <algorithm>
#include <cstdio>

using namespace turnip;
using namespace turnip::runtime;

/// Returns the time covered by at least one of \p intervals, in nanoseconds.
static int64_t
unionLength(std::vector<std::pair<int64_t, int64_t>> &intervals) {
  std::sort(intervals.begin(), intervals.end());
  int64_t total = 0;
  int64_t covered = INT64_MIN;
  for (auto [start, end] : intervals) {
    start = std::max(start, covered);
    if (end > start)
      total += end - start;
    covered = std::max(covered, end);
  }
  return total;
}

RunSummary turnip::runtime::summarize(const ExecutableGraph &graph,
                                      const MachineDescription &machine,
                                      const RunRecord &record) {
  RunSummary summary;
  summary.seconds = static_cast<double>(record.end - record.begin) * 1e-9;
  summary.operations = record.dispatchOrder.size();
  std::vector<std::vector<std::pair<int64_t, int64_t>>> intervals(
      machine.engines.size());
  for (const EngineDescription &description : machine.engines) {
    EngineSummary engine;
    engine.name = description.name;
    engine.kind = description.kind;
    summary.engines.push_back(engine);
  }
  for (uint32_t v : record.completionOrder) {
    const Command &command = graph.commands[v];
    if (command.kind == Command::Kind::Join)
      continue;
    EngineSummary &engine = summary.engines[command.engine];
    ++engine.operations;
    engine.bytes += command.bytes;
    engine.operationSeconds +=
        static_cast<double>(record.ends[v] - record.starts[v]) * 1e-9;
    intervals[command.engine].push_back({record.starts[v], record.ends[v]});
  }
  for (size_t e = 0; e < machine.engines.size(); ++e) {
    EngineSummary &engine = summary.engines[e];
    engine.busySeconds = static_cast<double>(unionLength(intervals[e])) * 1e-9;
    if (summary.seconds > 0)
      engine.busyShare = engine.busySeconds / summary.seconds;
    const EngineDescription &description = machine.engines[e];
    if (description.kind == EngineKind::Compute) {
      summary.computeSeconds =
          std::max(summary.computeSeconds, engine.busySeconds);
      continue;
    }
    summary.transferSeconds =
        std::max(summary.transferSeconds, engine.busySeconds);
    if (description.device < 0)
      continue;
    (description.toDevice ? summary.bytesToDevices
                          : summary.bytesFromDevices) += engine.bytes;
  }
  for (const MemoryDescription &memory : machine.memories) {
    MemorySummary use;
    use.name = memory.name;
    use.kind = memory.kind;
    use.bytes = memory.capacity;
    summary.memories.push_back(use);
    (memory.kind == MemoryKind::Device ? summary.peakDeviceBytes
                                       : summary.peakHostBytes) +=
        memory.capacity;
  }
  double bound = std::max(summary.computeSeconds, summary.transferSeconds);
  if (bound > 0)
    summary.overBound = summary.seconds / bound;
  return summary;
}

/// printf into a string.
template <typename... Args>
static std::string format(const char *pattern, Args... args) {
  char buffer[256];
  std::snprintf(buffer, sizeof(buffer), pattern, args...);
  return buffer;
}

std::string RunSummary::toText() const {
  std::string text =
      format("time: %.3f ms for %llu operations\n", seconds * 1e3,
             static_cast<unsigned long long>(operations));
  for (const EngineSummary &engine : engines) {
    text += format("%s %s: busy %.1f %%, %llu operations",
                   engine.kind == EngineKind::Compute ? "compute" : "link",
                   engine.name.c_str(), engine.busyShare * 100,
                   static_cast<unsigned long long>(engine.operations));
    if (engine.kind == EngineKind::Transfer)
      text += ", " + formatBytes(engine.bytes);
    text += "\n";
  }
  text += "moved: " + formatBytes(bytesToDevices) + " to devices, " +
          formatBytes(bytesFromDevices) + " from devices\n";
  text += "peak: " + formatBytes(peakDeviceBytes) + " on devices, " +
          formatBytes(peakHostBytes) + " on the host\n";
  for (const MemorySummary &memory : memories) {
    text += "memory " + memory.name + ": " + formatBytes(memory.bytes);
    if (memory.cap > 0)
      text += " of " + formatBytes(memory.cap);
    text += "\n";
  }
  if (overBound > 0)
    text += format("time / max(compute %.3f ms, transfer %.3f ms) = %.2f\n",
                   computeSeconds * 1e3, transferSeconds * 1e3, overBound);
  return text;
}

static const char *kindName(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::Device:
    return "device";
  case MemoryKind::Host:
    return "host";
  case MemoryKind::Parameters:
    return "parameters";
  }
  return "unknown";
}

std::string RunSummary::toJson() const {
  json::Writer writer;
  writer.beginObject()
      .member("seconds", seconds)
      .member("operations", operations)
      .member("bytes_to_devices", bytesToDevices)
      .member("bytes_from_devices", bytesFromDevices)
      .member("peak_device_bytes", peakDeviceBytes)
      .member("peak_host_bytes", peakHostBytes)
      .member("compute_seconds", computeSeconds)
      .member("transfer_seconds", transferSeconds)
      .member("over_bound", overBound);
  writer.name("engines").beginArray();
  for (const EngineSummary &engine : engines)
    writer.newLine()
        .beginObject()
        .member("name", engine.name)
        .member("kind",
                engine.kind == EngineKind::Compute ? "compute" : "transfer")
        .member("operations", engine.operations)
        .member("bytes", engine.bytes)
        .member("busy_seconds", engine.busySeconds)
        .member("operation_seconds", engine.operationSeconds)
        .member("busy_share", engine.busyShare)
        .endObject();
  writer.newLine().endArray();
  writer.name("memories").beginArray();
  for (const MemorySummary &memory : memories)
    writer.newLine()
        .beginObject()
        .member("name", memory.name)
        .member("kind", kindName(memory.kind))
        .member("bytes", memory.bytes)
        .member("cap", memory.cap)
        .endObject();
  writer.newLine().endArray().endObject();
  return writer.take();
}
