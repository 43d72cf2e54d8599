//===- VerifyTask.cpp - The legality check of the task phase --------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Dialect/Task/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "turnip/Dialect/Task/IR/Task.h"

namespace turnip::task {
#define GEN_PASS_DEF_VERIFYTASK
#include "turnip/Dialect/Task/Transforms/Passes.h.inc"
} // namespace turnip::task

using namespace mlir;
using namespace turnip::task;

namespace {
struct VerifyTaskPass : turnip::task::impl::VerifyTaskBase<VerifyTaskPass> {
  using VerifyTaskBase::VerifyTaskBase;

  void runOnOperation() override {
    if (failed(check()))
      signalPassFailure();
  }

private:
  LogicalResult check() {
    for (Operation &op : *getOperation().getBody()) {
      if (auto kernel = dyn_cast<KernelOp>(op)) {
        if (requireCode && !kernel.getObjectsAttr())
          return kernel.emitOpError("expected object code of kernel @")
                 << kernel.getSymName() << ", but it has none";
      } else if (!isa<GraphOp>(op)) {
        return op.emitOpError("is not legal in the task phase: expected only "
                              "task.graph and task.kernel");
      }
    }
    if (getOperation().getOps<GraphOp>().empty())
      return getOperation().emitError(
          "expected a task.graph in the module; partition-ein makes them of "
          "functions");
    return success();
  }
};
} // namespace
