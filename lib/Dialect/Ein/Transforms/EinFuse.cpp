//===- EinFuse.cpp - Fuses elementwise and normalisation chains -----------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionGroup.h"
#include "turnip/Dialect/Ein/Transforms/Passes.h"
#include "turnip/support/ByteSize.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <list>

namespace turnip::ein {
#define GEN_PASS_DEF_EINFUSE
#include "turnip/Dialect/Ein/Transforms/Passes.h.inc"
} // namespace turnip::ein

using namespace mlir;
using namespace turnip;
using namespace turnip::ein;

/// How often a contraction uses each element at least, see the pass.
static constexpr int64_t contractionReuse = 4;
/// How far apart, in operations, einsums may be to be fused.
static constexpr unsigned maxDistance = 4096;
/// How many einsums become one operation at most: kernels stay of a sensible
/// size, and time grows with the program's size only.
static constexpr size_t maxGroupSize = 256;

/// Whether an einsum has a kernel of its own.
static bool isContraction(EinsumOp op) {
  if (op.getCombiner() == Combiner::None || op.getInputs().size() < 2)
    return false;
  double points = 1;
  for (char label : op.getParsedNotation().labels())
    points *= static_cast<double>(op.getLabelSize(label));
  int64_t largest = op.getType().getNumElements();
  for (Value input : op.getInputs())
    largest = std::max(
        largest, cast<RankedTensorType>(input.getType()).getNumElements());
  return points >= static_cast<double>(contractionReuse * largest);
}

/// Whether an einsum is a sum of products of two operands.
static bool isProduct(EinsumOp op) {
  if (op.getCombiner() != Combiner::Sum || op.getInputs().size() != 2)
    return false;
  auto product = op.getYielded().getDefiningOp<arith::MulFOp>();
  return product &&
         !llvm::any_of(op.getBlock()->without_terminator(),
                       [](Operation &inner) {
                         return !isa<arith::MulFOp, arith::ExtFOp>(inner);
                       });
}

namespace {
/// What lies between two products of which one makes the scores of a softmax
/// and the other mixes values with it: attention.
class Attention {
public:
  /// The attention that ends with `mix`, if there is one: one of its operands
  /// comes, through einsums of which one takes a maximum and one a sum, from a
  /// product, and nothing else reads anything on the way.
  static std::optional<Attention> match(EinsumOp mix) {
    if (!isProduct(mix))
      return std::nullopt;
    for (Value weights : mix.getInputs()) {
      Attention attention;
      if (!attention.follow(weights, 0) || !attention.scores)
        continue;
      attention.members.insert(mix);
      if (attention.isComplete(mix))
        return attention;
    }
    return std::nullopt;
  }

  /// The product that makes scores, the softmax, and the last product, in the
  /// order of their block.
  SmallVector<EinsumOp> getMembers() const {
    SmallVector<EinsumOp> sorted;
    for (Operation *op : members)
      sorted.push_back(cast<EinsumOp>(op));
    llvm::sort(sorted,
               [](EinsumOp a, EinsumOp b) { return a->isBeforeInBlock(b); });
    return sorted;
  }

private:
  static constexpr unsigned maxDepth = 16;

  /// Collects the einsums between the scores and `value`; false if there is
  /// no way there, which also holds for what a softmax may read beside.
  bool follow(Value value, unsigned depth) {
    auto op = value.getDefiningOp<EinsumOp>();
    if (!op || depth > maxDepth)
      return false;
    if (members.contains(op))
      return true;
    if (isProduct(op)) {
      if (scores && scores != op)
        return false;
      scores = op;
      members.insert(op);
      return true;
    }
    bool comesFromScores = false;
    for (Value input : op.getInputs())
      comesFromScores |= follow(input, depth + 1);
    if (comesFromScores)
      members.insert(op);
    return comesFromScores;
  }

  bool isComplete(EinsumOp mix) const {
    bool hasMaximum = false, hasSum = false;
    for (Operation *op : members) {
      auto einsum = cast<EinsumOp>(op);
      if (op != mix && !llvm::all_of(op->getUsers(), [&](Operation *user) {
            return members.contains(user);
          }))
        return false;
      if (op == mix || op == scores)
        continue;
      hasMaximum |= einsum.getCombiner() == Combiner::Max;
      hasSum |= einsum.getCombiner() == Combiner::Sum;
    }
    return hasMaximum && hasSum;
  }

  llvm::SmallPtrSet<Operation *, 8> members;
  EinsumOp scores;
};

/// Fuses the einsums of one block. The einsums of a group always follow each
/// other in the block without a gap, so that the order of the block shows which
/// groups can be merged.
class BlockFuser {
public:
  BlockFuser(Block &block, int64_t rowBudget)
      : block(block), rowBudget(rowBudget) {}

  /// Fuses attention, to which nothing is added later. Returns how often.
  unsigned runAttention() {
    SmallVector<EinsumOp> products;
    for (auto op : block.getOps<EinsumOp>())
      if (isProduct(op))
        products.push_back(op);
    unsigned count = 0;
    for (EinsumOp mix : products)
      if (std::optional<Attention> attention = Attention::match(mix))
        count += fuseAttention(attention->getMembers());
    return count;
  }

  void run() {
    SmallVector<EinsumOp> candidates;
    for (auto op : block.getOps<EinsumOp>())
      if (!isContraction(op) && !complete.contains(op))
        candidates.push_back(op);
    for (EinsumOp op : candidates) {
      groups.emplace_back(op);
      groupOf[op] = std::prev(groups.end());
    }
    for (EinsumOp consumer : candidates)
      for (Value input : consumer.getInputs()) {
        Operation *producer = input.getDefiningOp();
        if (groupOf.contains(producer) && !complete.contains(producer))
          tryMerge(groupOf[producer], groupOf[consumer]);
      }
  }

  /// Replaces every group of several einsums. Returns the sizes of the groups.
  SmallVector<size_t> replace() {
    SmallVector<size_t> replaced;
    for (const FusionGroup &group : groups) {
      if (group.size() == 1 || !group.isUsed())
        continue;
      OpBuilder builder(group.back()->getContext());
      builder.setInsertionPointAfter(group.back());
      group.build(builder);
      SmallVector<Operation *> dead;
      group.forEach([&](EinsumOp op) { dead.push_back(op); });
      for (Operation *op : llvm::reverse(dead))
        op->erase();
      replaced.push_back(group.size());
    }
    return replaced;
  }

private:
  using GroupRef = std::list<FusionGroup>::iterator;
  using OpSet = llvm::SmallPtrSet<Operation *, 16>;

  /// Makes one group of `members`, unless that is against what groups are.
  bool fuseAttention(ArrayRef<EinsumOp> members) {
    // Keys and values are whole, however many there are.
    constexpr int64_t unlimited = std::numeric_limits<int64_t>::max();
    std::optional<FusionGroup> group(members.front());
    for (EinsumOp op : members.drop_front())
      if (!(group = FusionGroup::merge(*group, FusionGroup(op), unlimited)))
        return false;
    groups.emplace_back(members.front());
    auto first = std::prev(groups.end());
    groupOf[members.front()] = first;
    for (EinsumOp op : members.drop_front()) {
      if (!bringTogether(*first, FusionGroup(op)))
        break;
      *first = *FusionGroup::merge(*first, FusionGroup(op), unlimited);
      groupOf[op] = first;
    }
    if (first->size() == members.size()) {
      complete.insert(members.begin(), members.end());
      return true;
    }
    first->forEach([&](EinsumOp op) { groupOf.erase(op); });
    groups.erase(first);
    return false;
  }

  void tryMerge(GroupRef first, GroupRef second) {
    if (first == second || first->size() + second->size() > maxGroupSize)
      return;
    std::optional<FusionGroup> merged =
        FusionGroup::merge(*first, *second, rowBudget);
    if (!merged || !bringTogether(*first, *second))
      return;
    second->forEach([&](EinsumOp op) { groupOf[op] = first; });
    groups.erase(second);
    *first = std::move(*merged);
  }

  static bool readsFrom(Operation *op, const OpSet &producers) {
    return op
        ->walk([&](Operation *inner) {
          for (Value operand : inner->getOperands())
            if (Operation *producer = operand.getDefiningOp())
              if (producers.contains(producer))
                return WalkResult::interrupt();
          return WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// The operation, or all of its group.
  SmallVector<Operation *> getUnit(Operation *op) {
    auto it = groupOf.find(op);
    if (it == groupOf.end())
      return {op};
    SmallVector<Operation *> unit;
    it->second->forEach([&](EinsumOp member) { unit.push_back(member); });
    return unit;
  }

  /// Moves operations so that `first` ends where `second` begins: those between
  /// that depend on `first` go behind `second`. Fails, and moves nothing, if
  /// `second` depends on one of them.
  bool bringTogether(const FusionGroup &first, const FusionGroup &second) {
    OpSet dependent;
    SmallVector<Operation *> later;
    first.forEach([&](EinsumOp op) { dependent.insert(op); });
    Operation *end = second.front();
    unsigned distance = 0;
    for (Operation *op = first.back()->getNextNode(); op != end;) {
      if (++distance > maxDistance)
        return false;
      SmallVector<Operation *> unit = getUnit(op);
      op = unit.back()->getNextNode();
      if (!llvm::any_of(unit, [&](Operation *member) {
            return readsFrom(member, dependent);
          }))
        continue;
      dependent.insert(unit.begin(), unit.end());
      llvm::append_range(later, unit);
    }
    first.forEach([&](EinsumOp op) { dependent.erase(op); });
    bool isCyclic = false;
    second.forEach([&](EinsumOp op) { isCyclic |= readsFrom(op, dependent); });
    if (isCyclic)
      return false;
    first.forEach([&](EinsumOp op) { op->moveBefore(end); });
    Operation *behind = second.back();
    for (Operation *op : later) {
      op->moveAfter(behind);
      behind = op;
    }
    return true;
  }

  Block &block;
  int64_t rowBudget;
  std::list<FusionGroup> groups;
  llvm::DenseMap<Operation *, GroupRef> groupOf;
  /// Members of groups that stay as they are.
  OpSet complete;
};

struct EinFuse : ein::impl::EinFuseBase<EinFuse> {
  using EinFuseBase::EinFuseBase;

  void runOnOperation() override {
    Expected<int64_t> budget = parseByteSize(rowBudget.getValue());
    if (!budget) {
      getOperation().emitError("row-budget: ") << budget.status().message();
      return signalPassFailure();
    }
    for (Block &block : getOperation().getBody()) {
      BlockFuser fuser(block, *budget);
      if (attention)
        numAttentions += fuser.runAttention();
      fuser.run();
      for (size_t size : fuser.replace()) {
        ++numGroups;
        numFused += size;
      }
    }
  }
};
} // namespace
