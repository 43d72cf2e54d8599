//===- World.h - The state behind the functions -----------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_STANDIN_WORLD_H
#define TURNIP_LIB_STANDIN_WORLD_H

#include "Config.h"
#include "CudaApi.h"
#include "turnip/standin/StandIn.h"

#include <atomic>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace turnip::standin {

class Stream;

/// What every handle points at. Objects are never given back to the system, so
/// that a handle used after its end is noticed.
struct Object {
  enum class State : uint32_t { Alive = 0x54524e41, Dead = 0x54524e44 };
  std::atomic<State> state{State::Alive};
  bool alive() const {
    return state.load(std::memory_order_acquire) == State::Alive;
  }
};

struct Context;
struct EventObject;
struct Module;

/// One device of the machine that is played.
struct Device {
  int ordinal = 0;
  /// Bytes of its memory that are allocated; under Memory's lock.
  uint64_t used = 0;
  /// The primary context, created by the first retain.
  Context *primary = nullptr;
  /// Where the next copy towards the device [1] or from it [0] may begin on an
  /// emulated link, in nanoseconds.
  std::atomic<int64_t> linkFree[2] = {};
};

/// A context; all are primary contexts, or made by cuCtxCreate.
struct Context : Object {
  Device *device = nullptr;
  unsigned retains = 0;
  /// The error that all later calls return, or 0.
  std::atomic<int> sticky{0};
  /// Guards what is below. Taken before any lock of a stream.
  std::mutex mutex;
  /// Destroyed ones included, which may still be at work.
  std::vector<Stream *> streams;
  std::vector<Module *> modules;
  /// The NULL stream.
  Stream *null = nullptr;
  /// Events that are alive.
  std::set<EventObject *> events;
  /// Contexts whose memory kernels of this one may use; under Memory's lock.
  std::set<const Context *> peers;
};

/// A device function of a module.
struct Function : Object {
  Module *module = nullptr;
  std::string name;
  void *entry = nullptr;
  uint32_t numParams = 0;
  int maxDynamicShared = 48 << 10;
};

/// A loaded image.
struct Module : Object {
  Context *context = nullptr;
  void *handle = nullptr;
  int fd = -1;
  std::vector<Function *> functions;
};

/// An event; its state is that of its last record.
struct EventObject : Object {
  Context *context = nullptr;
  bool timed = true;
  std::mutex mutex;
  /// How often it was recorded.
  uint64_t generation = 0;
  /// The stream and its position that it was last recorded at; none: never.
  Stream *stream = nullptr;
  uint64_t position = 0;
  /// When that was reached, in nanoseconds.
  int64_t time = 0;
};

/// Everything that counts (Statistics has the plain numbers).
struct Counters {
  std::atomic<uint64_t> calls{0}, injected{0}, work{0};
  std::atomic<uint64_t> contexts{0}, streams{0}, events{0}, modules{0};
  std::atomic<uint64_t> deviceAllocations{0}, hostAllocations{0};
  std::atomic<uint64_t> hostRegistrations{0}, ltObjects{0}, abandoned{0};
  std::atomic<uint64_t> deviceBytes{0}, peakDeviceBytes{0};
  std::atomic<uint64_t> hostBytes{0}, peakHostBytes{0};
  std::atomic<uint64_t> launches{0}, matmuls{0}, copies{0}, pageableCopies{0};

  bool anythingAlive() const;
};

/// One exported function: counts its calls and fails those it was asked to.
class CallSite {
public:
  CallSite(const char *name, int usualError);
  /// Returns 0, or the status that the call must return.
  int enter();

  const char *const name;
  const int usualError;
  std::atomic<uint64_t> calls{0};
  CallSite *next = nullptr;
};

/// The one machine that is played.
struct World {
  Config config;
  Counters counters;
  std::atomic<bool> initialised{false};
  /// Guards devices, contexts, the current configuration and the lists of call
  /// sites; taken before every other lock.
  std::mutex mutex;
  std::vector<Device *> devices;
  /// Every object that there ever was.
  std::vector<Object *> objects;
  /// Events to be used again, the longest dead first.
  std::deque<EventObject *> deadEvents;
  std::atomic<uint64_t> streamsMade{0};
  std::atomic<CallSite *> sites{nullptr};
};

World &world();

/// Reads TURNIP_STANDIN once; false, with an explanation on stderr, where it
/// makes no sense.
bool configureFromEnvironment();

/// Sets the explanation that turnipStandInMessage gives, in printf's form.
__attribute__((format(printf, 1, 2))) void explain(const char *format, ...);

/// Explains and returns \p result.
__attribute__((format(printf, 2, 3))) CUresult fail(CUresult result,
                                                    const char *format, ...);

/// The context that is current to the calling thread; null if there is none.
Context *currentContext();

/// CUDA_SUCCESS and the current context, or why there is none that works.
CUresult needContext(Context *&context);

/// A new context of \p device; the world's lock is held.
Context *createContext(Device &device);
/// Ends \p context and everything that it owns; the world's lock is held.
void destroyContext(Context &context);
/// Ends \p module, whose context's lock or the world's is held.
void unloadModule(Module &module);
/// Makes \p context current in place of the one on top of the thread's stack.
void setCurrentContext(Context *context);
/// Appends to the thread's stack of contexts, or removes; false if it is full
/// or empty.
bool pushContext(Context *context);
bool popContext(Context *&context);

/// The streams of \p context, ended ones that may be at work included.
std::vector<Stream *> streamsOf(Context &context);
/// Waits until all streams of \p context have nothing left to do.
void synchronizeContext(Context &context);

/// Counts \p bytes and the most there were.
void addBytes(std::atomic<uint64_t> &now, std::atomic<uint64_t> &peak,
              uint64_t bytes);

/// A number that looks random, of \p seed and \p index.
uint64_t scramble(uint64_t seed, uint64_t index);

} // namespace turnip::standin

/// At the head of every exported function that returns a CUresult: counts the
/// call and injects failures; \p usual is the error the function is known for.
#define TURNIP_STANDIN_ENTER(usual)                                            \
  static ::turnip::standin::CallSite turnipSite_(__func__, usual);             \
  if (int turnipError_ = turnipSite_.enter())                                  \
  return static_cast<::turnip::standin::CUresult>(turnipError_)

/// The same for functions of cuBLASLt.
#define TURNIP_STANDIN_ENTER_LT(usual)                                         \
  static ::turnip::standin::CallSite turnipSite_(__func__, usual);             \
  if (int turnipError_ = turnipSite_.enter())                                  \
  return static_cast<::turnip::standin::cublasStatus_t>(turnipError_)

/// For functions that release something: they do so even where they fail. The
/// status to return is in `injected`.
#define TURNIP_STANDIN_ENTER_RELEASE(usual)                                    \
  static ::turnip::standin::CallSite turnipSite_(__func__, usual);             \
  const auto injected =                                                        \
      static_cast<::turnip::standin::CUresult>(turnipSite_.enter())

#endif // TURNIP_LIB_STANDIN_WORLD_H
