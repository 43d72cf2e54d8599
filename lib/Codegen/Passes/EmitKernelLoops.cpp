//===- EmitKernelLoops.cpp - Show what kernels are compiled from ----------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "turnip/Codegen/DeviceCompiler.h"
#include "turnip/Codegen/Passes.h"

namespace turnip::codegen {
#define GEN_PASS_DEF_EMITKERNELLOOPS
#include "turnip/Codegen/Passes.h.inc"
} // namespace turnip::codegen

using namespace mlir;
using namespace turnip;
using namespace turnip::codegen;

namespace {
struct EmitKernelLoops : codegen::impl::EmitKernelLoopsBase<EmitKernelLoops> {
  using EmitKernelLoopsBase::EmitKernelLoopsBase;

  void runOnOperation() override {
    bool isDevice = target == "cuda";
    FailureOr<KernelTarget> kernelTarget =
        isDevice ? KernelTarget() : KernelTarget::get(target);
    if (failed(kernelTarget)) {
      getOperation().emitError("unknown target '") << target << "'";
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> funcs(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp func : funcs)
      if (failed(replace(func, *kernelTarget, isDevice)))
        return signalPassFailure();
  }

private:
  LogicalResult replace(func::FuncOp func, const KernelTarget &kernelTarget,
                        bool isDevice) {
    FailureOr<std::string> text = isDevice
                                      ? emitDeviceFunctions(func, kernelTarget)
                                      : emitKernelLoops(func, kernelTarget);
    if (failed(text))
      return failure();
    OwningOpRef<ModuleOp> loops =
        parseSourceString<ModuleOp>(*text, &getContext());
    if (!loops)
      return failure();
    for (Operation &op : llvm::make_early_inc_range(*loops->getBody())) {
      op.moveBefore(func);
      if (auto kernel = dyn_cast<func::FuncOp>(op); kernel && !isDevice)
        kernel.setSymName(func.getSymName());
    }
    func.erase();
    return success();
  }
};
} // namespace
