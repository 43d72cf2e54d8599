//===- ParameterLayout.h - Where parameters are stored -------- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout of artifact::ParameterLayout for the parameters of a task.graph.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_CONVERSION_TASKTOMEM_PARAMETERLAYOUT_H
#define TURNIP_LIB_CONVERSION_TASKTOMEM_PARAMETERLAYOUT_H

#include "turnip/Dialect/Task/IR/Task.h"
#include "turnip/artifact/ParameterLayout.h"

namespace turnip {

/// Gives each slice of a parameter a byte range in the memory of parameters, as
/// the runtime does when it plans an artifact again.
class ParameterLayout {
public:
  /// \p alignment: that of ranges that kernels read in place.
  explicit ParameterLayout(uint64_t alignment) : layout(alignment) {}

  /// Says that \p op is used. Call it for all before finish().
  void add(task::ParameterOp op) { layout.add(sliceOf(op)); }
  /// Chooses all places.
  void finish() { layout.finish(); }

  /// Where the slice of \p op begins.
  uint64_t offsetOf(task::ParameterOp op) const {
    return layout.offsetOf(sliceOf(op));
  }
  /// The end of the last byte.
  uint64_t size() const { return layout.size(); }

private:
  /// What the host uses is read in place; devices get a copy.
  static artifact::ParameterSlice sliceOf(task::ParameterOp op) {
    auto span = [](llvm::ArrayRef<int64_t> numbers) {
      return artifact::Span<int64_t>(numbers.data(), numbers.size());
    };
    task::TileType type = op.getTile().getType();
    return {{op.getName().data(), op.getName().size()},
            span(op.getShape()),
            span(op.getOffsets()),
            span(op.getSizes()),
            *task::elementBytes(type.getElementType()),
            type.getPlace().isHost()};
  }

  artifact::ParameterLayout layout;
};

} // namespace turnip

#endif // TURNIP_LIB_CONVERSION_TASKTOMEM_PARAMETERLAYOUT_H
