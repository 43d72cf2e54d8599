//===- Device.h - One logical device of the CUDA driver ---------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_DRIVERS_CUDA_DEVICE_H
#define TURNIP_LIB_DRIVERS_CUDA_DEVICE_H

#include "Library.h"
#include "Matmul.h"
#include "Objects.h"
#include "turnip/runtime/Driver.h"

#include <memory>
#include <string>
#include <vector>

namespace turnip::runtime::cuda {

/// A GPU as a program's device: the GPU's context, an arena in its memory, and
/// the code of the program's kernels. Several may be one GPU; they share its
/// context and nothing else. One thread at a time.
class Device {
public:
  /// Takes hold of GPU number \p ordinal. Errors: InvalidArgument for a number
  /// that none has; Device.
  static Expected<std::unique_ptr<Device>> create(const Library &library,
                                                  int ordinal);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  /// Makes the device's context the calling thread's.
  Status enter() const {
    return library.check(library->cuCtxSetCurrent(context), "cuCtxSetCurrent");
  }

  /// Bytes that the GPU has free.
  Expected<uint64_t> freeBytes() const;

  /// Allocates the arena. Errors: DoesNotFit, Device.
  Status allocate(const std::string &memory, uint64_t bytes);
  CUdeviceptr arena() const { return arenaBase; }

  /// Loads the code of kernel number \p index. Buffers of its calls are aligned
  /// to \p alignment bytes. Errors: Device, naming the kernel.
  Status loadKernel(uint32_t index, const artifact::Kernel &kernel,
                    uint64_t alignment);

  /// Puts the launches of \p command, a call of a loaded kernel, on \p stream.
  Status launch(const Command &command, CUstream stream);

  /// Such as "cuda:0 (NVIDIA H100)".
  const std::string &description() const { return text; }
  int ordinal() const { return number; }
  CUcontext handle() const { return context; }
  CUdevice device() const { return gpu; }

  const Chip chip;

private:
  Device(const Library &library, int number, Chip chip, std::string text)
      : chip(chip), library(library), number(number), text(std::move(text)) {}

  /// One launch, ready: of the two, the function or the product is there.
  struct Step {
    const artifact::Launch *launch = nullptr;
    CUfunction function = nullptr;
    std::unique_ptr<MatmulPlan> matmul;
  };
  struct LoadedKernel {
    std::vector<Step> steps;
    /// Which buffer of a call is the workspace.
    uint32_t workspace = 0;
    bool hasWorkspace = false;
  };

  Status loadSteps(const artifact::KernelObject &object, uint64_t alignment,
                   std::vector<Step> &steps);
  Status launchFunction(const Step &step, const Command &command,
                        CUstream stream);

  const Library &library;
  const int number;
  const std::string text;
  CUdevice gpu = 0;
  CUcontext context = nullptr;
  CUdeviceptr arenaBase = 0;
  const LtLibrary *lt = nullptr;
  cublasLtHandle_t ltHandle = nullptr;
  std::vector<CUmodule> modules;
  std::vector<LoadedKernel> kernels;
  /// The arguments of the launch that is being made, and pointers to them.
  std::vector<uint64_t> values;
  std::vector<void *> arguments;
};

} // namespace turnip::runtime::cuda

#endif // TURNIP_LIB_DRIVERS_CUDA_DEVICE_H
