//===- Generate.h - Continuing a prompt -------------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_TOOLING_GENERATE_H
#define TURNIP_LIB_TOOLING_GENERATE_H

#include "RunOptions.h"
#include "turnip/runtime/Session.h"
#include "turnip/tokenizer/Tokenizer.h"

#include <iosfwd>
#include <optional>

namespace turnip::tooling {

/// Continues a sequence of tokens by repeated runs of a program that takes all
/// tokens at once: the tokens so far are padded to its length, and the next one
/// is the most probable at the last of them.
class Generator {
public:
  /// Finds the program's tokens and logits, and reads the prompt of
  /// \p options. Errors: InvalidArgument when the program is none that
  /// continues tokens or the prompt does not fit it.
  static Expected<Generator> create(runtime::Session &session,
                                    const RunOptions &options);

  /// Generates; text (with a vocabulary) or ids go to \p out as they come.
  /// Where the program's length ends it early, a note goes to \p err. \p times
  /// gets the seconds of each run.
  Status run(std::ostream &out, std::ostream &err, std::vector<double> &times);

private:
  Generator(runtime::Session &session, const RunOptions &options)
      : session(session), options(options) {}

  Status findTensors();
  Status readPrompt();
  Expected<int32_t> next();

  runtime::Session &session;
  const RunOptions &options;
  const artifact::Binding *input = nullptr;
  const artifact::Binding *logits = nullptr;
  /// Tokens that the program takes, and size of its vocabulary.
  int64_t length = 0;
  int64_t vocabulary = 0;
  std::optional<tokenizer::Tokenizer> tokenizer;
  std::vector<int32_t> tokens;
};

} // namespace turnip::tooling

#endif // TURNIP_LIB_TOOLING_GENERATE_H
