//===- ByteSize.h - Sizes as people write them ------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_SUPPORT_BYTESIZE_H
#define TURNIP_SUPPORT_BYTESIZE_H

#include "turnip/support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace turnip {

/// Reads a number of bytes: digits, then nothing, `B`, `KiB`, `MiB`, `GiB` or
/// `TiB` (powers of 1024), such as `64MiB` or `1048576`. A decimal fraction is
/// allowed before a unit when it gives whole bytes (`1.5GiB`). Errors
/// (InvalidArgument) show the text and the forms allowed; so does a size beyond
/// 63 bits.
Expected<int64_t> parseByteSize(std::string_view text);

/// Writes \p bytes for people: in MiB with two decimals, such as `63.98 MiB`;
/// below 1 MiB in KiB, and below 1 KiB in bytes.
std::string formatBytes(uint64_t bytes);

/// Writes the exact number, and what it is for people where that says more:
/// `67086848 bytes (63.98 MiB)`, `640 bytes`.
std::string formatExactBytes(uint64_t bytes);

} // namespace turnip

#endif // TURNIP_SUPPORT_BYTESIZE_H
