//===- Blocks.cpp - Runs the blocks of a launch on one CPU thread ---------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Everything on the way from a device function to another thread's stack is in
// this file, which is compiled without sanitizers: they see none of it, as they
// see nothing of the device functions, and need not be told about the stacks.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"

#include "Address.h"

#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <ucontext.h>

using namespace turnip::standin;

static constexpr size_t pageBytes = 4096;
static constexpr size_t stackBytes = 64 << 10;
static constexpr size_t handlerStackBytes = 64 << 10;

/// Saves what a call must keep on the stack, stores the stack pointer at *save,
/// and continues on the stack `to`, which was left in the same way.
extern "C" void turnipStandInSwitch(void **save, void *to);
/// Where a new stack begins; never returns.
extern "C" void turnipStandInFiberMain();
/// Where a stack continues whose thread had a memory fault.
extern "C" void turnipStandInFaulted();

asm(R"(
.text
.type turnipStandInSwitch,@function
turnipStandInSwitch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size turnipStandInSwitch,.-turnipStandInSwitch
)");

/// A stack and the CUDA thread that is on it. Lies at the stack's upper end.
struct BlockRunner::Fiber {
  /// First, so that the thread's address is the fiber's.
  TurnipStandInThread thread;
  BlockRunner *runner;
  Fiber *nextOfAll;
  Fiber *next;
  void *stack;
  uint32_t warp;
  uint32_t lane;
  /// What the thread gave to the operation that it waits in.
  uint64_t value;
  uint32_t sourceLane;
  uint32_t shape;
  const void *a;
  const void *b;
  const float *c;
  float *d;
};

namespace turnip::standin {
/// The way from C functions into the runner.
struct FiberAccess {
  static BlockRunner *active() { return runner; }
  static void setActive(BlockRunner *value) { runner = value; }
  /// The loop of every stack: threads one after the other, then sleep.
  [[noreturn]] static void main() {
    BlockRunner &self = *runner;
    BlockRunner::Fiber &fiber = *self.running;
    for (;;) {
      while (self.nextThread < self.numThreads) {
        self.startThread(fiber);
        self.launch.function(self.launch.params, &fiber.thread);
        self.endThread(fiber);
      }
      BlockRunner::push(self.idle, &fiber);
      self.suspend(fiber);
    }
  }
  static void *safeStack() {
    return reinterpret_cast<char *>(runner->running) - 64;
  }
  [[noreturn]] static void abandon(LaunchResult why) { runner->abandon(why); }
  static void setFault(const void *address) {
    runner->faultAddress = reinterpret_cast<uint64_t>(address);
  }

private:
  static thread_local BlockRunner *runner;
};
thread_local BlockRunner *FiberAccess::runner = nullptr;
} // namespace turnip::standin

void turnipStandInFiberMain() { FiberAccess::main(); }
void turnipStandInFaulted() { FiberAccess::abandon(LaunchResult::Fault); }
static void illegalInstruction() {
  FiberAccess::abandon(LaunchResult::IllegalInstruction);
}

//===----------------------------------------------------------------------===//
// Memory faults
//===----------------------------------------------------------------------===//

static struct sigaction previousSegv, previousBus, previousIll, previousFpe;

/// Lets a faulting device function continue in turnipStandInFaulted, at the
/// upper end of its stack, which it will not need again.
static void onFault(int signal, siginfo_t *info, void *context) {
  if (!FiberAccess::active()) {
    // Not ours: let the instruction fault again under the previous handling.
    sigaction(SIGSEGV, &previousSegv, nullptr);
    sigaction(SIGBUS, &previousBus, nullptr);
    sigaction(SIGILL, &previousIll, nullptr);
    sigaction(SIGFPE, &previousFpe, nullptr);
    return;
  }
  FiberAccess::setFault(info->si_addr);
  auto &registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
  auto stack = reinterpret_cast<uintptr_t>(FiberAccess::safeStack());
  // As if by a call: 8 below a multiple of 16.
  registers[REG_RSP] = static_cast<greg_t>((stack & ~uintptr_t(15)) - 8);
  void (*landing)() = signal == SIGSEGV || signal == SIGBUS
                          ? turnipStandInFaulted
                          : illegalInstruction;
  registers[REG_RIP] = reinterpret_cast<greg_t>(landing);
}

void BlockRunner::installFaultHandler() {
  static const bool installed = [] {
    struct sigaction action = {};
    action.sa_sigaction = onFault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &previousSegv);
    sigaction(SIGBUS, &action, &previousBus);
    sigaction(SIGILL, &action, &previousIll);
    sigaction(SIGFPE, &action, &previousFpe);
    return true;
  }();
  (void)installed;
}

void *BlockRunner::enterThread() {
  stack_t present = {};
  if (sigaltstack(nullptr, &present) == 0 && !(present.ss_flags & SS_DISABLE))
    return nullptr;
  void *pages = ::mmap(nullptr, handlerStackBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    return nullptr;
  stack_t stack = {};
  stack.ss_sp = pages;
  stack.ss_size = handlerStackBytes;
  sigaltstack(&stack, nullptr);
  return pages;
}

void BlockRunner::leaveThread(void *stack) {
  if (!stack)
    return;
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  ::munmap(stack, handlerStackBytes);
}

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

BlockRunner *BlockRunner::create() {
  const size_t bytes = sizeof(BlockRunner) + 128 + maxSharedBytes;
  void *pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    return nullptr;
  // All members begin as zero, which fresh pages are.
  auto *runner = static_cast<BlockRunner *>(pages);
  auto after = reinterpret_cast<uintptr_t>(pages) + sizeof(BlockRunner);
  runner->shared = pointerTo((after + 127) & ~uintptr_t(127));
  return runner;
}

void BlockRunner::destroy() {
  while (Fiber *fiber = all) {
    all = fiber->nextOfAll;
    char *end = reinterpret_cast<char *>(fiber) + sizeof(Fiber);
    auto last = (reinterpret_cast<uintptr_t>(end) + pageBytes - 1) &
                ~uintptr_t(pageBytes - 1);
    ::munmap(pointerTo(last) - stackBytes - pageBytes, stackBytes + pageBytes);
  }
  ::munmap(this, sizeof(BlockRunner) + 128 + maxSharedBytes);
}

/// A new stack with a guard page below, or null.
BlockRunner::Fiber *BlockRunner::makeFiber() {
  void *pages = ::mmap(nullptr, stackBytes + pageBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED)
    return nullptr;
  if (::mprotect(pages, pageBytes, PROT_NONE) != 0) {
    ::munmap(pages, stackBytes + pageBytes);
    return nullptr;
  }
  // Fibers end at different offsets in their last page: they would all share
  // the same few sets of the cache.
  const size_t colour = size_t(numFibers++ % 13) * 192;
  const size_t room = (sizeof(Fiber) + 63) / 64 * 64;
  static_assert(size_t(12) * 192 + (sizeof(Fiber) + 63) / 64 * 64 < pageBytes);
  char *end = static_cast<char *>(pages) + pageBytes + stackBytes;
  auto *fiber = reinterpret_cast<Fiber *>(end - colour - room);
  fiber->runner = this;
  fiber->nextOfAll = all;
  all = fiber;
  prepare(*fiber);
  return fiber;
}

/// Makes the stack of \p fiber begin anew.
void BlockRunner::prepare(Fiber &fiber) {
  auto top = reinterpret_cast<uintptr_t>(&fiber) & ~uintptr_t(15);
  // turnipStandInSwitch pops six registers and returns to the last word but
  // one; the function then begins as if called, 8 below a multiple of 16.
  auto *words = reinterpret_cast<uint64_t *>(pointerTo(top)) - 8;
  std::memset(words, 0, 8 * sizeof(uint64_t));
  words[6] = reinterpret_cast<uint64_t>(&turnipStandInFiberMain);
  fiber.stack = words;
}

void BlockRunner::resetFibers() {
  ready = idle = barrierWaiters = List();
  for (Fiber *fiber = all; fiber; fiber = fiber->nextOfAll) {
    prepare(*fiber);
    push(idle, fiber);
  }
}

void BlockRunner::push(List &list, Fiber *fiber) {
  fiber->next = nullptr;
  if (list.last)
    list.last->next = fiber;
  else
    list.first = fiber;
  list.last = fiber;
}

BlockRunner::Fiber *BlockRunner::pop(List &list) {
  Fiber *fiber = list.first;
  if (fiber) {
    list.first = fiber->next;
    if (!list.first)
      list.last = nullptr;
  }
  return fiber;
}

void BlockRunner::suspend(Fiber &fiber) {
  turnipStandInSwitch(&fiber.stack, schedulerStack);
}

void BlockRunner::abandon(LaunchResult why) {
  result = why;
  void *ignored = nullptr;
  turnipStandInSwitch(&ignored, schedulerStack);
  __builtin_unreachable();
}

//===----------------------------------------------------------------------===//
// Blocks and threads
//===----------------------------------------------------------------------===//

LaunchResult BlockRunner::run(const LaunchDescription &description,
                              uint64_t &address) {
  launch = description;
  result = LaunchResult::Done;
  numThreads = launch.block[0] * launch.block[1] * launch.block[2];
  const uint64_t numBlocks =
      uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2];
  FiberAccess::setActive(this);
  for (uint64_t i = 0; i < numBlocks && result == LaunchResult::Done; ++i) {
    const uint64_t block = launch.backwards ? numBlocks - 1 - i : i;
    blockIndex[0] = static_cast<uint32_t>(block % launch.grid[0]);
    blockIndex[1] =
        static_cast<uint32_t>(block / launch.grid[0] % launch.grid[1]);
    blockIndex[2] = static_cast<uint32_t>(
        block / (uint64_t(launch.grid[0]) * launch.grid[1]));
    result = runBlock();
  }
  FiberAccess::setActive(nullptr);
  if (result != LaunchResult::Done)
    resetFibers();
  address = faultAddress;
  return result;
}

LaunchResult BlockRunner::runBlock() {
  nextThread = 0;
  live = numThreads;
  atBarrier = 0;
  for (uint32_t first = 0; first < numThreads; first += 32) {
    Warp &warp = warps[first / 32];
    std::memset(&warp, 0, sizeof(warp));
    warp.live = numThreads - first < 32 ? numThreads - first : 32;
  }
  // What a block finds in its shared memory is nobody's promise.
  std::memset(shared, 0xFF, launch.sharedBytes);
  while (live > 0) {
    Fiber *fiber = pop(ready);
    if (!fiber && nextThread < numThreads) {
      fiber = pop(idle);
      if (!fiber)
        fiber = makeFiber();
      if (!fiber)
        return LaunchResult::NoMemory;
    }
    if (!fiber)
      return LaunchResult::Diverged;
    running = fiber;
    turnipStandInSwitch(&schedulerStack, fiber->stack);
    if (result != LaunchResult::Done)
      return result;
  }
  return LaunchResult::Done;
}

void BlockRunner::startThread(Fiber &fiber) {
  const uint32_t position = nextThread++;
  const uint32_t index =
      launch.backwards ? numThreads - 1 - position : position;
  fiber.warp = index / 32;
  fiber.lane = index % 32;
  TurnipStandInThread &thread = fiber.thread;
  const uint32_t *block = launch.block;
  thread.threadIdx[0] = index % block[0];
  thread.threadIdx[1] = index / block[0] % block[1];
  thread.threadIdx[2] = index / (block[0] * block[1]);
  std::memcpy(thread.blockIdx, blockIndex, sizeof(blockIndex));
  std::memcpy(thread.blockDim, launch.block, sizeof(launch.block));
  std::memcpy(thread.gridDim, launch.grid, sizeof(launch.grid));
  thread.shared = shared;
  thread.staticShared = 0;
  thread.barrier = barrier;
  thread.shuffle = shuffle;
  thread.mma = mma;
}

void BlockRunner::endThread(Fiber &fiber) {
  --live;
  if (atBarrier > 0 && atBarrier == live)
    releaseBarrier();
  Warp &warp = warps[fiber.warp];
  --warp.live;
  if (warp.arrived == 0 || warp.arrived != warp.live)
    return;
  if (!completeWarp(warp, nullptr))
    abandon(LaunchResult::Diverged);
}

void BlockRunner::releaseBarrier() {
  while (Fiber *waiter = pop(barrierWaiters))
    push(ready, waiter);
  atBarrier = 0;
}

void BlockRunner::barrier(const TurnipStandInThread *thread) {
  auto &fiber =
      *reinterpret_cast<Fiber *>(const_cast<TurnipStandInThread *>(thread));
  BlockRunner &self = *fiber.runner;
  if (++self.atBarrier == self.live) {
    self.releaseBarrier();
    return;
  }
  push(self.barrierWaiters, &fiber);
  self.suspend(fiber);
}

/// Brings \p fiber to operation \p what of its warp; returns when that is done.
void BlockRunner::arrive(Fiber &fiber, Wait what) {
  Warp &warp = warps[fiber.warp];
  if (warp.arrived > 0 && warp.waiting != what)
    abandon(LaunchResult::Diverged);
  warp.waiting = what;
  warp.lanes[fiber.lane] = &fiber;
  if (++warp.arrived < warp.live) {
    suspend(fiber);
    return;
  }
  // The last one works for all, and goes on without waiting its turn.
  if (!completeWarp(warp, &fiber))
    abandon(LaunchResult::Diverged);
}

/// Does the operation that all live lanes of \p warp have come to and makes
/// them ready, apart from \p awake. False where a lane that is needed has
/// ended.
bool BlockRunner::completeWarp(Warp &warp, const Fiber *awake) {
  if (warp.waiting == Wait::Shuffle) {
    uint64_t values[32];
    const auto first = static_cast<uint32_t>(&warp - warps) * 32;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const Fiber *fiber = warp.lanes[lane];
      if (!fiber)
        continue;
      const uint32_t source = fiber->sourceLane;
      const bool exists = source < 32 && first + source < numThreads;
      if (exists && !warp.lanes[source])
        return false;
      values[lane] = exists ? warp.lanes[source]->value : fiber->value;
    }
    for (uint32_t lane = 0; lane < 32; ++lane)
      if (Fiber *fiber = warp.lanes[lane])
        fiber->value = values[lane];
  } else {
    if (warp.arrived != 32)
      return false;
    const void *a[32], *b[32];
    const float *c[32];
    float *d[32];
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const Fiber &fiber = *warp.lanes[lane];
      if (fiber.shape != warp.lanes[0]->shape)
        return false;
      a[lane] = fiber.a;
      b[lane] = fiber.b;
      c[lane] = fiber.c;
      d[lane] = fiber.d;
    }
    if (!multiplyFragments(warp.lanes[0]->shape, a, b, c, d))
      return false;
  }
  for (Fiber *&fiber : warp.lanes)
    if (fiber) {
      if (fiber != awake)
        push(ready, fiber);
      fiber = nullptr;
    }
  warp.arrived = 0;
  return true;
}

uint64_t BlockRunner::shuffle(const TurnipStandInThread *thread, uint64_t value,
                              uint32_t lane) {
  auto &fiber =
      *reinterpret_cast<Fiber *>(const_cast<TurnipStandInThread *>(thread));
  fiber.value = value;
  fiber.sourceLane = lane;
  fiber.runner->arrive(fiber, Wait::Shuffle);
  return fiber.value;
}

void BlockRunner::mma(const TurnipStandInThread *thread, uint32_t shape,
                      const void *a, const void *b, const float *c, float *d) {
  auto &fiber =
      *reinterpret_cast<Fiber *>(const_cast<TurnipStandInThread *>(thread));
  fiber.shape = shape;
  fiber.a = a;
  fiber.b = b;
  fiber.c = c;
  fiber.d = d;
  fiber.runner->arrive(fiber, Wait::Mma);
}
