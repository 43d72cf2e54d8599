//===- ParameterLayout.h - Where parameters are stored -------- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All graphs of a module read the same parameters, from one read-only memory.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CONVERSION_TASKTOMEM_PARAMETERLAYOUT_H
#define TURNIP_LIB_CONVERSION_TASKTOMEM_PARAMETERLAYOUT_H

#include "turnip/Dialect/Task/IR/Box.h"
#include "turnip/Dialect/Task/IR/Task.h"

#include <map>
#include <vector>

namespace turnip {

/// Gives each slice of a parameter a byte range in the memory of parameters.
/// Slices that are byte ranges of their parameter become parts of it, and only
/// what some slice covers is stored. Other slices are packed by themselves.
class ParameterLayout {
public:
  /// \p alignment: that of ranges that kernels read in place.
  explicit ParameterLayout(uint64_t alignment) : alignment(alignment) {}

  /// Says that \p op is used. Call it for all before finish().
  void add(task::ParameterOp op);
  /// Chooses all places.
  void finish();

  /// Where the slice of \p op begins.
  uint64_t offsetOf(task::ParameterOp op) const;
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
    /// Slices stored by themselves, by shape, offsets and sizes.
    std::map<std::vector<int64_t>, std::pair<uint64_t, uint64_t>> packed;
  };

  /// A slice that is stored as a part of its parameter. One that a kernel reads
  /// in place must also be aligned there.
  bool isPart(const task::Box &box, task::ParameterOp op) const;
  void merge(Parameter &parameter);

  uint64_t alignment;
  uint64_t end = 0;
  std::vector<Parameter> parameters;
  llvm::StringMap<size_t> names;
};

} // namespace turnip

#endif // TURNIP_LIB_CONVERSION_TASKTOMEM_PARAMETERLAYOUT_H
