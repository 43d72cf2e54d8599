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
#include "turnip/Codegen/DeviceCompiler.h"
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
    llvm::Expected<TargetList> targets = TargetList::parse(target);
    if (!targets) {
      getOperation().emitError("unknown target: ")
          << llvm::toString(targets.takeError());
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
    std::vector<Compiled> compiled(kernels.size());
    for (Compiled &one : compiled)
      one.devices.resize(targets->devices.size());
    // Every kernel for every target is a piece of work of its own.
    size_t numTargets = 1 + targets->devices.size();
    LogicalResult result = failableParallelForEachN(
        &getContext(), 0, kernels.size() * numTargets, [&](size_t i) {
          return compile(funcs[i / numTargets], i % numTargets, *targets,
                         options, compiled[i / numTargets]);
        });
    if (failed(result))
      return signalPassFailure();
    for (auto [kernel, one] : llvm::zip(kernels, compiled))
      attach(kernel, one);
  }

private:
  /// A kernel's code for the host and every device target.
  struct Compiled {
    KernelBinary host;
    std::vector<DeviceBinary> devices;
  };

  /// Compiles for the host (number 0) or a device target.
  static LogicalResult compile(func::FuncOp func, size_t number,
                               const TargetList &targets,
                               const KernelOptions &options, Compiled &to) {
    if (number == 0) {
      FailureOr<KernelBinary> binary =
          compileKernel(func, targets.host, options);
      if (succeeded(binary))
        to.host = std::move(*binary);
      return success(succeeded(binary));
    }
    FailureOr<DeviceBinary> binary = compileDeviceKernel(
        func, targets.devices[number - 1], targets.host, options);
    if (succeeded(binary))
      to.devices[number - 1] = std::move(*binary);
    return success(succeeded(binary));
  }

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

  static SmallVector<int64_t> flatten(const std::vector<BufferPart> &parts) {
    SmallVector<int64_t> numbers;
    for (const BufferPart &part : parts)
      numbers.append({part.buffer, part.offset});
    return numbers;
  }

  Attribute makeMatmul(const KernelLaunch &launch) {
    Builder b(&getContext());
    const MatmulLaunch &matmul = launch.matmul;
    auto type = [&](StringRef name) -> Type {
      return name == "f32"   ? Type(b.getF32Type())
             : name == "f16" ? Type(b.getF16Type())
                             : Type(b.getBF16Type());
    };
    static constexpr StringRef epilogues[] = {"none", "relu", "gelu", "bias"};
    bool tf32 = matmul.compute == MatmulLaunch::Compute::TF32;
    return task::MatmulAttr::get(
        &getContext(), flatten(launch.buffers), type(matmul.typeA),
        type(matmul.typeB), type(matmul.typeD),
        b.getStringAttr(tf32 ? "tf32" : "f32"), matmul.transA, matmul.transB,
        matmul.m, matmul.n, matmul.k, matmul.lda, matmul.ldb, matmul.ldd,
        matmul.batch, matmul.strideA, matmul.strideB, matmul.strideD,
        b.getF64FloatAttr(matmul.alpha), b.getF64FloatAttr(matmul.beta),
        b.getStringAttr(epilogues[size_t(matmul.epilogue)]),
        matmul.workspaceOffset, matmul.workspaceBytes);
  }

  SmallVector<Attribute> makeLaunches(const DeviceBinary &binary) {
    SmallVector<Attribute> launches;
    for (const KernelLaunch &launch : binary.launches) {
      if (launch.kind == KernelLaunch::Kind::Matmul) {
        launches.push_back(makeMatmul(launch));
        continue;
      }
      SmallVector<int64_t> grid(launch.grid.begin(), launch.grid.end());
      SmallVector<int64_t> block(launch.block.begin(), launch.block.end());
      SmallVector<int64_t> scalars(launch.scalars.begin(),
                                   launch.scalars.end());
      launches.push_back(task::LaunchAttr::get(
          &getContext(), StringAttr::get(&getContext(), launch.symbol), grid,
          block, launch.sharedBytes, flatten(launch.buffers), scalars));
    }
    return launches;
  }

  void attach(task::KernelOp kernel, const Compiled &compiled) {
    Builder builder(&getContext());
    const KernelBinary &host = compiled.host;
    SmallVector<Attribute> objects;
    auto add = [&](StringRef triple, ArrayRef<std::string> features,
                   StringRef format, StringRef symbol, StringRef code,
                   int64_t workspace, ArrayRef<Attribute> launches) {
      objects.push_back(task::ObjectAttr::get(&getContext(), triple, features,
                                              format, symbol, code, workspace,
                                              launches));
      numBytes += code.size();
    };
    add(host.triple, host.features, "elf-so", host.symbol, host.object,
        host.workspaceBytes, {});
    int64_t workspace = host.workspaceBytes;
    for (const DeviceBinary &device : compiled.devices) {
      workspace = std::max(workspace, device.workspaceBytes);
      SmallVector<Attribute> launches = makeLaunches(device);
      for (const DeviceObject &object : device.objects)
        add(object.triple, object.features, object.format, "", object.code,
            device.workspaceBytes, launches);
    }
    // What may share memory may do so on every target. A result takes one
    // buffer, and gives it to one operand.
    SmallVector<int64_t> pairs;
    for (auto pair : host.inplace)
      if (llvm::all_of(compiled.devices, [&](const DeviceBinary &device) {
            return llvm::is_contained(device.inplace, pair);
          }))
        pairs.append({pair.first, pair.second});
    kernel.setGrid(host.gridSize);
    kernel.setWorkspace(workspace);
    kernel.setFlops(host.flops);
    kernel.setBytes(host.bytes);
    if (pairs.empty())
      kernel.removeInplaceAttr();
    else
      kernel.setInplace(pairs);
    kernel.setObjectsAttr(builder.getArrayAttr(objects));
    ++numKernels;
  }
};
} // namespace
