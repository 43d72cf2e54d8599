//===- DeviceCache.cpp - Device code by content ---------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry is one line of JSON, followed by the bytes of all objects.
//
//===----------------------------------------------------------------------===//

#include "DeviceCache.h"
#include "../KernelCache.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include <mutex>

using namespace llvm;

namespace turnip::codegen {

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static json::Value toJSON(const BufferPart &part) {
  return json::Array{part.buffer, part.offset};
}

static bool fromJSON(const json::Value &value, BufferPart &part,
                     json::Path path) {
  std::vector<int64_t> pair;
  if (!json::fromJSON(value, pair, path) || pair.size() != 2)
    return false;
  part = {pair[0], pair[1]};
  return true;
}

static json::Value toJSON(const MatmulLaunch &matmul) {
  return json::Object{{"typeA", matmul.typeA},
                      {"typeB", matmul.typeB},
                      {"typeD", matmul.typeD},
                      {"compute", int64_t(matmul.compute)},
                      {"transA", matmul.transA},
                      {"transB", matmul.transB},
                      {"m", matmul.m},
                      {"n", matmul.n},
                      {"k", matmul.k},
                      {"lda", matmul.lda},
                      {"ldb", matmul.ldb},
                      {"ldd", matmul.ldd},
                      {"batch", matmul.batch},
                      {"strideA", matmul.strideA},
                      {"strideB", matmul.strideB},
                      {"strideD", matmul.strideD},
                      {"alpha", matmul.alpha},
                      {"beta", matmul.beta},
                      {"epilogue", int64_t(matmul.epilogue)},
                      {"workspaceOffset", matmul.workspaceOffset},
                      {"workspaceBytes", matmul.workspaceBytes}};
}

static bool fromJSON(const json::Value &value, MatmulLaunch &matmul,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  int64_t compute = 0, epilogue = 0;
  bool read =
      map && map.map("typeA", matmul.typeA) && map.map("typeB", matmul.typeB) &&
      map.map("typeD", matmul.typeD) && map.map("compute", compute) &&
      map.map("transA", matmul.transA) && map.map("transB", matmul.transB) &&
      map.map("m", matmul.m) && map.map("n", matmul.n) &&
      map.map("k", matmul.k) && map.map("lda", matmul.lda) &&
      map.map("ldb", matmul.ldb) && map.map("ldd", matmul.ldd) &&
      map.map("batch", matmul.batch) && map.map("strideA", matmul.strideA) &&
      map.map("strideB", matmul.strideB) &&
      map.map("strideD", matmul.strideD) && map.map("alpha", matmul.alpha) &&
      map.map("beta", matmul.beta) && map.map("epilogue", epilogue) &&
      map.map("workspaceOffset", matmul.workspaceOffset) &&
      map.map("workspaceBytes", matmul.workspaceBytes);
  if (!read || compute < 0 || compute > int64_t(MatmulLaunch::Compute::TF32) ||
      epilogue < 0 || epilogue > int64_t(MatmulLaunch::Epilogue::Bias))
    return false;
  matmul.compute = MatmulLaunch::Compute(compute);
  matmul.epilogue = MatmulLaunch::Epilogue(epilogue);
  return true;
}

static json::Value toJSON(const KernelLaunch &launch) {
  json::Object object{{"buffers", launch.buffers}};
  if (launch.kind == KernelLaunch::Kind::Matmul) {
    object["matmul"] = toJSON(launch.matmul);
    return object;
  }
  std::vector<int64_t> shape(launch.grid.begin(), launch.grid.end());
  shape.insert(shape.end(), launch.block.begin(), launch.block.end());
  object["symbol"] = launch.symbol;
  object["shape"] = shape;
  object["shared"] = int64_t(launch.sharedBytes);
  object["scalars"] =
      std::vector<int64_t>(launch.scalars.begin(), launch.scalars.end());
  return object;
}

static bool fromJSON(const json::Value &value, KernelLaunch &launch,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  if (!map || !map.map("buffers", launch.buffers))
    return false;
  if (const json::Value *matmul = value.getAsObject()->get("matmul")) {
    launch.kind = KernelLaunch::Kind::Matmul;
    return fromJSON(*matmul, launch.matmul, path.field("matmul"));
  }
  std::vector<int64_t> shape, scalars;
  int64_t shared = 0;
  if (!map.map("symbol", launch.symbol) || !map.map("shape", shape) ||
      !map.map("shared", shared) || !map.map("scalars", scalars) ||
      shape.size() != 6)
    return false;
  std::copy_n(shape.begin(), 3, launch.grid.begin());
  std::copy_n(shape.begin() + 3, 3, launch.block.begin());
  launch.sharedBytes = shared;
  launch.scalars.assign(scalars.begin(), scalars.end());
  return true;
}

namespace gpu {

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

namespace {
struct ProcessCache {
  std::mutex mutex;
  StringMap<DeviceBinary> kernels;
};
} // namespace

static ProcessCache &processCache() {
  static ProcessCache cache;
  return cache;
}

static std::string encode(const DeviceBinary &binary) {
  json::Array objects, pairs;
  for (const DeviceObject &object : binary.objects)
    objects.push_back(json::Object{{"triple", object.triple},
                                   {"features", object.features},
                                   {"format", object.format},
                                   {"size", int64_t(object.code.size())}});
  for (auto [operand, result] : binary.inplace)
    pairs.push_back(json::Array{operand, result});
  json::Object header{{"objects", std::move(objects)},
                      {"launches", binary.launches},
                      {"workspace", binary.workspaceBytes},
                      {"inplace", std::move(pairs)}};
  std::string text;
  raw_string_ostream os(text);
  os << json::Value(std::move(header)) << '\n';
  for (const DeviceObject &object : binary.objects)
    os << object.code;
  return text;
}

static std::optional<DeviceBinary> decode(StringRef text) {
  auto [line, code] = text.split('\n');
  Expected<json::Value> value = json::parse(line);
  if (!value) {
    consumeError(value.takeError());
    return std::nullopt;
  }
  json::Path::Root root;
  json::ObjectMapper map(*value, root);
  DeviceBinary binary;
  std::vector<std::vector<int64_t>> pairs;
  const json::Object *header = value->getAsObject();
  const json::Array *objects = header ? header->getArray("objects") : nullptr;
  if (!map || !objects || !map.map("launches", binary.launches) ||
      !map.map("workspace", binary.workspaceBytes) ||
      !map.map("inplace", pairs))
    return std::nullopt;
  for (const std::vector<int64_t> &pair : pairs) {
    if (pair.size() != 2)
      return std::nullopt;
    binary.inplace.push_back({pair[0], pair[1]});
  }
  for (const json::Value &entry : *objects) {
    json::ObjectMapper fields(entry, root);
    DeviceObject object;
    int64_t size = 0;
    if (!fields || !fields.map("triple", object.triple) ||
        !fields.map("features", object.features) ||
        !fields.map("format", object.format) || !fields.map("size", size) ||
        size < 0 || size_t(size) > code.size())
      return std::nullopt;
    object.code = code.take_front(size).str();
    code = code.drop_front(size);
    binary.objects.push_back(std::move(object));
  }
  return code.empty() ? std::optional(binary) : std::nullopt;
}

std::optional<DeviceBinary> lookUpDeviceKernel(StringRef key,
                                               const KernelOptions &options) {
  ProcessCache &cache = processCache();
  {
    std::lock_guard<std::mutex> lock(cache.mutex);
    auto it = cache.kernels.find(key);
    if (it != cache.kernels.end())
      return it->second;
  }
  std::optional<std::string> content = readCacheFile(key, options);
  std::optional<DeviceBinary> binary =
      content ? decode(*content) : std::nullopt;
  if (!binary)
    return std::nullopt;
  std::lock_guard<std::mutex> lock(cache.mutex);
  return cache.kernels.try_emplace(key, std::move(*binary)).first->second;
}

void storeDeviceKernel(StringRef key, const DeviceBinary &binary,
                       const KernelOptions &options) {
  {
    ProcessCache &cache = processCache();
    std::lock_guard<std::mutex> lock(cache.mutex);
    cache.kernels.try_emplace(key, binary);
  }
  writeCacheFile(key, encode(binary), options);
}

} // namespace gpu
} // namespace turnip::codegen
