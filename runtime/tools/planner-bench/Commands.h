//===- Commands.h - What planner-bench can do -------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TOOLS_PLANNERBENCH_COMMANDS_H
#define TURNIP_TOOLS_PLANNERBENCH_COMMANDS_H

#include "Graphs.h"

#include <string>
#include <vector>

namespace turnip::planner::bench {

/// The arguments behind a command: `--name=value` or `--name`, the rest as is.
class Arguments {
public:
  Arguments(int count, const char *const *values);
  /// Options by name.
  explicit Arguments(std::vector<std::pair<std::string, std::string>> options)
      : options(std::move(options)) {}

  /// What does not start with "--".
  const std::vector<std::string> &words() const { return plain; }
  /// Takes option \p name out, if it is there; empty for `--name`.
  bool take(const std::string &name, std::string &value);
  /// As above, for a number from \p least to \p most, or a size in bytes.
  /// Errors: InvalidArgument for anything else.
  Status takeNumber(const std::string &name, uint64_t least, uint64_t most,
                    uint64_t &value);
  Status takeReal(const std::string &name, double least, double most,
                  double &value);
  Status takeBytes(const std::string &name, uint64_t &value);
  /// Takes all options of a graph out: `--vertices=`, `--devices=`, `--seed=`,
  /// `--tile=`, `--intensity=`, `--sequence=`, `--layers=`, `--tile-budget=`,
  /// `--fused-attention`.
  Status takeGraph(GraphOptions &options);
  /// InvalidArgument, naming it, if any option is left.
  Status finish() const;

private:
  std::vector<std::string> plain;
  std::vector<std::pair<std::string, std::string>> options;
};

/// Each prints its table on stdout. Errors: InvalidArgument for its arguments,
/// and whatever planning says.
/// Planning times and quality on graphs with the shapes of real ones.
Status runShapes(Arguments &arguments);
/// Planning and proving times and memory of graphs in two sizes.
Status runScale(Arguments &arguments);
/// Proving times of placements that are hard to prove.
Status runProofs(Arguments &arguments);
/// Loading times of plans as artifacts.
Status runLoads(Arguments &arguments);
/// Damages plans in every way and expects the proof to refuse them.
Status runMutants(Arguments &arguments);
/// Prints a graph: `graph KIND --print=summary|task`.
Status runGraph(Arguments &arguments);
/// Prints small problems with their bounds: `bounds --cases=N`.
Status runBounds(Arguments &arguments);
/// Plans a graph and prints a JSON object per plan: `judge KIND|FILE.memgraph`
/// with `--memory=SIZE` or `--c=X`, `--policies=A,B`, `--effort=N`,
/// `--order=A`, `--horizon=X`,
/// `--jitters=0,0.2`, `--rounds=N`, `--strict`, `--trace=PREFIX`, and the
/// options of the graph.
Status runJudge(Arguments &arguments);

} // namespace turnip::planner::bench

#endif // TURNIP_TOOLS_PLANNERBENCH_COMMANDS_H
