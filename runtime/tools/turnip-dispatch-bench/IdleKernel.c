//===- IdleKernel.c - A device function that does nothing -----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/standin/ThreadABI.h"

const uint32_t idle_params = 0;
void idle(void **params, const TurnipStandInThread *thread) {
  (void)params;
  (void)thread;
}
