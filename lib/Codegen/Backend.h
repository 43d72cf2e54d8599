//===- Backend.h - Object code and shared objects, in process -------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_BACKEND_H
#define TURNIP_LIB_CODEGEN_BACKEND_H

#include "mlir/IR/BuiltinOps.h"
#include "turnip/Codegen/KernelCompiler.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace turnip::codegen {

/// The name every kernel's entry point has.
inline constexpr llvm::StringLiteral kKernelSymbol = "turnip_kernel";
inline constexpr llvm::StringLiteral kTriple = "x86_64-unknown-linux-gnu";

/// Registers the dialects and translations that kernels are compiled with.
void registerBackendDialects(mlir::DialectRegistry &registry);

/// Lowers a module of func, scf, arith, math, vector and llvm operations to
/// the LLVM dialect.
mlir::LogicalResult lowerToLLVM(mlir::ModuleOp module);

/// Runs LLVM's passes at O3, without a vectoriser: vectors are in the IR.
void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine);

/// Optimises the LLVM dialect module and emits a relocatable object.
llvm::Expected<std::string> emitObject(mlir::ModuleOp module,
                                       const KernelTarget &target);

/// Links one relocatable object into a shared object that exports
/// kKernelSymbol, and checks that it needs no other symbol than memcpy,
/// memset and memmove. Deterministic; serialised inside.
llvm::Expected<std::string> linkShared(llvm::StringRef object);

/// Fails when `shared` refers to any undefined symbol but memcpy, memset and
/// memmove, naming the first.
llvm::Error checkUndefinedSymbols(llvm::StringRef shared);

} // namespace turnip::codegen

#endif // TURNIP_LIB_CODEGEN_BACKEND_H
