//===- PlacementMessages.h - How messages call the parts --------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_PLANNER_PLACEMENTMESSAGES_H
#define TURNIP_LIB_PLANNER_PLACEMENTMESSAGES_H

#include "turnip/planner/Placement.h"

namespace turnip::planner {

/// What the messages about a placement have in common. Text is made when a
/// message is, never for what is fine: a proof looks at millions of accesses.
class PlacementMessages {
public:
  /// Both must outlive this.
  PlacementMessages(const Placement &placement, const PlacementNames &names)
      : placement(placement), names(names) {}

  static Status error(std::string message) {
    return Status::error(StatusCode::BadInput, std::move(message));
  }
  std::string operation(uint32_t op) const;
  std::string value(uint32_t value) const;
  /// `reads dev0[64, 128)`.
  std::string access(const Access &access) const {
    return describeAccess(placement.memories, access);
  }
  /// `operation 3 reads dev0[64, 128)`.
  std::string access(uint32_t op, const Access &access) const {
    return operation(op) + " " + this->access(access);
  }
  /// `dev0[64, 128)`.
  std::string range(uint32_t memory, uint64_t offset, uint64_t bytes) const;
  std::string piece(const Piece &piece) const {
    return range(piece.memory, piece.offset, piece.bytes);
  }

private:
  const Placement &placement;
  const PlacementNames &names;
};

/// Checks everything about \p placement that one operation or piece shows by
/// itself: indices, ranges inside their memory and aligned, read-only memories,
/// what copies and joins look like, ranges of one operation that overlap.
Status checkPlacementStructure(const Placement &placement,
                               const PlacementMessages &messages);

} // namespace turnip::planner

#endif // TURNIP_LIB_PLANNER_PLACEMENTMESSAGES_H
