//===- Export.cpp - mem IR to an artifact ---------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Target/MemGraph.h"

#include "ElementTypes.h"
#include "mlir/IR/Builders.h"
#include "turnip/Dialect/Mem/IR/Machine.h"
#include "turnip/Dialect/Task/Analysis/KernelKind.h"
#include "turnip/Dialect/Task/IR/TileNumbering.h"
#include "turnip/artifact/Artifact.h"

#include "llvm/ADT/StringSwitch.h"
#include <map>

using namespace mlir;
using namespace turnip;

//===----------------------------------------------------------------------===//
// Machine and kernels
//===----------------------------------------------------------------------===//

static artifact::Machine exportMachine(mem::Machine &machine) {
  artifact::Machine result;
  for (mem::MemoryOp memory : machine.getMemories()) {
    artifact::Memory entry;
    entry.name = memory.getSymName().str();
    entry.kind = static_cast<artifact::MemoryKind>(memory.getKind());
    entry.capacity = memory.getCapacity();
    entry.alignment = memory.getAlignment();
    entry.writable = !memory.getReadonly();
    result.memories.push_back(entry);
  }
  for (mem::DeviceOp device : machine.getDevices()) {
    artifact::Device entry;
    entry.name = device.getName().str();
    entry.kind = static_cast<artifact::DeviceKind>(device.getKind());
    entry.memory = *machine.findMemory(device.getMemoryAttr());
    if (device.getBackingAttr())
      entry.backing = *machine.findMemory(device.getBackingAttr());
    result.devices.push_back(entry);
  }
  for (mem::LinkOp link : machine.getLinks()) {
    artifact::Link entry;
    entry.source = *machine.findMemory(link.getSourceAttr());
    entry.destination = *machine.findMemory(link.getDestinationAttr());
    entry.channel = link.getChannel();
    entry.bytesPerSecond = link.getBandwidth().convertToDouble();
    entry.latency = link.getLatency().convertToDouble();
    result.links.push_back(entry);
  }
  return result;
}

/// Prints \p printable, an attribute, type or operation, without locations.
template <typename T> static std::string print(const T &printable) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << printable;
  return text;
}

static std::vector<artifact::LaunchBuffer>
exportBuffers(ArrayRef<int64_t> buffers) {
  std::vector<artifact::LaunchBuffer> result;
  for (size_t i = 0; i + 1 < buffers.size(); i += 2)
    result.push_back({static_cast<uint32_t>(buffers[i]),
                      static_cast<uint64_t>(buffers[i + 1])});
  return result;
}

static artifact::Launch exportMatmul(task::MatmulAttr matmul) {
  artifact::Launch result;
  result.kind = artifact::LaunchKind::Matmul;
  result.buffers = exportBuffers(matmul.getBuffers());
  artifact::Matmul &to = result.matmul;
  to.typeA = toElementType(matmul.getTypeA());
  to.typeB = toElementType(matmul.getTypeB());
  to.typeD = toElementType(matmul.getTypeD());
  to.compute = matmul.getCompute() == "tf32" ? artifact::MatmulCompute::TF32
                                             : artifact::MatmulCompute::F32;
  to.epilogue = llvm::StringSwitch<artifact::MatmulEpilogue>(
                    matmul.getEpilogue().getValue())
                    .Case("relu", artifact::MatmulEpilogue::Relu)
                    .Case("gelu", artifact::MatmulEpilogue::Gelu)
                    .Case("bias", artifact::MatmulEpilogue::Bias)
                    .Default(artifact::MatmulEpilogue::None);
  to.transposeA = matmul.getTransA();
  to.transposeB = matmul.getTransB();
  to.m = matmul.getM();
  to.n = matmul.getN();
  to.k = matmul.getK();
  to.lda = matmul.getLda();
  to.ldb = matmul.getLdb();
  to.ldd = matmul.getLdd();
  to.batch = matmul.getBatch();
  to.strideA = matmul.getStrideA();
  to.strideB = matmul.getStrideB();
  to.strideD = matmul.getStrideD();
  to.alpha = matmul.getAlpha().getValueAsDouble();
  to.beta = matmul.getBeta().getValueAsDouble();
  to.workspaceOffset = matmul.getWorkspaceOffset();
  to.workspaceBytes = matmul.getWorkspaceBytes();
  return result;
}

static artifact::Launch exportLaunch(Attribute attribute) {
  if (auto matmul = dyn_cast<task::MatmulAttr>(attribute))
    return exportMatmul(matmul);
  auto launch = cast<task::LaunchAttr>(attribute);
  artifact::Launch result;
  result.buffers = exportBuffers(launch.getBuffers());
  result.symbol = launch.getSymbol().str();
  llvm::copy(launch.getGrid(), result.grid.begin());
  llvm::copy(launch.getBlock(), result.block.begin());
  result.sharedBytes = launch.getShared();
  result.scalars.assign(launch.getScalars().begin(), launch.getScalars().end());
  return result;
}

static artifact::KernelObject exportObject(task::ObjectAttr object) {
  artifact::KernelObject result;
  result.triple = object.getTriple().str();
  for (StringAttr feature : object.getFeatures())
    result.features.push_back(feature.str());
  result.format = object.getFormat().str();
  result.symbol = object.getSymbol().str();
  result.code = object.getBytes();
  result.workspaceBytes = object.getWorkspace();
  if (ArrayAttr launches = object.getLaunches())
    for (Attribute launch : launches)
      result.launches.push_back(exportLaunch(launch));
  return result;
}

static uint64_t bytesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return *task::denseBytes(tensor.getShape(), tensor.getElementType());
}

static artifact::Kernel exportKernel(task::KernelOp kernel) {
  artifact::Kernel result;
  result.name = kernel.getSymName().str();
  result.signature = task::printSignature(kernel);
  result.source = task::printSource(kernel);
  for (Type type : kernel.getArgumentTypes())
    if (!type.isIndex())
      result.operandBytes.push_back(bytesOf(type));
  for (Type type : kernel.getResultTypes())
    result.resultBytes.push_back(bytesOf(type));
  result.scalarCount = kernel.getNumScalarArguments();
  result.gridSize = kernel.getGrid().value_or(1);
  result.workspaceBytes = kernel.getWorkspaceBytes();
  result.flops = kernel.getFlops().value_or(0);
  result.bytesMoved = kernel.getBytes().value_or(0);
  if (FloatAttr seconds = kernel.getSecondsAttr())
    result.seconds = seconds.getValueAsDouble();
  task::KernelKind kind = task::getKernelKind(kernel);
  result.kernelClass = kind.kernelClass;
  result.type = kind.type;
  for (auto [operand, to] : kernel.getInplacePairs())
    result.inPlace.push_back(
        {static_cast<uint32_t>(operand), static_cast<uint32_t>(to)});
  if (ArrayAttr objects = kernel.getObjectsAttr())
    for (task::ObjectAttr object : objects.getAsRange<task::ObjectAttr>())
      result.objects.push_back(exportObject(object));
  return result;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

namespace {
/// Fills one entry from one graph.
class EntryExporter {
public:
  EntryExporter(mem::Machine &machine, const llvm::StringMap<uint32_t> &kernels)
      : machine(machine), kernels(kernels) {}

  /// \p tasks: the graph that \p graph places, or null.
  artifact::Entry run(mem::GraphOp graph, task::GraphOp tasks);

private:
  template <typename OpTy>
  void addPiece(std::vector<artifact::Binding> &bindings, OpTy op);
  void addCall(mem::CallOp call);
  void addCopy(mem::CopyOp copy);
  void addJoin(mem::JoinOp join);
  void addAccess(mem::RangeAttr range, artifact::AccessRole role);
  artifact::Vertex begin(artifact::VertexKind kind, Location loc,
                         std::optional<int64_t> task, StringRef name);
  void end(Operation *op, artifact::Vertex vertex, ValueRange data,
           ValueRange memory);
  void setStatistics(mem::StatisticsAttr statistics);
  void setTasks(task::GraphOp tasks);
  void addCost(mem::CostOp cost);
  uint32_t locationIndex(Location loc);

  mem::Machine &machine;
  const llvm::StringMap<uint32_t> &kernels;
  artifact::Entry entry;
  std::vector<artifact::Cost> costs;
  llvm::DenseMap<Value, uint32_t> tokens;
  llvm::DenseMap<Attribute, uint32_t> locations;
};
} // namespace

/// Slices that agree in name, type and shapes make one binding.
template <typename OpTy>
void EntryExporter::addPiece(std::vector<artifact::Binding> &bindings,
                             OpTy op) {
  artifact::Binding binding;
  binding.name = op.getName().str();
  binding.type = toElementType(op.getElementType());
  binding.shape = op.getShape().vec();
  binding.fileShape = op.getOuter().vec();
  auto known = llvm::find_if(bindings, [&](const artifact::Binding &candidate) {
    return candidate.name == binding.name && candidate.type == binding.type &&
           candidate.shape == binding.shape &&
           candidate.fileShape == binding.fileShape;
  });
  if (known == bindings.end())
    known = bindings.insert(known, binding);
  artifact::Piece piece;
  piece.offsets = op.getOffsets().vec();
  piece.sizes = op.getSizes().vec();
  piece.memory = *machine.findMemory(op.getRange().getMemory());
  piece.offset = op.getRange().getOffset();
  piece.value = static_cast<uint32_t>(op.getRange().getValue());
  known->pieces.push_back(piece);
}

void EntryExporter::addAccess(mem::RangeAttr range, artifact::AccessRole role) {
  artifact::Access access;
  access.offset = range.getOffset();
  access.bytes = range.getBytes();
  access.memory = static_cast<uint16_t>(*machine.findMemory(range.getMemory()));
  access.role = role;
  if (role != artifact::AccessRole::Workspace)
    access.value = static_cast<uint32_t>(range.getValue());
  entry.accesses.push_back(access);
}

uint32_t EntryExporter::locationIndex(Location loc) {
  if (isa<UnknownLoc>(loc))
    return artifact::none;
  auto [it, inserted] =
      locations.try_emplace(LocationAttr(loc), entry.locations.size());
  if (inserted)
    entry.locations.push_back(print(Attribute(LocationAttr(loc))));
  return it->second;
}

/// Starts a vertex whose accesses and scalars are added next.
artifact::Vertex EntryExporter::begin(artifact::VertexKind kind, Location loc,
                                      std::optional<int64_t> task,
                                      StringRef name) {
  artifact::Vertex vertex;
  vertex.kind = kind;
  vertex.accesses.first = entry.accesses.size();
  vertex.scalars.first = entry.scalars.size();
  vertex.edges.first = entry.edges.size();
  if (task) {
    vertex.task = static_cast<uint32_t>(*task);
    if (entry.tasks.size() <= vertex.task)
      entry.tasks.resize(vertex.task + 1);
    entry.tasks[vertex.task] = name.str();
  }
  vertex.location = locationIndex(loc);
  return vertex;
}

void EntryExporter::end(Operation *op, artifact::Vertex vertex, ValueRange data,
                        ValueRange memory) {
  // Sorted by predecessor; one that is both kinds is data.
  std::map<uint32_t, artifact::EdgeKind> edges;
  for (Value token : data)
    edges.emplace(tokens.lookup(token), artifact::EdgeKind::Data);
  for (Value token : memory)
    edges.emplace(tokens.lookup(token), artifact::EdgeKind::Memory);
  for (auto [source, kind] : edges)
    entry.edges.push_back({source, kind});
  vertex.accesses.count = entry.accesses.size() - vertex.accesses.first;
  vertex.scalars.count = entry.scalars.size() - vertex.scalars.first;
  vertex.edges.count = entry.edges.size() - vertex.edges.first;
  tokens[op->getResult(0)] = entry.vertices.size();
  entry.vertices.push_back(vertex);
}

void EntryExporter::addCall(mem::CallOp call) {
  artifact::Vertex vertex = begin(artifact::VertexKind::Call, call.getLoc(),
                                  call.getTask(), call.getTaskLabel());
  vertex.kernel = kernels.lookup(call.getKernel());
  vertex.engine =
      static_cast<uint16_t>(*machine.findDevice(call.getDeviceAttr()));
  for (auto range : call.getReads().getAsRange<mem::RangeAttr>())
    addAccess(range, artifact::AccessRole::Read);
  for (auto range : call.getWrites().getAsRange<mem::RangeAttr>())
    addAccess(range, artifact::AccessRole::Write);
  if (call.getWorkspace())
    addAccess(*call.getWorkspace(), artifact::AccessRole::Workspace);
  if (std::optional<ArrayRef<int64_t>> scalars = call.getScalars())
    for (auto [index, value] : llvm::enumerate(*scalars)) {
      artifact::Scalar scalar;
      scalar.value = value;
      if (call.getScalarArguments() && (*call.getScalarArguments())[index] >= 0)
        scalar.argument =
            static_cast<uint32_t>((*call.getScalarArguments())[index]);
      entry.scalars.push_back(scalar);
    }
  end(call, vertex, call.getDataTokens(), call.getMemoryTokens());
}

void EntryExporter::addCopy(mem::CopyOp copy) {
  artifact::Vertex vertex =
      begin(artifact::VertexKind::Copy, copy.getLoc(), copy.getTask(),
            copy.getTaskName().value_or(""));
  vertex.role = static_cast<artifact::CopyRole>(copy.getRole());
  if (std::optional<uint32_t> link = machine.linkOf(copy))
    vertex.engine = static_cast<uint16_t>(*link);
  addAccess(copy.getSource(), artifact::AccessRole::Read);
  addAccess(copy.getDestination(), artifact::AccessRole::Write);
  end(copy, vertex, copy.getDataTokens(), copy.getMemoryTokens());
}

void EntryExporter::addJoin(mem::JoinOp join) {
  artifact::Vertex vertex =
      begin(artifact::VertexKind::Join, join.getLoc(), std::nullopt, "");
  end(join, vertex, join.getDataTokens(), join.getMemoryTokens());
}

void EntryExporter::setStatistics(mem::StatisticsAttr from) {
  artifact::Statistics &to = entry.statistics;
  to.peakBytes.assign(from.getPeakBytes().asArrayRef().begin(),
                      from.getPeakBytes().asArrayRef().end());
  to.linkBytes.assign(from.getLinkBytes().asArrayRef().begin(),
                      from.getLinkBytes().asArrayRef().end());
  to.incomingBytesBound = from.getIncomingBytesBound();
  for (auto cap : from.getSmallestCaps().getAsRange<mem::SmallestCapAttr>()) {
    artifact::SmallestCap entry;
    entry.bytes = cap.getBytes();
    if (cap.getTask() >= 0)
      entry.task = static_cast<uint32_t>(cap.getTask());
    to.smallestCaps.push_back(entry);
  }
  to.computeBound = from.getComputeBound().getValueAsDouble();
  to.transferBound = from.getTransferBound().getValueAsDouble();
  to.criticalPath = from.getCriticalPath().getValueAsDouble();
  to.makespanBound = from.getMakespanBound().getValueAsDouble();
  to.predictedMakespan = from.getPredictedMakespan().getValueAsDouble();
  to.order = from.getOrder().str();
}

void EntryExporter::addCost(mem::CostOp cost) {
  artifact::Cost result;
  result.seconds = cost.getSeconds().convertToDouble();
  result.kernel = kernels.lookup(cost.getKernel());
  result.device =
      static_cast<uint16_t>(*machine.findDevice(cost.getDeviceAttr()));
  costs.push_back(result);
}

/// What the vertices and the bindings do not say about the tasks.
void EntryExporter::setTasks(task::GraphOp tasks) {
  artifact::TaskGraph &result = entry.taskGraph.emplace();
  task::TileNumbering numbering(tasks);
  for (uint32_t i = 0; i < numbering.getNumTiles(); ++i) {
    Value definition = numbering.getDefinition(i);
    auto type = cast<task::TileType>(definition.getType());
    artifact::Tile tile;
    tile.bytes = type.getSizeInBytes();
    mem::DeviceOp device =
        machine.getDevices()[*machine.findDevice(type.getPlace())];
    tile.memory =
        static_cast<uint16_t>(*machine.findMemory(device.getMemoryAttr()));
    Operation *op = definition.getDefiningOp();
    // Where a task's result is defined, its vertex says.
    if (isa<task::ParameterOp, task::InputOp>(op)) {
      tile.origin = isa<task::InputOp>(op) ? artifact::TileOrigin::Input
                                           : artifact::TileOrigin::Parameter;
      tile.location = locationIndex(op->getLoc());
    }
    result.tiles.push_back(tile);
  }
  for (Operation *op : numbering.getTasks())
    for (Value operand : op->getOperands())
      result.operands.push_back(numbering.getTile(operand));
  // Pieces of one result stay together, whatever is between them in the graph.
  for (const artifact::Binding &binding : entry.results)
    for (auto op : tasks.getOps<task::ResultOp>())
      if (op.getName() == binding.name)
        result.results.push_back(numbering.getTile(op.getTile()));
  llvm::sort(costs, [](const artifact::Cost &a, const artifact::Cost &b) {
    return std::pair(a.kernel, a.device) < std::pair(b.kernel, b.device);
  });
  result.costs = std::move(costs);
  result.location = locationIndex(tasks.getLoc());
}

artifact::Entry EntryExporter::run(mem::GraphOp graph, task::GraphOp tasks) {
  entry.name = graph.getSymName().str();
  if (graph.getStatistics())
    setStatistics(*graph.getStatistics());
  for (Operation &op : graph.getBody().front()) {
    if (auto argument = dyn_cast<mem::ArgumentOp>(op))
      entry.arguments.push_back({argument.getName().str(),
                                 static_cast<int64_t>(argument.getMinimum()),
                                 static_cast<int64_t>(argument.getMaximum())});
    else if (auto parameter = dyn_cast<mem::ParameterOp>(op))
      addPiece(entry.parameters, parameter);
    else if (auto input = dyn_cast<mem::InputOp>(op))
      addPiece(entry.inputs, input);
    else if (auto result = dyn_cast<mem::ResultOp>(op))
      addPiece(entry.results, result);
    else if (auto call = dyn_cast<mem::CallOp>(op))
      addCall(call);
    else if (auto copy = dyn_cast<mem::CopyOp>(op))
      addCopy(copy);
    else if (auto join = dyn_cast<mem::JoinOp>(op))
      addJoin(join);
    else if (auto cost = dyn_cast<mem::CostOp>(op))
      addCost(cost);
  }
  if (tasks)
    setTasks(tasks);
  return std::move(entry);
}

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

/// Checks what 16-bit fields of the artifact can hold.
static LogicalResult checkLimits(mem::MachineOp op, mem::Machine &machine) {
  std::pair<StringRef, size_t> counts[] = {
      {"memories", machine.getMemories().size()},
      {"devices", machine.getDevices().size()},
      {"links", machine.getLinks().size()}};
  for (auto [what, count] : counts)
    if (count >= artifact::noEngine)
      return op.emitOpError("expected fewer than ")
             << artifact::noEngine << " " << what << ", but got " << count;
  return success();
}

FailureOr<artifact::Module> turnip::exportMemGraph(ModuleOp module) {
  mem::MachineOp machineOp = mem::getMachine(module);
  if (!machineOp)
    return module.emitError(
        "expected a module with a mem.machine, as place-memory makes it "
        "(turnip-compile --compile-to=mem)");
  mem::Machine machine(machineOp);
  if (failed(checkLimits(machineOp, machine)))
    return failure();
  artifact::Module result;
  auto text = [&](StringRef name) {
    auto attribute = module->getAttrOfType<StringAttr>(name);
    return attribute ? attribute.str() : std::string();
  };
  result.producer = text(mem::MemDialect::kProducer);
  result.options = text(mem::MemDialect::kOptions);
  result.machine = exportMachine(machine);
  llvm::StringMap<uint32_t> kernels;
  for (auto kernel : module.getOps<task::KernelOp>()) {
    kernels[kernel.getSymName()] = result.kernels.size();
    result.kernels.push_back(exportKernel(kernel));
  }
  for (auto graph : module.getOps<mem::GraphOp>())
    result.entries.push_back(
        EntryExporter(machine, kernels)
            .run(graph, graph.getTasksAttr()
                            ? cast<task::GraphOp>(
                                  module.lookupSymbol(graph.getTasksAttr()))
                            : task::GraphOp()));
  return result;
}

FailureOr<std::string> turnip::serializeMemGraph(ModuleOp module) {
  FailureOr<artifact::Module> exported = exportMemGraph(module);
  if (failed(exported))
    return failure();
  Expected<std::string> bytes = artifact::serialize(*exported);
  if (!bytes)
    return module.emitError("cannot make an artifact of this module: ")
           << bytes.status().message();
  return std::move(*bytes);
}
