//===- GgufParameters.cpp - The tensors of a GGUF file --------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversion.h"
#include "FileParameters.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::parameters;

namespace {
class GgufParameters : public ParameterProvider {
public:
  GgufParameters(std::string path, GgufFile file)
      : path(std::move(path)), file(std::move(file)) {}

  Expected<ParameterInfo> find(const std::string &name) const override;
  Status read(const std::string &name, int64_t first, int64_t count,
              ElementType type, void *dst) const override;
  const void *mapped(const std::string &name, int64_t first, int64_t count,
                     ElementType type) const override;
  std::vector<std::string> names() const override;

private:
  std::string path;
  GgufFile file;
};
} // namespace

std::vector<std::string> GgufParameters::names() const {
  std::vector<std::string> all;
  all.reserve(file.tensors().size());
  for (const GgufTensor &tensor : file.tensors())
    all.emplace_back(tensor.name);
  return all;
}

Expected<ParameterInfo> GgufParameters::find(const std::string &name) const {
  const GgufTensor *tensor = file.findTensor(name);
  if (!tensor)
    return unknownParameter(name, path, names());
  ParameterInfo info;
  info.name = name;
  info.shape = tensor->shape;
  info.storage = tensor->format->name;
  info.type = tensor->format->type;
  info.storedBytes = static_cast<int64_t>(tensor->data.size());
  return info;
}

/// Expands through a buffer on the stack, a few blocks at a time.
static void expandInto(const GgufTensor &tensor, int64_t first, int64_t count,
                       ElementType type, unsigned char *dst) {
  float chunk[1024];
  while (count > 0) {
    int64_t toBoundary = 1024 - first % maxBlockElements;
    int64_t take = std::min(count, toBoundary);
    tensor.expand(first, take, chunk);
    storeFloats(chunk, take, type, dst);
    dst += take * byteSize(type);
    first += take;
    count -= take;
  }
}

const void *GgufParameters::mapped(const std::string &name, int64_t first,
                                   int64_t count, ElementType type) const {
  const GgufTensor *tensor = file.findTensor(name);
  if (!tensor || tensor->format->type != type ||
      !checkRange(first, count, tensor->numElements))
    return nullptr;
  return tensor->data.data() + first * byteSize(type);
}

Status GgufParameters::read(const std::string &name, int64_t first,
                            int64_t count, ElementType type, void *dst) const {
  const GgufTensor *tensor = file.findTensor(name);
  if (!tensor)
    return unknownParameter(name, path, names());
  std::string where = "parameter '" + name + "'";
  TURNIP_RETURN_IF_ERROR(
      checkRange(first, count, tensor->numElements).withContext(where));
  const StorageFormat &format = *tensor->format;
  if (format.type && (*format.type == type || !format.expand))
    return convertElements(tensor->data.data() + first * format.blockBytes,
                           *format.type, count, type, dst)
        .withContext(where);
  if (!isFloat(type))
    return Status::error(StatusCode::BadInput,
                         where + ": cannot read " + format.name +
                             " elements as " + toString(type));
  expandInto(*tensor, first, count, type, static_cast<unsigned char *>(dst));
  return Status::ok();
}

Expected<std::unique_ptr<ParameterProvider>>
turnip::parameters::openGgufParameters(const std::string &path) {
  Expected<GgufFile> file = GgufFile::open(path);
  if (!file)
    return file.status();
  return std::unique_ptr<ParameterProvider>(
      std::make_unique<GgufParameters>(path, std::move(*file)));
}
