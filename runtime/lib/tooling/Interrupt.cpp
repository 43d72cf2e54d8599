//===- Interrupt.cpp - Ctrl-C as a flag -----------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interrupt.h"

using namespace turnip::tooling;

static std::atomic<bool> interrupted{false};

static void onInterrupt(int) { interrupted.store(true); }

InterruptHandler::InterruptHandler() {
  interrupted.store(false);
  struct sigaction action = {};
  action.sa_handler = onInterrupt;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, &previous);
}

InterruptHandler::~InterruptHandler() { sigaction(SIGINT, &previous, nullptr); }

const std::atomic<bool> &InterruptHandler::flag() { return interrupted; }
