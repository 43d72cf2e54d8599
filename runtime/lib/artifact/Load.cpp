//===- Load.cpp - From the bytes of a file to a module --------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "turnip/artifact/Artifact.h"
#include "turnip/artifact/memgraph_generated.h"

#include <cstdio>
#include <cstring>
#include <memory>

using namespace turnip;
using namespace turnip::artifact;

using flatbuffers::Vector;

static Status badFile(const std::string &message) {
  return Status::error(StatusCode::BadInput, message);
}

namespace {
/// Copies the parts of a buffer that the verifier accepted. Nothing is shared
/// between the parts of a buffer that serialize made, so what is copied never
/// exceeds the file; a buffer in which it does is refused before it can take
/// more memory than its size suggests.
class Reader {
public:
  explicit Reader(uint64_t fileBytes) : left(fileBytes) {}

  Status readModule(const fb::Module &from, Module &to);

private:
  Status charge(const Path &path, uint64_t bytes);
  template <typename T>
  Status read(const Path &path, const Vector<T> &from, std::vector<T> &to);
  Status read(const Path &path, const flatbuffers::String &from,
              std::string &to);
  Status read(const Path &path,
              const Vector<flatbuffers::Offset<flatbuffers::String>> &from,
              std::vector<std::string> &to);
  /// Reads a vector of tables with a function of this class, each table at
  /// the path of its element.
  template <typename Table, typename T>
  Status read(const Path &path, const Vector<flatbuffers::Offset<Table>> &from,
              std::vector<T> &to,
              Status (Reader::*readOne)(const Path &, const Table &, T &));
  /// Reads a vector of structs with \p readOne, which returns a reserved field
  /// that must be 0.
  template <typename Struct, typename T, typename ReadOne>
  Status read(const Path &path, const Vector<const Struct *> &from,
              std::vector<T> &to, ReadOne readOne);

  Status readMemory(const Path &path, const fb::Memory &from, Memory &to);
  Status readDevice(const Path &path, const fb::Device &from, Device &to);
  Status readMachine(const Path &path, const fb::Machine &from, Machine &to);
  Status readKernelLaunch(const Path &path, const fb::KernelLaunch &from,
                          Launch &to);
  Status readLaunch(const Path &path, const fb::Launch &from, Launch &to);
  Status readObject(const Path &path, const fb::KernelObject &from,
                    KernelObject &to);
  Status readKernel(const Path &path, const fb::Kernel &from, Kernel &to);
  Status readPiece(const Path &path, const fb::Piece &from, Piece &to);
  Status readBinding(const Path &path, const fb::Binding &from, Binding &to);
  Status readArgument(const Path &path, const fb::Argument &from, Argument &to);
  Status readStatistics(const Path &path, const fb::Statistics &from,
                        Statistics &to);
  Status readTaskGraph(const Path &path, const fb::TaskGraph &from,
                       TaskGraph &to);
  Status readGraph(const Path &path, const fb::Entry &from, Entry &to);
  Status readEntry(const Path &path, const fb::Entry &from, Entry &to);

  /// Bytes of the file that may still be copied.
  uint64_t left;
};
} // namespace

Status Reader::charge(const Path &path, uint64_t bytes) {
  if (bytes > left)
    return badAt(path, "the content so far exceeds the file's size: parts of "
                       "the file are shared");
  left -= bytes;
  return Status::ok();
}

/// The verifier looks at the alignment of a vector's length alone; an empty
/// vector's elements may be anywhere.
template <typename V>
static Status checkAligned(const Path &path, const V &vector,
                           size_t alignment) {
  if (vector.size() == 0 ||
      reinterpret_cast<uintptr_t>(vector.Data()) % alignment == 0)
    return Status::ok();
  return badAt(path, "the elements are not aligned to " +
                         std::to_string(alignment) + " bytes");
}

template <typename T>
Status Reader::read(const Path &path, const Vector<T> &from,
                    std::vector<T> &to) {
  TURNIP_RETURN_IF_ERROR(charge(path, from.size() * sizeof(T)));
  TURNIP_RETURN_IF_ERROR(checkAligned(path, from, alignof(T)));
  to.assign(from.begin(), from.end());
  return Status::ok();
}

Status Reader::read(const Path &path, const flatbuffers::String &from,
                    std::string &to) {
  TURNIP_RETURN_IF_ERROR(charge(path, from.size()));
  to.assign(from.c_str(), from.size());
  return Status::ok();
}

Status
Reader::read(const Path &path,
             const Vector<flatbuffers::Offset<flatbuffers::String>> &from,
             std::vector<std::string> &to) {
  TURNIP_RETURN_IF_ERROR(charge(path, from.size() * sizeof(uint32_t)));
  to.resize(from.size());
  for (uint32_t i = 0; i < from.size(); ++i)
    TURNIP_RETURN_IF_ERROR(read(Path(path, i), *from.Get(i), to[i]));
  return Status::ok();
}

template <typename Table, typename T>
Status
Reader::read(const Path &path, const Vector<flatbuffers::Offset<Table>> &from,
             std::vector<T> &to,
             Status (Reader::*readOne)(const Path &, const Table &, T &)) {
  TURNIP_RETURN_IF_ERROR(charge(path, from.size() * sizeof(uint32_t)));
  to.resize(from.size());
  for (uint32_t i = 0; i < from.size(); ++i)
    TURNIP_RETURN_IF_ERROR(
        (this->*readOne)(Path(path, i), *from.Get(i), to[i]));
  return Status::ok();
}

template <typename Struct, typename T, typename ReadOne>
Status Reader::read(const Path &path, const Vector<const Struct *> &from,
                    std::vector<T> &to, ReadOne readOne) {
  TURNIP_RETURN_IF_ERROR(charge(path, from.size() * sizeof(Struct)));
  TURNIP_RETURN_IF_ERROR(checkAligned(path, from, alignof(Struct)));
  to.resize(from.size());
  for (uint32_t i = 0; i < from.size(); ++i)
    if (uint32_t reserved = readOne(*from.Get(i), to[i]))
      return mismatchAt(Path(Path(path, i), "reserved"), 0, reserved);
  return Status::ok();
}

template <typename Enum, typename Raw> static Enum cast(Raw value) {
  // Enumerators are checked with the rest of the meaning.
  return static_cast<Enum>(value);
}

Status Reader::readMemory(const Path &path, const fb::Memory &from,
                          Memory &to) {
  to.kind = cast<MemoryKind>(from.kind());
  to.capacity = from.capacity();
  to.alignment = from.alignment();
  to.writable = from.writable();
  return read(Path(path, "name"), *from.name(), to.name);
}

Status Reader::readDevice(const Path &path, const fb::Device &from,
                          Device &to) {
  to.kind = cast<DeviceKind>(from.kind());
  to.memory = from.memory();
  to.backing = from.backing();
  return read(Path(path, "name"), *from.name(), to.name);
}

Status Reader::readMachine(const Path &path, const fb::Machine &from,
                           Machine &to) {
  TURNIP_RETURN_IF_ERROR(read(Path(path, "memories"), *from.memories(),
                              to.memories, &Reader::readMemory));
  TURNIP_RETURN_IF_ERROR(read(Path(path, "devices"), *from.devices(),
                              to.devices, &Reader::readDevice));
  return read(Path(path, "links"), *from.links(), to.links,
              [](const fb::Link &link, Link &out) {
                out.source = link.source();
                out.destination = link.destination();
                out.channel = link.channel();
                out.bytesPerSecond = link.bytes_per_second();
                out.latency = link.latency();
                return link.reserved();
              });
}

Status Reader::readKernelLaunch(const Path &path, const fb::KernelLaunch &from,
                                Launch &to) {
  to.kind = LaunchKind::Kernel;
  to.grid = {{from.grid()->x(), from.grid()->y(), from.grid()->z()}};
  to.block = {{from.block()->x(), from.block()->y(), from.block()->z()}};
  to.sharedBytes = from.shared_bytes();
  TURNIP_RETURN_IF_ERROR(read(Path(path, "symbol"), *from.symbol(), to.symbol));
  return read(Path(path, "scalars"), *from.scalars(), to.scalars);
}

static Matmul readMatmul(const fb::Matmul &from) {
  Matmul to;
  to.typeA = cast<ElementType>(from.type_a());
  to.typeB = cast<ElementType>(from.type_b());
  to.typeD = cast<ElementType>(from.type_d());
  to.compute = cast<MatmulCompute>(from.compute());
  to.epilogue = cast<MatmulEpilogue>(from.epilogue());
  to.transposeA = from.transpose_a();
  to.transposeB = from.transpose_b();
  to.m = from.m();
  to.n = from.n();
  to.k = from.k();
  to.lda = from.lda();
  to.ldb = from.ldb();
  to.ldd = from.ldd();
  to.batch = from.batch();
  to.strideA = from.stride_a();
  to.strideB = from.stride_b();
  to.strideD = from.stride_d();
  to.alpha = from.alpha();
  to.beta = from.beta();
  to.workspaceOffset = from.workspace_offset();
  to.workspaceBytes = from.workspace_bytes();
  return to;
}

Status Reader::readLaunch(const Path &path, const fb::Launch &from,
                          Launch &to) {
  // What the smallest launch takes: two tables with an offset each.
  TURNIP_RETURN_IF_ERROR(charge(path, 16));
  TURNIP_RETURN_IF_ERROR(
      read(Path(path, "buffers"), *from.buffers(), to.buffers,
           [](const fb::LaunchBuffer &at, LaunchBuffer &out) {
             out.buffer = at.buffer();
             out.offset = at.offset();
             return at.reserved();
           }));
  if (!from.kernel() == !from.matmul())
    return mismatchAt(path, "a kernel or a matmul",
                      from.kernel() ? "both" : "neither");
  if (from.kernel())
    return readKernelLaunch(path, *from.kernel(), to);
  to.kind = LaunchKind::Matmul;
  to.matmul = readMatmul(*from.matmul());
  return Status::ok();
}

Status Reader::readObject(const Path &path, const fb::KernelObject &from,
                          KernelObject &to) {
  TURNIP_RETURN_IF_ERROR(read(Path(path, "triple"), *from.triple(), to.triple));
  TURNIP_RETURN_IF_ERROR(
      read(Path(path, "features"), *from.features(), to.features));
  TURNIP_RETURN_IF_ERROR(read(Path(path, "format"), *from.format(), to.format));
  TURNIP_RETURN_IF_ERROR(read(Path(path, "symbol"), *from.symbol(), to.symbol));
  TURNIP_RETURN_IF_ERROR(charge(Path(path, "code"), from.code()->size()));
  to.code.assign(reinterpret_cast<const char *>(from.code()->data()),
                 from.code()->size());
  to.workspaceBytes = from.workspace_bytes();
  if (!from.launches())
    return Status::ok();
  return read(Path(path, "launches"), *from.launches(), to.launches,
              &Reader::readLaunch);
}

Status Reader::readKernel(const Path &path, const fb::Kernel &from,
                          Kernel &to) {
  to.scalarCount = from.scalar_count();
  to.gridSize = from.grid_size();
  to.workspaceBytes = from.workspace_bytes();
  to.flops = from.flops();
  to.bytesMoved = from.bytes_moved();
  to.seconds = from.seconds();
  to.kernelClass = static_cast<machine::KernelClass>(from.kernel_class());
  to.type = static_cast<ElementType>(from.type());
  TURNIP_RETURN_IF_ERROR(read(Path(path, "name"), *from.name(), to.name));
  TURNIP_RETURN_IF_ERROR(
      read(Path(path, "signature"), *from.signature(), to.signature));
  TURNIP_RETURN_IF_ERROR(read(Path(path, "source"), *from.source(), to.source));
  TURNIP_RETURN_IF_ERROR(read(Path(path, "operand_bytes"),
                              *from.operand_bytes(), to.operandBytes));
  TURNIP_RETURN_IF_ERROR(
      read(Path(path, "result_bytes"), *from.result_bytes(), to.resultBytes));
  TURNIP_RETURN_IF_ERROR(
      read(Path(path, "in_place"), *from.in_place(), to.inPlace,
           [](const fb::InPlacePair &pair, InPlacePair &out) {
             out.operand = pair.operand();
             out.result = pair.result();
             return 0u;
           }));
  return read(Path(path, "objects"), *from.objects(), to.objects,
              &Reader::readObject);
}

Status Reader::readPiece(const Path &path, const fb::Piece &from, Piece &to) {
  to.memory = from.memory();
  to.offset = from.offset();
  to.value = from.value();
  TURNIP_RETURN_IF_ERROR(
      read(Path(path, "offsets"), *from.offsets(), to.offsets));
  return read(Path(path, "sizes"), *from.sizes(), to.sizes);
}

Status Reader::readBinding(const Path &path, const fb::Binding &from,
                           Binding &to) {
  to.type = cast<ElementType>(from.type());
  TURNIP_RETURN_IF_ERROR(read(Path(path, "name"), *from.name(), to.name));
  TURNIP_RETURN_IF_ERROR(read(Path(path, "shape"), *from.shape(), to.shape));
  TURNIP_RETURN_IF_ERROR(
      read(Path(path, "file_shape"), *from.file_shape(), to.fileShape));
  return read(Path(path, "pieces"), *from.pieces(), to.pieces,
              &Reader::readPiece);
}

Status Reader::readArgument(const Path &path, const fb::Argument &from,
                            Argument &to) {
  to.minimum = from.minimum();
  to.maximum = from.maximum();
  return read(Path(path, "name"), *from.name(), to.name);
}

Status Reader::readStatistics(const Path &path, const fb::Statistics &from,
                              Statistics &to) {
  to.incomingBytesBound = from.incoming_bytes_bound();
  to.computeBound = from.compute_bound();
  to.transferBound = from.transfer_bound();
  to.criticalPath = from.critical_path();
  to.makespanBound = from.makespan_bound();
  to.predictedMakespan = from.predicted_makespan();
  TURNIP_RETURN_IF_ERROR(
      read(Path(path, "peak_bytes"), *from.peak_bytes(), to.peakBytes));
  TURNIP_RETURN_IF_ERROR(
      read(Path(path, "link_bytes"), *from.link_bytes(), to.linkBytes));
  TURNIP_RETURN_IF_ERROR(read(Path(path, "smallest_caps"),
                              *from.smallest_caps(), to.smallestCaps,
                              [](const fb::SmallestCap &cap, SmallestCap &out) {
                                out.bytes = cap.bytes();
                                out.task = cap.task();
                                return cap.reserved();
                              }));
  return read(Path(path, "order"), *from.order(), to.order);
}

Status Reader::readTaskGraph(const Path &path, const fb::TaskGraph &from,
                             TaskGraph &to) {
  to.location = from.location();
  TURNIP_RETURN_IF_ERROR(read(Path(path, "tiles"), *from.tiles(), to.tiles,
                              [](const fb::Tile &tile, Tile &out) {
                                out.bytes = tile.bytes();
                                out.location = tile.location();
                                out.memory = tile.memory();
                                out.origin = cast<TileOrigin>(tile.origin());
                                return uint32_t(tile.reserved());
                              }));
  TURNIP_RETURN_IF_ERROR(
      read(Path(path, "operands"), *from.operands(), to.operands));
  TURNIP_RETURN_IF_ERROR(
      read(Path(path, "results"), *from.results(), to.results));
  return read(Path(path, "costs"), *from.costs(), to.costs,
              [](const fb::Cost &cost, Cost &out) {
                out.seconds = cost.seconds();
                out.kernel = cost.kernel();
                out.device = cost.device();
                return uint32_t(cost.reserved());
              });
}

static Range readRange(const fb::Range &range) {
  return {range.first(), range.count()};
}

Status Reader::readGraph(const Path &path, const fb::Entry &from, Entry &to) {
  TURNIP_RETURN_IF_ERROR(read(Path(path, "vertices"), *from.vertices(),
                              to.vertices,
                              [](const fb::Vertex &vertex, Vertex &out) {
                                out.accesses = readRange(vertex.accesses());
                                out.scalars = readRange(vertex.scalars());
                                out.edges = readRange(vertex.edges());
                                out.kernel = vertex.kernel();
                                out.task = vertex.task();
                                out.location = vertex.location();
                                out.engine = vertex.engine();
                                out.kind = cast<VertexKind>(vertex.kind());
                                out.role = cast<CopyRole>(vertex.role());
                                return 0u;
                              }));
  TURNIP_RETURN_IF_ERROR(read(Path(path, "accesses"), *from.accesses(),
                              to.accesses,
                              [](const fb::Access &access, Access &out) {
                                out.offset = access.offset();
                                out.bytes = access.bytes();
                                out.value = access.value();
                                out.memory = access.memory();
                                out.role = cast<AccessRole>(access.role());
                                return uint32_t(access.reserved());
                              }));
  TURNIP_RETURN_IF_ERROR(read(Path(path, "scalars"), *from.scalars(),
                              to.scalars,
                              [](const fb::Scalar &scalar, Scalar &out) {
                                out.value = scalar.value();
                                out.argument = scalar.argument();
                                return scalar.reserved();
                              }));
  return read(Path(path, "edges"), *from.edges(), to.edges,
              [](const fb::Edge &edge, Edge &out) {
                out.source = edge.source();
                out.kind = cast<EdgeKind>(edge.kind());
                return uint32_t(edge.reserved0()) |
                       (uint32_t(edge.reserved1()) << 8);
              });
}

Status Reader::readEntry(const Path &path, const fb::Entry &from, Entry &to) {
  TURNIP_RETURN_IF_ERROR(read(Path(path, "name"), *from.name(), to.name));
  TURNIP_RETURN_IF_ERROR(readGraph(path, from, to));
  TURNIP_RETURN_IF_ERROR(read(Path(path, "arguments"), *from.arguments(),
                              to.arguments, &Reader::readArgument));
  TURNIP_RETURN_IF_ERROR(read(Path(path, "parameters"), *from.parameters(),
                              to.parameters, &Reader::readBinding));
  TURNIP_RETURN_IF_ERROR(read(Path(path, "inputs"), *from.inputs(), to.inputs,
                              &Reader::readBinding));
  TURNIP_RETURN_IF_ERROR(read(Path(path, "results"), *from.results(),
                              to.results, &Reader::readBinding));
  TURNIP_RETURN_IF_ERROR(read(Path(path, "tasks"), *from.tasks(), to.tasks));
  TURNIP_RETURN_IF_ERROR(
      read(Path(path, "locations"), *from.locations(), to.locations));
  if (const fb::TaskGraph *tasks = from.task_graph())
    TURNIP_RETURN_IF_ERROR(readTaskGraph(Path(path, "task_graph"), *tasks,
                                         to.taskGraph.emplace()));
  return readStatistics(Path(path, "statistics"), *from.statistics(),
                        to.statistics);
}

Status Reader::readModule(const fb::Module &from, Module &to) {
  TURNIP_RETURN_IF_ERROR(read(Path("producer"), *from.producer(), to.producer));
  TURNIP_RETURN_IF_ERROR(read(Path("options"), *from.options(), to.options));
  TURNIP_RETURN_IF_ERROR(
      readMachine(Path("machine"), *from.machine(), to.machine));
  TURNIP_RETURN_IF_ERROR(
      read(Path("kernels"), *from.kernels(), to.kernels, &Reader::readKernel));
  return read(Path("entries"), *from.entries(), to.entries, &Reader::readEntry);
}

/// A verifier with limits that no file of ours reaches: tables nest five deep,
/// and each takes more than 8 bytes.
static flatbuffers::Verifier makeVerifier(std::string_view bytes) {
  return flatbuffers::Verifier(reinterpret_cast<const uint8_t *>(bytes.data()),
                               bytes.size(), /*max_depth=*/8,
                               /*max_tables=*/bytes.size() / 8 + 8);
}

/// Identifier, version and hash: what is wrong with a file that is not one of
/// ours, from another release, or damaged.
static Status checkHeader(std::string_view bytes) {
  constexpr size_t smallest = 16;
  if (bytes.size() < smallest)
    return badFile("not an artifact: expected at least " +
                   std::to_string(smallest) + " bytes, but got " +
                   std::to_string(bytes.size()));
  if (bytes.substr(4, 4) != fb::ModuleIdentifier())
    return badFile("not an artifact: expected the identifier 'TNIP' in bytes 4 "
                   "to 7");
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return badFile("not an artifact: expected less than 2^31 bytes, but got " +
                   std::to_string(bytes.size()));
  flatbuffers::Verifier verifier = makeVerifier(bytes);
  if (!verifier.VerifyBuffer<fb::Header>(fb::ModuleIdentifier()))
    return badFile("the artifact's header is damaged or cut off");
  const auto &header = *flatbuffers::GetRoot<fb::Header>(bytes.data());
  uint32_t major = header.version()->major();
  uint32_t minor = header.version()->minor();
  if (major != formatMajor || minor > formatMinor) {
    auto text = [](uint32_t major, uint32_t minor) {
      return std::to_string(major) + "." + std::to_string(minor);
    };
    return badFile("the artifact has format version " + text(major, minor) +
                   ", made by '" + header.producer()->str() +
                   "', but this build reads " + text(formatMajor, 0) + " to " +
                   text(formatMajor, formatMinor) +
                   ": compile it again or use a matching release");
  }
  size_t hashOffset = static_cast<size_t>(
      reinterpret_cast<const char *>(header.hash()) - bytes.data());
  uint64_t actual = contentHash(bytes, hashOffset);
  if (header.hash()->value() != actual) {
    char text[128];
    std::snprintf(text, sizeof(text),
                  "the artifact is damaged: its content hash is %016llx, but "
                  "its bytes have %016llx",
                  static_cast<unsigned long long>(header.hash()->value()),
                  static_cast<unsigned long long>(actual));
    return badFile(text);
  }
  return Status::ok();
}

Expected<Module> artifact::load(std::string_view bytes,
                                const LoadOptions &options) {
  // FlatBuffers reads numbers where they lie, which must be aligned.
  std::unique_ptr<uint64_t[]> aligned;
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 16 != 0) {
    aligned = std::make_unique<uint64_t[]>(bytes.size() / 8 + 1);
    std::memcpy(aligned.get(), bytes.data(), bytes.size());
    bytes = {reinterpret_cast<const char *>(aligned.get()), bytes.size()};
  }
  TURNIP_RETURN_IF_ERROR(checkHeader(bytes));
  flatbuffers::Verifier verifier = makeVerifier(bytes);
  if (!fb::VerifyModuleBuffer(verifier))
    return badFile("the artifact's structure is invalid: a table, vector or "
                   "string lies outside the file or a required part is "
                   "missing");
  Module module;
  TURNIP_RETURN_IF_ERROR(
      Reader(bytes.size()).readModule(*fb::GetModule(bytes.data()), module));
  module.contentHash = fb::GetModule(bytes.data())->hash()->value();
  TURNIP_RETURN_IF_ERROR(checkMeaning(module));
  if (options.verifyPlacement)
    TURNIP_RETURN_IF_ERROR(checkPlacement(module));
  return module;
}
