//===- Work.cpp - What streams do -----------------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "Stream.h"

#include <chrono>
#include <cinttypes>
#include <cstring>

using namespace turnip::standin;

static void sleepUntil(int64_t nanoseconds) {
  std::this_thread::sleep_until(std::chrono::steady_clock::time_point(
      std::chrono::nanoseconds(nanoseconds)));
}

/// Makes the context fail from here on, unless it does so already.
void Stream::raise(CUresult error) {
  int none = 0;
  context.sticky.compare_exchange_strong(none, error);
}

/// Counts a piece of work and fails it if it is the one that has to.
bool Stream::injectFailure() {
  World &all = world();
  if (++all.counters.work != all.config.failingWork)
    return false;
  ++all.counters.injected;
  explain("injected failure of work %" PRIu64, all.config.failingWork);
  raise(all.config.workError ? static_cast<CUresult>(all.config.workError)
                             : CUDA_ERROR_LAUNCH_FAILED);
  return true;
}

void Stream::delay(const Work &work, uint64_t index) const {
  const Config &config = world().config;
  int64_t until = 0;
  if (config.delayUs) {
    const uint64_t draw = scramble(config.seed ^ number << 40, index);
    until = nowNanoseconds() +
            static_cast<int64_t>(draw % (config.delayUs * 1000 + 1));
  }
  if (work.kind == Work::Kind::Copy && config.linkGbps > 0 &&
      (work.flags & (Work::fromHost | Work::toHost))) {
    // A link is serial: each copy begins when the one before it has ended.
    auto &free = context.device->linkFree[work.flags & Work::fromHost ? 1 : 0];
    const auto takes =
        static_cast<int64_t>(static_cast<double>(work.bytes) / config.linkGbps);
    int64_t begin = free.load(), end = 0;
    do
      end = std::max(begin, nowNanoseconds()) + takes;
    while (!free.compare_exchange_weak(begin, end));
    until = std::max(until, end);
  }
  if (until > nowNanoseconds())
    sleepUntil(until);
}

void Stream::execute(const Work &work) {
  const bool moves =
      work.kind == Work::Kind::Launch || work.kind == Work::Kind::Copy ||
      work.kind == Work::Kind::Fill || work.kind == Work::Kind::Matmul;
  if (moves && !context.sticky.load())
    delay(work, numDone.load(std::memory_order_relaxed));
  // After a failure nothing is done any more; it only ends.
  const bool works = !context.sticky.load() && !(moves && injectFailure());
  switch (work.kind) {
  case Work::Kind::Launch:
    return works ? launch(work) : void();
  case Work::Kind::Copy:
    if (works)
      copy(work);
    if (work.flags & Work::staged)
      unmapPages(work.object, std::max<uint64_t>(work.bytes, 1));
    return;
  case Work::Kind::Fill:
    return works ? fill(work) : void();
  case Work::Kind::Matmul:
    return works ? matmul(work) : void();
  case Work::Kind::Record:
    return record(work);
  case Work::Kind::Wait:
    return work.other->wait(work.value);
  case Work::Kind::Write:
    return works ? writeValue(work) : void();
  case Work::Kind::WaitValue:
    return works ? waitValue(work) : void();
  case Work::Kind::Call:
    return works ? work.function(work.object) : void();
  case Work::Kind::Stop:
    return;
  }
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Where one end of a copy is now; null, with an explanation, if it is no
/// longer there. Host memory is in the pinned memory with number \p serial; 0:
/// in none.
static char *findEnd(uint64_t address, uint64_t bytes, bool host,
                     uint64_t serial = 0) {
  using Kind = Memory::Place::Kind;
  Memory::Place place = memory().find(address, bytes);
  const bool right = host ? place.serial == serial : place.kind == Kind::Device;
  if (!right)
    explain("%" PRIu64 " bytes at 0x%" PRIx64 " went away before the work on "
            "them was done",
            bytes, address);
  return right ? place.real : nullptr;
}

void Stream::copy(const Work &work) {
  const bool toHost = work.flags & Work::toHost;
  const bool fromHost = work.flags & Work::fromHost;
  char *target = findEnd(work.target, work.bytes, toHost, work.value);
  const char *source =
      work.flags & Work::staged
          ? static_cast<const char *>(work.object)
          : findEnd(work.source, work.bytes, fromHost, work.value);
  if (!target || !source)
    return raise(CUDA_ERROR_ILLEGAL_ADDRESS);
  std::memmove(target, source, work.bytes);
  ++world().counters.copies;
}

void Stream::fill(const Work &work) {
  char *target = findEnd(work.target, work.bytes, false);
  if (!target)
    return raise(CUDA_ERROR_ILLEGAL_ADDRESS);
  if (work.flags == 1)
    std::memset(target, static_cast<int>(work.value), work.bytes);
  else
    for (uint64_t i = 0; i < work.bytes; i += work.flags)
      std::memcpy(target + i, &work.value, work.flags);
}

/// The word that a value is written to or read from: device memory or pinned
/// host memory. Null, and an explanation, where it is neither.
static char *findWord(uint64_t address, uint32_t bytes) {
  using Kind = Memory::Place::Kind;
  Memory::Place place = memory().find(address, bytes);
  const bool right = place.kind == Kind::Device || place.kind == Kind::Pinned;
  if (!right)
    explain("the value at 0x%" PRIx64 " is in no memory of a device", address);
  return right ? place.real : nullptr;
}

void Stream::writeValue(const Work &work) {
  char *word = findWord(work.target, work.flags);
  if (!word)
    return raise(CUDA_ERROR_ILLEGAL_ADDRESS);
  if (work.flags == 4)
    __atomic_store_n(reinterpret_cast<uint32_t *>(word),
                     static_cast<uint32_t>(work.value), __ATOMIC_RELEASE);
  else
    __atomic_store_n(reinterpret_cast<uint64_t *>(word), work.value,
                     __ATOMIC_RELEASE);
}

static bool holds(uint64_t word, const Work &work) {
  const bool narrow = work.flags == 4;
  switch (work.condition) {
  case CU_STREAM_WAIT_VALUE_GEQ:
    return narrow ? static_cast<int32_t>(word - work.value) >= 0
                  : static_cast<int64_t>(word - work.value) >= 0;
  case CU_STREAM_WAIT_VALUE_EQ:
    return word == work.value;
  default:
    return (word & work.value) != 0;
  }
}

void Stream::waitValue(const Work &work) {
  for (unsigned i = 0; !givenUp.load() && !context.sticky.load(); ++i) {
    // Looked up each time: the memory may be freed meanwhile.
    char *word = findWord(work.target, work.flags);
    if (!word)
      return raise(CUDA_ERROR_ILLEGAL_ADDRESS);
    const uint64_t value =
        work.flags == 4 ? __atomic_load_n(reinterpret_cast<uint32_t *>(word),
                                          __ATOMIC_ACQUIRE)
                        : __atomic_load_n(reinterpret_cast<uint64_t *>(word),
                                          __ATOMIC_ACQUIRE);
    if (holds(value, work))
      return;
    if (i < 1000)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

//===----------------------------------------------------------------------===//
// Kernels and matrix products
//===----------------------------------------------------------------------===//

void Stream::launch(const Work &work) {
  auto &function = *static_cast<Function *>(work.object);
  constexpr uint32_t maxParams = 4096;
  if (!runner)
    runner = BlockRunner::create();
  if (!runner) {
    explain("%s: the host has no memory for stacks", function.name.c_str());
    return raise(CUDA_ERROR_OUT_OF_MEMORY);
  }
  uint64_t values[maxParams];
  void *params[maxParams];
  for (uint32_t i = 0; i < work.payloadWords; ++i) {
    values[i] = work.payload[i];
    params[i] = &values[i];
    if (!memory().translate(context, values[i])) {
      explain("%s: argument %u is 0x%" PRIx64
              ", which this device cannot use: it is in no allocation",
              function.name.c_str(), i, values[i]);
      return raise(CUDA_ERROR_ILLEGAL_ADDRESS);
    }
  }
  LaunchDescription description;
  description.function = reinterpret_cast<DeviceFunction>(function.entry);
  description.params = params;
  std::memcpy(description.grid, work.grid, sizeof(work.grid));
  std::memcpy(description.block, work.block, sizeof(work.block));
  description.sharedBytes = work.shared;
  const uint64_t seed = world().config.seed;
  description.backwards =
      seed && scramble(seed + number, numDone.load()) % 2 == 1;
  uint64_t fault = 0;
  switch (runner->run(description, fault)) {
  case LaunchResult::Done:
    ++world().counters.launches;
    return;
  case LaunchResult::Fault:
    explain("%s: touched memory at 0x%" PRIx64 ", where there is none",
            function.name.c_str(), fault);
    return raise(CUDA_ERROR_ILLEGAL_ADDRESS);
  case LaunchResult::IllegalInstruction:
    explain("%s: executed something that this processor cannot do",
            function.name.c_str());
    return raise(CUDA_ERROR_LAUNCH_FAILED);
  case LaunchResult::Diverged:
    explain("%s: threads wait for others that never come",
            function.name.c_str());
    return raise(CUDA_ERROR_LAUNCH_FAILED);
  case LaunchResult::NoMemory:
    explain("%s: the host has no memory for stacks", function.name.c_str());
    return raise(CUDA_ERROR_OUT_OF_MEMORY);
  }
}

/// Computes \p product in parts of k, added up in an order that differs from
/// one call to the next, as split sums with atomic additions are.
static bool multiplySplit(const MatrixProduct &product, uint32_t splits,
                          GemmScratch &scratch) {
  const auto shift = static_cast<uint32_t>(
      scramble(static_cast<uint64_t>(nowNanoseconds()), splits) % splits);
  for (uint32_t i = 0; i < splits; ++i) {
    const int64_t index = (i + shift) % splits;
    const int64_t begin = index * product.k / splits;
    MatrixProduct part = product;
    part.k = (index + 1) * product.k / splits - begin;
    auto advance = [begin](MatrixProduct::Matrix &matrix, bool depthIsColumn) {
      const int64_t step = depthIsColumn ? matrix.leading : 1;
      matrix.data = static_cast<const char *>(matrix.data) +
                    begin * step * static_cast<int64_t>(bytesOf(matrix.type));
    };
    advance(part.a, !part.a.transposed);
    advance(part.b, part.b.transposed);
    if (i > 0) {
      part.beta = 1;
      part.c = part.d;
    }
    if (i + 1 < splits) {
      part.activation = Activation::None;
      part.bias = nullptr;
    }
    if (!multiply(part, scratch))
      return false;
  }
  return true;
}

#if defined(__SANITIZE_THREAD__)
#define TURNIP_STANDIN_TSAN
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TURNIP_STANDIN_TSAN
#endif
#endif
#ifdef TURNIP_STANDIN_TSAN
extern "C" void __tsan_read_range(void *address, unsigned long bytes);
extern "C" void __tsan_write_range(void *address, unsigned long bytes);
#endif

/// Tells ThreadSanitizer what a product reads and writes: the code that
/// computes it is compiled without.
static void noteAccesses(const MatmulWork &work, void *const (&places)[6]) {
#ifdef TURNIP_STANDIN_TSAN
  for (unsigned i = 0; i < 6; ++i)
    if (places[i] && (i == 3 || i == 5))
      __tsan_write_range(places[i], work.operands[i].bytes);
    else if (places[i])
      __tsan_read_range(places[i], work.operands[i].bytes);
#else
  (void)work;
  (void)places;
#endif
}

/// Points the operands of \p work at their bytes and runs it.
bool Stream::runMatmul(const MatmulWork &work) {
  MatrixProduct product = work.product;
  void *places[6] = {};
  for (unsigned i = 0; i < 6; ++i) {
    if (!work.operands[i].bytes)
      continue;
    places[i] =
        findEnd(work.operands[i].address, work.operands[i].bytes, false);
    if (!places[i])
      return false;
  }
  noteAccesses(work, places);
  product.a.data = places[0];
  product.b.data = places[1];
  product.c.data = places[2];
  product.d.data = places[3];
  product.bias = places[4];
  // A product may leave anything in its workspace, and does.
  if (places[5])
    std::memset(places[5], 0xFF, work.operands[5].bytes);
  return work.splits > 1 ? multiplySplit(product, work.splits, scratch)
                         : multiply(product, scratch);
}

void Stream::matmul(const Work &work) {
  MatmulWork description;
  std::memcpy(static_cast<void *>(&description), work.payload,
              sizeof(description));
  if (!runMatmul(description))
    return raise(CUDA_ERROR_ILLEGAL_ADDRESS);
  ++world().counters.matmuls;
}
