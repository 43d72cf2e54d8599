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

namespace {
/// Fuses the einsums of one block. The einsums of a group always follow each
/// other in the block without a gap, so that the order of the block shows which
/// groups can be merged.
class BlockFuser {
public:
  BlockFuser(Block &block, int64_t rowBudget)
      : block(block), rowBudget(rowBudget) {}

  void run() {
    SmallVector<EinsumOp> candidates;
    for (auto op : block.getOps<EinsumOp>())
      if (!isContraction(op))
        candidates.push_back(op);
    for (EinsumOp op : candidates) {
      groups.emplace_back(op);
      groupOf[op] = std::prev(groups.end());
    }
    for (EinsumOp consumer : candidates)
      for (Value input : consumer.getInputs()) {
        Operation *producer = input.getDefiningOp();
        if (groupOf.contains(producer))
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
      fuser.run();
      for (size_t size : fuser.replace()) {
        ++numGroups;
        numFused += size;
      }
    }
  }
};
} // namespace
