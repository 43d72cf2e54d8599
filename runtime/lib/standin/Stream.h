//===- Stream.h - Queues of work and the threads that do it -----*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_STANDIN_STREAM_H
#define TURNIP_LIB_STANDIN_STREAM_H

#include "Blocks.h"
#include "Gemm.h"
#include "World.h"

#include <condition_variable>
#include <thread>

namespace turnip::standin {

/// One entry of a stream's queue.
struct Work {
  enum class Kind : uint8_t {
    /// object: the Function; grid, block, shared; payload: the arguments.
    Launch,
    /// target, source, bytes, as the program sees them; flags: which of them is
    /// host memory; value: the serial number of the pinned memory it is in.
    Copy,
    /// target, bytes; value: the pattern, of flags bytes.
    Fill,
    /// payload: a MatmulWork.
    Matmul,
    /// object: the EventObject; value: its generation.
    Record,
    /// other: the stream, value: the position that it must have reached.
    Wait,
    /// target, value; flags: how many bytes.
    Write,
    /// target, value; flags: how many bytes; condition: CU_STREAM_WAIT_VALUE_*.
    WaitValue,
    /// function(object), on the stream's thread.
    Call,
    /// The stream ends.
    Stop,
  };
  /// Copies: which end is host memory, and that the source is a staging buffer
  /// which the stream has to give back.
  static constexpr uint32_t fromHost = 1, toHost = 2, staged = 4;

  Kind kind = Kind::Launch;
  void *object = nullptr;
  Stream *other = nullptr;
  void (*function)(void *) = nullptr;
  uint64_t target = 0;
  uint64_t source = 0;
  uint64_t bytes = 0;
  uint64_t value = 0;
  uint32_t flags = 0;
  uint32_t condition = 0;
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  uint32_t shared = 0;
  /// Words of payload; the queue copies it.
  uint32_t payloadWords = 0;
  const uint64_t *payload = nullptr;
  /// For the queue: how far the payload ring is used up to and with this one.
  uint64_t payloadEnd = 0;
};

/// What a matrix product needs beyond its numbers: the memory as the program
/// sees it and how much of it is touched.
struct MatmulWork {
  MatrixProduct product;
  struct Operand {
    uint64_t address = 0;
    uint64_t bytes = 0;
  };
  /// A, B, C, D, bias, workspace; no bytes: not there.
  Operand operands[6];
  /// Split k in this many parts and add them in an order that is not fixed.
  uint32_t splits = 1;
};
static_assert(sizeof(MatmulWork) % sizeof(uint64_t) == 0);

/// A stream: a queue of bounded length and a thread that works through it.
class Stream : public Object {
public:
  Stream(Context &context, unsigned flags, int priority, uint64_t number);
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  /// Appends \p work; waits while the queue is full. Returns its position.
  uint64_t push(const Work &work);
  uint64_t submitted() const {
    return numSubmitted.load(std::memory_order_acquire);
  }
  bool done(uint64_t position) const {
    return numDone.load(std::memory_order_acquire) >= position;
  }
  /// Returns when everything up to \p position is done.
  void wait(uint64_t position);
  void synchronize() { wait(submitted()); }
  /// Has the thread end when everything before is done; once.
  void stop();
  /// Waits for the thread to end and gives back the queue. After stop().
  void join();
  /// Gives up waiting for values that nobody will write.
  void giveUp() { givenUp.store(true); }
  /// False if there was no memory for the queue.
  bool works() const { return queue != nullptr; }
  bool blocking() const { return !(flags & CU_STREAM_NON_BLOCKING); }
  bool atWork() const { return !done(submitted()); }

  Context &context;
  const unsigned flags;
  const int priority;
  const uint64_t number;

private:
  static constexpr uint64_t capacity = 1024;
  static constexpr uint64_t payloadCapacity = uint64_t(1) << 15;

  uint64_t placePayload(uint32_t words) const;
  bool full(uint32_t words) const;
  void run();
  void awaitWork(uint64_t position);
  void complete(const Work &work);
  void execute(const Work &work);
  void delay(const Work &work, uint64_t index) const;
  bool injectFailure();
  void raise(CUresult error);
  void launch(const Work &work);
  void copy(const Work &work);
  void fill(const Work &work);
  void matmul(const Work &work);
  void writeValue(const Work &work);
  void waitValue(const Work &work);
  void record(const Work &work);
  bool runMatmul(const MatmulWork &work);

  /// Pages: the queue, then the payload ring.
  Work *queue = nullptr;
  uint64_t *payloads = nullptr;
  /// Guards the submitting side.
  std::mutex submitMutex;
  uint64_t payloadUsed = 0;
  std::atomic<uint64_t> payloadFreed{0};
  std::atomic<uint64_t> numSubmitted{0};
  std::atomic<uint64_t> numDone{0};
  /// For those who sleep: the thread until there is work, others until it is
  /// done.
  std::mutex sleepMutex;
  std::condition_variable workCame, workDone;
  std::atomic<bool> asleep{false};
  std::atomic<uint32_t> waiters{0};
  std::atomic<bool> givenUp{false};
  BlockRunner *runner = nullptr;
  GemmScratch scratch;
  std::thread thread;
};

/// Appends \p work to \p stream, behind what the NULL stream's rules ask for.
uint64_t submit(Stream &stream, const Work &work);
/// The stream that \p handle names for a call, or why there is none.
CUresult useStream(void *handle, Stream *&stream);

/// Records \p event at the end of \p stream.
void recordEvent(EventObject &event, Stream &stream);
/// Whether \p event has happened (or was never recorded).
bool eventDone(EventObject &event);
/// The stream and position to wait for; none if it was never recorded.
std::pair<Stream *, uint64_t> eventTarget(EventObject &event);

/// Nanoseconds of a clock that never goes back.
int64_t nowNanoseconds();

} // namespace turnip::standin

#endif // TURNIP_LIB_STANDIN_STREAM_H
