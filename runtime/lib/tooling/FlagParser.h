//===- FlagParser.h - Command line flags ------------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_TOOLING_FLAGPARSER_H
#define TURNIP_LIB_TOOLING_FLAGPARSER_H

#include "turnip/support/Status.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace turnip::tooling {

/// A table of flags in the form --name, --name=VALUE or --name VALUE, and what
/// each does.
class FlagParser {
public:
  using Handler = std::function<Status(const std::string &)>;

  /// Adds --\p name=\p placeholder. Flags with an empty \p help are not listed.
  void addValue(std::string name, std::string placeholder, std::string help,
                Handler handler);
  /// Adds --\p name, or --\p name=\p placeholder; the handler gets an empty
  /// text where there is no value.
  void addOptionalValue(std::string name, std::string placeholder,
                        std::string help, Handler handler);
  /// Adds a flag that takes no value.
  void addSwitch(std::string name, std::string help, bool &value);
  /// Shorthands for values that are stored as they are or checked.
  void addString(std::string name, std::string placeholder, std::string help,
                 std::string &value);
  void addUnsigned(std::string name, std::string placeholder, std::string help,
                   uint64_t minimum, uint64_t maximum, uint64_t &value);
  void addNumber(std::string name, std::string placeholder, std::string help,
                 double minimum, double maximum, double &value);

  /// Handles \p arguments in order; what is no flag goes to \p positional.
  /// Errors are InvalidArgument; an unknown flag gets a suggestion when one is
  /// close.
  Status parse(const std::vector<std::string> &arguments,
               std::vector<std::string> &positional) const;

  /// The listed flags, one per line.
  std::string help() const;

private:
  struct Flag {
    std::string name;
    /// Empty for a switch.
    std::string placeholder;
    std::string help;
    Handler handler;
    bool needsValue = true;
  };

  Status handle(const std::string &argument) const;
  bool wantsValue(const std::string &argument) const;
  std::string suggest(const std::string &name) const;

  std::vector<Flag> flags;
};

} // namespace turnip::tooling

#endif // TURNIP_LIB_TOOLING_FLAGPARSER_H
