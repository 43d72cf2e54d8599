//===- Print.cpp - An artifact as text for people -------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/artifact/Print.h"
#include "turnip/support/ByteSize.h"

#include <algorithm>
#include <array>
#include <cstdio>

using namespace turnip;
using namespace turnip::artifact;

/// "1 copy", "2 copies".
static std::string countText(uint64_t count, const char *one,
                             const char *many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

static std::string milliseconds(double seconds) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.3f ms", seconds * 1e3);
  return text;
}

static void printMachine(const Machine &machine, std::ostream &out) {
  out << "machine\n";
  for (const Memory &memory : machine.memories)
    out << "  memory " << memory.name << ": " << toString(memory.kind) << ", "
        << formatExactBytes(memory.capacity) << ", aligned to "
        << memory.alignment << (memory.writable ? "" : ", read-only") << "\n";
  for (const Device &device : machine.devices) {
    out << "  device " << device.name << ": " << toString(device.kind)
        << ", computes in " << machine.memories[device.memory].name;
    if (device.backing != none)
      out << ", evicts to " << machine.memories[device.backing].name;
    out << "\n";
  }
  for (size_t i = 0; i < machine.links.size(); ++i) {
    const Link &link = machine.links[i];
    char text[96];
    std::snprintf(text, sizeof(text), "%.3f GB/s, %.1f us",
                  link.bytesPerSecond / 1e9, link.latency * 1e6);
    out << "  link " << i << ": " << machine.memories[link.source].name
        << " to " << machine.memories[link.destination].name << ", channel "
        << link.channel << ", " << text << "\n";
  }
}

static void printMatmul(const Matmul &matmul, std::ostream &out) {
  out << "matmul " << matmul.m << "x" << matmul.n << "x" << matmul.k;
  if (matmul.batch != 1)
    out << ", batch " << matmul.batch;
  out << ", " << toString(matmul.typeA)
      << (matmul.transposeA ? " transposed" : "") << " by "
      << toString(matmul.typeB) << (matmul.transposeB ? " transposed" : "")
      << " to " << toString(matmul.typeD) << " in " << toString(matmul.compute);
  if (matmul.epilogue != MatmulEpilogue::None)
    out << ", " << toString(matmul.epilogue);
}

static void printLaunches(const KernelObject &object, std::ostream &out) {
  for (const Launch &launch : object.launches) {
    out << "      ";
    if (launch.kind == LaunchKind::Matmul)
      printMatmul(launch.matmul, out);
    else
      out << launch.symbol << ", grid " << launch.grid[0] << "x"
          << launch.grid[1] << "x" << launch.grid[2] << ", block "
          << launch.block[0] << "x" << launch.block[1] << "x" << launch.block[2]
          << ", " << launch.sharedBytes << " bytes shared";
    out << "\n";
  }
}

static void printKernels(const Module &module, std::ostream &out) {
  std::vector<uint64_t> calls(module.kernels.size(), 0);
  for (const Entry &entry : module.entries)
    for (const Vertex &vertex : entry.vertices)
      if (vertex.kind == VertexKind::Call)
        ++calls[vertex.kernel];
  uint64_t code = 0;
  for (const Kernel &kernel : module.kernels)
    for (const KernelObject &object : kernel.objects)
      code += object.code.size();
  out << countText(module.kernels.size(), "kernel", "kernels") << ", "
      << formatExactBytes(code) << " of code\n";
  for (size_t i = 0; i < module.kernels.size(); ++i) {
    const Kernel &kernel = module.kernels[i];
    out << "  " << kernel.name << ": " << countText(calls[i], "call", "calls")
        << ", grid " << kernel.gridSize << ", workspace "
        << kernel.workspaceBytes << " bytes, " << kernel.flops << " flops, "
        << kernel.bytesMoved << " bytes moved, "
        << machine::toString(kernel.kernelClass) << " of "
        << toString(kernel.type) << "\n    " << kernel.signature << "\n";
    for (const KernelObject &object : kernel.objects) {
      out << "    " << object.triple << ", " << object.format << ", "
          << object.code.size() << " bytes";
      for (const std::string &feature : object.features)
        out << ", " << feature;
      out << "\n";
      printLaunches(object, out);
    }
  }
}

static void printVertices(const Entry &entry, std::ostream &out) {
  std::array<uint64_t, numVertexKinds> kinds{};
  std::array<uint64_t, numEdgeKinds> edges{};
  std::array<uint64_t, numCopyRoles> copies{}, bytes{};
  for (const Vertex &vertex : entry.vertices) {
    ++kinds[static_cast<size_t>(vertex.kind)];
    if (vertex.kind != VertexKind::Copy)
      continue;
    ++copies[static_cast<size_t>(vertex.role)];
    bytes[static_cast<size_t>(vertex.role)] +=
        entry.accessesOf(vertex)[0].bytes;
  }
  for (const Edge &edge : entry.edges)
    ++edges[static_cast<size_t>(edge.kind)];
  out << "  " << countText(kinds[0], "call", "calls") << ", "
      << countText(kinds[1], "copy", "copies") << ", "
      << countText(kinds[2], "join", "joins") << "; " << edges[0]
      << " data and " << edges[1] << " memory dependencies\n";
  for (size_t role = 0; role < numCopyRoles; ++role)
    if (copies[role] != 0)
      out << "  " << toString(static_cast<CopyRole>(role)) << ": "
          << countText(copies[role], "copy", "copies") << ", "
          << formatExactBytes(bytes[role]) << "\n";
}

static void printTaskGraph(const Entry &entry, std::ostream &out) {
  if (!entry.taskGraph)
    return;
  uint64_t bytes = 0;
  for (const Tile &tile : entry.taskGraph->tiles)
    bytes += tile.bytes;
  out << "  planned from " << countText(entry.tasks.size(), "task", "tasks")
      << " on " << countText(entry.taskGraph->tiles.size(), "tile", "tiles")
      << ", " << formatExactBytes(bytes) << "\n";
}

static void printStatistics(const Module &module, const Entry &entry,
                            std::ostream &out) {
  const Statistics &statistics = entry.statistics;
  const Machine &machine = module.machine;
  std::vector<uint64_t> peaks = statistics.peakBytes.empty()
                                    ? touchedBytes(module, entry)
                                    : statistics.peakBytes;
  for (size_t i = 0; i < peaks.size(); ++i)
    out << "  peak of " << machine.memories[i].name << ": "
        << formatExactBytes(peaks[i]) << "\n";
  for (size_t i = 0; i < statistics.linkBytes.size(); ++i)
    out << "  over link " << i << ": "
        << formatExactBytes(statistics.linkBytes[i]) << "\n";
  if (statistics.incomingBytesBound != 0)
    out << "  no plan of this order loads less than "
        << formatExactBytes(statistics.incomingBytesBound) << "\n";
  for (size_t i = 0; i < statistics.smallestCaps.size(); ++i) {
    const SmallestCap &cap = statistics.smallestCaps[i];
    if (cap.bytes == 0)
      continue;
    out << "  smallest cap of " << machine.devices[i].name << ": "
        << formatExactBytes(cap.bytes);
    if (cap.task != none)
      out << ", needed by " << entry.tasks[cap.task];
    out << "\n";
  }
  if (statistics.predictedMakespan > 0)
    out << "  predicted " << milliseconds(statistics.predictedMakespan)
        << ", at least " << milliseconds(statistics.makespanBound)
        << " (compute " << milliseconds(statistics.computeBound)
        << ", transfers " << milliseconds(statistics.transferBound)
        << ", longest chain " << milliseconds(statistics.criticalPath)
        << "); order " << statistics.order << "\n";
}

static void printBindings(const char *kind,
                          const std::vector<Binding> &bindings,
                          std::ostream &out) {
  for (const Binding &binding : bindings) {
    out << "  " << kind << " " << binding.name << ": "
        << describe(binding.shape, binding.type);
    if (binding.fileShape != binding.shape)
      out << " of " << describe(binding.fileShape, binding.type);
    out << ", " << countText(binding.pieces.size(), "piece", "pieces") << "\n";
  }
}

void artifact::print(const Module &module, std::ostream &out) {
  out << "producer " << module.producer << "\noptions " << module.options
      << "\n";
  printMachine(module.machine, out);
  printKernels(module, out);
  for (const Entry &entry : module.entries) {
    out << "entry " << entry.name << "\n";
    printVertices(entry, out);
    printTaskGraph(entry, out);
    printStatistics(module, entry, out);
    for (const Argument &argument : entry.arguments)
      out << "  argument " << argument.name << ": " << argument.minimum
          << " to " << argument.maximum << "\n";
    printBindings("parameter", entry.parameters, out);
    printBindings("input", entry.inputs, out);
    printBindings("result", entry.results, out);
  }
}
