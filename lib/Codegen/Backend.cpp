//===- Backend.cpp - Object code and shared objects, in process -----------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "lld/Common/Driver.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>
#include <shared_mutex>

LLD_HAS_DRIVER(elf)

using namespace mlir;

namespace turnip::codegen {

void registerBackendDialects(DialectRegistry &registry) {
  registry
      .insert<affine::AffineDialect, arith::ArithDialect,
              cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
              linalg::LinalgDialect, math::MathDialect, scf::SCFDialect,
              tensor::TensorDialect, ub::UBDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

LogicalResult lowerToLLVM(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(createCSEPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  return pm.run(module);
}

/// The machine for `target`, with floating-point contraction off: what is
/// fused is written as fma.
static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const KernelTarget &target) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  llvm::Triple triple{llvm::StringRef(kTriple)};
  std::string message;
  const llvm::Target *found =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!found)
    return llvm::createStringError(message);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.EmitStackSizeSection = false;
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      triple, target.cpu, "", options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return llvm::createStringError("no target machine for " + target.cpu);
  return machine;
}

void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager lam;
  llvm::FunctionAnalysisManager fam;
  llvm::CGSCCAnalysisManager cgam;
  llvm::ModuleAnalysisManager mam;
  llvm::PipelineTuningOptions tuning;
  // Vectors are already in the IR; loops that could not be vectorised there
  // keep their order.
  tuning.SLPVectorization = false;
  tuning.LoopVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cgam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cgam, mam);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, mam);
}

/// The linker keeps its state in globals and resets LLVM's options, which the
/// code generator reads: one links while nobody generates code.
static std::shared_mutex &linkerMutex() {
  static std::shared_mutex mutex;
  return mutex;
}

llvm::Expected<std::string> emitObject(ModuleOp module,
                                       const KernelTarget &target) {
  std::shared_lock<std::shared_mutex> lock(linkerMutex());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> ir =
      translateModuleToLLVMIR(module, context, "kernel");
  if (!ir)
    return llvm::createStringError("translation to LLVM IR failed");
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      createTargetMachine(target);
  if (!machine)
    return machine.takeError();
  ir->setTargetTriple((*machine)->getTargetTriple());
  ir->setDataLayout((*machine)->createDataLayout());
  for (llvm::Function &function : *ir) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.addFnAttr("target-cpu", target.cpu);
    if (target.vectorBits() == 512)
      function.addFnAttr("prefer-vector-width", "512");
  }
  optimizeModule(*ir, **machine);

  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream os(bytes);
  llvm::legacy::PassManager pm;
  if ((*machine)->addPassesToEmitFile(pm, os, nullptr,
                                      llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError("the target cannot emit objects");
  pm.run(*ir);
  return bytes.str().str();
}

llvm::Error checkUndefinedSymbols(llvm::StringRef shared) {
  auto object = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(shared, "kernel"));
  if (!object)
    return object.takeError();
  auto *elf = llvm::cast<llvm::object::ELFObjectFileBase>(object->get());
  for (llvm::object::ELFSymbolRef symbol : elf->getDynamicSymbolIterators()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    if (!(*flags & llvm::object::SymbolRef::SF_Undefined))
      continue;
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    if (name->empty() || *name == "memcpy" || *name == "memset" ||
        *name == "memmove")
      continue;
    return llvm::createStringError("kernel needs the undefined symbol '" +
                                   *name + "'");
  }
  return llvm::Error::success();
}

/// Writes `object` to a temporary file, runs the linker, returns what it made.
static llvm::Expected<std::string> runLinker(llvm::StringRef object) {
  llvm::SmallString<64> input, output;
  int fd = -1;
  if (std::error_code ec =
          llvm::sys::fs::createTemporaryFile("turnip-kernel", "o", fd, input))
    return llvm::createStringError(ec, "cannot create a temporary file");
  llvm::FileRemover removeInput(input);
  {
    llvm::raw_fd_ostream os(fd, /*shouldClose=*/true);
    os << object;
    os.close();
    if (std::error_code ec = os.error()) {
      os.clear_error();
      return llvm::createStringError(ec, "cannot write " + input);
    }
  }
  if (std::error_code ec =
          llvm::sys::fs::createTemporaryFile("turnip-kernel", "so", output))
    return llvm::createStringError(ec, "cannot create a temporary file");
  llvm::FileRemover removeOutput(output);

  const char *args[] = {"ld.lld",
                        "-shared",
                        "--build-id=none",
                        "--hash-style=sysv",
                        "--threads=1",
                        "--strip-all",
                        "--no-rosegment",
                        "--gc-sections",
                        "-z",
                        "noseparate-code",
                        "-z",
                        "norelro",
                        "-z",
                        "max-page-size=4096",
                        input.c_str(),
                        "-o",
                        output.c_str()};
  std::string out, err;
  llvm::raw_string_ostream outStream(out), errStream(err);
  lld::Result result =
      lld::lldMain(args, outStream, errStream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    return llvm::createStringError("linking a kernel failed: " + err);
  auto buffer = llvm::MemoryBuffer::getFile(output);
  if (!buffer)
    return llvm::createStringError(buffer.getError(), "cannot read " + output);
  return (*buffer)->getBuffer().str();
}

/// Makes the value of \p option its default, if it is of type T.
template <typename T> static bool pinOption(llvm::cl::Option *option) {
  if (auto *own = dynamic_cast<llvm::cl::opt<T> *>(option)) {
    own->setInitialValue(own->getValue());
    return true;
  }
  if (auto *external = dynamic_cast<llvm::cl::opt<T, true> *>(option)) {
    external->setInitialValue(external->getValue());
    return true;
  }
  return false;
}

/// The linker resets the command line of the process it runs in, so that a tool
/// would forget the flags it was given. Resetting to what is set now does not.
static void pinOptions() {
  for (auto &entry : llvm::cl::getRegisteredOptions()) {
    llvm::cl::Option *option = entry.second;
    if (option->getNumOccurrences() > 0)
      (void)(pinOption<bool>(option) || pinOption<std::string>(option) ||
             pinOption<int>(option) || pinOption<unsigned>(option) ||
             pinOption<double>(option));
  }
}

llvm::Expected<std::string> linkShared(llvm::StringRef object) {
  std::unique_lock<std::shared_mutex> lock(linkerMutex());
  static std::once_flag pinned;
  std::call_once(pinned, pinOptions);
  llvm::Expected<std::string> shared = runLinker(object);
  if (!shared)
    return shared;
  if (llvm::Error error = checkUndefinedSymbols(*shared))
    return std::move(error);
  return shared;
}

} // namespace turnip::codegen
