//===- JudgeCommand.cpp - Plans against bounds ----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans one graph with each of several policies and prints one JSON object per
// plan: what it copies and how long it takes, next to what no plan can beat.
// utils/benchmarks/planner.py makes tables of them.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Simulation.h"

#include "turnip/artifact/Artifact.h"
#include "turnip/planner/Bounds.h"
#include "turnip/runtime/Replan.h"
#include "turnip/support/Json.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::bench;

namespace {
/// What to judge.
struct JudgeOptions {
  GraphOptions graph;
  std::string kind;
  /// Of an artifact: the entry; empty: the only one, or else "main".
  std::string entry;
  /// Bytes of each device's memory; nothing: \p share of the largest task.
  std::optional<uint64_t> memory;
  double share = 2;
  std::vector<Policy> policies;
  PlanOptions plan;
  /// Simulate with each jitter, this many times.
  std::vector<double> jitters;
  uint64_t rounds = 3;
  bool strict = false;
  std::string trace;
};

/// One object of JSON on one line.
class Line {
public:
  Line() { out.beginObject(); }
  void text(const char *name, const std::string &value) {
    out.member(name, std::string_view(value));
  }
  void number(const char *name, double value) { out.member(name, value); }
  void numbers(const std::string &name, const std::vector<double> &values) {
    out.name(name).beginArray();
    for (double value : values)
      out.value(value);
    out.endArray();
  }
  void print() {
    out.endObject();
    std::printf("%s\n", out.text().c_str());
    std::fflush(stdout);
  }

private:
  json::Writer out;
};

class Judge {
public:
  Judge(const Problem &problem, const JudgeOptions &options)
      : problem(problem), options(options) {}
  Status run();

private:
  Status judge(Policy policy);
  void addTraffic(const Plan &plan, Line &line);
  Status simulate(const Plan &plan, Line &line);

  const Problem &problem;
  const JudgeOptions &options;
  TrafficBounds anyOrder;
  MakespanBounds time;
};
} // namespace

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

void Judge::addTraffic(const Plan &plan, Line &line) {
  const Statistics &figures = plan.statistics;
  std::vector<uint32_t> order = taskOrder(problem, plan);
  TrafficBounds bounds = boundTraffic(problem, order);
  line.number("in",
              static_cast<double>(figures.loadBytes + figures.reloadBytes));
  line.number("in_bound", bounds.totalIncoming());
  line.number("in_any_order", anyOrder.totalIncoming());
  line.number("out",
              static_cast<double>(figures.offloadBytes + figures.resultBytes));
  line.number("out_bound", bounds.totalOutgoing());
  line.number("out_any_order", anyOrder.totalOutgoing());
  line.number("both_bound", boundTogether(problem, order));
  line.number("offloaded", static_cast<double>(figures.offloadBytes));
  line.number("moved", static_cast<double>(figures.moveBytes));
  line.number("repeated", static_cast<double>(figures.repeats));
  line.number("repeat_seconds", figures.repeatSeconds);
  line.number("transferred", static_cast<double>(figures.transferBytes));
  line.number("time_bound_any_order", time.best());
  line.number("time_bound", boundMakespanOfOrder(problem, bounds, time));
  line.number("compute", time.compute);
  line.number("channels", time.channels);
  line.number("critical_path", time.criticalPath);
  line.number("sequence", time.sequence);
  line.number("windows", time.windows);
}

Status Judge::simulate(const Plan &plan, Line &line) {
  using Policy = runtime::Schedule::Policy;
  Simulation simulation(problem, plan);
  // Follows the order in which a run without jitter started operations.
  Simulation followed(problem, plan);
  if (!options.jitters.empty()) {
    Expected<double> reference = followed.run(Policy::Dynamic, 0, 0);
    if (!reference)
      return reference.status();
    followed.adoptLastOrder();
  }
  for (double jitter : options.jitters) {
    std::string suffix = std::to_string(std::lround(jitter * 100));
    std::vector<double> dynamic, fixed, replayed, busiest;
    for (uint64_t seed = 0; seed < (jitter == 0 ? 1 : options.rounds); ++seed)
      for (auto [runs, of, policy] :
           {std::tuple(&dynamic, &simulation, Policy::Dynamic),
            std::tuple(&fixed, &simulation, Policy::Fixed),
            std::tuple(&replayed, &followed, Policy::Fixed)}) {
        Expected<double> seconds = of->run(policy, jitter, seed);
        if (!seconds)
          return seconds.status();
        runs->push_back(*seconds);
        if (runs == &dynamic)
          busiest.push_back(of->busiestShare());
      }
    line.numbers("dynamic_" + suffix, dynamic);
    line.numbers("fixed_" + suffix, fixed);
    line.numbers("followed_" + suffix, replayed);
    line.numbers("busiest_" + suffix, busiest);
  }
  if (options.trace.empty())
    return Status::ok();
  double jitter = options.jitters.empty() ? 0 : options.jitters.back();
  for (auto [name, of, policy] :
       {std::tuple("dynamic", &simulation, Policy::Dynamic),
        std::tuple("followed", &followed, Policy::Fixed),
        std::tuple("fixed", &simulation, Policy::Fixed)}) {
    Expected<double> seconds = of->run(policy, jitter, 0);
    if (!seconds)
      return seconds.status();
    std::string path = options.trace + "." + name + ".json";
    std::ofstream file(path);
    file << of->trace();
    if (!file.flush())
      return Status::error(StatusCode::Io, "cannot write \"" + path + "\"");
  }
  return Status::ok();
}

Status Judge::judge(Policy policy) {
  PlanOptions planOptions = options.plan;
  planOptions.policy = policy;
  auto start = std::chrono::steady_clock::now();
  Expected<Plan> plan = planner::plan(problem, planOptions);
  double seconds = secondsSince(start);
  if (!plan)
    return plan.status().withContext(toString(policy));
  TURNIP_RETURN_IF_ERROR(plan->verify(problem).withContext(toString(policy)));
  Line line;
  uint64_t capacity = 0;
  for (const Memory &memory : problem.memories)
    if (memory.kind == MemoryKind::Device)
      capacity = memory.capacity;
  line.text("graph", options.kind);
  line.number("devices", options.graph.devices);
  line.number("seed", static_cast<double>(options.graph.seed));
  line.number("tasks", static_cast<double>(problem.tasks.size()));
  line.number("memory", static_cast<double>(capacity));
  line.number("c", static_cast<double>(capacity) /
                       static_cast<double>(largestTask(problem)));
  line.text("policy", toString(policy));
  line.number("effort", planOptions.effort);
  line.text("order", plan->statistics.order);
  line.number("horizon", plan->statistics.horizon);
  line.number("operations", plan->placement.numOps());
  line.number("edges", static_cast<double>(plan->placement.edges.size()));
  line.number("plan_seconds", seconds);
  line.number("predicted", plan->statistics.predictedMakespan);
  addTraffic(*plan, line);
  if (options.strict) {
    std::vector<uint32_t> order = taskOrder(problem, *plan);
    MakespanOptions inOrder;
    inOrder.deviceOrder = &order;
    line.number("time_bound_in_order", boundMakespan(problem, inOrder).best());
  }
  TURNIP_RETURN_IF_ERROR(simulate(*plan, line));
  line.print();
  return Status::ok();
}

Status Judge::run() {
  anyOrder = boundTraffic(problem);
  time = boundMakespan(problem);
  for (Policy policy : options.policies)
    TURNIP_RETURN_IF_ERROR(judge(policy));
  return Status::ok();
}

/// The words between commas.
static std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');)
    words.push_back(word);
  return words;
}

static bool isArtifact(const std::string &kind) {
  const std::string ending = ".memgraph";
  return kind.size() > ending.size() &&
         kind.compare(kind.size() - ending.size(), ending.size(), ending) == 0;
}

/// The graph that an artifact keeps beside its plan, or a generated one.
static Expected<Problem> makeProblem(JudgeOptions &options) {
  if (!isArtifact(options.kind))
    return makeGraph(options.graph);
  Expected<artifact::Module> module = artifact::loadFile(options.kind);
  if (!module)
    return module.status();
  Expected<const artifact::Entry *> entry =
      artifact::findEntry(*module, options.entry);
  if (!entry)
    return entry.status();
  options.graph.devices = 0;
  for (const artifact::Device &device : module->machine.devices)
    options.graph.devices += device.kind == artifact::DeviceKind::Accelerator;
  Expected<Problem> problem = runtime::problemOf(*module, **entry);
  // Policies to compare with may need more of it than the plan there is.
  if (problem)
    for (Memory &memory : problem->memories)
      if (memory.kind == MemoryKind::Host)
        memory.capacity = uint64_t(1) << 58;
  return problem;
}

static Status readOrder(const std::string &name, OrderKind &order) {
  std::string known;
  for (OrderKind kind : {OrderKind::Best, OrderKind::Given,
                         OrderKind::DepthFirst, OrderKind::MemoryAware,
                         OrderKind::CriticalPath, OrderKind::Scheduled}) {
    if (name == toString(kind)) {
      order = kind;
      return Status::ok();
    }
    known += known.empty() ? "" : ", ";
    known += toString(kind);
  }
  return Status::error(StatusCode::InvalidArgument,
                       "--order: expected one of " + known + ", but got \"" +
                           name + "\"");
}

static Status takeMemory(Arguments &arguments,
                         std::optional<uint64_t> &memory) {
  constexpr uint64_t notGiven = UINT64_MAX;
  uint64_t bytes = notGiven;
  TURNIP_RETURN_IF_ERROR(arguments.takeBytes("memory", bytes));
  if (bytes == 0)
    return Status::error(StatusCode::InvalidArgument,
                         "--memory: expected at least 1 byte, but got 0");
  if (bytes != notGiven)
    memory = bytes;
  return Status::ok();
}

static Status takePolicies(Arguments &arguments,
                           std::vector<Policy> &policies) {
  std::string text = toString(Policy::Default);
  arguments.take("policies", text);
  std::vector<std::string> words = split(text);
  // No policy at all is one without a name.
  if (words.empty())
    words.emplace_back();
  for (const std::string &word : words) {
    Expected<Policy> policy = parsePolicy(word);
    if (!policy)
      return policy.status().withContext("--policies");
    policies.push_back(*policy);
  }
  return Status::ok();
}

static Status readOptions(Arguments &arguments, JudgeOptions &options) {
  if (arguments.words().size() != 1)
    return Status::error(StatusCode::InvalidArgument,
                         "expected one kind of graph, but got " +
                             std::to_string(arguments.words().size()));
  options.kind = arguments.words()[0];
  if (!isArtifact(options.kind))
    TURNIP_RETURN_IF_ERROR(parseGraphKind(options.kind, options.graph));
  arguments.take("entry", options.entry);
  TURNIP_RETURN_IF_ERROR(arguments.takeGraph(options.graph));
  TURNIP_RETURN_IF_ERROR(takeMemory(arguments, options.memory));
  TURNIP_RETURN_IF_ERROR(arguments.takeReal("c", 1, 1e9, options.share));
  TURNIP_RETURN_IF_ERROR(
      arguments.takeNumber("rounds", 1, 1000, options.rounds));
  uint64_t effort = options.plan.effort;
  TURNIP_RETURN_IF_ERROR(arguments.takeNumber("effort", 0, maxEffort, effort));
  options.plan.effort = static_cast<uint32_t>(effort);
  uint64_t rematerialize = options.plan.rematerialize;
  TURNIP_RETURN_IF_ERROR(
      arguments.takeNumber("rematerialize", 0, 1, rematerialize));
  options.plan.rematerialize = rematerialize != 0;
  TURNIP_RETURN_IF_ERROR(
      arguments.takeReal("horizon", 0, 1e6, options.plan.horizon));
  std::string order = toString(options.plan.order);
  arguments.take("order", order);
  TURNIP_RETURN_IF_ERROR(readOrder(order, options.plan.order));
  TURNIP_RETURN_IF_ERROR(takePolicies(arguments, options.policies));
  std::string jitters, ignored;
  arguments.take("jitters", jitters);
  for (const std::string &word : split(jitters)) {
    Arguments one({{"jitters", word}});
    double jitter = 0;
    TURNIP_RETURN_IF_ERROR(one.takeReal("jitters", 0, 1, jitter));
    options.jitters.push_back(jitter);
  }
  options.strict = arguments.take("strict", ignored);
  arguments.take("trace", options.trace);
  return arguments.finish();
}

Status bench::runJudge(Arguments &arguments) {
  JudgeOptions options;
  TURNIP_RETURN_IF_ERROR(readOptions(arguments, options));
  Expected<Problem> problem = makeProblem(options);
  if (!problem)
    return problem.status();
  double needed = static_cast<double>(largestTask(*problem));
  setCapacity(*problem, options.memory.value_or(
                            static_cast<uint64_t>(options.share * needed)));
  return Judge(*problem, options).run();
}
