//===- ChromeTrace.cpp - A run as Chrome trace events ---------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format is described in "Trace Event Format" (Google, 2016): an array of
// complete events ("X") with microsecond times, and metadata events ("M") that
// name and order the tracks.
//
//===----------------------------------------------------------------------===//

#include "turnip/runtime/Summary.h"
#include "turnip/support/Json.h"

#include <algorithm>
#include <numeric>

using namespace turnip;
using namespace turnip::runtime;

namespace {
/// The rows of one engine. Events on a track must not overlap, so an operation
/// goes to the first row whose last one has ended.
struct Track {
  std::vector<int64_t> rowEnds;

  size_t rowFor(int64_t start, int64_t end) {
    size_t row = 0;
    while (row < rowEnds.size() && rowEnds[row] > start)
      ++row;
    if (row == rowEnds.size())
      rowEnds.push_back(end);
    rowEnds[row] = end;
    return row;
  }
};
} // namespace

/// More rows than any engine has operations in flight.
static constexpr size_t maxRows = 4096;

static void writeTrackName(json::Writer &writer, size_t id,
                           const std::string &name) {
  writer.newLine()
      .beginObject()
      .member("ph", "M")
      .member("pid", 1)
      .member("tid", uint64_t(id))
      .member("name", "thread_name");
  writer.name("args").beginObject().member("name", name).endObject();
  writer.endObject();
  writer.newLine()
      .beginObject()
      .member("ph", "M")
      .member("pid", 1)
      .member("tid", uint64_t(id))
      .member("name", "thread_sort_index");
  writer.name("args").beginObject().member("sort_index", uint64_t(id));
  writer.endObject().endObject();
}

static void writeOperation(json::Writer &writer, const Command &command,
                           const OperationNames &names, size_t track,
                           double start, double duration) {
  writer.newLine()
      .beginObject()
      .member("ph", "X")
      .member("pid", 1)
      .member("tid", uint64_t(track))
      .member("name", names.operation)
      .member("ts", start)
      .member("dur", duration);
  writer.name("args").beginObject().member("operation", command.vertex);
  if (!names.task.empty())
    writer.member("task", names.task);
  if (!names.tile.empty())
    writer.member("tile", names.tile);
  if (!names.location.empty())
    writer.member("location", names.location);
  writer.member("bytes", command.bytes);
  if (command.flops > 0)
    writer.member("flops", command.flops);
  writer.endObject().endObject();
}

std::string turnip::runtime::chromeTrace(
    const ExecutableGraph &graph, const MachineDescription &machine,
    const RunRecord &record,
    const std::function<OperationNames(uint32_t)> &names) {
  std::vector<uint32_t> order = record.completionOrder;
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return record.starts[a] != record.starts[b]
               ? record.starts[a] < record.starts[b]
               : a < b;
  });
  std::vector<Track> tracks(machine.engines.size());
  json::Writer writer;
  writer.beginObject().member("displayTimeUnit", "ms");
  writer.name("traceEvents").beginArray();
  for (uint32_t v : order) {
    const Command &command = graph.commands[v];
    if (command.kind == Command::Kind::Join)
      continue;
    size_t row =
        tracks[command.engine].rowFor(record.starts[v], record.ends[v]);
    auto microseconds = [](int64_t nanoseconds) {
      return static_cast<double>(nanoseconds) / 1e3;
    };
    writeOperation(writer, command, names(v),
                   command.engine * maxRows + std::min(row, maxRows - 1),
                   microseconds(record.starts[v] - record.begin),
                   microseconds(record.ends[v] - record.starts[v]));
  }
  for (size_t e = 0; e < tracks.size(); ++e) {
    size_t rows = std::max<size_t>(1, tracks[e].rowEnds.size());
    for (size_t row = 0; row < std::min(rows, maxRows); ++row) {
      std::string name = machine.engines[e].name;
      if (row > 0)
        name += " (" + std::to_string(row + 1) + ")";
      writeTrackName(writer, e * maxRows + row, name);
    }
  }
  writer.newLine().endArray().endObject();
  return writer.take() + "\n";
}
