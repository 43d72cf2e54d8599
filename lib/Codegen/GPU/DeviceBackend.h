//===- DeviceBackend.h - PTX, cubins and code for the stand-in ------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_GPU_DEVICEBACKEND_H
#define TURNIP_LIB_CODEGEN_GPU_DEVICEBACKEND_H

#include "mlir/IR/BuiltinOps.h"
#include "turnip/Codegen/DeviceCompiler.h"

namespace turnip::codegen::gpu {

inline constexpr llvm::StringLiteral kCudaTriple = "nvptx64-nvidia-cuda";
/// The feature that tells code for the stand-in from code for the host.
inline constexpr llvm::StringLiteral kStandInFeature = "cuda-stand-in";

/// Registers what device functions need beyond the host's dialects.
void registerDeviceDialects(mlir::DialectRegistry &registry);

/// Lowers the device functions of `module`, each run as `launches` say, to the
/// LLVM dialect for a GPU.
mlir::LogicalResult lowerForCuda(mlir::ModuleOp module,
                                 llvm::ArrayRef<KernelLaunch> launches);

/// Lowers them for the stand-in: what threads do together becomes calls through
/// TurnipStandInThread.
mlir::LogicalResult lowerForStandIn(mlir::ModuleOp module);

/// Optimises a module from lowerForCuda and prints PTX for `chip`. Fails where
/// the code would need another module.
llvm::Expected<std::string> emitPtx(mlir::ModuleOp module,
                                    llvm::StringRef chip);

/// Where ptxas is: the environment variable TURNIP_PTXAS, PATH, or
/// /usr/local/cuda/bin. Empty where it is not found, or where TURNIP_PTXAS is
/// "none".
const std::string &findPtxas();
/// What tells versions of ptxas apart; empty where there is none.
const std::string &ptxasVersion();

/// Assembles PTX to a cubin for `chip` with ptxas, which must be there.
llvm::Expected<std::string> assemblePtx(llvm::StringRef ptx,
                                        llvm::StringRef chip);

/// What ptxas -v says of the registers, spills and memory of PTX for `chip`.
llvm::Expected<std::string> describeResources(llvm::StringRef ptx,
                                              llvm::StringRef chip);

} // namespace turnip::codegen::gpu

#endif // TURNIP_LIB_CODEGEN_GPU_DEVICEBACKEND_H
