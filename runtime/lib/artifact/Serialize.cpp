//===- Serialize.cpp - From a module to the bytes of a file ---------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything is built in one fixed order, with every part in a variable of its
// own: the order in which a compiler evaluates arguments must not show in the
// bytes.
//
//===----------------------------------------------------------------------===//

#include "turnip/artifact/Artifact.h"
#include "turnip/artifact/memgraph_generated.h"

using namespace turnip;
using namespace turnip::artifact;

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::Vector;

namespace {
template <typename T> using Tables = Offset<Vector<Offset<T>>>;
template <typename T> using Structs = Offset<Vector<const T *>>;
} // namespace

/// FlatBuffers offsets have 31 bits; what is not counted fits in the rest.
constexpr uint64_t maxContentBytes = (uint64_t(1) << 31) - (uint64_t(1) << 24);

static Tables<flatbuffers::String>
writeStrings(FlatBufferBuilder &builder,
             const std::vector<std::string> &texts) {
  return builder.CreateVectorOfStrings(texts);
}

/// Writes one table per element with \p write.
template <typename Table, typename T, typename Write>
static Tables<Table> writeTables(FlatBufferBuilder &builder,
                                 const std::vector<T> &elements, Write write) {
  std::vector<Offset<Table>> offsets;
  offsets.reserve(elements.size());
  for (const T &element : elements)
    offsets.push_back(write(builder, element));
  return builder.CreateVector(offsets);
}

/// Writes one struct per element, made by \p make.
template <typename Struct, typename T, typename Make>
static Structs<Struct> writeStructs(FlatBufferBuilder &builder,
                                    const std::vector<T> &elements, Make make) {
  // Not CreateUninitializedVectorOfStructs: FlatBuffers 2.0.8 aligns it to the
  // struct's size, as if that were a power of two.
  std::vector<Struct> out;
  out.reserve(elements.size());
  for (const T &element : elements)
    out.push_back(make(element));
  return builder.CreateVectorOfStructs(out);
}

template <typename Raw, typename T> static Raw cast(T value) {
  return static_cast<Raw>(value);
}

static Offset<fb::Memory> writeMemory(FlatBufferBuilder &builder,
                                      const Memory &memory) {
  auto name = builder.CreateString(memory.name);
  return fb::CreateMemory(builder, name, cast<fb::MemoryKind>(memory.kind),
                          memory.capacity, memory.alignment, memory.writable);
}

static Offset<fb::Device> writeDevice(FlatBufferBuilder &builder,
                                      const Device &device) {
  auto name = builder.CreateString(device.name);
  return fb::CreateDevice(builder, name, cast<fb::DeviceKind>(device.kind),
                          device.memory, device.backing);
}

static Offset<fb::Machine> writeMachine(FlatBufferBuilder &builder,
                                        const Machine &machine) {
  auto memories =
      writeTables<fb::Memory>(builder, machine.memories, writeMemory);
  auto devices = writeTables<fb::Device>(builder, machine.devices, writeDevice);
  auto links =
      writeStructs<fb::Link>(builder, machine.links, [](const Link &link) {
        return fb::Link(link.source, link.destination, link.channel, 0,
                        link.bytesPerSecond, link.latency);
      });
  return fb::CreateMachine(builder, memories, devices, links);
}

static fb::Size3 makeSize3(const std::array<uint32_t, 3> &size) {
  return fb::Size3(size[0], size[1], size[2]);
}

static Offset<fb::KernelLaunch> writeKernelLaunch(FlatBufferBuilder &builder,
                                                  const Launch &launch) {
  auto symbol = builder.CreateString(launch.symbol);
  auto scalars = builder.CreateVector(launch.scalars);
  fb::Size3 grid = makeSize3(launch.grid), block = makeSize3(launch.block);
  return fb::CreateKernelLaunch(builder, symbol, &grid, &block,
                                launch.sharedBytes, scalars);
}

static Offset<fb::Matmul> writeMatmul(FlatBufferBuilder &builder,
                                      const Matmul &matmul) {
  return fb::CreateMatmul(
      builder, cast<fb::ElementType>(matmul.typeA),
      cast<fb::ElementType>(matmul.typeB), cast<fb::ElementType>(matmul.typeD),
      cast<fb::MatmulCompute>(matmul.compute),
      cast<fb::MatmulEpilogue>(matmul.epilogue), matmul.transposeA,
      matmul.transposeB, matmul.m, matmul.n, matmul.k, matmul.lda, matmul.ldb,
      matmul.ldd, matmul.batch, matmul.strideA, matmul.strideB, matmul.strideD,
      matmul.alpha, matmul.beta, matmul.workspaceOffset, matmul.workspaceBytes);
}

static Offset<fb::Launch> writeLaunch(FlatBufferBuilder &builder,
                                      const Launch &launch) {
  auto buffers = writeStructs<fb::LaunchBuffer>(
      builder, launch.buffers, [](const LaunchBuffer &at) {
        return fb::LaunchBuffer(at.offset, at.buffer, 0);
      });
  Offset<fb::KernelLaunch> kernel;
  Offset<fb::Matmul> matmul;
  if (launch.kind == LaunchKind::Kernel)
    kernel = writeKernelLaunch(builder, launch);
  else
    matmul = writeMatmul(builder, launch.matmul);
  return fb::CreateLaunch(builder, buffers, kernel, matmul);
}

static Offset<fb::KernelObject> writeObject(FlatBufferBuilder &builder,
                                            const KernelObject &object) {
  auto triple = builder.CreateString(object.triple);
  auto features = writeStrings(builder, object.features);
  auto format = builder.CreateString(object.format);
  auto symbol = builder.CreateString(object.symbol);
  // A reader may map the file and load code from where it lies.
  builder.ForceVectorAlignment(object.code.size(), 1, 16);
  auto code = builder.CreateVector(
      reinterpret_cast<const uint8_t *>(object.code.data()),
      object.code.size());
  Tables<fb::Launch> launches;
  if (!object.launches.empty())
    launches = writeTables<fb::Launch>(builder, object.launches, writeLaunch);
  return fb::CreateKernelObject(builder, triple, features, format, symbol, code,
                                object.workspaceBytes, launches);
}

static Offset<fb::Kernel> writeKernel(FlatBufferBuilder &builder,
                                      const Kernel &kernel) {
  auto name = builder.CreateString(kernel.name);
  auto signature = builder.CreateString(kernel.signature);
  auto source = builder.CreateString(kernel.source);
  auto operands = builder.CreateVector(kernel.operandBytes);
  auto results = builder.CreateVector(kernel.resultBytes);
  auto inPlace = writeStructs<fb::InPlacePair>(
      builder, kernel.inPlace, [](const InPlacePair &pair) {
        return fb::InPlacePair(pair.operand, pair.result);
      });
  auto objects =
      writeTables<fb::KernelObject>(builder, kernel.objects, writeObject);
  return fb::CreateKernel(builder, name, signature, source, operands, results,
                          kernel.scalarCount, kernel.gridSize,
                          kernel.workspaceBytes, kernel.flops,
                          kernel.bytesMoved, kernel.seconds, inPlace, objects,
                          cast<fb::KernelClass>(kernel.kernelClass),
                          cast<fb::ElementType>(kernel.type));
}

static Offset<fb::Piece> writePiece(FlatBufferBuilder &builder,
                                    const Piece &piece) {
  auto offsets = builder.CreateVector(piece.offsets);
  auto sizes = builder.CreateVector(piece.sizes);
  return fb::CreatePiece(builder, offsets, sizes, piece.memory, piece.offset,
                         piece.value);
}

static Offset<fb::Binding> writeBinding(FlatBufferBuilder &builder,
                                        const Binding &binding) {
  auto name = builder.CreateString(binding.name);
  auto shape = builder.CreateVector(binding.shape);
  auto fileShape = builder.CreateVector(binding.fileShape);
  auto pieces = writeTables<fb::Piece>(builder, binding.pieces, writePiece);
  return fb::CreateBinding(builder, name, cast<fb::ElementType>(binding.type),
                           shape, fileShape, pieces);
}

static Offset<fb::Argument> writeArgument(FlatBufferBuilder &builder,
                                          const Argument &argument) {
  auto name = builder.CreateString(argument.name);
  return fb::CreateArgument(builder, name, argument.minimum, argument.maximum);
}

static Offset<fb::Statistics> writeStatistics(FlatBufferBuilder &builder,
                                              const Statistics &statistics) {
  auto peaks = builder.CreateVector(statistics.peakBytes);
  auto links = builder.CreateVector(statistics.linkBytes);
  auto caps = writeStructs<fb::SmallestCap>(
      builder, statistics.smallestCaps, [](const SmallestCap &cap) {
        return fb::SmallestCap(cap.bytes, cap.task, 0);
      });
  auto order = builder.CreateString(statistics.order);
  return fb::CreateStatistics(builder, peaks, links,
                              statistics.incomingBytesBound, caps,
                              statistics.computeBound, statistics.transferBound,
                              statistics.criticalPath, statistics.makespanBound,
                              statistics.predictedMakespan, order);
}

static Offset<fb::TaskGraph> writeTaskGraph(FlatBufferBuilder &builder,
                                            const TaskGraph &tasks) {
  auto tiles =
      writeStructs<fb::Tile>(builder, tasks.tiles, [](const Tile &tile) {
        return fb::Tile(tile.bytes, tile.location, tile.memory,
                        cast<fb::TileOrigin>(tile.origin), 0);
      });
  auto operands = builder.CreateVector(tasks.operands);
  auto results = builder.CreateVector(tasks.results);
  auto costs =
      writeStructs<fb::Cost>(builder, tasks.costs, [](const Cost &cost) {
        return fb::Cost(cost.seconds, cost.kernel, cost.device, 0);
      });
  return fb::CreateTaskGraph(builder, tiles, operands, results, costs,
                             tasks.location);
}

static fb::Range makeRange(const Range &range) {
  return fb::Range(range.first, range.count);
}

static fb::Vertex makeVertex(const Vertex &vertex) {
  return fb::Vertex(makeRange(vertex.accesses), makeRange(vertex.scalars),
                    makeRange(vertex.edges), vertex.kernel, vertex.task,
                    vertex.location, vertex.engine,
                    cast<fb::VertexKind>(vertex.kind),
                    cast<fb::CopyRole>(vertex.role));
}

static Offset<fb::Entry> writeEntry(FlatBufferBuilder &builder,
                                    const Entry &entry) {
  auto name = builder.CreateString(entry.name);
  auto vertices = writeStructs<fb::Vertex>(builder, entry.vertices, makeVertex);
  auto accesses = writeStructs<fb::Access>(
      builder, entry.accesses, [](const Access &access) {
        return fb::Access(access.offset, access.bytes, access.value,
                          access.memory, cast<fb::AccessRole>(access.role), 0);
      });
  auto scalars = writeStructs<fb::Scalar>(
      builder, entry.scalars, [](const Scalar &scalar) {
        return fb::Scalar(scalar.value, scalar.argument, 0);
      });
  auto edges =
      writeStructs<fb::Edge>(builder, entry.edges, [](const Edge &edge) {
        return fb::Edge(edge.source, cast<fb::EdgeKind>(edge.kind), 0, 0);
      });
  auto arguments =
      writeTables<fb::Argument>(builder, entry.arguments, writeArgument);
  auto parameters =
      writeTables<fb::Binding>(builder, entry.parameters, writeBinding);
  auto inputs = writeTables<fb::Binding>(builder, entry.inputs, writeBinding);
  auto results = writeTables<fb::Binding>(builder, entry.results, writeBinding);
  auto tasks = writeStrings(builder, entry.tasks);
  auto locations = writeStrings(builder, entry.locations);
  auto statistics = writeStatistics(builder, entry.statistics);
  Offset<fb::TaskGraph> taskGraph;
  if (entry.taskGraph)
    taskGraph = writeTaskGraph(builder, *entry.taskGraph);
  return fb::CreateEntry(builder, name, vertices, accesses, scalars, edges,
                         arguments, parameters, inputs, results, tasks,
                         locations, statistics, taskGraph);
}

/// A number that the file's size does not exceed by more than what offsets and
/// alignment add.
static uint64_t contentBytes(const Module &module) {
  constexpr uint64_t perTable = 64, perString = 16;
  auto strings = [](const std::vector<std::string> &texts) {
    uint64_t bytes = 0;
    for (const std::string &text : texts)
      bytes += text.size() + perString;
    return bytes;
  };
  uint64_t bytes = module.producer.size() + module.options.size();
  for (const Kernel &kernel : module.kernels) {
    bytes += kernel.name.size() + kernel.signature.size() +
             kernel.source.size() + 2 * perTable +
             8 * (kernel.operandBytes.size() + kernel.resultBytes.size() +
                  kernel.inPlace.size());
    for (const KernelObject &object : kernel.objects) {
      bytes += object.code.size() + object.symbol.size() +
               object.triple.size() + strings(object.features) + perTable;
      for (const Launch &launch : object.launches)
        bytes += launch.symbol.size() + 4 * perTable +
                 sizeof(fb::LaunchBuffer) * launch.buffers.size() +
                 4 * launch.scalars.size();
    }
  }
  for (const Entry &entry : module.entries) {
    bytes += entry.vertices.size() * sizeof(fb::Vertex) +
             entry.accesses.size() * sizeof(fb::Access) +
             entry.scalars.size() * sizeof(fb::Scalar) +
             entry.edges.size() * sizeof(fb::Edge) + strings(entry.tasks) +
             strings(entry.locations) + entry.arguments.size() * perTable;
    if (const std::optional<TaskGraph> &tasks = entry.taskGraph)
      bytes += tasks->tiles.size() * sizeof(fb::Tile) +
               tasks->costs.size() * sizeof(fb::Cost) +
               4 * (tasks->operands.size() + tasks->results.size()) + perTable;
    for (const auto *bindings :
         {&entry.parameters, &entry.inputs, &entry.results})
      for (const Binding &binding : *bindings)
        bytes += binding.name.size() + 2 * perTable +
                 16 * binding.shape.size() + 8 * binding.fileShape.size() +
                 binding.pieces.size() * (perTable + 16 * binding.shape.size());
  }
  return bytes;
}

Expected<std::string> artifact::serialize(const Module &module) {
  TURNIP_RETURN_IF_ERROR(checkMeaning(module));
  uint64_t content = contentBytes(module);
  // Not tested: it takes 2 GiB of content.
  if (content > maxContentBytes)
    return Status::error(StatusCode::DoesNotFit,
                         "the artifact would take " + std::to_string(content) +
                             " bytes, but a file holds at most " +
                             std::to_string(maxContentBytes));
  FlatBufferBuilder builder(content + content / 8 + 4096);
  auto producer = builder.CreateString(module.producer);
  auto options = builder.CreateString(module.options);
  auto machine = writeMachine(builder, module.machine);
  auto kernels = writeTables<fb::Kernel>(builder, module.kernels, writeKernel);
  auto entries = writeTables<fb::Entry>(builder, module.entries, writeEntry);
  fb::Version version(formatMajor, formatMinor);
  fb::Hash hash(0);
  auto root = fb::CreateModule(builder, &version, &hash, producer, options,
                               machine, kernels, entries);
  fb::FinishModuleBuffer(builder, root);
  // Hash what is there, with the hash's own bytes as zero.
  auto *begin = builder.GetBufferPointer();
  auto *place = flatbuffers::GetMutableRoot<fb::Module>(begin)->hash();
  std::string bytes(reinterpret_cast<const char *>(begin), builder.GetSize());
  size_t offset =
      static_cast<size_t>(reinterpret_cast<const uint8_t *>(place) - begin);
  fb::Hash filled(contentHash(bytes, offset));
  bytes.replace(offset, sizeof(filled), reinterpret_cast<const char *>(&filled),
                sizeof(filled));
  return bytes;
}
