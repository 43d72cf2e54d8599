//===- ReadyQueue.h - The ready operations of one engine --------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_RUNTIME_READYQUEUE_H
#define TURNIP_RUNTIME_READYQUEUE_H

#include <cassert>
#include <cstdint>
#include <vector>

namespace turnip::runtime {

/// A set of small integers that yields its smallest member: a tree of 64-bit
/// words in which a set bit says that something is below. With the priorities
/// of a run turned into ranks beforehand, this is a priority queue whose
/// operations touch one word per level (3 levels reach 262 144 members) and
/// never allocate.
class ReadyQueue {
public:
  ReadyQueue() = default;

  /// Makes room for the members [0, \p count) and removes all.
  void reset(uint32_t count) {
    offsets.clear();
    uint32_t total = 0;
    uint32_t width = count;
    do {
      width = (width + 63) / 64;
      offsets.push_back(total);
      total += width ? width : 1;
    } while (width > 1);
    words.assign(total, 0);
  }

  bool empty() const { return words.empty() || words.back() == 0; }

  /// Adds \p member, which must be below the count given to reset().
  void insert(uint32_t member) {
    for (uint32_t offset : offsets) {
      uint64_t &word = words[offset + member / 64];
      bool wasEmpty = word == 0;
      word |= uint64_t(1) << (member % 64);
      if (!wasEmpty)
        return;
      member /= 64;
    }
  }

  /// The smallest member; the queue must not be empty.
  uint32_t min() const {
    assert(!empty());
    uint32_t member = 0;
    for (size_t level = offsets.size(); level-- > 0;)
      member = member * 64 +
               uint32_t(__builtin_ctzll(words[offsets[level] + member]));
    return member;
  }

  /// Removes \p member, which must be in the queue.
  void erase(uint32_t member) {
    for (uint32_t offset : offsets) {
      uint64_t &word = words[offset + member / 64];
      word &= ~(uint64_t(1) << (member % 64));
      if (word != 0)
        return;
      member /= 64;
    }
  }

private:
  /// All levels, leaves first; the last word is the root.
  std::vector<uint64_t> words;
  /// Where each level begins in words.
  std::vector<uint32_t> offsets;
};

} // namespace turnip::runtime

#endif // TURNIP_RUNTIME_READYQUEUE_H
