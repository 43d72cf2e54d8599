//===- Replanning.h - Flags for planning an artifact again ------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_TOOLING_REPLANNING_H
#define TURNIP_LIB_TOOLING_REPLANNING_H

#include "FlagParser.h"
#include "turnip/runtime/Driver.h"
#include "turnip/runtime/Program.h"

#include <string>

namespace turnip::tooling {

/// What the flags say about planning the artifact again.
struct ReplanFlags {
  /// Whether any of them was given that changes the plan.
  bool given = false;
  /// --device-memory=auto.
  bool automaticMemory = false;
  bool noCache = false;
  /// The folder of plans; empty: the usual one.
  std::string cacheFolder;
  runtime::ReplanOptions options;

  /// Adds the flags to \p parser; this must outlive it.
  void addTo(FlagParser &parser);
};

/// A program, and how it was planned again.
struct LoadedProgram {
  runtime::Program program;
  bool replanned = false;
  /// The plan was in the cache.
  bool cached = false;
  /// From the loaded artifact to a program that is proved.
  double seconds = 0;
  /// Of each device, as planned for; and why, if it was chosen automatically.
  uint64_t deviceMemory = 0;
  std::string reason;

  /// "planned again for ... in ... ms\n" or nothing.
  std::string toText() const;
  /// A JSON object; only where it was replanned.
  std::string toJson() const;
};

/// Loads the artifact at \p path and plans entry \p entry again where \p flags
/// ask for it; \p driver says what auto is. Errors: as Program::load() and
/// Program::replanned().
Expected<LoadedProgram> loadProgram(const std::string &path,
                                    const std::string &entry,
                                    const ReplanFlags &flags,
                                    const runtime::Driver &driver);

} // namespace turnip::tooling

#endif // TURNIP_LIB_TOOLING_REPLANNING_H
