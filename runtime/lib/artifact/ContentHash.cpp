//===- ContentHash.cpp - The hash that an artifact carries ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/artifact/Artifact.h"

#include <cstring>

using namespace turnip;

/// The next 8 bytes as a little-endian number.
static uint64_t readWord(const char *bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

/// One step. For a fixed state it maps different words to different states, and
/// for a fixed word different states to different states: once two inputs have
/// differed, equal words cannot make them meet.
static uint64_t mix(uint64_t state, uint64_t word) {
  state = (state ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return state ^ (state >> 32);
}

uint64_t artifact::contentHash(std::string_view bytes, size_t hashOffset) {
  uint64_t state = mix(UINT64_C(0x70696e727574), bytes.size());
  for (size_t at = 0; at < bytes.size(); at += 8) {
    if (bytes.size() - at >= 8 &&
        (at + 8 <= hashOffset || at >= hashOffset + 8)) {
      state = mix(state, readWord(bytes.data() + at));
      continue;
    }
    // The last bytes, padded with zeros, or a part of the hash itself.
    char group[8] = {};
    for (size_t i = at; i < bytes.size() && i < at + 8; ++i)
      if (i < hashOffset || i >= hashOffset + 8)
        group[i - at] = bytes[i];
    state = mix(state, readWord(group));
  }
  return state;
}
