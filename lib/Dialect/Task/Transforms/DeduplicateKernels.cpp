//===- DeduplicateKernels.cpp - Merges equal kernels ----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Dialect/Task/Transforms/Passes.h"

#include "mlir/IR/OperationSupport.h"
#include "turnip/Dialect/Task/IR/Task.h"

namespace turnip::task {
#define GEN_PASS_DEF_DEDUPLICATEKERNELS
#include "turnip/Dialect/Task/Transforms/Passes.h.inc"
} // namespace turnip::task

using namespace mlir;
using namespace turnip::task;

/// A kernel's attributes without its name.
static DictionaryAttr namelessAttributes(KernelOp kernel) {
  NamedAttrList attributes(kernel->getAttrDictionary());
  attributes.erase(kernel.getSymNameAttrName());
  return attributes.getDictionary(kernel.getContext());
}

static bool isSameKernel(KernelOp a, KernelOp b) {
  if (namelessAttributes(a) != namelessAttributes(b))
    return false;
  if (a.isExternal() && b.isExternal())
    return a.getObjectsAttr() != nullptr;
  return OperationEquivalence::isRegionEquivalentTo(
      &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

/// Equal kernels have equal hashes; bodies are told apart by their operations'
/// names and types only.
static llvm::hash_code hashKernel(KernelOp kernel) {
  llvm::hash_code hash = hash_value(namelessAttributes(kernel));
  kernel.getBody().walk([&](Operation *op) {
    hash = llvm::hash_combine(hash, op->getName(), op->getResultTypes());
  });
  return hash;
}

namespace {
struct DeduplicateKernelsPass
    : turnip::task::impl::DeduplicateKernelsBase<DeduplicateKernelsPass> {
  void runOnOperation() override;

private:
  void merge(KernelOp kernel);
  void removeUnused();

  llvm::DenseMap<size_t, SmallVector<KernelOp>> byHash;
  /// The kernel that stands for each one that was merged.
  llvm::DenseMap<StringAttr, StringAttr> merged;
};
} // namespace

void DeduplicateKernelsPass::merge(KernelOp kernel) {
  SmallVector<KernelOp> &candidates = byHash[hashKernel(kernel)];
  for (KernelOp candidate : candidates)
    if (isSameKernel(candidate, kernel)) {
      merged[kernel.getSymNameAttr()] = candidate.getSymNameAttr();
      ++numMerged;
      return;
    }
  candidates.push_back(kernel);
}

void DeduplicateKernelsPass::removeUnused() {
  llvm::DenseSet<StringAttr> used;
  if (auto uses = SymbolTable::getSymbolUses(&getOperation().getBodyRegion()))
    for (const SymbolTable::SymbolUse &use : *uses)
      used.insert(use.getSymbolRef().getRootReference());
  for (KernelOp kernel :
       llvm::make_early_inc_range(getOperation().getOps<KernelOp>()))
    if (!used.contains(kernel.getSymNameAttr())) {
      numRemoved += !merged.contains(kernel.getSymNameAttr());
      kernel.erase();
    }
}

void DeduplicateKernelsPass::runOnOperation() {
  byHash.clear();
  merged.clear();
  for (auto kernel : getOperation().getOps<KernelOp>())
    merge(kernel);
  getOperation().walk([&](CallOp call) {
    if (StringAttr name = merged.lookup(call.getKernelAttr().getAttr()))
      call.setKernelAttr(FlatSymbolRefAttr::get(name));
  });
  removeUnused();
}
