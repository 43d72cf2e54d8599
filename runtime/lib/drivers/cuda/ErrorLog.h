//===- ErrorLog.h - What events say went wrong ------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_DRIVERS_CUDA_ERRORLOG_H
#define TURNIP_LIB_DRIVERS_CUDA_ERRORLOG_H

#include <atomic>
#include <deque>
#include <mutex>
#include <string>

namespace turnip::runtime::cuda {

/// Keeps the messages that events point at until the next run. Thread-safe.
class ErrorLog {
public:
  /// Keeps \p message; returns where it is.
  const char *add(std::string message) {
    std::lock_guard<std::mutex> lock(mutex);
    messages.push_back(std::move(message));
    any.store(true, std::memory_order_release);
    return messages.back().c_str();
  }
  bool empty() const { return !any.load(std::memory_order_acquire); }
  void clear() {
    std::lock_guard<std::mutex> lock(mutex);
    messages.clear();
    any.store(false, std::memory_order_release);
  }

private:
  std::mutex mutex;
  std::deque<std::string> messages;
  std::atomic<bool> any{false};
};

} // namespace turnip::runtime::cuda

#endif // TURNIP_LIB_DRIVERS_CUDA_ERRORLOG_H
