//===- KernelCompiler.cpp - From a function on tensors to object code -----===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Codegen/KernelCompiler.h"
#include "Backend.h"
#include "CostModel.h"
#include "KernelCache.h"
#include "KernelEmitter.h"
#include "Normalize.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace turnip::codegen {

FailureOr<KernelTarget> KernelTarget::get(StringRef cpu) {
  if (cpu != "x86-64-v2" && cpu != "x86-64-v3" && cpu != "x86-64-v4")
    return failure();
  KernelTarget target;
  target.cpu = cpu.str();
  return target;
}

int64_t KernelTarget::vectorBits() const {
  return cpu == "x86-64-v4" ? 512 : cpu == "x86-64-v3" ? 256 : 128;
}

std::vector<std::string> KernelTarget::requiredFeatures() const {
  return {cpu};
}

std::string printKernel(func::FuncOp func) {
  func::FuncOp copy = func.clone();
  copy.setSymName("kernel");
  copy->setDiscardableAttrs(DictionaryAttr::get(func.getContext()));
  copy.removeArgAttrsAttr();
  copy.removeResAttrsAttr();
  copy.setPublic();
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  copy.print(os, flags.useLocalScope());
  copy.erase();
  return text;
}

namespace {
/// One kernel in a context of its own: compiling never touches the caller's.
class Compilation {
public:
  explicit Compilation(const KernelTarget &target)
      : context(makeRegistry(), MLIRContext::Threading::DISABLED),
        target(target) {
    context.allowUnregisteredDialects(false);
    context.loadAllAvailableDialects();
  }

  /// Errors inside are collected here instead of being printed.
  std::string message;

  /// Parses, normalises and emits the loops.
  LogicalResult emitLoops(StringRef text) {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
          message.empty())
        message = diagnostic.str();
      return success();
    });
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return failure();
    auto func = *module->getOps<func::FuncOp>().begin();
    if (failed(checkKernelSignature(func)))
      return failure();
    bytes = signatureBytes(func);
    if (failed(normalizeKernel(*module)))
      return failure();
    func = *module->getOps<func::FuncOp>().begin();
    for (Operation &op : func.front())
      flops += estimateFlops(&op);
    KernelEmitter emitter(func, target);
    if (failed(emitter.emit()))
      return failure();
    func.erase();
    gridSize = emitter.gridSize;
    workspaceBytes = emitter.workspaceBytes;
    inplace.assign(emitter.inplace.begin(), emitter.inplace.end());
    return mlir::verify(*module);
  }

  FailureOr<KernelBinary> finish() {
    {
      ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
        if (message.empty())
          message = diagnostic.str();
        return success();
      });
      if (failed(lowerToLLVM(*module)))
        return failure();
    }
    llvm::Expected<std::string> object = emitObject(*module, target);
    llvm::Expected<std::string> shared =
        object ? linkShared(*object) : std::move(object);
    if (!shared) {
      message = llvm::toString(shared.takeError());
      return failure();
    }
    KernelBinary binary;
    binary.object = std::move(*shared);
    binary.gridSize = gridSize;
    binary.workspaceBytes = workspaceBytes;
    binary.flops = flops;
    binary.bytes = bytes;
    binary.inplace = inplace;
    return binary;
  }

  std::string print() {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os);
    return text;
  }

private:
  static const DialectRegistry &makeRegistry() {
    static const DialectRegistry *registry = [] {
      auto *made = new DialectRegistry();
      registerBackendDialects(*made);
      return made;
    }();
    return *registry;
  }

  MLIRContext context;
  const KernelTarget &target;
  OwningOpRef<ModuleOp> module;
  int64_t gridSize = 1, workspaceBytes = 0, flops = 0, bytes = 0;
  std::vector<std::pair<int64_t, int64_t>> inplace;
};
} // namespace

/// Fills in what is the same for all kernels of a target.
static KernelBinary describe(KernelBinary binary, const KernelTarget &target) {
  binary.symbol = kKernelSymbol.str();
  binary.triple = kTriple.str();
  binary.features = target.requiredFeatures();
  return binary;
}

FailureOr<KernelBinary> compileKernel(func::FuncOp func,
                                      const KernelTarget &target,
                                      const KernelOptions &options) {
  std::string text = printKernel(func);
  std::string key = kernelCacheKey(text, target.cpu);
  if (std::optional<KernelBinary> found = lookUpKernel(key, options))
    return describe(std::move(*found), target);
  Compilation compilation(target);
  FailureOr<KernelBinary> binary = failure();
  if (succeeded(compilation.emitLoops(text)))
    binary = compilation.finish();
  if (failed(binary)) {
    func.emitError("cannot compile kernel: ")
        << (compilation.message.empty() ? "lowering failed"
                                        : compilation.message);
    return failure();
  }
  storeKernel(key, *binary, options);
  return describe(std::move(*binary), target);
}

FailureOr<std::string> emitKernelLoops(func::FuncOp func,
                                       const KernelTarget &target) {
  Compilation compilation(target);
  if (failed(compilation.emitLoops(printKernel(func)))) {
    func.emitError("cannot compile kernel: ") << compilation.message;
    return failure();
  }
  return compilation.print();
}

} // namespace turnip::codegen
