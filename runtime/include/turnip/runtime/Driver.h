//===- Driver.h - The interface every kind of device offers -----*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A driver owns the memories and the engines of one machine: it allocates the
// arenas once, then takes commands (kernel launches and copies) in batches and
// delivers an event for each when it is done. It never orders commands of
// different engines; the executor submits a command only when everything it
// depends on is done or, on drivers with device-side waits, submitted and of
// its wait group.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_RUNTIME_DRIVER_H
#define TURNIP_RUNTIME_DRIVER_H

#include "turnip/machine/Machine.h"
#include "turnip/runtime/KernelABI.h"
#include "turnip/support/Status.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace turnip::artifact {
struct Kernel;
} // namespace turnip::artifact

namespace turnip::runtime {

enum class MemoryKind : uint8_t {
  /// The arena of a compute device.
  Device,
  /// Host RAM.
  Host,
  /// Host RAM that holds the parameters; nothing writes it while running.
  Parameters,
};

/// One memory of the machine: an arena of fixed size.
struct MemoryDescription {
  std::string name;
  MemoryKind kind = MemoryKind::Host;
  /// Bytes the driver allocates, once.
  uint64_t capacity = 0;
  /// Device: the device whose memory it is, as EngineDescription counts them.
  int32_t device = -1;
  /// What buffers of calls in it are aligned to, counted from its first byte.
  uint64_t alignment = 64;
};

enum class EngineKind : uint8_t { Compute, Transfer };

/// Something that works through commands: the lanes of a device, or one
/// direction of a link.
struct EngineDescription {
  std::string name;
  EngineKind kind = EngineKind::Compute;
  /// Compute: index of the device, -1 for the host.
  /// Transfer: index of the device whose link this is, -1 between host
  /// memories.
  int32_t device = -1;
  /// Transfer: true if it moves bytes towards the device.
  bool toDevice = false;
  /// Transfer: index of the device that bytes come from, -1 for the host.
  int32_t source = -1;
};

/// What is known of a kernel before it runs. Drivers that compute ignore it.
struct KernelDescription {
  machine::KernelClass kernelClass = machine::KernelClass::Other;
  /// What it computes with.
  ElementType type = ElementType::F32;
  /// See machine::kernelHash(); 0: not known.
  uint64_t hash = 0;
  /// Where drivers that launch objects find its code; outlives the driver.
  const artifact::Kernel *code = nullptr;
  /// The compute engines that call it.
  std::vector<uint16_t> engines;
};

/// What a driver is asked to provide.
struct MachineDescription {
  std::vector<MemoryDescription> memories;
  std::vector<EngineDescription> engines;
  /// Commands refer to these by number.
  std::vector<KernelDescription> kernels;
};

/// One vertex of the graph in the form that a driver executes.
struct Command {
  /// A join does nothing: it stands for its predecessors. Drivers never see
  /// one.
  enum class Kind : uint8_t { Launch, Copy, Join };

  Kind kind = Kind::Launch;
  uint16_t engine = 0;
  /// Index of the vertex; events carry it back.
  uint32_t vertex = 0;
  /// Launch: the kernel and its arguments (see KernelABI.h). The function is
  /// null where the driver moves no data, and where it launches an object.
  KernelFunction function = nullptr;
  void *const *buffers = nullptr;
  const int64_t *scalars = nullptr;
  int64_t grid = 1;
  /// Copy: from and to. A copy on a compute engine moves bytes within its
  /// device's memory.
  const void *source = nullptr;
  void *target = nullptr;
  /// Copy: bytes moved. Launch: bytes the kernel reads and writes.
  uint64_t bytes = 0;
  /// Launch: floating-point operations.
  double flops = 0;
  /// Launch: index into MachineDescription::kernels, or no index of it.
  uint32_t kernel = UINT32_MAX;
};

/// The completion of one command. Times are nanoseconds of the driver's clock.
struct Event {
  uint32_t vertex = 0;
  int64_t start = 0;
  int64_t end = 0;
  /// Null on success; else what went wrong. Owned by the driver, valid until
  /// the next run starts.
  const char *error = nullptr;
  /// With an error: the address of the memory fault, where it was one.
  const void *fault = nullptr;
};

/// Where a driver delivers events: any thread, any number at a time. Delivery
/// may call Driver::submit before it returns.
class EventSink {
public:
  virtual ~EventSink() = default;
  virtual void deliver(const Event *events, size_t count) = 0;
};

/// What a driver can and cannot do.
struct DriverProperties {
  /// "host", "sim", "null", ...
  std::string name;
  /// Commands really move and compute data.
  bool movesData = false;
  /// Events come from the driver's own threads; else from pump() only.
  bool threaded = false;
  /// Time is simulated: now() moves only with events.
  bool virtualClock = false;
  /// Commands may be submitted behind unfinished ones: see submitBehind().
  bool deviceWaits = false;
  /// With deviceWaits: wait groups reach across engines.
  bool waitsAcrossEngines = false;
  /// The memories of devices are in the devices: base() of one is an address
  /// that only they can use, and calls on devices launch the objects of
  /// KernelDescription::code instead of calling functions.
  bool launchesObjects = false;
  /// The memories of devices are arenas of host memory, which they share.
  bool hostArenas = false;
  /// Compute lanes per device; 0 where the notion has no meaning.
  unsigned lanes = 0;
};

/// See the head of this file. One run at a time; submit() and deliver() as
/// described there, everything else from one thread at a time.
class Driver {
public:
  virtual ~Driver() = default;

  virtual const DriverProperties &properties() const = 0;

  /// Bytes that the memory \p name of a device can have now, before open(); of
  /// all of them together with hostArenas. Nothing where the driver cannot
  /// tell.
  virtual std::optional<uint64_t> freeMemory(const std::string &name) const;

  /// Allocates every memory of \p machine and starts the engines; once.
  virtual Status open(const MachineDescription &machine) = 0;

  /// First byte of memory \p memory: aligned to a page, valid until the driver
  /// goes away, readable and writable by the host while no run is on, but see
  /// launchesObjects. Null for drivers that move no data.
  virtual void *base(uint32_t memory) const = 0;

  /// True if a copy of \p bytes bytes at \p offset of \p memory, which is for
  /// parameters, may as well have its source anywhere else in host memory.
  /// Memory that nobody writes to takes no room.
  virtual bool readsFromAnywhere(uint32_t memory, uint64_t offset,
                                 uint64_t bytes) const;

  /// Copies \p bytes bytes from \p offset of \p memory, whichever it is, to
  /// \p target, or from \p source there, while no run is on. For drivers that
  /// move data. Error: Device.
  virtual Status read(uint32_t memory, uint64_t offset, uint64_t bytes,
                      void *target) const;
  virtual Status write(uint32_t memory, uint64_t offset, uint64_t bytes,
                       const void *source);

  /// Forbids or allows writes to \p memory. Unsupported by default.
  virtual Status protect(uint32_t memory, bool writable);

  /// Nanoseconds on the clock that the events' times come from.
  virtual int64_t now() const = 0;

  /// How many commands engine \p engine takes before the first completes.
  virtual uint32_t queueDepth(uint32_t engine) const = 0;

  /// Begins a run: events go to \p sink until finish().
  virtual Status start(EventSink &sink) = 0;
  /// Hands over commands. Called by one thread at a time, perhaps from within
  /// deliver(). The commands outlive the run. Never delivers itself.
  virtual void submit(const Command *const *commands, size_t count) = 0;
  /// The wait group of commands that neither wait on the device nor are waited
  /// for.
  static constexpr uint32_t noWaitGroup = UINT32_MAX;
  /// With deviceWaits: commands of one group may be submitted behind each
  /// other. By default an engine's commands are a group.
  virtual uint32_t waitGroup(const Command &command) const {
    return command.engine;
  }
  /// With deviceWaits: hands over \p command, which must not start before the
  /// commands of the vertices \p waits are done; all of those have been
  /// submitted and are of its wait group. Otherwise as submit().
  virtual void submitBehind(const Command &command, const uint32_t *waits,
                            size_t numWaits);
  /// Unless threaded: delivers events of submitted commands, at least one if
  /// any is outstanding.
  virtual void pump() {}
  /// The run is being given up: waiting that stands for no work, such as that
  /// of an emulated link, ends at once until the next start(). Events come as
  /// ever. Called from the thread that runs, while others submit and deliver.
  virtual void hurry() {}
  /// Ends a run: nothing is outstanding, nothing is delivered any more.
  virtual void finish() = 0;
};

} // namespace turnip::runtime

#endif // TURNIP_RUNTIME_DRIVER_H
