//===- Import.cpp - An artifact to mem IR ---------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Target/MemGraph.h"

#include "ElementTypes.h"
#include "ImportTasks.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "turnip/Dialect/Mem/IR/Machine.h"

using namespace mlir;
using namespace turnip;

namespace {
/// Builds the module, operation by operation. Where IR in the artifact does not
/// parse, emits an error and goes on to report failure at the end.
class Importer {
public:
  Importer(const artifact::Module &artifact, Location loc)
      : artifact(artifact), loc(loc), context(loc.getContext()),
        builder(context) {}

  OwningOpRef<ModuleOp> run();

private:
  void addMachine();
  LogicalResult addKernel(const artifact::Kernel &kernel);
  FailureOr<task::KernelOp> makeKernel(const artifact::Kernel &kernel);
  LogicalResult addEntry(const artifact::Entry &entry);
  template <typename OpTy>
  void addBindings(const std::vector<artifact::Binding> &bindings);
  FailureOr<SmallVector<Location>> readLocations(const artifact::Entry &entry);
  void addVertices(const artifact::Entry &entry, ArrayRef<Location> locations);
  void addCosts(const artifact::TaskGraph &tasks);
  std::string tasksName(const artifact::Entry &entry) const;
  Value addVertex(const artifact::Entry &entry, const artifact::Vertex &vertex,
                  ArrayRef<Value> tokens, Location at);
  Value addCall(const artifact::Entry &entry, const artifact::Vertex &vertex,
                ValueRange data, ValueRange memory, Location at);
  Value addCopy(const artifact::Entry &entry, const artifact::Vertex &vertex,
                ValueRange data, ValueRange memory, Location at);
  mem::StatisticsAttr statistics(const artifact::Statistics &from);

  FlatSymbolRefAttr memoryName(uint32_t index) {
    return FlatSymbolRefAttr::get(context,
                                  artifact.machine.memories[index].name);
  }
  mem::RangeAttr range(uint32_t memory, uint64_t offset, uint64_t bytes,
                       uint32_t value) {
    return mem::RangeAttr::get(
        context, memoryName(memory), static_cast<int64_t>(offset),
        static_cast<int64_t>(bytes),
        value == artifact::none ? mem::RangeAttr::kNoValue : int64_t(value));
  }
  mem::RangeAttr range(const artifact::Access &access) {
    return range(access.memory, access.offset, access.bytes, access.value);
  }
  IntegerAttr task(const artifact::Vertex &vertex) {
    return vertex.task == artifact::none
               ? IntegerAttr()
               : builder.getI64IntegerAttr(vertex.task);
  }

  const artifact::Module &artifact;
  Location loc;
  MLIRContext *context;
  OpBuilder builder;
  SmallVector<task::KernelOp> kernels;
};
} // namespace

//===----------------------------------------------------------------------===//
// Machine and kernels
//===----------------------------------------------------------------------===//

void Importer::addMachine() {
  auto op = mem::MachineOp::create(builder, loc);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&op.getBody().front());
  for (const artifact::Memory &memory : artifact.machine.memories)
    mem::MemoryOp::create(builder, loc, memory.name,
                          static_cast<mem::MemoryKind>(memory.kind),
                          memory.capacity, memory.alignment, !memory.writable);
  for (const artifact::Device &device : artifact.machine.devices)
    mem::DeviceOp::create(
        builder, loc, builder.getStringAttr(device.name),
        mem::DeviceKindAttr::get(context,
                                 static_cast<mem::DeviceKind>(device.kind)),
        memoryName(device.memory),
        device.backing == artifact::none ? FlatSymbolRefAttr()
                                         : memoryName(device.backing));
  for (const artifact::Link &link : artifact.machine.links)
    mem::LinkOp::create(builder, loc, memoryName(link.source),
                        memoryName(link.destination),
                        builder.getI64IntegerAttr(link.channel),
                        builder.getF64FloatAttr(link.bytesPerSecond),
                        builder.getF64FloatAttr(link.latency));
}

/// The kernel's operation without the attributes that the artifact keeps apart:
/// its source, or a kernel without body of its signature.
FailureOr<task::KernelOp> Importer::makeKernel(const artifact::Kernel &kernel) {
  auto bad = [&](const Twine &what) {
    return emitError(loc) << "kernel \"" << kernel.name << "\": " << what;
  };
  auto type =
      dyn_cast_or_null<FunctionType>(parseType(kernel.signature, context));
  if (!type)
    return bad("expected a function type as signature, but got ")
           << kernel.signature;
  if (kernel.source.empty())
    return task::KernelOp::create(builder, loc, kernel.name, type);
  OwningOpRef<ModuleOp> parsed =
      parseSourceString<ModuleOp>(kernel.source, ParserConfig(context));
  if (!parsed || !llvm::hasSingleElement(parsed->getOps<task::KernelOp>()))
    return bad("expected one task.kernel as source");
  task::KernelOp op = *parsed->getOps<task::KernelOp>().begin();
  if (op.getSymName() != kernel.name || op.getFunctionType() != type)
    return bad("expected a source of this name and of type ")
           << type << ", but got \"" << op.getSymName() << "\" of type "
           << op.getFunctionType();
  op->remove();
  builder.insert(op);
  op->walk([&](Operation *nested) { nested->setLoc(loc); });
  return op;
}

static SmallVector<int64_t>
importBuffers(const std::vector<artifact::LaunchBuffer> &buffers) {
  SmallVector<int64_t> numbers;
  for (const artifact::LaunchBuffer &buffer : buffers)
    numbers.append({static_cast<int64_t>(buffer.buffer),
                    static_cast<int64_t>(buffer.offset)});
  return numbers;
}

static Attribute importMatmul(MLIRContext *context,
                              const artifact::Launch &launch) {
  const artifact::Matmul &from = launch.matmul;
  Builder builder(context);
  StringRef epilogue = "none";
  if (from.epilogue == artifact::MatmulEpilogue::Relu)
    epilogue = "relu";
  else if (from.epilogue == artifact::MatmulEpilogue::Gelu)
    epilogue = "gelu";
  else if (from.epilogue == artifact::MatmulEpilogue::Bias)
    epilogue = "bias";
  bool tf32 = from.compute == artifact::MatmulCompute::TF32;
  return task::MatmulAttr::get(
      context, importBuffers(launch.buffers), toType(from.typeA, context),
      toType(from.typeB, context), toType(from.typeD, context),
      builder.getStringAttr(tf32 ? "tf32" : "f32"), from.transposeA,
      from.transposeB, from.m, from.n, from.k, from.lda, from.ldb, from.ldd,
      from.batch, from.strideA, from.strideB, from.strideD,
      builder.getF64FloatAttr(from.alpha), builder.getF64FloatAttr(from.beta),
      builder.getStringAttr(epilogue), from.workspaceOffset,
      from.workspaceBytes);
}

static SmallVector<Attribute>
importLaunches(MLIRContext *context, const artifact::KernelObject &object) {
  SmallVector<Attribute> launches;
  for (const artifact::Launch &launch : object.launches) {
    if (launch.kind == artifact::LaunchKind::Matmul) {
      launches.push_back(importMatmul(context, launch));
      continue;
    }
    SmallVector<int64_t> grid(launch.grid.begin(), launch.grid.end());
    SmallVector<int64_t> block(launch.block.begin(), launch.block.end());
    SmallVector<int64_t> scalars(launch.scalars.begin(), launch.scalars.end());
    launches.push_back(task::LaunchAttr::get(
        context, StringAttr::get(context, launch.symbol), grid, block,
        launch.sharedBytes, importBuffers(launch.buffers), scalars));
  }
  return launches;
}

LogicalResult Importer::addKernel(const artifact::Kernel &kernel) {
  FailureOr<task::KernelOp> op = makeKernel(kernel);
  if (failed(op))
    return failure();
  kernels.push_back(*op);
  if (kernel.gridSize != 1)
    op->setGrid(kernel.gridSize);
  if (kernel.workspaceBytes)
    op->setWorkspace(kernel.workspaceBytes);
  if (kernel.flops)
    op->setFlops(kernel.flops);
  if (kernel.bytesMoved)
    op->setBytes(kernel.bytesMoved);
  if (kernel.seconds)
    op->setSecondsAttr(builder.getF64FloatAttr(kernel.seconds));
  SmallVector<int64_t> pairs;
  for (const artifact::InPlacePair &pair : kernel.inPlace)
    pairs.append({pair.operand, pair.result});
  if (!pairs.empty())
    op->setInplace(pairs);
  SmallVector<Attribute> objects;
  for (const artifact::KernelObject &object : kernel.objects)
    objects.push_back(task::ObjectAttr::get(
        context, object.triple, object.features, object.format, object.symbol,
        object.code, object.workspaceBytes, importLaunches(context, object)));
  if (!objects.empty())
    op->setObjectsAttr(builder.getArrayAttr(objects));
  return success();
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

template <typename OpTy>
void Importer::addBindings(const std::vector<artifact::Binding> &bindings) {
  for (const artifact::Binding &binding : bindings)
    for (const artifact::Piece &piece : binding.pieces)
      OpTy::create(builder, loc, builder.getStringAttr(binding.name),
                   builder.getDenseI64ArrayAttr(binding.shape),
                   binding.fileShape == binding.shape
                       ? DenseI64ArrayAttr()
                       : builder.getDenseI64ArrayAttr(binding.fileShape),
                   builder.getDenseI64ArrayAttr(piece.offsets),
                   builder.getDenseI64ArrayAttr(piece.sizes),
                   TypeAttr::get(toType(binding.type, context)),
                   range(piece.memory, piece.offset,
                         artifact::pieceBytes(binding, piece), piece.value));
}

Value Importer::addCall(const artifact::Entry &entry,
                        const artifact::Vertex &vertex, ValueRange data,
                        ValueRange memory, Location at) {
  SmallVector<Attribute> reads, writes;
  mem::RangeAttr workspace;
  for (const artifact::Access &access : entry.accessesOf(vertex)) {
    if (access.role == artifact::AccessRole::Read)
      reads.push_back(range(access));
    else if (access.role == artifact::AccessRole::Write)
      writes.push_back(range(access));
    else
      workspace = range(access);
  }
  SmallVector<int64_t> scalars, arguments;
  bool usesArguments = false;
  for (const artifact::Scalar &scalar : entry.scalarsOf(vertex)) {
    scalars.push_back(scalar.value);
    bool none = scalar.argument == artifact::none;
    usesArguments |= !none;
    arguments.push_back(none ? -1 : int64_t(scalar.argument));
  }
  const std::string &kernel = artifact.kernels[vertex.kernel].name;
  StringAttr name;
  if (vertex.task != artifact::none && entry.tasks[vertex.task] != kernel)
    name = builder.getStringAttr(entry.tasks[vertex.task]);
  return mem::CallOp::create(
      builder, at, mem::TokenType::get(context),
      FlatSymbolRefAttr::get(context, kernel), task(vertex), name,
      builder.getStringAttr(artifact.machine.devices[vertex.engine].name),
      builder.getArrayAttr(reads), builder.getArrayAttr(writes), workspace,
      scalars.empty() ? DenseI64ArrayAttr()
                      : builder.getDenseI64ArrayAttr(scalars),
      usesArguments ? builder.getDenseI64ArrayAttr(arguments)
                    : DenseI64ArrayAttr(),
      data, memory);
}

Value Importer::addCopy(const artifact::Entry &entry,
                        const artifact::Vertex &vertex, ValueRange data,
                        ValueRange memory, Location at) {
  artifact::Span<artifact::Access> accesses = entry.accessesOf(vertex);
  // The link needs to be said only where it is not the first one.
  IntegerAttr via;
  const std::vector<artifact::Link> &links = artifact.machine.links;
  for (uint32_t i = 0; i < links.size(); ++i) {
    if (links[i].source != accesses[0].memory ||
        links[i].destination != accesses[1].memory)
      continue;
    if (i != vertex.engine && vertex.engine != artifact::noEngine)
      via = builder.getI64IntegerAttr(vertex.engine);
    break;
  }
  StringAttr name;
  if (vertex.task != artifact::none && !entry.tasks[vertex.task].empty())
    name = builder.getStringAttr(entry.tasks[vertex.task]);
  return mem::CopyOp::create(
      builder, at, mem::TokenType::get(context),
      mem::CopyRoleAttr::get(context, static_cast<mem::CopyRole>(vertex.role)),
      range(accesses[0]), range(accesses[1]), via, task(vertex), name, data,
      memory);
}

Value Importer::addVertex(const artifact::Entry &entry,
                          const artifact::Vertex &vertex,
                          ArrayRef<Value> tokens, Location at) {
  SmallVector<Value> data, memory;
  for (const artifact::Edge &edge : entry.edgesOf(vertex))
    (edge.kind == artifact::EdgeKind::Data ? data : memory)
        .push_back(tokens[edge.source]);
  switch (vertex.kind) {
  case artifact::VertexKind::Call:
    return addCall(entry, vertex, data, memory, at);
  case artifact::VertexKind::Copy:
    return addCopy(entry, vertex, data, memory, at);
  case artifact::VertexKind::Join:
    return mem::JoinOp::create(builder, at, mem::TokenType::get(context), data,
                               memory);
  }
  llvm_unreachable("unknown kind of vertex");
}

FailureOr<SmallVector<Location>>
Importer::readLocations(const artifact::Entry &entry) {
  SmallVector<Location> locations;
  for (const std::string &text : entry.locations) {
    auto location =
        dyn_cast_or_null<LocationAttr>(parseAttribute(text, context));
    if (!location)
      return emitError(loc) << "entry \"" << entry.name
                            << "\": expected a location, but got " << text;
    locations.push_back(location);
  }
  return locations;
}

void Importer::addVertices(const artifact::Entry &entry,
                           ArrayRef<Location> locations) {
  SmallVector<Value> tokens;
  for (const artifact::Vertex &vertex : entry.vertices)
    tokens.push_back(addVertex(entry, vertex, tokens,
                               vertex.location == artifact::none
                                   ? UnknownLoc::get(context)
                                   : locations[vertex.location]));
}

void Importer::addCosts(const artifact::TaskGraph &tasks) {
  for (const artifact::Cost &cost : tasks.costs)
    mem::CostOp::create(
        builder, loc,
        FlatSymbolRefAttr::get(context, artifact.kernels[cost.kernel].name),
        builder.getStringAttr(artifact.machine.devices[cost.device].name),
        builder.getF64FloatAttr(cost.seconds));
}

/// A name that no kernel and no entry has.
std::string Importer::tasksName(const artifact::Entry &entry) const {
  std::string name = entry.name;
  auto isTaken = [&](const auto &other) { return other.name == name; };
  do
    name += ".tasks";
  while (llvm::any_of(artifact.kernels, isTaken) ||
         llvm::any_of(artifact.entries, isTaken));
  return name;
}

/// Nothing where nothing is known.
mem::StatisticsAttr Importer::statistics(const artifact::Statistics &from) {
  if (from.peakBytes.empty() && from.linkBytes.empty() &&
      from.smallestCaps.empty() && from.order.empty())
    return {};
  auto numbers = [&](const std::vector<uint64_t> &values) {
    return builder.getDenseI64ArrayAttr(
        SmallVector<int64_t>(values.begin(), values.end()));
  };
  SmallVector<Attribute> caps;
  for (const artifact::SmallestCap &cap : from.smallestCaps)
    caps.push_back(mem::SmallestCapAttr::get(
        context, static_cast<int64_t>(cap.bytes),
        cap.task == artifact::none ? -1 : int64_t(cap.task)));
  return mem::StatisticsAttr::get(
      context, numbers(from.peakBytes), numbers(from.linkBytes),
      static_cast<int64_t>(from.incomingBytesBound), builder.getArrayAttr(caps),
      builder.getF64FloatAttr(from.computeBound),
      builder.getF64FloatAttr(from.transferBound),
      builder.getF64FloatAttr(from.criticalPath),
      builder.getF64FloatAttr(from.makespanBound),
      builder.getF64FloatAttr(from.predictedMakespan),
      builder.getStringAttr(from.order));
}

LogicalResult Importer::addEntry(const artifact::Entry &entry) {
  FailureOr<SmallVector<Location>> locations = readLocations(entry);
  if (failed(locations))
    return failure();
  auto graph = mem::GraphOp::create(builder, loc, entry.name,
                                    statistics(entry.statistics));
  if (entry.taskGraph) {
    std::string name = tasksName(entry);
    graph.setTasks(name);
    importTasks(builder, loc, artifact, entry, name, kernels, *locations);
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&graph.getBody().front());
  for (const artifact::Argument &argument : entry.arguments)
    mem::ArgumentOp::create(builder, loc, argument.name, argument.minimum,
                            argument.maximum);
  if (entry.taskGraph)
    addCosts(*entry.taskGraph);
  addBindings<mem::ParameterOp>(entry.parameters);
  addBindings<mem::InputOp>(entry.inputs);
  addVertices(entry, *locations);
  addBindings<mem::ResultOp>(entry.results);
  return success();
}

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

OwningOpRef<ModuleOp> Importer::run() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, loc);
  if (!artifact.producer.empty())
    (*module)->setAttr(mem::MemDialect::kProducer,
                       builder.getStringAttr(artifact.producer));
  if (!artifact.options.empty())
    (*module)->setAttr(mem::MemDialect::kOptions,
                       builder.getStringAttr(artifact.options));
  builder.setInsertionPointToEnd(module->getBody());
  addMachine();
  for (const artifact::Kernel &kernel : artifact.kernels)
    if (failed(addKernel(kernel)))
      return nullptr;
  for (const artifact::Entry &entry : artifact.entries)
    if (failed(addEntry(entry)))
      return nullptr;
  if (failed(verify(*module)))
    return nullptr;
  return module;
}

OwningOpRef<ModuleOp> turnip::importMemGraph(const artifact::Module &artifact,
                                             Location loc) {
  loc.getContext()->loadDialect<mem::MemDialect, task::TaskDialect>();
  return Importer(artifact, loc).run();
}
