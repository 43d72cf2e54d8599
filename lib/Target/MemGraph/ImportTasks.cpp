//===- ImportTasks.cpp - A task.graph from an artifact --------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportTasks.h"

#include "ElementTypes.h"

using namespace mlir;
using namespace turnip;

namespace {
/// Builds the operations tile by tile, so that they get the same numbers again.
class TaskImporter {
public:
  TaskImporter(OpBuilder &builder, Location loc,
               const artifact::Module &artifact, const artifact::Entry &entry,
               ArrayRef<task::KernelOp> kernels, ArrayRef<Location> locations)
      : builder(builder), loc(loc), artifact(artifact), entry(entry),
        graph(*entry.taskGraph), kernels(kernels), locations(locations),
        tasks(tasksOf(artifact, entry)), values(graph.tiles.size()),
        pieces(graph.tiles.size()), types(graph.tiles.size()) {}

  void run(StringRef name);

private:
  using Piece = std::pair<const artifact::Binding *, const artifact::Piece *>;

  Location location(uint32_t index) const {
    return index == artifact::none ? loc : locations[index];
  }
  task::PlaceAttr placeOf(uint32_t memory) const;
  void collectPieces(const std::vector<artifact::Binding> &bindings);
  void collectTypes();
  template <typename OpTy> void addSources(uint32_t tile);
  void addTask(const artifact::TaskView &task);
  void addCall(const artifact::TaskView &task, Location at);
  Value valueOf(uint32_t tile, Type type) const;

  OpBuilder &builder;
  Location loc;
  const artifact::Module &artifact;
  const artifact::Entry &entry;
  const artifact::TaskGraph &graph;
  ArrayRef<task::KernelOp> kernels;
  ArrayRef<Location> locations;
  std::vector<artifact::TaskView> tasks;
  /// Per tile: what defines it, more than one where it has several views.
  SmallVector<SmallVector<Value, 1>> values;
  /// Per tile: its pieces at entry.
  SmallVector<SmallVector<Piece, 1>> pieces;
  /// Per tile: the type that one of its users wants; null where nobody does.
  SmallVector<RankedTensorType> types;
};
} // namespace

task::PlaceAttr TaskImporter::placeOf(uint32_t memory) const {
  int64_t accelerators = 0;
  for (const artifact::Device &device : artifact.machine.devices) {
    bool isHost = device.kind == artifact::DeviceKind::Host;
    if (device.memory == memory)
      return isHost ? task::PlaceAttr::getHost(builder.getContext())
                    : task::PlaceAttr::get(builder.getContext(), accelerators);
    accelerators += !isHost;
  }
  llvm_unreachable("a tile in the memory of no device");
}

void TaskImporter::collectPieces(
    const std::vector<artifact::Binding> &bindings) {
  for (const artifact::Binding &binding : bindings)
    for (const artifact::Piece &piece : binding.pieces)
      pieces[piece.value].emplace_back(&binding, &piece);
}

/// Walks backwards, so that users come before what they use.
void TaskImporter::collectTypes() {
  size_t next = 0;
  for (const artifact::Binding &binding : entry.results)
    for (const artifact::Piece &piece : binding.pieces)
      types[graph.results[next++]] = RankedTensorType::get(
          piece.sizes, toType(binding.type, builder.getContext()));
  for (const artifact::TaskView &task : llvm::reverse(tasks)) {
    if (task.vertex->kind != artifact::VertexKind::Call) {
      types[task.operands[0]] = types[task.firstResult];
      continue;
    }
    task::KernelOp kernel = kernels[task.vertex->kernel];
    ArrayRef<Type> wanted = kernel.getArgumentTypes();
    for (size_t i = 0; i < task.operands.size(); ++i)
      types[task.operands[i]] = dyn_cast<RankedTensorType>(wanted[i]);
  }
}

/// The definition of \p tile that has \p type, or else its first.
Value TaskImporter::valueOf(uint32_t tile, Type type) const {
  for (Value value : values[tile])
    if (cast<task::TileType>(value.getType()).getTensorType() == type)
      return value;
  return values[tile].front();
}

template <typename OpTy> void TaskImporter::addSources(uint32_t tile) {
  for (auto [binding, piece] : pieces[tile])
    values[tile].push_back(OpTy::create(
        builder, location(graph.tiles[tile].location), binding->name,
        binding->shape, binding->fileShape, piece->offsets, piece->sizes,
        toType(binding->type, builder.getContext()),
        placeOf(graph.tiles[tile].memory)));
}

void TaskImporter::addCall(const artifact::TaskView &task, Location at) {
  task::KernelOp kernel = kernels[task.vertex->kernel];
  ArrayRef<Type> wanted = kernel.getArgumentTypes();
  SmallVector<Value> operands;
  for (size_t i = 0; i < task.operands.size(); ++i)
    operands.push_back(valueOf(task.operands[i], wanted[i]));
  SmallVector<int64_t> scalars;
  for (const artifact::Scalar &scalar : entry.scalarsOf(*task.vertex))
    scalars.push_back(scalar.value);
  uint32_t memory = artifact.machine.devices[task.vertex->engine].memory;
  auto call = task::CallOp::create(builder, at, kernel, operands, scalars,
                                   placeOf(memory));
  for (auto [index, value] : llvm::enumerate(call.getResults()))
    values[task.firstResult + index].push_back(value);
}

void TaskImporter::addTask(const artifact::TaskView &task) {
  Location at = location(task.vertex->location);
  if (task.vertex->kind == artifact::VertexKind::Call)
    return addCall(task, at);
  Value source = valueOf(task.operands[0], types[task.firstResult]);
  auto type = cast<task::TileType>(source.getType());
  values[task.firstResult].push_back(task::TransferOp::create(
      builder, at,
      task::TileType::get(type.getTensorType(),
                          placeOf(graph.tiles[task.firstResult].memory)),
      source));
}

void TaskImporter::run(StringRef name) {
  int64_t devices =
      llvm::count_if(artifact.machine.devices, [](const auto &device) {
        return device.kind == artifact::DeviceKind::Accelerator;
      });
  auto op = task::GraphOp::create(builder, location(graph.location), name,
                                  std::max<int64_t>(devices, 1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&op.getBody().front());
  collectPieces(entry.parameters);
  collectPieces(entry.inputs);
  collectTypes();
  size_t next = 0;
  auto addTasksBefore = [&](uint32_t tile) {
    for (; next < tasks.size() && tasks[next].firstResult < tile; ++next)
      addTask(tasks[next]);
  };
  for (uint32_t tile = 0; tile < graph.tiles.size(); ++tile) {
    artifact::TileOrigin origin = graph.tiles[tile].origin;
    if (origin == artifact::TileOrigin::Task)
      continue;
    addTasksBefore(tile);
    if (origin == artifact::TileOrigin::Parameter)
      addSources<task::ParameterOp>(tile);
    else
      addSources<task::InputOp>(tile);
  }
  addTasksBefore(artifact::none);
  size_t result = 0;
  for (const artifact::Binding &binding : entry.results)
    for (const artifact::Piece &piece : binding.pieces) {
      auto type = RankedTensorType::get(
          piece.sizes, toType(binding.type, builder.getContext()));
      task::ResultOp::create(
          builder, loc, valueOf(graph.results[result++], type), binding.name,
          binding.shape, binding.fileShape, piece.offsets, piece.sizes);
    }
}

void turnip::importTasks(OpBuilder &builder, Location loc,
                         const artifact::Module &artifact,
                         const artifact::Entry &entry, StringRef name,
                         ArrayRef<task::KernelOp> kernels,
                         ArrayRef<Location> locations) {
  TaskImporter(builder, loc, artifact, entry, kernels, locations).run(name);
}
