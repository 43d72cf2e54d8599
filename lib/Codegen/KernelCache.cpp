//===- KernelCache.cpp - Compiled kernels by content ----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelCache.h"
#include "Backend.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <mutex>

using namespace llvm;

namespace turnip::codegen {

#include "GeneratorDigest.inc"

namespace {
struct ProcessCache {
  std::mutex mutex;
  StringMap<KernelBinary> kernels;
};
} // namespace

static ProcessCache &processCache() {
  static ProcessCache cache;
  return cache;
}

std::string kernelCacheKey(StringRef text, StringRef target) {
  SHA256 hash;
  hash.update(kGeneratorDigest);
  hash.update(LLVM_VERSION_STRING);
  hash.update(target);
  hash.update(text);
  return toHex(hash.final(), /*LowerCase=*/true);
}

static std::string cacheFolder(const KernelOptions &options) {
  if (!options.cacheDirectory.empty())
    return options.cacheDirectory;
  const char *variable = std::getenv("TURNIP_KERNEL_CACHE");
  return variable ? variable : "";
}

/// A cached kernel is one line of JSON followed by the object's bytes.
static std::string encode(const KernelBinary &binary) {
  json::Array pairs;
  for (auto [operand, result] : binary.inplace)
    pairs.push_back(json::Array{operand, result});
  json::Object header{
      {"grid", binary.gridSize},     {"workspace", binary.workspaceBytes},
      {"flops", binary.flops},       {"bytes", binary.bytes},
      {"inplace", std::move(pairs)}, {"size", int64_t(binary.object.size())}};
  std::string text;
  raw_string_ostream os(text);
  os << json::Value(std::move(header)) << '\n' << binary.object;
  return text;
}

static std::optional<KernelBinary> decode(StringRef text) {
  auto [line, object] = text.split('\n');
  Expected<json::Value> value = json::parse(line);
  if (!value) {
    consumeError(value.takeError());
    return std::nullopt;
  }
  const json::Object *header = value->getAsObject();
  if (!header || header->getInteger("size") != int64_t(object.size()))
    return std::nullopt;
  KernelBinary binary;
  binary.object = object.str();
  for (auto [name, field] :
       {std::pair("grid", &binary.gridSize),
        std::pair("workspace", &binary.workspaceBytes),
        std::pair("flops", &binary.flops), std::pair("bytes", &binary.bytes)}) {
    std::optional<int64_t> number = header->getInteger(name);
    if (!number)
      return std::nullopt;
    *field = *number;
  }
  const json::Array *pairs = header->getArray("inplace");
  if (!pairs)
    return std::nullopt;
  for (const json::Value &pair : *pairs) {
    const json::Array *two = pair.getAsArray();
    if (!two || two->size() != 2 || !(*two)[0].getAsInteger() ||
        !(*two)[1].getAsInteger())
      return std::nullopt;
    binary.inplace.push_back(
        {*(*two)[0].getAsInteger(), *(*two)[1].getAsInteger()});
  }
  if (Error error = checkUndefinedSymbols(binary.object)) {
    consumeError(std::move(error));
    return std::nullopt;
  }
  return binary;
}

static SmallString<128> cacheFile(StringRef folder, StringRef key) {
  SmallString<128> path(folder);
  sys::path::append(path, key + ".kernel");
  return path;
}

std::optional<std::string> readCacheFile(StringRef key,
                                         const KernelOptions &options) {
  std::string folder = cacheFolder(options);
  if (folder.empty())
    return std::nullopt;
  auto buffer = MemoryBuffer::getFile(cacheFile(folder, key));
  if (!buffer)
    return std::nullopt;
  return (*buffer)->getBuffer().str();
}

void writeCacheFile(StringRef key, StringRef content,
                    const KernelOptions &options) {
  std::string folder = cacheFolder(options);
  if (folder.empty() || sys::fs::create_directories(folder))
    return;
  // Written aside and renamed, so that readers never see half a file.
  SmallString<128> temporary;
  int fd = -1;
  SmallString<128> model(folder);
  sys::path::append(model, "kernel-%%%%%%%%.tmp");
  if (sys::fs::createUniqueFile(model, fd, temporary))
    return;
  {
    raw_fd_ostream os(fd, /*shouldClose=*/true);
    os << content;
    os.close();
    if (os.has_error()) {
      os.clear_error();
      sys::fs::remove(temporary);
      return;
    }
  }
  if (sys::fs::rename(temporary, cacheFile(folder, key)))
    sys::fs::remove(temporary);
}

std::optional<KernelBinary> lookUpKernel(StringRef key,
                                         const KernelOptions &options) {
  ProcessCache &cache = processCache();
  {
    std::lock_guard<std::mutex> lock(cache.mutex);
    auto it = cache.kernels.find(key);
    if (it != cache.kernels.end())
      return it->second;
  }
  std::optional<std::string> content = readCacheFile(key, options);
  std::optional<KernelBinary> binary =
      content ? decode(*content) : std::nullopt;
  if (!binary)
    return std::nullopt;
  std::lock_guard<std::mutex> lock(cache.mutex);
  return cache.kernels.try_emplace(key, std::move(*binary)).first->second;
}

void storeKernel(StringRef key, const KernelBinary &binary,
                 const KernelOptions &options) {
  {
    ProcessCache &cache = processCache();
    std::lock_guard<std::mutex> lock(cache.mutex);
    cache.kernels.try_emplace(key, binary);
  }
  writeCacheFile(key, encode(binary), options);
}

} // namespace turnip::codegen
