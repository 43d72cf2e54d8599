//===- FuzzLoad.cpp - Loading arbitrary bytes -----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The target of utils/fuzz.sh. artifact-tests calls it for every file of the
// stored corpus.
//
//===----------------------------------------------------------------------===//

#include "Sample.h"
#include "turnip/artifact/Artifact.h"
#include "turnip/runtime/Replan.h"

#include <cstdio>
#include <cstdlib>

using namespace turnip;
using namespace turnip::artifact;

static void require(bool condition, const char *what) {
  if (condition)
    return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

/// Loads \p bytes, with and without the proof: a module that can be written and
/// read again, or one line of text that says why there is none.
static void tryLoad(const std::string &bytes, bool verifyPlacement) {
  LoadOptions options;
  options.verifyPlacement = verifyPlacement;
  Expected<Module> module = load(bytes, options);
  if (!module) {
    const std::string &message = module.status().message();
    require(module.status().code() == StatusCode::BadInput,
            "an error that is not bad input");
    require(!message.empty(), "an error without a message");
    return;
  }
  // What it was planned from is a problem, or there is one line of text again.
  for (const Entry &entry : module->entries) {
    Expected<planner::Problem> problem = runtime::problemOf(*module, entry);
    Status status = problem ? problem->check() : problem.status();
    require(status.isOk() || !status.message().empty(),
            "an error without a message");
  }
  Expected<std::string> written = serialize(*module);
  require(written.isOk(), "a module was read that cannot be written");
  Expected<Module> again = load(*written, options);
  require(again.isOk(), "a module was written that cannot be read");
  Expected<std::string> rewritten = serialize(*again);
  require(rewritten.isOk() && *rewritten == *written,
          "a module changes as it is written and read");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  tryLoad(bytes, true);
  fixHash(bytes);
  tryLoad(bytes, false);
  tryLoad(bytes, true);
  return 0;
}
