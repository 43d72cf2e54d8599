//===- Completion.h - Who notices that commands are done --------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_DRIVERS_CUDA_COMPLETION_H
#define TURNIP_LIB_DRIVERS_CUDA_COMPLETION_H

#include "StreamQueue.h"
#include "turnip/runtime/Driver.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace turnip::runtime::cuda {

/// A thread that asks the first event of each queue whether it has happened and
/// delivers what is done, all of it at once. A callback of the host per command
/// would run on a thread of the CUDA driver, which may not call the driver
/// again, so that every completion would have to wake another thread; and the
/// stream would stand still meanwhile.
class Completion {
public:
  explicit Completion(const std::vector<std::unique_ptr<StreamQueue>> &queues,
                      ErrorLog &errors);
  ~Completion();
  Completion(const Completion &) = delete;
  Completion &operator=(const Completion &) = delete;

  /// Events go to \p newSink from now on. No command is outstanding.
  void setSink(EventSink *newSink) { sink.store(newSink); }

  /// Something new is on a queue. Any thread.
  void notify();

private:
  void threadMain();
  bool anythingOutstanding() const;
  bool awaitedDone(const StreamQueue::Slot &slot) const;
  void collect();
  void take(StreamQueue &queue);
  void sleep();

  const std::vector<std::unique_ptr<StreamQueue>> &queues;
  ErrorLog &errors;
  std::atomic<EventSink *> sink{nullptr};
  /// What was found done; the thread's own.
  std::vector<Event> done;

  std::atomic<bool> sleeping{false};
  std::atomic<bool> stopping{false};
  std::mutex mutex;
  std::condition_variable workCondition;
  std::thread thread;
};

} // namespace turnip::runtime::cuda

#endif // TURNIP_LIB_DRIVERS_CUDA_COMPLETION_H
