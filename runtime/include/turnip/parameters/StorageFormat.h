//===- StorageFormat.h - How a GGUF file stores elements --------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GGUF tensor is a sequence of blocks: a fixed number of elements in a fixed
// number of bytes, independent of all other blocks. Plain types are blocks of
// one element.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_PARAMETERS_STORAGEFORMAT_H
#define TURNIP_PARAMETERS_STORAGEFORMAT_H

#include "turnip/support/ElementType.h"

#include <cstdint>
#include <optional>
#include <string>

namespace turnip::parameters {

/// One way of storing elements, described by its block.
struct StorageFormat {
  /// The number that stands for it in a GGUF tensor table.
  uint32_t id;
  /// The type of plain storage; nothing for quantised blocks.
  std::optional<ElementType> type;
  /// Lower-case name, such as "q4_1".
  const char *name;
  /// Elements per block (at most maxBlockElements) and bytes per block.
  int64_t blockElements;
  int64_t blockBytes;
  /// Expands one block at \p block (no alignment needed) to blockElements
  /// floats; null for integers.
  void (*expand)(const unsigned char *block, float *values);
};

inline constexpr int64_t maxBlockElements = 256;

/// Returns the format with the number \p id, or null if it is not known.
const StorageFormat *findStorageFormat(uint32_t id);

/// Returns the names of all known formats, separated by ", ".
std::string knownStorageFormats();

} // namespace turnip::parameters

#endif // TURNIP_PARAMETERS_STORAGEFORMAT_H
