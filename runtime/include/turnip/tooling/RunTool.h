//===- RunTool.h - turnip-run as a library ----------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TOOLING_RUNTOOL_H
#define TURNIP_TOOLING_RUNTOOL_H

#include <iosfwd>
#include <string>
#include <vector>

namespace turnip::tooling {

/// Does what turnip-run with \p arguments (without the program's name) does:
/// results to \p out, one line per error to \p err. Returns the exit code. One
/// call at a time: it handles SIGINT while it runs.
int runTool(const std::vector<std::string> &arguments, std::ostream &out,
            std::ostream &err);

} // namespace turnip::tooling

#endif // TURNIP_TOOLING_RUNTOOL_H
