//===- ParameterLayout.h - Where parameters are stored ----------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All graphs of a program read the same parameters, from one read-only memory.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_ARTIFACT_PARAMETERLAYOUT_H
#define TURNIP_ARTIFACT_PARAMETERLAYOUT_H

#include "turnip/artifact/Module.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace turnip {
namespace artifact {

/// Parameters that kernels read in place start at a multiple of this.
constexpr uint64_t parameterAlignment = 64;

/// A slice of a parameter. Refers to arrays of somebody else.
struct ParameterSlice {
  std::string_view name;
  /// The shape that offsets and sizes refer to.
  Span<int64_t> shape, offsets, sizes;
  int64_t elementBytes = 0;
  /// Whether a kernel reads it in place, and not a copy of it.
  bool inPlace = false;
};

/// The slice that \p piece is of \p binding, a valid one.
ParameterSlice sliceOf(const Binding &binding, const Piece &piece,
                       bool inPlace);

/// Gives each slice of a parameter a byte range in the memory of parameters.
/// Slices that are byte ranges of their parameter become parts of it, and only
/// what some slice covers is stored. Other slices are packed by themselves.
class ParameterLayout {
public:
  /// \p alignment: bytes, that of ranges that kernels read in place.
  explicit ParameterLayout(uint64_t alignment) : alignment(alignment) {}

  /// Says that \p slice is used. Call it for all before finish().
  void add(const ParameterSlice &slice);
  /// Chooses all places.
  void finish();

  /// Where \p slice, which was added, begins.
  uint64_t offsetOf(const ParameterSlice &slice) const;
  /// The end of the last byte.
  uint64_t size() const { return end; }

private:
  /// Bytes of a parameter, first and one past the last.
  struct Interval {
    uint64_t begin = 0, end = 0;
    uint64_t offset = 0;
  };
  struct Parameter {
    std::vector<Interval> intervals;
    /// Slices stored by themselves, by shape, offsets and sizes: where, and how
    /// many bytes.
    std::map<std::vector<int64_t>, std::pair<uint64_t, uint64_t>> packed;
  };

  bool isPart(const ParameterSlice &slice) const;

  uint64_t alignment;
  uint64_t end = 0;
  /// In the order in which their names were added.
  std::vector<Parameter> parameters;
  std::map<std::string, size_t, std::less<>> names;
};

} // namespace artifact
} // namespace turnip

#endif // TURNIP_ARTIFACT_PARAMETERLAYOUT_H
