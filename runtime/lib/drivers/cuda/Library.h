//===- Library.h - The libraries of CUDA, loaded ----------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing links to CUDA: its libraries are loaded when somebody asks for a
// device, and stay loaded until the process ends. TURNIP_CUDA_LIBRARY and
// TURNIP_CUBLASLT_LIBRARY name others than the system would find.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_DRIVERS_CUDA_LIBRARY_H
#define TURNIP_LIB_DRIVERS_CUDA_LIBRARY_H

#include "Api.h"
#include "turnip/support/Status.h"

#include <string>

namespace turnip::runtime::cuda {

/// The CUDA driver, loaded and initialised. Thread-safe.
class Library {
public:
  /// Loads the driver, once, and initialises it. Error: Device, in one line,
  /// saying why there is no CUDA here: no library, a library that lacks a
  /// function, no device.
  static Expected<const Library *> find();

  const DriverApi *operator->() const { return &api; }

  /// Success, or Device with what the driver says of \p result of \p call:
  ///   cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (out of memory)
  Status check(CUresult result, const char *call) const {
    return result == CUDA_SUCCESS ? Status::ok() : failure(result, call);
  }

  /// True if the library is the project's stand-in, which loads objects of
  /// format "stand-in".
  bool isStandIn() const { return standIn; }
  /// How many GPUs there are. Error: Device.
  Expected<int> deviceCount() const;

private:
  Status load(const std::string &path);
  Status initialise() const;
  Status failure(CUresult result, const char *call) const;

  DriverApi api = {};
  bool standIn = false;
};

/// cuBLASLt, loaded. Thread-safe.
class LtLibrary {
public:
  /// Loads cuBLASLt, once. Error: Device, saying what was tried.
  static Expected<const LtLibrary *> find();

  const LtApi *operator->() const { return &api; }

  /// Success, or Device: "cublasLtMatmul: CUBLAS_STATUS_NOT_SUPPORTED".
  Status check(cublasStatus_t result, const char *call) const {
    return result == CUBLAS_STATUS_SUCCESS ? Status::ok()
                                           : failure(result, call);
  }

private:
  static Status failure(cublasStatus_t result, const char *call);

  LtApi api = {};
};

} // namespace turnip::runtime::cuda

#endif // TURNIP_LIB_DRIVERS_CUDA_LIBRARY_H
