//===- ComputeEngine.h - The lanes of one device ----------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_DRIVERS_HOST_COMPUTEENGINE_H
#define TURNIP_LIB_DRIVERS_HOST_COMPUTEENGINE_H

#include "turnip/runtime/Driver.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace turnip::runtime {

/// A queue of launches and the threads that work through it. A free lane joins
/// the oldest launch that still has grid points to give away; lanes claim them
/// one at a time from a counter. So one large operation occupies all lanes, and
/// several small ones run side by side.
class ComputeEngine {
public:
  /// With \p processors, lane i stays on processor i of that list; two lanes
  /// that share a processor while another idles would halve the speed.
  ComputeEngine(unsigned lanes, bool trapFaults,
                const std::vector<int> &processors);
  ~ComputeEngine();

  /// Launches in the queue or being worked on that still leave no lane idle:
  /// one per lane, and one waiting.
  uint32_t depth() const { return static_cast<uint32_t>(slots.size()); }

  /// Events go to \p newSink from now on. No command is outstanding.
  void setSink(EventSink *newSink);

  /// At most depth() commands are outstanding at a time.
  void submit(const Command &command);

private:
  /// One launch in the queue.
  struct Slot {
    const Command *command = nullptr;
    /// The next grid point to give away.
    std::atomic<int64_t> next{0};
    unsigned lanesInside = 0;
    int64_t start = 0;
    /// The first memory fault, where there was one.
    const void *fault = nullptr;
    bool failed = false;
  };

  void laneMain();
  void waitForWork(std::unique_lock<std::mutex> &lock);
  Slot *findWork();
  void retire(Slot &slot, std::unique_lock<std::mutex> &lock);
  bool runGridPoints(Slot &slot, const void *&fault) const;

  const bool trapFaults;
  std::mutex mutex;
  std::condition_variable workCondition;
  EventSink *sink = nullptr;
  std::vector<std::unique_ptr<Slot>> slots;
  /// The occupied slots, oldest first, and the free ones.
  std::vector<Slot *> queue;
  std::vector<Slot *> freeSlots;
  /// Lanes that sleep.
  unsigned idleLanes = 0;
  /// Commands submitted so far; watched by lanes before they sleep.
  std::atomic<uint64_t> submissions{0};
  bool stopping = false;
  std::vector<std::thread> threads;
};

} // namespace turnip::runtime

#endif // TURNIP_LIB_DRIVERS_HOST_COMPUTEENGINE_H
