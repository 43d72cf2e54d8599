//===- Usage.h - Time and memory of a stretch of a program ------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TOOLS_PLANNERBENCH_USAGE_H
#define TURNIP_TOOLS_PLANNERBENCH_USAGE_H

#include <chrono>

namespace turnip::planner::bench {

/// Measures from construction to stop(): wall-clock time, and the largest
/// resident size of the process, what it held before included. Where the system
/// cannot reset that peak it is the one since the program started.
class Usage {
public:
  Usage();
  void stop();

  double seconds() const { return time; }
  double mebibytes() const { return peak; }

private:
  std::chrono::steady_clock::time_point start;
  double time = 0, peak = 0;
};

} // namespace turnip::planner::bench

#endif // TURNIP_TOOLS_PLANNERBENCH_USAGE_H
