//===- DeviceBackend.cpp - PTX and cubins ---------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceBackend.h"
#include "../Backend.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <cstdlib>
#include <mutex>

using namespace mlir;

namespace turnip::codegen::gpu {

/// The oldest PTX that has what the chip has, so that older drivers take it.
static StringRef ptxFeature(StringRef chip) {
  return chip == "sm_100" ? "+ptx86" : "+ptx80";
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createCudaMachine(StringRef chip) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple{llvm::StringRef(kCudaTriple)};
  std::string message;
  const llvm::Target *found =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!found)
    return llvm::createStringError(message);
  llvm::TargetOptions options;
  // What is fused is written as fma; nothing else may be.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      triple, chip, ptxFeature(chip), options, std::nullopt, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return llvm::createStringError("no target machine for " + chip);
  return machine;
}

llvm::Expected<std::string> emitPtx(ModuleOp module, StringRef chip) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> ir =
      translateModuleToLLVMIR(module, context, "kernel");
  if (!ir)
    return llvm::createStringError("translation to LLVM IR failed");
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      createCudaMachine(chip);
  if (!machine)
    return machine.takeError();
  ir->setTargetTriple((*machine)->getTargetTriple());
  ir->setDataLayout((*machine)->createDataLayout());
  for (llvm::Function &function : *ir)
    if (!function.isDeclaration())
      function.addFnAttr(llvm::Attribute::NoUnwind);
  optimizeModule(*ir, **machine);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager pm;
  if ((*machine)->addPassesToEmitFile(pm, os, nullptr,
                                      llvm::CodeGenFileType::AssemblyFile))
    return llvm::createStringError("the target cannot emit PTX");
  pm.run(*ir);
  // The one thing from outside is the block's shared memory.
  for (llvm::StringRef line : llvm::split(text, '\n'))
    if (line.starts_with(".extern") && !line.contains(".shared"))
      return llvm::createStringError("kernel needs another module: " + line);
  return text.str().str();
}

//===----------------------------------------------------------------------===//
// ptxas
//===----------------------------------------------------------------------===//

const std::string &findPtxas() {
  static const std::string path = [] {
    if (const char *named = std::getenv("TURNIP_PTXAS"))
      return std::string(StringRef(named) == "none" ? "" : named);
    if (auto found = llvm::sys::findProgramByName("ptxas"))
      return *found;
    if (auto found =
            llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"}))
      return *found;
    return std::string();
  }();
  return path;
}

namespace {
/// A file that goes when this does.
class TemporaryFile {
public:
  static llvm::Expected<TemporaryFile> create(StringRef suffix) {
    TemporaryFile file;
    if (std::error_code ec = llvm::sys::fs::createTemporaryFile(
            "turnip-kernel", suffix, file.name))
      return llvm::createStringError(ec, "cannot create a temporary file");
    file.remover = std::make_unique<llvm::FileRemover>(file.name);
    return file;
  }
  StringRef path() const { return name; }
  llvm::Expected<std::string> read() const {
    auto buffer = llvm::MemoryBuffer::getFile(name);
    if (!buffer)
      return llvm::createStringError(buffer.getError(),
                                     "cannot read " + name.str().str());
    return (*buffer)->getBuffer().str();
  }

private:
  llvm::SmallString<64> name;
  std::unique_ptr<llvm::FileRemover> remover;
};
} // namespace

/// Runs ptxas; what it prints is the error, or the output where `output` asks
/// for it.
static llvm::Error runPtxas(ArrayRef<StringRef> arguments,
                            std::string *output = nullptr) {
  llvm::Expected<TemporaryFile> log = TemporaryFile::create("log");
  if (!log)
    return log.takeError();
  SmallVector<StringRef> command{findPtxas()};
  command.append(arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {StringRef(), log->path(),
                                          log->path()};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(findPtxas(), command, std::nullopt,
                                         redirects, /*SecondsToWait=*/300,
                                         /*MemoryLimit=*/0, &message);
  llvm::Expected<std::string> text = log->read();
  if (!text)
    return text.takeError();
  if (status != 0)
    return llvm::createStringError("ptxas failed: " +
                                   (message.empty() ? *text : message));
  if (output)
    *output = std::move(*text);
  return llvm::Error::success();
}

const std::string &ptxasVersion() {
  static const std::string version = [] {
    std::string text;
    if (!findPtxas().empty())
      if (llvm::Error error = runPtxas({"--version"}, &text))
        llvm::consumeError(std::move(error));
    return text;
  }();
  return version;
}

/// Assembles `ptx`; returns the cubin, and in `report` what ptxas prints where
/// that is asked for.
static llvm::Expected<std::string> assemble(StringRef ptx, StringRef chip,
                                            std::string *report) {
  llvm::Expected<TemporaryFile> input = TemporaryFile::create("ptx");
  if (!input)
    return input.takeError();
  llvm::Expected<TemporaryFile> output = TemporaryFile::create("cubin");
  if (!output)
    return output.takeError();
  {
    std::error_code ec;
    llvm::raw_fd_ostream os(input->path(), ec);
    os << ptx;
    os.close();
    if (ec || os.has_error()) {
      os.clear_error();
      return llvm::createStringError("cannot write " + input->path());
    }
  }
  std::string arch = ("-arch=" + chip).str();
  SmallVector<StringRef> arguments{arch,          "-O3", "--fmad=false",
                                   input->path(), "-o",  output->path()};
  if (report)
    arguments.push_back("-v");
  if (llvm::Error error = runPtxas(arguments, report))
    return std::move(error);
  return output->read();
}

llvm::Expected<std::string> assemblePtx(StringRef ptx, StringRef chip) {
  return assemble(ptx, chip, nullptr);
}

llvm::Expected<std::string> describeResources(StringRef ptx, StringRef chip) {
  std::string report;
  llvm::Expected<std::string> cubin = assemble(ptx, chip, &report);
  if (!cubin)
    return cubin.takeError();
  return report;
}

} // namespace turnip::codegen::gpu
