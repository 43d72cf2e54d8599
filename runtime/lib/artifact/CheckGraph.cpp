//===- CheckGraph.cpp - Vertices, accesses, scalars and edges -------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

using namespace turnip;
using namespace turnip::artifact;

namespace {
/// Checks the vertices of one entry in order.
class GraphChecker {
public:
  GraphChecker(const Path &path, const Module &module, const Entry &entry)
      : entryPath(path), module(module), machine(module.machine), entry(entry) {
  }

  Status run();

private:
  Status checkAccess(const Path &path, const Access &access);
  Status checkEdges(const Path &path, size_t index, const Vertex &vertex);
  Status checkCall(const Path &path, const Vertex &vertex);
  Status checkCallAccess(const Path &path, const Device &device,
                         const Access &access, AccessRole role, uint64_t bytes);
  Status checkOverlap(const Path &path, const Kernel &kernel,
                      const Vertex &vertex);
  Status checkCopy(const Path &path, const Vertex &vertex);
  Status checkCopyEnds(const Path &list, const Vertex &vertex);
  Status checkWithoutKernel(const Path &path, const Vertex &vertex,
                            uint32_t accesses);
  Status checkVertex(const Path &path, size_t index, const Vertex &vertex);

  const Path &entryPath;
  const Module &module;
  const Machine &machine;
  const Entry &entry;
};
} // namespace

/// Checks that \p range begins where the previous vertex's range ended, at
/// \p next, and moves \p next behind it. \p total: elements of the array.
static Status checkRange(const Path &path, const Range &range, uint64_t &next,
                         size_t total) {
  if (range.first != next)
    return mismatchAt(Path(path, "first"), next, range.first);
  if (range.count > total - next)
    return mismatchAt(Path(path, "count"),
                      "at most " + std::to_string(total - next) +
                          ", the elements left",
                      std::to_string(range.count));
  next += range.count;
  return Status::ok();
}

static bool overlap(const Access &a, const Access &b) {
  return a.memory == b.memory && a.offset < b.offset + b.bytes &&
         b.offset < a.offset + a.bytes;
}

static bool same(const Access &a, const Access &b) {
  return a.memory == b.memory && a.offset == b.offset && a.bytes == b.bytes;
}

Status GraphChecker::checkAccess(const Path &path, const Access &access) {
  TURNIP_RETURN_IF_ERROR(checkEnum(
      Path(path, "role"), static_cast<unsigned>(access.role), numAccessRoles));
  TURNIP_RETURN_IF_ERROR(
      checkIndex(Path(path, "memory"), access.memory, machine.memories.size()));
  const Memory &memory = machine.memories[access.memory];
  TURNIP_RETURN_IF_ERROR(
      checkWithin(path, memory, access.offset, access.bytes));
  if (access.role != AccessRole::Read && !memory.writable)
    return badAt(path, std::string("a ") + toString(access.role) +
                           " access, but " + memory.name + " is not writable");
  bool named = access.value != none;
  if (named == (access.role == AccessRole::Workspace))
    return mismatchAt(Path(path, "value"),
                      named ? "none for a workspace" : "a value",
                      named ? std::to_string(access.value) : "none");
  return Status::ok();
}

Status GraphChecker::checkEdges(const Path &path, size_t index,
                                const Vertex &vertex) {
  Span<Edge> edges = entry.edgesOf(vertex);
  for (size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].source >= index)
      return mismatchAt(Path(Path(path, i), "source"),
                        "an earlier vertex than " + std::to_string(index),
                        std::to_string(edges[i].source));
    if (i > 0 && edges[i].source <= edges[i - 1].source)
      return mismatchAt(Path(Path(path, i), "source"),
                        "a vertex after " + std::to_string(edges[i - 1].source),
                        std::to_string(edges[i].source));
    TURNIP_RETURN_IF_ERROR(checkEnum(Path(Path(path, i), "kind"),
                                     static_cast<unsigned>(edges[i].kind),
                                     numEdgeKinds));
  }
  return Status::ok();
}

Status GraphChecker::checkCallAccess(const Path &path, const Device &device,
                                     const Access &access, AccessRole role,
                                     uint64_t bytes) {
  if (access.role != role)
    return mismatchAt(Path(path, "role"), toString(role),
                      toString(access.role));
  if (access.bytes != bytes)
    return mismatchAt(Path(path, "bytes"), bytes, access.bytes);
  const Memory &memory = machine.memories[access.memory];
  bool reachable =
      access.memory == device.memory || (device.kind == DeviceKind::Host &&
                                         memory.kind == MemoryKind::Parameters);
  if (!reachable)
    return mismatchAt(Path(path, "memory"),
                      machine.memories[device.memory].name +
                          ", the memory of device " + device.name,
                      memory.name);
  if (access.offset % memory.alignment != 0)
    return mismatchAt(Path(path, "offset"),
                      "a multiple of " + std::to_string(memory.alignment),
                      std::to_string(access.offset));
  return Status::ok();
}

/// Whether accesses \p result and \p other of a call of \p kernel share bytes,
/// and may not.
static bool clash(const Kernel &kernel, Span<Access> accesses, size_t result,
                  size_t other) {
  if (!overlap(accesses[result], accesses[other]))
    return false;
  size_t operands = kernel.operandBytes.size();
  bool allowed =
      other < operands && same(accesses[result], accesses[other]) &&
      std::any_of(
          kernel.inPlace.begin(), kernel.inPlace.end(),
          [&](const InPlacePair &pair) {
            return pair.operand == other && pair.result + operands == result;
          });
  return !allowed;
}

/// Looks for a clash among many accesses: those that share bytes are close
/// together once all are sorted. Returns the two, the later one first, or none.
static std::pair<size_t, size_t> findClash(const Kernel &kernel,
                                           Span<Access> accesses) {
  auto key = [&](size_t i) {
    return std::make_tuple(accesses[i].memory, accesses[i].offset, i);
  };
  std::vector<size_t> sorted(accesses.size());
  std::iota(sorted.begin(), sorted.end(), size_t(0));
  std::sort(sorted.begin(), sorted.end(),
            [&](size_t a, size_t b) { return key(a) < key(b); });
  // Of the accesses so far in a memory, the one that reaches farthest.
  std::vector<size_t> farthest(sorted.size());
  for (size_t at = 0; at < sorted.size(); ++at) {
    const Access &access = accesses[sorted[at]];
    farthest[at] = sorted[at];
    if (at == 0)
      continue;
    const Access &before = accesses[farthest[at - 1]];
    if (before.memory == access.memory &&
        before.offset + before.bytes > access.offset + access.bytes)
      farthest[at] = farthest[at - 1];
  }
  for (size_t at = 0; at < sorted.size(); ++at) {
    size_t own = sorted[at];
    if (own < kernel.operandBytes.size())
      continue;
    auto clashes = [&](size_t other) {
      return clash(kernel, accesses, std::max(own, other),
                   std::min(own, other));
    };
    for (size_t next = at + 1;
         next < sorted.size() && overlap(accesses[own], accesses[sorted[next]]);
         ++next)
      if (clashes(sorted[next]))
        return std::minmax(own, sorted[next], std::greater<>());
    for (size_t before = at;
         before > 0 && overlap(accesses[own], accesses[farthest[before - 1]]);
         --before)
      if (clashes(sorted[before - 1]))
        return std::minmax(own, sorted[before - 1], std::greater<>());
  }
  return {accesses.size(), accesses.size()};
}

/// Only a result and the operand it may replace share bytes, and then all.
Status GraphChecker::checkOverlap(const Path &path, const Kernel &kernel,
                                  const Vertex &vertex) {
  Span<Access> accesses = entry.accessesOf(vertex);
  auto refuse = [&](size_t late, size_t early) {
    auto text = [&](const Access &access) {
      return rangeText(machine.memories[access.memory], access.offset,
                       access.bytes);
    };
    return badAt(Path(path, late), text(accesses[late]) + " overlaps access " +
                                       std::to_string(early) + ", " +
                                       text(accesses[early]));
  };
  constexpr size_t few = 16;
  if (accesses.size() > few) {
    auto [late, early] = findClash(kernel, accesses);
    return late == accesses.size() ? Status::ok() : refuse(late, early);
  }
  for (size_t i = kernel.operandBytes.size(); i < accesses.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (clash(kernel, accesses, i, j))
        return refuse(i, j);
  return Status::ok();
}

Status GraphChecker::checkCall(const Path &path, const Vertex &vertex) {
  TURNIP_RETURN_IF_ERROR(
      checkIndex(Path(path, "engine"), vertex.engine, machine.devices.size()));
  TURNIP_RETURN_IF_ERROR(
      checkIndex(Path(path, "kernel"), vertex.kernel, module.kernels.size()));
  const Kernel &kernel = module.kernels[vertex.kernel];
  Span<Access> accesses = entry.accessesOf(vertex);
  size_t operands = kernel.operandBytes.size();
  size_t results = kernel.resultBytes.size();
  size_t expected = operands + results + (kernel.workspaceBytes > 0 ? 1 : 0);
  Path list(path, "accesses");
  if (accesses.size() != expected)
    return badAt(list, "kernel " + kernel.name + " has " +
                           std::to_string(expected) +
                           " buffers, but the call has " +
                           std::to_string(accesses.size()));
  if (vertex.scalars.count != kernel.scalarCount)
    return badAt(Path(path, "scalars"),
                 "kernel " + kernel.name + " has " +
                     std::to_string(kernel.scalarCount) +
                     " scalars, but the call has " +
                     std::to_string(vertex.scalars.count));
  const Device &device = machine.devices[vertex.engine];
  for (size_t i = 0; i < accesses.size(); ++i) {
    AccessRole role = i < operands             ? AccessRole::Read
                      : i < operands + results ? AccessRole::Write
                                               : AccessRole::Workspace;
    uint64_t bytes = i < operands             ? kernel.operandBytes[i]
                     : i < operands + results ? kernel.resultBytes[i - operands]
                                              : kernel.workspaceBytes;
    TURNIP_RETURN_IF_ERROR(
        checkCallAccess(Path(list, i), device, accesses[i], role, bytes));
  }
  return checkOverlap(list, kernel, vertex);
}

Status GraphChecker::checkWithoutKernel(const Path &path, const Vertex &vertex,
                                        uint32_t accesses) {
  if (vertex.kernel != none)
    return mismatchAt(Path(path, "kernel"), "none",
                      std::to_string(vertex.kernel));
  if (vertex.scalars.count != 0)
    return mismatchAt(Path(path, "scalars"), "no elements",
                      std::to_string(vertex.scalars.count));
  if (vertex.accesses.count != accesses)
    return mismatchAt(Path(path, "accesses"),
                      std::to_string(accesses) + " elements",
                      std::to_string(vertex.accesses.count));
  return Status::ok();
}

/// Checks that a copy goes where its link does, or stays in one memory.
Status GraphChecker::checkCopyEnds(const Path &list, const Vertex &vertex) {
  Span<Access> accesses = entry.accessesOf(vertex);
  for (size_t i : {0, 1}) {
    AccessRole role = i == 0 ? AccessRole::Read : AccessRole::Write;
    if (accesses[i].role != role)
      return mismatchAt(Path(Path(list, i), "role"), toString(role),
                        toString(accesses[i].role));
    uint32_t memory = accesses[0].memory;
    if (vertex.engine != noEngine) {
      const Link &link = machine.links[vertex.engine];
      memory = i == 0 ? link.source : link.destination;
    }
    if (accesses[i].memory != memory)
      return mismatchAt(
          Path(Path(list, i), "memory"),
          machine.memories[memory].name +
              (vertex.engine == noEngine ? ", as the source" : ", as the link"),
          machine.memories[accesses[i].memory].name);
  }
  if (vertex.engine != noEngine)
    return Status::ok();
  for (const Device &device : machine.devices)
    if (device.memory == accesses[0].memory)
      return Status::ok();
  return badAt(list, "no device moves bytes within " +
                         machine.memories[accesses[0].memory].name);
}

Status GraphChecker::checkCopy(const Path &path, const Vertex &vertex) {
  if (vertex.engine != noEngine)
    TURNIP_RETURN_IF_ERROR(
        checkIndex(Path(path, "engine"), vertex.engine, machine.links.size()));
  TURNIP_RETURN_IF_ERROR(checkWithoutKernel(path, vertex, 2));
  Path list(path, "accesses");
  TURNIP_RETURN_IF_ERROR(checkCopyEnds(list, vertex));
  Span<Access> accesses = entry.accessesOf(vertex);
  if (accesses[0].bytes != accesses[1].bytes)
    return mismatchAt(Path(Path(list, 1), "bytes"), accesses[0].bytes,
                      accesses[1].bytes);
  if (accesses[0].value != accesses[1].value)
    return mismatchAt(Path(Path(list, 1), "value"), accesses[0].value,
                      accesses[1].value);
  if (overlap(accesses[0], accesses[1]))
    return badAt(list, "the source and the destination overlap");
  return Status::ok();
}

Status GraphChecker::checkVertex(const Path &path, size_t index,
                                 const Vertex &vertex) {
  TURNIP_RETURN_IF_ERROR(checkEnum(
      Path(path, "kind"), static_cast<unsigned>(vertex.kind), numVertexKinds));
  TURNIP_RETURN_IF_ERROR(checkEnum(
      Path(path, "role"), static_cast<unsigned>(vertex.role), numCopyRoles));
  TURNIP_RETURN_IF_ERROR(
      checkOptionalIndex(Path(path, "task"), vertex.task, entry.tasks.size()));
  TURNIP_RETURN_IF_ERROR(checkOptionalIndex(
      Path(path, "location"), vertex.location, entry.locations.size()));
  TURNIP_RETURN_IF_ERROR(checkEdges(Path(path, "edges"), index, vertex));
  Span<Access> accesses = entry.accessesOf(vertex);
  Path list(path, "accesses");
  for (size_t i = 0; i < accesses.size(); ++i)
    TURNIP_RETURN_IF_ERROR(checkAccess(Path(list, i), accesses[i]));
  bool isCopy = vertex.kind == VertexKind::Copy;
  if ((vertex.role == CopyRole::NotACopy) == isCopy)
    return mismatchAt(Path(path, "role"),
                      isCopy ? "the role of a copy"
                             : "none, for this is not a copy",
                      toString(vertex.role));
  if (isCopy)
    return checkCopy(path, vertex);
  if (vertex.kind == VertexKind::Call)
    return checkCall(path, vertex);
  if (vertex.engine != noEngine)
    return mismatchAt(Path(path, "engine"), "none for a join",
                      std::to_string(vertex.engine));
  return checkWithoutKernel(path, vertex, 0);
}

Status GraphChecker::run() {
  std::pair<const char *, size_t> sizes[] = {
      {"vertices", entry.vertices.size()},
      {"accesses", entry.accesses.size()},
      {"scalars", entry.scalars.size()},
      {"edges", entry.edges.size()},
      {"tasks", entry.tasks.size()},
      {"locations", entry.locations.size()},
      {"arguments", entry.arguments.size()},
  };
  for (auto [field, size] : sizes)
    if (size >= none)
      return mismatchAt(Path(entryPath, field), "less than 2^32 - 1 elements",
                        std::to_string(size));
  Path vertices(entryPath, "vertices");
  uint64_t accesses = 0, scalars = 0, edges = 0;
  for (size_t i = 0; i < entry.vertices.size(); ++i) {
    const Vertex &vertex = entry.vertices[i];
    Path here(vertices, i);
    TURNIP_RETURN_IF_ERROR(checkRange(Path(here, "accesses"), vertex.accesses,
                                      accesses, entry.accesses.size()));
    TURNIP_RETURN_IF_ERROR(checkRange(Path(here, "scalars"), vertex.scalars,
                                      scalars, entry.scalars.size()));
    TURNIP_RETURN_IF_ERROR(checkRange(Path(here, "edges"), vertex.edges, edges,
                                      entry.edges.size()));
    TURNIP_RETURN_IF_ERROR(checkVertex(here, i, vertex));
  }
  std::tuple<const char *, uint64_t, size_t> used[] = {
      {"accesses", accesses, entry.accesses.size()},
      {"scalars", scalars, entry.scalars.size()},
      {"edges", edges, entry.edges.size()}};
  for (auto [field, count, size] : used)
    if (count != size)
      return badAt(Path(entryPath, field),
                   "has " + std::to_string(size) +
                       " elements, but the vertices own " +
                       std::to_string(count));
  for (size_t i = 0; i < entry.scalars.size(); ++i)
    TURNIP_RETURN_IF_ERROR(checkOptionalIndex(
        Path(Path(Path(entryPath, "scalars"), i), "argument"),
        entry.scalars[i].argument, entry.arguments.size()));
  return Status::ok();
}

Status artifact::checkGraph(const Path &path, const Module &module,
                            const Entry &entry) {
  return GraphChecker(path, module, entry).run();
}
