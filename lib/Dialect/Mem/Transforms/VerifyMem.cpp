//===- VerifyMem.cpp - The legality check of the mem phase ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Dialect/Mem/Transforms/Passes.h"

#include "turnip/Dialect/Mem/IR/Mem.h"

namespace turnip::mem {
#define GEN_PASS_DEF_VERIFYMEM
#include "turnip/Dialect/Mem/Transforms/Passes.h.inc"
} // namespace turnip::mem

using namespace mlir;
using namespace turnip;
using namespace turnip::mem;

namespace {
struct VerifyMemPass : turnip::mem::impl::VerifyMemBase<VerifyMemPass> {
  using VerifyMemBase::VerifyMemBase;

  void runOnOperation() override {
    if (failed(check()))
      signalPassFailure();
  }

private:
  LogicalResult check() {
    MachineOp machine;
    DenseSet<StringAttr> placed;
    for (auto graph : getOperation().getOps<GraphOp>())
      if (FlatSymbolRefAttr tasks = graph.getTasksAttr())
        placed.insert(tasks.getAttr());
    for (Operation &op : *getOperation().getBody()) {
      if (auto kernel = dyn_cast<task::KernelOp>(op)) {
        if (requireCode && !kernel.getObjectsAttr())
          return kernel.emitOpError("expected object code of kernel @")
                 << kernel.getSymName() << ", but it has none";
      } else if (auto another = dyn_cast<MachineOp>(op)) {
        if (machine) {
          InFlightDiagnostic diag =
              op.emitOpError("expected 1 mem.machine in the module, but got "
                             "another");
          diag.attachNote(machine.getLoc()) << "the first machine";
          return diag;
        }
        machine = another;
      } else if (auto tasks = dyn_cast<task::GraphOp>(op)) {
        if (!placed.contains(tasks.getSymNameAttr()))
          return op.emitOpError("is not legal in the mem phase: expected a "
                                "task.graph that a mem.graph places");
      } else if (!isa<GraphOp>(op)) {
        return op.emitOpError("is not legal in the mem phase: expected only "
                              "mem.machine, mem.graph, what it places, and "
                              "task.kernel");
      }
    }
    if (getOperation().getOps<GraphOp>().empty())
      return getOperation().emitError("expected a mem.graph in the module");
    return success();
  }
};
} // namespace
