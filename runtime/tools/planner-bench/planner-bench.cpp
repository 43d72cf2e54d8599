//===- planner-bench.cpp - How fast and how good plans are ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   planner-bench [shapes]   graphs with the shapes of real ones, several caps
//   planner-bench scale      planning and proving as graphs grow to 10^6 tasks
//   planner-bench proofs     placements that are hard to prove
//   planner-bench loads      plans as artifacts, loaded
//   planner-bench mutants    damaged plans
//   planner-bench graph KIND makes a graph and prints it
//   planner-bench bounds     prints small problems and their bounds
//   planner-bench judge KIND plans a graph and compares with bounds
//
// Exit codes: 0 ok, 1 an error, 2 usage.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

using namespace turnip;
using namespace turnip::planner::bench;

namespace {
struct Command {
  const char *name;
  Status (*run)(Arguments &);
  const char *help;
};
} // namespace

static constexpr Command commands[] = {
    {"shapes", runShapes, "plans of graphs with the shapes of real ones"},
    {"scale", runScale,
     "[KIND...] --vertices=N --plan-effort=N: time and memory by size"},
    {"proofs", runProofs, "[KIND...] --vertices=N: proofs of hard placements"},
    {"loads", runLoads, "[KIND...] --vertices=N: plans as artifacts, loaded"},
    {"mutants", runMutants,
     "[KIND...] --vertices=N --samples=N: proofs of damaged plans"},
    {"graph", runGraph,
     "KIND --vertices=N --devices=N --seed=N --print=summary|task"},
    {"bounds", runBounds, "--cases=N: small problems and bounds as JSON"},
    {"judge", runJudge,
     "KIND|FILE.memgraph --memory=SIZE|--c=X --policies=A,B --jitters=0,0.5"},
};

static int usage() {
  std::fprintf(stderr, "usage: planner-bench [command] [options]\n");
  for (const Command &command : commands)
    std::fprintf(stderr, "  %-10s %s\n", command.name, command.help);
  return 2;
}

int main(int argc, char **argv) {
  std::string name = argc > 1 ? argv[1] : commands[0].name;
  for (const Command &command : commands) {
    if (name != command.name)
      continue;
    Arguments arguments(argc > 2 ? argc - 2 : 0, argv + 2);
    Status status = command.run(arguments);
    if (status && (std::fflush(stdout) != 0 || std::ferror(stdout)))
      status = Status::error(StatusCode::Io, "cannot write to stdout");
    if (status)
      return 0;
    std::fprintf(stderr, "planner-bench: %s: %s\n", command.name,
                 status.message().c_str());
    return status.code() == StatusCode::InvalidArgument ? 2 : 1;
  }
  return usage();
}
