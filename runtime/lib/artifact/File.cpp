//===- File.cpp - Artifacts as files --------------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/artifact/Artifact.h"

#include <atomic>
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

static Status writeBytes(const std::string &path, const File &file,
                         std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return ioError(path, "cannot write", errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return Status::ok();
}

/// Writes \p bytes to \p file and closes it.
static Status writeAll(const std::string &path, File &file,
                       std::string_view bytes) {
  TURNIP_RETURN_IF_ERROR(writeBytes(path, file, bytes));
  return file.close() ? Status::ok() : ioError(path, "cannot write", errno);
}

/// Writes a file beside \p path and renames it.
static Status saveNamed(const std::string &path, std::string_view bytes) {
  std::string temporary = path + ".XXXXXX";
  File file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0)
    return ioError(path, "cannot write", errno);
  // mkostemp makes private files; give this one the usual permissions.
  mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(file.get(), 0666 & ~mask);
  Status status = writeAll(path, file, bytes);
  if (status && ::rename(temporary.c_str(), path.c_str()) != 0)
    status = ioError(path, "cannot write", errno);
  if (!status)
    ::unlink(temporary.c_str());
  return status;
}

/// Gives \p nameless, which holds \p bytes, the name \p path. A name in between
/// exists for the time of a system call, where there is a file already.
static Status putInPlace(const std::string &path, const File &nameless,
                         std::string_view bytes) {
  std::string self = "/proc/self/fd/" + std::to_string(nameless.get());
  auto link = [&](const std::string &name) {
    return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(),
                    AT_SYMLINK_FOLLOW) == 0;
  };
  if (link(path))
    return Status::ok();
  static std::atomic<uint64_t> counter{0};
  std::string between = path + "." + std::to_string(::getpid()) + "." +
                        std::to_string(counter.fetch_add(1));
  // Where /proc is missing or the name is taken.
  if (!link(between))
    return saveNamed(path, bytes);
  if (::rename(between.c_str(), path.c_str()) == 0)
    return Status::ok();
  int error = errno;
  ::unlink(between.c_str());
  return ioError(path, "cannot write", error);
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
  // Without a name, so that nothing stays behind whenever the process ends; not
  // every file system can do that.
  size_t slash = path.rfind('/');
  std::string folder =
      slash == std::string::npos ? "." : path.substr(0, slash + 1);
  File nameless(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
  if (nameless.get() < 0)
    return saveNamed(path, *bytes);
  TURNIP_RETURN_IF_ERROR(writeBytes(path, nameless, *bytes));
  return putInPlace(path, nameless, *bytes);
}
