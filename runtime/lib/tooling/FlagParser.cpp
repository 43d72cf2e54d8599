//===- FlagParser.cpp - Command line flags --------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlagParser.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

using namespace turnip;
using namespace turnip::tooling;

static Status usage(const std::string &message) {
  return Status::error(StatusCode::InvalidArgument, message);
}

void FlagParser::addValue(std::string name, std::string placeholder,
                          std::string help, Handler handler) {
  flags.push_back({std::move(name), std::move(placeholder), std::move(help),
                   std::move(handler)});
}

void FlagParser::addOptionalValue(std::string name, std::string placeholder,
                                  std::string help, Handler handler) {
  addValue(std::move(name), std::move(placeholder), std::move(help),
           std::move(handler));
  flags.back().needsValue = false;
}

void FlagParser::addSwitch(std::string name, std::string help, bool &value) {
  flags.push_back(
      {std::move(name), "", std::move(help), [&value](const std::string &) {
         value = true;
         return Status::ok();
       }});
}

void FlagParser::addString(std::string name, std::string placeholder,
                           std::string help, std::string &value) {
  addValue(std::move(name), std::move(placeholder), std::move(help),
           [&value](const std::string &text) {
             value = text;
             return text.empty() ? usage("expected a value after '='")
                                 : Status::ok();
           });
}

/// Reads all of \p text as a number in [minimum, maximum].
template <typename T>
static Status readNumber(const std::string &text, T minimum, T maximum,
                         T &value) {
  const char *last = text.data() + text.size();
  T parsed = 0;
  auto [end, error] = std::from_chars(text.data(), last, parsed);
  if (error == std::errc() && end == last && parsed >= minimum &&
      parsed <= maximum) {
    value = parsed;
    return Status::ok();
  }
  std::ostringstream message;
  message << "expected a number from " << minimum << " to " << maximum
          << ", but got '" << text << "'";
  return usage(message.str());
}

void FlagParser::addUnsigned(std::string name, std::string placeholder,
                             std::string help, uint64_t minimum,
                             uint64_t maximum, uint64_t &value) {
  addValue(std::move(name), std::move(placeholder), std::move(help),
           [=, &value](const std::string &text) {
             return readNumber(text, minimum, maximum, value);
           });
}

void FlagParser::addNumber(std::string name, std::string placeholder,
                           std::string help, double minimum, double maximum,
                           double &value) {
  addValue(std::move(name), std::move(placeholder), std::move(help),
           [=, &value](const std::string &text) {
             return readNumber(text, minimum, maximum, value);
           });
}

/// The number of characters to insert, delete or replace to get from \p a to
/// \p b.
static size_t editDistance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string FlagParser::suggest(const std::string &name) const {
  const Flag *best = nullptr;
  size_t bestDistance = 3;
  for (const Flag &flag : flags) {
    size_t distance = editDistance(name, flag.name);
    if (distance < bestDistance && !flag.help.empty()) {
      best = &flag;
      bestDistance = distance;
    }
  }
  return best ? "; did you mean '--" + best->name + "'?" : "";
}

Status FlagParser::handle(const std::string &argument) const {
  size_t equals = argument.find('=');
  std::string name = argument.substr(2, equals - 2);
  bool hasValue = equals != std::string::npos;
  for (const Flag &flag : flags) {
    if (flag.name != name)
      continue;
    if (hasValue && flag.placeholder.empty())
      return usage("flag '--" + name + "' takes no value");
    if (!hasValue && !flag.placeholder.empty() && flag.needsValue)
      return usage(std::string("flag '--")
                       .append(name)
                       .append("' needs a value: --")
                       .append(name)
                       .append("=")
                       .append(flag.placeholder));
    return flag.handler(hasValue ? argument.substr(equals + 1) : "")
        .withContext("flag '--" + name + "'");
  }
  return usage("unknown flag '--" + name + "'" + suggest(name));
}

/// Whether \p argument is a flag whose value is missing. One that can do
/// without never takes what follows, which may be the artifact.
bool FlagParser::wantsValue(const std::string &argument) const {
  return std::any_of(flags.begin(), flags.end(), [&](const Flag &flag) {
    return !flag.placeholder.empty() && flag.needsValue &&
           argument == "--" + flag.name;
  });
}

Status FlagParser::parse(const std::vector<std::string> &arguments,
                         std::vector<std::string> &positional) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string argument = arguments[i];
    if (wantsValue(argument) && i + 1 < arguments.size() &&
        arguments[i + 1].compare(0, 2, "--") != 0)
      argument += "=" + arguments[++i];
    if (argument.compare(0, 2, "--") == 0)
      TURNIP_RETURN_IF_ERROR(handle(argument));
    else if (argument.size() > 1 && argument[0] == '-')
      return usage("unknown flag '" + argument + "'" +
                   suggest(argument.substr(1)));
    else
      positional.push_back(argument);
  }
  return Status::ok();
}

std::string FlagParser::help() const {
  std::string text;
  for (const Flag &flag : flags) {
    if (flag.help.empty())
      continue;
    std::string left = "  --" + flag.name;
    if (!flag.placeholder.empty())
      left += flag.needsValue ? "=" + flag.placeholder
                              : "[=" + flag.placeholder + "]";
    left.resize(std::max<size_t>(left.size() + 2, 30), ' ');
    text += left + flag.help + "\n";
  }
  return text;
}
