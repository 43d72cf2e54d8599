//===- NullDriver.cpp - Completes everything at once ----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/runtime/Drivers.h"

#include "turnip/runtime/Clock.h"

using namespace turnip;
using namespace turnip::runtime;

namespace {
class NullDriver final : public Driver {
public:
  NullDriver() { props.name = "null"; }

  const DriverProperties &properties() const override { return props; }
  Status open(const MachineDescription & /*machine*/) override {
    return Status::ok();
  }
  void *base(uint32_t /*memory*/) const override { return nullptr; }
  int64_t now() const override { return monotonicNanoseconds(); }
  uint32_t queueDepth(uint32_t /*engine*/) const override { return UINT32_MAX; }

  Status start(EventSink &newSink) override {
    sink = &newSink;
    return Status::ok();
  }

  void submit(const Command *const *commands, size_t count) override {
    Event event;
    event.start = event.end = monotonicNanoseconds();
    for (size_t i = 0; i < count; ++i) {
      event.vertex = commands[i]->vertex;
      submitted.push_back(event);
    }
  }

  void pump() override {
    delivering.swap(submitted);
    sink->deliver(delivering.data(), delivering.size());
    delivering.clear();
  }

  void finish() override { sink = nullptr; }

private:
  DriverProperties props;
  EventSink *sink = nullptr;
  std::vector<Event> submitted;
  std::vector<Event> delivering;
};
} // namespace

std::unique_ptr<Driver> turnip::runtime::createNullDriver() {
  return std::make_unique<NullDriver>();
}
