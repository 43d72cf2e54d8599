//===- Results.cpp - Results without a copy of the whole ------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Results.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

using namespace turnip;
using namespace turnip::tooling;

namespace {
/// Hands out the bytes of a result in order, some at a time.
class ResultReader {
public:
  ResultReader(const runtime::Session &session, const artifact::Binding &result)
      : session(session), result(result),
        numElements(countElements(result.shape).value_or(0)) {}

  /// The bytes that follow those of the call before; none at the end.
  Expected<std::string_view> next() {
    constexpr int64_t chunkBytes = 1 << 20;
    const int64_t elementBytes = byteSize(result.type);
    int64_t count =
        std::min(chunkBytes / elementBytes, numElements - nextElement);
    chunk.resize(static_cast<size_t>(count * elementBytes));
    TURNIP_RETURN_IF_ERROR(
        session.readResult(result.name, nextElement, count, chunk.data()));
    nextElement += count;
    return std::string_view(chunk);
  }

private:
  const runtime::Session &session;
  const artifact::Binding &result;
  const int64_t numElements;
  int64_t nextElement = 0;
  std::string chunk;
};
} // namespace

Expected<uint64_t> tooling::hashResult(const runtime::Session &session,
                                       const artifact::Binding &result) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  auto add = [&hash](std::string_view bytes) {
    for (char byte : bytes)
      hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  };
  add(describe(result.fileShape, result.type));
  ResultReader reader(session, result);
  while (true) {
    Expected<std::string_view> bytes = reader.next();
    if (!bytes)
      return bytes.status();
    if (bytes->empty())
      return hash;
    add(*bytes);
  }
}

std::string tooling::hashText(uint64_t hash) {
  char buffer[17];
  std::snprintf(buffer, sizeof(buffer), "%016" PRIx64, hash);
  return buffer;
}

Status tooling::writeResult(const runtime::Session &session,
                            const std::string &name, const std::string &path) {
  for (const artifact::Binding &result : session.entry().results) {
    if (result.name != name)
      continue;
    std::string header = parameters::npyHeader(result.fileShape, result.type);
    ResultReader reader(session, result);
    bool first = true;
    return parameters::writeFileInPieces(path,
                                         [&]() -> Expected<std::string_view> {
                                           if (!first)
                                             return reader.next();
                                           first = false;
                                           return std::string_view(header);
                                         });
  }
  // The session words the error.
  return session.result(name).status();
}
