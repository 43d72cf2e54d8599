//===- TaskCompileKernels.cpp - Compile the bodies of task kernels --------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Threading.h"
#include "mlir/Transforms/DialectConversion.h"
#include "turnip/Codegen/KernelCompiler.h"
#include "turnip/Codegen/Passes.h"
#include "turnip/Conversion/EinToLinalg/EinToLinalg.h"
#include "turnip/Dialect/Ein/IR/Ein.h"
#include "turnip/Dialect/Task/IR/Task.h"

namespace turnip::codegen {
#define GEN_PASS_DEF_TASKCOMPILEKERNELS
#include "turnip/Codegen/Passes.h.inc"
} // namespace turnip::codegen

using namespace mlir;
using namespace turnip;
using namespace turnip::codegen;

namespace {
struct TaskCompileKernels
    : codegen::impl::TaskCompileKernelsBase<TaskCompileKernels> {
  using TaskCompileKernelsBase::TaskCompileKernelsBase;

  void runOnOperation() override {
    FailureOr<KernelTarget> kernelTarget = KernelTarget::get(target);
    if (failed(kernelTarget)) {
      getOperation().emitError("unknown target '") << target << "'";
      return signalPassFailure();
    }
    SmallVector<task::KernelOp> kernels;
    for (auto kernel : getOperation().getOps<task::KernelOp>())
      if (!kernel.isExternal())
        kernels.push_back(kernel);
    OwningOpRef<ModuleOp> scratch = ModuleOp::create(getOperation().getLoc());
    SmallVector<func::FuncOp> funcs;
    for (task::KernelOp kernel : kernels)
      funcs.push_back(makeFunction(kernel, *scratch));
    if (failed(convertToLinalg(*scratch)))
      return signalPassFailure();

    KernelOptions options;
    options.cacheDirectory = cacheDirectory;
    std::vector<KernelBinary> binaries(kernels.size());
    LogicalResult compiled = failableParallelForEachN(
        &getContext(), 0, kernels.size(), [&](size_t i) {
          FailureOr<KernelBinary> binary =
              compileKernel(funcs[i], *kernelTarget, options);
          if (failed(binary))
            return failure();
          binaries[i] = std::move(*binary);
          return success();
        });
    if (failed(compiled))
      return signalPassFailure();
    for (auto [kernel, binary] : llvm::zip(kernels, binaries))
      attach(kernel, binary);
  }

private:
  /// Copies a kernel's body into a function of `module`.
  static func::FuncOp makeFunction(task::KernelOp kernel, ModuleOp module) {
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto func =
        func::FuncOp::create(builder, kernel.getLoc(), kernel.getSymName(),
                             kernel.getFunctionType());
    IRMapping mapping;
    kernel.getBody().cloneInto(&func.getBody(), mapping);
    Operation *yield = func.getBody().front().getTerminator();
    builder.setInsertionPoint(yield);
    func::ReturnOp::create(builder, yield->getLoc(), yield->getOperands());
    yield->erase();
    return func;
  }

  LogicalResult convertToLinalg(ModuleOp module) {
    ConversionTarget conversionTarget(getContext());
    conversionTarget.addIllegalDialect<ein::EinDialect>();
    conversionTarget.markUnknownOpDynamicallyLegal(
        [](Operation *) { return true; });
    RewritePatternSet patterns(&getContext());
    populateEinToLinalgPatterns(patterns);
    return applyPartialConversion(module, conversionTarget,
                                  std::move(patterns));
  }

  void attach(task::KernelOp kernel, const KernelBinary &binary) {
    Builder builder(&getContext());
    kernel.setGrid(binary.gridSize);
    kernel.setWorkspace(binary.workspaceBytes);
    kernel.setFlops(binary.flops);
    kernel.setBytes(binary.bytes);
    SmallVector<int64_t> pairs;
    for (auto [operand, result] : binary.inplace)
      pairs.append({operand, result});
    if (pairs.empty())
      kernel.removeInplaceAttr();
    else
      kernel.setInplace(pairs);
    Attribute object =
        task::ObjectAttr::get(&getContext(), binary.triple, binary.features,
                              "elf-so", binary.symbol, binary.object);
    kernel.setObjectsAttr(builder.getArrayAttr(object));
    ++numKernels;
    numBytes += binary.object.size();
  }
};
} // namespace
