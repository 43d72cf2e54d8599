//===- KernelCache.h - Compiled kernels by content ------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_KERNELCACHE_H
#define TURNIP_LIB_CODEGEN_KERNELCACHE_H

#include "turnip/Codegen/KernelCompiler.h"
#include <optional>

namespace turnip::codegen {

/// The function as text, without locations and without attributes that say
/// nothing about the computation: what a kernel's content is.
std::string printKernel(mlir::func::FuncOp func);

/// A digest of all that a kernel's bytes depend on: its text, the target and
/// the version of the generator.
std::string kernelCacheKey(llvm::StringRef text, llvm::StringRef target);

/// What the cache folder holds for `key`; nothing where there is no folder, or
/// no file that can be read.
std::optional<std::string> readCacheFile(llvm::StringRef key,
                                         const KernelOptions &options);

/// Keeps `content` in the cache folder, if there is one. A folder that cannot
/// be written to is ignored: the cache is an optimisation.
void writeCacheFile(llvm::StringRef key, llvm::StringRef content,
                    const KernelOptions &options);

/// Looks in the process, then in the cache folder; a file that cannot be read
/// is as good as none.
std::optional<KernelBinary> lookUpKernel(llvm::StringRef key,
                                         const KernelOptions &options);

/// Keeps `binary`, also in the cache folder if there is one.
void storeKernel(llvm::StringRef key, const KernelBinary &binary,
                 const KernelOptions &options);

} // namespace turnip::codegen

#endif // TURNIP_LIB_CODEGEN_KERNELCACHE_H
