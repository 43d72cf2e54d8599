//===- GraphCommand.cpp - Prints a graph ----------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::bench;

static void printSummary(const Problem &problem) {
  uint64_t parameters = 0, inputs = 0, results = 0, values = 0, transfers = 0;
  double seconds = 0;
  for (const Tile &tile : problem.tiles) {
    uint64_t &sum =
        tile.initialMemory == None ? values
        : problem.memories[tile.initialMemory].kind == MemoryKind::Parameters
            ? parameters
            : inputs;
    sum += tile.bytes;
    results += tile.finalMemory == None ? 0 : tile.bytes;
  }
  for (const Task &task : problem.tasks) {
    transfers += task.kind == TaskKind::Transfer;
    seconds += task.cost;
  }
  auto number = [](const char *name, uint64_t value) {
    std::printf("%-22s %llu\n", name, static_cast<unsigned long long>(value));
  };
  number("tasks", problem.tasks.size());
  number("transfers", transfers);
  number("tiles", problem.tiles.size());
  number("parameter bytes", parameters);
  number("input bytes", inputs);
  number("result bytes", results);
  number("produced bytes", values);
  number("largest task bytes", largestTask(problem));
  std::printf("%-22s %.6f\n", "seconds of tasks", seconds);
}

Status bench::runGraph(Arguments &arguments) {
  if (arguments.words().size() != 1)
    return Status::error(StatusCode::InvalidArgument,
                         "graph: expected one kind of graph, but got " +
                             std::to_string(arguments.words().size()));
  GraphOptions options;
  TURNIP_RETURN_IF_ERROR(parseGraphKind(arguments.words()[0], options));
  TURNIP_RETURN_IF_ERROR(arguments.takeGraph(options));
  std::string print = "summary";
  arguments.take("print", print);
  TURNIP_RETURN_IF_ERROR(arguments.finish());
  if (print != "summary" && print != "task")
    return Status::error(StatusCode::InvalidArgument,
                         "--print: expected summary or task, but got \"" +
                             print + "\"");
  Expected<Problem> problem = makeGraph(options);
  if (!problem)
    return problem.status();
  if (print == "task")
    printTaskGraph(*problem, stdout);
  else
    printSummary(*problem);
  return Status::ok();
}
