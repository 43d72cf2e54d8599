//===- Stager.h - Copies from memory that is not pinned ---------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_DRIVERS_CUDA_STAGER_H
#define TURNIP_LIB_DRIVERS_CUDA_STAGER_H

#include "StreamQueue.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace turnip::runtime::cuda {

/// Copies from host memory that is not pinned to a device: a thread copies
/// piece by piece into a ring of pinned memory, from which the device takes
/// them. While the device takes one piece, the thread copies the next, across
/// commands as well. The sources must not change while a run is on.
class Stager {
public:
  /// What a ring of pinned memory is for, in bytes.
  struct Ring {
    unsigned char *base = nullptr;
    uint64_t pieceBytes = 0;
    uint32_t pieces = 0;
  };

  /// Copies go to \p queue, of which this is the only producer; \p published is
  /// called whenever something new is there. Error: Device.
  static Expected<std::unique_ptr<Stager>>
  create(const Library &library, StreamQueue &queue, const Ring &ring,
         ErrorLog &errors, std::function<void()> published);
  ~Stager();
  Stager(const Stager &) = delete;
  Stager &operator=(const Stager &) = delete;

  /// Hands over a copy. At most as many are outstanding as the queue takes.
  void submit(const Command &command);

private:
  Stager(const Library &library, StreamQueue &queue, const Ring &ring,
         ErrorLog &errors, std::function<void()> published)
      : library(library), queue(queue), ring(ring), errors(errors),
        published(std::move(published)) {}

  void threadMain();
  void transfer(const Command &command);
  Status copyPieces(const Command &command);

  const Library &library;
  StreamQueue &queue;
  const Ring ring;
  ErrorLog &errors;
  const std::function<void()> published;
  /// One per piece of the ring; recorded once the device was told to take it.
  std::vector<CUevent> taken;
  /// Pieces filled so far; the thread's own.
  uint64_t filled = 0;

  std::mutex mutex;
  std::condition_variable workCondition;
  /// A ring of commands.
  std::vector<const Command *> waiting;
  uint64_t first = 0;
  uint64_t last = 0;
  bool stopping = false;
  std::thread thread;
};

} // namespace turnip::runtime::cuda

#endif // TURNIP_LIB_DRIVERS_CUDA_STAGER_H
