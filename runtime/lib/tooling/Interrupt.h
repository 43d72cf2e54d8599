//===- Interrupt.h - Ctrl-C stops a session ---------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_TOOLING_INTERRUPT_H
#define TURNIP_LIB_TOOLING_INTERRUPT_H

#include "turnip/runtime/Session.h"

#include <csignal>

namespace turnip::tooling {

/// While alive, SIGINT asks a session to stop; a second one ends the process.
/// One at a time.
class InterruptHandler {
public:
  explicit InterruptHandler(runtime::Session &session);
  ~InterruptHandler();
  InterruptHandler(const InterruptHandler &) = delete;
  InterruptHandler &operator=(const InterruptHandler &) = delete;

private:
  struct sigaction previous;
};

} // namespace turnip::tooling

#endif // TURNIP_LIB_TOOLING_INTERRUPT_H
