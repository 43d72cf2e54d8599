//===- Guard.h - Every buffer in its own guarded mapping --------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A debug mode around a driver that moves data. A buffer is what a value is
// while it lies at one place: its memory, offset and value. Each has pages of
// its own, with inaccessible pages around them, and lies at their end. Reads
// find the pages read-only; pages that nobody reads any more, or that nobody
// has written yet, are inaccessible, and come back filled with ones (NaN).
// So an operation that reads or writes what the graph does not say faults, and
// the driver's trap turns that into an error of the operation.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_RUNTIME_GUARD_H
#define TURNIP_LIB_RUNTIME_GUARD_H

#include "turnip/artifact/Module.h"
#include "turnip/runtime/Driver.h"

#include <map>
#include <memory>
#include <mutex>
#include <tuple>

namespace turnip::runtime {

class Guard final : public Driver, private EventSink {
public:
  /// Reserves address space for every buffer of \p entry, which outlives the
  /// guard. Memory for parameters stays where \p inner has it.
  static Expected<std::unique_ptr<Guard>> create(std::unique_ptr<Driver> inner,
                                                 const artifact::Module &module,
                                                 const artifact::Entry &entry);
  ~Guard() override;

  /// Where the bytes of \p access of vertex \p vertex are.
  void *address(uint32_t vertex, const artifact::Access &access) const;
  /// Where a piece that is there at entry or at exit is; writable for the host
  /// while no run is on.
  void *address(const artifact::Piece &piece) const;

  const DriverProperties &properties() const override {
    return inner->properties();
  }
  Status open(const MachineDescription &machine) override;
  void *base(uint32_t memory) const override { return inner->base(memory); }
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
  Status start(EventSink &sink) override;
  void submit(const Command *const *commands, size_t count) override;
  void submitBehind(const Command &command, const uint32_t *waits,
                    size_t numWaits) override;
  void pump() override { inner->pump(); }
  void hurry() override { inner->hurry(); }
  void finish() override;

private:
  /// Memory, offset, value; workspaces have the vertex for a value.
  using Key = std::tuple<uint32_t, uint64_t, uint64_t>;

  struct Buffer {
    /// The pages, and the buffer within them.
    unsigned char *pages = nullptr;
    uint64_t pageBytes = 0;
    unsigned char *data = nullptr;
    uint64_t bytes = 0;
    /// Accesses in the graph, and those of the run that are still to come.
    uint32_t uses = 0;
    uint32_t usesLeft = 0;
    /// There at entry, wanted at exit.
    bool atEntry = false;
    bool atExit = false;
    bool live = false;
  };

  Guard(std::unique_ptr<Driver> inner, const artifact::Module &module,
        const artifact::Entry &entry)
      : inner(std::move(inner)), module(module), entry(entry) {}

  void deliver(const Event *events, size_t count) override;
  Status reserve();
  void note(const Key &key, uint64_t bytes, Buffer **buffer = nullptr);
  static Key keyOf(uint32_t vertex, const artifact::Access &access);
  bool isGuarded(uint32_t memory) const;
  void prepare(uint32_t vertex);
  std::string release(uint32_t vertex);
  static void makeLive(Buffer &buffer);
  static void freeBuffer(Buffer &buffer);
  static void setAccess(Buffer &buffer, int protection);
  static bool marginsIntact(const Buffer &buffer);
  std::string describeAccess(uint32_t vertex, uint32_t position) const;
  std::string explainFault(uint32_t vertex, const void *fault) const;

  std::unique_ptr<Driver> inner;
  const artifact::Module &module;
  const artifact::Entry &entry;
  std::map<Key, Buffer> buffers;
  unsigned char *reservation = nullptr;
  uint64_t reservedBytes = 0;
  EventSink *sink = nullptr;

  /// Guards the buffers' states and the messages while a run is on.
  std::mutex mutex;
  std::vector<std::unique_ptr<std::string>> messages;
};

} // namespace turnip::runtime

#endif // TURNIP_LIB_RUNTIME_GUARD_H
