//===- FaultTrap.h - Memory faults as errors of operations ------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_DRIVERS_HOST_FAULTTRAP_H
#define TURNIP_LIB_DRIVERS_HOST_FAULTTRAP_H

#include <csetjmp>

namespace turnip::runtime {

/// What the event of an operation that caused a memory fault says.
constexpr const char *memoryFaultMessage =
    "touched memory that it has no access to";

/// While alive, a memory fault inside protect() on any thread is reported
/// instead of ending the process. Elsewhere faults end the process as before.
class FaultTrap {
public:
  FaultTrap();
  ~FaultTrap();
  FaultTrap(const FaultTrap &) = delete;
  FaultTrap &operator=(const FaultTrap &) = delete;

  /// Calls \p body. Returns false, and the address in \p fault, if it touched
  /// memory that it must not touch; it was then abandoned where it was, which
  /// is harmless for kernels and copies: they own no resources.
  template <typename Body>
  static bool protect(Body &&body, const void *&fault) {
    JumpTarget target;
    target.enter();
    if (sigsetjmp(target.environment, /*savemask=*/1) == 0) {
      body();
      target.leave();
      return true;
    }
    fault = target.address;
    target.leave();
    return false;
  }

  /// Where a faulting thread continues.
  struct JumpTarget {
    sigjmp_buf environment;
    const void *volatile address = nullptr;
    void enter();
    void leave();
  };
};

} // namespace turnip::runtime

#endif // TURNIP_LIB_DRIVERS_HOST_FAULTTRAP_H
