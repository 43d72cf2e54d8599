//===- DeviceCompiler.cpp - From a function on tensors to device code -----===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Codegen/DeviceCompiler.h"
#include "../Backend.h"
#include "../KernelCache.h"
#include "../KernelEmitter.h"
#include "../Normalize.h"
#include "Attention.h"
#include "DeviceBackend.h"
#include "DeviceCache.h"
#include "KernelSteps.h"
#include "Matmul.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace turnip::codegen {

llvm::Expected<TargetList> TargetList::parse(StringRef text) {
  TargetList list;
  bool hasHost = false;
  SmallVector<StringRef> items;
  text.split(items, ',');
  for (StringRef item : items) {
    StringRef chip = item;
    if (!chip.consume_front("cuda:")) {
      FailureOr<KernelTarget> host = KernelTarget::get(item);
      if (failed(host))
        return llvm::createStringError(
            "expected x86-64-v2, x86-64-v3, x86-64-v4, cuda:sm_80, cuda:sm_90, "
            "cuda:sm_100 or cuda:stand-in, but got '" +
            item + "'");
      if (hasHost)
        return llvm::createStringError("expected one x86-64 level, but got '" +
                                       list.host.cpu + "' and '" + item + "'");
      hasHost = true;
      list.host = *host;
      continue;
    }
    if (!llvm::is_contained({"sm_80", "sm_90", "sm_100", "stand-in"}, chip))
      return llvm::createStringError(
          "expected cuda:sm_80, cuda:sm_90, cuda:sm_100 or cuda:stand-in, but "
          "got '" +
          item + "'");
    if (llvm::any_of(list.devices, [&](const DeviceTarget &device) {
          return device.chip == chip;
        }))
      return llvm::createStringError("got '" + item + "' twice");
    list.devices.push_back({chip.str()});
  }
  return list;
}

namespace {
/// One kernel in a context of its own.
class DeviceCompilation {
public:
  DeviceCompilation(const KernelTarget &target, bool isStandIn)
      : context(makeRegistry(), MLIRContext::Threading::DISABLED),
        host(target) {
    // GPUs fuse multiply-add and convert halves; so must what stands in.
    if (!host.hasFMA())
      host.cpu = "x86-64-v3";
    host.roundsToBFloat = !isStandIn;
    context.allowUnregisteredDialects(false);
    context.loadAllAvailableDialects();
  }

  /// Errors inside are collected here instead of being printed.
  std::string message;

  /// Parses, normalises and emits the device functions.
  LogicalResult emitFunctions(StringRef text) {
    ScopedDiagnosticHandler handler(&context, collector());
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return failure();
    auto func = *module->getOps<func::FuncOp>().begin();
    if (failed(checkKernelSignature(func)) || failed(normalizeKernel(*module)))
      return failure();
    func = *module->getOps<func::FuncOp>().begin();
    prepareMatmuls(func, gpu::findAttentions(func));
    gpu::KernelSteps steps(func, host);
    if (failed(steps.emit()))
      return failure();
    func.erase();
    binary.launches = std::move(steps.launches);
    binary.workspaceBytes = steps.workspaceBytes;
    binary.inplace.assign(steps.inplace.begin(), steps.inplace.end());
    return mlir::verify(*module);
  }

  FailureOr<DeviceBinary> finish(const DeviceTarget &device) {
    ScopedDiagnosticHandler handler(&context, collector());
    llvm::Error error =
        device.isStandIn() ? finishStandIn() : finishCuda(device.chip);
    if (!error)
      return binary;
    message = llvm::toString(std::move(error));
    return failure();
  }

  std::string print() {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os);
    return text;
  }

private:
  std::function<LogicalResult(Diagnostic &)> collector() {
    return [this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
          message.empty())
        message = diagnostic.str();
      return success();
    };
  }

  llvm::Error finishCuda(StringRef chip) {
    if (failed(gpu::lowerForCuda(*module, binary.launches)))
      return llvm::createStringError("lowering failed: " + message);
    llvm::Expected<std::string> ptx = gpu::emitPtx(*module, chip);
    if (!ptx)
      return ptx.takeError();
    if (!gpu::findPtxas().empty()) {
      llvm::Expected<std::string> cubin = gpu::assemblePtx(*ptx, chip);
      if (!cubin)
        return cubin.takeError();
      binary.objects.push_back(
          {gpu::kCudaTriple.str(), {chip.str()}, "cubin", std::move(*cubin)});
    }
    binary.objects.push_back(
        {gpu::kCudaTriple.str(), {chip.str()}, "ptx", std::move(*ptx)});
    return llvm::Error::success();
  }

  llvm::Error finishStandIn() {
    if (failed(gpu::lowerForStandIn(*module)))
      return llvm::createStringError("lowering failed: " + message);
    llvm::Expected<std::string> object = emitObject(*module, host);
    if (!object)
      return object.takeError();
    llvm::Expected<std::string> shared = linkShared(*object);
    if (!shared)
      return shared.takeError();
    std::vector<std::string> features = host.requiredFeatures();
    features.push_back(gpu::kStandInFeature.str());
    binary.objects.push_back(
        {kTriple.str(), std::move(features), "stand-in", std::move(*shared)});
    return llvm::Error::success();
  }

  static const DialectRegistry &makeRegistry() {
    static const DialectRegistry *registry = [] {
      auto *made = new DialectRegistry();
      registerBackendDialects(*made);
      gpu::registerDeviceDialects(*made);
      return made;
    }();
    return *registry;
  }

  MLIRContext context;
  KernelTarget host;
  OwningOpRef<ModuleOp> module;
  DeviceBinary binary;
};
} // namespace

FailureOr<DeviceBinary> compileDeviceKernel(func::FuncOp func,
                                            const DeviceTarget &device,
                                            const KernelTarget &host,
                                            const KernelOptions &options) {
  std::string text = printKernel(func);
  std::string target = "cuda:" + device.chip + " " +
                       (device.isStandIn() ? host.cpu : gpu::ptxasVersion());
  std::string key = kernelCacheKey(text, target);
  if (std::optional<DeviceBinary> found = gpu::lookUpDeviceKernel(key, options))
    return *found;
  DeviceCompilation compilation(host, device.isStandIn());
  FailureOr<DeviceBinary> binary = failure();
  if (succeeded(compilation.emitFunctions(text)))
    binary = compilation.finish(device);
  if (failed(binary)) {
    func.emitError("cannot compile kernel for cuda:")
        << device.chip << ": "
        << (compilation.message.empty() ? "lowering failed"
                                        : compilation.message);
    return failure();
  }
  gpu::storeDeviceKernel(key, *binary, options);
  return *binary;
}

FailureOr<std::string> emitDeviceFunctions(func::FuncOp func,
                                           const KernelTarget &host) {
  DeviceCompilation compilation(host, /*isStandIn=*/false);
  if (failed(compilation.emitFunctions(printKernel(func)))) {
    func.emitError("cannot compile kernel: ") << compilation.message;
    return failure();
  }
  return compilation.print();
}

} // namespace turnip::codegen
