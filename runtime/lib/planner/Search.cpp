//===- Search.cpp - The best of several plans -----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search.h"
#include "Edges.h"
#include "Estimate.h"
#include "OrderSearch.h"
#include "Orders.h"
#include "Placer.h"
#include "Recompute.h"
#include "Schedule.h"
#include "turnip/planner/Bounds.h"
#include "turnip/support/ByteSize.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <random>

using namespace turnip;
using namespace turnip::planner;

/// The first host memory that \p placer used beyond its capacity, or None.
static uint32_t overfull(const Problem &problem, const Placer &placer) {
  for (uint32_t i = 0; i < problem.memories.size(); ++i)
    if (problem.memories[i].kind == MemoryKind::Host &&
        placer.peak(i) > problem.memories[i].capacity)
      return i;
  return None;
}

static PlacerRules rulesOf(Policy policy) {
  PlacerRules rules;
  switch (policy) {
  case Policy::Default:
    break;
  case Policy::Original:
    rules.tasksAhead = 64;
    rules.victims = PlacerRules::Victims::Farthest;
    rules.inPlace = false;
    rules.inherit = false;
    rules.forgetCopies = true;
    rules.firstFit = true;
    break;
  case Policy::LRU:
    rules.victims = PlacerRules::Victims::LeastRecent;
    rules.inherit = false;
    rules.onDemand = true;
    break;
  case Policy::LayerWise:
    rules.layers = true;
    rules.victims = PlacerRules::Victims::LeastRecent;
    rules.inherit = false;
    rules.onDemand = true;
    break;
  case Policy::NoPrefetch:
    rules.onDemand = true;
    break;
  }
  return rules;
}

namespace {
/// An order of tasks to place them in, and what it is called.
struct NamedOrder {
  std::vector<uint32_t> tasks;
  std::string name;
  /// The bytes that no plan with this order can avoid loading; negative while
  /// nobody has asked.
  double incoming = -1;
};

/// Tries plans and keeps the best.
class Search {
public:
  Search(const Problem &problem, const PlanOptions &options)
      : problem(problem), options(options), machine(problem),
        values(valuesOfTiles(problem)), random(options.seed) {}

  Expected<Plan> run();

private:
  Expected<Plan> place(const NamedOrder &order, PlacerRules rules) const;
  std::optional<double> attempt(const NamedOrder &order,
                                const PlacerRules &rules);
  double copySeconds(const Plan &plan) const;
  double bytesBrought(const Plan &plan) const;
  bool isBetter(const Statistics &next) const;

  size_t numAccesses() const;
  size_t usualAttempts() const;
  size_t attemptsByChance() const;
  size_t attemptsToRepeat() const;
  size_t movesOfOrder() const;
  double draw(double low, double high);
  void redraw(PlacerRules &rules, uint64_t odds);
  void searchOrders();
  NamedOrder order(OrderKind kind) const;
  NamedOrder scheduled(const NamedOrder &base,
                       const ScheduleRules &rules) const;
  void listOrders(size_t count);
  void sortOrders(size_t first);
  void addOrder(NamedOrder next);
  bool replan();
  void searchUsual(size_t count);
  void searchFarther(size_t count);
  bool paysToRepeat() const;
  void searchRepeats(size_t count);

  const Problem &problem;
  const PlanOptions &options;
  Machine machine;
  std::vector<uint32_t> values;
  std::mt19937_64 random;

  std::vector<NamedOrder> orders;
  Expected<Plan> best = Status::error(StatusCode::Internal, "no attempt");
  /// The predicted makespan of the one plan that an effort of 0 makes.
  double single = std::numeric_limits<double>::infinity();
  /// The least predicted makespan of all attempts.
  double soonest = std::numeric_limits<double>::infinity();
  /// The order and the rules of that attempt, from which chance starts.
  NamedOrder soonestOrder;
  PlacerRules soonestRules;
  /// Whether the attempts of an effort of 1 are over.
  bool goesFarther = false;
  /// Whether tiles may be computed again, now that that looks worthwhile.
  bool repeats = false;
  NamedOrder bestOrder;
  PlacerRules bestRules;
  size_t attempts = 0;
};
} // namespace

/// The share of the memory to run ahead by when orders are compared.
static constexpr double firstHorizon = 0.7;
/// One that runs ahead little.
static constexpr double nearHorizon = 0.1;

/// Rules to try with an order that did well.
static std::vector<PlacerRules> variants() {
  std::vector<PlacerRules> list;
  auto add = [&](double horizon, double moveCost = 0,
                 double dirtyCost = 2) -> PlacerRules & {
    PlacerRules rules;
    rules.moveCost = moveCost;
    rules.dirtyCost = dirtyCost;
    rules.horizon = horizon;
    list.push_back(rules);
    return list.back();
  };
  auto timed = [&](double horizon, double lead, double patience,
                   double moveCost = 0) -> PlacerRules & {
    PlacerRules &rules = add(horizon, moveCost);
    rules.lead = lead;
    rules.patience = patience;
    return rules;
  };
  timed(0.25, 0, 10, 0.25);
  timed(1.4, 0, 10, 0.25);
  add(0.5);
  timed(1.4, 0, 4, 0.25);
  timed(0.15, 0, 20, 0.25).dirtyCost = 3;
  timed(0.5, 0.1, 10, 0.25);
  add(0.3).inherit = false;
  add(0.7, 0.25);
  timed(1.4, 0, 20, 0.25);
  timed(0.25, 0, 10, 0.25).dirtyCost = 3;
  add(0.3, 0, 1).distanceExponent = 2;
  add(1);
  timed(1.4, 0.1, 10);
  timed(0.35, 0, 20, 0.25);
  add(0.15);
  timed(1.4, 0, 0);
  timed(0.3, 0, 10);
  add(2);
  return list;
}

/// Places the tasks; when that takes more host memory than there is, again
/// with less of it.
Expected<Plan> Search::place(const NamedOrder &order, PlacerRules rules) const {
  rules.inPlace &= options.inPlace;
  for (bool frugal : {false, true}) {
    Plan plan;
    Placer placer(problem, machine, values, order.tasks, rules);
    TURNIP_RETURN_IF_ERROR(placer.run(plan, frugal));
    uint32_t full = overfull(problem, placer);
    if (full != None && !frugal)
      continue;
    if (full != None)
      return Status::error(
          StatusCode::DoesNotFit,
          "memory \"" + problem.memories[full].name + "\" needs " +
              formatExactBytes(placer.peak(full)) + ", but has " +
              formatExactBytes(problem.memories[full].capacity));
    for (uint32_t i = 0; i < problem.memories.size(); ++i)
      plan.statistics.peakBytes.push_back(placer.peak(i));
    return plan;
  }
  return Status::error(StatusCode::Internal, "no attempt to place was made");
}

/// Bytes that loads and reloads bring to devices.
double Search::bytesBrought(const Plan &plan) const {
  double bytes = 0;
  for (uint32_t op = 0; op < plan.placement.numOps(); ++op)
    if (plan.ops[op].role == CopyRole::Load ||
        plan.ops[op].role == CopyRole::Reload)
      bytes += static_cast<double>(plan.placement.accessesOf(op)[0].bytes);
  return bytes;
}

/// Seconds that all copies take, one after the other.
double Search::copySeconds(const Plan &plan) const {
  double seconds = 0;
  for (uint32_t op = 0; op < plan.placement.numOps(); ++op) {
    if (plan.placement.kinds[op] != OpKind::Copy)
      continue;
    ArrayView<Access> accesses = plan.placement.accessesOf(op);
    seconds += machine.copySeconds(accesses[0].memory, accesses[1].memory,
                                   accesses[0].bytes);
  }
  return seconds;
}

/// Whether a plan is better than the best so far. With usual effort, of the
/// plans that hardly differ from the soonest of all and are no later than the
/// only one of an effort of 0, a share of the time that copies take counts as
/// well. Beyond, the predicted makespan never rises, and copies only where it
/// falls by more than next to nothing.
bool Search::isBetter(const Statistics &next) const {
  constexpr double copyShare = 0.5, slack = 1.03, margin = 0.999;
  if (!best)
    return true;
  const Statistics &last = best->statistics;
  double now = next.predictedMakespan, before = last.predictedMakespan;
  if (goesFarther)
    return now < margin * before ||
           (now <= before && next.copySeconds < last.copySeconds);
  if (before > slack * soonest)
    return now < before;
  return now <= std::min(slack * soonest, single) &&
         now + copyShare * next.copySeconds <
             before + copyShare * last.copySeconds;
}

/// Makes a plan, keeps it if it is the best, and returns its predicted seconds.
std::optional<double> Search::attempt(const NamedOrder &order,
                                      const PlacerRules &rules) {
  Expected<Plan> next = place(order, rules);
  ++attempts;
  if (!next) {
    // The first failure is reported when every attempt fails.
    if (attempts == 1)
      best = std::move(next);
    return std::nullopt;
  }
  addEdges(*next);
  if (options.pruneEdges)
    pruneEdges(*next);
  double seconds = predictMakespan(problem, machine, *next);
  next->statistics.order = order.name;
  next->statistics.horizon = rules.horizon;
  next->statistics.predictedMakespan = seconds;
  next->statistics.copySeconds = copySeconds(*next);
  if (attempts == 1)
    single = seconds;
  if (seconds < soonest) {
    soonest = seconds;
    soonestOrder = order;
    soonestRules = rules;
  }
  if (!isBetter(next->statistics))
    return seconds;
  best = std::move(next);
  bestOrder = order;
  bestRules = rules;
  return seconds;
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

NamedOrder Search::order(OrderKind kind) const {
  return {orderTasks(problem, machine, kind), toString(kind)};
}

NamedOrder Search::scheduled(const NamedOrder &base,
                             const ScheduleRules &rules) const {
  return {scheduleTasks(problem, machine, base.tasks, rules),
          toString(OrderKind::Scheduled)};
}

void Search::addOrder(NamedOrder next) {
  for (const NamedOrder &other : orders)
    if (other.tasks == next.tasks)
      return;
  orders.push_back(std::move(next));
}

/// Sorts the orders from \p first on by the bytes that they have to load.
void Search::sortOrders(size_t first) {
  for (NamedOrder &order : orders)
    if (order.incoming < 0)
      order.incoming = boundIncoming(problem, order.tasks);
  // Few, so insertion will do; it keeps equal ones as they are.
  for (size_t i = first + 1; i < orders.size(); ++i)
    for (size_t j = i; j > first && orders[j].incoming < orders[j - 1].incoming;
         --j)
      std::swap(orders[j], orders[j - 1]);
}

/// Lists the orders that the policy tries in \p count plans: the one that an
/// effort of 0 would take, then those that have to load the fewest bytes.
void Search::listOrders(size_t count) {
  if (options.order != OrderKind::Best)
    return addOrder(order(options.order));
  if (options.policy == Policy::Original)
    return addOrder(order(OrderKind::DepthFirst));
  NamedOrder given = order(OrderKind::Given);
  addOrder(given);
  if (options.policy == Policy::LRU || options.policy == Policy::LayerWise)
    return;
  // What did well most often first.
  static constexpr ScheduleRules nearGiven[] = {
      {0.9, 0.05, 0, 256},   {0.9, 0.4, 0, 256}, {0.9, 0.05, 0, 64},
      {0.9, 0.2, 0, None},   {0.7, 0.4, 0, 128}, {0.63, 0.52, 0, 1024},
      {0.9, 0.4, 0, 1024},   {0.9, 0.4, 0, 64},  {0.73, 0.46, 0, 4096},
      {0.61, 0.34, 0, 4096}, {0.9, 0.3, 0, 16}};
  static constexpr ScheduleRules nearDepthFirst[] = {{0.9, 0.05, 0, 1024},
                                                     {0.9, 0.2, 0, None}};
  addOrder(scheduled(given, nearGiven[0]));
  // Where an operation's tiles are many times the memory, nothing else will do.
  NamedOrder depthFirst = order(OrderKind::DepthFirst);
  addOrder(depthFirst);
  sortOrders(0);
  if (count > 2) {
    addOrder(scheduled(given, nearGiven[1]));
    if (count > 4) {
      addOrder(order(OrderKind::CriticalPath));
      addOrder(order(OrderKind::MemoryAware));
      for (size_t i = 2; i < std::size(nearGiven); ++i)
        addOrder(scheduled(given, nearGiven[i]));
      for (const ScheduleRules &rules : nearDepthFirst)
        addOrder(scheduled(depthFirst, rules));
    }
  }
  sortOrders(1);
}

/// Tries the order in which the best plan is predicted to run its tasks, unless
/// the caller chose one.
bool Search::replan() {
  if (options.order != OrderKind::Best)
    return false;
  std::vector<double> starts;
  predictMakespan(problem, machine, *best, &starts);
  std::vector<double> startOf(problem.tasks.size(), 0);
  // What is carried out again does not count.
  for (uint32_t op = best->placement.numOps(); op-- > 0;)
    if (best->ops[op].task != None)
      startOf[best->ops[op].task] = starts[op];
  // A value may come back from the host without waiting for the transfer that
  // brought it first; the order is one of tasks nevertheless.
  std::vector<double> madeAt(problem.tiles.size(), 0);
  std::vector<uint32_t> position(problem.tasks.size(), 0);
  for (uint32_t index = 0; index < bestOrder.tasks.size(); ++index) {
    uint32_t task = bestOrder.tasks[index];
    position[task] = index;
    for (uint32_t tile : problem.operands(task))
      startOf[task] = std::max(startOf[task], madeAt[tile]);
    for (uint32_t tile : problem.results(task))
      madeAt[tile] = startOf[task];
  }
  const std::string suffix = " as run";
  NamedOrder next{bestOrder.tasks, bestOrder.name};
  if (next.name.find(suffix) == std::string::npos)
    next.name += suffix;
  std::sort(next.tasks.begin(), next.tasks.end(), [&](uint32_t a, uint32_t b) {
    return startOf[a] != startOf[b] ? startOf[a] < startOf[b]
                                    : position[a] < position[b];
  });
  return next.tasks != bestOrder.tasks && attempt(next, PlacerRules(bestRules));
}

//===----------------------------------------------------------------------===//
// What is tried
//===----------------------------------------------------------------------===//

size_t Search::numAccesses() const {
  return problem.operandList.size() + problem.resultList.size() + 1;
}

/// How many plans an effort of 1 makes by rule: many of a small graph, two of
/// one with millions of operands and results.
size_t Search::usualAttempts() const {
  constexpr size_t most = 44, least = 2, accesses = 2000000;
  return std::min(most, std::max(least, accesses / numAccesses()));
}

/// How many more it makes by chance: of small graphs, where plans take little
/// time and few tiles in memory make them differ most.
size_t Search::attemptsByChance() const {
  constexpr size_t most = 88, accesses = 600000;
  return std::min(most, accesses / numAccesses());
}

/// How many more it makes that compute tiles again, where that looks
/// worthwhile: none of graphs for which that would take long.
size_t Search::attemptsToRepeat() const {
  constexpr size_t most = 20, accesses = 3500000, share = 4;
  size_t others = usualAttempts() + attemptsByChance();
  return numAccesses() > accesses
             ? 0
             : std::min(most, std::max<size_t>(1, others / share));
}

/// How many moves of tasks one search for an order that copies less tries.
size_t Search::movesOfOrder() const {
  constexpr size_t perTask = 3, accesses = 6000000;
  return std::min(perTask * problem.tasks.size(), accesses / numAccesses());
}

/// Makes up to \p count plans: of several orders, of the best two with other
/// horizons, of the best in the order it would run.
void Search::searchUsual(size_t count) {
  bool searches =
      options.policy == Policy::Default || options.policy == Policy::NoPrefetch;
  bool automatic = options.horizon < 0 && options.policy == Policy::Default;
  double horizon = options.policy != Policy::Default ? 0
                   : automatic                       ? firstHorizon
                                                     : options.horizon;
  PlacerRules rules = rulesOf(options.policy);
  // Of large graphs the first plan is the one that copies less: those that
  // follow may not be later than it, not even by a rounding error.
  bool fewAttempts = automatic && usualAttempts() <= 3;
  rules.horizon = fewAttempts ? nearHorizon : horizon;
  listOrders(count);
  if (!searches)
    orders.resize(1);
  std::vector<std::pair<double, size_t>> ranking;
  for (size_t i = 0; i < orders.size() && 2 * attempts < count; ++i)
    if (std::optional<double> seconds = attempt(orders[i], rules))
      ranking.emplace_back(*seconds, i);
  if (!best || !searches)
    return;
  // Where running ahead costs reloads that the order does not need, less of it
  // may do; graphs with few attempts have to find out at once.
  if (automatic && attempts < count &&
      (fewAttempts || (bestOrder.incoming > 0 &&
                       bytesBrought(*best) > 1.05 * bestOrder.incoming))) {
    PlacerRules other = rules;
    other.horizon = fewAttempts ? horizon : nearHorizon;
    attempt(NamedOrder(bestOrder), other);
  }
  auto replanOften = [&] {
    for (unsigned i = 0; i < 3 && attempts < count && replan(); ++i) {
    }
  };
  replanOften();
  if (!automatic)
    return;
  std::sort(ranking.begin(), ranking.end());
  std::vector<PlacerRules> list = variants();
  auto tryVariants = [&](const NamedOrder &order, size_t most) {
    for (size_t i = 0; i < most && attempts < count; ++i)
      attempt(order, list[i]);
  };
  tryVariants(NamedOrder(bestOrder), list.size());
  if (ranking.size() > 1)
    tryVariants(orders[ranking[1].second], 4);
  replanOften();
}

double Search::draw(double low, double high) {
  return low + (high - low) * static_cast<double>(random() % 1001) / 1000;
}

/// Draws each rule anew, or one of \p odds.
void Search::redraw(PlacerRules &rules, uint64_t odds) {
  auto below = [&](uint64_t bound) { return random() % bound; };
  auto share = [&](double low, double high) { return draw(low, high); };
  auto draws = [&] { return below(odds) == 0; };
  if (draws())
    rules.horizon = below(2) ? share(0.1, 1.5) : share(0.1, 0.4);
  if (draws())
    rules.lead = below(4) == 0 ? -1 : below(2) ? 0 : share(0, 0.3);
  if (draws())
    rules.patience = below(4) == 0 ? 0 : share(1, 30);
  if (draws())
    rules.dirtyCost = share(1, 4);
  if (draws())
    rules.distanceExponent = share(0.5, 2);
  if (draws())
    rules.recentCost = below(2) ? share(0, 4) : 0;
  if (draws())
    rules.guard = below(2) ? share(0, 1) : 0;
  if (draws())
    rules.inherit = below(4) != 0;
  if (draws())
    rules.moveCost = below(3) != 0 ? share(0.05, 0.5) : 0;
  if (repeats && draws())
    rules.recompute = below(3) != 0 ? share(0.1, 2) : 0;
}

/// Makes the order of the soonest plan copy less, again and again, each time
/// with the rules of that plan and others near them.
void Search::searchOrders() {
  constexpr unsigned times = 4, rulesPerOrder = 3;
  if (options.order != OrderKind::Best || attemptsByChance() == 0)
    return;
  bool fixed = options.horizon >= 0 || options.policy != Policy::Default;
  for (unsigned i = 0; i < times; ++i) {
    NamedOrder next{
        copyLess(problem, soonestOrder.tasks, movesOfOrder(), random),
        soonestOrder.name};
    if (next.tasks == soonestOrder.tasks)
      return;
    attempt(next, PlacerRules(soonestRules));
    for (unsigned j = 0; j < rulesPerOrder && !fixed; ++j) {
      PlacerRules rules = soonestRules;
      redraw(rules, 5);
      attempt(next, rules);
    }
  }
}

/// Makes \p count plans more, of what chance suggests.
void Search::searchFarther(size_t count) {
  auto below = [&](uint64_t bound) { return random() % bound; };
  auto share = [&](double low, double high) { return draw(low, high); };
  for (size_t end = attempts + count; attempts < end;) {
    PlacerRules rules = soonestRules;
    bool fixed = options.horizon >= 0 || options.policy != Policy::Default;
    uint64_t kind = below(5);
    if (kind < 2 && !fixed) {
      if (kind == 0)
        rules = bestRules;
      redraw(rules, 3);
      attempt(NamedOrder(kind == 0 ? bestOrder : soonestOrder), rules);
      continue;
    }
    if (options.order != OrderKind::Best) {
      if (fixed)
        return;
      continue;
    }
    ScheduleRules schedule;
    schedule.residentShare = share(0.6, 1);
    schedule.openShare = share(0, 0.6);
    schedule.window = below(8) == 0 ? None : uint32_t(8) << below(10);
    const NamedOrder &base =
        kind == 2 ? soonestOrder : orders[below(orders.size())];
    double before = best->statistics.predictedMakespan;
    attempt(scheduled(base, schedule), rules);
    if (best->statistics.predictedMakespan < before)
      replan();
  }
}

/// Whether the best plan writes back or reloads so much of what could be
/// computed again that trying that is worth its time.
bool Search::paysToRepeat() const {
  constexpr double leastShare = 0.02;
  std::vector<uint32_t> tasks = tasksToRepeat(problem);
  double seconds = 0;
  for (uint32_t op = 0; op < best->placement.numOps(); ++op) {
    CopyRole role = best->ops[op].role;
    const Access *access = best->placement.accessesOf(op).begin();
    if ((role == CopyRole::Offload || role == CopyRole::Reload) &&
        tasks[access->value] != None &&
        problem.tasks[tasks[access->value]].cost <
            machine.copySeconds(access[0].memory, access[1].memory,
                                access->bytes))
      seconds += machine.copySeconds(access[0].memory, access[1].memory,
                                     access->bytes);
  }
  return seconds > leastShare * best->statistics.copySeconds;
}

/// Makes up to \p count plans more that compute tiles again: as the best and
/// the soonest were made but for that, then by chance.
void Search::searchRepeats(size_t count) {
  static constexpr double prices[] = {0.5, 1, 0.25};
  repeats = true;
  size_t end = attempts + count;
  for (double price : prices)
    for (bool ofSoonest : {false, true}) {
      PlacerRules rules = ofSoonest ? soonestRules : bestRules;
      if (attempts == end || (ofSoonest && rules.recompute == price))
        continue;
      rules.recompute = price;
      attempt(NamedOrder(ofSoonest ? soonestOrder : bestOrder), rules);
    }
  if (attempts < end)
    searchFarther(end - attempts);
}

Expected<Plan> Search::run() {
  size_t usual = usualAttempts(), chance = attemptsByChance();
  searchUsual(options.effort == 0 ? 1 : usual);
  bool searches =
      options.policy == Policy::Default || options.policy == Policy::NoPrefetch;
  if (best && searches && options.effort > 0)
    searchFarther(chance);
  if (best && searches && options.effort > 0)
    searchOrders();
  if (best && options.rematerialize && options.effort > 0 &&
      options.policy == Policy::Default && attemptsToRepeat() != 0 &&
      paysToRepeat())
    searchRepeats(attemptsToRepeat());
  goesFarther = true;
  if (best && searches && options.effort > 1) {
    // It may have been passed over for one that copies less.
    if (soonest < best->statistics.predictedMakespan)
      attempt(NamedOrder(soonestOrder), PlacerRules(soonestRules));
    searchFarther((options.effort - 1) * (usual + chance));
  }
  if (!best)
    return std::move(best);
  if (options.pruneEdges)
    pruneFarEdges(*best);
  countCopies(problem, machine, *best);
  boundMakespan(problem, machine, best->statistics);
  bool isRepeated = best->statistics.repeats != 0;
  best->statistics.incomingBytesBound =
      bestOrder.incoming >= 0 && !isRepeated
          ? bestOrder.incoming
          : boundIncoming(problem, bestOrder.tasks, isRepeated);
  return std::move(best);
}

Expected<Plan> planner::searchPlan(const Problem &problem,
                                   const PlanOptions &options) {
  return Search(problem, options).run();
}
