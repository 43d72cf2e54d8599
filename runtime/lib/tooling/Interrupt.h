//===- Interrupt.h - Ctrl-C as a flag ---------------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_TOOLING_INTERRUPT_H
#define TURNIP_LIB_TOOLING_INTERRUPT_H

#include <atomic>
#include <csignal>

namespace turnip::tooling {

/// While alive, SIGINT sets a flag; a second one ends the process. One at a
/// time.
class InterruptHandler {
public:
  InterruptHandler();
  ~InterruptHandler();
  InterruptHandler(const InterruptHandler &) = delete;
  InterruptHandler &operator=(const InterruptHandler &) = delete;

  /// True once there was a SIGINT. Lives as long as the process.
  static const std::atomic<bool> &flag();

private:
  struct sigaction previous;
};

} // namespace turnip::tooling

#endif // TURNIP_LIB_TOOLING_INTERRUPT_H
