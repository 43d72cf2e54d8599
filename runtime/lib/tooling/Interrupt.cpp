//===- Interrupt.cpp - Ctrl-C stops a session -----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interrupt.h"

#include <atomic>

using namespace turnip::tooling;

static std::atomic<turnip::runtime::Session *> interruptedSession{nullptr};

static void onInterrupt(int) {
  if (turnip::runtime::Session *session = interruptedSession.load())
    session->requestStop();
}

InterruptHandler::InterruptHandler(runtime::Session &session) {
  interruptedSession.store(&session);
  struct sigaction action = {};
  action.sa_handler = onInterrupt;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, &previous);
}

InterruptHandler::~InterruptHandler() {
  sigaction(SIGINT, &previous, nullptr);
  interruptedSession.store(nullptr);
}
