//===- File.cpp - Artifacts as files --------------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/artifact/Artifact.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace turnip;
using namespace turnip::artifact;

namespace {
/// A file descriptor that closes itself.
class File {
public:
  explicit File(int fd) : fd(fd) {}
  ~File() {
    if (fd >= 0)
      ::close(fd);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  int get() const { return fd; }
  /// Closes now and says whether that worked.
  bool close() {
    int closed = ::close(fd);
    fd = -1;
    return closed == 0;
  }

private:
  int fd;
};
} // namespace

static Status ioError(const std::string &path, const char *what, int error) {
  return Status::error(StatusCode::Io,
                       path + ": " + what + ": " + std::strerror(error));
}

Expected<Module> artifact::loadFile(const std::string &path,
                                    const LoadOptions &options) {
  // Nonblocking: opening a pipe would wait for who writes to it.
  File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0)
    return ioError(path, "cannot open", errno);
  struct stat info;
  if (::fstat(file.get(), &info) != 0)
    return ioError(path, "cannot read", errno);
  if (!S_ISREG(info.st_mode))
    return Status::error(StatusCode::Io, path + ": not a regular file");
  size_t size = static_cast<size_t>(info.st_size);
  if (size == 0)
    return load({}, options).withContext(path);
  void *data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED)
    return ioError(path, "cannot map", errno);
  Expected<Module> module =
      load({static_cast<const char *>(data), size}, options);
  ::munmap(data, size);
  return std::move(module).withContext(path);
}

static Status writeAll(const std::string &path, File &file,
                       std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return ioError(path, "cannot write", errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return file.close() ? Status::ok() : ioError(path, "cannot write", errno);
}

Status artifact::saveFile(const Module &module, const std::string &path) {
  Expected<std::string> bytes = serialize(module);
  if (!bytes)
    return bytes.status();
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    // A device or a pipe: there is nothing to replace.
    File device(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (device.get() < 0)
      return ioError(path, "cannot write", errno);
    return writeAll(path, device, *bytes);
  }
  std::string temporary = path + ".XXXXXX";
  File file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0)
    return ioError(path, "cannot write", errno);
  // mkostemp makes private files; give this one the usual permissions.
  mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(file.get(), 0666 & ~mask);
  Status status = writeAll(path, file, *bytes);
  if (status && ::rename(temporary.c_str(), path.c_str()) != 0)
    status = ioError(path, "cannot write", errno);
  if (!status)
    ::unlink(temporary.c_str());
  return status;
}
