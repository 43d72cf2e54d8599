//===- FaultTrap.cpp - Memory faults as errors of operations --------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FaultTrap.h"

#include <csignal>
#include <mutex>

using namespace turnip::runtime;

static thread_local FaultTrap::JumpTarget *currentTarget = nullptr;

static std::mutex trapMutex;
static unsigned trapUsers = 0;
static struct sigaction previousSegv, previousBus;

static void onFault(int, siginfo_t *info, void *) {
  if (FaultTrap::JumpTarget *target = currentTarget) {
    target->address = info->si_addr;
    siglongjmp(target->environment, 1);
  }
  // Not ours: let the instruction fault again under the previous handling.
  sigaction(SIGSEGV, &previousSegv, nullptr);
  sigaction(SIGBUS, &previousBus, nullptr);
}

FaultTrap::FaultTrap() {
  std::lock_guard<std::mutex> lock(trapMutex);
  if (trapUsers++)
    return;
  struct sigaction action = {};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &previousSegv);
  sigaction(SIGBUS, &action, &previousBus);
}

FaultTrap::~FaultTrap() {
  std::lock_guard<std::mutex> lock(trapMutex);
  if (--trapUsers)
    return;
  sigaction(SIGSEGV, &previousSegv, nullptr);
  sigaction(SIGBUS, &previousBus, nullptr);
}

void FaultTrap::JumpTarget::enter() { currentTarget = this; }
void FaultTrap::JumpTarget::leave() { currentTarget = nullptr; }
