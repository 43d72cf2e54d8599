//===- Blocks.h - Runs the blocks of a launch on one CPU thread -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_STANDIN_BLOCKS_H
#define TURNIP_LIB_STANDIN_BLOCKS_H

#include "turnip/standin/ThreadABI.h"

#include <cstddef>
#include <cstdint>

namespace turnip::standin {

/// A device function, as ThreadABI.h says.
using DeviceFunction = void (*)(void **, const TurnipStandInThread *);

/// One launch, ready to run.
struct LaunchDescription {
  DeviceFunction function = nullptr;
  void **params = nullptr;
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  uint32_t sharedBytes = 0;
  /// Run the threads of a block, and the blocks, from the last to the first.
  bool backwards = false;
};

/// How a launch ended.
enum class LaunchResult {
  Done,
  /// A thread touched memory that is not there.
  Fault,
  /// A thread executed something that no processor can.
  IllegalInstruction,
  /// Threads wait for others that will never come: some of a warp are in a
  /// shuffle and others in a barrier, or a needed lane has ended.
  Diverged,
  /// The host has no memory for the threads' stacks.
  NoMemory,
};

/// Runs blocks one after the other on the calling thread. Each CUDA thread runs
/// on a stack of its own once it waits for others; until then threads share
/// one, so that functions that never wait cost a call per thread.
class BlockRunner {
public:
  static constexpr uint32_t maxThreads = 1024;
  static constexpr uint32_t maxSharedBytes = 232448;

  /// A runner in pages of its own; null if there is no memory.
  static BlockRunner *create();
  void destroy();

  /// Runs \p launch. With LaunchResult::Fault, \p faultAddress is what was
  /// touched.
  LaunchResult run(const LaunchDescription &launch, uint64_t &faultAddress);

  /// Turns memory faults of device functions into results, for the process.
  static void installFaultHandler();
  /// Gives the calling thread a stack for that handler and takes it back.
  static void *enterThread();
  static void leaveThread(void *stack);

private:
  struct Fiber;
  struct List {
    Fiber *first = nullptr;
    Fiber *last = nullptr;
  };
  enum class Wait : uint8_t { Nothing, Barrier, Shuffle, Mma };
  struct Warp {
    uint32_t live;
    uint32_t arrived;
    Wait waiting;
    Fiber *lanes[32];
  };
  friend struct FiberAccess;

  LaunchResult runBlock();
  Fiber *makeFiber();
  void prepare(Fiber &fiber);
  void resetFibers();
  void startThread(Fiber &fiber);
  void endThread(Fiber &fiber);
  void releaseBarrier();
  void arrive(Fiber &fiber, Wait what);
  bool completeWarp(Warp &warp, const Fiber *awake);
  void suspend(Fiber &fiber);
  [[noreturn]] void abandon(LaunchResult why);
  static void push(List &list, Fiber *fiber);
  static Fiber *pop(List &list);

  static void barrier(const TurnipStandInThread *thread);
  static uint64_t shuffle(const TurnipStandInThread *thread, uint64_t value,
                          uint32_t lane);
  static void mma(const TurnipStandInThread *thread, uint32_t shape,
                  const void *a, const void *b, const float *c, float *d);

  LaunchDescription launch;
  uint32_t blockIndex[3];
  uint32_t numThreads;
  uint32_t nextThread;
  uint32_t live;
  uint32_t atBarrier;
  LaunchResult result;
  void *schedulerStack;
  Fiber *running;
  Fiber *all;
  uint32_t numFibers;
  List ready, idle, barrierWaiters;
  Warp warps[maxThreads / 32];
  char *shared;
  uint64_t faultAddress;
};

/// d = a * b + c for a full warp, from and to the fragments of its lanes; see
/// TurnipStandInThread::mma. False where \p shape is none.
bool multiplyFragments(uint32_t shape, const void *const (&a)[32],
                       const void *const (&b)[32], const float *const (&c)[32],
                       float *const (&d)[32]);

} // namespace turnip::standin

#endif // TURNIP_LIB_STANDIN_BLOCKS_H
