//===- PlanCache.h - Plans that were made before ----------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Planning an artifact again takes time that grows with its graph; the same
// artifact, capacities and options give the same plan. So plans are kept, each
// in a file of its own.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_RUNTIME_PLANCACHE_H
#define TURNIP_RUNTIME_PLANCACHE_H

#include "turnip/runtime/Replan.h"

#include <string>

namespace turnip::runtime {

/// A folder of plans. Any number of processes may use one at a time. A file
/// that is damaged, was made by another planner, for another artifact or with
/// other options counts as none; what is found is proved as a new plan would
/// be. Files may be deleted at any time. When a plan is kept, those that were
/// not used for longest go until the rest is small enough.
class PlanCache {
public:
  /// Bytes of plans that are kept unless said otherwise.
  static constexpr uint64_t defaultCapacity = uint64_t(1) << 30;

  /// \p folder is made when the first plan is kept. Empty: keeps nothing.
  /// \p capacity: bytes of all plans; the one that was made last stays even if
  /// it is larger.
  explicit PlanCache(std::string folder, uint64_t capacity = defaultCapacity)
      : folder(std::move(folder)), capacity(capacity) {}

  /// What the environment variable TURNIP_PLAN_CACHE says, else turnip/plans in
  /// XDG_CACHE_HOME, else .cache/turnip/plans in HOME, else empty.
  static std::string defaultFolder();

  /// As runtime::replan(), but takes a plan that is there, and keeps one that
  /// is made; a folder that cannot be written is no error. \p module must have
  /// been loaded from a file. \p found, if given, says which it was.
  Expected<artifact::Module> replan(artifact::Module module,
                                    const std::string &entry,
                                    const ReplanOptions &options,
                                    bool *found = nullptr) const;

private:
  void makeRoom(const std::string &newest) const;

  std::string folder;
  uint64_t capacity;
};

} // namespace turnip::runtime

#endif // TURNIP_RUNTIME_PLANCACHE_H
