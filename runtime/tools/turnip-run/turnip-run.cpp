//===- turnip-run.cpp - Runs compiled programs ----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/tooling/RunTool.h"

#include <iostream>

int main(int argc, char **argv) {
  return turnip::tooling::runTool({argv + 1, argv + argc}, std::cout,
                                  std::cerr);
}
