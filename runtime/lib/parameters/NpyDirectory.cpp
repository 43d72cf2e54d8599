//===- NpyDirectory.cpp - A directory of .npy files -----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversion.h"
#include "FileParameters.h"
#include "NpyFormat.h"
#include "turnip/support/MappedFile.h"

#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <map>

using namespace turnip;
using namespace turnip::parameters;

namespace {
struct Entry {
  MappedFile file;
  NpyContents contents;
};

class NpyDirectory : public ParameterProvider {
public:
  explicit NpyDirectory(std::string path) : path(std::move(path)) {}

  Status add(const std::string &fileName);
  Expected<ParameterInfo> find(const std::string &name) const override;
  Status read(const std::string &name, int64_t first, int64_t count,
              ElementType type, void *dst) const override;
  const void *mapped(const std::string &name, int64_t first, int64_t count,
                     ElementType type) const override;
  std::vector<std::string> names() const override;

private:
  std::string path;
  std::map<std::string, Entry> entries;
};
} // namespace

static constexpr std::string_view extension = ".npy";

Status NpyDirectory::add(const std::string &fileName) {
  std::string full = path + "/" + fileName;
  Expected<MappedFile> file = MappedFile::open(full);
  if (!file)
    return file.status();
  Expected<NpyContents> contents =
      splitNpy(file->bytes()).withContext("'" + full + "'");
  if (!contents)
    return contents.status();
  if (contents->fortranOrder || contents->isDouble)
    return Status::error(StatusCode::BadInput,
                         "'" + full +
                             "': expected a parameter in C order of a type "
                             "other than f8");
  std::string name = fileName.substr(0, fileName.size() - extension.size());
  entries.emplace(name, Entry{std::move(*file), std::move(*contents)});
  return Status::ok();
}

std::vector<std::string> NpyDirectory::names() const {
  std::vector<std::string> all;
  all.reserve(entries.size());
  for (const auto &[name, entry] : entries)
    all.push_back(name);
  return all;
}

Expected<ParameterInfo> NpyDirectory::find(const std::string &name) const {
  auto it = entries.find(name);
  if (it == entries.end())
    return unknownParameter(name, path, names());
  const NpyContents &contents = it->second.contents;
  ParameterInfo info;
  info.name = name;
  info.shape = contents.shape;
  info.storage = toString(contents.type);
  info.type = contents.type;
  info.storedBytes = static_cast<int64_t>(contents.data.size());
  return info;
}

const void *NpyDirectory::mapped(const std::string &name, int64_t first,
                                 int64_t count, ElementType type) const {
  auto it = entries.find(name);
  if (it == entries.end() || it->second.contents.type != type ||
      !checkRange(first, count, it->second.contents.numElements))
    return nullptr;
  return it->second.contents.data.data() + first * byteSize(type);
}

Status NpyDirectory::read(const std::string &name, int64_t first, int64_t count,
                          ElementType type, void *dst) const {
  auto it = entries.find(name);
  if (it == entries.end())
    return unknownParameter(name, path, names());
  const NpyContents &contents = it->second.contents;
  std::string where = "parameter '" + name + "'";
  TURNIP_RETURN_IF_ERROR(
      checkRange(first, count, contents.numElements).withContext(where));
  return convertElements(contents.data.data() + first * byteSize(contents.type),
                         contents.type, count, type, dst)
      .withContext(where);
}

/// The names of the .npy files in \p path.
static Expected<std::vector<std::string>> listFiles(const std::string &path) {
  DIR *directory = opendir(path.c_str());
  if (!directory)
    return Status::error(StatusCode::Io,
                         "cannot open '" + path + "': " + strerror(errno));
  std::vector<std::string> files;
  while (dirent *entry = readdir(directory)) {
    std::string name = entry->d_name;
    if (name.size() > extension.size() &&
        name.compare(name.size() - extension.size(), std::string::npos,
                     extension) == 0)
      files.push_back(name);
  }
  closedir(directory);
  return files;
}

Expected<std::unique_ptr<ParameterProvider>>
turnip::parameters::openNpyDirectory(const std::string &path) {
  Expected<std::vector<std::string>> files = listFiles(path);
  if (!files)
    return files.status();
  auto provider = std::make_unique<NpyDirectory>(path);
  for (const std::string &file : *files)
    TURNIP_RETURN_IF_ERROR(provider->add(file));
  return std::unique_ptr<ParameterProvider>(std::move(provider));
}
