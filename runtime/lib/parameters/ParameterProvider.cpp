//===- ParameterProvider.cpp - Parameters by name -------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/parameters/ParameterProvider.h"

#include "FileParameters.h"
#include "turnip/support/MappedFile.h"

#include <algorithm>
#include <charconv>
#include <sys/stat.h>

using namespace turnip;
using namespace turnip::parameters;

ParameterProvider::~ParameterProvider() = default;

const void *ParameterProvider::mapped(const std::string & /*name*/,
                                      int64_t /*first*/, int64_t /*count*/,
                                      ElementType /*type*/) const {
  return nullptr;
}

int64_t ParameterInfo::numElements() const {
  return anyShape ? 0 : countElements(shape).value_or(0);
}

/// The number of single-character edits between \p a and \p b.
static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t above = row[j];
      size_t change = diagonal + (a[i - 1] != b[j - 1]);
      row[j] = std::min({above + 1, row[j - 1] + 1, change});
      diagonal = above;
    }
  }
  return row[b.size()];
}

Status
turnip::parameters::unknownParameter(const std::string &name,
                                     const std::string &source,
                                     const std::vector<std::string> &known) {
  std::string message = "'" + source + "' has no parameter '" + name + "'";
  const std::string *closest = nullptr;
  size_t least = name.size() / 3 + 2;
  for (const std::string &candidate : known) {
    size_t distance = editDistance(name, candidate);
    if (distance < least) {
      least = distance;
      closest = &candidate;
    }
  }
  if (closest)
    message += "; did you mean '" + *closest + "'?";
  return Status::error(StatusCode::BadInput, message);
}

template <typename T> static bool parseNumber(std::string_view text, T &value) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc() &&
         end == text.data() + text.size();
}

static Status badSpec(const std::string &spec, const char *wanted) {
  return Status::error(StatusCode::InvalidArgument, std::string("expected ") +
                                                        wanted + ", but got '" +
                                                        spec + "'");
}

Expected<std::unique_ptr<ParameterProvider>>
turnip::parameters::openParameters(const std::string &spec) {
  constexpr std::string_view random = "random:", splat = "splat:";
  std::string_view text = spec;
  if (text.substr(0, random.size()) == random) {
    uint64_t seed = 0;
    if (!parseNumber(text.substr(random.size()), seed))
      return badSpec(spec, "random:SEED with an unsigned integer");
    return makeRandomParameters(seed);
  }
  if (text.substr(0, splat.size()) == splat) {
    double value = 0;
    if (!parseNumber(text.substr(splat.size()), value))
      return badSpec(spec, "splat:VALUE with a number");
    return makeSplatParameters(value);
  }
  struct stat info;
  if (stat(spec.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
    return openNpyDirectory(spec);
  Expected<MappedFile> file = MappedFile::open(spec);
  if (!file)
    return file.status();
  if (GgufFile::isGguf(file->bytes()))
    return openGgufParameters(spec);
  return Status::error(
      StatusCode::BadInput,
      "'" + spec +
          "' is not a parameter file; known are GGUF files, directories of "
          ".npy files, random:SEED and splat:VALUE");
}
