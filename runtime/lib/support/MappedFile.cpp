//===- MappedFile.cpp - A file mapped for reading -------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/support/MappedFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace turnip;

MappedFile::MappedFile(MappedFile &&other) noexcept
    : address(std::exchange(other.address, nullptr)),
      length(std::exchange(other.length, 0)) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(address, other.address);
  std::swap(length, other.length);
  return *this;
}

MappedFile::~MappedFile() {
  if (address)
    munmap(address, length);
}

static Status ioError(const char *what, const std::string &path) {
  return Status::error(StatusCode::Io, std::string("cannot ") + what + " '" +
                                           path + "': " + strerror(errno));
}

Expected<MappedFile> MappedFile::open(const std::string &path) {
  // Nonblocking: opening a pipe would wait for who writes to it.
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return ioError("open", path);
  struct stat info;
  if (fstat(descriptor, &info) != 0) {
    Status failure = ioError("examine", path);
    close(descriptor);
    return failure;
  }
  if (!S_ISREG(info.st_mode)) {
    close(descriptor);
    return Status::error(StatusCode::Io,
                         "cannot map '" + path + "': not a regular file");
  }
  MappedFile file;
  if (info.st_size > 0) {
    void *mapped = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ,
                        MAP_PRIVATE, descriptor, 0);
    if (mapped == MAP_FAILED) {
      Status failure = ioError("map", path);
      close(descriptor);
      return failure;
    }
    file.address = mapped;
    file.length = static_cast<size_t>(info.st_size);
  }
  close(descriptor);
  return file;
}
