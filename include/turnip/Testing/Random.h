//===- Random.h - Random choices that every machine repeats -----*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TESTING_RANDOM_H
#define TURNIP_TESTING_RANDOM_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace turnip::testing {

/// A generator whose choices depend on its seed alone (SplitMix64; the standard
/// library's distributions differ between implementations).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    state += 0x9e3779b97f4a7c15u;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// A number in [low, high].
  int64_t between(int64_t low, int64_t high) {
    return low +
           static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
  }

  /// True with a probability of \p percent in 100.
  bool chance(int64_t percent) { return between(0, 99) < percent; }

  /// A number in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  template <typename T> const T &pick(llvm::ArrayRef<T> choices) {
    return choices[between(0, static_cast<int64_t>(choices.size()) - 1)];
  }
  template <typename T, size_t n> const T &pick(const T (&choices)[n]) {
    return choices[between(0, n - 1)];
  }

  /// Puts \p range into a random order.
  template <typename Range> void shuffle(Range &range) {
    for (int64_t i = static_cast<int64_t>(range.size()) - 1; i > 0; --i)
      std::swap(range[i], range[between(0, i)]);
  }

private:
  uint64_t state;
};

} // namespace turnip::testing

#endif // TURNIP_TESTING_RANDOM_H
