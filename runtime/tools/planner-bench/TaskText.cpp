//===- TaskText.cpp - A problem as a module of the task dialect -----------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graphs.h"

#include <map>

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::bench;

namespace {
class TaskPrinter {
public:
  TaskPrinter(const Problem &problem, std::FILE *out)
      : problem(problem), out(out),
        numDevices(static_cast<uint32_t>(problem.devices.size() - 1)) {}
  void run();

private:
  std::string kernelOf(uint32_t task) const;
  std::string tileType(uint32_t tile) const;
  std::string typesOf(ArrayView<uint32_t> tiles, bool asTensors) const;
  void printKernels();
  void printSource(uint32_t tile);
  void printTask(uint32_t task);
  std::string box(uint32_t tile) const {
    std::string bytes = std::to_string(problem.tiles[tile].bytes);
    return "[" + bytes + "] offsets [0] sizes [" + bytes +
           "] : " + tileType(tile);
  }

  const Problem &problem;
  std::FILE *out;
  uint32_t numDevices;
  /// Kernels by what they are declared as, and each tile's printed name.
  std::map<std::string, uint32_t> kernels;
  std::vector<std::string> names;
};
} // namespace

std::string TaskPrinter::tileType(uint32_t tile) const {
  uint32_t memory = problem.tiles[tile].memory;
  std::string place =
      memory == numDevices ? "host" : "dev " + std::to_string(memory);
  return "!task.tile<" + std::to_string(problem.tiles[tile].bytes) + "xi8, " +
         place + ">";
}

std::string TaskPrinter::typesOf(ArrayView<uint32_t> tiles,
                                 bool asTensors) const {
  std::string text = "(";
  for (size_t i = 0; i < tiles.size(); ++i) {
    text += i == 0 ? "" : ", ";
    text +=
        asTensors
            ? "tensor<" + std::to_string(problem.tiles[tiles[i]].bytes) + "xi8>"
            : tileType(tiles[i]);
  }
  return text + ")";
}

/// A kernel's declaration behind its name.
std::string TaskPrinter::kernelOf(uint32_t id) const {
  const Task &task = problem.tasks[id];
  std::string text = typesOf(problem.operands(id), true) + " -> " +
                     typesOf(problem.results(id), true);
  if (task.workspace != 0)
    text += " workspace " + std::to_string(task.workspace);
  char seconds[40];
  std::snprintf(seconds, sizeof(seconds), " seconds %.17e", task.cost);
  text += seconds;
  if (!problem.inPlacePairs(id).empty()) {
    text += " inplace(";
    const char *comma = "";
    for (const InPlacePair &pair : problem.inPlacePairs(id)) {
      text += comma + std::to_string(pair.operand) + " -> " +
              std::to_string(pair.result);
      comma = ", ";
    }
    text += ")";
  }
  return text;
}

void TaskPrinter::printKernels() {
  for (uint32_t id = 0; id < problem.tasks.size(); ++id) {
    if (problem.tasks[id].kind == TaskKind::Transfer)
      continue;
    auto [it, inserted] = kernels.try_emplace(
        kernelOf(id), static_cast<uint32_t>(kernels.size()));
    if (inserted)
      std::fprintf(out, "task.kernel @k%u%s\n", it->second, it->first.c_str());
  }
}

void TaskPrinter::printSource(uint32_t id) {
  const Tile &tile = problem.tiles[id];
  if (tile.initialMemory == None)
    return;
  bool parameter =
      problem.memories[tile.initialMemory].kind == MemoryKind::Parameters;
  names[id] = "%s" + std::to_string(id);
  // The same bytes are the same parameter.
  uint64_t number = parameter ? tile.initialOffset : id;
  std::fprintf(out, "  %s = task.%s \"%s%llu\" %s\n", names[id].c_str(),
               parameter ? "parameter" : "input", parameter ? "w" : "x",
               static_cast<unsigned long long>(number), box(id).c_str());
}

void TaskPrinter::printTask(uint32_t id) {
  ArrayView<uint32_t> operands = problem.operands(id);
  ArrayView<uint32_t> results = problem.results(id);
  std::string own = "%t" + std::to_string(id);
  for (size_t i = 0; i < results.size(); ++i)
    names[results[i]] =
        results.size() == 1 ? own : own + "#" + std::to_string(i);
  if (problem.tasks[id].kind == TaskKind::Transfer) {
    std::fprintf(out, "  %s = task.transfer %s : %s to %s\n", own.c_str(),
                 names[operands[0]].c_str(), tileType(operands[0]).c_str(),
                 tileType(results[0]).c_str());
    return;
  }
  std::string list;
  for (size_t i = 0; i < operands.size(); ++i)
    list += (i == 0 ? "" : ", ") + names[operands[i]];
  uint32_t device = problem.tasks[id].device;
  std::string place =
      device == numDevices ? "host" : "dev " + std::to_string(device);
  std::string count =
      results.size() == 1 ? "" : ":" + std::to_string(results.size());
  std::fprintf(out, "  %s%s = task.call @k%u(%s) on %s : %s -> %s\n",
               own.c_str(), count.c_str(), kernels.at(kernelOf(id)),
               list.c_str(), place.c_str(), typesOf(operands, false).c_str(),
               typesOf(results, false).c_str());
}

void TaskPrinter::run() {
  names.resize(problem.tiles.size());
  printKernels();
  std::fprintf(out, "task.graph @main devices %u {\n", numDevices);
  for (uint32_t id = 0; id < problem.tiles.size(); ++id)
    printSource(id);
  for (uint32_t id = 0; id < problem.tasks.size(); ++id)
    printTask(id);
  for (uint32_t id = 0; id < problem.tiles.size(); ++id)
    if (problem.tiles[id].finalMemory != None)
      std::fprintf(out, "  task.result %s \"y%u\" %s\n", names[id].c_str(), id,
                   box(id).c_str());
  std::fprintf(out, "}\n");
}

void bench::printTaskGraph(const Problem &problem, std::FILE *out) {
  TaskPrinter(problem, out).run();
}
