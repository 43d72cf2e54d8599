//===- World.cpp - The state behind the functions -------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"

#include "Memory.h"
#include "Stream.h"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

using namespace turnip;
using namespace turnip::standin;

World &turnip::standin::world() {
  // Never destroyed: streams may still be at work when the process ends.
  static World *instance = new World;
  return *instance;
}

uint64_t turnip::standin::scramble(uint64_t seed, uint64_t index) {
  // The finalisation of splitmix64.
  uint64_t bits = seed + (index + 1) * 0x9E3779B97F4A7C15U;
  bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ bits >> 27) * 0x94D049BB133111EBU;
  return bits ^ bits >> 31;
}

void turnip::standin::addBytes(std::atomic<uint64_t> &now,
                               std::atomic<uint64_t> &peak, uint64_t bytes) {
  const uint64_t total = now += bytes;
  uint64_t most = peak.load();
  while (total > most && !peak.compare_exchange_weak(most, total)) {
  }
}

//===----------------------------------------------------------------------===//
// Explanations
//===----------------------------------------------------------------------===//

static std::mutex messageMutex;
static std::string message;

static void explainList(const char *format, va_list arguments) {
  char text[512];
  std::vsnprintf(text, sizeof(text), format, arguments);
  std::lock_guard<std::mutex> lock(messageMutex);
  message = text;
  if (world().config.log)
    std::fprintf(stderr, "turnip-cuda-stand-in: %s\n", text);
}

void turnip::standin::explain(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  explainList(format, arguments);
  va_end(arguments);
}

CUresult turnip::standin::fail(CUresult result, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  explainList(format, arguments);
  va_end(arguments);
  return result;
}

const char *turnipStandInMessage() {
  static thread_local std::string copy;
  std::lock_guard<std::mutex> lock(messageMutex);
  copy = message;
  return copy.c_str();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

CallSite::CallSite(const char *name, int usualError)
    : name(name), usualError(usualError) {
  std::atomic<CallSite *> &sites = world().sites;
  next = sites.load();
  while (!sites.compare_exchange_weak(next, this)) {
  }
}

int CallSite::enter() {
  World &all = world();
  const uint64_t number = ++all.counters.calls;
  const uint64_t own = ++calls;
  const Config::Failure &failure = all.config.failure;
  if (failure.number == 0)
    return 0;
  if (failure.function.empty()
          ? number != failure.number
          : own != failure.number || failure.function != name)
    return 0;
  ++all.counters.injected;
  explain("injected failure of call %" PRIu64 " of %s", own, name);
  return failure.error ? failure.error : usualError;
}

uint64_t turnipStandInCalls(const char *function) {
  for (CallSite *site = world().sites; site; site = site->next)
    if (std::strcmp(site->name, function) == 0)
      return site->calls;
  return 0;
}

const char *turnipStandInFunction(uint64_t index) {
  CallSite *site = world().sites;
  while (site && index--)
    site = site->next;
  return site ? site->name : nullptr;
}

//===----------------------------------------------------------------------===//
// Configuration
//===----------------------------------------------------------------------===//

bool Counters::anythingAlive() const {
  return contexts || streams || events || modules || deviceAllocations ||
         hostAllocations || hostRegistrations || ltObjects;
}

static void clearCounters() {
  World &all = world();
  Counters &counters = all.counters;
  for (std::atomic<uint64_t> *counter :
       {&counters.calls, &counters.injected, &counters.work,
        &counters.abandoned, &counters.peakDeviceBytes, &counters.peakHostBytes,
        &counters.launches, &counters.matmuls, &counters.copies,
        &counters.pageableCopies})
    *counter = 0;
  for (CallSite *site = all.sites; site; site = site->next)
    site->calls = 0;
  all.streamsMade = 0;
  std::lock_guard<std::mutex> lock(messageMutex);
  message.clear();
}

/// Takes \p config; the world's lock is held and nothing is alive.
static void apply(const Config &config) {
  World &all = world();
  memory().reset();
  all.config = config;
  clearCounters();
  for (Device *device : all.devices)
    delete device;
  all.devices.clear();
  for (unsigned i = 0; i < config.devices; ++i) {
    all.devices.push_back(new Device);
    all.devices.back()->ordinal = static_cast<int>(i);
  }
}

static bool configured = false;

const char *turnipStandInConfigure(const char *text) {
  static thread_local std::string problem;
  World &all = world();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (all.counters.anythingAlive()) {
    problem = "something is alive still";
    return problem.c_str();
  }
  Expected<Config> config = parseConfig(text);
  if (!config) {
    problem = config.status().message();
    return problem.c_str();
  }
  configured = true;
  apply(*config);
  return nullptr;
}

bool turnip::standin::configureFromEnvironment() {
  World &all = world();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (configured)
    return true;
  const char *text = std::getenv("TURNIP_STANDIN");
  Expected<Config> config = parseConfig(text ? text : "");
  if (!config) {
    std::fprintf(stderr, "turnip-cuda-stand-in: TURNIP_STANDIN: %s\n",
                 config.status().message().c_str());
    return false;
  }
  configured = true;
  apply(*config);
  return true;
}

void turnipStandInStatistics(Statistics *statistics) {
  const Counters &from = world().counters;
  Statistics &to = *statistics;
  to.calls = from.calls;
  to.injected = from.injected;
  to.contexts = from.contexts;
  to.streams = from.streams;
  to.events = from.events;
  to.modules = from.modules;
  to.deviceAllocations = from.deviceAllocations;
  to.hostAllocations = from.hostAllocations;
  to.hostRegistrations = from.hostRegistrations;
  to.ltObjects = from.ltObjects;
  to.deviceBytes = from.deviceBytes;
  to.peakDeviceBytes = from.peakDeviceBytes;
  to.hostBytes = from.hostBytes;
  to.peakHostBytes = from.peakHostBytes;
  to.abandoned = from.abandoned;
  to.launches = from.launches;
  to.matmuls = from.matmuls;
  to.copies = from.copies;
  to.pageableCopies = from.pageableCopies;
}

static void writeReport(FILE *file) {
  const Counters &counters = world().counters;
  const std::pair<const char *, uint64_t> rows[] = {
      {"contexts", counters.contexts},
      {"streams", counters.streams},
      {"events", counters.events},
      {"modules", counters.modules},
      {"device allocations", counters.deviceAllocations},
      {"pinned host allocations", counters.hostAllocations},
      {"registrations of host memory", counters.hostRegistrations},
      {"objects of cuBLASLt", counters.ltObjects}};
  for (auto [name, count] : rows)
    if (count)
      std::fprintf(file,
                   "turnip-cuda-stand-in: alive at exit: %" PRIu64 " %s\n",
                   count, name);
  if (!counters.anythingAlive())
    std::fprintf(file, "turnip-cuda-stand-in: nothing is alive at exit\n");
  std::fprintf(file,
               "turnip-cuda-stand-in: calls: %" PRIu64 ", launches: %" PRIu64
               ", products: %" PRIu64 ", copies: %" PRIu64 " (%" PRIu64
               " pageable), most device memory: %" PRIu64
               " bytes, most pinned memory: %" PRIu64 " bytes\n",
               counters.calls.load(), counters.launches.load(),
               counters.matmuls.load(), counters.copies.load(),
               counters.pageableCopies.load(), counters.peakDeviceBytes.load(),
               counters.peakHostBytes.load());
}

/// Runs when the process ends, after everything that the program does then.
__attribute__((destructor)) static void reportAtExit() {
  const std::string &where = world().config.report;
  if (where.empty())
    return;
  if (where == "stderr")
    return writeReport(stderr);
  if (FILE *file = std::fopen(where.c_str(), "w")) {
    writeReport(file);
    std::fclose(file);
  }
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

namespace {
/// The contexts of a thread; the last one is current.
struct ContextStack {
  static constexpr unsigned capacity = 16;
  Context *contexts[capacity] = {};
  unsigned size = 0;
};
} // namespace

static thread_local ContextStack stack;

Context *turnip::standin::currentContext() {
  return stack.size ? stack.contexts[stack.size - 1] : nullptr;
}

bool turnip::standin::pushContext(Context *context) {
  if (stack.size == ContextStack::capacity)
    return false;
  stack.contexts[stack.size++] = context;
  return true;
}

bool turnip::standin::popContext(Context *&context) {
  if (stack.size == 0)
    return false;
  context = stack.contexts[--stack.size];
  return true;
}

void turnip::standin::setCurrentContext(Context *context) {
  Context *previous = nullptr;
  popContext(previous);
  if (context)
    pushContext(context);
}

CUresult turnip::standin::needContext(Context *&context) {
  if (!world().initialised.load())
    return fail(CUDA_ERROR_NOT_INITIALIZED, "cuInit was not called");
  context = currentContext();
  if (!context)
    return fail(CUDA_ERROR_INVALID_CONTEXT,
                "no context is current to this thread");
  if (!context->alive())
    return fail(CUDA_ERROR_CONTEXT_IS_DESTROYED,
                "the current context was destroyed");
  return static_cast<CUresult>(context->sticky.load());
}

Context *turnip::standin::createContext(Device &device) {
  auto *context = new Context;
  context->device = &device;
  context->retains = 1;
  world().objects.push_back(context);
  ++world().counters.contexts;
  return context;
}

std::vector<Stream *> turnip::standin::streamsOf(Context &context) {
  std::lock_guard<std::mutex> lock(context.mutex);
  std::vector<Stream *> streams = context.streams;
  if (context.null)
    streams.push_back(context.null);
  return streams;
}

void turnip::standin::synchronizeContext(Context &context) {
  for (Stream *stream : streamsOf(context))
    stream->synchronize();
}

void turnip::standin::unloadModule(Module &module) {
  module.state = Object::State::Dead;
  for (Function *function : module.functions)
    function->state = Object::State::Dead;
  ::dlclose(module.handle);
  ::close(module.fd);
  --world().counters.modules;
}

void turnip::standin::destroyContext(Context &context) {
  Counters &counters = world().counters;
  context.state = Object::State::Dead;
  const std::vector<Stream *> streams = streamsOf(context);
  for (Stream *stream : streams)
    stream->giveUp();
  for (Stream *stream : streams) {
    if (stream->alive()) {
      stream->state = Object::State::Dead;
      if (stream != context.null) {
        ++counters.abandoned;
        --counters.streams;
      }
      if (stream->works())
        stream->stop();
    }
    stream->join();
  }
  std::lock_guard<std::mutex> lock(context.mutex);
  context.streams.clear();
  context.null = nullptr;
  for (Module *module : context.modules)
    if (module->alive()) {
      ++counters.abandoned;
      unloadModule(*module);
    }
  context.modules.clear();
  for (EventObject *event : context.events) {
    event->state = Object::State::Dead;
    ++counters.abandoned;
    --counters.events;
  }
  context.events.clear();
  counters.abandoned += memory().releaseAll(context);
  --counters.contexts;
}
