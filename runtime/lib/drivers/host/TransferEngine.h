//===- TransferEngine.h - One direction of a link ---------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_DRIVERS_HOST_TRANSFERENGINE_H
#define TURNIP_LIB_DRIVERS_HOST_TRANSFERENGINE_H

#include "turnip/runtime/Drivers.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace turnip::runtime {

/// A thread that copies, one command after the other, and where a link is
/// emulated sleeps until the copy would have ended on it.
class TransferEngine {
public:
  /// One copy in progress and one behind it: with deadlines that follow each
  /// other, a late wake-up then costs the link nothing.
  static constexpr uint32_t depth = 2;

  explicit TransferEngine(const HostOptions &options);
  ~TransferEngine();

  /// Events go to \p newSink from now on. No command is outstanding.
  void setSink(EventSink *newSink);

  /// Whether copies take no longer than they have to, instead of the time that
  /// the emulated link needs. Any thread.
  void setHurry(bool value) { hurry.store(value); }

  /// At most depth commands are outstanding at a time.
  void submit(const Command &command);

private:
  struct Entry {
    const Command *command = nullptr;
    int64_t submitted = 0;
  };

  void threadMain();
  Event transfer(const Entry &entry);
  /// Returns the time when it stopped waiting.
  int64_t waitUntil(int64_t deadline) const;

  const HostOptions options;
  /// When the emulated link is free again; the thread's own.
  int64_t freeAt = 0;

  std::atomic<bool> hurry{false};
  std::mutex mutex;
  std::condition_variable workCondition;
  EventSink *sink = nullptr;
  /// A ring: entries [head, head + count).
  std::array<Entry, depth> entries;
  uint32_t head = 0;
  uint32_t count = 0;
  bool stopping = false;
  std::thread thread;
};

} // namespace turnip::runtime

#endif // TURNIP_LIB_DRIVERS_HOST_TRANSFERENGINE_H
