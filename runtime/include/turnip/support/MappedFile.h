//===- MappedFile.h - A file mapped for reading -----------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_SUPPORT_MAPPEDFILE_H
#define TURNIP_SUPPORT_MAPPEDFILE_H

#include "turnip/support/Status.h"

#include <string>
#include <string_view>

namespace turnip {

/// A file mapped into memory, read-only and private. Its pages belong to the
/// page cache: they are not anonymous memory and the system may drop them. A
/// file that another process truncates while it is mapped ends the process
/// with SIGBUS, as for every user of a mapping.
class MappedFile {
public:
  MappedFile() = default;
  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile();

  /// Maps the regular file \p path; an empty file maps to no bytes.
  static Expected<MappedFile> open(const std::string &path);

  /// The whole file. Valid while this object lives; moving keeps it valid.
  std::string_view bytes() const {
    return {static_cast<const char *>(address), length};
  }

private:
  void *address = nullptr;
  size_t length = 0;
};

} // namespace turnip

#endif // TURNIP_SUPPORT_MAPPEDFILE_H
