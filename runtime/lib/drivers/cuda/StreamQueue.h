//===- StreamQueue.h - A stream and what is on it ---------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_DRIVERS_CUDA_STREAMQUEUE_H
#define TURNIP_LIB_DRIVERS_CUDA_STREAMQUEUE_H

#include "Device.h"
#include "ErrorLog.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace turnip::runtime::cuda {

/// A stream of a device and the commands that are on it, each with an event
/// behind it. A ring with one producer, the thread that submits, and one
/// consumer, the thread that looks for what is done. The events are made
/// beforehand and used again and again.
class StreamQueue {
public:
  /// One command on the stream.
  struct Slot {
    uint32_t vertex = 0;
    CUevent event = nullptr;
    /// False where recording the event failed: the stream as a whole is asked.
    bool recorded = false;
    /// What went wrong while it was put there.
    const char *error = nullptr;
    int64_t submitted = 0;
    /// How many commands of each stream must be done before this one.
    std::vector<uint64_t> awaited;
  };

  /// Makes a stream of \p device for at most \p depth commands at a time, one
  /// of
  /// \p numQueues. Error: Device.
  static Expected<std::unique_ptr<StreamQueue>> create(const Library &library,
                                                       Device &device,
                                                       uint32_t depth,
                                                       uint32_t numQueues);
  /// Waits for what is on the stream.
  ~StreamQueue();
  StreamQueue(const StreamQueue &) = delete;
  StreamQueue &operator=(const StreamQueue &) = delete;

  Device &device() const { return owner; }
  CUstream stream() const { return handle; }
  uint32_t capacity() const { return static_cast<uint32_t>(slots.size()); }
  /// Commands put on the stream and done so far.
  uint64_t tail() const { return last.load(std::memory_order_acquire); }
  uint64_t head() const { return first.load(std::memory_order_acquire); }
  uint32_t size() const { return static_cast<uint32_t>(tail() - head()); }

  /// Producer: the slot of the next command, cleared but for its vertex.
  Slot &prepare(uint32_t vertex, int64_t now);
  /// Producer: lets the stream wait for command number \p number of \p other,
  /// which is on it and is awaited by the slot that is prepared.
  Status waitFor(const StreamQueue &other, uint64_t number);
  /// Producer: records the event of the slot that is prepared.
  Status record();
  /// Producer: shows the slot to the consumer.
  void publish() { last.store(tail() + 1); }

  const Slot &at(uint64_t number) const { return slots[number % slots.size()]; }

  /// Consumer: takes the first command if it is done; false if there is none or
  /// it is not. What the device reports of it goes to \p errors and to the
  /// slot.
  bool poll(ErrorLog &errors);
  /// Consumer: gives the slot that was taken back.
  void pop() { first.store(head() + 1, std::memory_order_release); }

  /// Waits until the stream is empty, whatever became of it.
  void synchronize() const;

  /// Consumer: when the command taken last ended.
  int64_t lastEnd = 0;

private:
  StreamQueue(const Library &library, Device &device)
      : library(library), owner(device) {}

  const Library &library;
  Device &owner;
  CUstream handle = nullptr;
  std::vector<Slot> slots;
  std::atomic<uint64_t> first{0};
  std::atomic<uint64_t> last{0};
};

} // namespace turnip::runtime::cuda

#endif // TURNIP_LIB_DRIVERS_CUDA_STREAMQUEUE_H
