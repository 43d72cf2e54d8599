//===- ProofCommands.cpp - What the proof takes, and what it refuses ------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `proofs` proves right placements that are hard to prove, and broken ones.
// `mutants` damages plans in every way there is and expects each mutant to be
// refused, or, where only an edge is gone, a plain search to find its order
// without it.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "HardPlacements.h"
#include "Mutator.h"
#include "Oversubscribe.h"
#include "Usage.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::bench;
using turnip::planner::test::Mutation;
using turnip::planner::test::Mutator;
using turnip::planner::test::numMutations;

static Status wrong(std::string what) {
  return Status::error(StatusCode::Internal, std::move(what));
}

//===----------------------------------------------------------------------===//
// proofs
//===----------------------------------------------------------------------===//

/// The longest time that a broken placement took to be refused.
static Status refuseBroken(const Placement &placement, uint64_t seed,
                           double &seconds) {
  constexpr unsigned repeats = 3;
  for (unsigned i = 0; i < repeats; ++i) {
    Placement broken = placement;
    breakHard(broken, seed + i);
    Usage usage;
    Status proof = verifyPlacement(broken);
    usage.stop();
    if (proof)
      return wrong("a broken placement was accepted");
    seconds = std::max(seconds, usage.seconds());
  }
  return Status::ok();
}

static Status reportHard(HardKind kind, uint32_t numOps, uint64_t seed) {
  Placement placement = makeHard(kind, numOps, seed);
  Usage usage;
  Status proof = verifyPlacement(placement);
  usage.stop();
  if (!proof)
    return proof.withContext(toString(kind));
  double refusal = 0;
  TURNIP_RETURN_IF_ERROR(
      refuseBroken(placement, seed, refusal).withContext(toString(kind)));
  double ops = placement.numOps();
  std::printf("%-10s %9.0f %5.2f %8.2f %7.0f %6.0f %10.2f\n", toString(kind),
              ops, static_cast<double>(placement.edges.size()) / ops,
              usage.seconds(), usage.seconds() / ops * 1e9, usage.mebibytes(),
              refusal);
  std::fflush(stdout);
  return Status::ok();
}

Status bench::runProofs(Arguments &arguments) {
  uint64_t vertices = 1000000, seed = 1;
  TURNIP_RETURN_IF_ERROR(
      arguments.takeNumber("vertices", 640, 100000000, vertices));
  TURNIP_RETURN_IF_ERROR(arguments.takeNumber("seed", 0, INT64_MAX / 10, seed));
  TURNIP_RETURN_IF_ERROR(arguments.finish());
  std::vector<HardKind> kinds;
  for (const std::string &word : arguments.words()) {
    const auto *found =
        std::find_if(std::begin(hardKinds), std::end(hardKinds),
                     [&](HardKind kind) { return word == toString(kind); });
    if (found == std::end(hardKinds))
      return Status::error(StatusCode::InvalidArgument,
                           "unknown kind of placement \"" + word +
                               "\"; known are chain, ladder, crowd, butterfly, "
                               "layers, random");
    kinds.push_back(*found);
  }
  if (kinds.empty())
    kinds.assign(std::begin(hardKinds), std::end(hardKinds));
  std::printf("%-10s %9s %5s %8s %7s %6s %10s\n", "placement", "ops", "e/op",
              "prove s", "ns/op", "MiB", "refuse s");
  for (HardKind kind : kinds)
    for (uint64_t divisor : {10, 1})
      TURNIP_RETURN_IF_ERROR(
          reportHard(kind, static_cast<uint32_t>(vertices / divisor), seed));
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// mutants
//===----------------------------------------------------------------------===//

static Status reportMutants(const std::string &graph, Mutation kind,
                            const Problem &problem, const Plan &original,
                            uint64_t seed, unsigned samples) {
  Mutator mutator(original, seed);
  unsigned mutants = 0, refused = 0, harmless = 0;
  double most = 0, sum = 0;
  Plan mutant;
  for (unsigned i = 0; i < samples; ++i) {
    if (!mutator.apply(kind, mutant))
      continue;
    ++mutants;
    Usage usage;
    Status proof = mutant.verify(problem);
    usage.stop();
    sum += usage.seconds();
    most = std::max(most, usage.seconds());
    if (!proof) {
      ++refused;
      continue;
    }
    if (mutator.removedEdge().to == None ||
        !test::ordersWithout(mutant.placement, mutator.removedEdge()))
      return wrong(graph + ": a mutant of kind " + test::toString(kind) +
                   " was accepted");
    ++harmless;
  }
  if (mutants == 0)
    return Status::ok();
  std::printf("%-10s %9u %-16s %7u %7u %8u %8.2f %8.2f\n", graph.c_str(),
              original.placement.numOps(), test::toString(kind), mutants,
              refused, harmless, sum / mutants, most);
  std::fflush(stdout);
  return Status::ok();
}

static Status mutateGraph(const std::string &kind, GraphOptions options,
                          const PlanOptions &planOptions, double share,
                          unsigned samples) {
  TURNIP_RETURN_IF_ERROR(parseGraphKind(kind, options));
  Expected<Problem> problem = makeGraph(options);
  if (!problem)
    return problem.status();
  oversubscribe(*problem, share);
  Expected<Plan> original = plan(*problem, planOptions);
  if (!original)
    return original.status();
  TURNIP_RETURN_IF_ERROR(original->verify(*problem));
  for (size_t i = 0; i < numMutations; ++i)
    TURNIP_RETURN_IF_ERROR(reportMutants(kind, static_cast<Mutation>(i),
                                         *problem, *original, options.seed,
                                         samples));
  return Status::ok();
}

Status bench::runMutants(Arguments &arguments) {
  GraphOptions graph;
  graph.vertices = 1000000;
  PlanOptions planOptions;
  uint64_t samples = 4, effort = 0;
  double share = 8;
  TURNIP_RETURN_IF_ERROR(arguments.takeGraph(graph));
  TURNIP_RETURN_IF_ERROR(arguments.takeNumber("samples", 1, 1000000, samples));
  TURNIP_RETURN_IF_ERROR(
      arguments.takeNumber("plan-effort", 0, maxEffort, effort));
  TURNIP_RETURN_IF_ERROR(
      arguments.takeReal("oversubscription", 0.01, 1e6, share));
  TURNIP_RETURN_IF_ERROR(arguments.finish());
  planOptions.effort = static_cast<uint32_t>(effort);
  std::vector<std::string> kinds = arguments.words();
  if (kinds.empty())
    kinds = {"training", "layered", "star", "butterfly", "skip-chain"};
  std::printf("%-10s %9s %-16s %7s %7s %8s %8s %8s\n", "graph", "ops",
              "mutation", "mutants", "refused", "harmless", "mean s", "most s");
  for (const std::string &kind : kinds)
    TURNIP_RETURN_IF_ERROR(mutateGraph(kind, graph, planOptions, share,
                                       static_cast<unsigned>(samples)));
  return Status::ok();
}
