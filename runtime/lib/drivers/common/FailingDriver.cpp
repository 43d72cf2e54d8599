//===- FailingDriver.cpp - Fails one command of another driver ------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/runtime/Drivers.h"

#include <atomic>

using namespace turnip;
using namespace turnip::runtime;

namespace {
class FailingDriver final : public Driver, private EventSink {
public:
  FailingDriver(std::unique_ptr<Driver> inner, uint64_t failing)
      : inner(std::move(inner)), failing(failing) {}

  const DriverProperties &properties() const override {
    return inner->properties();
  }
  std::optional<uint64_t> freeMemory(const std::string &name) const override {
    return inner->freeMemory(name);
  }
  Status open(const MachineDescription &machine) override {
    return inner->open(machine);
  }
  void *base(uint32_t memory) const override { return inner->base(memory); }
  bool readsFromAnywhere(uint32_t memory, uint64_t offset,
                         uint64_t bytes) const override {
    return inner->readsFromAnywhere(memory, offset, bytes);
  }
  Status read(uint32_t memory, uint64_t offset, uint64_t bytes,
              void *target) const override {
    return inner->read(memory, offset, bytes, target);
  }
  Status write(uint32_t memory, uint64_t offset, uint64_t bytes,
               const void *source) override {
    return inner->write(memory, offset, bytes, source);
  }
  uint32_t waitGroup(const Command &command) const override {
    return inner->waitGroup(command);
  }
  Status protect(uint32_t memory, bool writable) override {
    return inner->protect(memory, writable);
  }
  int64_t now() const override { return inner->now(); }
  uint32_t queueDepth(uint32_t engine) const override {
    return inner->queueDepth(engine);
  }

  Status start(EventSink &newSink) override {
    sink = &newSink;
    submitted = 0;
    victim.store(UINT32_MAX);
    return inner->start(*this);
  }

  void submit(const Command *const *commands, size_t count) override {
    if (failing >= submitted && failing - submitted < count)
      victim.store(commands[failing - submitted]->vertex);
    submitted += count;
    inner->submit(commands, count);
  }

  void submitBehind(const Command &command, const uint32_t *waits,
                    size_t numWaits) override {
    if (submitted++ == failing)
      victim.store(command.vertex);
    inner->submitBehind(command, waits, numWaits);
  }

  void pump() override { inner->pump(); }
  void hurry() override { inner->hurry(); }
  void finish() override { inner->finish(); }

private:
  void deliver(const Event *events, size_t count) override {
    for (size_t i = 0; i < count; ++i) {
      Event event = events[i];
      if (event.vertex == victim.load())
        event.error = "injected failure";
      sink->deliver(&event, 1);
    }
  }

  std::unique_ptr<Driver> inner;
  const uint64_t failing;
  EventSink *sink = nullptr;
  uint64_t submitted = 0;
  std::atomic<uint32_t> victim{UINT32_MAX};
};
} // namespace

std::unique_ptr<Driver>
turnip::runtime::createFailingDriver(std::unique_ptr<Driver> inner,
                                     uint64_t failing) {
  return std::make_unique<FailingDriver>(std::move(inner), failing);
}
