//===- Usage.cpp - Time and memory of a stretch of a program --------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Usage.h"

#include <fstream>
#include <string>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

using namespace turnip::planner::bench;

Usage::Usage() {
#if defined(__GLIBC__)
  // What was freed before must not count.
  malloc_trim(0);
#endif
  // Linux: resets VmHWM (proc_pid_clear_refs(5)).
  std::ofstream("/proc/self/clear_refs") << "5";
  start = std::chrono::steady_clock::now();
}

void Usage::stop() {
  time = std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
             .count();
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0)
      peak = std::stod(line.substr(6)) / 1024;
}
