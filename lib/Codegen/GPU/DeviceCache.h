//===- DeviceCache.h - Device code by content -----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CODEGEN_GPU_DEVICECACHE_H
#define TURNIP_LIB_CODEGEN_GPU_DEVICECACHE_H

#include "turnip/Codegen/DeviceCompiler.h"
#include <optional>

namespace turnip::codegen::gpu {

/// As lookUpKernel and storeKernel do for the host's code.
std::optional<DeviceBinary> lookUpDeviceKernel(llvm::StringRef key,
                                               const KernelOptions &options);
void storeDeviceKernel(llvm::StringRef key, const DeviceBinary &binary,
                       const KernelOptions &options);

} // namespace turnip::codegen::gpu

#endif // TURNIP_LIB_CODEGEN_GPU_DEVICECACHE_H
