//===- Module.cpp - What an artifact contains -----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/artifact/Module.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::artifact;

const char *artifact::toString(MemoryKind kind) {
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

const char *artifact::toString(DeviceKind kind) {
  return kind == DeviceKind::Host ? "host" : "accelerator";
}

const char *artifact::toString(LaunchKind kind) {
  return kind == LaunchKind::Kernel ? "kernel" : "matmul";
}

const char *artifact::toString(MatmulCompute compute) {
  return compute == MatmulCompute::F32 ? "f32" : "tf32";
}

const char *artifact::toString(MatmulEpilogue epilogue) {
  switch (epilogue) {
  case MatmulEpilogue::None:
    return "none";
  case MatmulEpilogue::Relu:
    return "relu";
  case MatmulEpilogue::Gelu:
    return "gelu";
  case MatmulEpilogue::Bias:
    return "bias";
  }
  return "unknown";
}

const char *artifact::toString(AccessRole role) {
  switch (role) {
  case AccessRole::Read:
    return "read";
  case AccessRole::Write:
    return "write";
  case AccessRole::Workspace:
    return "workspace";
  }
  return "unknown";
}

const char *artifact::toString(EdgeKind kind) {
  return kind == EdgeKind::Data ? "data" : "memory";
}

const char *artifact::toString(VertexKind kind) {
  switch (kind) {
  case VertexKind::Call:
    return "call";
  case VertexKind::Copy:
    return "copy";
  case VertexKind::Join:
    return "join";
  }
  return "unknown";
}

const char *artifact::toString(TileOrigin origin) {
  switch (origin) {
  case TileOrigin::Task:
    return "task";
  case TileOrigin::Parameter:
    return "parameter";
  case TileOrigin::Input:
    return "input";
  }
  return "unknown";
}

const char *artifact::toString(CopyRole role) {
  switch (role) {
  case CopyRole::NotACopy:
    return "none";
  case CopyRole::Transfer:
    return "transfer";
  case CopyRole::Load:
    return "load";
  case CopyRole::Reload:
    return "reload";
  case CopyRole::Offload:
    return "offload";
  case CopyRole::Result:
    return "result";
  case CopyRole::Move:
    return "move";
  }
  return "unknown";
}

uint64_t artifact::codeHash(const Kernel &kernel) {
  // The same source may have become other code.
  std::string identity = kernel.source;
  for (const KernelObject &object : kernel.objects)
    identity += object.code;
  return machine::kernelHash(kernel.signature, identity, kernel.gridSize);
}

std::vector<TaskView> artifact::tasksOf(const Module &module,
                                        const Entry &entry) {
  const TaskGraph &graph = *entry.taskGraph;
  std::vector<TaskView> tasks(entry.tasks.size());
  for (const Vertex &vertex : entry.vertices)
    if (vertex.task != none && vertex.kind != VertexKind::Join &&
        !tasks[vertex.task].vertex)
      tasks[vertex.task].vertex = &vertex;
  size_t operand = 0;
  uint32_t tile = 0;
  for (TaskView &task : tasks) {
    size_t operands = 1;
    task.numResults = 1;
    if (task.vertex->kind == VertexKind::Call) {
      const Kernel &kernel = module.kernels[task.vertex->kernel];
      operands = kernel.operandBytes.size();
      task.numResults = static_cast<uint32_t>(kernel.resultBytes.size());
    }
    task.operands = {graph.operands.data() + operand, operands};
    operand += operands;
    while (tile < graph.tiles.size() &&
           graph.tiles[tile].origin != TileOrigin::Task)
      ++tile;
    task.firstResult = tile;
    tile += task.numResults;
  }
  return tasks;
}

std::vector<uint32_t> artifact::valuesOf(const Entry &entry,
                                         const std::vector<TaskView> &tasks) {
  std::vector<uint32_t> values(entry.taskGraph->tiles.size());
  for (uint32_t i = 0; i < values.size(); ++i)
    values[i] = i;
  for (const TaskView &task : tasks)
    if (task.vertex->kind == VertexKind::Copy)
      values[task.firstResult] = values[task.operands[0]];
  return values;
}

uint64_t artifact::pieceBytes(const Binding &binding, const Piece &piece) {
  uint64_t bytes = static_cast<uint64_t>(byteSize(binding.type));
  for (int64_t size : piece.sizes)
    bytes *= static_cast<uint64_t>(size);
  return bytes;
}

std::vector<uint64_t> artifact::touchedBytes(const Module &module,
                                             const Entry &entry) {
  std::vector<uint64_t> ends(module.machine.memories.size(), 0);
  for (const Access &access : entry.accesses)
    ends[access.memory] =
        std::max(ends[access.memory], access.offset + access.bytes);
  for (const std::vector<Binding> *bindings :
       {&entry.parameters, &entry.inputs, &entry.results})
    for (const Binding &binding : *bindings)
      for (const Piece &piece : binding.pieces)
        ends[piece.memory] = std::max(
            ends[piece.memory], piece.offset + pieceBytes(binding, piece));
  return ends;
}
